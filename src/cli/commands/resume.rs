//! `git council resume`: a run goes on where it was cut off.

use clap::Args;

use crate::cli::commands::duel::resume_duel;
use crate::cli::commands::stage::resume_stage;
use crate::cli::context::CommandContext;
use crate::cli::deliver::ReportOutput;
use crate::config::KeyValue;
use crate::run::convene;
use crate::run::error::RunError;
use crate::run::loaded::LoadedRun;
use crate::run::modes::requested::RequestedMode;
use crate::run::modes::topic::resume_topic;
use crate::run::resume::{find_resumable, prepare_again};
use crate::run::shown::{about_other, remember_verdict};
use crate::run::store;
use crate::run::stored_request::StoredRequest;
use crate::session::InterruptSource;

/// Continue a run that was interrupted or lost judges; keep the answers it has
#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArgs {
    /// The run's name or a part of it [default: the latest run that can be resumed]
    #[arg(value_name = "RUN")]
    pub(super) run: Option<String>,
    /// The most US dollars that the run may cost, with what it has cost so far [default: as when it began]
    #[arg(long, value_name = "USD")]
    pub(super) max_cost: Option<String>,
    /// The most time that the run may take, with what it has taken so far [default: as when it began]
    #[arg(long, value_name = "TIME")]
    pub(super) timeout: Option<String>,
}

pub(crate) fn run(args: &ResumeArgs, start: &CommandContext) -> Result<u8, RunError> {
    let past = find_resumable(args.run.as_deref(), start)?;
    // Before anything is read: a run that goes on is somebody else's.
    let holder = Some(store::hold_run(&past)?);
    let mut left = LoadedRun::load(past, holder)?;
    left.forget_losses()?;
    let stored = StoredRequest::load_request(&left.past, start)?;
    let mode = stored.mode().cloned();
    let (mut review, run) = stored.restore(start)?;
    // What this command was told goes before what the first one was told.
    let mut told = start.run.config.clone();
    refuse_settled(&told)?;
    let money = args.max_cost.iter();
    told.extend(money.map(|usd| KeyValue::new("limits.cost", usd, "--max-cost")));
    let time = args.timeout.iter();
    told.extend(time.map(|time| KeyValue::new("timeouts.run", time, "--timeout")));
    let has_times = told.iter().any(|pair| pair.key.starts_with("timeouts."));
    review.flags.extend(told);
    let start = CommandContext {
        run,
        ..start.clone()
    };
    match mode {
        Some(RequestedMode::Duel(request)) => {
            return resume_duel(&left, (review, request), args, &start);
        }
        Some(RequestedMode::Stage(mut request)) => {
            request.flags.extend(review.flags);
            return resume_stage(left, &request, has_times, &start);
        }
        Some(RequestedMode::Topic(_)) | None => {}
    }
    let prepared = prepare_again(&review, &start, &left)?;
    let start = start.with_settings(&prepared.config.settings);
    let settings = prepared.config.settings.clone();
    if has_times {
        left.plan.timeouts = settings.timeouts();
    }
    let report = match mode {
        Some(RequestedMode::Topic(mode)) => resume_topic(prepared, mode, &left, &start)?,
        _ => convene::resume_run(prepared, &left, InterruptSource::Signals, &start)?,
    };
    let file = review.output.as_deref();
    let file = file.map(|file| start.dir.join(file));
    let output = ReportOutput::from_settings(&settings, file.as_deref());
    // Who was interrupted has gone on since: what is named HEAD may be another commit by now.
    if let Some(about) = about_other(&report, &start) {
        start.console.caution(&format!(
            "this verdict is {about}; to review what is here now: git council review"
        ));
    }
    let code = output.deliver_report(&report, &start);
    remember_verdict(&report, output.shows_findings(), &start);
    Ok(code)
}

/// What was settled when a run began: who sits, under which rules, and what they are told.
const SETTLED: [&str; 7] = [
    "review.",
    "cross-examination.",
    "judge",
    "perspectives.",
    "presets.",
    "rules.",
    "prompts.",
];

/// Of these, what only says how the verdict is answered.
const STILL_OPEN: [&str; 1] = ["review.fail-on"];

/// A run goes on under the rules under which it began: what would change them is refused, and not passed over.
fn refuse_settled(told: &[KeyValue]) -> Result<(), RunError> {
    let is_settled = |pair: &&KeyValue| {
        let key = pair.key.to_lowercase();
        SETTLED.iter().any(|begin| key.starts_with(begin)) && !STILL_OPEN.contains(&key.as_str())
    };
    let Some(pair) = told.iter().find(is_settled) else {
        return Ok(());
    };
    let key = pair.key.to_lowercase();
    Err(RunError::usage(format!(
        "`{key}` was settled when the run began; `resume` cannot change it"
    ))
    .hint(format!(
        "resume without it, or begin anew: git council review --config {key}={}",
        pair.value
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_settled_when_a_run_began_is_refused_by_name() {
        let told = |key: &str| refuse_settled(&[KeyValue::new(key, "1", "--config")]);
        for key in [
            "review.quorum",
            "review.consensus",
            "review.debate",
            "rules.secrets",
            "cross-examination.rounds",
        ] {
            let error = told(key).unwrap_err();
            assert!(error.message.contains(key), "{}", error.message);
        }
        for key in [
            "review.fail-on",
            "limits.cost",
            "timeouts.run",
            "output.format",
        ] {
            assert!(told(key).is_ok(), "{key}");
        }
    }
}
