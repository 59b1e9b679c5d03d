//! The report that is published: of a run here, or one that another job left.

use std::io::Read as _;
use std::path::Path;

use council_protocol::Packet;
use council_protocol::json::parse_unique;
use council_secrets::Redactor;
use serde_json::Value;

use crate::council::outcome::Verdict;
use crate::memory::{is_by_rules, is_objection, is_same_code};
use crate::packet::PACKET_FILE;
use crate::report::{self, Report};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::findings;
use crate::run::redaction::user_redactor;
use crate::run::shown::verdict_after;
use crate::run::store::{self, StoredRun};
use crate::safe_file;
use crate::text::Untrusted;

/// The most bytes of a report from elsewhere.
const MAX_REPORT_BYTES: u64 = 16 << 20;

/// The report of a run of this user, with the change that it is about; none: the last verdict.
pub(crate) fn load_own_report(
    run: Option<&str>,
    start: &RunContext,
) -> Result<(Report, Option<Packet>), RunError> {
    let past = store::find_run(start, run);
    if run.is_none()
        && let Some(report) = verdict_after(past.as_ref().ok(), start)
    {
        findings::refuse_taken_back(&report, start)?;
        let of = store::run_of_name(start, &report.receipt.run.name);
        let packet = of.and_then(|past| load_packet(&past));
        return Ok((report, packet));
    }
    let past = past?;
    let report = past.report()?.ok_or_else(|| {
        RunError::usage(format!(
            "{} has no report: it is still running, or was interrupted",
            past.name
        ))
        .hint("wait for it: git council wait; or go on with it: git council resume")
    })?;
    findings::refuse_taken_back(&report, start)?;
    if !past.is_own(start)? {
        let path = past.folder.join("report.json");
        let message = format!(
            "the report of {} was not written by your account",
            past.name
        );
        return Err(RunError::usage(message).hint(format!(
            "to publish it as a claim that is checked again: git council publish --report {}",
            path.display()
        )));
    }
    if let Some(worse) = later_and_worse(&past.name, &report, start) {
        start.notifier.warn(&worse);
    }
    let packet = load_packet(&past);
    Ok((report, packet))
}

/// What is said of a run that is published by its name, where a later one here over the same change ended worse, and no one
/// since has answered that.
fn later_and_worse(name: &str, report: &Report, start: &RunContext) -> Option<String> {
    let distance = |of: &Report| of.outcome.verdict.distance_from_pass();
    let (change, head) = (
        report.receipt.run.digests.change.as_deref(),
        report.target.head.as_deref(),
    );
    let runs = store::list_runs(start).ok()?.into_iter();
    let later = runs.take_while(|(past, _)| past.name != name);
    let mut same =
        later.filter_map(|(_, later)| later.filter(|one| is_same_code(one, change, head)));
    // Rules and parts of a change answer nothing, and whoever was not reached has not said anything.
    let answers = |later: &Report| {
        let is_heard = later.outcome.verdict != Verdict::Inconclusive || is_objection(later);
        match distance(later) > distance(report) {
            true => is_heard,
            false => {
                is_heard
                    && later.target.only.is_empty()
                    && (is_by_rules(report) || !is_by_rules(later))
            }
        }
    };
    let last = same.find(answers)?;
    let name = Untrusted::new(&last.receipt.run.name).line();
    let says = Untrusted::new(&last.headline()).line();
    (distance(&last) > distance(report)).then(|| {
        format!(
            "a later run of the same change ended worse: {name} says {says}; see it with `git council show {name}`, or \
             publish it instead: `git council publish {name}`"
        )
    })
}

/// The change that a run was about.
fn load_packet(past: &StoredRun) -> Option<Packet> {
    let bytes = past.read_file(PACKET_FILE).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// A report that anybody may have written: its size, its shape and that its verdict follows from it are checked.
pub(crate) fn load_foreign_report(file: &Path, start: &RunContext) -> Result<Report, RunError> {
    let name = file.display();
    let mut text = String::new();
    let read = safe_file::open_input(start.dir.join(file))
        .and_then(|file| file.take(MAX_REPORT_BYTES + 1).read_to_string(&mut text));
    let refuse = |why: String| {
        RunError::usage(why).hint("give it what this writes: git council review --json -o FILE")
    };
    read.map_err(|error| refuse(format!("cannot read {name}: {error}")))?;
    if text.len() as u64 > MAX_REPORT_BYTES {
        return Err(refuse(format!(
            "{name} is larger than 16 MiB: no report is"
        )));
    }
    // It is published under our own name, and nothing of it has been through the redactor.
    let redactor = user_redactor(start)?;
    let report = parse_unique(&text)
        .map_err(|error| refuse(format!("{name}: this is not a report: {error}")))?;
    let shown = hide_secrets(report, &redactor).to_string();
    report::json::parse(&shown).map_err(|error| refuse(format!("{name}: {error}")))
}

/// The same without secrets in any of its texts, names of fields included.
fn hide_secrets(value: Value, redactor: &Redactor) -> Value {
    let hide = |text: String| redactor.redact_words(&text).text;
    match value {
        Value::String(text) => Value::String(hide(text)),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| hide_secrets(item, redactor));
            Value::Array(items.collect())
        }
        Value::Object(fields) => {
            let fields = fields.into_iter();
            let fields = fields.map(|(name, value)| (hide(name), hide_secrets(value, redactor)));
            Value::Object(fields.collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(value: &Value) -> usize {
        match value {
            Value::String(_) => 1,
            Value::Array(items) => items.iter().map(texts).sum(),
            Value::Object(fields) => fields.values().map(|value| 1 + texts(value)).sum(),
            _ => 0,
        }
    }

    /// Puts a token at the end of every text.
    fn forge(value: &mut Value, token: &str) {
        match value {
            Value::String(text) => text.push_str(&format!(" {token}")),
            Value::Array(items) => items.iter_mut().for_each(|item| forge(item, token)),
            Value::Object(fields) => fields.values_mut().for_each(|value| forge(value, token)),
            _ => {}
        }
    }

    #[test]
    fn no_text_of_a_report_from_elsewhere_brings_a_secret() {
        let report = include_str!("../../docs/examples/report.json");
        let honest: Value = serde_json::from_str(report).unwrap();
        let redactor = Redactor::default();
        assert_eq!(hide_secrets(honest.clone(), &redactor), honest);
        let token = ["gh", "p_x7Kq9mZ2vB4nR8tY1wL5cJ3hF6dS0gPaQeUi"].concat();
        let mut forged = honest.clone();
        forge(&mut forged, &token);
        let shown = hide_secrets(forged, &redactor);
        assert_eq!(texts(&shown), texts(&honest));
        assert!(!shown.to_string().contains("x7Kq9mZ2vB4n"));
    }
}
