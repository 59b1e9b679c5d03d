//! The flags of a cross-examination.

use clap::Args;

use crate::config::KeyValue;
use crate::run::error::RunError;

/// The procedure that these flags belong to.
pub(crate) const PROCEDURE: &str = "cross-examination";

/// Flags of a cross-examination; any of them asks for one.
#[derive(Debug, Clone, Default, Args)]
#[command(
    next_help_heading = "Cross-examination (roles that challenge each other); any of these selects it"
)]
pub(crate) struct CouncillorArgs {
    /// The number of rounds, 1 to 4
    #[arg(short, long, value_name = "N")]
    pub(crate) rounds: Option<String>,
    /// The number of councillors, 3 to 6
    #[arg(short, long, value_name = "N", conflicts_with = "judges")]
    pub(crate) councillors: Option<String>,
    /// The subject of the domain expert, the sixth councillor; the others consider it too
    #[arg(short, long, value_name = "FIELD")]
    pub(crate) focus: Option<String>,
    /// Ask one councillor after another, without messages between them
    #[arg(short, long)]
    pub(crate) economy: bool,
    /// Also write the whole debate to .agents/council/…-session.md
    #[arg(short, long, conflicts_with = "no_save")]
    pub(crate) save: bool,
}

impl CouncillorArgs {
    /// The flags as keys.
    pub(crate) fn config_pairs(&self) -> Vec<KeyValue> {
        let with_value = [
            ("cross-examination.rounds", &self.rounds, "--rounds"),
            (
                "cross-examination.councillors",
                &self.councillors,
                "--councillors",
            ),
            ("cross-examination.focus", &self.focus, "--focus"),
        ];
        let given = |(key, value, flag): (&str, &Option<String>, &str)| {
            value.as_ref().map(|value| KeyValue::new(key, value, flag))
        };
        let mut pairs: Vec<KeyValue> = with_value.into_iter().filter_map(given).collect();
        if self.economy {
            pairs.push(KeyValue::new(
                "cross-examination.economy",
                "true",
                "--economy",
            ));
        }
        if self.save {
            pairs.push(KeyValue::new("output.session", "true", "--save"));
        }
        pairs
    }

    /// The first flag that was given.
    pub(crate) fn first_flag(&self) -> Option<&'static str> {
        let flags = [
            (self.rounds.is_some(), "--rounds"),
            (self.councillors.is_some(), "--councillors"),
            (self.focus.is_some(), "--focus"),
            (self.economy, "--economy"),
            (self.save, "--save"),
        ];
        flags
            .into_iter()
            .find_map(|(given, flag)| given.then_some(flag))
    }

    /// Refuses flags beside a procedure that knows nothing of them.
    pub(crate) fn check_conflict(&self, other: Option<&str>) -> Result<(), RunError> {
        match (self.first_flag(), other) {
            (Some(flag), Some(other)) => Err(RunError::usage(format!(
                "{flag} is only for a cross-examination, but {other} selects something else"
            ))
            .hint(format!("leave out {other}, or use --procedure {PROCEDURE}"))),
            _ => Ok(()),
        }
    }
}
