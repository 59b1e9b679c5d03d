//! Whether findings of different reviews are about one problem: a line may have two, and its place tells neither apart.

use std::borrow::Cow;
use std::collections::BTreeSet;

use council_protocol::{Finding, Location, Proof};

use super::cluster::is_one_flow;
use super::in_place::proven_place;
use super::like_words::{description_words, is_alike, names_in};
use super::other_problem::is_another_problem;
use super::outcome::{FindingMember, JudgedFinding};
use super::said_problem::{SaidProblem, cut_words};
use super::said_words::SaidWords;

/// Categories that hold of nearly every problem, so that two of one name need not be one.
const BROAD_KINDS: [&str; 22] = [
    "bug",
    "bugs",
    "code",
    "correctness",
    "defect",
    "error",
    "errors",
    "fault",
    "finding",
    "general",
    "issue",
    "issues",
    "logic",
    "misc",
    "other",
    "problem",
    "problems",
    "quality",
    "reliability",
    "robustness",
    "security",
    "vulnerability",
];

/// The fewest characters of a quote, blanks aside, by which it is known within another one.
const MIN_QUOTE: usize = 4;

impl SaidProblem {
    /// Whether a finding of the same kind says this in one of its versions.
    pub(super) fn is_said_by(&self, found: &JudgedFinding) -> bool {
        let versions: Vec<_> = standing_versions(found).collect();
        self.is_said_in(versions.iter().map(AsRef::as_ref))
    }

    /// Whether one of these versions says this.
    pub(super) fn is_said_in<'a>(&self, mut versions: impl Iterator<Item = &'a Finding>) -> bool {
        let is_this = |finding: &Finding| {
            let said = self.words_under(finding);
            finding.rule.is_some() || ProblemWords::of(finding).is_part_of(&said)
        };
        versions.any(is_this)
    }

    /// Whether a version under the same category clearly tells of something else: whoever dismissed this has not read that.
    pub(super) fn is_left_by(&self, version: &Finding) -> bool {
        let (now, then) = (ProblemWords::of(version), self.words_under(version));
        version.rule.is_none() && tells_other(&now, &then)
    }

    fn words_under<'a>(&'a self, finding: &'a Finding) -> ProblemWords<'a> {
        ProblemWords {
            category: &finding.category,
            quote: &self.quote,
            description: &self.description,
        }
    }
}

/// Whether two versions of one category clearly tell of two problems.
pub(super) fn tells_other_problem(one: &Finding, other: &Finding) -> bool {
    let is_judged = one.rule.is_none() && other.rule.is_none();
    is_judged && tells_other(&ProblemWords::of(one), &ProblemWords::of(other))
}

fn tells_other(one: &ProblemWords<'_>, other: &ProblemWords<'_>) -> bool {
    let (one, other) = (one.said(), other.said());
    let is_said = one.says_no_more_than(&other) || other.says_no_more_than(&one);
    !is_said && (one.has_nothing_of(&other) || one.names_other_part_than(&other))
}

/// Whether a finding of a later review is this one of an earlier one: two of their versions are about the same problem.
pub fn means_same(new: &JudgedFinding, old: &JudgedFinding) -> bool {
    let is_said = || {
        standing_versions(old)
            .any(|old| standing_versions(new).any(|new| is_one_finding(&new, &old)))
    };
    !is_another_problem(new, old) && !is_removed_elsewhere(new, old) && is_said()
}

/// Whether two findings are about lines that the change removes from different places: they have no place of their own any
/// more, and the same line may have stood in several functions.
fn is_removed_elsewhere(new: &JudgedFinding, old: &JudgedFinding) -> bool {
    let (new, old) = (removed_lines(new), removed_lines(old));
    !new.is_empty() && !old.is_empty() && new.is_disjoint(&old)
}

/// The numbers that the lines of a finding had before the change removed them.
fn removed_lines(found: &JudgedFinding) -> BTreeSet<u32> {
    let standing = found.members.iter().filter(|member| member.stands());
    let lines = standing.filter_map(|member| match member.proof {
        Proof::Removed { old_line, .. } => {
            let more = member
                .finding
                .quote
                .trim()
                .lines()
                .count()
                .saturating_sub(1);
            let last = old_line.saturating_add(u32::try_from(more).unwrap_or(u32::MAX));
            Some(old_line..=last)
        }
        _ => None,
    });
    lines.flatten().collect()
}

/// Whether two sentences about a line say much the same, whichever of them says more.
pub(super) fn says_same_words(one: &Finding, other: &Finding) -> bool {
    let (one, other) = (ProblemWords::of(one).said(), ProblemWords::of(other).said());
    one.says_no_more_than(&other) || other.says_no_more_than(&one)
}

/// Whether two versions of one finding are about one problem of its line.
pub fn says_one_problem(one: &Finding, other: &Finding) -> bool {
    is_one_problem(&ProblemWords::of(one), &ProblemWords::of(other))
}

/// Whether the category of a finding tells its problem from no other one of the line: `bug`, `security`.
pub(super) fn is_broadly_called(finding: &Finding) -> bool {
    finding.rule.is_none() && ProblemWords::of(finding).kinds().is_empty()
}

/// Whether a finding of a later review that has the name of an earlier one is that one.
pub fn is_namesake(new: &JudgedFinding, old: &JudgedFinding) -> bool {
    let said = SaidProblem::of(&old.finding);
    let weighty: Vec<_> = standing_versions(new)
        .filter(|new| is_as_weighty(new, &old.finding))
        .collect();
    new.fingerprint == old.fingerprint
        && !is_another_problem(new, old)
        && said.is_none_or(|said| said.is_said_in(weighty.iter().map(AsRef::as_ref)))
}

/// Whether a later finding may take an earlier one's place: it is as bad, or says the same. A remark about the name of a
/// variable is not the injection that was found in its line, though its judge calls both `sql`.
fn is_as_weighty(new: &Finding, old: &Finding) -> bool {
    new.rule.is_some()
        || new.severity >= old.severity
        || is_alike(&new.description, &old.description)
}

/// What is shown of a finding, and what its judges say of it who have not taken it back, each where its quote was found: the
/// number that a judge gives may be that of another line with a problem of the same kind.
fn standing_versions(found: &JudgedFinding) -> impl Iterator<Item = Cow<'_, Finding>> {
    let members = found.members.iter().filter(|member| member.stands());
    let in_place = |member: &'_ FindingMember| {
        let mut finding = member.finding.clone();
        finding.location = proven_place(&finding.location, &member.proof);
        finding
    };
    let placed = members.map(move |member| match member.proof {
        Proof::Relocated { .. } => Cow::Owned(in_place(member)),
        _ => Cow::Borrowed(&member.finding),
    });
    [Cow::Borrowed(&found.finding)].into_iter().chain(placed)
}

/// Whether two findings of different reviews are about one problem: an edit beside it gives it another fingerprint,
/// and models find other words. Which of one review are, `cluster` says.
pub(super) fn is_one_finding(new: &Finding, old: &Finding) -> bool {
    let lines = |place: &Location| (place.line, place.end_line.unwrap_or(place.line));
    let ((first, last), (old_first, old_last)) = (lines(&new.location), lines(&old.location));
    let overlaps = first <= old_last && old_first <= last;
    let is_one =
        || new.rule.is_some() || is_one_problem(&ProblemWords::of(new), &ProblemWords::of(old));
    new.location.path == old.location.path
        && new.rule == old.rule
        && is_as_weighty(new, old)
        && match overlaps {
            true => is_one(),
            // Of two near lines one gives a value its name that the other one uses.
            false => new.rule.is_none() && is_one_flow(new, old),
        }
}

/// What tells problems of one line apart.
struct ProblemWords<'a> {
    category: &'a str,
    quote: &'a str,
    description: &'a str,
}

/// Whether both are about one problem, whichever of them says more.
fn is_one_problem(one: &ProblemWords<'_>, other: &ProblemWords<'_>) -> bool {
    one.is_part_of(other) || other.is_part_of(one)
}

impl<'a> ProblemWords<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            category: &finding.category,
            quote: cut_words(&finding.quote),
            description: cut_words(&finding.description),
        }
    }

    /// Whether it says nothing but what an earlier one said.
    fn is_part_of(&self, then: &Self) -> bool {
        let (now_said, then_said) = (self.said(), then.said());
        let says_same = now_said.says_no_more_than(&then_said);
        if self.quotes_same(then) {
            let is_one_kind = !self.kinds().is_disjoint(&then.kinds());
            let is_other = now_said.names_other_part_than(&then_said)
                || now_said.names_other_kind_than(&then_said);
            return says_same || is_one_kind && !is_other;
        }
        let (name, before) = (self.category.trim(), then.category.trim());
        says_same && name.eq_ignore_ascii_case(before) && !self.is_about_other_part(then)
    }

    fn said(&self) -> SaidWords {
        SaidWords::of(self.description, self.quote)
    }

    /// What the category names, without words that hold of every problem.
    fn kinds(&self) -> BTreeSet<String> {
        let category = self.category.to_lowercase();
        let words = category.split(|c: char| !c.is_alphanumeric());
        let told = words.filter(|word| !BROAD_KINDS.contains(word));
        told.flat_map(description_words).collect()
    }

    /// Whether one quotes what the other one quotes, or a part of it.
    fn quotes_same(&self, other: &Self) -> bool {
        let bare = |text: &str| -> String { text.split_whitespace().collect() };
        let (own, others) = (bare(self.quote), bare(other.quote));
        let (short, long) = if own.len() <= others.len() {
            (own, others)
        } else {
            (others, own)
        };
        let is_told = short.len() >= MIN_QUOTE || short == long;
        !short.is_empty() && is_told && long.contains(&short)
    }

    /// Whether each names something of its own part of the line in a sentence that is true of many lines.
    fn is_about_other_part(&self, other: &Self) -> bool {
        let names_own = |one: &Self, other: &Self| {
            let (own, others) = (names_in(one.quote), names_in(other.quote));
            let told = names_in(one.description);
            own.difference(&others).any(|name| told.contains(name))
        };
        names_own(self, other) && names_own(other, self)
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::Severity;
    use proptest::prelude::*;

    use super::*;

    fn said(category: &str, quote: &str, words: &str) -> Finding {
        Finding {
            category: category.into(),
            quote: quote.into(),
            description: words.into(),
            ..crate::testing::finding(Severity::Critical, 9)
        }
    }

    const LINE: &str = "return parse(o.amount) / rate(o.day)";

    /// What one says of a part of the line, in words of one, two or three judges.
    const PARSE: [&str; 3] = [
        "parse raises for an empty amount, and nobody catches it.",
        "Nobody catches what parse raises.",
        "The amount may be empty; then parse raises.",
    ];
    const RATE: [&str; 3] = [
        "rate is zero on holidays, so this divides by zero.",
        "Divides by zero on holidays.",
        "On holidays the rate is zero.",
    ];

    proptest! {
        /// Two bugs of one line are two, however broadly judges call both and whatever part of the line they quote; other
        /// words about one of them are one.
        #[test]
        fn two_bugs_of_a_line_are_two_and_other_words_are_one(
            kind in prop::sample::select(vec!["bug", "Bug", "logic", "security", "", "general issue"]),
            whole in any::<[bool; 2]>(),
            words in (0usize..3, 0usize..3),
        ) {
            let quote = |whole, part| if whole { LINE } else { part };
            let parse = |at: usize, whole| said(kind, quote(whole, "parse(o.amount)"), PARSE[at]);
            let rate = |at: usize, whole| said(kind, quote(whole, "rate(o.day)"), RATE[at]);
            let (one, other) = words;
            prop_assert!(!is_one_finding(&rate(one, whole[0]), &parse(other, whole[1])));
            prop_assert!(!is_one_finding(&parse(one, whole[0]), &rate(other, whole[1])));
            prop_assert!(is_one_finding(&parse(one, whole[0]), &parse(other, whole[1])));
            prop_assert!(is_one_finding(&rate(one, whole[0]), &rate(other, whole[1])));
        }
    }

    /// The line that a judge names may be another one with a problem of the same kind: its quote says which is meant.
    #[test]
    fn a_misnumbered_problem_of_the_next_line_is_none_of_this_one() {
        let words = "SQL injection.";
        let judged = |line: u32, quote: &str, claimed: u32| {
            let mut finding = said("sql", quote, words);
            finding.location.line = line;
            let mut claimed_finding = finding.clone();
            claimed_finding.location.line = claimed;
            let proof = match claimed == line {
                true => Proof::Verified,
                false => Proof::Relocated { line },
            };
            let said = FindingMember {
                proof,
                ..crate::testing::member("judge-1", &claimed_finding)
            };
            crate::testing::judged(finding, vec![said])
        };
        let (users, sessions) = (
            "db.execute(f\"delete from users {uid}\")",
            "db.execute(f\"delete from sessions {uid}\")",
        );
        let old = judged(17, users, 17);
        assert!(!means_same(&judged(18, sessions, 17), &old));
        assert!(!means_same(&judged(18, sessions, 18), &old));
        assert!(means_same(&judged(17, users, 18), &old));
    }

    #[test]
    fn a_category_that_says_something_is_one_problem_in_any_words() {
        let one = said("injection", LINE, "The name goes into the query as it is.");
        let german = said("Injection", LINE, "Ungeprüfte Eingabe.");
        let unlimited = said("performance", LINE, "Every row is loaded into memory.");
        assert!(is_one_finding(&german, &one));
        assert!(!is_one_finding(&unlimited, &one));
    }

    /// A category that two problems of a line share makes no one of them, where each is named by a kind of its own: whoever
    /// dismissed one has never heard of the other.
    #[test]
    fn two_well_known_kinds_of_problem_are_two_in_one_category() {
        let injection = said(
            "sql",
            LINE,
            "The amount goes into the SQL text unescaped: SQL injection.",
        );
        let null = said(
            "sql",
            LINE,
            "An amount of None becomes the text None in the query.",
        );
        let untold = said(
            "sql",
            LINE,
            "Untrusted input is spliced into the statement.",
        );
        assert!(!is_one_finding(&null, &injection));
        assert!(!is_one_finding(&injection, &null));
        assert!(is_one_finding(&untold, &injection));
    }

    #[test]
    fn one_sentence_about_two_values_of_a_line_is_about_two_problems() {
        let of = |name: &str| {
            let quote = format!("clean({name})");
            said(
                "injection",
                &quote,
                &format!("The {name} goes into the query as it is."),
            )
        };
        assert!(!is_one_finding(&of("age"), &of("name")));
        assert!(is_one_finding(&of("age"), &of("age")));
    }

    /// Law: however alike two findings are, one about a line that was removed here is not one about the same line that was
    /// removed there; quotes that share a line are of one place.
    #[test]
    fn the_same_line_removed_from_two_places_is_two_problems() {
        let removed = |old_line: u32, quote: &str| {
            let finding = Finding {
                quote: quote.into(),
                ..said("authz", LINE, "Nobody asks any more whether the user may.")
            };
            let mut member = crate::testing::member("ash", &finding);
            member.proof = Proof::Removed { line: 1, old_line };
            crate::testing::judged(finding, vec![member])
        };
        let block = format!("def pay():\n{LINE}");
        for (one, other, is_same) in [
            (removed(2, LINE), removed(2, LINE), true),
            (removed(2, LINE), removed(7, LINE), false),
            (removed(2, LINE), removed(3, LINE), false),
            (removed(2, LINE), removed(1, &block), true),
            (removed(2, LINE), removed(6, &block), false),
        ] {
            assert_eq!(means_same(&one, &other), is_same, "{one:?} {other:?}");
            assert_eq!(means_same(&other, &one), is_same, "{one:?} {other:?}");
        }
    }
}
