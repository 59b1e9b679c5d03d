//! What was asked for where it is no review, kept with the request of its run: whoever goes on with it does the same.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::KeyValue;
use crate::council::plan::Intensity;
use crate::duel::DuelRole;
use crate::prompt::ProductionMode;

/// What a run is that is no review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RequestedMode {
    Duel(DuelRequest),
    /// A debate of a stage.
    Stage(StageRequest),
    /// Ideas or findings about a topic.
    Topic(ProductionMode),
}

/// A duel that somebody asks for, its subject aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DuelRequest {
    /// The side that this program plays; none: both.
    pub(crate) role: Option<DuelRole>,
    /// Who speaks for A and for B; none: the configuration's first and second agent.
    pub(crate) agents: [Option<String>; 2],
    /// How often the file is looked at.
    pub(crate) poll_ms: u64,
    /// How long a side waits for the other.
    pub(crate) timeout_ms: u64,
    /// Where both write.
    pub(crate) file: PathBuf,
    /// Whether the file stays once the duel is over.
    pub(crate) keep: bool,
}

/// A debate of a stage that somebody asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StageRequest {
    /// The folder below `stages/`; none: the one that `state/progress.json` calls current.
    pub(crate) stage: Option<String>,
    pub(crate) intensity: Option<Intensity>,
    /// The strongest layer of the configuration.
    pub(crate) flags: Vec<KeyValue>,
    /// A file for the report.
    pub(crate) output: Option<PathBuf>,
}
