//! Carries out what an agent calls: in this process, with the use cases that the subcommands have.

use std::sync::{Arc, Mutex, PoisonError};

use council_protocol::packet::TargetKind;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::ShownRuns;
use super::answer::{self, BesideReport};
use super::left_out;
use super::tools::ToolCall;
use super::workspace::{describe_place, worktree_of};
use crate::report::Report;
use crate::run::apply::{UnfitSuggestion, apply_suggestion};
use crate::run::context::{Notifier, RunContext};
use crate::run::convene::{ConveneOptions, convene_review};
use crate::run::dismiss::{DismissRequest, FindingDecision, dismiss};
use crate::run::error::RunError;
use crate::run::explain::explain;
use crate::run::findings;
use crate::run::nothing::reason_to_skip;
use crate::run::prepare::{PreparedReview, prepare_review};
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::run::shown::{about_other, last_shown, remember_shown, remember_verdict, verdict_after};
use crate::run::status::describe_status;
use crate::run::store;
use crate::run::waiting::names_head;
use crate::session::InterruptSource;
use crate::text::Untrusted;

/// How wide prose is wrapped for an agent.
const COLUMNS: usize = 100;

/// Passes on what a run tells: to the client while it works, and to the model when it has ended.
struct AgentNotifier {
    progress: UnboundedSender<String>,
    told: Mutex<Vec<String>>,
}

impl AgentNotifier {
    fn tell(&self, line: &str) {
        let line = Untrusted::new(line).line();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(line.clone());
        // A client that listens no longer misses nothing that is not in the answer.
        let _ = self.progress.send(line);
    }
}

impl Notifier for AgentNotifier {
    fn warn(&self, message: &str) {
        self.tell(message);
    }

    fn log(&self, line: &str) {
        let _ = self.progress.send(Untrusted::new(line).line());
    }

    fn print_line(&self, line: &str) {
        self.log(line);
    }

    fn announce(&self, lines: &[String]) {
        lines.iter().for_each(|line| self.tell(line));
    }

    fn is_verbose(&self) -> bool {
        false
    }

    fn is_watched(&self) -> bool {
        true
    }
}

/// How a call is followed and ended.
pub(super) struct CallWires {
    pub(super) progress: UnboundedSender<String>,
    pub(super) interrupts: UnboundedReceiver<()>,
    pub(super) shown: ShownRuns,
}

/// What a call comes to, in words for the model.
pub(super) fn conduct(
    call: ToolCall,
    wires: CallWires,
    start: &RunContext,
) -> Result<String, RunError> {
    let notifier = Arc::new(AgentNotifier {
        progress: wires.progress,
        told: Mutex::default(),
    });
    let start = RunContext {
        notifier: Arc::clone(&notifier) as Arc<dyn Notifier>,
        ..start.clone()
    };
    let place = describe_place(&start);
    let (shown, worktree) = (wires.shown, worktree_of(&start));
    let show = |report: &Report| {
        let name = report.receipt.run.name.clone();
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.insert(worktree.clone(), name);
    };
    let run_of = |id: &str| {
        let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        run_of_own_id(id, shown.get(&worktree).map(String::as_str), &start)
    };
    let named = |said: String| format!("{place}\n\n{said}");
    let named_data = |said: String| format!("{place}\n\n{}\n\n{said}", answer::DATA);
    match call {
        ToolCall::Review {
            target,
            focus,
            fresh,
        } => {
            let options = ConveneOptions {
                deep: false,
                fresh,
                keeps_objections: false,
                on_named: None,
                interrupts: InterruptSource::Channel(wires.interrupts),
            };
            let report = convene_review(prepare(target, focus, &start)?, options, &start)?;
            remember_verdict(&report, true, &start);
            show(&report);
            let left_out = left_out::describe_left_out(&report, &start);
            let told = notifier.told.lock().unwrap_or_else(PoisonError::into_inner);
            let moved = moved_on(&report, &start);
            let beside = BesideReport {
                place: &place,
                moved,
                left_out,
                told: &told,
            };
            Ok(answer::describe_report(&report, &beside))
        }
        ToolCall::Show { run } => {
            let report = find_report(run.as_deref(), &start)?;
            remember_shown(&report, &start);
            show(&report);
            let page = answer::render_page(&report);
            Ok(named(match run {
                None => warn_of_other(&report, page, &start),
                Some(_) => page,
            }))
        }
        ToolCall::Explain { id } => {
            explain(&id, run_of(&id).as_deref(), COLUMNS, &start).map(named_data)
        }
        ToolCall::Apply { id } => {
            let run = run_of(&id);
            // A person may want it all the same, and says so on the command line.
            apply_suggestion(&id, run.as_deref(), UnfitSuggestion::Refuse, &start).map(named_data)
        }
        ToolCall::Dismiss { id, reason, ground } => {
            let request = DismissRequest {
                run: run_of(&id),
                id,
                because: reason,
                ground,
                decision: FindingDecision::Dismiss,
            };
            dismiss(&request, &start).map(named_data)
        }
        ToolCall::Status => describe_status(&start, None).map(named),
    }
}

/// The run that a client means by an id such as `F1`, where another agent in this worktree was shown another one since. None:
/// what was shown last, as for a person.
fn run_of_own_id(id: &str, own: Option<&str>, start: &RunContext) -> Option<String> {
    let own = own.filter(|_| id.starts_with(['F', 'f']))?;
    let last = last_shown(start)?;
    let is_other = last.report.receipt.run.name != own;
    (is_other && store::run_of_name(start, own).is_some()).then(|| own.to_owned())
}

/// What the report is about that does not lie here any more: the agent, or another one beside it, went on while judges read.
fn moved_on(report: &Report, start: &RunContext) -> Option<String> {
    let target = &report.target;
    // What was named is what was meant, wherever the worktree is; HEAD is a name for where it is.
    let is_of_here = matches!(
        target.kind,
        TargetKind::Worktree | TargetKind::Staged | TargetKind::Branch
    ) || names_head(&target.label);
    is_of_here.then(|| about_other(report, start)).flatten()
}

/// The page of the last report, with a word before it where it is not about what lies here now: whoever changed the code
/// since would take it for the new verdict.
pub(super) fn warn_of_other(report: &Report, page: String, start: &RunContext) -> String {
    match about_other(report, start) {
        Some(about) => {
            format!("This report is {about}. To review what is here now, call `review`.\n\n{page}")
        }
        None => page,
    }
}

/// What is reviewed: what was asked for; else what is not committed yet; where that is nothing, what the branch adds.
fn prepare(
    target: Option<RequestedTarget>,
    focus: Vec<String>,
    start: &RunContext,
) -> Result<PreparedReview, RunError> {
    if let Some(target) = target {
        return prepare_target(target, focus, start);
    }
    let worktree = prepare_target(RequestedTarget::Worktree, focus.clone(), start)?;
    match reason_to_skip(&worktree) {
        None => Ok(worktree),
        Some(_) => prepare_target(RequestedTarget::Branch, focus, start),
    }
}

pub(super) fn prepare_target(
    target: RequestedTarget,
    focus: Vec<String>,
    start: &RunContext,
) -> Result<PreparedReview, RunError> {
    let request = ReviewRequest {
        target,
        focus,
        // Whoever changed the code may have changed council.toml with it.
        checkout: CheckoutUse::Stricter,
        ..ReviewRequest::default()
    };
    prepare_review(&request, start)
}

/// The report of a run, or the verdict that was given last, as `git council show` prints it.
pub(super) fn find_report(run: Option<&str>, start: &RunContext) -> Result<Report, RunError> {
    let past = store::find_run(start, run);
    let given = match run {
        None => verdict_after(past.as_ref().ok(), start),
        Some(_) => None,
    };
    let report = match given {
        Some(given) => given,
        None => {
            let past = past?;
            past.report()?.ok_or_else(|| {
                RunError::usage(format!(
                    "{} has no report: it is still running, or was interrupted",
                    past.name
                ))
            })?
        }
    };
    findings::refuse_taken_back(&report, start)?;
    Ok(report)
}
