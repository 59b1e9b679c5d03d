//! What two sides say of one line, drawn: a line may have several problems, and its place tells none apart.

use council_protocol::answer::{IndependentFinding, Response, Stance, Tag};
use council_protocol::{Answer, Finding, Location, Severity, Vote, prove_quote};
use proptest::prelude::*;

use super::protocol::render::{render_section, render_signature};
use super::protocol::speak::draft_section;
use super::protocol::standing::point_standings;
use super::protocol::transcript::{DebateTranscript, SectionKind};
use super::verdict::tests::plan;
use super::verdict::{SideAccount, judge_transcript};
use super::{DuelEnding, DuelRole};
use crate::council::outcome::Outcome;

const LINE: &str = "return db.run(\"SELECT * FROM users WHERE name = '\" + name + \"'\")";

/// Problems of the line, with the kind that a judge gives each.
const PROBLEMS: [(&str, &str); 3] = [
    (
        "sql",
        "SQL injection: the name is put into the statement unescaped.",
    ),
    (
        "null",
        "A missing value is formatted as the text None and finds the wrong person.",
    ),
    (
        "performance",
        "Every row is loaded into memory at once, without a limit.",
    ),
];

fn problem(nth: usize, severity: Severity) -> Finding {
    let (category, words) = PROBLEMS[nth];
    Finding {
        severity,
        category: category.into(),
        rule: None,
        description: words.into(),
        location: Location {
            path: "users.py".into(),
            line: 1,
            end_line: None,
        },
        quote: LINE.into(),
        why: "so".into(),
        fix: "mend".into(),
        suggestion: None,
        reference: None,
    }
}

fn answer(findings: Vec<Finding>) -> Answer {
    Answer {
        findings,
        ..Answer::new(1, "k", Vote::Fail)
    }
}

/// Where an answer tells a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Field {
    Review,
    Findings,
    Independent,
    CalledSame,
}

/// A side's review and its answer, with these problems in a field.
fn reply(field: Field, problems: Vec<Finding>, stance: Option<Stance>) -> (Answer, Answer) {
    let (mut review, mut reply) = (answer(Vec::new()), answer(Vec::new()));
    let tagged = |tag| move |finding| IndependentFinding { tag, finding };
    match field {
        Field::Review => review.findings = problems,
        Field::Findings => reply.findings = problems,
        Field::Independent => {
            reply.independent_findings = problems.into_iter().map(tagged(Tag::New)).collect();
        }
        Field::CalledSame => {
            reply.independent_findings = problems.into_iter().map(tagged(Tag::Same)).collect();
        }
    }
    reply.responses.extend(stance.map(|stance| Response {
        to: "A1".into(),
        stance,
        reasoning: "so".into(),
        evidence: None,
    }));
    (review, reply)
}

/// The file after A's opening and B's response.
fn write_file(opening: &Answer, review: &Answer, reply: &Answer) -> String {
    let section = SectionKind::Opening;
    let said = draft_section(DuelRole::A, "", section, opening, None);
    let sign = render_signature(DuelRole::A, "t", "2025-06-15T14:30:00Z");
    let text = render_section(section, &said, &sign);
    let section = SectionKind::Response(1);
    let said = draft_section(DuelRole::B, &text, section, review, Some(reply));
    let sign = render_signature(DuelRole::B, "t", "2025-06-15T14:31:00Z");
    text + &render_section(section, &said, &sign)
}

fn judged(text: &str, reviews: [Answer; 2]) -> Outcome {
    let accounts = reviews.map(|review| SideAccount {
        review: Some(review),
        ..SideAccount::default()
    });
    let mut prove = |at: &Location, quote: &str| (prove_quote(LINE, at.line, quote), String::new());
    judge_transcript(
        &DebateTranscript::parse(text),
        DuelEnding::Limit,
        plan(),
        accounts,
        &mut prove,
        &mut |_: &Location| None,
    )
    .unwrap()
    .outcome
}

/// Which judges say a problem in its own words and have not taken it back.
fn holders(outcome: &Outcome, nth: usize) -> Vec<String> {
    let members = outcome.findings.iter().flat_map(|found| &found.members);
    let own = members.filter(|member| {
        member.finding.description == PROBLEMS[nth].1
            && member.proof.resolves()
            && !member.withdrawn
    });
    own.map(|member| member.judge.to_string()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Each problem of a line stands in the file and in the report in its own words, whichever side tells it, in
    /// whatever field, with whatever else in the same answer, and whatever is said of the others; the same problem
    /// again is no second point.
    #[test]
    fn each_problem_of_a_line_stands_in_its_own_words(
        opened in prop::sample::subsequence(vec![0, 1, 2], 1..=2),
        told in prop::sample::subsequence(vec![0, 1, 2], 0..=2),
        worse in any::<bool>(),
        field in prop::sample::select(vec![Field::Review, Field::Findings, Field::Independent]),
        stance in prop::option::of(prop::sample::select(vec![
            Stance::Agreed,
            Stance::PartiallyAgreed,
            Stance::Disagreed,
        ])),
    ) {
        let severity = if worse { Severity::Critical } else { Severity::Significant };
        let all = |nths: &[usize], severity| nths.iter().map(|&nth| problem(nth, severity)).collect::<Vec<_>>();
        let opening = answer(all(&opened, Severity::Critical));
        let (review, reply) = reply(field, all(&told, severity), stance);
        let text = write_file(&opening, &review, &reply);
        let points = point_standings(&DebateTranscript::parse(&text));
        let new = told.iter().filter(|nth| !opened.contains(nth)).count();
        prop_assert_eq!(points.len(), opened.len() + new, "{}", text);
        let outcome = judged(&text, [opening, review]);
        for nth in opened.iter().chain(&told) {
            let is_told = |point: &super::protocol::point_standing::PointStanding| {
                point.finding.description == PROBLEMS[*nth].1
            };
            prop_assert!(points.iter().any(is_told), "{}", text);
            prop_assert!(!holders(&outcome, *nth).is_empty(), "{} {:?}", text, outcome.findings);
        }
    }

    /// What a later section calls the same agrees with the point about that problem, and with none beside it.
    #[test]
    fn what_is_called_the_same_agrees_with_its_own_problem(
        opened in prop::sample::subsequence(vec![0, 1, 2], 1..=3),
        nth in any::<prop::sample::Index>(),
    ) {
        let meant = *nth.get(&opened);
        let all = opened.iter().map(|&nth| problem(nth, Severity::Critical)).collect();
        let called = vec![problem(meant, Severity::Critical)];
        let (review, reply) = reply(Field::CalledSame, called, None);
        let text = write_file(&answer(all), &review, &reply);
        for point in point_standings(&DebateTranscript::parse(&text)) {
            let is_meant = point.finding.description == PROBLEMS[meant].1;
            prop_assert_eq!(point.is_settled(), is_meant, "{}", text);
        }
    }
}

#[test]
fn who_refutes_one_problem_of_a_line_keeps_another_one() {
    let opening = answer(vec![problem(0, Severity::Critical)]);
    let (review, reply) = reply(
        Field::Review,
        vec![problem(1, Severity::Critical)],
        Some(Stance::Disagreed),
    );
    let text = write_file(&opening, &review, &reply);
    let outcome = judged(&text, [opening, review]);
    assert_eq!(holders(&outcome, 1), ["judge-b"], "{text}");
}
