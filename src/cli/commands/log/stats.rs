//! `log --stats`: which rules and judges are worth having here.

use std::collections::BTreeMap;

use council_protocol::JudgeId;

use crate::cli::columns::Columns;
use crate::council::DismissalGround;
use crate::council::outcome::{Disposition, JudgedFinding};
use crate::report::Report;

/// What became of the findings of one rule or judge.
#[derive(Debug, Default, Clone, PartialEq)]
struct FindingCounts {
    raised: u32,
    confirmed: u32,
    dismissed: u32,
    fixed: u32,
    usd: Option<f64>,
}

impl FindingCounts {
    fn add(&mut self, found: &JudgedFinding) {
        self.raised += 1;
        self.confirmed += u32::from(found.disposition == Disposition::Confirmed);
        let ground = found.dismissed.as_ref().map(|dismissal| dismissal.ground);
        self.fixed += u32::from(ground == Some(DismissalGround::Fixed));
        self.dismissed += u32::from(ground.is_some_and(|g| g != DismissalGround::Fixed));
    }

    fn cells(&self, kind: &str, name: &str) -> [String; 7] {
        let cost = match (self.usd, self.confirmed) {
            (Some(usd), 1..) => format!("${:.2}", usd / f64::from(self.confirmed)),
            (Some(usd), 0) => format!("${usd:.2} for none"),
            (None, _) => String::new(),
        };
        let counts = [self.raised, self.confirmed, self.dismissed, self.fixed];
        let [raised, confirmed, dismissed, fixed] = counts.map(|count| count.to_string());
        let (kind, name) = (kind.to_owned(), name.to_owned());
        [kind, name, raised, confirmed, dismissed, fixed, cost]
    }
}

/// A table over these runs: the busiest first.
pub(super) fn render_stats(reports: &[&Report]) -> String {
    let (mut rules, mut judges) = (BTreeMap::new(), BTreeMap::new());
    for report in reports {
        count_report(report, &mut rules, &mut judges);
    }
    let mut columns = Columns::default();
    columns.push([
        "",
        "",
        "raised",
        "confirmed",
        "dismissed",
        "fixed",
        "a confirmed one costs",
    ]);
    for (kind, counts) in [("rule", rules), ("judge", judges)] {
        let mut rows: Vec<(String, FindingCounts)> = counts.into_iter().collect();
        rows.sort_by(|a, b| b.1.raised.cmp(&a.1.raised).then_with(|| a.0.cmp(&b.0)));
        for (name, counts) in rows {
            columns.push(counts.cells(kind, &name));
        }
    }
    let runs = match reports.len() {
        1 => "1 run".to_owned(),
        count => format!("{count} runs"),
    };
    format!("{runs}\n{}", columns.render(""))
}

fn count_report(
    report: &Report,
    rules: &mut BTreeMap<String, FindingCounts>,
    judges: &mut BTreeMap<String, FindingCounts>,
) {
    let names: BTreeMap<&JudgeId, String> = report
        .outcome
        .judges
        .iter()
        .map(|judge| {
            let (agent, looks_for) = (&judge.seat.agent, &judge.seat.perspective.name);
            let model = agent.model.as_ref().unwrap_or(&agent.name);
            (
                &judge.seat.judge,
                format!("{model} {looks_for}").trim_end().to_owned(),
            )
        })
        .collect();
    for judge in &report.outcome.judges {
        let Some(name) = names.get(&judge.seat.judge) else {
            continue;
        };
        let counts = judges.entry(name.clone()).or_default();
        let spent = judge.usage.as_ref().and_then(|usage| usage.cost_usd);
        counts.usd = counts.usd.into_iter().chain(spent).reduce(|a, b| a + b);
    }
    for found in &report.outcome.findings {
        if let Some(rule) = &found.finding.rule {
            rules.entry(rule.clone()).or_default().add(found);
        }
        let mut told: Vec<&JudgeId> = found.members.iter().map(|member| &member.judge).collect();
        told.sort();
        told.dedup();
        for name in told.into_iter().filter_map(|judge| names.get(judge)) {
            judges.entry(name.clone()).or_default().add(found);
        }
    }
}
