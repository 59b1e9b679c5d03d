//! Who sat, how they voted, what was granted, what it took.

use super::document::MarkdownSection;
use super::{cell, finding, folded, row, table};
use crate::council::outcome::JudgeRecord;
use crate::council::plan::Procedure;
use crate::report::words::{self, JudgeNames};
use crate::report::{Report, receipt};
use crate::text::Untrusted;

/// Target, mode and judges: the lines below the heading.
pub(super) fn facts(report: &Report) -> String {
    let label = Untrusted::new(crate::text::clip_chars(&report.target.label, 200).as_ref()).code();
    let size = match report.change.files {
        0 => String::new(),
        _ => format!(" ({})", words::change_size(report.change, "−")),
    };
    let mut lines = vec![format!("- **Target:** {label}{size}")];
    if let Some(head) = &report.target.head {
        lines.push(format!(
            "- **Reviewed commit:** {}",
            Untrusted::new(head).code()
        ));
    }
    if !report.detail.is_empty() {
        lines.push(format!("- **Why:** {}", finding::prose(&report.detail)));
    }
    if let Some(recognised) = &report.receipt.run.recognised {
        lines.push(format!(
            "- **Recognised:** {}",
            finding::prose(&recognised.to_sentence())
        ));
    }
    if let Some(procedure) = report.outcome.procedure {
        lines.push(format!("- **Mode:** {}", mode(report, procedure)));
        let who = report.receipt.participation;
        lines.push(match report.is_document() {
            true => format!("- **Judges:** {}", who.counted),
            false => format!(
                "- **Judges:** {} asked, {} counted, quorum {}",
                who.asked, who.counted, who.quorum
            ),
        });
    }
    lines.join("\n")
}

fn mode(report: &Report, procedure: Procedure) -> String {
    let rounds = if report.outcome.rounds == 1 {
        "Rounds: 1".to_owned()
    } else {
        format!("Rounds: {}", report.outcome.rounds)
    };
    let fidelity = if is_degraded(report) {
        "degraded"
    } else {
        "full"
    };
    match report.outcome.rounds {
        0 | 1 => format!("{}, {rounds}", words::procedure_name(procedure)),
        _ if report.is_document() => format!("{}, {rounds}", words::procedure_name(procedure)),
        _ => format!(
            "{}, {rounds}, Fidelity: {fidelity}",
            words::procedure_name(procedure)
        ),
    }
}

/// Whether a debate was less than was asked for: a judge stayed away, a capability was missing, findings were dropped.
fn is_degraded(report: &Report) -> bool {
    let lacking = |j: &JudgeRecord| !j.grant.granted.missing(&j.grant.requested).is_empty();
    report.outcome.ledger.dropped > 0
        || report.incomplete
        || report
            .outcome
            .judges
            .iter()
            .any(|j| lacking(j) || j.counted.is_none() || j.r2.is_none())
}

/// Who wrote what, where a document was asked for: there are no votes.
fn contributions(report: &Report, names: &JudgeNames<'_>) -> MarkdownSection {
    let author = report.outcome.ledger.synthesis.as_ref().map(|s| &s.judge);
    let said = |judge: &JudgeRecord| match judge.failures.last() {
        _ if judge.r1.is_some() => cell(&crate::text::clip_chars(&judge.first_insight, 300)),
        Some(failure) => cell(&crate::text::clip_chars(&failure.failure.to_string(), 300)),
        None if author == Some(&judge.seat.judge) => "puts the document together".to_owned(),
        None => "–".to_owned(),
    };
    let rows = report.outcome.judges.iter();
    let rows = rows.map(|j| row(&[agent(j), cell(names.get(&j.seat.judge)), said(j)]));
    let rows: Vec<String> = rows.collect();
    let header = ["Agent", "Judge", "First thought"];
    MarkdownSection::new("Contributions", 0, vec![table(&header, &rows)])
}

/// The table of votes: agent and judge, both rounds, what counts.
pub(super) fn verdicts(report: &Report, names: &JudgeNames<'_>) -> MarkdownSection {
    if report.is_document() {
        return contributions(report, names);
    }
    let later = report.outcome.rounds > 1;
    let last = words::last_round(report);
    let header: &[&str] = match later {
        true => &[
            "Agent",
            "Judge",
            "R1",
            &last,
            "Counts",
            "Confidence",
            "Key insight",
        ],
        false => &["Agent", "Judge", "Verdict", "Confidence", "Key insight"],
    };
    let rows: Vec<String> = report
        .outcome
        .judges
        .iter()
        .map(|j| verdict_row(j, names, later))
        .collect();
    let blocks = if rows.is_empty() {
        Vec::new()
    } else {
        vec![table(header, &rows)]
    };
    MarkdownSection::new("Verdicts", 0, blocks)
}

fn verdict_row(judge: &JudgeRecord, names: &JudgeNames<'_>, later: bool) -> String {
    let mut cells = vec![agent(judge), cell(names.get(&judge.seat.judge))];
    if later {
        cells.extend([judge.r1, judge.r2].map(|v| words::vote_word(v).to_owned()));
    }
    cells.push(
        judge
            .counted
            .map_or("abstains".to_owned(), |v| format!("**{}**", v.as_str())),
    );
    cells.push(
        judge
            .confidence
            .map_or("–", words::confidence_word)
            .to_owned(),
    );
    cells.push(
        match judge.failures.last().filter(|_| judge.counted.is_none()) {
            Some(failure) => cell(&crate::text::clip_chars(&failure.failure.to_string(), 300)),
            None => cell(&crate::text::clip_chars(&judge.key_insight, 300)),
        },
    );
    row(&cells)
}

fn agent(judge: &JudgeRecord) -> String {
    let agent = &judge.seat.agent;
    let model = agent
        .model
        .as_ref()
        .map_or(String::new(), |m| format!(" ({m})"));
    cell(&format!("{}{model}", agent.name))
}

/// What went in, what was granted, how each judge ended, what it cost.
pub(super) fn receipt(report: &Report, names: &JudgeNames<'_>) -> MarkdownSection {
    let mut blocks = vec![facts_table(report)];
    if !report.outcome.judges.is_empty() {
        let rows: Vec<String> = report
            .outcome
            .judges
            .iter()
            .map(|j| receipt_row(j, names))
            .collect();
        blocks.push(table(
            &[
                "Judge", "Started", "Answered", "Counted", "Granted", "Instead", "Ended", "Cost",
            ],
            &rows,
        ));
    }
    MarkdownSection::new(
        "Receipt",
        8,
        vec![folded("How this verdict came about", &blocks.join("\n\n"))],
    )
}

fn facts_table(report: &Report) -> String {
    let value = |fact: &receipt::ReceiptFact| match fact.exact {
        true => Untrusted::new(&fact.value).code_cell(),
        false => cell(&fact.value),
    };
    let rows: Vec<String> = receipt::receipt_facts(report)
        .iter()
        .map(|fact| row(&[fact.name.to_owned(), value(fact)]))
        .collect();
    table(&["Fact", "Value"], &rows)
}

fn receipt_row(judge: &JudgeRecord, names: &JudgeNames<'_>) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let instead: Vec<String> = judge
        .grant
        .emulated
        .iter()
        .map(|(what, how)| format!("{what}: {how}"))
        .collect();
    row(&[
        cell(names.get(&judge.seat.judge)),
        yes(judge.started),
        yes(judge.r1.is_some()),
        yes(judge.counted.is_some()),
        cell(&judge.grant.granted.to_string()),
        cell(&instead.join("; ")),
        words::ending_word(judge.ending).to_owned(),
        match &judge.usage {
            None if judge.seat.agent.deterministic => "–".to_owned(),
            usage => cell(
                &usage
                    .as_ref()
                    .and_then(words::usage_words)
                    .unwrap_or_else(|| "unknown".into()),
            ),
        },
    ])
}

/// Who responded, and how long it took; `dated` also when, where nothing above says it.
pub(super) fn footer(report: &Report, dated: bool) -> String {
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
    let later = match report.outcome.rounds {
        0 | 1 => String::new(),
        _ => format!(
            " (R1 {}/{}, {} {}/{})",
            who.answered,
            who.asked,
            words::last_round(report),
            who.answered_later,
            who.answered
        ),
    };
    format!(
        "*{}/{} judges responded{later} in {seconds} seconds. {program}*",
        who.answered, who.asked
    )
}
