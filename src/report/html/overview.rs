//! The first screen: the verdict, what to do about it, who voted how, and what was found, worst first.

use maud::{Markup, html};

use super::context::PageContext;
use super::finding::anchor;
use super::parts::{blocks, name, prose, severity_badge, vote_badge};
use crate::report::document::remarks;
use crate::report::document::staged;
use crate::text::{Untrusted, clip_chars};

/// The fewest findings that are listed before their cards: one or two are on the first screen anyway.
const MIN_LISTED: usize = 3;

/// The most findings in that list.
const MAX_LISTED: usize = 50;

/// The most characters of a finding in that list.
const MAX_LINE: usize = 160;

/// The verdict and everything that fits on a line beside it.
pub(super) fn header(context: &PageContext<'_>) -> Markup {
    let view = &context.document.verdict;
    let word = view.verdict.as_str();
    let (qualifier, sentence) = split_headline(&view.headline, word);
    let detail = view.detail.trim();
    html! {
        header.top {
            div.bar {
                span.brand { "git-council" }
                button #theme type="button" hidden { "Dark or light" }
                button #unfold type="button" hidden { "Unfold all" }
            }
            h1 {
                span.verdict { (word) }
                span.sentence { span.vh { ": " } (sentence) }
                @if !qualifier.is_empty() { " " span.qualifier { (qualifier) } }
            }
            @if !detail.is_empty() { p { (prose(detail)) } }
            @if !view.next_step.is_empty() { p.next { (prose(&view.next_step)) } }
            (facts(context))
            (judges(context))
            @if !view.not_read.is_empty() {
                p.warning { strong { "Not read: " } (prose(&view.not_read)) }
            }
            @if !view.read_by_few.is_empty() {
                p.warning { strong { "Read by too few: " } (prose(&view.read_by_few)) }
            }
        }
    }
}

/// `FAIL (rules only): 1 critical` without the verdict: what is in brackets, and the sentence.
fn split_headline<'a>(headline: &'a str, word: &str) -> (&'a str, &'a str) {
    let rest = headline.strip_prefix(word).unwrap_or(headline).trim_start();
    match rest.split_once(": ") {
        Some((qualifier, sentence)) => (qualifier.trim_matches(['(', ')']), sentence),
        None => ("", rest),
    }
}

/// What was reviewed, how large it is, how long it took, what it cost.
fn facts(context: &PageContext<'_>) -> Markup {
    let (report, view) = (context.report, &context.document.verdict);
    let head = report.target.head.as_deref();
    let head = head.map(|head| head.get(..10).unwrap_or(head));
    html! {
        ul.facts aria-label="What was reviewed" {
            li { (name(&view.subject)) }
            @if let Some(head) = head { li { "commit " (name(head)) } }
            @for measure in &view.measures { li { (prose(measure)) } }
            @if !report.date().is_empty() { li { (prose(report.date())) } }
        }
    }
}

/// Each judge with the vote that counts.
fn judges(context: &PageContext<'_>) -> Markup {
    let judges = &context.report.outcome.judges;
    html! {
        @if !judges.is_empty() && !context.report.is_document() {
            ul.judges aria-label="Votes" {
                @for judge in judges {
                    li {
                        (vote_badge(judge.counted)) " " (prose(context.names.get(&judge.seat.judge)))
                        @if judge.counted.is_none() { " abstained" }
                    }
                }
            }
        }
    }
}

/// What was found, a line each, and what a reader must know beside it.
pub(super) fn summary(context: &PageContext<'_>) -> Markup {
    let (report, names) = (context.report, context.names);
    let weighty = &context.document.weighty;
    let know = remarks::essentials(report, names);
    let written = staged::written_document(report);
    html! {
        @if weighty.len() >= MIN_LISTED {
            nav.summary aria-label="Findings, worst first" {
                ol {
                    @for view in weighty.iter().take(MAX_LISTED) {
                        li {
                            (severity_badge(view.severity)) " "
                            a href=(format!("#{}", anchor(view.found))) {
                                (prose(&clip_chars(&view.sentence(), MAX_LINE)))
                            }
                            " " (name(&view.place))
                            @if !view.state.is_empty() { " " span.badge.state { (view.state) } }
                        }
                    }
                }
                @if weighty.len() > MAX_LISTED { p.hint { (weighty.len() - MAX_LISTED) " more below" } }
            }
        }
        @for section in know.iter().filter(|section| !section.blocks.is_empty()) {
            section.know aria-labelledby="know-title" {
                h2 #know-title { (prose(&section.title)) }
                (blocks(section))
            }
        }
        @if !written.blocks.is_empty() {
            section aria-labelledby="document-title" {
                h2 #document-title { "The document" }
                (blocks(&written))
            }
        }
    }
}

/// The run and the program, and the keys.
pub(super) fn footer(context: &PageContext<'_>) -> Markup {
    let run = &context.report.receipt.run;
    html! {
        footer {
            p {
                "git-council " (Untrusted::new(&run.version).line())
                @if !run.name.is_empty() { " · run " (name(&run.name)) }
                @if !run.started.is_empty() { " · " (prose(&run.started)) }
            }
            p #keys hidden {
                kbd { "j" } " and " kbd { "k" } " go to the next and the previous finding, "
                kbd { "e" } " unfolds everything."
            }
        }
    }
}
