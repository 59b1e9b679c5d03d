//! What of a report is kept in the sticky comment, in as few words as it takes: a comment has little room.

use std::collections::BTreeMap;

use council_protocol::answer::Stance;
use council_protocol::{Finding, JudgeId, Proof, RoundNumber};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::marker::hidden_len;
use super::quote_place::{QuotePlace, QuotePlaces, ReportPlaces, quote_name};
use crate::council::ledger::DebateLedger;
use crate::council::outcome::{
    Disposition, FindingLevel, FindingMember, JudgedFinding, Opinion, StandingVote,
};
use crate::council::{Dismissal, votes_to_stand};
use crate::report::{Report, asked_in_vain, removed_line};
use crate::text::{self, decode_base64, encode_base64};

/// The most characters of a report that is kept for recognition.
const MAX_REPORT: usize = 20_000;

/// The most characters of the findings that are carried: beside a report that has them in full, and beside one that has not.
const MAX_OPEN: usize = 20_000;
const MAX_OPEN_ALONE: usize = 32_000;

/// The most opinions that are kept of a finding.
const MAX_OPINIONS: usize = 6;

/// The most bytes that findings unpack to: a comment of ours holds no more.
const MAX_UNPACKED: usize = 4 << 20;

/// How hard they are compressed: as by default elsewhere.
const LEVEL: u8 = 6;

/// Bounds of the texts of one kept finding, in characters: the first under which all findings fit is taken. Words are cut
/// before quotes, by which a finding is found again.
const BOUNDS: [TextBounds; 7] = [
    TextBounds::new(240, 240, 4_000),
    TextBounds::new(240, 240, 1_600),
    TextBounds::new(120, 60, 1_600),
    TextBounds::new(80, 0, 800),
    TextBounds::new(80, 0, 400),
    TextBounds::new(60, 0, 160),
    TextBounds::new(40, 0, 40),
];

/// How much of a finding is kept.
#[derive(Debug, Clone, Copy)]
struct TextBounds {
    sentence: usize,
    /// Of why and of fix.
    reason: usize,
    quote: usize,
}

impl TextBounds {
    const fn new(sentence: usize, reason: usize, quote: usize) -> Self {
        Self {
            sentence,
            reason,
            quote,
        }
    }
}

/// A finding in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFinding {
    /// What it is called in its report.
    #[serde(default)]
    pub id: String,
    pub fingerprint: String,
    /// What became of it.
    pub disposition: Disposition,
    /// What it does to the verdict; none: it was dismissed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<FindingLevel>,
    /// Who argued it away. It is kept: where that is taken back, it counts again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dismissed: Option<Dismissal>,
    /// The finding, its texts clipped.
    pub finding: Finding,
    /// The commit of the review that found it, where that was an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Where its quote stood before the change, if the change removed it; none: its quote is of the reviewed side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_line: Option<u32>,
    /// Who held it.
    pub held_by: Vec<JudgeId>,
    /// What those of them said who did not say what is shown, by where they stand among these: nobody's words are put into
    /// another one's mouth.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<usize, KeptVersion>,
    /// Whether more was quoted than is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// What others said of it, clipped: whoever has to decide about it reads that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opinions: Vec<Opinion>,
    /// Who was asked about it and said nothing of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<JudgeId>,
    /// The votes that stand with it; empty: it was kept by an earlier program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub votes: Vec<StandingVote>,
    /// Where its quotes stood, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) places: QuotePlaces,
}

/// What one judge said of an open finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptVersion {
    /// In its own words, clipped.
    pub finding: Finding,
    /// Whether it stood no longer: it was taken back, or its quote was not found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// What the finding is called where this version stands by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

impl KeptVersion {
    fn of(member: &FindingMember, bounds: TextBounds) -> Self {
        Self {
            finding: clip_finding(&member.finding, bounds),
            withdrawn: member.withdrawn || !member.proof.resolves(),
            fingerprint: member.fingerprint.clone(),
        }
    }

    /// Whether it says of the same place what is shown.
    fn says_shown(&self, shown: &Finding) -> bool {
        let own = &self.finding;
        !self.withdrawn
            && (own.severity, &own.category, &own.rule)
                == (shown.severity, &shown.category, &shown.rule)
            && (&own.description, &own.why, &own.fix)
                == (&shown.description, &shown.why, &shown.fix)
    }
}

/// A finding with as much of its texts as is kept.
fn clip_finding(finding: &Finding, bounds: TextBounds) -> Finding {
    let clip = |text: &str, most: usize| match most {
        0 => String::new(),
        most => text::clip_chars(text, most).into_owned(),
    };
    Finding {
        description: clip(&finding.description, bounds.sentence),
        why: clip(&finding.why, bounds.reason),
        fix: clip(&finding.fix, bounds.reason),
        // A beginning of it is searched as well as all of it.
        quote: finding.quote.chars().take(bounds.quote).collect(),
        suggestion: None,
        reference: None,
        ..finding.clone()
    }
}

/// The opinions that are kept of a finding: who disputes it is heard first.
fn clip_opinions(found: &JudgedFinding, bounds: TextBounds) -> Vec<Opinion> {
    let mut all: Vec<&Opinion> = Vec::new();
    for opinion in &found.opinions {
        if !all.contains(&opinion) {
            all.push(opinion);
        }
    }
    all.sort_by_key(|said| (said.stance != Stance::Disagreed, !said.resolves));
    let clip = |said: &Opinion| {
        let mut said = said.clone();
        let texts = said.evidence.iter_mut().map(|evidence| &mut evidence.quote);
        for text in texts.chain([&mut said.reasoning]) {
            *text = text::clip_chars(text, bounds.sentence).into_owned();
        }
        said
    };
    all.into_iter().take(MAX_OPINIONS).map(clip).collect()
}

impl OpenFinding {
    fn of(
        report: &Report,
        found: &JudgedFinding,
        bounds: TextBounds,
        quotes: &ReportPlaces,
    ) -> Option<Self> {
        let finding = clip_finding(&found.finding, bounds);
        let versions = found.members.iter().map(|m| KeptVersion::of(m, bounds));
        let versions = versions
            .enumerate()
            .filter(|(_, one)| !one.says_shown(&finding))
            .collect();
        let is_open = found.level.is_some() || found.dismissed.is_some();
        let said = found.members.iter().map(|member| &member.finding);
        let own = quotes.get(&found.fingerprint);
        let places = said.chain([&found.finding]).filter_map(|said| {
            let place = own?.get(&quote_name(said))?;
            let clipped = clip_finding(said, bounds);
            // A quote that is clipped is a part of its line from then on.
            let is_whole = place.is_whole && clipped.quote == said.quote;
            let place = QuotePlace {
                is_whole,
                ..place.clone()
            };
            Some((quote_name(&clipped), place))
        });
        is_open.then(|| Self {
            places: places.collect(),
            opinions: clip_opinions(found, bounds),
            asked: asked_in_vain(report, found).into_iter().cloned().collect(),
            votes: votes_to_stand(&report.outcome, found),
            id: found.id.clone(),
            fingerprint: found.fingerprint.clone(),
            disposition: found.disposition,
            level: found.level,
            dismissed: found.dismissed.clone(),
            versions,
            is_cut: finding.quote.len() < found.finding.quote.len(),
            finding,
            since: found.since.clone(),
            removed_line: removed_line(found),
            held_by: found
                .members
                .iter()
                .map(|member| member.judge.clone())
                .collect(),
        })
    }

    /// The finding as a report has it.
    pub fn restore_finding(&self) -> JudgedFinding {
        let line = self.finding.location.line;
        let proof = match self.removed_line {
            Some(old_line) => Proof::Removed { line, old_line },
            None => Proof::Verified,
        };
        let member = |(at, judge): (usize, &JudgeId)| {
            let own = self.versions.get(&at);
            FindingMember {
                judge: judge.clone(),
                round: RoundNumber::FIRST,
                finding: own.map_or(&self.finding, |own| &own.finding).clone(),
                proof: proof.clone(),
                withdrawn: own.is_some_and(|own| own.withdrawn),
                fingerprint: own.and_then(|own| own.fingerprint.clone()),
            }
        };
        JudgedFinding {
            id: self.id.clone(),
            fingerprint: self.fingerprint.clone(),
            finding: self.finding.clone(),
            disposition: self.disposition,
            level: self.level,
            dismissed: self.dismissed.clone(),
            since: self.since.clone(),
            members: self.held_by.iter().enumerate().map(member).collect(),
            opinions: self.opinions.clone(),
            disputed_by_test: false,
            suggestion_check: None,
            standing_votes: self.votes.clone(),
        }
    }
}

/// What is kept of a report, and of its findings that count.
#[derive(Debug, Default)]
pub(super) struct KeptReport {
    /// The report in short; none: it is too large even so, or nothing may be recognised by it.
    pub(super) report: Option<Box<Report>>,
    /// Whether that report has no findings.
    pub(super) shortened: bool,
    /// The findings that count or were dismissed, the worst first.
    pub(super) open: Vec<OpenFinding>,
    /// How many more there were than there is room for.
    pub(super) lost: usize,
}

impl KeptReport {
    /// Of a claim nothing is kept: a later run would tell a stranger's findings as its own.
    pub(super) fn of(report: &Report, quotes: &ReportPlaces) -> Self {
        if !report.source.is_own() {
            return Self::default();
        }
        let has_key = report.receipt.run.recognition_key.is_some();
        let short = has_key.then(|| shorten(report));
        let (kept, shortened) = match short {
            None => (None, false),
            Some(short) if hidden_len(&short) <= MAX_REPORT => (Some(short), false),
            Some(short) => (without_open_findings(short), true),
        };
        let room = match kept {
            Some(_) if !shortened => MAX_OPEN,
            _ => MAX_OPEN_ALONE,
        };
        let (open, lost) = keep_open(report, room, quotes);
        Self {
            shortened: kept.is_some() && shortened,
            report: kept.map(Box::new),
            open,
            lost,
        }
    }
}

/// The findings that count or were dismissed within so many characters, and how many are left out.
fn keep_open(report: &Report, room: usize, quotes: &ReportPlaces) -> (Vec<OpenFinding>, usize) {
    let within = |bounds: TextBounds| -> Vec<OpenFinding> {
        let findings = report.outcome.findings.iter();
        let open = findings.filter_map(|f| OpenFinding::of(report, f, bounds, quotes));
        open.collect()
    };
    let mut open = Vec::new();
    for bounds in BOUNDS {
        open = within(bounds);
        if packed_len(&open) <= room {
            return (open, 0);
        }
    }
    let all = open.len();
    let (mut fitting, mut beyond) = (0, all);
    while beyond - fitting > 1 {
        let middle = fitting.midpoint(beyond);
        match packed_len(&open[..middle]) <= room {
            true => fitting = middle,
            false => beyond = middle,
        }
    }
    open.truncate(fitting);
    (open, all - fitting)
}

pub(super) fn packed_len(open: &[OpenFinding]) -> usize {
    hidden_len(&pack(open))
}

/// Findings as text, compressed: one rule says the same at a hundred places.
fn pack(open: &[OpenFinding]) -> String {
    // Plain data with string keys: this cannot fail.
    let json = serde_json::to_vec(open).unwrap_or_default();
    encode_base64(&compress_to_vec(&json, LEVEL))
}

/// Writes findings into a state.
pub(super) fn write_packed<S: Serializer>(open: &[OpenFinding], out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&pack(open))
}

/// Reads them again.
pub(super) fn read_packed<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<OpenFinding>, D::Error> {
    let text = String::deserialize(from)?;
    let wrong = || D::Error::custom("these are no packed findings");
    let packed = decode_base64(&text).ok_or_else(wrong)?;
    let json = decompress_to_vec_with_limit(&packed, MAX_UNPACKED).map_err(|_| wrong())?;
    serde_json::from_slice(&json).map_err(D::Error::custom)
}

/// The report without what is known again from the change, or what only tells how it came about.
fn shorten(report: &Report) -> Report {
    let most = BOUNDS[0].sentence;
    let clip = |text: &mut String| *text = text::clip_chars(text, most).into_owned();
    let mut kept = report.clone();
    let outcome = &mut kept.outcome;
    outcome.coverage.files.clear();
    outcome.ledger = DebateLedger::default();
    outcome.challenges.clear();
    outcome.disagreements.clear();
    outcome.notes.clear();
    for judge in &mut outcome.judges {
        (judge.restatement, judge.steel_man) = (None, None);
        let texts = [
            &mut judge.first_insight,
            &mut judge.key_insight,
            &mut judge.recommendation,
        ];
        texts.into_iter().for_each(clip);
    }
    for found in &mut outcome.findings {
        found.opinions.clear();
        for member in &mut found.members {
            let finding = &mut member.finding;
            let texts = [&mut finding.description, &mut finding.why, &mut finding.fix];
            texts.into_iter().for_each(clip);
        }
    }
    kept
}

/// The same without its findings, which are kept beside it.
fn without_open_findings(mut kept: Report) -> Option<Report> {
    kept.receipt.run.earlier = None;
    kept.outcome.findings.clear();
    (hidden_len(&kept) <= MAX_REPORT).then_some(kept)
}

/// The report with what is kept beside it of its findings: what others said of each.
pub(super) fn with_opinions(report: &mut Report, open: &[OpenFinding]) {
    for found in &mut report.outcome.findings {
        let mut kept = open.iter();
        let kept = kept.find(|open| open.fingerprint == found.fingerprint);
        found.opinions = kept.map_or(Vec::new(), |open| open.opinions.clone());
    }
}

/// The report with the findings that are kept beside it, each under its own name.
pub(super) fn with_open_findings(report: &mut Report, open: &[OpenFinding]) {
    report.outcome.findings = open.iter().map(OpenFinding::restore_finding).collect();
}
