//! How the verdict came about: what went in, who sat, what was granted, how each judge ended, what it cost.

use council_protocol::Capability;
use council_protocol::message::Usage;

use super::model::{Block, Depth, Section, Text};
use crate::council::outcome::JudgeRecord;
use crate::report::receipt;
use crate::report::whole::Report;
use crate::report::words::{self, JudgeNames};

/// The facts of the run, then a line for each judge.
pub(in crate::report) fn sections(report: &Report, names: &JudgeNames<'_>) -> Vec<Section> {
    let mut facts = Section::new("Receipt", Depth::Detail, 8);
    let rows = receipt::receipt_facts(report).into_iter().map(|fact| {
        let value = if fact.exact {
            Text::Name(fact.value)
        } else {
            Text::Prose(fact.value)
        };
        vec![Text::Prose(fact.name.to_owned()), value]
    });
    facts.blocks.push(Block::Table {
        header: vec!["Fact", "Value"],
        rows: rows.collect(),
    });
    let mut judges = Section::new("How each judge ran", Depth::Detail, 8);
    if !report.outcome.judges.is_empty() {
        let judged = &report.outcome.judges;
        let mut rows: Vec<Vec<Text>> = judged.iter().map(|j| row(j, names)).collect();
        let mut header = vec!["Judge", "Ended", "Answered", "Cost"];
        let looked_up: Vec<Option<String>> = judged
            .iter()
            .map(|j| j.usage.as_ref().and_then(words::look_up_words))
            .collect();
        // A column for what most benches do not have would only take room.
        if looked_up.iter().any(Option::is_some) {
            header.push("Looked up");
            for (row, words) in rows.iter_mut().zip(looked_up) {
                row.push(Text::Prose(words.unwrap_or_else(|| "–".to_owned())));
            }
        }
        // Last, because the last column is the one that wraps.
        header.push("Granted");
        for (row, judge) in rows.iter_mut().zip(judged) {
            row.push(Text::Prose(granted(judge)));
        }
        judges.blocks.push(Block::Table { header, rows });
    }
    vec![facts, judges]
}

fn row(judge: &JudgeRecord, names: &JudgeNames<'_>) -> Vec<Text> {
    let answered = match (judge.started, judge.answered_ms) {
        (false, _) => "not seated".to_owned(),
        (true, Some(ms)) => format!("after {}", words::format_duration(ms)),
        (true, None) => "no".to_owned(),
    };
    let cost = match judge.usage.as_ref().and_then(words::usage_words) {
        Some(cost) => cost,
        None if judge.seat.agent.deterministic => "–".to_owned(),
        None => "unknown".to_owned(),
    };
    let cells = [
        names.get(&judge.seat.judge).to_owned(),
        words::ending_word(judge.ending).to_owned(),
        answered,
        cost,
    ];
    cells.into_iter().map(Text::Prose).collect()
}

/// What a judge was granted and had: only its server knows whether it takes the form of an answer.
fn granted(judge: &JudgeRecord) -> String {
    let mut granted = judge.grant.granted.clone();
    let form = Capability::StructuredOutput;
    let usage = judge.usage.as_ref();
    let is_refused = granted.has(&form) && usage.is_some_and(Usage::is_without_schema);
    if is_refused {
        granted.remove(&form);
    }
    let mut parts = vec![granted.to_string()];
    let emulated = judge.grant.emulated.iter();
    parts.extend(emulated.map(|(what, how)| format!("instead of {what}: {how}")));
    parts.extend(is_refused.then(|| format!("not {form}: its server did not take it")));
    parts.join("; ")
}
