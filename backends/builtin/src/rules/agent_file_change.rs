//! `agent-file-change`: files by which a repository steers coding agents, and this program.

use council_protocol::change::FileKind;
use council_protocol::steers_agents;

use super::prelude::*;
use crate::rule::RuleHit;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "agent-file-change",
        perspective: SECURITY,
        category: "agents",
        severity: Significant,
        summary: "a file that steers coding agents or reviewers",
        why: "The agents of everyone who pulls obey this file; some such files start programs. This review ignores \
              the new content: it reads instructions and configuration from the trusted side.",
        fix: "Read the change as instructions to a colleague who follows them to the letter.",
        examples: &[RuleExample {
            path: ".mcp.json",
            bad: "{\n  \"mcpServers\": { \"db\": { \"command\": \"npx\", \"args\": [\"db-mcp\"] } }\n}\n",
            good: "{}\n",
        }],
    },
    scope: RuleScope::Always,
    guards: Guarded::Review,
    languages: &[],
    claims: &[
        "claude.md",
        "agents.md",
        "mcp",
        "instruction file",
        "council.toml",
    ],
    check: RuleCheck::File(check_file),
};

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    // Agents obey such files in whatever folder they work, tests included.
    if !file.exists() {
        return;
    }
    let name = file.file_name();
    let steers = is_obeyed(&file.path) || file.path == "council.toml";
    if steers && is_link(file) {
        hits.push(link_hit(file, "agents read their instructions"));
        return;
    }
    // An editor's settings are no agent's, but for the servers that its agent starts.
    let may_start = name == "mcp.json" || file.path.ends_with(".zed/settings.json");
    if may_start || steers {
        // The line that starts something, else the first that says something.
        let starts = file.added_lines().find(|line| STARTS.is_match(line.text()));
        let first = || {
            file.added_lines()
                .find(|line| line.text().chars().any(char::is_alphanumeric))
        };
        match (starts, steers) {
            (Some(line), _) => {
                hits.push(line.line_hit(format!(
                    "`{}` now starts a program or loosens what an agent may do.",
                    file.path
                )));
            }
            (None, true) => {
                if let Some(line) = first() {
                    hits.push(
                        line.line_hit(format!(
                            "`{}` steers coding agents or reviewers.",
                            file.path
                        ))
                        .with_severity(Minor),
                    );
                }
            }
            (None, false) => {}
        }
    }
}

/// A page of documentation about an agent is named like its file, but not in its letters.
fn is_obeyed(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_docs = folders.split('/').any(|f| matches!(f, "doc" | "docs"));
    let is_page = in_docs && name.ends_with(".md") && name == name.to_lowercase();
    steers_agents(if is_page { folders } else { path })
}

pub(super) fn is_link(file: &FileView<'_>) -> bool {
    matches!(file.change.kind, FileKind::Symlink | FileKind::Submodule)
}

/// A link where some program reads what it obeys: what it leads to has another name, by which no rule knows it. One from
/// one file for agents to another is a habit (`CLAUDE.md` to `AGENTS.md`), and no more than a note.
pub(super) fn link_hit(file: &FileView<'_>, who: &str) -> RuleHit {
    let what = match file.change.kind {
        FileKind::Submodule => "A submodule",
        _ => "A link",
    };
    let said = format!("{what} stands at `{}`, where {who}.", file.path);
    let line = file.added_lines().next();
    let target = line.as_ref().map_or("", |line| line.text().trim());
    let is_alias = file.change.kind == FileKind::Symlink
        && !target.contains("..")
        && steers_agents(target)
        && !target.contains('/');
    let hit = match line {
        Some(line) => line.line_hit(said),
        None => file.file_hit(said),
    };
    if is_alias {
        hit.with_severity(Minor)
    } else {
        hit
    }
}

pattern!(
    /// Settings of agents that start a program or ask nobody, in the forms of JSON, TOML and YAML, and instructions that do.
    STARTS,
    r#"(?ix)
        "(?:command|url|context_servers)"\s*: | "hooks"\s*: | "allow"\s*: | ^\s*(?:command|url)\s*=
        | \bbypassPermissions\b | dangerously | apiKeyHelper | _BASE_URL | approval_policy\s*=\s*"never"
        | sandbox_mode\s*=\s*"danger | ^\s*(?:test-cmd|lint-cmd|auto-test|auto-lint|yes-always)\s*:
        | (?:^|[\s(])!` | \b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b | \s--no-verify\b
        | \b(?:never|do\s+not|don't)\s+(?:mention|tell|report|reveal)\b"#
);
