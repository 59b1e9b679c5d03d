use super::*;

fn at(line: u32, end: Option<u32>) -> Location {
    Location {
        path: "a".into(),
        line,
        end_line: end,
    }
}

fn applied(
    text: &str,
    at: &Location,
    suggestion: &str,
    quote: &str,
    then: Option<&str>,
) -> Result<String, &'static str> {
    let new = replace_lines(
        text.as_bytes(),
        at,
        suggestion,
        quote,
        then.map(str::as_bytes),
    );
    new.map(|new| String::from_utf8(new).unwrap())
}

#[test]
fn a_suggestion_that_was_taken_over_is_told_from_changed_lines() {
    let then = Some("a\nbad();\nc\n");
    let put = |text: &str| applied(text, &at(2, None), "good();\nwell();", "bad();", then);
    assert_eq!(put("a\nbad();\nc\n").unwrap(), "a\ngood();\nwell();\nc\n");
    assert_eq!(
        put("a\ngood();\nwell();\nc\n"),
        Err("it stands there already")
    );
    let changed = "the lines have changed since they were reviewed";
    assert_eq!(put("a\nother();\nwell();\nc\n"), Err(changed));
}

/// Where no commit has the lines that were judged, they are known as judges were shown them: an edit of their author's that
/// leaves the quote as it was is one all the same.
#[test]
fn lines_that_were_edited_since_are_not_replaced() {
    let shown = ["    return 1 / len(x)".to_owned()];
    let put = |line: &str| {
        let text = format!("def f(x):\n{line}\n");
        let fix = "    return 1 / max(1, len(x))";
        refuse_edited(text.as_bytes(), &at(2, None), &shown, fix)
    };
    assert_eq!(put("    return 1 / len(x)"), Ok(()));
    assert_eq!(put("    return 1 / len(x)  "), Ok(()));
    for edited in [
        "    return 1 / len(x) + tax(x)",
        "    if x: return 1 / len(x)",
        "        return 1 / len(x)",
        "",
    ] {
        assert_eq!(put(edited), Err(CHANGED), "{edited}");
    }
    let applied = put("    return 1 / max(1, len(x))");
    assert_eq!(applied, Err("it stands there already"));
}

/// The same lines are followed where something was put in or taken out above them, however lines end.
#[test]
fn lines_that_were_shown_are_followed_and_none_of_the_same_text() {
    let text = "def f(x):\n    a = 1 / x\n    b = 2\n\ndef g(x):\n    a = 1 / x\n    c = 3\n";
    // Line 4 was not shown.
    let lines = (1..).zip(text.lines());
    let shown = lines.filter(|(line, _)| *line != 4);
    let shown = ShownLines(shown.map(|(line, text)| (line, text.to_owned())).collect());
    let place = |now: &str| {
        let found = shown.place_now(now.as_bytes(), &at(6, None));
        found.map(|at| at.line)
    };
    assert_eq!(
        shown.judged(&at(6, None)),
        Some(vec!["    a = 1 / x".to_owned()])
    );
    assert_eq!(place(text), Some(6));
    assert_eq!(place(&text.replace('\n', "  \r\n")), Some(6));
    assert_eq!(place(&format!("import os\n\n{text}")), Some(8));
    assert_eq!(place(&text.replace("    b = 2\n", "")), Some(5));
    let above = text.replacen(
        "    a = 1 / x\n",
        "    if not x:\n        return 0\n    a = 1 / x\n",
        1,
    );
    assert_eq!(place(&above), Some(8));
    // That of `g` was edited, or is gone, and that of `f` is still there.
    let edited = text.replace("x\n    c", "(x + 1)\n    c");
    assert_eq!(place(&edited), None);
    assert_eq!(place(text.split("\ndef g").next().unwrap()), None);
}

/// Whatever is done to the file elsewhere, and however often the same line stands in it: the suggestion goes to the line
/// that was reviewed, or nowhere.
#[test]
fn the_line_that_was_reviewed_is_followed_and_no_other_of_the_same_text() {
    let function = |name: &str| format!("def {name}(p):\n    x = open(p)\n    use_{name}(x)\n");
    let then = ["a", "b", "c"].map(function).concat();
    let mended = |name: &str| function(name).replace("open(", "safe_open(");
    let reviewed = at(5, None);
    let imports = "import os\n".repeat(3);
    for (now, expected) in [
        (
            then.clone(),
            Some(then.replacen(&function("b"), &mended("b"), 1)),
        ),
        (
            format!("{imports}{then}"),
            Some(format!(
                "{imports}{}{}{}",
                function("a"),
                mended("b"),
                function("c")
            )),
        ),
        (
            format!("{}{}", function("b"), function("c")),
            Some(format!("{}{}", mended("b"), function("c"))),
        ),
        (format!("{}{}", function("a"), function("c")), None),
        (then.replacen(&function("b"), &mended("b"), 1), None),
        // The function was mended or is gone, and another one has its lines.
        (
            format!(
                "{}{}{}",
                mended("b"),
                function("b").replace("def b", "def d"),
                function("c")
            ),
            None,
        ),
        (function("b").replace("def b", "def d"), None),
    ] {
        let place = place_now(
            then.as_bytes(),
            now.as_bytes(),
            &reviewed,
            "    x = safe_open(p)",
        );
        let new = place.and_then(|place| {
            let now = now.as_bytes();
            replace_lines(
                now,
                &place,
                "    x = safe_open(p)",
                "x = open(p)",
                Some(now),
            )
        });
        assert_eq!(
            new.ok().map(|new| String::from_utf8(new).unwrap()),
            expected,
            "{now}"
        );
    }
    // Nothing to compare with: a text that stands there twice is nobody's place.
    assert!(
        applied(
            &then,
            &reviewed,
            "    x = safe_open(p)",
            "x = open(p)",
            None
        )
        .is_err()
    );
}

#[test]
fn an_encoding_survives_or_the_file_is_left_alone() {
    let put = |text: &[u8], line, suggestion: &str, quote: &str| {
        replace_lines(text, &at(line, None), suggestion, quote, Some(text))
    };
    let utf16: Vec<u8> = "\u{feff}a\nbad()\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(put(&utf16, 2, "good()", "bad()").is_err());
    assert!(put(b"caf\xe9\nbad()\n", 2, "gut\u{e9}()", "bad()").is_err());
    assert_eq!(
        put(b"caf\xe9\nbad()\n", 2, "good()", "bad()").unwrap(),
        b"caf\xe9\ngood()\n"
    );
    let marked = b"\xef\xbb\xbfbad()\nb\n";
    assert_eq!(
        put(marked, 1, "good()", "bad()").unwrap(),
        b"\xef\xbb\xbfgood()\nb\n"
    );
}

#[test]
fn exactly_the_lines_are_replaced() {
    let text = "one\ntwo\nthree\n";
    assert_eq!(
        applied(text, &at(2, None), "2", "two", None).unwrap(),
        "one\n2\nthree\n"
    );
    assert_eq!(
        applied(text, &at(2, Some(3)), "2\n3\n4\n", "two", None).unwrap(),
        "one\n2\n3\n4\n"
    );
    assert_eq!(
        applied(text, &at(1, None), "", "one", None).unwrap(),
        "two\nthree\n"
    );
    assert_eq!(
        applied("a\r\nb\r\n", &at(1, None), "x\ny", "a", None).unwrap(),
        "x\r\ny\r\nb\r\n"
    );
    assert_eq!(
        applied("a\nb", &at(2, None), "c", "b", None).unwrap(),
        "a\nc"
    );
}

#[test]
fn lines_that_changed_are_left_alone() {
    let text = "one\ntwo\nthree\n";
    for (at, quote, then) in [
        (at(2, None), "other", None),
        (at(2, None), "", None),
        (at(9, None), "two", None),
        (at(0, None), "two", None),
        (at(2, None), "two", Some("one\nzwei\nthree\n")),
        (at(3, Some(4)), "three", None),
    ] {
        assert!(applied(text, &at, "x", quote, then).is_err(), "{at:?}");
    }
    assert!(applied(text, &at(2, None), "x", "", Some("eins\ntwo\n")).is_ok());
}
