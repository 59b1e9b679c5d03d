//! Councils measured on a history whose defects are known.

use crate::harness::{Repo, Run};

/// Six functions, one a commit; the third one is mended later, and the fourth one reverted.
fn history() -> Repo {
    let repo = Repo::with_base();
    let body = |name: &str, sign: char| {
        format!(
            "def {name}(value):\n    first = value + 1\n    second = first {sign} 2\n    third = second * first\n    return third - second\n"
        )
    };
    for name in ["alpha", "beta", "gamma"] {
        repo.write(&format!("src/{name}.py"), body(name, '*'));
        repo.commit(&format!("Add {name}"));
    }
    repo.write("src/delta.py", body("delta", '*'));
    let bad = repo.commit("Add delta");
    repo.write("src/gamma.py", body("gamma", '-'));
    repo.commit("Fix the second value of gamma");
    repo.git(["revert", "--no-edit", &bad]);
    repo
}

/// A council of one program that objects to line 3 of gamma, and passes everything else.
fn finder() -> String {
    council(
        r#"if echo "$brief" | grep -q 'def gamma'; then printf '{"schema_version":1,"round":1,"key":"%s","confidence":"HIGH","key_insight":"i","verdict":"FAIL","findings":[{"severity":"critical","description":"it multiplies","why":"the second value is wrong for 0","location":{"path":"src/gamma.py","line":3},"quote":"second = first * 2"}]}' "$COUNCIL_KEY"; else printf '{"schema_version":1,"round":1,"key":"%s","confidence":"HIGH","key_insight":"i","verdict":"PASS","findings":[]}' "$COUNCIL_KEY"; fi"#,
    )
}

/// A council of one program that finds nothing.
fn silent() -> String {
    council(
        r#"printf '{"schema_version":1,"round":1,"key":"%s","confidence":"HIGH","key_insight":"i","verdict":"PASS","findings":[]}' "$COUNCIL_KEY""#,
    )
}

fn council(answer: &str) -> String {
    format!(
        "[review]\nagents = [\"one\"]\njudges = 1\nquorum = 1\n[agents.one]\ndriver = \"command\"\ncommand = ['''sh''', '''-c''', '''brief=$(cat); echo asked >>'@HOME@/asked'; {answer}''']\n"
    )
}

/// Writes a council's file. A judge notes in the home that it was asked: its own home is another one.
fn write_council(repo: &Repo, name: &str, text: &str) {
    let home = repo.in_home("").display().to_string();
    repo.write_home(name, &text.replace("@HOME@/", &home));
}

/// How often a judge was asked.
fn asked(repo: &Repo) -> usize {
    std::fs::read_to_string(repo.in_home("asked"))
        .unwrap_or_default()
        .lines()
        .count()
}

fn prepared() -> (Repo, Vec<String>) {
    let repo = history();
    write_council(&repo, "finder.toml", &finder());
    write_council(&repo, "silent.toml", &silent());
    let file = repo.in_home("changes.jsonl").display().to_string();
    repo.council([
        "eval",
        "collect",
        "--since",
        "2000-01-01",
        "--sets",
        "szz,reverts",
        "-o",
        &file,
    ])
    .ends(0);
    let council = |name: &str| repo.in_home(name).display().to_string();
    let run = [
        "eval",
        "run",
        &file,
        "--council",
        &council("finder.toml"),
        "--council",
        &council("silent.toml"),
    ];
    (repo, run.map(str::to_owned).to_vec())
}

fn hold(repo: &Repo, run: &[String], more: &[&str]) -> Run {
    let args: Vec<&str> = run
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .collect();
    repo.council_with(&[], &args)
}

#[test]
fn a_council_that_shows_the_defect_is_told_from_one_that_does_not() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    let file = run[2].as_str();
    let told = repo.council(["eval", "compare", file, "--json"]).ends(0);
    let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    let shown =
        |council: usize| told["councils"][council]["measures"]["defects-shown"]["value"].as_f64();
    assert_eq!(told["councils"][0]["name"], "finder");
    // Of the reverted change only that it is defective is known: it has no place to show.
    assert_eq!((shown(0), shown(1)), (Some(1.0), Some(0.0)), "{told}");
    assert_eq!(
        told["differences"][0]["measures"]["objections"]["value"].as_f64(),
        Some(0.5),
        "{told}"
    );
    repo.council(["eval", "compare", file])
        .ends(0)
        .prints("defects shown within 3 lines")
        .prints("no difference shown");
    // The page says the same, loads nothing and runs nothing.
    let page = repo
        .council(["eval", "compare", file, "--html"])
        .ends(0)
        .stdout;
    for said in [
        "<!DOCTYPE html>",
        "default-src 'none'",
        ">finder<",
        ">silent<",
        "100 % (",
        "no difference shown",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    for never in ["<script", "http://", "https://", "\u{1b}"] {
        assert!(!page.contains(never), "{never}: {page}");
    }
    repo.council(["eval", "compare", file, "--html", "--json"])
        .ends(2);
}

#[test]
fn what_was_asked_is_never_asked_again_and_recounts_cost_nothing() {
    let (repo, run) = prepared();
    hold(&repo, &run, &["--dry-run"])
        .ends(0)
        .prints("2 changes × 2 councils × 1 repeats = 4 reviews");
    assert_eq!(asked(&repo), 0);
    hold(&repo, &run, &[]).ends(0);
    let first = asked(&repo);
    assert!(first >= 4, "{first}");
    hold(&repo, &run, &[]).ends(0);
    repo.council([
        "eval",
        "compare",
        &run[2],
        "--recount",
        "consensus=majority",
    ])
    .ends(0);
    assert_eq!(asked(&repo), first);
    // A changed council is another one.
    write_council(&repo, "silent.toml", &(silent() + "# more\n"));
    hold(&repo, &run, &[]).ends(0);
    assert!(asked(&repo) > first);
}

#[test]
fn a_result_that_a_crash_cut_off_is_taken_from_its_run() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    let results = std::path::PathBuf::from(format!("{}.results", run[2]));
    let text = std::fs::read_to_string(&results).unwrap();
    let before = asked(&repo);
    // Half of the last result is on disk, its beginning is noted, and its run is whole.
    std::fs::write(&results, &text[..text.len() - 40]).unwrap();
    hold(&repo, &run, &[]).ends(0);
    assert_eq!(asked(&repo), before);
    let again = std::fs::read_to_string(&results).unwrap();
    assert_eq!(
        again
            .lines()
            .filter(|line| line.contains("\"ended\""))
            .count(),
        5,
        "{again}"
    );
}

#[test]
fn the_repository_remembers_nothing_of_a_trial() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    assert!(
        !repo.path().join(".agents").exists() && !repo.path().join(".git/council/runs").exists()
    );
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn a_person_s_word_counts_before_the_distance() {
    let (repo, run) = prepared();
    hold(&repo, &run, &[]).ends(0);
    repo.council_reading(b"n\n", &["eval", "label", &run[2]])
        .ends(0)
        .prints("1 labelled, 0 left");
    let told = repo.council(["eval", "compare", &run[2], "--json"]).ends(0);
    let told: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
    assert_eq!(
        told["councils"][0]["measures"]["defects-shown"]["value"].as_f64(),
        Some(0.0),
        "{told}"
    );
}

#[test]
fn what_cannot_be_read_is_named_with_the_next_step() {
    let repo = history();
    repo.council(["eval", "compare", "nothing.jsonl"])
        .ends(2)
        .tells("eval collect");
    repo.council(["eval", "run", "nothing.jsonl", "--council", "no.toml"])
        .ends(2);
    repo.council(["eval", "collect", "--since", "soon", "-o", "x"])
        .ends(2)
        .tells("2y, 6mo");
    repo.council(["eval", "collect", "--sets", "bugs", "-o", "x"])
        .ends(2)
        .tells("szz, reverts");
}
