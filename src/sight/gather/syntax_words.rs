//! Words of a language or of settings that are spelled like a name of the change.

use council_syntax::language::Language;

use super::super::search::FileOutline;
use super::super::wanted::{Spelling, WantedName};
use super::super::words::{self, WordUse};

/// Whether a line has a name only as the language's own word (`import type { A }`), or as what settings call
/// something of
/// theirs (`info:` of a makefile).
pub(super) fn is_word_of_syntax(name: &WantedName, line: u32, outline: &FileOutline<'_>) -> bool {
    let code = outline.line(line).trim_start();
    let is_keyword = || {
        let begins = ["import type ", "export type ", "type "];
        name.text == "type" && begins.iter().any(|begin| code.starts_with(begin))
    };
    let is_target = || {
        let words = outline.words_at(line).iter();
        let mut words = words.filter(|word| word.text == name.text).peekable();
        let is_plain = !name.is_key && !name.is_field && !words::is_compound(&name.text);
        let is_code = is_plain && name.spelling == Spelling::Code;
        is_code
            && words::is_settings(outline.language())
            && words.peek().is_some()
            && words.all(|word| word.how == WordUse::Key)
    };
    match outline.language() {
        Language::Script => is_keyword(),
        _ => is_target(),
    }
}
