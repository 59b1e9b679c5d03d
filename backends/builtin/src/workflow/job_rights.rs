//! A job of a workflow whose rights only GitHub's own actions can use.

use crate::pattern::pattern;
use crate::view::FileView;
use crate::yaml::{Node, parse_yaml};

use super::scalar::MAX_YAML_BYTES;

/// Rights by which somebody writes words on issues and pull requests, and changes neither code nor what is published
/// nor what a gate asks for.
const WORDS_ALONE: [&str; 4] = ["discussions", "issues", "models", "pull-requests"];

/// What such a workflow may hold, such a job, and such a step: neither a script nor a program, nor what programs take
/// from their environment.
const WORKFLOW_KEYS: [&str; 7] = [
    "concurrency",
    "jobs",
    "name",
    "on",
    "permissions",
    "run-name",
    "true",
];
const JOB_KEYS: [&str; 7] = [
    "if",
    "name",
    "needs",
    "permissions",
    "runs-on",
    "steps",
    "timeout-minutes",
];
const STEP_KEYS: [&str; 6] = ["id", "if", "name", "timeout-minutes", "uses", "with"];

pattern!(OWN_ACTION, r"^(?:actions|github)/[\w-]+@[\w./-]+$");
pattern!(
    OWN_TOKEN,
    r"\$\{\{\s*(?:secrets\.GITHUB_TOKEN|github\.token)\s*\}\}"
);

/// Whether a right stands in a new job that hands it to GitHub's own actions alone, with nothing that strangers write.
pub(crate) fn serves_own_actions(file: &FileView<'_>, line: u32) -> bool {
    let read = |text: Option<&str>| {
        text.filter(|text| text.len() <= MAX_YAML_BYTES)
            .and_then(parse_yaml)
    };
    let Some(after) = read(file.text_after()) else {
        return false;
    };
    let Some((name, job)) = job_of_right(&after, line) else {
        return false;
    };
    let was_there = file.exists_before()
        && read(file.text_before()).is_none_or(|before| {
            before
                .get("jobs")
                .is_none_or(|jobs| jobs.get(name).is_some())
        });
    let has_only = |node: &Node, keys: &[&str]| node.entries().all(|(key, _)| keys.contains(&key));
    !was_there
        && has_only(&after, &WORKFLOW_KEYS)
        && has_only(job, &JOB_KEYS)
        && writes_words(job)
        && steps_of(job).iter().all(is_own_step)
}

/// The job in whose list of rights a line stands.
fn job_of_right(workflow: &Node, line: u32) -> Option<(&str, &Node)> {
    let stands_here = |job: &Node| {
        let rights = job.get("permissions");
        rights.is_some_and(|rights| rights.entries().any(|(_, right)| right.line == line))
    };
    workflow
        .get("jobs")?
        .entries()
        .find(|(_, job)| stands_here(job))
}

fn steps_of(job: &Node) -> &[Node] {
    job.get("steps").map_or(&[], Node::items)
}

fn writes_words(job: &Node) -> bool {
    let rights = job.get("permissions").into_iter().flat_map(Node::entries);
    let mut written =
        rights.filter(|(_, right)| right.text() != Some("read") && right.text() != Some("none"));
    written.all(|(name, right)| right.text() == Some("write") && WORDS_ALONE.contains(&name))
}

/// Whether a step runs an action of GitHub's that runs nothing else: no script, and no code but that of the base.
fn is_own_step(step: &Node) -> bool {
    let action = step.text_of("uses").unwrap_or_default();
    let is_own = OWN_ACTION.is_match(action) && !action.starts_with("actions/github-script@");
    let has_only = step.entries().all(|(key, _)| STEP_KEYS.contains(&key));
    let mut inputs = step.get("with").into_iter().flat_map(Node::entries);
    let is_plain = |(name, value): (&str, &Node)| {
        let text = value.text().unwrap_or("${{");
        let names_code = matches!(name, "ref" | "repository" | "script");
        !names_code && !OWN_TOKEN.replace_all(text, "").contains("${{")
    };
    is_own && has_only && inputs.all(is_plain)
}
