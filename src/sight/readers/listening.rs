//! Where programs listen: by the name of a service of a compose file, and at a port. Others reach them by these.

use std::collections::BTreeSet;

use council_syntax::language::Language;

use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::is_name;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;
use super::setting_keys::entries_of;
use super::spelling;

/// What names the services that a compose file no longer has.
pub(super) fn lost_services(before: &ReadSide<'_>, now: Option<&ReadSide<'_>>) -> Vec<WantedName> {
    let kept = now.map(services_of).unwrap_or_default();
    let lost = services_of(before);
    lost.difference(&kept)
        .map(|name| read_name(name, NameReason::Removed, Reader::Host))
        .collect()
}

fn services_of(side: &ReadSide<'_>) -> BTreeSet<String> {
    let path = side.path.display();
    let file = path.rsplit('/').next().unwrap_or(&path);
    if side.outline.language() != Language::Yaml || !file.contains("compose") {
        return BTreeSet::new();
    }
    let entries = entries_of(&path, side.text).into_iter();
    let names = entries.filter_map(|entry| Some(entry.path.strip_prefix("services.")?.to_owned()));
    names.filter(|name| !name.contains('.')).collect()
}

/// The ports on the edited lines of a side.
pub(super) fn ports_on(side: &ReadSide<'_>) -> BTreeSet<String> {
    // Shorter ones are everywhere, and so are other numbers of their length.
    const LENGTHS: std::ops::RangeInclusive<usize> = 4..=5;
    let language = side.outline.language();
    let is_digit = |c: char| c.is_ascii_digit();
    let mut found = BTreeSet::new();
    for line in &side.lines {
        let code = side.outline.without_comment(*line);
        for number in code.split(|c: char| !is_name(c)) {
            let at = (number.as_ptr() as usize) - (code.as_ptr() as usize);
            let (before, behind) = (&code[..at], &code[at + number.len()..]);
            if LENGTHS.contains(&number.len())
                && number.chars().all(is_digit)
                && is_port(language, before, behind)
            {
                found.insert(number.to_owned());
            }
        }
    }
    found
}

/// Whether a number is a port by what stands around it: a word, a host in front of it, or another port behind it.
fn is_port(language: Language, before: &str, behind: &str) -> bool {
    const WORDS: [&str; 6] = ["port", "ports", "listen", "bind", "expose", "addr"];
    let is_said = || {
        let said = spelling::words_of(before);
        said.iter().any(|word| WORDS.contains(&word.as_str()))
    };
    let is_in_quotes = || before.matches(['"', '\'', '`']).count() % 2 == 1;
    let host = before.strip_suffix(':').unwrap_or_default();
    // Of code a colon may give a value to a key.
    let is_behind_host = host.ends_with(|c: char| c.is_alphanumeric() || "]}".contains(c))
        && (!language.is_code() || is_in_quotes());
    let is_mapped = behind.strip_prefix(':').unwrap_or_default();
    let is_decimal = before.ends_with('.') || behind.starts_with(['.', '%']);
    !is_decimal
        && (is_behind_host || is_mapped.starts_with(|c: char| c.is_ascii_digit()) || is_said())
}

impl ReadingPlace<'_, '_> {
    /// Whether the line has the number as a port.
    pub(super) fn is_port(&self) -> bool {
        let language = self.outline.language();
        let mut around = self.around().into_iter();
        around.any(|(before, behind)| is_port(language, before, behind))
    }

    /// Whether the line has the name where a host stands: in an address, before a port, or as what is called a host.
    pub(super) fn is_host(&self) -> bool {
        let is_it = |(before, behind): &(&str, &str)| {
            let is_ended = behind.is_empty() || behind.starts_with([':', '/', '"', '\'', ' ', ';']);
            let port = behind.strip_prefix(':').unwrap_or_default();
            let is_before_port = port.starts_with(|c: char| c.is_ascii_digit())
                && !before.ends_with(['/', '.', '-']);
            let set = before.trim_end_matches(['"', '\'', ' ']);
            let set = set.strip_suffix(['=', ':']).unwrap_or(set).trim_end();
            let is_called_host = || {
                let last = spelling::words_of(set).pop();
                set.ends_with("-h")
                    || matches!(last.as_deref(), Some("host" | "hostname" | "server"))
            };
            let is_apart = !before.ends_with(is_name);
            let is_in_address = before.ends_with("//") || before.ends_with('@');
            is_ended && is_apart && (is_in_address || is_before_port || is_called_host())
        };
        self.around().iter().any(is_it)
    }
}
