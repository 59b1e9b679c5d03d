//! SARIF 2.1.0 (OASIS), as semgrep, gitleaks, zizmor, clippy-sarif, eslint and CodeQL write it.

use std::collections::HashMap;

use council_protocol::{Failure, FailureKind, Severity};
use serde::Deserialize;

use super::{Hit, malformed};

#[derive(Deserialize)]
struct Log {
    version: String,
    runs: Vec<Run>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    #[serde(default)]
    invocations: Vec<Invocation>,
    /// Null: the run was not done.
    #[serde(default)]
    results: Option<Vec<Outcome>>,
}

#[derive(Deserialize)]
struct Tool {
    driver: Component,
    #[serde(default)]
    extensions: Vec<Component>,
}

#[derive(Deserialize)]
struct Component {
    #[serde(default)]
    name: String,
    #[serde(default)]
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    help_uri: Option<String>,
    default_configuration: Option<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    level: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    rule_id: Option<String>,
    rule: Option<RuleReference>,
    level: Option<String>,
    kind: Option<String>,
    message: Message,
    #[serde(default)]
    locations: Vec<Place>,
    #[serde(default)]
    suppressions: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct RuleReference {
    id: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    text: Option<String>,
    markdown: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    physical_location: Option<Physical>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Option<Artifact>,
    region: Option<Region>,
}

#[derive(Deserialize)]
struct Artifact {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<u32>,
    end_line: Option<u32>,
}

/// What the log reports, suppressed results left out.
pub(super) fn hits(text: &str) -> Result<Vec<Hit>, Failure> {
    let log: Log = super::read(text, "SARIF")?;
    if log.version != "2.1.0" {
        return Err(malformed(format!(
            "its SARIF has version {}, and 2.1.0 is read",
            log.version
        )));
    }
    if log.runs.is_empty() {
        return Err(malformed("its SARIF has no run in it".to_owned()));
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
        let mut rules: HashMap<&str, &Rule> = HashMap::new();
        for rule in all {
            rules.entry(&rule.id).or_insert(rule);
        }
        let open = results.into_iter().filter(is_open);
        hits.extend(open.map(|result| hit(result, &rules)));
    }
    Ok(hits)
}

/// Neither suppressed in the source nor the record of a check that passed.
fn is_open(result: &Outcome) -> bool {
    let kind = result.kind.as_deref().unwrap_or("fail");
    result.suppressions.is_empty() && matches!(kind, "fail" | "open" | "review")
}

fn hit(result: Outcome, rules: &HashMap<&str, &Rule>) -> Hit {
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
    Hit {
        severity: severity(level),
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

fn severity(level: &str) -> Severity {
    match level {
        "error" => Severity::Critical,
        "warning" => Severity::Significant,
        _ => Severity::Minor,
    }
}
