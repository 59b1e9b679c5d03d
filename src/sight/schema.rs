//! Files that say what others use by its name, and are no code: tables, messages, types of an interface, variables of an
//! infrastructure.

use std::collections::BTreeSet;

use super::words::{self, is_name};

/// Endings of such files.
const ENDINGS: [&str; 12] = [
    "avdl", "fbs", "gql", "graphql", "graphqls", "hcl", "prisma", "proto", "sql", "tf", "tfvars",
    "thrift",
];

/// So many lines above a changed one are read for what holds it.
const MAX_ABOVE: usize = 200;

/// A shorter word stands everywhere.
const LEAST: usize = 4;

pub(super) fn is_schema(path: &str) -> bool {
    let ending = path
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&&*ending))
}

/// The names on lines of such a file, and of what holds these lines.
pub(super) fn names_on(path: &str, text: &str, edited: &[u32]) -> BTreeSet<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut names = BTreeSet::new();
    for index in edited.iter().map(|line| *line as usize - 1) {
        let Some(line) = lines.get(index) else {
            continue;
        };
        read_names(line, &mut names);
        if let Some(holder) = holder_of(path, &lines, index) {
            read_names(holder, &mut names);
        }
    }
    if !path.ends_with(".sql") {
        let other: Vec<String> = names.iter().filter_map(|name| humped(name)).collect();
        names.extend(other.iter().map(|name| with_capital(name)));
        names.extend(other);
    }
    names
}

/// The line above that begins what holds a line: a statement of SQL, or a block that is less indented.
fn holder_of<'t>(path: &str, lines: &[&'t str], index: usize) -> Option<&'t str> {
    let above = lines[..index].iter().rev().take(MAX_ABOVE);
    if path.ends_with(".sql") {
        let begins = |line: &&&str| {
            let first = line.split_whitespace().next().unwrap_or_default();
            let is_statement = ["create", "alter", "drop"].contains(&&*first.to_ascii_lowercase());
            is_statement && !line.starts_with([' ', '\t'])
        };
        return above.copied().find(|line| begins(&line));
    }
    let indent = |line: &str| line.len() - line.trim_start().len();
    let depth = indent(lines[index]);
    let mut above = above.copied();
    above.find(|line| indent(line) < depth && line.trim_end().ends_with('{'))
}

/// The words of a line that can name something; comments and sentences in quotes are left out.
fn read_names(line: &str, names: &mut BTreeSet<String>) {
    let line = ["--", "//", "#"].iter().fold(line, |line, mark| {
        line.split(mark).next().unwrap_or_default()
    });
    for (index, part) in line.split(['"', '\'', '`']).enumerate() {
        let is_quoted = index % 2 == 1;
        if is_quoted && part.contains(' ') {
            continue;
        }
        let words = part.split(|c| !is_name(c)).filter(|word| is_telling(word));
        names.extend(words.map(str::to_owned));
    }
}

fn is_telling(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word.len() >= LEAST
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && !words::is_common(&lower)
        && !words::is_common_method(&lower)
        && !KEYWORDS.contains(&&*lower)
}

/// `fullName` for `full_name`: how generated code spells it.
fn humped(name: &str) -> Option<String> {
    let mut parts = name.split('_').filter(|part| !part.is_empty());
    let first = parts.next()?.to_owned();
    let whole = parts.fold(first, |whole, part| whole + &with_capital(part));
    (name.contains('_') && name.bytes().any(|b| b.is_ascii_lowercase()) && whole != name)
        .then_some(whole)
}

fn with_capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Words of these languages.
const KEYWORDS: [&str; 118] = [
    "after",
    "also",
    "alter",
    "before",
    "begin",
    "between",
    "bigint",
    "blob",
    "boolean",
    "bytes",
    "cascade",
    "char",
    "check",
    "column",
    "commit",
    "constraint",
    "count",
    "create",
    "cross",
    "current_timestamp",
    "database",
    "date",
    "datetime",
    "decimal",
    "default",
    "delete",
    "desc",
    "description",
    "distinct",
    "double",
    "drop",
    "each",
    "enum",
    "execute",
    "exists",
    "extension",
    "false",
    "fixed32",
    "fixed64",
    "float",
    "foreign",
    "from",
    "function",
    "grant",
    "group",
    "having",
    "implements",
    "index",
    "inner",
    "input",
    "insert",
    "int32",
    "int64",
    "integer",
    "interface",
    "into",
    "json",
    "jsonb",
    "language",
    "left",
    "limit",
    "locals",
    "message",
    "mutation",
    "name",
    "null",
    "numeric",
    "option",
    "optional",
    "order",
    "output",
    "package",
    "plpgsql",
    "primary",
    "procedure",
    "provider",
    "query",
    "references",
    "rename",
    "repeated",
    "replace",
    "required",
    "reserved",
    "resource",
    "returns",
    "rollback",
    "scalar",
    "schema",
    "select",
    "serial",
    "service",
    "smallint",
    "string",
    "syntax",
    "table",
    "text",
    "then",
    "timestamp",
    "timestamptz",
    "trigger",
    "true",
    "type",
    "uint32",
    "uint64",
    "union",
    "unique",
    "update",
    "using",
    "uuid",
    "value",
    "values",
    "varchar",
    "variable",
    "view",
    "when",
    "where",
    "with",
    "without",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str, text: &str, line: u32) -> Vec<String> {
        names_on(path, text, &[line]).into_iter().collect()
    }

    #[test]
    fn a_line_tells_its_names_and_those_of_what_holds_it() {
        let table = "CREATE TABLE customers (\n  id INT,\n  tax_number TEXT -- of the buyer\n);\n";
        assert_eq!(names("a.sql", table, 3), ["customers", "tax_number"]);
        let variable =
            "variable \"node_count\" {\n  description = \"How many nodes\"\n  default = 2\n}\n";
        assert_eq!(
            names("a.tf", variable, 3),
            ["NodeCount", "nodeCount", "node_count"]
        );
        let message = "message Owner {\n  string full_name = 1; // whole\n}\n";
        assert_eq!(
            names("a.proto", message, 2),
            ["FullName", "Owner", "fullName", "full_name"]
        );
        assert!(is_schema("db/A.SQL") && !is_schema("a.py"));
    }
}
