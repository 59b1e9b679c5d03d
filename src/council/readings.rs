//! What each judge says in the line of a finding: who holds it, and what is critical there beside the words that are shown.

use council_protocol::{Finding, Severity};

use super::like_words::is_alike;
use super::outcome::{FindingMember, JudgedFinding};

/// The most other critical problems of one line that are told.
const MAX_OTHERS: usize = 5;

impl JudgedFinding {
    /// Every version that still stands.
    fn standing_members(&self) -> impl Iterator<Item = &FindingMember> {
        let members = self.members.iter();
        members.filter(|member| member.stands())
    }

    /// The versions of those who hold it. Whoever has another, milder problem in its line does not.
    pub fn holding_members(&self) -> impl Iterator<Item = &FindingMember> {
        self.standing_members()
            .filter(|m| !self.is_beside(&m.finding))
    }

    fn is_beside(&self, version: &Finding) -> bool {
        let shown = &self.finding;
        let is_milder = version.severity < shown.severity;
        let worst = || {
            self.standing_members()
                .filter(|m| m.finding.severity >= shown.severity)
        };
        // What an earlier review found weighs what it did: nobody of this one may call it so bad.
        let is_said_now = worst().next().is_some();
        is_milder && is_said_now && !worst().any(|m| is_milder_view(&m.finding, version))
    }

    /// Other critical problems that judges see in the same line, in words or of a kind of their own: whoever reads only
    /// the words that are shown would not know of them.
    pub fn other_criticals(&self) -> Vec<&FindingMember> {
        let mut told: Vec<&Finding> = vec![&self.finding];
        let mut others = Vec::new();
        let critical = self
            .standing_members()
            .filter(|m| m.finding.severity == Severity::Critical);
        for member in critical.filter(|_| self.finding.severity == Severity::Critical) {
            let version = &member.finding;
            let is_told = |other: &&Finding| {
                is_same_kind(other, version) && is_alike(&other.description, &version.description)
            };
            if !told.iter().any(is_told) && others.len() < MAX_OTHERS {
                told.push(version);
                others.push(member);
            }
        }
        others
    }
}

/// Whether a milder version tells of the problem that a worse one does: it is of its kind, and a remark says it in like words as
/// well. Who remarks on the name of a variable has not seen the injection in its line, though both are called `sql`.
pub(super) fn is_milder_view(worse: &Finding, milder: &Finding) -> bool {
    is_same_kind(worse, milder)
        && (milder.severity > Severity::Minor || is_alike(&worse.description, &milder.description))
}

/// Whether two versions are about the same kind of problem: of one rule where both name one, else of one category.
pub(super) fn is_same_kind(one: &Finding, other: &Finding) -> bool {
    match (&one.rule, &other.rule) {
        (Some(one), Some(other)) => one == other,
        _ => one.category.to_lowercase() == other.category.to_lowercase(),
    }
}
