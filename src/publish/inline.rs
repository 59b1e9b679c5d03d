//! Comments beside lines: only where the diff is proven to have them.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use council_protocol::Severity;

use crate::council::outcome::{FindingLevel, JudgedFinding};
use crate::council::reproduction::SuggestionCheck;
use crate::council::{SaidProblem, meant_classes};
use crate::report::markdown::ReadingPlace;
use crate::report::{Report, Talks, lone_state, markdown, removed_line, suggestion_words};
use crate::text::{Untrusted, unfit_text};

use super::action::{DiffSide, LineComment, PublishAction};
use super::lines::DiffLines;
use super::marker::{self, MarkerKind};
use super::order::withdrawn_answer;
use super::seen::{ForgeState, PullRequest, ReviewThread};
use super::wishes::PublishOptions;

/// The most characters of one comment.
const MAX_CHARS: usize = 20_000;

/// The most kinds of problems of one finding that a marker names; one more is not dismissed with it.
const MAX_CLASSES: usize = 20;

/// What people can do about a finding without leaving the page.
const HOW_TO_DISMISS: &str = "\n\nAccepted? Reply `/council dismiss because …`; wrong? `/council dismiss as wrong \
                              because …`. It counts from the next review on.";

/// What the marker of an inline comment carries.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct FindingMark {
    /// The finding's fingerprint.
    pub(super) fingerprint: String,
    /// How bad it is said to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) severity: Option<Severity>,
    /// How it is said to stand, e.g. that it is disputed; none: a comment of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) standing: Option<String>,
    /// What its sentence is about, as its judges call it: who dismisses it below the comment dismisses this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) classes: Vec<String>,
    /// What it says of which code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) said: Option<SaidProblem>,
}

/// The findings that stand beside a line: those that were raised before and those that are raised now.
#[derive(Debug, Default)]
pub(super) struct PlacedFindings<'a> {
    pub(super) new: Vec<&'a JudgedFinding>,
    /// Before, where it can still be seen there or was answered.
    known: BTreeSet<String>,
}

impl<'a> PlacedFindings<'a> {
    /// Chooses the worst findings that may stand beside a line: as many as there may be on the request, whichever review
    /// posted them.
    pub(super) fn choose(report: &'a Report, seen: &ForgeState, wishes: &PublishOptions) -> Self {
        // Who cannot read the conversations would repeat them.
        let Some(threads) = &seen.threads else {
            return Self::default();
        };
        // What somebody resolved or answered, or a push has outdated, is not raised again unless it was gone.
        let counted = seen.counted_before(report);
        let goes_on = |one: &&ReviewThread| one.is_used_again() || !is_over(one, counted.as_ref());
        let left = || threads.iter().filter(goes_on);
        let mut taken: BTreeSet<String> = thread_fingerprints(left());
        let known = thread_fingerprints(left().filter(|t| !t.outdated || t.answered || t.closed));
        let fits = |found: &&JudgedFinding| {
            found.level.is_some_and(|level| level > FindingLevel::Note)
                && place_on_diff(found, &wishes.lines).is_some()
        };
        let fresh = report
            .outcome
            .findings
            .iter()
            .filter(fits)
            .filter(|found| taken.insert(found.fingerprint.clone()));
        let open = left().filter(|thread| !thread.closed && !thread.outdated);
        let room = wishes.inline.saturating_sub(open.count());
        // What fails the change is worth a comment however many others stand there.
        let is_worth = |(nth, found): &(usize, &JudgedFinding)| {
            *nth < room || found.level == Some(FindingLevel::Fail)
        };
        let fresh = fresh.enumerate().filter(is_worth).map(|(_, found)| found);
        Self {
            new: fresh.take(wishes.inline).collect(),
            known,
        }
    }

    /// Whether a finding stood beside a line before, and still does.
    pub(super) fn is_known(&self, found: &JudgedFinding) -> bool {
        self.known.contains(&found.fingerprint)
    }

    /// Whether a finding stands beside a line.
    pub(super) fn is_placed(&self, found: &JudgedFinding) -> bool {
        self.is_known(found) || self.new.iter().any(|new| new.id == found.id)
    }
}

/// Which of the findings that fail the change have a conversation: a reply dismisses a finding only in the one about it.
pub(super) fn talks_of(report: &Report, is_placed: &dyn Fn(&JudgedFinding) -> bool) -> Talks {
    let failing = report.failing_findings();
    let (placed, left): (Vec<_>, Vec<_>) = failing.partition(|found| is_placed(found));
    match (placed.is_empty(), left.is_empty()) {
        (true, _) => Talks::None,
        (false, true) => Talks::All,
        (false, false) => Talks::Some,
    }
}

/// What a reader on the forge can do.
pub(super) fn reading_place(talks: Talks) -> ReadingPlace {
    match talks {
        Talks::All => ReadingPlace::Conversation,
        Talks::Some => ReadingPlace::SomeConversations,
        Talks::Unknown | Talks::Possible | Talks::None => ReadingPlace::Forge,
    }
}

/// Whether a conversation is about what was gone since: nobody who sees the finding come back reads there.
fn is_over(thread: &ReviewThread, counted: Option<&BTreeSet<String>>) -> bool {
    let is_gone = counted.is_some_and(|counted| !counted.contains(&thread.fingerprint));
    thread.closed && (thread.closed_by_us || is_gone)
}

fn thread_fingerprints<'t>(threads: impl Iterator<Item = &'t ReviewThread>) -> BTreeSet<String> {
    threads.map(|thread| thread.fingerprint.clone()).collect()
}

/// The review, the conversations to close, and the reviews that nothing is left of.
pub(super) fn plan_review(
    report: &Report,
    placed: &PlacedFindings<'_>,
    pull: &PullRequest,
    seen: &ForgeState,
    wishes: &PublishOptions,
) -> Vec<PublishAction> {
    let mut actions = Vec::new();
    if !placed.new.is_empty() {
        let comments = placed
            .new
            .iter()
            .map(|found| line_comment(found, wishes))
            .collect();
        let mark = FindingMark {
            fingerprint: report.receipt.run.name.clone(),
            severity: None,
            standing: None,
            classes: Vec::new(),
            said: None,
        };
        actions.push(PublishAction::Review {
            number: pull.number,
            head: wishes.head.clone(),
            body: marker::sign_body(
                MarkerKind::Review,
                &wishes.council,
                &mark,
                &review_heading(placed),
            ),
            comments,
        });
    }
    let answers = wishes.answers.iter();
    actions.extend(answers.map(|answer| answer.to_action(pull.number, &wishes.council)));
    let threads = seen.threads.as_deref().unwrap_or_default();
    actions.extend(retold_comments(report, threads, wishes));
    actions.extend(withdrawn_answers(threads, wishes));
    let again = reopened_threads(report, threads, seen.counted_before(report).as_ref());
    if !again.is_empty() {
        let reviews = again.iter().filter_map(|thread| thread.review.clone());
        actions.push(PublishAction::Reopen {
            threads: again.iter().map(|thread| thread.id.clone()).collect(),
            reviews: reviews.collect::<BTreeSet<_>>().into_iter().collect(),
        });
    }
    let gone = resolved_threads(report, threads, wishes.full || seen.state().is_some());
    let is_open = |thread: &ReviewThread| {
        let is_in = |some: &[&ReviewThread]| some.iter().any(|one| one.id == thread.id);
        is_in(&again) || !(thread.closed || is_in(&gone))
    };
    let reviews = resolved_reviews(&seen.reviews, threads, &is_open);
    if !gone.is_empty() {
        actions.push(PublishAction::Resolve {
            threads: gone.iter().map(|thread| thread.id.clone()).collect(),
            comments: unanswered_comments(&gone),
        });
    }
    if !reviews.is_empty() {
        actions.push(PublishAction::Hide { reviews });
    }
    actions
}

/// What stands above the comments. It names no verdict: that changes, and a review does not.
fn review_heading(placed: &PlacedFindings<'_>) -> String {
    let count = match placed.new.len() {
        1 => "One finding is commented on its line".to_owned(),
        many => format!("{many} findings are commented on their lines"),
    };
    format!("{count}. The verdict and the whole report are in the council's comment or check.")
}

/// Open conversations of ours whose finding no longer counts. After an incomplete run nothing is known to be gone, and where
/// the last report was not `known`, only what a push has outdated: judges may not mention this time what still stands.
fn resolved_threads<'t>(
    report: &Report,
    threads: &'t [ReviewThread],
    known: bool,
) -> Vec<&'t ReviewThread> {
    if report.incomplete || report.outcome.verdict == crate::council::outcome::Verdict::Inconclusive
    {
        return Vec::new();
    }
    let stands = |thread: &&ReviewThread| {
        let is_it = |f: &JudgedFinding| f.fingerprint == thread.fingerprint && f.level.is_some();
        report.outcome.findings.iter().any(is_it)
    };
    let open = threads.iter().filter(|thread| !thread.closed);
    let may_be_gone = open.filter(|thread| known || thread.outdated);
    may_be_gone.filter(|thread| !stands(thread)).collect()
}

/// Comments that call a finding milder or worse than it is by now, or otherwise standing, or by a fingerprint that it no longer has. Where somebody has argued it away, what they argued
/// about stays as they saw it.
fn retold_comments(
    report: &Report,
    threads: &[ReviewThread],
    wishes: &PublishOptions,
) -> Vec<PublishAction> {
    let retell = |thread: &ReviewThread| {
        let mut findings = report.outcome.findings.iter();
        let found = findings.find(|f| f.fingerprint == thread.fingerprint && f.level.is_some())?;
        let standing = lone_state(found);
        let is_other = thread
            .severity
            .is_some_and(|told| told != found.finding.severity)
            || thread
                .standing
                .as_ref()
                .is_some_and(|told| *told != standing);
        let is_open = !thread.closed && thread.orders.is_empty();
        // The next review finds the conversation by what our comment calls the finding, also one that somebody closed.
        let is_told_anew = thread.renamed || (is_open && is_other);
        let comment = thread.number.filter(|_| is_told_anew)?;
        let body = line_comment(found, wishes).body;
        Some(PublishAction::Retell { comment, body })
    };
    threads.iter().filter_map(retell).collect()
}

/// Answers of ours that tell of a dismissal which was taken back: who reads them takes them for what holds.
fn withdrawn_answers<'t>(
    threads: &'t [ReviewThread],
    wishes: &'t PublishOptions,
) -> impl Iterator<Item = PublishAction> + 't {
    let stale = threads.iter().flat_map(|thread| &thread.stale_answers);
    stale.map(move |&comment| PublishAction::Retell {
        comment,
        body: withdrawn_answer(&wishes.council),
    })
}

/// What is hidden where conversations cannot be resolved: never a comment that somebody answered.
fn unanswered_comments(threads: &[&ReviewThread]) -> Vec<String> {
    let left = threads.iter().filter(|thread| !thread.answered);
    left.map(|thread| thread.comment.clone()).collect()
}

/// Conversations that we closed with a dismissal which was taken back, where their finding counts and is not talked about
/// in another one; of several about one finding the last.
fn reopened_threads<'t>(
    report: &Report,
    threads: &'t [ReviewThread],
    counted: Option<&BTreeSet<String>>,
) -> Vec<&'t ReviewThread> {
    let counts = |thread: &&ReviewThread| {
        let is_it = |f: &JudgedFinding| f.fingerprint == thread.fingerprint;
        let mut findings = report.outcome.findings.iter();
        findings.any(|found| found.level > Some(FindingLevel::Note) && is_it(found))
    };
    let open = threads.iter().filter(|thread| !is_over(thread, counted));
    let mut talked = thread_fingerprints(open);
    let again = threads.iter().rev();
    let again = again.filter(|thread| thread.is_used_again() && is_over(thread, counted));
    let again = again.filter(counts);
    again
        .filter(|thread| talked.insert(thread.fingerprint.clone()))
        .collect()
}

/// Reviews of ours none of whose conversations is open, or is then.
fn resolved_reviews(
    reviews: &[String],
    threads: &[ReviewThread],
    is_open: &dyn Fn(&ReviewThread) -> bool,
) -> Vec<String> {
    let open = threads.iter().filter(|thread| is_open(thread));
    let open: BTreeSet<&str> = open.filter_map(|thread| thread.review.as_deref()).collect();
    let spent = reviews.iter().filter(|id| !open.contains(id.as_str()));
    spent.cloned().collect()
}

/// Where on the diff a finding is talked about.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DiffPlace {
    side: DiffSide,
    lines: RangeInclusive<u32>,
}

/// Whether a comment on the diff may be about a finding.
pub(super) fn has_place(found: &JudgedFinding, lines: &DiffLines) -> bool {
    place_on_diff(found, lines).is_some()
}

/// The lines of the diff that a finding means; none: it has none there.
fn place_on_diff(found: &JudgedFinding, lines: &DiffLines) -> Option<DiffPlace> {
    let location = &found.finding.location;
    if let Some(shown) = lines.shown_part(location) {
        return Some(DiffPlace {
            side: DiffSide::Right,
            lines: shown.line..=shown.end_line.unwrap_or(shown.line),
        });
    }
    let first = removed_line(found).filter(|_| location.line == 0)?;
    let quoted = found.finding.quote.trim().lines().count();
    let many = u32::try_from(quoted).unwrap_or(u32::MAX);
    let removed = lines.removed_part(&location.path, first, many)?;
    Some(DiffPlace {
        side: DiffSide::Left,
        lines: removed,
    })
}

fn line_comment(found: &JudgedFinding, wishes: &PublishOptions) -> LineComment {
    let location = &found.finding.location;
    let named = location.line..=location.end_line.unwrap_or(location.line);
    let place = place_on_diff(found, &wishes.lines).unwrap_or_else(|| DiffPlace {
        side: DiffSide::Right,
        lines: named.clone(),
    });
    let (first, last) = (*place.lines.start(), *place.lines.end());
    let mark = FindingMark {
        fingerprint: found.fingerprint.clone(),
        severity: Some(found.finding.severity),
        standing: Some(lone_state(found)),
        classes: meant_classes(found).into_iter().take(MAX_CLASSES).collect(),
        said: SaidProblem::of(&found.finding),
    };
    let told = markdown::beside_a_line(found);
    let signed = |text: &str| {
        let text = crate::text::clip_chars(text, MAX_CHARS);
        marker::sign_body(MarkerKind::Finding, &wishes.council, &mark, &text)
    };
    // A block replaces the lines that its comment stands beside, and no others.
    let block = match place.side == DiffSide::Right && place.lines == named {
        true => suggestion_block(found),
        false => String::new(),
    };
    LineComment {
        path: location.path.display().into_owned(),
        side: place.side,
        line: last,
        start_line: (last > first).then_some(first),
        body: signed(&format!("{told}{block}{HOW_TO_DISMISS}")),
        body_of_file: signed(&format!(
            "{}{told}{HOW_TO_DISMISS}",
            markdown::place_and_quote(found)
        )),
    }
}

/// A block that a person can take over with a click: only when it shows every character of what it would put there.
fn suggestion_block(found: &JudgedFinding) -> String {
    let Some(suggestion) = &found.finding.suggestion else {
        return String::new();
    };
    let text = suggestion.strip_suffix('\n').unwrap_or(suggestion);
    let shown = Untrusted::new(text).fence("", usize::MAX);
    let marks = shown.chars().take_while(|&c| c == '`').count();
    let fence = "`".repeat(marks);
    let as_it_is = format!("{fence}\n{text}\n{fence}\n");
    let tried = found.suggestion_check.as_ref();
    let tried = tried.map(suggestion_words).unwrap_or_default();
    let tried = match Untrusted::new(&tried).prose() {
        none if none.is_empty() => none,
        tried => format!(" ({tried})"),
    };
    let check = found.suggestion_check.as_ref();
    let is_unfit = check.is_some_and(SuggestionCheck::is_unfit);
    if is_unfit || unfit_text(text).is_some() || text.contains('\r') || shown != as_it_is {
        return match suggestion.is_empty() {
            true => format!("\n\nDelete these lines{tried}"),
            false => format!("\n\nReplace these lines with{tried}\n\n{shown}"),
        };
    }
    let tried = match tried.as_str() {
        "" => String::new(),
        tried => format!("\n\nThe suggestion was tried{tried}."),
    };
    // Nothing at all takes the lines out; an end of a line alone puts an empty one in their place.
    let lines = if suggestion.is_empty() {
        String::new()
    } else {
        format!("{text}\n")
    };
    format!("{tried}\n\n{fence}suggestion\n{lines}{fence}\n")
}
