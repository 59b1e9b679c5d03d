//! Findings that were resolved, as long as a push may bring their code back: a revert, or a branch that is pushed
//! again.

use std::collections::BTreeSet;

use council_protocol::{Severity, Vote};

use super::carry::{forget_old_name, hear_dismissal, is_removed_again};
use super::code_search::{CodeSearch, OpenCode, move_finding};
use super::kept::{OpenFinding, packed_len};
use super::memory::ReviewState;
use super::quote_place::is_short;
use super::voices::seats_of;
use crate::council::outcome::{FindingLevel, JudgedFinding, StandingVote};
use crate::report::{FindingFate, Report};

/// The most of them that are kept, and the most characters.
const MAX_GONE: usize = 20;
const MAX_ROOM: usize = 6_000;

impl ReviewState {
    /// Whether a finding of this name was resolved, and would come back with its code.
    pub(crate) fn has_resolved(&self, fingerprint: &str) -> bool {
        self.gone.iter().any(|gone| gone.fingerprint == fingerprint)
    }

    /// What was resolved up to this report, which was made after this state: the last first.
    pub(crate) fn gone_after(&self, report: &Report) -> Vec<OpenFinding> {
        let known = self.known_by(&seats_of(report));
        let earlier = report.receipt.run.earlier.iter();
        let told = earlier.flat_map(|earlier| &earlier.findings);
        let resolved = told.filter(|found| found.fate == FindingFate::Resolved);
        let resolved: BTreeSet<&str> = resolved.map(|found| found.fingerprint.as_str()).collect();
        let is_found = |open: &&OpenFinding| {
            let mut found = report.outcome.findings.iter();
            found.any(|found| found.fingerprint == open.fingerprint)
        };
        let is_told = |name: &str| {
            let mut earlier = report.receipt.run.earlier.iter();
            earlier.any(|earlier| earlier.knows_finding(name))
        };
        let is_resolved = |open: &&OpenFinding| {
            // Nothing is told of what was dismissed, and is gone: taken back, it would count again with its code.
            let is_over =
                open.dismissed.is_some() && !is_found(open) && !is_told(&open.fingerprint);
            is_over || resolved.contains(open.fingerprint.as_str())
        };
        let since_now = |open: &OpenFinding| {
            let mut gone = open.clone();
            gone.since.get_or_insert_with(|| self.head.clone());
            gone
        };
        let now = known.open.iter().filter(|open| may_return(open));
        let now = now.filter(is_resolved).map(since_now);
        let before = known.gone.iter().filter(|gone| !is_found(gone)).cloned();
        let mut gone: Vec<OpenFinding> = now.chain(before).take(MAX_GONE).collect();
        while !gone.is_empty() && packed_len(&gone) > MAX_ROOM {
            gone.pop();
        }
        gone
    }

    /// The findings whose code is there again, each as it is kept and as it is now.
    pub(super) fn returned_findings(
        &self,
        search: &CodeSearch<'_>,
    ) -> Vec<(&OpenFinding, (JudgedFinding, FindingFate))> {
        let returned = |gone: &OpenFinding| {
            let mut found = gone.restore_finding();
            if gone.removed_line.is_some() {
                let is_back = is_removed_again(&gone.finding, search.side);
                return is_back.then_some((found, FindingFate::CameBack));
            }
            let path = &gone.finding.location.path;
            let code = OpenCode {
                named: Some(&found),
                ..gone.code_of(&gone.finding)
            };
            let own = search.returned_line(&code).map(|line| (path.clone(), line));
            let (path, line) = own.or_else(|| search.returned_place(&code))?;
            move_finding(&mut found, &path, line);
            hear_dismissal(&mut found, search.side.dismissed);
            forget_old_name(&mut found, gone, search);
            Some((found, FindingFate::CameBack))
        };
        let is_open = |gone: &&OpenFinding| {
            let mut open = self.open.iter();
            open.any(|open| open.fingerprint == gone.fingerprint)
        };
        let gone = self.gone.iter().filter(|gone| !is_open(gone));
        gone.filter_map(|gone| Some((gone, returned(gone)?)))
            .collect()
    }
}

/// Whether a finding is one that is known again by its code, and weighs by its level or by the votes over it. Of what a rule
/// finds, the rule says whether it is back.
fn may_return(open: &OpenFinding) -> bool {
    let objects = |one: &StandingVote| one.last.max(Some(one.vote)) > Some(Vote::Pass);
    let is_voted_over = open.votes.iter().any(objects);
    // What was dismissed has no level: it weighs what it would without that.
    let weighs = match open.dismissed {
        Some(_) => open.finding.severity > Severity::Minor || is_voted_over,
        None => open.level > Some(FindingLevel::Note) || open.level.is_some() && is_voted_over,
    };
    weighs
        && open.finding.rule.is_none()
        // What is removed has nothing around it by which it is known again.
        && (open.removed_line.is_none() || !is_short(&open.finding))
}
