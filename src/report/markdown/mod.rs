//! The report as Markdown: the file of the run, the body of a comment, the text of a check.
//!
//! The answer comes first and on one line, then a line for each finding; everything else is folded away in a comment.

mod blocks;
pub(super) mod finding;
mod parts;
mod session;

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::RepoPath;

pub(crate) use session::{minutes, session};

use blocks::{IN_FULL, MarkdownDocument, MarkdownSection};

pub(crate) use super::document::ReadingPlace;
use super::document::{Block, Depth, Document, FindingView, Section, Text, VerdictView};
use super::words::{self, JudgeNames};
use crate::council::outcome::{JudgedFinding, Verdict};
use crate::report::whole::Report;
use crate::text::{self, Untrusted};

/// The most lines of the list of findings that are kept or left out together where space is short.
const LINES_PER_BLOCK: usize = 20;

/// Where a reader finds the reviewed lines and the conversations about them. All of it comes from the forge, none from a
/// report, but the base, which is nothing but a commit's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SourceLinks {
    /// The repository's page, `https://github.com/owner/name`.
    pub repository: String,
    /// The reviewed commit as hex.
    pub commit: String,
    /// The commit before the change as hex; empty where there is none.
    pub base: String,
    /// Files that are there only at the base.
    pub deleted: BTreeSet<RepoPath>,
    /// The page of the conversation about a finding, by the finding's fingerprint.
    pub threads: BTreeMap<String, String>,
}

/// How the Markdown is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarkdownOptions<'a> {
    /// Whether it starts with frontmatter, as a file does and a comment does not.
    pub frontmatter: bool,
    /// The most bytes it may have; whole parts are left out, the least important first, and their number is said.
    pub max_bytes: Option<usize>,
    /// Whether what explains the verdict is folded away, as in a comment among others.
    pub fold: bool,
    /// Links to the reviewed lines; none: places are names.
    pub links: Option<&'a SourceLinks>,
    /// Where it is read, and so what can be done about a finding.
    pub place: ReadingPlace,
    /// What changed since the last review, in Markdown of ours; none: there was none.
    pub update: Option<&'a str>,
    /// The council whose report it is, where a page may have those of several: a plain word.
    pub council: Option<&'a str>,
    /// Whether verdict, next step and subject stand above it already, as those of a check do.
    pub headless: bool,
}

impl Default for MarkdownOptions<'_> {
    fn default() -> Self {
        Self {
            frontmatter: true,
            max_bytes: None,
            fold: false,
            links: None,
            place: ReadingPlace::Clone,
            update: None,
            council: None,
            headless: false,
        }
    }
}

/// The report as Markdown, ended by a newline.
pub(crate) fn render(report: &Report, options: MarkdownOptions<'_>) -> String {
    let names = JudgeNames::without_agents(&report.outcome.judges);
    let document = Document::at_place(report, &names, false, options.place);
    let mut out = MarkdownDocument::default();
    if options.frontmatter {
        out.push_head(frontmatter(report));
    }
    let in_short = options.fold && document.verdict.verdict == Verdict::Pass;
    let mut subject = subject_line(report, &document.verdict);
    if options.headless {
        subject.clear();
    } else {
        push_verdict(&mut out, &document.verdict, options, in_short);
    }
    let findings = finding_list(&document, options.links, options.fold);
    if options.fold {
        // Who has ten seconds reads the findings first; and two lists in a row would be one with gaps.
        let subject = MarkdownSection::new("", 0, false, vec![subject]);
        out.sections.extend([findings, subject]);
    } else {
        out.push_head(subject);
        out.sections.push(findings);
    }
    let essential = |s: &&Section| s.depth == Depth::Essential;
    out.sections.extend(
        document
            .sections
            .iter()
            .filter(essential)
            .map(|s| section(s, in_short)),
    );
    out.sections.push(finding_details(&document, options.fold));
    out.sections.push(rejected_list(&document));
    out.sections.extend(
        document
            .sections
            .iter()
            .filter(|s| !essential(s))
            .map(|s| section(s, true)),
    );
    out.foot = footer(report, !options.frontmatter);
    out.render(options.max_bytes.unwrap_or(usize::MAX), options.fold)
}

/// The first lines: the verdict, what the last push did, and what to do next.
fn push_verdict(
    out: &mut MarkdownDocument,
    verdict: &VerdictView,
    options: MarkdownOptions<'_>,
    in_short: bool,
) {
    let council = options
        .council
        .map_or(String::new(), |name| format!(" · {name}"));
    out.push_head(format!("# {}{council}", verdict.headline));
    out.push_head(options.update.unwrap_or_default().to_owned());
    if !in_short {
        out.push_head(verdict.next_step.clone());
    }
}

/// The beginning of the report: the headline where no title `has_headline`, what to do next, what was reviewed.
pub(crate) fn head(report: &Report, place: ReadingPlace, has_headline: bool) -> String {
    let names = JudgeNames::without_agents(&report.outcome.judges);
    let document = Document::at_place(report, &names, false, place);
    let view = &document.verdict;
    let headline = match has_headline {
        true => String::new(),
        false => format!("**{}**", view.headline),
    };
    let mut blocks = vec![headline, view.next_step.clone()];
    blocks.push(subject_line(report, view));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

/// One finding for a comment beside its lines: what is wrong, why, and how to mend it.
pub(crate) fn beside_a_line(found: &JudgedFinding) -> String {
    finding::beside(found)
}

/// Where a finding stands, and its lines, for a comment that stands beside none.
pub(crate) fn place_and_quote(found: &JudgedFinding) -> String {
    finding::place_and_quote(found)
}

/// What was reviewed, on one line, and why the verdict is what it is where the headline does not say it.
fn subject_line(report: &Report, view: &VerdictView) -> String {
    let label = text::clip_chars(&view.subject, 200);
    let mut parts = vec![Untrusted::new(&label).code()];
    if report.change.files > 0 {
        parts.push(words::change_size(
            report.change,
            &report.outcome.coverage,
            "−",
        ));
    }
    if let Some(head) = &report.target.head {
        let head = head.get(..12).unwrap_or(head);
        parts.push(format!("commit {}", Untrusted::new(head).code()));
    }
    if !view.votes.is_empty() {
        parts.push(format!("votes: {}", Untrusted::new(&view.votes).prose()));
    }
    let unread = [
        ("not read", &view.not_read),
        ("read by too few", &view.read_by_few),
    ];
    let unread = unread.iter().filter(|(_, files)| !files.is_empty());
    parts
        .extend(unread.map(|(label, files)| format!("{label}: {}", Untrusted::new(files).prose())));
    parts.retain(|part| !part.is_empty());
    let line = parts.join(" · ");
    match view.detail.trim() {
        "" => line,
        detail => format!("{}\n\n{line}", finding::prose(detail)),
    }
}

/// A line for each finding that counts, worst first.
fn finding_list(
    document: &Document<'_>,
    links: Option<&SourceLinks>,
    fold: bool,
) -> MarkdownSection {
    let lines: Vec<String> = document
        .counting()
        .map(|view| finding::line(view, links))
        .collect();
    let blocks = lines
        .chunks(LINES_PER_BLOCK)
        .map(|lines| lines.join("\n"))
        .collect();
    let heading = if fold { "" } else { "Findings" };
    MarkdownSection::new(heading, 0, false, blocks)
}

/// What weighs in full. What is only noted, too, in a file; a comment has a line for it where a line holds all of it.
fn finding_details(document: &Document<'_>, in_short: bool) -> MarkdownSection {
    let is_line = |view: &&FindingView<'_>| in_short && view.found.finding.suggestion.is_none();
    let notes = || document.notes.iter();
    let whole = document
        .weighty
        .iter()
        .chain(notes().filter(|view| !is_line(view)));
    let mut blocks: Vec<String> = whole.map(finding::full).collect();
    let notes: Vec<String> = notes().filter(is_line).map(finding::note).collect();
    blocks.extend(notes.chunks(LINES_PER_BLOCK).map(|lines| lines.join("\n")));
    MarkdownSection::new(IN_FULL, 2, true, blocks)
}

fn rejected_list(document: &Document<'_>) -> MarkdownSection {
    let lines: Vec<String> = document.rejected.iter().map(finding::rejected).collect();
    let blocks = lines
        .chunks(LINES_PER_BLOCK)
        .map(|lines| lines.join("\n"))
        .collect();
    MarkdownSection::new("Findings that do not count", 9, true, blocks)
}

/// A section of the document; an essential one has no heading.
fn section(section: &Section, folded: bool) -> MarkdownSection {
    let heading = match section.depth {
        Depth::Essential => "",
        Depth::Detail => section.title.as_str(),
    };
    let mut blocks: Vec<String> = Vec::new();
    let mut list: Vec<String> = Vec::new();
    for block in &section.blocks {
        if !matches!(block, Block::Item { .. }) && !list.is_empty() {
            blocks.push(std::mem::take(&mut list).join("\n"));
        }
        match block {
            Block::Item { indent, text } => {
                list.push(format!("{}- {}", " ".repeat(*indent), finding::prose(text)));
            }
            Block::Table { header, rows } => blocks.push(table_of(header, rows)),
            Block::Written(text) => {
                let fenced = Untrusted::new(text).fence("markdown", super::MAX_DOCUMENT);
                blocks.push(fenced.trim_end().to_owned());
            }
        }
    }
    let nested = list.iter().any(|line| line.starts_with(' '));
    match nested {
        // A nested line must not lose the line that it belongs to.
        true => blocks.push(list.join("\n")),
        false => blocks.extend(list.chunks(LINES_PER_BLOCK).map(|lines| lines.join("\n"))),
    }
    MarkdownSection::new(heading, section.rank, folded, blocks)
}

fn table_of(header: &[&str], rows: &[Vec<Text>]) -> String {
    let cell = |text: &Text| match text {
        Text::Prose(text) => parts::cell(text),
        Text::Name(text) => Untrusted::new(text).code_cell(),
    };
    let rows = rows
        .iter()
        .map(|row| parts::row(&row.iter().map(cell).collect::<Vec<_>>()));
    parts::table(header, &rows.collect::<Vec<_>>())
}

/// Fields that other tools file the report by.
fn frontmatter(report: &Report) -> String {
    let plain = |text: &str| -> String {
        let keep = |c: &char| c.is_ascii_alphanumeric() || "._-".contains(*c);
        text.chars().filter(keep).collect()
    };
    let id = plain(&report.receipt.run.name);
    let date = plain(report.date());
    let verdict = report.outcome.verdict.as_str();
    format!("---\nid: {id}\ntype: council\ndate: {date}\nverdict: {verdict}\n---")
}

/// Who answered, how long it took; `dated` also when, where nothing above says it.
fn footer(report: &Report, dated: bool) -> String {
    let who = report.receipt.participation;
    let run = &report.receipt.run;
    let seconds = words::format_seconds(run.duration_ms);
    let mut program = format!("git-council {}", Untrusted::new(&run.version).prose());
    if dated && !run.started.is_empty() {
        program.push_str(&format!(", begun {}", Untrusted::new(&run.started).prose()));
    }
    if report.outcome.procedure.is_none() {
        return format!("*No judge was asked. {seconds} seconds. {program}*");
    }
    if report.is_document() {
        return format!("*{} judges, {seconds} seconds. {program}*", who.counted);
    }
    let (answered, asked) = (who.answered, who.asked);
    format!("*{answered} of {asked} judges answered in {seconds} seconds. {program}*")
}
