//! One finding may stand for several problems of its line. Here it is taken apart again: each goes on in the words of its
//! own judges, and what is decided of one says nothing of the others.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use council_protocol::{Finding, Proof, Severity};

use super::fingerprint::{class_of, part_name};
use super::in_place::proven_place;
use super::judges::same_text;
use super::outcome::{FindingMember, JudgedFinding};
use super::readings::is_same_kind;
use super::same_problem::{is_broadly_called, says_one_problem, tells_other_problem};

impl FindingMember {
    /// Whether it still stands: its quote is there, and its judge did not take it back.
    pub(crate) fn stands(&self) -> bool {
        self.proof.resolves() && !self.withdrawn
    }

    fn is_standing_critical(&self) -> bool {
        self.stands() && self.finding.severity == Severity::Critical
    }
}

impl JudgedFinding {
    fn standing_criticals(&self) -> impl Iterator<Item = &FindingMember> {
        let members = self.members.iter();
        members.filter(|member| member.is_standing_critical())
    }

    /// Leaves of it the other critical problems that are still there, in the words of the worst, where the one in its sentence
    /// is gone; whether there are any.
    pub fn keep_problems(&mut self, is_there: impl Fn(&Finding) -> bool) -> bool {
        let beside = self.problems_beside().into_iter();
        let left: Vec<FindingMember> = beside.filter(|m| is_there(&m.finding)).cloned().collect();
        let Some(shown) = shown_member(&left) else {
            return false;
        };
        self.finding = finding_in_whole(shown, &self.finding);
        let named = shown.fingerprint.clone();
        self.fingerprint =
            named.unwrap_or_else(|| part_name(&self.fingerprint, &class_of(&self.finding)));
        self.members = left;
        true
    }

    /// The critical problems of its line that are others than the one in its sentence: its dismissal leaves them.
    pub fn problems_beside(&self) -> Vec<&FindingMember> {
        let meant = meant_classes(self);
        let is_meant = |version: &Finding| match is_broadly_called(version) {
            true => says_one_problem(&self.finding, version),
            false => {
                meant.contains(&class_of(version)) && !tells_other_problem(&self.finding, version)
            }
        };
        let is_other = |member: &&FindingMember| !is_meant(&member.finding);
        self.standing_criticals().filter(is_other).collect()
    }
}

/// What the critical versions of a finding are about that mean the problem in its sentence, whatever their judges call it: a
/// dismissal answers these and no others.
pub fn meant_classes(found: &JudgedFinding) -> BTreeSet<String> {
    let is_meant = |member: &&FindingMember| means_shown(&found.finding, &member.finding);
    let meant = found.standing_criticals().filter(is_meant);
    let shown = [class_of(&found.finding)].into_iter();
    shown
        .chain(meant.map(|member| class_of(&member.finding)))
        .collect()
}

fn means_shown(shown: &Finding, version: &Finding) -> bool {
    let is_one_kind = class_of(shown) == class_of(version) || is_same_kind(shown, version);
    is_one_kind && !is_broadly_called(version) || says_one_problem(shown, version)
}

/// Puts what a finding still holds into its sentence, where that is about another problem.
pub(super) fn retell(whole: &mut JudgedFinding, is_meant: impl Fn(&Finding) -> bool) {
    if is_meant(&whole.finding) {
        return;
    }
    if let Some(shown) = shown_member(&whole.members) {
        whole.finding = finding_in_whole(shown, &whole.finding);
    }
}

/// Takes the versions of another problem out of a finding, which go on as one of their own that weighs what the whole does;
/// none: none of them is critical and stands, or nothing else would be left.
pub(super) fn split_off(
    whole: &mut JudgedFinding,
    is_other: impl Fn(&FindingMember) -> bool,
) -> Option<JudgedFinding> {
    let members = || whole.members.iter();
    let is_loss = members().any(|member| member.is_standing_critical() && is_other(member));
    if !is_loss || members().all(&is_other) {
        return None;
    }
    let (others, own): (Vec<_>, Vec<_>) = whole.members.drain(..).partition(is_other);
    whole.members = own;
    let shown = shown_member(&others)?;
    let class = class_of(&shown.finding);
    let named = shown.fingerprint.clone();
    Some(JudgedFinding {
        fingerprint: named.unwrap_or_else(|| part_name(&whole.fingerprint, &class)),
        finding: finding_in_whole(shown, &whole.finding),
        members: others,
        suggestion_check: None,
        ..whole.clone()
    })
}

/// A part of a finding under names that no other one has.
pub(super) fn with_own_names(mut part: JudgedFinding, findings: &[JudgedFinding]) -> JudgedFinding {
    let is_taken = |name: &str| findings.iter().any(|f| f.fingerprint == name);
    while is_taken(&part.fingerprint) {
        part.fingerprint = part_name(&part.fingerprint, &class_of(&part.finding));
    }
    let is_free = |id: &String| !findings.iter().any(|f| f.id.eq_ignore_ascii_case(id));
    let mut ids = (findings.len() + 1..).map(|number| format!("F{number}"));
    part.id = ids.find(is_free).unwrap_or_default();
    part
}

/// The version that is shown of several: the worst that stands, of equals the one that most judges hold; further ties fall
/// to the text.
fn shown_member(members: &[FindingMember]) -> Option<&FindingMember> {
    let holders = |class: &str| {
        let standing = members.iter().filter(|member| member.stands());
        let held = standing.filter(|member| class_of(&member.finding) == class);
        held.count()
    };
    members.iter().min_by_key(|member| {
        let finding = &member.finding;
        let weight = (member.stands(), finding.severity);
        (
            Reverse((weight, holders(&class_of(finding)))),
            &finding.description,
            &finding.quote,
        )
    })
}

/// A version where its quote was found. Its edit was meant for the lines that its judge named, and nobody has looked whether
/// it fits here.
fn finding_in_whole(member: &FindingMember, whole: &Finding) -> Finding {
    let mut finding = Finding {
        suggestion: None,
        ..member.finding.clone()
    };
    finding.location = proven_place(&finding.location, &member.proof);
    if matches!(member.proof, Proof::Removed { .. }) {
        (finding.location.line, finding.location.end_line) = (0, None);
    }
    if same_text(&finding.quote, &whole.quote) {
        finding.quote.clone_from(&whole.quote);
    }
    finding
}

#[cfg(test)]
#[path = "parts_tests.rs"]
mod tests;
