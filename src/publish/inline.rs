//! Comments beside lines: only where the diff is proven to have them (peers.md 5.2).

use std::collections::BTreeSet;

use crate::council::outcome::{JudgedFinding, Level};
use crate::report::{Report, markdown};
use crate::text::Untrusted;

use super::action::{Action, Inline};
use super::marker::{self, Kind};
use super::seen::{Pull, Seen, Thread};
use super::wishes::Wishes;

/// The most characters of one comment.
const MOST_CHARS: usize = 20_000;

/// What the marker of an inline comment carries.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Mark {
    /// The finding's fingerprint.
    pub(super) fingerprint: String,
}

/// The findings that stand beside a line: those that were raised before and those that are raised now.
#[derive(Debug, Default)]
pub(super) struct Placed<'a> {
    /// Now.
    pub(super) new: Vec<&'a JudgedFinding>,
    /// Before; also those that somebody answered or resolved: they are not raised again.
    pub(super) known: BTreeSet<String>,
}

impl<'a> Placed<'a> {
    /// Chooses the worst findings that may stand beside a line.
    pub(super) fn choose(report: &'a Report, seen: &Seen, wishes: &Wishes) -> Self {
        // Who cannot read the conversations would repeat them.
        let Some(threads) = &seen.threads else {
            return Self::default();
        };
        let known: BTreeSet<String> = threads
            .iter()
            .map(|thread| thread.fingerprint.clone())
            .collect();
        let mut taken = known.clone();
        let fits = |found: &&JudgedFinding| {
            found.level.is_some_and(|level| level > Level::Note)
                && wishes.lines.has(&found.finding.location)
        };
        let fresh = report
            .findings
            .iter()
            .filter(fits)
            .filter(|found| taken.insert(found.fingerprint.clone()));
        Self {
            new: fresh.take(wishes.inline).collect(),
            known,
        }
    }

    /// Whether a finding stands beside a line.
    pub(super) fn has(&self, found: &JudgedFinding) -> bool {
        self.known.contains(&found.fingerprint) || self.new.iter().any(|new| new.id == found.id)
    }
}

/// The review, and the conversations to close.
pub(super) fn plan(
    report: &Report,
    placed: &Placed<'_>,
    pull: &Pull,
    seen: &Seen,
    wishes: &Wishes,
) -> Vec<Action> {
    let mut actions = Vec::new();
    if !placed.new.is_empty() {
        let comments = placed
            .new
            .iter()
            .map(|found| comment(report, found, wishes))
            .collect();
        let body = marker::sign(
            Kind::Review,
            &wishes.council,
            &Mark {
                fingerprint: report.receipt.run.name.clone(),
            },
            &format!(
                "{}. The whole report stands in this pull request's council comment.",
                report.headline()
            ),
        );
        actions.push(Action::Review {
            number: pull.number,
            head: wishes.head.clone(),
            body,
            comments,
        });
    }
    let gone = gone(report, seen.threads.as_deref().unwrap_or_default());
    if !gone.is_empty() {
        actions.push(Action::Resolve { threads: gone });
    }
    actions
}

/// Open conversations of ours whose finding no longer counts. After an incomplete run nothing is known to be gone.
fn gone(report: &Report, threads: &[Thread]) -> Vec<String> {
    if report.incomplete || report.verdict == crate::council::outcome::Verdict::Inconclusive {
        return Vec::new();
    }
    let stands = |thread: &&Thread| {
        let is_it = |f: &JudgedFinding| f.fingerprint == thread.fingerprint && f.level.is_some();
        report.findings.iter().any(is_it)
    };
    let open = threads.iter().filter(|thread| !thread.resolved);
    open.filter(|thread| !stands(thread))
        .map(|thread| thread.id.clone())
        .collect()
}

fn comment(report: &Report, found: &JudgedFinding, wishes: &Wishes) -> Inline {
    let location = &found.finding.location;
    let end = location.end_line.unwrap_or(location.line);
    let mut text = markdown::beside_a_line(report, found);
    text.push_str(&suggestion(found));
    let mark = Mark {
        fingerprint: found.fingerprint.clone(),
    };
    Inline {
        path: location.path.display().into_owned(),
        line: end,
        start_line: (end > location.line).then_some(location.line),
        body: marker::sign(
            Kind::Finding,
            &wishes.council,
            &mark,
            &crate::text::clip(&text, MOST_CHARS),
        ),
    }
}

/// A block that a person can take over with a click: only when it shows every character of what it would put there.
fn suggestion(found: &JudgedFinding) -> String {
    let Some(text) = &found.finding.suggestion else {
        return String::new();
    };
    let text = text.strip_suffix('\n').unwrap_or(text);
    let shown = Untrusted::new(text).fence("", usize::MAX);
    let marks = shown.chars().take_while(|&c| c == '`').count();
    let fence = "`".repeat(marks);
    let as_it_is = format!("{fence}\n{text}\n{fence}\n");
    if text.contains('\r') || shown != as_it_is {
        return format!("\n\nReplace these lines with\n\n{shown}");
    }
    // Nothing at all takes the lines out.
    let lines = if text.is_empty() {
        String::new()
    } else {
        format!("{text}\n")
    };
    format!("\n\n{fence}suggestion\n{lines}{fence}\n")
}
