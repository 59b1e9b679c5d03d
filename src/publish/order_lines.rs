//! Which lines of a reply are its words: what a forge shows as code, or does not show at all, orders nothing.

/// A block of lines that are no words.
#[derive(Debug, Clone, Copy)]
enum SilentBlock {
    /// It ends with at least as many of these marks alone on a line.
    Fence { mark: char, length: usize },
    /// It ends with the line that has this.
    Until(&'static str),
}

/// HTML whose lines are code or nothing to a reader, by how it begins and ends.
const SILENT_TAGS: [(&str, &str); 4] = [
    ("<pre", "</pre>"),
    ("<script", "</script>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
];

/// From this column on a line is code, or goes on with the line above it.
const CODE_COLUMN: usize = 4;

/// The lines of a text that are words, each with where it begins.
pub(super) fn spoken_lines(body: &str) -> Vec<(usize, &str)> {
    let mut open = None;
    let mut at = 0;
    let mut found = Vec::new();
    for line in body.split_inclusive('\n') {
        let silent = match open {
            Some(block) => Some((block, closes(block, line))),
            None => opened_block(line).map(|block| (block, false)),
        };
        open = silent.and_then(|(block, is_closed)| (!is_closed).then_some(block));
        if silent.is_none() && indentation(line) < CODE_COLUMN {
            found.push((at, line));
        }
        at += line.len();
    }
    found
}

/// The block that a line begins.
fn opened_block(line: &str) -> Option<SilentBlock> {
    if indentation(line) >= CODE_COLUMN {
        return None;
    }
    let text = line.trim();
    opened_fence(text)
        .or_else(|| opened_tag(text))
        .or_else(|| opened_comment(text))
}

fn opened_fence(text: &str) -> Option<SilentBlock> {
    let mark = text
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let info = text.trim_start_matches(mark);
    let length = text.len() - info.len();
    // Behind three backquotes another one makes it code within a line.
    let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then_some(SilentBlock::Fence { mark, length })
}

fn opened_tag(text: &str) -> Option<SilentBlock> {
    let text = text.to_ascii_lowercase();
    let (_, end) = SILENT_TAGS
        .iter()
        .find(|(begin, _)| text.starts_with(begin))?;
    (!text.contains(end)).then_some(SilentBlock::Until(end))
}

fn opened_comment(text: &str) -> Option<SilentBlock> {
    let at = text.rfind("<!--")?;
    let is_open = !text[at..].contains("-->") && !text[..at].ends_with('`');
    is_open.then_some(SilentBlock::Until("-->"))
}

fn closes(block: SilentBlock, line: &str) -> bool {
    match block {
        SilentBlock::Until(end) => line.to_ascii_lowercase().contains(end),
        SilentBlock::Fence { mark, length } => {
            let marks = line.trim();
            let is_alone = marks.chars().all(|c| c == mark);
            is_alone && marks.len() >= length && indentation(line) < CODE_COLUMN
        }
    }
}

/// The column at which a line begins.
fn indentation(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
    blanks.fold(0, |column, c| match c {
        '\t' => (column / CODE_COLUMN + 1) * CODE_COLUMN,
        _ => column + 1,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    use super::*;

    const ORDER: &str = "/council dismiss because x";

    fn is_spoken(body: &str) -> bool {
        spoken_lines(body)
            .iter()
            .any(|(_, line)| line.trim() == ORDER)
    }

    #[test]
    fn what_is_shown_as_code_or_not_at_all_is_no_line_of_words() {
        for silent in [
            "    ORDER",
            "\tORDER",
            "  \tORDER",
            "Whoever agrees may write:\n\n    ORDER\n\nI do not.",
            "```\nORDER\n```",
            "````\n```\nORDER\n```\n````",
            "~~~\n```\nORDER\n~~~",
            "```sh\nORDER",
            "<!--\nORDER\n-->",
            "Hello <!-- not yet:\nORDER\n-->",
            "<pre>\nORDER\n</pre>",
        ] {
            assert!(!is_spoken(&silent.replace("ORDER", ORDER)), "{silent}");
        }
        for spoken in [
            "ORDER",
            "   ORDER",
            "```\nx\n```\nORDER",
            "```x``` is code.\nORDER",
            "<!-- a note -->\nORDER",
            "<pre>x</pre>\nORDER",
            "It says `<!--` there.\nORDER",
            "    code\nORDER",
        ] {
            assert!(is_spoken(&spoken.replace("ORDER", ORDER)), "{spoken}");
        }
    }

    /// Where a parser of Markdown sees the order in a block of code, or in a comment.
    fn silent_orders(body: &str) -> Vec<usize> {
        let mut is_code = false;
        let mut found = Vec::new();
        for (event, range) in Parser::new(body).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(_)) => is_code = true,
                Event::End(TagEnd::CodeBlock) => is_code = false,
                Event::Text(_) if !is_code => {}
                Event::Text(_) | Event::Html(_) | Event::InlineHtml(_) => {
                    let text = &body[range.clone()];
                    found.extend(text.match_indices(ORDER).map(|(at, _)| range.start + at));
                }
                _ => {}
            }
        }
        found
    }

    proptest! {
        #[test]
        fn what_a_parser_sees_in_code_orders_nothing(
            lines in prop::collection::vec(prop::sample::select(vec![
                "```", "````", "~~~", "``` sh", "   ```", "    ```", "<!--", "-->", "<!-- x -->", "", "words", "> words", ORDER, "   /council dismiss because x",
                "    /council dismiss because x", "\t/council dismiss because x",
            ]), 1..9),
        ) {
            let body = lines.join("\n");
            let spoken: Vec<usize> = spoken_lines(&body)
                .iter()
                .map(|(at, line)| at + line.len() - line.trim_start().len())
                .collect();
            for at in silent_orders(&body) {
                prop_assert!(!spoken.contains(&at), "{}: {:?}", at, body);
            }
        }

        /// Whatever stands around it: in a block of code an order is none, and behind the block it is one again.
        #[test]
        fn code_orders_nothing_whatever_is_in_it(
            mark in prop::sample::select(vec!['`', '~']),
            length in 3usize..7,
            above in prop::collection::vec("[a-z ]{0,9}", 0..3),
            inner in prop::collection::vec("(`{1,2}|~{1,2}|[a-z]{1,4})", 0..3),
        ) {
            let fence = mark.to_string().repeat(length);
            let lines = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let code = format!("{}{fence}\n{}{ORDER}\n", lines(&above), lines(&inner));
            prop_assert!(!is_spoken(&code));
            let closed = format!("{code}{fence}\n");
            prop_assert!(!is_spoken(&closed));
            let followed = format!("{closed}{ORDER}\n");
            prop_assert!(is_spoken(&followed));
            let indented = format!("{}    {ORDER}\n", lines(&above));
            prop_assert!(!is_spoken(&indented));
        }
    }
}
