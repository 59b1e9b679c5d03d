//! What became of each finding: confirmed, disputed, unconfirmed or rejected. Who has what to do with it is gathered
//! here; what that is worth is in [`super::support`].

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::{Evidence, Stance, Tag};
use council_protocol::{Finding, Proof, RoundNumber, Severity};

use super::bearing::FindingPlace;
use super::benches::readers_of;
use super::brought::BroughtReproduction;
use super::cluster::{ComparedFinding, group_findings};
use super::evidence::{QuoteClaims, evidence_location, is_about_file};
use super::judges::{JudgeState, Judges, SeatIndex, same_text};
use super::merge::is_repetition;
use super::opinions::attach_opinions;
use super::outcome::{Disposition, Opinion};
use super::quoted_lines::QuotedLines;
use super::readings::is_milder_view;
use super::support::{JudgeStake, NEAR_LINES, SupportKind, dispose, dispose_rule};

/// One judge's version of a finding with all that is known of it.
#[derive(Debug, Clone)]
pub(super) struct FindingVersion {
    pub(super) seat: SeatIndex,
    /// Its number among the judge's findings, from 1.
    pub(super) number: usize,
    /// When it was raised.
    pub(super) round: RoundNumber,
    /// The finding, verbatim.
    pub(super) finding: Finding,
    /// What the search for its quote found.
    pub(super) proof: Proof,
    /// The squeezed lines around the place.
    pub(super) context: String,
    /// The first line of the function in which it stands.
    pub(super) function: Option<u32>,
    /// Which lines its quote takes up.
    pub(super) quoted: Option<QuotedLines>,
    /// Taken back with evidence that holds.
    pub(super) withdrawn: bool,
    /// Raised by rules rather than a model.
    pub(super) deterministic: bool,
    /// The last word of each other judge on it.
    pub(super) opinions: BTreeMap<SeatIndex, WeighedOpinion>,
    /// A test passes before the change and fails after it.
    pub(super) proved: bool,
    /// Whose tests count against it.
    pub(super) refuters: BTreeSet<SeatIndex>,
}

/// An opinion, and where its evidence was found.
#[derive(Debug, Clone)]
pub(super) struct WeighedOpinion {
    pub(super) opinion: Opinion,
    /// What the place of its evidence makes of an agreement; none: nothing was found.
    pub(super) found: Option<SupportKind>,
}

impl WeighedOpinion {
    /// Orders what one judge says of one finding in one answer: the half agreement before the whole one, the word with
    /// evidence before the one without. The words decide between equals, so that their order does not.
    pub(super) fn strength(&self) -> impl Ord + use<'_> {
        let Opinion {
            stance,
            reasoning,
            evidence,
            ..
        } = &self.opinion;
        let place = evidence
            .as_ref()
            .map(|e| (e.path.as_bytes(), e.line, &e.quote));
        (*stance, self.found, reasoning, place)
    }

    fn stake(&self) -> JudgeStake {
        let (mut support, mut refutes) = (None, false);
        match self.opinion.stance {
            Stance::Agreed => support = Some(self.found.unwrap_or(SupportKind::Joined)),
            // Half an agreement says nothing of the half that matters.
            Stance::PartiallyAgreed => support = Some(SupportKind::Joined),
            Stance::Disagreed => refutes = self.found.is_some(),
        }
        JudgeStake { support, refutes }
    }
}

#[cfg(test)]
impl FindingVersion {
    /// A finding of the first judge, with what is known of its quote.
    pub(super) fn of(finding: Finding, proof: Proof) -> Self {
        Self {
            seat: SeatIndex(0),
            number: 1,
            round: RoundNumber::FIRST,
            finding,
            proof,
            context: String::new(),
            function: None,
            quoted: None,
            withdrawn: false,
            deterministic: false,
            opinions: BTreeMap::new(),
            proved: false,
            refuters: BTreeSet::new(),
        }
    }
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

    /// Whether it is this judge's finding of that number.
    pub(super) fn is_of(&self, seat: SeatIndex, number: usize) -> bool {
        self.seat == seat && self.number == number
    }

    /// Takes up what tests say of it.
    pub(super) fn take_proofs(&mut self, brought: &[BroughtReproduction]) {
        let (seat, number) = (self.seat, self.number);
        self.proved = brought.iter().any(|r| r.proves(seat, number));
        let refuters = brought.iter().filter_map(|r| r.refuter_of(seat, number));
        self.refuters = refuters.collect();
    }

    /// It as evidence is held against it.
    pub(super) fn place(&self) -> FindingPlace<'_> {
        FindingPlace {
            finding: &self.finding,
            proof: &self.proof,
            context: &self.context,
        }
    }

    /// Whether it still stands: its quote is there, and it was not taken back.
    pub(super) fn is_live(&self) -> bool {
        self.proof.resolves() && !self.withdrawn
    }

    /// It as clustering compares it.
    pub(super) fn compared(&self) -> ComparedFinding<'_> {
        ComparedFinding::new(self.seat, &self.finding, &self.proof, self.deterministic)
            .in_function(self.function)
    }

    /// Its lines, where its quote was found.
    fn lines(&self) -> (u32, u32) {
        let place = &self.finding.location;
        let claimed = (
            place.line,
            place.end_line.unwrap_or(place.line).max(place.line),
        );
        self.proof.span(place).unwrap_or(claimed)
    }

    /// Where evidence stands beside it; none: it was not found. A copy of its own quote is its own place, wherever it
    /// is said to stand.
    pub(super) fn place_of(
        &self,
        evidence: &Evidence,
        claims: &QuoteClaims,
    ) -> Option<SupportKind> {
        let (proof, _) = claims.proof_of(&evidence_location(evidence), &evidence.quote);
        let line = proof.place(evidence.line)?;
        let (first, last) = self.lines();
        let is_near =
            (first.saturating_sub(NEAR_LINES)..=last.saturating_add(NEAR_LINES)).contains(&line);
        let is_here = first == 0 || is_near || same_text(&evidence.quote, &self.finding.quote);
        let own_file = evidence.path == self.finding.location.path;
        Some(if own_file && is_here {
            SupportKind::SamePlace
        } else {
            SupportKind::OtherPlace
        })
    }

    /// Whether evidence quotes its very lines.
    pub(super) fn is_quoted_by(&self, evidence: &Evidence, claims: &QuoteClaims) -> bool {
        let (proof, _) = claims.proof_of(&evidence_location(evidence), &evidence.quote);
        let (first, last) = self.lines();
        let line = proof.place(evidence.line);
        let is_file = evidence.path == self.finding.location.path;
        is_file && line.is_some_and(|line| first == 0 || (first..=last).contains(&line))
    }

    /// Whoever takes a stance on it, with evidence or without.
    fn stances(&self, stance: Stance) -> impl Iterator<Item = SeatIndex> + '_ {
        let voiced = self
            .opinions
            .iter()
            .filter(move |(_, v)| v.opinion.stance == stance);
        voiced.map(|(&seat, _)| seat)
    }
}

/// How many other judges must refute a critical finding that its own judge takes back, before it does not count.
const MIN_REFUTERS: usize = 2;

/// The category of rules whose findings are redacted wherever they are shown.
const SECRETS: &str = "secrets";

/// Versions that mean the same.
#[derive(Debug, Clone)]
pub(super) struct FindingCluster {
    /// In the order of the judges.
    pub(super) versions: Vec<FindingVersion>,
    /// The models that count: against them its support is weighed.
    pub(super) models: Vec<SeatIndex>,
}

impl FindingCluster {
    /// Whoever found it before it was shown to them.
    pub(super) fn holders(&self) -> BTreeSet<SeatIndex> {
        let worst = self.severity();
        let live = self.versions.iter().filter(|v| v.is_live());
        let own = live.filter(|v| !self.is_shown(v) && !is_beside(&self.versions, v, worst));
        own.map(|v| v.seat).collect()
    }

    /// Whether it stood before the judges when one of them raised this version of it.
    fn is_shown(&self, version: &FindingVersion) -> bool {
        self.versions.iter().any(|earlier| {
            earlier.round < version.round
                && earlier.seat != version.seat
                && earlier.proof.resolves()
        })
    }

    /// What each model that counts has to do with it.
    pub(super) fn stakes(&self) -> Vec<JudgeStake> {
        self.models
            .iter()
            .map(|&seat| self.stake_of(seat))
            .collect()
    }

    fn stake_of(&self, seat: SeatIndex) -> JudgeStake {
        let worst = self.severity();
        let proven = || self.versions.iter().filter(|v| v.proof.resolves());
        let own = proven()
            .filter(|v| v.seat == seat && !v.withdrawn)
            .map(|v| {
                let is_shown = self.is_shown(v);
                let kind = if is_beside(&self.versions, v, worst) {
                    SupportKind::Joined
                } else if is_shown {
                    SupportKind::SamePlace
                } else {
                    SupportKind::Found
                };
                JudgeStake {
                    support: Some(kind),
                    refutes: false,
                }
            });
        let said = proven().filter_map(|v| Some((v, v.opinions.get(&seat)?.stake())));
        let said = said.map(|(v, stake)| {
            if is_beside(&self.versions, v, worst) {
                return JudgeStake {
                    support: stake.support.map(|_| SupportKind::Joined),
                    refutes: false,
                };
            }
            JudgeStake {
                refutes: stake.refutes && self.is_of_main_claim(v, worst),
                ..stake
            }
        });
        own.chain(said)
            .fold(JudgeStake::default(), |all, stake| JudgeStake {
                support: all.support.max(stake.support),
                refutes: all.refutes || stake.refutes,
            })
    }

    /// Whether somebody holds it, though whoever raised it took it back.
    fn is_held(&self) -> bool {
        let is_proven = self.versions.iter().any(|v| v.proof.resolves());
        is_proven
            && self
                .stakes()
                .iter()
                .any(|stake| stake.support > Some(SupportKind::Joined))
    }

    /// The models that stand behind it: those that raised it, and those that agreed, with evidence or without.
    pub(super) fn supporters(&self) -> BTreeSet<SeatIndex> {
        let worst = self.severity();
        let meant = |v: &&FindingVersion| v.is_live() && !is_beside(&self.versions, v, worst);
        let live = || self.versions.iter().filter(meant);
        let agreed = live().flat_map(|v| v.stances(Stance::Agreed));
        let all = live().map(|v| v.seat).chain(agreed);
        all.filter(|seat| self.models.contains(seat)).collect()
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

    /// Whether any version of it still stands, or somebody else holds it.
    pub(super) fn is_live(&self) -> bool {
        self.versions.iter().any(|v| self.stands(v)) || self.is_held()
    }

    /// Whether a version of it counts for what it says.
    pub(super) fn stands(&self, version: &FindingVersion) -> bool {
        version.is_live() || self.is_left_open(version)
    }

    /// A critical finding with a real quote that its judge takes back is not settled by that, nor by one other judge
    /// that refutes it: any line of its file can be cited, and who is talked out of it must not leave the change
    /// green.
    fn is_left_open(&self, version: &FindingVersion) -> bool {
        version.withdrawn
            && version.proof.resolves()
            && version.severity() == Severity::Critical
            && self.refuters().len() < MIN_REFUTERS
    }

    /// Whoever else refuted what is worst in it, with evidence about it. Judges that found it themselves and talk
    /// each other out of it are no others.
    pub(super) fn refuters(&self) -> BTreeSet<SeatIndex> {
        let severities = self.versions.iter().map(FindingVersion::severity);
        let worst = severities.max().unwrap_or(Severity::Minor);
        let meant = |v: &&FindingVersion| {
            !is_beside(&self.versions, v, worst) && self.is_of_main_claim(v, worst)
        };
        let meant = || self.versions.iter().filter(meant);
        let finders: BTreeSet<SeatIndex> = meant().map(|v| v.seat).collect();
        let said = meant().flat_map(|v| &v.opinions);
        let refuting = said.filter(|(_, opinion)| opinion.stake().refutes);
        let refuting = refuting.map(|(seat, _)| *seat);
        refuting.filter(|seat| !finders.contains(seat)).collect()
    }

    /// Whether a test proves it: whoever takes it back is wrong, and no support is needed.
    fn is_proved(&self) -> bool {
        self.versions.iter().any(|v| v.proved && v.proof.resolves())
    }

    /// Whether a test speaks against its claim.
    fn is_doubted_by_test(&self) -> bool {
        let worst = self.severity();
        let meant = |v: &&FindingVersion| v.proof.resolves() && self.is_of_main_claim(v, worst);
        let mut meant = self.versions.iter().filter(meant);
        meant.any(|v| !v.refuters.is_empty())
    }

    /// It in words: those of its worst version.
    pub(super) fn words(&self) -> &str {
        let worst = self
            .versions
            .iter()
            .max_by_key(|v| (self.stands(v), v.severity()));
        worst.map_or("", |v| v.finding.description.as_str())
    }

    /// How bad it is: the worst version that still stands, or the worst of all where none does.
    pub(super) fn severity(&self) -> Severity {
        let standing = self
            .versions
            .iter()
            .filter(|v| self.stands(v))
            .map(FindingVersion::severity)
            .max();
        standing
            .or_else(|| self.versions.iter().map(FindingVersion::severity).max())
            .unwrap_or(Severity::Minor)
    }

    /// What became of it. A doubter's test disputes what nobody else confirmed. It takes nothing from what is
    /// confirmed: it may ask for ordinary input, and nobody can tell whether it asks for what the finding speaks of.
    pub(super) fn disposition(&self) -> Disposition {
        match self.weighed_disposition() {
            _ if self.is_proved() => Disposition::Confirmed,
            Disposition::Unconfirmed if self.is_doubted_by_test() => Disposition::Disputed,
            weighed => weighed,
        }
    }

    /// Whether it is disputed by a test alone: the votes for it stay what they were, for no verdict is milder by a test.
    pub(super) fn is_disputed_by_test(&self) -> bool {
        self.disposition() == Disposition::Disputed
            && self.weighed_disposition() == Disposition::Unconfirmed
    }

    /// The same without any test. A rule's finding is confirmed by itself, but only as far as the rule goes: what a
    /// model says worse of the same place rests on the models.
    fn weighed_disposition(&self) -> Disposition {
        if !self.is_live() {
            return Disposition::Rejected;
        }
        let (severity, stakes) = (self.severity(), self.stakes());
        let is_worst = |v: &&FindingVersion| v.proof.resolves() && v.severity() == severity;
        let by_rule = |v: &FindingVersion| v.deterministic && v.is_live();
        let rule = self
            .versions
            .iter()
            .filter(is_worst)
            .any(by_rule)
            .then(|| dispose_rule(&stakes));
        let model = self
            .versions
            .iter()
            .filter(is_worst)
            .any(|v| !v.deterministic);
        // Models are shown secrets redacted: none of them can know that one is not real.
        let is_hidden = |v: &FindingVersion| by_rule(v) && v.finding.category == SECRETS;
        if self.versions.iter().filter(is_worst).any(is_hidden) {
            return Disposition::Confirmed;
        }
        let is_taken_back = |v: &FindingVersion| self.is_left_open(v);
        if self.versions.iter().filter(is_worst).all(is_taken_back) {
            return if self.is_held() {
                Disposition::Unconfirmed
            } else {
                Disposition::Disputed
            };
        }
        match rule {
            Some(Disposition::Confirmed) => Disposition::Confirmed,
            Some(other) if !model => other,
            _ => dispose(&stakes),
        }
    }
}

/// All findings of the judges that count, grouped.
pub(super) fn build_clusters(judges: &Judges, claims: &QuoteClaims) -> Vec<FindingCluster> {
    let mut versions = collect_versions(judges, claims);
    let places: Vec<ComparedFinding<'_>> = versions.iter().map(|v| v.compared()).collect();
    let groups = group_findings(&places);
    let mut taken: Vec<Option<FindingVersion>> = versions.drain(..).map(Some).collect();
    let models = judges.model_seats();
    let pick = |group: Vec<usize>| group.into_iter().filter_map(|i| taken[i].take()).collect();
    groups
        .into_iter()
        .map(pick)
        .flat_map(apart_from_rules)
        .map(|versions: Vec<FindingVersion>| FindingCluster {
            models: models_before(judges, &models, &versions),
            versions,
        })
        .collect()
}

/// What rules found keeps its own standing: where a model says worse of the same line, that is a finding of its own,
/// and whoever refutes or dismisses it has said nothing of the rule's. A rule's remark is no loss.
fn apart_from_rules(versions: Vec<FindingVersion>) -> Vec<Vec<FindingVersion>> {
    let by_rule = versions.iter().filter(|v| v.deterministic);
    let found = by_rule.map(FindingVersion::severity).max();
    let Some(found) = found.filter(|severity| *severity > Severity::Minor) else {
        return vec![versions];
    };
    let is_worse = |v: &FindingVersion| !v.deterministic && v.severity() > found;
    if !versions.iter().any(is_worse) {
        return vec![versions];
    }
    // Models stay together: whoever joins a rule's remark must not take a milder version from what is worse.
    let (rules, models) = versions.into_iter().partition(|v| v.deterministic);
    vec![rules, models]
}

/// The models that can have something to do with a finding: whoever was shown its file, and whoever spoke of it with
/// evidence. A judge that was shown another part of a large change did not look and find nothing.
fn models_before(
    judges: &Judges,
    models: &[SeatIndex],
    versions: &[FindingVersion],
) -> Vec<SeatIndex> {
    let Some(path) = versions.first().map(|v| &v.finding.location.path) else {
        return models.to_vec();
    };
    let worst = versions.iter().map(FindingVersion::severity).max();
    let worst = worst.unwrap_or(Severity::Minor);
    let spoke = |seat: SeatIndex| {
        let looked = |v: &FindingVersion| {
            let opinion = v.opinions.get(&seat);
            // Half an agreement weighs nothing: the bench that it is weighed against must not grow by it either.
            opinion.is_some_and(|said| {
                said.found.is_some() && said.opinion.stance != Stance::PartiallyAgreed
            })
        };
        // Whoever only has a remark on the line holds nothing: it must not enlarge the bench either.
        let holds = |v: &FindingVersion| v.seat == seat && !is_beside(versions, v, worst);
        versions.iter().any(|v| holds(v) || looked(v))
    };
    let readers = readers_of(judges, models, path);
    let models = models.iter().copied();
    models
        .filter(|&seat| readers.contains(&seat) || spoke(seat))
        .collect()
}

/// Whether a version says something else than the worst in the same line: another, milder problem. Whoever says so did not see the worst, and whoever refutes it says nothing of that.
fn is_beside(versions: &[FindingVersion], version: &FindingVersion, worst: Severity) -> bool {
    let is_worst = |v: &&FindingVersion| v.severity() == worst && v.proof.resolves();
    let mut meant = versions.iter().filter(is_worst);
    version.severity() < worst && !meant.any(|v| is_milder_view(&v.finding, &version.finding))
}

fn collect_versions(judges: &Judges, claims: &QuoteClaims) -> Vec<FindingVersion> {
    let mut all = Vec::new();
    for seat in judges.counted_seats() {
        let judge = &judges[seat];
        for (index, raised) in judge.raised.iter().enumerate() {
            let (proof, context) = finding_proof(judges, seat, &raised.finding, claims);
            let said = (&raised.finding.location, raised.finding.quote.as_str());
            all.push(FindingVersion {
                seat,
                number: index + 1,
                round: raised.round,
                finding: raised.finding.clone(),
                proof,
                context,
                function: claims.function_of(said.0, said.1),
                quoted: claims.quoted_lines(said.0, said.1).cloned(),
                withdrawn: is_withdrawn(judges, seat, index + 1, claims),
                deterministic: judge.is_deterministic(),
                opinions: BTreeMap::new(),
                proved: false,
                refuters: BTreeSet::new(),
            });
        }
    }
    attach_opinions(judges, claims, &mut all);
    all
}

/// What is known of a finding's quote. Where it speaks of a file as a whole, the change itself is what shows it.
fn finding_proof(
    judges: &Judges,
    seat: SeatIndex,
    finding: &Finding,
    claims: &QuoteClaims,
) -> (Proof, String) {
    let judge = &judges[seat];
    if is_about_file(finding) {
        let path = &finding.location.path;
        let changed = judge.planned.coverage.files.iter().any(|f| f.path == *path);
        let reason = match path.as_bytes() {
            [] => "it names no file",
            _ => "the file is not part of the change",
        };
        let unknown = || Proof::Unverified {
            reason: reason.into(),
        };
        let (_, content) = claims.proof_of(&finding.location, &finding.quote);
        return (
            if changed { Proof::Verified } else { unknown() },
            content.to_owned(),
        );
    }
    let (proof, context) = claims.proof_of(&finding.location, &finding.quote);
    (proof, context.to_owned())
}

/// Whether a judge took a finding back, naming something about it that holds and that it had not itself reported.
fn is_withdrawn(judges: &Judges, seat: SeatIndex, number: usize, claims: &QuoteClaims) -> bool {
    let judge = &judges[seat];
    let Some(raised) = judge.raised.get(number - 1) else {
        return false;
    };
    let (proof, context) = finding_proof(judges, seat, &raised.finding, claims);
    let place = FindingPlace {
        finding: &raised.finding,
        proof: &proof,
        context: &context,
    };
    let later = judge
        .answers
        .range(raised.round.next().max(RoundNumber::SECOND)..);
    later
        .flat_map(|(&round, answer)| answer.withdrawn.iter().map(move |w| (round, w)))
        .filter(|(_, withdrawal)| withdrawal.finding as usize == number)
        .filter_map(|(round, withdrawal)| Some((round, withdrawal.evidence.as_ref()?)))
        .any(|(round, evidence)| {
            place.is_answered_by(evidence, claims)
                && !judge.reported_before(round, evidence)
                && !is_reported_again(judge, round, &raised.finding)
        })
}

/// Whether a judge reports a finding in the round in which it takes it back, or later: then it holds it.
fn is_reported_again(judge: &JudgeState, round: RoundNumber, finding: &Finding) -> bool {
    let mut answers = judge.answers.range(round..).map(|(_, answer)| answer);
    answers.any(|answer| {
        let later = answer.independent_findings.iter();
        let later = later.filter(|i| i.tag != Tag::NotReproduced);
        let later = later.map(|i| &i.finding);
        let mut said = answer.findings.iter().chain(later);
        said.any(|said| is_repetition(finding, said))
    })
}
