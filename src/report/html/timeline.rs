//! Who held what in which round, and what moved them.

use council_protocol::answer::{Evidence, Stance};
use council_protocol::{JudgeId, RoundNumber, Vote};
use maud::{Markup, html};

use super::code::{self, CodePlace};
use super::context::PageContext;
use super::finding::anchor;
use super::parts::{folded, prose, vote_badge};
use crate::council::ledger::JudgeStand;
use crate::council::outcome::{FindingMember, JudgeRecord, JudgedFinding, Opinion};
use crate::report::document::debate;
use crate::report::words;
use crate::text::clip_chars;

/// The most characters of a judge's sentence in a cell.
const MAX_SENTENCE: usize = 280;

/// The most findings that a cell names.
const MAX_CHIPS: usize = 12;

/// What a judge held in one round.
struct RoundPosition<'a> {
    vote: Option<Vote>,
    words: &'a str,
}

/// A judge that moved, or wanted to.
struct Move<'a> {
    judge: &'a JudgeId,
    round: RoundNumber,
    from: Vote,
    to: Vote,
    /// Why the move does not count; none: it does.
    refused: Option<&'a str>,
    evidence: Option<&'a Evidence>,
}

/// The judges round by round, the moves with their evidence, and all words of the debate folded.
pub(super) fn section(context: &PageContext<'_>) -> Markup {
    let judges = &context.report.outcome.judges;
    if judges.is_empty() {
        return html! {};
    }
    let rounds: Vec<RoundNumber> = (1..=context.report.outcome.rounds.max(1))
        .map(RoundNumber)
        .collect();
    let title = if rounds.len() > 1 {
        "The debate"
    } else {
        "The judges"
    };
    let told = debate::rounds(context.report, context.names);
    html! {
        section #debate aria-labelledby="debate-title" {
            h2 #debate-title { (title) }
            @if context.report.outcome.converged && !context.report.is_rules_only() {
                p.hint { (words::CONVERGENCE) }
            }
            (grid(context, &rounds))
            (moves(context))
            @for section in told.iter().filter(|section| !section.blocks.is_empty()) {
                (folded(section, false))
            }
        }
    }
}

fn grid(context: &PageContext<'_>, rounds: &[RoundNumber]) -> Markup {
    let document = context.report.is_document();
    html! {
        div.scroll tabindex="0" role="region" aria-label="Votes by round" {
            table.rounds {
                thead { tr {
                    th scope="col" { "Judge" }
                    @for round in rounds { th scope="col" { "Round " (round.0) } }
                    @if !document { th scope="col" { "Counts" } }
                } }
                tbody {
                    @for judge in &context.report.outcome.judges {
                        tr {
                            th scope="row" {
                                (prose(context.names.get(&judge.seat.judge)))
                                small { (prose(&agent(judge))) }
                            }
                            @for round in rounds { td { (cell(context, judge, *round)) } }
                            @if !document { td.counts {
                                @match judge.counted {
                                    Some(_) => (vote_badge(judge.counted)),
                                    None => "abstains",
                                }
                            } }
                        }
                    }
                }
            }
        }
    }
}

fn agent(judge: &JudgeRecord) -> String {
    let agent = &judge.seat.agent;
    match &agent.model {
        Some(model) => format!("{} ({model})", agent.name),
        None => agent.name.clone(),
    }
}

fn cell(context: &PageContext<'_>, judge: &JudgeRecord, round: RoundNumber) -> Markup {
    let failure = judge
        .failures
        .iter()
        .rev()
        .find(|failed| failed.round == round);
    let position = position(context, judge, round);
    html! {
        @match position {
            Some(position) => {
                @if !context.report.is_document() { (vote_badge(position.vote)) " " }
                (prose(&clip_chars(position.words, MAX_SENTENCE)))
                (stances(context, &judge.seat.judge, round))
            },
            None => span.absent {
                @match failure {
                    Some(failed) => { "no answer: " (prose(&failed.failure.in_words())) },
                    None => "was not asked",
                }
            },
        }
    }
}

/// The findings that a judge raised, agreed to or disputed in a round, as links.
fn stances(context: &PageContext<'_>, judge: &JudgeId, round: RoundNumber) -> Markup {
    let findings = &context.report.outcome.findings;
    let raised = |f: &&JudgedFinding| {
        let own = |m: &FindingMember| m.judge == *judge && m.round.max(RoundNumber::FIRST) == round;
        f.since.is_none() && f.members.iter().any(own)
    };
    // Opinions do not tell their round: all of them are of what came after the first one.
    let last = context.report.outcome.rounds;
    let told = |f: &&JudgedFinding, stances: &[Stance]| {
        let own = |o: &Opinion| o.judge == *judge && stances.contains(&o.stance);
        round > 1 && round == last && !raised(f) && f.opinions.iter().any(own)
    };
    let agreed = [Stance::Agreed, Stance::PartiallyAgreed];
    let groups: [(&str, Vec<&JudgedFinding>); 3] = [
        ("raises", findings.iter().filter(raised).collect()),
        (
            "agrees with",
            findings.iter().filter(|f| told(f, &agreed)).collect(),
        ),
        (
            "disputes",
            findings
                .iter()
                .filter(|f| told(f, &[Stance::Disagreed]))
                .collect(),
        ),
    ];
    html! {
        @for (word, found) in groups.iter().filter(|(_, found)| !found.is_empty()) {
            span.stance {
                (word)
                @for one in found.iter().take(MAX_CHIPS) { " " a.chip href=(format!("#{}", anchor(one))) { (prose(&one.id)) } }
                @if found.len() > MAX_CHIPS { " and " (found.len() - MAX_CHIPS) " more" }
            }
        }
    }
}

/// Where a judge stood in a round: by the ledger where it has that round, else by its record.
fn position<'a>(
    context: &'a PageContext<'_>,
    judge: &'a JudgeRecord,
    round: RoundNumber,
) -> Option<RoundPosition<'a>> {
    if let Some(stand) = stand(context, &judge.seat.judge, round) {
        return Some(RoundPosition {
            vote: Some(stand.given),
            words: &stand.position,
        });
    }
    let (vote, words) = match round {
        RoundNumber::FIRST => (judge.r1, judge.first_insight.as_str()),
        _ if round == context.report.outcome.rounds => (judge.r2, judge.key_insight.as_str()),
        _ => (None, ""),
    };
    vote.map(|vote| RoundPosition {
        vote: Some(vote),
        words,
    })
}

fn stand<'a>(
    context: &'a PageContext<'_>,
    judge: &JudgeId,
    round: RoundNumber,
) -> Option<&'a JudgeStand> {
    let rounds = &context.report.outcome.ledger.rounds;
    let record = rounds.iter().find(|record| record.round == round)?;
    record.stands.iter().find(|stand| stand.judge == *judge)
}

/// Every move with the evidence that it rests on.
fn moves(context: &PageContext<'_>) -> Markup {
    let moves = collect_moves(context);
    html! {
        @if !moves.is_empty() {
            h3 { "What moved them" }
            ol.moves {
                @for moved in &moves {
                    li {
                        p {
                            strong { (prose(context.names.get(moved.judge))) } ", round " (moved.round.0) ": "
                            (vote_badge(Some(moved.from))) " → " (vote_badge(Some(moved.to)))
                            @match moved.refused {
                                Some(why) => { " does not count: " (prose(why)) },
                                None if moved.evidence.is_some() => ", because it had missed this:",
                                None => "",
                            }
                        }
                        @if let Some(evidence) = moved.evidence {
                            (code::excerpt(CodePlace::of_evidence(evidence), &context.material.files))
                        }
                    }
                }
            }
        }
    }
}

fn collect_moves<'a>(context: &'a PageContext<'_>) -> Vec<Move<'a>> {
    let outcome = &context.report.outcome;
    let by_round = outcome.ledger.rounds.iter().flat_map(|record| {
        record.stands.iter().filter_map(|stand| {
            let from = stand.before.filter(|from| *from != stand.given)?;
            Some(Move {
                judge: &stand.judge,
                round: record.round,
                from,
                to: stand.given,
                refused: (stand.given != stand.after).then(|| refusal(&stand.note)),
                evidence: stand.evidence.as_ref(),
            })
        })
    });
    let moves: Vec<Move<'a>> = by_round.collect();
    if !moves.is_empty() {
        return moves;
    }
    let changed = outcome.judges.iter().filter_map(|judge| {
        let change = judge.change.as_ref()?;
        Some(Move {
            judge: &judge.seat.judge,
            round: RoundNumber(outcome.rounds),
            from: change.from,
            to: change.to,
            refused: change.weak.then(|| refusal(&change.note)),
            evidence: change.evidence.as_ref(),
        })
    });
    changed.collect()
}

fn refusal(note: &str) -> &str {
    match note {
        "" => "no evidence was named",
        note => note,
    }
}
