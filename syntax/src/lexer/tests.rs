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
        "a = sssssb(sss)ssss + c"
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

/// Law: a brace in a regular expression is none, wherever a value may stand; a slash behind a value divides.
#[test]
fn a_slash_divides_behind_a_value_and_nowhere_else() {
    let regex = [
        "if (name) ",
        "while (f(x)) ",
        "for (;;) ",
        "with (a) ",
        "x = await ",
        "yield ",
        "throw ",
        "delete ",
        "void ",
        "else ",
        "do ",
        "return ",
        "typeof ",
        "x = ",
        "f(",
        "a && ",
        "!",
        "[",
        "x => ",
        "case ",
        "} ",
        "",
    ];
    for before in regex {
        let shown = show(Language::Script, &format!("{before}/[}}/{{]/.test(a)"));
        assert_eq!(shown, format!("{before}sssssss.test(a)"), "{before}");
    }
    let value = [
        "a",
        "a++ ",
        "a-- ",
        "f(a) ",
        "(a) ",
        "a[0] ",
        "3 ",
        "size! ",
        "f()! ",
        "o.in ",
        "o.await ",
        "o.if(a) ",
        "diff (a) ",
    ];
    for before in value {
        let line = format!("{before}/ total; log(`${{a}} / }}`)");
        let shown = show(Language::Script, &line);
        assert_eq!(
            shown,
            format!("{before}/ total; log(sssassssss)"),
            "{before}"
        );
    }
}

/// Law: whatever a raw string holds ends it only with what it has chosen itself.
#[test]
fn a_raw_string_ends_with_its_own_mark() {
    for (language, open, close) in [
        (Language::C, "R\"(", ")\""),
        (Language::C, "R\"x(", ")x\""),
        (Language::C, "u8R\"--(", ")--\""),
        (Language::C, "LR\"a_b(", ")a_b\""),
        (Language::CSharp, "\"\"\"", "\"\"\""),
        (Language::CSharp, "\"\"\"\"", "\"\"\"\""),
        (Language::CSharp, "@\"", "\""),
    ] {
        for held in ["}", "\\", "{ // }", "\n}\n", " ' ", "/*", ")y\" \\"] {
            if held.contains('"') && close.trim_matches('"').is_empty() && close.len() < 3 {
                continue;
            }
            let text = format!("auto s = {open}{held}{close}; }}");
            let shown = show(language, &text);
            let last = shown.lines().last().unwrap();
            assert!(
                last.ends_with("s; }") && !shown[9..shown.len() - 3].contains(['}', '/', '\\']),
                "{text}: {shown}"
            );
        }
    }
    assert_eq!(show(Language::C, "x = FOR\"a(\"; }"), "x = FORssss; }");
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

/// What stands in a literal between the marks of an expression is code, and what stands behind it is text again.
#[test]
fn an_expression_in_a_literal_is_code() {
    for (language, text, want) in [
        (
            Language::Script,
            "x = `a ${f({b: `c`})} d`; e",
            "x = sssssf({b: sss})ssss; e",
        ),
        (
            Language::Script,
            "x = `a ${\n  f(y)\n} d`; e",
            "x = sssss\n  f(y)\nssss; e",
        ),
        (Language::Script, "x = `\\${a}`; e", "x = sssssss; e"),
        (
            Language::Python,
            "x = f\"a {f(y)} b\"; e",
            "x = fssssf(y)ssss; e",
        ),
        (
            Language::Python,
            "x = rf'{a[\"b\"]:>{w}} {{c}}' # d",
            "x = rfssa[sss]ssswsssssssss ccc",
        ),
        (
            Language::Python,
            "x = f\"{n:#x}\" + g('a') # d",
            "x = fssnsssss + g(sss) ccc",
        ),
        (
            Language::Python,
            "x = f\"\"\"a {\nf(y)\n} b\"\"\"\ne",
            "x = fssssss\nf(y)\nssssss\ne",
        ),
        (
            Language::Python,
            "x = \"a {f(y)} b\"; e",
            "x = ssssssssssss; e",
        ),
        (
            Language::Python,
            "x = f\"{a[1:2]}\"; e",
            "x = fssa[1:2]ss; e",
        ),
        // What is broken ends with its line.
        (
            Language::Python,
            "x = f\"a {b\nc = 'd'",
            "x = fssssb\nc = sss",
        ),
        (
            Language::CSharp,
            "x = $\"a {f(y):N2} b\"; e",
            "x = $ssssf(y)sssssss; e",
        ),
        (
            Language::Ruby,
            "x = \"a #{f(y)} b\"; e",
            "x = sssssf(y)ssss; e",
        ),
        (
            Language::Kotlin,
            "x = \"a ${f(y)} b\"; e",
            "x = sssssf(y)ssss; e",
        ),
        (Language::Go, "x = `a ${f(y)} b`; e", "x = sssssssssssss; e"),
    ] {
        assert_eq!(show(language, text), want, "{text}");
    }
}

/// What follows a script's own tag is code, with comments of several lines.
#[test]
fn what_follows_a_script_tag_is_code() {
    assert_eq!(
        show(Language::Script, "<script>\n/* a\n b */\nf(x)"),
        "<script>\ncccc\nccccc\nf(x)"
    );
}

/// A backtick in text between tags begins no template that hides the rest of the file.
#[test]
fn a_backtick_in_the_text_of_a_tag_is_a_sign() {
    for text in [
        "A = () => <p>Press the ` key</p>;",
        "<p>` begins it",
        "  <li>Use one. ` is a sign</li>",
    ] {
        let shown = show(Language::Script, &format!("{text}\nf(x);"));
        assert!(shown.ends_with("\nf(x);"), "{shown}");
    }
    for text in [
        "x = `a",
        "return `a",
        "f(`a",
        "gql`a",
        "() => `a",
        "x ? `a` : `b",
        "  `a",
        "x = y + `a",
    ] {
        let shown = show(Language::Script, &format!("{text}\nf(x);`"));
        assert!(shown.ends_with("\nssssss"), "{shown}");
    }
}

proptest::proptest! {
    /// Whatever stands as text between tags, the lines behind it are code.
    #[test]
    fn the_text_of_an_element_hides_no_line_behind_it(
        text in "(/\\*|\\*/\\*|//|image/\\*|src/\\*\\*/\\*\\.ts|https://a\\.b/c|it's|[a-z]{1,6}|[ ,.;:(=-]){0,8}",
        layout in 0..4_usize,
    ) {
        let element = match layout {
            0 => format!("<p>{text}</p>"),
            1 => format!("  return <p>{text}</p>;"),
            2 => format!("<p>\n{text}\n</p>"),
            _ => format!("<p>\n  Words of\n  many lines,\n{text}\n</p>"),
        };
        // What ends like a statement, or begins like one, is taken for code.
        proptest::prop_assume!(layout < 2 || !text.starts_with('(') && !text.ends_with([';', '(']));
        let shown = show(Language::Script, &format!("{element}\nf(x)"));
        proptest::prop_assert!(shown.ends_with("\nf(x)"), "{}", shown);
    }

    /// Whatever stands in a file, each part lies in its line, and behind the one before it.
    #[test]
    fn parts_of_any_text_lie_in_their_lines_in_order(
        text in "([`\"'{}$#f:/ a()\\[\\]\\\\]|ä|\\$\\{|\n){0,60}",
    ) {
        for language in [
            Language::Script, Language::Python, Language::Ruby, Language::Kotlin, Language::CSharp,
        ] {
            let mut lexer = Lexer::new(language);
            for line in text.lines() {
                let mut spans = Vec::new();
                lexer.lex_line(line, &mut spans);
                let mut end = 0;
                for span in spans {
                    proptest::prop_assert!(end <= span.start && span.start <= span.end, "{:?}", line);
                    end = span.end;
                }
            }
        }
    }
}

#[test]
fn a_comment_ends_with_the_line_as_the_language_has_it() {
    for (language, mark) in [
        (Language::Script, "//"),
        (Language::Python, "#"),
        (Language::Java, "//"),
        (Language::CSharp, "//"),
        (Language::Php, "#"),
    ] {
        for end in ["\r", "\u{2028}", "\u{2029}", "\r\r"] {
            let mut lexer = Lexer::new(language);
            let mut spans = Vec::new();
            lexer.lex_line(&format!("a {mark} note{end}f(x)"), &mut spans);
            let comment = [LexSpan {
                start: 2,
                end: 2 + mark.len() + " note".len(),
                part: SpanKind::Comment,
            }];
            assert_eq!(spans, comment, "{language:?} {end:?}");
        }
        let whole = format!("{mark} note\r");
        assert_eq!(show(language, &whole), "c".repeat(whole.len()));
    }
}

#[test]
fn what_stands_around_php_is_no_string() {
    for text in [
        "<p>Don't worry</p>\n<?php\nf($x);",
        "<p>\nDon't /* worry\n</p>\n<?= g() ?>\nIt's # so\n<?php\nf($x);",
        "<?php\n// it's ?>\nDon't\n<?php\nf($x);",
        "<?php if (a) { ?> Don't <?php }\nf($x);",
    ] {
        let shown = show(Language::Php, text);
        assert!(shown.ends_with("\nf($x);"), "{shown}");
    }
    let text = "<?php\n$a = 'b\nc' < 'd';\nf('x');";
    assert_eq!(
        show(Language::Php, text),
        "<?php\n$a = ss\nss < sss;\nf(sss);"
    );
}

#[test]
fn a_sign_of_another_thing_opens_nothing() {
    for (language, text) in [
        (Language::Script, "A = () => <p>Accepts image/* files</p>;"),
        (Language::Script, "<p>Accept: */*</p>"),
        (Language::Script, "<p>**/*.ts</p>"),
        (Language::Script, "<p>/* is a sign</p>"),
        (Language::Script, "<p>\n  /* is a sign\n</p>"),
        (Language::Ruby, "x = s.split(/\"/)"),
        (Language::Ruby, "when /it's/ then y"),
        (Language::Ruby, "x = [?\", ?']"),
    ] {
        let shown = show(language, &format!("{text}\nf(x)"));
        assert!(shown.ends_with("\nf(x)"), "{shown}");
    }
    assert_eq!(show(Language::Script, "a/*b*/d"), "acccccd");
    let address = "<a>https://a.b</a>{f(x)}";
    assert!(show(Language::Script, address).ends_with("f(x)}"));
    assert!(show(Language::Script, "<p>a // b {f(x)}</p>").contains("f(x)"));
    for comment in [
        "{/* <p>a</p>\n*/}",
        "x = 1; /* a\n*/",
        "f(a, /* a\n*/",
        "/** a\n*/",
        "<A /> // </p>",
        "  // <b>a</b>",
    ] {
        assert!(show(Language::Script, comment).contains('c'), "{comment}");
    }
    assert_eq!(show(Language::Script, "x /* a\nb */ c"), "x cccc\ncccc c");
    assert_eq!(
        show(Language::Ruby, "x = a ? \"b\" : 'c'"),
        "x = a ? sss : sss"
    );
    assert_eq!(show(Language::Ruby, "x = a / b / 'c'"), "x = a / b / sss");
}
