//! Excuses in place count only where they stood before the change.

use super::*;

#[test]
fn an_excuse_counts_only_where_it_stood_before() {
    let unwraps = |text: &str| {
        let answer = asked_for(&RuleFixture::parse(text), "new-unwrap");
        answer
            .findings
            .iter()
            .map(|f| f.location.line)
            .collect::<Vec<_>>()
    };
    let above = " fn a() {\n     // council: allow(new-unwrap) the caller checks\n-    a.unwrap();\n+    b.unwrap();\n";
    assert!(unwraps(&format!("=== src/a.rs\n{above}")).is_empty());
    let added =
        " fn a() {\n+    // council: allow(new-unwrap) the caller checks\n+    b.unwrap();\n";
    assert_eq!(unwraps(&format!("=== src/a.rs\n{added}")), [3]);
    let no_reason = " fn a() {\n     // council: allow(new-unwrap)\n+    b.unwrap();\n";
    assert_eq!(unwraps(&format!("=== src/a.rs\n{no_reason}")), [3]);
    let other_rule =
        " fn a() {\n     // council: allow(new-panic) the caller checks\n+    b.unwrap();\n";
    assert_eq!(unwraps(&format!("=== src/a.rs\n{other_rule}")), [3]);
}

#[test]
fn an_edited_line_keeps_its_excuse_and_cannot_multiply_it() {
    let excuse = "// council: allow(new-unwrap) never empty";
    let text = format!(
        "=== src/a.rs\n fn a() {{\n-    a.unwrap(); {excuse}\n+    b.unwrap(); {excuse}\n+    c.unwrap(); {excuse}\n }}\n"
    );
    let answer = asked_for(&RuleFixture::parse(&text), "new-unwrap");
    assert_eq!(
        answer
            .findings
            .iter()
            .map(|f| f.location.line)
            .collect::<Vec<_>>(),
        [3]
    );
}

/// Whoever excused one token has said nothing of the next one.
#[test]
fn an_excuse_of_a_secret_is_for_the_text_that_it_stood_beside() {
    let token = ["gh", "p_NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaUnA"].concat();
    let lines = |changed: &str| {
        let excuse = " # council: allow(provider-token) a token of our tests\n";
        let fixture = RuleFixture::parse(&format!("=== a.py\n{excuse}{changed}"));
        let answer = asked_for(&fixture, "provider-token");
        let lines = answer.findings.iter().map(|f| f.location.line);
        lines.collect::<Vec<_>>()
    };
    assert_eq!(lines(&format!("-t = \"\"\n+t = \"{token}\"\n")), [2]);
    // The same text with another indent is the text that was excused.
    assert!(lines(&format!("-t = \"{token}\"\n+  t = \"{token}\"\n")).is_empty());
}

/// What is silenced is told, so that nobody takes silence for a clean change.
#[test]
fn an_excused_finding_is_listed() {
    let listed = |text: &str| {
        let fixture = RuleFixture::parse(text);
        let settings = RuleSettings::default();
        crate::excused_findings(&fixture.packet, &*fixture.blobs, &settings)
    };
    let kept = " def run(text):\n     # council: allow(code-evaluation) our own text\n-    show(text)\n+    eval(text)\n";
    let found = listed(&format!("=== src/a.py\n{kept}"));
    let [excused] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (excused.rule, excused.place.as_str()),
        ("code-evaluation", "src/a.py:3")
    );
    assert!(excused.severity > Severity::Minor);
    // One that the change brings excuses nothing, and is a finding itself.
    let added =
        " def run(text):\n+    # council: allow(code-evaluation) our own text\n+    eval(text)\n";
    assert_eq!(listed(&format!("=== src/a.py\n{added}")), []);
}
