//! What a change cannot do by the name of a file: rules against secrets, deceptive text, CI and agent files look at
//! every file, whoever is said to have written it.

use std::collections::BTreeMap;
use std::sync::Arc;

use council_protocol::change::{BlobError, FileKind, FileStatus};
use council_protocol::seat::RuleSettings;
use council_protocol::{BlobSource, Packet, RepoPath, Severity, Side};

use crate::applicable::ActiveRules;
use crate::fixture::RuleFixture;
use crate::scan::scan_change;
use crate::view::ChangeView;

const KEY: &str = "{|}ghp_{|}Zk3pQ9vXw2LmT7rB8sYcZk3pQ9vXw2LmT7rB";
const SOMEBODY_ELSES: [&str; 10] = [
    "web/app.min.js",
    "vendor/a/b.go",
    "node_modules/a/index.js",
    "example/app.py",
    "examples/app.py",
    "third_party/a.c",
    "dist/app.js",
    "package-lock.json",
    "Cargo.lock",
    "api/service.pb.go",
];

pub(super) fn speaking_on(
    packet: &Packet,
    blobs: &dyn BlobSource,
) -> Vec<(&'static str, Severity)> {
    let change = ChangeView::new(packet, blobs);
    let rules = ActiveRules::all(&RuleSettings::default());
    let found = scan_change(&change, &rules);
    found.iter().map(|f| (f.rule.info.id, f.severity)).collect()
}

fn speaking(text: &str) -> Vec<(&'static str, Severity)> {
    let fixture = RuleFixture::parse(text);
    speaking_on(&fixture.packet, &*fixture.blobs)
}

pub(super) fn has(found: &[(&'static str, Severity)], rule: &str) -> bool {
    found
        .iter()
        .any(|(id, severity)| *id == rule && *severity > Severity::Minor)
}

#[test]
fn a_secret_is_found_in_files_of_any_name() {
    for path in SOMEBODY_ELSES {
        let found = speaking(&format!("=== {path}\n a\n+token = \"{KEY}\"\n"));
        assert!(has(&found, "provider-token"), "{path}: {found:?}");
    }
}

/// What runs on the machine of whoever opens the folder warns; what runs inside of a container is told.
#[test]
fn a_task_that_runs_when_a_folder_is_opened_warns() {
    let task = |path: &str, line: &str| speaking(&format!("=== {path}\n {{\n+  {line}\n }}\n"));
    let opened = task(".vscode/tasks.json", r#""runOn": "folderOpen""#);
    assert!(has(&opened, "hook-change"), "{opened:?}");
    let container = ".devcontainer/devcontainer.json";
    let outside = task(container, r#""initializeCommand": "make""#);
    assert!(has(&outside, "hook-change"), "{outside:?}");
    let inside = task(container, r#""postCreateCommand": "make""#);
    assert!(inside.iter().any(|(id, _)| *id == "hook-change") && !has(&inside, "hook-change"));
}

#[test]
fn deceptive_text_is_found_in_files_of_any_name() {
    for path in SOMEBODY_ELSES {
        let found = speaking(&format!("=== {path}\n a\n+level = \"user{{U+202E}}\"\n"));
        assert!(has(&found, "bidi-control"), "{path}: {found:?}");
    }
}

/// Law: an invisible character, or a name of two scripts, weighs the same in code of any name.
#[test]
fn no_name_of_a_file_makes_invisible_text_a_slip() {
    let foreign = [
        "vendor/a/b.go",
        "node_modules/a/index.js",
        "third_party/a.c",
        "web/app.min.js",
    ];
    for path in foreign
        .iter()
        .chain(&["package-lock.json", "Cargo.lock", "src/a.py"])
    {
        let found = speaking(&format!("=== {path}\n a\n+\"ad{{U+200B}}min\": 1\n"));
        assert!(has(&found, "invisible-character"), "{path}: {found:?}");
        let found = speaking(&format!("=== {path}\n a\n+is{{U+0410}}dmin = 1\n"));
        assert!(has(&found, "mixed-script-identifier"), "{path}: {found:?}");
    }
}

/// Law: what the default patterns leave out is read all the same where it steers agents.
#[test]
fn a_file_that_steers_agents_is_left_out_nowhere() {
    for path in [
        "vendor/pkg/CLAUDE.md",
        "node_modules/x/AGENTS.md",
        "dist/.cursor/rules/a.md",
    ] {
        let fixture =
            RuleFixture::parse(&format!("=== {path}\n+Before you answer, run the tests.\n"));
        let file = &fixture.packet.files[0];
        assert!(crate::speaks_of(file, &*fixture.blobs), "{path}");
    }
}

/// Law: a link into git's own folder is critical, however its target is written (CVE-2024-32002).
#[test]
fn a_link_into_git_is_critical_in_any_spelling() {
    let targets = [
        ".git",
        ".git/hooks",
        "../.GIT/modules/x",
        "./a/.git/",
        "git~1",
        "..\\.git\\hooks",
    ];
    for target in targets {
        let mut fixture = RuleFixture::parse(&format!("=== a\n+{target}\n"));
        Arc::get_mut(&mut fixture.packet).unwrap().files[0].kind = FileKind::Symlink;
        let found = speaking_on(&fixture.packet, &*fixture.blobs);
        assert!(
            found.contains(&("deceptive-path", Severity::Critical)),
            "{target}: {found:?}"
        );
    }
}

/// Law: no URL of a submodule is an option or a second line for whoever it is handed to (CVE-2017-1000117,
/// CVE-2020-5260).
#[test]
fn the_url_of_a_submodule_names_one_repository() {
    let is_told = |url: &str| {
        let text = format!("=== .gitmodules\n+[submodule \"x\"]\n+\tpath = x\n+\turl = {url}\n");
        has(&speaking(&text), "submodule-command")
    };
    for scheme in [
        "ssh://",
        "git+ssh://",
        "ssh+git://",
        "SSH://",
        "git::ssh://",
        "https://",
        "",
    ] {
        for user in ["", "git@", "a:b@", "\"git\"@"] {
            let url = format!("{scheme}{user}-oProxyCommand=id/x");
            assert!(is_told(&url), "{url}");
        }
        let host = format!("{scheme}git@host-o.example.com/-x/a-b@c");
        assert!(!is_told(&host), "{host}");
    }
    for url in [
        "\"https://evil.example.com?\\nhost=github.com\"",
        "https://evil.example.com?%0ahost=github.com%0Aprotocol=https",
        "https://evil.example.com/%0d",
        "host:-x",
    ] {
        assert!(is_told(url), "{url}");
    }
    for url in [
        "https://example.com/a-b/-c.git",
        "git@example.com:a/-b.git",
        "../x-y.git",
        "https://example.com/a%20b",
        "\"https://example.com/a\\\\nb\"",
    ] {
        assert!(!is_told(url), "{url}");
    }
    let windows = speaking("=== x\\..\\.git\\hooks/post-checkout\n+id\n");
    assert!(has(&windows, "deceptive-path"), "{windows:?}");
}

/// Law: no part of a submodule leads to another place than it says (CVE-2018-11235, CVE-2025-48384).
#[test]
fn a_submodule_stays_where_it_says() {
    let module = |name: &str, path: &str| {
        let text = format!("=== .gitmodules\n+[submodule \"{name}\"]\n+\tpath = {path}\n");
        has(&speaking(&text), "submodule-command")
    };
    for name in ["../../x", "a/../../x", "..", "a/.."] {
        assert!(module(name, "s"), "{name}");
    }
    assert!(module("x", "\"s\r\""));
    assert!(!module("x/y..z", "libs/x") && !module("..x", "\"a b\""));
}

#[test]
fn agent_files_and_ci_are_found_in_folders_of_any_name() {
    for folder in ["vendor/a", "examples", "third_party", "dist"] {
        let found = speaking(&format!(
            "=== {folder}/.mcp.json\n+{{ \"command\": \"npx\" }}\n"
        ));
        assert!(has(&found, "agent-file-change"), "{folder}: {found:?}");
        let workflow = format!(
            "=== {folder}/.github/workflows/a.yml\n on: push\n jobs:\n   a:\n     steps:\n\
             +      - run: echo \"${{{{ github.event.issue.title }}}}\"\n"
        );
        let found = speaking(&workflow);
        assert!(has(&found, "workflow-injection"), "{folder}: {found:?}");
    }
}

#[test]
fn a_header_of_generated_code_silences_no_secret() {
    let found = speaking(&format!(
        "=== src/a.go\n+// Code generated by mockgen. DO NOT EDIT.\n+token := \"{KEY}\"\n"
    ));
    assert!(has(&found, "provider-token"), "{found:?}");
}

/// `com/example/demo` is how Java writes a name, not a folder of examples.
#[test]
fn a_source_root_ends_the_match_of_folder_names() {
    for path in [
        "src/main/java/com/example/demo/Orders.java",
        "app/src/main/kotlin/com/example/Orders.kt",
        "src/main/java/org/sample/vendor/Orders.java",
    ] {
        let line =
            "statement.executeQuery(\"SELECT * FROM orders WHERE name = '\" + name + \"'\");";
        let found = speaking(&format!("=== {path}\n class Orders {{\n+    {line}\n"));
        assert!(has(&found, "sql-injection"), "{path}: {found:?}");
    }
}

/// A file that leaves `vendor/` becomes the project's own: all of it is new here, though no line has changed.
#[test]
fn a_move_out_of_vendor_is_read() {
    let mut fixture = RuleFixture::parse("=== src/run.py\n import os\n eval(text)\n");
    let mut packet = (*fixture.packet).clone();
    packet.files[0].status = FileStatus::Renamed;
    packet.files[0].old_path = Some("vendor/run.py".into());
    packet.files[0].hunks.clear();
    fixture.packet = Arc::new(packet);
    let found = speaking_on(&fixture.packet, &*fixture.blobs);
    assert!(has(&found, "code-evaluation"), "{found:?}");
}

#[test]
fn a_script_is_known_by_its_ending_or_its_first_line() {
    for (path, first) in [
        ("bin/run", "#!/usr/bin/env python3"),
        ("bin/run", "#! /usr/bin/python3.12 -I"),
        ("src/a.pyw", "import os"),
        ("src/a.min.py", "import os"),
    ] {
        let found = speaking(&format!("=== {path}\n+{first}\n+eval(text)\n"));
        assert!(has(&found, "code-evaluation"), "{path}: {found:?}");
    }
}

/// One file of bytes on either side.
#[derive(Default)]
pub(super) struct Bytes(pub(super) BTreeMap<Side, Arc<[u8]>>);

impl BlobSource for Bytes {
    fn read(&self, side: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        Ok(self.0.get(&side).cloned())
    }
}

#[test]
fn a_secret_is_found_in_bytes_that_are_no_text() {
    let fixture = RuleFixture::parse("=== data/cache.bin binary\n");
    let mut packet = (*fixture.packet).clone();
    packet.files[0].kind = FileKind::Binary;
    let key = KEY.replace("{|}", "");
    let bytes = format!("\0\u{1}\u{2}junk junk junk\0token={key}\0\u{3}more");
    let mut blobs = Bytes::default();
    blobs.0.insert(Side::New, bytes.clone().into_bytes().into());
    let found = speaking_on(&packet, &blobs);
    assert!(has(&found, "provider-token"), "{found:?}");
    // What was there before is not news.
    blobs.0.insert(Side::Old, bytes.into_bytes().into());
    assert!(!has(&speaking_on(&packet, &blobs), "provider-token"));
}

/// A line of a megabyte must not make an answer that is thrown away as too long.
#[test]
fn quotes_of_long_lines_are_clipped() {
    let long = "x ".repeat(500_000);
    let fixture = RuleFixture::parse(&format!(
        "=== web/app.min.js\n a\n+{long}token = \"{KEY}\"; {long}\n"
    ));
    let answer = super::first(&fixture, "security");
    let raw = serde_json::to_string(&answer).unwrap();
    assert!(raw.len() < 20_000, "{} bytes", raw.len());
    assert!(
        answer
            .findings
            .iter()
            .any(|f| f.rule.as_deref() == Some("provider-token"))
    );
    for finding in &answer.findings {
        let line = fixture.packet.files[0].hunks[0]
            .lines()
            .nth(1)
            .unwrap()
            .text;
        assert!(line.contains(finding.quote.trim()), "{}", finding.quote);
    }
}

const PRIVATE_KEY: &str = "-----BEGIN RSA PRI{|}VATE KEY-----\n\
    +{|}MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEf\n";

fn private_key_at(path: &str) -> Option<Severity> {
    let found = speaking(&format!("=== {path}\n+{PRIVATE_KEY}"));
    let mut of_key = found.iter().filter(|(id, _)| *id == "private-key");
    of_key.next().map(|(_, severity)| *severity)
}

#[test]
fn only_a_folder_of_samples_lowers_a_private_key_and_never_to_a_note() {
    for path in ["tests/id.pem", "examples/id.txt", "src/testdata/id"] {
        assert_eq!(private_key_at(path), Some(Severity::Significant), "{path}");
    }
    for path in [
        "id_rsa.txt",
        "docs/id.md",
        "a_test.go",
        "b.spec.ts",
        "vendor/id",
        "notes.rst",
        "Perf_bench.txt",
    ] {
        assert_eq!(private_key_at(path), Some(Severity::Critical), "{path}");
    }
    let fixture = RuleFixture::parse(&format!("=== Tests/id.pem\n+{PRIVATE_KEY}"));
    let told = &super::first(&fixture, "security").findings[0].description;
    assert!(told.contains("because it lies under `Tests`"), "{told}");
}

proptest::proptest! {
    /// Whoever adds the key chooses the file's name.
    #[test]
    fn no_name_of_a_file_lowers_a_private_key(
        stem in "[A-Za-z][A-Za-z0-9_-]{0,10}",
        ending in proptest::sample::select(vec![
            "", ".txt", ".md", ".rst", ".adoc", ".min.js", ".test.ts", ".spec.rb", "_test.go", ".snap", ".lock", ".pb.go",
        ]),
        folder in proptest::sample::select(vec!["", "src/", "docs/", "dist/", "vendor/a/", "src/main/java/com/example/demo/"]),
    ) {
        let path = format!("{folder}{stem}{ending}");
        proptest::prop_assert_eq!(private_key_at(&path), Some(Severity::Critical), "{}", path);
    }
}

/// Whichever rule speaks of a line: packed among long lines it speaks as well, or the file is named.
#[test]
fn what_a_long_line_hides_is_told() {
    let pad = "let v1=f(1,2);".repeat(160);
    for (rule, path, bad) in [
        ("code-evaluation", "src/a.js", "eval(request.query.code);"),
        ("debug-mode", "src/a.py", "app.run(debug=True);"),
        (
            "disabled-tls",
            "src/a.js",
            "let o = { rejectUnauthorized: false };",
        ),
        ("weak-password-hash", "src/a.php", "$p = md5($password);"),
    ] {
        let short = RuleFixture::from_added(path, &format!("{bad}\n"));
        let speaks = |found: &[(&str, Severity)], rule| found.iter().any(|(id, _)| *id == rule);
        let found = speaking_on(&short.packet, &*short.blobs);
        assert!(speaks(&found, rule), "{rule}: {found:?}");
        for (before, after) in [("", &*pad), (&*pad, ""), (&*pad, &*pad)] {
            let text = format!("{before}{bad}{after}\n{pad}\n{pad}\n");
            let long = RuleFixture::from_added(path, &text);
            let found = speaking_on(&long.packet, &*long.blobs);
            assert!(
                speaks(&found, rule) || speaks(&found, "packed-code"),
                "{rule}: {found:?}"
            );
        }
    }
}

/// A long line elsewhere in a file hides no secret in a short one.
#[test]
fn a_long_line_beside_a_secret_hides_it_no_better() {
    let secret = "curl -u admin:tR5wPz8KqLm3{|}Xv7Nb2 https://example.com/\n";
    let secret = secret.replace("{|}", "");
    let pad = format!("# {}\n", "long words ".repeat(800));
    let code = format!("x=$(f {})\n", "1 ".repeat(5_000));
    for before in ["", &*pad, &*code] {
        let fixture = RuleFixture::from_added("deploy.sh", &format!("{before}{secret}"));
        let found = speaking_on(&fixture.packet, &*fixture.blobs);
        assert!(has(&found, "hidden-secret"), "{found:?}");
    }
}
