//! The law of several pushes: judges that speak in two reviews end no milder than in one that hears all of them.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::Stance;
use council_protocol::{JudgeId, Location, Proof};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::cluster::group_findings;
use crate::disposition::{FindingCluster, FindingVersion, WeighedOpinion};
use crate::judges::SeatIndex;
use crate::outcome::{FindingLevel, Opinion};
use crate::support::SupportKind;

const POLICY: VerdictPolicy = VerdictPolicy {
    disputed_critical_fails: false,
    incomplete_coverage_warns: false,
};

const FIRST: &str = "query = f\"SELECT id FROM users WHERE name = {name}\"";

const WORDS: [&str; 2] = [
    "The name goes into the query as it is: SQL injection.",
    "Untrusted input is spliced into the statement.",
];

/// How a judge quotes the place: its line, a part of that, or the block that begins with it.
#[derive(Debug, Clone, Copy)]
enum Quoted {
    Line,
    Part,
    Block,
}

/// What one judge finds, and in which of the reviews it says so, each time as bad as this.
#[derive(Debug, Clone)]
struct Voice {
    category: &'static str,
    words: usize,
    quoted: Quoted,
    reviews: [Option<Severity>; 2],
    /// In which review it agrees with what the others say there, or refutes it.
    opinion: Option<(usize, Stance)>,
}

impl Voice {
    fn finding(&self, severity: Severity) -> Finding {
        let block = format!("{FIRST}\ncur.execute(query)");
        let (quote, end_line) = match self.quoted {
            Quoted::Line => (FIRST, None),
            Quoted::Part => (&FIRST[8..40], None),
            Quoted::Block => (block.as_str(), Some(10)),
        };
        let finding = crate::testing::finding(severity, 9);
        Finding {
            category: self.category.into(),
            description: WORDS[self.words].into(),
            quote: quote.into(),
            location: Location {
                line: 9,
                end_line,
                ..finding.location.clone()
            },
            ..finding
        }
    }
}

fn severity() -> impl Strategy<Value = Severity> {
    select(
        &[
            Severity::Critical,
            Severity::Critical,
            Severity::Significant,
        ][..],
    )
}

fn voice() -> impl Strategy<Value = Voice> {
    let opinion = (
        0usize..2,
        select(&[Stance::Agreed, Stance::Disagreed, Stance::Disagreed][..]),
    );
    (
        select(&["sql", "sql", "injection"][..]),
        0usize..2,
        select(&[Quoted::Line, Quoted::Part, Quoted::Block][..]),
        [prop::option::of(severity()), prop::option::of(severity())],
        prop::option::weighted(0.3, opinion),
    )
        .prop_map(|(category, words, quoted, reviews, opinion)| Voice {
            category,
            words,
            quoted,
            reviews,
            opinion,
        })
}

/// A bench of such. What others say of a finding is kept for all of it, and not for one of its claims, so that where somebody
/// says something of it all claim the same.
fn voices() -> impl Strategy<Value = Vec<Voice>> {
    prop::collection::vec(voice(), 1..6).prop_map(|mut voices| {
        if voices.iter().any(|voice| voice.opinion.is_some()) {
            voices
                .iter_mut()
                .for_each(|voice| (voice.words, voice.category) = (0, "sql"));
        }
        voices
    })
}

fn judge(nth: usize) -> JudgeId {
    format!("judge-{nth}").as_str().into()
}

/// What the judges find in one of the reviews, with what the others say of it there.
fn versions_of(voices: &[Voice], review: usize) -> Vec<FindingVersion> {
    let said = |stance| WeighedOpinion {
        opinion: Opinion {
            judge: "".into(),
            stance,
            reasoning: "I have checked it.".into(),
            evidence: None,
            resolves: true,
        },
        found: Some(SupportKind::SamePlace),
    };
    let mut versions = Vec::new();
    for (nth, voice) in voices.iter().enumerate() {
        let Some(severity) = voice.reviews[review] else {
            continue;
        };
        let mut version = FindingVersion::of(voice.finding(severity), Proof::Verified);
        version.seat = SeatIndex(nth);
        for (by, other) in voices.iter().enumerate().filter(|(by, _)| *by != nth) {
            if let Some((_, stance)) = other.opinion.filter(|(at, _)| *at == review) {
                let mut said = said(stance);
                said.opinion.judge = judge(by);
                version.opinions.insert(SeatIndex(by), said);
            }
        }
        versions.push(version);
    }
    versions
}

/// What one review makes of these versions.
fn review(versions: &[FindingVersion], models: usize, since: Option<&str>) -> Vec<JudgedFinding> {
    let places: Vec<_> = versions.iter().map(FindingVersion::compared).collect();
    let groups = group_findings(&places).into_iter().enumerate();
    let judged = groups.map(|(nth, group)| {
        let versions: Vec<_> = group.into_iter().map(|at| versions[at].clone()).collect();
        let cluster = FindingCluster {
            versions,
            models: (0..models).map(SeatIndex).collect(),
        };
        judge_cluster(&cluster, nth, since)
    });
    judged.collect()
}

fn judge_cluster(cluster: &FindingCluster, nth: usize, since: Option<&str>) -> JudgedFinding {
    let (severity, disposition) = (cluster.severity(), cluster.disposition());
    let member =
        |version: &FindingVersion| crate::testing::member(judge(version.seat.0), &version.finding);
    let members = cluster.versions.iter().map(member).collect();
    let finding = crate::findings::shown_finding(cluster).unwrap();
    let mut opinions: Vec<Opinion> = Vec::new();
    for said in cluster
        .versions
        .iter()
        .flat_map(|version| version.opinions.values())
    {
        if !opinions.contains(&said.opinion) {
            opinions.push(said.opinion.clone());
        }
    }
    let review = if since.is_some() { "a" } else { "b" };
    JudgedFinding {
        id: format!("F{nth}"),
        fingerprint: format!("{review}{nth:015x}"),
        disposition,
        level: finding_level(
            FindingStanding {
                severity,
                disposition,
            },
            POLICY,
        ),
        since: since.map(str::to_owned),
        opinions,
        ..crate::testing::judged(finding, members)
    }
}

fn worst(found: &[JudgedFinding]) -> Option<FindingLevel> {
    found.iter().filter_map(|one| one.level).max()
}

/// The versions of both reviews, each judge's own as one: what it says twice it says once, as bad as the worse.
fn heard_at_once(first: &[FindingVersion], second: &[FindingVersion]) -> Vec<FindingVersion> {
    let mut all: BTreeMap<SeatIndex, FindingVersion> = BTreeMap::new();
    for version in first.iter().chain(second) {
        let known = all.entry(version.seat).or_insert_with(|| version.clone());
        known.finding.severity = known.finding.severity.max(version.finding.severity);
        known.opinions.extend(version.opinions.clone());
    }
    all.into_values().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    /// Whoever says it at which push, in whatever words, quoting the line, a part of it or the block that begins with it, as
    /// bad or milder the second time, and whoever refutes it: two reviews that share the voices end no milder than one that
    /// hears them all, and lose nobody who holds it.
    #[test]
    fn two_reviews_end_no_milder_than_one(voices in voices()) {
        let models = voices.len();
        let (first, second) = (versions_of(&voices, 0), versions_of(&voices, 1));
        let one = review(&heard_at_once(&first, &second), models, None);
        let (before, now) = (review(&first, models, Some("abc1234")), review(&second, models, None));
        let both = add_carried(now, &before, POLICY, models);
        prop_assert!(worst(&both) >= worst(&one), "one: {:#?}\nboth: {:#?}", one, both);
        let told: BTreeSet<_> = both.iter().flat_map(|one| &one.members).map(|held| held.judge.clone()).collect();
        let held = one.iter().flat_map(JudgedFinding::holding_members).map(|held| held.judge.clone());
        prop_assert!(held.collect::<BTreeSet<_>>().is_subset(&told), "{:?}", told);
    }
}
