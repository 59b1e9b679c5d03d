//! The report as Markdown: the file of the run, and later the body of a comment (councils.md 1.12).

mod document;
pub(super) mod finding;
mod participation;
mod sections;
mod session;

pub use session::{minutes, session};

use document::MarkdownDocument;

use super::words::JudgeNames;
use super::{GatePolicy, Report};
use crate::council::outcome::JudgedFinding;
use crate::text::Untrusted;

/// How the Markdown is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkdownOptions {
    /// Whether it starts with frontmatter, as a file does and a comment does not.
    pub frontmatter: bool,
    /// The most bytes it may have; whole parts are left out, the least important first, and their number is said.
    pub max_bytes: Option<usize>,
    /// Whether what explains the verdict is folded away, as in a comment among others.
    pub fold: bool,
}

impl Default for MarkdownOptions {
    fn default() -> Self {
        Self {
            frontmatter: true,
            max_bytes: None,
            fold: false,
        }
    }
}

/// The report as Markdown, ended by a newline.
pub fn render(report: &Report, options: MarkdownOptions) -> String {
    let names = JudgeNames::without_agents(&report.outcome.judges);
    let mut document = MarkdownDocument::default();
    if options.frontmatter {
        document.head(frontmatter(report));
    }
    document.head(format!(
        "# {}",
        report.bottom_line(GatePolicy::default()).headline
    ));
    document.head(participation::facts(report));
    for banner in sections::banners(report) {
        document.head(banner);
    }
    document
        .sections
        .push(participation::verdicts(report, &names));
    document.sections.extend(sections::all(report, &names));
    document
        .sections
        .push(participation::receipt(report, &names));
    document.foot = participation::footer(report, !options.frontmatter);
    document.render(options.max_bytes.unwrap_or(usize::MAX), options.fold)
}

/// The beginning of the report: the headline, what was reviewed by whom, and what must be known first.
pub fn head(report: &Report) -> String {
    let mut blocks = vec![
        format!("**{}**", report.headline()),
        participation::facts(report),
    ];
    blocks.extend(sections::banners(report));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

/// One finding for a comment beside its lines: what, why, fix and who holds it, without the lines themselves.
pub fn beside_a_line(report: &Report, found: &JudgedFinding) -> String {
    finding::beside(found, &JudgeNames::without_agents(&report.outcome.judges))
}

/// `id`, `type`, `date` as in the parent, and the verdict.
fn frontmatter(report: &Report) -> String {
    let plain = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
            .collect()
    };
    let id = plain(&report.receipt.run.name);
    let date = plain(report.date());
    format!(
        "---\nid: {id}\ntype: council\ndate: {date}\nverdict: {}\n---",
        report.outcome.verdict.as_str()
    )
}

/// A row of a table; the cells are Markdown already.
fn row(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

/// A table with its header; the cells are Markdown already.
fn table(header: &[&str], rows: &[String]) -> String {
    let header: Vec<String> = header.iter().map(|h| (*h).to_owned()).collect();
    let rule: Vec<String> = header.iter().map(|_| "---".to_owned()).collect();
    let mut lines = vec![row(&header), row(&rule)];
    lines.extend(rows.iter().cloned());
    lines.join("\n")
}

/// A block that is folded away where HTML is rendered. `summary` is ours.
fn folded(summary: &str, body: &str) -> String {
    format!("<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>")
}

/// Text for a table's cell, or a dash.
fn cell(text: &str) -> String {
    match Untrusted::new(text).prose_cell() {
        empty if empty.is_empty() => "–".to_owned(),
        text => text,
    }
}
