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
    rule: Option<SarifRuleReference>,
    level: Option<String>,
    kind: Option<String>,
    message: SarifMessage,
    #[serde(default)]
    locations: Vec<SarifLocation>,
    #[serde(default)]
    suppressions: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct SarifRuleReference {
    id: Option<String>,
}

#[derive(Deserialize)]
struct SarifMessage {
    text: Option<String>,
    markdown: Option<String>,
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
struct SarifArtifact {
    uri: Option<String>,
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
        let components = std::iter::once(&run.tool.driver).chain(&run.tool.extensions);
        let all = components.flat_map(|component| &component.rules);
        let mut rules: HashMap<&str, &SarifRule> = HashMap::new();
        for rule in all {
            rules.entry(&rule.id).or_insert(rule);
        }
        let open = results.into_iter().filter(is_open);
        hits.extend(open.map(|result| hit_of(result, &rules)));
    }
    Ok(hits)
}

/// Neither suppressed in the source nor the record of a check that passed.
fn is_open(result: &SarifResult) -> bool {
    let kind = result.kind.as_deref().unwrap_or("fail");
    result.suppressions.is_empty() && matches!(kind, "fail" | "open" | "review")
}

fn hit_of(result: SarifResult, rules: &HashMap<&str, &SarifRule>) -> ToolHit {
    let id = result.rule_id.or(result.rule.and_then(|rule| rule.id));
    let rule = id.as_deref().and_then(|id| rules.get(id));
    let default = rule
        .and_then(|rule| rule.default_configuration.as_ref())
        .and_then(|configuration| configuration.level.as_deref());
    let level = result.level.as_deref().or(default).unwrap_or("warning");
    let place = result
        .locations
        .into_iter()
        .find_map(|place| place.physical_location);
    let (artifact, region) = place.map_or((None, None), |p| (p.artifact_location, p.region));
    let message = result.message.text.or(result.message.markdown);
    ToolHit {
        severity: severity_of(level),
        message: message.unwrap_or_else(|| id.clone().unwrap_or_default()),
        path: artifact
            .and_then(|artifact| artifact.uri)
            .unwrap_or_default(),
        line: region
            .as_ref()
            .and_then(|region| region.start_line)
            .unwrap_or(0),
        end_line: region.and_then(|region| region.end_line),
        suggestion: None,
        page: rule.and_then(|rule| rule.help_uri.clone()),
        rule: id,
    }
}

fn severity_of(level: &str) -> Severity {
    match level {
        "error" => Severity::Critical,
        "warning" => Severity::Significant,
        _ => Severity::Minor,
    }
}
