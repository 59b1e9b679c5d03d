//! Where values come from, who may set them, and how a wrong one is refused.

use crate::harness::Repo;

#[test]
fn every_layer_is_heard_and_the_strongest_holds() {
    let repo = Repo::with_base();
    let origin = |expected: &str| {
        let run = repo
            .council_with(&[], &["config", "--show-origin", "review.judges"])
            .ends(0);
        assert_eq!(
            run.stdout
                .trim_end()
                .rsplit_once("  ")
                .unwrap()
                .0
                .trim_end(),
            expected
        );
    };
    let here = repo.path().display().to_string();
    repo.git(["config", "--global", "council.trust.worktrees", &here]);
    repo.write("council.toml", "[review]\njudges = 2\n");
    origin("worktree:council.toml:2");
    repo.git(["config", "council.judges", "3"]);
    origin("git-local:council.judges");
    repo.write_home(
        ".config/git-council/config.toml",
        "\n[review]\njudges = 4\n",
    );
    let file = repo.in_home(".config/git-council/config.toml");
    origin(&format!("user:{}:3", file.display()));
    repo.git(["config", "--global", "council.review.judges", "5"]);
    origin("git:council.review.judges");
    let show = ["config", "--show-origin", "review.judges"];
    repo.council_with(&[("COUNCIL_JUDGE_COUNT", "6")], &show)
        .ends(0)
        .prints("environment:COUNCIL_JUDGE_COUNT");
    let flag = [
        "config",
        "--show-origin",
        "review.judges",
        "--config",
        "review.judges=7",
        "-v",
    ];
    let run = repo
        .council_with(&[("COUNCIL_JUDGE_COUNT", "6")], &flag)
        .ends(0)
        .prints("flag:--config");
    assert_eq!(run.stdout.lines().count(), 6);
    assert_eq!(run.stdout.matches("(replaced)").count(), 5);
}

#[test]
fn a_repository_s_command_is_refused_wherever_it_stands() {
    let repo = Repo::with_base();
    repo.write(
        "council.toml",
        "[agents.lint]\ndriver = 'command'\ncommand = ['touch', 'owned']\n",
    );
    repo.council(["config"])
        .ends(2)
        .tells("`agents.lint.driver` may not be set by the repository (council.toml:2)");
    repo.write("council.toml", "");
    repo.git(["config", "council.agents.lint.command", "touch owned"]);
    repo.council(["config"])
        .ends(2)
        .tells("`agents.lint.command` may not be set by the repository");
    repo.git(["config", "--unset", "council.agents.lint.command"]);
    repo.git([
        "config",
        "--global",
        "council.agents.lint.command",
        "my-lint --council",
    ]);
    repo.council(["config", "agents"])
        .ends(0)
        .prints(r#"agents.lint.command = ["my-lint", "--council"]"#);
}

#[test]
fn a_checkout_in_ci_is_not_heard() {
    let repo = Repo::with_base();
    repo.write("council.toml", "[review]\nconsensus = 'majority'\n");
    repo.git(["config", "council.debate", "off"]);
    let run = repo
        .council_with(&[("CI", "true")], &["config", "review"])
        .ends(0);
    assert!(
        run.stdout.contains(r#"consensus = "findings""#)
            && run.stdout.contains(r#"debate = "auto""#)
    );
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_place_and_a_next_step() {
    let repo = Repo::with_base();
    repo.write("council.toml", "[review]\nqourum = 2\n");
    repo.council(["config"])
        .ends(2)
        .tells("Error: unknown key `review.qourum` (council.toml:2)")
        .tells("hint: did you mean `review.quorum`?");
    repo.write("council.toml", "[review]\nquorum = 'two'\n");
    repo.council(["config"]).ends(2).tells(
        "`review.quorum` cannot be \"two\" (council.toml:2); it takes a number from 1 to 64",
    );
    repo.write("council.toml", b"\xff\xfe");
    repo.council(["config"])
        .ends(2)
        .tells("council.toml is not UTF-8");
    repo.write("council.toml", "");
    repo.council_with(&[("COUNCIL_TIMEOUT", "soon")], &["config"])
        .ends(2)
        .tells("(COUNCIL_TIMEOUT)");
    repo.council(["config", "--config", "debate"])
        .ends(2)
        .tells("write it as KEY=VALUE");
    repo.council(["config", "review.qourum"])
        .ends(2)
        .tells("did you mean `review.quorum`?");
}

#[test]
fn a_key_s_name_from_a_stranger_cannot_steer_the_terminal() {
    let repo = Repo::with_base();
    repo.write("council.toml", "[perspectives]\n\"\\u001b[2Jx\" = 'y'\n");
    let run = repo.council(["config", "perspectives"]).ends(0);
    assert!(!run.stdout.contains('\u{1b}'), "{:?}", run.stdout);
    repo.write("council.toml", "\"\\u001b[2Jx\" = 'y'\n");
    let run = repo.council(["config"]).ends(2);
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}
