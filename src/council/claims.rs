//! Which of several claims about one line is meant. Judges say different things of the same line; what a test proves,
//! or what somebody refutes, is one of these claims and not the line.

use std::collections::BTreeSet;

use council_protocol::Severity;

use super::disposition::{FindingCluster, FindingVersion};
use super::judges::SeatIndex;
use super::like_words::is_alike;
use super::readings::is_milder_view;

impl FindingVersion {
    /// Whether another version makes the very same claim, in the same words. Claims that only sound alike may be one
    /// true and one false (`the guard against None`, `the guard against empty text`).
    pub(super) fn is_same_claim(&self, other: &Self) -> bool {
        let words = |v: &Self| -> Vec<String> {
            let words = v.finding.description.split_whitespace();
            words.map(str::to_lowercase).collect()
        };
        self.is_of(other.seat, other.number) || words(self) == words(other)
    }

    /// Whether another version says much the same of the line.
    fn sounds_like(&self, other: &Self) -> bool {
        is_alike(&self.finding.description, &other.finding.description)
    }
}

impl FindingCluster {
    /// Whether words or tests against this version are against what is worst in the cluster: against the claim that
    /// most of those hold who call it worst. Of a milder claim in the same line, or of one that only sounds like it,
    /// nobody learns anything about that one.
    pub(super) fn is_of_main_claim(&self, version: &FindingVersion, worst: Severity) -> bool {
        let is_worst = |v: &&FindingVersion| v.severity() == worst && v.proof.resolves();
        let all: Vec<&FindingVersion> = self.versions.iter().filter(is_worst).collect();
        let count = |is_held: &dyn Fn(&&&FindingVersion) -> bool| -> usize {
            let held = all.iter().filter(is_held).map(|v| v.seat);
            held.collect::<BTreeSet<SeatIndex>>().len()
        };
        let holders = |claim: &FindingVersion| {
            let same = count(&|v| v.is_same_claim(claim));
            (count(&|v| v.sounds_like(claim)), same)
        };
        let most = all.iter().map(|v| holders(v)).max().unwrap_or_default();
        let mut main = all.iter().filter(|v| holders(v) == most);
        all.is_empty() || main.any(|v| v.is_same_claim(version))
    }

    /// The cluster with each claim that a test proves on its own, in the words and at the level of those who made it.
    /// Where all say the same, the whole cluster is proved.
    pub(super) fn proved_apart(mut self) -> Vec<Self> {
        let mut apart = Vec::new();
        while let Some(proved) = self
            .versions
            .iter()
            .find(|v| v.proved && v.proof.resolves())
        {
            let proved = proved.clone();
            let (claim, others): (Vec<_>, Vec<_>) = self
                .versions
                .into_iter()
                .partition(|v| v.is_same_claim(&proved));
            self.versions = others;
            apart.push(Self {
                versions: claim,
                models: self.models.clone(),
            });
        }
        if !self.versions.is_empty() {
            let left: Vec<FindingVersion> = apart.iter().flat_map(|c| self.supporting(c)).collect();
            self.versions.extend(left);
            self.versions.sort_by_key(|v| (v.seat, v.number));
            apart.insert(0, self);
        }
        apart
    }

    /// What of it says the same as a judge's finding, as it stands apart if a test proves that one.
    pub(super) fn claim_of(&self, (seat, number): (SeatIndex, usize)) -> Self {
        let mut versions = self.versions.iter();
        let meant = versions.find(|v| v.is_of(seat, number));
        let is_same = |v: &&FindingVersion| meant.is_some_and(|meant| v.is_same_claim(meant));
        Self {
            versions: self.versions.iter().filter(is_same).cloned().collect(),
            models: self.models.clone(),
        }
    }

    /// The versions of a milder, proved claim whose judges stand for what is worse here as well: without the test
    /// they did, and a proof takes nothing away.
    fn supporting(&self, proved: &Self) -> Vec<FindingVersion> {
        let worst = self.severity();
        let is_one = |v: &&FindingVersion| {
            let mut worse = self.versions.iter().filter(|w| w.severity() == worst);
            proved.severity() < worst && worse.any(|w| is_milder_view(&w.finding, &v.finding))
        };
        let supporting = proved.versions.iter().filter(is_one);
        let without_proof = |v: &FindingVersion| FindingVersion {
            proved: false,
            ..v.clone()
        };
        supporting.map(without_proof).collect()
    }
}
