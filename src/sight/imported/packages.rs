//! What the packages of a repository are called, and what they have from outside, as their manifests say it.

use std::collections::HashSet;

/// A folder whose manifest gives it a name: a module of Go, a package of npm, a crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedFolder {
    pub(super) folder: String,
    pub(super) name: String,
}

/// The packages of one ecosystem.
#[derive(Debug, Default)]
pub(super) struct Packages {
    pub(super) own: Vec<NamedFolder>,
    /// The names of what they depend on, their own ones among them.
    pub(super) needed: HashSet<String>,
    /// Whether a manifest was read at all.
    pub(super) is_known: bool,
}

/// What the manifests that a search came by say.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    pub(super) go: Packages,
    pub(super) npm: Packages,
    pub(super) crates: Packages,
    /// What the settings of TypeScript let modules begin with.
    pub(super) script_paths: Vec<String>,
}

const NPM_DEPENDENCIES: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
];

/// Whether a file says what the packages of its folder are called.
pub(super) fn is_manifest(name: &str) -> bool {
    let is_script_setting =
        (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json");
    is_script_setting || matches!(name, "go.mod" | "package.json" | "Cargo.toml")
}

/// Whether a file is a manifest that is neither code nor settings.
pub(in crate::sight) fn is_module_file(path: &[u8]) -> bool {
    path == b"go.mod" || path.ends_with(b"/go.mod")
}

impl Manifests {
    pub(super) fn read(&mut self, path: &str, text: &str) {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        match name {
            "go.mod" => self.read_go(folder, text),
            "package.json" => self.read_npm(folder, text),
            "Cargo.toml" => self.read_crate(folder, text),
            name if is_manifest(name) => self.script_paths.extend(patterns_in(text)),
            _ => {}
        }
    }

    fn read_go(&mut self, folder: &str, text: &str) {
        self.go.is_known = true;
        let mut lines = text.lines().map(str::trim);
        let name = lines.find_map(|line| line.strip_prefix("module "));
        let name = name.map(|name| name.trim().trim_matches('"'));
        self.go.add(folder, name);
    }

    fn read_npm(&mut self, folder: &str, text: &str) {
        let Ok(package) = serde_json::from_slice::<serde_json::Value>(text.as_bytes()) else {
            return;
        };
        self.npm.is_known = true;
        self.npm.add(folder, package["name"].as_str());
        let needed = NPM_DEPENDENCIES
            .iter()
            .filter_map(|key| package[key].as_object());
        let names = needed.flat_map(|needed| needed.keys().cloned());
        self.npm.needed.extend(names);
    }

    fn read_crate(&mut self, folder: &str, text: &str) {
        let Ok(manifest) = text.parse::<toml::Table>() else {
            return;
        };
        self.crates.is_known = true;
        for part in ["lib", "package"] {
            let name = manifest.get(part).and_then(|part| part.get("name"));
            let name = name.and_then(toml::Value::as_str).map(as_crate);
            self.crates.add(folder, name.as_deref());
        }
        self.crates.needed.extend(crates_needed(&manifest));
    }
}

impl Packages {
    fn add(&mut self, folder: &str, name: Option<&str>) {
        self.own.extend(name.map(|name| NamedFolder {
            folder: folder.to_owned(),
            name: name.to_owned(),
        }));
    }

    /// The folder of a package.
    pub(super) fn folder_of(&self, name: &str) -> Option<&str> {
        let found = self.own.iter().find(|own| own.name == name);
        found.map(|own| own.folder.as_str())
    }
}

/// Crates are called with lines below where packages have dashes.
fn as_crate(name: &str) -> String {
    name.replace('-', "_")
}

/// What a crate depends on, at any place of its manifest: of a target, of the workspace, of its tests.
fn crates_needed(table: &toml::Table) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in table {
        let Some(inner) = value.as_table() else {
            continue;
        };
        if key.ends_with("dependencies") {
            found.extend(inner.keys().map(|name| as_crate(name)));
        } else {
            found.extend(crates_needed(inner));
        }
    }
    found
}

/// What stands before the star of each pattern: `"@app/*": ["src/app/*"]`.
fn patterns_in(text: &str) -> impl Iterator<Item = String> + '_ {
    let Some((_, paths)) = text.split_once("\"paths\"") else {
        return Vec::new().into_iter();
    };
    let keys = paths.split('"').skip(1).step_by(2);
    let keys = keys.map(|key| key.trim_end_matches('*').to_owned());
    let keys: Vec<String> = keys.filter(|key| !key.is_empty()).collect();
    keys.into_iter()
}
