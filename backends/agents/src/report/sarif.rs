//! SARIF 2.1.0 (OASIS), as semgrep, gitleaks, zizmor, clippy-sarif, eslint and CodeQL write it.

use std::collections::HashMap;

use council_protocol::{Failure, FailureKind, Severity};
use serde::Deserialize;

use super::{ToolHit, malformed_report};

#[derive(Deserialize)]
struct SarifLog {
    version: String,
    runs: Vec<SarifRun>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun {
    tool: SarifTool,
    #[serde(default)]
    invocations: Vec<SarifInvocation>,
    /// Null: the run was not done.
    #[serde(default)]
    results: Option<Vec<SarifResult>>,
    /// Files by number, for results that name a number in the place of a path.
    #[serde(default)]
    artifacts: Vec<SarifFile>,
    /// Folders by name, from which paths may start.
    #[serde(default)]
    original_uri_base_ids: HashMap<String, SarifArtifact>,
}

#[derive(Deserialize)]
struct SarifFile {
    location: Option<SarifArtifact>,
}

#[derive(Deserialize)]
struct SarifTool {
    driver: SarifComponent,
    #[serde(default)]
    extensions: Vec<SarifComponent>,
}

#[derive(Deserialize)]
struct SarifComponent {
    #[serde(default)]
    name: String,
    #[serde(default)]
    rules: Vec<SarifRule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: String,
    help_uri: Option<String>,
    default_configuration: Option<SarifConfiguration>,
    #[serde(default)]
    message_strings: HashMap<String, SarifMessage>,
}

#[derive(Deserialize)]
struct SarifConfiguration {
    level: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifInvocation {
    execution_successful: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: Option<String>,
    rule_index: Option<usize>,
    rule: Option<SarifRuleReference>,
    level: Option<String>,
    kind: Option<String>,
    message: SarifMessage,
    #[serde(default)]
    locations: Vec<SarifLocation>,
    #[serde(default)]
    suppressions: Vec<SarifSuppression>,
}

#[derive(Deserialize)]
struct SarifSuppression {
    status: Option<String>,
}

#[derive(Deserialize)]
struct SarifRuleReference {
    id: Option<String>,
    index: Option<usize>,
}

#[derive(Deserialize)]
struct SarifMessage {
    /// One of the rule's own messages.
    id: Option<String>,
    text: Option<String>,
    markdown: Option<String>,
    /// What `{0}`, `{1}` … stand for.
    #[serde(default)]
    arguments: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    physical_location: Option<SarifPhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifPhysicalLocation {
    artifact_location: Option<SarifArtifact>,
    region: Option<SarifRegion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifArtifact {
    uri: Option<String>,
    uri_base_id: Option<String>,
    /// In the run's `artifacts`.
    index: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SarifRegion {
    start_line: Option<u32>,
    end_line: Option<u32>,
}

/// What the log reports, suppressed results left out.
pub(super) fn parse_hits(text: &str) -> Result<Vec<ToolHit>, Failure> {
    let log: SarifLog = super::parse_json(text, "SARIF")?;
    if log.version != "2.1.0" {
        return Err(malformed_report(format!(
            "its SARIF has version {}, and 2.1.0 is read",
            log.version
        )));
    }
    if log.runs.is_empty() {
        return Err(malformed_report("its SARIF has no run in it".to_owned()));
    }
    let mut hits = Vec::new();
    for run in log.runs {
        let failed = run
            .invocations
            .iter()
            .any(|i| i.execution_successful == Some(false));
        let name = &run.tool.driver.name;
        let Some(results) = run.results.filter(|_| !failed) else {
            let detail = format!("the tool `{name}` says that its run did not succeed");
            return Err(Failure::new(FailureKind::Provider, detail));
        };
        let lookup = RunLookup::new(&run.tool, &run.artifacts, &run.original_uri_base_ids);
        let open = results.into_iter().filter(is_open);
        hits.extend(open.map(|result| lookup.hit_of(result)));
    }
    Ok(hits)
}

/// Not the record of a check that passed, and not suppressed. A suppression that was rejected, or that nobody has decided
/// on yet, suppresses nothing (SARIF 2.1.0, 3.35.3).
fn is_open(result: &SarifResult) -> bool {
    let kind = result.kind.as_deref().unwrap_or("fail");
    let is_accepted =
        |one: &SarifSuppression| matches!(one.status.as_deref(), None | Some("accepted"));
    let is_suppressed =
        !result.suppressions.is_empty() && result.suppressions.iter().all(is_accepted);
    !is_suppressed && matches!(kind, "fail" | "open" | "review")
}

/// What the results of a run refer to by number or by name.
struct RunLookup<'a> {
    rules: HashMap<&'a str, &'a SarifRule>,
    /// Rules by their number: those of the driver.
    numbered: &'a [SarifRule],
    files: &'a [SarifFile],
    folders: &'a HashMap<String, SarifArtifact>,
}

/// How many folders may stand on each other: a ring of them must end.
const MAX_NESTED_FOLDERS: usize = 8;

impl<'a> RunLookup<'a> {
    fn new(
        tool: &'a SarifTool,
        files: &'a [SarifFile],
        folders: &'a HashMap<String, SarifArtifact>,
    ) -> Self {
        let mut rules = HashMap::new();
        let components = std::iter::once(&tool.driver).chain(&tool.extensions);
        for rule in components.flat_map(|component| &component.rules) {
            rules.entry(rule.id.as_str()).or_insert(rule);
        }
        Self {
            rules,
            numbered: &tool.driver.rules,
            files,
            folders,
        }
    }

    fn hit_of(&self, result: SarifResult) -> ToolHit {
        let rule = self.rule_of(&result);
        let id = result
            .rule_id
            .or(result.rule.and_then(|rule| rule.id))
            .or_else(|| rule.map(|rule| rule.id.clone()));
        let default = rule
            .and_then(|rule| rule.default_configuration.as_ref())
            .and_then(|configuration| configuration.level.as_deref());
        let level = result.level.as_deref().or(default).unwrap_or("warning");
        let mut locations = result.locations.into_iter();
        let place = locations.find_map(|place| place.physical_location);
        let (artifact, region) = place.map_or((None, None), |p| (p.artifact_location, p.region));
        ToolHit {
            severity: severity_of(level),
            message: message_text(&result.message, rule)
                .or_else(|| id.clone())
                .unwrap_or_default(),
            path: artifact
                .and_then(|artifact| self.path_of(&artifact, MAX_NESTED_FOLDERS))
                .unwrap_or_default(),
            line: region.as_ref().and_then(|r| r.start_line).unwrap_or(0),
            end_line: region.and_then(|region| region.end_line),
            suggestion: None,
            page: rule.and_then(|rule| rule.help_uri.clone()),
            rule: id,
        }
    }

    /// By its name, else by its number.
    fn rule_of(&self, result: &SarifResult) -> Option<&'a SarifRule> {
        let reference = result.rule.as_ref();
        let id = result.rule_id.as_deref();
        let id = id.or(reference.and_then(|rule| rule.id.as_deref()));
        let index = result.rule_index.or(reference.and_then(|rule| rule.index));
        match id {
            Some(id) => self.rules.get(id).copied(),
            None => self.numbered.get(index?),
        }
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

/// The message, in words of its own or as one of the rule's with its arguments put in.
fn message_text(message: &SarifMessage, rule: Option<&SarifRule>) -> Option<String> {
    let own = message.text.as_ref().or(message.markdown.as_ref());
    let named = || {
        rule?
            .message_strings
            .get(message.id.as_ref()?)?
            .text
            .as_ref()
    };
    let mut text = own.or_else(named)?.clone();
    for (number, argument) in message.arguments.iter().enumerate() {
        text = text.replace(&format!("{{{number}}}"), argument);
    }
    Some(text)
}

fn severity_of(level: &str) -> Severity {
    match level {
        "error" => Severity::Critical,
        "warning" => Severity::Significant,
        _ => Severity::Minor,
    }
}
