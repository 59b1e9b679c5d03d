//! Variables of the environment that a script reads as members: `process.env.APP_HOME`, a key of a schema over them.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::words::{CodeWord, is_of_environment};

/// What scripts call the environment.
const HOLDERS: [&str; 4] = ["process.env", "import.meta.env", "Deno.env", "Bun.env"];

/// The variables of the environment on the edited lines of a side.
pub(super) fn variables_on(side: &ReadSide<'_>) -> BTreeSet<String> {
    let outline = &side.outline;
    let reads = |text: &str| HOLDERS.iter().any(|holder| text.contains(holder));
    if outline.language() != Language::Script || !reads(side.text) {
        return BTreeSet::new();
    }
    let lines = side.lines.iter();
    let found = lines.flat_map(|line| {
        let code = outline.line(*line);
        let is_one = move |word: &&CodeWord<'_>| {
            let behind = code.split_once(word.text).map_or("", |(_, behind)| behind);
            is_of_environment(word.text) && (reads(code) || behind.trim_start().starts_with(':'))
        };
        outline.words_at(*line).iter().filter(is_one)
    });
    found.map(|word| word.text.to_owned()).collect()
}
