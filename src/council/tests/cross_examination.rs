//! Cross-examination, statement by statement.

mod ballots;
mod challenges;
mod kept_words;
mod moderator;

use council_protocol::answer::{
    Ballot, BallotVote, Challenge, ChallengeAnswer, PeerMessage, Question,
};
use council_protocol::task::{InterventionKind, PutChallenge};
use council_protocol::{Answer, Confidence, FailureKind, Severity, Task, Vote};

use crate::Plan;
use crate::judges::SeatIndex;
use crate::ledger::DebateLedger;
use crate::outcome::Verdict;
use crate::plan::{ConsensusRule, DebateSubject, Procedure, RoundLimits};
use crate::testing::{Run, change, evidence, finding, plan};

const ROLES: [&str; 6] = [
    "visionary",
    "critic",
    "pragmatist",
    "innovator",
    "ethicist",
    "expert",
];

fn council(councillors: usize, rounds: u8) -> Plan {
    let mut plan = plan(Procedure::CrossExamination, councillors);
    plan.consensus = ConsensusRule::Majority;
    plan.options.rounds = Some(RoundLimits {
        min: rounds,
        max: rounds,
    });
    for (seat, role) in plan.seats.iter_mut().zip(ROLES) {
        seat.seat.perspective.name = role.into();
    }
    plan
}

fn judges(run: &Run) -> Vec<String> {
    run.open.keys().map(ToString::to_string).collect()
}

/// A proper opening or round: position, new arguments, nothing to challenge.
fn fill(answer: &mut Answer) {
    answer.position = Some(format!("I hold {}", answer.verdict.as_str()));
    let new = |n| format!("argument{n} of{} in{}", answer.key, answer.round);
    answer.arguments = (1..4).map(new).collect();
    answer.no_challenge = Some("I checked them all".into());
}

/// Everybody opens with a vote.
fn open(run: &mut Run, votes: &[Vote]) {
    for (index, vote) in votes.iter().enumerate() {
        run.answer(&format!("judge-{}", index + 1), *vote, fill);
    }
}

/// Everybody with an open turn goes on quietly with its vote.
fn go_on(run: &mut Run, votes: &[Vote]) {
    for judge in judges(run) {
        let index: usize = judge.trim_start_matches("judge-").parse().unwrap();
        match run.task(&judge) {
            Task::Ballot => cast(run, &judge, votes[index - 1]),
            _ => run.answer(&judge, votes[index - 1], fill),
        }
    }
}

fn cast(run: &mut Run, judge: &str, vote: Vote) {
    let vote = match vote {
        Vote::Pass => BallotVote::Proceed,
        Vote::Warn => BallotVote::ProceedWithConditions,
        Vote::Fail => BallotVote::DoNotProceed,
    };
    run.answer(judge, vote.vote(), |a| {
        a.ballot = Some(Ballot {
            vote,
            strongest_point: "p".into(),
            concession: "c".into(),
            remaining_concern: "r".into(),
            conditions: Vec::new(),
        });
    });
}

fn to(role: &str, question: &str) -> Challenge {
    Challenge {
        to: role.into(),
        claim: format!("claim about {question}"),
        question: question.into(),
    }
}

fn answers(put: &[PutChallenge]) -> Vec<ChallengeAnswer> {
    let answer = |c: &PutChallenge| ChallengeAnswer {
        challenge: c.id.clone(),
        response: "No: see line 3.".into(),
    };
    put.iter().map(answer).collect()
}

/// The whole debate without a word too many; returns the rounds of cross-examination.
fn quiet_debate(plan: Plan, votes: &[Vote]) -> Run {
    let mut run = Run::seated(plan);
    open(&mut run, votes);
    for _ in 0..40 {
        if run.outcome().is_some() {
            break;
        }
        go_on(&mut run, votes);
    }
    run
}

const PASS: Vote = Vote::Pass;
const WARN: Vote = Vote::Warn;
const FAIL: Vote = Vote::Fail;

#[test]
fn rounds_are_between_one_and_four_and_all_of_them_run() {
    for (asked, run_for) in [(0, 1), (1, 1), (2, 2), (4, 4), (9, 4)] {
        let run = quiet_debate(council(3, asked), &[PASS, WARN, FAIL]);
        assert_eq!(
            run.concluded().rounds,
            run_for + 2,
            "opening and ballot around {asked}"
        );
        assert_eq!(
            run.concluded().ledger.rounds.len(),
            usize::from(run_for) + 2
        );
    }
}

#[test]
fn every_round_shares_all_positions_under_their_roles() {
    let mut run = Run::seated(council(4, 2));
    let Task::Opening { others } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!(others, &["visionary", "pragmatist", "innovator"]);
    open(&mut run, &[PASS, WARN, FAIL, PASS]);
    let Task::Examine {
        councillors,
        round,
        of,
        wanted,
        direct,
        ..
    } = run.task("judge-2")
    else {
        panic!()
    };
    assert_eq!((*round, *of, *wanted, *direct), (1, 2, 2, true));
    let mut roles: Vec<_> = councillors.iter().map(|c| c.role.as_str()).collect();
    roles.sort_unstable();
    assert_eq!(roles, ["innovator", "pragmatist", "visionary"]);
    let pragmatist = councillors.iter().find(|c| c.role == "pragmatist").unwrap();
    assert_eq!(
        (pragmatist.position.as_str(), pragmatist.arguments.len()),
        ("I hold FAIL", 3)
    );
    assert_eq!(pragmatist.peer.verdict, FAIL);
}

#[test]
fn a_vague_opening_is_sent_back_once_and_then_taken_as_it_is() {
    let mut run = Run::seated(council(3, 1));
    run.answer("judge-1", PASS, |_| {});
    let Task::Mend { error, .. } = run.task("judge-1") else {
        panic!()
    };
    assert!(error.starts_with("position: missing"), "{error}");
    run.raw("judge-1", "babble");
    assert!(!run.open.contains_key("judge-1"));
    assert_eq!(
        run.council.state.judges[SeatIndex(0)].first_vote(),
        Some(PASS),
        "the first one counts"
    );
}

#[test]
fn economy_asks_one_after_another_and_passes_no_messages() {
    let mut plan = council(3, 1);
    plan.options.economy = true;
    let mut run = Run::seated(plan);
    open(&mut run, &[PASS, WARN, FAIL]);
    assert_eq!(judges(&run), ["judge-1"]);
    let Task::Examine { direct: false, .. } = run.task("judge-1") else {
        panic!()
    };
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.messages = vec![PeerMessage {
            to: "critic".into(),
            text: "psst".into(),
        }];
    });
    assert_eq!(judges(&run), ["judge-2"]);
    for _ in 0..10 {
        go_on(&mut run, &[PASS, WARN, FAIL]);
    }
    let outcome = run.concluded();
    assert!(!outcome.ledger.messages[0].delivered);
    assert_eq!(
        outcome.ledger.rounds.len(),
        3,
        "the record has the same shape"
    );
    assert_eq!(outcome.ledger.ballots.len(), 3);
}

#[test]
fn positions_are_tracked_from_round_to_round() {
    let mut run = Run::seated(council(3, 1));
    run.answer("judge-1", PASS, fill);
    run.answer("judge-2", PASS, fill);
    run.answer("judge-3", FAIL, fill);
    run.answer("judge-1", FAIL, |a| {
        fill(a);
        a.change = change(PASS, FAIL, Some(evidence(20)));
    });
    run.answer("judge-2", FAIL, fill);
    run.answer("judge-3", FAIL, fill);
    let votes = [FAIL, FAIL, FAIL];
    for _ in 0..6 {
        go_on(&mut run, &votes);
    }
    let outcome = run.concluded();
    let stands = &outcome.ledger.rounds[1].stands;
    let moved: Vec<_> = stands
        .iter()
        .map(|s| (s.before, s.after, s.given))
        .collect();
    assert_eq!(
        moved,
        [
            (Some(PASS), FAIL, FAIL),
            (Some(PASS), PASS, FAIL),
            (Some(FAIL), FAIL, FAIL)
        ]
    );
    assert_eq!(stands[1].note, "nothing was named that had been missed");
    assert_eq!(
        outcome.judges[1].counted,
        Some(FAIL),
        "a round does not move it without evidence, but a stricter ballot counts as it is"
    );
}

#[test]
fn a_councillor_that_is_lost_does_not_cut_the_rounds_short() {
    let mut run = Run::seated(council(4, 2));
    open(&mut run, &[PASS, WARN, FAIL, PASS]);
    run.dies("judge-4");
    for _ in 0..12 {
        go_on(&mut run, &[PASS, WARN, FAIL, PASS]);
    }
    let outcome = run.concluded();
    assert_eq!(
        (outcome.rounds, outcome.counted),
        (4, 4),
        "its opening still counts"
    );
    assert_eq!(outcome.ledger.rounds[2].asked, 3);
}

#[test]
fn economy_yields_the_same_record_without_peer_exchange() {
    let record = |economy: bool| {
        let mut plan = council(4, 2);
        plan.options.economy = economy;
        let run = quiet_debate(plan, &[PASS, WARN, PASS, PASS]);
        run.concluded().ledger.clone()
    };
    let (standard, economy) = (record(false), record(true));
    // Keys are in the made-up arguments; who was asked when decides on them.
    let shape = |ledger: &DebateLedger| {
        let rounds = ledger.rounds.iter().map(|round| {
            let stands = round.stands.iter();
            let stands = stands.map(|s| (s.judge.clone(), s.before, s.after, s.arguments.len()));
            (round.round, round.asked, stands.collect::<Vec<_>>())
        });
        (
            rounds.collect::<Vec<_>>(),
            ledger.ballots.clone(),
            ledger.unchallenged.clone(),
        )
    };
    assert_eq!(shape(&economy), shape(&standard));
    assert_eq!(economy.messages, []);
}
