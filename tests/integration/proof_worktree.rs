//! The copy of a repository in the place of its worktree: what an environment names there is the reviewed code.

use std::fs;

use council_agents::trial::TrialEnding;
use council_fake_models::{FakeModels, Reply};
use serde_json::json;

use crate::harness::Repo;
use crate::proof_borders::trial;
use crate::proof_scene::{
    Language, became, brought, configure, is_without_borders, python, python_language, review,
    script,
};

/// A worktree with other code than the copy has, with something that is in no commit, and with an environment.
fn worktree() -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("src/a.py", "A = 'worktree'\n"),
        ("secret", "hunter2\n"),
        (".venv/lib/dep.py", "DEP = 1\n"),
    ] {
        let file = top.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    top
}

#[test]
fn the_copy_stands_where_the_worktree_does_with_what_may_be_read_beside_it() {
    let Some(mut trial) = trial() else { return };
    let top = worktree();
    let place = top.path().canonicalize().unwrap();
    trial.worktree = Some(place.clone());
    for read in [
        vec![],
        vec![place.join(".venv")],
        vec![place.join(".venv"), place.join("src"), place.clone()],
    ] {
        trial.read = read;
        let place = place.display();
        let seen = trial.shell(&format!("cat {place}/src/a.py {place}/tests/new.txt"));
        let ended = (seen.ending, seen.output.as_str());
        assert_eq!(
            ended,
            (TrialEnding::Exited(0), "A = 1\nnew"),
            "{:?}",
            trial.read
        );
        let both = trial.shell(&format!(
            "cat {place}/.venv/lib/dep.py && cat .venv/lib/dep.py"
        ));
        let is_there = both.output == "DEP = 1\nDEP = 1";
        assert_eq!(is_there, !trial.read.is_empty(), "{}", both.output);
        for script in [
            format!("cat {place}/secret"),
            format!("echo x > {place}/.venv/lib/dep.py"),
            "echo x > .venv/lib/dep.py".to_owned(),
            format!(
                "rm -f {place}/.venv/lib/dep.py && test ! -e {place}/.venv/lib/dep.py && test -d {place}/.venv/lib"
            ),
            format!("umount {place} && cat {place}/secret"),
        ] {
            let tried = trial.shell(&script);
            assert_ne!(
                tried.ending,
                TrialEnding::Exited(0),
                "{script}: {}",
                tried.output
            );
            assert!(!tried.output.contains("hunter2"), "{script}");
        }
        // It may write where the copy is, and nothing of that reaches the worktree.
        let written = trial.shell(&format!("echo x > {place}/src/a.py && cat src/a.py"));
        assert_eq!(written.output, "x", "{:?}", trial.read);
    }
    let left = |path: &str| fs::read_to_string(place.join(path)).unwrap();
    assert_eq!(left("src/a.py"), "A = 'worktree'\n");
    assert_eq!(left(".venv/lib/dep.py"), "DEP = 1\n");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 3);
}

/// As an editable install does: the environment names the worktree, in which there is other code by now.
#[test]
fn an_environment_that_names_the_worktree_proves_what_is_reviewed() {
    let (Some(language), Some((program, folders))) = (python_language(), python()) else {
        return;
    };
    let language = Language {
        file: "src/shop.py",
        ..language
    };
    let test = brought("1", "defect", language.test, language.proves);
    for more in ["", "/src", "/."] {
        let finder = Reply::vote("FAIL").with("reproductions", test.clone());
        let models = FakeModels::start(script(&language, finder, Reply::vote("PASS"))).unwrap();
        let repo = Repo::with_base();
        repo.write(language.file, language.before);
        repo.commit("Before");
        repo.write(language.file, language.after);
        repo.commit("After");
        repo.write(language.file, "raise SystemExit('this is the worktree')\n");
        let top = repo.path().display().to_string();
        let mut read: Vec<String> = serde_json::from_str(&folders.replace('\'', "\"")).unwrap();
        if !more.is_empty() {
            read.push(format!("{top}{more}"));
        }
        let command = format!("PYTHONPATH={top}/src exec {program} -m unittest -q {{file}}");
        let run = json!(["sh", "-c", command]);
        configure(
            &repo,
            &models,
            &format!("[proof]\nrun = {run}\nread = {}\n", json!(read)),
        );
        let (_, report) = review(&repo);
        if is_without_borders(&report) {
            return;
        }
        let proved = (json!("confirmed"), json!("proved"));
        assert_eq!(became(&report, 0), proved, "{more}: {}", report["ledger"]);
    }
}
