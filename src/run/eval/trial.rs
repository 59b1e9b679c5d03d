//! One council on one labelled change: convened, resumed where a run was cut off, or taken from what was said before.

use crate::eval::labelled::{Alteration, LabelledChange};
use crate::eval::trials::{
    CostBound, CutOff, TrialBook, TrialKey, TrialLine, TrialResult, first_trouble,
};
use crate::git::{AlteredCommit, TargetSpec, tree_at};
use crate::report::Report;
use crate::run::announce;
use crate::run::context::RunContext;
use crate::run::convene::{self, ConveneOptions};
use crate::run::error::RunError;
use crate::run::estimate::CostForecast;
use crate::run::eval::council::EvalCouncil;
use crate::run::eval::files::EvalFiles;
use crate::run::loaded::LoadedRun;
use crate::run::prepare::{PreparedReview, prepare_spec};
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::run::store::{self, StoredRun};
use crate::safe_file;
use crate::session::InterruptRelay;
use crate::session::journal::JOURNAL_FILE;

/// With less, nobody is asked any more: limits are told to this.
const LEAST_DOLLARS: f64 = 0.0001;

/// Trials of one evaluation.
pub(crate) struct TrialRunner<'a> {
    pub(crate) files: &'a EvalFiles,
    /// All changes that are wanted.
    pub(crate) items: &'a [LabelledChange],
    pub(crate) book: TrialBook,
    /// What all trials of these files may cost together, in US dollars, those of earlier commands included; none: no
    /// bound.
    pub(crate) max_cost: Option<f64>,
    /// Whether reviews that came to no verdict are held again.
    pub(crate) again: bool,
    pub(crate) interrupts: InterruptRelay,
}

/// A review that was held, and whose limit held its cost.
struct HeldTrial {
    run: String,
    report: Report,
    bound: CostBound,
}

/// What came of a trial.
pub(crate) enum TrialEnd {
    /// It was over before.
    Known,
    Ended(Box<TrialResult>),
    /// The same change was reviewed under another label, which is named: nobody was asked.
    Shared(String),
    /// Nobody could be asked, or the change could not be read.
    Failed(RunError),
    /// The money is spent, or what is left does not suffice.
    Unpaid,
    /// Somebody wants it to stop.
    Interrupted,
}

impl TrialRunner<'_> {
    /// Refuses a bound that bounds nothing, before it lets a hundred reviews be paid for: of the first change that a
    /// council would be asked about, as the others are asked of the same models.
    pub(crate) fn check_bound(
        &self,
        items: &[LabelledChange],
        council: &EvalCouncil,
    ) -> Result<(), RunError> {
        if self.max_cost.is_none() {
            return Ok(());
        }
        let uncountable = |item| {
            let (prepared, _) = self.prepare(item, council, 0.0).ok()?;
            announce::uncountable_recipients(&prepared).ok().flatten()
        };
        let unknown = items.iter().find_map(uncountable).unwrap_or_default();
        if unknown.is_empty() {
            return Ok(());
        }
        let (name, unknown) = (&council.name, unknown.join(" and "));
        Err(RunError::usage(format!(
            "--max-cost does not bound the council {name}: no price is known for {unknown}"
        ))
        .hint(format!(
            "set `prices.MODEL.input` and `.output` in the file of {name}, or leave --max-cost out"
        )))
    }

    /// Whether a trial is over.
    pub(crate) fn is_held(
        &self,
        item: &LabelledChange,
        council: &EvalCouncil,
        repeat: u32,
    ) -> bool {
        self.book.is_over(&key_of(item, council, repeat))
    }

    /// Holds a trial, unless it was held before.
    pub(crate) fn hold(
        &mut self,
        item: &LabelledChange,
        council: &EvalCouncil,
        repeat: u32,
    ) -> Result<TrialEnd, RunError> {
        let key = key_of(item, council, repeat);
        let is_again = self.again && self.book.is_without_verdict(&key);
        if self.book.is_over(&key) && !is_again {
            return Ok(TrialEnd::Known);
        }
        if !is_again && let Some(shared) = self.shared_result(item, &key) {
            let (of, result) = shared;
            self.files.add_result(&TrialLine::Ended(result.clone()))?;
            self.book.add(result);
            return Ok(TrialEnd::Shared(of));
        }
        if self.interrupts.was_interrupted() {
            return Ok(TrialEnd::Interrupted);
        }
        let suffices_no_more = |most| self.book.is_too_little(most) || self.is_spent();
        if self.max_cost.is_some_and(suffices_no_more) {
            return Ok(TrialEnd::Unpaid);
        }
        let held = match self.book.open_run(&key).map(str::to_owned) {
            Some(run) => self.finish_run(item, council, &key, run),
            None => self.convene(item, council, &key),
        };
        match held {
            Ok(held) => self.note_report(key, held),
            Err(error) => {
                let why = error.message.clone();
                self.note_failure(key, why, (String::new(), 0.0), None)?;
                Ok(if self.interrupts.was_interrupted() {
                    TrialEnd::Interrupted
                } else {
                    TrialEnd::Failed(error)
                })
            }
        }
    }

    /// The same review of the same change under another label, which is named. It is paid for there.
    fn shared_result(
        &self,
        item: &LabelledChange,
        key: &TrialKey,
    ) -> Option<(String, TrialResult)> {
        let mut others = self.others_of(item);
        others.find_map(|other| {
            let found = self.book.result_of(key, &other.id)?;
            let result = TrialResult {
                key: key.clone(),
                dollars: found.dollars.map(|_| 0.0),
                ..found.clone()
            };
            Some((other.id.clone(), result))
        })
    }

    /// The other labels of the same change.
    fn others_of(&self, item: &LabelledChange) -> impl Iterator<Item = &LabelledChange> {
        let others = self.items.iter();
        others.filter(move |other| other.id != item.id && other.is_same_change(item))
    }

    /// Whether a review has to be paid for: it is not held, and neither is nor will be under a label that stands before.
    pub(crate) fn is_to_be_paid(
        &self,
        item: &LabelledChange,
        council: &EvalCouncil,
        repeat: u32,
    ) -> bool {
        let key = key_of(item, council, repeat);
        let mut earlier = self.items.iter().take_while(|other| other.id != item.id);
        !self.book.is_over(&key)
            && self.shared_result(item, &key).is_none()
            && !earlier.any(|other| other.is_same_change(item))
    }

    /// Writes down what a review came to. One that was cut off says nothing about the council; only its cost is kept,
    /// and that its run can go on.
    fn note_report(&mut self, key: TrialKey, held: HeldTrial) -> Result<TrialEnd, RunError> {
        let HeldTrial { run, report, bound } = held;
        let result = TrialResult::of_report(key, run, &report);
        let Some(cut) = CutOff::of_report(&report, bound) else {
            self.files.add_result(&TrialLine::Ended(result.clone()))?;
            self.book.add(result.clone());
            return Ok(TrialEnd::Ended(Box::new(result)));
        };
        let spent = (result.run, result.dollars.unwrap_or(0.0));
        let too_little = self.max_cost.filter(|_| cut == CutOff::Unpaid);
        self.note_failure(result.key, cut.describe().to_owned(), spent, too_little)?;
        Ok(match cut {
            CutOff::Interrupted => TrialEnd::Interrupted,
            CutOff::Unpaid if self.max_cost.is_some() => TrialEnd::Unpaid,
            CutOff::Unpaid | CutOff::Lost => {
                let trouble = first_trouble(&report.outcome);
                let because = trouble.map_or_else(String::new, |why| format!(" ({why})"));
                TrialEnd::Failed(RunError::run(report.headline() + &because))
            }
        })
    }

    fn note_failure(
        &mut self,
        key: TrialKey,
        why: String,
        (run, cost): (String, f64),
        too_little: Option<f64>,
    ) -> Result<(), RunError> {
        self.book.note_cost(&run, cost);
        self.book.note_too_little(too_little);
        let line = TrialLine::Failed {
            key,
            why,
            run,
            cost,
            too_little,
        };
        self.files.add_result(&line)
    }

    /// Whether nothing is left of the bound.
    pub(crate) fn is_spent(&self) -> bool {
        self.left().is_some_and(|left| left < LEAST_DOLLARS)
    }

    /// What may still be spent, in US dollars; none: no bound.
    pub(crate) fn left(&self) -> Option<f64> {
        self.max_cost.map(|most| most - self.book.spent())
    }

    fn convene(
        &self,
        item: &LabelledChange,
        council: &EvalCouncil,
        key: &TrialKey,
    ) -> Result<HeldTrial, RunError> {
        let (prepared, bound) = self.prepare(item, council, 0.0)?;
        let named = std::cell::RefCell::new(String::new());
        let began = |run: &str| {
            run.clone_into(&mut named.borrow_mut());
            let line = TrialLine::Began {
                key: key.clone(),
                run: run.to_owned(),
            };
            if let Err(error) = self.files.add_result(&line) {
                council.context.notifier.warn(&error.message);
            }
        };
        let options = ConveneOptions {
            deep: false,
            fresh: true,
            keeps_objections: false,
            on_named: Some(&began),
            interrupts: self.interrupts.source(),
        };
        let report = convene::convene_review(prepared, options, &council.context)?;
        Ok(HeldTrial {
            run: named.into_inner(),
            report,
            bound,
        })
    }

    /// Takes what a run left that began and whose end nobody noted, or lets it go on where it was cut off.
    fn finish_run(
        &self,
        item: &LabelledChange,
        council: &EvalCouncil,
        key: &TrialKey,
        run: String,
    ) -> Result<HeldTrial, RunError> {
        let past = self.stored_run(&run);
        // Nobody was asked: a run that is refused leaves nothing.
        if !past.folder.join(JOURNAL_FILE).exists() {
            return self.convene(item, council, key);
        }
        let cut = match past.report()? {
            // Nobody knows any more whose bound held it: asked again, a council ends at its own once more.
            Some(report) if CutOff::of_report(&report, CostBound::Evaluation).is_none() => {
                return Ok(HeldTrial {
                    run,
                    report,
                    bound: CostBound::Council,
                });
            }
            report => report.is_some(),
        };
        let holder = store::hold_run(&past)?;
        let mut left = LoadedRun::load(past, Some(holder))?;
        if cut && left.forget_losses().is_err() {
            return self.convene(item, council, key);
        }
        // The run counts what it has cost before.
        let (prepared, bound) = self.prepare(item, council, self.book.cost_of(&run))?;
        let interrupts = self.interrupts.source();
        let report = convene::resume_run(prepared, &left, interrupts, &council.context)?;
        Ok(HeldTrial { run, report, bound })
    }

    fn stored_run(&self, run: &str) -> StoredRun {
        StoredRun {
            name: run.to_owned(),
            folder: self.files.runs().join("runs").join(run),
        }
    }

    /// The change as this council reviews it, and whose limit holds its cost. Nothing of the checkout is followed, and
    /// nothing younger is looked at: both sides are commits. A run that goes on may cost what is left beside what it has
    /// cost before, and never more than its council's own limit.
    fn prepare(
        &self,
        item: &LabelledChange,
        council: &EvalCouncil,
        cost_before: f64,
    ) -> Result<(PreparedReview, CostBound), RunError> {
        let start = &council.context;
        let request = ReviewRequest {
            target: RequestedTarget::Revision(item.commit.clone()),
            checkout: CheckoutUse::Ignored,
            ..ReviewRequest::default()
        };
        let mut prepared = prepare_spec(&request, start, target_of(item, start)?)?;
        let limits = &mut prepared.config.settings.limits;
        let own = limits.cost.map(|micros| micros as f64 / 1e6);
        let left = self.left();
        let left = left.map(|left| (left + cost_before).max(LEAST_DOLLARS));
        let (most, bound) = CostBound::smaller(own, left);
        if bound == CostBound::Evaluation {
            limits.cost = most.map(|usd| (usd * 1e6) as u64);
        }
        let folder = self.files.runs();
        safe_file::make_folder(&folder)
            .map_err(|error| RunError::output(&folder.display().to_string(), &error))?;
        prepared.keep_in = Some(folder);
        Ok((prepared, bound))
    }

    /// What a review would cost; nobody is asked.
    pub(crate) fn forecast_cost(
        &self,
        item: &LabelledChange,
        council: &EvalCouncil,
    ) -> Result<CostForecast, RunError> {
        announce::forecast_cost(&self.prepare(item, council, 0.0)?.0)
    }

    /// What a council would be asked, in words, without asking.
    pub(crate) fn forecast(
        &self,
        item: &LabelledChange,
        council: &EvalCouncil,
    ) -> Result<String, RunError> {
        let prepared = self.prepare(item, council, 0.0)?.0;
        announce::describe_dry_run(&prepared, false, &council.context)
    }
}

fn key_of(item: &LabelledChange, council: &EvalCouncil, repeat: u32) -> TrialKey {
    TrialKey {
        item: item.id.clone(),
        council: council.name.clone(),
        digest: council.digest.clone(),
        repeat,
    }
}

/// The change of an item as a target.
pub(super) fn target_of(item: &LabelledChange, start: &RunContext) -> Result<TargetSpec, RunError> {
    let files = match &item.alteration {
        None => return Ok(TargetSpec::Commit(item.commit.clone())),
        Some(Alteration::Leave { paths }) => {
            let before = tree_at(
                &start.dir,
                &start.git_environment(),
                &format!("{}^", item.commit),
            )?;
            let mut files = Vec::new();
            for path in paths {
                files.push((path.clone().into_bytes(), before.read_file(path)?));
            }
            files
        }
        Some(Alteration::EditLine {
            path,
            line,
            was,
            becomes,
        }) => {
            let after = tree_at(&start.dir, &start.git_environment(), &item.commit)?;
            let text = after.read_file(path)?.unwrap_or_default();
            let edited = edit_line(&text, *line, was, becomes.as_deref()).ok_or_else(|| {
                RunError::usage(format!(
                    "{}: line {line} of {path} is not what the item says",
                    item.id
                ))
                .hint("collect the changes again: git council eval collect")
            })?;
            vec![(path.clone().into_bytes(), Some(edited))]
        }
    };
    Ok(TargetSpec::Altered(AlteredCommit {
        commit: item.commit.clone(),
        files,
    }))
}

/// The text with one line replaced or removed; none where another line stands there.
fn edit_line(text: &[u8], line: u32, was: &str, becomes: Option<&str>) -> Option<Vec<u8>> {
    let at = usize::try_from(line).ok()?.checked_sub(1)?;
    let mut lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
    let found = *lines.get(at)?;
    let content = found.strip_suffix(b"\n").unwrap_or(found);
    if String::from_utf8_lossy(content) != was {
        return None;
    }
    let ending = &found[content.len()..];
    let edited = becomes.map(|text| [text.as_bytes(), ending].concat());
    match &edited {
        Some(edited) => lines[at] = edited,
        None => drop(lines.remove(at)),
    }
    Some(lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_replaced_or_removed_and_no_other_one() {
        let text = b"one\ntwo\r\nthree";
        let edit = |line, was, becomes| {
            edit_line(text, line, was, becomes).map(|text| String::from_utf8(text).unwrap())
        };
        assert_eq!(
            edit(1, "one", Some("1")).as_deref(),
            Some("1\ntwo\r\nthree")
        );
        assert_eq!(edit(2, "two\r", None).as_deref(), Some("one\nthree"));
        assert_eq!(
            edit(3, "three", Some("3")).as_deref(),
            Some("one\ntwo\r\n3")
        );
        for (line, was) in [(0, "one"), (2, "one"), (4, "")] {
            assert_eq!(edit(line, was, None), None);
        }
    }
}
