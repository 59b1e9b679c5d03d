//! What `use` and `mod` of Rust say.

use super::name::{ImportedName, renamed, statement, without_remark};

pub(super) fn imported_names(lines: &[&str]) -> Vec<ImportedName> {
    let (mut found, mut is_inner) = (Vec::new(), false);
    for (index, line) in lines.iter().enumerate() {
        let code = without_visibility(line.trim_start());
        // What a module within the file calls `super` is the file.
        is_inner = match line.starts_with('}') {
            true => false,
            false => is_inner || (code.starts_with("mod ") && line.trim_end().ends_with('{')),
        };
        if let Some(rest) = code.strip_prefix("mod ") {
            let name = without_remark(rest, "//").trim_end_matches(['{', ';', ' ']);
            found.push(ImportedName::named(name, "self", name));
        } else if code.starts_with("use ") {
            let text = statement(&lines[index..], "//", |text| text.contains(';'));
            let text = without_visibility(text.trim_start());
            let used = text.trim_start_matches("use ").split(';').next();
            let used = used.unwrap_or_default();
            match used.strip_prefix("super::").filter(|_| is_inner) {
                Some(rest) => read_use("self::", rest, &mut found),
                None => read_use("", used, &mut found),
            }
        }
    }
    found
}

fn without_visibility(code: &str) -> &str {
    let Some(rest) = code.strip_prefix("pub") else {
        return code;
    };
    match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(") ").map_or(code, |(_, rest)| rest),
        None => rest.strip_prefix(' ').unwrap_or(code),
    }
    .trim_start()
}

/// One path of names, or a group of them behind a common beginning.
fn read_use(prefix: &str, used: &str, found: &mut Vec<ImportedName>) {
    let used = used.trim();
    if let Some((common, group)) = used.split_once('{') {
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        let prefix = format!("{prefix}{}", common.trim());
        for one in split_group(group) {
            read_use(&prefix, one, found);
        }
        return;
    }
    let whole = format!("{prefix}{used}");
    let whole = whole.trim_start_matches("::");
    let (path, local) = renamed(whole, " as ");
    let path = path.strip_suffix("::self").unwrap_or(path);
    let (module, name) = path.rsplit_once("::").unwrap_or(("", path));
    let local = match whole.contains(" as ") {
        true => local,
        false => name,
    };
    match name {
        "" => {}
        "*" => found.push(ImportedName::all(module)),
        name => found.push(ImportedName::named(local, module, name)),
    }
}

/// The members of a group; groups within are part of theirs.
fn split_group(group: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&group[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[from..]);
    parts
}
