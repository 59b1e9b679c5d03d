//! Where each coding agent looks for servers, skills and commands.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{JsonEntry, Piece, PieceKind, TomlEntry};
use crate::run::environment::ProcessEnvironment;

const SKILL: &str = include_str!("../../../clients/claude/skills/git-council/SKILL.md");
const COMMAND: &str = include_str!("../../../clients/claude/commands/council.md");
/// The same in the form of Gemini CLI.
const GEMINI_COMMAND: &str = include_str!("../../../clients/gemini/commands/council.toml");

/// How long a client waits for a review, in milliseconds: councils of models take minutes.
const REVIEW_TIMEOUT_MS: u64 = 30 * 60_000;

/// The coding agents that can be set up, by name.
pub(crate) const CLIENTS: [&str; 6] =
    ["claude", "codex", "gemini", "cursor", "copilot", "opencode"];

/// For whom it is set up.
#[derive(Debug, Clone)]
pub(crate) enum InstallScope {
    /// For this user, in every project.
    User {
        home: PathBuf,
        environment: ProcessEnvironment,
    },
    /// For everybody who works in this worktree.
    Project(PathBuf),
}

impl InstallScope {
    /// The same where a variable names another home, in which the folder has its usual name.
    fn place_in_home(&self, variable: &str, user: &str, project: &str) -> PathBuf {
        let Self::User { environment, .. } = self else {
            return self.place(None, user, project);
        };
        let moved = environment.get(variable).map(PathBuf::from);
        match moved.filter(|path| path.is_absolute()) {
            Some(home) => home.join(user),
            None => self.place(None, user, project),
        }
    }

    /// `project` below the worktree, or `user` below the home; a variable that moves the user's folder is followed.
    fn place(&self, variable: Option<&str>, user: &str, project: &str) -> PathBuf {
        match self {
            Self::Project(top) => top.join(project),
            Self::User { home, environment } => {
                let moved = variable
                    .and_then(|name| environment.get(name))
                    .map(PathBuf::from);
                match moved.filter(|path| path.is_absolute()) {
                    // What is named `.claude/skills` by default is `skills` in a folder that was named itself.
                    Some(folder) => {
                        folder.join(Path::new(user).components().skip(1).collect::<PathBuf>())
                    }
                    None => home.join(user),
                }
            }
        }
    }
}

/// What is written for one agent; `program` is how it starts this program. None: there is no such agent.
pub(crate) fn pieces_for(client: &str, scope: &InstallScope, program: &str) -> Option<Vec<Piece>> {
    let plain = json!({ "command": program, "args": ["mcp"] });
    let (server, skills, commands) = match client {
        "claude" => {
            let moved = Some("CLAUDE_CONFIG_DIR");
            let settings = match scope {
                InstallScope::User { home, environment } => environment
                    .get("CLAUDE_CONFIG_DIR")
                    .map_or_else(|| home.clone(), PathBuf::from)
                    .join(".claude.json"),
                InstallScope::Project(top) => top.join(".mcp.json"),
            };
            (
                entry(settings, "mcpServers", plain),
                scope.place(moved, ".claude/skills", ".claude/skills"),
                Some(scope.place(moved, ".claude/commands", ".claude/commands")),
            )
        }
        "codex" => (
            codex_lines(
                scope.place(
                    Some("CODEX_HOME"),
                    ".codex/config.toml",
                    ".codex/config.toml",
                ),
                program,
            ),
            scope.place(None, ".agents/skills", ".agents/skills"),
            None,
        ),
        "gemini" => (
            entry(
                scope.place_in_home(
                    "GEMINI_CLI_HOME",
                    ".gemini/settings.json",
                    ".gemini/settings.json",
                ),
                "mcpServers",
                json!({ "command": program, "args": ["mcp"], "timeout": REVIEW_TIMEOUT_MS }),
            ),
            scope.place_in_home("GEMINI_CLI_HOME", ".gemini/skills", ".gemini/skills"),
            Some(scope.place_in_home("GEMINI_CLI_HOME", ".gemini/commands", ".gemini/commands")),
        ),
        "cursor" => (
            entry(
                scope.place(None, ".cursor/mcp.json", ".cursor/mcp.json"),
                "mcpServers",
                plain,
            ),
            scope.place(None, ".cursor/skills", ".cursor/skills"),
            Some(scope.place(None, ".cursor/commands", ".cursor/commands")),
        ),
        "copilot" => (
            match scope {
                InstallScope::User { .. } => copilot_entry(
                    scope.place(Some("COPILOT_HOME"), ".copilot/mcp-config.json", ""),
                    program,
                ),
                InstallScope::Project(top) => copilot_entry(top.join(".github/mcp.json"), program),
            },
            scope.place(Some("COPILOT_HOME"), ".copilot/skills", ".github/skills"),
            None,
        ),
        "opencode" => (
            entry(
                scope.place(
                    Some("XDG_CONFIG_HOME"),
                    ".config/opencode/opencode.json",
                    "opencode.json",
                ),
                "mcp",
                json!({ "type": "local", "command": [program, "mcp"], "enabled": true, "timeout": REVIEW_TIMEOUT_MS }),
            ),
            scope.place(
                Some("XDG_CONFIG_HOME"),
                ".config/opencode/skills",
                ".opencode/skills",
            ),
            Some(scope.place(
                Some("XDG_CONFIG_HOME"),
                ".config/opencode/commands",
                ".opencode/commands",
            )),
        ),
        _ => return None,
    };
    let page = |path: PathBuf, text: &str| Piece {
        path,
        kind: PieceKind::Page(text.to_owned()),
    };
    let mut pieces = vec![server, page(skills.join("git-council/SKILL.md"), SKILL)];
    let (file, command) = match client {
        "gemini" => ("council.toml", GEMINI_COMMAND),
        _ => ("council.md", COMMAND),
    };
    pieces.extend(commands.map(|folder| page(folder.join(file), command)));
    // Copilot in the editor has a file of its own, and does not read that of the one in a terminal.
    if let ("copilot", InstallScope::Project(top)) = (client, scope) {
        let server = json!({ "type": "stdio", "command": program, "args": ["mcp"] });
        pieces.push(entry(top.join(".vscode/mcp.json"), "servers", server));
    }
    Some(pieces)
}

fn entry(path: PathBuf, parent: &'static str, value: Value) -> Piece {
    let name = "git-council";
    Piece {
        path,
        kind: PieceKind::Entry(JsonEntry {
            parent,
            name,
            value,
        }),
    }
}

/// The server as Copilot in a terminal reads it.
fn copilot_entry(path: PathBuf, program: &str) -> Piece {
    let server = json!({ "type": "local", "command": program, "args": ["mcp"], "tools": ["*"] });
    entry(path, "mcpServers", server)
}

/// Codex waits a minute unless it is told otherwise.
fn codex_lines(path: PathBuf, program: &str) -> Piece {
    let text = format!(
        "[mcp_servers.git-council]\ncommand = {}\nargs = [\"mcp\"]\ntool_timeout_sec = {}\n",
        toml::Value::String(program.to_owned()),
        REVIEW_TIMEOUT_MS / 1000
    );
    Piece {
        path,
        kind: PieceKind::Lines(TomlEntry { text }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::agent_files::Step;

    fn user(vars: &[(&str, &str)]) -> InstallScope {
        InstallScope::User {
            home: "/h".into(),
            environment: ProcessEnvironment::from_vars(vars),
        }
    }

    #[test]
    fn every_agent_gets_its_server_and_the_skill_in_places_of_its_own() {
        for scope in [user(&[]), InstallScope::Project("/p".into())] {
            let mut paths = Vec::new();
            for client in CLIENTS {
                let pieces = pieces_for(client, &scope, "git-council").unwrap();
                assert!(
                    pieces
                        .iter()
                        .any(|piece| piece.path.ends_with("git-council/SKILL.md"))
                );
                for piece in &pieces {
                    let Step::Write(text) = piece.install_step(None) else {
                        panic!("{client}: {piece:?}")
                    };
                    assert!(text.contains("git-council"), "{client}: {text}");
                    assert_eq!(
                        piece.remove_step(Some(&text)),
                        Step::Delete,
                        "{client}: {text}"
                    );
                }
                paths.extend(pieces.into_iter().map(|piece| piece.path));
            }
            let all = paths.len();
            paths.sort();
            paths.dedup();
            assert_eq!(paths.len(), all, "{paths:?}");
        }
        assert!(pieces_for("nobody", &user(&[]), "git-council").is_none());
    }

    #[test]
    fn a_folder_that_the_user_moved_is_followed() {
        let moved = user(&[
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CODEX_HOME", "/x"),
            ("GEMINI_CLI_HOME", "/g"),
            ("COPILOT_HOME", "/o"),
            ("XDG_CONFIG_HOME", "/d"),
        ]);
        let paths = |client| -> Vec<PathBuf> {
            let pieces = pieces_for(client, &moved, "git-council").unwrap();
            pieces.into_iter().map(|piece| piece.path).collect()
        };
        let claude = [
            "/c/.claude.json",
            "/c/skills/git-council/SKILL.md",
            "/c/commands/council.md",
        ];
        assert_eq!(paths("claude"), claude.map(PathBuf::from));
        assert_eq!(paths("codex")[0], PathBuf::from("/x/config.toml"));
        let servers = [
            ("gemini", "/g/.gemini/settings.json", "/g"),
            ("copilot", "/o/mcp-config.json", "/o"),
            ("opencode", "/d/opencode/opencode.json", "/d"),
        ];
        for (client, server, home) in servers {
            assert_eq!(paths(client)[0], PathBuf::from(server));
            let all = paths(client);
            assert!(all.iter().all(|path| path.starts_with(home)), "{all:?}");
        }
        // A project's files are where they are.
        let project = InstallScope::Project("/p".into());
        for client in CLIENTS {
            let pieces = pieces_for(client, &project, "git-council").unwrap();
            assert!(pieces.iter().all(|piece| piece.path.starts_with("/p")));
        }
    }

    #[test]
    fn the_skill_has_what_skills_begin_with() {
        assert!(SKILL.starts_with("---\nname: git-council\ndescription: "));
        assert!(COMMAND.starts_with("---\ndescription: "));
        let gemini: toml::Table = GEMINI_COMMAND.parse().unwrap();
        let field = |name: &str| gemini[name].as_str().unwrap().trim();
        assert!(COMMAND.contains(&format!("description: {}\n", field("description"))));
        let prompt = field("prompt").trim_end_matches("{{args}}").trim();
        assert!(
            COMMAND.contains(prompt),
            "it says the same to both: {prompt}"
        );
    }
}
