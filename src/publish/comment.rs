//! The sticky report: one comment for one council on one pull request.

use crate::report::{Report, markdown};
use crate::text::Untrusted;

use super::marker::{self, Kind};
use super::memory::{Carried, State};
use super::wishes::Wishes;

/// The most characters of a comment (peers.md 5.2).
const MOST_CHARS: usize = 65_536;

/// What is kept free of that: another server may count otherwise.
const MARGIN: usize = 512;

/// The most earlier findings that are listed.
const MOST_CARRIED: usize = 30;

/// All of the comment's text.
pub(super) fn body(report: &Report, wishes: &Wishes) -> String {
    let state = State::of(report, wishes.files.clone(), wishes.rules.clone());
    let carried = carried(&wishes.carried);
    let empty = marker::sign(Kind::Report, &wishes.council, &state, "");
    // Bytes are at least as many as characters, however those are counted.
    let room = MOST_CHARS.saturating_sub(MARGIN + empty.len() + carried.len());
    let options = markdown::Options {
        frontmatter: false,
        max_bytes: Some(room),
        fold: true,
    };
    let text = format!("{}{carried}", markdown::render(report, options));
    marker::sign(Kind::Report, &wishes.council, &state, &text)
}

/// What became of the findings of the last review.
fn carried(carried: &[Carried]) -> String {
    if carried.is_empty() {
        return String::new();
    }
    let line = |c: &Carried| {
        let finding = &c.kept.finding;
        let place = format!(
            "{}:{}",
            finding.location.path.display(),
            finding.location.line
        );
        format!(
            "- {}: {} {}",
            c.fate.words(),
            Untrusted::new(&place).code(),
            Untrusted::new(&finding.description).prose()
        )
    };
    let mut lines: Vec<String> = carried.iter().take(MOST_CARRIED).map(line).collect();
    let left = carried.len().saturating_sub(MOST_CARRIED);
    lines.extend((left > 0).then(|| format!("- {left} more")));
    format!(
        "\n<details>\n<summary>Findings of the last review</summary>\n\n{}\n\n</details>\n",
        lines.join("\n")
    )
}
