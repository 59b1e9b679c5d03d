//! What another judge's finding is about: the rules that look for the same thing.

use council_protocol::Finding;

use crate::rule::{BuiltinRule, RuleCheck, RuleScope};
use crate::rules::RULES;

/// The rules that a finding names, or whose subject its words are.
pub(super) fn rules_about(finding: &Finding) -> Vec<&'static BuiltinRule> {
    let named = finding.rule.as_deref();
    if let Some(rule) = RULES.iter().find(|rule| Some(rule.info.id) == named) {
        return vec![rule];
    }
    let words = [
        &finding.category,
        &finding.description,
        &finding.why,
        &finding.fix,
    ];
    let words = words.map(|text| text.to_lowercase()).join("\n");
    let about = |rule: &&&BuiltinRule| {
        finding.why == rule.info.why
            || words.contains(&rule.info.id.replace('-', " "))
            || rule
                .claims
                .iter()
                .any(|claim| contains_claim(&words, claim))
    };
    RULES.iter().filter(about).copied().collect()
}

/// Whether the words hold the claim, not in the middle of a word.
fn contains_claim(words: &str, claim: &str) -> bool {
    words.match_indices(claim).any(|(at, _)| {
        let before = words[..at].chars().next_back();
        !claim.starts_with(char::is_alphanumeric) || before.is_none_or(|c| !c.is_alphanumeric())
    })
}

/// Where in a text a needle of the rule stands.
pub(super) fn keyword_in(rule: &BuiltinRule, text: &str) -> Option<usize> {
    let RuleCheck::Line { needles, .. } = rule.check else {
        return None;
    };
    let lower = text.to_ascii_lowercase();
    needles.iter().find_map(|needle| lower.find(needle))
}

/// Whether the rule is about what code does: then what stands in a comment or a test is not its matter.
pub(super) fn is_about_code(rule: &BuiltinRule) -> bool {
    const ANYWHERE: [&str; 8] = [
        "secrets",
        "debt",
        "prompt-injection",
        "unicode",
        "excuses",
        "merge",
        "lints",
        "dead-code",
    ];
    rule.scope == RuleScope::Production && !ANYWHERE.contains(&rule.info.category)
}

#[cfg(test)]
mod tests {
    use council_protocol::{Location, Severity};

    use super::*;

    fn finding(description: &str) -> Finding {
        Finding {
            severity: Severity::Significant,
            category: String::new(),
            rule: None,
            description: description.to_owned(),
            location: Location {
                path: "a".into(),
                line: 1,
                end_line: None,
            },
            quote: String::new(),
            why: String::new(),
            fix: String::new(),
            suggestion: None,
            reference: None,
        }
    }

    fn about(description: &str) -> Vec<&'static str> {
        rules_about(&finding(description))
            .iter()
            .map(|rule| rule.info.id)
            .collect()
    }

    #[test]
    fn a_finding_is_recognised_by_its_words() {
        assert!(about("Possible SQL injection in find()").contains(&"sql-injection"));
        assert!(about("The unwrap() here panics on bad input").contains(&"new-unwrap"));
        assert_eq!(about("The cache is never invalidated"), Vec::<&str>::new());
    }

    #[test]
    fn a_claim_is_no_part_of_a_word() {
        assert!(!about("The emysql driver is old").contains(&"sql-injection"));
    }

    #[test]
    fn a_rules_own_reason_gives_it_away_where_its_name_was_scrubbed() {
        let rule = RULES
            .iter()
            .find(|rule| rule.info.id == "shell-injection")
            .unwrap();
        let scrubbed = Finding {
            why: rule.info.reason().to_owned(),
            ..finding("A shell's command line is put together from strings and values.")
        };
        let ids: Vec<_> = rules_about(&scrubbed).iter().map(|r| r.info.id).collect();
        assert!(ids.contains(&"shell-injection"), "{ids:?}");
    }

    #[test]
    fn a_named_rule_is_the_only_one() {
        let named = Finding {
            rule: Some("todo-without-reference".into()),
            ..finding("SQL injection")
        };
        assert_eq!(rules_about(&named).len(), 1);
    }
}
