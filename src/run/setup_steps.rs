//! What was set up, and what is left for people to do.

use std::fmt::Write as _;
use std::path::Path;

use crate::run::first_setup::{
    PlannedFile, SetupChoices, SetupOptions, SetupPreset, describe_version, lines_without_release,
};
use crate::text::page_address;

/// What was done, and what comes next.
pub(crate) fn describe_result(
    preset: SetupPreset,
    options: &SetupOptions,
    choices: &SetupChoices,
    files: &[PlannedFile],
) -> String {
    let mut out = String::new();
    for file in files {
        let _ = writeln!(out, "wrote {}", file.path.display());
    }
    match preset {
        SetupPreset::Solo => out.push_str(&next_of_solo(options, choices)),
        SetupPreset::Team | SetupPreset::OpenSource => {
            out.push_str(&next_in_repository(preset, options, files));
        }
    }
    out
}

fn next_of_solo(options: &SetupOptions, choices: &SetupChoices) -> String {
    let mut out = String::new();
    for one in &options.clients {
        let _ = writeln!(out, "  {}: {}", one.known.name, describe_version(one));
    }
    if choices.has_models() {
        out.push_str(
            "next: git council doctor checks that each can judge; then git council review\n",
        );
        return out;
    }
    let names: Vec<&str> = options.clients.iter().map(|one| one.known.name).collect();
    if names.is_empty() {
        out.push_str("no agent is installed: the built-in judges review, at no cost\n")
    } else {
        let _ = writeln!(
            out,
            "the built-in judges still review; add others under `agents` in that file, or try: \
                 git council review --config review.agents={}",
            names.join(",")
        );
    }
    out
}

fn next_in_repository(
    preset: SetupPreset,
    options: &SetupOptions,
    files: &[PlannedFile],
) -> String {
    let mut steps = Vec::new();
    for file in files {
        let lines = lines_without_release(&file.text);
        if !lines.is_empty() {
            let name = below(options.worktree.as_deref(), &file.path);
            steps.push(format!(
                "in {name}, {}: replace the zeros with the commit of a git-council release; while there is none, with the \
                 newest commit, and add `version: source` below `with:`",
                name_lines(&lines)
            ));
        }
    }
    steps.push("commit these files to the default branch, then open a pull request".to_owned());
    if preset == SetupPreset::OpenSource {
        // Whoever reviews these files first is told of exactly these rights.
        steps.push(
            "its review is WARN, because a job of council-publish.yml may write comments and checks: merge it, the job \
             needs both to publish, and runs nothing of a pull request"
                .to_owned(),
        );
    }
    if preset == SetupPreset::Team {
        let page = page_address("docs/github.md");
        steps.push(format!(
            "make the job `council` a required status check: {page}"
        ));
    }
    let mut out = "next:\n".to_owned();
    for (number, step) in steps.iter().enumerate() {
        let _ = writeln!(out, "  {}. {step}", number + 1);
    }
    out
}

fn below(top: Option<&Path>, path: &Path) -> String {
    let short = top.and_then(|top| path.strip_prefix(top).ok());
    short.unwrap_or(path).display().to_string()
}

fn name_lines(lines: &[usize]) -> String {
    let numbers: Vec<String> = lines.iter().map(usize::to_string).collect();
    match numbers.len() {
        1 => format!("line {}", numbers[0]),
        _ => format!("lines {}", numbers.join(" and ")),
    }
}
