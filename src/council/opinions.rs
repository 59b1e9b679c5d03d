//! What judges say in later rounds of what others found. A judge's last word on a finding replaces its earlier ones.

use council_protocol::answer::{Answer, Change, Evidence, Stance, Tag};
use council_protocol::{Finding, RoundNumber, Severity, Vote};

use super::cluster::ComparedFinding;
use super::disposition::{FindingVersion, WeighedOpinion};
use super::evidence::QuoteClaims;
use super::judges::{Judges, SeatIndex};
use super::outcome::Opinion;
use super::readings::is_same_kind;
use super::responses::{is_contradictory, responses_by_finding};
use super::support::SupportKind;

/// One answer of a later round, with what is needed to weigh it.
struct LaterAnswer<'a> {
    judges: &'a Judges,
    claims: &'a QuoteClaims,
    speaker: SeatIndex,
    round: RoundNumber,
    answer: &'a Answer,
}

/// How the reasoning of an opinion begins that is nothing but a vote that moved.
const MOVE: &str = "moved from ";

/// Whether an opinion is nothing but a vote that moved over the place of a finding.
pub(super) fn is_move(opinion: &Opinion) -> bool {
    opinion.stance == Stance::Agreed && opinion.reasoning.starts_with(MOVE)
}

/// Attaches what the others said in later rounds.
pub(super) fn attach_opinions(
    judges: &Judges,
    claims: &QuoteClaims,
    versions: &mut [FindingVersion],
) {
    for speaker in judges.counted_seats() {
        for (&round, answer) in judges[speaker].answers.range(RoundNumber::SECOND..) {
            let later = LaterAnswer {
                judges,
                claims,
                speaker,
                round,
                answer,
            };
            later.attach_responses(versions);
            later.attach_denials(versions);
            later.attach_move(versions);
        }
    }
}

/// Whether a judge's words on a finding say less than its vote that moves over the finding's place: an agreement in part, or
/// one without evidence. Whoever says more than nothing must not count for less.
fn is_less_than_a_move(said: &WeighedOpinion) -> bool {
    match said.opinion.stance {
        Stance::Agreed => said.found.is_none(),
        Stance::PartiallyAgreed => true,
        Stance::Disagreed => false,
    }
}

impl LaterAnswer<'_> {
    /// Of several responses to one finding that say the same, the one that says most counts, wherever it stands; of those
    /// that contradict each other none does.
    fn attach_responses(&self, versions: &mut [FindingVersion]) {
        let by_finding = responses_by_finding(self.judges, self.speaker, self.round, self.answer);
        for ((seat, number), said) in by_finding {
            if is_contradictory(&said) {
                continue;
            }
            let mut meant = versions.iter_mut();
            let meant = meant.find(|v| v.is_of(seat, number) && v.round < self.round);
            if let Some(version) = meant {
                let weighed = said.into_iter().map(|response| {
                    let (why, evidence) = (response.reasoning.clone(), response.evidence.clone());
                    self.weigh(version, response.stance, why, evidence)
                });
                let weighed: Vec<WeighedOpinion> = weighed.collect();
                self.attach_strongest(version, weighed);
            }
        }
    }

    /// Findings tagged `not_reproduced` are no findings: they deny those of others at the same place.
    fn attach_denials(&self, versions: &mut [FindingVersion]) {
        let denials = self
            .answer
            .independent_findings
            .iter()
            .filter(|i| i.tag == Tag::NotReproduced);
        let denials: Vec<&Finding> = denials.map(|i| &i.finding).collect();
        for version in self.shown(versions) {
            let is_meant = |denied: &&&Finding| {
                let (proof, _) = self.claims.proof_of(&denied.location, &denied.quote);
                let function = self.claims.function_of(&denied.location, &denied.quote);
                let here = ComparedFinding::new(self.speaker, denied, &proof, false);
                here.in_function(function).speaks_of(&version.compared())
            };
            let meant = denials.iter().filter(is_meant).map(|denied| {
                let evidence = Evidence {
                    path: denied.location.path.clone(),
                    line: denied.location.line,
                    quote: denied.quote.clone(),
                };
                let why = denied.description.clone();
                self.weigh(version, Stance::Disagreed, why, Some(evidence))
            });
            let meant: Vec<WeighedOpinion> = meant.collect();
            self.attach_strongest(version, meant);
        }
    }

    /// A vote that gets worse over the very lines of a finding is an agreement with it, also where the judge does not say so
    /// a second time under the finding's id.
    fn attach_move(&self, versions: &mut [FindingVersion]) {
        let Some(Change {
            from,
            to,
            evidence: Some(evidence),
        }) = &self.answer.change
        else {
            return;
        };
        if *to != self.answer.verdict || to <= from {
            return;
        }
        let least = if *to == Vote::Fail {
            Severity::Critical
        } else {
            Severity::Significant
        };
        // Over a line in which the judge has a problem of another kind, it moves because of that.
        let own: Vec<Finding> = versions
            .iter()
            .filter(|v| v.seat == self.speaker && v.is_quoted_by(evidence, self.claims))
            .map(|v| v.finding.clone())
            .collect();
        let (claims, of) = (self.claims, self.speaker);
        let quotes = |v: &FindingVersion| v.is_quoted_by(evidence, claims);
        // Where the very lines of a finding are quoted, its neighbours are not meant.
        let is_exact = versions
            .iter()
            .any(|v| v.seat != of && v.round < self.round && quotes(v));
        for version in self.shown(versions).filter(|v| v.severity() >= least) {
            let is_meant =
                own.is_empty() || own.iter().any(|own| is_same_kind(own, &version.finding));
            let is_near = version.place_of(evidence, claims) == Some(SupportKind::SamePlace);
            let is_there = is_meant && if is_exact { quotes(version) } else { is_near };
            let said = version.opinions.get(&self.speaker);
            if is_there && said.is_none_or(is_less_than_a_move) {
                let mut reasoning =
                    format!("{MOVE}{} to {} over this place", from.as_str(), to.as_str());
                if let Some(said) = said.filter(|said| !said.opinion.reasoning.is_empty()) {
                    reasoning = format!("{} ({reasoning})", said.opinion.reasoning);
                }
                let moved = self.weigh(version, Stance::Agreed, reasoning, Some(evidence.clone()));
                version.opinions.insert(self.speaker, moved);
            }
        }
    }

    /// What the speaker was shown before it spoke.
    fn shown<'v>(
        &self,
        versions: &'v mut [FindingVersion],
    ) -> impl Iterator<Item = &'v mut FindingVersion> {
        let (speaker, round) = (self.speaker, self.round);
        versions
            .iter_mut()
            .filter(move |v| v.seat != speaker && v.round < round)
    }

    /// One of several opinions that point the same way, whatever their order.
    fn attach_strongest(&self, version: &mut FindingVersion, said: Vec<WeighedOpinion>) {
        let strongest = said
            .into_iter()
            .max_by(|a, b| a.strength().cmp(&b.strength()));
        if let Some(opinion) = strongest {
            version.opinions.insert(self.speaker, opinion);
        }
    }

    fn weigh(
        &self,
        version: &FindingVersion,
        stance: Stance,
        reasoning: String,
        evidence: Option<Evidence>,
    ) -> WeighedOpinion {
        // To look at the place is to look, but says nothing against it.
        let counts = |e: &&Evidence| {
            stance != Stance::Disagreed || version.place().is_answered_by(e, self.claims)
        };
        let found = evidence
            .as_ref()
            .filter(counts)
            .and_then(|e| version.place_of(e, self.claims));
        let opinion = Opinion {
            judge: self.judges[self.speaker].id().clone(),
            stance,
            reasoning,
            evidence: evidence.map(|e| self.claims.in_place(&e)),
            resolves: found.is_some(),
        };
        WeighedOpinion { opinion, found }
    }
}
