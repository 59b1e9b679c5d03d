//! Keys that are put together from values (`f"user:{uid}"`): another place with the same fixed parts means the same entry
//! of a cache, the same topic, the same object of a store.

use std::collections::BTreeSet;
use std::ops::Range;

use council_syntax::language::Language;
use council_syntax::lexer::{LexSpan, SpanKind};

use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::is_name;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;

/// What stands in a pattern for a value.
const VALUE: char = '*';

/// What has the patterns that a side had on its edited lines.
pub(super) fn names_before(side: &ReadSide<'_>) -> Vec<WantedName> {
    const LEAST: usize = 3;
    let patterns = patterns_on(side).into_iter();
    let name = |pattern: String| {
        let fixed = pattern.split(VALUE).max_by_key(|part| part.len())?;
        let name = read_name(fixed, NameReason::Removed, Reader::Pattern(pattern.clone()));
        (fixed.len() >= LEAST).then_some(name)
    };
    patterns.filter_map(name).collect()
}

/// The patterns of keys on the edited lines of a side.
pub(super) fn patterns_on(side: &ReadSide<'_>) -> BTreeSet<String> {
    let language = side.outline.language();
    let edited: BTreeSet<u32> = side.lines.iter().copied().collect();
    let lines = side.outline.lexed.iter().zip(1_u32..);
    let lines = lines.filter(|(_, number)| language.is_code() && edited.contains(number));
    lines
        .flat_map(|((line, spans), _)| patterns_in(language, line, spans))
        .collect()
}

/// The patterns of keys in the texts of a line; texts that are added to each other are one.
fn patterns_in(language: Language, line: &str, spans: &[LexSpan]) -> BTreeSet<String> {
    // What adds texts to each other.
    let sum = if language == Language::Php { '.' } else { '+' };
    let mut texts: Vec<(String, usize)> = Vec::new();
    for span in whole_literals(line, spans) {
        let Some(inner) = line.get(span.clone()).and_then(inside_quotes) else {
            continue;
        };
        let pattern = pattern_of(language, inner);
        let joined = texts.last_mut().filter(|(_, end)| {
            let between = line.get(*end..span.start).unwrap_or_default().trim();
            let is_added = between.starts_with(sum) && between.ends_with(sum);
            is_added && between.len() > 1 && !between.contains([',', ';'])
        });
        match joined {
            Some((known, end)) => {
                known.push(VALUE);
                known.push_str(&pattern);
                *end = span.end;
            }
            None => {
                let before = line.get(..span.start).unwrap_or_default();
                let is_added = before.trim_end().ends_with(sum);
                let begun = if is_added { "*" } else { "" };
                texts.push((format!("{begun}{pattern}"), span.end));
            }
        }
    }
    let whole = texts.into_iter().map(|(mut pattern, end)| {
        let behind = line.get(end..).unwrap_or_default();
        if behind.trim_start().starts_with(sum) {
            pattern.push(VALUE);
        }
        pattern
    });
    whole.filter(|pattern| is_key(pattern)).collect()
}

/// Where the literals of a line stand, each from its first quote to its last: the holes in them are code to the lexer.
fn whole_literals(line: &str, spans: &[LexSpan]) -> Vec<Range<usize>> {
    let mut whole: Vec<Range<usize>> = Vec::new();
    let literals = spans.iter().filter(|span| span.part == SpanKind::Literal);
    for span in literals {
        let is_closed = |known: &Range<usize>| {
            let text = line.get(known.clone()).unwrap_or_default();
            text.trim_start_matches(is_prefix).len() > 1 && inside_quotes(text).is_some()
        };
        match whole.last_mut().filter(|known| !is_closed(known)) {
            Some(known) => known.end = span.end,
            None => whole.push(span.start..span.end),
        }
    }
    whole
}

/// What may stand in front of a literal's quote.
fn is_prefix(c: char) -> bool {
    c.is_ascii_alphabetic() || "$@".contains(c)
}

/// The text of a literal, behind what says how to read it: `f"…"`, `$"…"`.
fn inside_quotes(literal: &str) -> Option<&str> {
    let text = literal.trim_start_matches(is_prefix);
    let quote = text.chars().next().filter(|c| "\"'`".contains(*c))?;
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// A text with one sign for each of its values: `${id}`, `#{id}`, `{id}`, `%s`, `$id`, `\(id)`.
fn pattern_of(language: Language, text: &str) -> String {
    let has_names = matches!(
        language,
        Language::Php | Language::Kotlin | Language::Scala | Language::Dart
    );
    let mut found = String::new();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = match sign {
            '{' => closed_length(rest, ['{', '}']),
            '$' | '#' if rest[1..].starts_with('{') => {
                closed_length(&rest[1..], ['{', '}']).map(|length| length + 1)
            }
            '\\' if rest[1..].starts_with('(') => {
                closed_length(&rest[1..], ['(', ')']).map(|length| length + 1)
            }
            '$' if has_names => {
                let name = rest[1..].find(|c| !is_name(c)).unwrap_or(rest.len() - 1);
                (name > 0).then_some(name + 1)
            }
            '%' => {
                let end = rest[1..].find(|c: char| !(c.is_ascii_digit() || "-+.#$".contains(c)));
                let verb = end.and_then(|end| rest[1 + end..].chars().next());
                let is_verb = verb.is_some_and(|verb| "bdfioqsuvx".contains(verb));
                end.filter(|_| is_verb).map(|end| end + 2)
            }
            _ => None,
        };
        let (sign, length) = length.map_or((sign, sign.len_utf8()), |length| (VALUE, length));
        found.push(sign);
        rest = &rest[length..];
    }
    found
}

/// How long a text is until the bracket that it begins with is closed.
fn closed_length(text: &str, [open, close]: [char; 2]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, sign) in text.char_indices() {
        if sign == open {
            depth += 1;
        } else if sign == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Whether a pattern is one of a key: no sentence, no address, and with a word that tells it apart.
fn is_key(pattern: &str) -> bool {
    const LEAST: usize = 3;
    let fits = |c: char| c.is_ascii_alphanumeric() || "*:_-./|#@".contains(c);
    let is_apart = |at: usize| {
        let around = [
            pattern[..at].chars().next_back(),
            pattern[at + 1..].chars().next(),
        ];
        around.iter().flatten().any(|c| ":_-./|#@".contains(*c))
    };
    let words = pattern.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| word.bytes().filter(u8::is_ascii_alphabetic).count() >= LEAST);
    let least = if pattern.starts_with(VALUE) { 2 } else { 1 };
    pattern.chars().all(fits)
        && !pattern.starts_with(['/', '.'])
        && !pattern.contains("//")
        && words.count() >= least
        && pattern.match_indices(VALUE).any(|(at, _)| is_apart(at))
}

impl ReadingPlace<'_, '_> {
    /// Whether a text of the line has the same fixed parts, and values in the same places.
    pub(super) fn has_pattern(&self, pattern: &str) -> bool {
        let language = self.outline.language();
        let line = self.outline.lexed.iter().nth(self.line as usize - 1);
        line.is_some_and(|(line, spans)| {
            language.is_code() && patterns_in(language, line, spans).contains(pattern)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::lexed::LexedLines;
    use super::*;

    fn patterns(language: Language, line: &str) -> Vec<String> {
        let lexed = LexedLines::of(language, line);
        let found = lexed
            .iter()
            .flat_map(|(line, spans)| patterns_in(language, line, spans));
        found.collect()
    }

    #[test]
    fn a_key_has_one_pattern_however_it_is_put_together() {
        use Language::{CSharp, Go, Java, Kotlin, Php, Python, Ruby, Script, Swift};
        for (language, line) in [
            (Python, "    key = f\"user:{uid}:cart\""),
            (Python, "    key = \"user:%s:cart\" % uid"),
            (Python, "    key = 'user:{}:cart'.format(uid)"),
            (Python, "    drop(\"user:*:cart\")"),
            (Script, "  const key = `user:${o.id}:cart`;"),
            (Script, "  const key = 'user:' + id + ':cart';"),
            (Java, "    String key = \"user:\" + id + \":cart\";"),
            (Java, "    f(String.format(\"user:%1$d:cart\", id));"),
            (CSharp, "    var key = $\"user:{id}:cart\";"),
            (Go, "\tkey := fmt.Sprintf(\"user:%v:cart\", id)"),
            (Ruby, "  key = \"user:#{id}:cart\""),
            (Php, "  $key = \"user:$id:cart\";"),
            (Php, "  $key = 'user:' . $id . ':cart';"),
            (Kotlin, "  val key = \"user:$id:cart\""),
            (Swift, "  let key = \"user:\\(id):cart\""),
        ] {
            assert_eq!(patterns(language, line), ["user:*:cart"], "{line}");
        }
    }

    #[test]
    fn keys_are_told_from_sentences_and_addresses() {
        for (pattern, is_it) in [
            ("user:*", true),
            ("avatars/*.png", true),
            ("*_orders_total", true),
            ("*.png", false),
            ("user * left", false),
            ("/orders/*", false),
            ("https://a/*", false),
            ("user", false),
            ("user*", false),
            ("v*", false),
            ("*-*-*", false),
            ("col(*)", false),
        ] {
            assert_eq!(
                pattern.contains(VALUE) && is_key(pattern),
                is_it,
                "{pattern}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_line_is_read_to_its_end(line in "[a-z{}$#%\\\\()'\"`+. ä*:]{0,40}") {
            for language in [Language::Python, Language::Script, Language::Php, Language::Swift] {
                patterns(language, &line);
            }
        }
    }
}
