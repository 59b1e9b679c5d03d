//! Anchor proof: a quote is searched in the reviewed text (3-debate.md, rule 4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the search for a quote found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "proof", rename_all = "kebab-case")]
pub enum Proof {
    /// The quote stands where it was said to stand.
    Verified,
    /// The quote stands in the file, at another line.
    Relocated {
        /// The line, from 1, nearest to the claimed one.
        line: u32,
    },
    /// The quote was not found, or there was none.
    Unverified {
        /// Why, in words for a person.
        reason: String,
    },
}

impl Proof {
    /// Whether the quote was found.
    pub fn resolves(&self) -> bool {
        !matches!(self, Self::Unverified { .. })
    }

    fn unverified(reason: &str) -> Self {
        Self::Unverified {
            reason: reason.to_owned(),
        }
    }
}

/// The fewest characters, white space aside, that a quote must have to prove anything when it is not a whole line.
pub const SHORTEST_QUOTE: usize = 4;

/// Searches `quote`, said to start at `line` (from 1), in the lines of `text`.
///
/// Lines are compared with outer white space removed and inner runs of white space as one space, since judges copy
/// them from a diff. The first and the last line of the quote may be parts of theirs; those between must be whole. A
/// quote shorter than [`SHORTEST_QUOTE`] counts only where it is a whole line.
pub fn prove(text: &str, line: u32, quote: &str) -> Proof {
    let lines: Vec<String> = text.lines().map(squeeze).collect();
    let mut wanted: Vec<String> = quote.lines().map(squeeze).collect();
    while wanted.last().is_some_and(String::is_empty) {
        wanted.pop();
    }
    let leading = wanted.iter().take_while(|l| l.is_empty()).count();
    wanted.drain(..leading);
    if wanted.is_empty() {
        return Proof::unverified("no quote was given");
    }
    let short = wanted.iter().map(|l| l.chars().count()).sum::<usize>() < SHORTEST_QUOTE;
    let claimed = line as usize;
    let nearest = (0..lines.len())
        .filter(|&at| stands_at(&lines, at, &wanted, short))
        .min_by_key(|&at| ((at + 1).abs_diff(claimed), at));
    match nearest {
        Some(at) if at + 1 == claimed => Proof::Verified,
        Some(at) => Proof::Relocated {
            line: u32::try_from(at + 1).unwrap_or(u32::MAX),
        },
        None => Proof::unverified("the quote does not stand in the file"),
    }
}

/// One line with its white space normalised, as [`prove`] compares it.
pub fn squeeze(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn stands_at(lines: &[String], at: usize, wanted: &[String], whole: bool) -> bool {
    let Some(found) = lines.get(at..at + wanted.len()) else {
        return false;
    };
    let last = wanted.len() - 1;
    found
        .iter()
        .zip(wanted)
        .enumerate()
        .all(|(i, (line, want))| {
            if whole || (i != 0 && i != last) {
                line == want
            } else if last == 0 {
                line.contains(want.as_str())
            } else if i == 0 {
                line.ends_with(want.as_str())
            } else {
                line.starts_with(want.as_str())
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "fn a() {\n    let x = 1;\n}\n\nfn b() {\n    let x = 1;\n}\n";

    #[test]
    fn found_where_claimed() {
        assert_eq!(prove(TEXT, 2, "let x = 1;"), Proof::Verified);
        assert_eq!(prove(TEXT, 6, "  let  x = 1;\n}"), Proof::Verified);
    }

    #[test]
    fn found_elsewhere_takes_the_nearest_line() {
        assert_eq!(prove(TEXT, 7, "let x = 1;"), Proof::Relocated { line: 6 });
        assert_eq!(prove(TEXT, 0, "fn b()"), Proof::Relocated { line: 5 });
    }

    #[test]
    fn a_made_up_quote_proves_nothing() {
        for quote in ["let y = 1;", "", "\n \n", "fn a() {\nfn b() {", "}x"] {
            assert!(!prove(TEXT, 1, quote).resolves(), "{quote:?}");
        }
    }

    #[test]
    fn a_short_quote_must_be_the_whole_line() {
        assert_eq!(prove(TEXT, 3, "}"), Proof::Verified);
        assert!(!prove(TEXT, 2, "x").resolves());
    }
}
