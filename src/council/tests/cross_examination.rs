//! Seed 001, statement by statement.

use council_protocol::answer::{
    Ballot, BallotVote, Challenge, ChallengeAnswer, PeerMessage, Question,
};
use council_protocol::task::{InterventionKind, PutChallenge};
use council_protocol::{Answer, Confidence, FailureKind, Severity, Task, Vote};

use super::run::{Run, change, evidence, finding, plan};
use crate::council::Plan;
use crate::council::outcome::Verdict;
use crate::council::plan::{Consensus, Procedure, RoundLimits, Subject};

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
    plan.consensus = Consensus::Majority;
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
    answer.position = Some(format!("I hold {}", answer.verdict.word()));
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
fn seed_001_rounds_are_between_one_and_four_and_all_of_them_run() {
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
fn seed_001_every_round_shares_all_positions_under_their_roles() {
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
fn seed_001_a_vague_opening_is_sent_back_once_and_then_taken_as_it_is() {
    let mut run = Run::seated(council(3, 1));
    run.answer("judge-1", PASS, |_| {});
    let Task::Mend { error, .. } = run.task("judge-1") else {
        panic!()
    };
    assert!(error.starts_with("position: missing"), "{error}");
    run.raw("judge-1", "babble");
    assert!(!run.open.contains_key("judge-1"));
    assert_eq!(
        run.council.floor.bench.judges[0].first_vote(),
        Some(PASS),
        "the first one counts"
    );
}

#[test]
fn seed_001_two_challenges_are_asked_for_or_a_reason() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, WARN, FAIL]);
    run.answer("judge-1", PASS, |a| {
        a.challenges = vec![to("critic", "why")]
    });
    let Task::Mend { error, .. } = run.task("judge-1") else {
        panic!()
    };
    assert!(error.contains("at least 2 specific ones"), "{error}");
    run.answer("judge-1", PASS, |a| {
        a.challenges = vec![to("critic", "why"), to("pragmatist", "how")]
    });
    run.answer("judge-2", WARN, |a| {
        a.challenges = vec![to("nobody", "why"), to("pragmatist", "how")];
    });
    assert!(
        matches!(run.task("judge-2"), Task::Mend { .. }),
        "there is no such role"
    );
    run.answer("judge-2", WARN, |a| {
        a.no_challenge = Some("all of it holds".into())
    });
    run.answer("judge-3", FAIL, fill);
    for _ in 0..10 {
        go_on(&mut run, &[PASS, WARN, FAIL]);
    }
    let outcome = run.concluded();
    assert_eq!(outcome.challenges.len(), 2);
    let few: Vec<_> = outcome
        .ledger
        .unchallenged
        .iter()
        .map(|u| (u.judge.as_str(), u.reason.as_str()))
        .collect();
    assert_eq!(
        few,
        [
            ("judge-2", "all of it holds"),
            ("judge-3", "I checked them all")
        ]
    );
}

#[test]
fn seed_001_the_question_of_an_opening_is_the_first_challenge() {
    let mut run = Run::seated(council(3, 1));
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.question = Some(Question {
            to: "Critic".into(),
            text: "Did you run it?".into(),
        });
    });
    run.answer("judge-2", WARN, fill);
    run.answer("judge-3", FAIL, fill);
    let Task::Examine { challenges, .. } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!(
        (challenges[0].from.as_str(), challenges[0].question.as_str()),
        ("visionary", "Did you run it?")
    );
}

/// judge-1 challenges the critic in the first round of two.
fn challenged() -> Run {
    let mut run = Run::seated(council(3, 2));
    open(&mut run, &[PASS, WARN, FAIL]);
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.challenges = vec![to("critic", "why"), to("pragmatist", "how")];
    });
    run.answer("judge-2", WARN, fill);
    run.answer("judge-3", FAIL, fill);
    run
}

#[test]
fn seed_001_every_challenge_is_put_to_its_addressee_in_the_next_round() {
    let mut run = challenged();
    let Task::Examine {
        challenges,
        round: 2,
        ..
    } = run.task("judge-2").clone()
    else {
        panic!()
    };
    assert_eq!((challenges.len(), challenges[0].id.as_str()), (1, "C1"));
    run.answer("judge-2", WARN, |a| {
        fill(a);
        a.answers = answers(&challenges);
    });
    assert_eq!(
        run.council.floor.challenges[0].answer.as_deref(),
        Some("No: see line 3.")
    );
}

#[test]
fn seed_001_an_unanswered_challenge_is_asked_again_once_then_recorded_as_evaded() {
    let mut run = challenged();
    go_on(&mut run, &[PASS, WARN, FAIL]);
    let Task::Moderate {
        kind: InterventionKind::Evasion,
        opening,
        about,
        demand,
        challenges,
    } = run.task("judge-2")
    else {
        panic!("{:?}", run.task("judge-2"))
    };
    assert_eq!(opening, "visionary raised this specific challenge:");
    assert_eq!(
        (about.as_str(), challenges[0].id.as_str()),
        ("claim about why", "C1")
    );
    assert!(
        demand
            .starts_with("Your response did not address it directly. Please respond specifically:")
    );
    assert!(demand.ends_with("Vague responses are not acceptable in this council."));
    run.answer("judge-2", WARN, fill);
    let put = |run: &Run| match run.task("judge-3") {
        Task::Moderate { challenges, .. } => challenges.clone(),
        other => panic!("{other:?}"),
    };
    let second = put(&run);
    run.answer("judge-3", FAIL, |a| {
        fill(a);
        a.answers = answers(&second);
    });
    for _ in 0..5 {
        go_on(&mut run, &[PASS, WARN, FAIL]);
    }
    let outcome = run.concluded();
    let ends: Vec<_> = outcome
        .challenges
        .iter()
        .map(|c| (c.evaded, c.answer.is_some()))
        .collect();
    assert_eq!(ends, [(true, false), (false, true)]);
    let evasions = outcome
        .ledger
        .interventions
        .iter()
        .filter(|i| i.kind == InterventionKind::Evasion);
    assert_eq!(
        evasions.count(),
        1,
        "one of a kind in a round, for everybody whom it concerns"
    );
}

#[test]
fn seed_001_challenges_of_the_last_round_are_answered_within_it() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, WARN, FAIL]);
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.challenges = vec![to("critic", "why"), to("pragmatist", "how")];
    });
    run.answer("judge-2", WARN, fill);
    run.answer("judge-3", FAIL, fill);
    let Task::Challenged { challenges } = run.task("judge-2").clone() else {
        panic!("{:?}", run.open)
    };
    assert_eq!(run.sent("judge-2").round, 2, "a sub-turn of the round");
    run.answer("judge-2", WARN, |a| {
        fill(a);
        a.answers = answers(&challenges);
    });
    run.answer("judge-3", FAIL, fill);
    assert!(matches!(
        run.task("judge-3"),
        Task::Moderate {
            kind: InterventionKind::Evasion,
            ..
        }
    ));
    run.answer("judge-3", FAIL, fill);
    assert_eq!(*run.task("judge-1"), Task::Ballot);
    assert!(run.council.floor.challenges[1].evaded);
}

#[test]
fn seed_004_answering_anothers_challenge_is_a_violation() {
    let mut run = challenged();
    let Task::Examine { challenges, .. } = run.task("judge-2").clone() else {
        panic!()
    };
    run.answer("judge-3", FAIL, |a| {
        fill(a);
        a.answers = answers(&challenges);
    });
    let failure = &run.council.floor.bench.judges[2].failures[0].failure;
    assert_eq!(failure.kind, FailureKind::Violation);
    assert_eq!(run.council.floor.challenges[0].answer, None);
}

#[test]
fn seed_001_messages_go_from_judge_to_judge_two_in_a_round() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, WARN, FAIL]);
    let message = |to: &str, text: &str| PeerMessage {
        to: to.into(),
        text: text.into(),
    };
    run.answer("judge-1", PASS, |a| {
        fill(a);
        a.messages = ["one", "two", "three"]
            .map(|t| message("critic", t))
            .to_vec();
        a.messages.push(message("nobody", "lost"));
    });
    assert!(
        matches!(run.task("judge-2"), Task::Examine { .. }),
        "delivered when it is idle"
    );
    run.answer("judge-2", WARN, fill);
    let Task::Message { from, text } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!((from.as_str(), text.as_str()), ("visionary", "one"));
    run.answer("judge-2", WARN, |a| {
        fill(a);
        a.messages = vec![message("visionary", "back")];
    });
    assert!(
        matches!(run.task("judge-1"), Task::Message { .. }),
        "a judge that was done is asked again"
    );
    run.answer("judge-1", PASS, fill);
    run.answer("judge-2", WARN, fill);
    run.answer("judge-3", FAIL, fill);
    for _ in 0..5 {
        go_on(&mut run, &[PASS, WARN, FAIL]);
    }
    let sent: Vec<_> = run
        .concluded()
        .ledger
        .messages
        .iter()
        .map(|m| (m.text.as_str(), m.delivered))
        .collect();
    assert_eq!(
        sent,
        [
            ("one", true),
            ("two", true),
            ("three", false),
            ("back", true)
        ]
    );
}

#[test]
fn seed_001_economy_asks_one_after_another_and_passes_no_messages() {
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
fn seed_001_groupthink_makes_the_critic_argue_the_other_side() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, PASS, PASS]);
    go_on(&mut run, &[PASS, PASS, PASS]);
    assert_eq!(judges(&run), ["judge-2"], "the critic");
    let Task::Moderate {
        kind,
        opening,
        about,
        demand,
        ..
    } = run.task("judge-2")
    else {
        panic!()
    };
    assert_eq!(*kind, InterventionKind::Groupthink);
    assert_eq!(
        (opening.as_str(), about.as_str()),
        ("I notice emerging consensus on:", "the vote should be PASS")
    );
    assert!(demand.contains("steelman the OPPOSING view"));
    assert!(demand.ends_with("Provide a genuine counter-argument, not a token objection."));
}

#[test]
fn seed_001_no_groupthink_where_somebody_was_challenged_or_two_differ() {
    for (votes, challenged) in [([PASS, PASS, PASS], true), ([PASS, PASS, FAIL], false)] {
        let mut run = Run::seated(council(3, 2));
        open(&mut run, &votes);
        for judge in ["judge-1", "judge-2", "judge-3"] {
            let index = usize::from(judge.as_bytes()[6] - b'1');
            run.answer(judge, votes[index], |a| {
                fill(a);
                if challenged && judge == "judge-1" {
                    a.challenges = vec![to("critic", "why"), to("pragmatist", "how")];
                }
            });
        }
        assert!(
            run.council.floor.ledger.interventions.is_empty(),
            "{votes:?}"
        );
    }
}

#[test]
fn seed_001_a_finding_that_three_hold_unchallenged_is_groupthink_too() {
    let mut run = Run::seated(council(3, 1));
    for judge in ["judge-1", "judge-2", "judge-3"] {
        run.answer(judge, FAIL, |a| {
            fill(a);
            a.findings = vec![finding(Severity::Critical, 3)];
        });
    }
    go_on(&mut run, &[FAIL, FAIL, FAIL]);
    let Task::Moderate { about, .. } = run.task("judge-2") else {
        panic!()
    };
    assert_eq!(about, "value 3 overflows when computed");
}

#[test]
fn seed_001_a_round_without_anything_new_is_reframed_for_everybody_once() {
    let stale = |run: &Run| {
        matches!(
            run.task("judge-1"),
            Task::Moderate {
                kind: InterventionKind::Stale,
                ..
            }
        )
    };
    let repeat = |a: &mut Answer| {
        a.position = Some("I hold it".into());
        a.arguments = [
            "timing matters here",
            "nobody tested rollback",
            "docs are missing",
        ]
        .map(String::from)
        .to_vec();
        a.no_challenge = Some("seen it".into());
    };
    let mut run = Run::seated(council(3, 1));
    let votes = [PASS, WARN, FAIL];
    for vote_of_round in [votes, votes] {
        for (judge, vote) in (1..).zip(vote_of_round) {
            run.answer(&format!("judge-{judge}"), vote, repeat);
        }
    }
    assert!(stale(&run), "{:?}", run.open);
    let Task::Moderate {
        opening,
        about,
        demand,
        ..
    } = run.task("judge-1")
    else {
        panic!()
    };
    assert_eq!(opening, "The debate has stalled. Consider this angle:");
    assert!(about.starts_with("What "), "{about}");
    assert_eq!(demand, "How does this reframing change your analysis?");
    assert_eq!(judges(&run).len(), 3, "a broadcast");
    go_on(&mut run, &votes);
    assert_eq!(*run.task("judge-1"), Task::Ballot);
}

#[test]
fn seed_001_positions_are_tracked_from_round_to_round() {
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
        Some(PASS),
        "nor does the ballot move it without evidence"
    );
}

#[test]
fn seed_001_the_verdict_tests_unanimity_first_and_says_when_it_is_divided() {
    let end = |votes: &[Vote]| {
        quiet_debate(council(votes.len(), 1), votes)
            .concluded()
            .clone()
    };
    assert_eq!(end(&[PASS, PASS, PASS]).verdict, Verdict::Pass);
    assert_eq!(end(&[PASS, PASS, WARN]).verdict, Verdict::Warn);
    assert_eq!(end(&[FAIL, FAIL, PASS]).verdict, Verdict::Fail);
    let split = end(&[PASS, PASS, FAIL, FAIL]);
    assert_eq!(
        (split.verdict, split.ledger.confidence),
        (Verdict::Warn, Some(Confidence::Low))
    );
    assert!(split.notes.iter().any(|n| n.contains("divided")));
    assert_eq!(
        end(&[PASS, PASS, PASS]).ledger.confidence,
        Some(Confidence::High)
    );
    assert_eq!(
        end(&[FAIL, FAIL, PASS]).ledger.confidence,
        Some(Confidence::Medium)
    );
}

#[test]
fn seed_001_the_ballot_is_the_vote_that_counts() {
    let mut run = Run::seated(council(3, 1));
    open(&mut run, &[PASS, PASS, PASS]);
    for _ in 0..2 {
        go_on(&mut run, &[PASS, PASS, PASS]);
    }
    assert_eq!(*run.task("judge-1"), Task::Ballot);
    run.answer("judge-1", PASS, |_| {});
    assert!(
        matches!(run.task("judge-1"), Task::Mend { .. }),
        "a ballot is missing"
    );
    run.answer("judge-1", PASS, |a| {
        a.change = change(PASS, FAIL, Some(evidence(20)));
        a.ballot = Some(Ballot {
            vote: BallotVote::Reconsider,
            strongest_point: String::new(),
            concession: String::new(),
            remaining_concern: String::new(),
            conditions: Vec::new(),
        });
    });
    cast(&mut run, "judge-2", PASS);
    cast(&mut run, "judge-3", PASS);
    assert_eq!(run.concluded().judges[0].counted, Some(FAIL));
    assert_eq!(run.concluded().ledger.ballots.len(), 3);
}

#[test]
fn seed_001_a_topic_has_no_lines_so_that_a_named_change_is_enough() {
    let mut plan = council(3, 1);
    plan.options.subject = Subject::Text;
    let mut run = Run::seated(plan);
    open(&mut run, &[PASS, PASS, FAIL]);
    run.answer("judge-1", FAIL, |a| {
        fill(a);
        a.change = change(PASS, FAIL, None);
    });
    run.answer("judge-2", FAIL, fill);
    run.answer("judge-3", FAIL, fill);
    for _ in 0..6 {
        go_on(&mut run, &[FAIL, FAIL, FAIL]);
    }
    let counted: Vec<_> = run
        .concluded()
        .judges
        .iter()
        .map(|j| j.counted.unwrap())
        .collect();
    assert_eq!(counted, [FAIL, PASS, FAIL]);
}

#[test]
fn seed_001_a_councillor_that_is_lost_does_not_cut_the_rounds_short() {
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
