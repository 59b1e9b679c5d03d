//! Files that a launcher (`npx`, `uvx`, asdf, mise, …) reads in the folder in which it is started, before the program begins
//! that was asked for: they say from which server, in which version and with which code in front. An agent is started
//! among the files of the change, which must not choose who judges it.

use std::path::Path;

use council_protocol::RepoPath;

/// Programs that fetch another one, or choose among several, by files of the folder in which they are started.
const LAUNCHERS: [&str; 21] = [
    "asdf", "bun", "bunx", "corepack", "deno", "devbox", "direnv", "dnx", "mise", "npm", "npx",
    "pip", "pipx", "pnpm", "pnpx", "proto", "uv", "uvx", "volta", "yarn", "yarnpkg",
];

/// Folders, at every depth, in lower case.
const FOLDERS: [&str; 6] = [
    ".bundle",
    ".cargo",
    ".config/mise",
    ".mise",
    ".yarn",
    "node_modules",
];

/// Whole names, in lower case: some file systems know no other.
const NAMES: [&str; 24] = [
    ".corepack.env",
    ".envrc",
    ".mise.toml",
    ".npmrc",
    ".nvmrc",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    ".prototools",
    ".rtx.toml",
    ".sdkmanrc",
    ".yarnrc",
    ".yarnrc.yml",
    "bunfig.toml",
    "deno.json",
    "deno.jsonc",
    "devbox.json",
    "global.json",
    "mise.toml",
    "nuget.config",
    "pip.conf",
    "pnpm-workspace.yaml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "uv.toml",
];

/// How names begin and end, in lower case: versions of one program or of all, and the forms of one environment or machine.
const FORMS: [(&str, &str); 7] = [
    (".", "-version"),
    (".", "-versions"),
    (".mise.", ".toml"),
    (".pnp.", "js"),
    (".pnp.", ".json"),
    ("mise.", ".toml"),
    (".prototools.", ""),
];

/// The environments whose settings Bun reads: `.env`, `.env.local`, `.env.production`, ….
const ENVIRONMENTS: [&str; 4] = ["", ".development", ".production", ".test"];

/// Whether a launcher reads a file at this path in the folder around it, or below it.
pub(crate) fn steers_launchers(path: &RepoPath) -> bool {
    let lower = format!("/{}", path.display().to_lowercase());
    let name = lower.rsplit('/').next().unwrap_or_default();
    let has_form = |(begin, end): &(&str, &str)| {
        name.strip_prefix(begin)
            .is_some_and(|rest| rest.ends_with(end))
    };
    let is_settings = name
        .strip_prefix(".env")
        .is_some_and(|rest| ENVIRONMENTS.contains(&rest.strip_suffix(".local").unwrap_or(rest)));
    // What has the name of a folder may be a link or a file: the launcher would take it, too.
    let is_below = |folder: &&str| format!("{lower}/").contains(&format!("/{folder}/"));
    NAMES.contains(&name)
        || is_settings
        || FORMS.iter().any(has_form)
        || FOLDERS.iter().any(is_below)
}

/// Whether a command begins with a launcher.
pub fn is_launched(argv: &[String]) -> bool {
    let name = argv
        .first()
        .and_then(|program| Path::new(program).file_name());
    name.is_some_and(|name| LAUNCHERS.iter().any(|launcher| name == *launcher))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STEERS: [&str; 44] = [
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".yarn/releases/yarn.cjs",
        ".pnp.cjs",
        ".pnp.js",
        ".pnp.loader.mjs",
        ".pnp.data.json",
        ".pnpmfile.cjs",
        "pnpm-workspace.yaml",
        ".tool-versions",
        ".mise.toml",
        ".mise.local.toml",
        "mise.toml",
        "mise.local.toml",
        ".mise/config.toml",
        ".config/mise/config.toml",
        ".config/mise",
        ".python-version",
        ".python-versions",
        ".ruby-version",
        ".node-version",
        ".java-version",
        ".nvmrc",
        "rust-toolchain",
        "rust-toolchain.toml",
        ".cargo/config.toml",
        ".cargo/config",
        "bunfig.toml",
        ".env",
        ".env.local",
        ".env.production",
        ".env.test.local",
        ".envrc",
        ".prototools",
        ".prototools.ci",
        "pip.conf",
        "uv.toml",
        "node_modules/a/index.js",
        "node_modules",
        "nuget.config",
        "global.json",
        "devbox.json",
        ".bundle/config",
    ];

    const ORDINARY: [&str; 14] = [
        "package.json",
        "src/main.rs",
        ".env.example",
        ".environment",
        ".config/app.toml",
        "mise/a.rs",
        "docs/npmrc.md",
        "version",
        "api.proto",
        "uv.lock",
        "cargo/config.toml",
        "src/node_modules.rs",
        "my-version",
        "schema-versions",
    ];

    proptest! {
        #[test]
        fn what_steers_a_launcher_does_so_at_every_depth_in_either_case(
            folder in "([a-z]{1,4}/){0,3}",
            upper in any::<bool>(),
        ) {
            let known = |path: &str| {
                let path = format!("{folder}{path}");
                let path = if upper { path.to_uppercase() } else { path };
                steers_launchers(&path.as_str().into())
            };
            for path in STEERS {
                prop_assert!(known(path), "{}", path);
            }
            for path in ORDINARY {
                prop_assert!(!known(path), "{}", path);
            }
        }
    }

    #[test]
    fn every_row_of_the_tables_has_a_file_and_every_launcher_is_known_by_any_path() {
        let has_sample = |wanted: &dyn Fn(&str) -> bool| STEERS.iter().any(|path| wanted(path));
        let starts_below = |folder: &str| has_sample(&|path| path.starts_with(folder));
        assert!(FOLDERS.iter().all(|folder| starts_below(folder)));
        assert!(NAMES.iter().all(|name| steers_launchers(&(*name).into())));
        for (begin, end) in FORMS {
            assert!(has_sample(
                &|path| path.starts_with(begin) && path.ends_with(end)
            ));
        }
        let command = |program: String| [program, "-y".to_owned()];
        for launcher in LAUNCHERS {
            assert!(is_launched(&command(launcher.to_owned())));
            assert!(is_launched(&command(format!("/usr/bin/{launcher}"))));
        }
        for program in ["ruff", "npx-agent", "./my/agent", "npx/agent", ""] {
            assert!(!is_launched(&command(program.to_owned())), "{program}");
        }
        assert!(!is_launched(&[]));
    }
}
