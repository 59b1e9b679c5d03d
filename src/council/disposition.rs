//! What became of each finding: confirmed, disputed, unconfirmed or rejected.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::{Answer, Evidence, Stance, Tag};
use council_protocol::{Finding, Proof, Severity};

use super::anonymity;
use super::bench::{Judges, SeatIndex, same_text};
use super::cluster::{ComparedFinding, group_findings};
use super::evidence::{QuoteClaims, evidence_location, is_about_file};
use super::outcome::{Disposition, Opinion};

/// One judge's version of a finding with all that is known of it.
#[derive(Debug, Clone)]
pub(super) struct FindingVersion {
    /// Whose.
    pub(super) chair: SeatIndex,
    /// Its number among the judge's findings, from 1.
    pub(super) number: usize,
    /// When it was raised.
    pub(super) round: u8,
    /// The finding, verbatim.
    pub(super) finding: Finding,
    /// What the search for its quote found.
    pub(super) proof: Proof,
    /// The squeezed lines around the place.
    pub(super) context: String,
    /// Taken back with evidence that holds.
    pub(super) withdrawn: bool,
    /// Raised by rules rather than a model.
    pub(super) deterministic: bool,
    /// The last word of each other judge on it.
    pub(super) opinions: BTreeMap<SeatIndex, WeighedOpinion>,
}

/// An opinion, and whether its evidence is the speaker's own and was found.
#[derive(Debug, Clone)]
pub(super) struct WeighedOpinion {
    /// The opinion.
    pub(super) opinion: Opinion,
    /// Whether it counts: evidence that resolves and is more than the finding's own quote.
    pub(super) counts: bool,
}

impl FindingVersion {
    /// How bad it is taken to be. A model that quotes nothing cannot fail a change: a finding of its about a file as a
    /// whole is at most significant.
    pub(super) fn severity(&self) -> Severity {
        let given = self.finding.severity;
        let quoteless = !self.deterministic && is_about_file(&self.finding);
        if quoteless {
            given.min(Severity::Significant)
        } else {
            given
        }
    }

    /// Whether it still stands: its quote is there, and it was not taken back.
    pub(super) fn is_live(&self) -> bool {
        self.proof.resolves() && !self.withdrawn
    }

    fn counted_stances(&self, stance: Stance) -> impl Iterator<Item = SeatIndex> + '_ {
        let voiced = self
            .opinions
            .iter()
            .filter(move |(_, v)| v.counts && v.opinion.stance == stance);
        voiced.map(|(&chair, _)| chair)
    }

    /// Whoever takes a stance on it, with evidence or without.
    fn stances(&self, stance: Stance) -> impl Iterator<Item = SeatIndex> + '_ {
        let voiced = self
            .opinions
            .iter()
            .filter(move |(_, v)| v.opinion.stance == stance);
        voiced.map(|(&chair, _)| chair)
    }

    fn is_refuted(&self) -> bool {
        self.counted_stances(Stance::Disagreed).next().is_some()
    }
}

/// Versions that mean the same.
#[derive(Debug, Clone)]
pub(super) struct FindingCluster {
    /// In the order of the judges.
    pub(super) versions: Vec<FindingVersion>,
}

impl FindingCluster {
    /// Whoever holds it on grounds of its own. A later version that only repeats what was shown to it is an echo.
    pub(super) fn holders(&self) -> BTreeSet<SeatIndex> {
        let live = self.versions.iter().filter(|v| v.is_live());
        live.filter(|v| !self.is_echo(v)).map(|v| v.chair).collect()
    }

    fn is_echo(&self, version: &FindingVersion) -> bool {
        self.versions.iter().any(|earlier| {
            earlier.round < version.round
                && earlier.chair != version.chair
                && same_text(&earlier.finding.quote, &version.finding.quote)
        })
    }

    /// Whoever stands behind it: holders, echoes, and those who agreed, with evidence or without.
    pub(super) fn supporters(&self) -> BTreeSet<SeatIndex> {
        let live = || self.versions.iter().filter(|v| v.is_live());
        let agreed = live().flat_map(|v| v.stances(Stance::Agreed));
        live().map(|v| v.chair).chain(agreed).collect()
    }

    /// How strongly it is disputed, in halves: 2 when somebody disagrees, 1 when somebody agrees in part only.
    pub(super) fn dispute_halves(&self) -> u64 {
        let live = || self.versions.iter().filter(|v| v.is_live());
        let any = |stance| live().any(|v| v.stances(stance).next().is_some());
        match (any(Stance::Disagreed), any(Stance::PartiallyAgreed)) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        }
    }

    /// Whether any version of it still stands.
    pub(super) fn is_live(&self) -> bool {
        self.versions.iter().any(FindingVersion::is_live)
    }

    /// It in words: those of its worst version.
    pub(super) fn words(&self) -> &str {
        let worst = self
            .versions
            .iter()
            .max_by_key(|v| (v.is_live(), v.severity()));
        worst.map_or("", |v| v.finding.description.as_str())
    }

    /// How bad it is: the worst version that still stands, or the worst of all where none does.
    pub(super) fn severity(&self) -> Severity {
        let live = self
            .versions
            .iter()
            .filter(|v| v.is_live())
            .map(FindingVersion::severity)
            .max();
        live.or_else(|| self.versions.iter().map(FindingVersion::severity).max())
            .unwrap_or(Severity::Minor)
    }

    /// What became of it (3-debate.md, "The verdict").
    pub(super) fn disposition(&self) -> Disposition {
        let live: Vec<&FindingVersion> = self.versions.iter().filter(|v| v.is_live()).collect();
        if live.is_empty() {
            return Disposition::Rejected;
        }
        let mut voices = self.holders();
        voices.extend(live.iter().flat_map(|v| v.counted_stances(Stance::Agreed)));
        if voices.len() >= 2 || live.iter().any(|v| v.deterministic && !v.is_refuted()) {
            Disposition::Confirmed
        } else if live.iter().any(|v| v.is_refuted()) {
            Disposition::Disputed
        } else {
            Disposition::Unconfirmed
        }
    }
}

/// All findings of the judges that count, grouped.
pub(super) fn build_clusters(bench: &Judges, claims: &QuoteClaims) -> Vec<FindingCluster> {
    let mut versions = collect_versions(bench, claims);
    let places: Vec<ComparedFinding<'_>> = versions
        .iter()
        .map(|v| ComparedFinding::new(v.chair, &v.finding, &v.proof))
        .collect();
    let groups = group_findings(&places);
    let mut taken: Vec<Option<FindingVersion>> = versions.drain(..).map(Some).collect();
    let pick = |group: Vec<usize>| group.into_iter().filter_map(|i| taken[i].take()).collect();
    groups
        .into_iter()
        .map(pick)
        .map(|versions| FindingCluster { versions })
        .collect()
}

fn collect_versions(bench: &Judges, claims: &QuoteClaims) -> Vec<FindingVersion> {
    let mut all = Vec::new();
    for chair in bench.counted_seats() {
        let judge = &bench.judges[chair];
        for (index, raised) in judge.raised.iter().enumerate() {
            let (proof, context) = finding_proof(bench, chair, &raised.finding, claims);
            all.push(FindingVersion {
                chair,
                number: index + 1,
                round: raised.round,
                finding: raised.finding.clone(),
                proof,
                context,
                withdrawn: is_withdrawn(bench, chair, index + 1, claims),
                deterministic: judge.is_deterministic(),
                opinions: BTreeMap::new(),
            });
        }
    }
    attach_opinions(bench, claims, &mut all);
    all
}

/// What is known of a finding's quote. Where it speaks of a file as a whole, the change itself is what shows it.
fn finding_proof(
    bench: &Judges,
    chair: SeatIndex,
    finding: &Finding,
    claims: &QuoteClaims,
) -> (Proof, String) {
    let judge = &bench.judges[chair];
    if is_about_file(finding) {
        let path = &finding.location.path;
        let changed = judge.planned.coverage.files.iter().any(|f| f.path == *path);
        let unknown = || Proof::Unverified {
            reason: "the file is not part of the change".into(),
        };
        return (
            if changed { Proof::Verified } else { unknown() },
            String::new(),
        );
    }
    let (proof, context) = claims.proof_of(&finding.location, &finding.quote);
    (proof, context.to_owned())
}

/// Whether a judge took a finding back, naming something that holds and that it had not itself reported.
fn is_withdrawn(bench: &Judges, chair: SeatIndex, number: usize, claims: &QuoteClaims) -> bool {
    let judge = &bench.judges[chair];
    let later = judge.answers.range(2..);
    later
        .flat_map(|(&round, answer)| answer.withdrawn.iter().map(move |w| (round, w)))
        .any(|(round, w)| {
            w.finding as usize == number
                && judge
                    .raised
                    .get(number - 1)
                    .is_some_and(|r| r.round < round)
                && w.evidence
                    .as_ref()
                    .is_some_and(|e| claims.resolves(e) && !judge.reported_before(round, e))
        })
}

/// Attaches what the others said in later rounds; a judge's last word on a finding replaces its earlier ones.
fn attach_opinions(bench: &Judges, claims: &QuoteClaims, versions: &mut [FindingVersion]) {
    for speaker in bench.counted_seats() {
        for (&round, answer) in bench.judges[speaker].answers.range(2..) {
            attach_responses(bench, claims, versions, speaker, round, answer);
            attach_denials(bench, claims, versions, speaker, round, answer);
        }
    }
}

fn attach_responses(
    bench: &Judges,
    claims: &QuoteClaims,
    versions: &mut [FindingVersion],
    speaker: SeatIndex,
    round: u8,
    answer: &Answer,
) {
    let Some(order) = bench.judges[speaker].peers.get(&round) else {
        return;
    };
    for response in &answer.responses {
        let Some((chair, number)) = anonymity::parse_finding_id(order, &response.to) else {
            continue;
        };
        let meant = versions
            .iter_mut()
            .find(|v| v.chair == chair && v.number == number && v.round < round);
        let Some(version) = meant else { continue };
        let evidence = response.evidence.clone();
        let resolves = evidence.as_ref().is_some_and(|e| claims.resolves(e));
        let own = evidence
            .as_ref()
            .is_some_and(|e| !repeats_quote(e, &version.finding));
        let opinion = Opinion {
            judge: bench.judges[speaker].id().clone(),
            stance: response.stance,
            reasoning: response.reasoning.clone(),
            evidence,
            resolves,
        };
        version.opinions.insert(
            speaker,
            WeighedOpinion {
                opinion,
                counts: resolves && own,
            },
        );
    }
}

/// Findings tagged `not_reproduced` are no findings: they deny those of others at the same place (seed 004).
fn attach_denials(
    bench: &Judges,
    claims: &QuoteClaims,
    versions: &mut [FindingVersion],
    speaker: SeatIndex,
    round: u8,
    answer: &Answer,
) {
    let denials = answer
        .independent_findings
        .iter()
        .filter(|i| i.tag == Tag::NotReproduced);
    for denied in denials.map(|i| &i.finding) {
        let (proof, _) = claims.proof_of(&denied.location, &denied.quote);
        let here = ComparedFinding::new(speaker, denied, &proof);
        for version in versions
            .iter_mut()
            .filter(|v| v.chair != speaker && v.round < round)
        {
            if !here.means_same(&ComparedFinding::new(
                version.chair,
                &version.finding,
                &version.proof,
            )) {
                continue;
            }
            let shown = Evidence {
                path: denied.location.path.clone(),
                line: denied.location.line,
                quote: denied.quote.clone(),
            };
            let counts = proof.resolves() && !repeats_quote(&shown, &version.finding);
            let opinion = Opinion {
                judge: bench.judges[speaker].id().clone(),
                stance: Stance::Disagreed,
                reasoning: denied.description.clone(),
                evidence: Some(shown),
                resolves: proof.resolves(),
            };
            version
                .opinions
                .insert(speaker, WeighedOpinion { opinion, counts });
        }
    }
}

/// Evidence that only copies the finding's own quote shows nothing that was not shown already.
fn repeats_quote(evidence: &Evidence, finding: &Finding) -> bool {
    evidence.path == finding.location.path && same_text(&evidence.quote, &finding.quote)
}

/// Every quote of an answer that has to be searched.
pub(super) fn claimed_quotes(answer: &Answer) -> Vec<(council_protocol::Location, &str)> {
    let later = answer.independent_findings.iter().map(|i| &i.finding);
    let findings = answer
        .findings
        .iter()
        .chain(later)
        .map(|f| (f.location.clone(), f.quote.as_str()));
    let responses = answer.responses.iter().filter_map(|r| r.evidence.as_ref());
    let withdrawals = answer.withdrawn.iter().filter_map(|w| w.evidence.as_ref());
    let change = answer.change.iter().filter_map(|c| c.evidence.as_ref());
    let evidence = responses.chain(withdrawals).chain(change);
    findings
        .chain(evidence.map(|e| (evidence_location(e), e.quote.as_str())))
        .collect()
}
