//! `git council explain`: what a built-in rule means.

use std::fmt::Write;

use clap::Args;
use council_builtin::{RuleExample, RuleInfo};

use crate::cli::columns::Columns;
use crate::cli::context::CommandContext;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::findings::{FoundFinding, describe_standing, find_finding, name_finding};
use crate::run::seats::names::unknown_rule;
use crate::text::{self, Untrusted};

/// Explain a rule or a finding, and what to do about it; without a name, list the rules
#[derive(Debug, Clone, Args)]
pub(crate) struct ExplainArgs {
    /// A rule's id, or a finding: its id in the last report (F1) or its fingerprint
    #[arg(value_name = "RULE|FINDING")]
    rule: Option<String>,
    /// Take the finding from this run instead of the last report
    #[arg(long, value_name = "RUN", requires = "rule")]
    run: Option<String>,
}

pub(crate) fn run(args: &ExplainArgs, start: &CommandContext) -> Result<(), RunError> {
    let columns = start.console.stdout_look().width.clamp(40, 100);
    let page = match &args.rule {
        Some(id) => explain(id, args.run.as_deref(), columns, start)?,
        None => list_rules(start.console.stdout_columns()),
    };
    start.console.print(&page)
}

/// What a rule or a finding means.
pub(crate) fn explain(
    id: &str,
    run: Option<&str>,
    columns: usize,
    start: &RunContext,
) -> Result<String, RunError> {
    if let Some(rule) = council_builtin::explain_rule(id) {
        return Ok(rule_page(rule, columns));
    }
    // Rules have words in their names; what looks like a finding is meant as one.
    let is_finding = id.bytes().all(|b| b.is_ascii_hexdigit())
        || (id.len() > 1 && id.bytes().skip(1).all(|b| b.is_ascii_digit()));
    if !is_finding {
        return Err(unknown_rule(id));
    }
    let FoundFinding { finding, .. } = find_finding(start, id, run)?;
    let mut out = format!(
        "{}\n{}\n",
        name_finding(&finding),
        describe_standing(&finding)
    );
    let said = &finding.finding;
    for prose in [&said.description, &said.why, &said.fix] {
        let prose = Untrusted::new(prose).line();
        if !prose.is_empty() {
            let _ = writeln!(
                out,
                "\n{}",
                text::wrap_columns(&prose, columns, columns).join("\n")
            );
        }
    }
    let rule = said.rule.as_deref().and_then(council_builtin::explain_rule);
    if let Some(rule) = rule {
        let _ = write!(out, "\n{}", rule_page(rule, columns));
    }
    Ok(out)
}

/// Every rule under its perspective, one line each where the terminal is wide enough.
fn list_rules(columns: Option<usize>) -> String {
    let mut out = String::new();
    for perspective in council_builtin::perspectives() {
        let heading = format!("{}: {}", perspective.name, perspective.focus);
        let width = columns.unwrap_or(usize::MAX);
        let _ = writeln!(
            out,
            "{}\n",
            text::wrap_columns(&heading, width, width).join("\n")
        );
        let mut rows = Columns::default();
        for rule in council_builtin::rules().filter(|rule| rule.perspective == perspective.name) {
            rows.push([rule.id, rule.severity.as_str(), rule.summary]);
        }
        out.push_str(&rows.render_within("  ", columns));
        out.push('\n');
    }
    out.push_str("git council explain RULE says why, and what to do.\n");
    out
}

fn rule_page(rule: &RuleInfo, columns: usize) -> String {
    let mut out = format!("{}: {}\n", rule.id, rule.summary);
    let _ = writeln!(
        out,
        "{} · {} · {}",
        rule.severity.as_str(),
        rule.perspective,
        rule.category
    );
    for prose in [rule.why, rule.fix] {
        let _ = writeln!(
            out,
            "\n{}",
            text::wrap_columns(prose, columns, columns).join("\n")
        );
    }
    for RuleExample { path, bad, good } in rule.examples {
        let _ = write!(
            out,
            "\n{path}: bad\n{}{path}: good\n{}",
            indent_code(bad),
            indent_code(good)
        );
    }
    let _ = writeln!(
        out,
        "\nTo switch it off or change its severity, set this in a trusted configuration:\n\n    [rules]\n    \
         {} = \"off\"",
        rule.id
    );
    out
}

fn indent_code(code: &str) -> String {
    code.lines().map(|line| format!("    {line}\n")).collect()
}
