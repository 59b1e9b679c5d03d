//! What a format of findings says where the verdict is worse than each of its findings: a FAIL by votes, a WARN that the gate
//! takes for one, a run without a verdict. Whoever reads the file alone must not take it for a clean one.

use council_protocol::Vote;

use super::bottom_line::{GatePolicy, exit};
use super::words::JudgeNames;
use crate::council::SupportedVote;
use crate::council::outcome::{FindingLevel, Verdict};
use crate::report::whole::Report;
use crate::text::Untrusted;

/// The rule under which the verdict stands among findings.
pub(super) const RULE: &str = "verdict";

/// By what the entry is known again: there is one in a report, and its words may differ from run to run.
pub(super) const FINGERPRINT: &str = "verdict-of-the-run";

/// The verdict as an entry among findings.
pub(super) struct VerdictEntry {
    /// What it is and why, on one line.
    pub(super) message: String,
    /// A changed file, where there is one: some formats have no entry without a place.
    pub(super) path: String,
    /// Whether the run fails; else it is a WARN, and no finding is one.
    pub(super) fails: bool,
}

impl VerdictEntry {
    /// The entry; none where a finding says the same already, or there is nothing to say.
    pub(super) fn of(report: &Report, gate: GatePolicy) -> Option<Self> {
        let line = report.bottom_line(gate);
        let fails = line.exit_code != exit::OK;
        let enough: &[FindingLevel] = if fails {
            &[FindingLevel::Fail]
        } else {
            &[FindingLevel::Fail, FindingLevel::Warn]
        };
        let levels = report
            .outcome
            .findings
            .iter()
            .filter_map(|found| found.level);
        let is_told = levels.into_iter().any(|level| enough.contains(&level));
        let warns = report.outcome.verdict == Verdict::Warn;
        if is_told || !(fails || warns) {
            return None;
        }
        let mut message = line.headline;
        for objection in objections(report, &JudgeNames::of(&report.outcome.judges)) {
            message.push_str(&format!("; {}", Untrusted::new(&objection).line()));
        }
        let file = report.outcome.coverage.files.first();
        Some(Self {
            message,
            fails,
            path: file.map_or_else(|| ".".to_owned(), |file| file.path.display().into_owned()),
        })
    }
}

/// `security votes FAIL: It opens the database to everybody.`: why judges object, those who object most first. An objection
/// that was dismissed is none any more.
pub(super) fn objections(report: &Report, names: &JudgeNames<'_>) -> Vec<String> {
    let mut votes = report.supported_votes();
    votes.retain(|vote| vote.left != Vote::Pass);
    votes.sort_by_key(|vote| std::cmp::Reverse(vote.given));
    let line = |vote: &SupportedVote<'_>| {
        let judge = vote.judge;
        // Whoever said something milder that does not count had its reason before.
        let is_weak = judge.change.as_ref().is_some_and(|change| change.weak);
        let insight = match is_weak && judge.r1 == Some(vote.given) {
            true => &judge.first_insight,
            false => &judge.key_insight,
        };
        let why = match insight.trim() {
            "" => "no reason is given",
            why => why,
        };
        let name = names.get(&judge.seat.judge);
        format!("{name} votes {}: {why}", vote.given.as_str())
    };
    votes.iter().map(line).collect()
}
