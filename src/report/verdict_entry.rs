//! What a format of findings says where the verdict is worse than each of its findings: a FAIL by votes, a WARN that the gate
//! takes for one, a run without a verdict. Whoever reads the file alone must not take it for a clean one.

use council_protocol::Vote;

use super::bottom_line::{GatePolicy, exit};
use super::words::{self, JudgeNames};
use crate::council::outcome::{FindingLevel, Verdict, VerdictReason};
use crate::council::{StandingObjection, SupportedVote, standing_objections};
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
    let now = votes.iter().map(line);
    now.chain(standing_lines(report, names)).collect()
}

/// `ash voted FAIL over F1 (src/a.py:5): that stands as long as the finding is open`, where such votes decided.
fn standing_lines(report: &Report, names: &JudgeNames<'_>) -> Vec<String> {
    let is_decided = report.outcome.reason == VerdictReason::StandingObjection;
    let standing = standing_objections(&report.outcome).into_iter();
    let line = |one: StandingObjection<'_>| {
        let (name, found) = (names.get(one.judge), one.finding);
        let place = words::location_text(&found.finding.location);
        format!(
            "{name} voted {} over {} ({place}): that stands as long as the finding is open",
            one.vote.as_str(),
            found.id,
        )
    };
    standing.filter(|_| is_decided).map(line).collect()
}
