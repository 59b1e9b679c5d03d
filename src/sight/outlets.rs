//! What others have a file's own constants and helpers through: an exported function beside one uses it, and whoever calls
//! that relies on both.

use std::collections::{BTreeSet, HashSet};

use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::definitions::{DefinedName, DefinitionKind};
use super::other_name::Inner;
use super::read_side::ReadSide;
use super::search::FileOutline;
use super::shadowed::is_shadowed;
use super::unnamed::is_unnamed;
use super::words;

/// A function or a value of an edited file that uses what the change edits there.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Outlet {
    pub(super) text: String,
    /// The type whose method it is.
    pub(super) owner: Option<String>,
    /// Whether it is how a value of the type of this name is made.
    pub(super) is_built: bool,
    pub(super) inner: Inner,
}

/// The outlets of what a file keeps to itself, and of what it does not say whether it does.
pub(super) fn outlets_of(side: &ReadSide<'_>, edited: &BTreeSet<String>) -> BTreeSet<Outlet> {
    /// The most outlets of one file.
    const MAX_OUTLETS: usize = 12;
    /// The most definitions whose uses are sought: the whole file is read for each, and a table may have thousands.
    const MAX_SOUGHT: usize = 200;
    let mut found = BTreeSet::new();
    let definitions = side.outline.definitions.iter();
    let sought = definitions.filter_map(|defined| {
        let is_edited = edited.contains(&defined.name) && defined.kind != DefinitionKind::Type;
        let is_open = openness(side, defined).filter(|_| is_edited)?;
        Some((defined, is_open))
    });
    for (defined, is_open) in sought.take(MAX_SOUGHT) {
        let inner = Inner {
            text: defined.name.clone(),
            is_open,
        };
        let lines = using_lines(&side.outline, defined);
        let outlets = lines.filter_map(|line| outlet_at(side, line, (&inner, defined.kind)));
        found.extend(outlets.filter(|one| !edited.contains(&one.text)));
    }
    found.into_iter().take(MAX_OUTLETS).collect()
}

/// The lines of code that use what a file defines, but for its own.
fn using_lines<'o>(
    outline: &'o FileOutline<'_>,
    defined: &'o DefinedName,
) -> impl Iterator<Item = u32> + 'o {
    let is_own = move |line: u32| (defined.head..=defined.end).contains(&line);
    let is_use = move |line: &u32| {
        let name = defined.name.as_str();
        outline.is_code(*line, name)
            && !outline.is_import(*line)
            && !is_shadowed(outline, *line, name)
    };
    (1..=outline.last_line())
        .filter(move |line| !is_own(*line))
        .filter(is_use)
}

/// What others have a line through.
fn outlet_at(
    side: &ReadSide<'_>,
    line: u32,
    (inner, kind): (&Inner, DefinitionKind),
) -> Option<Outlet> {
    let around = side.outline.functions_around(line);
    let found = match around.min_by_key(|span| span.head) {
        Some(span) => function_outlet(side, span, inner),
        // What a function once gave calls it no more.
        None if kind == DefinitionKind::Function => None,
        None => definition_outlet(side, line, inner),
    };
    found.filter(|one| {
        let is_plain = words::is_common(&one.text)
            || words::is_common_method(&one.text)
            || words::is_entry_point(&one.text);
        !is_plain && one.text != inner.text
    })
}

fn function_outlet(side: &ReadSide<'_>, span: &FunctionSpan, inner: &Inner) -> Option<Outlet> {
    let owner = side.outline.owner_of(side.text, span);
    let is_unnamed = owner
        .as_deref()
        .is_some_and(|of| is_unnamed(&side.outline, span, of));
    if is_unnamed || is_kept(side, span) {
        return None;
    }
    let (text, owner, is_built) = match owner {
        Some(owner) if words::is_constructor(&span.name, &owner) => (owner, None, true),
        owner => (span.name.clone(), owner, false),
    };
    Some(Outlet {
        text,
        owner,
        is_built,
        inner: inner.clone(),
    })
}

/// A value or a type that stands around a line outside of functions.
fn definition_outlet(side: &ReadSide<'_>, line: u32, inner: &Inner) -> Option<Outlet> {
    let holding = side.outline.definitions.iter();
    let holding = holding.filter(|one| one.head <= line && line <= one.end);
    let holder = holding.min_by_key(|one| one.head)?;
    let is_closed = openness(side, holder) == Some(false);
    (!is_closed).then(|| Outlet {
        text: holder.name.clone(),
        owner: None,
        is_built: holder.kind == DefinitionKind::Type,
        inner: inner.clone(),
    })
}

/// Whether a function is the file's own as well.
fn is_kept(side: &ReadSide<'_>, span: &FunctionSpan) -> bool {
    let head = u32::try_from(span.head).unwrap_or(u32::MAX);
    let mut definitions = side.outline.definitions.iter();
    let defined = definitions.find(|one| one.head == head);
    defined.and_then(|one| openness(side, one)) == Some(false)
}

/// Whether others may have what a file defines, though it does not say so; none: it says that they may.
fn openness(side: &ReadSide<'_>, defined: &DefinedName) -> Option<bool> {
    let outline = &side.outline;
    let head = outline.line(defined.head);
    let says = |words: &[&str]| {
        let mut said = head.split(|c: char| !words::is_name(c));
        said.any(|word| words.contains(&word))
    };
    let closed = |is_closed: bool| is_closed.then_some(false);
    let name = defined.name.as_str();
    let holder = outline.holder_around(defined.head);
    match outline.language() {
        Language::Script if holder.is_some() => closed(head.contains('#') || says(&["private"])),
        Language::Script => closed(!is_exported(outline, head, name)),
        Language::Go => closed(!name.starts_with(char::is_uppercase)),
        // What a trait asks for is called through it.
        Language::Rust => closed(!says(&["pub"]) && !is_of_trait(outline, holder)),
        Language::C => closed(says(&["static"]) && !side.path.display().ends_with(".h")),
        Language::Python if name.starts_with('_') => closed(!name.ends_with("__")),
        Language::Python | Language::Ruby => Some(true),
        Language::Java | Language::Kotlin | Language::CSharp | Language::Php | Language::Scala => {
            closed(says(&["private"]))
        }
        Language::Swift => closed(says(&["private", "fileprivate"])),
        _ => None,
    }
}

fn is_of_trait(outline: &FileOutline<'_>, holder: Option<&DefinedName>) -> bool {
    let head = holder.map_or("", |one| outline.line(one.head).trim_start());
    head.contains("trait ") || head.starts_with("impl")
}

/// Whether a script exports a name: at its head, in a list, or as all that it exports.
fn is_exported(outline: &FileOutline<'_>, head: &str, name: &str) -> bool {
    let listed = outline.exported.get_or_init(|| listed_exports(outline));
    head.trim_start().starts_with("export") || listed.contains(name.trim_matches('$'))
}

/// Every word of the lists in which a script names what it exports.
fn listed_exports(outline: &FileOutline<'_>) -> HashSet<String> {
    /// The longest list of exports.
    const MAX_LIST: u32 = 60;
    let begins = |line: &u32| {
        let code = outline.line(*line);
        code.starts_with("export {")
            || code.starts_with("export default")
            || code.contains("exports")
    };
    let lists = (1..=outline.last_line()).filter(begins);
    let lines = lists.flat_map(|first| {
        let is_inner = move |line: &u32| *line == first || !outline.line(line - 1).contains('}');
        (first..first + MAX_LIST).take_while(is_inner)
    });
    let words = lines.flat_map(|line| outline.line(line).split(|c: char| !words::is_name(c)));
    words.map(str::to_owned).collect()
}
