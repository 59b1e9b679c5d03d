//! From a file to what an agent is asked, and from its answer to what is written.

use council_protocol::answer::{IndependentFinding, Stance, Tag};
use council_protocol::task::{Objection, PeerFinding};
use council_protocol::{Answer, Finding, Task};

use super::point_ref::PointId;
use super::point_standing::PointStanding;
use super::render::{SectionDraft, render_consensus};
use super::standing::{DebateState, point_standings};
use super::transcript::{DebateTranscript, SectionKind};
use super::turns::{NextTurn, next_turn};
use super::votes::vote_of;
use super::wording::stance_in_words;
use super::{DuelEnding, DuelRole};
use crate::council::says_one_problem;

/// How far apart two places may be to mean the same, in lines.
const NEAR_LINES: u32 = 3;

/// What an agent is asked for its next section: the open points of the other side, and what was said against its own.
pub(crate) fn build_task(role: DuelRole, section: SectionKind, text: &str) -> Task {
    let open: Vec<PointStanding> = point_standings(&DebateTranscript::parse(text))
        .into_iter()
        .filter(|p| !p.is_settled())
        .collect();
    let theirs = open.iter().filter(|p| p.id.role != role);
    let own = open.iter().filter(|p| p.id.role == role);
    Task::Duel {
        role: role.letter(),
        section: section.heading(),
        transcript: text.to_owned(),
        theirs: theirs
            .map(|p| PeerFinding {
                id: p.id.to_string(),
                finding: p.finding.clone(),
            })
            .collect(),
        objections: own.filter_map(to_objection).collect(),
    }
}

fn to_objection(point: &PointStanding) -> Option<Objection> {
    let opinion = point.last_of(point.id.role.other())?;
    Some(Objection {
        to: point.id.to_string(),
        finding: point.finding.clone(),
        stance: opinion.stance,
        reasoning: opinion.reasoning.clone(),
        evidence: opinion.evidence.clone(),
    })
}

/// What a side writes in `section`: `review` is its own review of the subject, `answer` its answer to [`task`] (none in
/// an opening, which is the review itself).
pub(crate) fn draft_section(
    role: DuelRole,
    text: &str,
    section: SectionKind,
    review: &Answer,
    answer: Option<&Answer>,
) -> SectionDraft {
    let transcript = DebateTranscript::parse(text);
    let standings = point_standings(&transcript);
    let first = !standings.iter().any(|p| p.id.role == role) && !has_spoken(role, text);
    let voice = answer.unwrap_or(review);
    // The last vote of a side counts. A worse one takes no evidence; a milder one is what becomes of its points.
    let known_vote = vote_of(&transcript, role).map(|(vote, _)| vote);
    let is_worse = known_vote.is_none_or(|known| voice.verdict > known);
    let mut numbers = standings.iter().filter(|p| p.id.role == role).count();
    let mut number = |tag: Option<Tag>, finding: &Finding| {
        numbers += 1;
        let id = PointId {
            role,
            number: u32::try_from(numbers).unwrap_or(u32::MAX),
        };
        (id, tag, finding.clone())
    };
    let own = if section == SectionKind::Opening || first {
        &review.findings[..]
    } else {
        &[]
    };
    let mut points: Vec<_> = own
        .iter()
        .filter(|finding| section == SectionKind::Opening || !is_known(&standings, finding))
        .map(|finding| {
            number(
                (section != SectionKind::Opening).then_some(Tag::New),
                finding,
            )
        })
        .collect();
    // Every turn of a duel is a first one for who reads its answer: what is new may stand under either name.
    let raised = answer.map_or(&[][..], |a| &a.independent_findings).iter();
    let is_new = |raised: &&IndependentFinding| match raised.tag {
        Tag::New => true,
        Tag::Same => meant_by_same(role, &standings, &raised.finding).is_none(),
        Tag::NotReproduced => false,
    };
    let raised = raised.filter(is_new).map(|raised| &raised.finding);
    for finding in answer.map_or(&[][..], |a| &a.findings).iter().chain(raised) {
        let known =
            is_known(&standings, finding) || points.iter().any(|(.., f)| says_it(f, finding));
        if !known {
            points.push(number(Some(Tag::New), finding));
        }
    }
    let replies = answer.map_or_else(Vec::new, |answer| usable_replies(&standings, answer));
    let is_agreed = |id: PointId| {
        let mut to = replies.iter().filter(|(to, ..)| *to == id);
        to.any(|(_, stance, ..)| *stance == Stance::Agreed)
    };
    let found_too = own.iter().filter_map(|finding| {
        let theirs = find_theirs(role, &standings, finding);
        let theirs = theirs.filter(|point| section != SectionKind::Opening && is_agreed(point.id));
        Some((theirs?.id, finding.clone()))
    });
    let called_same = answer.map_or_else(Vec::new, |answer| found_same(role, &standings, answer));
    let (same_as, same): (Vec<PointId>, Vec<Finding>) = found_too.chain(called_same).unzip();
    let open = standings
        .iter()
        .filter(|p| p.id.role != role && !p.is_settled());
    let unanswered = open.map(|p| p.id);
    SectionDraft {
        position: (first || is_worse).then(|| (voice.verdict, voice.key_insight.clone())),
        agrees: agrees_with_objection(role, &transcript, &voice.key_insight),
        unanswered: unanswered
            .filter(|id| !replies.iter().any(|(to, ..)| to == id) && !same_as.contains(id))
            .collect(),
        replies,
        points,
        same,
    }
}

/// Whether a sentence agrees where the other side objects in words alone.
fn agrees_with_objection(role: DuelRole, transcript: &DebateTranscript, sentence: &str) -> bool {
    let state = DebateState::read(transcript);
    let mut objections = state.objections.iter();
    objections.any(|said| said.role != role) && stance_in_words(sentence) == Some(Stance::Agreed)
}

/// The points of a task that an answer to it leaves uncategorised.
pub(crate) fn unanswered_points<'a>(task: &'a Task, answer: &Answer) -> Vec<&'a str> {
    let Task::Duel { theirs, .. } = task else {
        return Vec::new();
    };
    let answered = |id: &str| answer.responses.iter().any(|response| response.to == id);
    let ids = theirs.iter().map(|point| point.id.as_str());
    ids.filter(|id| !answered(id)).collect()
}

/// Replies to points that stand in the file; the rest speaks to nobody.
fn usable_replies(
    standings: &[PointStanding],
    answer: &Answer,
) -> Vec<(
    PointId,
    council_protocol::answer::Stance,
    String,
    Option<council_protocol::answer::Evidence>,
)> {
    let known = |id: &PointId| standings.iter().any(|p| p.id == *id && !p.is_settled());
    let replies = answer.responses.iter().filter_map(|response| {
        let id = PointId::parse(&response.to).filter(known)?;
        Some((
            id,
            response.stance,
            response.reasoning.clone(),
            response.evidence.clone(),
        ))
    });
    replies.collect()
}

fn has_spoken(role: DuelRole, text: &str) -> bool {
    let sections = DebateTranscript::parse(text).sections;
    sections
        .iter()
        .any(|s| s.signature.as_ref().is_some_and(|g| g.role == role))
}

/// The other side's point about the problem of a finding: a line may have two, and its place tells neither apart.
fn find_theirs<'a>(
    role: DuelRole,
    standings: &'a [PointStanding],
    finding: &Finding,
) -> Option<&'a PointStanding> {
    let mut theirs = standings.iter().filter(|point| point.id.role != role);
    theirs
        .find(|point| is_near(&point.finding, finding) && says_one_problem(&point.finding, finding))
}

/// The point of the other side that a side calls the same as its own finding: its words decide which of two of a place.
fn meant_by_same<'a>(
    role: DuelRole,
    standings: &'a [PointStanding],
    finding: &Finding,
) -> Option<&'a PointStanding> {
    let is_meant =
        |point: &&PointStanding| point.id.role != role && is_near(&point.finding, finding);
    let near = || standings.iter().find(is_meant);
    find_theirs(role, standings, finding).or_else(near)
}

/// What an answer has found as well and calls the same as a point of the other side that is open.
fn found_same(
    role: DuelRole,
    standings: &[PointStanding],
    answer: &Answer,
) -> Vec<(PointId, Finding)> {
    let same = answer.independent_findings.iter();
    let same = same
        .filter(|raised| raised.tag == Tag::Same)
        .map(|raised| &raised.finding);
    let same = same.filter_map(|finding| {
        let meant = meant_by_same(role, standings, finding)?;
        (!meant.is_settled()).then(|| (meant.id, finding.clone()))
    });
    same.collect()
}

/// Whether a point says it already.
fn is_known(standings: &[PointStanding], finding: &Finding) -> bool {
    standings
        .iter()
        .any(|point| says_it(&point.finding, finding))
}

/// Whether a known finding says as much as another of the same place. A critical problem beside a remark is another
/// one, and so is another problem of its line.
pub(crate) fn says_it(known: &Finding, finding: &Finding) -> bool {
    is_near(known, finding)
        && known.severity >= finding.severity
        && says_one_problem(known, finding)
}

fn is_near(a: &Finding, b: &Finding) -> bool {
    a.location.path == b.location.path && a.location.line.abs_diff(b.location.line) <= NEAR_LINES
}

/// The closing by one side: what is settled, what is open, and which side was waited for in vain.
pub(crate) fn draft_closing(role: DuelRole, text: &str, ending: DuelEnding, sign: &str) -> String {
    let (settled, open) = split_by_settled(text);
    let late = match next_turn(&DebateTranscript::parse(text)) {
        NextTurn::Append { role: due, .. } if due != role => Some(due),
        _ => None,
    };
    render_consensus(ending, late, &settled, &open, sign)
}

/// Points by whether they are settled, for the CONSENSUS.
fn split_by_settled(text: &str) -> (Vec<PointId>, Vec<PointId>) {
    let standings = point_standings(&DebateTranscript::parse(text));
    let (settled, open): (Vec<_>, Vec<_>) = standings.iter().partition(|p| p.is_settled());
    let ids = |points: Vec<&PointStanding>| points.iter().map(|p| p.id).collect();
    (ids(settled), ids(open))
}

#[cfg(test)]
mod tests {
    use council_protocol::answer::Response;
    use council_protocol::{Location, Severity, Vote};

    use super::super::render::{render_section as write, render_signature};
    use super::*;

    fn finding(path: &str, line: u32) -> Finding {
        Finding {
            severity: Severity::Significant,
            category: String::new(),
            rule: None,
            description: format!("{path} is bad"),
            location: Location {
                path: path.into(),
                line,
                end_line: None,
            },
            quote: "let x = 1;".into(),
            why: "because".into(),
            fix: "mend".into(),
            suggestion: None,
            reference: None,
        }
    }

    fn review(findings: Vec<Finding>) -> Answer {
        Answer {
            findings,
            key_insight: "seen".into(),
            ..Answer::new(1, "k", Vote::Warn)
        }
    }

    fn opening() -> String {
        let own = review(vec![finding("a.rs", 1), finding("b.rs", 20)]);
        let speech = draft_section(DuelRole::A, "", SectionKind::Opening, &own, None);
        write(
            SectionKind::Opening,
            &speech,
            &render_signature(DuelRole::A, "t", "2025-06-15T14:30:00Z"),
        )
    }

    #[test]
    fn a_first_response_answers_each_point_and_adds_its_own() {
        let text = opening();
        let Task::Duel {
            theirs, objections, ..
        } = build_task(DuelRole::B, SectionKind::Response(1), &text)
        else {
            panic!()
        };
        let ids: Vec<_> = theirs.iter().map(|p| p.id.as_str()).collect();
        assert_eq!((ids, objections.len()), (vec!["A1", "A2"], 0));
        let own = review(vec![finding("a.rs", 2), finding("c.rs", 3)]);
        let reply = |to: &str, stance| Response {
            to: to.into(),
            stance,
            reasoning: "so".into(),
            evidence: None,
        };
        let mut answer = review(Vec::new());
        answer.responses = vec![
            reply("A1", Stance::Agreed),
            reply("A2", Stance::Disagreed),
            reply("A9", Stance::Agreed),
        ];
        let speech = draft_section(
            DuelRole::B,
            &text,
            SectionKind::Response(1),
            &own,
            Some(&answer),
        );
        assert_eq!(speech.replies.len(), 2);
        let points: Vec<_> = speech
            .points
            .iter()
            .map(|(id, tag, _)| (id.to_string(), *tag))
            .collect();
        assert_eq!(points, [("B1".to_owned(), Some(Tag::New))]);
        assert!(speech.position.is_some());
    }

    /// A side that agrees to a remark and finds something worse says so, in whatever section and under whatever name.
    #[test]
    fn what_a_later_section_finds_is_a_point() {
        let critical = Finding {
            severity: Severity::Critical,
            ..finding("a.rs", 2)
        };
        for (as_independent, section) in [false, true]
            .into_iter()
            .flat_map(|i| [(i, SectionKind::FollowUp(1)), (i, SectionKind::Response(1))])
        {
            let mut answer = review(Vec::new());
            let tag = Tag::New;
            let finding = critical.clone();
            if as_independent {
                answer.independent_findings = vec![IndependentFinding { tag, finding }];
            } else {
                answer.findings = vec![finding];
            }
            let role = match section {
                SectionKind::FollowUp(_) => DuelRole::A,
                _ => DuelRole::B,
            };
            let said = draft_section(
                role,
                &opening(),
                section,
                &review(Vec::new()),
                Some(&answer),
            );
            let found: Vec<_> = said.points.iter().map(|(.., f)| f.severity).collect();
            assert_eq!(found, [Severity::Critical], "{as_independent} {section:?}");
        }
    }

    proptest::proptest! {
        /// A side that comes to a worse vote says so, whatever section it writes and whatever else it has to say.
        #[test]
        fn the_worst_a_side_has_come_to_stands_in_the_file(
            votes in proptest::collection::vec(
                proptest::sample::select(vec![Vote::Pass, Vote::Warn, Vote::Fail]), 1..5,
            ),
            replies in proptest::bool::ANY,
            finds in proptest::bool::ANY,
        ) {
            let mut text = opening();
            let mut worst = None;
            for (nth, vote) in (1u8..).zip(votes) {
                let mut answer = review(Vec::new());
                answer.verdict = vote;
                if replies {
                    answer.responses = vec![Response {
                        to: "A1".into(),
                        stance: Stance::Agreed,
                        reasoning: "so".into(),
                        evidence: None,
                    }];
                }
                if finds {
                    answer.findings = vec![finding("z.rs", 10 * u32::from(nth))];
                }
                let section = SectionKind::Response(nth.into());
                let said = draft_section(DuelRole::B, &text, section, &review(vec![]), Some(&answer));
                let time = format!("2025-06-15T14:3{nth}:00Z");
                text += &write(section, &said, &render_signature(DuelRole::B, "t", &time));
                worst = worst.max(Some(vote));
                let known = vote_of(&DebateTranscript::parse(&text), DuelRole::B);
                proptest::prop_assert_eq!(known.map(|(vote, _)| vote), worst, "{}", text);
            }
        }
    }

    #[test]
    fn a_follow_up_is_asked_about_what_is_open_only() {
        let mut text = opening();
        let mut answer = review(Vec::new());
        answer.responses = [("A1", Stance::Agreed), ("A2", Stance::Disagreed)]
            .map(|(to, stance)| Response {
                to: to.into(),
                stance,
                reasoning: "so".into(),
                evidence: None,
            })
            .into();
        let said = draft_section(
            DuelRole::B,
            &text,
            SectionKind::Response(1),
            &review(Vec::new()),
            Some(&answer),
        );
        text += &write(
            SectionKind::Response(1),
            &said,
            &render_signature(DuelRole::B, "t", "2025-06-15T14:31:00Z"),
        );
        let Task::Duel {
            theirs, objections, ..
        } = build_task(DuelRole::A, SectionKind::FollowUp(1), &text)
        else {
            panic!()
        };
        assert_eq!(theirs.len(), 0);
        let to: Vec<_> = objections.iter().map(|o| o.to.as_str()).collect();
        assert_eq!(to, ["A2"]);
        assert_eq!(split_by_settled(&text).0.len(), 1);
        let again = draft_section(
            DuelRole::A,
            &text,
            SectionKind::FollowUp(1),
            &review(vec![finding("z.rs", 1)]),
            Some(&answer),
        );
        assert!(again.position.is_none() && again.points.is_empty());
    }
}
