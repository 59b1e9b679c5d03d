//! The receipt, for those who ask: what went in, who sat, what was granted, how each judge ended.

use council_protocol::capability::Grant;
use council_protocol::message::Usage;

use crate::council::outcome::JudgeRecord;
use crate::report::page::{TerminalPage, colours};
use crate::report::words::{self, JudgeNames};
use crate::report::{Report, receipt};
use crate::text::{self, Ellipsis, Untrusted};

/// Facts of the run, then a line for each judge.
pub(super) fn show(page: &mut TerminalPage, report: &Report, names: &JudgeNames<'_>) {
    let common = common(&report.outcome.judges);
    let mut facts: Vec<(String, String)> = receipt::receipt_facts(report)
        .into_iter()
        .map(|fact| (fact.name.to_owned(), fact.value))
        .collect();
    facts.extend(common.map(|grant| ("Granted".to_owned(), granted(grant))));
    page.push_gap();
    page.push_line(&page.paint(colours::BOLD, "receipt"));
    rows(page, &facts);
    if !report.outcome.judges.is_empty() {
        let line = |j: &JudgeRecord| {
            (
                names.get(&j.seat.judge).to_owned(),
                judge(j, common.is_none()),
            )
        };
        page.push_gap();
        page.push_line(&page.paint(colours::BOLD, "judges"));
        rows(
            page,
            &report.outcome.judges.iter().map(line).collect::<Vec<_>>(),
        );
    }
}

/// Names in a column, each with its value beside it.
fn rows(page: &mut TerminalPage, rows: &[(String, String)]) {
    let rows: Vec<(String, String)> = rows
        .iter()
        .map(|(name, value)| (short(name), Untrusted::new(value).line()))
        .collect();
    let wide = rows
        .iter()
        .map(|(name, _)| text::display_width(name))
        .max()
        .unwrap_or(0);
    for (name, value) in &rows {
        let gap = " ".repeat(wide.saturating_sub(text::display_width(name)) + 2);
        page.push_hanging(&format!("  {name}{gap}"), colours::PLAIN, value, wide + 4);
    }
}

fn short(name: &str) -> String {
    text::fit_columns(&Untrusted::new(name).line(), 24, Ellipsis::Ascii)
}

/// What every judge was granted, where all were granted the same.
fn common(judges: &[JudgeRecord]) -> Option<&Grant> {
    let first = &judges.first()?.grant;
    judges.iter().all(|j| j.grant == *first).then_some(first)
}

fn granted(grant: &Grant) -> String {
    let mut parts = vec![grant.granted.to_string()];
    parts.extend(
        grant
            .emulated
            .iter()
            .map(|(what, how)| format!("instead of {what}: {how}")),
    );
    parts.join("; ")
}

fn judge(judge: &JudgeRecord, alone: bool) -> String {
    let agent = &judge.seat.agent;
    let model = agent
        .model
        .as_ref()
        .map_or(String::new(), |model| format!(" ({model})"));
    let mut parts = vec![
        format!("{}{model}", agent.name),
        words::judge_ballot(judge, "", "->").trim().to_owned(),
    ];
    parts.extend(alone.then(|| format!("granted {}", granted(&judge.grant))));
    parts.push(format!("ended {}", words::ending_word(judge.ending)));
    parts.extend(
        judge
            .answered_ms
            .map(|ms| format!("answered after {}", words::format_duration(ms))),
    );
    parts.extend(judge.usage.as_ref().and_then(cost));
    parts.join("; ")
}

fn cost(usage: &Usage) -> Option<String> {
    words::usage_words(usage).map(|cost| format!("cost {cost}"))
}
