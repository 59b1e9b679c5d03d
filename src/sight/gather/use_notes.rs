//! What the heading of a use says.

use super::super::parents;
use super::super::search::{FileHits, FileOutline};
use super::super::wanted::WantedName;

pub(super) fn describe_use(
    name: &WantedName,
    line: u32,
    file: &FileHits,
    outline: &FileOutline<'_>,
) -> String {
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
                "use of `{}`, which holds `{}`, at line {line}{place}",
                name.text, alias.of
            ),
            Some(alias) => format!(
                "use of `{}`, another name of `{}`, at line {line}{place}",
                name.text, alias.of
            ),
            None => match &name.inner {
                Some(inner) => format!(
                    "use of `{}` through `{}` at line {line}{place}",
                    inner.text, name.text
                ),
                None => format!("use of `{}` at line {line}{place}", name.whole_text()),
            },
        },
    }
}
