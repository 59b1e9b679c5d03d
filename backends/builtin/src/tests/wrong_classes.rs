//! Code on which a rule once spoke and should not have: one test for each class of such code, made from the commit of
//! a public repository in which it was met.

use council_protocol::Severity;
use council_protocol::seat::RuleSettings;

use super::first;
use crate::applicable::ActiveRules;
use crate::fixture::RuleFixture;
use crate::scan::scan_change;
use crate::view::ChangeView;

/// The rules that speak on a change, those too that run only when they are asked for.
fn speaking(text: &str) -> Vec<&'static str> {
    let fixture = RuleFixture::parse(text);
    let change = ChangeView::new(&fixture.packet, &*fixture.blobs);
    let rules = ActiveRules::all(&RuleSettings::default());
    let found = scan_change(&change, &rules);
    found.iter().map(|f| f.rule.info.id).collect()
}

/// What is told of one rule: the severity of each finding and its words.
pub(super) fn told(rule: &str, text: &str) -> Vec<(Severity, String)> {
    let findings = first(&RuleFixture::parse(text), "").findings;
    let mut own = findings;
    own.retain(|f| f.rule.as_deref() == Some(rule));
    own.into_iter()
        .map(|f| (f.severity, f.description))
        .collect()
}

#[track_caller]
pub(super) fn assert_note(rule: &str, text: &str) {
    let told = told(rule, text);
    let levels: Vec<Severity> = told.iter().map(|(severity, _)| *severity).collect();
    assert_eq!(levels, [Severity::Minor], "{told:?}\n{text}");
}

#[track_caller]
pub(super) fn assert_warns(rule: &str, text: &str) {
    let told = told(rule, text);
    let warns = told.iter().any(|(severity, _)| *severity > Severity::Minor);
    assert!(warns, "{rule} does not warn: {told:?}\n{text}");
}

#[track_caller]
pub(super) fn assert_silent(rule: &str, text: &str) {
    let ids = speaking(text);
    assert!(!ids.contains(&rule), "{rule} speaks: {ids:?}\n{text}");
}

#[track_caller]
pub(super) fn assert_speaks(rule: &str, text: &str) {
    let ids = speaking(text);
    assert!(ids.contains(&rule), "{rule} is silent: {ids:?}\n{text}");
}

#[test]
fn assignment_in_condition_knows_a_comparison_without_spaces() {
    assert_silent(
        "assignment-in-condition",
        "=== src/a.c\n int f(int x) {\n+    if (x>=8) {\n",
    );
    assert_silent(
        "assignment-in-condition",
        "=== src/a.js\n f();\n+if (a.length<=3 && b) {\n",
    );
    assert_speaks(
        "assignment-in-condition",
        "=== src/a.c\n int f(int x) {\n+    if (p->x = 8) {\n",
    );
}

#[test]
fn unsafe_deserialization_knows_the_loader_of_ruamel() {
    assert_silent(
        "unsafe-deserialization",
        "=== src/a.py\n from ruamel.yaml import YAML\n yaml = YAML(typ=\"safe\")\n+data = yaml.load(text)\n",
    );
    assert_speaks(
        "unsafe-deserialization",
        "=== src/a.py\n import yaml\n+data = yaml.load(text)\n",
    );
}

#[test]
fn unsafe_deserialization_knows_a_list_of_allowed_classes() {
    assert_silent(
        "unsafe-deserialization",
        "=== src/a.php\n <?php\n+$x = unserialize($text, ['allowed_classes' => [A::class]]);\n",
    );
}

#[test]
fn sql_injection_knows_quoted_identifiers() {
    for line in [
        "cursor.execute(f'DELETE FROM \"{table}\" WHERE id = ?', (id,))",
        "cursor.execute(f\"SELECT * FROM `{table}` WHERE id = %s\", (id,))",
    ] {
        assert_silent(
            "sql-injection",
            &format!("=== src/a.py\n def f():\n+    {line}\n"),
        );
    }
    assert_speaks(
        "sql-injection",
        "=== src/a.py\n def f():\n+    cursor.execute(f\"SELECT * FROM `{table}` WHERE id = {id}\")\n",
    );
}

#[test]
fn disabled_tls_knows_a_switch_that_the_caller_asked_for() {
    for text in [
        "=== src/a.py\n def f(verify):\n+    if not verify:\n+        context.verify_mode = ssl.CERT_NONE\n",
        "=== src/a.py\n def f(insecure):\n+    if insecure:\n+        context.check_hostname = False\n\
         +        context.verify_mode = ssl.CERT_NONE\n",
        "=== src/a.go\n func f() {\n+\tif flagInsecure {\n+\t\tht.TLS.InsecureSkipVerify = true\n+\t}\n",
    ] {
        assert_silent("disabled-tls", text);
    }
    assert_speaks(
        "disabled-tls",
        "=== src/a.py\n def f(x):\n+    context.verify_mode = ssl.CERT_NONE\n",
    );
}

#[test]
fn new_panic_knows_constant_functions_and_debug_assertions() {
    for text in [
        "=== src/a.rs\n+pub const fn checked(n: usize) -> usize {\n+    if n == 0 {\n+        panic!(\"zero\");\n+    }\n+    n\n+}\n",
        "=== src/a.rs\n fn f(n: usize) {\n+    if cfg!(debug_assertions) {\n+        panic!(\"zero\");\n+    }\n }\n",
        "=== src/a.rs\n fn f(n: usize) {\n+    #[cfg(debug_assertions)]\n+    panic!(\"zero\");\n }\n",
    ] {
        assert_silent("new-panic", text);
    }
    assert_speaks(
        "new-panic",
        "=== src/a.rs\n fn f(n: usize) {\n+    panic!(\"zero\");\n }\n",
    );
}

#[test]
fn blanket_suppression_knows_a_mark_that_stood_there_before() {
    assert_silent(
        "blanket-suppression",
        "=== src/a.py\n import os\n-from .b import one  # noqa\n+from .b import one, two  # noqa\n",
    );
    assert_speaks(
        "blanket-suppression",
        "=== src/a.py\n import os\n+from .b import one  # noqa\n",
    );
}

#[test]
fn except_pass_knows_a_handler_that_only_got_a_comment() {
    assert_silent(
        "except-pass",
        "=== src/a.py\n try:\n     f()\n-except Exception:\n+except Exception:  # pylint: disable=broad-except\n     pass\n",
    );
}

#[test]
fn empty_catch_knows_a_handler_that_is_named_for_doing_nothing() {
    assert_silent(
        "empty-catch",
        "=== src/a.js\n f();\n+reader.cancel().catch(noop);\n",
    );
}

#[test]
fn world_writable_knows_a_mask() {
    assert_silent(
        "world-writable",
        "=== src/a.php\n <?php\n+chmod($path, 0777 - umask());\n",
    );
    assert_silent(
        "world-writable",
        "=== src/a.php\n <?php\n+chmod($path, 0666 & ~umask());\n",
    );
}

#[test]
fn weak_password_hash_knows_minified_code() {
    let long = "x".repeat(20_000);
    assert_silent(
        "weak-password-hash",
        &format!("=== src/theme/highlight.js\n+var a=\"{long}\";password=md5(password);\n"),
    );
}

#[test]
fn bidi_control_knows_characters_that_were_there_before() {
    assert_silent(
        "bidi-control",
        "=== src/a.js\n f();\n-let index = { n: 1, text: \"a{U+202E}b\" };\n+let index = { n: 2, text: \"a{U+202E}b\" };\n",
    );
    assert_speaks(
        "bidi-control",
        "=== src/a.js\n f();\n+let text = \"a{U+202E}b\";\n",
    );
}

#[test]
fn unsafe_deserialization_knows_the_declaration_of_a_function() {
    assert_silent(
        "unsafe-deserialization",
        "=== src/a.php\n <?php\n+    protected function unserialize($value)\n",
    );
}

#[test]
fn blanket_suppression_knows_code_that_a_macro_writes() {
    assert_silent(
        "blanket-suppression",
        "=== src/a.rs\n fn f() {\n     quote! {\n+        #[allow(warnings)]\n         fn g() {}\n",
    );
}

#[test]
fn credential_assignment_knows_documentation() {
    assert_silent(
        "credential-assignment",
        "=== docs/sqs.rst\n Use\n+    aws_secret_key = quote(\"{|}7X9vQp2Lm{|}Tr8BsYc4Zk3\")\n",
    );
}

#[test]
fn duplicated_block_knows_what_a_generator_wrote() {
    let block: String = (0..24)
        .map(|n| format!("+  total_{n} = compute_value(total, {n});\n"))
        .collect();
    let text = format!(
        "=== src/parser.c\n+/* A Bison parser, made by GNU Bison 3.8.2. */\n{block}\n=== src/parser.h\n+/* A Bison parser, made by GNU Bison 3.8.2. */\n{block}"
    );
    assert_silent("duplicated-block", &text);
}

#[test]
fn mixed_script_identifier_knows_text_behind_a_here_document_of_php() {
    assert_silent(
        "mixed-script-identifier",
        "=== src/a.php\n <?php\n $x = f(<<<'VALUE'\n it's\n VALUE);\n+$y = ['{U+0411}X'];\n",
    );
}

#[test]
fn undocumented_unsafe_knows_a_file_that_never_gives_its_reasons() {
    let text = |reason: &str| {
        format!(
            "=== src/a.rs\n fn f() {{\n     {reason}\n     unsafe {{ g() }};\n     x();\n     x();\n     x();\n     x();\n     x();\n+    unsafe {{ h() }};\n }}\n"
        )
    };
    assert_silent("undocumented-unsafe", &text("y();"));
    assert_speaks(
        "undocumented-unsafe",
        &text("// SAFETY: g asks for nothing."),
    );
}

#[test]
fn self_comparison_knows_a_test_of_membership() {
    assert_silent(
        "self-comparison",
        "=== src/a.py\n def f():\n+    if url.scheme and url.scheme not in (\"http\", \"https\"):\n+    if key and key in table:\n",
    );
}

#[test]
fn disabled_tls_knows_a_choice_and_a_check_of_its_own() {
    assert_silent(
        "disabled-tls",
        "=== src/a.c\n void f(void) {\n+    SSL_CTX_set_verify(c, config.skip_verify ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);\n",
    );
    assert_silent(
        "disabled-tls",
        "=== src/a.go\n func f() {\n+\tcfg := &tls.Config{\n+\t\tInsecureSkipVerify: true,\n+\t\tVerifyPeerCertificate: check,\n",
    );
}

#[test]
fn empty_catch_knows_a_name_that_says_ignored_before_its_type() {
    assert_silent(
        "empty-catch",
        "=== src/a.kt\n fun f() {\n+    } catch (ignored: IOException) {\n+    }\n",
    );
}

#[test]
fn unfinished_code_knows_a_macro_that_is_only_shown() {
    assert_silent(
        "unfinished-code",
        "=== src/a.rs\n #[cfg(doc)]\n macro_rules! join {\n+    ($($future:expr),*) => { unimplemented!() }\n }\n",
    );
}

#[test]
fn empty_catch_takes_one_named_kind_of_failure_for_a_note() {
    let fixture =
        RuleFixture::parse("=== src/a.java\n class A {\n+    } catch (FailedBefore e) {\n+    }\n");
    let change = ChangeView::new(&fixture.packet, &*fixture.blobs);
    let found = scan_change(&change, &ActiveRules::all(&RuleSettings::default()));
    let levels: Vec<_> = found.iter().map(|f| f.severity).collect();
    assert_eq!(levels, [Severity::Minor]);
}

#[test]
fn emptied_handler_knows_a_default_that_moves() {
    assert_silent(
        "emptied-handler",
        "=== src/a.py\n try:\n     x = f()\n except AttributeError:\n-    x = []\n+    pass\n g()\n",
    );
}
