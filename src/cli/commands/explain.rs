//! `git council explain`: what a built-in rule means.

use std::fmt::Write;

use clap::Args;
use council_builtin::{RuleExample, RuleInfo};

use crate::cli::console::Console;
use crate::run::error::RunError;
use crate::run::seats::names::unknown_rule;
use crate::text;

/// Explain a built-in rule: what it finds, why, and what to do; without RULE, list all
#[derive(Debug, Clone, Args)]
pub(crate) struct ExplainArgs {
    /// The rule's id, as a finding shows it
    #[arg(value_name = "RULE")]
    rule: Option<String>,
}

pub(crate) fn run(args: &ExplainArgs, console: &Console) -> Result<(), RunError> {
    match &args.rule {
        None => console.print(&list_rules()),
        Some(id) => {
            let rule = council_builtin::explain_rule(id).ok_or_else(|| unknown_rule(id))?;
            console.print(&rule_page(rule, console.stdout_look().width.clamp(40, 100)))
        }
    }
}

/// Every rule under its perspective, one line each.
fn list_rules() -> String {
    let width = council_builtin::rules()
        .map(|rule| rule.id.len())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for perspective in council_builtin::perspectives() {
        let _ = writeln!(out, "{}: {}\n", perspective.name, perspective.focus);
        for rule in council_builtin::rules().filter(|rule| rule.perspective == perspective.name) {
            let _ = writeln!(
                out,
                "  {:width$}  {:11}  {}",
                rule.id,
                rule.severity.as_str(),
                rule.summary
            );
        }
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
            "\n{path}: found\n{}{path}: not found\n{}",
            indent_code(bad),
            indent_code(good)
        );
    }
    let _ = writeln!(
        out,
        "\nTo switch it off or give it another severity, in a trusted configuration:\n\n    [rules]\n    {} = \"off\"",
        rule.id
    );
    out
}

fn indent_code(code: &str) -> String {
    code.lines().map(|line| format!("    {line}\n")).collect()
}
