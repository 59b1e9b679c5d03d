//! Which linters a repository uses, of those that can be judges here.

use std::fs;
use std::path::Path;

use council_agents::installed::{InstalledTool, find_tools};
use council_agents::known_tools::{KNOWN_TOOLS, KnownTool};

use crate::run::backends::bare_agent_context;
use crate::run::context::RunContext;
use crate::safe_file;

/// Files that configure many tools: the tool has to be named in them.
const SHARED_FILES: [&str; 3] = ["pyproject.toml", "setup.cfg", "package.json"];

/// Files that list what runs before a commit or a push.
const HOOK_FILES: [&str; 3] = [".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml"];

const WORKFLOW_FOLDER: &str = ".github/workflows";

/// The most bytes that are read of a file: such files are written by hand.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The tools that are installed here and that the repository around the working directory uses: a file configures them,
/// or its hooks or workflows name them.
pub(crate) fn detect_tools(start: &RunContext) -> Vec<InstalledTool> {
    let is_root = |folder: &&Path| folder.join(".git").exists();
    let Some(root) = start.dir.ancestors().find(is_root) else {
        return Vec::new();
    };
    let mentions = read_mentions(root);
    let used = KNOWN_TOOLS
        .iter()
        .filter(|tool| is_configured(tool, root) || names_word(&mentions, tool.name));
    find_tools(&bare_agent_context(start), used)
}

fn is_configured(tool: &KnownTool, root: &Path) -> bool {
    tool.config.iter().any(|name| {
        let file = root.join(name);
        if SHARED_FILES.contains(name) {
            read_text(&file).is_some_and(|text| names_word(&text, tool.name))
        } else {
            file.is_file()
        }
    })
}

/// The text of the files that say which tools run when.
fn read_mentions(root: &Path) -> String {
    let workflows = fs::read_dir(root.join(WORKFLOW_FOLDER))
        .into_iter()
        .flatten();
    let workflows = workflows.filter_map(|entry| Some(entry.ok()?.path()));
    let hooks = HOOK_FILES.iter().map(|name| root.join(name));
    let texts: Vec<String> = hooks
        .chain(workflows)
        .filter_map(|file| read_text(&file))
        .collect();
    texts.join("\n")
}

fn read_text(file: &Path) -> Option<String> {
    let size = fs::metadata(file).ok().filter(fs::Metadata::is_file)?.len();
    (size <= MAX_FILE_BYTES).then(|| safe_file::read_text(file).ok())?
}

/// Whether a text names a tool, and not something whose name holds the tool's: `typos` is not `typosquat`.
fn names_word(text: &str, word: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let bytes = text.as_bytes();
    text.match_indices(word).any(|(at, _)| {
        !is_part(at.checked_sub(1).and_then(|at| bytes.get(at)))
            && !is_part(bytes.get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(files: &[(&str, &str)]) -> Vec<&'static str> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let mentions = read_mentions(root.path());
        let is_used = |tool: &&KnownTool| {
            is_configured(tool, root.path()) || names_word(&mentions, tool.name)
        };
        KNOWN_TOOLS
            .iter()
            .filter(is_used)
            .map(|tool| tool.name)
            .collect()
    }

    #[test]
    fn tools_are_found_by_their_files_and_where_hooks_and_workflows_name_them() {
        assert_eq!(used(&[]), [""; 0]);
        assert_eq!(used(&[("pyproject.toml", "[tool.ruff]\n")]), ["ruff"]);
        assert_eq!(used(&[("pyproject.toml", "[project]\n")]), [""; 0]);
        assert_eq!(used(&[("eslint.config.mjs", "")]), ["eslint"]);
        assert_eq!(
            used(&[(".github/workflows/ci.yml", "run: shellcheck *.sh")]),
            ["shellcheck"]
        );
        assert_eq!(
            used(&[(".pre-commit-config.yaml", "id: typosquat")]),
            [""; 0]
        );
        assert_eq!(used(&[("lefthook.yml", "run: cargo clippy")]), ["clippy"]);
    }
}
