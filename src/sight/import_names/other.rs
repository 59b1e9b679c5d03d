//! Imports of Go, and of languages that Java's packages are for.

use super::name::{ImportedName, renamed, without_remark};

/// `import m "x/y"`, alone or in a block.
pub(super) fn go_imports(lines: &[&str]) -> Vec<ImportedName> {
    let (mut found, mut is_inside) = (Vec::new(), false);
    for line in lines {
        let code = without_remark(line, "//").trim();
        match code.strip_prefix("import ") {
            Some(rest) if rest.trim_start().starts_with('(') => is_inside = true,
            Some(rest) => found.extend(go_import(rest)),
            None if is_inside && code.starts_with(')') => is_inside = false,
            None if is_inside => found.extend(go_import(code)),
            // Imports stand above everything else.
            None if code.starts_with("func ") => break,
            None => {}
        }
    }
    found
}

fn go_import(code: &str) -> Option<ImportedName> {
    let (alias, rest) = code.split_once('"')?;
    let module = rest.split('"').next()?;
    match alias.trim() {
        "_" => None,
        "." => Some(ImportedName::all(module)),
        "" => Some(ImportedName::module(go_package(module), module)),
        alias => Some(ImportedName::module(alias, module)),
    }
}

/// How a package is called that lies there: `x/chi/v5`, `gopkg.in/yaml.v3`, `x/go-cmp`.
fn go_package(module: &str) -> &str {
    let is_version = |part: &str| {
        let number = part.strip_prefix('v');
        number
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = module.rsplit('/').filter(|part| !is_version(part));
    let last = parts.next().unwrap_or(module);
    let last = last.split_once(".v").map_or(last, |(name, _)| name);
    let last = last.strip_prefix("go-").unwrap_or(last);
    last.strip_suffix("-go").unwrap_or(last)
}

/// `import a.b.C;`, `import static a.b.C.d;`, `import a.b.c as d`, `import a.b.{C, D => E}`, `import a.b.*`.
pub(super) fn java_imports(lines: &[&str]) -> Vec<ImportedName> {
    let mut found = Vec::new();
    for line in lines {
        let Some(rest) = line.trim_start().strip_prefix("import ") else {
            continue;
        };
        let rest = without_remark(rest, "//").trim().trim_end_matches(';');
        let rest = rest.trim_start_matches("static ").trim();
        match rest.split_once('{') {
            Some((module, group)) => {
                let group = group.split('}').next().unwrap_or_default();
                for one in group.split(',') {
                    read_java(module.trim_end_matches('.'), one, &mut found);
                }
            }
            None => {
                let end = rest.find(" as ").unwrap_or(rest.len());
                if let Some((module, _)) = rest[..end].rsplit_once('.') {
                    read_java(module, &rest[module.len() + 1..], &mut found);
                }
            }
        }
    }
    found
}

fn read_java(module: &str, one: &str, found: &mut Vec<ImportedName>) {
    let by = ["=>", " as "].into_iter().find(|by| one.contains(by));
    let (name, local) = renamed(one, by.unwrap_or("=>"));
    match name {
        "" => {}
        "*" | "_" => found.push(ImportedName::all(module)),
        name => found.push(ImportedName::named(local, module, name)),
    }
}
