//! The objections that stand: the last one over each change, until a later review of the same change, or of one that holds the
//! same lines, says otherwise.
//!
//! A verdict of the cache is known again for the very same council alone. A gate that asked only the cache would open for
//! whoever called a stricter council (a debate, a larger quorum) than the one of the configuration.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use council_protocol::packet::TargetKind;
use council_protocol::{Severity, Vote};
use jiff::Timestamp;

use crate::council::outcome::{JudgeRecord, JudgedFinding, ReviewedBy, Verdict};
use crate::report::{FailOn, Report};

use super::cache::is_worth_keeping;
use super::objected_lines::{
    ChangedFiles, has_all_files, holds_objected_lines, holds_objected_unchanged,
    leaves_out_objected, objected_words,
};
use super::seal::MacKey;
use super::sealed_reports::{SealedReports, ignore_missing};

/// The most objections that stand at a time.
const MAX_OBJECTIONS: usize = 64;

/// The reviews of a repository that came to FAIL, or to INCONCLUSIVE though a judge objected. Beside them lie those that hold no
/// gate and left a critical problem open: a milder verdict of before does not hide it.
pub(crate) struct StandingObjections {
    objections: SealedReports,
    doubts: SealedReports,
}

impl StandingObjections {
    /// Those below `memory_dir`.
    pub(crate) fn new(memory_dir: &Path, seal: Option<MacKey>) -> Self {
        let folder = |name: &str| SealedReports {
            dir: memory_dir.join(name),
            seal: seal.clone(),
        };
        Self {
            objections: folder("standing"),
            doubts: folder("doubts"),
        }
    }

    /// Hears of a review of these files that has just ended. An objection stands from now on. A complete review without one ends
    /// those over the same change; rules alone take back nothing that models said, and whoever wrote a change has its own
    /// objection judged anew by no other dice. What leaves a critical problem open stands likewise, until a review leaves none.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written.
    pub(crate) fn hear(&self, report: &Report, files: &ChangedFiles<'_>) -> io::Result<()> {
        self.keep(report)?;
        if !is_objection(report) && is_worth_keeping(report) {
            forget_answered(&self.objections, report, files)?;
            if !leaves_critical_open(report) {
                forget_answered(&self.doubts, report, files)?;
            }
        }
        Ok(())
    }

    /// Keeps a review that objects, or left a critical problem open; any other one changes nothing.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written.
    pub(crate) fn keep(&self, report: &Report) -> io::Result<()> {
        match report {
            objection if is_objection(objection) => keep_weightiest(&self.objections, objection),
            doubt if leaves_critical_open(doubt) => keep_weightiest(&self.doubts, doubt),
            _ => Ok(()),
        }
    }

    /// The latest review of the same change that left a critical problem open, and that none has answered since.
    pub(crate) fn doubt_over(&self, change: &str) -> Option<Report> {
        self.doubts.read(&self.doubts.file_of_key(change)?)
    }

    /// The latest objection to this very code: over the same change, or to the same commit.
    pub(crate) fn over_same_code(&self, change: &str, head: Option<&str>) -> Option<Report> {
        let mut standing = self.all().map(|(_, report)| report);
        standing.find(|standing| is_same_code(standing, Some(change), head))
    }

    /// The latest objection to a commit, in whichever part or range it was reviewed, in lines that one of these files holds.
    pub(crate) fn over_commit(&self, head: &str, files: &ChangedFiles<'_>) -> Option<Report> {
        let mut standing = self.all().map(|(_, report)| report);
        standing.find(|standing| {
            standing.target.head.as_deref() == Some(head) && holds_objected_lines(standing, files)
        })
    }

    /// The objections to this change, which has these files, the latest first: over the same change, over a part of what leads
    /// to the same commit, or over lines that the change still holds.
    pub(crate) fn over<'s>(
        &'s self,
        change: &'s str,
        head: Option<&'s str>,
        files: &'s ChangedFiles<'s>,
    ) -> impl Iterator<Item = Report> + 's {
        let is_over = move |standing: &Report| {
            is_same_code(standing, Some(change), head) || holds_objected_lines(standing, files)
        };
        self.all().map(|(_, report)| report).filter(is_over)
    }

    /// The objections to changes that this one brings whole, though it may say nothing of the lines in question: they may stand
    /// in a file that was not touched.
    pub(crate) fn over_brought<'s>(
        &'s self,
        brings: impl Fn(&Report) -> bool + 's,
    ) -> impl Iterator<Item = Report> + 's {
        self.all().map(|(_, report)| report).filter(brings)
    }

    /// A complete review without an objection answers those to every change that it brings whole.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written.
    pub(crate) fn answer_brought(
        &self,
        later: &Report,
        files: &ChangedFiles<'_>,
        brings: impl Fn(&Report) -> bool,
    ) -> io::Result<()> {
        if is_objection(later) || !is_worth_keeping(later) {
            return Ok(());
        }
        for (path, standing) in self.all() {
            if takes_back_brought(&standing, later, files) && brings(&standing) {
                ignore_missing(fs::remove_file(path))?;
            }
        }
        Ok(())
    }

    /// The latest objection to code of these files that stands as it stood.
    pub(crate) fn over_unchanged(&self, files: &ChangedFiles<'_>) -> Option<Report> {
        let mut standing = self.all().map(|(_, report)| report);
        standing.find(|standing| holds_objected_unchanged(standing, files))
    }

    /// The objections to lines that one of these files holds.
    pub(crate) fn over_lines(&self, files: &ChangedFiles<'_>) -> Vec<Report> {
        let standing = self.all().map(|(_, report)| report);
        standing
            .filter(|standing| holds_objected_lines(standing, files))
            .collect()
    }

    /// A word of each quote to which somebody objects.
    pub(crate) fn objected_words(&self) -> Vec<String> {
        let standing = self.all();
        standing
            .flat_map(|(_, report)| objected_words(&report))
            .collect()
    }

    /// How many stand.
    pub(crate) fn count(&self) -> usize {
        self.all().count()
    }

    /// How many lie here that bear no seal of this user, or are damaged: nobody hears them.
    pub(crate) fn count_unread(&self) -> usize {
        let files = self.objections.list_files();
        let is_unread = |(path, _): &&(PathBuf, _)| self.objections.read(path).is_none();
        files.iter().filter(is_unread).count()
    }

    /// All of them, the latest first.
    fn all(&self) -> impl Iterator<Item = (PathBuf, Report)> {
        read_all(&self.objections)
    }
}

/// All reports of a folder, the latest first.
fn read_all(folder: &SealedReports) -> impl Iterator<Item = (PathBuf, Report)> {
    let files = folder.list_files().into_iter();
    files.filter_map(|(path, _)| folder.read(&path).map(|report| (path, report)))
}

/// Keeps a report under its change: the latest, but no word of rules in the place of models'.
fn keep_weightiest(folder: &SealedReports, report: &Report) -> io::Result<()> {
    let change = report.receipt.run.digests.change.as_deref();
    let path = change.and_then(|change| folder.file_of_key(change));
    let is_weightier = |path: &PathBuf| {
        let known = folder.read(path);
        known.is_none_or(|known| is_by_rules(&known) || !is_by_rules(report))
    };
    if let Some(path) = path.filter(is_weightier) {
        folder.write(&path, report)?;
        folder.remove_oldest(MAX_OBJECTIONS, 0);
    }
    Ok(())
}

/// Removes what a later review of these files has answered.
fn forget_answered(
    folder: &SealedReports,
    later: &Report,
    files: &ChangedFiles<'_>,
) -> io::Result<()> {
    for (path, standing) in read_all(folder) {
        if is_answered(&standing, later, files) {
            ignore_missing(fs::remove_file(path))?;
        }
    }
    Ok(())
}

/// Whether an objection is to the same change, or to the same commit.
pub(crate) fn is_same_code(standing: &Report, change: Option<&str>, head: Option<&str>) -> bool {
    let known = standing.receipt.run.digests.change.as_deref();
    let is_same = |known: Option<&str>, other: Option<&str>| known.is_some() && known == other;
    is_same(known, change) || is_same(standing.target.head.as_deref(), head)
}

fn range_of(report: &Report) -> (Option<&str>, Option<&str>) {
    let target = &report.target;
    (target.base.as_deref(), target.head.as_deref())
}

/// Whether a review objects to its change. One that merely could not be held (no network) does not.
pub(crate) fn is_objection(report: &Report) -> bool {
    let outcome = &report.outcome;
    match outcome.verdict {
        Verdict::Fail => true,
        Verdict::Inconclusive => outcome.judges.iter().any(votes_against),
        Verdict::Warn => report.own_gate().fail_on == FailOn::Warn,
        _ => false,
    }
}

fn votes_against(judge: &JudgeRecord) -> bool {
    let votes = [judge.counted, judge.lost_vote, judge.unplaced];
    votes.contains(&Some(Vote::Fail))
}

/// Whether a review is no objection, and somebody holds the change for broken all the same: one judge alone, or with a quote
/// that was not found. Nobody refuted or dismissed that.
pub(crate) fn leaves_critical_open(report: &Report) -> bool {
    let is_lost = |found: &JudgedFinding| {
        let mut members = found.members.iter();
        !members.any(|member| member.proof.resolves())
    };
    let is_open = |found: &JudgedFinding| {
        let counts = found.level.is_some() || is_lost(found);
        found.finding.severity == Severity::Critical && found.dismissed.is_none() && counts
    };
    let outcome = &report.outcome;
    let is_shown = matches!(outcome.verdict, Verdict::Warn | Verdict::Inconclusive);
    is_shown
        && !is_objection(report)
        && (outcome.findings.iter().any(is_open) || outcome.judges.iter().any(votes_against))
}

/// Whether what stands against a change is told instead of another verdict over it that is known: never of one that objects.
pub(crate) fn outweighs(standing: &Report, known: &Report) -> bool {
    // The jobs of a matrix lie in a folder of their own, and count its runs by themselves.
    let run = |report: &Report| {
        let run = &report.receipt.run;
        let backend = run.backend.as_ref().map(|backend| backend.name.clone());
        (run.name.clone(), run.started.clone(), backend)
    };
    let is_other = run(standing) != run(known);
    is_other && stands(standing) && !is_objection(known)
}

/// Whether a review stands against its change: it objects, or left a critical problem open.
pub(crate) fn stands(report: &Report) -> bool {
    is_objection(report) || leaves_critical_open(report)
}

/// Whether a later review of these files took back an objection: it read the same change or more of it, and was not of rules
/// alone where models had spoken.
pub(crate) fn is_answered(standing: &Report, later: &Report, files: &ChangedFiles<'_>) -> bool {
    let change = |report: &Report| report.receipt.run.digests.change.clone();
    let is_whole = later.target.only.is_empty() && later.target.head.is_some();
    let reads_lines =
        || is_whole && holds_objected_lines(standing, files) && has_all_files(standing, files);
    let is_same = change(standing) == change(later)
        || (is_whole && range_of(standing) == range_of(later))
        || reads_lines();
    is_same && takes_back(standing, later, files)
}

/// Whether a later review of a change takes back an objection to what that change brings whole: what was left out of it was
/// not read again.
pub(crate) fn takes_back_brought(
    standing: &Report,
    later: &Report,
    files: &ChangedFiles<'_>,
) -> bool {
    later.target.only.is_empty() && takes_back(standing, later, files)
}

/// Whether a later review had the say and has read what was objected to.
fn takes_back(standing: &Report, later: &Report, files: &ChangedFiles<'_>) -> bool {
    is_by_no_less(standing, later)
        && is_of_no_less(standing, later)
        && !has_begun_before(later, standing)
        && !is_own_wash(standing, later, files)
        && !leaves_out_objected(standing, later, files)
}

/// Whether a later review was not of rules alone where models had spoken.
fn is_by_no_less(standing: &Report, later: &Report) -> bool {
    is_by_rules(standing) || !is_by_rules(later)
}

/// Whether a later review read the files of the repository where the objection did: around a patch others may have stood.
fn is_of_no_less(standing: &Report, later: &Report) -> bool {
    let is_patch = |report: &Report| report.target.kind == TargetKind::Patch;
    is_patch(standing) || !is_patch(later)
}

/// Whether a review was begun before another one, though it ended after it: it was interrupted, and its judges had spoken
/// before.
fn has_begun_before(one: &Report, other: &Report) -> bool {
    let begun = |report: &Report| report.receipt.run.started.parse::<Timestamp>().ok();
    begun(one)
        .zip(begun(other))
        .is_some_and(|(one, other)| one < other)
}

/// Whether a coding agent had the very code judged again to which models objected, be it with other code beside it: asked often
/// enough, some council passes it. That is a dismissal, and an agent dismisses nothing.
fn is_own_wash(standing: &Report, later: &Report, files: &ChangedFiles<'_>) -> bool {
    let run = &later.receipt.run;
    let (change, head) = (run.digests.change.as_deref(), later.target.head.as_deref());
    let is_judged_again =
        || is_same_code(standing, change, head) || holds_objected_unchanged(standing, files);
    run.started_by.is_some() && !is_by_rules(standing) && is_judged_again()
}

/// Whether rules alone spoke: they say the same of the same code, whoever asks.
pub(crate) fn is_by_rules(report: &Report) -> bool {
    report.outcome.reviewed_by == ReviewedBy::Rules
}

#[cfg(test)]
mod laws {
    use council_protocol::{Failure, FailureKind, RoundNumber};
    use proptest::prelude::*;

    use super::*;
    use crate::council::outcome::{FindingLevel, RoundFailure};
    use crate::report;

    const EXAMPLE: &str = include_str!("../../docs/examples/report.json");

    /// A review as it ended: over which change, by whom, with which verdict, of the whole range or a part, and whether a coding
    /// agent asked for it.
    type Ended = (u8, bool, u8, bool, bool);

    fn ended(&(change, by_models, verdict, is_whole, by_agent): &Ended) -> Report {
        let mut report = report::json::parse(EXAMPLE).unwrap();
        report.incomplete = false;
        report.receipt.run.recognised = None;
        report.receipt.run.started_by = by_agent.then(|| "an agent".to_owned());
        report.receipt.run.recognition_key = Some(format!("{:064x}", 1));
        // A part of a range is another change between the same commits.
        let part = if is_whole { 0 } else { 100 };
        report.receipt.run.digests.change = Some(format!("{:064x}", change + part));
        report.target.base = Some(format!("base-{change}"));
        report.target.head = Some(format!("head-{change}"));
        report.target.only = if is_whole {
            vec![]
        } else {
            vec!["a".to_owned()]
        };
        let judges = &mut report.outcome.judges;
        judges.iter_mut().for_each(|judge| {
            judge.failures.clear();
            judge.seat.agent.deterministic = !by_models;
            judge.counted = Some(Vote::Pass);
        });
        report.outcome.reviewed_by = ReviewedBy::of_records(judges);
        report.outcome.verdict = match verdict {
            0 => Verdict::Pass,
            1 => Verdict::Warn,
            2 => Verdict::Inconclusive,
            _ => Verdict::Fail,
        };
        report
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// An objection stands until a review of the same change, or of all that it is a part of, comes to something
        /// milder: by models, where models objected; and then for a person, who alone has the same code judged again.
        #[test]
        fn an_objection_stands_until_the_same_change_is_reviewed_again(
            reviews in prop::collection::vec((0u8..2, any::<bool>(), 0u8..4, any::<bool>(), any::<bool>()), 1..8),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let store = StandingObjections::new(dir.path(), Some(MacKey::new([7; 32])));
            for review in &reviews {
                store.hear(&ended(review), &ChangedFiles::alone(&[])).unwrap();
            }
            for change in 0..2 {
                for is_whole in [true, false] {
                    let part = if is_whole { 0 } else { 100 };
                    let own = || reviews.iter().enumerate().filter(|(_, r)| r.0 == change);
                    let is_answered = |(at, objection): (usize, &Ended)| {
                        own().any(|(later, r)| {
                            let is_milder = later > at && r.2 < 2 && (r.1 || !objection.1);
                            is_milder && (r.3 || !is_whole) && !(r.4 && objection.1)
                        })
                    };
                    let mut objections = own().filter(|(_, r)| r.3 == is_whole && r.2 == 3);
                    let stands = objections.any(|objection| !is_answered(objection));
                    let name = format!("{:064x}", change + part);
                    let alone = ChangedFiles::alone(&[]);
                    let standing = store.over(&name, None, &alone).next();
                    prop_assert_eq!(standing.is_some(), stands, "{:?}", (change, is_whole));
                    // Whatever was pushed with the commit, the objection to a part of it is heard.
                    let head = format!("head-{change}");
                    let wider = store.over("another change", Some(&head), &alone).next();
                    prop_assert!(wider.is_some() || !stands, "{:?}", (change, is_whole));
                }
            }
        }
    }

    /// How a review of one change ends: its verdict, whether a critical problem is left open, and whether all judges answered.
    type Said = (u8, bool, bool);

    fn said(&(verdict, has_critical, is_complete): &Said, nth: usize) -> Report {
        let mut report = ended(&(0, true, verdict, true, false));
        report.receipt.run.name = format!("run-{nth}");
        report.outcome.findings.truncate(1);
        let found = &mut report.outcome.findings[0];
        (found.finding.severity, found.dismissed) = (Severity::Critical, None);
        found.level = Some(FindingLevel::Warn);
        report.outcome.findings.retain(|_| has_critical);
        if !is_complete {
            let failure = Failure::new(FailureKind::Timeout, "no second answer in time");
            let round = RoundNumber::SECOND;
            report.outcome.judges[0]
                .failures
                .push(RoundFailure { round, failure });
        }
        report
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        /// Whatever reviews of a change came before and between: what failed it, or left a critical problem open, is told instead
        /// of each milder verdict that is known, until a whole review by models leaves nothing open.
        #[test]
        fn no_known_verdict_hides_what_was_left_open_since(
            reviews in prop::collection::vec((0u8..4, any::<bool>(), any::<bool>()), 1..8),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let store = StandingObjections::new(dir.path(), Some(MacKey::new([7; 32])));
            let reports: Vec<Report> = reviews.iter().enumerate().map(|(nth, one)| said(one, nth)).collect();
            for report in &reports {
                store.hear(report, &ChangedFiles::alone(&[])).unwrap();
            }
            let failed = |one: &Said| one.0 == 3;
            let is_open = |one: &Said| !failed(one) && one.0 > 0 && one.1;
            let is_whole = |one: &Said| one.2 && one.0 < 2;
            let last_open = reviews.iter().rposition(is_open);
            let last_clear = reviews.iter().rposition(|one| is_whole(one) && !is_open(one));
            let last_fail = reviews.iter().rposition(failed);
            let last_milder = reviews.iter().rposition(is_whole);
            let stands = last_open > last_clear || last_fail > last_milder;
            let change = format!("{:064x}", 0);
            for (known, _) in reports.iter().zip(&reviews).filter(|(_, one)| one.2 && one.0 == 0) {
                let told = [store.over_same_code(&change, None), store.doubt_over(&change)];
                let told = told.into_iter().flatten().any(|standing| outweighs(&standing, known));
                prop_assert_eq!(told, stands, "{:?}", reviews);
            }
            // What failed is told as it is, whatever was left open before.
            let told = || [store.over_same_code(&change, None), store.doubt_over(&change)].into_iter().flatten();
            for known in reports.iter().filter(|known| is_objection(known)) {
                prop_assert!(!told().any(|standing| outweighs(&standing, known)), "{:?}", reviews);
            }
            // And before what was left open, whichever verdict is known.
            let first = reports.iter().find_map(|known| told().find(|standing| outweighs(standing, known)));
            prop_assert!(first.is_none_or(|first| is_objection(&first) || last_fail <= last_milder), "{:?}", reviews);
        }
    }

    /// Whoever read something else, or had spoken before, has not answered an objection.
    #[test]
    fn a_patch_and_an_older_run_take_nothing_back() {
        let change = format!("{:064x}", 0);
        let at = |report: &mut Report, minute: u32| {
            report.receipt.run.started = format!("2026-01-01T10:{minute:02}:00+00:00");
        };
        for (kind, minute, takes_back) in [
            (TargetKind::Patch, 30, false),
            (TargetKind::Commit, 10, false),
            (TargetKind::Commit, 30, true),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let store = StandingObjections::new(dir.path(), Some(MacKey::new([7; 32])));
            let files = ChangedFiles::alone(&[]);
            let mut failed = ended(&(0, true, 3, true, false));
            at(&mut failed, 20);
            store.hear(&failed, &files).unwrap();
            let mut later = ended(&(0, true, 0, true, false));
            at(&mut later, minute);
            later.target.kind = kind;
            store.hear(&later, &files).unwrap();
            let stands = store.over_same_code(&change, None).is_some();
            assert_eq!(stands, !takes_back, "{kind:?} {minute}");
        }
    }

    /// A matrix in a folder of its own counts its runs by itself: its run is another one, whatever it is called.
    #[test]
    fn runs_of_one_name_are_told_apart() {
        let known = ended(&(0, true, 0, true, false));
        let mut standing = ended(&(0, true, 3, true, false));
        standing
            .receipt
            .run
            .name
            .clone_from(&known.receipt.run.name);
        assert!(!outweighs(&standing, &known));
        standing.receipt.run.started = "2026-01-01T10:00:00+00:00".to_owned();
        assert!(outweighs(&standing, &known));
    }

    #[test]
    fn a_review_that_could_not_be_held_objects_to_nothing() {
        let mut report = ended(&(0, true, 2, true, false));
        assert!(!is_objection(&report));
        report.outcome.judges[0].lost_vote = Some(Vote::Fail);
        assert!(is_objection(&report));
    }
}
