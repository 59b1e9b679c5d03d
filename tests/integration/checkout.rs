//! A checkout cannot weaken its own review: neither its council.toml nor its `.git/config` turns a FAIL into anything milder.

use std::os::unix::fs::PermissionsExt as _;

use git_council::inside::config::{ConfigKey, KEYS, ValueKind};

use crate::harness::{FORMATS, PRIVATE_KEY, Repo};
use crate::hook::Desk;

/// A clone whose branch `feature` adds a private key; its user has made the hook a gate.
fn failing() -> Desk {
    let desk = Desk::new();
    desk.repo
        .git(["config", "--global", "council.hook.mode", "gate"]);
    desk.repo.git(["switch", "--quiet", "--create", "feature"]);
    desk.repo.write("key.pem", PRIVATE_KEY);
    desk.repo.write(
        "src/key.md",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n",
    );
    desk.repo.commit("A key");
    desk
}

/// What git tells the pre-push hook of a push of the current commit.
fn pushed(repo: &Repo) -> String {
    let head = repo.git(["rev-parse", "HEAD"]);
    let base = repo.git(["rev-parse", "main"]);
    format!("refs/heads/feature {head} refs/heads/feature {base}\n")
}

/// The verdict of the pre-push hook: its exit code.
fn hook(repo: &Repo) -> i32 {
    hook_of(repo, &pushed(repo))
}

fn hook_of(repo: &Repo, update: &str) -> i32 {
    let args = ["hook", "run", "pre-push", "origin", "url"];
    repo.council_reading(update.as_bytes(), &args).code
}

/// Values that somebody who wants to get through would try.
fn values(key: &ConfigKey) -> Vec<String> {
    let own = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
    match key.kind {
        ValueKind::Choice(words) => words.iter().map(|word| format!("{word:?}")).collect(),
        ValueKind::Count { least, most } => vec![least.to_string(), most.min(64).to_string()],
        ValueKind::Switch => own(&["true", "false"]),
        ValueKind::Duration => own(&[r#""1ms""#, r#""10h""#]),
        ValueKind::Bytes | ValueKind::BytesOrNone => own(&[r#""1""#, r#""1G""#]),
        ValueKind::Names => own(&[r#"["tests"]"#, "[]", r#"["nobody"]"#]),
        ValueKind::Globs | ValueKind::Signers | ValueKind::Folders => {
            own(&[r#"["**"]"#, r#"["!**", "*.pem"]"#])
        }
        ValueKind::Name | ValueKind::Text | ValueKind::Model => own(&[r#""tests""#, r#""nobody""#]),
        ValueKind::Judges => own(&[
            r#"[{ perspective = "tests" }]"#,
            r#"[{ perspective = "tests", agent = "builtin" }]"#,
            "[]",
        ]),
        ValueKind::Command => own(&[r#"["true"]"#]),
        ValueKind::Arguments => own(&["[]", r#"["--version"]"#]),
        ValueKind::EnvNames => own(&[r#"["HOME"]"#]),
        ValueKind::File => own(&[r#""/dev/null""#]),
        ValueKind::Url => own(&[r#""http://127.0.0.1:9""#]),
        ValueKind::EnvName => own(&[r#""HOME""#]),
        ValueKind::Models => own(&[r#"["tests"]"#]),
        ValueKind::Money => own(&[r#""0""#]),
        ValueKind::Table => own(&["{}"]),
    }
}

/// A value of a file as `git config` takes it: no quotes, lists with commas.
fn as_git_has_it(value: &str) -> String {
    let bare = |c: &char| !"[]\" ".contains(*c);
    value.chars().filter(bare).collect()
}

/// A key with the name that makes it matter here.
fn named(key: &ConfigKey) -> String {
    let name = match key.name.split('.').next() {
        Some("rules") => "private-key",
        Some("perspectives") => "security",
        Some("agents") => "builtin",
        _ => "tests",
    };
    key.name.replace('*', name)
}

/// What a checkout says where it can set nothing else: every key, every value, alone and in a gate.
#[test]
fn no_value_of_any_key_turns_fail_into_anything_milder() {
    let desk = failing();
    let repo = &desk.repo;
    repo.council(["review", "main...feature"]).ends(1);
    assert_eq!(hook(repo), 1);
    let (update, mut weakened) = (pushed(repo), Vec::new());
    for key in KEYS {
        for value in values(key) {
            let line = format!("{} = {value}\n", named(key));
            repo.write("council.toml", &line);
            let run = repo.council(["review", "main...feature", "--no-save"]);
            // Nor can it make itself unreviewable: what is wrong with the file is told, and the review goes on.
            if run.code != 1 {
                weakened.push((line.clone(), run.code, run.stderr));
            }
            let gate = hook_of(repo, &update);
            if gate == 0 {
                weakened.push((format!("in the gate: {line}"), gate, String::new()));
            }
        }
    }
    assert!(weakened.is_empty(), "{weakened:#?}");
}

/// A file that comes with the change cannot make the change unreviewable, however it is broken.
#[test]
fn a_broken_file_of_the_checkout_is_told_and_the_review_goes_on() {
    let desk = failing();
    let repo = &desk.repo;
    let told = "council.toml of the worktree is ignored, because it is broken";
    let file = repo.path().join("council.toml");
    type Breakage = (&'static str, fn(&Repo));
    let breakages: [Breakage; 8] = [
        ("unknown key", |repo| repo.write("council.toml", "x = 1\n")),
        ("unknown rule", |repo| {
            repo.write("council.toml", "[rules]\nno-such-rule = \"critical\"\n")
        }),
        ("no TOML", |repo| repo.write("council.toml", "hook = [\n")),
        ("forbidden", |repo| {
            repo.write("council.toml", "[limits]\nagents = 1\n")
        }),
        ("no UTF-8", |repo| repo.write("council.toml", b"\xff\n")),
        ("too large", |repo| {
            repo.write("council.toml", "#".repeat(2 << 20))
        }),
        ("a folder", |repo| {
            std::fs::create_dir(repo.path().join("council.toml")).unwrap()
        }),
        ("a link to no TOML", |repo| {
            std::os::unix::fs::symlink("/etc/passwd", repo.path().join("council.toml")).unwrap()
        }),
    ];
    let formats = [
        "terminal", "markdown", "json", "sarif", "rdjson", "html", "agent", "junit",
    ];
    for (at, (what, put)) in breakages.into_iter().enumerate() {
        put(repo);
        // One tells it in every format, each other one in a format of its own.
        let told_in = if at == 0 {
            &formats[..]
        } else {
            &formats[at..=at]
        };
        for format in told_in {
            let run = repo.council(["review", "main...feature", "--format", format]);
            assert_eq!(run.code, 1, "{what}, {format}: {}", run.stderr);
            let text = format!("{}{}", run.stdout, run.stderr).replace('\n', " ");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(told), "{what}, {format}: {text}");
        }
        // In a gate it blocks, and whoever follows the file as their own has to mend it.
        assert_ne!(hook(repo), 0, "{what}");
        repo.council(["review", "main...feature", "--trust-worktree"])
            .ends(2);
        let _ = std::fs::remove_dir(&file);
        let _ = std::fs::remove_file(&file);
    }
    // What is stricter elsewhere stays: `.git/config` is not the change's.
    repo.git(["switch", "--quiet", "main"]);
    repo.git(["switch", "--quiet", "--create", "small"]);
    repo.write(
        "src/more.rs",
        "/// One more.\npub const MORE: u32 = 1; // TODO: less\n",
    );
    repo.commit("More");
    repo.git(["config", "council.rules.todo-without-reference", "critical"]);
    repo.write("council.toml", "x = 1\n");
    repo.council(["review", "main...small"])
        .ends(1)
        .prints("todo-without-reference");
}

#[test]
fn git_s_own_configuration_of_the_repository_weakens_nothing_either() {
    let desk = failing();
    let repo = &desk.repo;
    let mut weakened = Vec::new();
    let update = pushed(repo);
    for key in KEYS.iter().filter(|key| key.kind != ValueKind::Judges) {
        for value in values(key) {
            let value = as_git_has_it(&value);
            let name = format!("council.{}", named(key));
            repo.git(["config", &name, &value]);
            if hook_of(repo, &update) == 0 {
                weakened.push(format!("{name} = {value}"));
            }
            repo.git(["config", "--unset", &name]);
        }
    }
    assert!(weakened.is_empty(), "{weakened:#?}");
    for (key, value) in [
        ("council.review.ignore", "**"),
        ("council.perspectives", "tests"),
        ("council.procedure", "quick"),
        ("council.review.judges", "1"),
        ("council.rules.private-key", "off"),
        ("council.timeouts.run", "1ms"),
        ("council.hook", "false"),
        ("council.hook.mode", "advisory"),
        ("council.hook.timeout", "1ms"),
        ("council.hook.on-timeout", "pass"),
    ] {
        repo.git(["config", key, value]);
        let run = repo.council(["review", "main...feature", "--no-save"]);
        assert_eq!(
            (run.code, hook(repo)),
            (1, 1),
            "{key} = {value}: {}",
            run.stderr
        );
        repo.git(["config", "--unset", key]);
    }
}

#[test]
fn a_file_that_cannot_be_read_does_not_open_the_gate() {
    let desk = failing();
    for broken in [
        "review = [",
        "[hook]\nmode = 'off'\n",
        "[agents.x]\ncommand = ['true']\n",
    ] {
        desk.repo.write("council.toml", broken);
        assert_ne!(hook(&desk.repo), 0, "{broken}");
    }
    // Nor one that takes the gate back that the trusted branch has put up.
    desk.repo
        .git(["config", "--global", "--unset", "council.hook.mode"]);
    desk.repo.git(["switch", "--quiet", "main"]);
    desk.repo.write("council.toml", "[hook]\nmode = 'gate'\n");
    desk.repo.commit("A gate for all");
    desk.repo.git(["push", "--quiet", "origin", "main"]);
    desk.repo
        .git(["switch", "--quiet", "--force-create", "feature"]);
    desk.repo.write("key.pem", PRIVATE_KEY);
    for file in ["[hook]\nmode = 'advisory'\n", "hook = [", ""] {
        desk.repo.write("council.toml", file);
        desk.repo.commit("Open it");
        assert_ne!(hook(&desk.repo), 0, "{file}");
    }
}

/// The value that makes the hook a gate may be lost together with the one that cannot be read.
#[test]
fn no_broken_value_of_any_layer_opens_the_gate() {
    let desk = failing();
    let repo = &desk.repo;
    repo.git(["config", "--global", "--unset", "council.hook.mode"]);
    // As docs/hooks.md tells it.
    repo.git(["config", "council.hook.mode", "gate"]);
    assert_eq!(hook(repo), 1);
    let user = ".config/git-council/config.toml";
    type Breakage = (&'static str, fn(&Repo), fn(&Repo));
    let unwrite = |repo: &Repo| {
        let file = repo.path().join("council.toml");
        let _ = std::fs::remove_dir(&file);
        let _ = std::fs::remove_file(&file);
    };
    let breakages: [Breakage; 10] = [
        (
            "unknown key",
            |repo| repo.write("council.toml", "x = 1\n"),
            unwrite,
        ),
        (
            "no TOML",
            |repo| repo.write("council.toml", "hook = [\n"),
            unwrite,
        ),
        (
            "forbidden",
            |repo| repo.write("council.toml", "[limits]\nagents = 1\n"),
            unwrite,
        ),
        (
            "no UTF-8",
            |repo| repo.write("council.toml", b"\xff\n"),
            unwrite,
        ),
        (
            "too large",
            |repo| repo.write("council.toml", "#".repeat(2 << 20)),
            unwrite,
        ),
        (
            "a folder",
            |repo| std::fs::create_dir(repo.path().join("council.toml")).unwrap(),
            unwrite,
        ),
        (
            "a link to no TOML",
            |repo| {
                std::os::unix::fs::symlink("/etc/passwd", repo.path().join("council.toml")).unwrap()
            },
            unwrite,
        ),
        (
            ".git/config",
            |repo| drop(repo.git(["config", "council.nonsense", "1"])),
            |repo| drop(repo.git(["config", "--unset", "council.nonsense"])),
        ),
        (
            "global git configuration",
            |repo| drop(repo.git(["config", "--global", "council.quorum", "banana"])),
            |repo| drop(repo.git(["config", "--global", "--unset", "council.quorum"])),
        ),
        (
            "the user's own file",
            |repo| repo.write_home(".config/git-council/config.toml", "review = 3\n"),
            |repo| repo.write_home(".config/git-council/config.toml", ""),
        ),
    ];
    for (what, put, take) in breakages {
        put(repo);
        let head = repo.git(["rev-parse", "HEAD"]);
        let base = repo.git(["rev-parse", "main"]);
        let update = format!("refs/heads/feature {head} refs/heads/feature {base}\n");
        let args = ["hook", "run", "pre-push", "origin", "url"];
        let run = repo.council_reading(update.as_bytes(), &args);
        assert_ne!(run.code, 0, "{what}: {}", run.stderr);
        run.tells("the push is blocked").tells("--no-verify");
        take(repo);
        assert_eq!(hook(repo), 1, "{what} and mended");
    }
    assert!(repo.in_home(user).exists());
    // An environment that nobody can read is no way out either.
    let head = repo.git(["rev-parse", "HEAD"]);
    let args = ["hook", "run", "pre-push", "origin", "url"];
    let update = format!("refs/heads/x {head} refs/heads/x {}\n", "0".repeat(40));
    let mut command = repo.program(&repo.path());
    command.args(args).env("COUNCIL_JUDGE_COUNT", "zz");
    let file = repo.in_home("update");
    std::fs::write(&file, update).unwrap();
    command.stdin(std::fs::File::open(file).unwrap());
    assert_ne!(crate::harness::Run::of_command(command).code, 0);
}

#[test]
fn what_is_not_obeyed_is_told_on_every_surface() {
    let desk = failing();
    let repo = &desk.repo;
    repo.write("council.toml", "[review]\nignore = ['**']\n");
    repo.commit("Ignore everything");
    for format in FORMATS {
        let run = repo
            .council(["review", "main...feature", "--format", format])
            .ends(1);
        for told in ["review.ignore", "the change edits council.toml"] {
            let text = format!("{}{}", run.stdout, run.stderr);
            assert!(text.contains(told), "{format} does not tell {told}: {text}");
        }
    }
    let head = repo.git(["rev-parse", "HEAD"]);
    let update = format!(
        "refs/heads/feature {head} refs/heads/feature {}\n",
        repo.git(["rev-parse", "main"])
    );
    let args = ["hook", "run", "pre-push", "origin", "url"];
    let run = repo.council_reading(update.as_bytes(), &args).ends(1);
    run.tells("`review.ignore`")
        .tells("the change edits council.toml");
}

#[test]
fn a_user_may_follow_a_worktree_of_their_own_and_no_hook_does() {
    let desk = failing();
    let repo = &desk.repo;
    let rules = "[rules]\nprivate-key = 'off'\nconflict-marker = 'off'\n";
    repo.write("council.toml", rules);
    repo.council(["review", "main...feature"])
        .ends(1)
        .prints("--trust-worktree");
    repo.council(["review", "main...feature", "--trust-worktree"])
        .ends(0);
    let ci = [("TF_BUILD", "True")];
    repo.council_with(&ci, &["review", "main...feature", "--trust-worktree"])
        .ends(1);
    let here = repo.path().display().to_string();
    repo.git([
        "config",
        "--global",
        "--add",
        "council.trust.worktrees",
        &here,
    ]);
    repo.council(["review", "main...feature"]).ends(0);
    assert_eq!(hook(repo), 1);
}

#[test]
fn what_makes_a_review_stricter_is_obeyed_at_once() {
    let desk = Desk::new();
    let repo = &desk.repo;
    repo.git(["switch", "--quiet", "--create", "feature"]);
    repo.write(
        "src/more.rs",
        "/// One more.\npub const MORE: u32 = 1; // TODO: less\n",
    );
    repo.commit("More");
    repo.council(["review", "main...feature"]).ends(0);
    repo.write(
        "council.toml",
        "[rules]\ntodo-without-reference = 'critical'\n[hook]\nmode = 'gate'\n",
    );
    repo.council(["review", "main...feature"]).ends(1);
    assert_eq!(hook(repo), 1);
}

/// Judges as models are, each of another vendor: `one` and `two` find a critical fault in pay.py, `three` finds nothing.
fn with_models(judges: u32) -> Repo {
    let repo = Repo::with_base();
    let answer = r#"{"schema_version":1,"round":1,"key":"@KEY@","confidence":"HIGH","key_insight":"i","verdict":"FAIL","findings":[
        {"severity":"critical","description":"Division by zero","location":{"path":"pay.py","line":2},"quote":"return total / 0"}]}"#;
    let finds = format!(
        "#!/bin/sh\ncat >/dev/null; sed \"s/@KEY@/$COUNCIL_KEY/\" <<'END'\n{answer}\nEND\n"
    );
    let passes = finds.replace("\"FAIL\"", "\"PASS\"");
    let at = passes.find("\"findings\":[").unwrap();
    let passes = passes[..at].to_owned() + "\"findings\":[]}\nEND\n";
    let mut config =
        format!("[review]\nagents = [\"one\", \"two\", \"three\"]\njudges = {judges}\n");
    for (name, text) in [("one", &finds), ("two", &finds), ("three", &passes)] {
        let judge = repo.in_home(&format!("{name}.sh"));
        std::fs::write(&judge, text).unwrap();
        std::fs::set_permissions(&judge, std::fs::Permissions::from_mode(0o755)).unwrap();
        config += &format!(
            "[agents.{name}]\ndriver = 'command'\ncommand = [{judge:?}]\nvendor = '{name}'\n"
        );
    }
    repo.write_home(".config/git-council/config.toml", &config);
    repo.write("pay.py", "def share(total):\n    return total / 0\n");
    repo.commit("Change");
    repo
}

/// What only models find is failed whatever a checkout says: no rule speaks of the fault.
#[test]
fn no_value_of_a_key_of_the_bench_turns_what_models_fail_into_anything_milder() {
    let repo = with_models(3);
    let fresh = ["review", "HEAD", "--fresh", "--no-save"];
    repo.council(fresh).ends(1);
    let of_bench = [
        "review.",
        "judge",
        "perspectives.",
        "presets.",
        "timeouts.",
        "cross-examination.",
        "limits.",
    ];
    let is_of_bench = |key: &&ConfigKey| {
        let models = ["agents.*.model", "agents.*.fallback"];
        models.contains(&key.name) || of_bench.iter().any(|part| key.name.starts_with(part))
    };
    let mut weakened = Vec::new();
    for key in KEYS.iter().filter(is_of_bench) {
        let name = match key.name.strip_prefix("agents.*") {
            Some(rest) => format!("agents.one{rest}"),
            None => named(key),
        };
        for value in values(key) {
            let line = format!("{name} = {value}\n");
            repo.write("council.toml", &line);
            let run = repo.council(fresh);
            if run.code != 1 {
                weakened.push((line, run.code, run.stdout));
            }
        }
    }
    assert!(weakened.is_empty(), "{weakened:#?}");
}

/// Whatever seats a checkout asks for: what two of two judges hold stays carried.
#[test]
fn seats_that_a_checkout_asks_for_never_dilute_the_bench() {
    let repo = with_models(2);
    let plain = repo
        .council(["review", "HEAD", "--fresh", "--json"])
        .ends(1);
    plain.prints("\"FAIL\"");
    for asked in [
        "[review]\nperspectives = [\"maintainability\", \"hygiene\", \"tests\"]\n",
        "[review]\njudges = 12\n",
        "[[judge]]\nperspective = \"tests\"\n[[judge]]\nperspective = \"hygiene\"\n[[judge]]\nperspective = \"security\"\n",
    ] {
        repo.write("council.toml", asked);
        repo.council(["review", "HEAD", "--fresh"])
            .ends(1)
            .prints("none was added");
    }
}

/// What it asks for and does not get is told.
#[test]
fn what_a_checkout_asks_for_in_vain_is_told() {
    let repo = Repo::with_base();
    repo.write("notes.md", "A note.\n");
    repo.commit("Change");
    for (asked, told) in [
        (
            "[review]\nperspectives = [\"security\", \"concurrency\"]\n",
            "`concurrency`",
        ),
        (
            "[[judge]]\nperspective = \"performance\"\n",
            "`performance`",
        ),
        ("[review]\nquorum = 9\n", "quorum of 9"),
    ] {
        repo.write("council.toml", asked);
        repo.council(["review", "HEAD", "--fresh"]).prints(told);
    }
}
