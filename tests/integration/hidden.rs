//! What the user excludes from reviews is shown to no model, whichever way it would come to one.

use council_fake_models::{FakeModels, Reply, Rule, Tool};
use serde_json::{Value, json};

use crate::harness::{Repo, Run};
use crate::programs::{answer, with_judge};

const KEY: (&str, &str) = ("MODEL_KEY", "sk-test-0123456789");

/// Stands in every excluded file, and nowhere else.
const PRIVATE: &str = "swordfish";

const TOKEN: &str = concat!("ghp_", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8");

/// How somebody excludes `private/`: in the own configuration, on the command line, or on the trusted branch.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Exclusion {
    None,
    User,
    Flag,
    Branch,
    Pathspec,
}

impl Exclusion {
    const ALL: [Self; 4] = [Self::User, Self::Flag, Self::Branch, Self::Pathspec];

    fn settings(self) -> &'static str {
        match self {
            Self::User => "ignore = ['private/']\n",
            _ => "",
        }
    }

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Flag => &["--ignore", "private/"],
            Self::Pathspec => &["--", ":!private"],
            _ => &[],
        }
    }
}

/// Around the change and in it lie files that are excluded.
fn write_files(repo: &Repo, how: Exclusion) {
    if how == Exclusion::Branch {
        repo.write("council.toml", "[review]\nignore = ['private/']\n");
    }
    repo.write(
        "private/vault.rs",
        format!("/// Opened with {PRIVATE}.\npub fn open_vault(key: &str) -> bool {{\n    key.len() > 3 // {PRIVATE}\n}}\n"),
    );
    repo.write("private/gone.rs", format!("// {PRIVATE}\n"));
    repo.commit("Vault");
    repo.write(
        "src/lib.rs",
        "use crate::private::vault::open_vault;\n\n/// Opens it.\npub fn open(key: &str) -> bool {\n    open_vault(key)\n}\n",
    );
    repo.write("private/notes.rs", format!("// {PRIVATE}\n"));
    std::fs::remove_file(repo.path().join("private/gone.rs")).unwrap();
}

fn repo(models: &FakeModels, how: Exclusion) -> Repo {
    let repo = Repo::with_base();
    write_files(&repo, how);
    let url = models.url();
    repo.write_home(
        ".config/git-council/config.toml",
        &format!(
            "[agents.chat]\ndriver = 'http'\napi = 'chat'\nurl = '{url}/v1'\nkey = 'MODEL_KEY'\nmodel = 'fake'\n\
             [review]\nagents = ['chat']\njudges = 1\nquorum = 1\n{}",
            how.settings()
        ),
    );
    repo
}

fn review(repo: &Repo, how: Exclusion) -> (Run, Value) {
    let args = [&["review", "HEAD", "--json"], how.arguments()].concat();
    let run = repo.council_with(&[KEY], &args);
    let report = serde_json::from_str(&run.stdout);
    let report = report.unwrap_or_else(|error| panic!("{how:?}: {error}: {}", run.stderr));
    (run, report)
}

/// A model that looks for what is excluded in every way that there is.
fn curious() -> FakeModels {
    let path = |path: &str| json!({"path": path, "from": 1, "to": 4});
    FakeModels::start([
        Rule::on(Reply::calls([
            Tool::call("read_file", path("private/vault.rs")),
            Tool::call("read_file", path("./private/notes.rs")),
            Tool::call("read_file", path("vault.rs")),
            Tool::call("read_file", path("private/gone.rs")),
            Tool::call("search", json!({"regex": "Opened with"})),
            Tool::call("symbol", json!({"name": "open_vault"})),
            Tool::call("history", path("private/vault.rs")),
        ]))
        .times(1),
        Rule::on(Reply::vote("PASS")),
    ])
    .unwrap()
}

/// Everything that a model was sent.
fn sent(models: &FakeModels) -> String {
    models
        .records()
        .iter()
        .map(|record| record.body.as_str())
        .collect()
}

/// A law: whoever excludes files, and however, no model is sent a word of them: not as a part of the change, not around it, and
/// not when it asks.
#[test]
fn no_model_is_sent_what_is_excluded() {
    let models = curious();
    let open = repo(&models, Exclusion::None);
    open.commit("Open");
    review(&open, Exclusion::None).0.ends(0);
    assert!(
        sent(&models).contains(PRIVATE),
        "the test looks in the wrong place"
    );
    for how in Exclusion::ALL {
        let models = curious();
        let repo = repo(&models, how);
        repo.commit("Open");
        review(&repo, how).0.ends(0);
        let sent = sent(&models);
        assert!(sent.contains("open_vault"), "{how:?}: nothing was sent");
        assert!(!sent.contains(PRIVATE), "{how:?}");
        assert!(
            sent.contains("no model may read them"),
            "{how:?}: the brief does not say so"
        );
        assert!(
            sent.contains("keeps files of this path from all models"),
            "{how:?}"
        );
    }
}

/// A secret in an excluded file is found by the rules, and by nobody else; also where nothing else is changed, and then no model
/// is asked.
#[test]
fn rules_alone_read_what_is_excluded() {
    for how in [Exclusion::User, Exclusion::Flag, Exclusion::Branch] {
        let models = curious();
        let repo = repo(&models, how);
        repo.write("private/notes.rs", format!("// {PRIVATE}\n// {TOKEN}\n"));
        repo.commit("Open");
        let (run, report) = review(&repo, how);
        run.ends(1);
        assert_eq!(
            report["findings"][0]["finding"]["location"]["path"],
            "private/notes.rs"
        );
        assert!(!sent(&models).contains(PRIVATE), "{how:?}");
        let notes = report["notes"].to_string();
        assert!(
            notes.contains("private/notes.rs is left out by `review.ignore`"),
            "{notes}"
        );
        let files = report["coverage"]["files"].as_array().unwrap();
        let file = files
            .iter()
            .find(|file| file["path"] == "private/notes.rs")
            .unwrap();
        assert_eq!(file["state"]["state"], "skipped", "{how:?}");
        let asked = models.stats().requests;
        repo.write(
            "private/notes.rs",
            format!("// {PRIVATE}\n// {TOKEN}\n// more {TOKEN}\n"),
        );
        repo.commit("Only what is excluded");
        let (run, report) = review(&repo, how);
        run.ends(1);
        assert_eq!(report["verdict"], "FAIL", "{how:?}");
        // Nobody else looked.
        assert_eq!(report["reviewed_by"], "rules", "{how:?}");
        let headline = report["headline"].as_str().unwrap();
        assert!(headline.starts_with("FAIL (rules only)"), "{headline}");
        assert_eq!(
            models.stats().requests,
            asked,
            "{how:?}: a model was asked about nothing"
        );
    }
}

/// An agent that is a program finds nothing of it in its folder.
#[test]
fn no_agent_finds_what_is_excluded_in_its_folder() {
    for how in Exclusion::ALL {
        let looks = format!(
            "grep -rl {PRIVATE} . >@MARKS/found; ls -R . >@MARKS/files\n{}",
            answer("PASS", "")
        );
        let repo = with_judge(
            &looks,
            &format!(
                "[review]\nagents = ['helper']\njudges = 1\nquorum = 1\n{}",
                how.settings()
            ),
        );
        write_files(&repo, how);
        repo.commit("Open");
        review(&repo, how).0.ends(0);
        let seen = |name: &str| std::fs::read_to_string(repo.in_home("marks").join(name)).unwrap();
        assert_eq!(seen("found"), "", "{how:?}");
        assert!(seen("files").contains("lib.rs"), "{how:?}");
    }
}
