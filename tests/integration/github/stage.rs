//! A repository with pull requests, its remote on disk, its forge on loopback.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::server::{FakeGitHub, TOKEN};
use super::state::{Comment, Pull};
use crate::harness::{Repo, Run};

/// A critical finding wherever it stands, by a built-in rule.
pub(super) const CONFLICT: &str =
    "fn a() {\n<<<<<<< HEAD\n    one();\n=======\n    two();\n>>>>>>> topic\n}\n";

pub(super) struct Stage {
    pub(super) repo: Repo,
    pub(super) hub: FakeGitHub,
}

impl Stage {
    /// A repository whose `main` is at the remote.
    pub(super) fn new() -> Self {
        let stage = Self {
            repo: Repo::with_base(),
            hub: FakeGitHub::start(),
        };
        let remote = stage.remote();
        fs::create_dir_all(remote.parent().unwrap()).unwrap();
        let remote = remote.to_str().unwrap();
        stage
            .repo
            .git(["init", "--quiet", "--bare", "--initial-branch=main", remote]);
        stage.repo.git(["remote", "add", "origin", remote]);
        stage.repo.git(["push", "--quiet", "origin", "main"]);
        stage
    }

    fn remote(&self) -> PathBuf {
        self.repo.in_home("octo/project.git")
    }

    /// A file of the home, which outlives a step.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.repo.in_home(name)
    }

    /// A pull request that adds or changes files; the worktree is at `main` afterwards. The tip.
    pub(super) fn propose(&self, number: u64, files: &[(&str, &str)]) -> String {
        let branch = format!("topic-{number}");
        self.repo
            .git(["checkout", "--quiet", "-B", &branch, "main"]);
        self.push(number, files)
    }

    /// A commit on the branch that pull requests go to.
    pub(super) fn land(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            self.repo.write(path, text);
        }
        self.repo.commit("Land");
        self.repo.git(["push", "--quiet", "origin", "main"]);
    }

    /// One more commit on a pull request.
    pub(super) fn add(&self, number: u64, files: &[(&str, &str)]) -> String {
        self.repo
            .git(["checkout", "--quiet", &format!("topic-{number}")]);
        self.push(number, files)
    }

    /// One more commit on a pull request, without a file.
    pub(super) fn remove(&self, number: u64, path: &str) -> String {
        self.repo
            .git(["checkout", "--quiet", &format!("topic-{number}")]);
        self.repo.git(["rm", "--quiet", path]);
        self.push(number, &[])
    }

    fn push(&self, number: u64, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            self.repo.write(path, text);
        }
        let head = self.repo.commit("Change");
        self.repo.git([
            "push",
            "--quiet",
            "--force",
            "origin",
            &format!("HEAD:refs/pull/{number}/head"),
        ]);
        let base = self.repo.git(["rev-parse", "main"]);
        let patches = self.patches();
        self.repo.git(["checkout", "--quiet", "main"]);
        let pull = Pull {
            head: head.clone(),
            head_branch: format!("topic-{number}"),
            base_ref: "main".to_owned(),
            base,
            state: "open",
            fork: false,
            files: patches,
        };
        self.hub.state().pulls.insert(number, pull);
        head
    }

    /// Lets a ref of the remote lead where another one leads.
    pub(super) fn publish_ref(&self, from: &str, to: &str) {
        let git = |args: [&str; 4]| self.repo.git(args);
        git(["fetch", "--quiet", "origin", from]);
        git(["push", "--quiet", "origin", &format!("FETCH_HEAD:{to}")]);
    }

    fn patches(&self) -> Vec<(String, String)> {
        let names = self.repo.git(["diff", "--name-only", "main...HEAD"]);
        let patch = |name: &str| {
            let text = self.repo.git(["diff", "main...HEAD", "--", name]);
            let at = text.find("\n@@ ").map_or(text.len(), |at| at + 1);
            (name.to_owned(), text[at..].to_owned())
        };
        names.lines().map(patch).collect()
    }

    /// Writes a payload and gives the variables of a job that it starts.
    pub(super) fn event(&self, name: &'static str, payload: &Value) -> Vec<(&'static str, String)> {
        let path = self.file("event.json");
        fs::write(&path, payload.to_string()).unwrap();
        vec![
            ("GITHUB_EVENT_NAME", name.to_owned()),
            ("GITHUB_EVENT_PATH", path.to_str().unwrap().to_owned()),
        ]
    }

    /// The payload of a pull request as it stands.
    pub(super) fn pull_payload(&self, number: u64) -> Value {
        let pull = self.hub.state().pulls[&number].clone();
        serde_json::json!({ "action": "synchronize", "number": number, "pull_request": {
            "number": number, "state": pull.state, "draft": false, "title": "A title", "body": "A text",
            "head": { "sha": pull.head, "ref": pull.head_branch, "repo": { "full_name": "octo/project" } },
            "base": { "sha": pull.base, "ref": "main", "repo": { "full_name": "octo/project", "default_branch": "main" } },
        }})
    }

    /// The program in a job of a workflow: the variables of the runner, its files, no home of a person.
    pub(super) fn job(&self, args: &[&str], more: &[(&str, String)]) -> Run {
        let mut command = self.command(args);
        command.envs([
            ("CI", "true"),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_RUN_ID", "77"),
        ]);
        for (name, file) in [
            ("GITHUB_STEP_SUMMARY", "summary.md"),
            ("GITHUB_OUTPUT", "outputs.txt"),
        ] {
            command.env(name, self.file(file));
        }
        command.envs(more.iter().map(|(name, value)| (name, value)));
        Run::of_command(command)
    }

    /// The program at a terminal, with a token.
    pub(super) fn council(&self, args: &[&str]) -> Run {
        Run::of_command(self.command(args))
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.repo.program(&self.repo.path());
        command.args(args).envs([
            ("GITHUB_API_URL", self.hub.url().to_owned()),
            ("GITHUB_GRAPHQL_URL", format!("{}/graphql", self.hub.url())),
            ("GITHUB_REPOSITORY", "octo/project".to_owned()),
            ("GITHUB_TOKEN", TOKEN.to_owned()),
        ]);
        command
    }

    /// The outputs of the last job, by name.
    pub(super) fn outputs(&self) -> std::collections::BTreeMap<String, String> {
        let text = fs::read_to_string(self.file("outputs.txt")).unwrap();
        let mut found = std::collections::BTreeMap::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let Some((name, mark)) = line.split_once("<<") else {
                let (name, value) = line.split_once('=').unwrap();
                found.insert(name.to_owned(), value.to_owned());
                continue;
            };
            let value: Vec<&str> = lines.by_ref().take_while(|line| *line != mark).collect();
            found.insert(name.to_owned(), value.join("\n"));
        }
        found
    }

    /// Comments of other people on a pull request.
    pub(super) fn others_say(&self, issue: u64, times: usize) {
        let mut state = self.hub.state();
        for _ in 0..times {
            let comment = Comment {
                id: state.id(),
                issue,
                login: "mallory".into(),
                is_bot: false,
                body: "I think so, too.".into(),
                updated: 0,
            };
            state.comments.push(comment);
        }
    }

    /// Our reports on a pull request.
    pub(super) fn reports(&self, number: u64) -> Vec<Comment> {
        let state = self.hub.state();
        let ours = state.comments.iter().filter(|c| {
            c.issue == number && c.is_bot && c.body.starts_with("<!-- git-council:report")
        });
        ours.cloned().collect()
    }

    /// How many requests were sent since the last time this was asked; every one of them must fit GitHub's description.
    pub(super) fn requests(&self) -> usize {
        let mut state = self.hub.state();
        assert_eq!(state.violations, Vec::<String>::new());
        let count = state.asked.len();
        state.asked.clear();
        count
    }
}
