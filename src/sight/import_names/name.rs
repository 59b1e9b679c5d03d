//! A name that an import brings, and how statements of imports are read.

/// A name that a file has from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sight) struct ImportedName {
    /// What the file calls it; nothing where it has all that a module has.
    pub(in crate::sight) local: String,
    /// The module as the import spells it.
    pub(in crate::sight) module: String,
    pub(in crate::sight) item: ImportedItem,
}

/// What of a module is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sight) enum ImportedItem {
    /// The module itself.
    Module,
    /// What it has by this name, which may be a module again.
    Named(String),
    /// All of its names.
    All,
}

/// What a file of a script calls that it exports without a name.
pub(in crate::sight) const DEFAULT: &str = "default";

impl ImportedName {
    pub(super) fn module(local: &str, module: &str) -> Self {
        Self {
            local: local.to_owned(),
            module: module.to_owned(),
            item: ImportedItem::Module,
        }
    }

    pub(super) fn named(local: &str, module: &str, name: &str) -> Self {
        Self {
            item: ImportedItem::Named(name.to_owned()),
            ..Self::module(local, module)
        }
    }

    pub(super) fn all(module: &str) -> Self {
        Self {
            item: ImportedItem::All,
            ..Self::module("", module)
        }
    }

    /// The names that lead from the module to it.
    pub(in crate::sight) fn steps(&self) -> Vec<String> {
        match &self.item {
            ImportedItem::Named(name) => vec![name.clone()],
            ImportedItem::Module | ImportedItem::All => Vec::new(),
        }
    }
}

/// The statement that begins on the first of these lines and goes on until `is_whole`, its comments left out.
pub(super) fn statement(lines: &[&str], remark: &str, is_whole: impl Fn(&str) -> bool) -> String {
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
pub(super) fn without_remark<'t>(line: &'t str, remark: &str) -> &'t str {
    let mut places = line.match_indices(remark).map(|(at, _)| at);
    let place = places.find(|&at| !line[..at].ends_with(':'));
    place.map_or(line, |at| &line[..at])
}

/// `a` and `a as b`: what is imported, and what it is called here.
pub(super) fn renamed<'t>(text: &'t str, by: &str) -> (&'t str, &'t str) {
    let (name, local) = text.split_once(by).unwrap_or((text, text));
    (name.trim(), local.trim())
}
