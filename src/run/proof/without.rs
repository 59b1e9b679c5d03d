//! Other lines in the place of those of a finding. With an error there, a test that still passes has never run them. With
//! nothing there but their words in a comment, it has called them and asked for no result, or has read the source.

use council_protocol::Location;

use crate::run::suggestion::line_range;

/// What no language takes for a program. Where there is no statement for it, whatever loads the file fails.
const UNREADABLE: &str = ")]} these lines were taken away {[(";

/// How a language, known by the endings of its files, ends a program; and how a line of it does nothing but remark.
const STATEMENTS: [(&[&str], &str, &str); 7] = [
    (&["py"], "raise RuntimeError('taken away')", "pass  # "),
    (
        &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
        "throw new Error('taken away');",
        "; // ",
    ),
    (&["rs"], "panic! { \"taken away\" }", "; // "),
    (&["go"], "panic(\"taken away\")", "; // "),
    (&["rb"], "raise 'taken away'", "nil # "),
    (&["php"], "throw new \\Exception('taken away');", "; // "),
    (&["sh", "bash"], "exit 99", ": # "),
];

/// The text with an error in the place of the lines, and the text with nothing there but their words in a comment, where
/// the language is known. Both as far indented as the first of the lines. None: they are not there.
pub(super) fn without_lines(text: &[u8], at: &Location) -> Option<Vec<Vec<u8>>> {
    let range = line_range(at);
    if at.line == 0 {
        return None;
    }
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let first = lines.get(range.clone())?.first()?;
    let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t');
    let indent: Vec<u8> = first.iter().take_while(is_blank).copied().collect();
    let name = at.path.display();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut known = STATEMENTS.iter();
    let known = known.find(|(endings, ..)| endings.contains(&ending));
    let error = known.map_or(UNREADABLE, |(_, error, _)| error);
    let mut others = vec![error.as_bytes().to_vec()];
    others.extend(known.map(|(_, _, idle)| {
        let remark = |line: &&[u8]| {
            let words = line.trim_ascii();
            [idle.as_bytes(), words].concat()
        };
        let remarks: Vec<Vec<u8>> = lines[range.clone()].iter().map(remark).collect();
        remarks.join(&[b"\n", indent.as_slice()].concat()[..])
    }));
    let (before, behind) = (lines[..range.start].concat(), lines[range.end..].concat());
    let text = |other: Vec<u8>| [&before, &indent, other.as_slice(), b"\n", &behind].concat();
    Some(others.into_iter().map(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, line: u32, end_line: Option<u32>) -> Location {
        Location {
            path: path.into(),
            line,
            end_line,
        }
    }

    #[test]
    fn an_error_or_nothing_stands_in_the_place_of_the_lines() {
        let text = b"def add(a, b):\n    x = a\n    return x - b\n# end\n";
        let without = |at| {
            let texts = without_lines(text, &at)?.into_iter();
            Some(
                texts
                    .map(|t| String::from_utf8(t).unwrap())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            without(at("a.py", 2, Some(3))).unwrap(),
            [
                "def add(a, b):\n    raise RuntimeError('taken away')\n# end\n",
                "def add(a, b):\n    pass  # x = a\n    pass  # return x - b\n# end\n",
            ]
        );
        let unknown = without(at("a.xyz", 2, None)).unwrap();
        assert!(unknown.len() == 1 && unknown[0].contains(UNREADABLE));
        assert_eq!(without(at("a.py", 0, None)), None);
        assert_eq!(without(at("a.py", 9, None)), None);
        assert_eq!(without(at("a.py", 4, Some(9))), None);
    }
}
