//! Code on which a rule once spoke and should not have: one test for each class of such code, made from the commit of
//! a public repository in which it was met.

use council_protocol::seat::RuleSettings;

use crate::fixture::RuleFixture;
use crate::scan::{ActiveRules, scan_change};
use crate::view::ChangeView;

/// The rules that speak on a change, those too that run only when they are asked for.
fn speaking(text: &str) -> Vec<&'static str> {
    let fixture = RuleFixture::parse(text);
    let change = ChangeView::new(&fixture.packet, &*fixture.blobs);
    let rules = ActiveRules::all(&RuleSettings::default());
    let found = scan_change(&change, &rules);
    found.iter().map(|f| f.rule.info.id).collect()
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
fn deleted_test_knows_tests_that_come_back_elsewhere_under_other_names() {
    assert_silent(
        "deleted-test",
        "=== tests/test_old.py\n import a\n-def test_one():\n-    assert a(1)\n\n\
         === tests/unit/test_new.py\n+def test_adds_one():\n+    assert a(1)\n\n\
         === src/a.py\n def a(x):\n-    return x\n+    return x + 1\n",
    );
}

#[test]
fn deleted_test_knows_a_removal_that_the_changelog_announces() {
    assert_silent(
        "deleted-test",
        "=== CHANGELOG.md\n # Changes\n+- Removed support for the old protocol.\n\n\
         === tests/test_a.py\n import a\n-def test_one():\n-    assert a(1)\n def test_two():\n     pass\n\n\
         === src/a.py\n def a(x):\n-    return x\n+    return x + 1\n",
    );
}

#[test]
fn deleted_test_knows_a_revert() {
    assert_silent(
        "deleted-test",
        "=== tests/test_a.py\n import a\n-def test_one():\n-    assert a(1)\n def test_two():\n     pass\n\n\
         === src/a.py\n def a(x):\n-    if x is None:\n-        return 0\n     return x\n",
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

/// So many new lines of code.
fn code(lines: usize) -> String {
    (0..lines)
        .map(|n| format!("+    total += compute_{n}(value);\n"))
        .collect()
}

#[test]
fn code_without_test_knows_deletions_in_tests() {
    let text = format!(
        "=== src/a.c\n int f(int value) {{\n{}\n=== tests/a.c\n void g(void) {{\n-    check_old();\n }}\n",
        code(40)
    );
    assert_silent("code-without-test", &text);
}

#[test]
fn code_without_test_knows_tests_inside_a_c_file() {
    let text = format!(
        "=== src/a.c\n int f(int value) {{\n{}+#ifdef REDIS_TEST\n+int aTest(int argc) {{\n+    assert(f(1) == 2);\n+}}\n+#endif\n",
        code(40)
    );
    assert_silent("code-without-test", &text);
}

#[test]
fn code_without_test_knows_benchmarks_and_vendored_code() {
    for path in [
        "metrics/src/main/java/com/acme/metrics/ReadBenchmark.java",
        "deps/lua/src/lapi.c",
        "src/decNumber/vendor/decNumber.c",
    ] {
        let text = format!("=== {path}\n int f(int value) {{\n{}", code(40));
        assert_silent("code-without-test", &text);
    }
}

#[test]
fn code_without_test_knows_what_a_generator_wrote() {
    let text = format!(
        "=== src/parser.c\n+/* A Bison parser, made by GNU Bison 3.8.2. */\n{}",
        code(40)
    );
    assert_silent("code-without-test", &text);
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
fn unpinned_action_knows_actions_that_must_be_used_by_tag() {
    let pinned = "      - uses: acme/pinned@0123456789012345678901234567890123456789\n";
    let uses = |action: &str| {
        format!(
            "=== .github/workflows/a.yml\n on: push\n jobs:\n   a:\n     steps:\n {pinned}+      - uses: {action}\n"
        )
    };
    assert_silent(
        "unpinned-action",
        &uses("slsa-framework/slsa-github-generator/.github/workflows/generic.yml@v2.0.0"),
    );
    assert_speaks("unpinned-action", &uses("acme/other@v2"));
}

#[test]
fn unpinned_action_knows_a_repository_that_uses_tags() {
    assert_silent(
        "unpinned-action",
        "=== .github/workflows/a.yml\n on: push\n jobs:\n   a:\n     steps:\n+      - uses: acme/other@v2\n",
    );
    assert_speaks(
        "unpinned-action",
        "=== .github/workflows/a.yml\n on: push\n jobs:\n   a:\n     steps:\n+      - uses: acme/other@main\n",
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
fn workflow_permissions_knows_a_right_of_one_job() {
    for scope in ["id-token", "contents", "security-events"] {
        assert_silent(
            "workflow-permissions",
            &format!(
                "=== .github/workflows/a.yml\n on: push\n jobs:\n   a:\n+    permissions:\n+      {scope}: write\n     steps:\n"
            ),
        );
    }
}

#[test]
fn workflow_permissions_knows_that_a_list_narrows_the_default() {
    assert_silent(
        "workflow-permissions",
        "=== .github/workflows/a.yml\n on: push\n+permissions:\n+  contents: write\n jobs:\n   a:\n     steps:\n",
    );
}

#[test]
fn shell_injection_knows_release_scripts() {
    for path in [
        "scripts/release.py",
        "build/package.py",
        ".ci/publish.py",
        "tools/bump.py",
    ] {
        assert_silent(
            "shell-injection",
            &format!("=== {path}\n def f(version):\n+    os.system(f\"git tag v{{version}}\")\n"),
        );
    }
    assert_speaks(
        "shell-injection",
        "=== src/app.py\n def f(name):\n+    os.system(f\"rm -rf {name}\")\n",
    );
}

#[test]
fn vacuous_assertion_knows_an_assertion_that_counts_or_marks_the_way() {
    for text in [
        "=== test/a.test.js\n test('a', (t) => {\n+  t.assert.ok(true, 'reached')\n })\n",
        "=== tests/ATest.php\n <?php\n+        $this->assertTrue(true);\n",
    ] {
        assert_silent("vacuous-assertion", text);
    }
    assert_speaks(
        "vacuous-assertion",
        "=== tests/test_a.py\n def test_a():\n+    assert True\n",
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
fn insecure_source_knows_that_packages_of_a_distribution_are_signed() {
    assert_silent(
        "insecure-source",
        "=== Dockerfile\n FROM debian\n+RUN echo \"deb http://deb.debian.org/debian bookworm main\" > /etc/apt/sources.list\n",
    );
}

#[test]
fn gitattributes_change_knows_what_only_counts_languages() {
    assert_silent(
        "gitattributes-change",
        "=== .gitattributes\n * text=auto\n+src/third/** linguist-vendored\n",
    );
    assert_speaks(
        "gitattributes-change",
        "=== .gitattributes\n * text=auto\n+src/** linguist-generated\n",
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
fn skipped_test_knows_a_test_that_never_ran() {
    assert_silent(
        "skipped-test",
        "=== src/test/java/ATest.java\n class ATest {\n-  public void disabled_testOne() {\n+  @Ignore\n+  @Test\n+  public void testOne() {\n   }\n }\n",
    );
    assert_speaks(
        "skipped-test",
        "=== src/test/java/ATest.java\n class ATest {\n+  @Ignore\n   @Test\n   public void testOne() {\n   }\n }\n",
    );
}

#[test]
fn lockfile_without_manifest_knows_that_go_sum_follows_the_code() {
    assert_silent(
        "lockfile-without-manifest",
        "=== go.sum\n a v1 h1:x\n+b v1 h1:y\n\n=== main.go\n package main\n+func f() {}\n",
    );
}

#[test]
fn hook_change_knows_the_usual_hooks_of_pre_commit() {
    assert_silent(
        "hook-change",
        "=== .pre-commit-config.yaml\n repos:\n+  - repo: https://github.com/pre-commit/mirrors-prettier\n",
    );
    assert_speaks(
        "hook-change",
        "=== .pre-commit-config.yaml\n repos:\n+  - repo: https://github.com/stranger/hooks\n",
    );
}

#[test]
fn vacuous_assertion_knows_a_test_of_equality() {
    assert_silent(
        "vacuous-assertion",
        "=== src/test/java/ATest.java\n class ATest {\n+  @Test\n+  void testEquals() {\n+    assertEquals(range, range);\n+  }\n }\n",
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
fn shell_injection_knows_a_method_of_the_same_name() {
    assert_silent(
        "shell-injection",
        "=== src/a.php\n <?php\n+$this->getPdo()->exec(\"BEGIN {$mode} TRANSACTION\");\n",
    );
}

#[test]
fn weakened_ci_knows_a_tool_that_an_action_runs() {
    assert_silent(
        "weakened-ci",
        "=== .github/workflows/a.yml\n on: push\n jobs:\n   a:\n     steps:\n-      - run: cargo clippy --all\n\
         +      - uses: actions-rs/cargo@v1\n+        with:\n+          command: clippy\n",
    );
}

#[test]
fn lockfile_tampering_knows_the_old_table_of_checksums() {
    assert_silent(
        "lockfile-tampering",
        "=== Cargo.lock\n [metadata]\n-\"checksum atty 0.2.13 (registry+https://a.b)\" = \"1803c647a3ec87095e7ae7acfca019e9\"\n\
         +\"checksum atty 0.2.14 (registry+https://a.b)\" = \"d9b39be18770d11421cdb1b9947a45dd\"\n",
    );
}

#[test]
fn workflow_permissions_knows_a_first_list_of_a_privileged_workflow() {
    assert_silent(
        "workflow-permissions",
        "=== .github/workflows/a.yml\n on: issue_comment\n jobs:\n   a:\n+    permissions:\n+      issues: write\n     steps:\n",
    );
    assert_speaks(
        "workflow-permissions",
        "=== .github/workflows/a.yml\n on: issue_comment\n permissions:\n   contents: read\n+  issues: write\n",
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
fn deleted_test_knows_the_test_of_something_that_goes_with_it() {
    assert_silent(
        "deleted-test",
        "=== tests/test_a.py\n import a\n-def test_elapsed_timer():\n-    assert a.elapsed_timer()\n def test_two():\n     pass\n\n\
         === src/a.py\n-def elapsed_timer():\n-    return 1\n+def other():\n+    return 2\n",
    );
}

#[test]
fn lockfile_tampering_knows_an_entry_that_another_one_replaced() {
    assert_silent(
        "lockfile-tampering",
        "=== package-lock.json\n {\n   \"dependencies\": {\n-    \"escape-html\": {\n+    \"buffer-xor\": {\n       \"version\": \"1.0.3\",\n\
         -      \"resolved\": \"https://packages.example.org/escape-html/-/escape-html-1.0.3.tgz\",\n\
         -      \"integrity\": \"sha1-Aljq5NPQwJdN4cFpGI7wBR0dGYg=\"\n\
         +      \"resolved\": \"https://packages.example.org/buffer-xor/-/buffer-xor-1.0.3.tgz\",\n\
         +      \"integrity\": \"sha1-JuYe0UIvtw3ULm42cp7VHYVf6Nk=\"\n     },\n",
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
    assert_eq!(levels, [council_protocol::Severity::Minor]);
}

#[test]
fn lockfile_tampering_knows_the_entries_of_later_yarns() {
    assert_silent(
        "lockfile-tampering",
        "=== yarn.lock\n \"postcss@npm:^8\":\n-  version: 8.4.22\n+  version: 8.4.23\n   peerDependencies:\n     a: 1\n\
         -  checksum: 8bb9d1b2ea6e694f8987d4f18c94617971b2b8d141602725fedcc2222fdc413b\n\
         +  checksum: 3e41ddd76475ddfce5af37a90ee4e5294a73df97891fed360072cc79b3fbde4b\n   languageName: node\n",
    );
}

#[test]
fn lockfile_tampering_knows_two_names_of_one_registry() {
    assert_silent(
        "lockfile-tampering",
        "=== yarn.lock\n a@^1.0.0:\n   version \"1.0.0\"\n-  resolved \"registry.npmjs.org/a/-/a-1.0.0.tgz#aa\"\n\
         +  resolved \"registry.yarnpkg.com/a/-/a-1.0.0.tgz#aa\"\n \n",
    );
}

#[test]
fn emptied_handler_knows_a_default_that_moves() {
    assert_silent(
        "emptied-handler",
        "=== src/a.py\n try:\n     x = f()\n except AttributeError:\n-    x = []\n+    pass\n g()\n",
    );
}
