//! Which repository and which part of it a coding agent is answered about.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use council_fake_models::{FakeModels, Reply, Rule};
use serde_json::json;

use crate::harness::Repo;
use crate::inside::{Agent, unmended};
use crate::inside_models::with_model;

const CONFLICT: &str = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n";

/// The repository that an answer names.
fn place_of(said: &str) -> &str {
    let named = said.lines().take(4);
    let mut named = named.filter_map(|line| line.strip_prefix("Repository: "));
    named.next().unwrap_or_else(|| panic!("{said}"))
}

/// A law: wherever the server was started, the client's workspace is reviewed, and every answer names it.
#[test]
fn the_workspace_of_the_client_is_reviewed_wherever_the_server_was_started() {
    for started in ["in it", "in another repository", "in no repository"] {
        let repo = unmended();
        let other = repo.in_home("other");
        std::fs::create_dir(&other).unwrap();
        repo.git_in(&other, &["init", "--quiet"]);
        let none = tempfile::tempdir().unwrap();
        let top = repo.path();
        let dir = match started {
            "in it" => top.clone(),
            "in another repository" => other,
            _ => none.path().to_owned(),
        };
        let mut agent = Agent::start_at(repo, &dir, vec![top.clone()], &[]);
        let calls = [
            ("review", json!({})),
            ("show", json!({})),
            ("explain", json!({ "id": "F1" })),
            ("dismiss", json!({ "id": "F1", "reason": "an example" })),
            ("status", json!({})),
        ];
        for (tool, arguments) in calls {
            let said = agent.call(tool, arguments);
            assert!(
                tool != "review" || said.starts_with("FAIL"),
                "{started}: {said}"
            );
            let place = format!("{}, branch main", top.display());
            assert_eq!(place_of(&said), place, "{started}, {tool}");
        }
    }
}

/// Whoever works in several repositories says which one is meant, and none outside of them.
#[test]
fn of_several_repositories_one_has_to_be_named() {
    let repo = unmended();
    let (top, other) = (repo.path(), repo.in_home("other"));
    let tree = repo.in_home("tree");
    std::fs::create_dir(&other).unwrap();
    repo.git_in(&other, &["init", "--quiet"]);
    repo.git([
        "worktree",
        "add",
        "--quiet",
        "-b",
        "side",
        tree.to_str().unwrap(),
    ]);
    let outside = tempfile::tempdir().unwrap();
    let mut agent = Agent::start_at(repo, &top, vec![top.clone(), other.clone()], &[]);
    let said = agent.refused("review", json!({}));
    assert!(said.contains("name one of them as `folder`"), "{said}");
    let mut review = |folder: &Path| agent.call("review", json!({ "folder": folder }));
    assert!(review(&top).starts_with("FAIL"));
    // Another worktree of a repository in the workspace.
    std::fs::write(tree.join("notes.md"), CONFLICT).unwrap();
    let said = review(&tree);
    assert!(said.starts_with("FAIL"), "{said}");
    assert_eq!(place_of(&said), format!("{}, branch side", tree.display()));
    for wrong in [outside.path(), Path::new("src"), &top.join("gone")] {
        let said = agent.refused("review", json!({ "folder": wrong }));
        assert!(said.contains("`folder` is"), "{said}");
    }
}

/// Agents that work in several worktrees of one repository, over one server: `F1` is the finding of the worktree that the call
/// names, whichever was reviewed last.
#[test]
fn a_finding_is_of_the_worktree_that_the_call_names() {
    let repo = unmended();
    let (top, tree) = (repo.path(), repo.in_home("tree"));
    let place = tree.to_str().unwrap();
    repo.git(["worktree", "add", "--quiet", "-b", "side", place]);
    std::fs::write(tree.join("other.md"), CONFLICT).unwrap();
    let roots = vec![top.clone(), tree.clone()];
    let mut agent = Agent::start_at(repo, &top, roots, &[]);
    for folder in [&top, &tree] {
        let said = agent.call("review", json!({ "folder": folder }));
        assert!(said.starts_with("FAIL"), "{said}");
    }
    for (folder, own, others) in [
        (&top, "notes.md", "other.md"),
        (&tree, "other.md", "notes.md"),
    ] {
        let said = agent.call("explain", json!({ "id": "F1", "folder": folder }));
        assert!(said.contains(own) && !said.contains(others), "{said}");
    }
}

/// A law: whatever of the agent's work was no part of a PASS is told, and nothing is told that was.
#[test]
fn a_pass_says_what_it_is_not_about_and_nothing_else() {
    for committed in [false, true] {
        for staged in [false, true] {
            for untracked in [false, true] {
                for target in ["", "worktree", "staged", "branch", "HEAD"] {
                    let repo = Repo::with_base();
                    repo.git(["checkout", "--quiet", "-b", "topic"]);
                    if committed {
                        repo.write("one.md", "One.\n");
                        repo.commit("One");
                        repo.write("two.md", "Two.\n");
                        repo.commit("Two");
                    }
                    if staged {
                        repo.write("three.md", "Three.\n");
                        repo.git(["add", "."]);
                    }
                    if untracked {
                        repo.write("four.md", "Four.\n");
                    }
                    let mut agent = Agent::start(repo);
                    let asked = match target {
                        "" => json!({}),
                        target => json!({ "target": target }),
                    };
                    let said = agent.call("review", asked);
                    let is_dirty = staged || untracked;
                    let reads_worktree = match target {
                        "" | "worktree" => true,
                        "staged" => !untracked,
                        _ => !is_dirty,
                    };
                    let reads_branch = match target {
                        "" => !is_dirty || !committed,
                        "branch" => true,
                        _ => !committed,
                    };
                    let what = format!("{target:?} {committed} {staged} {untracked}: {said}");
                    let reads = |name: &str| !said.contains(&format!("with target `{name}` reads"));
                    assert_eq!(reads("worktree"), reads_worktree, "{what}");
                    assert_eq!(reads("branch"), reads_branch, "{what}");
                }
            }
        }
    }
}

/// Two agents in one worktree: each means its own findings.
#[test]
fn an_id_is_of_the_report_that_this_client_was_shown() {
    let mut first = Agent::start(unmended());
    first.call("review", json!({}));
    let top = first.repo.path();
    let mut second = Agent::start_at(Rc::clone(&first.repo), &top, Vec::new(), &[]);
    first.repo.write("notes.md", "ours and theirs\n");
    first.repo.write("a.md", CONFLICT);
    second.call("review", json!({}));
    assert!(
        first
            .call("explain", json!({ "id": "F1" }))
            .contains("notes.md")
    );
    assert!(
        second
            .call("explain", json!({ "id": "F1" }))
            .contains("a.md")
    );
    let asked = json!({ "id": "F1", "reason": "an example" });
    assert!(first.call("dismiss", asked).contains("notes.md"));
    // Whoever was shown the other one means that.
    first.call("show", json!({}));
    assert!(
        first
            .call("explain", json!({ "id": "F1" }))
            .contains("a.md")
    );
}

/// A law: a verdict over files that changed while judges read is told to be none over what lies there.
#[test]
fn a_verdict_over_what_has_changed_since_says_so() {
    let slow = Rule::on(Reply::vote("PASS").after(2_000)).times(1);
    let models = FakeModels::start([slow]).unwrap();
    let mut agent = with_model(&models);
    let id = agent.send("tools/call", &json!({ "name": "review", "arguments": {} }));
    assert!(models.wait(Duration::from_secs(60), |stats| stats.requests == 1));
    agent
        .repo
        .write("src/more.rs", "/// Two more.\npub const MORE: u32 = 2;\n");
    let said = agent.answer(id)["content"][0]["text"].to_string();
    assert!(
        said.contains("files changed since") && said.contains("call `review` again"),
        "{said}"
    );
    assert!(!said.contains("Nothing blocks this change"), "{said}");
    let said = agent.call("review", json!({}));
    assert!(!said.contains("changed since"), "{said}");
}
