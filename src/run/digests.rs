//! What a verdict depends on, as digests: the same key means that a change was judged before, in the same way.

use council_protocol::{Packet, Seat};
use serde::Serialize;

use crate::config::Settings;
use crate::git::recognition_key;
use crate::packet::{self, sha256};
use crate::report::InputDigests;

use crate::run::error::RunError;
use crate::run::prepare::PreparedReview;
use crate::run::prompts::SeatPrompts;
use crate::run::seats::SeatPlanner;

/// What is known of a verdict before anybody is convened.
#[derive(Debug, Clone)]
pub(crate) struct RunDigests {
    /// The prompt templates, where there are any.
    templates: Option<String>,
    /// The change: `git patch-id --verbatim` with modes.
    pub(crate) change: String,
    /// Configuration by which it is judged.
    pub(crate) config: String,
    /// Who judges, and this program.
    pub(crate) bench: String,
    /// All of it together: the recognition key.
    pub(crate) key: String,
}

/// The digests of a run and its recognition key: change, configuration, bench, templates, and what the trusted side
/// instructs.
pub(crate) fn compute_digests(
    prepared: &PreparedReview,
    seats: &[Seat],
    templates: Option<String>,
) -> RunDigests {
    let config = sha256(&judged_settings_bytes(prepared));
    // Built-in rules change with the program.
    let bench = sha256(&to_json_bytes(&(env!("CARGO_PKG_VERSION"), seats)));
    let change = recognition_key(&prepared.change, &prepared.packet.files);
    let instructions: Vec<_> = prepared.packet.instructions.iter().collect();
    let instructions = sha256(&to_json_bytes(
        &instructions
            .iter()
            .map(|i| (&i.path, &i.text))
            .collect::<Vec<_>>(),
    ));
    let parts = [
        change.as_str(),
        &config,
        &bench,
        templates.as_deref().unwrap_or_default(),
        &instructions,
    ];
    let key = sha256(parts.join("\n").as_bytes());
    RunDigests {
        templates,
        change,
        config,
        bench,
        key,
    }
}

impl RunDigests {
    /// The digests that the receipt shows. The packet's is made here only: a verdict that is recognised needs none.
    pub(crate) fn receipt_digests(&self, packet: &Packet) -> InputDigests {
        InputDigests {
            packet: Some(packet::packet_digest(packet)),
            config: Some(self.config.clone()),
            templates: self.templates.clone(),
        }
    }
}

/// What is known before anybody is asked.
pub(crate) struct PlannedDigests {
    /// The recognition key of the change.
    pub(crate) key: String,
    /// A digest of what decides beside the change: configuration, bench, templates, program.
    pub(crate) rules: String,
}

/// The digests of a run that is still to be held.
pub(crate) fn digests_before_run(
    prepared: &PreparedReview,
    deep: bool,
) -> Result<PlannedDigests, RunError> {
    let config = &prepared.config;
    let seats = SeatPlanner { config, deep }.plan_seats()?;
    let templates = SeatPrompts::planned_digest(&seats)?;
    let judged = judged_settings_bytes(prepared);
    let bench = to_json_bytes(&(env!("CARGO_PKG_VERSION"), &seats));
    let words = templates.clone().unwrap_or_default().into_bytes();
    Ok(PlannedDigests {
        key: compute_digests(prepared, &seats, templates).key,
        rules: sha256(&[judged, bench, words].join(&b'\n')),
    })
}

/// The part of the configuration by which a change is judged; how long it may take and how it is shown is not.
#[derive(Serialize)]
struct JudgedSettings<'a> {
    review: &'a crate::config::ReviewSettings,
    cross_examination: &'a crate::config::CrossExaminationSettings,
    rules: &'a std::collections::BTreeMap<String, council_protocol::seat::RuleLevel>,
    limits: &'a crate::config::LimitSettings,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'a crate::config::ProofSettings>,
}

impl<'a> JudgedSettings<'a> {
    fn from_settings(settings: &'a Settings) -> Self {
        let Settings {
            review,
            cross_examination,
            rules,
            limits,
            proof,
            ..
        } = settings;
        Self {
            review,
            cross_examination,
            rules,
            limits,
            proof: (!proof.run.is_empty() || !proof.suites.is_empty()).then_some(proof),
        }
    }
}

/// The configuration by which a change is judged, and what of it is shown.
fn judged_settings_bytes(prepared: &PreparedReview) -> Vec<u8> {
    let mut judged = to_json_bytes(&JudgedSettings::from_settings(&prepared.config.settings));
    judged.extend(prepared.redactor.digest().unwrap_or_default().bytes());
    judged
}

fn to_json_bytes(value: &impl Serialize) -> Vec<u8> {
    // Plain data with string keys: this cannot fail.
    serde_json::to_vec(value).unwrap_or_default()
}
