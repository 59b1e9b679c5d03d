//! The sticky report: one comment for one council on one pull request.

use crate::council::outcome::JudgedFinding;
use crate::report::{Report, markdown};
use crate::text::Untrusted;

use super::marker::{self, MarkerKind};
use super::memory::{CarriedFinding, FindingFate, ReviewState};
use super::seen::ReviewThread;
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
    threads: &[ReviewThread],
    place: markdown::ReadingPlace,
) -> String {
    let state = ReviewState::of(report, wishes.files.clone(), wishes.rules.clone());
    let carried = carried_section(&wishes.carried);
    let empty = marker::sign_body(MarkerKind::Report, &wishes.council, &state, "");
    // Bytes are at least as many as characters, however those are counted.
    let room = MAX_CHARS.saturating_sub(MARGIN + empty.len() + carried.len());
    let links = source_links(wishes, threads);
    let update = update_line(report, wishes);
    let options = markdown::MarkdownOptions {
        update: update.as_deref(),
        frontmatter: false,
        max_bytes: Some(room),
        fold: true,
        links: links.as_ref(),
        place,
    };
    let text = format!("{}{carried}", markdown::render(report, options));
    marker::sign_body(MarkerKind::Report, &wishes.council, &state, &text)
}

/// `2 resolved, 1 still open, 1 new since abc1234`: what the last push did; none where nothing was open and nothing is.
fn update_line(report: &Report, wishes: &PublishOptions) -> Option<String> {
    let since = wishes
        .since
        .as_deref()
        .filter(|since| *since != wishes.head)?;
    let since = since.get(..7).unwrap_or(since);
    let fated = |fate: FindingFate| wishes.carried.iter().filter(|c| c.fate == fate).count();
    let is_new = |found: &&JudgedFinding| {
        let known = |c: &CarriedFinding| c.kept.fingerprint == found.fingerprint;
        found.level.is_some() && !wishes.carried.iter().any(known)
    };
    let counts = [
        (fated(FindingFate::Resolved), "resolved"),
        (fated(FindingFate::StillOpen), "still open"),
        (fated(FindingFate::NotVerifiable), "not verifiable"),
        (report.outcome.findings.iter().filter(is_new).count(), "new"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let since = Untrusted::new(since).code();
    (!parts.is_empty()).then(|| format!("**{}** since {since}", parts.join(", ")))
}

/// Links to the reviewed lines and to our conversations about them; none where the repository has no page.
fn source_links(
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
    let threads = threads.iter().filter_map(conversation).collect();
    Some(markdown::SourceLinks {
        repository,
        commit: wishes.head.clone(),
        threads,
    })
}

/// What became of the findings of the last review.
fn carried_section(carried: &[CarriedFinding]) -> String {
    if carried.is_empty() {
        return String::new();
    }
    let line = |c: &CarriedFinding| {
        let finding = &c.kept.finding;
        let place = format!(
            "{}:{}",
            finding.location.path.display(),
            finding.location.line
        );
        format!(
            "- {}: {} {}",
            c.fate.as_str(),
            Untrusted::new(&place).code(),
            Untrusted::new(&finding.description).prose()
        )
    };
    let mut lines: Vec<String> = carried.iter().take(MAX_CARRIED).map(line).collect();
    let left = carried.len().saturating_sub(MAX_CARRIED);
    lines.extend((left > 0).then(|| format!("- {left} more")));
    format!(
        "\n<details>\n<summary>Findings of the last review</summary>\n\n{}\n\n</details>\n",
        lines.join("\n")
    )
}
