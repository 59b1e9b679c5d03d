//! A finding that was fixed and comes back: it is told where people look, and not in a conversation that is closed.

use super::stage::{CONFLICT, Stage};

const MENDED: &str = "fn a() {\n    one();\n}\n";

/// Our conversations about a file that are open.
fn open(stage: &Stage) -> Vec<String> {
    let state = stage.hub.state();
    let open = state.threads.iter().filter(|t| !t.resolved && !t.hidden);
    let here = open.filter(|t| t.place["path"] == "src/a.rs");
    here.map(|t| t.id.trim_start_matches("PRRT_").to_owned())
        .collect()
}

/// Whatever the token may, and whether a report is kept on the page or not.
#[test]
fn a_finding_that_comes_back_is_told_in_an_open_conversation() {
    for (surfaces, may_resolve) in [
        ("comment,check,review", true),
        ("comment,review", false),
        ("review", true),
    ] {
        let stage = Stage::new();
        let args = ["review", "--pr", "1", "--publish", surfaces, "--full"];
        // Where nothing is kept of the last review, only `--full` closes conversations.
        let args = &args[..args.len() - usize::from(surfaces != "review")];
        let denied = (!may_resolve).then_some("contents: write");
        stage.hub.state().denied.extend(denied);
        stage.propose(1, &[("src/a.rs", CONFLICT)]);
        stage.council(args).ends(1);
        let first = open(&stage).len();
        assert!(first > 0);
        for round in 0..2 {
            stage.add(1, &[("src/a.rs", MENDED)]);
            stage.council(args).ends(0);
            assert!(open(&stage).is_empty(), "{surfaces} {round}");
            stage.add(1, &[("src/b.rs", &format!("fn b{round}() {{}}\n"))]);
            stage.council(args).ends(0);
            stage.add(1, &[("src/a.rs", CONFLICT)]);
            stage.council(args).ends(1);
            let back = open(&stage);
            assert_eq!(back.len(), first, "{surfaces} {round}");
            for report in stage.reports(1) {
                let link = |id: &String| report.body.contains(&format!("#discussion_r{id})"));
                assert!(back.iter().all(link), "{surfaces} {round}: {}", report.body);
            }
            // And it is told once.
            let many = stage.hub.state().threads.len();
            stage.council(args).ends(1);
            assert_eq!(stage.hub.state().threads.len(), many);
        }
        stage.requests();
    }
}

/// What somebody resolved while it stood there was seen by them: it is told again only after it was gone.
#[test]
fn what_somebody_resolved_comes_back_only_after_it_was_gone() {
    let stage = Stage::new();
    let args = ["review", "--pr", "1", "--publish", "comment,check,review"];
    stage.propose(1, &[("src/a.rs", CONFLICT)]);
    stage.council(&args).ends(1);
    let many = stage.hub.state().threads.len();
    for thread in &mut stage.hub.state().threads {
        thread.resolved = true;
    }
    for round in 0..2 {
        stage.add(1, &[("src/b.rs", &format!("fn b{round}() {{}}\n"))]);
        stage.council(&args).ends(1);
        assert_eq!(stage.hub.state().threads.len(), many, "raised again");
    }
    stage.add(1, &[("src/a.rs", MENDED)]);
    stage.council(&args).ends(0);
    stage.add(1, &[("src/a.rs", CONFLICT)]);
    stage.council(&args).ends(1);
    assert_eq!(open(&stage).len(), many);
    stage.requests();
}
