//! Whose the voices are in an open finding, where other agents sit in the next review, or the same in another order.

use std::collections::BTreeSet;

use council_protocol::{JudgeId, Seat, Vote};
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};

use super::carry::{no_side, state};
use super::comment::report_of_votes;
use super::plan::report;
use crate::council::outcome::{
    Disposition, FindingLevel, FindingMember, JudgedFinding, Opinion, Verdict,
};
use crate::council::plan::VerdictPolicy;
use crate::council::testing::seat;
use crate::council::{add_carried, standing_objections};
use crate::publish::{ReviewState, ReviewedSide, ReviewedText};
use crate::report::{Report, both_sides};

const AGENTS: [&str; 5] = ["ash", "birch", "cedar", "elm", "fir"];
const POLICY: VerdictPolicy = VerdictPolicy {
    disputed_critical_fails: false,
    incomplete_coverage_warns: false,
};

/// A list of agents in some order.
fn agents() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(AGENTS.to_vec(), 2..5).prop_shuffle()
}

fn seats(agents: &[&str]) -> Vec<Seat> {
    let seated = agents.iter().enumerate().map(|(at, agent)| {
        let mut seat = seat(&format!("judge-{}", at + 1)).seat;
        (*agent).clone_into(&mut seat.agent.name);
        seat
    });
    seated.collect()
}

/// A report of these seats over nothing.
fn report_of(seats: &[Seat]) -> Report {
    let votes: Vec<_> = seats
        .iter()
        .map(|_| (Some(Vote::Pass), None, None))
        .collect();
    let mut report_of = report_of_votes(Verdict::Warn, &votes);
    for (judge, seat) in report_of.outcome.judges.iter_mut().zip(seats) {
        judge.seat = seat.clone();
    }
    report_of.outcome.findings = report(1).outcome.findings;
    let found = &mut report_of.outcome.findings[0];
    (found.disposition, found.level) = (Disposition::Unconfirmed, Some(FindingLevel::Warn));
    found.members.clear();
    report_of
}

/// A finding that these of the seats hold.
fn held_by(found: &JudgedFinding, seats: &[&Seat]) -> JudgedFinding {
    let held = |seat: &&Seat| FindingMember {
        judge: seat.judge.clone(),
        round: 1.into(),
        finding: found.finding.clone(),
        proof: council_protocol::Proof::Verified,
        withdrawn: false,
        fingerprint: None,
    };
    JudgedFinding {
        members: seats.iter().map(held).collect(),
        ..found.clone()
    }
}

/// Some of the seats, at least one.
fn some<'s>(seats: &'s [Seat], nth: &[Index]) -> Vec<&'s Seat> {
    let nth: BTreeSet<usize> = nth.iter().map(|nth| nth.index(seats.len())).collect();
    nth.into_iter().map(|at| &seats[at]).collect()
}

fn agents_of<'s>(seats: &[&'s Seat]) -> BTreeSet<&'s str> {
    seats.iter().map(|seat| seat.agent.name.as_str()).collect()
}

/// The agent that has this name among these seats, or had a seat once.
fn agent_called<'n>(judge: &'n JudgeId, seats: &'n [Seat]) -> &'n str {
    let mut seated = seats.iter();
    let seated = seated.find(|seat| seat.judge == *judge);
    seated.map_or_else(
        || {
            judge
                .as_str()
                .strip_suffix(" (earlier)")
                .unwrap_or("nobody")
        },
        |seat| &seat.agent.name,
    )
}

/// A push that leaves the line of the finding as it is.
fn side() -> ReviewedSide<'static> {
    ReviewedSide {
        files: vec!["src/a.rs".into()],
        read: &|_| ReviewedText::Text("let x = 1;\n".to_owned()),
        ..no_side()
    }
}

/// The comment as the next review reads it.
fn kept(report: &Report, before: Option<ReviewState>) -> ReviewState {
    let left = state(report).after(report, before);
    serde_json::from_value(serde_json::to_value(left).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Two voices are two if and only if they are two models, however the list of agents changes from push to push, and
    /// each is called as its seat is now, or by its agent.
    #[test]
    fn a_voice_is_its_models_whatever_seat_it_has(
        benches in prop::collection::vec(agents(), 2..5),
        first in prop::collection::vec(any::<Index>(), 1..4),
        again in prop::collection::vec(any::<Index>(), 1..4),
        says in any::<Index>(),
        is_told_by_report in any::<bool>(),
    ) {
        let bench = seats(&benches[0]);
        let holders = some(&bench, &first);
        let speaker = &bench[says.index(bench.len())];
        let mut now = report_of(&bench);
        let mut found = held_by(&now.outcome.findings[0], &holders);
        found.opinions = vec![Opinion {
            judge: speaker.judge.clone(),
            stance: council_protocol::answer::Stance::PartiallyAgreed,
            reasoning: "Perhaps.".into(),
            evidence: None,
            resolves: false,
        }];
        now.outcome.findings = vec![found];
        let mut left = kept(&now, None);
        left.open[0].asked = bench.iter().map(|seat| seat.judge.clone()).collect();
        left.keep_voices(&now, None);
        if is_told_by_report {
            left.voices.clear();
        }
        let mut today = bench.clone();
        for next in &benches[1..] {
            today = seats(next);
            let carried = left.known_by(&today).carry_findings(&side());
            now = report_of(&today);
            now.outcome.findings = carried.standing();
            let asked = carried.asked.values().flatten().map(|judge| agent_called(judge, &today));
            prop_assert_eq!(asked.collect::<BTreeSet<_>>(), agents_of(&bench.iter().collect::<Vec<_>>()));
            now.receipt.run.earlier = Some(carried.settle(&now.outcome));
            left = kept(&now, Some(left));
        }
        let carried = now.outcome.findings[0].clone();
        let told = carried.members.iter().map(|member| agent_called(&member.judge, &today));
        prop_assert_eq!(told.collect::<BTreeSet<_>>(), agents_of(&holders));
        prop_assert_eq!(agent_called(&carried.opinions[0].judge, &today), speaker.agent.name.as_str());
        let words = both_sides(&now, &carried).join("\n");
        for agent in agents_of(&holders) {
            prop_assert!(words.contains(agent), "{}", words);
        }

        let raised = some(&today, &again);
        let new = JudgedFinding { since: None, opinions: Vec::new(), ..held_by(&carried, &raised) };
        let all = add_carried(vec![new], &[carried], POLICY, today.len());
        let voices = agents_of(&holders).union(&agents_of(&raised)).count();
        let is_confirmed = voices >= 2 && 2 * voices >= today.len();
        prop_assert_eq!(all[0].disposition == Disposition::Confirmed, is_confirmed);
    }

    /// A vote stands in the name of its model, whatever seat that has, push after push; a comment of an earlier program
    /// keeps none.
    #[test]
    fn a_vote_stands_in_the_name_of_its_model(
        benches in prop::collection::vec(agents(), 2..5),
        holder in any::<Index>(),
        vote in prop::sample::select(vec![Vote::Warn, Vote::Fail]),
        is_kept in any::<bool>(),
    ) {
        let bench = seats(&benches[0]);
        let at = holder.index(bench.len());
        let mut now = report_of(&bench);
        now.outcome.findings = vec![held_by(&now.outcome.findings[0], &[&bench[at]])];
        now.outcome.judges[at].counted = Some(vote);
        let mut left = kept(&now, None);
        if !is_kept {
            left.open[0].votes.clear();
        }
        for next in &benches[1..] {
            let today = seats(next);
            let carried = left.known_by(&today).carry_findings(&side());
            now = report_of(&today);
            now.outcome.findings = carried.standing();
            left = kept(&now, Some(left));
            let told = standing_objections(&now.outcome);
            prop_assert_eq!(told.len(), usize::from(is_kept));
            for one in told {
                prop_assert_eq!(agent_called(one.judge, &today), bench[at].agent.name.as_str());
                prop_assert_eq!(one.vote, vote);
            }
        }
    }

    /// Rules under another perspective are other rules, and another model of an agent is another voice.
    #[test]
    fn who_is_another_has_another_name(is_rule in any::<bool>(), is_model in any::<bool>()) {
        let mut before = seats(&["ash"]);
        before[0].agent.deterministic = is_rule;
        before[0].perspective.name = "security".into();
        let mut today = before.clone();
        match is_model {
            true => today[0].agent.model = Some("large".into()),
            false => today[0].perspective.name = "hygiene".into(),
        }
        let mut report = report_of(&before);
        report.outcome.findings = vec![held_by(&report.outcome.findings[0], &[&before[0]])];
        let known = kept(&report, None).known_by(&today);
        let is_same = known.open[0].held_by[0] == today[0].judge;
        prop_assert_eq!(is_same, !is_rule && !is_model);
    }
}
