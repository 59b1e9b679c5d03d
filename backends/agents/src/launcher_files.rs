//! Files that a launcher (`npx`, `uvx`, asdf, mise, …) reads in the folder in which it is started, before the program begins
//! that was asked for: they say from which server, in which version and with which code in front. An agent is started
//! among the files of the change, which must not choose who judges it.

use std::ffi::OsStr;
use std::path::Path;

use council_protocol::RepoPath;

use crate::installed::find_on_path;

/// Programs that fetch another one, or choose among several, by files of the folder in which they are started.
const LAUNCHERS: [&str; 23] = [
    "asdf",
    "bun",
    "bunx",
    "corepack",
    "deno",
    "devbox",
    "direnv",
    "dnx",
    "mise",
    "npm",
    "npx",
    "pip",
    "pipx",
    "pnpm",
    "pnpx",
    "proto",
    "proto-shim",
    "uv",
    "uvx",
    "volta",
    "volta-shim",
    "yarn",
    "yarnpkg",
];

/// Where pyenv, rbenv, asdf, … keep a script for each program, which chooses its version by such files.
const SHIM_FOLDER: &str = "shims";

/// Programs that do nothing but start the one that their words name.
const STARTERS: [&str; 12] = [
    "bash", "dash", "env", "ionice", "nice", "nohup", "setsid", "sh", "stdbuf", "time", "timeout",
    "zsh",
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

/// Whether a launcher is started by a command: by its own name, by a link to it (shims of mise and Volta), by its script for
/// a program (`…/shims/ruff`), or by `env`, `timeout`, `sh -c` and their like.
pub fn is_launched(argv: &[String], search_path: Option<&OsStr>) -> bool {
    let Some((first, rest)) = argv.split_first() else {
        return false;
    };
    let starts_one = has_name(Path::new(first), &STARTERS)
        && rest
            .iter()
            .flat_map(|word| word.split_whitespace())
            .any(is_launcher);
    let is_under_other_name =
        || find_on_path(first, search_path).is_some_and(|file| is_shim(&file));
    is_launcher(first) || starts_one || is_under_other_name()
}

fn is_launcher(program: impl AsRef<Path>) -> bool {
    has_name(program.as_ref(), &LAUNCHERS)
}

fn has_name(program: &Path, names: &[&str]) -> bool {
    program
        .file_name()
        .is_some_and(|name| names.iter().any(|one| name == *one))
}

/// Whether a program is a launcher under the name of another one.
fn is_shim(file: &Path) -> bool {
    let is_in_folder = file
        .parent()
        .is_some_and(|folder| has_name(folder, &[SHIM_FOLDER]));
    is_in_folder || file.canonicalize().is_ok_and(is_launcher)
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
            assert!(is_launched(&command(launcher.to_owned()), None));
            assert!(is_launched(&command(format!("/usr/bin/{launcher}")), None));
        }
        for program in ["ruff", "npx-agent", "./my/agent", "npx/agent", ""] {
            assert!(
                !is_launched(&command(program.to_owned()), None),
                "{program}"
            );
        }
        assert!(!is_launched(&[], None));
    }

    #[test]
    fn a_launcher_is_known_under_the_name_of_what_it_starts() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for folder in ["bin", "real", "shims"] {
            std::fs::create_dir(at(folder)).unwrap();
        }
        for program in ["real/mise", "real/ruff", "shims/rubocop"] {
            std::fs::write(at(program), "").unwrap();
        }
        for (link, to) in [("bin/eslint", "real/mise"), ("bin/ruff", "real/ruff")] {
            std::os::unix::fs::symlink(at(to), at(link)).unwrap();
        }
        let path = std::env::join_paths([at("bin"), at("shims")]).unwrap();
        let starts = |words: &[&str]| {
            let argv: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            is_launched(&argv, Some(&path))
        };
        let absolute = at("bin/eslint");
        for launched in [
            &["eslint"][..],
            &["rubocop", "-f", "json"],
            &[absolute.to_str().unwrap()],
            &["env", "A=b", "npx", "eslint"],
            &["timeout", "60", "uvx", "ruff"],
            &["sh", "-c", "exec npx eslint"],
        ] {
            assert!(starts(launched), "{launched:?}");
        }
        for own in [
            &["ruff", "check"][..],
            &["ruff", "npx"],
            &["env", "A=b", "ruff"],
            &["sh", "-c", "exec ruff"],
        ] {
            assert!(!starts(own), "{own:?}");
        }
    }
}
