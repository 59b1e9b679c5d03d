//! What is comment and what is literal, language by language.

use super::*;

/// The text with comments as `c` and literals as `s`.
fn show(language: Language, text: &str) -> String {
    let mut lexer = Lexer::new(language);
    let lines = text.lines().map(|line| {
        let mut spans = Vec::new();
        lexer.lex_line(line, &mut spans);
        let mut bytes = line.as_bytes().to_vec();
        for span in spans {
            bytes[span.start..span.end].fill(if span.part == SpanKind::Comment {
                b'c'
            } else {
                b's'
            });
        }
        String::from_utf8(bytes).unwrap()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn rust_knows_lifetimes_raw_strings_and_nested_comments() {
    assert_eq!(
        show(Language::Rust, "fn f<'a>(c: &'a str) { 'x' }"),
        "fn f<'a>(c: &'a str) { sss }"
    );
    assert_eq!(
        show(Language::Rust, r##"let s = r#"a"b"# + x; // t"##),
        "let s = ssssssss + x; cccc"
    );
    assert_eq!(
        show(Language::Rust, r"m('\n', '\u{200b}', 'ä')"),
        "m(ssss, ssssssssss, ssss)"
    );
    assert_eq!(
        show(Language::Rust, "/* a /* b */\nc */ d"),
        "cccccccccccc\ncccc d"
    );
    assert_eq!(
        show(Language::Rust, "let s = \"a\n  // b\";\nc"),
        "let s = ss\nsssssss;\nc"
    );
}

#[test]
fn python_docstrings_run_over_lines() {
    let text = "def f():\n    \"\"\"Don't\n    # no\n    \"\"\"\n    x = 'a#b'  # c";
    let want = "def f():\n    ssssssss\nssssssss\nsssssss\n    x = sssss  ccc";
    assert_eq!(show(Language::Python, text), want);
}

#[test]
fn script_knows_templates_and_regular_expressions() {
    assert_eq!(
        show(Language::Script, "a = `x ${b(`y`)} '` + c"),
        "a = sssssssssssssss + c"
    );
    assert_eq!(
        show(Language::Script, "s.replace(/[/'\"]/g, d) / 2"),
        "s.replace(sssssssg, d) / 2"
    );
    assert_eq!(
        show(Language::Script, "x = a / b; // c'"),
        "x = a / b; ccccc"
    );
}

#[test]
fn yaml_and_shell_marks_count_at_the_start_of_a_word() {
    assert_eq!(show(Language::Yaml, "it's: a#b # c"), "it's: a#b ccc");
    assert_eq!(show(Language::Yaml, "a: 'b # c'"), "a: sssssss");
    assert_eq!(
        show(Language::Shell, "echo ${#x} \"# a\" # b"),
        "echo ${#x} sssss ccc"
    );
    assert_eq!(
        show(Language::Shell, "cat <<'EOF' > f\ndon't\nEOF\nls"),
        "cat <<sssss > f\nsssss\nsss\nls"
    );
}

#[test]
fn an_unclosed_quote_ends_with_its_line_where_the_language_says_so() {
    assert_eq!(
        show(Language::C, "a = \"x\nb = 1'000;"),
        "a = ss\nb = 1'000;"
    );
    assert_eq!(
        show(Language::Script, "a = \"x\\\ny\" + b"),
        "a = sss\nss + b"
    );
}

#[test]
fn any_bytes_are_survived() {
    for language in [
        Language::Rust,
        Language::Script,
        Language::Shell,
        Language::Python,
    ] {
        for text in [
            "'",
            "'\\",
            "r#",
            "r",
            "`${",
            "/",
            "<<",
            "\"\\",
            "'ä",
            "ä'ä'\\ä'",
            "<<-'Ä",
        ] {
            show(language, text);
        }
    }
}
