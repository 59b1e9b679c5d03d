//! What a rule or a tool found and no report lists: nobody was shown it, so that no dismissal covers it.

use council_protocol::{Finding, Severity};

use super::fingerprint::rest_before_digits;
use super::outcome::JudgedFinding;

/// Stands behind the number of what an answer has no room for.
const UNLISTED: &str = " more than an answer lists";

impl JudgedFinding {
    /// How many problems it stands for that nobody was shown, be it the place of each alone.
    pub fn count_unlisted(&self) -> usize {
        let versions = self.members.iter().filter(|member| member.stands());
        let versions = versions.map(|member| &member.finding);
        let counts = versions.chain([&self.finding]).map(count_unlisted);
        counts.max().unwrap_or_default()
    }
}

/// The same of one version. Remarks bar nothing, and are not listed one by one.
fn count_unlisted(finding: &Finding) -> usize {
    let Some(words) = rest_before_digits(&finding.description) else {
        return 0;
    };
    if finding.severity == Severity::Minor {
        return 0;
    }
    // `… and 7 more`: places for which there was no room.
    let places = words.strip_suffix(" more").and_then(last_number);
    let beyond = words.match_indices(UNLISTED);
    let beyond = beyond.filter_map(|(at, _)| last_number(&words[..at]));
    beyond.chain(places).fold(0, usize::saturating_add)
}

/// The number at the end of a text.
fn last_number(text: &str) -> Option<usize> {
    let digits = text.rsplit(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(severity: Severity, description: &str) -> usize {
        count_unlisted(&Finding {
            description: description.into(),
            ..crate::testing::finding(severity, 9)
        })
    }

    proptest! {
        /// Whatever stands in front: what is counted without a place is unlisted, what is named by its line is not.
        #[test]
        fn what_is_only_counted_is_unlisted(count in 1usize..99_999, rest in 1usize..999, said in "[a-z. ]{0,30}") {
            let answer = format!("{said} There are {count} more than an answer lists (3f9a).");
            prop_assert_eq!(told(Severity::Critical, &answer), count);
            prop_assert_eq!(told(Severity::Minor, &answer), 0);
            let lines = format!("{said} There are {count} more in this file: lines 3 and 9");
            prop_assert_eq!(told(Severity::Significant, &format!("{lines} (3f9a).")), 0);
            prop_assert_eq!(told(Severity::Significant, &format!("{lines} and {rest} more (3f9a).")), rest);
            let both = format!("{lines} and {rest} more (3f9b). There are {count} more than an answer lists (3f9a).");
            prop_assert!(told(Severity::Critical, &both) >= count);
        }
    }

    #[test]
    fn a_sentence_of_a_judge_stands_for_itself() {
        for said in [
            "There are 5 more than an answer lists.",
            "Logs once more (3f9a).",
            "",
        ] {
            assert_eq!(told(Severity::Critical, said), 0, "{said}");
        }
    }
}
