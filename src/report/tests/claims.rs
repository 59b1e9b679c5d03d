//! A report from a job without rights: whatever it says, it ends no better than neutral and is never known again.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use council_protocol::{Proof, Vote};
use proptest::prelude::*;

use super::super::{
    CheckConclusion, ClaimTerms, FailOn, GatePolicy, Report, ReportSource, absorb_recheck,
    accept_claim,
};
use super::samples;
use crate::council::outcome::{Disposition, FindingLevel, Verdict, VerdictReason};
use crate::council::plan::{ConsensusRule, VerdictPolicy};
use crate::publish::ReviewState;

const POLICY: VerdictPolicy = VerdictPolicy {
    disputed_critical_fails: false,
    incomplete_coverage_warns: false,
};

const TRUSTED: ConsensusRule = ConsensusRule::Findings;

const TERMS: ClaimTerms<'static> = ClaimTerms {
    policy: POLICY,
    consensus: TRUSTED,
    dismissed: &[],
};

/// What somebody changes in a report who wants it green.
#[derive(Debug, Clone)]
enum Forgery {
    Verdict(Verdict, VerdictReason),
    Level(usize, Option<FindingLevel>),
    Disposition(usize, Disposition),
    NoFindings,
    NoMembers(usize),
    Vote(usize, Option<Vote>),
    Quorum(u32),
    NoCoverage,
    Consensus(Option<ConsensusRule>),
    Rounds(u8, bool),
    Later(usize, Option<Vote>),
    Counted(u32),
    Rules(bool),
    Unproven(usize),
    Name(usize, usize),
    Whole,
    Source,
    Words(usize),
    Note(String),
    Label,
}

fn forgery() -> impl Strategy<Value = Forgery> {
    use prop::sample::select;
    let verdict = select(vec![
        Verdict::Pass,
        Verdict::Warn,
        Verdict::Fail,
        Verdict::Skipped,
        Verdict::Inconclusive,
    ]);
    let reason = select(vec![
        VerdictReason::NoFindings,
        VerdictReason::NotesOnly,
        VerdictReason::Votes,
        VerdictReason::AllSkipped,
    ]);
    let level = select(vec![
        None,
        Some(FindingLevel::Note),
        Some(FindingLevel::Warn),
        Some(FindingLevel::Fail),
    ]);
    let disposition = select(vec![
        Disposition::Confirmed,
        Disposition::Disputed,
        Disposition::Unconfirmed,
        Disposition::Rejected,
    ]);
    let vote = select(vec![
        None,
        Some(Vote::Pass),
        Some(Vote::Warn),
        Some(Vote::Fail),
    ]);
    let later = vote.clone();
    let rule = select(vec![
        None,
        Some(ConsensusRule::Findings),
        Some(ConsensusRule::Strict),
        Some(ConsensusRule::Majority),
    ]);
    prop_oneof![
        (verdict, reason).prop_map(|(v, r)| Forgery::Verdict(v, r)),
        (0..3_usize, level).prop_map(|(at, l)| Forgery::Level(at, l)),
        (0..3_usize, disposition).prop_map(|(at, d)| Forgery::Disposition(at, d)),
        Just(Forgery::NoFindings),
        (0..3_usize).prop_map(Forgery::NoMembers),
        (0..5_usize, vote).prop_map(|(at, v)| Forgery::Vote(at, v)),
        (0..9_u32).prop_map(Forgery::Quorum),
        Just(Forgery::NoCoverage),
        rule.prop_map(Forgery::Consensus),
        (0..4_u8, any::<bool>()).prop_map(|(rounds, converged)| Forgery::Rounds(rounds, converged)),
        (0..5_usize, later).prop_map(|(at, v)| Forgery::Later(at, v)),
        (0..9_u32).prop_map(Forgery::Counted),
        any::<bool>().prop_map(Forgery::Rules),
        (0..3_usize).prop_map(Forgery::Unproven),
        (0..3_usize, 1..6_usize).prop_map(|(at, name)| Forgery::Name(at, name)),
        Just(Forgery::Whole),
        Just(Forgery::Source),
        (0..3_usize).prop_map(Forgery::Words),
        "[a-z]{1,9}".prop_map(Forgery::Note),
        Just(Forgery::Label),
    ]
}

fn forge(report: &mut Report, forgery: &Forgery) {
    let outcome = &mut report.outcome;
    match forgery {
        Forgery::Verdict(verdict, reason) => {
            (outcome.verdict, outcome.reason) = (*verdict, *reason)
        }
        Forgery::Level(at, level) => {
            if let Some(found) = outcome.findings.get_mut(*at) {
                found.level = *level;
            }
        }
        Forgery::Disposition(at, disposition) => {
            if let Some(found) = outcome.findings.get_mut(*at) {
                found.disposition = *disposition;
            }
        }
        Forgery::NoFindings => outcome.findings.clear(),
        Forgery::NoMembers(at) => {
            if let Some(found) = outcome.findings.get_mut(*at) {
                found.members.clear();
            }
        }
        Forgery::Vote(at, vote) => {
            if let Some(judge) = outcome.judges.get_mut(*at) {
                (judge.r1, judge.counted) = (*vote, *vote);
            }
        }
        Forgery::Quorum(quorum) => {
            outcome.quorum = *quorum;
            report.receipt.participation.quorum = *quorum;
        }
        Forgery::NoCoverage => outcome.coverage.files.clear(),
        Forgery::Consensus(rule) => outcome.consensus = *rule,
        Forgery::Rounds(rounds, converged) => {
            (outcome.rounds, outcome.converged) = (*rounds, *converged);
        }
        Forgery::Later(at, vote) => {
            if let Some(judge) = outcome.judges.get_mut(*at) {
                judge.r2 = *vote;
            }
        }
        Forgery::Counted(counted) => outcome.counted = *counted,
        Forgery::Rules(rules) => {
            for judge in &mut outcome.judges {
                judge.seat.agent.deterministic = *rules;
            }
        }
        Forgery::Unproven(at) => {
            let found = outcome.findings.get_mut(*at);
            for member in found.into_iter().flat_map(|f| &mut f.members) {
                member.proof = Proof::Unverified {
                    reason: String::new(),
                };
            }
        }
        Forgery::Whole => {
            report.incomplete = false;
            report.receipt.run.cut_short = None;
        }
        Forgery::Name(at, name) => {
            if let Some(found) = outcome.findings.get_mut(*at) {
                found.id = format!("F{name}");
            }
        }
        Forgery::Source => report.source = ReportSource::ThisProgram,
        Forgery::Words(at) => {
            if let Some(found) = outcome.findings.get_mut(*at) {
                found.finding.description = "Style nit.".to_owned();
                found.finding.rule = Some("debug-print".to_owned());
                let again = found.clone();
                outcome.findings.push(again);
            }
        }
        Forgery::Note(note) => outcome.notes.push(note.clone()),
        Forgery::Label => report.target.label = "#1".to_owned(),
    }
    let counted = super::super::Participation::of(
        &report.outcome.judges,
        report.receipt.participation.quorum,
    );
    report.receipt.participation = counted;
}

/// Made once: a case is cheap, and there are many. The first four are PASS, PASS with notes, WARN and FAIL.
static SAMPLES: LazyLock<Vec<Report>> = LazyLock::new(|| {
    samples::all()
        .into_iter()
        .map(|(_, report)| report)
        .collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// Law: no combination of verdict, levels, dispositions, votes and coverage ends better than neutral, says less than the
    /// built-in judges, or leaves a key.
    #[test]
    fn no_forged_report_ends_better_than_neutral_or_is_known_again(
        at in 0..11_usize, forgeries in prop::collection::vec(forgery(), 0..8), own in 0..4_usize, strict: bool, advisory: bool,
    ) {
        let mut report = SAMPLES[at].clone();
        report.receipt.run.recognition_key = Some("k".repeat(64));
        for forgery in &forgeries {
            forge(&mut report, forgery);
        }
        let Ok(mut claim) = accept_claim(report, &TERMS) else {
            return Ok(());
        };
        let recheck = &SAMPLES[own];
        absorb_recheck(&mut claim, recheck);
        let names = claim.outcome.findings.iter().map(|found| found.id.to_lowercase());
        let names: BTreeSet<String> = names.collect();
        prop_assert_eq!(names.len(), claim.outcome.findings.len(), "one name for two findings");
        let fail_on = if strict { FailOn::Warn } else { FailOn::Fail };
        let line = claim.bottom_line(GatePolicy { fail_on, advisory });
        prop_assert!(!matches!(line.conclusion, CheckConclusion::Success | CheckConclusion::Skipped), "{line:?}");
        prop_assert!(line.headline.contains("reported by an unprivileged job"), "{line:?}");
        if recheck.outcome.verdict == Verdict::Fail {
            prop_assert_eq!(claim.outcome.verdict, Verdict::Fail);
        }
        // Law: what the built-in judges found stands in their words, and no note passes for the program's.
        let reworded = recheck.outcome.findings.iter().filter(|f| f.level.is_some()).find(|own| {
            let mut said = claim.outcome.findings.iter().filter(|f| f.fingerprint == own.fingerprint).peekable();
            said.peek().is_none() || said.any(|said| {
                said.finding.description != own.finding.description
                    || said.finding.rule != own.finding.rule
                    || said.finding.severity < own.finding.severity
            })
        });
        prop_assert!(reworded.is_none(), "{reworded:?}");
        let own_notes = 1 + usize::from(claim.outcome.notes.iter().any(|n| n.contains("does not list")));
        let told = claim.outcome.notes.len() - own_notes;
        prop_assert!(claim.outcome.notes[..told].iter().all(|n| n.starts_with("the job's report says: ")));
        prop_assert_eq!(claim.target.label.as_str(), recheck.target.label.as_str());
        let missing = recheck.outcome.findings.iter().filter(|f| f.level.is_some()).find(|own| {
            !claim.outcome.findings.iter().any(|f| f.fingerprint == own.fingerprint && f.level >= own.level)
        });
        prop_assert!(missing.is_none(), "{missing:?}");
        let state = ReviewState::of(&claim, Default::default());
        prop_assert!(state.key.is_none() && !state.whole && state.report.is_none());
        prop_assert!(!state.recognises(&"k".repeat(64)));
    }
}

/// The forgeries that were tried from outside, each with what is said of it.
#[test]
fn what_contradicts_itself_is_refused() {
    let refused = |forgeries: &[Forgery]| {
        let mut report = samples::fail();
        forgeries.iter().for_each(|f| forge(&mut report, f));
        accept_claim(report, &TERMS).unwrap_err().what
    };
    let green = Forgery::Verdict(Verdict::Pass, VerdictReason::NotesOnly);
    assert_eq!(
        refused(std::slice::from_ref(&green)),
        "a finding in it weighs more"
    );
    assert_eq!(
        refused(&[green.clone(), Forgery::Level(0, Some(FindingLevel::Note))]),
        "a finding weighs less or more than it can"
    );
    assert_eq!(
        refused(&[
            green.clone(),
            Forgery::Level(0, None),
            Forgery::Disposition(0, Disposition::Rejected)
        ]),
        "a finding is rejected that a judge holds with proof"
    );
    assert_eq!(
        refused(&[green.clone(), Forgery::NoMembers(0)]),
        "a finding in it weighs more"
    );
    assert_eq!(
        refused(&[
            green.clone(),
            Forgery::NoFindings,
            Forgery::NoCoverage,
            Forgery::Consensus(Some(ConsensusRule::Strict))
        ]),
        "its verdict is better than its parts"
    );
    assert_eq!(
        refused(&[green, Forgery::NoFindings, Forgery::Consensus(None)]),
        "no rule says how its votes become a verdict"
    );
}

#[test]
fn rounds_that_contradict_the_votes_are_refused() {
    let refused = |forgeries: &[Forgery]| {
        let mut report = samples::pass();
        forgeries.iter().for_each(|f| forge(&mut report, f));
        accept_claim(report, &TERMS).unwrap_err().what
    };
    let majority = Forgery::Consensus(Some(ConsensusRule::Majority));
    assert_eq!(
        refused(&[majority, Forgery::Rounds(2, true)]),
        "a round ran in which nobody was asked"
    );
    assert_eq!(
        refused(&[Forgery::Rounds(1, true)]),
        "its judges converged who did not differ"
    );
    assert_eq!(
        refused(&[Forgery::Later(0, Some(Vote::Pass))]),
        "a judge voted in a round that did not run"
    );
    assert_eq!(
        refused(&[Forgery::Counted(99)]),
        "it counts other judges than its receipt"
    );
}

/// An honest report has nothing to fear from the checks.
#[test]
fn reports_of_this_program_are_accepted() {
    // The other samples were made for their pages, and say what no engine would.
    let whole = samples::all().into_iter().take(5);
    for (name, report) in whole {
        let accepted = accept_claim(report, &TERMS);
        assert!(accepted.is_ok(), "{name}: {}", accepted.unwrap_err());
    }
}

/// The job chose the rule by which votes become a verdict; the trusted side's rule counts as well.
#[test]
fn a_milder_rule_of_consensus_is_no_way_past_the_trusted_one() {
    let mut report = samples::pass();
    report.outcome.consensus = Some(ConsensusRule::Findings);
    let judge = &mut report.outcome.judges[0];
    (judge.r1, judge.counted) = (Some(Vote::Fail), Some(Vote::Fail));
    (report.outcome.verdict, report.outcome.reason) =
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding);
    let decided = |trusted| {
        accept_claim(
            report.clone(),
            &ClaimTerms {
                consensus: trusted,
                ..TERMS
            },
        )
        .unwrap()
        .outcome
        .verdict
    };
    assert_eq!(decided(ConsensusRule::Findings), Verdict::Warn);
    assert_eq!(decided(ConsensusRule::Strict), Verdict::Fail);
}

#[test]
fn a_dismissal_in_a_claim_does_not_count() {
    let mut report = samples::fail();
    let found = &mut report.outcome.findings[0];
    found.level = None;
    found.dismissed = Some(crate::council::Dismissal {
        classes: Vec::new(),
        said: None,
        fingerprint: found.fingerprint.clone(),
        severity: Some(council_protocol::Severity::Critical),
        ground: crate::council::DismissalGround::FalsePositive,
        because: "it is fine".into(),
        by: "somebody".into(),
        at: "2026-02-14T09:00:00Z".into(),
    });
    (report.outcome.verdict, report.outcome.reason) =
        (Verdict::Warn, VerdictReason::VerdictWithoutFinding);
    let claim = accept_claim(report, &TERMS).unwrap();
    assert_eq!(claim.outcome.verdict, Verdict::Fail);
    assert_eq!(claim.outcome.findings[0].level, Some(FindingLevel::Fail));
}

/// What people dismissed on the pull request does count, and nothing that the claim makes worse beside its findings.
#[test]
fn a_dismissal_on_the_pull_request_counts_in_a_claim() {
    let report = samples::fail();
    let found = &report.outcome.findings[0];
    let dismissed = [super::parts::dismissal(found)];
    let terms = ClaimTerms {
        dismissed: &dismissed,
        ..TERMS
    };
    let claim = accept_claim(report.clone(), &terms).unwrap();
    assert_eq!(
        claim
            .outcome
            .findings
            .iter()
            .filter(|f| f.dismissed.is_some())
            .count(),
        1
    );
    assert_ne!(claim.outcome.verdict, Verdict::Fail);
    let mut cut = report;
    (cut.outcome.verdict, cut.outcome.reason) = (Verdict::Inconclusive, VerdictReason::Interrupted);
    let claim = accept_claim(cut, &terms).unwrap();
    assert_eq!(claim.outcome.verdict, Verdict::Inconclusive);
}

#[test]
fn a_file_that_the_claim_does_not_list_was_read_by_nobody() {
    let mut claim = accept_claim(samples::pass(), &TERMS).unwrap();
    claim.outcome.coverage.files.pop();
    absorb_recheck(&mut claim, &samples::pass());
    assert_eq!(claim.outcome.verdict, Verdict::Inconclusive);
}

/// A name stands in the log of a privileged job, where a line that begins with `::` is a command.
#[test]
fn a_claim_whose_run_has_no_name_of_a_run_is_refused() {
    for name in [
        "x\n::error::well",
        "a\u{202e}b",
        "a b",
        "::stop-commands::a",
        "\u{1b}[2J",
    ] {
        let mut claim = samples::pass();
        name.clone_into(&mut claim.receipt.run.name);
        assert!(accept_claim(claim, &TERMS).is_err(), "{name:?}");
    }
    assert!(accept_claim(samples::pass(), &TERMS).is_ok());
}
