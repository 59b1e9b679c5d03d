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
    guards: Guarded::Review,
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

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.without_comments();
    // The same grant in another place of the file is not a new one.
    let text = code.trim();
    if line
        .file
        .removed_lines()
        .any(|removed| removed.text.trim() == text)
    {
        return;
    }
    if ALL.is_match(&code) {
        hits.push(line.line_hit("The workflow may now write to everything."));
    } else if GRANT.is_match(&code) {
        let rights: Vec<String> = GRANT
            .captures_iter(&code)
            .map(|found| found[1].to_owned())
            .collect();
        let hit = hit_of_rights(line, &rights);
        hits.0
            .extend(hit.map(|hit| hit.grouped(name_of_list(line), &rights.join("`, `"))));
    }
}

/// What tells the list of rights in which a line stands from others: where it begins.
fn name_of_list(line: &LineView<'_, '_>) -> String {
    /// More than there are rights, and comments between them.
    const MAX_LIST: i32 = 40;
    let depth = line.indent();
    let is_above = |by: &i32| {
        let text = line.text_near(-by).unwrap_or_default();
        !text.trim().is_empty() && !text.trim_start().starts_with('#') && indent(text) < depth
    };
    let far = (1..MAX_LIST).find(is_above).unwrap_or_default();
    format!(
        "{}:{}",
        line.file.path,
        line.number().saturating_sub(far.unsigned_abs())
    )
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
