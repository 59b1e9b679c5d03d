//! What the heading of a use says: a possible one is of the same name, and nothing tells whether it is meant.

use super::super::parents;
use super::super::receivers::Certainty;
use super::super::search::{FileHits, FileOutline};
use super::super::wanted::WantedName;

pub(super) fn describe_use(
    (name, sure): (&WantedName, Certainty),
    line: u32,
    file: &FileHits,
    outline: &FileOutline<'_>,
) -> String {
    // Of a name that the change does not edit it is not asked who means it.
    let told = match sure {
        Certainty::Possible if !name.homes.is_empty() => "possible use",
        _ => "use",
    };
    let function = outline.function_at(line).filter(|name| !name.is_empty());
    let place = function.map_or(String::new(), |function| format!(", in `{function}`"));
    match name.moved_by(line, file, outline) {
        Some(moved) => format!("names {}, at line {line}{place}", moved.describe()),
        None if !outline.is_code(line, &name.text) && !name.overridden.is_empty() => {
            format!(
                "overrides a method of `{}` at line {line}{place}",
                name.text
            )
        }
        None if !name.asked.is_empty() && parents::extends(&name.text, line, outline) => {
            let asked: Vec<String> = name.asked.iter().map(|one| format!("`{one}`")).collect();
            let asked = asked.join(", ");
            format!(
                "extends `{}` at line {line} and has no {asked} of its own",
                name.text
            )
        }
        None if name.is_built && !outline.is_code(line, &name.text) => format!(
            "call of the constructor of `{}`, the parent, at line {line}{place}",
            name.text
        ),
        None => match &name.alias {
            Some(alias) if alias.is_table => format!(
                "{told} of `{}`, which holds `{}`, at line {line}{place}",
                name.text, alias.of
            ),
            Some(alias) => format!(
                "{told} of `{}`, another name of `{}`, at line {line}{place}",
                name.text, alias.of
            ),
            None => match &name.inner {
                Some(inner) => format!(
                    "{told} of `{}` through `{}` at line {line}{place}",
                    inner.text, name.text
                ),
                None => format!("{told} of `{}` at line {line}{place}", name.whole_text()),
            },
        },
    }
}
