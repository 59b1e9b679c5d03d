//! Where a name is declared that no definition of its file has: members of interfaces, fields, classes within
//! functions, and what schemas and settings declare.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::above::start_above;
use super::definitions::{DefinitionKind, body_end};
use super::fields;
use super::lexed::LexedLines;
use super::modules::modules_of_rust;
use super::search::{FileOutline, is_whole_word};
use super::words::is_name;

/// Where a name stands in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NamePlaces {
    /// First and last lines of what defines it.
    pub(crate) definitions: Vec<(u32, u32)>,
    /// The types that have some of these, by the first lines of what they have.
    pub(crate) owners: BTreeMap<u32, String>,
    /// Lines that use it as code or as a key, each as a run of one.
    pub(crate) uses: Vec<(u32, u32)>,
}

/// Looks for one name in one file, as a brief does.
pub(crate) fn places_of_name(path: &RepoPath, text: &str, name: &str) -> NamePlaces {
    let outline = FileOutline::of(path, text);
    let mut places = NamePlaces::default();
    let defined = outline.definitions.iter().filter(|one| one.name == name);
    places
        .definitions
        .extend(defined.map(|one| (one.start, one.end)));
    let defined = places.definitions.clone();
    let is_inside = |head: u32| {
        defined
            .iter()
            .any(|(start, end)| (*start..=*end).contains(&head))
    };
    // What a trait asks for stands beside what has it.
    let declared = declared_places(&outline, text, name).into_iter();
    let is_local = |head: u32| {
        let around = outline.function_span(head);
        around.is_some_and(|span| span.head < head as usize)
    };
    let is_member = |head: u32| outline.holder_around(head).is_some() && !is_local(head);
    let declared =
        declared.filter(|one| defined.is_empty() || !is_inside(one.head) && is_member(one.head));
    let mut heads = BTreeSet::new();
    for one in declared {
        heads.insert(one.head);
        places.definitions.push((one.start, one.end));
    }
    places.owners = owners_of(&outline, text, &places.definitions);
    for (typed, line) in fields::fields_of_c(&outline, name) {
        heads.insert(line);
        places.definitions.push((line, line));
        places.owners.insert(line, typed.name.clone());
    }
    places.definitions.sort_unstable();
    places.definitions.dedup();
    heads.extend(places.definitions.iter().map(|(start, _)| *start));
    let is_use = |line: &u32| {
        let is_head = outline.defines(name, *line) || heads.contains(line);
        outline.is_code(*line, name) && !is_head
    };
    places.uses.extend(
        (1..=outline.last_line())
            .filter(is_use)
            .map(|line| (line, line)),
    );
    places
}

/// The types and modules that hold definitions, or whose methods they are.
fn owners_of(
    outline: &FileOutline<'_>,
    text: &str,
    definitions: &[(u32, u32)],
) -> BTreeMap<u32, String> {
    let mut owners = BTreeMap::new();
    let modules = match outline.language() {
        Language::Rust => modules_of_rust(&LexedLines::of(Language::Rust, text).masked()),
        _ => Vec::new(),
    };
    for &(start, end) in definitions {
        let holder = outline.holder_around(start).filter(|one| end <= one.end);
        let innermost = holder.map(|one| one.name.clone());
        // Go, and C++ outside of a class, name the type in the head.
        let span = outline
            .functions
            .iter()
            .find(|one| one.start == start as usize);
        let named = || span.and_then(|span| outline.owner_of(text, span));
        let module = || {
            let around = modules
                .iter()
                .filter(|(_, first, last)| *first < start && end <= *last);
            around
                .max_by_key(|(_, first, _)| *first)
                .map(|(name, ..)| name.clone())
        };
        let owner = innermost.or_else(named).or_else(module);
        owners.extend(owner.map(|owner| (start, owner)));
    }
    owners
}

/// What stands before the name that a line declares, in whatever language.
const KEYWORDS: [&str; 36] = [
    "abstract",
    "class",
    "const",
    "data",
    "def",
    "enum",
    "extension",
    "fn",
    "fun",
    "func",
    "function",
    "index",
    "input",
    "interface",
    "let",
    "message",
    "mod",
    "module",
    "namespace",
    "object",
    "output",
    "package",
    "procedure",
    "protocol",
    "record",
    "resource",
    "rpc",
    "scalar",
    "service",
    "struct",
    "table",
    "trait",
    "type",
    "union",
    "var",
    "variable",
];

/// The most lines of what is declared.
const MAX_LINES: usize = 120;

/// A place that declares a name, with what stands above it and says what it promises.
pub(super) struct DeclaredPlace {
    start: u32,
    pub(super) head: u32,
    pub(super) end: u32,
}

/// The places that declare a name.
pub(super) fn declared_places(
    outline: &FileOutline<'_>,
    text: &str,
    name: &str,
) -> Vec<DeclaredPlace> {
    let lexed = LexedLines::of(outline.language(), text);
    let (lines, masked) = (lexed.lines.as_slice(), lexed.masked());
    let mut found = Vec::new();
    for (line, (raw, code)) in (1..).zip(lines.iter().zip(&masked)) {
        if declares(outline, (line, raw, code), name) {
            let (head, language) = (line as usize, outline.language());
            let start = start_above(language, lines, head);
            let end = body_end(language, (lines, &masked), head, MAX_LINES);
            found.push(DeclaredPlace {
                start: u32::try_from(start).unwrap_or(line),
                head: line,
                end: u32::try_from(end).unwrap_or(line),
            });
        }
    }
    found
}

/// Whether a line declares a name; `code` is the line without its strings and comments.
fn declares(outline: &FileOutline<'_>, (line, raw, code): (u32, &str, &str), name: &str) -> bool {
    let is_quoted = !outline.language().is_code();
    let text = if is_quoted { raw } else { code };
    let places = text.match_indices(name).map(|(at, _)| at);
    let mut places = places.filter(|&at| is_whole_word(text.as_bytes(), at, at + name.len()));
    places.any(|at| {
        let (before, behind) = (&text[..at], text[at + name.len()..].trim_start());
        is_behind_keyword(before)
            || is_member(outline, line, before, behind)
            || is_arrow(before, behind)
    }) || is_field(outline, line, name)
}

/// `module Billing`, `CREATE TABLE orders`, `variable "count"`.
fn is_behind_keyword(before: &str) -> bool {
    let begun = before.trim_end_matches(['"', '`', '\'', '[']).trim_end();
    let last = begun
        .rsplit(|c: char| !is_name(c))
        .next()
        .unwrap_or_default();
    let is_apart = before.len() > begun.len();
    // `IF NOT EXISTS` stands between a table and its name.
    let begun = begun.to_ascii_lowercase();
    let is_table = begun.starts_with("create ") && begun.ends_with("exists");
    is_apart && (is_table || KEYWORDS.contains(&last.to_ascii_lowercase().as_str()))
}

/// The head of a method without a body in a type: `int find(int id);`, `fn run(&self);`, `Save(x int) error`.
fn is_member(outline: &FileOutline<'_>, line: u32, before: &str, behind: &str) -> bool {
    let is_head = behind.starts_with(['(', '<']) && !before.contains(['=', '.', '(']);
    is_head && outline.function_span(line).is_none() && is_in_type(outline, line)
}

/// A function that is a member of an object: `load: async (id) => {`, `save = () => 1`.
fn is_arrow(before: &str, behind: &str) -> bool {
    let is_begun = before
        .split_whitespace()
        .all(|word| word.chars().all(is_name));
    is_begun
        && behind.starts_with([':', '='])
        && (behind.contains("=>") || behind.contains("function"))
}

fn is_field(outline: &FileOutline<'_>, line: u32, name: &str) -> bool {
    is_in_type(outline, line)
        && fields::declared_field(outline.language(), outline.line(line)) == Some(name)
}

fn is_in_type(outline: &FileOutline<'_>, line: u32) -> bool {
    outline.language() != Language::C
        && outline.definitions.iter().any(|one| {
            let lines = one.head + 1..=one.end;
            one.kind == DefinitionKind::Type && lines.contains(&line)
        })
}

#[cfg(test)]
mod tests {
    use council_protocol::RepoPath;

    use super::super::places_of_name;

    #[test]
    fn what_no_definition_has_is_found_where_it_is_declared() {
        for (path, text, name, place) in [
            (
                "a.py",
                "class Form:\n    class Meta:\n        model = 1\n    class Inner:\n        pass\n",
                "Inner",
                (4, 5),
            ),
            (
                "b.ts",
                "export class View {\n\thandleSave = () => {\n\t\treturn 1;\n\t};\n}\n",
                "handleSave",
                (2, 4),
            ),
            (
                "b.ts",
                "export const api = {\n\tload: async (id: number) => {\n\t\treturn id;\n\t},\n};\n",
                "load",
                (2, 4),
            ),
            (
                "b.ts",
                "export interface Store {\n\tsaveAll(x: number): void;\n}\n",
                "saveAll",
                (2, 2),
            ),
            (
                "c.go",
                "package c\n\ntype Saver interface {\n\tSaveOne(x int) error\n}\n",
                "SaveOne",
                (4, 4),
            ),
            (
                "d.rs",
                "pub trait Job {\n    fn run_job(&self) -> u32;\n}\n",
                "run_job",
                (2, 2),
            ),
            (
                "d.rs",
                "pub struct Job {\n    pub limit: u32,\n}\n",
                "limit",
                (2, 2),
            ),
            (
                "E.java",
                "interface Repo {\n  int findOne(int id);\n}\n",
                "findOne",
                (2, 2),
            ),
            (
                "h.rb",
                "module Billing\n  RATE = 1\nend\n",
                "Billing",
                (1, 2),
            ),
            (
                "i.php",
                "<?php\nclass Cl {\n  const MAX_I = 1;\n}\n",
                "MAX_I",
                (3, 3),
            ),
            (
                "l.proto",
                "message Order {\n  int32 x = 1;\n}\n",
                "Order",
                (1, 3),
            ),
            (
                "t.sql",
                "CREATE TABLE IF NOT EXISTS invoices (\n  id int\n);\n",
                "invoices",
                (1, 3),
            ),
            (
                "v.tf",
                "variable \"node_count\" {\n}\n",
                "node_count",
                (1, 2),
            ),
        ] {
            let places = places_of_name(&RepoPath::from(path), text, name);
            assert_eq!(places.definitions, [place], "{path}: {name}");
        }
    }

    /// Law: whatever holds a member, it is told apart from a member of that name of something beside it.
    #[test]
    fn a_member_is_that_of_what_holds_it() {
        for (path, text) in [
            (
                "a.rb",
                "module OWN\n  def self.pay_it\n    VALUE\n  end\nend\n",
            ),
            (
                "a.rb",
                "class OWN\n  class << self\n    def pay_it\n      VALUE\n    end\n  end\nend\n",
            ),
            (
                "a.cs",
                "public record OWN(decimal Amount)\n{\n    public int pay_it()\n    {\n        return VALUE;\n    }\n}\n",
            ),
            (
                "a.rs",
                "pub trait OWN {\n    fn pay_it(&self) -> VALUE;\n}\n",
            ),
            (
                "a.rs",
                "pub mod OWN {\n    pub fn pay_it() -> u32 {\n        VALUE\n    }\n}\n",
            ),
            (
                "a.ts",
                "export namespace OWN {\n  export function pay_it() {\n    return VALUE;\n  }\n}\n",
            ),
            (
                "a.ts",
                "export const OWN = {\n  pay_it(id: string) {\n    return VALUE;\n  },\n};\n",
            ),
            (
                "a.ts",
                "export const OWN: Api = {\n  pay_it: async (id: string) => {\n    return VALUE;\n  },\n};\n",
            ),
            ("a.c", "struct OWN {\n    int pay_it; /* VALUE */\n};\n"),
            ("a.c", "typedef struct {\n    int pay_it[VALUE];\n} OWN;\n"),
            (
                "a.php",
                "<?php\nclass OWN\n{\n    private ?int $pay_it = VALUE;\n}\n",
            ),
        ] {
            let one = |own: &str| text.replace("OWN", own).replace("VALUE", "7");
            let both = format!("{}\n{}", one("Cart"), one("Bill").replace("<?php\n", ""));
            let places = places_of_name(&RepoPath::from(path), &both, "pay_it");
            let owners: Vec<&str> = places.owners.values().map(String::as_str).collect();
            assert_eq!(owners, ["Cart", "Bill"], "{path}: {text}");
            assert_eq!(places.definitions.len(), 2, "{path}: {text}");
        }
    }

    #[test]
    fn a_member_is_shown_with_what_it_promises() {
        for (path, text, place) in [
            (
                "a.rs",
                "pub trait Job {\n    /// The rows that went.\n    fn purge(&self) -> u32;\n}\n",
                (2, 3),
            ),
            (
                "a.rs",
                "pub struct Job {\n    id: u32,\n    /// In seconds.\n    #[serde(default)]\n    purge: u32,\n}\n",
                (3, 5),
            ),
            (
                "A.java",
                "interface A {\n    /** The rows\n     * that went. */\n    int purge();\n}\n",
                (2, 4),
            ),
            (
                "a.go",
                "package a\n\ntype I interface {\n\t// Purge tells the rows.\n\tpurge() int\n}\n",
                (4, 5),
            ),
            (
                "a.ts",
                "interface I {\n  /** The rows that went. */\n  purge(): number;\n}\n",
                (2, 3),
            ),
        ] {
            let places = places_of_name(&RepoPath::from(path), text, "purge");
            assert_eq!(places.definitions, [place], "{path}");
            assert_eq!(places.uses, [], "{path}");
        }
    }

    #[test]
    fn a_use_is_no_declaration() {
        for (path, text, name) in [
            (
                "b.ts",
                "class View {\n\trun() {\n\t\tsaveAll(1);\n\t}\n}\n",
                "saveAll",
            ),
            (
                "c.go",
                "package c\n\nfunc f() {\n\tSaveOne(1)\n}\n",
                "SaveOne",
            ),
            (
                "E.java",
                "class A {\n  int x = repo.findOne(1);\n}\n",
                "findOne",
            ),
            ("t.sql", "SELECT * FROM invoices;\n", "invoices"),
        ] {
            let places = places_of_name(&RepoPath::from(path), text, name);
            assert_eq!(places.definitions, [], "{path}: {name}");
        }
    }
}
