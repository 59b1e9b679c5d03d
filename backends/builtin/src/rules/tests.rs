//! Holds rules, fixtures and document together: what is in one is in all, and each rule speaks where its fixture says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use council_protocol::seat::RuleSettings;
use council_protocol::{Finding, Severity, Side};

use super::RULES;
use crate::applicable::ActiveRules;
use crate::document::rules_page;
use crate::fixture::RuleFixture;
use crate::perspective::PERSPECTIVES;
use crate::review::{ReviewedRules, format_place, to_finding};
use crate::rule::BuiltinRule;
use crate::scan::{FoundHit, scan_change, scan_file, scan_whole};
use crate::view::ChangeView;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    entries.map(|name| name.into_string().unwrap()).collect()
}

fn fixture(rule: &BuiltinRule, name: &str) -> RuleFixture {
    let path = folder("fixtures").join(rule.info.id).join(name);
    RuleFixture::parse(
        &fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
    )
}

/// What all rules say of a fixture.
fn findings(fixture: &RuleFixture) -> Vec<Finding> {
    let change = ChangeView::new(&fixture.packet, &*fixture.blobs);
    let bench = ActiveRules::all(&RuleSettings::default());
    scan_change(&change, &bench)
        .iter()
        .map(|found| to_finding(&change, found))
        .collect()
}

#[test]
fn a_judge_says_of_the_shared_look_what_it_would_have_found_alone() {
    let settings = RuleSettings::default();
    let perspectives = PERSPECTIVES.iter().map(|p| p.name).chain([""]);
    for (rule, perspective) in RULES.iter().flat_map(|rule| {
        let each = perspectives.clone();
        each.map(move |perspective| (rule, perspective))
    }) {
        let RuleFixture { packet, blobs, .. } = fixture(rule, "bad.txt");
        let bench = ActiveRules::new(perspective, &settings);
        let alone = ReviewedRules::with_bench(&packet, &*blobs, &bench);
        let shared = ReviewedRules::of_change(&packet, &*blobs, &settings);
        let [alone, shared] = [alone, shared].map(|all| all.take_position(perspective, &bench));
        assert_eq!(alone, shared, "{perspective} on {}", rule.info.id);
    }
}

#[test]
fn several_processors_find_what_one_finds() {
    let text =
        "import os\n\ndef f(name):\n    os.system(\"rm \" + name)\n    password = \"\" # TODO\n"
            .repeat(60);
    let files: String = (0..40)
        .map(|number| {
            let lines = text.lines().map(|line| format!("+{line}\n"));
            format!("=== src/f{number}.py\n{}", lines.collect::<String>())
        })
        .collect();
    let fixture = RuleFixture::parse(&files);
    let change = ChangeView::new(&fixture.packet, &*fixture.blobs);
    let bench = ActiveRules::all(&RuleSettings::default());
    let key = |f: &FoundHit| (f.hit.file, f.hit.line, f.rule.info.id, f.hit.quote.clone());
    let several: Vec<_> = scan_change(&change, &bench).iter().map(key).collect();
    let mut one: Vec<_> = scan_whole(&change, &bench).iter().map(key).collect();
    for file in &change.files {
        one.extend(scan_file(&change, file, &bench).iter().map(key));
    }
    one.sort();
    assert!(several.len() > 1_000 && change.line_count() > 8_000);
    assert!(several.is_sorted_by_key(|(file, line, rule, _)| (*file, *line, *rule)));
    let mut sorted = several;
    sorted.sort();
    assert_eq!(sorted, one);
}

/// Where one rule speaks.
fn places(id: &str, fixture: &RuleFixture) -> Vec<(String, u32)> {
    let findings = findings(fixture)
        .into_iter()
        .filter(|f| f.rule.as_deref() == Some(id));
    findings
        .map(|f| (f.location.path.display().into_owned(), f.location.line))
        .collect()
}

#[test]
fn the_registry_the_files_and_the_fixtures_are_the_same_list() {
    let ids: BTreeSet<String> = RULES.iter().map(|rule| rule.info.id.to_owned()).collect();
    assert_eq!(ids.len(), RULES.len(), "two rules of one id");
    let mut files = names(&folder("src/rules"));
    assert!(files.remove("mod.rs") && files.remove("tests.rs"));
    let files: BTreeSet<String> = files
        .iter()
        .map(|name| name.strip_suffix(".rs").unwrap().replace('_', "-"))
        .collect();
    assert_eq!(
        ids, files,
        "a rule without its file, or a file without its line in the registry"
    );
    assert_eq!(
        ids,
        names(&folder("fixtures")),
        "a rule without its fixture, or a fixture without its rule"
    );
}

#[test]
fn every_rule_speaks_exactly_where_its_fixture_says() {
    let wrong = RULES.iter().filter_map(|rule| {
        let fixture = fixture(rule, "bad.txt");
        let mut expected = fixture.expected.clone();
        expected.sort();
        let found = places(rule.info.id, &fixture);
        (expected.is_empty() || found != expected).then_some((rule.info.id, found, expected))
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "found and expected differ: {wrong:#?}");
}

#[test]
fn nothing_is_found_in_the_good_fixtures() {
    let wrong = RULES.iter().flat_map(|rule| {
        let fixture = fixture(rule, "good.txt");
        assert!(
            fixture.expected.is_empty() && !fixture.packet.files.is_empty(),
            "{}",
            rule.info.id
        );
        let found = findings(&fixture).into_iter();
        found
            .map(|f| (rule.info.id, f.rule.clone(), format_place(&f), f.quote))
            .collect::<Vec<_>>()
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "fixture, rule, place: {wrong:#?}");
}

#[test]
fn every_quote_stands_where_its_finding_says() {
    for rule in RULES {
        let fixture = fixture(rule, "bad.txt");
        for finding in findings(&fixture).iter().filter(|f| f.location.line > 0) {
            let file = fixture
                .packet
                .files
                .iter()
                .find(|f| f.path == finding.location.path)
                .unwrap();
            let read =
                council_protocol::BlobSource::read(&*fixture.blobs, Side::New, &file.path).unwrap();
            let Some(bytes) = read else { continue };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // What holds a secret is quoted as everybody is shown it.
            let shown = crate::secret::without_secrets(&file.path.display(), &text);
            let line = finding.location.line;
            let mut proofs = [text, shown]
                .map(|text| council_protocol::prove_quote(&text, line, &finding.quote))
                .into_iter();
            let proof = proofs.find(council_protocol::Proof::resolves).unwrap();
            assert_eq!(proof, council_protocol::Proof::Verified, "{finding:#?}");
        }
    }
}

#[test]
fn no_finding_shows_a_secret() {
    for rule in RULES.iter().filter(|rule| rule.info.category == "secrets") {
        let fixture = fixture(rule, "bad.txt");
        let shown = serde_json::to_string(&findings(&fixture)).unwrap();
        let text =
            fs::read_to_string(folder("fixtures").join(rule.info.id).join("bad.txt")).unwrap();
        assert!(
            text.contains("{|}"),
            "{}: the fixture marks no secret",
            rule.info.id
        );
        for secret in text.lines().flat_map(|line| line.split("{|}").skip(1)) {
            let secret: String = secret
                .chars()
                .take_while(|c| c.is_alphanumeric())
                .take(12)
                .collect();
            assert!(
                secret.len() < 8 || !shown.contains(&secret),
                "{}: {secret} in {shown}",
                rule.info.id
            );
        }
    }
}

#[test]
fn every_example_shows_what_it_should() {
    let mut wrong = Vec::new();
    for rule in RULES {
        for example in rule.info.examples {
            let speaks = |text| {
                !places(rule.info.id, &RuleFixture::from_added(example.path, text)).is_empty()
            };
            if (speaks(example.bad), speaks(example.good)) != (true, false) {
                wrong.push((rule.info.id, example.path));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "silent on the bad example, or not on the good one: {wrong:?}"
    );
}

#[test]
fn every_rule_says_what_it_is() {
    for info in RULES.iter().map(|rule| &rule.info) {
        let id = info.id;
        assert!(
            id.bytes().all(|b| b == b'-' || b.is_ascii_lowercase()),
            "{id}"
        );
        assert!(
            PERSPECTIVES.iter().any(|p| p.name == info.perspective),
            "{id}"
        );
        assert!(
            !info.summary.ends_with('.') && !info.summary.is_empty(),
            "{id}"
        );
        for text in [info.reason(), &info.whole_why(), info.fix] {
            assert!(text.ends_with('.') && !text.contains("  "), "{id}: {text}");
        }
        // Whoever reads a finding learns what is wrong, and not how the rule weighs other cases.
        for weighed in [
            "is a note",
            "only significant",
            "The rule ",
            "a warning only",
        ] {
            let reason = info.reason().replace("where this is a note", "");
            assert!(!reason.contains(weighed), "{id}: {reason}");
        }
    }
    let ids: Vec<_> = RULES.iter().map(|rule| rule.info.id).collect();
    assert!(ids.is_sorted(), "the registry is alphabetical");
}

#[test]
fn every_perspective_has_rules() {
    for perspective in &PERSPECTIVES {
        assert!(
            ActiveRules::new(perspective.name, &RuleSettings::default()).len() >= 3,
            "{}",
            perspective.name
        );
    }
}

/// `UPDATE_RULES_DOC=1 cargo test -p council-builtin document` writes the page anew.
#[test]
fn the_document_is_what_the_rules_say() {
    let path = folder("../../docs/rules.md");
    let page = rules_page();
    if env::var_os("UPDATE_RULES_DOC").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/rules.md is not what the rules say: UPDATE_RULES_DOC=1 writes it anew"
    );
}

#[test]
fn every_token_that_the_table_reports_is_reported_and_not_shown() {
    let reported: BTreeSet<&str> = council_secrets::SecretTable::built_in()
        .reported_rules()
        .map(|(kind, _)| kind)
        .collect();
    let mut seen = BTreeSet::new();
    for sample in council_secrets::samples::sample_secrets() {
        let fixture = RuleFixture::parse(&format!("=== src/a.rs\n+{}\n", sample.line));
        let findings = findings(&fixture);
        let found = findings
            .iter()
            .find(|f| f.rule.as_deref() == Some("provider-token"));
        if let Some(found) = found {
            assert!(!found.quote.contains(&sample.secret), "{sample:?}");
            seen.insert(sample.kind);
        }
    }
    let missed: Vec<_> = reported
        .iter()
        .filter(|kind| !seen.contains(**kind))
        .collect();
    assert!(missed.is_empty(), "{missed:?}");
}

/// Tests that go and nothing else warn as loudly as those that go with a change of code.
#[test]
fn tests_that_go_alone_are_a_warning_and_tidying_is_a_note() {
    let severity = |text: &str| {
        let found = findings(&RuleFixture::parse(text));
        let mut found = found.iter();
        found
            .find(|f| f.rule.as_deref() == Some("deleted-test"))
            .map(|f| f.severity)
    };
    let part = "=== tests/test_a.py\n import a\n-def test_one():\n-    assert a(1)\n-\n def test_two():\n     pass\n";
    let whole = "=== tests/test_a.py deleted\n-def test_one():\n-    assert a(1)\n-\n-def test_two():\n-    assert a(2)\n-    assert a(3)\n-    assert a(4)\n";
    let tidied = "=== tests/test_b.py\n import b\n+SEED = 1\n";
    let code = "=== src/b.py\n def b(x):\n-    return x\n+    return x + 1\n";
    for gone in [part, whole] {
        let cases = [
            ("", Severity::Significant),
            (tidied, Severity::Minor),
            (code, Severity::Significant),
        ];
        for (more, expected) in cases {
            assert_eq!(
                severity(&format!("{gone}{more}")),
                Some(expected),
                "{gone}{more}"
            );
        }
    }
}
