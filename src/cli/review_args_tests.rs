use clap::Parser;

use super::*;
use crate::cli::args::{Cli, CliCommand};
use crate::config::{ConfigLayer, LayerSource, resolve_layers};

fn parse(line: &str) -> ReviewArgs {
    let words = ["git-council", "review"]
        .into_iter()
        .chain(line.split_whitespace());
    match Cli::try_parse_from(words).unwrap().command {
        CliCommand::Review(args) => *args,
        other => panic!("{other:?}"),
    }
}

fn pairs(line: &str) -> Vec<String> {
    let pairs = parse(line).config_pairs();
    pairs
        .iter()
        .map(|pair| format!("{}={} {}", pair.key, pair.value, pair.place))
        .collect()
}

#[test]
fn flags_become_the_strongest_layer() {
    assert_eq!(pairs(""), [""; 0]);
    assert_eq!(
        pairs("--debate=off --no-save"),
        ["review.debate=off --debate", "output.save=false --no-save"]
    );
    let ignored = pairs("--ignore *.snap --ignore !a.snap");
    assert_eq!(
        ignored,
        [
            "review.ignore=*.snap --ignore",
            "review.ignore=!a.snap --ignore"
        ]
    );
}

#[test]
fn a_bare_debate_is_forced_and_overrules_a_procedure_without_one() {
    let forced = [
        "review.debate=force --debate",
        "review.procedure=review --debate",
    ];
    assert_eq!(pairs("--debate"), forced);
    assert_eq!(pairs("--debate HEAD"), forced);
    assert_eq!(parse("--debate HEAD").target.as_deref(), Some("HEAD"));
}

#[test]
fn every_flag_sets_a_key_that_takes_its_value() {
    let line = "--procedure review --consensus strict --quorum 2 --judges 3 --perspectives tests,security \
                --agents builtin --backend teams --timeout 5m --r1-timeout 10s --r2-timeout 10s --ignore *.x \
                --debate=auto --fail-on warn --format sarif --no-save --mixed --explorers 2 --explorer-model haiku \
                --intensity full --claude-model opus --codex-model o3";
    let flags = ConfigLayer::Pairs {
        source: LayerSource::Flag,
        pairs: parse(line).config_pairs(),
    };
    let settings = resolve_layers(&[flags]).unwrap().settings;
    assert_eq!(
        (settings.review.judges, settings.timeouts.run),
        (Some(3), Some(300_000))
    );
    assert!(!settings.output.save);
    for line in ["--preset ops", "--quick", "--json"] {
        let flags = ConfigLayer::Pairs {
            source: LayerSource::Flag,
            pairs: parse(line).config_pairs(),
        };
        resolve_layers(&[flags]).unwrap();
    }
}

/// What a job says was there before a push may be as little merged as the push.
#[test]
fn a_push_in_ci_is_judged_by_the_default_branch() {
    let target = |ci: bool, target: &str| {
        let args = ReviewArgs {
            ci,
            target: Some(target.to_owned()),
            ..ReviewArgs::default()
        };
        args.requested_target()
    };
    assert!(matches!(
        target(true, "1111111..HEAD"),
        RequestedTarget::Unmerged(_)
    ));
    assert!(matches!(
        target(true, "origin/main...HEAD"),
        RequestedTarget::Revision(_)
    ));
    assert!(matches!(
        target(false, "1111111..HEAD"),
        RequestedTarget::Revision(_)
    ));
}

#[test]
fn quick_and_debate_are_refused() {
    let refused = |line: &str| {
        parse(line)
            .check_conflicts()
            .err()
            .map(|error| error.message)
    };
    let words = Some("--quick and --debate are incompatible.".to_owned());
    assert_eq!(refused("--quick --debate"), words);
    assert_eq!(refused("--procedure quick --debate=auto"), words);
    let words = Some("--quick and --deep are incompatible.".to_owned());
    assert_eq!(refused("--quick --deep"), words);
    assert_eq!(refused("--procedure quick --deep"), words);
    for more in [
        "--procedure staged",
        "--procedure cross-examination",
        "--procedure debate",
        "--mixed",
        "--perspectives security,tests",
        "--agents a,b",
        "--judges 3",
    ] {
        assert!(refused(&format!("--quick {more}")).is_some(), "{more}");
    }
    assert!(refused("--procedure debate --debate=off").is_some());
    for one in [
        "--quick --procedure quick",
        "--quick --judges 1",
        "--quick --perspectives tests",
    ] {
        assert_eq!(refused(one), None, "{one}");
    }
    let staged = "--intensity selects a staged debate, but --debate selects something else";
    assert_eq!(
        refused("--intensity full --debate"),
        Some(staged.to_owned())
    );
    assert_eq!(refused("--intensity light"), None);
    assert_eq!(refused("--quick --debate=off"), None);
    assert_eq!(refused("--debate"), None);
}

/// A job that ends before its verdict is green by accident, and one change is named by one flag.
#[test]
fn a_job_waits_for_the_verdict_of_its_own_change() {
    for other in ["--detach", "--pr 1", "--event", "--staged"] {
        let words = format!("git-council review --ci {other}");
        let refused = Cli::try_parse_from(words.split(' ')).err();
        let kind = refused.map(|error| error.kind());
        assert_eq!(
            kind,
            Some(clap::error::ErrorKind::ArgumentConflict),
            "{other}"
        );
    }
}
