//! What a judge of a random world says.

use council_protocol::answer::{
    Ballot, BallotVote, Challenge, ChallengeAnswer, IndependentFinding, PeerMessage, Withdrawal,
};
use council_protocol::task::Peer;
use council_protocol::{Answer, JudgeId, RoundNumber, Task, Vote};

use super::proof::reproduction;
use super::world::Script;
use crate::testing::{change, evidence, finding, made_up, response};

/// What a judge says, as JSON.
pub(super) fn reply(
    judge: &JudgeId,
    script: &Script,
    round: RoundNumber,
    key: &str,
    task: &Task,
) -> String {
    let vote = script.votes[usize::from(round.0.clamp(1, 6) - 1)];
    let mut answer = Answer::new(round, key, vote);
    answer.key_insight = format!("{judge} says so");
    if round == 1 {
        answer.findings = findings(script);
    } else {
        debate(script, task, vote, &mut answer);
        examine(script, task, &mut answer);
        bring_test(script, task, &mut answer);
    }
    serde_json::to_string(&answer).unwrap()
}

/// The ids of the others' findings in a task.
fn shown(task: &Task) -> Vec<String> {
    let of = |peer: &Peer| {
        peer.findings
            .iter()
            .map(|f| f.id.clone())
            .collect::<Vec<_>>()
    };
    match task {
        Task::Debate { peers, .. } | Task::CrossReview { peers, .. } => {
            peers.iter().flat_map(of).collect()
        }
        Task::Examine { councillors, .. } => councillors.iter().flat_map(|c| of(&c.peer)).collect(),
        Task::Rebut { open, .. } => open.iter().map(|o| o.id.clone()).collect(),
        _ => Vec::new(),
    }
}

/// What cross-examination and stages ask for, or not, as the script has it.
fn examine(script: &Script, task: &Task, answer: &mut Answer) {
    let willing = script.opinion.is_some();
    let (to, put) = match task {
        Task::Examine {
            councillors,
            challenges,
            ..
        } => (
            councillors.first().map(|c| c.role.clone()),
            challenges.clone(),
        ),
        Task::Challenged { challenges } | Task::Moderate { challenges, .. } => {
            (None, challenges.clone())
        }
        Task::CrossReview { peers, .. } => (peers.first().map(|p| p.label.clone()), Vec::new()),
        Task::Rebut { challenges, .. } => (None, challenges.clone()),
        _ => (None, Vec::new()),
    };
    if let Some(to) = to.filter(|_| script.later.is_some()) {
        let ask = |n: u32| Challenge {
            to: to.clone(),
            claim: format!("claim {n}"),
            question: "Why?".into(),
        };
        answer.challenges = (0..2).map(ask).collect();
        answer.messages = vec![
            PeerMessage {
                to,
                text: "Look at line 3.".into()
            };
            3
        ];
    }
    if willing {
        let response = "Because.".to_owned();
        answer.answers = put
            .into_iter()
            .map(|c| ChallengeAnswer {
                challenge: c.id,
                response: response.clone(),
            })
            .collect();
        answer.no_challenge = Some("none".into());
    }
    if *task == Task::Ballot && willing {
        let vote = match answer.verdict {
            Vote::Pass => BallotVote::Proceed,
            Vote::Warn => BallotVote::ProceedWithConditions,
            Vote::Fail => BallotVote::Reconsider,
        };
        let text = String::new;
        answer.ballot = Some(Ballot {
            vote,
            strongest_point: text(),
            concession: text(),
            remaining_concern: text(),
            conditions: Vec::new(),
        });
    }
}

/// A test of the first finding that is shown, or of its own first one.
fn bring_test(script: &Script, task: &Task, answer: &mut Answer) {
    let Task::Debate { suites, .. } = task else {
        return;
    };
    if let Some(shows) = script.test.filter(|_| !suites.is_empty()) {
        let id = shown(task).into_iter().next();
        answer.reproductions = vec![reproduction(id.as_deref().unwrap_or("1"), shows)];
    }
}

fn findings(script: &Script) -> Vec<council_protocol::Finding> {
    let given = script.findings.iter().map(|&(severity, line, real)| {
        let mut finding = finding(severity, line);
        if !real {
            finding.quote = "not there at all".into();
        }
        finding
    });
    given.collect()
}

fn debate(script: &Script, task: &Task, vote: Vote, answer: &mut Answer) {
    let grounds = script
        .grounds
        .map(|(line, real)| if real { evidence(line) } else { made_up() });
    if let Some(grounds) = grounds {
        answer.change = change(script.votes[0], vote, Some(grounds.clone()));
        answer.withdrawn = vec![Withdrawal {
            finding: 1,
            evidence: Some(grounds),
        }];
    }
    if let Some((stance, line, real)) = script.opinion {
        let evidence = if real { evidence(line) } else { made_up() };
        let say = |id: &String| response(id, stance, Some(evidence.clone()));
        answer.responses = shown(task).iter().map(say).collect();
    }
    if let Some((tag, severity, line)) = script.later {
        answer.independent_findings = vec![IndependentFinding {
            tag,
            finding: finding(severity, line),
        }];
    }
}
