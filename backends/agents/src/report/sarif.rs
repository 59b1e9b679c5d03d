//! SARIF 2.1.0 (OASIS), as semgrep, gitleaks, zizmor, clippy-sarif, eslint and CodeQL write it: what a result means.

use std::collections::HashMap;

use council_protocol::Severity;
use serde::Deserialize;

use super::ToolHit;
use super::stream::{Capped, CappedMap, HasPlace, PlacedItems};

#[derive(Default, Deserialize)]
pub(super) struct SarifFile {
    location: Option<SarifArtifact>,
}

#[derive(Default, Deserialize)]
pub(super) struct SarifTool {
    pub(super) driver: SarifComponent,
    #[serde(default)]
    extensions: Capped<SarifComponent>,
}

#[derive(Default, Deserialize)]
pub(super) struct SarifComponent {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    rules: Capped<SarifRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRule {
    id: String,
    help_uri: Option<String>,
    default_configuration: Option<SarifConfiguration>,
    #[serde(default)]
    message_strings: CappedMap<SarifMessage>,
}

#[derive(Deserialize)]
pub(super) struct SarifConfiguration {
    level: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifInvocation {
    execution_successful: Option<bool>,
    exit_code: Option<i64>,
    exit_code_description: Option<String>,
    exit_signal_name: Option<String>,
    exit_signal_number: Option<i64>,
    process_start_failure_message: Option<String>,
    /// What went wrong on the way: a file that could not be parsed is told here, and the run is a success nevertheless.
    #[serde(default)]
    pub(super) tool_execution_notifications: Capped<SarifResult>,
    /// What is wrong with the tool's own configuration: it did not look as it was told to.
    #[serde(default)]
    pub(super) tool_configuration_notifications: Capped<SarifResult>,
    /// What the run was told to make of its rules.
    #[serde(default)]
    pub(super) rule_configuration_overrides: Capped<SarifOverride>,
}

/// Another configuration of a rule than its own, for one run.
#[derive(Deserialize)]
pub(super) struct SarifOverride {
    descriptor: SarifRuleReference,
    configuration: SarifConfiguration,
}

impl SarifInvocation {
    /// Why the run did not succeed, in the tool's words; none: nothing says so. Many tools end with 1 where they have
    /// found something, and say that they succeeded.
    pub(super) fn failure(&self) -> Option<String> {
        let code = self.exit_code.filter(|code| *code != 0);
        let signal = self
            .exit_signal_name
            .as_deref()
            .filter(|name| !name.is_empty());
        let number = self.exit_signal_number.filter(|number| *number != 0);
        let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let died = said(&self.process_start_failure_message)
            .or_else(|| signal.map(|name| format!("it was ended by {name}")))
            .or_else(|| number.map(|number| format!("it was ended by signal {number}")));
        let gave_up = match self.execution_successful {
            Some(true) => false,
            Some(false) => true,
            None => code.is_some(),
        };
        let coded = || {
            code.map(|code| format!("it ended with {code}"))
                .unwrap_or_default()
        };
        died.or_else(|| gave_up.then(|| said(&self.exit_code_description).unwrap_or_else(coded)))
    }
}

/// The first notification of the level `error`, in its words.
pub(super) fn first_error(notifications: &[SarifResult]) -> Option<String> {
    let error = notifications
        .iter()
        .find(|one| one.level.as_deref() == Some("error"))?;
    Some(message_text(&error.message, None).unwrap_or_default())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    rule_id: Option<String>,
    rule_index: Option<usize>,
    rule: Option<SarifRuleReference>,
    /// What a notification is about; some tools say it here alone.
    descriptor: Option<SarifRuleReference>,
    level: Option<String>,
    kind: Option<String>,
    baseline_state: Option<String>,
    #[serde(default)]
    message: SarifMessage,
    #[serde(default)]
    pub(super) locations: PlacedItems<SarifLocation>,
    #[serde(default)]
    suppressions: Capped<SarifSuppression>,
}

#[derive(Deserialize)]
pub(super) struct SarifSuppression {
    status: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRuleReference {
    id: Option<String>,
    index: Option<usize>,
    tool_component: Option<SarifComponentReference>,
}

/// Which part of the tool has a rule.
#[derive(Deserialize)]
struct SarifComponentReference {
    /// Among the tool's extensions; none or -1: the driver.
    index: Option<i64>,
    name: Option<String>,
}

#[derive(Default, Deserialize)]
pub(super) struct SarifMessage {
    /// One of the rule's own messages.
    id: Option<String>,
    text: Option<String>,
    markdown: Option<String>,
    /// What `{0}`, `{1}` … stand for.
    #[serde(default)]
    arguments: Capped<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLocation {
    pub(super) physical_location: Option<SarifPhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifPhysicalLocation {
    pub(super) artifact_location: Option<SarifArtifact>,
    region: Option<SarifRegion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifArtifact {
    pub(super) uri: Option<String>,
    uri_base_id: Option<String>,
    /// In the run's `artifacts`.
    index: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRegion {
    start_line: Option<u32>,
    end_line: Option<u32>,
    end_column: Option<u32>,
}

impl SarifPhysicalLocation {
    /// Path and lines, where the place says them by itself.
    pub(super) fn plain_lines(&self) -> Option<(String, u32, u32)> {
        let file = self.artifact_location.as_ref()?;
        let region = self.region.as_ref()?;
        let uri = file.uri.as_deref().filter(|_| file.uri_base_id.is_none())?;
        let first = region.start_line?;
        Some((
            decoded_path(uri),
            first,
            region.last_line().unwrap_or(first),
        ))
    }
}

impl SarifRegion {
    /// The last line with something of it: the end is exclusive (3.30.8).
    fn last_line(&self) -> Option<u32> {
        let end = self.end_line?;
        let is_before =
            self.end_column == Some(1) && self.start_line.is_some_and(|start| start < end);
        Some(end - u32::from(is_before))
    }
}

impl HasPlace for SarifLocation {
    fn has_place(&self) -> bool {
        self.physical_location.is_some()
    }
}

/// Not the record of a check that passed, not a problem of an earlier run that is gone, and not suppressed. A suppression
/// that was rejected, or that nobody has decided on yet, suppresses nothing (SARIF 2.1.0, 3.35.3).
pub(super) fn is_open(result: &SarifResult) -> bool {
    let kind = result.kind.as_deref().unwrap_or("fail");
    let is_accepted =
        |one: &SarifSuppression| matches!(one.status.as_deref(), None | Some("accepted"));
    let is_suppressed =
        !result.suppressions.0.is_empty() && result.suppressions.0.iter().all(is_accepted);
    let is_gone = result.baseline_state.as_deref() == Some("absent");
    !is_suppressed && !is_gone && matches!(kind, "fail" | "open" | "review")
}

/// What the results of a run refer to by number or by name.
pub(super) struct RunLookup<'a> {
    rules: HashMap<&'a str, &'a SarifRule>,
    tool: &'a SarifTool,
    files: &'a [SarifFile],
    folders: &'a HashMap<String, SarifArtifact>,
    overrides: &'a [SarifOverride],
}

/// How many folders may stand on each other: a ring of them must end.
const MAX_NESTED_FOLDERS: usize = 8;

impl<'a> RunLookup<'a> {
    pub(super) fn new(
        tool: &'a SarifTool,
        files: &'a [SarifFile],
        folders: &'a HashMap<String, SarifArtifact>,
        overrides: &'a [SarifOverride],
    ) -> Self {
        let mut rules = HashMap::new();
        let components = std::iter::once(&tool.driver).chain(&tool.extensions.0);
        for rule in components.flat_map(|component| &component.rules.0) {
            rules.entry(rule.id.as_str()).or_insert(rule);
        }
        Self {
            rules,
            tool,
            files,
            folders,
            overrides,
        }
    }

    /// What a result says, once for each of its places; without one, once.
    pub(super) fn hits_of(&self, mut result: SarifResult) -> Vec<ToolHit> {
        let places = std::mem::take(&mut result.locations.0);
        let hit = self.hit_of(result);
        let at = |place: SarifLocation| {
            let place = place.physical_location;
            let (artifact, region) =
                place.map_or((None, None), |p| (p.artifact_location, p.region));
            ToolHit {
                path: artifact
                    .and_then(|artifact| self.path_of(&artifact, MAX_NESTED_FOLDERS))
                    .map_or_else(String::new, |uri| decoded_path(&uri)),
                line: region.as_ref().and_then(|r| r.start_line).unwrap_or(0),
                end_line: region.as_ref().and_then(SarifRegion::last_line),
                ..hit.clone()
            }
        };
        if places.is_empty() {
            vec![hit]
        } else {
            places.into_iter().map(at).collect()
        }
    }

    /// What a notification says, with what it is about, once for each of its places.
    pub(super) fn troubles_of(&self, mut notification: SarifResult) -> Vec<ToolHit> {
        let about = notification.descriptor.take().and_then(|about| about.id);
        let mut hits = self.hits_of(notification);
        for (hit, about) in hits.iter_mut().zip(about.iter().cycle()) {
            if !hit.message.contains(about.as_str()) {
                hit.message = format!("{about}: {}", hit.message);
            }
        }
        hits
    }

    /// What a result says, without its place.
    fn hit_of(&self, result: SarifResult) -> ToolHit {
        let rule = self.rule_of(&result);
        let id = result
            .rule_id
            .or(result.rule.and_then(|rule| rule.id))
            .or_else(|| rule.map(|rule| rule.id.clone()));
        let default = rule
            .and_then(|rule| rule.default_configuration.as_ref())
            .and_then(|configuration| configuration.level.as_deref());
        let default = self.overriding_level(rule, id.as_deref()).or(default);
        let level = result.level.as_deref().or(default).unwrap_or("warning");
        ToolHit {
            severity: severity_of(level),
            message: message_text(&result.message, rule)
                .or_else(|| id.clone())
                .unwrap_or_default(),
            path: String::new(),
            line: 0,
            end_line: None,
            suggestion: None,
            page: rule.and_then(|rule| rule.help_uri.clone()),
            rule: id,
        }
    }

    /// The gravest level that the run gave a rule instead of its own (3.20.5): nobody knows which of its invocations found
    /// something.
    fn overriding_level(&self, rule: Option<&SarifRule>, id: Option<&str>) -> Option<&'a str> {
        let is_about = |one: &&SarifOverride| {
            let named = self.rule_named(None, None, Some(&one.descriptor));
            match (named, rule) {
                (Some(named), Some(rule)) => std::ptr::eq(named, rule),
                _ => one.descriptor.id.is_some() && one.descriptor.id.as_deref() == id,
            }
        };
        let about = self.overrides.iter().filter(is_about);
        let levels = about.filter_map(|one| one.configuration.level.as_deref());
        levels.max_by_key(|level| severity_of(level))
    }

    fn rule_of(&self, result: &SarifResult) -> Option<&'a SarifRule> {
        let (id, index) = (result.rule_id.as_deref(), result.rule_index);
        self.rule_named(id, index, result.rule.as_ref())
    }

    /// By its name, else by its number.
    fn rule_named(
        &self,
        id: Option<&str>,
        index: Option<usize>,
        reference: Option<&SarifRuleReference>,
    ) -> Option<&'a SarifRule> {
        let id = id.or(reference.and_then(|rule| rule.id.as_deref()));
        let index = index.or(reference.and_then(|rule| rule.index));
        let component = reference.and_then(|rule| rule.tool_component.as_ref());
        let rules = &self.component_of(component).rules.0;
        // Two parts of a tool may have rules of one name, and `a/b` may stand for the rule `a` (3.52.4).
        let numbered = index.and_then(|index| rules.get(index));
        let is_it = |rule: &&SarifRule, id: &str| {
            id.strip_prefix(rule.id.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match id {
            Some(id) => numbered
                .filter(|rule| is_it(rule, id))
                .or_else(|| rules.iter().find(|rule| rule.id == id))
                .or_else(|| self.rules.get(id).copied()),
            None => numbered,
        }
    }

    /// The part of the tool that a reference names; the driver where it names none.
    fn component_of(&self, reference: Option<&SarifComponentReference>) -> &'a SarifComponent {
        let extensions = &self.tool.extensions.0;
        let by_number = |index: i64| extensions.get(usize::try_from(index).ok()?);
        let by_name = |name: &String| extensions.iter().find(|one| one.name == *name);
        let named = reference.and_then(|reference| {
            let number = reference.index.and_then(by_number);
            number.or_else(|| reference.name.as_ref().and_then(by_name))
        });
        named.unwrap_or(&self.tool.driver)
    }

    /// The path from the root of the repository, or an absolute one.
    fn path_of(&self, place: &SarifArtifact, depth: usize) -> Option<String> {
        let listed = || self.files.get(place.index?)?.location.as_ref();
        let Some(uri) = &place.uri else {
            return self.path_of(listed()?, depth.checked_sub(1)?);
        };
        let base = place
            .uri_base_id
            .as_ref()
            .and_then(|id| self.folders.get(id));
        match base.and_then(|base| self.path_of(base, depth.checked_sub(1)?)) {
            Some(folder) if !is_absolute(uri) => {
                Some(format!("{}/{uri}", folder.trim_end_matches('/')))
            }
            _ => Some(uri.clone()),
        }
    }
}

fn is_absolute(uri: &str) -> bool {
    uri.starts_with('/') || uri.contains("://")
}

/// The path that a URI stands for; of the formats that are read only SARIF writes URIs.
pub(super) fn decoded_path(uri: &str) -> String {
    let path = percent_encoding::percent_decode_str(uri);
    path.decode_utf8_lossy().into_owned()
}

/// The message, in words of its own or as one of the rule's with its arguments put in.
fn message_text(message: &SarifMessage, rule: Option<&SarifRule>) -> Option<String> {
    let own = message.text.as_ref().or(message.markdown.as_ref());
    let named = || {
        rule?
            .message_strings
            .0
            .get(message.id.as_ref()?)?
            .text
            .as_ref()
    };
    let mut text = own.or_else(named)?.clone();
    for (number, argument) in message.arguments.0.iter().enumerate() {
        text = text.replace(&format!("{{{number}}}"), argument);
    }
    Some(text)
}

/// One that SARIF does not know is not known to be milder than none.
fn severity_of(level: &str) -> Severity {
    match level.to_ascii_lowercase().as_str() {
        "error" => Severity::Critical,
        "note" | "none" => Severity::Minor,
        _ => Severity::Significant,
    }
}
