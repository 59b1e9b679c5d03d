//! Configuration: layers with the origin of every value, and what each layer may set.
//!
//! This room reads no file and no environment: `cli` hands it [`Layer`]s and gets a [`Config`] back. One table,
//! [`KEYS`], drives everything: parsing, rights, suggestions, `git council config`, the schema and the document.

mod error;
mod key;
mod keys;
mod kind;
mod read;
mod reference;
mod resolve;
mod settings;
mod source;
mod suggest;
#[cfg(test)]
mod tests;
mod units;

pub use error::ConfigError;
pub use key::{Key, KeyPath, Merge};
pub use keys::{ENVIRONMENT, KEYS};
pub use kind::{Kind, is_model};
pub use reference::{reference, schema};
pub use resolve::{Config, Entry, Notice, Part, resolve};
pub use settings::{
    AgentSettings, BackendSettings, Background, CacheSettings, Color, DisputedPolicy,
    CoveragePolicy, CrossExamination, Format, Hook, HookMode, JudgeSettings, Large, Limits, Notes,
    OnTimeout, Output, PriceSettings, Prompts, Redact, Review, Runs, Settings, TimeoutSettings,
};
pub use source::{Layer, Origin, Pair, Source, Trust};
pub use suggest::nearest;
pub use units::parse_duration;
