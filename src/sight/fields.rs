//! The fields of structs that a change edits: whoever reads one relies on its size and its meaning.

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;

use super::above::behind_brackets;
use super::declared;
use super::definitions::{DefinedName, DefinitionKind};
use super::own_fields::FieldOwners;
use super::read_side::ReadSide;
use super::search::FileOutline;
use super::words::is_name;

/// The fields on these lines, each with the type that holds it. C alone: elsewhere the type is what callers name.
pub(super) fn edited_fields(outline: &FileOutline<'_>, lines: &[u32]) -> Vec<(String, String)> {
    if outline.language() != Language::C {
        return Vec::new();
    }
    let mut found = Vec::new();
    for &line in lines {
        let Some(holder) = holding_type(outline, line) else {
            continue;
        };
        let declared = match holder.head == line || holder.start == line {
            true => inside_braces(outline.line(line)),
            false => outline.line(line),
        };
        let names = fields_of(declared).into_iter();
        found.extend(names.map(|name| (name, holder.name.clone())));
    }
    found
}

/// The fields that types had before a change and no longer have, each with its type: what still reads one is to be seen.
pub(super) fn lost_fields(before: &ReadSide<'_>, now: &ReadSide<'_>) -> FieldOwners {
    let kept = declared_on(now, &now.lines);
    let mut lost = FieldOwners::new();
    for (field, holder) in declared_on(before, &before.lines) {
        if !kept.contains(&(field.clone(), holder.clone())) {
            lost.entry(field).or_default().insert(holder);
        }
    }
    lost
}

/// The fields that types have before and after a change that edits what they are: another type, another default.
pub(super) fn altered_fields(before: &ReadSide<'_>, now: &ReadSide<'_>) -> FieldOwners {
    let was = declared_code(before);
    let mut altered = FieldOwners::new();
    for ((field, holder), code) in declared_code(now) {
        let key = (field, holder);
        if was.get(&key).is_some_and(|was| *was != code) {
            altered.entry(key.0).or_default().insert(key.1);
        }
    }
    altered
}

/// The edited lines that declare fields, without comments and spaces, by field and type.
fn declared_code(side: &ReadSide<'_>) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for line in &side.lines {
        let code: String = side
            .outline
            .without_comment(*line)
            .split_whitespace()
            .collect();
        let declared = declared_on(side, std::slice::from_ref(line)).into_iter();
        found.extend(declared.map(|key| (key, code.clone())));
    }
    found
}

/// The fields that these lines declare; those of C are known to be edited already.
fn declared_on(side: &ReadSide<'_>, lines: &[u32]) -> Vec<(String, String)> {
    let outline = &side.outline;
    let one = |line: &u32| {
        let holder = holding_type(outline, *line).filter(|holder| holder.head != *line)?;
        let field = declared_field(outline.language(), outline.line(*line))?;
        Some((field.to_owned(), holder.name.clone()))
    };
    lines.iter().filter_map(one).collect()
}

/// Whether a line declares a field of one of these types.
pub(super) fn declares(
    outline: &FileOutline<'_>,
    line: u32,
    field: &str,
    types: &BTreeSet<String>,
) -> bool {
    let declares = || declared_field(outline.language(), outline.line(line)) == Some(field);
    holding_type(outline, line).is_some_and(|holder| types.contains(&holder.name)) && declares()
}

/// The types that have a field, in C, each with the line that declares it.
pub(super) fn fields_of_c<'o>(
    outline: &'o FileOutline<'_>,
    field: &'o str,
) -> impl Iterator<Item = (&'o DefinedName, u32)> {
    let is_type = |one: &&DefinedName| one.kind == DefinitionKind::Type;
    let types = outline.definitions.iter().filter(is_type);
    let types = types.filter(move |_| outline.language() == Language::C);
    types.filter_map(move |one| {
        let mut lines = one.start.min(one.head)..=one.end;
        let declaring = lines.find(|&line| {
            let is_plain = outline.function_span(line).is_none();
            let code = outline.line(line);
            let code = if code.contains(['{', '}']) {
                inside_braces(code)
            } else {
                code
            };
            let is_named = is_plain && code.contains(field);
            is_named && fields_of(code).iter().any(|name| name == field)
        });
        Some((one, declaring?))
    })
}

/// The field that a line in the body of a type declares: `private ready = false;`, `cache: Option<u32>,`, `ready bool`,
/// `int total;`.
pub(super) fn declared_field(language: Language, code: &str) -> Option<&str> {
    match language {
        Language::Java | Language::CSharp | Language::Dart => {
            // A property of C# ends in what reads and sets it.
            let property = || code.split_once("{ get").map(|(declared, _)| declared);
            let declared = code.trim().strip_suffix(';').or_else(property)?;
            let declared = declared.split('{').next()?;
            let declared = declared.split('=').next()?.trim_end();
            let name = declared.rsplit(|c: char| !is_name(c)).next()?;
            let is_one = !declared.contains('(') && declared.len() > name.len();
            Some(name).filter(|name| is_one && !name.is_empty())
        }
        Language::Php => {
            let (before, rest) = code.trim_start().split_once('$')?;
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let first = before.split_whitespace().next()?;
            let is_one = PHP_FIELDS.contains(&first) && !before.contains('(');
            let ends = rest[end..].trim_start().starts_with(['=', ';']);
            Some(&rest[..end]).filter(|_| is_one && ends)
        }
        Language::Go => {
            let (name, rest) = code.trim_start().split_once([' ', '\t'])?;
            let is_one = name.chars().all(is_name) && !rest.trim().is_empty();
            Some(name).filter(|name| is_one && !name.is_empty())
        }
        Language::Script
        | Language::Python
        | Language::Rust
        | Language::Kotlin
        | Language::Swift
        | Language::Scala => named_first(code),
        _ => None,
    }
}

/// What a field of PHP begins with.
const PHP_FIELDS: [&str; 6] = [
    "private",
    "protected",
    "public",
    "readonly",
    "static",
    "var",
];

/// The name that stands before a type or a value, behind modifiers.
fn named_first(code: &str) -> Option<&str> {
    const MODIFIERS: [&str; 16] = [
        "private",
        "protected",
        "public",
        "readonly",
        "static",
        "declare",
        "override",
        "final",
        "open",
        "lateinit",
        "internal",
        "val",
        "var",
        "let",
        "pub",
        "pub(crate)",
    ];
    let mut rest = behind_decorators(code.trim_start());
    while let Some((first, behind)) = rest.split_once(' ') {
        if !MODIFIERS.contains(&first) {
            break;
        }
        rest = behind.trim_start();
    }
    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let behind = rest[end..].trim_start().trim_start_matches(['?', '!']);
    let is_typed = behind.starts_with(':') && !behind.starts_with("::");
    let is_set = behind.starts_with('=') && !behind.starts_with("==") && !behind.starts_with("=>");
    let is_ended = behind.starts_with(';') && rest.len() < code.trim_start().len();
    Some(&rest[..end]).filter(|name| !name.is_empty() && (is_typed || is_set || is_ended))
}

/// `@Input() title = "";` declares what stands behind the decorator.
fn behind_decorators(code: &str) -> &str {
    let Some(rest) = code.strip_prefix('@') else {
        return code;
    };
    let rest = rest.trim_start_matches(|c| is_name(c) || c == '.');
    let rest = match rest.starts_with('(') {
        true => behind_brackets(rest).unwrap_or_default(),
        false => rest,
    };
    behind_decorators(rest.trim_start())
}

/// The innermost type whose body holds a line that stands in no function.
fn holding_type<'o>(outline: &'o FileOutline<'_>, line: u32) -> Option<&'o DefinedName> {
    let is_plain = outline.function_span(line).is_none();
    let types = outline.definitions.iter().filter(|one| {
        // The name of a `typedef` stands behind its body.
        let (first, last) = (one.start.min(one.head), one.end);
        one.kind == DefinitionKind::Type && first <= line && line <= last
    });
    types.max_by_key(|one| one.start).filter(|_| is_plain)
}

/// What of the body of a struct stands on the line of its head or of its end: `struct user { char name[17]; };`.
fn inside_braces(code: &str) -> &str {
    let end = code.rfind('}').unwrap_or(code.len());
    let start = code.find('{').map(|at| at + 1);
    // On the last line of a `typedef` only what is behind the body is its head.
    let start = start.or(code.contains('}').then_some(0));
    start
        .and_then(|start| code.get(start..end))
        .unwrap_or_default()
}

/// What a line of a struct declares: `char name[32];`, `int a, *b;`, `unsigned kind : 4;`, `int (*run)(int);`.
fn fields_of(code: &str) -> Vec<String> {
    let code = code.split("//").next().unwrap_or_default();
    let code = code.split("/*").next().unwrap_or_default();
    let ended = code.rsplit_once(';').map_or("", |(ended, _)| ended);
    ended.split(';').flat_map(declared_fields).collect()
}

fn declared_fields(declared: &str) -> Vec<String> {
    if declared.contains('(') && !declared.contains("(*") {
        return Vec::new();
    }
    let parts = declared.replace("::", "__");
    let parts = parts
        .split(',')
        .map(|part| part.split([':', '=']).next().unwrap_or(part));
    let plain: Vec<&str> = parts.collect();
    let names = declared::typedef_names(&plain.join(",")).into_iter();
    names
        .filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_struct_tells_its_fields() {
        for (code, names) in [
            ("    char payload[64]; // bytes", &["payload"][..]),
            ("    int width, *height;", &["width", "height"]),
            ("    unsigned kind : 4;", &["kind"]),
            ("    std::string title = \"x\";", &["title"]),
            ("    int (*run)(int);", &["run"]),
            ("    int left; int right;", &["left", "right"]),
            ("    struct { int inner; } held;", &["inner", "held"]),
            ("    void close();", &[]),
            ("};", &[]),
        ] {
            assert_eq!(fields_of(code), names, "{code}");
        }
    }

    #[test]
    fn a_line_of_a_class_tells_its_field() {
        for (language, code, name) in [
            (Language::Script, "  private ready = false;", Some("ready")),
            (
                Language::Script,
                "  cache?: Map<number, number>;",
                Some("cache"),
            ),
            (Language::Script, "  second() {", None),
            (Language::Script, "  @Input() title = \"\";", Some("title")),
            (
                Language::Script,
                "  @Input({ required: true }) title!: string;",
                Some("title"),
            ),
            (
                Language::Script,
                "  @Output() @Once() moved = new Emitter<string>();",
                Some("moved"),
            ),
            (
                Language::Kotlin,
                "    @Column val title: String,",
                Some("title"),
            ),
            (Language::Python, "    ready: bool = False", Some("ready")),
            (Language::Python, "    if a == b:", None),
            (Language::Rust, "    pub cache: Option<u32>,", Some("cache")),
            (Language::Go, "\tready bool", Some("ready")),
            (Language::Go, "\tsync.Mutex", None),
            (Language::Java, "  private final int total;", Some("total")),
            (Language::Java, "  abstract int total();", None),
            (Language::CSharp, "  int total = 3;", Some("total")),
            (
                Language::CSharp,
                "  public int Total { get; set; }",
                Some("Total"),
            ),
            (
                Language::CSharp,
                "  public int Total { get; set; } = 3;",
                Some("Total"),
            ),
            (Language::CSharp, "  public int Total() { get(); }", None),
        ] {
            assert_eq!(declared_field(language, code), name, "{code}");
        }
    }

    #[test]
    fn the_line_of_a_head_tells_the_fields_between_its_braces() {
        for (code, names) in [
            ("struct user { char name[17]; };", &["name"][..]),
            ("typedef struct { int x, y; } point;", &["x", "y"]),
            ("struct user { char name[17];", &["name"]),
            ("    int last; } point;", &["last"]),
            ("struct user {", &[]),
            ("struct user", &[]),
            ("} point;", &[]),
            ("enum color { RED, GREEN };", &[]),
        ] {
            assert_eq!(fields_of(inside_braces(code)), names, "{code}");
        }
    }
}
