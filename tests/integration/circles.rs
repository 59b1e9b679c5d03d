//! Import circles: a file that is in one cannot be read, moved or tested without the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that may import each other around a corner: a type and the parts that its methods lie in.
const MAX_CIRCLE: usize = 3;

type Module = Vec<String>;

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files = Vec::new();
    for path in entries {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// `src/run/hook/mod.rs` is `run::hook`.
fn module_of(file: &Path, src: &Path) -> Module {
    let path = file.strip_prefix(src).unwrap().with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    let mut module: Module = parts.collect();
    if module
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        module.pop();
    }
    module
}

/// Everything that a `use` tree names: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(tree: &str, prefix: &[String], found: &mut Vec<Module>) {
    let split = |text: &str| -> Module {
        let parts = text
            .split("::")
            .map(str::trim)
            .filter(|part| !part.is_empty());
        parts
            .map(|part| part.split(' ').next().unwrap_or(part).to_owned())
            .collect()
    };
    let Some(open) = tree.find('{') else {
        found.push([prefix, &split(tree)].concat());
        return;
    };
    let prefix = [prefix, &split(&tree[..open])].concat();
    let body = tree[open + 1..].trim_end().trim_end_matches('}');
    let (mut depth, mut from) = (0, 0);
    for (at, c) in body.char_indices().chain([(body.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !body[from..at].trim().is_empty() {
                    expand(&body[from..at], &prefix, found);
                }
                from = at + 1;
            }
            _ => {}
        }
    }
}

/// The paths that a file's product code names, in `use` lines and elsewhere.
fn paths(text: &str) -> Vec<Module> {
    // Tests in the file end it; `mod tests;` does not, and uses may stand below it.
    let tests = regex::Regex::new(r"#\[cfg\(test\)\]\n(pub\(crate\) )?mod \w+ \{").unwrap();
    let product = tests.split(text).next().unwrap_or(text);
    let lines = product
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    // Who may see something is no use of it.
    let code = lines
        .collect::<Vec<_>>()
        .join("\n")
        .replace("pub(in crate::", "pub(");
    let mut found = Vec::new();
    for part in code.split("use ").skip(1) {
        expand(part.split(';').next().unwrap_or_default(), &[], &mut found);
    }
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    // What ends in `::` begins a tree, which is read above.
    let words = code
        .split(|c| !is_path(c))
        .filter(|word| word.contains("::") && !word.ends_with("::"));
    found.extend(words.map(|word| word.split("::").map(str::to_owned).collect::<Module>()));
    found
}

/// Rooms of `src` that are crates of their own: in them, `crate` is the room.
const CRATES: [&str; 3] = ["council", "git", "safe_file"];

/// The module of ours that a path leads into; none: another crate's.
fn target(path: &[String], from: &[String], modules: &BTreeSet<Module>) -> Option<Module> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    let own_crate = from.first().filter(|room| CRATES.contains(&room.as_str()));
    let base = match path.first().map(String::as_str)? {
        "crate" => [own_crate.map_or(&[][..], std::slice::from_ref), &path[1..]].concat(),
        "super" => [&from[..from.len().checked_sub(supers)?], &path[supers..]].concat(),
        "self" => [from, &path[1..]].concat(),
        _ => [from, path].concat(),
    };
    let own = !matches!(path[0].as_str(), "crate" | "super" | "self");
    let least = if own { from.len() + 1 } else { 0 };
    (least..=base.len())
        .rev()
        .map(|end| base[..end].to_vec())
        .find(|m| modules.contains(m))
}

fn reachable(from: &Module, edges: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from.clone()];
    while let Some(module) = open.pop() {
        for next in edges.get(&module).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// Every circle of files, the modules of each in order.
fn circles(sources: &[(Module, String)]) -> BTreeSet<Vec<String>> {
    let modules: BTreeSet<Module> = sources.iter().map(|(module, _)| module.clone()).collect();
    let edges: BTreeMap<Module, BTreeSet<Module>> = sources
        .iter()
        .map(|(from, text)| {
            let named = paths(text).into_iter();
            let to = named.filter_map(|path| target(&path, from, &modules));
            (from.clone(), to.filter(|to| to != from).collect())
        })
        .collect();
    let reach: BTreeMap<&Module, BTreeSet<Module>> = edges
        .keys()
        .map(|module| (module, reachable(module, &edges)))
        .collect();
    let circle = |module: &Module| -> Vec<String> {
        let mates = reach[module]
            .iter()
            .filter(|mate| reach[*mate].contains(module));
        mates.map(|mate| mate.join("::")).collect()
    };
    edges
        .keys()
        .map(circle)
        .filter(|circle| circle.len() > 1)
        .collect()
}

#[test]
fn no_import_circle_has_more_than_three_files() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in CRATES {
        assert!(
            src.join(room).join("Cargo.toml").exists(),
            "{room} is no crate"
        );
    }
    let files = rust_files(&src).into_iter();
    let is_product = |file: &PathBuf| {
        let module = module_of(file, &src);
        !module
            .iter()
            .any(|part| part.contains("tests") || part == "testing")
    };
    let sources: Vec<(Module, String)> = files
        .filter(is_product)
        .map(|file| (module_of(&file, &src), fs::read_to_string(&file).unwrap()))
        .collect();
    let large: Vec<Vec<String>> = circles(&sources)
        .into_iter()
        .filter(|circle| circle.len() > MAX_CIRCLE)
        .collect();
    assert_eq!(large, Vec::<Vec<String>>::new());
}

#[test]
fn a_circle_is_found_whatever_way_it_is_written() {
    let file = |name: &str, text: &str| (vec![name.to_owned()], text.to_owned());
    let sources = [
        file("a", "use crate::{b::Thing, d};"),
        file("b", "use super::c::{self, Other};"),
        file("c", "fn f() { crate::a::g() }"),
        file(
            "d",
            "// crate::a\n#[cfg(test)]\nmod tests { use crate::a; }",
        ),
    ];
    let found: Vec<Vec<String>> = circles(&sources).into_iter().collect();
    assert_eq!(found, [["a", "b", "c"]]);
}
