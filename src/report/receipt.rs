//! How a verdict came about, line by line, for whoever shows the receipt. Nothing here is clean.

use super::words::{consensus_name, usage_words};
use crate::council::ledger::ExchangeKind;
use crate::report::facts::{BriefFacts, RecognisedVerdict};
use crate::report::whole::Report;

/// One line of the receipt.
pub(super) struct ReceiptFact {
    pub(super) name: &'static str,
    pub(super) value: String,
    /// Whether the value is a name or digest, and no prose.
    pub(super) exact: bool,
}

/// How the verdict came about, as far as a line says it.
pub(super) fn receipt_facts(report: &Report) -> Vec<ReceiptFact> {
    let run = &report.receipt.run;
    let mut facts = FactList(Vec::new());
    facts.push_exact("Run", Some(&run.name));
    facts.push_prose("Started by", run.started_by.as_deref().map(agent_words));
    facts.push_prose("Reason", Some(verdict_reason(report)));
    facts.push_prose(
        "Recognised",
        run.recognised.as_ref().map(RecognisedVerdict::to_sentence),
    );
    facts.push_prose("Git source", run.git_source.clone());
    if let Some(backend) = &run.backend {
        let how = if backend.requested.is_some() {
            "asked for"
        } else {
            "chosen automatically"
        };
        facts.push_prose("Backend", Some(format!("{}, {how}", backend.name)));
        for why in &backend.passed_over {
            facts.push_prose("Passed over", Some(why.clone()));
        }
    }
    facts.push_prose(
        "Exchange",
        report
            .outcome
            .ledger
            .exchange
            .map(|kind| exchange_words(kind, report.outcome.ledger.dropped)),
    );
    for given in &report.receipt.instructions {
        facts.push_prose(
            "Instructions",
            Some(format!("{} of {}", given.path.display(), given.origin)),
        );
    }
    facts.push_prose("Brief", run.brief.as_ref().map(BriefFacts::to_sentence));
    facts.push_exact("Packet", run.digests.packet.as_ref());
    facts.push_exact("Configuration", run.digests.config.as_ref());
    facts.push_exact("Templates", run.digests.templates.as_ref());
    facts.push_exact("Context", run.digests.context.as_ref());
    facts.push_exact("Recognition key", run.recognition_key.as_ref());
    facts.push_exact("Seed", run.seed.as_ref().map(|seed| &seed.0));
    facts.push_prose("Cost", report.receipt.usage.as_ref().and_then(usage_words));
    facts.push_exact("Program", Some(&format!("git-council {}", run.version)));
    facts.0
}

struct FactList(Vec<ReceiptFact>);

impl FactList {
    fn push_prose(&mut self, name: &'static str, value: Option<String>) {
        self.0.extend(value.map(|value| ReceiptFact {
            name,
            value,
            exact: false,
        }));
    }

    fn push_exact(&mut self, name: &'static str, value: Option<&String>) {
        self.0.extend(value.map(|value| ReceiptFact {
            name,
            value: value.clone(),
            exact: true,
        }));
    }
}

/// Who reads that a change passed should know that its author's tool asked for it.
fn agent_words(agent: &str) -> String {
    format!("{agent}, a coding agent, by its own word")
}

fn verdict_reason(report: &Report) -> String {
    let rule = report.outcome.consensus.map_or(String::new(), |rule| {
        format!(", by {}", consensus_name(rule))
    });
    format!("{}{rule}", report.outcome.reason.as_str())
}

fn exchange_words(kind: ExchangeKind, dropped: u32) -> String {
    let how = match kind {
        ExchangeKind::Reference => "by reference",
        ExchangeKind::Inline => "inline",
        ExchangeKind::Both => "by reference where possible, else inline",
    };
    if dropped == 0 {
        how.to_owned()
    } else {
        format!("{how}; {dropped} findings did not fit")
    }
}
