//! Lines of the change around a place, what is meant among them highlighted.

use council_protocol::answer::Evidence;
use council_protocol::change::{Line, LineKind};
use council_protocol::{FileChange, Location, RepoPath};
use maud::{Markup, html};

use super::parts::{code_line, name};
use crate::council::outcome::JudgedFinding;
use crate::report::removed::removed_line;
use crate::report::words;

/// Lines shown before and behind what is meant.
const CONTEXT_LINES: usize = 3;

/// The most lines of what is meant.
const MAX_HIT_LINES: usize = 24;

/// The most bytes of a line in which a quote is looked for.
const MAX_SEARCHED: usize = 100_000;

/// A place and the text that stands there.
#[derive(Clone, Copy)]
pub(super) struct CodePlace<'a> {
    pub(super) path: &'a RepoPath,
    /// First line of the reviewed side; 0 where there is none.
    pub(super) line: u32,
    pub(super) end_line: Option<u32>,
    /// Its line before the change, where it was removed.
    pub(super) old_line: Option<u32>,
    pub(super) quote: &'a str,
}

impl<'a> CodePlace<'a> {
    /// The place of a finding.
    pub(super) fn of_finding(found: &'a JudgedFinding) -> Self {
        let Location {
            path,
            line,
            end_line,
        } = &found.finding.location;
        Self {
            path,
            line: *line,
            end_line: *end_line,
            old_line: removed_line(found).filter(|_| *line == 0),
            quote: &found.finding.quote,
        }
    }

    /// The place that an opinion or a move rests on.
    pub(super) fn of_evidence(evidence: &'a Evidence) -> Self {
        Self {
            path: &evidence.path,
            line: evidence.line,
            end_line: None,
            old_line: None,
            quote: &evidence.quote,
        }
    }

    fn quote_lines(&self) -> Vec<&'a str> {
        let lines = self.quote.lines().skip_while(|line| line.trim().is_empty());
        lines.collect()
    }

    fn is_hit(&self, line: &Line<'_>) -> bool {
        let many = u32::try_from(self.quote_lines().len().max(1)).unwrap_or(u32::MAX);
        let within = |start: u32, end: u32, no: Option<u32>| {
            start > 0 && no.is_some_and(|no| (start..=end).contains(&no))
        };
        if let Some(old) = self.old_line {
            return line.kind == LineKind::Removed
                && within(old, old.saturating_add(many - 1), line.old_no);
        }
        let end = self.end_line.unwrap_or(self.line);
        let end = end.max(self.line.saturating_add(many - 1));
        within(self.line, end, line.new_no)
    }
}

/// A line as it is shown.
struct ShownLine<'a> {
    line: Line<'a>,
    is_hit: bool,
    /// Whether lines are missing before it.
    after_gap: bool,
}

/// The code at a place: from the diff where the change is at hand, else the quote. Empty where there is neither.
pub(super) fn excerpt(place: CodePlace<'_>, files: &[FileChange]) -> Markup {
    let file = files.iter().find(|file| file.path == *place.path);
    let shown = file.map_or_else(Vec::new, |file| shown_lines(file, place));
    let caption = words::location_text(&Location {
        path: place.path.clone(),
        line: place.line,
        end_line: place.end_line,
    });
    html! {
        @if !shown.is_empty() {
            figure.code { figcaption { (name(&caption)) } (diff_table(&shown, place)) }
        } @else if !place.quote.trim().is_empty() {
            figure.code { figcaption { (name(&caption)) } (quote_table(place)) }
        }
    }
}

/// The lines that are meant, and those around them.
fn shown_lines<'a>(file: &'a FileChange, place: CodePlace<'_>) -> Vec<ShownLine<'a>> {
    let mut shown = Vec::new();
    let mut hits = 0;
    for hunk in &file.hunks {
        let lines: Vec<Line<'a>> = hunk.lines().collect();
        let meant: Vec<bool> = lines.iter().map(|line| place.is_hit(line)).collect();
        let mut last = None;
        for (at, line) in lines.iter().enumerate() {
            let around =
                at.saturating_sub(CONTEXT_LINES)..(at + CONTEXT_LINES + 1).min(lines.len());
            let is_near = meant[around].contains(&true);
            hits += usize::from(meant[at]);
            if !is_near || hits > MAX_HIT_LINES {
                continue;
            }
            let follows = last.is_some_and(|last: usize| last + 1 == at);
            shown.push(ShownLine {
                line: *line,
                is_hit: meant[at],
                after_gap: !follows && !shown.is_empty(),
            });
            last = Some(at);
        }
    }
    shown
}

fn diff_table(shown: &[ShownLine<'_>], place: CodePlace<'_>) -> Markup {
    let quotes = place.quote_lines();
    let mut hit = 0;
    let rows = shown.iter().map(|one| {
        let quote = one.is_hit.then(|| {
            hit += 1;
            quotes.get(hit - 1).copied().unwrap_or_default()
        });
        (one, quote)
    });
    let rows: Vec<_> = rows.collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Code" {
            table.diff {
                tbody {
                    @for (one, quote) in rows {
                        @if one.after_gap { tr.gap { td colspan="4" { "⋯" } } }
                        (row(one, quote))
                    }
                }
            }
        }
    }
}

fn row(one: &ShownLine<'_>, quote: Option<&str>) -> Markup {
    let (class, sign, word) = match one.line.kind {
        LineKind::Added => ("add", "+", "added"),
        LineKind::Removed => ("del", "−", "removed"),
        LineKind::Context => ("ctx", " ", ""),
    };
    let class = if one.is_hit {
        format!("{class} hit")
    } else {
        class.to_owned()
    };
    html! {
        tr class=(class) {
            td.no { (number(one.line.old_no)) }
            td.no { (number(one.line.new_no)) }
            td.sign { span aria-hidden="true" { (sign) } span.vh { (word) } }
            td.text { (marked(one.line.text, quote)) }
        }
    }
}

/// The quote alone, where no diff is at hand.
fn quote_table(place: CodePlace<'_>) -> Markup {
    let lines = place.quote_lines();
    let first = place.old_line.unwrap_or(place.line);
    let no = |at: usize| u32::try_from(at).ok().map(|at| first.saturating_add(at));
    html! {
        div.scroll tabindex="0" role="region" aria-label="Code" {
            table.diff {
                tbody {
                    @for (at, line) in lines.iter().take(MAX_HIT_LINES).enumerate() {
                        tr.ctx.hit {
                            td.no { (number(no(at).filter(|_| first > 0))) }
                            td.sign { @if place.old_line.is_some() { "−" } }
                            td.text { (marked(line, Some(line))) }
                        }
                    }
                }
            }
        }
    }
}

fn number(no: Option<u32>) -> Markup {
    html! { @if let Some(no) = no { (no) } }
}

/// A line; the part of it that a judge quoted is marked.
fn marked(text: &str, quote: Option<&str>) -> Markup {
    let text = &text[..text.floor_char_boundary(MAX_SEARCHED)];
    let quoted = quote.map(str::trim).filter(|quote| !quote.is_empty());
    let parts = quoted.and_then(|quote| {
        let at = text.find(quote)?;
        Some((&text[..at], quote, &text[at + quote.len()..]))
    });
    html! {
        @match parts {
            // A quote far to the right of a very long line is what must be seen of it.
            Some((before, quote, after)) => {
                (head_of(before, quote)) mark { (code_line(quote)) } (code_line(after))
            },
            None => (code_line(text)),
        }
    }
}

/// The end of what stands before a quote, all of it where the quote is in sight behind it: nobody looks for the reason of a
/// finding beyond the edge of its card.
fn head_of(before: &str, quote: &str) -> String {
    const IN_SIGHT: usize = 90;
    const MAX_HEAD: usize = 24;
    let (head, all) = (before.chars().count(), quote.chars().count());
    if head <= MAX_HEAD || head.saturating_add(all.min(IN_SIGHT / 2)) <= IN_SIGHT {
        return code_line(before);
    }
    let rest: String = before.chars().skip(head - MAX_HEAD).collect();
    format!("…{}", code_line(&rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::head_of;

    proptest! {
        /// The beginning of what is marked is never beyond the edge of a card, and what is kept stands before it.
        #[test]
        fn what_is_marked_is_in_sight(before in "[a-z;() ]{0,400}", quote in "[a-z]{1,200}") {
            let head = head_of(&before, &quote);
            prop_assert!(head.chars().count() <= 90, "{}", head);
            prop_assert!(before.ends_with(head.trim_start_matches('…')), "{}", head);
            let is_short = before.chars().count() + quote.chars().count() <= 90;
            prop_assert!(!is_short || head == before, "{}", head);
        }
    }
}
