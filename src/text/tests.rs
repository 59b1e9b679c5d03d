//! What holds for every text: nothing hidden survives, nothing acts, and a reader still sees what was written.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::testing::{acts, all_visible, hostile};
use super::{
    Ellipsis, Untrusted, clip_chars, display_width, fit_columns, fit_end, is_hidden, json_safe,
    wrap_columns, wrap_lines,
};

fn parse(markdown: &str) -> Vec<Event<'_>> {
    Parser::new_ext(markdown, Options::all() - Options::ENABLE_SMART_PUNCTUATION).collect()
}

/// The text outside of code and the text of code, of Markdown in which nothing else may occur.
fn inert(markdown: &str) -> Result<(String, String), String> {
    let (mut prose, mut all) = (String::new(), String::new());
    for event in parse(markdown) {
        match event {
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
            Event::Text(text) => {
                prose.push_str(&text);
                all.push_str(&text);
            }
            Event::Code(text) => {
                prose.push(' ');
                all.push_str(&text);
            }
            other => return Err(format!("{other:?}")),
        }
    }
    Ok((prose, all))
}

/// Without white space and back-ticks, which rendering may change.
fn bare(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && *c != '`')
        .collect()
}

proptest! {
    #[test]
    fn t18_terminal_text_is_visible_stays_one_line_and_is_no_command(text in hostile()) {
        let line = Untrusted::new(&text).line();
        let name = Untrusted::new(&text).name();
        for out in [&line, &name] {
            prop_assert!(all_visible(out), "{out:?}");
            prop_assert!(!out.contains('\n') && !out.contains("##["), "{out:?}");
            prop_assert!(!out.trim_start().starts_with("::"), "{out:?}");
        }
        prop_assert_eq!(&Untrusted::new(&line).line(), &line);
        prop_assert_eq!(&Untrusted::new(&name).name(), &name);
    }

    #[test]
    fn code_lines_are_visible_and_as_many(text in hostile()) {
        let lines: Vec<String> = Untrusted::new(&text).code_lines().collect();
        prop_assert_eq!(lines.len(), text.lines().count());
        prop_assert!(lines.iter().all(|l| all_visible(l) && !l.contains("##[")), "{lines:?}");
    }

    #[test]
    fn fitted_and_wrapped_text_keeps_its_width_and_its_words(text in hostile(), first in 8usize..40, max in 8usize..40) {
        let line = Untrusted::new(&text).line();
        prop_assert!(display_width(&fit_columns(&line, max, Ellipsis::Unicode)) <= max);
        prop_assert!(unicode_width::UnicodeWidthStr::width(line.as_str()) <= display_width(&line));
        let lines = wrap_columns(&line, first, max);
        prop_assert!(display_width(&lines[0]) <= first.min(max), "{lines:?}");
        prop_assert!(lines.iter().all(|l| display_width(l) <= max && !l.starts_with("::")), "{lines:?}");
        prop_assert_eq!(bare(&lines.concat()).replace("\\u{3A}", ":"), bare(&line).replace("\\u{3A}", ":"));
    }

    #[test]
    fn wrapped_lines_keep_their_words_and_their_indent(text in "( {0,6}[a-z`,]{1,12}( [a-z`,]{1,12}){0,20}\n){0,4}", columns in 24usize..120) {
        prop_assert_eq!(wrap_lines(&text, None), text.clone());
        // A line that lacks its end has none of the next one glued to it.
        prop_assert_eq!(wrap_lines(text.trim_end_matches('\n'), None), text.clone());
        let wrapped = wrap_lines(&text, Some(columns));
        prop_assert!(wrapped.lines().all(|line| display_width(line) <= columns), "{columns}: {wrapped}");
        prop_assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
        if text.lines().all(|line| line.len() <= columns) {
            prop_assert_eq!(wrapped, text);
        }
    }

    #[test]
    fn the_end_of_a_text_is_what_is_kept_of_it(text in hostile(), max in 0usize..40) {
        let line = Untrusted::new(&text).line();
        let kept = fit_end(&line, max, Ellipsis::Unicode);
        prop_assert!(display_width(&kept) <= max);
        let is_all = display_width(&line) <= max;
        prop_assert_eq!(kept == line, is_all);
        prop_assert!(line.ends_with(kept.trim_start_matches('…')));
    }

    #[test]
    fn t10_t11_prose_is_inert_and_says_what_was_written(text in hostile()) {
        let markdown = Untrusted::new(&text).prose();
        prop_assert!(all_visible(&markdown) && !markdown.contains('\n'), "{markdown:?}");
        let (prose, all) = inert(&markdown).map_err(TestCaseError::fail)?;
        prop_assert!(!acts(&prose), "{markdown} -> {prose}");
        prop_assert_eq!(bare(&all), bare(&Untrusted::new(&text).line()), "{}", markdown);
    }

    #[test]
    fn a_name_in_code_is_inert_and_says_what_was_written(text in hostile()) {
        let markdown = Untrusted::new(&text).code();
        prop_assert!(all_visible(&markdown) && !markdown.contains('\n'), "{markdown:?}");
        let (prose, all) = inert(&markdown).map_err(TestCaseError::fail)?;
        prop_assert_eq!(prose.trim(), "", "{}", markdown);
        prop_assert_eq!(bare(&all), bare(&Untrusted::new(&text).name()), "{}", markdown);
    }

    #[test]
    fn a_cell_stays_a_cell(one in hostile(), two in hostile()) {
        let (one_cell, two_cell) = (Untrusted::new(&one).prose_cell(), Untrusted::new(&two).code_cell());
        let table = format!("| a | b | c |\n| --- | --- | --- |\n| {one_cell} | {two_cell} | end |\n");
        let cells: Vec<String> = cells(&table);
        prop_assert_eq!(cells.len(), 6, "{}", table);
        prop_assert_eq!(bare(&cells[3]), bare(&Untrusted::new(&one).line()), "{}", table);
        prop_assert_eq!(bare(&cells[4]), bare(&Untrusted::new(&two).name()), "{}", table);
        prop_assert_eq!(&cells[5], "end");
    }

    #[test]
    fn a_fence_is_closed_by_us_alone(text in hostile(), info in hostile()) {
        let markdown = format!("{}\nafter", Untrusted::new(&text).fence(&info, 8));
        let events = parse(&markdown);
        prop_assert!(matches!(events.first(), Some(Event::Start(Tag::CodeBlock(_)))), "{events:?}");
        let ends: Vec<usize> = (0..events.len()).filter(|&i| matches!(events[i], Event::End(TagEnd::CodeBlock))).collect();
        prop_assert_eq!(ends.len(), 1);
        prop_assert!(events[1..ends[0]].iter().all(|e| matches!(e, Event::Text(_))), "{events:?}");
        prop_assert_eq!(&events[ends[0] + 1..], &[Event::Start(Tag::Paragraph), Event::Text("after".into()), Event::End(TagEnd::Paragraph)][..]);
        let inside = |line: &str| all_visible(&line.replace('\t', "")) && !line.contains("##[");
        prop_assert!(markdown.lines().all(inside), "{markdown:?}");
    }

    #[test]
    fn t18_a_log_command_is_one_line_of_one_command(text in hostile()) {
        let message = Untrusted::new(&text).log_message();
        let property = Untrusted::new(&text).log_property();
        prop_assert!(all_visible(&message) && all_visible(&property));
        prop_assert!(!property.contains([':', ',']), "{property}");
        for out in [&message, &property] {
            let escaped = |at: usize| ["%25", "%0A", "%3A", "%2C"].iter().any(|e| out[at..].starts_with(e));
            prop_assert!(out.match_indices('%').all(|(at, _)| escaped(at)), "{out}");
        }
    }

    #[test]
    fn safe_json_is_the_same_value(text in hostile()) {
        let json = serde_json::to_string_pretty(&vec![text.clone()]).unwrap();
        let safe = json_safe(&json);
        prop_assert!(!safe.contains('`') && !safe.contains("##["), "{safe}");
        prop_assert!(!safe.chars().any(|c| is_hidden(c) && c != '\n'), "{safe:?}");
        prop_assert_eq!(serde_json::from_str::<Vec<String>>(&safe).unwrap(), vec![text]);
    }
}

/// The cells of a table in order, as a reader sees them; elements other than `<code>` fail.
fn cells(table: &str) -> Vec<String> {
    let mut cells = Vec::new();
    for event in parse(table) {
        match event {
            Event::Start(Tag::TableCell) => cells.push(String::new()),
            Event::Text(text) | Event::Code(text) => cells.last_mut().unwrap().push_str(&text),
            Event::InlineHtml(html) if ["<code>", "</code>"].contains(&&*html) => {}
            Event::Start(Tag::Table(_) | Tag::TableHead | Tag::TableRow) | Event::End(_) => {}
            other => panic!("{other:?} in {table}"),
        }
    }
    cells
}

#[test]
fn t19_what_cannot_be_seen_is_named() {
    let line = |text| Untrusted::new(text).line();
    assert_eq!(
        line("a\u{202e}b\u{200b}c\u{e0041}\u{7}"),
        r"a\u{202E}b\u{200B}c\u{E0041}\u{7}"
    );
    assert_eq!(line("\u{9b}31m \u{ad}"), r"\u{9B}31m \u{AD}");
    assert_eq!(line(" two\twords\r\n here "), "two words here");
    assert_eq!(Untrusted::new("a b\nc\td").name(), r"a b\u{A}c\u{9}d");
}

#[test]
fn ordinary_text_of_the_world_stays_as_it_is() {
    for text in [
        "naïve café",
        "日本語のコメント",
        "Ελληνικά",
        "עברית",
        "हिन्दी",
        "⚠\u{fe0f} careful",
        "1\u{fe0f}\u{20e3}",
        "e\u{301}",
    ] {
        assert_eq!(Untrusted::new(text).line(), text);
        assert_eq!(Untrusted::new(text).prose(), text);
    }
}

#[test]
fn marks_pile_up_only_so_far() {
    let zalgo = format!("a{}", "\u{301}".repeat(6));
    assert_eq!(
        Untrusted::new(&zalgo).line(),
        format!("a{}\\u{{301}}\\u{{301}}", "\u{301}".repeat(4))
    );
    assert_eq!(Untrusted::new("\u{338}a").line(), r"\u{338}a");
}

#[test]
fn prose_reads_as_it_was_written() {
    let prose = |text| Untrusted::new(text).prose();
    let plain = "Bind `name`; don't format it (see section 2.1, or `a | b`).";
    assert_eq!(prose(plain), plain);
    assert_eq!(
        prose("snake_case and 2 * 3 < 7"),
        "snake_case and 2 \\* 3 &lt; 7"
    );
    assert_eq!(
        prose("ask @octocat, or fix #12."),
        "ask `@octocat`, or fix `#12`."
    );
    assert_eq!(
        prose("Closes org/repo#7 (https://e.example/a)"),
        "Closes `org/repo#7` (`https://e.example/a`)"
    );
    assert_eq!(prose("/close now"), "`/close` now");
    assert_eq!(prose("![x](http://e.example)"), "`![x](http://e.example`)");
    assert_eq!(prose("unbalanced ` tick"), "unbalanced &#96; tick");
    assert_eq!(prose("1. first"), "1\\. first");
    assert_eq!(prose("version 0.1.0"), "version 0.1.0");
}

#[test]
fn a_fence_is_longer_than_any_run_in_it() {
    let fence = Untrusted::new("a\n````\nb\n/approve\n").fence("rs\n@x", 10);
    assert_eq!(fence, "`````rsx\na\n````\nb\n /approve\n`````\n");
    assert_eq!(
        Untrusted::new("1\n2\n3").fence("", 2),
        "```\n1\n2\n… 1 more line\n```\n"
    );
}

#[test]
fn log_commands_are_escaped_by_githubs_rules() {
    assert_eq!(
        Untrusted::new("50%\r\n::warning::x").log_message(),
        "50%25%0A::warning::x"
    );
    assert_eq!(Untrusted::new("a:b,c%").log_property(), "a%3Ab%2Cc%25");
}

#[test]
fn commands_of_other_runners_are_none_either() {
    assert_eq!(
        Untrusted::new("a ##vso[task.x]b").line(),
        r"a ##vso\u{5B}task.x]b"
    );
    assert_eq!(Untrusted::new("##[group]").name(), r"##\u{5B}group]");
    assert_eq!(Untrusted::new("## [a](b)").line(), "## [a](b)");
    assert_eq!(json_safe("\"##[x\""), "\"##\\u005bx\"");
}

#[test]
fn tabs_reach_the_next_stop_and_width_is_counted_in_columns() {
    let lines: Vec<String> = Untrusted::new("\tx\r\nab\ty").code_lines().collect();
    assert_eq!(lines, ["    x", "ab  y"]);
    assert_eq!(display_width("日本"), 4);
    assert_eq!(fit_columns("日本語", 5, Ellipsis::Unicode), "日本…");
    assert_eq!(fit_columns("abcdef", 5, Ellipsis::Ascii), "ab...");
    assert_eq!(clip_chars("héllo", 2), "hé…");
}
