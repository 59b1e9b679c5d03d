//! Other names of what a change edits: `import convert as to_cents`, `const { save: persist } = require('./db')`, a
//! default import. Whoever calls it by one of them is a caller as any other.

use std::collections::{BTreeSet, HashSet};

use council_protocol::RepoPath;
use council_syntax::language::Language;
use council_syntax::outline;

use super::candidates::ChangedFile;
use super::handler_tables::table_of;
use super::hints;
use super::other_name::{Alias, AliasScope, DefaultExport};
use super::search::{FileHits, FileOutline};
use super::wanted::{NameReason, WantedName};
use super::words::is_name;

/// The names that the lines of these files give to what the change edits, and that are not searched for yet.
pub(super) fn aliases_in(names: &[WantedName], files: &[FileHits]) -> Vec<WantedName> {
    const MAX_ALIASES: usize = 40;
    let mut known: HashSet<String> = names.iter().map(|name| name.text.clone()).collect();
    let mut found: Vec<WantedName> = Vec::new();
    for file in files {
        let hits = file.hits.iter();
        let mut hits = hits
            .filter(|hit| may_be_renamed(&names[hit.name], file, hit.line))
            .peekable();
        if hits.peek().is_none() {
            continue;
        }
        let lines: Vec<&str> = file.text.lines().collect();
        for hit in hits {
            let name = &names[hit.name];
            let alias = alias_of_hit(name, file, &lines, hit.line);
            let Some(alias) = alias.or_else(|| table_alias(name, file, &lines, hit.line)) else {
                continue;
            };
            if known.insert(alias.text.clone()) {
                found.push(alias);
            } else {
                add_scopes(&mut found, alias);
            }
            if found.len() == MAX_ALIASES {
                return found;
            }
        }
    }
    found
}

/// Whether the change edits what has this name. A method goes by no other.
fn is_edited(name: &WantedName) -> bool {
    name.uses
        && !name.homes.is_empty()
        && name.owners.is_empty()
        && matches!(name.reason, NameReason::Changed | NameReason::Removed)
}

fn may_be_renamed(name: &WantedName, file: &FileHits, line: u32) -> bool {
    let alias = name.alias.as_ref();
    let is_one = alias.is_none_or(|alias| alias.holds(&file.path, line));
    is_one && (is_edited(name) || !name.exports.is_empty())
}

/// Adds where else a name is another name of the same thing.
fn add_scopes(found: &mut [WantedName], again: WantedName) {
    let Some(of) = again.alias else {
        return;
    };
    let mut found = found.iter_mut().filter(|one| one.text == again.text);
    let known = found.find_map(|one| one.alias.as_mut().map(|alias| (alias, &mut one.homes)));
    if let Some((alias, homes)) = known.filter(|(alias, _)| alias.of == of.of) {
        alias.extend(of);
        homes.extend(again.homes);
    }
}

fn alias_of_hit(
    name: &WantedName,
    file: &FileHits,
    lines: &[&str],
    number: u32,
) -> Option<WantedName> {
    let line = *lines.get(number as usize - 1)?;
    let path = file.path.display();
    let language = Language::from_path(&path);
    let alias = |text: String, of: &str, homes: &BTreeSet<RepoPath>| {
        let mut homes = homes.clone();
        homes.insert(file.path.clone());
        let alias = Alias {
            of: of.to_owned(),
            is_exported: is_exported(language, &path, line, &text),
            is_table: false,
            scopes: scope_of(file, lines, number, &text).into_iter().collect(),
        };
        WantedName {
            homes,
            alias: Some(alias),
            ..WantedName::new(&text, NameReason::Changed)
        }
    };
    for export in &name.exports {
        if hints::imports_file(&path, line, &export.home.display()) == Some(true)
            && let Some(text) = default_import(line)
        {
            return Some(alias(text, &export.of, &[export.home.clone()].into()));
        }
    }
    let text = is_edited(name).then(|| alias_on_line(language, line, &name.text));
    let text = text.flatten()?;
    let of = name.alias.as_ref().map_or(&name.text, |alias| &alias.of);
    let is_telling = text.len() > 1 && text != name.text;
    is_telling.then(|| alias(text, of, &name.homes))
}

/// The table that holds what the change edits on a line.
fn table_alias(
    name: &WantedName,
    file: &FileHits,
    lines: &[&str],
    line: u32,
) -> Option<WantedName> {
    let (table, head) = is_edited(name)
        .then(|| table_of(name, file, line))
        .flatten()?;
    let path = file.path.display();
    let opening = lines.get((head as usize).checked_sub(1)?)?;
    let language = Language::from_path(&path);
    // In one package a small name is known as well.
    let is_exported = language == Language::Go || is_exported(language, &path, opening, &table);
    let mut homes = name.homes.clone();
    homes.insert(file.path.clone());
    Some(WantedName {
        homes,
        alias: Some(Alias {
            of: name.text.clone(),
            is_exported,
            is_table: true,
            scopes: Vec::new(),
        }),
        ..WantedName::new(&table, NameReason::Changed)
    })
}

/// The function that has another name as a variable; none: the whole file has it.
fn scope_of(file: &FileHits, lines: &[&str], line: u32, alias: &str) -> Option<AliasScope> {
    let language = Language::from_path(&file.path.display());
    let code = lines.get(line as usize - 1)?;
    if !is_of_function(language, code, alias) {
        return None;
    }
    let functions = outline::functions(language, &file.text);
    let around = functions.iter().filter(|one| one.contains(line as usize));
    let function = around.min_by_key(|one| one.end - one.start)?;
    let is_shared = |code: &str| {
        let code = code.trim_start();
        ["global ", "nonlocal "]
            .iter()
            .any(|word| code.starts_with(word))
            && whole_words(code, alias).next().is_some()
    };
    let mut inside = lines[function.head - 1..function.end.min(lines.len())].iter();
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    (!inside.any(|code| is_shared(code))).then(|| AliasScope {
        path: file.path.clone(),
        first: number(function.start),
        last: number(function.end),
    })
}

/// Whether a line in a function makes a variable of that function alone.
fn is_of_function(language: Language, line: &str, alias: &str) -> bool {
    const MAKING: [&str; 12] = [
        "const ", "let ", "var ", "val ", "auto ", "final ", "static ", "from ", "import ", "use ",
        "local ", "mut ",
    ];
    let code = line.trim_start();
    let is_plain = || code.starts_with(alias) && !code.contains("exports.");
    match language {
        Language::Python => is_plain() || MAKING.iter().any(|word| code.starts_with(word)),
        Language::Ruby => is_plain(),
        Language::C => !code.starts_with("#define") && code.contains("auto "),
        _ => code.contains(":=") || MAKING.iter().any(|word| code.starts_with(word)),
    }
}

/// Whether other files may have a name from this one.
fn is_exported(language: Language, path: &str, line: &str, alias: &str) -> bool {
    let begins = |word: &str| line.trim_start().starts_with(word);
    match language {
        // Whatever a module assigns may be imported from it; what it imports is meant for others in a package.
        Language::Python => {
            path.ends_with("__init__.py") || !(begins("from ") || begins("import "))
        }
        Language::Script => begins("export") || line.contains("exports."),
        Language::Rust => begins("pub"),
        Language::Go => alias.starts_with(char::is_uppercase),
        Language::C => true,
        _ => false,
    }
}

/// The other name that a line gives to `name`; none: it gives none.
fn alias_on_line(language: Language, line: &str, name: &str) -> Option<String> {
    match language {
        Language::C => {
            if let Some(rest) = line.trim_start().strip_prefix("#define ") {
                return alias_by_macro(rest.trim(), name);
            }
        }
        Language::Ruby => {
            if let Some(alias) = ruby_alias(line.trim(), name) {
                return Some(alias);
            }
        }
        _ => {}
    }
    whole_words(line, name).find_map(|at| {
        let (before, behind) = (&line[..at], &line[at + name.len()..]);
        renamed(language, line, behind).or_else(|| assigned(before, behind))
    })
}

/// `#define to_cents convert`, `#define TO_CENTS(x) convert(x)`.
fn alias_by_macro(rest: &str, name: &str) -> Option<String> {
    let end = rest.find(|c| !is_name(c))?;
    let (alias, rest) = rest.split_at(end);
    let value = match rest.strip_prefix('(') {
        Some(parameters) => {
            let (_, value) = parameters.split_once(')')?;
            let call = value.trim().trim_start_matches('(').strip_prefix(name)?;
            return call
                .trim_start()
                .starts_with('(')
                .then(|| alias.to_owned())
                .filter(|alias| is_word(alias));
        }
        None => rest.trim(),
    };
    (value == name && is_word(alias)).then(|| alias.to_owned())
}

/// `alias_method :persist, :save`, `alias persist save`.
fn ruby_alias(line: &str, name: &str) -> Option<String> {
    let rest = line.strip_prefix("alias")?;
    let rest = rest.strip_prefix("_method").unwrap_or(rest);
    let mut words = rest
        .split(|c: char| !is_name(c))
        .filter(|word| !word.is_empty());
    let alias = words.next()?;
    (rest.starts_with([' ', '(']) && words.next() == Some(name) && is_word(alias))
        .then(|| alias.to_owned())
}

/// `convert as to_cents`, `{ save: persist } = require(…)`, `{ convert => toCents }`.
fn renamed(language: Language, line: &str, behind: &str) -> Option<String> {
    let rest = behind.trim_start();
    let is_unpacked = language == Language::Script
        && (line.contains("require(") || line.contains("} =") || line.contains("}="));
    let alias = match language {
        _ if behind.starts_with(' ') && rest.starts_with("as ") => &rest[3..],
        Language::Scala if rest.starts_with("=>") => &rest[2..],
        Language::Script if is_unpacked && rest.starts_with(':') => &rest[1..],
        _ => return None,
    };
    first_word(alias)
}

/// `to_cents = rates.convert`, `const persist = save;`, `exports.persist = save`.
fn assigned(before: &str, behind: &str) -> Option<String> {
    const MODIFIERS: [&str; 12] = [
        "const", "let", "var", "val", "static", "final", "export", "public", "private", "pub",
        "mut", "readonly",
    ];
    // `db.save.bind(db)` is the same function.
    let behind = match behind.trim().strip_prefix(".bind(") {
        Some(bound) => bound.split_once(')')?.1,
        None => behind,
    };
    if !behind.trim().trim_end_matches(';').is_empty() {
        return None;
    }
    let before = before_require(before).unwrap_or(before);
    let owner = |c: char| is_name(c) || matches!(c, '.' | ':' | '>' | '-');
    let left = before
        .trim_end_matches(owner)
        .trim_end()
        .strip_suffix('=')?;
    let left = left.strip_suffix(':').unwrap_or(left);
    if left.ends_with(['=', '!', '<', '>', '+', '-', '*', '/', '|', '&']) {
        return None;
    }
    let left = left.split(':').next().unwrap_or_default().trim();
    let left = left.strip_prefix("module.").unwrap_or(left);
    let left = left.strip_prefix("exports.").unwrap_or(left);
    let words: Vec<&str> = left.split_whitespace().collect();
    let (alias, modifiers) = words.split_last()?;
    let is_plain = modifiers.iter().all(|word| MODIFIERS.contains(word));
    (is_plain && is_word(alias)).then(|| (*alias).to_owned())
}

/// What stands before `require('./db').`.
fn before_require(before: &str) -> Option<&str> {
    let module = before.strip_suffix(").")?;
    let (rest, quoted) = module.rsplit_once("require(")?;
    (!quoted.contains(')')).then_some(rest)
}

/// The name under which a line imports all that a file exports, or its default.
fn default_import(line: &str) -> Option<String> {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    if let Some((_, rest)) = line.split_once("default as ") {
        return first_word(rest);
    }
    if let Some(rest) = line.strip_prefix("import ") {
        let rest = rest.strip_prefix("type ").unwrap_or(rest).trim_start();
        return first_word(rest).filter(|_| rest.starts_with(is_name));
    }
    let rest = ["const ", "let ", "var "]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let (name, value) = rest.split_once('=')?;
    (is_word(name.trim()) && value.trim_start().starts_with("require("))
        .then(|| name.trim().to_owned())
}

/// How others find a file of which the change edits what it exports as a whole.
pub(super) fn default_export_name(file: &ChangedFile<'_>) -> Option<WantedName> {
    let path = file.path().display();
    if Language::from_path(&path) != Language::Script {
        return None;
    }
    let text = file.new.as_ref()?;
    let outline = FileOutline::of(file.path(), text);
    let head = |line: u32| {
        outline
            .function_span(line)
            .map(|span| (span.head, span.name.clone()))
    };
    let edited: BTreeSet<(usize, String)> = file
        .edited_lines()
        .iter()
        .copied()
        .filter_map(head)
        .collect();
    let of = text.lines().zip(1..).find_map(|(line, number)| {
        let exported = ["export default ", "module.exports ="];
        let (_, exported) = exported.iter().find_map(|begin| line.split_once(begin))?;
        let is_it = |(head, name): &&(usize, String)| {
            *head == number || (!name.is_empty() && whole_words(exported, name).next().is_some())
        };
        let (_, name) = edited.iter().find(is_it)?;
        let is_named = !name.is_empty();
        Some(if is_named {
            name.clone()
        } else {
            "default".to_owned()
        })
    })?;
    let export = DefaultExport {
        home: file.path().clone(),
        of,
    };
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let stem = name.split('.').next().unwrap_or(name);
    let stem = match stem {
        "index" => folder.rsplit('/').next().unwrap_or_default(),
        stem => stem,
    };
    Some(WantedName {
        uses: false,
        exports: vec![export],
        ..WantedName::new(stem, NameReason::Changed)
    })
    .filter(|name| !name.text.is_empty())
}

fn whole_words<'t>(line: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    line.match_indices(name)
        .map(|(at, _)| at)
        .filter(move |&at| {
            let before = line[..at].chars().next_back();
            let behind = line[at + name.len()..].chars().next();
            !before.is_some_and(is_name) && !behind.is_some_and(is_name)
        })
}

fn first_word(text: &str) -> Option<String> {
    let word = text.trim_start().split(|c| !is_name(c)).next()?;
    is_word(word).then(|| word.to_owned())
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| is_name(c) && !c.is_ascii_digit()) && text.chars().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_another_name_as_its_language_does() {
        for (path, line, alias) in [
            (
                "a.py",
                "from .rates import convert as to_cents",
                Some("to_cents"),
            ),
            ("a.py", "to_cents = rates.convert", Some("to_cents")),
            ("a.py", "to_cents: Callable = convert", Some("to_cents")),
            ("a.py", "self.run = convert", None),
            ("a.py", "if a == convert", None),
            ("a.py", "x = convert(a)", None),
            (
                "a.js",
                "const { convert: cents } = require('./r');",
                Some("cents"),
            ),
            (
                "a.js",
                "import { convert as cents } from './r';",
                Some("cents"),
            ),
            ("a.js", "export { convert as cents };", Some("cents")),
            ("a.js", "exports.cents = convert;", Some("cents")),
            ("a.js", "module.exports.cents = convert", Some("cents")),
            ("a.js", "const cents = r.convert;", Some("cents")),
            ("a.js", "call({ convert: cents })", None),
            ("a.rs", "pub use rates::convert as cents;", Some("cents")),
            ("a.go", "var Cents = rates.convert", Some("Cents")),
            ("a.go", "cents := rates.convert", Some("cents")),
            ("a.h", "#define cents convert", Some("cents")),
            ("a.h", "#define cents(x) convert", None),
            ("a.h", "#define cents(x) convert(x)", Some("cents")),
            ("a.h", "#define cents(x) (convert((x), 1))", Some("cents")),
            ("a.h", "#define cents(x) reconvert(x)", None),
            ("a.rb", "alias_method :cents, :convert", Some("cents")),
            ("a.rb", "  alias cents convert", Some("cents")),
            ("a.rb", "alias_method :convert, :other", None),
            ("a.rb", "aliases = convert", Some("aliases")),
            (
                "a.js",
                "exports.cents = require('./r').convert;",
                Some("cents"),
            ),
            (
                "a.js",
                "const cents = require(\"./r\").convert",
                Some("cents"),
            ),
            ("a.js", "const cents = f(1).convert;", None),
            (
                "a.ts",
                "const cents = rates.convert.bind(rates);",
                Some("cents"),
            ),
            ("a.ts", "const cents = rates.convert.bind(rates)(1);", None),
            ("a.scala", "import rates.{convert => cents}", Some("cents")),
            ("a.kt", "import rates.convert as cents", Some("cents")),
        ] {
            let found = alias_on_line(Language::from_path(path), line, "convert");
            assert_eq!(found.as_deref(), alias, "{path}: {line}");
        }
        for (line, alias) in [
            ("import persist from './db';", Some("persist")),
            ("import persist, { more } from './db'", Some("persist")),
            ("import { more } from './db'", None),
            ("import * as db from './db'", None),
            ("const persist = require('./db');", Some("persist")),
            ("const { save } = require('./db');", None),
            (
                "export { default as persist } from './db';",
                Some("persist"),
            ),
        ] {
            assert_eq!(default_import(line).as_deref(), alias, "{line}");
        }
    }
}
