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

pub(crate) use checkout::CheckoutTrust;
pub(crate) use error::ConfigError;
pub use key::ConfigKey;
pub(crate) use keys::ENVIRONMENT;
pub use keys::KEYS;
pub use kind::ValueKind;
pub(crate) use kind::is_model;
pub use reference::{config_schema, render_reference};
pub(crate) use resolve::{Config, LayerPart, ResolvedKey, resolve_checkout, resolve_layers};
pub(crate) use settings::{
    AgentSettings, BackendSettings, ColorChoice, CrossExaminationSettings, HookMode, JudgeSettings,
    LargeChangePolicy, LimitSettings, NoteSettings, OnTimeout, OpaquePolicy, PriceSettings,
    ProgressSetting, ProofSettings, ReportFormat, ReviewSettings, Settings,
};
pub use source::SourceTrust;
pub(crate) use source::{ConfigLayer, KeyValue, LayerSource, ValueOrigin};
pub(crate) use suggest::nearest_word;
pub(crate) use units::parse_duration;
