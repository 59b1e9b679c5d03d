//! How a verdict came about, line by line, for whoever shows the receipt. Nothing here is clean.

use super::words::{consensus, cost};
use super::{Recognised, Report};
use crate::council::ledger::ExchangeKind;

/// One line of the receipt.
pub(super) struct Fact {
    pub(super) name: &'static str,
    pub(super) value: String,
    /// Whether the value is a name or digest, and no prose.
    pub(super) exact: bool,
}

/// How the verdict came about, as far as a line says it.
pub(super) fn facts(report: &Report) -> Vec<Fact> {
    let run = &report.receipt.run;
    let mut facts = Facts(Vec::new());
    facts.exact("Run", Some(&run.name));
    facts.prose("Reason", Some(reason(report)));
    facts.prose("Recognised", run.recognised.as_ref().map(Recognised::words));
    facts.prose("Git source", run.git_source.clone());
    if let Some(backend) = &run.backend {
        let how = if backend.requested.is_some() {
            "asked for"
        } else {
            "chosen automatically"
        };
        facts.prose("Backend", Some(format!("{}, {how}", backend.name)));
        for why in &backend.passed_over {
            facts.prose("Passed over", Some(why.clone()));
        }
    }
    facts.prose(
        "Exchange",
        report
            .ledger
            .exchange
            .map(|kind| exchange(kind, report.ledger.dropped)),
    );
    for given in &report.receipt.instructions {
        facts.prose(
            "Instructions",
            Some(format!("{} of {}", given.path.display(), given.origin)),
        );
    }
    facts.exact("Packet", run.digests.packet.as_ref());
    facts.exact("Configuration", run.digests.config.as_ref());
    facts.exact("Templates", run.digests.templates.as_ref());
    facts.exact("Recognition key", run.recognition_key.as_ref());
    facts.exact("Seed", run.seed.as_ref().map(|seed| &seed.0));
    facts.prose("Cost", report.receipt.usage.as_ref().and_then(cost));
    facts.exact("Program", Some(&format!("git-council {}", run.version)));
    facts.0
}

struct Facts(Vec<Fact>);

impl Facts {
    fn prose(&mut self, name: &'static str, value: Option<String>) {
        self.0.extend(value.map(|value| Fact {
            name,
            value,
            exact: false,
        }));
    }

    fn exact(&mut self, name: &'static str, value: Option<&String>) {
        self.0.extend(value.map(|value| Fact {
            name,
            value: value.clone(),
            exact: true,
        }));
    }
}

fn reason(report: &Report) -> String {
    let rule = report
        .consensus
        .map_or(String::new(), |rule| format!(", by {}", consensus(rule)));
    format!("{}{rule}", report.reason.word())
}

fn exchange(kind: ExchangeKind, dropped: u32) -> String {
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
