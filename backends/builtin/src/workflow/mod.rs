//! What rules ask of a GitHub workflow: its triggers, and what stands around a line.

pub(crate) mod checkout;
pub(crate) mod expression;
pub(crate) mod job_rights;
pub(crate) mod scalar;

use crate::pattern::pattern;
use crate::view::{FileView, LineView, indent};
use crate::yaml::parse_yaml;

/// Triggers that run with the secrets and the token of the base repository on behalf of strangers.
pub(crate) const PRIVILEGED: [&str; 3] = ["pull_request_target", "workflow_run", "issue_comment"];

/// The lines of the file after the change, as far as they are known.
pub(crate) fn lines_after<'f>(file: &'f FileView<'_>) -> Box<dyn Iterator<Item = &'f str> + 'f> {
    match file.text_after() {
        Some(text) => Box::new(text.lines()),
        None => Box::new(
            file.lines
                .iter()
                .filter(|l| l.new_no.is_some())
                .map(|l| l.text),
        ),
    }
}

/// The privileged trigger that a line sets, if it does: `on: issue_comment`, `  issue_comment:`, `- issue_comment`.
pub(crate) fn trigger_in(text: &str) -> Option<&'static str> {
    let text = text.split('#').next().unwrap_or_default().trim();
    let around = |c: char| matches!(c, '"' | '\'' | '[' | ']' | '{' | '}' | ',' | ' ');
    let (key, value) = text.split_once(':').unwrap_or((text, ""));
    let key = key.trim_start_matches("- ").trim_matches(around);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    PRIVILEGED.into_iter().find(|name| match key {
        "on" => value.split(|c| !is_word(c)).any(|word| word == *name),
        // Whatever else stands there narrows it.
        _ => key == *name,
    })
}

/// The same of a line of a file, its escapes read, and what an escaped line end joins to it.
pub(crate) fn trigger_of(line: &LineView<'_, '_>) -> Option<&'static str> {
    let text = line.text();
    if !text.contains('\\') {
        return trigger_in(text);
    }
    let joined = match text.trim_end().strip_suffix('\\') {
        Some(begun) => {
            let next = line.file.line_text(line.number() + 1).unwrap_or_default();
            format!("{begun}{}", next.trim_start())
        }
        None => text.to_owned(),
    };
    let plain = ESCAPE.replace_all(&joined, |found: &regex::Captures<'_>| {
        let code = u32::from_str_radix(&found[1], 16).ok();
        code.and_then(char::from_u32)
            .map(String::from)
            .unwrap_or_default()
    });
    trigger_in(&plain)
}

pattern!(
    /// A letter by its number, in double quotes of YAML.
    ESCAPE,
    r"\\(?:x|u|U)([0-9a-fA-F]{8}|[0-9a-fA-F]{4}|[0-9a-fA-F]{2})"
);

/// The privileged trigger of a workflow, if it has one.
pub(crate) fn find_privileged(file: &FileView<'_>) -> Option<&'static str> {
    let by_line = lines_after(file).find_map(trigger_in);
    by_line.or_else(|| trigger_in_document(file.text_after()?))
}

/// The privileged trigger of a workflow that spells it with escapes, or over several lines: `"pull_request\x5ftarget"`.
fn trigger_in_document(text: &str) -> Option<&'static str> {
    // Nothing else is written in a way that its line does not show.
    if !text.contains('\\') || text.len() > scalar::MAX_YAML_BYTES {
        return None;
    }
    let document = parse_yaml(text)?;
    // YAML 1.1 takes `on` for a truth.
    let triggers = document.get("on").or_else(|| document.get("true"))?.names();
    PRIVILEGED.into_iter().find(|name| triggers.contains(name))
}

/// The most lines that are looked at above a line.
const MAX_LINES_ABOVE: usize = 500;

/// The lines that hold a line by their smaller indentation, from the nearest to the top.
pub(crate) fn parent_lines<'f>(line: &LineView<'f, '_>) -> Vec<&'f str> {
    let mut parents = Vec::new();
    let mut depth = line.indent();
    for number in (1..line.number()).rev().take(MAX_LINES_ABOVE) {
        let Some(text) = line.file.line_text(number) else {
            break;
        };
        let here = indent(text);
        if text.trim().is_empty() || text.trim_start().starts_with('#') || here >= depth {
            continue;
        }
        // The key of `- key: …` stands behind the dash: what is as deep as it is its sibling.
        let item = text.trim_start().starts_with("- ");
        if !item || here + 2 < depth {
            parents.push(text.trim());
        }
        depth = here;
        if depth == 0 {
            break;
        }
    }
    parents
}

pattern!(
    /// The key of a script, in a mapping of either style.
    SCRIPT_KEY,
    r#"^\s*(?:-\s+)*(?:\{(?:.*,)?\s*)?["']?(?:run|script)["']?\s*:"#
);

/// Whether a line is shell code of a step: `run: …`, or a line of a `run: |` block.
pub(crate) fn is_script(line: &LineView<'_, '_>) -> bool {
    let is_run = |text: &str| SCRIPT_KEY.is_match(text);
    is_run(line.text()) || parent_lines(line).into_iter().any(is_run)
}
