//! Tools that are known by their names: how each is asked, and how much what it reports may count.

use council_protocol::Severity;
use council_protocol::seat::{AgentKind, OutputFormat, Sandbox, ToolRules};

/// A tool that needs no configuration beyond its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownTool {
    /// The name of the agent.
    pub name: &'static str,
    /// How it is asked; `{files}` are the changed files, `{scratch}` is a folder to write to, `{config}` the file of those
    /// in `config` that there is.
    pub argv: &'static [&'static str],
    /// How it lists the files among `{files}` that it looks at, one a line; empty: it cannot.
    pub lists: &'static [&'static str],
    /// What it writes.
    pub format: OutputFormat,
    /// The files that it looks at; empty: all.
    pub files: &'static [&'static str],
    /// How much a finding may count.
    pub max_severity: Severity,
    /// What rules begin with that may count so much; empty: all may.
    pub serious_rules: &'static [&'static str],
    /// Whether what it says of the base, too, is left out: it looks at more than single lines.
    pub baseline: bool,
    /// Folders of the user's home that it needs, by the variable that names them.
    pub home_folders: &'static [(&'static str, &'static str)],
    /// The first major version that takes these arguments.
    pub min_version: u32,
    /// The files that configure it, by name or by path from the root. Those of the base are used: a change must not
    /// switch off the tool that judges it.
    pub config: &'static [&'static str],
    /// Whether it runs code of the tree that it looks at.
    pub code: TreeCode,
}

/// Whether a tool runs code of the tree that it looks at: whoever reviews a stranger's change would run it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeCode {
    /// It only reads.
    Never,
    /// Its configuration may name plugins of the tree. With these arguments, which then replace `{safe}`, it has none.
    Without(&'static [&'static str]),
    /// Its configuration is a program, or it builds the tree.
    Always,
}

const TOOL: KnownTool = KnownTool {
    name: "",
    argv: &[],
    lists: &[],
    format: OutputFormat::Sarif,
    files: &[],
    max_severity: Severity::Significant,
    serious_rules: &[],
    baseline: false,
    home_folders: &[],
    min_version: 0,
    config: &[],
    code: TreeCode::Never,
};

/// Stands in a command for the arguments without which a tool would run code of the tree.
const SAFE: &str = "{safe}";

const PYTHON: &[&str] = &["*.py", "*.pyi"];
const SCRIPTS: &[&str] = &[
    "*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx",
];
const WORKFLOWS: &[&str] = &[".github/workflows/*.yml", ".github/workflows/*.yaml"];

/// Every tool that is known by name.
pub const KNOWN_TOOLS: &[KnownTool] = &[
    KnownTool {
        name: "ruff",
        argv: &[
            "ruff",
            "check",
            "--output-format",
            "sarif",
            "--no-cache",
            "--force-exclude",
            "--",
            "{files}",
        ],
        lists: &[
            "ruff",
            "check",
            "--show-files",
            "--force-exclude",
            "--",
            "{files}",
        ],
        files: PYTHON,
        // Undefined names, syntax errors, likely bugs, security; the hundreds of others are style.
        serious_rules: &[
            "F63",
            "F7",
            "F82",
            "E9",
            // What E9 is called since syntax errors have no code: the file cannot be imported, and no other rule ran.
            "invalid-syntax",
            "syntax-error",
            "B",
            "S",
            "PLE",
        ],
        config: &["ruff.toml", ".ruff.toml", "pyproject.toml"],
        ..TOOL
    },
    KnownTool {
        name: "eslint",
        // It warns of files that it ignores: without that a file nobody read would be one in which all is well.
        argv: &["eslint", "--format", "json", "--", "{files}"],
        format: OutputFormat::Eslint,
        files: SCRIPTS,
        min_version: 9,
        config: &[
            "eslint.config.js",
            "eslint.config.mjs",
            "eslint.config.cjs",
            "eslint.config.ts",
            "eslint.config.mts",
            "eslint.config.cts",
        ],
        code: TreeCode::Always,
        ..TOOL
    },
    KnownTool {
        name: "clippy",
        argv: &[
            "cargo",
            "clippy",
            "--offline",
            "--quiet",
            "--message-format",
            "json",
            "--target-dir",
            "{scratch}/target",
        ],
        format: OutputFormat::Cargo,
        files: &["*.rs", "Cargo.toml"],
        baseline: true,
        home_folders: &[("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")],
        config: &["clippy.toml", ".clippy.toml", ".cargo/config.toml"],
        code: TreeCode::Always,
        ..TOOL
    },
    KnownTool {
        name: "golangci-lint",
        argv: &[
            "golangci-lint",
            "run",
            SAFE,
            "--output.sarif.path",
            "stdout",
            "--show-stats=false",
            "./...",
        ],
        files: &["*.go"],
        baseline: true,
        home_folders: &[("GOMODCACHE", "go/pkg/mod")],
        min_version: 2,
        config: &[
            ".golangci.yml",
            ".golangci.yaml",
            ".golangci.toml",
            ".golangci.json",
        ],
        code: TreeCode::Without(&["--no-config"]),
        ..TOOL
    },
    KnownTool {
        name: "shellcheck",
        argv: &["shellcheck", "--format", "gcc", "--", "{files}"],
        format: OutputFormat::Lines,
        files: &["*.sh", "*.bash", "*.ksh"],
        config: &[".shellcheckrc", "shellcheckrc"],
        ..TOOL
    },
    KnownTool {
        name: "semgrep",
        // Rules of the repository: registries of rules would need the network.
        argv: &[
            "semgrep",
            "scan",
            "--sarif",
            "--quiet",
            "--metrics",
            "off",
            "--disable-version-check",
            "--config",
            ".semgrep.yml",
            "--",
            "{files}",
        ],
        min_version: 1,
        config: &[".semgrep.yml", ".semgrepignore"],
        ..TOOL
    },
    KnownTool {
        name: "bandit",
        argv: &["bandit", "--quiet", "--format", "json", "{files}"],
        format: OutputFormat::Bandit,
        files: PYTHON,
        min_version: 1,
        ..TOOL
    },
    KnownTool {
        name: "gitleaks",
        argv: &[
            "gitleaks",
            "dir",
            "--no-banner",
            "--redact",
            "--exit-code",
            "0",
            "--report-format",
            "sarif",
            "--report-path",
            "/dev/stdout",
            ".",
        ],
        min_version: 8,
        config: &[".gitleaks.toml", ".gitleaksignore"],
        ..TOOL
    },
    KnownTool {
        name: "typos",
        argv: &[
            "typos",
            "--format",
            "sarif",
            "--force-exclude",
            "--",
            "{files}",
        ],
        lists: &["typos", "--files", "--force-exclude", "--", "{files}"],
        max_severity: Severity::Minor,
        min_version: 1,
        config: &[
            "typos.toml",
            "_typos.toml",
            ".typos.toml",
            "pyproject.toml",
            "Cargo.toml",
        ],
        ..TOOL
    },
    KnownTool {
        name: "actionlint",
        argv: &[
            "actionlint",
            "-oneline",
            "-no-color",
            "-config-file={config}",
            "{files}",
        ],
        format: OutputFormat::Lines,
        files: WORKFLOWS,
        min_version: 1,
        config: &[".github/actionlint.yaml", ".github/actionlint.yml"],
        ..TOOL
    },
    KnownTool {
        name: "zizmor",
        argv: &[
            "zizmor",
            "--format",
            "sarif",
            "--offline",
            "--no-progress",
            "--",
            "{files}",
        ],
        files: &[
            ".github/workflows/*.yml",
            ".github/workflows/*.yaml",
            "action.yml",
            "action.yaml",
        ],
        min_version: 1,
        config: &[
            "zizmor.yml",
            "zizmor.yaml",
            ".github/zizmor.yml",
            ".github/zizmor.yaml",
        ],
        ..TOOL
    },
    KnownTool {
        name: "hadolint",
        argv: &[
            "hadolint",
            "--no-fail",
            "--format",
            "sarif",
            "--",
            "{files}",
        ],
        files: &[
            "Dockerfile",
            "Dockerfile.*",
            "*.Dockerfile",
            "Containerfile",
        ],
        min_version: 2,
        config: &[".hadolint.yaml", ".hadolint.yml"],
        ..TOOL
    },
    KnownTool {
        name: "mypy",
        argv: &[
            "mypy",
            SAFE,
            "--no-color-output",
            "--no-error-summary",
            "--hide-error-context",
            "--no-incremental",
            "--",
            "{files}",
        ],
        format: OutputFormat::Lines,
        files: PYTHON,
        baseline: true,
        min_version: 1,
        config: &["mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml"],
        code: TreeCode::Without(&["--config-file="]),
        ..TOOL
    },
    KnownTool {
        name: "tsc",
        argv: &["tsc", "--noEmit", "--pretty", "false"],
        format: OutputFormat::Lines,
        files: &["*.ts", "*.mts", "*.cts", "*.tsx"],
        baseline: true,
        min_version: 4,
        // What the first extends is called so, too.
        config: &["tsconfig*.json"],
        ..TOOL
    },
];

/// The tool of that name.
pub fn find_tool(name: &str) -> Option<&'static KnownTool> {
    KNOWN_TOOLS.iter().find(|tool| tool.name == name)
}

impl KnownTool {
    /// The agent as a configuration would have it; none: it runs code of the tree, and that is not allowed.
    pub fn to_kind(&self, allow_code: bool) -> Option<AgentKind> {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let safe: &[&str] = match self.code {
            TreeCode::Always if !allow_code => return None,
            TreeCode::Without(safe) if !allow_code => safe,
            _ => &[],
        };
        let mut argv: Vec<&str> = self.argv.to_vec();
        if let Some(at) = argv.iter().position(|&argument| argument == SAFE) {
            argv.splice(at..=at, safe.iter().copied());
        }
        Some(AgentKind::Command {
            argv: words(&argv),
            env: Vec::new(),
            format: self.format,
            sandbox: Sandbox::Off,
            tool: ToolRules {
                files: words(self.files),
                max_severity: self.max_severity,
                serious_rules: words(self.serious_rules),
                baseline: self.baseline,
                config: words(self.config),
                home_folders: self
                    .home_folders
                    .iter()
                    .map(|&(name, folder)| (name.to_owned(), folder.to_owned()))
                    .collect(),
            },
        })
    }

    /// Why a version of the tool cannot be asked so; none for one that can, or that does not tell its number.
    pub fn check_version(&self, told: &str) -> Option<String> {
        let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
        let mut words = told.split([' ', 'v', '=', ',']);
        let version = words.find(is_number)?;
        let major: u32 = version.split('.').next()?.parse().ok()?;
        (major < self.min_version).then(|| {
            format!(
                "`{}` has version {version}; {} or later is needed",
                self.argv[0], self.min_version
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_is_asked_about_the_change_and_can_fail_nothing_by_itself() {
        for tool in KNOWN_TOOLS {
            let asks_for_files = tool.argv.contains(&"{files}");
            let filters = !tool.files.is_empty() || asks_for_files || tool.name == "gitleaks";
            assert!(filters, "{}: it would scan the whole tree", tool.name);
            assert!(tool.max_severity < Severity::Critical, "{}", tool.name);
            assert!(matches!(find_tool(tool.name), Some(found) if found == tool));
        }
    }

    /// Whatever a version of ruff calls it: the file cannot be imported, and no other rule has looked at it.
    #[test]
    fn a_syntax_error_of_ruff_is_no_matter_of_style() {
        let Some(AgentKind::Command { tool, .. }) = find_tool("ruff").unwrap().to_kind(false)
        else {
            panic!("ruff runs no code");
        };
        for rule in ["E999", "E902", "invalid-syntax", "syntax-error", "F821"] {
            assert_eq!(
                tool.max_severity_of(Some(rule)),
                Severity::Significant,
                "{rule}"
            );
        }
        assert_eq!(tool.max_severity_of(Some("E501")), Severity::Minor);
    }

    #[test]
    fn what_runs_code_of_the_tree_is_asked_so_only_where_that_is_allowed() {
        let argv = |name: &str, allow_code| match find_tool(name).unwrap().to_kind(allow_code) {
            Some(AgentKind::Command { argv, .. }) => Some(argv),
            _ => None,
        };
        for name in ["eslint", "clippy"] {
            assert_eq!(argv(name, false), None, "{name}");
            assert!(argv(name, true).is_some(), "{name}");
        }
        for (name, safe) in [("mypy", "--config-file="), ("golangci-lint", "--no-config")] {
            assert!(argv(name, false).unwrap().iter().any(|word| word == safe));
            assert!(!argv(name, true).unwrap().iter().any(|word| word == safe));
        }
        for tool in KNOWN_TOOLS {
            let argv = argv(tool.name, true).unwrap();
            assert!(!argv.iter().any(|word| word == SAFE), "{}", tool.name);
            let has_marker = tool.argv.contains(&SAFE);
            assert_eq!(
                has_marker,
                matches!(tool.code, TreeCode::Without(_)),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn a_version_that_is_too_old_is_told() {
        let eslint = find_tool("eslint").unwrap();
        assert!(
            eslint
                .check_version("v8.57.0")
                .unwrap()
                .contains("9 or later")
        );
        assert_eq!(eslint.check_version("v9.1.0"), None);
        assert_eq!(eslint.check_version("who knows"), None);
        let lint = find_tool("golangci-lint").unwrap();
        assert!(
            lint.check_version("golangci-lint has version 1.64.8 built with go1.24")
                .is_some()
        );
    }
}
