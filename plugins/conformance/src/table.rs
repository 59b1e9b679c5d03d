//! What came of it: capability × scenario × result.

use std::fmt;

use council_protocol::Capability;

/// What came of one scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScenarioOutcome {
    /// As it must be.
    Passed,
    /// Not as it must be, and how.
    Failed(String),
    /// The backend does not claim the capability; what it did with the call.
    Unclaimed(String),
    /// It could not be tried, and why.
    Untried(String),
}

/// One scenario with one backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    /// The capability that it is about, if it is about one.
    pub capability: Option<Capability>,
    /// The name of the scenario.
    pub scenario: &'static str,
    /// What came of it.
    pub outcome: ScenarioOutcome,
}

/// All scenarios with one backend. Displayed as an aligned table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConformanceTable {
    /// The backend's name.
    pub backend: String,
    /// In the order in which they were played.
    pub rows: Vec<TableRow>,
}

impl ConformanceTable {
    /// Whether nothing failed.
    pub fn passed(&self) -> bool {
        !self
            .rows
            .iter()
            .any(|row| matches!(row.outcome, ScenarioOutcome::Failed(_)))
    }

    /// What came of the scenario of this name.
    pub fn outcome_of(&self, scenario: &str) -> Option<&ScenarioOutcome> {
        self.rows
            .iter()
            .find(|row| row.scenario == scenario)
            .map(|row| &row.outcome)
    }

    fn count(&self, of: impl Fn(&ScenarioOutcome) -> bool) -> usize {
        self.rows.iter().filter(|row| of(&row.outcome)).count()
    }
}

impl fmt::Display for ScenarioOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("pass"),
            Self::Failed(why) => write!(f, "FAIL: {why}"),
            Self::Unclaimed(what) => write!(f, "not claimed: {what}"),
            Self::Untried(why) => write!(f, "not tried: {why}"),
        }
    }
}

impl fmt::Display for ConformanceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let capability = |row: &TableRow| {
            row.capability
                .as_ref()
                .map_or("", Capability::name)
                .to_owned()
        };
        let longest = |width: usize, len: usize| width.max(len);
        let first = self
            .rows
            .iter()
            .map(|row| capability(row).len())
            .fold("capability".len(), longest);
        let second = self
            .rows
            .iter()
            .map(|row| row.scenario.len())
            .fold("scenario".len(), longest);
        writeln!(f, "{}\n", self.backend)?;
        writeln!(f, "{:first$}  {:second$}  result", "capability", "scenario")?;
        for row in &self.rows {
            writeln!(
                f,
                "{:first$}  {:second$}  {}",
                capability(row),
                row.scenario,
                row.outcome
            )?;
        }
        let passed = self.count(|o| *o == ScenarioOutcome::Passed);
        let failed = self.count(|o| matches!(o, ScenarioOutcome::Failed(_)));
        let unclaimed = self.count(|o| matches!(o, ScenarioOutcome::Unclaimed(_)));
        let untried = self.count(|o| matches!(o, ScenarioOutcome::Untried(_)));
        writeln!(
            f,
            "\n{passed} passed, {failed} failed, {unclaimed} not claimed, {untried} not tried"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_and_counted() {
        let row = |capability, scenario, outcome| TableRow {
            capability,
            scenario,
            outcome,
        };
        let table = ConformanceTable {
            backend: "mine".into(),
            rows: vec![
                row(None, "one answer", ScenarioOutcome::Passed),
                row(
                    Some(Capability::Shutdown),
                    "ignored",
                    ScenarioOutcome::Failed("no end".into()),
                ),
                row(
                    Some(Capability::Message),
                    "in order",
                    ScenarioOutcome::Unclaimed("refused".into()),
                ),
            ],
        };
        assert!(!table.passed());
        let text = "mine\n\n\
            capability  scenario    result\n\
            \x20           one answer  pass\n\
            shutdown    ignored     FAIL: no end\n\
            message     in order    not claimed: refused\n\n\
            1 passed, 1 failed, 1 not claimed, 0 not tried\n";
        assert_eq!(table.to_string(), text);
    }
}
