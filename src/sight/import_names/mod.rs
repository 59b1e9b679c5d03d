//! The names that the statements of a file import, language by language.

pub(super) mod name;
mod other;
pub(super) mod python;
mod rust;
mod script;
#[cfg(test)]
mod tests;

use council_syntax::language::Language;

use name::ImportedName;

/// The names that the statements of a file import; of other languages than these, imports say too little about a name.
pub(in crate::sight) fn imported_names(language: Language, lines: &[&str]) -> Vec<ImportedName> {
    match language {
        Language::Script => script::imported_names(lines),
        Language::Python => python::imported_names(lines),
        Language::Rust => rust::imported_names(lines),
        Language::Go => other::go_imports(lines),
        Language::Java | Language::Kotlin | Language::Scala => other::java_imports(lines),
        _ => Vec::new(),
    }
}
