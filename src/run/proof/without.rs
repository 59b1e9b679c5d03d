//! An error in the place of the lines of a finding: a test that still passes has never run them.

use council_protocol::Location;

use crate::run::suggestion::line_range;

/// What no language takes for a program. Where there is no statement for it, whatever loads the file fails.
const UNREADABLE: &str = ")]} these lines were taken away {[(";

/// Statements that end a program of the language with these endings.
const ERRORS: [(&[&str], &str); 7] = [
    (&["py"], "raise RuntimeError('taken away')"),
    (
        &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"],
        "throw new Error('taken away');",
    ),
    (&["rs"], "panic! { \"taken away\" }"),
    (&["go"], "panic(\"taken away\")"),
    (&["rb"], "raise 'taken away'"),
    (&["php"], "throw new \\Exception('taken away');"),
    (&["sh", "bash"], "exit 99"),
];

/// The text with an error in the place of the lines, as far indented as the first of them; none: they are not there.
pub(super) fn without_lines(text: &[u8], at: &Location) -> Option<Vec<u8>> {
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
    let mut known = ERRORS.iter();
    let error = known.find(|(endings, _)| endings.contains(&ending));
    let error = error.map_or(UNREADABLE, |(_, error)| error);
    let before = lines[..range.start].concat();
    Some(
        [
            &before,
            &indent,
            error.as_bytes(),
            b"\n",
            &lines[range.end..].concat(),
        ]
        .concat(),
    )
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
    fn an_error_stands_in_the_place_of_the_lines() {
        let text = b"def add(a, b):\n    x = a\n    return x - b\n# end\n";
        let without = |at| without_lines(text, &at).map(|t| String::from_utf8(t).unwrap());
        assert_eq!(
            without(at("a.py", 2, Some(3))).unwrap(),
            "def add(a, b):\n    raise RuntimeError('taken away')\n# end\n"
        );
        assert!(without(at("a.xyz", 2, None)).unwrap().contains(UNREADABLE));
        assert_eq!(without(at("a.py", 0, None)), None);
        assert_eq!(without(at("a.py", 9, None)), None);
        assert_eq!(without(at("a.py", 4, Some(9))), None);
    }
}
