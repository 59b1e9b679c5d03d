//! Under which names a file calls a function that another file defines, where its imports say so beyond doubt.

use crate::language::Language;
use crate::pattern::pattern;

pattern!(
    PYTHON_FROM,
    r"(?m)^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]*)"
);
pattern!(PYTHON_IMPORT, r"(?m)^[ \t]*import[ \t]+([^\n#;]*)");
pattern!(
    SCRIPT_IMPORT,
    r#"(?:\bimport\s*\{([^}]*)\}\s*from\s*|\b(?:const|let|var)\s*\{([^}]*)\}\s*=\s*require\(\s*)["']([^"'\n]+)["']"#
);

/// How the file at `path` calls `name` of the file at `home`; empty: it does not, or that is not sure. `code` is without
/// literals, `text` as it is written.
pub(crate) fn callees(
    language: Language,
    (path, code, text): (&str, &str, &str),
    home: &str,
    name: &str,
) -> Vec<String> {
    if path == home {
        return vec![name.to_owned()];
    }
    match language {
        Language::Python => python_callees(path, code, home, name),
        Language::Script => script_callees(path, text, home, name),
        _ => Vec::new(),
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A module of Python as a path without its ending.
fn python_module(path: &str) -> Option<&str> {
    let module = path.strip_suffix(".py")?;
    Some(module.strip_suffix("/__init__").unwrap_or(module))
}

/// Whether a module, as a file at `path` names it, is the one at `home`.
fn is_module(path: &str, named: &str, home: &str) -> bool {
    let Some(home) = python_module(home) else {
        return false;
    };
    let rest = named.trim_start_matches('.');
    let dots = named.len() - rest.len();
    let rest = rest.replace('.', "/");
    if dots == 0 {
        return home == rest || home.ends_with(&format!("/{rest}"));
    }
    let mut folder = folder_of(path);
    for _ in 1..dots {
        folder = folder_of(folder);
    }
    let parts = [folder, rest.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("/") == home
}

fn python_callees(path: &str, code: &str, home: &str, name: &str) -> Vec<String> {
    let (mut callees, mut others) = (Vec::new(), 0);
    for found in PYTHON_FROM.captures_iter(code) {
        let items = found[2].trim_matches(['(', ')', ' ', '\t']);
        for item in items.split(',').map(str::trim) {
            if item == name {
                if is_module(path, &found[1], home) {
                    callees.push(name.to_owned())
                } else {
                    others += 1
                }
            }
            // `from package import module`.
            let dot = if found[1].ends_with('.') { "" } else { "." };
            let plain = !item.is_empty() && !item.contains([' ', '*']);
            if plain && is_module(path, &format!("{}{dot}{item}", &found[1]), home) {
                callees.push(format!("{item}.{name}"));
            }
        }
    }
    for found in PYTHON_IMPORT.captures_iter(code) {
        let modules = found[1].split(',').map(str::trim);
        let wanted =
            modules.filter(|module| !module.contains(' ') && is_module(path, module, home));
        callees.extend(wanted.map(|module| format!("{module}.{name}")));
    }
    callees.sort();
    callees.dedup();
    if others == 0 { callees } else { Vec::new() }
}

fn script_callees(path: &str, text: &str, home: &str, name: &str) -> Vec<String> {
    let (mut callees, mut others) = (Vec::new(), 0);
    for found in SCRIPT_IMPORT.captures_iter(text) {
        let items = found.get(1).or_else(|| found.get(2));
        let mut items = items
            .map_or("", |items| items.as_str())
            .split(',')
            .map(str::trim);
        if items.any(|item| item == name) {
            if is_script(path, &found[3], home) {
                callees.push(name.to_owned())
            } else {
                others += 1
            }
        }
    }
    callees.dedup();
    if others == 0 { callees } else { Vec::new() }
}

/// Whether a path, as a file at `path` imports it, is the file at `home`.
fn is_script(path: &str, named: &str, home: &str) -> bool {
    if !named.starts_with('.') {
        return false;
    }
    let mut parts: Vec<&str> = folder_of(path)
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in named.split('/') {
        match part {
            "." | "" => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    let target = parts.join("/");
    let without_ending = home.rsplit_once('.').map_or(home, |(stem, _)| stem);
    [home, without_ending].contains(&target.as_str())
        || without_ending.strip_suffix("/index") == Some(target.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_of_python_are_resolved() {
        let told = |path: &str, code: &str| python_callees(path, code, "src/pkg/db.py", "load");
        assert_eq!(told("src/pkg/a.py", "from .db import load\n"), ["load"]);
        assert_eq!(
            told(
                "src/pkg/sub/a.py",
                "from ..db import (\n    save,\n    load,\n)\n"
            ),
            ["load"]
        );
        assert_eq!(
            told("tests/a.py", "from pkg.db import save, load\n"),
            ["load"]
        );
        assert_eq!(told("tests/a.py", "import os, pkg.db\n"), ["pkg.db.load"]);
        assert_eq!(told("tests/a.py", "from pkg import db\n"), ["db.load"]);
        assert_eq!(told("src/pkg/a.py", "from . import db\n"), ["db.load"]);
        for (path, code) in [
            ("src/pkg/a.py", "from .other import load\n"),
            ("src/pkg/a.py", "from .db import load as read\n"),
            ("src/pkg/a.py", "from .db import *\n"),
            ("src/other/a.py", "from .db import load\n"),
            (
                "tests/a.py",
                "try:\n    from pkg.db import load\nexcept ImportError:\n    from yaml import load\n",
            ),
            ("tests/a.py", "import db2\n"),
        ] {
            assert_eq!(told(path, code), Vec::<String>::new(), "{code}");
        }
    }

    #[test]
    fn imports_of_scripts_are_resolved() {
        let told = |path: &str, text: &str| script_callees(path, text, "lib/db.js", "load");
        assert_eq!(
            told("lib/a.js", "import { save, load } from './db.js';\n"),
            ["load"]
        );
        assert_eq!(
            told("test/a.js", "const { load } = require('../lib/db');\n"),
            ["load"]
        );
        for text in [
            "import { load } from 'db';\n",
            "import { load as read } from '../lib/db';\n",
            "import { load } from './db';\n",
        ] {
            assert_eq!(told("test/a.js", text), Vec::<String>::new(), "{text}");
        }
        let index = script_callees("a.js", "import { f } from './lib';", "lib/index.js", "f");
        assert_eq!(index, ["f"]);
    }
}
