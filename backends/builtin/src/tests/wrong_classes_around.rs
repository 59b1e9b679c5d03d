//! The same for rules about what surrounds code: tests, workflows, dependencies and hooks.

use council_protocol::Severity;
use council_protocol::seat::RuleSettings;

use super::wrong_classes::{assert_silent, assert_speaks};
use crate::applicable::ActiveRules;
use crate::fixture::RuleFixture;
use crate::scan::scan_change;
use crate::view::ChangeView;

/// So many new lines of code.
fn code(lines: usize) -> String {
    (0..lines)
        .map(|n| format!("+    total += compute_{n}(value);\n"))
        .collect()
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
fn removed_assertion_knows_what_goes_with_its_code_or_comes_back() {
    let code = "=== src/orders.py\n def total(rows):\n-    log(rows.first_row)\n+    log(rows)\n+    rows = list(rows)\n     return sum(rows)\n";
    let tests = [
        // What it was about goes.
        "=== tests/test_orders.py\n def test_total():\n-    assert cart.first_row == 3\n     cart.close()\n",
        // It moves to another test.
        "=== tests/test_orders.py\n def test_total():\n-    assert cart.total() == 3\n     cart.close()\n def test_more():\n+    assert cart.total() == 3\n     cart.close()\n",
        // Its test goes with it.
        "=== tests/test_orders.py\n-def test_total():\n-    assert cart.total() == 3\n def test_more():\n     assert cart.more() == 3\n",
        // A comment is none.
        "=== tests/test_orders.py\n def test_total():\n-    # assert cart.total() == 3\n     cart.close()\n",
    ];
    for test in tests {
        assert_silent("removed-assertion", &format!("{code}{test}"));
    }
    let weakened = "=== tests/test_orders.py\n def test_total():\n-    assert cart.total() == 3\n     cart.close()\n";
    assert_speaks("removed-assertion", &format!("{code}{weakened}"));
    assert_silent("removed-assertion", weakened);
    let announced = "=== CHANGES.md\n+- The total of a cart is removed.\n";
    assert_silent("removed-assertion", &format!("{announced}{code}{weakened}"));
}

#[test]
fn duplicated_block_knows_a_new_file_that_stands_in_several_folders() {
    let block = |change: &str| -> String {
        (0..24)
            .map(|n| format!("+$option_{n} = read_setting({n}, '{change}');\n"))
            .collect()
    };
    let body = block("a");
    assert_silent(
        "duplicated-block",
        &format!("=== 32/apache/setup.php\n{body}=== 32/fpm/setup.php\n{body}"),
    );
    assert_speaks(
        "duplicated-block",
        &format!("=== 32/apache/setup.php\n{body}=== 32/fpm/other.php\n{body}"),
    );
}

/// A guide to merging shows what git writes; a conflict that a merge has left stands where the two sides differed.
#[test]
fn conflict_marker_fails_no_guide_that_shows_one() {
    let conflict = "<<<<<<< HEAD\nA = 1\n=======\nA = 2\n>>>>>>> feature\n";
    let severities = |path: &str, text: &str| -> Vec<Severity> {
        let fixture = RuleFixture::from_added(path, text);
        let change = ChangeView::new(&fixture.packet, &*fixture.blobs);
        let found = scan_change(&change, &ActiveRules::all(&RuleSettings::default()));
        let found = found.iter().filter(|f| f.rule.info.id == "conflict-marker");
        found.map(|f| f.severity).collect()
    };
    for (path, open, close) in [
        ("docs/merge.md", "```", "```"),
        ("docs/merge.md", "```diff", "```"),
        ("README.md", "~~~~text", "~~~~~"),
        ("docs/merge.md", "  ````", "  ````"),
        ("docs/merge.adoc", "[source]\n----", "----"),
        ("docs/merge.adoc", "....", "...."),
    ] {
        let text = format!("git writes:\n\n{open}\n{conflict}{close}\n\nDelete them.\n");
        assert_eq!(severities(path, &text), [Severity::Minor; 2], "{text}");
        // One that is not shown makes all of them count.
        let second = format!("{text}{conflict}");
        assert_eq!(
            severities(path, &second),
            [Severity::Critical; 4],
            "{second}"
        );
    }
    for (path, text) in [
        ("docs/a.md", conflict.to_owned()),
        ("docs/a.md", format!("```\nx\n```\n{conflict}```\ny\n```\n")),
        ("docs/a.md", format!("```\n{conflict}\nnever closed\n")),
        ("docs/a.md", format!("````\n{conflict}```\n")),
        ("docs/a.md", format!("----\n{conflict}----\n")),
        (
            "docs/a.md",
            conflict
                .replace("A = 1", "```\nA = 1")
                .replace("A = 2", "A = 2\n```"),
        ),
        ("src/a.py", format!("```\n{conflict}```\n")),
        ("src/a.js", format!("/*\n```\n{conflict}```\n*/\n")),
    ] {
        assert_eq!(
            severities(path, &text),
            [Severity::Critical; 2],
            "{path}: {text}"
        );
    }
}

/// A driver takes values beside the statement; what is put into it are the marks for them, or nothing of the statement.
#[test]
fn sql_injection_knows_what_sends_values_beside_the_statement() {
    for (path, line) in [
        (
            "src/a.ts",
            "const r = await prisma.$queryRaw`SELECT * FROM u WHERE id = ${id}`;",
        ),
        (
            "src/a.ts",
            "const r = await db.$queryRaw<User[]>`SELECT * FROM u WHERE id = ${id}`;",
        ),
        (
            "src/a.ts",
            "await prisma.$executeRaw`DELETE FROM u WHERE id = ${id}`;",
        ),
        ("src/a.py", "msg = \"delete from list: \" + name"),
        (
            "src/a.py",
            "cur.execute(f\"SELECT * FROM u WHERE id IN ({','.join(['?'] * len(ids))})\", ids)",
        ),
        (
            "src/a.py",
            "cur.execute(f\"SELECT * FROM u WHERE id IN ({','.join('?' * len(ids))})\", ids)",
        ),
        (
            "src/a.py",
            "cur.execute(\"SELECT * FROM u WHERE id IN (\" + \",\".join([\"%s\"] * len(ids)) + \")\", ids)",
        ),
        (
            "src/a.py",
            "cur.execute(\"SELECT * FROM u WHERE id IN (%s)\" % \",\".join([\"?\"] * len(ids)), ids)",
        ),
        (
            "src/a.js",
            "db.all(`SELECT * FROM u WHERE id IN (${ids.map(() => '?').join(',')})`, ids);",
        ),
    ] {
        assert_silent("sql-injection", &format!("=== {path}\n+{line}\n"));
    }
    // The name says nothing; where it was made does.
    for made in [
        "\",\".join([\"?\"] * len(ids))",
        "','.join('?' for _ in ids)",
        "\", \".join(\"%s\" for _ in ids)",
    ] {
        for used in [
            "cur.execute(\"SELECT * FROM u WHERE id IN (\" + xs + \")\", ids)",
            "cur.execute(f\"SELECT * FROM u WHERE id IN ({xs})\", ids)",
            "cur.execute(\"SELECT * FROM u WHERE id IN (%s)\" % xs, ids)",
            "cur.execute(\"SELECT * FROM u WHERE id IN ({})\".format(xs), ids)",
        ] {
            let text = |made: &str, used: &str| format!("=== src/a.py\n+xs = {made}\n+{used}\n");
            assert_silent("sql-injection", &text(made, used));
            // Another value beside the marks, or another one under the name.
            let second = used.replace("WHERE id", "WHERE a = '\" + name + \"' AND id");
            assert_speaks("sql-injection", &text(made, &second));
            assert_speaks("sql-injection", &text("\",\".join(ids)", used));
        }
    }
    for (path, line) in [
        (
            "src/a.ts",
            "await prisma.$queryRawUnsafe(`SELECT * FROM u WHERE id = ${id}`);",
        ),
        (
            "src/a.py",
            "cur.execute(\"delete from list where a = \" + name)",
        ),
        ("src/a.py", "q = \"delete from \" + name"),
        (
            "src/a.py",
            "q = f\"SELECT * FROM u WHERE id IN ({','.join(ids)})\"",
        ),
    ] {
        assert_speaks("sql-injection", &format!("=== {path}\n+{line}\n"));
    }
}
