//! Where a privileged workflow brings the code of a pull request into its workspace, read from its YAML: how a step is
//! laid out, in which order its keys stand, and through how many variables the commit goes makes no difference.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::pattern::pattern;
use crate::workflow::PRIVILEGED;
use crate::workflow::expression::normalize;
use crate::workflow::scalar::MAX_YAML_BYTES;
use crate::yaml::{Node, parse_yaml};

/// A step, or the call of a workflow, that checks out the code of a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckoutSite {
    pub(crate) job: String,
    /// Where the value or the script begins.
    pub(crate) line: u32,
    /// The lines of the step.
    pub(crate) step: Range<u32>,
}

pattern!(
    /// What only a pull request's author decides, in an expression that [`normalize`] has seen.
    HEAD,
    r"github\.head_ref\b|github\.event\.pull_request\.(?:head\.(?:sha|ref|label|repo\b[.\w]*)|merge_commit_sha)\b|github\.event\.workflow_run\.(?:head_(?:sha|branch|commit|repository)|pull_requests)\b|\bsteps\.[\w-]+\.outputs\.head_?(?:sha|ref|branch)\b|\brefs/pull/|\bpull/[^\s/]*(?:\$\{\{[^}]*\}\}[^\s/]*)?/(?:head|merge)\b"
);
pattern!(
    /// How scripts ask the API for the same.
    ASKED,
    r"(?i)\bheadref(?:oid|name)\b|\.head\.(?:sha|ref)\b|\bpull/[^\s:]*/(?:head|merge)\b|\brefs/pull/"
);
pattern!(
    CHECKS_OUT,
    r"\b(?:gh|hub) pr checkout\b|\bgit fetch .*refs?/pull/"
);
pattern!(
    /// Commands that put files of another commit into the workspace.
    PLACES,
    r"\bgit(?:\s+-\S+(?:\s+[^-\s]\S*)?)*?\s+(?:checkout|switch|reset|merge|pull|clone|worktree|cherry-pick|rebase|read-tree)\b"
);
pattern!(
    /// The same without git: an archive is fetched, or a package is built of the commit.
    UNPACKS,
    r"(?i)\b(?:curl|wget|gh api|aria2c)\b.*(?:/archive/|tarball|zipball|\.tar\.gz|\.tgz|\.zip|codeload|/raw/|raw\.githubusercontent)|\b(?:npm|pnpm|yarn|bun) (?:i|install|add)\b|\b(?:pip3?|pipx|uv pip|poetry|gem|cargo|go) (?:install|add|run|get)\b"
);
pattern!(
    BRINGS,
    r"\bgit(?:\s+-\S+(?:\s+[^-\s]\S*)?)*?\s+(?:fetch|remote\s+add)\b"
);
pattern!(REMOTE, r"\bremote\s+add\s+(?:-\S+\s+)*([\w./-]+)");
pattern!(REFSPEC, r":(?:refs/(?:heads|remotes)/)?([A-Za-z][\w./-]*)");
pattern!(ASSIGNED, r"(?:^|[\s;({]|name=)([A-Za-z_][\w-]*)(?:=|::|<<)");
pattern!(
    JS_OUTPUT,
    r"(setOutput|exportVariable)\(\s*([\w-]+)\s*,(.*)"
);
pattern!(EVENT, r"github\.event_name\s*==\s*['\x22](\w+)['\x22]");

/// Whether a text may be a workflow with a privileged trigger; cheaper than to read it.
pub(crate) fn may_be_privileged(text: &str) -> bool {
    // An escape may spell it another way.
    text.contains('\\') || PRIVILEGED.iter().any(|name| text.contains(name))
}

/// The privileged trigger of a workflow, and where it checks out a pull request; none: it cannot be read, or has no such
/// trigger.
pub(crate) fn find_checkouts(text: &str) -> Option<(String, Vec<CheckoutSite>)> {
    if !may_be_privileged(text) || text.len() > MAX_YAML_BYTES {
        return None;
    }
    let workflow = parse_yaml(text)?;
    let triggers = triggers_of(&workflow)?;
    let trigger = PRIVILEGED
        .into_iter()
        .find(|name| triggers.contains(name))?;
    Some((trigger.to_owned(), sites_in_jobs(&workflow)?))
}

/// Where a workflow or an action that others call checks out a pull request: it has the rights of whoever calls it. None:
/// it cannot be read, or is none.
pub(crate) fn find_called_checkouts(text: &str) -> Option<Vec<CheckoutSite>> {
    if text.len() > MAX_YAML_BYTES {
        return None;
    }
    let document = parse_yaml(text)?;
    if let Some(runs) = document
        .get("runs")
        .filter(|runs| runs.get("steps").is_some())
    {
        let mut sites = Vec::new();
        let known = TaintedNames::default();
        JobReader::new("runs", &known).read(runs, &mut sites);
        return Some(sites);
    }
    let is_called = triggers_of(&document)?.contains(&"workflow_call");
    is_called.then(|| sites_in_jobs(&document)).flatten()
}

/// What starts a workflow.
fn triggers_of(workflow: &Node) -> Option<Vec<&str>> {
    // YAML 1.1 takes `on` for a truth.
    let on = workflow.get("on").or_else(|| workflow.get("true"))?;
    Some(on.names())
}

/// Where the jobs of a workflow check out a pull request.
fn sites_in_jobs(workflow: &Node) -> Option<Vec<CheckoutSite>> {
    let jobs = workflow.get("jobs")?;
    let mut known = TaintedNames::default();
    known.add_env(workflow);
    // A job may stand above the one whose output it needs.
    for _ in 0..MAX_ROUNDS {
        for (name, job) in jobs.entries() {
            let mut reader = JobReader::new(name, &known);
            reader.read(job, &mut Vec::new());
            let outputs = reader.outputs_of(job);
            known.0.extend(outputs);
        }
    }
    let mut sites = Vec::new();
    for (name, job) in jobs.entries().filter(|(_, job)| !runs_elsewhere(job)) {
        JobReader::new(name, &known).read(job, &mut sites);
    }
    Some(sites)
}

/// Through how many jobs the output of one is followed.
const MAX_ROUNDS: usize = 3;

/// Whether a line names the commit of a pull request in any way.
pub(crate) fn names_head(line: &str) -> bool {
    let line = normalize(line);
    HEAD.is_match(&line) || ASKED.is_match(&line) || CHECKS_OUT.is_match(&line)
}

/// Whether `if:` lets it run only on an event that is not privileged.
fn runs_elsewhere(node: &Node) -> bool {
    let Some(condition) = node.text_of("if").map(normalize) else {
        return false;
    };
    let plain = !condition.contains("||") && !condition.contains('!');
    let event = EVENT.captures(&condition);
    plain && event.is_some_and(|found| !PRIVILEGED.contains(&&found[1]))
}

/// Names whose value is the commit of a pull request, as expressions write them: `env.SHA` in lower case.
#[derive(Debug, Clone, Default)]
struct TaintedNames(BTreeSet<String>);

impl TaintedNames {
    fn add_env(&mut self, node: &Node) {
        for (name, value) in node.get("env").into_iter().flat_map(Node::entries) {
            if value.text().is_some_and(|text| self.is_head(text)) {
                self.0.insert(env_name(name));
            }
        }
    }

    /// What a job runs once for each of: lists of values, and entries beside them.
    fn add_matrix(&mut self, job: &Node) {
        let Some(matrix) = job.get("strategy").and_then(|node| node.get("matrix")) else {
            return;
        };
        let lists = matrix.entries().flat_map(|(name, values)| {
            let plain = values.items().iter().map(move |value| (name, value));
            let keyed = values.items().iter().flat_map(Node::entries);
            plain.chain(keyed).chain([(name, values)])
        });
        let is_head = |value: &Node| value.text().is_some_and(|text| self.is_head(text));
        let tainted: Vec<String> = lists
            .filter(|(_, value)| is_head(value))
            .map(|(name, _)| name.to_ascii_lowercase())
            .collect();
        for name in tainted {
            // A value of its own, or a part of each value: `matrix.include.ref` is `matrix.ref`.
            self.0.insert(format!("matrix.{name}"));
        }
    }

    /// Whether a value is the commit, the branch or the repository of a pull request.
    fn is_head(&self, value: &str) -> bool {
        let value = normalize(value);
        HEAD.is_match(&value) || self.0.iter().any(|name| contains_word(&value, name))
    }

    /// Whether a line of a script uses one.
    fn is_head_in_script(&self, line: &str) -> bool {
        let of_shell = |name: &String| {
            let variable = name.strip_prefix("env.").unwrap_or_default();
            !variable.is_empty() && uses_variable(&line.to_ascii_lowercase(), variable)
        };
        self.is_head(line) || ASKED.is_match(line) || self.0.iter().any(of_shell)
    }
}

fn env_name(name: &str) -> String {
    format!("env.{}", name.to_ascii_lowercase())
}

fn contains_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    })
}

/// Whether a script uses `$NAME`, `${NAME}` or `${NAME…}`.
fn uses_variable(line: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    ["$", "${", "process.env."].iter().any(|mark| {
        let start = format!("{mark}{name}");
        line.match_indices(&start)
            .any(|(at, _)| ends(&line[at + start.len()..]))
    })
}

/// Follows the commit of a pull request through the steps of one job.
struct JobReader<'w> {
    job: &'w str,
    names: TaintedNames,
    /// Names under which a script has fetched the code.
    fetched: BTreeSet<String>,
}

impl<'w> JobReader<'w> {
    fn new(job: &'w str, known: &TaintedNames) -> Self {
        Self {
            job,
            names: known.clone(),
            fetched: BTreeSet::new(),
        }
    }

    fn read(&mut self, job: &Node, sites: &mut Vec<CheckoutSite>) {
        self.names.add_env(job);
        self.names.add_matrix(job);
        // The call of another workflow is its only step.
        self.read_step(job, sites);
        let steps = job.get("steps").map(Node::items).unwrap_or_default();
        for step in steps.iter().filter(|step| !runs_elsewhere(step)) {
            self.read_step(step, sites);
        }
    }

    fn read_step(&mut self, step: &Node, sites: &mut Vec<CheckoutSite>) {
        let outer = self.names.clone();
        self.names.add_env(step);
        let id = step.text_of("id").unwrap_or_default().to_owned();
        let with = step.get("with");
        let named = with.into_iter().flat_map(Node::entries);
        let taken = named.filter(|(key, _)| ["ref", "repository"].contains(key));
        let mut lines: Vec<u32> = taken
            .filter(|(_, value)| value.text().is_some_and(|text| self.names.is_head(text)))
            .map(|(_, value)| value.line)
            .collect();
        let mut set = BTreeSet::new();
        let scripts = [step.get("run"), with.and_then(|with| with.get("script"))];
        for script in scripts.into_iter().flatten() {
            let text = script.text().unwrap_or_default();
            if self.read_script(text, &id, &mut set) {
                lines.push(script.line);
            }
        }
        // What a step has in `env:` is its own; what it writes to files of GitHub is for those below.
        self.names = outer;
        self.names.0.extend(set);
        sites.extend(lines.first().map(|&line| CheckoutSite {
            job: self.job.to_owned(),
            line,
            step: step.line..step.last_line().saturating_add(1),
        }));
    }

    /// Whether a script checks out the code; `set` takes the names that later steps know it by.
    fn read_script(&mut self, script: &str, id: &str, set: &mut BTreeSet<String>) -> bool {
        let script = script.replace("\\\n", " ").replace(['"', '\''], "");
        let to_env = script.contains("GITHUB_ENV");
        let to_output = script.contains("GITHUB_OUTPUT") || script.contains("::set-output");
        let output = |name: &str| format!("steps.{id}.outputs.{name}").to_ascii_lowercase();
        let mut checks_out = false;
        let lines = script
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        for line in lines.flat_map(|line| line.split("&&")).map(normalize) {
            let is_head = self.names.is_head_in_script(&line);
            checks_out |= CHECKS_OUT.is_match(&line) || self.places(&line, is_head);
            if !is_head {
                continue;
            }
            self.remember_fetched(&line);
            for found in ASSIGNED.captures_iter(&line) {
                self.names.0.insert(env_name(&found[1]));
                set.extend(to_env.then(|| env_name(&found[1])));
                set.extend(to_output.then(|| output(&found[1])));
            }
            if let Some(found) = JS_OUTPUT.captures(&line) {
                let name = if &found[1] == "setOutput" {
                    output(&found[2])
                } else {
                    env_name(&found[2])
                };
                set.insert(name);
            }
        }
        checks_out
    }

    /// Whether a line puts the code into the workspace.
    fn places(&self, line: &str, is_head: bool) -> bool {
        let fetched = || self.fetched.iter().any(|name| contains_word(line, name));
        (PLACES.is_match(line) && (is_head || fetched())) || (is_head && UNPACKS.is_match(line))
    }

    /// Remembers under which names a line has fetched the code, or will.
    fn remember_fetched(&mut self, line: &str) {
        if !BRINGS.is_match(line) {
            return;
        }
        if let Some(found) = REMOTE.captures(line) {
            self.fetched.insert(found[1].to_owned());
        } else {
            self.fetched.insert("FETCH_HEAD".to_owned());
            let local = REFSPEC.captures_iter(line).map(|found| found[1].to_owned());
            self.fetched.extend(local);
        }
    }

    /// The outputs of the job that name the code, as other jobs write them.
    fn outputs_of(&self, job: &Node) -> Vec<String> {
        let outputs = job.get("outputs").into_iter().flat_map(Node::entries);
        let head =
            outputs.filter(|(_, value)| value.text().is_some_and(|text| self.names.is_head(text)));
        head.map(|(name, _)| format!("needs.{}.outputs.{name}", self.job).to_ascii_lowercase())
            .collect()
    }
}
