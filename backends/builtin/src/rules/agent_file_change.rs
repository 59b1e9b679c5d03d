//! `agent-file-change`: files by which a repository steers coding agents, and this program.

use super::prelude::*;

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

const PROSE: [&str; 8] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "AGENT.md",
    "GEMINI.md",
    "REVIEW.md",
    ".cursorrules",
    ".windsurfrules",
];
const FOLDERS: [&str; 7] = [
    ".claude",
    ".gemini",
    ".codex",
    ".cursor",
    ".windsurf",
    ".kiro",
    ".continue",
];

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !file.exists() || file.role == FileRole::Test {
        return;
    }
    let name = file.file_name();
    let steers = PROSE.contains(&name)
        || file.path == "council.toml"
        || file.path.ends_with(".github/copilot-instructions.md")
        || file
            .folder_path()
            .split('/')
            .any(|folder| FOLDERS.contains(&folder));
    if name == ".mcp.json" || name == "mcp.json" || steers {
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

pattern!(
    STARTS,
    r#"(?i)"(?:command|url)"\s*:|"hooks"\s*:|\bbypassPermissions\b|dangerously|"allow"\s*:|apiKeyHelper|_BASE_URL"#
);
