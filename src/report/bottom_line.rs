//! Headline, exit code and check conclusion: one function, so that no surface can be greener than another.

use std::collections::BTreeSet;

use council_protocol::{CoverageState, Severity, Vote};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::outcome::{Disposition, JudgeRecord, JudgedFinding, Verdict, VerdictReason};
use crate::council::quorum::Attendance;
use crate::council::{SupportedVote, UNASKED, bench_judge, votes_after_dismissals};
use crate::report::whole::Report;

/// The exit codes of the program. Where several apply, 1 goes before 3, and 3 before 4.
pub(crate) mod exit {
    /// PASS, WARN or SKIPPED.
    pub(crate) const OK: u8 = 0;
    /// FAIL, or WARN under `--fail-on warn`.
    pub(crate) const FAIL: u8 = 1;
    /// Usage or configuration.
    pub(crate) const USAGE: u8 = 2;
    pub(crate) const INCONCLUSIVE: u8 = 3;
    /// A verdict was made, but neither a requested surface nor its fallback could be published.
    pub(crate) const UNPUBLISHED: u8 = 4;
    /// Interrupted, 128 + SIGINT.
    pub(crate) const INTERRUPTED: u8 = 130;
}

/// From which verdict on the exit code is 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// From FAIL on.
    #[default]
    Fail,
    /// From WARN on.
    Warn,
}

/// How a verdict is turned into an ending.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GatePolicy {
    /// From which verdict on it fails.
    pub fail_on: FailOn,
    /// An INCONCLUSIVE check is neutral instead of asking for action.
    pub advisory: bool,
}

/// GitHub's word for how a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckConclusion {
    /// The verdict is PASS.
    Success,
    /// WARN, or INCONCLUSIVE of an advisory council.
    Neutral,
    /// FAIL, or WARN where the gate fails on it.
    Failure,
    /// INCONCLUSIVE: somebody has to look.
    ActionRequired,
    /// The run was interrupted, or the branch moved on.
    Cancelled,
    /// The run's deadline passed.
    TimedOut,
    /// There was nothing to review.
    Skipped,
}

/// What a report comes to, for whoever reads one line, one number or one word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BottomLine {
    /// One sentence that starts with the verdict. It has no untrusted text in it.
    pub headline: String,
    /// The exit code of the program; whether everything could be published (4) is not known here.
    pub exit_code: u8,
    /// How a check ends.
    pub conclusion: CheckConclusion,
}

impl BottomLine {
    /// The exit code when a requested surface and its fallback could not be published: 1 and 3 go before 4.
    pub fn unpublished_code(&self) -> u8 {
        if self.exit_code == exit::OK {
            exit::UNPUBLISHED
        } else {
            self.exit_code
        }
    }
}

impl Report {
    /// What the report comes to. The only place that decides it.
    pub fn bottom_line(&self, gate: GatePolicy) -> BottomLine {
        let (exit_code, mut conclusion) = self.exit_and_conclusion(gate);
        let green = [CheckConclusion::Success, CheckConclusion::Skipped];
        if !self.source.is_own() && green.contains(&conclusion) {
            conclusion = CheckConclusion::Neutral;
        }
        BottomLine {
            headline: self.headline(),
            exit_code,
            conclusion,
        }
    }

    /// One sentence that starts with the verdict; where no verdict was asked for, with none.
    pub fn headline(&self) -> String {
        if self.outcome.reason == VerdictReason::NoVerdict && self.source.is_own() {
            return format!("Done: {}", self.verdict_sentence());
        }
        let rest = if self.incomplete { " (INCOMPLETE)" } else { "" };
        let word = self.outcome.verdict.as_str();
        let qualifiers = [
            (self.is_rules_only(), "rules only"),
            (!self.target.only.is_empty(), "part of the change"),
            (self.receipt.run.recorded, "a recording"),
            (!self.source.is_own(), "reported by an unprivileged job"),
        ];
        let is_failing_warn =
            self.outcome.verdict == Verdict::Warn && self.own_gate().fail_on == FailOn::Warn;
        let failing = (is_failing_warn, "the run fails, since fail-on is warn");
        let qualifiers = qualifiers
            .into_iter()
            .chain([failing])
            .filter(|(holds, _)| *holds);
        let qualifiers: Vec<&str> = qualifiers.map(|(_, words)| words).collect();
        let qualifiers = match qualifiers.as_slice() {
            [] => String::new(),
            some => format!(" ({})", some.join("; ")),
        };
        let (sentence, opaque) = (self.verdict_sentence(), self.opaque_clause());
        let (unlisted, hidden) = (self.unlisted_clause(), self.hidden_clause());
        format!("{word}{qualifiers}: {sentence}{unlisted}{opaque}{hidden}{rest}")
    }

    fn exit_and_conclusion(&self, gate: GatePolicy) -> (u8, CheckConclusion) {
        if self.outcome.reason == VerdictReason::Interrupted || self.is_interrupted() {
            return (exit::INTERRUPTED, CheckConclusion::Cancelled);
        }
        match self.outcome.verdict {
            Verdict::Pass => (exit::OK, CheckConclusion::Success),
            Verdict::Warn if gate.fail_on == FailOn::Warn => (exit::FAIL, CheckConclusion::Failure),
            Verdict::Warn => (exit::OK, CheckConclusion::Neutral),
            Verdict::Fail => (exit::FAIL, CheckConclusion::Failure),
            Verdict::Skipped => (exit::OK, CheckConclusion::Skipped),
            Verdict::Inconclusive if self.outcome.reason == VerdictReason::Deadline => {
                (exit::INCONCLUSIVE, CheckConclusion::TimedOut)
            }
            Verdict::Inconclusive if gate.advisory => {
                (exit::INCONCLUSIVE, CheckConclusion::Neutral)
            }
            Verdict::Inconclusive => (exit::INCONCLUSIVE, CheckConclusion::ActionRequired),
        }
    }

    /// Who is missing where too few judges counted.
    fn missing_judges(&self) -> String {
        let who = self.receipt.participation;
        let quorum = who.quorum.max(1) as usize;
        let all = Attendance::of_records(&self.outcome.judges);
        if who.counted < who.quorum || !all.lacks_models(quorum) {
            let asked = count_judges(who.asked);
            return format!("{} of {asked} answered, {} must", who.counted, who.quorum);
        }
        format!(
            "{} of {} answered, {} must; rules do not replace a reviewer",
            all.counted_models,
            count_noun(all.models, "reviewer", "reviewers"),
            all.needed_models(quorum)
        )
    }

    /// That something was dismissed, behind what is left: without it this would pass for a clean change.
    fn dismissed_clause(&self) -> String {
        match self.dismissed_findings().count() {
            0 => String::new(),
            many => format!(", {many} dismissed"),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.receipt
            .run
            .cut_short
            .is_some_and(|cause| VerdictReason::from(cause) == VerdictReason::Interrupted)
    }

    fn verdict_sentence(&self) -> String {
        let who = self.receipt.participation;
        match self.outcome.reason {
            VerdictReason::NoFindings
            | VerdictReason::NotesOnly
            | VerdictReason::SignificantUnconfirmed
                if self.is_rules_only() =>
            {
                let mut parts = vec!["no reviewer read this change".to_owned()];
                let notes = self.note_findings().count();
                parts.extend((notes > 0).then(|| count_noun(notes, "note", "notes")));
                let dismissed = self.dismissed_findings().count();
                parts.extend((dismissed > 0).then(|| format!("{dismissed} dismissed")));
                parts.join(", ")
            }
            VerdictReason::NoFindings => match self.dismissed_findings().count() {
                0 if self.rejected_findings().next().is_some() => format!(
                    "nothing that was found holds, {} rejected",
                    count_noun(self.rejected_findings().count(), "finding", "findings")
                ),
                0 => self.quiet_clause(),
                many => format!(
                    "nothing is open, {} dismissed",
                    count_noun(many, "finding", "findings")
                ),
            },
            VerdictReason::SignificantUnconfirmed => {
                self.unconfirmed_clause() + &self.dismissed_clause()
            }
            VerdictReason::NotesOnly => {
                let notes = count_noun(self.note_findings().count(), "note", "notes");
                format!("nothing to fix, {notes}{}", self.dismissed_clause())
            }
            VerdictReason::CriticalConfirmed
            | VerdictReason::CriticalDisputed
            | VerdictReason::CriticalUnconfirmed
            | VerdictReason::SignificantConfirmed => self.weighty_counts(),
            VerdictReason::VerdictWithoutFinding => {
                let judges = &self.outcome.judges;
                let counted = self.bench_size(|_| true);
                let fails = self.bench_size(|vote| vote.left == Vote::Fail);
                let names_any = self.names_any(Vote::Fail);
                if fails == 1 && !names_any {
                    "a judge votes FAIL, but names no finding".into()
                } else if fails == 1 {
                    "a judge votes FAIL, but none of its findings holds".into()
                } else if fails > 1 && !names_any {
                    let judges = count_judges(counted);
                    format!("{fails} of {judges} vote FAIL, but name no finding")
                } else if fails > 1 {
                    format!(
                        "{fails} of {} vote FAIL, but none of their findings fails the change",
                        count_judges(counted)
                    )
                } else if judges.iter().any(JudgeRecord::objects_unread) {
                    "a judge objects in an answer that does not count; see the notes".into()
                } else if let Some(insisting) = self.insisting_minority() {
                    match insisting {
                        1 => "a judge votes FAIL in its last answer; see the notes".into(),
                        n => format!("{n} judges vote FAIL in their last answers; see the notes"),
                    }
                } else if self.outcome.has_unplaced_objection() {
                    "a rule or a tool objects and names no place in the change".into()
                } else if self.outcome.has_unproven_critical() {
                    "a critical finding could not be found in what was reviewed; see the notes"
                        .into()
                } else if !self.outcome.most_models_object() {
                    "most reviewers of some files object, but no finding of theirs carries it"
                        .into()
                } else {
                    "most reviewers object, but no finding of theirs carries it".into()
                }
            }
            VerdictReason::Votes
                if self.is_rules_only() && self.outcome.verdict == Verdict::Pass =>
            {
                format!("no reviewer read this change; {}", self.votes_clause())
            }
            VerdictReason::Votes => self.votes_clause(),
            VerdictReason::StandingObjection => self.standing_clause(),
            VerdictReason::BelowQuorum => self.missing_judges(),
            VerdictReason::IncompleteCoverage => format!(
                "{} not read as a whole by enough judges",
                count_with_verb(
                    self.outcome.coverage.gaps().count(),
                    "changed file",
                    "changed files"
                )
            ),
            VerdictReason::UncheckedEvidence => {
                "quotes could not be checked, so findings may be missing".into()
            }
            VerdictReason::RulesAbstained => {
                "a built-in judge gave no answer, so its rules did not look".into()
            }
            VerdictReason::MissingBallots => format!(
                "{} of {} cast a final ballot, {} must",
                self.outcome.ledger.ballots.len(),
                count_judges(who.asked),
                who.quorum
            ),
            VerdictReason::Interrupted => "interrupted before the judges had decided".into(),
            VerdictReason::Deadline => "the deadline passed before the judges had decided".into(),
            VerdictReason::BackendLost => {
                "the backend broke down before the judges had decided".into()
            }
            VerdictReason::NothingToReview => "there is nothing to review".into(),
            VerdictReason::AllSkipped if self.has_unasked_files() => {
                "no judge that sits looks at any changed file".into()
            }
            VerdictReason::AllSkipped => {
                "every changed file is left out as generated or ignored".into()
            }
            VerdictReason::NoSynthesis => "nobody wrote the document that was asked for".into(),
            VerdictReason::NoVerdict => "the document is written; no verdict was asked for".into(),
            VerdictReason::CommitFailed => {
                "another review has failed this very commit; see the notes".into()
            }
            VerdictReason::DuelLimit => "the duel used up its rounds with points still open".into(),
            VerdictReason::DuelRemark => {
                "a side of the duel wrote more than its vote, and no finding came of it".into()
            }
            VerdictReason::DuelTimeout => "one side of the duel did not answer in time".into(),
            VerdictReason::DuelBrokenOff => "a side of the duel gave no more section".into(),
            VerdictReason::DuelViolation => "one side of the duel broke the protocol".into(),
        }
    }

    /// `2 judges found nothing`: only of judges that vote so. A vote that brings no finding is told.
    fn quiet_clause(&self) -> String {
        let counted = self.bench_size(|_| true);
        let uneasy = self.bench_size(|vote| vote.left > Vote::Pass);
        match uneasy {
            0 => format!("{} found nothing", count_judges(counted)),
            1 => format!(
                "no finding, though 1 of {} votes WARN",
                count_judges(counted)
            ),
            n => format!(
                "no finding, though {n} of {} vote WARN",
                count_judges(counted)
            ),
        }
    }

    /// How many judges of the bench cast such a vote: whoever judges the parts of a large change is one.
    fn bench_size(&self, is_meant: impl Fn(&SupportedVote<'_>) -> bool) -> u32 {
        let votes = self.supported_votes();
        let meant = votes.iter().filter(|vote| is_meant(vote));
        let names: BTreeSet<&str> = meant.map(|v| bench_judge(&v.judge.seat.judge)).collect();
        u32::try_from(names.len()).unwrap_or(u32::MAX)
    }

    /// Whether any of the judges whose vote is left so has raised a finding, whatever became of it.
    fn names_any(&self, vote: Vote) -> bool {
        let votes = self.supported_votes();
        let mut voters = votes.iter().filter(|one| one.left == vote);
        let raises = |judge: &JudgeRecord| {
            let mut members = self
                .outcome
                .findings
                .iter()
                .flat_map(|found| &found.members);
            members.any(|member| member.judge == judge.seat.judge)
        };
        voters.any(|voter| raises(voter.judge))
    }

    /// How many models vote FAIL in the end without the evidence for it; none: most of them, or nobody.
    fn insisting_minority(&self) -> Option<usize> {
        let judges = self.outcome.judges.iter();
        let models = judges.filter(|j| !j.seat.agent.deterministic && j.counted.is_some());
        let fails = models.clone().filter(|j| j.r2 == Some(Vote::Fail)).count();
        (fails > 0 && fails * 2 <= models.count()).then_some(fails)
    }

    /// Whether a file is left out as it is of no kind that a judge looks at.
    fn has_unasked_files(&self) -> bool {
        let mut files = self.outcome.coverage.files.iter();
        files.any(
            |file| matches!(&file.state, CoverageState::Skipped { reason } if reason == UNASKED),
        )
    }

    /// `1 significant finding that nobody confirmed, 2 notes`: a PASS beside which somebody sees a real problem.
    fn unconfirmed_clause(&self) -> String {
        let notes = self.note_findings();
        let (worse, notes): (Vec<_>, Vec<_>) =
            notes.partition(|f| f.finding.severity > Severity::Minor);
        let what = count_noun(worse.len(), "significant finding", "significant findings");
        let minor = match notes.len() {
            0 => String::new(),
            many => format!(", {}", count_noun(many, "note", "notes")),
        };
        format!("{what} that nobody confirmed{minor}")
    }

    /// `1 critical, 2 significant (1 disputed)`: the findings that weigh, worst first.
    fn weighty_counts(&self) -> String {
        let severities = [Severity::Critical, Severity::Significant, Severity::Minor];
        let counts = severities.into_iter().filter_map(|severity| {
            let of = |f: &&JudgedFinding| f.finding.severity == severity;
            let all = self.weighty_findings().filter(of).count();
            let open = |state| {
                self.weighty_findings()
                    .filter(of)
                    .filter(|f| f.disposition == state)
                    .count()
            };
            let states = [
                (Disposition::Disputed, "disputed"),
                (Disposition::Unconfirmed, "unconfirmed"),
            ];
            let states = states.map(|(state, word)| (open(state), word));
            let states: Vec<String> = states
                .into_iter()
                .filter(|(number, _)| *number > 0)
                .map(|(number, word)| {
                    if number == all {
                        word.to_owned()
                    } else {
                        format!("{number} {word}")
                    }
                })
                .collect();
            let doubt = if states.is_empty() {
                String::new()
            } else {
                format!(" ({})", states.join(", "))
            };
            (all > 0).then(|| format!("{all} {}{doubt}", severity.as_str()))
        });
        match counts.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "no finding of it is listed".to_owned(),
            counts => counts,
        }
    }

    /// `decided by the votes, 2 FAIL, 1 PASS`. A vote that went with a dismissed finding decides nothing: it is told apart.
    fn votes_clause(&self) -> String {
        let votes = self.supported_votes();
        let lost = votes.iter().filter(|vote| vote.is_set_aside());
        let lost: Vec<Vote> = lost.map(|vote| vote.given).collect();
        let left: Vec<Vote> = votes.iter().map(|vote| vote.left).collect();
        let decided = format!("decided by the votes, {}", vote_tally(&left));
        if lost.is_empty() {
            return decided;
        }
        let dismissed = self.dismissed_findings().count();
        let aside = format!(
            "{} dismissed, and with {} {} {}",
            count_noun(dismissed, "finding", "findings"),
            if dismissed == 1 { "it" } else { "them" },
            vote_tally(&lost),
            if lost.len() == 1 { "vote" } else { "votes" },
        );
        if left.iter().all(|&vote| vote == Vote::Pass) {
            aside
        } else {
            format!("{decided}; {aside}")
        }
    }

    /// The votes that count, each with what the dismissals leave of it.
    pub(super) fn supported_votes(&self) -> Vec<SupportedVote<'_>> {
        votes_after_dismissals(&self.outcome.judges, &self.outcome.findings)
    }
}

/// `2 FAIL, 1 PASS`, worst first.
pub(super) fn vote_tally(votes: &[Vote]) -> String {
    let count = |vote| votes.iter().filter(|&&cast| cast == vote).count();
    let parts: Vec<String> = [Vote::Fail, Vote::Warn, Vote::Pass]
        .into_iter()
        .filter(|&vote| count(vote) > 0)
        .map(|vote| format!("{} {}", count(vote), vote.as_str()))
        .collect();
    if parts.is_empty() {
        "no vote counted".into()
    } else {
        parts.join(", ")
    }
}

/// `1 judge`, `3 judges`.
pub(super) fn count_judges(number: u32) -> String {
    count_noun(number as usize, "judge", "judges")
}

/// A number with its noun.
pub(super) fn count_noun(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

pub(super) fn count_with_verb(number: usize, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        count_noun(number, one, many),
        if number == 1 { "is" } else { "are" }
    )
}
