//! Imports of Python, and where its packages begin.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::super::hints::split_name;
use super::name::{ImportedName, renamed, statement};

/// `from a.b import c as d`, `import a.b as c`, wherever in the file they stand.
pub(super) fn imported_names(lines: &[&str]) -> Vec<ImportedName> {
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        if !code.starts_with("import ") && !code.starts_with("from ") {
            continue;
        }
        let text = statement(&lines[index..], "#", is_whole);
        let text = text.replace(['\\', '(', ')'], " ");
        let text = text.split(';').next().unwrap_or_default().trim();
        match text.strip_prefix("from ") {
            Some(rest) => read_from(rest, &mut found),
            None => read_modules(text.trim_start_matches("import "), &mut found),
        }
    }
    found
}

fn is_whole(text: &str) -> bool {
    let is_open = text.contains('(') && !text.contains(')');
    !is_open && !text.ends_with('\\')
}

fn read_from(rest: &str, found: &mut Vec<ImportedName>) {
    let Some((module, names)) = rest.split_once(" import ") else {
        return;
    };
    let module: String = module.split_whitespace().collect();
    for one in names
        .split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
    {
        if one == "*" {
            found.push(ImportedName::all(&module));
        } else {
            let (name, local) = renamed(one, " as ");
            found.push(ImportedName::named(local, &module, name));
        }
    }
}

/// Of `import a.b` the file has `a`, and `a.b` by it.
fn read_modules(names: &str, found: &mut Vec<ImportedName>) {
    for one in names
        .split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
    {
        match one.split_once(" as ") {
            Some((module, local)) => found.push(ImportedName::module(local.trim(), module.trim())),
            None => {
                let top = one.split('.').next().unwrap_or(one);
                found.push(ImportedName::module(top, top));
            }
        }
    }
}

/// Where the packages of Python begin: by the first part of a module's name, the folders that hold it.
#[derive(Debug, Default)]
pub(in crate::sight) struct PackageRoots(HashMap<String, BTreeSet<String>>);

impl PackageRoots {
    pub(in crate::sight) fn of(paths: &BTreeSet<String>) -> Self {
        let mut roots = Self::default();
        for path in paths.iter().filter(|path| is_python(path)) {
            let (folder, stem, _) = split_name(path);
            let mut at = folder;
            if !is_package(paths, folder) {
                roots.add(stem, folder);
            }
            // A folder within a package is a part of it; of one without `__init__.py` Python makes a package as well.
            while !at.is_empty() {
                let (parent, name) = at.rsplit_once('/').unwrap_or(("", at));
                if !is_package(paths, parent) {
                    roots.add(name, parent);
                }
                at = parent;
            }
        }
        roots
    }

    fn add(&mut self, name: &str, root: &str) {
        let known = self.0.entry(name.to_owned()).or_default();
        known.insert(root.to_owned());
    }

    /// The folders that hold a module of this name, the nearest to a file first.
    pub(in crate::sight) fn of_name(&self, name: &str, path: &str) -> Vec<&String> {
        let mut roots: Vec<&String> = self.0.get(name).into_iter().flatten().collect();
        let is_around = |root: &str| root.is_empty() || path.starts_with(&format!("{root}/"));
        roots.sort_by_key(|root| (!is_around(root), Reverse(root.len())));
        roots
    }
}

fn is_python(path: &str) -> bool {
    path.ends_with(".py") || path.ends_with(".pyi")
}

fn is_package(paths: &BTreeSet<String>, folder: &str) -> bool {
    !folder.is_empty() && paths.contains(&format!("{folder}/__init__.py"))
}
