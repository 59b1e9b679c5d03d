//! Configuration: layers with the origin of every value, and what each layer may set.
//!
//! This room reads no file and no environment: `cli` hands it [`Layer`]s and gets a [`Config`] back. One table,
//! [`KEYS`], drives everything: parsing, rights, suggestions, `git council config`, the schema and the document.

mod checkout;
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

pub use checkout::{CheckoutRule, CheckoutTrust, RaisedDemands};
pub use error::ConfigError;
pub use key::{ConfigKey, KeyPath, MergeRule};
pub use keys::{ENVIRONMENT, KEYS};
pub use kind::{ValueKind, is_model};
pub use reference::{config_schema, render_reference};
pub use resolve::{Config, DisobeyedKey, LayerPart, ResolvedKey, resolve_checkout, resolve_layers};
pub use settings::{
    AgentSettings, BackendSettings, BackgroundSettings, CacheSettings, ColorChoice, CoveragePolicy,
    CrossExaminationSettings, DisputedPolicy, HookMode, HookSettings, JudgeSettings,
    LargeChangePolicy, LimitSettings, NoteSettings, OnTimeout, OpaquePolicy, OutputSettings,
    PriceSettings, PromptSettings, RedactSettings, ReportFormat, ReviewSettings, RunSettings,
    Settings, TimeoutSettings, TrustSettings,
};
pub use source::{ConfigLayer, KeyValue, LayerSource, SourceTrust, ValueOrigin};
pub use suggest::nearest_word;
pub use units::parse_duration;
