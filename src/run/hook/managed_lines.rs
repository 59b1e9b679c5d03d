//! Whether the file of a hook manager runs our hook: read as far as a person would look, and never a yes for a line that
//! does nothing.

use serde_json::{Map, Value};

use crate::run::hook::managers::{HookManager, is_json};
use crate::run::hook::script::HookEvent;
use crate::run::jsonc::jsonc_options;

/// Whether a file of that name and text runs the hook.
pub(super) fn runs_hook(manager: HookManager, file: &str, text: &str, event: HookEvent) -> bool {
    match manager {
        HookManager::Husky => runs_in_script(text, event),
        HookManager::Lefthook => match lefthook_section(file, text, event) {
            LefthookSection::Lines(lines) => runs_in_yaml_section(&lines, event),
            LefthookSection::Value(section) => runs_in_section(&section, event),
        },
        HookManager::PreCommit => runs_in_pre_commit(text, event),
        HookManager::Prek => runs_in_prek(text, event),
        HookManager::Hk => {
            let section = format!("[\"{}\"]", event.name());
            let lines = text
                .lines()
                .map(|line| line.split("//").next().unwrap_or_default());
            let mut lines = lines.skip_while(|line| !line.contains(&section));
            lines.any(|line| calls_hook(line, event))
        }
    }
}

/// Whether a file of lefthook's that overrides another one skips the hook, or a command of it.
pub(super) fn skips_hook(file: &str, text: &str, event: HookEvent) -> bool {
    match lefthook_section(file, text, event) {
        LefthookSection::Lines(lines) => is_skipped(&lines),
        LefthookSection::Value(section) => skips_own(&section, true),
    }
}

/// What a file of lefthook's says of a hook.
enum LefthookSection<'t> {
    /// Of YAML its lines.
    Lines(Vec<&'t str>),
    /// Of JSON and TOML the value; null: nothing, or the file cannot be read.
    Value(Value),
}

fn lefthook_section<'t>(file: &str, text: &'t str, event: HookEvent) -> LefthookSection<'t> {
    let read: Option<Value> = if is_json(file) {
        jsonc_parser::parse_to_serde_value(text, &jsonc_options()).ok()
    } else if file.ends_with(".toml") {
        let read = text.parse::<toml::Table>().ok();
        read.and_then(|read| serde_json::to_value(read).ok())
    } else {
        return LefthookSection::Lines(yaml_section(text, event));
    };
    LefthookSection::Value(read.map_or(Value::Null, |read| read[event.name()].clone()))
}

/// Whether a part that is ours, or holds what is ours, may be passed over.
fn skips_own(part: &Value, is_own: bool) -> bool {
    let names_us = |part: &Value| part.to_string().contains("git-council");
    match part {
        Value::Object(entries) => {
            let mut inner = entries.iter();
            is_own && is_conditional(entries)
                || inner.any(|(key, part)| {
                    skips_own(part, key.contains("git-council") || names_us(part))
                })
        }
        Value::Array(items) => items.iter().any(|item| skips_own(item, names_us(item))),
        _ => false,
    }
}

/// What of a script runs: nothing behind an `exit` that stands by itself.
fn runs_in_script(text: &str, event: HookEvent) -> bool {
    let lines = text.lines().map(without_comment);
    let mut lines = lines.take_while(|line| {
        let first = line.split_whitespace().next();
        !matches!(first, Some("exit" | "return")) || line.starts_with([' ', '\t'])
    });
    lines.any(|line| calls_hook(line, event))
}

/// Whether one of the commands of a line calls the hook, and its end counts.
fn calls_hook(line: &str, event: HookEvent) -> bool {
    let call = format!("hook run {}", event.name());
    let mut rest = line;
    while let Some(at) = rest.find(&call) {
        let behind = &rest[at + call.len()..];
        if runs_program(&rest[..at]) && !is_ignored(behind) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Whether what stands before the words of the call starts the program.
fn runs_program(before: &str) -> bool {
    let start = before
        .rfind(['|', '&', ';', '\n', '(', '{'])
        .map_or(0, |at| at + 1);
    let never = ["true ||", "false &&", ": ||"];
    let is_never = never.iter().any(|never| before.contains(never));
    let command = before[start..].trim();
    // `run: '…'` of YAML and `check = "…"` of Pkl.
    let quoted = command.rsplit_once(['"', '\'']);
    let quoted = quoted.filter(|(key, _)| key.trim_end().ends_with([':', '=']));
    let command = quoted.map_or(command, |(_, command)| command);
    let mut words = command
        .split_whitespace()
        .filter(|word| !word.contains('=') && !word.ends_with(':'));
    let first = words
        .clone()
        .find(|word| !matches!(*word, "!" | "exec" | "command" | "env" | "npx" | "-"));
    let last = words.next_back().unwrap_or_default();
    let is_printed = matches!(
        first,
        Some("echo" | "printf" | ":" | "true" | "false" | "test")
    );
    !is_never && !is_printed && (last.contains("git-council") || command.ends_with("git council"))
}

/// Whether what a call ends with is thrown away.
fn is_ignored(behind: &str) -> bool {
    let behind: String = behind.split_whitespace().collect();
    ["||true", "||:", "||exit0", ";true", "||echo"]
        .iter()
        .any(|end| behind.contains(end))
}

fn without_comment(line: &str) -> &str {
    let starts = |at: &usize| *at == 0 || line[..*at].ends_with([' ', '\t']);
    let at = line.match_indices('#').map(|(at, _)| at).find(starts);
    at.map_or(line, |at| &line[..at])
}

/// Whether one of the commands of a section of lefthook's calls the hook, and is not skipped.
fn runs_in_section(section: &Value, event: HookEvent) -> bool {
    match section {
        Value::Object(entries) if is_conditional(entries) => false,
        Value::Object(entries) => entries.iter().any(|(key, value)| match value {
            Value::String(command) => key == "run" && calls_hook(command, event),
            other => runs_in_section(other, event),
        }),
        Value::Array(items) => items.iter().any(|item| runs_in_section(item, event)),
        _ => false,
    }
}

/// The same in YAML, by its indentation.
fn runs_in_yaml_section(section: &[&str], event: HookEvent) -> bool {
    !is_skipped(section) && section.iter().any(|line| calls_hook(line, event))
}

/// The lines of a hook's section.
fn yaml_section(text: &str, event: HookEvent) -> Vec<&str> {
    let lines = text
        .lines()
        .map(without_comment)
        .filter(|line| !line.trim().is_empty());
    let is_key = |line: &&str| {
        let key = line.split(':').next().unwrap_or_default();
        key.trim_matches(['"', '\'', ' ']) == event.name() && !line.starts_with([' ', '\t'])
    };
    let mut section: Vec<&str> = Vec::new();
    for line in lines.skip_while(|line| !is_key(line)) {
        if !section.is_empty() && !line.starts_with([' ', '\t']) {
            break;
        }
        section.push(line);
    }
    section
}

/// Keys by which lefthook passes a command over at times: what is not sure to run is no gate.
const CONDITIONS: [&str; 5] = ["skip", "only", "exclude_tags", "glob", "files"];

/// Whether a part of a section has such a key.
fn is_conditional(entries: &Map<String, Value>) -> bool {
    let is_set = |key: &&str| {
        entries
            .get(*key)
            .is_some_and(|value| *value != Value::Bool(false))
    };
    CONDITIONS.iter().any(is_set)
}

/// Whether a section, or its command that is ours, may be passed over.
fn is_skipped(section: &[&str]) -> bool {
    own_lines(section).any(|line| {
        let plain: String = line.split_whitespace().collect();
        let plain = plain.trim_start_matches('-');
        let holds = |key: &str| {
            let within = ["{", ","].map(|before| format!("{before}{key}:"));
            plain.starts_with(&format!("{key}:"))
                || within.iter().any(|within| plain.contains(within.as_str()))
        };
        CONDITIONS
            .iter()
            .any(|key| holds(key) && !plain.contains(&format!("{key}:false")))
    })
}

/// The lines of a section that are about all of it, or about the command that names us: another command may have conditions
/// of its own.
fn own_lines<'s>(section: &'s [&'s str]) -> impl Iterator<Item = &'s str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let least = section.iter().skip(1).map(|line| indent(line)).min();
    let named = section.iter().position(|line| line.contains("git-council"));
    let is_own = move |at: usize| {
        let named = named.filter(|_| at > 0)?;
        let depth = indent(section[named]);
        let (from, to) = (at.min(named), at.max(named));
        let is_beside = section[from..=to].iter().all(|line| indent(line) >= depth);
        Some(is_beside && (at >= named || indent(section[at]) == depth))
    };
    let lines = section.iter().enumerate();
    lines
        .filter(move |(at, line)| {
            let is_direct = *at > 0 && Some(indent(line)) == least;
            is_direct || line.contains("git-council") || is_own(*at).unwrap_or_default()
        })
        .map(|(_, line)| *line)
}

/// Whether a hook of pre-commit's file calls ours at that stage.
fn runs_in_pre_commit(text: &str, event: HookEvent) -> bool {
    let lines: Vec<&str> = text.lines().map(without_comment).collect();
    let names_stage = |text: &str| {
        let short = event.name().trim_start_matches("pre-");
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
        words.any(|word| word == event.name() || word == short)
    };
    let default = lines
        .iter()
        .find(|line| line.starts_with("default_stages:"));
    let is_default = default.is_none_or(|line| names_stage(line));
    hook_items(&lines).iter().any(|item| {
        let is_own = item
            .split_whitespace()
            .collect::<String>()
            .contains("id:git-council");
        let calls = item.lines().any(|line| calls_hook(line, event));
        let other = item.contains("hook run") && !calls;
        let stages = item
            .split_once("stages:")
            .map(|(_, stages)| stages.split([']', '}']).next().unwrap_or_default());
        // A hook of our own repository has its stage in our manifest; one that is written out has the file's default.
        let by_default = if calls { is_default } else { is_own };
        let is_stage = stages.map_or(by_default, names_stage);
        let plain: String = item.split_whitespace().collect();
        let is_filtered = calls && plain.contains("files:") && !plain.contains("always_run:true");
        (calls || is_own && !other) && is_stage && !is_filtered
    })
}

/// Whether a hook of prek's own file calls ours at that stage.
fn runs_in_prek(text: &str, event: HookEvent) -> bool {
    let Ok(whole) = text.parse::<toml::Table>() else {
        return false;
    };
    let repos = whole.get("repos").and_then(toml::Value::as_array);
    let hooks = repos
        .into_iter()
        .flatten()
        .filter_map(|repo| repo.get("hooks"));
    let mut hooks = hooks.filter_map(toml::Value::as_array).flatten();
    let is_default = whole
        .get("default_stages")
        .is_none_or(|all| names_stage(all, event));
    hooks.any(|hook| {
        let entry = hook.get("entry").and_then(toml::Value::as_str);
        let is_own = hook.get("id").and_then(toml::Value::as_str) == Some("git-council");
        let calls = entry.is_some_and(|entry| calls_hook(entry, event));
        let by_default = if calls { is_default } else { is_own };
        let is_stage = hook
            .get("stages")
            .map_or(by_default, |all| names_stage(all, event));
        let is_always = hook.get("always_run").and_then(toml::Value::as_bool) == Some(true);
        let is_filtered = calls && hook.get("files").is_some() && !is_always;
        (calls || is_own && entry.is_none()) && is_stage && !is_filtered
    })
}

/// Whether a list of stages has that of the hook, perhaps under its short name.
fn names_stage(stages: &toml::Value, event: HookEvent) -> bool {
    let short = event.name().trim_start_matches("pre-");
    let mut all = stages.as_array().into_iter().flatten();
    all.any(|stage| {
        stage
            .as_str()
            .is_some_and(|stage| stage == event.name() || stage == short)
    })
}

/// The items of all lists, each with the lines that belong to it.
fn hook_items(lines: &[&str]) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_hook = |line: &str| line.contains("id:");
    let starts = (0..lines.len()).filter(|&at| {
        let text = lines[at].trim_start();
        is_hook(text) && (text.starts_with('-') || text.contains('{'))
    });
    let item = |at: usize| {
        let below = lines[at + 1..].iter();
        let own =
            below.take_while(|line| line.trim().is_empty() || indent(line) > indent(lines[at]));
        let all: Vec<&str> = std::iter::once(lines[at]).chain(own.copied()).collect();
        all.join("\n")
    };
    starts.map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(manager: HookManager, file: &str, text: &str) -> bool {
        runs_hook(manager, file, text, HookEvent::PrePush)
    }

    #[test]
    fn the_lines_that_we_print_run_the_hook() {
        for event in HookEvent::ALL {
            for (manager, file, begin) in [
                (
                    HookManager::PreCommit,
                    ".pre-commit-config.yaml",
                    "repos:\n",
                ),
                (HookManager::Lefthook, "lefthook.yml", ""),
                (HookManager::Lefthook, "lefthook.toml", ""),
                (HookManager::Husky, ".husky/pre-push", "npm test\n"),
                (HookManager::Hk, "hk.pkl", ""),
                (HookManager::Prek, "prek.toml", ""),
            ] {
                let text = format!("{begin}{}", manager.lines_for(file, event));
                assert!(runs_hook(manager, file, &text, event), "{text}");
                let other = HookEvent::ALL
                    .into_iter()
                    .find(|other| *other != event)
                    .unwrap();
                assert!(!runs_hook(manager, file, &text, other), "{text}");
            }
            let json = HookManager::Lefthook.lines_for("lefthook.json", event);
            assert!(runs_hook(
                HookManager::Lefthook,
                "lefthook.json",
                &format!("{{{json}}}"),
                event
            ));
        }
    }

    #[test]
    fn a_line_that_does_nothing_is_none() {
        let call = "git-council hook run pre-push \"$@\"";
        for line in [
            format!("# {call} || exit $?"),
            format!("npm test # {call}"),
            format!("echo \"please run {call}\""),
            format!("exit 0\n{call} || exit $?"),
            format!("{call} || true"),
            format!("{call} || :"),
            format!("true || {call}"),
            format!("printf '%s' '{call}'"),
        ] {
            assert!(
                !runs(HookManager::Husky, ".husky/pre-push", &line),
                "{line}"
            );
        }
        for line in [
            format!("{call} || exit $?"),
            format!("npm test && {call}"),
            format!("if [ -n \"$CI\" ]; then\n  exit 0\nfi\nexec {call}"),
            "node_modules/.bin/git-council hook run pre-push origin".to_owned(),
            "npx git-council hook run pre-push origin".to_owned(),
        ] {
            assert!(runs(HookManager::Husky, ".husky/pre-push", &line), "{line}");
        }
        for text in [
            "pre-commit:\n  commands:\n    a: {run: 'git-council hook run pre-push {0}'}\npre-push:\n  commands:\n    x: {run: 'true'}\n",
            "# git-council hook run pre-push {0}\npre-push:\n  commands:\n    x: {run: 'true'}\n",
            "pre-push:\n  skip: true\n  commands:\n    a: {run: 'git-council hook run pre-push {0}'}\n",
            "pre-push:\n  commands:\n    a:\n      run: true || git-council hook run pre-push {0}\n",
        ] {
            assert!(!runs(HookManager::Lefthook, "lefthook.yml", text), "{text}");
        }
        let toml = "[pre-push]\nskip = true\n[pre-push.commands.a]\nrun = 'git-council hook run pre-push {0}'\n";
        assert!(!runs(HookManager::Lefthook, "lefthook.toml", toml));
        assert!(runs(
            HookManager::Lefthook,
            "lefthook.toml",
            &toml.replace("skip = true\n", "")
        ));
    }

    #[test]
    fn a_hook_of_pre_commit_counts_at_its_stage() {
        let item = |stages: &str| {
            format!(
                "repos:\n  - repo: local\n    hooks:\n      - {{id: c, language: system, entry: git-council hook run pre-push{stages}}}\n"
            )
        };
        let block = "repos:\n- repo: https://example.com/x\n  rev: v1\n  hooks:\n  - id: git-council\n    verbose: true\n";
        for text in [
            item(", stages: [pre-push]"),
            item(", stages: [push, manual]"),
            item(""),
            block.to_owned(),
            format!("{block}    stages: [pre-push]\n"),
        ] {
            assert!(runs(HookManager::PreCommit, "", &text), "{text}");
        }
        for text in [
            item(", stages: [pre-commit]"),
            "repos: []\n# entry: git-council hook run pre-push\n".to_owned(),
            format!("default_stages: [pre-commit]\n{}", item("")),
            format!("{block}    stages: [pre-commit]\n"),
            block.replace("  - id", "#  - id"),
        ] {
            assert!(!runs(HookManager::PreCommit, "", &text), "{text}");
        }
    }

    /// Law: a hook of prek's file counts where the same one of pre-commit's does.
    #[test]
    fn a_hook_of_prek_counts_as_one_of_pre_commit_does() {
        let entry = "git-council hook run pre-push";
        for (default, hook) in [
            ("", format!("'entry': '{entry}'")),
            ("['pre-commit']", format!("'entry': '{entry}'")),
            (
                "",
                format!("'entry': '{entry}', 'stages': ['push', 'manual']"),
            ),
            ("", format!("'entry': '{entry}', 'stages': ['pre-commit']")),
            ("", format!("'entry': '{entry}', 'files': 'x'")),
            (
                "",
                format!("'entry': '{entry}', 'files': 'x', 'always_run': true"),
            ),
            ("", "'entry': 'git-council hook run post-commit'".to_owned()),
            ("['pre-commit']", "'verbose': true".to_owned()),
            ("", "'verbose': true, 'stages': ['pre-commit']".to_owned()),
        ] {
            let key = |text: &str, sign: &str| text.replace("':", &format!("'{sign}"));
            let yaml_hook = key(&hook, ":").replace("'id'", "id").replace('\'', "");
            let yaml =
                format!("repos:\n- repo: local\n  hooks:\n  - {{id: git-council, {yaml_hook}}}\n");
            let toml = format!(
                "[[repos]]\nhooks = [{{ id = 'git-council', {} }}]\n",
                key(&hook, " =")
            );
            let (yaml, toml) = match default {
                "" => (yaml, toml),
                stages => (
                    format!("default_stages: {stages}\n{yaml}"),
                    format!("default_stages = {stages}\n{toml}"),
                ),
            };
            let (of_yaml, of_toml) = (
                runs(HookManager::PreCommit, "", &yaml),
                runs(HookManager::Prek, "", &toml),
            );
            assert_eq!(of_yaml, of_toml, "{yaml}\n{toml}");
        }
    }

    /// A law: a condition counts the same in each format, above the command that is ours and within it; another command's
    /// does not.
    #[test]
    fn a_condition_counts_in_each_format() {
        let event = HookEvent::PrePush;
        let run = "git-council hook run pre-push {0}";
        for condition in CONDITIONS {
            for (place, is_ours) in [("hook", true), ("own", true), ("other", false)] {
                let at = |here: &str| if place == here { condition } else { "tags" };
                let json = serde_json::json!({"pre-push": {
                    at("hook"): "x",
                    "commands": {
                        "lint": {"run": "npm test", at("other"): "x"},
                        "git-council": {"run": run, at("own"): "x"},
                    },
                }});
                let toml = toml::to_string(&json).unwrap();
                let yaml = format!(
                    "pre-push:\n  {}: x\n  commands:\n    lint:\n      run: npm test\n      {}: x\n    git-council:\n      \
                     run: {run}\n      {}: x\n",
                    at("hook"),
                    at("other"),
                    at("own")
                );
                for (file, text) in [
                    ("lefthook.json", json.to_string()),
                    ("lefthook.toml", toml),
                    ("lefthook.yml", yaml),
                ] {
                    let runs = runs_hook(HookManager::Lefthook, file, &text, event);
                    assert_eq!(runs, !is_ours, "{file}: {text}");
                    assert_eq!(skips_hook(file, &text, event), is_ours, "{file}: {text}");
                }
            }
        }
    }

    #[test]
    fn what_is_overridden_in_a_clone_does_not_run() {
        let event = HookEvent::PrePush;
        for (file, text) in [
            (
                "lefthook-local.yml",
                "pre-push:\n  commands:\n    git-council:\n      skip: true\n",
            ),
            ("lefthook-local.yml", "pre-push:\n  skip: true\n"),
            (
                "lefthook-local.toml",
                "[pre-push.commands.git-council]\nskip = true\n",
            ),
            (
                "lefthook-local.json",
                r#"{"pre-push": {"commands": {"git-council": {"skip": true}}}}"#,
            ),
        ] {
            assert!(skips_hook(file, text, event), "{text}");
            let other = text.replace("pre-push", "pre-commit");
            assert!(!skips_hook(file, &other, event), "{other}");
        }
        let entry = "repos:\n- repo: local\n  hooks:\n  - id: git-council\n    entry: git-council hook run pre-push\n    language: system\n";
        let runs = |before: &str, behind: &str| {
            let text = format!("{before}{entry}{behind}");
            runs_hook(
                HookManager::PreCommit,
                ".pre-commit-config.yaml",
                &text,
                event,
            )
        };
        assert!(runs("", ""));
        assert!(runs("default_stages: [pre-push]\n", ""));
        assert!(!runs("default_stages: [pre-commit]\n", ""));
        assert!(!runs("", "    files: ^nothing$\n"));
        assert!(runs("", "    files: ^src/\n    always_run: true\n"));
        let lefthook = |more: &str, other: &str| {
            let text = format!(
                "pre-push:\n{other}  commands:\n    lint:\n      run: npm test\n      glob: '*.js'\n    git-council:\n      run: git-council hook run pre-push {{0}}\n{more}      use_stdin: true\n"
            );
            runs_hook(HookManager::Lefthook, "lefthook.yml", &text, event)
        };
        assert!(lefthook("", ""));
        assert!(lefthook("      skip: false\n", ""));
        for condition in [
            "only: [{ref: release}]",
            "skip: [{ref: main}]",
            "glob: '*.py'",
            "files: echo",
            "skip: true",
        ] {
            assert!(
                !lefthook(&format!("      {condition}\n"), ""),
                "{condition}"
            );
        }
        assert!(!lefthook("", "  skip: [{run: true}]\n"));
        let flow = "pre-push: { commands: { git-council: { run: 'git-council hook run pre-push {0}', skip: true } } }\n";
        assert!(!runs_hook(
            HookManager::Lefthook,
            "lefthook.yml",
            flow,
            event
        ));
    }
}
