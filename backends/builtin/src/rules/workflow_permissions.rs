//! `workflow-permissions`: a workflow that is given the right to write.

use super::prelude::*;
use crate::rule::RuleHit;
use crate::view::indent;
use crate::workflow;
use crate::workflow::job_rights::serves_own_actions;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "workflow-permissions",
        perspective: SECURITY,
        category: "ci",
        severity: Significant,
        summary: "a workflow that gets more permissions",
        why: "Every step of the job, and every action that it uses, can use the token with these permissions.\n\
              It is a note where a new job lets GitHub's own actions write on issues and pull requests, and runs no \
              script.",
        fix: "Grant it to the one job that needs it, not to the workflow, and name the single scope. If this job needs it, \
              dismiss the finding and say what for.",
        examples: &[RuleExample {
            path: ".github/workflows/ci.yml",
            bad: "permissions: write-all\n",
            good: "permissions: read-all\n",
        }],
    },
    scope: RuleScope::Workflows,
    languages: &[],
    claims: &["permission"],
    check: RuleCheck::Line {
        needles: &["write"],
        look: check_line,
    },
};

pattern!(
    GRANT,
    r#"(?:^\s*|[{,]\s*)["']?(actions|attestations|checks|contents|deployments|discussions|id-token|issues|models|packages|pages|pull-requests|repository-projects|security-events|statuses)["']?\s*:\s*["']?write\b"#
);
pattern!(
    ALL,
    r#"(?:^\s*|[{,]\s*)["']?permissions["']?\s*:\s*["']?write-all\b"#
);

/// Whether the line stands in the list of the whole workflow.
fn is_whole(line: &LineView<'_, '_>) -> bool {
    // `permissions: { contents: write }` stands at the margin.
    if line.text().starts_with("permissions:") {
        return true;
    }
    let first = workflow::parent_lines(line).first().copied();
    first == Some("permissions:") && indent(line.text()) <= 2
}

fn lists_rights(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().starts_with("permissions:"))
}

/// Whether the workflow had a list of rights before the change.
fn had_a_list(file: &FileView<'_>) -> bool {
    let listed = |text: &str| text.lines().any(|line| line.starts_with("permissions:"));
    file.text_before().is_some_and(listed)
}

/// Whether the same grant stood in another place of the file: then it is not a new one.
fn is_moved(file: &FileView<'_>, text: &str) -> bool {
    let mut removed = file.removed_lines();
    removed.any(|removed| removed.text.trim() == text.trim())
}

/// The rights that a line grants anew.
fn granted(file: &FileView<'_>, number: u32) -> Vec<String> {
    let text = file.line_text(number).unwrap_or_default();
    let code = text.split(" #").next().unwrap_or_default();
    if !file.is_added(number)
        || code.trim_start().starts_with('#')
        || !GRANT.is_match(code)
        || is_moved(file, code)
    {
        return Vec::new();
    }
    let found = GRANT.captures_iter(code).map(|found| found[1].to_owned());
    found.collect()
}

/// More than there are rights, and comments between them.
const MAX_LIST: i32 = 40;

/// The numbers of the lines of the same list, from the one that is next to a line.
fn neighbours(line: &LineView<'_, '_>, by: i32) -> impl Iterator<Item = u32> {
    let depth = line.indent();
    let numbers = (1..MAX_LIST).map_while(move |far| line.number().checked_add_signed(by * far));
    numbers.take_while(move |number| {
        let text = line.file.line_text(*number);
        text.is_some_and(|text| {
            text.trim().is_empty() || text.trim_start().starts_with('#') || indent(text) == depth
        })
    })
}

/// The rights that a list grants anew, told at the first of its lines. Empty: an earlier line has told them.
fn granted_by_list(line: &LineView<'_, '_>) -> Vec<String> {
    let rights = |number| granted(line.file, number);
    if neighbours(line, -1).any(|number| !rights(number).is_empty()) {
        return Vec::new();
    }
    let own = std::iter::once(line.number());
    own.chain(neighbours(line, 1)).flat_map(rights).collect()
}

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.without_comments();
    if is_moved(line.file, &code) {
        return;
    }
    if ALL.is_match(&code) {
        hits.push(line.line_hit("The workflow may now write to everything."));
    } else if GRANT.is_match(&code) {
        let rights = granted_by_list(line);
        hits.0.extend(hit_of_rights(line, &rights));
    }
}

fn hit_of_rights(line: &LineView<'_, '_>, rights: &[String]) -> Option<RuleHit> {
    let scopes = and_list(rights)?;
    match workflow::find_privileged(line.file) {
        // Where nothing was listed, the job had this right and more.
        Some(_)
            if line
                .file
                .text_before()
                .is_some_and(|text| !lists_rights(text)) =>
        {
            None
        }
        Some(trigger) => {
            let who = if is_whole(line) {
                "A workflow"
            } else {
                "A job of a workflow"
            };
            let hit = line.line_hit(format!(
                "{who} that runs on `{trigger}` may now write {scopes}."
            ));
            Some(if serves_own_actions(line.file, line.number()) {
                hit.with_severity(Minor)
            } else {
                hit
            })
        }
        // A right of one job is how it should be given, and a first list narrows what every job had before.
        None if is_whole(line) && had_a_list(line.file) => {
            let hit = line.line_hit(format!("Every job of the workflow may now write {scopes}."));
            Some(hit.with_severity(Minor))
        }
        None => None,
    }
}

/// `` `a`, `b` and `c` ``.
fn and_list(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = quoted.split_last()?;
    Some(match others {
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    })
}
