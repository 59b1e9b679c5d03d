//! The sticky report: one comment for one council on one pull request.

use std::collections::BTreeSet;

use council_protocol::RepoPath;

use crate::council::readable_description;
use crate::report::{EarlierFinding, EarlierReview, Report, markdown};
use crate::text::Untrusted;

use super::marker::{self, DEFAULT_COUNCIL, MarkerKind};
use super::memory::ReviewState;
use super::seen::{ForgeState, ReviewThread};
use super::wishes::PublishOptions;

/// The most characters of a comment that GitHub takes.
const MAX_CHARS: usize = 65_536;

/// What is kept free of that: another server may count otherwise.
const MARGIN: usize = 512;

/// The most earlier findings that are listed.
const MAX_CARRIED: usize = 30;

/// All of the comment's text.
pub(super) fn comment_body(
    report: &Report,
    wishes: &PublishOptions,
    seen: &ForgeState,
    threads: &[ReviewThread],
    place: markdown::ReadingPlace,
) -> String {
    let state = ReviewState::of(report, wishes.judged.clone());
    let state = state.after(report, seen.state());
    let earlier = report.receipt.run.earlier.as_ref();
    let carried = earlier.map(carried_section).unwrap_or_default();
    let empty = marker::sign_body(MarkerKind::Report, &wishes.council, &state, "");
    // Bytes are at least as many as characters, however those are counted.
    let room = MAX_CHARS.saturating_sub(MARGIN + empty.len() + carried.len());
    let links = source_links(report, wishes, threads);
    let update = update_line(report, wishes);
    let options = markdown::MarkdownOptions {
        update: update.as_deref(),
        council: (wishes.council != DEFAULT_COUNCIL).then_some(wishes.council.as_str()),
        frontmatter: false,
        max_bytes: Some(room),
        fold: true,
        links: links.as_ref(),
        place,
        headless: false,
    };
    let shown = match update {
        Some(_) => without_counts(report),
        None => report.clone(),
    };
    let text = format!("{}{carried}", markdown::render(&shown, options));
    marker::sign_body(MarkerKind::Report, &wishes.council, &state, &text)
}

/// `2 resolved, 1 still open, 1 new since abc1234`: what the last push did; none where nothing was open and nothing is.
fn update_line(report: &Report, wishes: &PublishOptions) -> Option<String> {
    let earlier = report.receipt.run.earlier.as_ref();
    let earlier = earlier.filter(|earlier| earlier.commit != wishes.head)?;
    let counts = earlier.counts_in_words(&report.outcome.findings);
    let since = Untrusted::new(earlier.short_commit()).code();
    (!counts.is_empty()).then(|| format!("**{counts}** since {since}"))
}

/// The report without the note that says what the line on top says.
fn without_counts(report: &Report) -> Report {
    let mut shown = report.clone();
    if let Some(earlier) = &report.receipt.run.earlier {
        let label = earlier.counts_label();
        shown.outcome.notes.retain(|note| !note.starts_with(&label));
    }
    shown
}

/// Links to the reviewed lines and to our conversations about them; none where the repository has no page.
pub(super) fn source_links(
    report: &Report,
    wishes: &PublishOptions,
    threads: &[ReviewThread],
) -> Option<markdown::SourceLinks> {
    let repository = wishes.repository_url.clone()?;
    let conversation = |thread: &ReviewThread| {
        let url = thread.url.clone()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || ":/.-_#".contains(c);
        let ours = url.starts_with(&format!("{repository}/")) && url.chars().all(plain);
        ours.then(|| (thread.fingerprint.clone(), url))
    };
    // Where a finding has several conversations, the one that goes on is read.
    let (closed, open): (Vec<_>, Vec<_>) = threads.iter().partition(|thread| thread.closed);
    let threads = closed.into_iter().chain(open);
    let threads = threads.filter_map(conversation).collect();
    Some(markdown::SourceLinks {
        repository,
        commit: wishes.head.clone(),
        base: base_commit(report).unwrap_or_default().to_owned(),
        deleted: deleted_files(report, wishes),
        threads,
    })
}

/// The commit before the change. A claim may call anything so.
fn base_commit(report: &Report) -> Option<&str> {
    let base = report.target.base.as_deref();
    base.filter(|base| base.len() >= 40 && base.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The files with findings of which no line is left.
fn deleted_files(report: &Report, wishes: &PublishOptions) -> BTreeSet<RepoPath> {
    let places = report.outcome.findings.iter();
    let places = places.map(|found| &found.finding.location);
    let gone = places.filter(|place| wishes.lines.is_emptied(place));
    gone.map(|place| place.path.clone()).collect()
}

/// What became of the findings of the last review.
fn carried_section(earlier: &EarlierReview) -> String {
    let line = |found: &EarlierFinding| {
        let place = format!("{}:{}", found.location.path.display(), found.location.line);
        let lapsed = found.lapsed.as_ref();
        let lapsed = lapsed.map_or(String::new(), |lapsed| format!(" ({})", lapsed.in_words()));
        format!(
            "- {}: {} {}{}",
            found.fate.as_str(),
            Untrusted::new(&place).code(),
            Untrusted::new(&readable_description(&found.description)).prose(),
            Untrusted::new(&lapsed).prose()
        )
    };
    let mut lines: Vec<String> = earlier
        .findings
        .iter()
        .take(MAX_CARRIED)
        .map(line)
        .collect();
    let left = earlier.findings.len().saturating_sub(MAX_CARRIED);
    lines.extend((left > 0).then(|| format!("- {left} more")));
    let lost = earlier.lost;
    lines.extend(
        (lost > 0).then(|| {
            format!("- not verifiable: {lost} more, which were too many to be carried over")
        }),
    );
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "\n<details>\n<summary>Findings of the last review</summary>\n\n{}\n\n</details>\n",
        lines.join("\n")
    )
}
