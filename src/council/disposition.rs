//! What became of each finding: confirmed, disputed, unconfirmed or rejected.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::{Answer, Evidence, Stance, Tag};
use council_protocol::{Finding, Proof, Severity};

use super::anonymity;
use super::bench::{Bench, Chair, same_text};
use super::cluster::{Place, cluster};
use super::evidence::{Claims, is_about_file, place};
use super::outcome::{Disposition, Opinion};

/// One judge's version of a finding with all that is known of it.
#[derive(Debug, Clone)]
pub(super) struct Version {
    /// Whose.
    pub(super) chair: Chair,
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
    pub(super) opinions: BTreeMap<Chair, Voiced>,
}

/// An opinion, and whether its evidence is the speaker's own and was found.
#[derive(Debug, Clone)]
pub(super) struct Voiced {
    /// The opinion.
    pub(super) opinion: Opinion,
    /// Whether it counts: evidence that resolves and is more than the finding's own quote.
    pub(super) counts: bool,
}

impl Version {
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
    pub(super) fn lives(&self) -> bool {
        self.proof.resolves() && !self.withdrawn
    }

    fn says(&self, stance: Stance) -> impl Iterator<Item = Chair> + '_ {
        let voiced = self
            .opinions
            .iter()
            .filter(move |(_, v)| v.counts && v.opinion.stance == stance);
        voiced.map(|(&chair, _)| chair)
    }

    /// Whoever takes a stance on it, with evidence or without.
    fn voices(&self, stance: Stance) -> impl Iterator<Item = Chair> + '_ {
        let voiced = self
            .opinions
            .iter()
            .filter(move |(_, v)| v.opinion.stance == stance);
        voiced.map(|(&chair, _)| chair)
    }

    fn refuted(&self) -> bool {
        self.says(Stance::Disagreed).next().is_some()
    }
}

/// Versions that mean the same.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    /// In the order of the judges.
    pub(super) versions: Vec<Version>,
}

impl Cluster {
    /// Whoever holds it on grounds of its own. A later version that only repeats what was shown to it is an echo.
    pub(super) fn holders(&self) -> BTreeSet<Chair> {
        let live = self.versions.iter().filter(|v| v.lives());
        live.filter(|v| !self.echoes(v)).map(|v| v.chair).collect()
    }

    fn echoes(&self, version: &Version) -> bool {
        self.versions.iter().any(|earlier| {
            earlier.round < version.round
                && earlier.chair != version.chair
                && same_text(&earlier.finding.quote, &version.finding.quote)
        })
    }

    /// Whoever stands behind it: holders, echoes, and those who agreed, with evidence or without.
    pub(super) fn supporters(&self) -> BTreeSet<Chair> {
        let live = || self.versions.iter().filter(|v| v.lives());
        let agreed = live().flat_map(|v| v.voices(Stance::Agreed));
        live().map(|v| v.chair).chain(agreed).collect()
    }

    /// How strongly it is disputed, in halves: 2 when somebody disagrees, 1 when somebody agrees in part only.
    pub(super) fn dispute(&self) -> u64 {
        let live = || self.versions.iter().filter(|v| v.lives());
        let any = |stance| live().any(|v| v.voices(stance).next().is_some());
        match (any(Stance::Disagreed), any(Stance::PartiallyAgreed)) {
            (true, _) => 2,
            (false, true) => 1,
            (false, false) => 0,
        }
    }

    /// Whether any version of it still stands.
    pub(super) fn lives(&self) -> bool {
        self.versions.iter().any(Version::lives)
    }

    /// It in words: those of its worst version.
    pub(super) fn words(&self) -> &str {
        let worst = self
            .versions
            .iter()
            .max_by_key(|v| (v.lives(), v.severity()));
        worst.map_or("", |v| v.finding.description.as_str())
    }

    /// How bad it is: the worst version that still stands, or the worst of all where none does.
    pub(super) fn severity(&self) -> Severity {
        let live = self
            .versions
            .iter()
            .filter(|v| v.lives())
            .map(Version::severity)
            .max();
        live.or_else(|| self.versions.iter().map(Version::severity).max())
            .unwrap_or(Severity::Minor)
    }

    /// What became of it (3-debate.md, "The verdict").
    pub(super) fn disposition(&self) -> Disposition {
        let live: Vec<&Version> = self.versions.iter().filter(|v| v.lives()).collect();
        if live.is_empty() {
            return Disposition::Rejected;
        }
        let mut voices = self.holders();
        voices.extend(live.iter().flat_map(|v| v.says(Stance::Agreed)));
        if voices.len() >= 2 || live.iter().any(|v| v.deterministic && !v.refuted()) {
            Disposition::Confirmed
        } else if live.iter().any(|v| v.refuted()) {
            Disposition::Disputed
        } else {
            Disposition::Unconfirmed
        }
    }
}

/// All findings of the judges that count, grouped.
pub(super) fn clusters(bench: &Bench, claims: &Claims) -> Vec<Cluster> {
    let mut versions = versions(bench, claims);
    let places: Vec<Place<'_>> = versions
        .iter()
        .map(|v| Place::new(v.chair, &v.finding, &v.proof))
        .collect();
    let groups = cluster(&places);
    let mut taken: Vec<Option<Version>> = versions.drain(..).map(Some).collect();
    let pick = |group: Vec<usize>| group.into_iter().filter_map(|i| taken[i].take()).collect();
    groups
        .into_iter()
        .map(pick)
        .map(|versions| Cluster { versions })
        .collect()
}

fn versions(bench: &Bench, claims: &Claims) -> Vec<Version> {
    let mut all = Vec::new();
    for chair in bench.counted() {
        let judge = &bench.judges[chair];
        for (index, raised) in judge.raised.iter().enumerate() {
            let (proof, context) = prove(bench, chair, &raised.finding, claims);
            all.push(Version {
                chair,
                number: index + 1,
                round: raised.round,
                finding: raised.finding.clone(),
                proof,
                context,
                withdrawn: withdrawn(bench, chair, index + 1, claims),
                deterministic: judge.deterministic(),
                opinions: BTreeMap::new(),
            });
        }
    }
    hear(bench, claims, &mut all);
    all
}

/// What is known of a finding's quote. Where it speaks of a file as a whole, the change itself is what shows it.
fn prove(bench: &Bench, chair: Chair, finding: &Finding, claims: &Claims) -> (Proof, String) {
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
    let (proof, context) = claims.found(&finding.location, &finding.quote);
    (proof, context.to_owned())
}

/// Whether a judge took a finding back, naming something that holds and that it had not itself reported.
fn withdrawn(bench: &Bench, chair: Chair, number: usize, claims: &Claims) -> bool {
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
fn hear(bench: &Bench, claims: &Claims, versions: &mut [Version]) {
    for speaker in bench.counted() {
        for (&round, answer) in bench.judges[speaker].answers.range(2..) {
            respond(bench, claims, versions, speaker, round, answer);
            deny(bench, claims, versions, speaker, round, answer);
        }
    }
}

fn respond(
    bench: &Bench,
    claims: &Claims,
    versions: &mut [Version],
    speaker: Chair,
    round: u8,
    answer: &Answer,
) {
    let Some(order) = bench.judges[speaker].peers.get(&round) else {
        return;
    };
    for response in &answer.responses {
        let Some((chair, number)) = anonymity::target(order, &response.to) else {
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
            .is_some_and(|e| !repeats(e, &version.finding));
        let opinion = Opinion {
            judge: bench.judges[speaker].id().clone(),
            stance: response.stance,
            reasoning: response.reasoning.clone(),
            evidence,
            resolves,
        };
        version.opinions.insert(
            speaker,
            Voiced {
                opinion,
                counts: resolves && own,
            },
        );
    }
}

/// Findings tagged `not_reproduced` are no findings: they deny those of others at the same place (seed 004).
fn deny(
    bench: &Bench,
    claims: &Claims,
    versions: &mut [Version],
    speaker: Chair,
    round: u8,
    answer: &Answer,
) {
    let denials = answer
        .independent_findings
        .iter()
        .filter(|i| i.tag == Tag::NotReproduced);
    for denied in denials.map(|i| &i.finding) {
        let (proof, _) = claims.found(&denied.location, &denied.quote);
        let here = Place::new(speaker, denied, &proof);
        for version in versions
            .iter_mut()
            .filter(|v| v.chair != speaker && v.round < round)
        {
            if !here.means(&Place::new(version.chair, &version.finding, &version.proof)) {
                continue;
            }
            let shown = Evidence {
                path: denied.location.path.clone(),
                line: denied.location.line,
                quote: denied.quote.clone(),
            };
            let counts = proof.resolves() && !repeats(&shown, &version.finding);
            let opinion = Opinion {
                judge: bench.judges[speaker].id().clone(),
                stance: Stance::Disagreed,
                reasoning: denied.description.clone(),
                evidence: Some(shown),
                resolves: proof.resolves(),
            };
            version.opinions.insert(speaker, Voiced { opinion, counts });
        }
    }
}

/// Evidence that only copies the finding's own quote shows nothing that was not shown already.
fn repeats(evidence: &Evidence, finding: &Finding) -> bool {
    evidence.path == finding.location.path && same_text(&evidence.quote, &finding.quote)
}

/// Every quote of an answer that has to be searched.
pub(super) fn quotes(answer: &Answer) -> Vec<(council_protocol::Location, &str)> {
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
        .chain(evidence.map(|e| (place(e), e.quote.as_str())))
        .collect()
}
