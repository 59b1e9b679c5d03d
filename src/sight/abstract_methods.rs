//! Methods of Python that a class asks its children for.

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;

use super::read_side::ReadSide;

/// The methods that classes ask for after a change and did not ask for before it, by class.
pub(super) fn asked_methods(
    before: &ReadSide<'_>,
    now: &ReadSide<'_>,
) -> BTreeMap<String, BTreeSet<String>> {
    let earlier = abstract_methods(before);
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (owner, method) in abstract_methods(now).difference(&earlier) {
        found
            .entry(owner.clone())
            .or_default()
            .insert(method.clone());
    }
    found
}

/// The methods below `@abstractmethod`, each with its class.
fn abstract_methods(side: &ReadSide<'_>) -> BTreeSet<(String, String)> {
    let outline = &side.outline;
    let is_python = outline.language() == Language::Python;
    let asked = outline.functions.iter().filter(|span| {
        let lines = (span.start..span.head).filter_map(|line| u32::try_from(line).ok());
        let mut decorators = lines.map(|line| outline.line(line).trim());
        is_python
            && decorators.any(|code| code.starts_with('@') && code.ends_with("abstractmethod"))
    });
    let asked =
        asked.filter_map(|span| Some((outline.owner_of(side.text, span)?, span.name.clone())));
    asked.collect()
}
