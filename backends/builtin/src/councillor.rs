//! Seeds 001 and 002 without a model: a councillor's role is a perspective, a challenge is a check of another's evidence.

use council_protocol::answer::{Ballot, BallotVote, Challenge, ChallengeAnswer, Stance};
use council_protocol::task::{Branch, Councillor, Peer, PutChallenge};
use council_protocol::{Answer, Finding, Turn, Vote};

use crate::debate::{self, Witness};
use crate::review::Position;

/// The most arguments of a councillor (seed 001: three to five).
const MOST_ARGUMENTS: usize = 5;

/// The opening statement.
pub(crate) fn opening(position: &Position, turn: &Turn) -> Answer {
    stand(position, position.answer(turn))
}

/// A round of cross-examination.
pub(crate) fn examine(
    witness: &Witness<'_>,
    position: &Position,
    turn: &Turn,
    councillors: &[Councillor],
    challenges: &[PutChallenge],
) -> Answer {
    let peers: Vec<Peer> = councillors.iter().map(|c| c.peer.clone()).collect();
    let answer = debate::answer(witness, position, turn, Branch::Disagreed, &peers);
    let checked = answer.responses.len();
    let doubts: Vec<Challenge> = councillors
        .iter()
        .flat_map(|c| doubts(c, &answer))
        .collect();
    let none =
        format!("I checked {checked} findings of the others against the change and refuted none.");
    Answer {
        no_challenge: doubts.is_empty().then_some(none),
        challenges: doubts,
        answers: answers(position, challenges),
        ..stand(position, answer)
    }
}

/// What a sub-turn of a round gets: answers to its challenges, and the position as it is.
pub(crate) fn reply(
    position: &Position,
    held: Vote,
    turn: &Turn,
    challenges: &[PutChallenge],
) -> Answer {
    Answer {
        verdict: held,
        answers: answers(position, challenges),
        ..stand(position, position.answer(turn))
    }
}

/// The final ballot.
pub(crate) fn ballot(position: &Position, held: Vote, turn: &Turn) -> Answer {
    let vote = match held {
        Vote::Pass => BallotVote::Proceed,
        Vote::Warn => BallotVote::ProceedWithConditions,
        Vote::Fail => BallotVote::DoNotProceed,
    };
    let worst = position.findings.first();
    let named = |f: &Finding| f.description.clone();
    let ballot = Ballot {
        vote,
        strongest_point: worst.map_or("Nothing was found by rule.".to_owned(), named),
        concession: "No rule can see what the change is for.".to_owned(),
        remaining_concern: position.findings.get(1).map(named).unwrap_or_default(),
        conditions: match vote {
            BallotVote::ProceedWithConditions => worst.map(|f| f.fix.clone()).into_iter().collect(),
            _ => Vec::new(),
        },
    };
    Answer {
        verdict: held,
        ballot: Some(ballot),
        ..position.answer(turn)
    }
}

/// Position and arguments: what the rules found, or that they found nothing.
fn stand(position: &Position, answer: Answer) -> Answer {
    let found = position.findings.iter().take(MOST_ARGUMENTS);
    let mut arguments: Vec<String> = found.map(argument).collect();
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

fn argument(finding: &Finding) -> String {
    let place = &finding.location;
    format!(
        "{}:{}: {}",
        place.path.display(),
        place.line,
        finding.description
    )
}

/// A challenge for each finding that this judge refutes.
fn doubts(councillor: &Councillor, answer: &Answer) -> Vec<Challenge> {
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

fn answers(position: &Position, challenges: &[PutChallenge]) -> Vec<ChallengeAnswer> {
    let answer = |challenge: &PutChallenge| {
        let own = position
            .findings
            .iter()
            .find(|f| f.description == challenge.claim);
        let response = match own {
            Some(finding) => format!(
                "I disagree and hold to it: {} reads `{}`.",
                argument(finding),
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
            round: 2,
            key: "k".into(),
            task,
            prompt: String::new(),
            timeout_ms: 1,
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
    fn seed_001_every_challenge_is_answered_with_what_the_rules_show() {
        let position = Position::of(Vote::Fail, vec![finding()]);
        let answer = |claim| reply(&position, Vote::Fail, &turn(Task::Ballot), &[put(claim)]);
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
    fn seed_001_arguments_are_given_even_where_nothing_was_found() {
        let answer = opening(&Position::of(Vote::Pass, Vec::new()), &turn(Task::Ballot));
        assert_eq!(
            (answer.arguments.len(), answer.position.is_some()),
            (1, true)
        );
    }

    #[test]
    fn seed_001_the_ballot_says_what_the_vote_says() {
        for (vote, ballot_vote) in [
            (Vote::Pass, BallotVote::Proceed),
            (Vote::Warn, BallotVote::ProceedWithConditions),
            (Vote::Fail, BallotVote::DoNotProceed),
        ] {
            let position = Position::of(Vote::Pass, vec![finding()]);
            let answer = ballot(&position, vote, &turn(Task::Ballot));
            assert_eq!(
                (answer.verdict, answer.ballot.unwrap().vote),
                (vote, ballot_vote)
            );
        }
    }
}
