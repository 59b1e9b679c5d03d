//! `workflow-injection`: text of strangers pasted into a shell script by the template engine.

use super::prelude::*;
use crate::rule::RuleHit;
use crate::workflow;
use crate::workflow::expression::expressions;
use crate::workflow::scalar::{KeyedText, lines_of, texts_under};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "workflow-injection",
        perspective: SECURITY,
        category: "ci",
        severity: Significant,
        summary: "untrusted text expanded inside a workflow's script",
        why: "GitHub pastes `${{ … }}` into the script before the shell reads it: a title, branch name or comment \
              that contains a quote becomes a command.",
        fix: "Pass it as an environment variable (`env: TITLE: ${{ … }}`), and write `\"$TITLE\"` in the script.",
        examples: &[RuleExample {
            path: ".github/workflows/greet.yml",
            bad: "      - run: echo \"${{ github.event.issue.title }}\"\n",
            good: "      - run: echo \"$TITLE\"\n        env:\n          TITLE: ${{ github.event.issue.title }}\n",
        }],
    },
    scope: RuleScope::Workflows,
    guards: Guarded::Review,
    languages: &[],
    claims: &["injection", "expression", "github.event", "untrusted"],
    check: RuleCheck::File(check_file),
};

pattern!(
    /// In an expression that was normalized.
    STRANGER,
    r"\b(?:github\.head_ref|github\.event\.(?:issue|pull_request|discussion|comment|review|review_comment|head_commit|commits|workflow_run|pages)\b[\w.\[\]*-]*\.(?:title|body|message|name|email|label|ref|head_branch|display_title|default_branch|page_name))\b"
);
pattern!(
    /// All of an event, the words of strangers in it included.
    WHOLE,
    r"\btojson\(\s*github(?:\.event(?:\.(?:issue|pull_request|discussion|comment|review|review_comment|head_commit|commits|workflow_run|pages))?)?\s*\)"
);

/// Where a workflow has scripts: those of steps, and of actions that run one.
const SCRIPT_KEYS: [&str; 2] = ["run", "script"];

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !file.is_text() || !workflow::lines_after(file).any(|text| text.contains("${{")) {
        return;
    }
    let scripts = file
        .text_after()
        .and_then(|text| texts_under(text, &SCRIPT_KEYS));
    match scripts {
        Some(scripts) => {
            let added: Vec<LineView<'_, '_>> = file.added_lines().collect();
            for script in scripts {
                check_script(file, &script, lines_of(&added, &script.lines), hits);
            }
        }
        // What single lines say, where the workflow as a whole cannot be read.
        None => {
            for line in file.added_lines().filter(workflow::is_script) {
                if let Some(name) = strangers_in(&line.without_comments()).first() {
                    hits.push(pasted(&line, name));
                }
            }
        }
    }
}

fn check_script(
    file: &FileView<'_>,
    script: &KeyedText,
    added: &[LineView<'_, '_>],
    hits: &mut HitList,
) {
    let mut names = strangers_in(&script.text);
    if names.is_empty() {
        return;
    }
    for line in added {
        let here = strangers_in(&line.without_comments());
        if let Some(name) = here.iter().find(|name| names.contains(name)) {
            hits.push(pasted(line, name));
        }
    }
    // An expression may go over several lines, or stand where an anchor of YAML does.
    for text in script
        .lines
        .clone()
        .map_while(|number| file.line_text(number))
    {
        let here = strangers_in(text);
        names.retain(|name| !here.contains(name));
    }
    if let (Some(name), Some(line)) = (names.first(), added.first()) {
        hits.push(pasted(line, name));
    }
}

fn pasted(line: &LineView<'_, '_>, name: &str) -> RuleHit {
    line.line_hit(format!("`{name}` is pasted into a script."))
}

/// The words of strangers that the expressions of a text name.
fn strangers_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for inside in expressions(text) {
        let stranger = STRANGER.find_iter(&inside).map(|found| found.as_str());
        let stranger = stranger.filter(|name| !name.ends_with("base.ref"));
        let whole = WHOLE.find_iter(&inside).map(|found| found.as_str());
        names.extend(stranger.chain(whole).map(str::to_owned));
    }
    names
}
