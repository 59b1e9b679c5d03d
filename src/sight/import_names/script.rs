//! Imports of JavaScript and TypeScript, those by `require` among them.

use super::name::{DEFAULT, ImportedName, renamed, statement, without_remark};

pub(super) fn imported_names(lines: &[&str]) -> Vec<ImportedName> {
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        if begins(code, "import") && !code.starts_with("import(") {
            let text = statement(&lines[index..], "//", |text| {
                text.contains(['"', '\'', ';'])
            });
            read_import(&text, &mut found);
        } else if begins(code, "export") {
            read_export(&lines[index..], &mut found);
        }
        if code.contains("require(") || code.contains("import(") {
            read_require(code, &mut found);
        }
    }
    found
}

fn begins(code: &str, keyword: &str) -> bool {
    let rest = code.strip_prefix(keyword);
    rest.is_some_and(|rest| rest.starts_with([' ', '{', '*', '(']))
}

/// `import a, {b as c} from "m"`, `import * as ns from "m"`, `import a = require("m")`.
fn read_import(text: &str, found: &mut Vec<ImportedName>) {
    let Some((head, module)) = split_module(text) else {
        return;
    };
    let head = head.trim_start().trim_start_matches("import").trim();
    let head = head.strip_prefix("type ").unwrap_or(head);
    let (before, group) = head.split_once('{').unwrap_or((head, ""));
    for word in before.split(',').map(str::trim) {
        match word.strip_prefix('*') {
            Some(rest) => found.push(ImportedName::module(renamed(rest, "as ").1, module)),
            None if word.contains('=') => {}
            None if word.is_empty() => {}
            None => found.push(ImportedName::named(word, module, DEFAULT)),
        }
    }
    read_group(group, module, found);
}

/// `export {a as b} from "m"`, `export * from "m"`, `export * as ns from "m"`.
fn read_export(lines: &[&str], found: &mut Vec<ImportedName>) {
    let code = lines[0]
        .trim_start()
        .trim_start_matches("export")
        .trim_start();
    let code = code.strip_prefix("type ").unwrap_or(code).trim_start();
    if !code.starts_with(['{', '*']) {
        return;
    }
    let is_whole = |text: &str| {
        let is_closed = text.contains('}') && !text.trim_end().ends_with("from");
        text.contains(['"', '\'', ';']) || is_closed
    };
    let text = statement(lines, "//", is_whole);
    let Some((head, module)) = split_module(&text) else {
        return;
    };
    match head.split_once('{') {
        Some((_, group)) => read_group(group, module, found),
        None => match head.split_once(" as ") {
            Some((_, local)) => found.push(ImportedName::module(local.trim(), module)),
            None => found.push(ImportedName::all(module)),
        },
    }
}

/// What stands before `from`, and the module.
fn split_module(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = text.split_once(['"', '\''])?;
    let module = rest.split(['"', '\'']).next()?;
    let head = head.trim_end().strip_suffix("from")?;
    Some((head, module))
}

fn read_group(group: &str, module: &str, found: &mut Vec<ImportedName>) {
    let inner = group.split('}').next().unwrap_or_default();
    for one in inner
        .split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
    {
        let one = one.strip_prefix("type ").unwrap_or(one);
        let (name, local) = renamed(one, " as ");
        found.push(ImportedName::named(local, module, name));
    }
}

/// `const {a, b: c} = require("m")`, `const m = require("m")`, `const a = require("m").a`, `= await import("m")`; what
/// a file hands on as a whole (`module.exports = require("m")`) is all of it.
fn read_require(code: &str, found: &mut Vec<ImportedName>) {
    let code = without_remark(code, "//");
    let Some((before, rest)) = code
        .split_once("require(")
        .or_else(|| code.split_once("import("))
    else {
        return;
    };
    let mut quoted = rest.split(['"', '\'', '`']);
    let (Some(""), Some(module)) = (quoted.next(), quoted.next()) else {
        return;
    };
    let behind = rest.split_once(')').map_or("", |(_, behind)| behind);
    let member = behind.strip_prefix('.').map(|rest| {
        let end = rest.find(|c: char| !crate::sight::words::is_name(c));
        &rest[..end.unwrap_or(rest.len())]
    });
    let target = before.trim_end().trim_end_matches("await").trim_end();
    let target = target.trim_end_matches(['(', ' ']);
    // `module.exports = {\n convert: require("./money").convert,`
    let Some(target) = target.strip_suffix(['=', ':']) else {
        let is_spread = before.trim_end().ends_with("...");
        if is_spread || before.contains("exports") || behind.contains("exports") {
            found.push(ImportedName::all(module));
        }
        return;
    };
    let target = ["const ", "let ", "var ", "import ", "export const "]
        .iter()
        .find_map(|word| target.trim_start().strip_prefix(word))
        .unwrap_or(target)
        .trim();
    if let Some(group) = target.strip_prefix('{') {
        read_unpacked(group, module, found);
        return;
    }
    let name = target
        .rsplit_once("exports.")
        .map_or(target, |(_, name)| name);
    match member {
        _ if matches!(name, "module.exports" | "exports") => found.push(ImportedName::all(module)),
        _ if !name.chars().all(crate::sight::words::is_name) => {}
        Some(member) => found.push(ImportedName::named(name, module, member)),
        None => found.push(ImportedName::module(name, module)),
    }
}

fn read_unpacked(group: &str, module: &str, found: &mut Vec<ImportedName>) {
    let inner = group.split('}').next().unwrap_or_default();
    for one in inner
        .split(',')
        .map(str::trim)
        .filter(|one| !one.is_empty())
    {
        let one = one.split('=').next().unwrap_or(one);
        let (name, local) = renamed(one, ":");
        found.push(ImportedName::named(local, module, name));
    }
}
