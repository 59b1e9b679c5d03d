//! A file of perspectives (`--perspectives-file`), as keys of the configuration.

use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;

use crate::config::KeyValue;
use crate::run::error::RunError;
use crate::safe_file;

/// The most bytes of a file of perspectives.
const MAX_PERSPECTIVES_BYTES: u64 = 1 << 20;

/// What the file says, as keys.
pub(crate) fn read_perspectives(dir: &Path, file: &Path) -> Result<Vec<KeyValue>, RunError> {
    let name = file.display().to_string();
    let cannot = |error| RunError::usage(format!("cannot read {name}: {error}"));
    let mut text = String::new();
    let opened = safe_file::open_input(dir.join(file)).map_err(cannot)?;
    let read = opened
        .take(MAX_PERSPECTIVES_BYTES + 1)
        .read_to_string(&mut text);
    read.map_err(cannot)?;
    if text.len() as u64 > MAX_PERSPECTIVES_BYTES {
        return Err(RunError::usage(format!("{name} is larger than 1 MiB")));
    }
    parse_perspectives(&text).map_err(|cause| {
        RunError::usage(format!("{name} has no perspectives: {cause}")).hint(SHAPE)
    })
}

/// What a file of perspectives looks like.
const SHAPE: &str =
    "write it as `perspectives: [{name: error-paths, focus: \"What happens when it fails?\"}]`";

/// The flag, as the place of what its file says.
const FLAG: &str = "--perspectives-file";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PerspectivesFile {
    perspectives: Vec<PerspectiveEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PerspectiveEntry {
    name: String,
    #[serde(default)]
    focus: String,
}

fn parse_perspectives(text: &str) -> Result<Vec<KeyValue>, String> {
    let file: PerspectivesFile =
        serde_saphyr::from_str(text).map_err(|error| first_line(&error.to_string()))?;
    if file.perspectives.is_empty() {
        return Err("the list is empty".to_owned());
    }
    let named = file
        .perspectives
        .iter()
        .map(|listed| kebab_case(&listed.name));
    let names: Vec<String> = named.collect();
    if let Some(at) = names.iter().position(String::is_empty) {
        return Err(format!(
            "{:?} is no name: it has no letter or digit",
            file.perspectives[at].name
        ));
    }
    let focused = names.iter().zip(&file.perspectives);
    let focused = focused.filter(|(_, listed)| !listed.focus.trim().is_empty());
    let mut pairs: Vec<KeyValue> = focused
        .map(|(name, listed)| {
            KeyValue::new(format!("perspectives.{name}"), listed.focus.trim(), FLAG)
        })
        .collect();
    pairs.push(KeyValue::new("review.perspectives", names.join(","), FLAG));
    Ok(pairs)
}

/// A name as perspectives are named: `Error Paths` is `error-paths`.
fn kebab_case(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-")
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let pairs = parse_perspectives(text)?;
        let shown = |pair: &KeyValue| format!("{} = {} {}", pair.key, pair.value, pair.place);
        Ok(pairs.iter().map(shown).collect())
    }

    #[test]
    fn a_file_of_perspectives_names_and_describes_them() {
        let text = "# who sits\nperspectives:\n  - name: Error Paths\n    focus: What fails?\n  - {name: tests}\n";
        assert_eq!(
            read(text).unwrap(),
            [
                "perspectives.error-paths = What fails? --perspectives-file",
                "review.perspectives = error-paths,tests --perspectives-file"
            ]
        );
    }

    #[test]
    fn a_file_that_is_no_list_of_perspectives_says_why() {
        for text in [
            "",
            "perspectives: []",
            "perspectives: [{name: '!'}]",
            "perspectives: [{focus: x}]",
            "perspectives: [{name: a, model: x}]",
            "a: &a [*a, *a]",
            "perspectives: {name: a",
        ] {
            let error = read(text).unwrap_err();
            assert!(
                !error.is_empty() && !error.contains('\n'),
                "{text}: {error}"
            );
        }
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n\
                    d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nperspectives: [*e,*e,*e,*e,*e]\n";
        read(bomb).unwrap_err();
    }
}
