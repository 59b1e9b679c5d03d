//! What the imports of a file say about its names: which of them come from elsewhere, and from which module.

mod known;
mod modules;
mod other;
mod packages;
mod python;
mod resolve;
mod rust;
mod script;
mod source;
#[cfg(test)]
mod tests;

use council_syntax::language::Language;

pub(super) use known::{KnownTree, is_telling};
pub(super) use packages::is_module_file;
pub(super) use resolve::{Meaning, NamePlace};
pub(super) use source::{NameSource, NameSources, sources_on};

/// A name that a file has from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ImportedName {
    /// What the file calls it; nothing where it has all that a module has.
    local: String,
    /// The module as the import spells it.
    module: String,
    item: ImportedItem,
}

/// What of a module is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ImportedItem {
    /// The module itself.
    Module,
    /// What it has by this name, which may be a module again.
    Named(String),
    /// All of its names.
    All,
}

/// What a file of a script calls that it exports without a name.
const DEFAULT: &str = "default";

impl ImportedName {
    fn module(local: &str, module: &str) -> Self {
        Self {
            local: local.to_owned(),
            module: module.to_owned(),
            item: ImportedItem::Module,
        }
    }

    fn named(local: &str, module: &str, name: &str) -> Self {
        Self {
            item: ImportedItem::Named(name.to_owned()),
            ..Self::module(local, module)
        }
    }

    fn all(module: &str) -> Self {
        Self {
            item: ImportedItem::All,
            ..Self::module("", module)
        }
    }

    /// The names that lead from the module to it.
    fn steps(&self) -> Vec<String> {
        match &self.item {
            ImportedItem::Named(name) => vec![name.clone()],
            ImportedItem::Module | ImportedItem::All => Vec::new(),
        }
    }
}

/// The names that the statements of a file import; of other languages than these, imports say too little about a name.
pub(super) fn imported_names(language: Language, lines: &[&str]) -> Vec<ImportedName> {
    match language {
        Language::Script => script::imported_names(lines),
        Language::Python => python::imported_names(lines),
        Language::Rust => rust::imported_names(lines),
        Language::Go => other::go_imports(lines),
        Language::Java | Language::Kotlin | Language::Scala => other::java_imports(lines),
        _ => Vec::new(),
    }
}

/// The statement that begins on the first of these lines and goes on until `is_whole`, its comments left out.
fn statement(lines: &[&str], remark: &str, is_whole: impl Fn(&str) -> bool) -> String {
    /// A longer one is none.
    const MAX_LINES: usize = 120;
    let mut text = String::new();
    for line in lines.iter().take(MAX_LINES) {
        text.push_str(without_remark(line, remark).trim_end());
        if is_whole(&text) {
            break;
        }
        text.push(' ');
    }
    text
}

/// A line without the comment at its end; `https://` begins none.
fn without_remark<'t>(line: &'t str, remark: &str) -> &'t str {
    let mut places = line.match_indices(remark).map(|(at, _)| at);
    let place = places.find(|&at| !line[..at].ends_with(':'));
    place.map_or(line, |at| &line[..at])
}

/// `a` and `a as b`: what is imported, and what it is called here.
fn renamed<'t>(text: &'t str, by: &str) -> (&'t str, &'t str) {
    let (name, local) = text.split_once(by).unwrap_or((text, text));
    (name.trim(), local.trim())
}
