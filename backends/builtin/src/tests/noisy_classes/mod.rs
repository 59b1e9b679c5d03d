//! What the tenth reading called noise: true, and worth no warning. Each class stands beside its neighbours that must
//! still be warned of, above all those by which somebody would abuse it.

mod keys;
mod supply;

use council_protocol::Severity;

use super::wrong_classes::{assert_note, assert_silent, assert_speaks, assert_warns, told};

/// A file with such a mark before each of its lines.
fn file(path: &str, mark: char, text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("{mark}{line}\n")).collect();
    format!("=== {path}\n{lines}")
}

/// Lines of a Rust function that is new.
fn rust(line: &str) -> String {
    format!("=== src/a.rs\n fn f() {{\n+    {line}\n }}\n")
}

#[test]
fn sql_injection_knows_a_quoted_identifier_without_a_name() {
    for table in ["[{}]", "\\\"{}\\\"", "main.[{}]", "[{table}]"] {
        assert_silent(
            "sql-injection",
            &rust(&format!(
                "let sql = format!(\"SELECT COUNT(*) FROM {table}\", t);"
            )),
        );
    }
    // Brackets hold a list, and quotes a text, wherever a value may stand.
    for part in [
        "a WHERE x IN [{}]",
        "a WHERE x = [{}]",
        "a WHERE name = \\\"{}\\\"",
        "a WHERE name LIKE \\\"{name}\\\"",
        "a WHERE name NOT IN (1, \\\"{}\\\")",
        "[{}] WHERE x = {}",
        "{}",
    ] {
        assert_speaks(
            "sql-injection",
            &rust(&format!(
                "let sql = format!(\"SELECT COUNT(*) FROM {part}\", t);"
            )),
        );
    }
}

/// A value before the quoted identifier is still one.
#[test]
fn an_identifier_excuses_nothing_before_it() {
    for columns in ["{}", "id, {}", "{columns}", "{}, id", "COUNT({})"] {
        for table in ["[{}]", "main.[{}]", "[{table}]"] {
            assert_speaks(
                "sql-injection",
                &rust(&format!(
                    "let mut sql = format!(\"SELECT {columns} FROM {table}\", select, self.table);"
                )),
            );
        }
    }
}

/// Law: whatever compares or lists, what stands behind it is a value, however it is quoted.
#[test]
fn no_quotes_make_a_value_an_identifier() {
    for before in [
        "name = ",
        "name=",
        "name <> ",
        "id > ",
        "name LIKE ",
        "id IN ",
        "name IS NOT ",
        "a BETWEEN 1 AND ",
    ] {
        for quoted in ["\"{name}\"", "[{name}]"] {
            assert_speaks(
                "sql-injection",
                &format!(
                    "=== src/a.py\n def f(name):\n+    run(f'SELECT id FROM users WHERE {before}{quoted}')\n"
                ),
            );
        }
    }
}

#[test]
fn unfinished_code_is_told_once_for_a_file() {
    let lines = ["latency", "channels", "sample size", "resize mode"]
        .map(|what| format!("+    if (c.x != null) TODO(\"{what} is not supported yet\")\n"))
        .concat();
    let told = told(
        "unfinished-code",
        &format!("=== src/A.kt\n class A {{\n{lines} }}\n"),
    );
    let [(Severity::Significant, words)] = &told[..] else {
        panic!("{told:?}")
    };
    assert!(
        words.contains(" There are 3 more in this file ("),
        "{words}"
    );
    // Of another file it is told apart, and other lines have other digits.
    let two =
        format!("=== src/A.kt\n class A {{\n{lines} }}\n=== src/B.kt\n class B {{\n{lines} }}\n");
    assert_eq!(super::wrong_classes::told("unfinished-code", &two).len(), 2);
    let other = lines.replace("resize", "crop");
    let other = super::wrong_classes::told(
        "unfinished-code",
        &format!("=== src/A.kt\n class A {{\n{other} }}\n"),
    );
    assert_ne!(told, other);
}

#[test]
fn unfinished_code_knows_a_method_that_a_trait_asks_for() {
    let stub = |head: &str, body: &str| {
        format!(
            "=== src/a.rs\n+{head} {{\n+    fn typetag_deserialize(&self) {{\n+        {body}\n+    }}\n+}}\n"
        )
    };
    let of_trait = "impl CustomValue for Query";
    assert_note(
        "unfinished-code",
        &stub(of_trait, "unimplemented!(\"typetag_deserialize\")"),
    );
    for (head, body) in [
        (of_trait, "unimplemented!(\"later\")"),
        (of_trait, "unimplemented!()"),
        (of_trait, "todo!(\"typetag_deserialize\")"),
        ("impl Query", "unimplemented!(\"typetag_deserialize\")"),
        ("mod a", "unimplemented!(\"typetag_deserialize\")"),
    ] {
        assert_warns("unfinished-code", &stub(head, body));
    }
}

#[test]
fn binary_files_of_one_kind_are_told_once() {
    let files = |names: &[&str], words: &str| -> String {
        let file = |name: &&str| format!("=== {name} {words}binary size=4000\n");
        names.iter().map(file).collect()
    };
    let libraries = [
        "lib/arm/a.a",
        "lib/arm/b.a",
        "lib/x64/a.a",
        "lib/x64/b.a",
        "lib/x64/c.a",
    ];
    let rebuilt = told("binary-file", &files(&libraries, ""));
    let [(Severity::Significant, words)] = &rebuilt[..] else {
        panic!("{rebuilt:?}")
    };
    assert!(words.contains(" There are 4 more "), "{words}");
    // A new one is no rebuilt one, and a program no library: none hides among the others.
    for other in [
        "=== lib/x64/d.a added binary size=9\n",
        "=== lib/x64/d.exe binary size=9\n",
    ] {
        let text = format!("{}{other}", files(&libraries, ""));
        let two = told("binary-file", &text);
        assert_eq!(two.len(), 2, "{two:?}");
        assert!(
            two.iter().any(|(_, words)| words.starts_with("`d.")),
            "{two:?}"
        );
    }
    // Whoever has dismissed these has not dismissed others.
    let others = [
        "lib/arm/a.a",
        "lib/arm/b.a",
        "lib/x64/a.a",
        "lib/x64/b.a",
        "src/c.a",
    ];
    assert_ne!(rebuilt, told("binary-file", &files(&others, "")));
}

fn removed_test(path: &str) -> String {
    format!(
        "=== {path} deleted\n-import a\n-def test_inner():\n-    assert a.f() == 1\n-    assert a.g() == 2\n"
    )
}

#[test]
fn deleted_test_knows_folders_of_known_failures() {
    for folder in [
        "failing",
        "tofix",
        "known_failures",
        "quarantine",
        "wip",
        "Broken",
    ] {
        assert_note(
            "deleted-test",
            &removed_test(&format!("tests/{folder}/test_a.py")),
        );
    }
    for path in [
        "tests/test_a.py",
        "tests/failing_test_a.py",
        "tests/fail/test_a.py",
    ] {
        assert_warns("deleted-test", &removed_test(path));
    }
    // The test of a folder that counts is told though another one goes with it.
    let both = removed_test("tests/failing/test_a.py")
        + &removed_test("tests/test_b.py").replace("inner", "outer");
    assert_warns("deleted-test", &both);
}

fn script(lines: &[&str]) -> String {
    let added: String = lines.iter().map(|line| format!("+  {line}\n")).collect();
    format!("=== src/a.ts\n async function f() {{\n{added} }}\n")
}

#[test]
fn empty_catch_knows_what_may_fail_while_cleaning_up() {
    for lines in [
        &["await mkdir(dirname(path), { recursive: true }).catch(() => {});"][..],
        &["} finally {", "  await rm(path).catch(() => {});", "}"],
        &[
            "} finally {",
            "  if (isTemporary) {",
            "    await fs.unlink(path).catch(() => {});",
            "  }",
            "}",
        ],
        &[
            "} catch (error) {",
            "  handle.close().catch(() => {});",
            "  throw error;",
            "}",
        ],
    ] {
        assert_note("empty-catch", &script(lines));
    }
    for lines in [
        &["await rm(path).catch(() => {});"][..],
        &["await mkdir(path).catch(() => {});"],
        &["} finally {", "  await save(order).catch(() => {});", "}"],
        &[
            "} finally {",
            "  await rm(await save(order)).catch(() => {});",
            "}",
        ],
        &[
            "} finally {",
            "  await rm(path).then(save).catch(() => {});",
            "}",
        ],
        &[
            "} finally {",
            "  await save(order); rm(path).catch(() => {});",
            "}",
        ],
        &[
            "} finally {",
            "  done();",
            "}",
            "await rm(path).catch(() => {});",
        ],
        &["// finally {", "  await rm(path).catch(() => {});"],
    ] {
        assert_warns("empty-catch", &script(lines));
    }
    // No head of a file silences what it holds.
    assert_warns(
        "empty-catch",
        "=== src/a.ts\n+/* eslint-disable no-empty-function */\n+save(order).catch(() => {});\n",
    );
}

#[test]
fn notes_know_the_habits_of_a_file() {
    let go = |before: &str, call: &str| {
        format!("=== a.go\n func f() {{\n{before}\n func g() {{\n+\tb, _ := json.Marshal({call})\n")
    };
    let habit = " \tb, _ := json.Marshal(resp)";
    assert_silent("ignored-error-go", &go(habit, "resp"));
    assert_speaks("ignored-error-go", &go(habit, "other"));
    assert_speaks(
        "ignored-error-go",
        &go(" \tb, err := json.Marshal(resp)", "resp"),
    );
    assert_silent("ignored-result", &rust("err.print().ok();"));
    assert_speaks("ignored-result", &rust("err.save().ok();"));
    assert_speaks("ignored-result", &rust("printer.reprint().ok();"));
}

#[test]
fn line_ending_flip_knows_some_stray_lines() {
    let flipped: String = (0..6)
        .map(|n| format!("-line {n}{{CR}}\n+line {n}\n"))
        .collect();
    let rest = |lines: usize| -> String { (0..lines).map(|n| format!(" rest {n}\n")).collect() };
    assert_speaks(
        "line-ending-flip",
        &format!("=== a.md\n{flipped}{}", rest(20)),
    );
    assert_silent(
        "line-ending-flip",
        &format!("=== a.md\n{flipped}{}", rest(40)),
    );
}

/// Law: whatever a change does to a file that agents obey, it is told, and of files without programs in one note.
#[test]
fn files_that_steer_agents_are_never_silent() {
    for text in [
        file("AGENTS.md", '+', "Run the tests."),
        "=== AGENTS.md\n Build.\n+Run the tests.\n".to_owned(),
        "=== AGENTS.md\n Build.\n-Ask first.\n+Ask.\n".to_owned(),
        file("AGENTS.md", '+', "Run it.")
            + &file("lib/CLAUDE.md", '+', "Run it.")
            + &file("src/a.rs", '+', "fn a() {}"),
    ] {
        assert_note("agent-file-change", &text);
    }
}

/// A generator is written by people, whatever it writes into the files that it makes.
#[test]
fn a_mark_in_a_literal_makes_no_file_generated() {
    let file =
        |head: &str| format!("=== src/a.go\n package a\n {head}\n+\tpanic(\"not implemented\")\n");
    for head in [
        "var head = \"// Code generated by a. DO NOT EDIT.\"",
        "var head = `// @generated`",
    ] {
        assert_speaks("unfinished-code", &file(head));
    }
    for head in ["// Code generated by a. DO NOT EDIT.", "// @generated"] {
        assert_silent("unfinished-code", &file(head));
    }
}
