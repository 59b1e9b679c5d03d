//! The needles of all rules in one automaton: one pass over a line says which rules should look at it.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::rule::RuleCheck;
use crate::rules::RULES;

/// The needles of all rules, and whose each is.
pub(crate) struct KeywordIndex {
    automaton: AhoCorasick,
    /// Index into [`RULES`] of each needle's rule.
    owners: Vec<usize>,
}

impl KeywordIndex {
    fn new(kind: AhoCorasickKind) -> Self {
        let (mut needles, mut owners) = (Vec::<&str>::new(), Vec::new());
        for (index, rule) in RULES.iter().enumerate() {
            if let RuleCheck::Line { needles: own, .. } = rule.check {
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
    pub(crate) fn rules_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = usize> + 't {
        self.automaton
            .find_overlapping_iter(text)
            .map(|found| self.owners[found.pattern().as_usize()])
    }
}

/// Quick to build, for changes as people make them.
static SMALL: LazyLock<KeywordIndex> =
    LazyLock::new(|| KeywordIndex::new(AhoCorasickKind::ContiguousNFA));
/// Quick to run: it takes milliseconds to build, and wins them back on many thousand lines.
static LARGE: LazyLock<KeywordIndex> = LazyLock::new(|| KeywordIndex::new(AhoCorasickKind::DFA));

/// Lines of a change from which on [`LARGE`] is the faster one.
const MIN_LINES_FOR_DFA: usize = 8_000;

/// The needles for a change of so many lines.
pub(crate) fn keyword_index(lines: usize) -> &'static KeywordIndex {
    if lines < MIN_LINES_FOR_DFA {
        &SMALL
    } else {
        &LARGE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_automata_find_the_same() {
        let text = "let x = foo.UNWRAP(); // TODO: password = eval(input)";
        let found = |needles: &KeywordIndex| {
            needles
                .rules_in(text)
                .collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(
            found(keyword_index(1)),
            found(keyword_index(MIN_LINES_FOR_DFA))
        );
        assert!(found(keyword_index(1)).len() >= 3);
    }

    #[test]
    fn every_needle_is_lower_case_and_no_single_character() {
        for rule in RULES {
            if let RuleCheck::Line { needles, .. } = rule.check {
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
