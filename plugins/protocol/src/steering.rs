//! Files and folders by which a repository steers coding agents and reviewers: no judge is shown those of the change in its
//! workspace, and rules speak of what becomes one of them.

/// How the names of folders and files begin that some agent obeys, wherever they stand.
const BEGINNINGS: [&str; 27] = [
    ".agents",
    ".aider",
    ".amazonq",
    ".augment",
    ".claude",
    ".clinerules",
    ".codex",
    ".continue",
    ".copilot",
    ".crush",
    ".cursor",
    ".devin",
    ".factory",
    ".gemini",
    ".goose",
    ".idx",
    ".junie",
    ".kilocode",
    ".kiro",
    ".openhands",
    ".opencode",
    ".qwen",
    ".roo",
    ".tabnine",
    ".trae",
    ".windsurf",
    ".zencoder",
];

/// Whole names of files that some agent obeys, in lower case: some file systems know no other.
const NAMES: [&str; 21] = [
    "agent.md",
    "agents.md",
    "agents.override.md",
    "claude.md",
    "claude.local.md",
    "conventions.md",
    "copilot-instructions.md",
    "crush.json",
    "crush.md",
    "gemini.md",
    "opencode.json",
    "opencode.jsonc",
    "opencode.md",
    "qwen.md",
    "replit.md",
    "review.md",
    "skill.md",
    "warp.md",
    ".mcp.json",
    ".replit",
    ".rules",
];

/// Folders below `.github` that an agent obeys.
const BELOW_GITHUB: [&str; 7] = [
    "agents",
    "chatmodes",
    "copilot",
    "hooks",
    "instructions",
    "prompts",
    "skills",
];

/// Whether an agent reads instructions or settings at this path, or below it. The case of letters says nothing.
pub fn steers_agents(path: &str) -> bool {
    let lower = path.to_lowercase();
    let parts: Vec<&str> = lower.split('/').collect();
    let by_name = parts.last().is_some_and(|name| NAMES.contains(name));
    let by_folder = |part: &&str| BEGINNINGS.iter().any(|begin| part.starts_with(begin));
    let of_github = |two: &[&str]| two[0] == ".github" && BELOW_GITHUB.contains(&two[1]);
    by_name || parts.iter().any(by_folder) || parts.windows(2).any(of_github)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_obey_is_known_wherever_it_stands() {
        for path in [
            ".github/instructions/a.instructions.md",
            ".github/agents/a.md",
            ".github/prompts/a.prompt.md",
            ".github/chatmodes/a.chatmode.md",
            ".github/copilot-instructions.md",
            ".goosehints",
            "AGENT.md",
            "a/CRUSH.md",
            "QWEN.md",
            ".qwen/settings.json",
            ".kiro/steering/a.md",
            ".amazonq/rules/a.md",
            ".junie/guidelines.md",
            ".windsurf/rules/a.md",
            ".clinerules",
            ".roorules-code",
            ".aider.conf.yml",
            ".continue/rules/a.md",
            ".augment-guidelines",
            ".openhands/microagents/repo.md",
            ".trae/rules/project_rules.md",
            "CONVENTIONS.md",
            "WARP.md",
            ".rules",
            ".agents/skills/a/SKILL.md",
            ".opencode/agent/a.md",
            "packages/a/.Claude/settings.json",
            ".claude",
        ] {
            assert!(steers_agents(path), "{path}");
        }
    }

    #[test]
    fn ordinary_files_are_left_alone() {
        for path in [
            "src/agents.rs",
            "docs/agents/index.md",
            ".github/workflows/ci.yml",
            "prompts/a.md",
            "README.md",
            "src/claude.md.rs",
        ] {
            assert!(!steers_agents(path), "{path}");
        }
    }
}
