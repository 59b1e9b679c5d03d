//! The modes of a council as flags: who else sits, who helps, how much is debated, which models think.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::config::KeyValue;
use crate::run::error::RunError;
use crate::run::perspectives_file::read_perspectives;

/// Flags that say in which mode a council sits.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Mode")]
pub(crate) struct ModeArgs {
    /// Add as many judges from a second vendor (three of each, unless --judges says otherwise)
    #[arg(long)]
    pub(crate) mixed: bool,
    /// How many questions each judge may pass to helpers in round 1 (at most 5)
    #[arg(long, value_name = "N")]
    pub(crate) explorers: Option<String>,
    /// The helpers' model [default: the model of the judge that asks]
    #[arg(long, value_name = "MODEL")]
    pub(crate) explorer_model: Option<String>,
    /// Select a staged debate, and how long it lasts: full (3 to 5 rounds), standard (2 to 4), light (1)
    #[arg(long, value_name = "HOW")]
    pub(crate) intensity: Option<String>,
    /// Read perspectives from a YAML file: `perspectives: [{name, focus}]`
    #[arg(long, value_name = "FILE", conflicts_with = "perspectives")]
    pub(crate) perspectives_file: Option<PathBuf>,
    /// The model of every Claude judge
    #[arg(long, value_name = "MODEL")]
    pub(crate) claude_model: Option<String>,
    /// The model of every Codex judge [default: the one Codex is configured with]
    #[arg(long, value_name = "MODEL")]
    pub(crate) codex_model: Option<String>,
}

impl ModeArgs {
    /// The flags as keys.
    pub(crate) fn config_pairs(&self) -> Vec<KeyValue> {
        let with_value = [
            ("review.explorers", &self.explorers, "--explorers"),
            (
                "review.explorer-model",
                &self.explorer_model,
                "--explorer-model",
            ),
            ("review.intensity", &self.intensity, "--intensity"),
            ("agents.claude.model", &self.claude_model, "--claude-model"),
            ("agents.codex.model", &self.codex_model, "--codex-model"),
        ];
        let given = |(key, value, flag): (&str, &Option<String>, &str)| {
            value.as_ref().map(|value| KeyValue::new(key, value, flag))
        };
        let mut pairs: Vec<KeyValue> = with_value.into_iter().filter_map(given).collect();
        if self.mixed {
            pairs.push(KeyValue::new("review.mixed", "true", "--mixed"));
        }
        pairs
    }

    /// The file of perspectives as keys.
    pub(crate) fn perspective_pairs(&self, dir: &Path) -> Result<Vec<KeyValue>, RunError> {
        match &self.perspectives_file {
            Some(file) => read_perspectives(dir, file),
            None => Ok(Vec::new()),
        }
    }
}
