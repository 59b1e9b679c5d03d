//! Arguments of services: settings give them to a constructor of PHP by its own name for them (`$fromAddress: …`).

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::words::is_name;
use super::place::ReadingPlace;

/// The variables on edited lines of constructors.
pub(super) fn arguments_on(side: &ReadSide<'_>) -> BTreeSet<String> {
    let outline = &side.outline;
    let is_made = |line: &&u32| {
        let span = outline.function_span(**line);
        span.is_some_and(|span| span.name == "__construct")
    };
    let is_php = outline.language() == Language::Php;
    let lines = side.lines.iter().filter(|line| is_php && is_made(line));
    let found = lines.flat_map(|line| {
        let code = outline.without_comment(*line);
        let begun = code.match_indices('$').map(|(at, _)| &code[at..]);
        begun.map(|rest| {
            let end = rest[1..].find(|c| !is_name(c));
            &rest[..end.map_or(rest.len(), |end| end + 1)]
        })
    });
    let found = found.filter(|name| name.len() > 1 && *name != "$this");
    found.map(str::to_owned).collect()
}

impl ReadingPlace<'_, '_> {
    /// Whether the line of settings gives an argument.
    pub(super) fn is_argument(&self) -> bool {
        self.outline.language() == Language::Yaml
            && self.around().iter().any(|(before, behind)| {
                before.trim().is_empty() && behind.trim_start().starts_with(':')
            })
    }
}
