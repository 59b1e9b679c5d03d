//! Findings of past runs, by id or fingerprint.

use crate::council::outcome::JudgedFinding;
use crate::report::Report;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::store;

/// The fewest digits of a fingerprint that name a finding.
const MIN_FINGERPRINT_DIGITS: usize = 4;

/// A finding with the report that it stands in.
pub(crate) struct FoundFinding {
    pub(crate) finding: JudgedFinding,
    pub(crate) report: Report,
}

/// The finding of that id in a run (the latest that has a report), or of that fingerprint in any.
pub(crate) fn find_finding(
    start: &RunContext,
    id: &str,
    run: Option<&str>,
) -> Result<FoundFinding, RunError> {
    let reports = match run {
        Some(_) => vec![store::find_run(start, run)?.report()?],
        None => store::list_runs(start)?
            .into_iter()
            .map(|(_, report)| report)
            .collect(),
    };
    let reports: Vec<Report> = reports.into_iter().flatten().collect();
    let named = reports.first().and_then(|report| {
        let finding = report
            .outcome
            .findings
            .iter()
            .find(|f| f.id.eq_ignore_ascii_case(id))?;
        Some((finding.clone(), report.clone()))
    });
    if let Some((finding, report)) = named {
        return Ok(FoundFinding { finding, report });
    }
    let printed = id.len() >= MIN_FINGERPRINT_DIGITS && id.bytes().all(|b| b.is_ascii_hexdigit());
    let begins =
        |f: &&JudgedFinding| printed && f.fingerprint.starts_with(&id.to_ascii_lowercase());
    let mut found: Vec<FoundFinding> = Vec::new();
    for report in reports {
        for finding in report.outcome.findings.iter().filter(begins) {
            if !found
                .iter()
                .any(|other| other.finding.fingerprint == finding.fingerprint)
            {
                found.push(FoundFinding {
                    finding: finding.clone(),
                    report: report.clone(),
                });
            }
        }
    }
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(RunError::usage(format!("no past run has a finding {id:?}"))
            .hint("git council show lists them; --run NAME names another run than the latest")),
        several => Err(
            RunError::usage(format!("{several} findings begin with {id:?}"))
                .hint("write more digits of the fingerprint"),
        ),
    }
}

/// `path:line description`.
pub(crate) fn describe_finding(finding: &JudgedFinding) -> String {
    let at = &finding.finding.location;
    format!(
        "{}:{} {}",
        at.path.display(),
        at.line,
        finding.finding.description
    )
}
