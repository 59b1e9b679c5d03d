//! What the ballots of a cross-examination come to in their own words, and the risk matrix of its session.
//!
//! Both are told beside the verdict, which follows from its own rule.

use council_protocol::answer::BallotVote;
use council_protocol::{Confidence, Severity, Vote};

use crate::council::outcome::{Disposition, JudgeRecord, JudgedFinding};
use crate::report::whole::Report;

/// The decision of the ballots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BallotDecision {
    pub(super) word: BallotVote,
    /// How many cast what, the mildest first.
    pub(super) tally: Vec<(BallotVote, usize)>,
    /// How many models cast none, and count as they stood.
    pub(super) standing: usize,
    /// How many cast none and do not count.
    pub(super) missing: usize,
    /// How many ballots count as something else than what was cast.
    pub(super) changed: usize,
    /// As many for it as against it.
    pub(super) divided: bool,
    /// How clear it is.
    pub(super) confidence: Option<Confidence>,
}

impl BallotDecision {
    /// `2 PROCEED, 1 RECONSIDER`, and how many were not cast.
    pub(super) fn tally_text(&self) -> String {
        let counts = self.tally.iter();
        let mut counts: Vec<String> = counts
            .map(|(vote, n)| format!("{n} {}", ballot_word(*vote)))
            .collect();
        if self.missing > 0 {
            counts.push(format!("{} not cast", self.missing));
        }
        let mut text = counts.join(", ");
        if self.standing > 0 {
            text += &format!(
                "; {} of them cast none and count as they stood",
                self.standing
            );
        }
        if self.changed > 0 {
            text += &format!(
                "; {} of them cast another one, which names no reason for the change",
                self.changed
            );
        }
        text
    }
}

/// Every way to vote, the mildest first.
pub(super) const VOTES: [BallotVote; 4] = [
    BallotVote::Proceed,
    BallotVote::ProceedWithConditions,
    BallotVote::Reconsider,
    BallotVote::DoNotProceed,
];

/// A ballot in words.
pub(super) fn ballot_word(vote: BallotVote) -> &'static str {
    match vote {
        BallotVote::Proceed => "PROCEED",
        BallotVote::ProceedWithConditions => "PROCEED WITH CONDITIONS",
        BallotVote::Reconsider => "RECONSIDER",
        BallotVote::DoNotProceed => "DO NOT PROCEED",
    }
}

/// What a judge's ballot counts as: as it was cast where it counts, else what its counted vote says. None without a ballot.
pub(super) fn counted_ballot(report: &Report, judge: &JudgeRecord) -> Option<BallotVote> {
    let counted = judge.counted?;
    let own = cast_ballot(report, judge)?;
    Some(if own.vote() == counted {
        own
    } else {
        standing_ballot(counted)
    })
}

fn cast_ballot(report: &Report, judge: &JudgeRecord) -> Option<BallotVote> {
    let mut ballots = report.outcome.ledger.ballots.iter();
    let own = ballots.find(|b| b.judge == judge.seat.judge)?;
    Some(own.ballot.vote)
}

/// A counted vote as a ballot.
fn standing_ballot(counted: Vote) -> BallotVote {
    match counted {
        Vote::Pass => BallotVote::Proceed,
        Vote::Warn => BallotVote::ProceedWithConditions,
        Vote::Fail => BallotVote::Reconsider,
    }
}

/// Unanimous before majority; a tie is RECONSIDER and divided. None where fewer ballots were cast than the quorum.
pub(super) fn ballot_decision(report: &Report) -> Option<BallotDecision> {
    let ballots = report.outcome.ledger.ballots.len();
    if ballots < report.outcome.quorum.max(1) as usize {
        return None;
    }
    let judges = || report.outcome.judges.iter();
    let models = || judges().filter(|j| !j.seat.agent.deterministic && j.started);
    let silent = || models().filter(|j| cast_ballot(report, j).is_none());
    // Who casts none counts as it stood before: the verdict counts it, and so does the tally.
    let standing: Vec<BallotVote> = silent()
        .filter_map(|j| j.counted.map(standing_ballot))
        .collect();
    let own = judges().filter_map(|j| counted_ballot(report, j));
    let cast: Vec<BallotVote> = own.chain(standing.iter().copied()).collect();
    let is_changed = |j: &&JudgeRecord| {
        let own = cast_ballot(report, j);
        own.is_some() && j.counted.is_some() && own != counted_ballot(report, j)
    };
    let changed = judges().filter(is_changed).count();
    let count = |vote: BallotVote| cast.iter().filter(|&&v| v == vote).count();
    let tally: Vec<_> = VOTES
        .into_iter()
        .map(|vote| (vote, count(vote)))
        .filter(|(_, n)| *n > 0)
        .collect();
    let against = cast.iter().filter(|vote| vote.vote() == Vote::Fail).count();
    let in_favour = cast.len() - against;
    let word = match tally.as_slice() {
        [(one @ (BallotVote::Proceed | BallotVote::DoNotProceed), _)] => *one,
        _ if in_favour > against => BallotVote::ProceedWithConditions,
        _ => BallotVote::Reconsider,
    };
    Some(BallotDecision {
        word,
        tally,
        missing: silent().count() - standing.len(),
        standing: standing.len(),
        changed,
        divided: in_favour == against,
        confidence: report.outcome.ledger.confidence,
    })
}

/// One risk: how bad, how likely, what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RiskRating {
    pub(super) severity: &'static str,
    pub(super) probability: &'static str,
    pub(super) response: &'static str,
}

/// How bad by how likely. How likely a finding is to be real is what became of it: confirmed, unconfirmed, disputed.
pub(super) fn rate_risk(finding: &JudgedFinding) -> Option<RiskRating> {
    let column = match finding.disposition {
        Disposition::Disputed => 0,
        Disposition::Unconfirmed => 1,
        Disposition::Confirmed => 2,
        Disposition::Rejected => return None,
    };
    let (severity, row) = match finding.finding.severity {
        Severity::Critical => ("critical", ["monitor", "mitigate", "blocker"]),
        Severity::Significant => ("high", ["accept", "mitigate", "mitigate"]),
        Severity::Minor => ("low", ["accept", "accept", "monitor"]),
    };
    Some(RiskRating {
        severity,
        probability: ["low", "medium", "high"][column],
        response: row[column],
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::samples;
    use super::*;

    fn decided(votes: &[BallotVote]) -> (&'static str, bool) {
        let decision = ballot_decision(&samples::ballots(votes)).unwrap();
        (ballot_word(decision.word), decision.divided)
    }

    #[test]
    fn unanimous_comes_before_majority_and_a_split_reconsiders() {
        use BallotVote::{
            DoNotProceed as D, Proceed as P, ProceedWithConditions as C, Reconsider as R,
        };
        assert_eq!(decided(&[P, P, P]), ("PROCEED", false));
        assert_eq!(decided(&[D, D, D]), ("DO NOT PROCEED", false));
        assert_eq!(decided(&[P, P, C]), ("PROCEED WITH CONDITIONS", false));
        assert_eq!(decided(&[P, P, P, R]), ("PROCEED WITH CONDITIONS", false));
        assert_eq!(decided(&[D, R, P]), ("RECONSIDER", false));
        assert_eq!(decided(&[D, D, R]), ("RECONSIDER", false));
        assert_eq!(decided(&[P, C, R, D]), ("RECONSIDER", true));
    }

    #[test]
    fn a_ballot_that_does_not_count_is_the_vote_that_does() {
        let mut report = samples::ballots(&[BallotVote::Proceed; 3]);
        report.outcome.judges[0].counted = Some(Vote::Fail);
        let tally = ballot_decision(&report).unwrap().tally;
        assert_eq!(
            tally,
            [(BallotVote::Proceed, 2), (BallotVote::Reconsider, 1)]
        );
        report.outcome.judges[1].counted = None;
        assert_eq!(
            ballot_decision(&report).unwrap().tally.len(),
            2,
            "nor is an abstention"
        );
    }

    /// The verdict counts who cast none as it stood before, and the decision says no other.
    #[test]
    fn who_casts_no_ballot_counts_as_it_stood() {
        let mut report = samples::ballots(&[BallotVote::Proceed; 3]);
        for judge in &mut report.outcome.judges {
            judge.seat.agent.deterministic = false;
        }
        report.outcome.ledger.ballots.pop();
        report.outcome.judges[2].counted = Some(Vote::Fail);
        let decision = ballot_decision(&report).unwrap();
        assert_eq!(ballot_word(decision.word), "PROCEED WITH CONDITIONS");
        assert_eq!(
            decision.tally_text(),
            "2 PROCEED, 1 RECONSIDER; 1 of them cast none and count as they stood"
        );
        report.outcome.judges[2].counted = None;
        let decision = ballot_decision(&report).unwrap();
        assert_eq!(decision.tally_text(), "2 PROCEED, 1 not cast");
        assert_eq!(ballot_word(decision.word), "PROCEED");
        report.outcome.judges[0].counted = Some(Vote::Fail);
        let told = ballot_decision(&report).unwrap().tally_text();
        assert!(told.contains("1 of them cast another one"), "{told}");
    }

    #[test]
    fn the_risk_matrix() {
        let report = samples::fail();
        let of = |severity, disposition| {
            let mut finding = report.outcome.findings[0].clone();
            finding.finding.severity = severity;
            finding.disposition = disposition;
            rate_risk(&finding).map(|risk| risk.response)
        };
        use {Disposition as D, Severity as S};
        assert_eq!(of(S::Critical, D::Confirmed), Some("blocker"));
        assert_eq!(of(S::Critical, D::Unconfirmed), Some("mitigate"));
        assert_eq!(of(S::Critical, D::Disputed), Some("monitor"));
        assert_eq!(of(S::Significant, D::Disputed), Some("accept"));
        assert_eq!(of(S::Minor, D::Confirmed), Some("monitor"));
        assert_eq!(of(S::Critical, D::Rejected), None);
    }
}
