//! Fingerprints: the same problem keeps its name while lines move around it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use council_protocol::Finding;
use sha2::{Digest, Sha256};

use super::outcome::JudgedFinding;

/// What a finding is about: the rule that speaks, or else the category that its judge gives it, in small letters.
pub(super) fn class_of(finding: &Finding) -> String {
    let class = finding.rule.as_deref().unwrap_or(&finding.category);
    class.to_lowercase()
}

/// 16 hex digits from the rule (or else the category), the path, and the squeezed lines around the place. What a rule
/// finds is another finding than a model's whose category is called as the rule is. `nth` tells findings apart that agree
/// in all of these, in the order of their lines.
pub(super) fn fingerprint(finding: &Finding, context: &str, nth: usize) -> String {
    let class = class_of(finding);
    let text = [context, &finding.quote, &finding.description]
        .map(|t| t.split_whitespace().collect::<Vec<_>>().join(" "))
        .into_iter()
        .find(|t| !t.is_empty())
        .unwrap_or_default();
    let mut hasher = Sha256::new();
    let shown = [
        class.as_bytes(),
        finding.location.path.as_bytes(),
        text.as_bytes(),
    ];
    // Models call their findings as rules are called, and mean no less another one.
    let by_model = finding.rule.is_none().then_some(b"said".as_slice());
    let rest = rest_digits(&finding.description).map(str::as_bytes);
    for part in shown.into_iter().chain(by_model).chain(rest) {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.update((nth as u64).to_le_bytes());
    hex::encode(&hasher.finalize()[..8])
}

/// What a part of a finding is called, which is about another class, where nobody knows what stands around it.
pub(super) fn part_name(whole: &str, class: &str) -> String {
    let mut hasher = Sha256::new();
    for part in [whole.as_bytes(), class.as_bytes()] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hex::encode(&hasher.finalize()[..8])
}

/// How many findings of one name are told apart where one is looked for by what stands around it.
const MAX_NAMESAKES: usize = 64;

/// Whether a finding has its name from this context: the lines around its place, as they were searched, under whatever one
/// of its judges calls it. A person who dismissed it has read them.
pub fn is_named_by(found: &JudgedFinding, context: &str) -> bool {
    let gives_name = |finding: &Finding| {
        let mut names = (0..MAX_NAMESAKES).map(|nth| fingerprint(finding, context, nth));
        names.any(|name| name == found.fingerprint)
    };
    let called = |class| Finding {
        category: class,
        ..found.finding.clone()
    };
    let is_said = found.finding.rule.is_none();
    gives_name(&found.finding) || is_said && said_classes(found).map(called).any(|f| gives_name(&f))
}

/// What the judges of a finding call it, and called it when it was dismissed.
fn said_classes(found: &JudgedFinding) -> impl Iterator<Item = String> {
    let held = found.members.iter().map(|member| class_of(&member.finding));
    let then = found.dismissed.iter().flat_map(|said| said.classes.clone());
    held.chain(then).collect::<BTreeSet<_>>().into_iter()
}

/// What a finding is called by the lines around it now; none: as it was.
pub fn name_now(found: &JudgedFinding, context: &str) -> Option<String> {
    (!is_named_by(found, context)).then(|| fingerprint(&found.finding, context, 0))
}

/// The digits of `There are 34 more in this file (3f9a).`: what a finding stands for beside its own place.
fn rest_digits(description: &str) -> Option<&str> {
    split_rest(description).map(|(_, digits)| digits)
}

/// What stands before these digits.
pub(super) fn rest_before_digits(description: &str) -> Option<&str> {
    split_rest(description).map(|(words, _)| words)
}

fn split_rest(description: &str) -> Option<(&str, &str)> {
    let (words, digits) = description.strip_suffix(").")?.rsplit_once(" (")?;
    let is_rest = words.contains(" more ") && digits.len() == 4;
    (is_rest && digits.bytes().all(|b| b.is_ascii_hexdigit())).then_some((words, digits))
}

/// What a finding stands for beside its own place, in its own words; none: it stands for itself alone.
pub fn rest_words(description: &str) -> Option<Cow<'_, str>> {
    rest_digits(description)?;
    let start = ["There are ", "There is "]
        .iter()
        .filter_map(|words| description.find(words))
        .min()?;
    Some(readable_description(&description[start..]))
}

/// A description as people read it: without the digits that tell what it stands for from others, which are for its
/// fingerprint alone.
pub fn readable_description(description: &str) -> Cow<'_, str> {
    match rest_digits(description) {
        // ` (3f9a).` ends it.
        Some(digits) => format!("{}.", &description[..description.len() - digits.len() - 4]).into(),
        None => description.into(),
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::{Location, Severity};
    use proptest::prelude::*;

    use super::*;

    fn finding(line: u32) -> Finding {
        Finding {
            severity: Severity::Minor,
            category: "Secrets".into(),
            rule: None,
            description: "d".into(),
            location: Location {
                path: "a.rs".into(),
                line,
                end_line: None,
            },
            quote: "let x = 1;".into(),
            why: String::new(),
            fix: String::new(),
            suggestion: None,
            reference: None,
        }
    }

    #[test]
    fn it_survives_moved_lines_and_changed_words_and_nothing_else() {
        let base = fingerprint(&finding(3), "a\nlet x = 1;\nb", 0);
        assert_eq!(base.len(), 16);
        let moved = Finding {
            description: "other words".into(),
            category: "secrets".into(),
            ..finding(90)
        };
        assert_eq!(fingerprint(&moved, "a\n  let x  = 1;\nb", 0), base);
        let elsewhere = Finding {
            location: Location {
                path: "b.rs".into(),
                line: 3,
                end_line: None,
            },
            ..finding(3)
        };
        let ruled = Finding {
            rule: Some("secrets/key".into()),
            ..finding(3)
        };
        assert_ne!(fingerprint(&elsewhere, "a\nlet x = 1;\nb", 0), base);
        assert_ne!(fingerprint(&ruled, "a\nlet x = 1;\nb", 0), base);
        assert_ne!(fingerprint(&finding(3), "a\nlet x = 2;\nb", 0), base);
        assert_ne!(fingerprint(&finding(3), "a\nlet x = 1;\nb", 1), base);
        let more = |digits: &str| Finding {
            description: format!("d. There are 2 more in this file ({digits})."),
            ..finding(3)
        };
        let of = |digits| fingerprint(&more(digits), "a\nlet x = 1;\nb", 0);
        assert_ne!(of("3f9a"), base);
        assert_ne!(of("3f9a"), of("3f9b"));
        assert_eq!(of("none"), base);
    }

    proptest! {
        /// However a model calls its finding, it has never the name of one that a rule found, nor of one more of those.
        #[test]
        fn a_model_never_takes_the_name_of_a_rules_finding(
            class in "[a-z-]{1,12}(/[a-z-]{1,8})?",
            context in "[a-z =\n]{0,30}",
            told in prop::sample::select(vec!["d", "There are 2 more in this file (3f9a)."]),
            nth in (0usize..4, 0usize..4),
        ) {
            let said = Finding { category: class.clone(), description: told.into(), ..finding(3) };
            let ruled = Finding { rule: Some(class), ..said.clone() };
            prop_assert_ne!(fingerprint(&said, &context, nth.0), fingerprint(&ruled, &context, nth.1));
            prop_assert_eq!(class_of(&said), class_of(&ruled));
        }
    }

    #[test]
    fn nobody_reads_the_digits_of_a_fingerprint() {
        let told = "d (x). There are 2 more in this file: lines 3 and 4 (3f9a).";
        let shown = "d (x). There are 2 more in this file: lines 3 and 4.";
        assert_eq!(readable_description(told), shown);
        assert_eq!(
            rest_words(told).unwrap(),
            "There are 2 more in this file: lines 3 and 4."
        );
        for own in ["It calls f (beef).", "More (3f9a).", "There are 2 more", ""] {
            assert_eq!(readable_description(own), own);
        }
    }
}
