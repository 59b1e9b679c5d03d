//! Councils with `[proof]`, measured on a history: their tests are run as in a review.

use std::path::Path;

use council_fake_models::{FakeModels, Reply};
use serde_json::{Value, json};

use crate::proof_scene::{
    KEY, brought, configure, is_without_borders, python_language, repository, script,
};

/// The reports of all trials, wherever they are kept beside the file of changes.
fn reports_below(folder: &Path) -> Vec<Value> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(reports_below(&path));
        } else if path.ends_with("report.json") {
            found.push(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap());
        }
    }
    found
}

#[test]
fn a_measured_council_proves_its_findings_where_it_may_run_tests() {
    let Some(language) = python_language() else {
        return;
    };
    let finder = Reply::vote("FAIL").with(
        "reproductions",
        brought("1", "defect", language.test, language.proves),
    );
    let models = FakeModels::start(script(&language, finder, Reply::vote("PASS"))).unwrap();
    let proof = format!("[proof]\n{}", language.config);
    let repo = repository(&models, &language, &proof);
    repo.git(["revert", "--no-edit", "HEAD"]);
    let in_home = |name: &str| repo.in_home(name).display().to_string();
    let bench = "[review]\nagents = ['anthropic', 'responses']\njudges = 2\ndebate = 'force'\n";
    let own = std::fs::read_to_string(repo.in_home(".config/git-council/config.toml")).unwrap();
    repo.write_home("prover.toml", &format!("{bench}{own}"));
    configure(&repo, &models, "");
    let changes = in_home("changes.jsonl");
    let collect = [
        "eval",
        "collect",
        "--since",
        "2000-01-01",
        "--sets",
        "reverts",
        "-o",
        &changes,
    ];
    repo.council(collect).ends(0);
    let run = |vars: &[(&str, &str)], more: &[&str]| {
        let council = in_home("prover.toml");
        let args = [&["eval", "run", &changes, "--council", &council][..], more].concat();
        repo.council_with(vars, &args).ends(0);
        reports_below(&repo.in_home("changes.jsonl.runs"))
    };
    let reports = run(&[KEY], &[]);
    assert_eq!(reports.len(), 1, "{reports:?}");
    if is_without_borders(&reports[0]) {
        return;
    }
    assert_eq!(
        reports[0]["ledger"]["reproductions"][0]["standing"],
        "proved"
    );
    assert_eq!(reports[0]["findings"][0]["disposition"], json!("confirmed"));
    // Where it may run none, the report of the trial says so.
    let reports = run(&[KEY, ("CI", "true")], &["--repeat", "2"]);
    let told = reports.iter().filter(|report| {
        report["notes"]
            .to_string()
            .contains("no test of a judge was run")
    });
    assert_eq!((reports.len(), told.count()), (2, 1), "{reports:?}");
}
