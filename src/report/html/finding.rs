//! Findings: a card for each that weighs, a line for each that does not.

use council_protocol::answer::Stance;
use maud::{Markup, html};

use super::code::{self, CodePlace};
use super::context::PageContext;
use super::parts::{code_line, name, passages, prose, severity_badge};
use crate::council::outcome::{JudgedFinding, Opinion};
use crate::council::readable_description;
use crate::report::document::FindingView;
use crate::report::suggestion_words;
use crate::report::words;

/// The most findings that get a card; further ones are listed.
const MAX_CARDS: usize = 200;

/// The most lines of a suggestion.
const MAX_SUGGESTION: usize = 60;

/// Everything that was found: what weighs, what is noted, what was dismissed or does not count.
pub(super) fn sections(context: &PageContext<'_>) -> Markup {
    let document = context.document;
    let (cards, listed) = document
        .weighty
        .split_at(document.weighty.len().min(MAX_CARDS));
    html! {
        @if !document.weighty.is_empty() {
            section #findings aria-labelledby="findings-title" {
                h2 #findings-title { "Findings" }
                @for view in cards { (card(context, view)) }
                @if !listed.is_empty() { (lines(context, listed)) }
            }
        }
        @if !document.notes.is_empty() {
            section #notes aria-labelledby="notes-title" {
                h2 #notes-title { "Notes" }
                p.hint { "Worth a look. They do not change the verdict." }
                (lines(context, &document.notes))
            }
        }
        (dismissed(context))
        @if !document.rejected.is_empty() {
            details #rejected {
                summary { "Findings that do not count (" (document.rejected.len()) ")" }
                (lines(context, &document.rejected))
            }
        }
    }
}

fn card(context: &PageContext<'_>, view: &FindingView<'_>) -> Markup {
    let found = view.found;
    let id = anchor(found);
    let title = format!("{id}-title");
    let files = &context.material.files;
    html! {
        article id=(id) class=(format!("card {}", view.severity.as_str())) tabindex="-1" aria-labelledby=(title) {
            h3 id=(title) {
                (severity_badge(view.severity))
                @if !view.state.is_empty() { span.badge.state { (view.state) } }
                " " (prose(&view.sentence()))
            }
            (byline(view))
            (code::excerpt(CodePlace::of_finding(found), files))
            @for other in words::other_readings(found) { p { (prose(&other)) } }
            (reasons(view))
            (suggestion(found))
            (both_sides(context, found))
            @if !view.others.is_empty() {
                p.hint { "Also at " @for (at, place) in view.others.iter().enumerate() {
                    @if at > 0 { ", " } (name(place))
                } }
            }
        }
    }
}

/// Who says so, and the id by which it is argued with.
fn byline(view: &FindingView<'_>) -> Markup {
    html! {
        p.byline {
            @if view.found.finding.rule.is_some() { "rule " (name(&view.tag)) " · " }
            @if !view.support.is_empty() { (prose(&view.support)) " · " }
            @if view.found.finding.quote.trim().is_empty() { (name(&view.place)) " · " }
            a href=(format!("#{}", anchor(view.found))) { (prose(&view.found.id)) }
        }
    }
}

fn reasons(view: &FindingView<'_>) -> Markup {
    let reasons = [("Why", view.why), ("Fix", view.fix), ("See", view.see)];
    let filled = reasons.iter().filter(|(_, text)| !text.trim().is_empty());
    html! {
        dl.reasons {
            @for (label, text) in filled { dt { (label) } dd { (passages(text)) } }
        }
    }
}

fn suggestion(found: &JudgedFinding) -> Markup {
    html! {
        @if let Some(text) = &found.finding.suggestion {
            figure.code.suggestion {
                figcaption {
                    @if text.is_empty() { "Suggested: delete the marked lines" }
                    @else { "Suggested instead of the marked lines" }
                    @if let Some(check) = &found.suggestion_check { ": " (prose(&suggestion_words(check))) }
                }
                @if !text.is_empty() {
                    div.scroll tabindex="0" role="region" aria-label="Suggestion" {
                        table.diff { tbody {
                            @for line in text.lines().take(MAX_SUGGESTION) {
                                tr.add { td.sign { "+" } td.text { (code_line(line)) } }
                            }
                        } }
                    }
                }
            }
        }
    }
}

/// Who holds a finding beside who does not, each with words and evidence; nothing where nobody spoke against it.
fn both_sides(context: &PageContext<'_>, found: &JudgedFinding) -> Markup {
    let names = context.names;
    let spoken = found.opinions.iter().filter(|o| !names.is_rule(&o.judge));
    let (against, with): (Vec<&Opinion>, Vec<&Opinion>) =
        spoken.partition(|opinion| opinion.stance == Stance::Disagreed);
    if against.is_empty() {
        return html! {};
    }
    html! {
        div.sides {
            section.side.holds {
                h4 { "Holds it" }
                @for member in &found.members {
                    div.voice {
                        p { strong { (prose(names.get(&member.judge))) }
                            @if member.withdrawn { " took it back" } ": "
                            (prose(&readable_description(&member.finding.description))) }
                        @if member.finding.why != found.finding.why { p { (prose(&member.finding.why)) } }
                    }
                }
                @for opinion in with { (voice(context, opinion)) }
            }
            section.side.disputes {
                h4 { "Disputes it" }
                @for opinion in against { (voice(context, opinion)) }
            }
        }
    }
}

fn voice(context: &PageContext<'_>, opinion: &Opinion) -> Markup {
    let part = match opinion.stance {
        Stance::PartiallyAgreed => " in part",
        _ => "",
    };
    html! {
        div.voice {
            p { strong { (prose(context.names.get(&opinion.judge))) } (part) ": " (prose(&opinion.reasoning)) }
            @match (&opinion.evidence, opinion.resolves) {
                (Some(evidence), true) => {
                    (code::excerpt(CodePlace::of_evidence(evidence), &context.material.files))
                },
                (Some(evidence), false) => p.hint {
                    "Its evidence at " (name(&format!("{}:{}", evidence.path.display(), evidence.line)))
                    " is not there, or shows nothing of the finding: it does not count."
                },
                (None, _) => p.hint { "Without evidence: it does not count against the finding." },
            }
        }
    }
}

/// A line for each, its reasons folded below it.
fn lines(context: &PageContext<'_>, views: &[FindingView<'_>]) -> Markup {
    html! {
        ul.notes {
            @for (at, view) in views.iter().enumerate() {
                li id=(anchor(view.found)) {
                    details {
                        summary {
                            (severity_badge(view.severity)) " " (name(&view.place)) " " (prose(&view.sentence()))
                        }
                        (byline(view))
                        @if at < MAX_CARDS { (code::excerpt(CodePlace::of_finding(view.found), &context.material.files)) }
                        (reasons(view))
                    }
                }
            }
        }
    }
}

fn dismissed(context: &PageContext<'_>) -> Markup {
    let all: Vec<_> = context.report.dismissed_findings().collect();
    html! {
        @if !all.is_empty() {
            section #dismissed aria-labelledby="dismissed-title" {
                h2 #dismissed-title { "Dismissed" }
                ul.notes {
                    @for (found, dismissal) in all {
                        li id=(anchor(found)) {
                            (severity_badge(found.finding.severity)) " "
                            (prose(&readable_description(&found.finding.description)))
                            p.byline {
                                (prose(dismissal.ground.words())) ": " (prose(&dismissal.because))
                                " · " (prose(&dismissal.by)) ", " (prose(dismissal.at.get(..10).unwrap_or(&dismissal.at)))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The id of a finding within the page: ours, whatever the report says.
pub(super) fn anchor(found: &JudgedFinding) -> String {
    let plain: String = found
        .id
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(12)
        .collect();
    format!("finding-{plain}")
}
