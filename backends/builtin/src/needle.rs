//! The needles of all rules in one automaton: one pass over a line says which rules should look at it.

use std::sync::LazyLock;

use council_secrets::WordFinder;

use crate::rule::RuleCheck;
use crate::rules::RULES;

/// The needles of all rules, and whose each is.
struct KeywordIndex {
    finder: WordFinder,
    /// Index into [`RULES`] of each needle's rule.
    owners: Vec<usize>,
}

// By the size of a change alone, the message of one commit had the quick automaton built: a third of the instructions of
// a review of one line.
static INDEX: LazyLock<KeywordIndex> = LazyLock::new(|| {
    let (mut needles, mut owners) = (Vec::<&str>::new(), Vec::new());
    for (index, rule) in RULES.iter().enumerate() {
        if let RuleCheck::Line { needles: own, .. } = rule.check {
            needles.extend(own);
            owners.resize(needles.len(), index);
        }
    }
    KeywordIndex {
        finder: WordFinder::new(needles).expect("the needles are constant and few"),
        owners,
    }
});

/// The rules whose needles stand in a line, by index into [`RULES`]; one may come several times.
pub(crate) fn rules_in(line: &str) -> impl Iterator<Item = usize> + '_ {
    let found = INDEX.finder.for_text(line).find_overlapping_iter(line);
    found.map(|found| INDEX.owners[found.pattern().as_usize()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_rules_that_should_look_at_it() {
        let line = "let x = foo.UNWRAP(); // TODO: password = eval(input)";
        let found: std::collections::BTreeSet<usize> = rules_in(line).collect();
        assert!(found.len() >= 3);
    }

    #[test]
    fn the_needles_fit_into_the_quick_automaton() {
        // What was read before a text decides by what it is read.
        let text = "x".repeat(1 << 20);
        for _ in 0..2 {
            let _ = INDEX.finder.for_text(&text);
        }
        assert!(INDEX.finder.is_quick());
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
