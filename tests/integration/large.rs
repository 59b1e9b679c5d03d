//! Changes that are larger than a brief: spread over the judges, or named with the command that reviews them whole.

use std::fmt::Write as _;

use serde_json::Value;

use crate::harness::{Repo, Run};
use crate::programs::{answer, with_judge};

/// Each of the files takes about 9 kB of a brief.
const FILE_LINES: usize = 200;

/// Lines that no rule speaks of.
fn write_files(repo: &Repo, files: usize) {
    for file in 0..files {
        let lines = (0..FILE_LINES).fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "the value of row {line} in part {file} is set");
            text
        });
        repo.write(&format!("data/part{file}/rows.txt"), lines);
    }
    repo.commit("Data");
}

fn notes(report: &Value) -> Vec<String> {
    let notes = report["notes"].as_array().unwrap().iter();
    notes
        .map(|note| note.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_is_larger_than_a_brief_names_the_command_that_reviews_it_whole_and_its_cost() {
    let repo = with_judge(&answer("PASS", ""), "");
    // 28,000 lines.
    write_files(&repo, 140);
    let run = repo.council(["review", "HEAD", "--json"]).ends(3);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "INCONCLUSIVE");
    let notes = notes(&report);
    let told = notes.iter().find(|note| note.contains("reviews all of it"));
    let told = told.unwrap_or_else(|| panic!("{notes:?}"));
    assert!(
        told.contains("about ") && told.contains(" tokens in a round"),
        "{told}"
    );
    let dry = repo.council(["review", "HEAD", "--dry-run"]).ends(0);
    let text = format!("{} {}", dry.stdout, dry.stderr);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("reviews all of it"), "{text}");
    does_what_it_says(&repo, told);
}

/// Runs the command that a note names, in a real shell: it reviews all of the change, in as many parts as the note says.
fn does_what_it_says(repo: &Repo, told: &str) -> Value {
    let command = told
        .split('`')
        .find(|part| part.starts_with("git council "))
        .unwrap();
    let script = format!("git() {{ shift; \"$COUNCIL\" \"$@\"; }}\n{command}");
    let mut shell = repo.shell(&script);
    shell.env("COUNCIL", env!("CARGO_BIN_EXE_git-council"));
    let run = Run::of(shell.output().unwrap()).ends(0);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["verdict"], "PASS", "{command}: {report}");
    let parts = report["receipt"]["run"]["brief"]["parts"].as_u64().unwrap();
    let said = match parts {
        1 => "all of it at once".to_owned(),
        parts => format!("all of it in {parts} parts"),
    };
    assert!(told.contains(&said), "{said}: {told}");
    report
}

/// The command keeps what was asked for, however a shell would read it: options, and pathspecs with blanks, quotes, leading
/// dashes and signs of globs.
#[test]
fn the_command_that_reviews_a_change_whole_keeps_what_was_asked_for() {
    let repo = with_judge(&answer("PASS", ""), "");
    let line = |nth: usize| format!("the value of row {nth} is set to another one\n");
    let text: String = (0..700).map(line).collect();
    for name in [
        "a b.txt",
        "-x.txt",
        "it's.txt",
        "q\"[1].txt",
        "$HOME.txt",
        "other.txt",
    ] {
        repo.write(name, &text);
    }
    repo.commit("Data");
    let specs = [
        "a b.txt",
        "-x.txt",
        "it's.txt",
        ":(literal)q\"[1].txt",
        "$HOME.txt",
    ];
    let limits = [
        "--config",
        "limits.brief=60K",
        "--config",
        "limits.context=0",
    ];
    let asked = [
        "--fail-on",
        "warn",
        "--perspectives",
        "security,tests",
        "--ignore",
        "*.lock",
    ];
    let args = [
        &["review", "HEAD", "--json"][..],
        &limits,
        &asked,
        &["--"],
        &specs,
    ]
    .concat();
    let run = repo.council_with(&[], &args).ends(3);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let notes = notes(&report);
    let told = notes.iter().find(|note| note.contains("reviews all of it"));
    let whole = does_what_it_says(&repo, told.unwrap_or_else(|| panic!("{notes:?}")));
    for key in ["/target/only", "/receipt/run/fail_on"] {
        assert_eq!(whole.pointer(key), report.pointer(key), "{key}");
    }
    assert_eq!(
        whole["target"]["only"].as_array().map(Vec::len),
        Some(specs.len())
    );
    let perspectives = |report: &Value| {
        let judges = report["judges"].as_array().unwrap().iter();
        let names = judges.map(|judge| judge["seat"]["perspective"]["name"].to_string());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(perspectives(&whole), perspectives(&report));
}

/// One command has one price: what the note says of it is what its own forecast says.
#[test]
fn the_command_costs_what_its_own_dry_run_says() {
    let repo = with_judge(&answer("PASS", ""), "");
    write_files(&repo, 140);
    let words = |args: &[&str]| {
        let text = repo.council_with(&[], args).ends(0).stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let number = |text: &str| -> u64 {
        let digits = text.split(' ').next().unwrap_or_default();
        digits.replace(',', "").parse().unwrap()
    };
    let note = words(&["review", "HEAD", "--dry-run"]);
    let (_, told) = note.split_once("reviews all of it in ").unwrap();
    let (_, told) = told.split_once(" parts: about ").unwrap();
    let shard = [
        "review",
        "HEAD",
        "--dry-run",
        "--config",
        "review.large=shard",
    ];
    let own = words(&shard);
    let each = own.split(" about ").skip(1);
    let inputs = each.filter(|rest| rest.contains(" tokens in and "));
    assert_eq!(
        number(told),
        inputs.map(number).sum::<u64>(),
        "{note}\n{own}"
    );
}

/// A change in parts has one round, and costs what a review without a second one does; that its first number is of one part
/// is said.
#[test]
fn the_price_of_a_change_in_parts_is_that_of_one_round() {
    let repo = with_judge(&answer("PASS", ""), "");
    let config = "[agents.api]\ndriver = 'http'\napi = 'chat'\nurl = 'http://127.0.0.1:1/v1'\nmodel = 'm'\n\
                  [prices.m]\ninput = 3\noutput = 15\n";
    repo.write_home(".config/git-council/config.toml", config);
    write_files(&repo, 60);
    for large in ["review.large=shard", "review.judges=4"] {
        let told = |debate: &str| {
            let args = [
                "review",
                "HEAD",
                "--dry-run",
                "--quorum=2",
                debate,
                "--config",
                large,
            ];
            repo.council_with(&[], &args).ends(0).stdout
        };
        let (once, twice) = (told("--debate=off"), told("--debate"));
        assert_eq!(once, twice);
        assert!(once.contains("will be sent in the largest of "), "{once}");
    }
}

/// Whoever is shown one part of a change is shown what it calls and who calls it, as that is after the change, though another
/// part changes it, too.
#[test]
fn a_part_of_a_change_is_shown_with_what_another_part_changes() {
    let script =
        answer("PASS", "").replace("key=", "printf '%s' \"$prompt\" >@MARKS/prompt-$$\nkey=");
    let repo = with_judge(&script, "");
    let write = |file: &str, code: &str, side: &str| {
        let filling: String = (0..2_000)
            .map(|n| format!("# {side} in row {n}\n"))
            .collect();
        repo.write(file, format!("{code}{filling}"));
    };
    let convert = |value: &str| format!("def convert(n):\n    return {value}\n\n");
    let total = |more: &str| {
        format!("from core.money import convert\n\ndef total(n):\n    return convert(n){more}\n\n")
    };
    write("core/money.py", &convert("n * 100"), "was");
    write("web/page.py", &total(""), "was");
    repo.commit("Before");
    write("core/money.py", &convert("str(n * 100)"), "is");
    write("web/page.py", &total(" + 1"), "is");
    repo.commit("After");
    let args = [
        "review",
        "HEAD",
        "--config",
        "review.large=shard",
        "--config",
        "limits.brief=120K",
        "--judges=1",
    ];
    repo.council_with(&[], &args).ends(0);
    let marks = std::fs::read_dir(repo.in_home("marks")).unwrap();
    let prompts = marks.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let prompts: Vec<String> = prompts
        .filter(|text| text.contains("## The change"))
        .collect();
    assert!(prompts.len() > 1, "{}", prompts.len());
    for (file, lines) in [
        ("=== modified core/money.py", "convert(n) + 1"),
        ("=== modified web/page.py", "return str(n * 100)"),
    ] {
        let mut shown = prompts.iter().filter(|text| text.contains(file));
        assert!(shown.any(|text| text.contains(lines)), "{file}");
        let around = prompts.iter().filter(|text| text.contains(file));
        assert!(around.count() < prompts.len(), "{file} is in one part");
    }
}

/// What did not fit behind another file is not too large by itself: no limit need be raised for it.
#[test]
fn a_file_that_fits_alone_is_not_said_to_be_larger_than_a_brief() {
    let repo = with_judge(&answer("PASS", ""), "");
    for name in ["a", "b"] {
        let lines: String = (0..3_000).map(|n| format!("{name}{n} = {n}\n")).collect();
        repo.write(&format!("{name}.py"), lines);
    }
    repo.commit("Two");
    let args = ["review", "HEAD", "--json", "--config", "limits.brief=64K"];
    let run = repo.council_with(&[], &args).ends(3);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let notes = notes(&report);
    let told = notes.iter().find(|note| note.contains("reviews all of it"));
    let told = told.unwrap_or_else(|| panic!("{notes:?}"));
    assert!(
        told.starts_with("the change is larger than one brief"),
        "{told}"
    );
    assert!(told.contains("limits.brief=64K"), "{told}");
    does_what_it_says(&repo, told);
}

#[test]
fn a_file_larger_than_a_brief_names_the_brief_that_shows_it() {
    let repo = with_judge(&answer("PASS", ""), "");
    let line = |nth: usize| format!("the value of row {nth} is set to another one\n");
    repo.write("data/big.txt", (0..12_000).map(line).collect::<String>());
    repo.write("data/small.txt", "one value is set\n");
    repo.commit("Data");
    for policy in ["rank", "shard"] {
        let large = format!("review.large={policy}");
        let args = ["review", "HEAD", "--json", "--config", &large];
        let run = repo.council_with(&[], &args).ends(3);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let notes = notes(&report);
        let told = notes
            .iter()
            .find(|note| note.contains("data/big.txt alone is larger than one brief"));
        does_what_it_says(&repo, told.unwrap_or_else(|| panic!("{policy}: {notes:?}")));
    }
}

#[test]
fn a_quorum_sees_every_file_before_all_judges_see_any() {
    let script =
        answer("PASS", "").replace("key=", "printf '%s' \"$prompt\" >@MARKS/prompt-$$\nkey=");
    let repo = with_judge(&script, "");
    write_files(&repo, 14);
    // Two of four briefs hold the change, and no single one does.
    let limits = [
        "--config",
        "limits.brief=110K",
        "--config",
        "limits.context=0",
        "--config",
        "review.judges=4",
        "--config",
        "review.quorum=2",
    ];
    let args = [&["review", "HEAD"][..], &limits].concat();
    let told = repo.council_with(&[], &[&args[..], &["--dry-run"]].concat());
    let told = told.ends(0).stdout;
    assert!(!told.contains("second round"), "it has one: {told}");
    let run = repo.council_with(&[], &args).ends(0);
    assert!(run.stdout.starts_with("PASS"), "{}", run.stdout);
    let marks = std::fs::read_dir(repo.in_home("marks")).unwrap();
    let prompts = marks.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let prompts: Vec<String> = prompts.collect();
    assert!(prompts.len() >= 4, "{}", prompts.len());
    let readers = |file: usize| {
        let last = format!("the value of row {} in part {file} is set", FILE_LINES - 1);
        prompts.iter().filter(|text| text.contains(&last)).count()
    };
    let readers: Vec<usize> = (0..14).map(readers).collect();
    assert!(readers.iter().all(|&count| count >= 2), "{readers:?}");
    assert!(
        readers.iter().any(|&count| count < prompts.len()),
        "{readers:?}"
    );
}

/// Most of what a review by rules takes is the reading of the change, and the headline tells all of it.
#[test]
fn the_time_of_a_review_includes_the_reading() {
    let repo = Repo::with_base();
    let lines: String = (0..4_000)
        .map(|n| format!("key-{n}: the value of {n}\n"))
        .collect();
    repo.write("big.yml", lines);
    repo.commit("Big");
    let began = std::time::Instant::now();
    let run = repo.council(["review", "HEAD", "--json"]);
    let took = began.elapsed().as_millis();
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let told = report["receipt"]["run"]["duration_ms"].as_u64().unwrap();
    assert!(u128::from(told) * 2 >= took, "{told} ms of {took} ms");
}
