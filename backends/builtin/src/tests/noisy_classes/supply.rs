//! Hooks, workflows and lockfiles.

use council_protocol::Severity;

use crate::tests::wrong_classes::{assert_note, assert_silent, assert_warns, told};

fn prepare(old: &str, new: &str) -> String {
    format!(
        "=== package.json\n {{\"scripts\": {{\n-\"prepare\": \"{old}\"\n+\"prepare\": \"{new}\"\n }}}}\n"
    )
}

#[test]
fn hook_change_knows_that_a_usual_tool_changes_its_own_words() {
    for (old, new) in [
        (
            "husky install && node scripts/check.js || npm run build:prepare",
            "husky && node scripts/check.js || npm run build:prepare",
        ),
        ("node a.js && husky install", "node a.js && npx husky"),
    ] {
        assert_note("hook-change", &prepare(old, new));
    }
    assert_silent("hook-change", &prepare("husky install", "husky"));
}

/// The same program with other arguments may do anything, and so may what only begins like a usual one.
#[test]
fn a_migrated_hook_excuses_nothing_else() {
    for (old, new) in [
        (
            "husky install && node check.js",
            "husky && node -e 'evil()'",
        ),
        ("husky install && node check.js", "husky && node evil.js"),
        (
            "husky install && node check.js",
            "husky && node check.js && node evil.js",
        ),
        ("husky install && node check.js", "husky & node check.js"),
        ("husky install || node check.js", "husky && node check.js"),
        ("husky install", "husky $(node evil.js)"),
        ("husky install", "husky `node evil.js`"),
        ("husky install", "husky-evil"),
        ("husky install", "npx husky@npm:evil"),
        ("husky install", "husky\\nnode evil.js"),
        ("husky install", "husky > .bashrc"),
    ] {
        assert_warns("hook-change", &prepare(old, new));
    }
    // Git runs what lies in the folder that is named.
    assert_note(
        "hook-change",
        &prepare("husky install", "husky tools/hooks"),
    );
}

fn added_workflow(job: &str) -> String {
    let lines: String = job.lines().map(|line| format!("+{line}\n")).collect();
    format!("=== .github/workflows/ai.yml\n+on:\n+  issue_comment:\n+jobs:\n+  moderate:\n{lines}")
}

const RIGHTS: &str = "    permissions:\n      issues: write\n      pull-requests: write\n";

#[test]
fn workflow_permissions_tells_a_list_once() {
    let job = format!("{RIGHTS}    steps:\n      - run: make\n");
    let told = told("workflow-permissions", &added_workflow(&job));
    let [(Severity::Significant, words)] = &told[..] else {
        panic!("{told:?}")
    };
    assert!(
        words.contains("write `issues`. There is 1 more in this file: `pull-requests` ("),
        "{words}"
    );
    // Of another job it is told apart.
    let two = added_workflow(&job)
        + &format!(
            "+  second:\n{}",
            added_workflow(&job).split("moderate:\n").nth(1).unwrap()
        );
    assert_eq!(
        crate::tests::wrong_classes::told("workflow-permissions", &two).len(),
        2
    );
}

/// Law: however much a joined finding has to name, it ends in the digits by which a dismissal knows what it covers.
#[test]
fn a_joined_finding_keeps_its_digits() {
    let rights = [
        "contents",
        "packages",
        "repository-projects",
        "security-events",
        "pull-requests",
        "attestations",
    ];
    let flow = rights.map(|right| format!("{right}: write")).join(", ");
    for repeated in [1, 2, 8] {
        let line = vec![flow.as_str(); repeated].join(", ");
        let job = |last: &str| {
            let lines = format!("      {{ {line} }}\n").repeat(3);
            added_workflow(&format!(
                "    permissions:\n{lines}      {last}: write\n    steps:\n      - run: make\n"
            ))
        };
        let digits = |last: &str| {
            let told = told("workflow-permissions", &job(last));
            let [(_, words)] = &told[..] else {
                panic!("{told:?}")
            };
            let (_, digits) = words.strip_suffix(").").unwrap().rsplit_once(" (").unwrap();
            assert!(
                words.contains(" more in this file") && digits.len() == 4,
                "{words}"
            );
            digits.to_owned()
        };
        assert_ne!(digits("pages"), digits("statuses"));
    }
}

/// What is no news in a list, and what an excuse covers there, hides no other right of the same list.
#[test]
fn an_old_right_hides_no_new_one() {
    let list = |lines: &str| {
        format!(
            "=== .github/workflows/a.yml\n on:\n   pull_request_target:\n jobs:\n   a:\n     permissions:\n{lines}     steps:\n       - run: make\n"
        )
    };
    for lines in [
        "-      pull-requests: write # label\n+      pull-requests: write # labels\n+      contents: write\n",
        "-      pull-requests: write\n+      pull-requests: 'write'\n+      contents: write\n",
        "       # council: allow(workflow-permissions) it labels\n-      pull-requests: read\n+      pull-requests: write\n\
         +      contents: write\n",
        "       pull-requests: write\n+      contents: write\n",
    ] {
        let told = told("workflow-permissions", &list(lines));
        let names = |(severity, words): &(Severity, String)| {
            *severity > Severity::Minor && words.contains("`contents`")
        };
        assert!(told.iter().any(names), "{told:?}\n{lines}");
    }
}

#[test]
fn workflow_permissions_knows_a_job_of_githubs_own_actions() {
    let job = |rights: &str, steps: &str| added_workflow(&format!("{rights}    steps:\n{steps}"));
    let own = "      - uses: actions/checkout@v4\n      - uses: github/ai-moderator@v1\n        with:\n          \
               token: ${{ secrets.GITHUB_TOKEN }}\n";
    assert_note("workflow-permissions", &job(RIGHTS, own));
    for (rights, steps) in [
        (RIGHTS, format!("{own}      - run: make\n")),
        (RIGHTS, format!("{own}      - {{\"r\\u0075n\": make}}\n")),
        (RIGHTS, own.replace("github/", "stranger/")),
        (RIGHTS, own.replace("github/ai", "./ai")),
        (RIGHTS, own.replace("github/ai", "github/../stranger/ai")),
        (
            RIGHTS,
            format!(
                "{own}      - uses: actions/github-script@v7\n        with:\n          script: evil()\n"
            ),
        ),
        (
            RIGHTS,
            own.replace("secrets.GITHUB_TOKEN", "github.event.comment.body"),
        ),
        (
            RIGHTS,
            own.replace(
                "checkout@v4",
                "checkout@v4\n        with:\n          ref: pr",
            ),
        ),
        (&RIGHTS.replace("issues", "contents"), own.to_owned()),
        (&RIGHTS.replace("issues", "packages"), own.to_owned()),
        (&RIGHTS.replace("pull-requests", "id-token"), own.to_owned()),
    ] {
        assert_warns("workflow-permissions", &job(rights, &steps));
    }
    // What a program takes from its environment, it may run.
    let env = job(RIGHTS, own).replace(
        "+jobs:\n",
        "+env:\n+  NODE_OPTIONS: --require ./a.js\n+jobs:\n",
    );
    assert_warns("workflow-permissions", &env);
    // The rights of the whole workflow are those of every job that it will ever have.
    let whole = "=== .github/workflows/ai.yml\n+on: issue_comment\n+permissions:\n+  issues: write\n+jobs:\n+  a:\n+    \
                 steps:\n+      - uses: actions/checkout@v4\n";
    assert_warns("workflow-permissions", whole);
}

const REGISTRY: &str =
    "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"aaaa\"\n";

/// A Cargo.lock whose `reedline` comes from git now, beside another file.
fn to_git(source: &str, beside: &str) -> String {
    let removed: String = REGISTRY.lines().map(|line| format!("-{line}\n")).collect();
    format!(
        "=== Cargo.lock\n [[package]]\n name = \"reedline\"\n version = \"1.0.0\"\n{removed}+source = \"{source}\"\n{beside}"
    )
}

#[test]
fn lockfile_tampering_knows_a_source_that_the_manifest_names() {
    let source = "git+https://github.com/nushell/reedline?branch=main#0977";
    let manifest = |path: &str, lines: &str| {
        let lines: String = lines.lines().map(|line| format!("{line}\n")).collect();
        to_git(source, &format!("=== {path}\n{lines}"))
    };
    let patch = "+reedline = { git = \"https://github.com/nushell/reedline\", branch = \"main\" }";
    for table in [
        "patch.crates-io",
        "dependencies",
        "workspace.dependencies",
        "target.'cfg(unix)'.dev-dependencies",
    ] {
        assert_note(
            "lockfile-tampering",
            &manifest("Cargo.toml", &format!(" [{table}]\n{patch}")),
        );
    }
    for (path, lines) in [
        ("Cargo.toml", format!(" [package.metadata.x]\n{patch}")),
        (
            "Cargo.toml",
            format!(" [patch.crates-io]\n{}", patch.replace('+', "+# ")),
        ),
        (
            "Cargo.toml",
            format!(
                " [patch.crates-io]\n{}",
                patch.replace("reedline =", "other =")
            ),
        ),
        (
            "Cargo.toml",
            format!(
                " [patch.crates-io]\n{}",
                patch.replace("nushell", "stranger")
            ),
        ),
        (
            "Cargo.toml",
            format!(
                " [patch.crates-io]\n{}",
                patch.replace("reedline\"", "reedline.evil.org\"")
            ),
        ),
        // Nobody reads it, and cargo does not either.
        (
            "tests/data/Cargo.toml",
            format!(" [patch.crates-io]\n{patch}"),
        ),
        // It stood there before: why does the lockfile follow only now?
        (
            "Cargo.toml",
            format!(
                " [patch.crates-io]\n{}\n+other = \"1\"",
                patch.replace('+', " ")
            ),
        ),
    ] {
        assert_warns("lockfile-tampering", &manifest(path, &lines));
    }
}

/// A source that is named excuses no other package of the lockfile, whichever stands first.
#[test]
fn a_named_source_excuses_no_other_package() {
    let source = "git+https://github.com/nushell/reedline#0977";
    let named = "=== Cargo.toml\n [patch.crates-io]\n+reedline = { git = \"https://github.com/nushell/reedline\" }\n";
    let swapped = "checksum = \"cccc\"\n+checksum = \"dddd\"\n";
    for name in ["aaa", "zzz"] {
        let other = format!(" [[package]]\n name = \"{name}\"\n version = \"2.0.0\"\n-{swapped}");
        let lock = to_git(source, "");
        let behind = format!("{lock}{other}{named}");
        let before = format!(
            "=== Cargo.lock\n{other}{}{named}",
            lock.strip_prefix("=== Cargo.lock\n").unwrap()
        );
        for text in [behind, before] {
            assert_warns("lockfile-tampering", &text);
        }
    }
}

fn wheel(old: &str, new: &str, (was, is): (&str, &str)) -> String {
    let line = |url: &str, hash: &str| {
        format!("sdist = {{ url = \"{url}/a-1.tar.gz\", hash = \"{hash}\" }}\n")
    };
    format!(
        "=== uv.lock\n [[package]]\n name = \"a\"\n version = \"1.0.0\"\n-{}+{}",
        line(old, was),
        line(new, is)
    )
}

#[test]
fn lockfile_tampering_knows_a_sister_host_of_the_same_file() {
    let same = ("sha256:aaaa", "sha256:aaaa");
    let old = "https://download.pytorch.org/whl";
    assert_note(
        "lockfile-tampering",
        &wheel(old, "https://download-r2.pytorch.org/whl", same),
    );
    for (old, new, hashes) in [
        (old, "https://download.pytorch.evil.org/whl", same),
        (old, "https://evilpytorch.org/whl", same),
        (old, "http://download-r2.pytorch.org/whl", same),
        (old, "https://download-r2.pytorch.org/other", same),
        (old, "https://download-r2.pytorch.org@evil.org/whl", same),
        (
            old,
            "https://download-r2.pytorch.org/whl",
            ("sha256:aaaa", "sha256:bbbb"),
        ),
        (
            old,
            "https://download-r2.pytorch.org/whl",
            ("sha1:aaaa", "sha1:aaaa"),
        ),
        // Anybody can have a name there.
        ("https://a.github.io/whl", "https://b.github.io/whl", same),
        (
            "https://a.s3.amazonaws.com/whl",
            "https://b.s3.amazonaws.com/whl",
            same,
        ),
        ("https://a.pages.dev/whl", "https://b.pages.dev/whl", same),
        ("https://a.co.uk/whl", "https://b.co.uk/whl", same),
    ] {
        assert_warns("lockfile-tampering", &wheel(old, new, hashes));
    }
}
