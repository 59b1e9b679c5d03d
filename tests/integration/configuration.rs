//! Where values come from, who may set them, and how a wrong one is refused.

use crate::harness::Repo;

/// Without a remote the trusted side of a review is a commit of this repository.
#[test]
fn the_values_in_effect_are_those_that_a_review_obeys() {
    let repo = Repo::with_base();
    repo.write("council.toml", "[review]\nignore = [\"*.py\"]\n");
    repo.commit("Settings");
    repo.write("b.py", "import os\nos.system('a' + b)\n");
    repo.commit("Change");
    let not_read = repo.council(["review", "HEAD"]);
    not_read.prints("ignored by configuration");
    repo.council(["config", "review.ignore"])
        .ends(0)
        .prints("*.py");
    // What is not committed still only makes a review stricter.
    repo.write("council.toml", "[review]\nignore = [\"*.rs\"]\n");
    let told = repo.council(["config", "review.ignore"]).ends(0);
    assert!(!told.stdout.contains("*.rs"), "{}", told.stdout);
}

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
    let run = repo
        .council(["config"])
        .ends(0)
        .tells("`agents.lint.command` (git-local:council.agents.lint.command) is ignored: no repository may set it");
    assert!(!run.stdout.contains("owned"), "{}", run.stdout);
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

/// A `.git` may come with an archive: what it says of keys that are the user's own stops no command.
#[test]
fn no_key_of_git_s_own_configuration_of_the_repository_stops_a_command() {
    let repo = Repo::with_base();
    for (key, value) in [
        ("council.agents.x.command", "touch owned"),
        ("council.agents.x.driver", "command"),
        ("council.limits.agents", "9"),
        ("council.backends.y.library", "/tmp/y.so"),
        ("council.review.backend", "nothing"),
        ("council.cache.keep", "9"),
    ] {
        repo.git(["config", key, value]);
        let run = repo.council(["review", "HEAD", "--no-save"]).ends(0);
        let said = format!("{}{}", run.stdout, run.stderr);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = key.trim_start_matches("council.");
        assert!(
            said.contains(&format!("`{name}` (git-local:{key}) is ignored")),
            "{key}: {said}"
        );
        for command in ["config", "agents", "gc", "status", "log", "doctor"] {
            let run = repo.council([command]);
            assert!(run.code < 2, "{key}, {command}: {}", run.stderr);
        }
        repo.git(["config", "--unset", key]);
    }
    // A value that nobody understands is told, and no review ends for it.
    repo.git(["config", "council.nonsense", "1"]);
    repo.council(["review", "HEAD"])
        .ends(0)
        .prints("what .git/config says of git-council is ignored");
    repo.write("council.toml", "x = 1\n");
    repo.council(["review", "HEAD"])
        .ends(0)
        .prints("council.toml of the worktree, and what .git/config says");
    repo.council(["review", "HEAD", "--trust-worktree"]).ends(2);
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

#[test]
fn an_agent_that_nothing_runs_is_no_agent() {
    let repo = Repo::with_base();
    repo.write_home(
        ".config/git-council/config.toml",
        "[agents.x]\nmodel = 'm'\n",
    );
    repo.council(["review", "HEAD"])
        .ends(2)
        .tells("agent `x` has no driver")
        .tells("agents.x.driver");
    // One that is known needs none.
    repo.write_home(
        ".config/git-council/config.toml",
        "[agents.claude]\nmodel = 'm'\n",
    );
    repo.council(["review", "HEAD"]).ends(0);
}

#[test]
fn a_word_too_few_of_git_config_does_not_stop_a_review() {
    let repo = Repo::with_base();
    repo.git(["config", "council.hook.models", "true"]);
    repo.council(["review", "HEAD"]).ends(0);
    // What would reveal a secret, run a program or cost money is not obeyed, aloud.
    repo.git(["config", "council.limits.cost", "5"]);
    repo.council(["review", "HEAD"])
        .ends(0)
        .prints("`limits.cost` (git-local:council.limits.cost) is ignored");
    repo.council(["config", "limits.cost"])
        .ends(0)
        .tells("`limits.cost` (git-local:council.limits.cost) is ignored");
}

#[test]
fn keys_say_what_they_take() {
    let repo = Repo::with_base();
    for (key, takes) in [
        ("notes.trusted", "Takes a list of keys"),
        ("trust.worktrees", "Takes a list of absolute paths"),
        ("cross-examination.rounds", "Takes a number from 1 to 4"),
    ] {
        // The page keeps the width of the terminal: words may stand on the next line.
        let page = repo
            .council(["config", "--keys", key])
            .ends(0)
            .stdout
            .clone();
        let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(takes), "{page}");
    }
    repo.council(["review", "--topic", " "])
        .ends(2)
        .tells("the question is empty");
}

/// A law: a text without a word ends no command that reads it with 0.
#[test]
fn an_empty_document_is_an_error() {
    let repo = Repo::with_base();
    for text in ["", "\n", " \t\r\n\n", "\u{feff}"] {
        repo.write("empty.md", text);
        for command in [
            &["review", "--file", "empty.md"][..],
            &["review", "--file", "empty.md", "--json"],
            &["review", "--file", "empty.md", "--dry-run"],
            &["plan", "--run", "run", "--file", "empty.md"],
            &["duel", "empty.md"],
        ] {
            let run = repo.council_with(&[], command);
            assert_eq!(run.code, 2, "{command:?}: {}{}", run.stdout, run.stderr);
        }
        repo.council(["review", "--file", "empty.md"])
            .tells("the document empty.md is empty")
            .tells("name a document that says something");
    }
}

#[test]
fn what_the_job_shows_needs_no_pull_request() {
    let repo = Repo::with_base();
    let summary = repo.in_home("summary.md");
    let vars = [
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ("GITHUB_REPOSITORY", "a/b"),
    ];
    repo.council_with(&vars, &["review", "HEAD", "--publish", "summary"])
        .ends(0);
    let told = std::fs::read_to_string(&summary).unwrap();
    assert!(told.contains("PASS"), "{told}");
    repo.council_with(&vars, &["review", "HEAD", "--publish", "comment"])
        .ends(2)
        .tells("there is no pull request to publish to");
    // Nor is a judge paid for what nobody can be shown.
    let run = repo.council(["review", "HEAD", "--publish", "summary"]);
    assert_eq!(run.stdout, "");
    run.ends(2).tells("no remote of this repository points to");
}

/// Law: what a review refuses, since nobody there can think, a matrix refuses as well. Its last job ended with 0.
#[test]
fn a_matrix_refuses_what_rules_cannot_debate() {
    let repo = Repo::with_base();
    repo.write("PLAN.md", "# Plan\n\nDrop the database.\n");
    for subject in [["--file", "PLAN.md"], ["--topic", "Shall we drop it?"]] {
        let review = repo.council_with(&[], &[&["review"][..], &subject].concat());
        review.ends(2).tells("needs agents with a model");
        let plan = repo.council_with(&[], &[&["plan", "--run", "run"][..], &subject].concat());
        assert_eq!(plan.stdout, "");
        plan.ends(2).tells("hint: ");
        assert!(!repo.path().join("run").exists());
    }
}

/// A job has no tree to give to a tool; whoever learned that from the verdict had started every job for nothing.
#[test]
fn a_matrix_refuses_tools_before_a_job_is_started() {
    let repo = Repo::with_base();
    repo.write("a.py", "x = 1\n");
    repo.commit("A file");
    repo.write_home(
        ".config/git-council/config.toml",
        "[agents.lint]\ndriver = \"command\"\ncommand = [\"/bin/true\", \"{files}\"]\nformat = \"lines\"\n",
    );
    let plan = ["plan", "HEAD", "--run", "run", "--agents", "builtin,lint"];
    repo.council(plan).ends(2).tells("job of its own: lint");
    assert!(!repo.path().join("run").exists());
}

/// The rules that always look must have something to look at: damage is not a clean change.
#[test]
fn a_matrix_whose_files_are_damaged_has_no_verdict() {
    let repo = Repo::with_base();
    repo.write(
        "notes.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    repo.commit("Conflict");
    let plan = ["plan", "HEAD", "--run", "run", "--agents", "builtin"];
    repo.council(plan).ends(0);
    let blobs = repo.path().join("run/packet/blobs");
    let blob = || {
        std::fs::read_dir(&blobs)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path()
    };
    let (file, bytes) = (blob(), std::fs::read(blob()).unwrap());
    std::fs::write(&file, "x = 1\n").unwrap();
    repo.council(["conclude", "--run", "run"])
        .ends(2)
        .tells("does not have its digest");
    std::fs::remove_file(&file).unwrap();
    repo.council(["conclude", "--run", "run"]).ends(2);
    std::fs::write(&file, bytes).unwrap();
    // Nobody answered: no verdict, but nothing is damaged.
    repo.council(["conclude", "--run", "run"]).ends(3);
}
