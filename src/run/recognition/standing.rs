//! What stands against a change that is not reviewed again: objections of earlier reviews, under today's dismissals.

use council_protocol::packet::TargetKind;
use council_protocol::{RepoPath, Side};
use jiff::Timestamp;

use crate::council::is_named_by;
use crate::council::outcome::{JudgedFinding, Outcome, Verdict};
use crate::git;
use crate::memory::{
    ChangedFiles, is_by_rules, is_objection, is_same_code, leaves_critical_open, outweighs, stands,
};
use crate::report::{MemoryPlace, Report};
use crate::run::cut_off::cut_off_reviews;
use crate::run::reviewed_before::{is_as_reviewed, left_out_files, reviewed_text};
use crate::session::QuoteProver;

use super::{HOLDS_PUSH, KeptObjection, KnownDismissals, VerdictMemory};

/// Whether a review was begun after another one.
fn is_later(one: &Report, other: &Report) -> bool {
    let begun = |report: &Report| report.receipt.run.started.parse::<Timestamp>().ok();
    begun(one) >= begun(other)
}

impl VerdictMemory<'_> {
    /// The latest objection of an own review to this change, however it was held, that today's dismissals leave standing; else
    /// the latest that they answer. None: there is none, or a later review took it back.
    pub(crate) fn standing_objection(&self) -> Option<Report> {
        let target = &self.prepared.packet.target;
        let change = git::recognition_key(&self.prepared.change, &self.prepared.packet.files);
        let reviewed = reviewed_text(self.prepared, self.start);
        let files = ChangedFiles {
            files: &self.prepared.packet.files,
            reviewed: &reviewed,
        };
        let here = self.standing.over(&change, target.head.as_deref(), &files);
        // A name that is left out mends nothing.
        let left_out = std::iter::once_with(|| {
            let words = self.standing.objected_words();
            let left_out = left_out_files(self.prepared, &words);
            self.standing.over_lines(&ChangedFiles {
                files: &left_out,
                reviewed: &reviewed,
            })
        });
        let brings = |standing: &Report| self.brings_change_of(standing);
        let brought = self.standing.over_brought(brings);
        let mut heard = None;
        let mut answered = None;
        // One that was dismissed says nothing of the next one.
        for standing in here.chain(left_out.flatten()).chain(brought) {
            let heard = heard.get_or_insert_with(|| self.load_dismissals());
            let report = self.renew_standing(standing, &change, heard);
            if is_objection(&report) {
                return Some(report);
            }
            answered.get_or_insert(report);
        }
        answered
    }

    /// What stands against this very change under today's dismissals, by models, and is told instead of a verdict that is
    /// known, in this repository or on a forge; where none is (`known`), instead of a review. What rules and tools say
    /// follows from how they are set up.
    pub(crate) fn standing_over(
        &self,
        known: Option<&Report>,
        heard: &KnownDismissals,
    ) -> Option<Report> {
        let change = git::recognition_key(&self.prepared.change, &self.prepared.packet.files);
        let reviewed = reviewed_text(self.prepared, self.start);
        let files = ChangedFiles {
            files: &self.prepared.packet.files,
            reviewed: &reviewed,
        };
        let head = self.prepared.packet.target.head.as_deref();
        // Whoever passed the whole has not heard what was said of a part since.
        let part = known.zip(head).and_then(|(known, head)| {
            let part = self.standing.over_commit(head, &files)?;
            is_later(&part, known).then_some(part)
        });
        let objection = self.standing.over_same_code(&change, None);
        let standing = [objection, self.standing.doubt_over(&change), part];
        let by_models = standing
            .into_iter()
            .flatten()
            .filter(|one| !is_by_rules(one));
        let ended = by_models.map(|standing| self.renew_standing(standing, &change, heard));
        let cut = std::iter::once_with(|| self.cut_off_standing(&change, heard)).flatten();
        let told = ended.chain(cut).filter(|standing| match known {
            Some(known) => outweighs(standing, known),
            None => stands(standing),
        });
        // What fails is told before what was left open, and of two alike what has ended.
        told.min_by_key(|standing| !is_objection(standing))
    }

    /// What models had said of this very change in runs that were cut off, under today's dismissals.
    fn cut_off_standing<'s>(
        &'s self,
        change: &'s str,
        heard: &'s KnownDismissals,
    ) -> impl Iterator<Item = Report> + 's {
        let cut = cut_off_reviews(self.prepared, self.start).into_iter();
        cut.filter(|cut| !is_by_rules(cut))
            .map(move |cut| self.renew_held(cut, change, heard))
    }

    /// What a coding agent does not have judged anew with other code beside it: lines to which models objected, and that stand
    /// as they stood. Where their whole file does, it is told the same again.
    pub(super) fn objection_to_unchanged_lines(
        &self,
        agent: &str,
        by_user: &str,
    ) -> Option<KeptObjection> {
        let reviewed = reviewed_text(self.prepared, self.start);
        let files = ChangedFiles {
            files: &self.prepared.packet.files,
            reviewed: &reviewed,
        };
        let standing = self.standing.over_unchanged(&files);
        let standing = standing.filter(|standing| !is_by_rules(standing))?;
        let run = standing.receipt.run.name.clone();
        let counted = standing
            .outcome
            .findings
            .iter()
            .filter(|found| found.level.is_some());
        let mut paths = counted.map(|found| &found.finding.location.path);
        let text_now = |path: &RepoPath| {
            let now = self.prepared.change.blobs.read(Side::New, path);
            let now = now.ok().flatten()?;
            Some(String::from_utf8_lossy(&now).into_owned())
        };
        let is_untouched = paths.all(|path| {
            let before = reviewed(&standing, path);
            // Under another name it is the same code.
            let mut others = files.files.iter().filter(|file| file.path != *path);
            text_now(path) == before
                || is_as_reviewed(&standing, path, self.prepared, self.start)
                || before.is_some() && others.any(|file| text_now(&file.path) == before)
        });
        let change = git::recognition_key(&self.prepared.change, &self.prepared.packet.files);
        let mut report = self.renew_standing(standing, &change, &self.load_dismissals());
        if !is_objection(&report) {
            return None;
        }
        if !is_untouched || report.outcome.verdict != Verdict::Fail {
            return Some(KeptObjection::Beside(format!(
                "{run} objected to lines that stand as they stood, and {HOLDS_PUSH}, since {agent} asked for \
                 this review: change them, {by_user}"
            )));
        }
        report.outcome.notes.push(format!(
            "{run} failed a file that stands as it stood, and {agent} cannot have it judged anew: change it, {by_user}"
        ));
        Some(KeptObjection::Instead(Box::new(report)))
    }

    /// An objection over today's target, with the dismissals that speak of today's code, and why it stands.
    fn renew_standing(&self, standing: Report, change: &str, heard: &KnownDismissals) -> Report {
        let is_same = self.is_over(&standing, change);
        let run = standing.receipt.run.name.clone();
        let reviewed = standing.target.label.clone();
        let mut report = self.renew_held(standing, change, heard);
        let target = &self.prepared.packet.target;
        let is_pull = matches!(target.kind, TargetKind::PullRequest);
        // On a pull request what was left open is carried into every review but one of everything.
        let again = if is_pull {
            "`--full`"
        } else {
            "`git council review --fresh`"
        };
        report.outcome.notes.push(match is_same {
            true if leaves_critical_open(&report) => format!(
                "this verdict stands since {run} (of {reviewed}), in which a critical problem was left open: no milder verdict of \
                 before takes its place, and {again} of the same change does"
            ),
            true => format!(
                "this verdict stands since {run} (of {reviewed}), which judged the same change (its message or the review's \
                 settings may differ); {again} of it takes its place"
            ),
            false => format!(
                "this objection stands since {run} (of {reviewed}), since this change holds the lines in question; if they are \
                 mended, {again} of this change takes its place"
            ),
        });
        report
    }

    fn is_over(&self, standing: &Report, change: &str) -> bool {
        let head = self.prepared.packet.target.head.as_deref();
        is_same_code(standing, Some(change), head)
    }

    /// An objection over today's target, as it was held, with the dismissals that speak of today's code.
    fn renew_held(&self, standing: Report, change: &str, heard: &KnownDismissals) -> Report {
        let is_same = self.is_over(&standing, change);
        // What was cut off was not judged: it is an objection, and no verdict that is told again.
        let place = match is_same && standing.outcome.verdict != Verdict::Inconclusive {
            true => MemoryPlace::Cache,
            false => MemoryPlace::Objection,
        };
        let heard = match is_same {
            true => heard.clone(),
            false => self.still_valid(&standing, heard),
        };
        let key = standing.receipt.run.recognition_key.clone();
        let key = key.unwrap_or_default();
        let held = standing.outcome.clone();
        let mut report = self.renew_report(standing, place, None, &key, &heard);
        // It counts as it was held, whatever the configuration says today: only a dismissal takes something from it.
        let dismissed = |outcome: &Outcome| -> Vec<bool> {
            let findings = outcome.findings.iter();
            findings.map(|found| found.dismissed.is_some()).collect()
        };
        if dismissed(&held) == dismissed(&report.outcome) {
            (report.outcome.verdict, report.outcome.reason) = (held.verdict, held.reason);
            report.outcome.findings = held.findings;
        }
        report
    }

    /// The dismissals without those of findings whose surroundings have changed since: whoever dismissed one has read
    /// the lines around it, and a review of today's code would report it anew.
    fn still_valid(&self, standing: &Report, heard: &KnownDismissals) -> KnownDismissals {
        let (packet, blobs) = (&self.prepared.packet, &self.prepared.change.blobs);
        let mut prover = QuoteProver::new(
            packet.clone(),
            blobs.clone(),
            self.prepared.redactor.clone(),
        );
        let mut is_changed = |found: &JudgedFinding| {
            let (proof, context) =
                prover.prove_quote(&found.finding.location, &found.finding.quote);
            !proof.resolves() || !is_named_by(found, &context)
        };
        let mut valid = heard.clone();
        valid.dismissals.retain(|dismissal| {
            let mut findings = standing.outcome.findings.iter();
            let found = findings.find(|found| found.fingerprint == dismissal.fingerprint);
            !found.is_some_and(&mut is_changed)
        });
        valid
    }
}
