//! What a built-in rule, a finding or a word of this program means.

use std::fmt::Write;

use council_builtin::{RuleExample, RuleInfo};
use council_protocol::Location;

use crate::config::nearest_word;
use crate::council::outcome::JudgedFinding;
use crate::council::readable_description;
use crate::report::{Report, both_sides, suggestion_words, test_sentence};
use crate::run::apply::shown_line;
use crate::run::context::RunContext;
use crate::run::dismissals;
use crate::run::error::RunError;
use crate::run::findings::{FoundFinding, describe_standing, find_finding, name_finding};
use crate::run::glossary::{explain_word, glossary_entries};
use crate::text::{self, Columns, Untrusted, page_address};

/// What `git council apply` would write: nobody should take it unseen.
fn suggestion_page(at: &Location, suggestion: &str) -> String {
    let lines = match at.end_line.filter(|&end| end > at.line) {
        Some(end) => format!("lines {} to {end}", at.line),
        None => format!("line {}", at.line),
    };
    if suggestion.is_empty() {
        return format!("\nThe suggestion deletes {lines}.\n");
    }
    let mut page = format!("\nThe suggestion, in place of {lines}:\n\n");
    for line in suggestion.lines() {
        page.push_str(&shown_line('+', line));
    }
    page
}

/// What a rule or a finding means.
pub(crate) fn explain(
    id: &str,
    run: Option<&str>,
    columns: usize,
    start: &RunContext,
) -> Result<String, RunError> {
    if let Some(rule) = council_builtin::explain_rule(id) {
        return Ok(rule_page(rule, columns, "", start.started_by.is_some()));
    }
    if let Some(entry) = explain_word(id) {
        let line = format!("{}: {}", entry.word, entry.meaning);
        let lines = text::wrap_columns(&line, columns, columns);
        return Ok(format!("{}\n", lines.join("\n")));
    }
    // Rules have words in their names; what looks like a finding is meant as one.
    let is_finding = id.bytes().all(|b| b.is_ascii_hexdigit())
        || (id.len() > 1 && id.bytes().skip(1).all(|b| b.is_ascii_digit()));
    if !is_finding {
        return Err(unknown_topic(id));
    }
    let found = find_finding(start, id, run)?;
    found.warn_of_place(start);
    let FoundFinding {
        finding, report, ..
    } = found;
    let standing = standing_now(&finding, &report, start)?;
    let mut out = format!("{}\n{standing}\n", name_finding(&finding));
    out.push_str(&finding_page(&finding, &report, columns));
    let rule = finding.finding.rule.as_deref();
    let rule = rule.and_then(council_builtin::explain_rule);
    if let Some(rule) = rule {
        let page = rule_page(rule, columns, &out, start.started_by.is_some());
        let _ = write!(out, "\n{page}");
    }
    Ok(out)
}

/// The error for what is neither a rule nor a finding nor a word.
fn unknown_topic(id: &str) -> RunError {
    let error = RunError::usage(format!("there is no rule, finding or word `{id}`"));
    let rules = council_builtin::rules().map(|rule| rule.id);
    let known = rules.chain(glossary_entries().map(|entry| entry.word));
    match nearest_word(id, known) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!(
            "`git council explain` lists the rules, {} the words",
            page_address("docs/glossary.md")
        )),
    }
}

/// What a report has of a finding: its words and lines, who holds and who disputes it, and what was tried.
fn finding_page(finding: &JudgedFinding, report: &Report, columns: usize) -> String {
    let said = &finding.finding;
    let mut out = wrapped(&[readable_description(&said.description)], columns);
    if !said.quote.trim().is_empty() {
        let _ = write!(out, "\n{}", indent_code(&said.quote));
    }
    out.push_str(&wrapped(&[&said.why, &said.fix], columns));
    if let Some(suggestion) = &said.suggestion {
        out.push_str(&suggestion_page(&said.location, suggestion));
    }
    let tried = finding.suggestion_check.as_ref().map(suggestion_words);
    let tried = tried.map(|words| format!("the suggestion: {words}"));
    let mut told = both_sides(report, finding);
    told.extend(proofs_of(finding, report).into_iter().chain(tried));
    out.push_str(&wrapped(&told, columns));
    out
}

/// Paragraphs of somebody's words, each behind an empty line; nothing for an empty one.
fn wrapped(paragraphs: &[impl AsRef<str>], columns: usize) -> String {
    let lines = paragraphs
        .iter()
        .map(|words| Untrusted::new(words.as_ref()).line());
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| {
            format!(
                "\n{}\n",
                text::wrap_columns(&line, columns, columns).join("\n")
            )
        })
        .collect()
}

/// What the tests that were brought for a finding show of it.
fn proofs_of(finding: &JudgedFinding, report: &Report) -> Vec<String> {
    let tests = report.outcome.ledger.reproductions.iter();
    let own = tests.filter(|brought| brought.finding.as_ref() == Some(&finding.id));
    own.map(|brought| format!("{}: {}", brought.id, test_sentence(brought)))
        .collect()
}

/// How a finding stood in its report, and what was decided of it since.
fn standing_now(
    finding: &JudgedFinding,
    report: &Report,
    start: &RunContext,
) -> Result<String, RunError> {
    let standing = describe_standing(finding, report);
    let decisions = dismissals::own_decisions(start)?;
    Ok(match decisions.get(&finding.fingerprint) {
        Some(Some(_)) if finding.level.is_some() => {
            format!("{standing} · dismissed since: the next review does not count it")
        }
        Some(None) if finding.dismissed.is_some() => format!(
            "{} · it counts again: its dismissal was taken back since",
            finding.finding.severity.as_str()
        ),
        _ => standing,
    })
}

/// Every rule under its perspective, one line each where the terminal is wide enough.
pub(crate) fn list_rules(columns: Option<usize>) -> String {
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
            let severity = match council_builtin::runs_on_request(rule.id) {
                true => "off",
                false => rule.severity.as_str(),
            };
            rows.push([rule.id, severity, rule.summary]);
        }
        out.push_str(&rows.render_within("  ", columns));
        out.push('\n');
    }
    out.push_str(
        "A rule that is off runs only if you set it. git council explain RULE says why, and what to do.\n",
    );
    out
}

/// What a rule finds, without the paragraphs that the page `above` has already: a finding often has its rule's words.
/// A coding agent is told how to mend what a rule finds, and not how to silence it.
fn rule_page(rule: &RuleInfo, columns: usize, above: &str, is_for_agent: bool) -> String {
    let mut out = format!("{}: {}\n", rule.id, rule.summary);
    let _ = writeln!(
        out,
        "{} · {} · {}",
        rule.severity.as_str(),
        rule.perspective,
        rule.category
    );
    let standing = council_builtin::rule_standing(rule);
    for prose in [standing, &rule.whole_why(), rule.fix] {
        let paragraph = text::wrap_columns(prose, columns, columns).join("\n");
        if !above.contains(&paragraph) {
            let _ = writeln!(out, "\n{paragraph}");
        }
    }
    for RuleExample { path, bad, good } in rule.examples {
        let _ = write!(
            out,
            "\n{path}: bad\n{}{path}: good\n{}",
            indent_code(bad),
            indent_code(good)
        );
    }
    if is_for_agent {
        return out;
    }
    let (what, level) = match council_builtin::runs_on_request(rule.id) {
        true => ("let it run", rule.severity.as_str()),
        false => ("switch it off or change its severity", "off"),
    };
    let _ = writeln!(
        out,
        "\nTo {what}, set this in a trusted configuration:\n\n    [rules]\n    {} = \"{level}\"",
        rule.id
    );
    out
}

fn indent_code(code: &str) -> String {
    // Some examples are of characters that nobody sees, or that turn a line around.
    let text = Untrusted::new(code);
    let lines = text.code_lines();
    lines.map(|line| format!("    {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_knows_is_named_beside_the_nearest_rule_or_word() {
        let nearest = |mistyped: &str| unknown_topic(mistyped).hints.concat();
        for entry in glossary_entries().filter(|entry| entry.word.len() > 5) {
            let mistyped = &entry.word[..entry.word.len() - 1];
            assert!(nearest(mistyped).contains("did you mean `"), "{mistyped}");
        }
        assert!(nearest("new-unwarp").contains("`new-unwrap`"));
        assert!(nearest("quorun").contains("`quorum`"));
        let unlike = unknown_topic("xyzzyxyzzy");
        assert_eq!(
            unlike.message,
            "there is no rule, finding or word `xyzzyxyzzy`"
        );
        assert!(unlike.hints.concat().contains("docs/glossary.md"));
    }

    #[test]
    fn a_page_shows_no_character_that_turns_a_line_around_or_that_nobody_sees() {
        for rule in council_builtin::rules() {
            let page = rule_page(rule, 80, "", false);
            let text = Untrusted::new(&page);
            let shown: Vec<_> = text.code_lines().collect();
            assert!(page.lines().eq(shown), "{}", rule.id);
        }
    }

    #[test]
    fn what_a_finding_said_is_not_said_again() {
        for rule in council_builtin::rules() {
            let whole = rule_page(rule, 80, "", false);
            let rest = rule_page(rule, 80, &whole, false);
            let fix = text::wrap_columns(rule.fix, 80, 80).join("\n");
            assert!(whole.contains(&fix) && !rest.contains(&fix), "{rest}");
        }
    }

    #[test]
    fn a_rule_that_does_not_run_says_so() {
        let page = |id| rule_page(council_builtin::explain_rule(id).unwrap(), 80, "", false);
        let off = page("todo-without-reference");
        assert!(
            off.contains("runs only if you set it") && off.contains("To let it run"),
            "{off}"
        );
        assert!(off.contains("todo-without-reference = \"minor\""), "{off}");
        let on = page("private-key");
        assert!(
            on.contains("it fails the change") && on.contains("private-key = \"off\""),
            "{on}"
        );
        for rule in council_builtin::rules() {
            let page = rule_page(rule, 80, "", true);
            assert!(!page.contains("trusted configuration"), "{page}");
        }
        let list = list_rules(None);
        let line = list
            .lines()
            .find(|line| line.contains("new-unwrap"))
            .unwrap();
        assert!(line.contains("  off"), "{line}");
    }
}
