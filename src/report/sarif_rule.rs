//! What SARIF says of a rule: its title, what it is about in Markdown, where to read on, how bad and how sure.

use council_builtin::RuleInfo;
use council_protocol::{Finding, Severity};
use serde_json::{Value, json};

use super::sarif::plain_message;
use super::verdict_entry;
use crate::text::{Untrusted, page_url};

/// What is told of a class of findings that a model raised: nothing is known of the class but its name.
const OF_JUDGES: &str = "Judges read the change and raised this. Each finding quotes code, and git-council has found the quote in \
    the reviewed files. The report says what other judges hold.";

/// The descriptor of a rule of ours, or of a class of findings. `about` is one of its findings.
pub(super) fn rule_descriptor(id: &str, about: &Finding, version: &str) -> Value {
    let known = about
        .rule
        .as_deref()
        .and_then(council_builtin::explain_rule);
    match known {
        Some(rule) => own_rule(rule, version),
        None => class_of_judges(id, about, version),
    }
}

fn own_rule(rule: &RuleInfo, version: &str) -> Value {
    let title = sentence_case(rule.summary);
    let is_security = rule.perspective == "security";
    let mut properties = json!({
        "precision": precision_of_rule(rule.severity),
        "problem.severity": problem_severity(rule.severity),
        "tags": [rule.perspective, rule.category],
    });
    if is_security {
        properties["security-severity"] = security_severity(rule.severity).into();
    }
    json!({
        "id": rule.id,
        "name": rule.id,
        "shortDescription": { "text": title },
        "fullDescription": { "text": format!("{title}. {}", rule.whole_why()) },
        "help": {
            "text": format!("{} {}", rule.whole_why(), rule.fix),
            "markdown": own_help(rule, &title),
        },
        "helpUri": page_url(version, &format!("docs/rules.md#{}", rule.id)),
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": properties,
    })
}

/// Why, what to do, and how to switch it off. All of it is ours.
fn own_help(rule: &RuleInfo, title: &str) -> String {
    let example = rule.examples.first().map_or_else(String::new, |example| {
        format!(
            "\n\n**It speaks about**\n\n```\n{}\n```\n\n**It is silent about**\n\n```\n{}\n```",
            example.bad.trim_end(),
            example.good.trim_end()
        )
    });
    format!(
        "**{title}**\n\n{}\n\n**What to do:** {}{example}\n\nTo switch it off, set `rules.{} = \"off\"` in the \
        configuration of the default branch.",
        rule.whole_why(),
        rule.fix,
        rule.id
    )
}

/// The verdict, which is no class of findings.
pub(super) fn verdict_descriptor(version: &str) -> Value {
    let text = "The verdict is worse than each finding: by votes, by the gate's setting, or because there is none.";
    json!({
        "id": verdict_entry::RULE,
        "name": verdict_entry::RULE,
        "shortDescription": { "text": "The verdict is worse than each finding" },
        "fullDescription": { "text": text },
        "help": { "text": text, "markdown": text },
        "helpUri": page_url(version, "docs/report.md#verdict-exit-code-conclusion"),
        "defaultConfiguration": { "level": "error" },
        "properties": { "precision": "high", "problem.severity": "error", "tags": ["council"] },
    })
}

fn class_of_judges(id: &str, about: &Finding, version: &str) -> Value {
    let class = match about.category.as_str() {
        "" => id,
        category => category,
    };
    let title = plain_message(&sentence_case(&class.replace(['-', '_'], " ")));
    let code = Untrusted::new(class).code();
    json!({
        "id": id,
        "name": id,
        "shortDescription": { "text": title },
        "fullDescription": { "text": format!("{title}. {OF_JUDGES}") },
        "help": { "text": OF_JUDGES, "markdown": format!("Class {code}. {OF_JUDGES}") },
        "helpUri": page_url(version, "docs/report.md#findings"),
        "defaultConfiguration": { "level": level(about.severity) },
        "properties": {
            "precision": "medium",
            "problem.severity": problem_severity(about.severity),
            "tags": ["council"],
        },
    })
}

/// docs/rules.md has the figures: what is critical is listed in every file because it is seldom wrong.
fn precision_of_rule(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "high",
        Severity::Significant | Severity::Minor => "medium",
    }
}

fn problem_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "error",
        Severity::Significant => "warning",
        Severity::Minor => "recommendation",
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "error",
        Severity::Significant => "warning",
        Severity::Minor => "note",
    }
}

/// A number as code scanning wants it: over 9 critical, over 7 high, over 4 medium.
fn security_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "9.1",
        Severity::Significant => "6.5",
        Severity::Minor => "3.0",
    }
}

fn sentence_case(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
