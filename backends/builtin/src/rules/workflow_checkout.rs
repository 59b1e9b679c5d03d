//! `workflow-checkout`: a privileged workflow that checks out what a stranger has written.

use council_protocol::LineKind;

use super::prelude::*;
use crate::excuse::MARK;
use crate::rule::RuleHit;
use crate::workflow;
use crate::workflow::checkout::{self, CheckoutSite};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "workflow-checkout",
        perspective: SECURITY,
        category: "ci",
        severity: Critical,
        summary: "a privileged workflow that checks out the pull request's code",
        why: "The job has the repository's secrets and a token that can write. Any build, test or install step then \
              runs an outsider's code with them (a \"pwn request\").\n\
              In a workflow on `workflow_call` and in a composite action it is significant: the caller decides.",
        fix: "Check out and build in a `pull_request` workflow without secrets, and pass its result as data to the \
              privileged one.",
        examples: &[RuleExample {
            path: ".github/workflows/ci.yml",
            bad: "on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n",
            good: "on: pull_request\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n",
        }],
    },
    scope: RuleScope::Workflows,
    guards: Guarded::Review,
    languages: &[],
    claims: &[
        "pwn request",
        "checkout",
        "pull_request_target",
        "untrusted code",
    ],
    check: RuleCheck::File(check_file),
};

pattern!(
    HEAD,
    r"^\s*ref:\s*.*(?:github\.event\.pull_request\.head\.(?:sha|ref)|github\.head_ref|github\.event\.workflow_run\.head_(?:sha|branch)|refs/pull/)|\bgh pr checkout\b|git fetch .*refs?/pull/"
);

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !file.is_text() {
        return;
    }
    let text: String = workflow::lines_after(file)
        .flat_map(|line| [line, "\n"])
        .collect();
    let whole = file.text_after().and_then(checkout::find_checkouts);
    if let Some((trigger, sites)) = whole {
        report_sites(file, &trigger, sites, hits);
    } else if let Some(sites) = file.text_after().and_then(checkout::find_called_checkouts) {
        report_called(file, sites, hits);
    } else if checkout::may_be_privileged(&text) {
        check_lines(file, hits);
    }
}

/// Reports what does so in a workflow or an action that others call. Who calls it stands in other files, which nobody
/// need have changed.
fn report_called(file: &FileView<'_>, sites: Vec<CheckoutSite>, hits: &mut HitList) {
    let before = file.text_before().and_then(checkout::find_called_checkouts);
    let known = before.map_or(0, |sites| sites.len());
    if sites.len() <= known {
        return;
    }
    let added: Vec<LineView<'_, '_>> = file.added_lines().collect();
    let news = sites.iter().find_map(|site| {
        let mut lines = added.iter();
        lines.find(|line| site.step.contains(&line.number()))
    });
    let described = "What calls this workflow or action gets the code of the pull request checked out: on a privileged trigger, \
                     such as `pull_request_target`, that code runs with the repository's secrets (lower, because the caller \
                     is not known here).";
    let hit = match news {
        Some(line) => line.line_hit(described.to_owned()),
        None => file.file_hit(described.to_owned()),
    };
    hits.push(hit.with_severity(Significant));
}

/// Reports what checks out the pull request's code and did not before. A job that did before is not worse off by another
/// way of doing it, so each old place stands for one new one.
fn report_sites(file: &FileView<'_>, trigger: &str, sites: Vec<CheckoutSite>, hits: &mut HitList) {
    let before = file
        .text_before()
        .map(|text| (text, checkout::find_checkouts(text)));
    let mut old: Vec<String> = match before {
        Some((text, Some((_, sites)))) => {
            let open = sites.into_iter().filter(|site| !is_excused(text, site));
            open.map(|site| site.job).collect()
        }
        _ => Vec::new(),
    };
    for site in sites {
        if let Some(at) = old.iter().position(|job| *job == site.job) {
            old.swap_remove(at);
        } else {
            hits.push(site_hit(file, trigger, &site));
        }
    }
}

/// Whether an excuse stands at a place: it covers that place, and no other that comes later.
fn is_excused(text: &str, site: &CheckoutSite) -> bool {
    let above = site.step.start.saturating_sub(2) as usize;
    let lines = text.lines().skip(above).take((site.step.len() + 1).max(2));
    lines.into_iter().any(|line| line.contains(MARK))
}

/// The finding, at the line of the change that brings the code in.
fn site_hit(file: &FileView<'_>, trigger: &str, site: &CheckoutSite) -> RuleHit {
    let added: Vec<LineView<'_, '_>> = file.added_lines().collect();
    let in_step = || {
        added
            .iter()
            .filter(|line| site.step.contains(&line.number()))
    };
    let at_site = in_step().find(|line| line.number() == site.line);
    let telling = in_step().find(|line| checkout::names_head(line.text()));
    if let Some(line) = at_site.or(telling).or_else(|| in_step().next()) {
        let described =
            format!("A workflow that runs on `{trigger}` checks out the code of the pull request.");
        return line.line_hit(described);
    }
    let described = format!(
        "The workflow now runs on `{trigger}`, and line {} checks out the pull request.",
        site.line
    );
    let starts = added
        .iter()
        .find(|line| workflow::trigger_in(line.text()).is_some());
    let sets = || added.iter().find(|line| checkout::names_head(line.text()));
    match starts.or_else(sets).or(added.first()) {
        Some(line) => line.line_hit(described),
        None => file.file_hit(described),
    }
}

/// What single lines say, where the workflow as a whole cannot be read.
fn check_lines(file: &FileView<'_>, hits: &mut HitList) {
    let Some(trigger) = workflow::find_privileged(file) else {
        return;
    };
    let described =
        format!("A workflow that runs on `{trigger}` checks out the code of the pull request.");
    let is_head = |line: &LineView<'_, '_>| HEAD.is_match(&line.without_comments());
    let known = file
        .removed_lines()
        .filter(|line| HEAD.is_match(line.text))
        .count();
    let heads: Vec<LineView<'_, '_>> = file.added_lines().filter(is_head).collect();
    for line in heads.iter().skip(known) {
        hits.push(line.line_hit(described.clone()));
    }
    let old = file.lines.iter().find(|line| {
        line.kind == LineKind::Context && line.new_no.is_some() && HEAD.is_match(line.text)
    });
    let starts = |line: &LineView<'_, '_>| workflow::trigger_in(&line.without_comments()).is_some();
    let starts = file.added_lines().find(starts);
    if let (Some(number), Some(line)) = (old.and_then(|line| line.new_no), starts) {
        hits.push(line.line_hit(format!(
            "The workflow now runs on `{trigger}`, and line {number} checks out the pull request."
        )));
    }
}
