//! What a coding agent cannot decide: whether its own change passes, what of it does not count, and by which rules.

use crate::hook::Desk;
use crate::objections::{FAULT, failed_desk, say};

/// In the shell of an agent.
const AGENT: [(&str, &str); 1] = [("CLAUDECODE", "1")];

fn push(desk: &Desk) -> crate::harness::Run {
    desk.push(&["origin", "HEAD:refs/heads/topic"])
}

/// A law: in whatever way an agent has code judged again that models failed, the verdict is not milder and the gate stays
/// shut; with other code, or for a person, the judges are asked.
#[test]
fn no_agent_has_failed_code_judged_again_until_it_passes() {
    let ways: [&[&str]; 6] = [
        &["review", "HEAD"],
        &["review", "HEAD", "--fresh"],
        &["review", "--fresh"],
        &[
            "review",
            "origin/main..HEAD",
            "--fresh",
            "--fail-on",
            "warn",
        ],
        &["review", "HEAD", "--fresh", "--instructions", "Be kind."],
        &["review", "HEAD", "--fresh", "--timeout", "5m"],
    ];
    let desk = failed_desk();
    for way in ways {
        desk.repo.council_with(&AGENT, way).ends(1).prints("FAIL");
    }
    desk.repo
        .council_with(&AGENT, &["review", "--fresh"])
        .prints("cannot have it judged anew");
    push(&desk).ends(1).tells("the push is blocked");
    desk.repo.council(["review", "HEAD", "--fresh"]).ends(0);
    push(&desk).ends(0);

    // What the agent has changed is another question.
    let desk = failed_desk();
    desk.repo.write(
        "mean.py",
        "def mean(sum, count):\n    return sum / count if count else 0\n",
    );
    desk.repo.commit("Mend");
    desk.repo.council_with(&AGENT, &["review"]).ends(0);
    push(&desk).ends(0);
}

/// The judge's finding about the fault, this bad.
fn finding(severity: &str, says: &str) -> String {
    format!(
        r#"{{"severity": "{severity}", "category": "arithmetic", "description": "{says}",
 "location": {{"path": "mean.py", "line": 2}}, "quote": "{FAULT}", "why": "w", "fix": "f"}}"#
    )
}

/// A law: what a person accepts is what the agent spoke of, as bad as it was then at most.
#[test]
fn an_accepted_proposal_covers_nothing_that_grew_worse_since() {
    let levels = ["minor", "significant", "critical"];
    let vote = |severity: &str| match severity {
        "critical" => "FAIL",
        "significant" => "WARN",
        _ => "PASS",
    };
    for (seen, before) in levels.into_iter().enumerate() {
        for (now, after) in levels.into_iter().enumerate() {
            let desk = failed_desk();
            say(&desk, vote(before), &finding(before, "Said before."));
            desk.repo.council(["review", "HEAD", "--fresh", "-q"]);
            desk.repo
                .council_with(&AGENT, &["dismiss", "F1", "--because", "only style"])
                .ends(0)
                .prints("still counts");
            say(&desk, vote(after), &finding(after, "Said after."));
            desk.repo.council(["review", "HEAD", "--fresh", "-q"]);
            let listed = desk.repo.council(["dismiss", "--proposed"]).ends(0);
            let listed = listed
                .prints(after)
                .prints("Said after.")
                .prints("only style");
            assert_eq!(
                listed.stdout.contains("--accept"),
                now <= seen,
                "{}",
                listed.stdout
            );
            let accepted = desk.repo.council(["dismiss", "F1", "--accept"]);
            let verdict = desk.repo.council(["review", "HEAD"]);
            if now <= seen {
                accepted.ends(0).prints("is dismissed");
                verdict.ends(0).prints("dismissed");
            } else {
                accepted
                    .ends(2)
                    .tells("is worse than what was proposed")
                    .tells("Said after.");
                assert_eq!(
                    verdict.code,
                    i32::from(after == "critical"),
                    "{}",
                    verdict.stdout
                );
            }
        }
    }
}

/// The code of a proposal changed: nothing is accepted, since nothing is there; and with the code it comes back.
#[test]
fn a_proposal_lapses_with_its_code() {
    let repo = crate::harness::Repo::with_base();
    let conflict = "<<<<<<< HEAD\n";
    repo.write("notes.py", conflict);
    repo.council(["review", "--worktree", "-q"]).ends(1);
    repo.council_with(&AGENT, &["dismiss", "F1", "--because", "an example"])
        .ends(0);
    let listed = repo.council(["dismiss", "--proposed"]).ends(0).stdout;
    let mut words = listed
        .split_whitespace()
        .skip_while(|word| *word != "dismiss");
    let fingerprint = words.nth(1).unwrap().to_owned();
    repo.write("notes.py", conflict.replace("HEAD", "main"));
    repo.council(["review", "--worktree", "-q"]).ends(1);
    let listed = repo
        .council(["dismiss", "--proposed"])
        .ends(0)
        .prints("lapsed");
    assert!(!listed.stdout.contains("--accept"), "{}", listed.stdout);
    repo.council(["dismiss", &fingerprint, "--accept"])
        .ends(2)
        .tells("its code has changed since");
    repo.write("notes.py", conflict);
    repo.council(["review", "--worktree", "-q"]).ends(1);
    repo.council(["dismiss", &fingerprint, "--accept"]).ends(0);
    repo.council(["review", "--worktree", "-q"]).ends(0);
}

/// A law: a file of proposals that somebody else wrote, or changed, proposes nothing.
#[test]
fn only_what_an_agent_of_this_user_asked_for_is_proposed() {
    let repo = crate::harness::Repo::with_base();
    repo.write("notes.py", "<<<<<<< HEAD\n");
    repo.council(["review", "--worktree", "-q"]).ends(1);
    repo.council_with(&AGENT, &["dismiss", "F1", "--because", "an example"])
        .ends(0);
    let file = repo.path().join(".git/council/proposals.jsonl");
    let kept = std::fs::read_to_string(&file).unwrap();
    let (_, lines) = kept.split_once('\n').unwrap();
    let proposed = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let listed = repo.council(["dismiss", "--proposed"]).ends(0).stdout;
        listed.contains("--accept")
    };
    assert!(proposed(&kept));
    let other = kept.replace("an example", "a typo");
    for forged in [
        lines,
        other.as_str(),
        &format!("\n{lines}"),
        &format!("{kept}{lines}"),
    ] {
        assert!(!proposed(forged), "{forged}");
        repo.council(["dismiss", "F1", "--accept"]).ends(2);
    }
    assert!(proposed(&kept));
}

/// What the agent wrote into the worktree makes its own review no milder, and it is told no way round the council.
#[test]
fn an_agent_is_reviewed_by_its_user_s_rules() {
    let desk = Desk::new().installed();
    desk.gate();
    desk.repo.write(
        "council.toml",
        "[rules]\nconflict-marker = 'off'\n[review]\nignore = ['notes.md']\n",
    );
    desk.repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    desk.repo.commit("Conflict");
    let trusting = ["review", "HEAD", "--trust-worktree"];
    desk.repo.council(trusting).ends(0);
    desk.repo
        .council_with(&AGENT, &trusting)
        .ends(2)
        .tells("only a person trusts");
    let followed = format!("[trust]\nworktrees = [{:?}]\n", desk.repo.path());
    desk.repo
        .write_home(".config/git-council/config.toml", &followed);
    desk.repo.council_with(&AGENT, &["review", "HEAD"]).ends(1);
    let pushed = desk.git(&AGENT, &["push", "origin", "HEAD:refs/heads/topic"]);
    let pushed = pushed.ends(1).tells("the push is blocked");
    assert!(!pushed.stderr.contains("--no-verify"), "{}", pushed.stderr);
    let explained = desk
        .repo
        .council_with(&AGENT, &["explain", "conflict-marker"]);
    assert!(!explained.ends(0).stdout.contains("\"off\""));
}
