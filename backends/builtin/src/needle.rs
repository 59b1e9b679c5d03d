//! The needles of all rules in one automaton: one pass over a line says which rules should look at it.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::rule::Check;
use crate::rules::RULES;

/// The needles of all rules, and whose each is.
pub(crate) struct Needles {
    automaton: AhoCorasick,
    /// Index into [`RULES`] of each needle's rule.
    owners: Vec<usize>,
}

impl Needles {
    fn new(kind: AhoCorasickKind) -> Self {
        let (mut needles, mut owners) = (Vec::<&str>::new(), Vec::new());
        for (index, rule) in RULES.iter().enumerate() {
            if let Check::Line { needles: own, .. } = rule.check {
                needles.extend(own);
                owners.resize(needles.len(), index);
            }
        }
        let built = AhoCorasick::builder()
            .kind(Some(kind))
            .ascii_case_insensitive(true)
            .build(needles);
        Self {
            automaton: built.expect("the needles are constant and few"),
            owners,
        }
    }

    /// The rules whose needles stand in a text, by index into [`RULES`]; one may come several times.
    pub(crate) fn owners_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        self.automaton
            .find_overlapping_iter(text)
            .map(|found| self.owners[found.pattern().as_usize()])
    }
}

/// Quick to build, for changes as people make them.
static SMALL: LazyLock<Needles> = LazyLock::new(|| Needles::new(AhoCorasickKind::ContiguousNFA));
/// Quick to run: it takes milliseconds to build, and wins them back on many thousand lines.
static LARGE: LazyLock<Needles> = LazyLock::new(|| Needles::new(AhoCorasickKind::DFA));

/// Lines of a change from which on [`LARGE`] is the faster one.
const MANY: usize = 8_000;

/// The needles for a change of so many lines.
pub(crate) fn needles(lines: usize) -> &'static Needles {
    if lines < MANY { &SMALL } else { &LARGE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_automata_find_the_same() {
        let text = "let x = foo.UNWRAP(); // TODO: password = eval(input)";
        let found = |needles: &Needles| {
            needles
                .owners_in(text)
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(found(needles(1)), found(needles(MANY)));
        assert!(found(needles(1)).len() >= 3);
    }

    #[test]
    fn every_needle_is_lower_case_and_no_single_character() {
        for rule in RULES {
            if let Check::Line { needles, .. } = rule.check {
                assert!(!needles.is_empty(), "{}", rule.info.id);
                for needle in needles {
                    assert!(
                        needle.len() > 1,
                        "{needle:?} of {} is too common",
                        rule.info.id
                    );
                    assert_eq!(*needle, needle.to_ascii_lowercase(), "{}", rule.info.id);
                }
            }
        }
    }
}
