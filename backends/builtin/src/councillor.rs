//! cross-examination and staged debate without a model: a councillor's role is a perspective, a challenge is a check of another's evidence.

use council_protocol::answer::{Ballot, BallotVote, Challenge, ChallengeAnswer, Change, Stance};
use council_protocol::task::{Councillor, DebateBranch, Peer, PutChallenge};
use council_protocol::{Answer, Finding, Turn, Vote};

use crate::debate::{self, ClaimChecker, insight_after};
use crate::review::RulePosition;

/// The most arguments of a councillor.
const MAX_ARGUMENTS: usize = 5;

/// The opening statement.
pub(crate) fn opening_statement(position: &RulePosition, turn: &Turn) -> Answer {
    state_position(position, position.build_answer(turn))
}

/// A round of cross-examination.
pub(crate) fn cross_examine(
    witness: &ClaimChecker<'_>,
    position: &RulePosition,
    turn: &Turn,
    councillors: &[Councillor],
    challenges: &[PutChallenge],
) -> Answer {
    let peers: Vec<Peer> = councillors.iter().map(|c| c.peer.clone()).collect();
    let answer = debate::answer_debate(witness, position, turn, DebateBranch::Disagreed, &peers);
    let checked = answer.responses.len();
    let doubts: Vec<Challenge> = councillors
        .iter()
        .flat_map(|c| raise_challenges(c, &answer))
        .collect();
    let none = match checked {
        0 => "The others hold no finding that could be checked.".to_owned(),
        1 => "I checked the one finding of the others against the change and did not refute it."
            .to_owned(),
        n => format!("I checked {n} findings of the others against the change and refuted none."),
    };
    Answer {
        no_challenge: doubts.is_empty().then_some(none),
        challenges: doubts,
        answers: answer_challenges(position, challenges),
        ..state_position(position, answer)
    }
}

/// Where a judge stands by now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeldPosition<'a> {
    /// The vote that it gave last.
    pub(crate) vote: Vote,
    /// What moved it away from what its own rules had found.
    pub(crate) moved: Option<&'a Change>,
}

impl HeldPosition<'_> {
    /// The answer of whoever stands there.
    fn build_answer(&self, position: &RulePosition, turn: &Turn) -> Answer {
        let mut answer = position.build_answer(turn);
        answer.verdict = self.vote;
        if let Some(change) = self.moved {
            answer.key_insight = insight_after(change);
        }
        answer
    }

    /// What speaks against the change, with what to do about it, worst first. Nobody moves for less than it had found.
    fn collect_grounds(&self, position: &RulePosition) -> Vec<(String, String)> {
        let evidence = self.moved.and_then(|change| change.evidence.as_ref());
        let adopted = evidence.map(|seen| {
            let place = format!("{}:{}", seen.path.display(), seen.line);
            let quote = seen.quote.trim().lines().next().unwrap_or_default();
            let point = format!(
                "{place} reads `{quote}`: another councillor saw it, and the rules confirm it."
            );
            (point, format!("Mend {place}."))
        });
        let own = position.findings.iter();
        let own = own.map(|f| (f.description.clone(), f.fix.clone()));
        adopted.into_iter().chain(own).collect()
    }
}

/// What a sub-turn of a round gets: answers to its challenges, and the position as it is.
pub(crate) fn reply_to_challenges(
    position: &RulePosition,
    held: &HeldPosition<'_>,
    turn: &Turn,
    challenges: &[PutChallenge],
) -> Answer {
    Answer {
        answers: answer_challenges(position, challenges),
        ..state_position(position, held.build_answer(position, turn))
    }
}

/// The final ballot.
pub(crate) fn cast_ballot(position: &RulePosition, held: &HeldPosition<'_>, turn: &Turn) -> Answer {
    let vote = match held.vote {
        Vote::Pass => BallotVote::Proceed,
        Vote::Warn => BallotVote::ProceedWithConditions,
        Vote::Fail => BallotVote::DoNotProceed,
    };
    let mut grounds = held.collect_grounds(position).into_iter();
    let (worst, remedy) = grounds.next().unzip();
    let ballot = Ballot {
        vote,
        strongest_point: worst
            .unwrap_or_else(|| "No rule of this perspective speaks against the change.".to_owned()),
        concession: "No rule can see what the change is for.".to_owned(),
        remaining_concern: grounds.next().map(|(point, _)| point).unwrap_or_default(),
        conditions: match vote {
            BallotVote::ProceedWithConditions => remedy.into_iter().collect(),
            _ => Vec::new(),
        },
    };
    Answer {
        ballot: Some(ballot),
        ..held.build_answer(position, turn)
    }
}

/// Position and arguments: what the rules found, or that they found nothing.
fn state_position(position: &RulePosition, answer: Answer) -> Answer {
    let found = position.findings.iter().take(MAX_ARGUMENTS);
    let mut arguments: Vec<String> = found.map(format_argument).collect();
    if arguments.is_empty() {
        arguments.push(
            "Every rule of this perspective was run over every changed line, and none fires."
                .to_owned(),
        );
    }
    Answer {
        position: Some(answer.key_insight.clone()),
        arguments,
        ..answer
    }
}

fn format_argument(finding: &Finding) -> String {
    let place = &finding.location;
    format!(
        "{}:{}: {}",
        place.path.display(),
        place.line,
        finding.description
    )
}

/// A challenge for each finding that this judge refutes.
fn raise_challenges(councillor: &Councillor, answer: &Answer) -> Vec<Challenge> {
    let refuted = |id: &str| {
        let response = answer.responses.iter().find(|r| r.to == id);
        response.filter(|r| r.stance == Stance::Disagreed)
    };
    let doubts = councillor.peer.findings.iter().filter_map(|shown| {
        let response = refuted(&shown.id)?;
        Some(Challenge {
            to: councillor.role.clone(),
            claim: shown.finding.description.clone(),
            question: format!("{} What shows it nevertheless?", response.reasoning),
        })
    });
    doubts.collect()
}

fn answer_challenges(position: &RulePosition, challenges: &[PutChallenge]) -> Vec<ChallengeAnswer> {
    let answer = |challenge: &PutChallenge| {
        let own = position
            .findings
            .iter()
            .find(|f| f.description == challenge.claim);
        let response = match own {
            Some(finding) => format!(
                "I disagree and hold to it: {} reads `{}`.",
                format_argument(finding),
                finding.quote.trim()
            ),
            None => "I have nothing beyond what my rules find in the change, and none of them speaks of this.".to_owned(),
        };
        ChallengeAnswer {
            challenge: challenge.id.clone(),
            response,
        }
    };
    challenges.iter().map(answer).collect()
}

#[cfg(test)]
mod tests {
    use council_protocol::answer::Evidence;
    use council_protocol::{Location, Severity, Task, TurnId};

    use super::*;

    fn finding() -> Finding {
        Finding {
            severity: Severity::Critical,
            category: "secrets".into(),
            rule: Some("secrets/key".into()),
            description: "A private key is committed.".into(),
            location: Location {
                path: "id_rsa".into(),
                line: 1,
                end_line: None,
            },
            quote: "-----BEGIN".into(),
            why: String::new(),
            fix: "Revoke it.".into(),
            suggestion: None,
            reference: None,
        }
    }

    fn turn(task: Task) -> Turn {
        Turn {
            id: TurnId(1),
            round: 2.into(),
            key: "k".into(),
            task,
            prompt: String::new(),
            timeout_ms: 1,
            spend: None,
        }
    }

    fn put(claim: &str) -> PutChallenge {
        PutChallenge {
            id: "C1".into(),
            from: "critic".into(),
            claim: claim.into(),
            question: "Is it?".into(),
        }
    }

    #[test]
    fn every_challenge_is_answered_with_what_the_rules_show() {
        let position = RulePosition::for_test(Vote::Fail, vec![finding()]);
        let held = HeldPosition {
            vote: Vote::Fail,
            moved: None,
        };
        let answer =
            |claim| reply_to_challenges(&position, &held, &turn(Task::Ballot), &[put(claim)]);
        let own = answer("A private key is committed.");
        assert!(
            own.answers[0].response.contains("id_rsa:1"),
            "{:?}",
            own.answers
        );
        let other = answer("It is slow.");
        assert!(
            other.answers[0]
                .response
                .contains("none of them speaks of this")
        );
    }

    #[test]
    fn arguments_are_given_even_where_nothing_was_found() {
        let answer = opening_statement(
            &RulePosition::for_test(Vote::Pass, Vec::new()),
            &turn(Task::Ballot),
        );
        assert_eq!(
            (answer.arguments.len(), answer.position.is_some()),
            (1, true)
        );
    }

    #[test]
    fn the_ballot_says_what_the_vote_says() {
        for (vote, ballot_vote) in [
            (Vote::Pass, BallotVote::Proceed),
            (Vote::Warn, BallotVote::ProceedWithConditions),
            (Vote::Fail, BallotVote::DoNotProceed),
        ] {
            let position = RulePosition::for_test(Vote::Pass, vec![finding()]);
            let held = HeldPosition { vote, moved: None };
            let answer = cast_ballot(&position, &held, &turn(Task::Ballot));
            assert_eq!(
                (answer.verdict, answer.ballot.unwrap().vote),
                (vote, ballot_vote)
            );
        }
    }

    /// Whoever was moved says by what: its own rules had found nothing.
    #[test]
    fn the_ballot_of_a_judge_that_moved_names_what_moved_it() {
        let position = RulePosition::for_test(Vote::Pass, Vec::new());
        let change = Change {
            from: Vote::Pass,
            to: Vote::Warn,
            evidence: Some(Evidence {
                path: "run.py".into(),
                line: 4,
                quote: "    eval(x)".into(),
            }),
        };
        let held = HeldPosition {
            vote: Vote::Warn,
            moved: Some(&change),
        };
        let answer = cast_ballot(&position, &held, &turn(Task::Ballot));
        let ballot = answer.ballot.unwrap();
        assert_eq!(
            ballot.strongest_point,
            "run.py:4 reads `eval(x)`: another councillor saw it, and the rules confirm it."
        );
        assert_eq!(ballot.conditions, ["Mend run.py:4."]);
        let unmoved = HeldPosition {
            vote: Vote::Pass,
            moved: None,
        };
        let answer = super::cast_ballot(&position, &unmoved, &turn(Task::Ballot));
        assert_eq!(
            answer.ballot.unwrap().strongest_point,
            "No rule of this perspective speaks against the change."
        );
    }
}
