//! What becomes of a duel that is over: it is judged, reported and kept as a run like any other.

use std::sync::Arc;

use council_protocol::{Location, Proof};

use crate::council::CancelCause;
use crate::council::plan::DebateMode;
use crate::duel::driver::{SidePast, heard_recommendation, heard_review};
use crate::duel::protocol::notes::{lapse_notes, violation_notes};
use crate::duel::protocol::render::{render_consensus, render_signature};
use crate::duel::protocol::transcript::DebateTranscript;
use crate::duel::verdict::{self, JudgedDuel};
use crate::duel::{DuelEnding, DuelRole};
use crate::git::recognition_key;
use crate::report::{BackendFacts, DUEL_BACKEND, InputDigests, Report, ReviewSubject, RunFacts};
use crate::run::error::RunError;
use crate::run::estimate::overrun_note;
use crate::run::facts::base_facts;
use crate::run::floor::{RuleBench, hear_rules};
use crate::run::modes::duel::{Concluded, Duel};
use crate::run::modes::duel_cut::DuelCut;
use crate::run::modes::duel_news::DuelNews;
use crate::run::modes::duel_run::DuelRun;
use crate::run::modes::duel_subject::{TRANSCRIPT_FILE, read_bytes};
use crate::run::modes::side_log::read_sides;
use crate::run::modes::side_purse::SideSpending;
use crate::run::modes::written_source::SidesAndTree;
use crate::run::prompts::SeatPrompts;
use crate::run::recognition::VerdictMemory;
use crate::run::saved_run::save_run_report;
use crate::session::{
    CALLS_FILE, QuoteProver, RealWorld, RunRef, SessionWorld, WriteDurability, record_council,
};

impl Duel<'_> {
    /// The transcript as an ordinary report, kept as a run like any other.
    pub(crate) fn report(&self, concluded: &Concluded) -> Result<Report, RunError> {
        let transcript = DebateTranscript::parse(&concluded.text);
        let mut judged = self.judge(&transcript, concluded)?;
        let overrun = overrun_note(&judged.outcome, &self.prepared.config.settings);
        judged.outcome.notes.extend(overrun);
        if let Some(cut) = &concluded.cut {
            let next = self.next_step(cut, &concluded.run);
            cut.cut_outcome(&mut judged.outcome, next);
        }
        let news = DuelNews::new(self.start).after(concluded.took_ms);
        news.conclude(&judged.outcome);
        hear_rules(
            &mut judged.outcome,
            &judged.plan,
            RuleBench::of(self.prepared),
        );
        let world = self.start.sealing_world();
        let begun = &concluded.run;
        let run = &begun.run;
        let facts = RunFacts {
            duration_ms: self.prepared.elapsed_ms(),
            started_by: self.start.started_by.clone(),
            backend: Some(BackendFacts {
                name: DUEL_BACKEND.to_owned(),
                ..BackendFacts::default()
            }),
            debate: Some(DebateMode::Force),
            cut_short: (concluded.cut == Some(DuelCut::Interrupted))
                .then_some(CancelCause::Interrupted),
            fail_on: Some(self.prepared.config.settings.review.fail_on),
            seed: Some(begun.seed.clone()),
            brief: begun.prompts.as_deref().map(SeatPrompts::brief_facts),
            digests: InputDigests {
                change: Some(recognition_key(
                    &self.prepared.change,
                    &self.prepared.packet.files,
                )),
                ..InputDigests::default()
            },
            ..base_facts(run)
        };
        record_council(
            &world,
            run,
            &self.prepared.packet,
            &judged.plan,
            DUEL_BACKEND,
            &judged.inputs,
        )?;
        self.keep_transcript(&world, run, concluded)?;
        keep_calls(&world, run, &concluded.spent)?;
        let report = Report::new(
            judged.outcome,
            ReviewSubject::of(&self.prepared.packet),
            facts,
            &self.prepared.redactor,
        );
        if let Err(error) = save_run_report(self.start, &world, self.prepared, run, &report) {
            // The verdict is there all the same, and shown.
            self.start.notifier.warn(&error.message);
        }
        if let Some(memory) = VerdictMemory::for_change(self.prepared, self.start) {
            memory.hear_objection(&report);
        }
        Ok(report)
    }

    /// What both sides have written so far; nothing where nobody has. Where the file tells nothing any more, the sides have
    /// kept it.
    pub(super) fn text_so_far(&self, run: &DuelRun) -> String {
        let bytes = read_bytes(&self.request.file).unwrap_or_default();
        let sides = kept_sides(run);
        if bytes.is_empty() || sides.iter().any(SidePast::has_lost) {
            return kept_by(&sides);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What can be done about a duel that did not come to its end.
    fn next_step(&self, cut: &DuelCut, run: &DuelRun) -> String {
        let ended = match cut {
            DuelCut::Interrupted => "was interrupted",
            DuelCut::BrokenOff(_) => "broke off",
        };
        if run.is_resumable && cut.can_go_on() {
            let name = &run.run.name;
            return format!(
                "The duel {ended}. `git council resume {name}` continues it: what was written and answered is not asked \
                 for again."
            );
        }
        if self.request.file.exists() {
            let file = self.request.file.display();
            format!(
                "The duel {ended}. What was written stays in {file}; to begin again, move it away or name another \
                 file: `git council duel --file FILE`. Both sides are asked anew: their answers are not used again."
            )
        } else {
            format!(
                "The duel {ended} before anything was written: `git council duel` begins it again."
            )
        }
    }

    fn judge(
        &self,
        transcript: &DebateTranscript,
        concluded: &Concluded,
    ) -> Result<JudgedDuel, RunError> {
        let blobs = Arc::clone(&self.prepared.change.blobs);
        let mut prover = QuoteProver::new(
            Arc::clone(&self.prepared.packet),
            Arc::clone(&blobs),
            self.prepared.redactor.clone(),
        );
        let mut prove = |location: &Location, quote: &str| -> (Proof, String) {
            prover.prove_quote(location, quote)
        };
        let mut plan = self.plan(transcript, &concluded.run)?;
        let mut source = SidesAndTree::new(&plan, &self.prepared.packet, &blobs);
        plan.notes.extend(
            concluded
                .breach
                .iter()
                .map(|breach| format!("The protocol was broken: {breach}.")),
        );
        let ending = concluded.ending;
        if ending == DuelEnding::Violation && concluded.breach.is_none() {
            plan.notes.extend(violation_notes(transcript));
        }
        plan.notes.extend(lapse_notes(transcript));
        let mut accounts = concluded.spent.each_ref().map(SideSpending::account);
        let reviews = [DuelRole::A, DuelRole::B]
            .into_iter()
            .zip(kept_sides(&concluded.run));
        for (account, (role, past)) in accounts.iter_mut().zip(reviews) {
            account.review = heard_review(role, &past);
            account.recommendation = heard_recommendation(role, &past);
        }
        verdict::judge_transcript(transcript, ending, plan, accounts, &mut prove, &mut source)
            .ok_or_else(|| RunError::run("the transcript could not be judged"))
    }

    /// Keeps the transcript beside the journal. One that was broken ends there as it ended for us.
    fn keep_transcript(
        &self,
        world: &RealWorld,
        run: &RunRef,
        concluded: &Concluded,
    ) -> Result<(), RunError> {
        let Some(path) = run.file_path(TRANSCRIPT_FILE) else {
            return Ok(());
        };
        let mut text = concluded.text.clone();
        if concluded.breach.is_some() {
            let role = self.request.role.unwrap_or(DuelRole::A);
            let sign = render_signature(role, "git-council", &concluded.run.began.rfc3339);
            text += &render_consensus(concluded.ending, None, &[], &[], &sign);
        }
        let written = world
            .disk()
            .write_file(&path, text.as_bytes(), WriteDurability::Cheap);
        written.map_err(|error| RunError::run(format!("cannot write {}: {error}", path.display())))
    }
}

/// The transcript as the sides have kept it, whatever became of the file.
pub(super) fn kept_text(run: &DuelRun) -> String {
    kept_by(&kept_sides(run))
}

fn kept_sides(run: &DuelRun) -> Vec<SidePast> {
    let folder = run.run.folder.as_deref();
    folder.map(read_sides).unwrap_or_default().into()
}

/// The one with most of what was written by our own sides, and of these the longest.
fn kept_by(sides: &[SidePast]) -> String {
    let known = sides.iter().map(SidePast::kept_file);
    let known = known.max_by_key(|known| (known.own.len(), known.bytes.len()));
    String::from_utf8_lossy(&known.unwrap_or_default().bytes).into_owned()
}

/// Writes down every call of both sides, as of any other run.
fn keep_calls(world: &RealWorld, run: &RunRef, spent: &[SideSpending; 2]) -> Result<(), RunError> {
    let calls: String = spent
        .iter()
        .flat_map(|side| &side.calls)
        .map(|call| format!("{call}\n"))
        .collect();
    let Some(path) = run.file_path(CALLS_FILE).filter(|_| !calls.is_empty()) else {
        return Ok(());
    };
    let written = world
        .disk()
        .write_file(&path, calls.as_bytes(), WriteDurability::Cheap);
    written.map_err(|error| RunError::run(format!("cannot write {}: {error}", path.display())))
}
