//! What lockfiles hold of each dependency: its version, and from where it comes and what it must be.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::pattern::pattern;

/// What is locked: by package, version and kind of fact, the values that are given for it.
pub(crate) type LockedFacts = BTreeMap<(String, String, &'static str), Vec<String>>;

/// Where a dependency comes from; only the host counts.
pub(crate) const RESOLVED: &str = "resolved";
/// The repository or registry that it is taken from, all of it.
pub(crate) const SOURCE: &str = "source";
/// What its archive must be.
pub(crate) const INTEGRITY: &str = "integrity";
/// The same, where each of several archives may have its own.
pub(crate) const HASH: &str = "hash";

pattern!(
    TOML_PAIR,
    r#"^\s*(name|version|source|checksum)\s*=\s*"([^"]*)""#
);
pattern!(
    TOML_FILE,
    r#"\b(?:url|file)\s*=\s*"([^"]+)".*\bhash\s*=\s*"(sha\d+:[0-9a-f]+)""#
);
pattern!(
    TOML_SOURCE,
    r#"^\s*source\s*=\s*\{\s*(?:registry|git|url)\s*=\s*"([^"]+)""#
);
pattern!(
    YARN_PAIR,
    r#"^\s+"?(version|resolved|integrity|resolution|checksum)"?:?\s+"?([^"\s]+)"#
);
pattern!(PNPM_HEADER, r"^ {2}'?/?(\S+?)'?:\s*$");
pattern!(PNPM_INTEGRITY, r"\bintegrity:\s*'?(sha\d+-[^\s,}']+)");
pattern!(PNPM_TARBALL, r"\btarball:\s*'?([^\s,}']+)");
pattern!(REMOTE, r"^ {2}remote: (\S+)");
pattern!(GEM_SPEC, r"^ {4}(\S+) \(([^)]+)\)\s*$");
pattern!(
    BUN,
    r#"^\s*"[^"]+":\s*\["([^"]+)",\s*"([^"]*)",.*"(sha\d+-[^"]+)"\]"#
);
pattern!(GEM, r"^ {2}(\S+) \(([^)]+)\) (sha\d+=[0-9a-f]+)");
pattern!(PINNED, r"^\s*([\w.-]+)(?:\[[^\]]*\])?\s*==\s*([^\s;\\]+)");
pattern!(PIP_HASH, r"--hash[= ](sha\d+:[0-9a-f]+)");

/// Reads a lockfile; none: no lockfile of a kind that names what it locks.
pub(crate) fn read_lockfile(name: &str, text: &str) -> Option<LockedFacts> {
    let mut facts = LockedFacts::new();
    match name {
        "package-lock.json" | "npm-shrinkwrap.json" | "Pipfile.lock" => {
            read_json(
                "",
                &serde_json::from_slice(text.as_bytes()).ok()?,
                &mut facts,
            );
        }
        "Cargo.lock" | "uv.lock" | "poetry.lock" | "pdm.lock" => read_toml(text, &mut facts),
        "yarn.lock" => read_yarn(text, &mut facts),
        "pnpm-lock.yaml" => read_pnpm(text, &mut facts),
        "go.sum" => read_go(text, &mut facts),
        "Gemfile.lock" => read_gems(text, &mut facts),
        "composer.lock" => read_composer(text, &mut facts)?,
        "bun.lock" => read_bun(text, &mut facts),
        "deno.lock" => read_deno(text, &mut facts)?,
        _ if is_requirements(name) => read_requirements(text, &mut facts),
        _ => return None,
    }
    Some(facts)
}

fn is_requirements(name: &str) -> bool {
    name.starts_with("requirements") && name.ends_with(".txt")
}

fn add(facts: &mut LockedFacts, package: &str, version: &str, kind: &'static str, value: &str) {
    if !value.is_empty() {
        let key = (package.to_owned(), version.to_owned(), kind);
        facts.entry(key).or_default().push(value.to_owned());
    }
}

/// npm's and Pipenv's: an object with a version, under its name.
fn read_json(name: &str, value: &Value, facts: &mut LockedFacts) {
    let Some(object) = value.as_object() else {
        return;
    };
    if let Some(version) = object.get("version").and_then(Value::as_str) {
        let package = name.rsplit("node_modules/").next().unwrap_or(name);
        for kind in [RESOLVED, INTEGRITY] {
            let value = object.get(kind).and_then(Value::as_str).unwrap_or_default();
            add(facts, package, version, kind, value);
        }
        for hash in object
            .get("hashes")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            add(
                facts,
                package,
                version,
                HASH,
                hash.as_str().unwrap_or_default(),
            );
        }
    }
    for (key, inner) in object {
        read_json(key, inner, facts);
    }
}

/// Cargo's, uv's, Poetry's and PDM's.
fn read_toml(text: &str, facts: &mut LockedFacts) {
    let (mut name, mut version) = (String::new(), String::new());
    for line in text.lines() {
        if line.starts_with('[') {
            (name, version) = (String::new(), String::new());
        }
        if let Some(found) = TOML_SOURCE.captures(line) {
            add(facts, &name, &version, SOURCE, &found[1]);
        } else if let Some(found) = TOML_FILE.captures(line) {
            let file = found[1].rsplit('/').next().unwrap_or_default().to_owned();
            add(facts, &file, "", INTEGRITY, &found[2]);
            add(facts, &file, "", RESOLVED, &found[1]);
        } else if let Some(found) = TOML_PAIR.captures(line) {
            match &found[1] {
                "name" => found[2].clone_into(&mut name),
                "version" => found[2].clone_into(&mut version),
                "source" => {
                    add(facts, &name, &version, SOURCE, &found[2]);
                    // The same version of another registry has a checksum of its own.
                    version = format!("{version} {}", &found[2]);
                }
                _ => add(facts, &name, &version, INTEGRITY, &found[2]),
            }
        }
    }
}

/// Yarn's. The checksums of later ones are of its own archives, and change with its settings: these stand before them.
fn read_yarn(text: &str, facts: &mut LockedFacts) {
    let (mut package, mut version) = (String::new(), String::new());
    for line in text.lines() {
        if line.ends_with(':') && !line.starts_with([' ', '\t', '#']) {
            let first = line.trim_start_matches('"');
            let end = first.char_indices().skip(1).find(|&(_, c)| c == '@');
            first[..end.map_or(0, |(at, _)| at)].clone_into(&mut package);
            version.clear();
        } else if let Some(found) = YARN_PAIR.captures(line) {
            match &found[1] {
                "version" => found[2].clone_into(&mut version),
                _ if version.is_empty() => {}
                "resolved" => add(facts, &package, &version, RESOLVED, &found[2]),
                "resolution" => {
                    let is_of_tree = ["@workspace:", "@patch:", "@portal:", "@link:"]
                        .iter()
                        .any(|kind| found[2].contains(kind));
                    let source = if is_of_tree { "" } else { &found[2] };
                    add(facts, &package, &version, SOURCE, source);
                }
                // Without the settings nothing is known of it.
                "checksum" if !found[2].contains('/') => {}
                _ => add(facts, &package, &version, INTEGRITY, &found[2]),
            }
        }
    }
}

fn read_pnpm(text: &str, facts: &mut LockedFacts) {
    let mut package = String::new();
    for line in text.lines() {
        if let Some(found) = PNPM_HEADER.captures(line) {
            found[1].clone_into(&mut package);
        } else if let Some(found) = PNPM_INTEGRITY.captures(line) {
            // The version is a part of the name.
            add(facts, &package, "", INTEGRITY, &found[1]);
            // An archive is named only where it does not come from the registry.
            let tarball = PNPM_TARBALL.captures(line);
            let from = tarball.as_ref().map_or(DEFAULT_REGISTRY, |found| &found[1]);
            add(facts, &package, "", RESOLVED, from);
        }
    }
}

/// What stands for the registry where a lockfile names none. No host has such a name.
const DEFAULT_REGISTRY: &str = "https://(default)/";

/// Composer's: a list of packages, each with an archive and a repository.
fn read_composer(text: &str, facts: &mut LockedFacts) -> Option<()> {
    let lock: Value = serde_json::from_slice(text.as_bytes()).ok()?;
    let lists = ["packages", "packages-dev"].iter();
    for package in lists.flat_map(|list| lock[*list].as_array().into_iter().flatten()) {
        let text_at = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (name, version) = (text_at(&package["name"]), text_at(&package["version"]));
        let dist = &package["dist"];
        for (kind, value) in [
            (RESOLVED, &dist["url"]),
            (INTEGRITY, &dist["shasum"]),
            (SOURCE, &package["source"]["url"]),
        ] {
            add(facts, &name, &version, kind, &text_at(value));
        }
    }
    Some(())
}

/// Bun's: one line for each package, as name and version, registry, and more.
fn read_bun(text: &str, facts: &mut LockedFacts) {
    for found in text.lines().filter_map(|line| BUN.captures(line)) {
        add(facts, &found[1], "", INTEGRITY, &found[3]);
        let registry = match &found[2] {
            "" => DEFAULT_REGISTRY,
            other => other,
        };
        add(facts, &found[1], "", RESOLVED, registry);
    }
}

/// Deno's: packages by name and version, and files by their address.
fn read_deno(text: &str, facts: &mut LockedFacts) -> Option<()> {
    let lock: Value = serde_json::from_slice(text.as_bytes()).ok()?;
    let of = |value: &Value| value.as_object().cloned().unwrap_or_default();
    for list in [
        &lock["npm"],
        &lock["jsr"],
        &lock["packages"]["npm"],
        &lock["packages"]["jsr"],
    ] {
        for (name, package) in of(list) {
            let checksum = package["integrity"].as_str().unwrap_or_default();
            add(facts, &name, "", INTEGRITY, checksum);
        }
    }
    for (address, checksum) in of(&lock["remote"]) {
        add(
            facts,
            &address,
            "",
            INTEGRITY,
            checksum.as_str().unwrap_or_default(),
        );
    }
    Some(())
}

fn read_go(text: &str, facts: &mut LockedFacts) {
    for line in text.lines() {
        let mut words = line.split_whitespace();
        if let (Some(module), Some(version), Some(sum)) = (words.next(), words.next(), words.next())
        {
            add(facts, module, version, INTEGRITY, sum);
        }
    }
}

fn read_gems(text: &str, facts: &mut LockedFacts) {
    let mut remote = String::new();
    for line in text.lines() {
        if let Some(found) = GEM.captures(line) {
            add(facts, &found[1], &found[2], INTEGRITY, &found[3]);
        } else if let Some(found) = REMOTE.captures(line) {
            found[1].clone_into(&mut remote);
        } else if let Some(found) = GEM_SPEC.captures(line).filter(|_| remote.contains("://")) {
            add(facts, &found[1], &found[2], SOURCE, &remote);
        } else if !line.starts_with(' ') {
            remote.clear();
        }
    }
}

fn read_requirements(text: &str, facts: &mut LockedFacts) {
    let (mut package, mut version) = (String::new(), String::new());
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
    {
        if let Some(found) = PINNED.captures(line) {
            found[1].clone_into(&mut package);
            found[2].clone_into(&mut version);
        }
        for found in PIP_HASH.captures_iter(line) {
            add(facts, &package, &version, HASH, &found[1]);
        }
    }
}
