//! Whether a file that is left out for its name is what the name says. Whoever writes a change chooses its names: code
//! that people wrote is read, be it called `a.min.js` or `Cargo.lock`.

use serde::de::IgnoredAny;

/// A line that people would not write: so long, or longer, in bytes.
const LONG_LINE: usize = 200;

/// So many shorter lines of code a minified file may have beside one for each long line: what a bundler puts round it.
const MAX_SHORT_LINES: usize = 3;

/// How a lockfile is written.
#[derive(Clone, Copy)]
enum LockForm {
    Json,
    /// JSON with comments and trailing commas.
    LooseJson,
    Toml,
    /// Keys with what is indented below them: YAML, and what looks like it.
    Keys,
    /// A module, its version and its hash in each line.
    Sums,
    /// `name=value` in each line.
    Pairs,
    Elixir,
    Hcl,
    Binary,
}

/// The form that a lockfile's name promises; none: it is no lockfile's.
fn lock_form(name: &str) -> Option<LockForm> {
    Some(match name {
        "Cargo.lock" | "poetry.lock" | "uv.lock" | "pdm.lock" => LockForm::Toml,
        "package-lock.json"
        | "npm-shrinkwrap.json"
        | "deno.lock"
        | "Pipfile.lock"
        | "composer.lock"
        | "Package.resolved"
        | "packages.lock.json"
        | "flake.lock"
        | "MODULE.bazel.lock" => LockForm::Json,
        "bun.lock" => LockForm::LooseJson,
        "yarn.lock" | "pnpm-lock.yaml" | "pubspec.lock" | "Podfile.lock" | "Chart.lock"
        | "Gemfile.lock" => LockForm::Keys,
        "go.sum" | "go.work.sum" => LockForm::Sums,
        "gradle.lockfile" => LockForm::Pairs,
        "mix.lock" => LockForm::Elixir,
        ".terraform.lock.hcl" => LockForm::Hcl,
        "bun.lockb" => LockForm::Binary,
        _ => return None,
    })
}

/// Whether text under a name of lockfiles, minified files or their maps is that. Of any other name nothing is said.
pub(super) fn is_as_named(path: &str, bytes: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return true;
    }
    let is_named = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    match lock_form(name) {
        Some(form) => is_lockfile(form, text),
        None if is_named(&[".js.map", ".css.map"]) => is_map(text),
        None if is_named(&[".min.js", ".min.mjs", ".min.cjs", ".min.css"]) => is_minified(text),
        None => true,
    }
}

fn is_lockfile(form: LockForm, text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    match form {
        LockForm::Json => is_json(text),
        LockForm::LooseJson => {
            let options = jsonc_parser::ParseOptions::default();
            jsonc_parser::parse_to_serde_value::<serde_json::Value>(text, &options).is_ok()
        }
        LockForm::Toml => text.parse::<toml::Table>().is_ok(),
        LockForm::Keys => lines.all(|line| is_indented(line) || is_key(line)),
        LockForm::Sums => lines.all(is_sum),
        LockForm::Pairs => lines.all(|line| {
            let is_pair = line.contains('=') && !line.contains([' ', '(', ')', ';']);
            line.starts_with('#') || is_pair
        }),
        LockForm::Elixir => {
            let is_entry = |line: &str| {
                let line = line.trim();
                matches!(line, "%{" | "}") || (line.starts_with('"') && line.contains("\": {:"))
            };
            text.starts_with("%{") && text.ends_with('}') && lines.all(is_entry)
        }
        LockForm::Hcl => lines.all(|line| {
            let is_head = line.starts_with("provider \"") && line.ends_with('{');
            is_indented(line) || line.starts_with('#') || is_head || line == "}"
        }),
        LockForm::Binary => false,
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_slice::<IgnoredAny>(text.as_bytes()).is_ok()
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Whether a line begins a section: a key, a list of them, an item, or a heading in capitals as Bundler writes it.
fn is_key(line: &str) -> bool {
    let line = line.trim_end();
    let is_word = |word: &str| !word.is_empty() && !word.contains(['(', ')', '{', '}', ';', '=']);
    let is_keys = line.strip_suffix(':').is_some_and(|keys| {
        let mut keys = keys.split(',').map(str::trim);
        keys.all(|key| {
            key.starts_with('"') || (is_word(key) || is_range(key)) && !key.contains(": ")
        })
    });
    let is_pair = line
        .split_once(": ")
        .is_some_and(|(key, _)| is_word(key) && !key.contains(' '));
    let is_heading = line.chars().all(|c| c.is_ascii_uppercase() || c == ' ');
    line.starts_with('#')
        || line.starts_with("- ")
        || line == "---"
        || is_keys
        || is_pair
        || is_heading
}

/// Yarn's `name@>=1.0.0 <2`.
fn is_range(key: &str) -> bool {
    key.contains('@') && !key.contains(['(', ')', '{', '}', ';'])
}

/// `example.com/module v1.0.0 h1:…`
fn is_sum(line: &str) -> bool {
    let fields: Vec<&str> = line.split_whitespace().collect();
    matches!(*fields, [_, version, hash] if version.starts_with('v') && hash.starts_with("h1:"))
}

/// A source map, be it behind the prefix that keeps browsers from running it.
fn is_map(text: &str) -> bool {
    let json = text.strip_prefix(")]}'").unwrap_or(text);
    let json = json.trim_start_matches('\'').trim();
    json.starts_with('{') && is_json(json)
}

/// Whether a script or style sheet is one that no person reads: all but a few of its lines of code are long.
fn is_minified(text: &str) -> bool {
    let mut in_comment = false;
    let (mut long, mut short) = (0, 0);
    for line in text.lines() {
        let code = code_of(line, &mut in_comment);
        match code.len() {
            0 => {}
            LONG_LINE.. => long += 1,
            _ => short += 1,
        }
    }
    long > 0 && short <= MAX_SHORT_LINES + long
}

/// What of a line is left behind comments at its beginning.
fn code_of<'a>(line: &'a str, in_comment: &mut bool) -> &'a str {
    let mut rest = line.trim();
    loop {
        if *in_comment {
            let Some((_, behind)) = rest.split_once("*/") else {
                return "";
            };
            (rest, *in_comment) = (behind.trim_start(), false);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (rest, *in_comment) = (comment, true);
        } else if rest.starts_with("//") {
            return "";
        } else {
            return rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SCRIPT: &str = "// talk to the server\nfunction f(x) {\n  require('child_process').exec(x);\n  return x;\n}\n\nmodule.exports = f;\n";

    #[test]
    fn real_files_are_what_they_are_called() {
        let long = "a=1;".repeat(100);
        for (path, text) in [
            (
                "Cargo.lock",
                "# by cargo\nversion = 4\n\n[[package]]\nname = \"a\"\ndependencies = [\n \"b\",\n]\n",
            ),
            ("w/package-lock.json", "{\n  \"packages\": {}\n}\n"),
            (
                "yarn.lock",
                "# yarn lockfile v1\n\n\n\"@a/b@^1.0\", \"@a/b@~1\":\n  version \"1.0\"\n\nlodash@>=4 <5, lodash@^4.1:\n  version \"4\"\n",
            ),
            (
                "yarn.lock",
                "__metadata:\n  version: 8\n\n\"a@npm:^1\":\n  version: 1.0\n",
            ),
            (
                "pnpm-lock.yaml",
                "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n",
            ),
            (
                "Gemfile.lock",
                "GEM\n  remote: https://example.com/\n  specs:\n    a (1.0)\n\nBUNDLED WITH\n   2.4\n",
            ),
            ("Podfile.lock", "PODS:\n  - A (1.0)\n\nCOCOAPODS: 1.11.3\n"),
            (
                "go.sum",
                "example.com/m v1.0.0 h1:abc=\nexample.com/m v1.0.0/go.mod h1:def=\n",
            ),
            (
                "gradle.lockfile",
                "# locked\na:b:1.0=compileClasspath,runtimeClasspath\nempty=\n",
            ),
            (
                "mix.lock",
                "%{\n  \"a\": {:hex, :a, \"1.0\", [:mix], [], \"hexpm\"},\n}\n",
            ),
            (
                ".terraform.lock.hcl",
                "# by terraform\n\nprovider \"r/a/b\" {\n  version = \"1\"\n  hashes = [\n    \"h1:x\",\n  ]\n}\n",
            ),
            (
                "bun.lock",
                "{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"a\": [\"a@1\"],\n  },\n}\n",
            ),
            ("a.js.map", "{\"version\":3,\"mappings\":\"\"}"),
            ("a.css.map", ")]}'\n{\"version\":3}"),
            ("a.min.js", &long),
            (
                "a.min.css",
                &format!("/*!\n * Licence\n MIT\n */\n{long}\n/*# sourceMappingURL=a.css.map */\n"),
            ),
        ] {
            assert!(is_as_named(path, text.as_bytes()), "{path}: {text}");
        }
    }

    proptest! {
        /// Code that people write is not taken for a lockfile, a map or a minified file: no name hides it, no comment before
        /// it, and nothing of what its name promises in front of it.
        #[test]
        fn no_name_hides_what_people_write(
            name in prop::sample::select(vec![
                "Cargo.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "go.sum", "mix.lock", "Gemfile.lock",
                "gradle.lockfile", ".terraform.lock.hcl", "bun.lock", "flake.lock", "a.js.map", "a.css.map", "a.min.js",
                "a.min.mjs", "a.min.css",
            ]),
            code in prop::sample::select(vec![
                SCRIPT,
                "import os\n\ndef f(x):\n    os.system(x)\n    return x\n\nif x:\n    f(1)\n",
                "System.cmd(\"evil\", [])\nx = 1\ny = 2\nz = 3\nu = 4\n",
                "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n",
            ]),
            lead in prop::sample::select(vec!["", "\n", "/* x */ ", "/*\n*/", "\u{feff}"]),
            folder in prop::sample::select(vec!["", "src/", "a b/"]),
        ) {
            let text = format!("{lead}{code}");
            let path = format!("{folder}{name}");
            prop_assert!(!is_as_named(&path, text.as_bytes()), "{}: {}", path, text);
        }
    }
}
