//! Nothing is bought twice: a change that was judged before, in the same way, costs no judge. And what people dismissed
//! does not count again.

mod saving;
mod standing;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread::JoinHandle;

use council_protocol::packet::TargetKind;
use council_protocol::{Coverage, CoverageState};

use crate::council::Dismissal;
use crate::council::outcome::Verdict;
use crate::git;
use crate::memory::line::{self, DismissalLine, NoteLine};
use crate::memory::{StandingObjections, VerdictCache, is_by_rules, is_objection};
use crate::packet::packet_digest;
use crate::report::{MemoryPlace, Report, ReviewSubject};

use crate::run::context::RunContext;
use crate::run::counts_again;
use crate::run::digests::RunDigests;
use crate::run::dismissals::{self, CUT_LOG, DismissalJournal, VerdictTerms};
use crate::run::error::RunError;
use crate::run::floor;
use crate::run::notes;
use crate::run::prepare::PreparedReview;
use crate::run::proof::{self, IDLE_NOTE};
use crate::run::trust::{SignatureTrust, checked_report};

/// What is remembered in one repository.
pub(crate) struct VerdictMemory<'a> {
    prepared: &'a PreparedReview,
    start: &'a RunContext,
    dir: PathBuf,
    cache: VerdictCache,
    standing: StandingObjections,
    journal: DismissalJournal,
    trust: SignatureTrust<'a>,
    /// Whether notes are written here, as far as somebody has begun to find out.
    is_noted: Mutex<Option<JoinHandle<bool>>>,
    /// Whether an objection stands whatever a review comes to.
    keeps_objections: bool,
}

/// What a note says of an objection that stands beside a review which came to something milder.
pub(crate) const HOLDS_PUSH: &str = "holds a push all the same";

/// How every note about dismissals that do not count ends.
const HEARSAY_RULE: &str = "those signed by a key in council.trustedNotes are";

/// What is heard about a finding.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownDismissals {
    /// The dismissals that count.
    pub(crate) dismissals: Vec<Dismissal>,
    /// What a reader should know about those that do not.
    pub(crate) notes: Vec<String>,
}

/// An objection that a coding agent cannot have taken back by another council.
pub(crate) enum KeptObjection {
    /// The verdict that it is given instead of a review.
    Instead(Box<Report>),
    /// What is told beside its review.
    Beside(String),
}

/// What of today's files the same judges are given: files that none of them looked at are still none of theirs.
fn coverage_today(today: &Coverage, before: &Coverage) -> Coverage {
    let left_out = before.files.iter();
    let left_out = left_out.filter(|f| matches!(f.state, CoverageState::Skipped { .. }));
    let left_out: HashMap<_, _> = left_out.map(|f| (&f.path, &f.state)).collect();
    let mut coverage = today.clone();
    for file in &mut coverage.files {
        if let Some(state) = left_out.get(&file.path) {
            file.state = (*state).clone();
        }
    }
    coverage
}

/// What a reader is told of dismissals that do not count: of how many findings they speak. What was taken back since is none,
/// and neither is one of a finding that counts as dismissed anyway.
fn hearsay_note(counted: &[Dismissal], hearsay: Vec<DismissalLine>, is_ci: bool) -> Option<String> {
    let mut heard = line::latest_dismissals(hearsay);
    heard.retain(|one| !counted.iter().any(|own| own.fingerprint == one.fingerprint));
    let what = match heard.len() {
        0 => return None,
        1 => "1 dismissal".to_owned(),
        n => format!("{n} dismissals"),
    };
    let are = if heard.len() == 1 { "is" } else { "are" };
    Some(if is_ci {
        // There is no user whose own they could be.
        format!("{what} {are} not counted: in CI only {HEARSAY_RULE}")
    } else {
        format!("{what} from elsewhere {are} not counted: only your own and {HEARSAY_RULE}")
    })
}

impl<'a> VerdictMemory<'a> {
    /// The memory of the repository under review; none outside of one.
    pub(crate) fn for_change(prepared: &'a PreparedReview, start: &'a RunContext) -> Option<Self> {
        // A text without a change is asked about anew: it has no commit, and no patch that names it.
        let has_change = !matches!(
            prepared.packet.target.kind,
            TargetKind::File | TargetKind::Topic | TargetKind::Stage
        );
        has_change
            .then(|| Self::of_repository(prepared, start))
            .flatten()
    }

    /// What people dismissed, also of a text without a change: its findings have fingerprints, too.
    pub(crate) fn known_dismissals(
        prepared: &'a PreparedReview,
        start: &'a RunContext,
    ) -> KnownDismissals {
        let memory = Self::of_repository(prepared, start);
        memory
            .map(|memory| memory.load_dismissals())
            .unwrap_or_default()
    }

    fn of_repository(prepared: &'a PreparedReview, start: &'a RunContext) -> Option<Self> {
        if prepared.keep_in.is_some() {
            return None;
        }
        let settings = &prepared.config.settings;
        let dir = prepared.change.place.memory_dir()?;
        let keep = usize::try_from(settings.cache.keep).unwrap_or(usize::MAX);
        let ci = start.environment.is_ci();
        let authors = ci.then(|| dismissals::change_authors(&prepared.packet.framing, start));
        // In CI a file of the checkout is nobody's word.
        let seal = if ci { None } else { start.signing_key() };
        Some(Self {
            prepared,
            start,
            cache: VerdictCache::new(&dir, keep, seal.clone()),
            standing: StandingObjections::new(&dir, seal.clone()),
            journal: DismissalJournal::new(&dir, seal),
            dir,
            trust: SignatureTrust::new(start, prepared.change.place.dir.clone(), settings, authors),
            is_noted: Mutex::default(),
            keeps_objections: false,
        })
    }

    /// How many objections lie in the repository that nobody can hear: see [`StandingObjections::count_unread`].
    pub(crate) fn unread_objections(prepared: &PreparedReview, start: &RunContext) -> usize {
        // No file of a checkout counts in CI.
        let memory = match start.environment.is_ci() {
            true => None,
            false => VerdictMemory::of_repository(prepared, start),
        };
        memory.map_or(0, |memory| memory.standing.count_unread())
    }

    /// The same, where `keeps` says that no objection is taken back.
    pub(crate) fn keeping_objections(self, keeps: bool) -> Self {
        Self {
            keeps_objections: keeps,
            ..self
        }
    }

    /// What people dismissed: in this repository, and in notes that are signed by somebody who counts.
    pub(crate) fn load_dismissals(&self) -> KnownDismissals {
        let mut heard = KnownDismissals::default();
        let mut lines: Vec<DismissalLine> = Vec::new();
        let log = self.journal.read_log();
        if log.is_cut {
            heard.notes.push(format!("{CUT_LOG}: none of it counts"));
        }
        let mut known: HashSet<String> = HashSet::new();
        for read in log.own {
            if let NoteLine::Dismissal(line) = read.line {
                known.insert(read.body);
                lines.push(line);
            }
        }
        let mut hearsay: Vec<DismissalLine> = Vec::new();
        let noted = self.trust.noted_lines(None);
        for read in noted.into_iter().chain(log.others) {
            let NoteLine::Dismissal(dismissal) = &read.line else {
                continue;
            };
            if known.contains(&read.body) {
                continue;
            }
            if self.trust.trusted_signer(&read).is_ok() {
                lines.push(dismissal.clone());
                known.insert(read.body);
            } else {
                hearsay.push(dismissal.clone());
            }
        }
        heard.dismissals = line::latest_dismissals(lines);
        let is_ci = self.start.environment.is_ci();
        heard
            .notes
            .extend(hearsay_note(&heard.dismissals, hearsay, is_ci));
        heard
    }

    /// The verdict that was made before over this change, under today's dismissals. `around` looks at the code around it,
    /// which costs time and is done for a verdict that is there: whoever judged saw a caller that has changed since, or none,
    /// judged something else. `notes` hears what does not count.
    pub(crate) fn recall_verdict(
        &self,
        known: &RunDigests,
        heard: &KnownDismissals,
        around: &mut dyn FnMut() -> Result<Option<String>, RunError>,
        notes: &mut Vec<String>,
    ) -> Option<Report> {
        let (report, place, signer) = match self.cache.get(&known.key) {
            Some(report) => (report, MemoryPlace::Cache, None),
            None => {
                let (report, signer) = self.noted_verdict(known, notes)?;
                (report, MemoryPlace::Note, Some(signer))
            }
        };
        // A verdict without tests is no verdict of today where they may be run.
        let was_idle = |note: &String| note.starts_with(IDLE_NOTE);
        let may_prove = report.outcome.notes.iter().any(was_idle)
            && proof::terms(self.start, self.prepared).is_some();
        let has_news = floor::find_news(&report.outcome, self.prepared, &heard.dismissals);
        // Where nobody can look, somebody else has to judge.
        let mut is_same = || {
            let today = around();
            today.is_ok_and(|today| today == report.receipt.run.digests.context)
        };
        if may_prove || has_news || !is_same() {
            return None;
        }
        // Another council, or more of it, has failed the very change since, or left a critical problem of it open: a gate holds
        // the one, and whoever reviews it is told of both.
        if let Some(standing) = self.standing_over(Some(&report), heard) {
            return Some(standing);
        }
        let report = self.renew_report(report, place, signer, &known.key, heard);
        let is_own = place == MemoryPlace::Cache && self.trust.authors.is_none();
        if is_own && !self.has_note(&report) {
            // The same change on another commit, or another verdict since something was dismissed: who fetches the notes
            // knows it, too.
            self.note_verdict(&report, known);
        }
        Some(report)
    }

    /// What a coding agent does not have judged anew: an objection of models to this very code, under today's dismissals. None: a
    /// person asks, nobody objected, or what was objected to is dismissed.
    pub(crate) fn objection_kept_from_agent(&self) -> Option<KeptObjection> {
        let agent = self.start.started_by.as_deref()?;
        let target = &self.prepared.packet.target;
        let change = git::recognition_key(&self.prepared.change, &self.prepared.packet.files);
        let by_user = "or let the user run `git council review --fresh`";
        let report = self
            .standing
            .over_same_code(&change, target.head.as_deref())
            .filter(|report| !is_by_rules(report));
        let Some(report) = report else {
            return self.objection_to_unchanged_lines(agent, by_user);
        };
        let run = report.receipt.run.name.clone();
        let is_same_change = report.receipt.run.digests.change.as_deref() == Some(change.as_str());
        let key = report.receipt.run.recognition_key.clone();
        let (place, heard) = (MemoryPlace::Cache, self.load_dismissals());
        let mut report = self.renew_report(report, place, None, &key.unwrap_or_default(), &heard);
        if !is_objection(&report) {
            return None;
        }
        // A part of what failed is no other code.
        let part = (!is_same_change).then(|| self.objection_to_unchanged_lines(agent, by_user));
        if let Some(Some(kept @ KeptObjection::Instead(_))) = part {
            return Some(kept);
        }
        // Too few answered, or it was a part of the commit: that one may be reviewed, and takes nothing back.
        if report.outcome.verdict == Verdict::Inconclusive || !is_same_change {
            return Some(KeptObjection::Beside(format!(
                "{run} objected to this code, and {HOLDS_PUSH}, since {agent} asked for this review: change \
                 the code, {by_user}"
            )));
        }
        report.outcome.notes.push(format!(
            "{run} failed this very code, and {agent} cannot have it judged anew: change the code, {by_user}"
        ));
        Some(KeptObjection::Instead(Box::new(report)))
    }

    /// A verdict of the reviewed commit's note, by somebody who counts.
    fn noted_verdict(
        &self,
        known: &RunDigests,
        told: &mut Vec<String>,
    ) -> Option<(Report, String)> {
        let head = self.prepared.packet.target.head.as_deref()?;
        let mut untrusted: BTreeMap<(&str, String), usize> = BTreeMap::new();
        let mut trusted = None;
        for read in self.trust.noted_lines(Some(head)) {
            let NoteLine::Verdict(verdict) = &read.line else {
                continue;
            };
            if verdict.key != known.key {
                continue;
            }
            match self.trust.trusted_signer(&read) {
                Ok(signer) => {
                    trusted = Some((checked_report(verdict)?, signer.key));
                    break;
                }
                // One's own word needs no signature, and no warning.
                Err(_) if notes::is_own_verdict(&read, verdict, head, self.start) => {}
                Err(why) => {
                    *untrusted
                        .entry((verdict.verdict.as_str(), why))
                        .or_default() += 1
                }
            }
        }
        // Each review of a commit leaves a note of its own: what many say is one line.
        told.extend(untrusted.iter().map(|((verdict, why), count)| {
            let who = match count {
                1 => "a note says".to_owned(),
                count => format!("{count} notes say"),
            };
            let they_are = if *count == 1 { "it is" } else { "they are" };
            format!("{who} {verdict} for this change, but {they_are} not trusted: {why}")
        }));
        trusted
    }

    /// An old report over today's target.
    fn renew_report(
        &self,
        mut report: Report,
        place: MemoryPlace,
        signer: Option<String>,
        key: &str,
        heard: &KnownDismissals,
    ) -> Report {
        let settings = &self.prepared.config.settings;
        let subject = ReviewSubject::of(&self.prepared.packet);
        let run = &mut report.receipt.run;
        let head = report.target.head.take();
        run.recognise(place, head, signer, self.start.started_by.clone());
        if let Some(recognised) = &mut run.recognised {
            recognised.over = Some(packet_digest(&self.prepared.packet));
        }
        run.recognition_key = Some(key.to_owned());
        let before = std::mem::take(&mut report.outcome.coverage);
        let today = Report::shown_coverage(&self.prepared.coverage, &self.prepared.redactor);
        report.outcome.coverage = coverage_today(&today, &before);
        report.target = subject.target;
        report.change = subject.change;
        let told = std::mem::replace(&mut report.outcome.notes, self.prepared.notes.clone());
        report.outcome.notes.extend(heard.notes.iter().cloned());
        let fates = report.fate_notes();
        // What the council had to say of itself holds still; what was heard of dismissals then does not.
        let holds =
            |note: &String| !note.ends_with(HEARSAY_RULE) && !note.starts_with(git::PART_NOTE);
        // Why no test was run may be another reason by now.
        let told = told
            .into_iter()
            .filter(|note| holds(note) && !fates.contains(note))
            .map(|note| {
                let idle = note.starts_with(IDLE_NOTE);
                let today = idle.then(|| proof::idle_note(self.start, self.prepared));
                today.flatten().unwrap_or(note)
            });
        let known: HashSet<String> = report.outcome.notes.iter().cloned().collect();
        let told = told.filter(|note| !known.contains(note));
        report.outcome.notes.extend(told);
        let terms = VerdictTerms::of_report(&report, settings);
        dismissals::decide_under(&mut report.outcome, &terms, &heard.dismissals);
        counts_again::note_returned(&mut report.outcome, &heard.dismissals, self.start);
        if let Some(earlier) = &mut report.receipt.run.earlier {
            earlier.follow_dismissals(&report.outcome.findings);
        }
        let fates = report.fate_notes();
        report.outcome.notes.extend(fates);
        report
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory::line::LINE_VERSION;

    fn line(finding: u8, hour: u8, restored: bool) -> DismissalLine {
        let body = serde_json::json!({
            "v": LINE_VERSION,
            "fingerprint": format!("finding-{finding}"),
            "by": "ann",
            "ground": "accepted-risk",
            "because": "constant",
            "at": format!("2026-01-01T{hour:02}:00:00Z"),
            "finding": "a.py:1 x",
            "restored": restored,
        });
        serde_json::from_value(body).unwrap()
    }

    proptest! {
        /// The note counts findings that somebody holds for dismissed, in whatever order lines were written and read.
        #[test]
        fn a_note_counts_findings_and_not_lines(
            lines in prop::collection::vec((0u8..3, 0u8..20, any::<bool>()), 0..8),
            counted in 0u8..4,
            is_ci in any::<bool>(),
        ) {
            let own = line::latest_dismissals(vec![line(counted, 0, false)]);
            let told = |lines: &[(u8, u8, bool)]| {
                let read = lines.iter().map(|&(finding, hour, restored)| line(finding, hour, restored));
                hearsay_note(&own, read.collect(), is_ci)
            };
            let last = |finding: u8| {
                let of_it = lines.iter().filter(|line| line.0 == finding);
                of_it.max_by_key(|line| (line.1, line.2)).is_some_and(|line| !line.2)
            };
            let count = (0..3).filter(|&finding| finding != counted && last(finding)).count();
            let note = told(&lines);
            prop_assert_eq!(note.is_some(), count > 0);
            if let Some(note) = &note {
                prop_assert!(note.starts_with(&format!("{count} dismissal")), "{}", note);
                prop_assert_eq!(note.contains("your own"), !is_ci, "{}", note);
            }
            let mut turned = lines.clone();
            turned.reverse();
            prop_assert_eq!(told(&turned), note);
        }
    }
}
