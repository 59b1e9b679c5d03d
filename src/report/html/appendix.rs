//! What stands behind the verdict, folded: what was read, what it cost, how it came about, what the judges were asked.

use council_protocol::RoundNumber;
use maud::{Markup, html};

use super::context::PageContext;
use super::parts::{folded, prose, vote_badge};
use crate::report::document::{receipt, remarks};
use crate::report::words::usage_words;
use crate::text::Untrusted;

/// The most lines of a prompt.
const MAX_PROMPT_LINES: usize = 2_000;

/// Coverage, recommendations, receipt, cost and prompts.
pub(super) fn sections(context: &PageContext<'_>) -> Markup {
    let (report, names) = (context.report, context.names);
    let details = remarks::details(report, names);
    let receipts = receipt::sections(report, names);
    let has_gaps = report.outcome.coverage.gaps().next().is_some();
    html! {
        section #background aria-labelledby="background-title" {
            h2 #background-title { "Behind the verdict" }
            @for section in details.iter().filter(|section| !section.blocks.is_empty()) {
                (folded(section, has_gaps && section.title == "Coverage"))
            }
            (cost(context))
            @for section in receipts.iter().filter(|section| !section.blocks.is_empty()) {
                (folded(section, false))
            }
            (prompts(context))
        }
    }
}

/// What each judge used in each round; nothing where no judge told.
fn cost(context: &PageContext<'_>) -> Markup {
    let judges = context.report.outcome.judges.iter();
    let told: Vec<_> = judges
        .filter(|judge| !judge.usage_by_round.is_empty())
        .collect();
    let rounds = context.report.outcome.rounds.max(1);
    html! {
        @if !told.is_empty() {
            details {
                summary { "Cost by round" }
                div.scroll tabindex="0" role="region" aria-label="Cost by round" {
                    table.plain {
                        thead { tr {
                            th scope="col" { "Judge" }
                            @for round in 1..=rounds { th scope="col" { "Round " (round) } }
                            th scope="col" { "Vote" }
                        } }
                        tbody { @for judge in told {
                            tr {
                                th scope="row" { (prose(context.names.get(&judge.seat.judge))) }
                                @for round in 1..=rounds {
                                    td { (prose(&judge.usage_by_round.get(&RoundNumber(round)).and_then(usage_words).unwrap_or_default())) }
                                }
                                td { (vote_badge(judge.counted)) }
                            }
                        } }
                    }
                }
            }
        }
    }
}

fn prompts(context: &PageContext<'_>) -> Markup {
    let all = &context.material.prompts;
    html! {
        @if !all.is_empty() {
            details.prompts {
                summary { "Prompts (" (all.len()) ")" }
                @for prompt in all {
                    details {
                        summary { (prose(&prompt.title)) }
                        pre.written tabindex="0" {
                            @for line in Untrusted::new(&prompt.text).code_lines().take(MAX_PROMPT_LINES) { (line) "\n" }
                        }
                    }
                }
            }
        }
    }
}
