//! Which rules and judges are worth having here: what became of their findings over all runs.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::JudgeId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::council::outcome::{Disposition, JudgeRecord, JudgedFinding};
use crate::council::{Dismissal, DismissalGround};
use crate::report::Report;
use crate::text::Columns;
use crate::text::{self, Ellipsis, Untrusted};

/// What people last said of findings, by fingerprint; none: a dismissal was taken back.
pub(crate) type Decisions = BTreeMap<String, Option<Dismissal>>;

/// What became of the findings of one rule or judge.
#[derive(Debug, Default, Clone, PartialEq)]
struct FindingCounts {
    raised: u32,
    confirmed: u32,
    dismissed: u32,
    fixed: u32,
    usd: Option<f64>,
    /// The number of the report in which each fingerprint was counted.
    counted: BTreeMap<String, usize>,
}

impl FindingCounts {
    /// Counts a finding of a report. A change that is reviewed again raises nothing new.
    fn add(&mut self, found: &JudgedFinding, number: usize, decisions: &Decisions) {
        let counted = self.counted.entry(found.fingerprint.clone());
        if *counted.or_insert(number) != number {
            return;
        }
        self.raised += 1;
        self.confirmed += u32::from(found.disposition == Disposition::Confirmed);
        // A report tells what was dismissed when it was made, and most dismissals come after it.
        let dismissal = match decisions.get(&found.fingerprint) {
            Some(decided) => decided.as_ref(),
            None => found.dismissed.as_ref(),
        };
        let ground = dismissal.map(|dismissal| dismissal.ground);
        self.fixed += u32::from(ground == Some(DismissalGround::Fixed));
        self.dismissed += u32::from(ground.is_some_and(|g| g != DismissalGround::Fixed));
    }
}

/// What `log --stats --json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FindingStats {
    /// How many runs were counted.
    runs: usize,
    /// By rule, the busiest first.
    rules: Vec<StatsRow>,
    /// By judge, the busiest first.
    judges: Vec<StatsRow>,
}

/// What became of the findings of one rule or judge. A finding of several runs counts once.
#[derive(Debug, Serialize, JsonSchema)]
struct StatsRow {
    name: String,
    raised: u32,
    confirmed: u32,
    dismissed: u32,
    /// Dismissed because somebody had fixed it.
    called_fixed: u32,
    /// What the judge cost in all its runs, in dollars, as far as it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    usd: Option<f64>,
}

impl FindingStats {
    /// The counts over these runs, the latest first.
    pub(crate) fn of(reports: &[&Report], decisions: &Decisions) -> Self {
        let mut counts = RunCounts::default();
        for (number, report) in reports.iter().enumerate() {
            counts.add_report(report, number, decisions);
        }
        let rows = |counts: BTreeMap<String, FindingCounts>| {
            let rows = counts.into_iter().map(|(name, counts)| StatsRow {
                name,
                raised: counts.raised,
                confirmed: counts.confirmed,
                dismissed: counts.dismissed,
                called_fixed: counts.fixed,
                usd: counts.usd,
            });
            let mut rows: Vec<StatsRow> = rows.collect();
            rows.sort_by_key(|row| std::cmp::Reverse(row.raised));
            rows
        };
        Self {
            runs: reports.len(),
            rules: rows(counts.rules),
            judges: rows(counts.judges),
        }
    }

    /// The same as two tables, no wider than a terminal of so many columns.
    pub(crate) fn render(&self, columns: Option<usize>, ellipsis: Ellipsis) -> String {
        let mut out = match self.runs {
            0 => return "no run has a report yet: git council review\n".to_owned(),
            1 => "1 run\n".to_owned(),
            count => format!("{count} runs\n"),
        };
        for (kind, rows) in [("rule", &self.rules), ("judge", &self.judges)] {
            if !rows.is_empty() {
                out.push('\n');
                out.push_str(&render_table(kind, rows, columns, ellipsis));
            }
        }
        out
    }
}

/// The headings of the numbers, and how wide they are with their gaps.
const HEADINGS: [&str; 5] = [
    "raised",
    "confirmed",
    "dismissed",
    "as fixed",
    "$ each confirmed",
];
const HEADINGS_WIDTH: usize = 58;

/// The fewest columns of a name.
const MIN_NAME: usize = 10;

fn render_table(
    kind: &str,
    rows: &[StatsRow],
    columns: Option<usize>,
    ellipsis: Ellipsis,
) -> String {
    // A rule costs nothing.
    let has_costs = rows.iter().any(|row| row.usd.is_some());
    let shown = if has_costs { 6 } else { 5 };
    let room = columns.map(|columns| columns.saturating_sub(HEADINGS_WIDTH).max(MIN_NAME));
    let mut table = Columns::default();
    let header = [kind].into_iter().chain(HEADINGS);
    table.push(header.take(shown));
    for row in rows {
        let name = Untrusted::new(&row.name).line();
        let name = match room {
            Some(room) => text::fit_columns(&name, room, ellipsis),
            None => name,
        };
        let cells = [name].into_iter().chain(row.cells());
        table.push(cells.take(shown));
    }
    table.render("")
}

impl StatsRow {
    fn cells(&self) -> [String; 5] {
        let cost = match (self.usd, self.confirmed) {
            (Some(usd), 1..) => dollars_bare(usd / f64::from(self.confirmed)),
            (Some(usd), 0) => format!("{} for none", dollars_bare(usd)),
            (None, _) => String::new(),
        };
        let counts = [
            self.raised,
            self.confirmed,
            self.dismissed,
            self.called_fixed,
        ];
        let [raised, confirmed, dismissed, fixed] = counts.map(|count| count.to_string());
        [raised, confirmed, dismissed, fixed, cost]
    }
}

/// An amount below a heading that says that it is in dollars.
fn dollars_bare(usd: f64) -> String {
    text::dollars(usd).replace('$', "")
}

/// The counts by the name of a rule and of a judge.
#[derive(Default)]
struct RunCounts {
    rules: BTreeMap<String, FindingCounts>,
    judges: BTreeMap<String, FindingCounts>,
}

impl RunCounts {
    fn add_report(&mut self, report: &Report, number: usize, decisions: &Decisions) {
        let names = judge_names(report);
        for judge in &report.outcome.judges {
            let Some(name) = names.get(&judge.seat.judge) else {
                continue;
            };
            let counts = self.judges.entry(name.clone()).or_default();
            let spent = judge.usage.as_ref().and_then(|usage| usage.cost_usd);
            counts.usd = counts.usd.into_iter().chain(spent).reduce(|a, b| a + b);
        }
        for found in &report.outcome.findings {
            if let Some(rule) = &found.finding.rule {
                let counts = self.rules.entry(rule.clone()).or_default();
                counts.add(found, number, decisions);
            }
            let told: BTreeSet<&JudgeId> = found.members.iter().map(|m| &m.judge).collect();
            for name in told.into_iter().filter_map(|judge| names.get(judge)) {
                let counts = self.judges.entry(name.clone()).or_default();
                counts.add(found, number, decisions);
            }
        }
    }
}

/// `sonnet security`: what judges of several runs are counted by.
fn judge_names(report: &Report) -> BTreeMap<&JudgeId, String> {
    let name = |judge: &JudgeRecord| {
        let (agent, looks_for) = (&judge.seat.agent, &judge.seat.perspective.name);
        let model = agent.model.as_ref().unwrap_or(&agent.name);
        format!("{model} {looks_for}").trim_end().to_owned()
    };
    let judges = report.outcome.judges.iter();
    judges
        .map(|judge| (&judge.seat.judge, name(judge)))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(name: &str, raised: u32, usd: Option<f64>) -> StatsRow {
        StatsRow {
            name: name.to_owned(),
            raised,
            confirmed: raised / 2,
            dismissed: raised,
            called_fixed: 0,
            usd,
        }
    }

    proptest! {
        /// Law: no line is wider than the terminal, whatever rules and models are called.
        #[test]
        fn no_line_is_wider_than_the_terminal(
            names in prop::collection::vec("[a-z -]{1,90}", 0..5),
            raised in 0u32..9999,
            usd in prop::option::of(0.0..9_999.0),
            columns in 68usize..200,
        ) {
            let rows = |usd| names.iter().map(|name| row(name, raised, usd)).collect();
            let stats = FindingStats { runs: 3, rules: rows(None), judges: rows(usd) };
            for line in stats.render(Some(columns), Ellipsis::Ascii).lines() {
                prop_assert!(text::display_width(line) <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn without_a_run_the_next_step_is_told() {
        let stats = FindingStats {
            runs: 0,
            rules: Vec::new(),
            judges: Vec::new(),
        };
        let told = stats.render(Some(80), Ellipsis::Ascii);
        assert_eq!(told, "no run has a report yet: git council review\n");
    }
}
