//! The files that a tool's configuration builds on: whoever may edit these may switch the tool off as well.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use council_protocol::{BlobSource, RepoPath, Side};
use regex::Regex;

use crate::report::is_one_of;

/// Through how many files a configuration is followed.
const MAX_STEPS: usize = 8;

/// `extend = "a"` of TOML, `extends: ["a", "b"]` of JSON and YAML.
static EXTENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r#"(?m)\bextends?["']?\s*[:=]\s*(\[[^\]]*\]|["'][^"'\n]*["']|[^\s"'\[,}]+)"#;
    Regex::new(pattern).ok()
});

/// `from "./a"`, `import "./a"` and `require("./a")` of a configuration that is a program.
static IMPORTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\b(?:from|import|require)\s*\(?\s*(["']\.{1,2}/[^"'\n]*["'])"#).ok()
});

/// The files of the base that its configuration extends, by their paths from the root.
pub(crate) fn extended_files(blobs: &dyn BlobSource, configs: &[String]) -> BTreeSet<RepoPath> {
    let entries = blobs.entries(Side::Old).ok().flatten().unwrap_or_default();
    let mut due: Vec<RepoPath> = entries
        .into_iter()
        .map(|entry| entry.path)
        .filter(|path| is_one_of(configs, path))
        .collect();
    let mut found = BTreeSet::new();
    for _ in 0..MAX_STEPS {
        let mut next = Vec::new();
        for path in due {
            let Ok(Some(bytes)) = blobs.read(Side::Old, &path) else {
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            let named = named_paths(&text, &path.display()).into_iter();
            let there = named.filter(|named| matches!(blobs.read(Side::Old, named), Ok(Some(_))));
            next.extend(there.filter(|named| found.insert(named.clone())));
        }
        due = next;
        if due.is_empty() {
            break;
        }
    }
    found
}

/// The paths that a configuration names as what it builds on, counted from its folder; tools leave endings out.
fn named_paths(text: &str, config: &str) -> Vec<RepoPath> {
    let is_program = config.ends_with("js") || config.ends_with("ts");
    let patterns = [EXTENDS.as_ref(), IMPORTS.as_ref().filter(|_| is_program)];
    let mut named = Vec::new();
    for found in patterns
        .into_iter()
        .flatten()
        .flat_map(|pattern| pattern.captures_iter(text))
    {
        let values = found[1].split(['"', '\'', '[', ']', ',', ' ', '\n']);
        for value in values.filter(|value| !value.is_empty()) {
            let Some(path) = joined(config, value) else {
                continue;
            };
            for ending in ["", ".json", ".js", ".mjs", ".cjs", ".ts"] {
                named.push(RepoPath::from(format!("{path}{ending}").as_str()));
            }
        }
    }
    named
}

/// A relative path from the folder of a file, without its dots; none: it leads out of the repository.
fn joined(file: &str, relative: &str) -> Option<String> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use council_protocol::change::{BlobError, EntryKind, TreeEntry};

    use super::*;

    struct Files(BTreeMap<&'static str, &'static str>);

    impl BlobSource for Files {
        fn read(&self, _: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
            let text = self.0.get(path.display().as_ref());
            Ok(text.map(|text| text.as_bytes().into()))
        }

        fn entries(&self, _: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
            let entry = |path: &&str| TreeEntry {
                path: RepoPath::from(*path),
                kind: EntryKind::File,
                is_executable: false,
            };
            Ok(Some(self.0.keys().map(entry).collect()))
        }
    }

    #[test]
    fn what_a_configuration_extends_is_configuration() {
        for (config, text, base) in [
            (
                "ruff.toml",
                "extend = \"lint/base.toml\"\n",
                "lint/base.toml",
            ),
            (
                "pyproject.toml",
                "[tool.ruff]\nextend = './lint/base.toml'\n",
                "lint/base.toml",
            ),
            (
                "app/ruff.toml",
                "extend = \"../lint/base.toml\"\n",
                "lint/base.toml",
            ),
            (
                "tsconfig.json",
                "{ \"extends\": [\"./a.json\", \"./lint/base\"] }",
                "lint/base.json",
            ),
            (
                "eslint.config.mjs",
                "import base from './lint/base.mjs'\n",
                "lint/base.mjs",
            ),
            (
                "eslint.config.mjs",
                "const base = require(\"./lint/base\")\n",
                "lint/base.cjs",
            ),
            (".golangci.yml", "extends: lint/base.yml\n", "lint/base.yml"),
        ] {
            let configs = [config.rsplit('/').next().unwrap().to_owned()];
            let files = Files(
                [
                    (config, text),
                    (base, "extend = \"more.toml\""),
                    ("src/a.py", ""),
                ]
                .into(),
            );
            let found = extended_files(&files, &configs);
            assert_eq!(found, [RepoPath::from(base)].into(), "{config}: {text}");
        }
        let files = Files(
            [
                (
                    "ruff.toml",
                    "extend = \"a.toml\"\ninclude = [\"src/a.py\"]\n",
                ),
                ("a.toml", "extend = \"b.toml\"\n"),
                ("b.toml", "extend = \"a.toml\"\n"),
                ("src/a.py", "extend = \"c\""),
            ]
            .into(),
        );
        let found = extended_files(&files, &["ruff.toml".to_owned()]);
        assert_eq!(found, ["a.toml", "b.toml"].map(RepoPath::from).into());
    }
}
