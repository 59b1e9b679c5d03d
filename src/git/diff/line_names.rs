//! Texts with a short name in the place of each line, for a comparison that asks nothing but which lines are equal and
//! how far they are indented.
//!
//! libgit2 takes the SHA-1 of both texts that it is to compare, with the search for collisions that git's own ids need.
//! That costs about as much as the comparison; of the names it costs a sixth.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// The indentation that git's heuristic does not look beyond.
const MAX_INDENT: usize = 200;

/// Names of lines: equal for equal lines.
#[derive(Default)]
pub(super) struct LineNames<'a>(HashMap<&'a [u8], u32, RandomState>);

impl<'a> LineNames<'a> {
    /// The same text in names: as many lines, as far indented, blank where it is blank.
    pub(super) fn rename_lines(&mut self, lines: &[&'a [u8]]) -> Vec<u8> {
        let mut out = Vec::with_capacity(lines.len() * 8);
        for &line in lines {
            match line.iter().position(|&b| !is_space(b)) {
                Some(code) => self.push_name(&mut out, line, code),
                None => out.extend_from_slice(line),
            }
        }
        out
    }

    /// Writes the name of a line whose text begins at `code`.
    fn push_name(&mut self, out: &mut Vec<u8>, line: &'a [u8], code: usize) {
        let indent = indent_width(&line[..code]);
        out.resize(out.len() + indent / 8, b'\t');
        out.resize(out.len() + indent % 8, b' ');
        let next = self.0.len() as u32;
        let mut name = *self.0.entry(line).or_insert(next);
        loop {
            // 64 characters from `0` on, of which none is white space.
            out.push(b'0' + (name & 63) as u8);
            name >>= 6;
            if name == 0 {
                break;
            }
        }
        if line.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
}

/// What C's `isspace` says.
pub(super) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\x0b'
}

/// The columns of white space before a line's text, as git counts them.
fn indent_width(space: &[u8]) -> usize {
    let mut width = 0;
    for byte in space {
        match byte {
            b' ' => width += 1,
            b'\t' => width += 8 - width % 8,
            _ => {}
        }
        if width >= MAX_INDENT {
            return MAX_INDENT;
        }
    }
    width
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(text: &str) -> String {
        let lines: Vec<&[u8]> = text.as_bytes().split_inclusive(|&b| b == b'\n').collect();
        String::from_utf8(LineNames::default().rename_lines(&lines)).unwrap()
    }

    #[test]
    fn equal_lines_have_one_name_and_keep_their_indentation() {
        let text = "fn a() {\n    let b = 1;\n\n \t\tlet c = 2;\n}\nfn a() {\n}";
        assert_eq!(renamed(text), "0\n    1\n\n\t\t2\n3\n0\n4");
    }

    #[test]
    fn many_names_are_all_different() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let names = renamed(&text);
        let all: std::collections::HashSet<&str> = names.lines().collect();
        assert_eq!(all.len(), 10_000);
        assert!(names.len() < text.len() / 2);
    }
}
