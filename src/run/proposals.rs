//! Dismissals that coding agents ask for. They count for nothing until a person takes one over: whoever wrote a change does not
//! excuse its findings.

use std::path::PathBuf;

use crate::council::is_outgrown;
use crate::council::outcome::JudgedFinding;
use crate::memory::line::DismissalLine;
use crate::memory::{MacKey, MacPurpose};
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::shown;
use crate::run::store;
use crate::safe_file;
use crate::{git::RepositoryPaths, text::json_safe};

/// Its name in the folder that the program keeps in a git directory.
const FILE: &str = "proposals.jsonl";

/// The most that are kept: an agent that asks for everything fills no disk.
const MAX_PROPOSALS: usize = 200;

/// How a finding that an agent asked to dismiss stands now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ProposalState {
    /// It is as bad as it was then at most, and of the same kind.
    Open(Box<JudgedFinding>),
    /// It is worse than what the agent spoke of, or about something else: a person who accepts would not know what.
    Outgrown(Box<JudgedFinding>),
    /// The latest review of what it stood in does not have it: its code has changed.
    Lapsed,
}

/// The reports that tell how proposals stand, the latest first.
pub(crate) struct ProposalReports {
    /// Those of this worktree.
    own: Vec<Report>,
    /// Those of all others: a fingerprint means the same in every worktree.
    others: Vec<Report>,
}

impl ProposalReports {
    pub(crate) fn load(start: &RunContext) -> Result<Self, RunError> {
        let runs = store::list_own_runs(start)?;
        let latest = runs.iter().find(|(_, report)| report.is_some());
        // A verdict that was reused leaves no run.
        let given = shown::verdict_after(latest.map(|(past, _)| past), start);
        let names: Vec<String> = runs.iter().map(|(past, _)| past.name.clone()).collect();
        let kept = runs.into_iter().filter_map(|(_, report)| report);
        let mut others = store::list_runs(start)?;
        others.retain(|(past, _)| !names.contains(&past.name));
        Ok(Self {
            own: given.into_iter().chain(kept).collect(),
            others: others
                .into_iter()
                .filter_map(|(_, report)| report)
                .collect(),
        })
    }

    /// How the finding of a proposal stands.
    pub(crate) fn state_of(&self, proposal: &DismissalLine) -> ProposalState {
        let fingerprint = &proposal.dismissal.fingerprint;
        let stands_in = |report: &Report| {
            let mut findings = report.outcome.findings.iter();
            findings.find(|f| f.fingerprint == *fingerprint).cloned()
        };
        let mut own = self.own.iter().enumerate();
        let found = match own.find_map(|(at, report)| Some((at, stands_in(report)?))) {
            Some((at, finding)) => {
                let (later, last) = (&self.own[..at], &self.own[at]);
                if later.iter().any(|later| rereads(later, last, &finding)) {
                    return ProposalState::Lapsed;
                }
                Some(finding)
            }
            None => self.others.iter().find_map(stands_in),
        };
        match found {
            None => ProposalState::Lapsed,
            Some(finding) if is_outgrown(&proposal.dismissal, &finding) => {
                ProposalState::Outgrown(Box::new(finding))
            }
            Some(finding) => ProposalState::Open(Box::new(finding)),
        }
    }
}

/// Whether a later review was to the end of the same target, and read the file of a finding that stood in it.
fn rereads(later: &Report, last: &Report, finding: &JudgedFinding) -> bool {
    let (now, then) = (&later.target, &last.target);
    let is_same = (now.kind, &now.label, &now.only) == (then.kind, &then.label, &then.only);
    let at = &finding.finding.location.path;
    let mut files = later.outcome.coverage.files.iter();
    is_same && !later.incomplete && files.any(|file| file.path == *at)
}

/// Adds what an agent asks for, in the place of what was asked for the same finding before.
pub(crate) fn keep_proposal(line: &DismissalLine, start: &RunContext) -> Result<(), RunError> {
    let mut kept = list_proposals(start)?;
    kept.retain(|other| other.dismissal.fingerprint != line.dismissal.fingerprint);
    if kept.len() >= MAX_PROPOSALS {
        return Err(
            RunError::usage(format!("{MAX_PROPOSALS} dismissals are proposed already"))
                .hint("a person decides about them: git council dismiss --proposed"),
        );
    }
    kept.push(line.clone());
    write_proposals(&kept, start)
}

/// What agents have asked this user for and nobody has decided, the oldest first; none where the file is not under the user's
/// seal: a git directory may come from elsewhere. Untrusted text.
pub(crate) fn list_proposals(start: &RunContext) -> Result<Vec<DismissalLine>, RunError> {
    let text = safe_file::read_text(proposals_file(start)?).unwrap_or_default();
    let Some((seal, lines)) = text.split_once('\n') else {
        return Ok(Vec::new());
    };
    let key = start.signing_key();
    let is_own = |key: MacKey| key.verify_mac(MacPurpose::Dismissal, &sealed_bytes(lines), seal);
    if !key.is_some_and(is_own) {
        return Ok(Vec::new());
    }
    let lines = lines
        .lines()
        .filter_map(|line| serde_json::from_slice(line.as_bytes()).ok());
    Ok(lines.take(MAX_PROPOSALS).collect())
}

/// What the seal covers: no line of the log of dismissals begins like this.
fn sealed_bytes(lines: &str) -> Vec<u8> {
    format!("proposals\n{lines}").into_bytes()
}

/// Forgets what was asked for about a finding, since a person has decided.
pub(crate) fn settle_proposal(fingerprint: &str, start: &RunContext) -> Result<(), RunError> {
    let mut kept = list_proposals(start)?;
    let before = kept.len();
    kept.retain(|line| line.dismissal.fingerprint != fingerprint);
    if kept.len() == before {
        return Ok(());
    }
    write_proposals(&kept, start)
}

fn proposals_file(start: &RunContext) -> Result<PathBuf, RunError> {
    let place = RepositoryPaths::discover(&start.dir, &start.git_environment())?;
    let dir = place.memory_dir();
    Ok(dir
        .ok_or_else(|| RunError::usage("this is not a git repository"))?
        .join(FILE))
}

fn write_proposals(lines: &[DismissalLine], start: &RunContext) -> Result<(), RunError> {
    let file = proposals_file(start)?;
    let json = lines
        .iter()
        .filter_map(|line| serde_json::to_string(line).ok());
    let text: String = json.map(|json| json_safe(&json) + "\n").collect();
    let key = start.signing_key().ok_or_else(|| {
        RunError::usage("a proposal cannot be kept: there is no key of yours to seal it with")
            .hint("set HOME or XDG_STATE_HOME")
    })?;
    let seal = key.mac_hex(MacPurpose::Dismissal, &sealed_bytes(&text));
    let text = format!("{seal}\n{text}");
    let folder = file.parent().unwrap_or(&file);
    safe_file::make_folder(folder)
        .and_then(|()| safe_file::write_file(&file, &text))
        .map_err(|error| RunError::output(&file.display().to_string(), &error))
}

#[cfg(test)]
mod tests {
    use council_protocol::Severity;

    use super::*;
    use crate::council::outcome::Disposition;
    use crate::council::{Dismissal, DismissalGround};
    use crate::memory::line::LINE_VERSION;
    use crate::report;

    const LEVELS: [Severity; 3] = [Severity::Minor, Severity::Significant, Severity::Critical];

    /// A report with one finding, this bad; and without it, where it is no worse than nothing.
    fn report_of(severity: Option<Severity>) -> Report {
        let mut report =
            report::json::parse(include_str!("../../docs/examples/report.json")).unwrap();
        let findings = &mut report.outcome.findings;
        findings.retain(|found| found.disposition != Disposition::Rejected);
        findings.truncate(1);
        match severity {
            None => findings.clear(),
            Some(severity) => {
                findings[0].finding.severity = severity;
                findings[0].dismissed = None;
                for member in &mut findings[0].members {
                    member.finding.severity = severity;
                }
            }
        }
        report
    }

    fn proposal(severity: Severity) -> DismissalLine {
        DismissalLine {
            v: LINE_VERSION,
            dismissal: Dismissal {
                fingerprint: report_of(Some(severity)).outcome.findings[0]
                    .fingerprint
                    .clone(),
                severity: Some(severity),
                classes: Vec::new(),
                said: None,
                ground: DismissalGround::FalsePositive,
                because: "only a matter of style".to_owned(),
                by: "an agent".to_owned(),
                at: "2026-02-14T09:00:00Z".to_owned(),
            },
            finding: "a.py:2 unusual style".to_owned(),
            restored: false,
        }
    }

    /// Law: a proposal is open if and only if the last version of its finding is no worse than the one that it speaks of,
    /// whatever stood there before.
    #[test]
    fn a_proposal_speaks_of_nothing_worse_than_what_it_was_made_of() {
        for seen in LEVELS {
            for now in LEVELS {
                for before in LEVELS {
                    let reports = ProposalReports {
                        own: [now, before].map(|one| report_of(Some(one))).into(),
                        others: vec![report_of(Some(before))],
                    };
                    let state = reports.state_of(&proposal(seen));
                    let is_open = matches!(state, ProposalState::Open(_));
                    assert_eq!(is_open, now <= seen, "{seen:?} {now:?}: {state:?}");
                    assert_ne!(state, ProposalState::Lapsed);
                }
            }
        }
    }

    /// Law: it lapses with the first later review of the same target that has the file and not the finding; another target,
    /// a review that was broken off, or another worktree says nothing.
    #[test]
    fn a_proposal_lapses_when_its_code_was_reviewed_without_it() {
        let seen = Severity::Significant;
        let mut other = report_of(None);
        other.target.label.push_str(", another one");
        let mut broken = report_of(None);
        broken.incomplete = true;
        let mut unread = report_of(None);
        unread.outcome.coverage.files.clear();
        for (later, lapses) in [
            (report_of(None), true),
            (other, false),
            (broken, false),
            (unread, false),
        ] {
            let reports = ProposalReports {
                own: vec![later.clone(), report_of(Some(seen))],
                others: Vec::new(),
            };
            let state = reports.state_of(&proposal(seen));
            assert_eq!(
                state == ProposalState::Lapsed,
                lapses,
                "{}",
                later.target.label
            );
            let elsewhere = ProposalReports {
                own: vec![later],
                others: vec![report_of(Some(seen))],
            };
            assert_ne!(elsewhere.state_of(&proposal(seen)), ProposalState::Lapsed);
        }
    }
}
