//! The objects of a text that is meant as JSON, also where it breaks off: each with the names of its own fields.

use super::raw_fields::text_of;

/// Readers of JSON refuse what is nested deeper, and each level that is looked at may be read to the reply's end:
/// 300,000 of them took 28 s.
const MAX_DEPTH: usize = 128;

/// The most objects that are kept: half a million of them took 100 MiB, and no answer has so many values.
const MAX_OBJECTS: usize = 20_000;

/// One object, as far as the text goes.
pub(super) struct RawObject<'t> {
    /// From its brace to its end, or to that of the text.
    pub(super) text: &'t str,
    /// Where it begins.
    pub(super) start: usize,
    /// Its own fields, each with where its name stands in `text`.
    names: Vec<(&'t str, usize)>,
    /// Whether the text breaks off in it.
    pub(super) is_open: bool,
    /// Whether it is an item of a list.
    pub(super) is_item: bool,
    /// Whether it stands where findings do: in a list, or in a field of that name.
    pub(super) is_listed: bool,
}

impl<'t> RawObject<'t> {
    /// Where it ends.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it has a field of one of these names itself.
    pub(super) fn has_any(&self, names: &[&str]) -> bool {
        self.names.iter().any(|(own, _)| names.contains(own))
    }

    /// Where the names of its own fields of that name stand in the whole text.
    pub(super) fn places_of(&self, name: &str) -> impl Iterator<Item = usize> {
        let own = self.names.iter().filter(move |(own, _)| *own == name);
        own.map(|(_, at)| self.start + at)
    }

    /// What follows the colon of its own field, to its end.
    pub(super) fn value_of(&self, name: &str) -> Option<&'t str> {
        let (_, at) = self.names.iter().find(|(own, _)| *own == name)?;
        let value = self.text[at + name.len()..].strip_prefix('"')?.trim_start();
        value.strip_prefix(':').map(str::trim_start)
    }

    /// The first of its own fields of these names that is a text.
    pub(super) fn text_of_any(&self, names: &[&str]) -> Option<String> {
        let mut values = names.iter().filter_map(|name| self.value_of(name));
        values.find_map(text_of)
    }
}

/// A bracket that is not closed yet.
struct OpenBracket<'t> {
    start: usize,
    byte: u8,
    names: Vec<(&'t str, usize)>,
    is_item: bool,
    is_listed: bool,
}

impl<'t> OpenBracket<'t> {
    fn within(parent: Option<&Self>, start: usize, byte: u8) -> Self {
        let is_item = parent.is_some_and(|parent| parent.byte == b'[');
        let name = parent.and_then(|parent| parent.names.last());
        Self {
            start,
            byte,
            names: Vec::new(),
            is_item,
            is_listed: is_item || name.is_some_and(|(name, _)| *name == "finding"),
        }
    }

    fn object(self, raw: &'t str, end: usize, is_open: bool) -> Option<RawObject<'t>> {
        (self.byte == b'{').then(|| RawObject {
            text: &raw[self.start..end],
            start: self.start,
            names: self.names,
            is_open,
            is_item: self.is_item,
            is_listed: self.is_listed,
        })
    }
}

/// Every object of a text behind its first brace, by where it begins. What stands inside of a text of it is none of its
/// own.
pub(super) fn objects_of(raw: &str) -> Vec<RawObject<'_>> {
    let mut open: Vec<OpenBracket<'_>> = Vec::new();
    let mut found = Vec::new();
    let (mut in_text, mut escaped) = (false, false);
    let (mut text_start, mut last_text) = (0, None);
    let begin = raw.find('{').unwrap_or(raw.len());
    for (at, byte) in raw.bytes().enumerate().skip(begin) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => {
                last_text = in_text.then_some(text_start..at);
                (in_text, text_start) = (!in_text, at + 1);
            }
            _ if in_text || byte.is_ascii_whitespace() => {}
            b'{' | b'[' => {
                last_text = None;
                open.push(OpenBracket::within(open.last(), at, byte));
            }
            b'}' | b']' => {
                last_text = None;
                let is_near = open.len() <= MAX_DEPTH && found.len() < MAX_OBJECTS;
                let closed = open.pop().filter(|_| is_near);
                found.extend(closed.and_then(|closed| closed.object(raw, at + 1, false)));
            }
            b':' => {
                if let (Some(name), Some(inner)) = (last_text.take(), open.last_mut()) {
                    inner
                        .names
                        .push((&raw[name.clone()], name.start - inner.start));
                }
            }
            // A name stands right before its colon.
            _ => last_text = None,
        }
    }
    // What is left open is innermost where the text ends, however deep that is.
    let surplus = open.len().saturating_sub(MAX_DEPTH);
    let left = open.into_iter().skip(surplus);
    found.extend(left.filter_map(|left| left.object(raw, raw.len(), true)));
    found.sort_by_key(|object| object.start);
    found
}
