//! What a verdict depends on, as digests: the same key means that a change was judged before, in the same way.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use council_agents::installed;
use council_protocol::Seat;
use council_protocol::packet::TargetKind;
use council_protocol::seat::AgentKind;
use serde::Serialize;

use crate::config::Settings;
use crate::git::recognition_key;
use crate::packet::sha256;
use crate::report::InputDigests;
use crate::safe_file;

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
    let programs = program_digests(seats, prepared.search_path.as_deref());
    let version = env!("CARGO_PKG_VERSION");
    let told = &prepared.told;
    let bench = match (programs.is_empty(), told.is_empty()) {
        (true, true) => to_json_bytes(&(version, seats)),
        (false, true) => to_json_bytes(&(version, seats, programs)),
        (_, false) => to_json_bytes(&(version, seats, programs, told)),
    };
    let bench = sha256(&bench);
    let change = recognition_key(&prepared.change, &prepared.packet.files);
    let instructions: Vec<_> = prepared.packet.instructions.iter().collect();
    let instructions = sha256(&to_json_bytes(
        &instructions
            .iter()
            .map(|i| (&i.path, &i.text))
            .collect::<Vec<_>>(),
    ));
    let mut parts = vec![
        change.as_str(),
        &config,
        &bench,
        templates.as_deref().unwrap_or_default(),
        &instructions,
    ];
    // What stands around a patch nobody sees, or it is not known to be that of the commit with the same lines.
    let is_patch = prepared.packet.target.kind == TargetKind::Patch;
    let is_bare = is_patch || !prepared.change.blobs.has_blobs();
    parts.extend(is_bare.then_some("without a tree"));
    let key = sha256(parts.join("\n").as_bytes());
    RunDigests {
        templates,
        change,
        config,
        bench,
        key,
    }
}

/// The largest program that is read for its digest; of a larger one size and time are taken.
const MAX_PROGRAM_BYTES: u64 = 64 << 20;

/// What the programs are that judge, by their content: another one at the same path judges anew. The files that stand in a
/// command are part of it, be they scripts or rules.
fn program_digests(seats: &[Seat], search_path: Option<&OsStr>) -> BTreeMap<String, String> {
    let commands = seats.iter().filter_map(|seat| match &seat.agent.kind {
        AgentKind::Command { argv, .. } => Some(argv),
        _ => None,
    });
    let mut digests = BTreeMap::new();
    for argv in commands {
        for (nth, word) in argv.iter().enumerate() {
            // `--config=/home/me/rules.yml` names a file as well.
            let value = word
                .split_once('=')
                .map_or(word.as_str(), |(_, value)| value);
            let path = match Path::new(value) {
                path if path.is_absolute() => Some(path.to_owned()),
                _ if nth == 0 => installed::find_on_path(word, search_path),
                _ => None,
            };
            let digest = path.and_then(|path| file_digest(&path).or_else(|| folder_digest(&path)));
            digests.extend(digest.map(|digest| (word.clone(), digest)));
        }
    }
    digests
}

fn file_digest(path: &Path) -> Option<String> {
    let known = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    if known.len() > MAX_PROGRAM_BYTES {
        return Some(format!("{} {:?}", known.len(), known.modified().ok()));
    }
    // What cannot be read can only be run: its size and its time are all that is known of it.
    let content = safe_file::read(path).map(|bytes| sha256(&bytes));
    Some(content.unwrap_or_else(|_| format!("{} {:?}", known.len(), known.modified().ok())))
}

/// The most files of a folder that stands in a command, such as one of rules.
const MAX_FOLDER_FILES: usize = 2_000;

/// What lies in a folder, by names, sizes and times; hidden files left out. None: it is no folder, or holds more than is
/// looked at.
fn folder_digest(folder: &Path) -> Option<String> {
    if !folder.is_dir() {
        return None;
    }
    let walk = ignore::WalkBuilder::new(folder)
        .standard_filters(false)
        .hidden(true)
        .sort_by_file_name(Ord::cmp)
        .build();
    let mut known = Vec::new();
    for entry in walk.flatten() {
        let Some(about) = entry.metadata().ok().filter(fs::Metadata::is_file) else {
            continue;
        };
        known.push((entry.into_path(), about.len(), about.modified().ok()));
        if known.len() > MAX_FOLDER_FILES {
            return None;
        }
    }
    Some(sha256(format!("{known:?}").as_bytes()))
}

impl RunDigests {
    /// The digests that the receipt shows. The packet's is made for it only: a verdict that is recognised needs none.
    pub(crate) fn receipt_digests(
        &self,
        packet: String,
        prompts: Option<&SeatPrompts>,
    ) -> InputDigests {
        InputDigests {
            change: Some(self.change.clone()),
            packet: Some(packet),
            config: Some(self.config.clone()),
            templates: self.templates.clone(),
            context: prompts.and_then(SeatPrompts::context_digest),
        }
    }
}

/// What is known before anybody is asked.
pub(crate) struct PlannedDigests {
    /// The recognition key of the change.
    pub(crate) key: String,
    /// A digest of what decides beside the change: configuration, bench, templates, program.
    pub(crate) rules: String,
    /// Who is to be asked.
    pub(crate) seats: Vec<Seat>,
}

/// The digests of a run that is still to be held.
pub(crate) fn digests_before_run(
    prepared: &PreparedReview,
    deep: bool,
) -> Result<PlannedDigests, RunError> {
    let config = &prepared.config;
    let seats = SeatPlanner { config, deep }
        .plan_bench(&prepared.packet)?
        .seats;
    let templates = SeatPrompts::planned_digest(&seats)?;
    let judged = judged_settings_bytes(prepared);
    let programs = program_digests(&seats, prepared.search_path.as_deref());
    let bench = to_json_bytes(&(env!("CARGO_PKG_VERSION"), &seats, programs));
    let words = templates.clone().unwrap_or_default().into_bytes();
    Ok(PlannedDigests {
        key: compute_digests(prepared, &seats, templates).key,
        rules: sha256(&[judged, bench, words].join(&b'\n')),
        seats,
    })
}

/// The part of the configuration by which a change is judged; how long it may take, what it may cost and how it is
/// shown is not: a review that the money did not suffice for is never told again.
#[derive(Serialize)]
struct JudgedSettings<'a> {
    review: &'a crate::config::ReviewSettings,
    cross_examination: &'a crate::config::CrossExaminationSettings,
    rules: &'a std::collections::BTreeMap<String, council_protocol::seat::RuleLevel>,
    limits: crate::config::LimitSettings,
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
            limits: crate::config::LimitSettings {
                cost: None,
                ..limits.clone()
            },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::resolve_layers;

    /// Whoever limits what a review may cost asks for the same review; whoever limits what judges are shown does not.
    #[test]
    fn a_limit_of_the_cost_is_no_other_review() {
        let judged = |settings: &Settings| to_json_bytes(&JudgedSettings::from_settings(settings));
        let known = resolve_layers(&[]).unwrap().settings;
        let (mut cheap, mut small) = (known.clone(), known.clone());
        cheap.limits.cost = Some(5_000_000);
        small.limits.brief /= 2;
        assert_eq!(judged(&cheap), judged(&known));
        assert_ne!(judged(&small), judged(&known));
    }
}
