//! Texts in quotes that are no names: routes and messages. Whoever compares, asks for or gives one
//! writes it out again.

use std::collections::BTreeSet;

use council_syntax::language::Language;
use council_syntax::lexer::SpanKind;

use super::super::read_side::ReadSide;
use super::super::receivers::Certainty;
use super::super::wanted::{NameReason, WantedName};
use super::super::words;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;

/// So many words of a message are searched for together.
const SHINGLE: usize = 3;

/// A longer text is a document.
const MAX_TEXT: usize = 160;

/// What reads the texts that a side had in quotes.
pub(super) fn names_before(side: &ReadSide<'_>) -> Vec<WantedName> {
    /// A change that takes more messages away takes a program away.
    const MAX_SHINGLES: usize = 30;
    let texts = texts_on(side);
    let addresses = texts.iter().filter(|text| is_address(text));
    let addresses =
        addresses.map(|text| read_name(text, NameReason::Removed, Reader::Text(text.clone())));
    let shingles = texts
        .iter()
        .flat_map(|text| shingles_of(text).map(move |one| (one, text)));
    let shingles = shingles.take(MAX_SHINGLES);
    let messages =
        shingles.map(|(one, text)| read_name(one, NameReason::Removed, Reader::Text(text.clone())));
    let names = texts
        .iter()
        .filter(|text| words::is_compound(text) && text.chars().all(words::is_name));
    let names = names.map(|text| read_name(text, NameReason::Removed, Reader::Spelled));
    addresses.chain(messages).chain(names).collect()
}

/// The texts in quotes on the edited lines of a side.
pub(super) fn texts_on(side: &ReadSide<'_>) -> BTreeSet<String> {
    let language = side.outline.language();
    let mut found = BTreeSet::new();
    if !language.is_code() {
        return found;
    }
    let edited: BTreeSet<u32> = side.lines.iter().copied().collect();
    for ((line, spans), number) in side.outline.lexed.iter().zip(1_u32..) {
        let literals = spans.iter().filter(|span| span.part == SpanKind::Literal);
        for span in literals.filter(|_| edited.contains(&number)) {
            let literal = line.get(span.start..span.end).unwrap_or_default();
            found.extend(pieces_of(literal).map(str::to_owned));
        }
    }
    found
}

/// The text of a literal, or what stands between the values that it takes in.
fn pieces_of(literal: &str) -> impl Iterator<Item = &str> {
    let inner = literal.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quote = inner
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'));
    let whole = quote.and_then(|quote| inner.strip_prefix(quote)?.strip_suffix(quote));
    let pieces = whole
        .into_iter()
        .flat_map(|text| text.split(['{', '}', '%', '$', '\\', '"']));
    pieces
        .map(str::trim)
        .filter(|text| (3..=MAX_TEXT).contains(&text.len()))
}

/// Whether a text is a route (`/api/order-list`), and no path of a file.
fn is_address(text: &str) -> bool {
    const LEAST: usize = 4;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let is_route = || {
        text.starts_with('/')
            && !text.contains("//")
            && Language::from_path(text) == Language::Unknown
    };
    let is_telling = text.chars().filter(char::is_ascii_alphabetic).count() >= LEAST;
    text.chars().all(fits) && is_telling && is_route()
}

/// The neighbouring words of a message, so many at a time.
fn shingles_of(text: &str) -> impl Iterator<Item = &str> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for word in text.split_whitespace() {
        let start = (word.as_ptr() as usize) - (text.as_ptr() as usize);
        words.push((start, start + word.len()));
    }
    let is_said = text.chars().filter(|c| c.is_alphabetic()).count() * 3 > text.len() * 2;
    let count = if is_said { words.len() } else { 0 };
    (SHINGLE..=count).map(move |end| &text[words[end - SHINGLE].0..words[end - 1].1])
}

impl ReadingPlace<'_, '_> {
    /// How certainly the line has a text, or a part of it where it is a message; none: it has another one.
    pub(super) fn certainty_of_text(&self, text: &str) -> Option<Certainty> {
        let is_it = |(before, behind): &(&str, &str)| match is_address(text) {
            true => behind.is_empty() || behind.starts_with(ENDS),
            false => {
                let begin = before.rfind(QUOTES).map_or(0, |at| at + 1);
                let end = behind.find(QUOTES).unwrap_or(behind.len());
                let said = format!("{}{}{}", &before[begin..], self.name, &behind[..end]);
                let said = said.replace('\\', "");
                let said = said.trim_matches(|c: char| c.is_whitespace() || ".*^$:,".contains(c));
                text.contains(said) || said.contains(text)
            }
        };
        self.around().iter().any(is_it).then_some(Certainty::Likely)
    }

    /// Whether the line has a name within a longer text, or in a file that is no code.
    pub(super) fn is_spelled_out(&self) -> bool {
        let is_apart =
            |word: &words::CodeWord<'_>| word.text == self.name && word.how != words::WordUse::Key;
        let words = self.outline.words_at(self.line);
        let is_text = !self.outline.language().is_code() || !words.iter().any(is_apart);
        is_text && !self.around().is_empty()
    }
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// What may stand behind a route or an option.
const ENDS: [char; 12] = ['"', '\'', '`', ' ', '?', '#', '=', ',', ')', ']', '}', '$'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_told_from_paths_of_files() {
        for (text, is_it) in [
            ("/api/order-list", true),
            ("/healthz", true),
            ("--dry-run", false),
            ("/", false),
            ("/a", false),
            ("/etc/app.yaml", false),
            ("//host/path", false),
            ("---", false),
            ("order list", false),
            ("/a b/c", false),
        ] {
            assert_eq!(is_address(text), is_it, "{text}");
        }
    }

    #[test]
    fn a_message_is_searched_by_its_neighbouring_words() {
        let all: Vec<&str> = shingles_of("amount must not be negative").collect();
        assert_eq!(all, ["amount must not", "must not be", "not be negative"]);
        assert_eq!(shingles_of("two words").count(), 0);
        assert_eq!(shingles_of("- - - - 1 2 3").count(), 0);
        let pieces: Vec<&str> = pieces_of("f\"row {n} is no longer valid\"").collect();
        assert_eq!(pieces, ["row", "is no longer valid"]);
    }
}
