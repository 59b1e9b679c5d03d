//! What takes secrets out of texts: a value, handed to whatever shows a text to somebody else.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::below_name::{NamesAbove, may_name_below};
use crate::encoded_key::{self, EncodedBlock, may_go_on};
use crate::file::{LineValue, drawn_words, is_around_value, value_of_line};
use crate::key_block::{KeyBlock, may_begin_key};
use crate::known::KnownValues;
use crate::manifest::{SecretManifest, may_begin_manifest};
use crate::matcher::SecretShape;
use crate::plausible::{is_drawn, looks_random};
use crate::replaced::{FoundSpans, lines_of, push_redacted, redact_derived, replace_found};
use crate::respelled::PlainSpelling;
use crate::script::Script;
use crate::spelled_key::{SpelledKey, may_spell_key};
use crate::table::SecretTable;

/// Takes secrets out of texts: those that look like one, and those that were found in the change.
///
/// Redacting twice changes nothing more. Lines stay lines, so their numbers hold.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    own: Option<Arc<SecretTable>>,
    known: Arc<KnownValues>,
    /// Values that agents were handed.
    handed: Arc<KnownValues>,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactedText {
    pub text: String,
    /// How many secrets were replaced.
    pub secrets: usize,
}

/// One line without its secrets.
#[derive(Debug, PartialEq, Eq)]
pub struct RedactedLine<'a> {
    pub text: Cow<'a, str>,
    /// How many secrets were replaced in it.
    pub secrets: usize,
    /// Whether the whole line was withheld, though it has no known shape.
    pub withheld: bool,
}

/// A shorter part of a key, such as the last bytes of a dump, says nothing by itself.
const MIN_DRAWN: usize = 16;

/// One secret of a line, as it is replaced.
#[derive(Debug, Clone)]
pub(crate) struct SecretSpan<'k> {
    pub(crate) kind: &'k str,
    pub(crate) range: Range<usize>,
    /// What of it was drawn at random: a piece of that gives it away.
    pub(crate) random: Option<Range<usize>>,
    /// Whether nothing but the file's name says that it is secret.
    pub(crate) is_guess: bool,
}

impl<'k> SecretSpan<'k> {
    pub(crate) fn of_known(kind: &'k str, range: Range<usize>) -> Self {
        Self {
            kind,
            range,
            random: None,
            is_guess: false,
        }
    }
}

/// What the name of a file says of its lines.
#[derive(Debug, Clone, Copy, Default)]
struct FileNature {
    /// Its values are secret, whatever they look like.
    holds_secrets: bool,
    /// Its words are secret that look drawn.
    holds_drawn: bool,
    /// It is what agents are handed: each value is secret, a path or a word as well.
    is_handed: bool,
    script: Script,
}

/// What of the reviewed side a judge's words may repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    /// Text of the reviewed repository: what looks like a secret, and each drawn value that is known to be one. A value that
    /// its author chose must not hide code that happens to be the same.
    Shapes,
    /// Words of a judge: what looks like a secret, and every value that is known to be one.
    Values,
}

impl Redactor {
    /// With the rules of the user's own beside the built-in ones.
    pub fn with_table(table: SecretTable) -> Self {
        Self {
            own: Some(Arc::new(table)),
            ..Self::default()
        }
    }

    /// The same, knowing the secrets of these lines by their value: the lines of one file (or of no file) after another.
    pub fn knowing<'l, L>(&self, texts: impl IntoIterator<Item = (Option<Cow<'l, str>>, L)>) -> Self
    where
        L: IntoIterator<Item = &'l str>,
    {
        let mut known = KnownValues::default();
        let mut last: Option<(Option<Cow<'l, str>>, FileNature)> = None;
        for (path, lines) in texts {
            // A file comes in many parts, and its name is looked up once.
            let nature = match last {
                Some((same, nature)) if same == path => nature,
                _ => self.nature_of(path.as_deref()),
            };
            let mut reader = self.reader(nature);
            last = Some((path, nature));
            for line in lines {
                let (spans, _) = reader.spans(line);
                spans.iter().for_each(|span| known.insert(line, span));
                for value in reader.take_late() {
                    known.insert(&value, &SecretSpan::of_known("secret", 0..value.len()));
                }
            }
        }
        known.build();
        Self {
            known: Arc::new(known),
            ..self.clone()
        }
    }

    /// The same, knowing values that stand outside of what is under review, such as the keys that agents are handed, as
    /// settings (`NAME=value`): only this process knows them, so they must go before anything is kept.
    pub fn handing<'l>(&self, settings: impl IntoIterator<Item = &'l str>) -> Self {
        let nothing_known = Self::default();
        let mut reader = nothing_known.reader(FileNature {
            is_handed: true,
            ..nothing_known.nature_of(Some(".env"))
        });
        let mut handed = KnownValues::default();
        for line in settings {
            let (spans, _) = reader.spans(line);
            spans.iter().for_each(|span| handed.insert(line, span));
        }
        handed.build();
        Self {
            handed: Arc::new(handed),
            ..self.clone()
        }
    }

    /// A text without the values that agents were handed, in whatever form, and with everything else.
    pub fn redact_handed(&self, text: &str) -> RedactedText {
        let mut redacted = self.redact_handed_as_written(text);
        redacted.secrets += redact_derived(&self.handed, &mut redacted.text);
        redacted
    }

    /// The same where a value is written as it is: a text of several fields stays one of these fields.
    pub fn redact_handed_as_written(&self, text: &str) -> RedactedText {
        let mut out = String::with_capacity(text.len());
        let mut secrets = 0;
        for line in text.split_inclusive('\n') {
            let mut spans = Vec::new();
            self.handed.find(line, &mut spans);
            secrets += push_redacted(&mut out, line, spans);
        }
        RedactedText { text: out, secrets }
    }

    /// What it knows by value.
    #[cfg(test)]
    pub(crate) fn known_values(&self) -> &KnownValues {
        &self.known
    }

    /// SHA-256 of the user's own rules, 64 hex digits; none: there are none.
    pub fn digest(&self) -> Option<&str> {
        self.own.as_ref().map(|table| table.digest())
    }

    /// Text of the repository, as it is shown to judges: without what looks like a secret, and without the drawn values that
    /// are known to be one, wherever they are repeated. A file whose name says that it
    /// holds secrets (`.env`, `*.pem`, `id_rsa`, …) shows the names of its settings but none of its values.
    pub fn redact_source(&self, path: Option<&str>, text: &str) -> RedactedText {
        self.redact(path, text, Against::Shapes)
    }

    /// Words of a judge or of a person: without what looks like a secret, and without every value that is known to be one.
    pub fn redact_words(&self, text: &str) -> RedactedText {
        self.redact(None, text, Against::Values)
    }

    /// The name of a file or of a branch: without what looks like a secret, and without values that are known to be one
    /// and look drawn. Any other value may be a word, and its author could hide a file by it.
    pub fn redact_name(&self, text: &str) -> RedactedText {
        let mut reader = self.lines(None);
        let (mut spans, _) = reader.spans(text);
        let mut known = Vec::new();
        self.known.find(text, &mut known);
        spans.extend(
            known
                .into_iter()
                .filter(|span| looks_random(&text[span.range.clone()])),
        );
        let mut out = String::with_capacity(text.len());
        let secrets = push_redacted(&mut out, text, spans);
        RedactedText { text: out, secrets }
    }

    /// Lines of a file as a judge quotes them.
    pub fn redact_quote(&self, path: &str, text: &str) -> RedactedText {
        self.redact(Some(path), text, Against::Values)
    }

    fn redact(&self, path: Option<&str>, text: &str, against: Against) -> RedactedText {
        let mut reader = LineRedactor {
            against,
            ..self.lines(path)
        };
        let mut found = FoundSpans::default();
        let mut late = KnownValues::default();
        for (start, line) in lines_of(text) {
            found.extend(start, reader.due_spans(line).0);
            for value in reader.take_late() {
                late.insert_drawn(&value, &SecretSpan::of_known("secret", 0..value.len()));
            }
        }
        let mut redacted = replace_found(text, &found, late);
        if against == Against::Values {
            redacted.secrets += redact_derived(&self.known, &mut redacted.text);
        }
        redacted
    }

    /// A reader of the lines of one file, or of text of no file: what looks like a secret is replaced.
    pub fn lines(&self, path: Option<&str>) -> LineRedactor<'_> {
        self.reader(self.nature_of(path))
    }

    fn reader(&self, nature: FileNature) -> LineRedactor<'_> {
        LineRedactor {
            redactor: self,
            block: KeyBlock::within(nature.script),
            encoded: EncodedBlock::default(),
            spelled: SpelledKey::default(),
            names: NamesAbove::default(),
            manifest: SecretManifest::default(),
            nature,
            against: Against::Shapes,
        }
    }

    fn nature_of(&self, path: Option<&str>) -> FileNature {
        let Some(path) = path else {
            return FileNature::default();
        };
        let tables = || std::iter::once(SecretTable::built_in()).chain(self.own.as_deref());
        FileNature {
            holds_secrets: tables().any(|table| table.holds_secrets(path)),
            holds_drawn: tables().any(|table| table.holds_drawn(path)),
            is_handed: false,
            script: Script::of(path),
        }
    }
}

/// Whether the lines of a text may stand in each other's light: one that begins a private key makes secrets of those
/// that follow it, and one that names a variable of the value below. In any other text each line is read by itself, in whatever order.
pub fn has_joined_lines(text: &str) -> bool {
    may_begin_key(text)
        || may_go_on(text)
        || may_spell_key(text)
        || may_begin_manifest(text)
        || may_name_below(text)
}

/// Redacts line after line of one text.
#[derive(Debug)]
pub struct LineRedactor<'r> {
    redactor: &'r Redactor,
    block: KeyBlock,
    encoded: EncodedBlock,
    spelled: SpelledKey,
    /// The names whose value has not come yet.
    names: NamesAbove,
    manifest: SecretManifest,
    nature: FileNature,
    against: Against,
}

impl<'r> LineRedactor<'r> {
    /// Text that stands beside the lines, such as the heading of a hunk: it is no part of a key that they hold.
    pub fn redact_aside(&self, text: &str) -> RedactedText {
        self.redactor.redact(None, text, self.against)
    }

    /// One line, without its newline.
    pub fn redact_line<'a>(&mut self, line: &'a str) -> RedactedLine<'a> {
        let (spans, withheld) = self.due_spans(line);
        if spans.is_empty() {
            let (text, secrets) = (Cow::Borrowed(line), 0);
            return RedactedLine {
                text,
                secrets,
                withheld,
            };
        }
        let mut text = String::with_capacity(line.len());
        let secrets = push_redacted(&mut text, line, spans);
        RedactedLine {
            text: Cow::Owned(text),
            secrets,
            withheld,
        }
    }

    /// The values of lines above that are known to be secret since the last line.
    fn take_late(&mut self) -> Vec<String> {
        let mut late = self.names.take_late();
        late.extend(self.manifest.take_late());
        late
    }

    /// What of a line is replaced, and whether all of it is withheld.
    fn due_spans(&mut self, line: &str) -> (Vec<SecretSpan<'r>>, bool) {
        let (mut spans, withheld) = self.spans(line);
        match self.against {
            Against::Values => self.redactor.known.find(line, &mut spans),
            Against::Shapes => self.redactor.known.find_drawn(line, &mut spans),
        }
        (spans, withheld)
    }

    /// The secrets of a line by their shape, and whether all of it is withheld for want of one.
    fn spans(&mut self, line: &str) -> (Vec<SecretSpan<'r>>, bool) {
        let mut encoded = self.encoded.read_line(line);
        encoded.extend(self.spelled.read_line(line));
        let plain = PlainSpelling::of(line);
        if let Some(plain) = plain.as_ref().filter(|_| encoded.is_empty()) {
            let keys = encoded_key::encoded_keys(&plain.text);
            encoded.extend(keys.iter().map(|key| plain.place_of(key)));
        }
        let (mut spans, withheld) = self.plain_spans(line, plain.as_ref());
        let is_shaped = !encoded.is_empty();
        let keys = encoded.into_iter().map(|range| SecretSpan {
            random: (range.len() >= MIN_DRAWN).then(|| range.clone()),
            ..SecretSpan::of_known(encoded_key::KIND, range)
        });
        spans.splice(0..0, keys);
        let of_manifest = self.manifest.read_line(line);
        let of_names = self.names.read_line(line);
        let of_names = of_names.into_iter().filter_map(|(range, shape)| {
            let part = self.nature.script.hidden_part(line, shape, &range)?;
            Some(part)
        });
        for range in of_names.chain(of_manifest) {
            spans.push(SecretSpan::of_known("secret", range));
        }
        (spans, withheld && !is_shaped)
    }

    /// What of a line belongs to a private key, or is base64, whichever signs of it are written as escapes.
    fn key_part(
        &mut self,
        line: &str,
        plain: Option<&PlainSpelling>,
    ) -> Option<(&'static str, Range<usize>)> {
        let holds_secrets = self.nature.holds_secrets;
        match plain.filter(|plain| self.block.reads_key(&plain.text, holds_secrets)) {
            Some(plain) => {
                let (kind, part) = self.block.read_line(&plain.text, holds_secrets)?;
                Some((kind, plain.place_of(&part)))
            }
            None => self.block.read_line(line, holds_secrets),
        }
    }

    /// The same without what is encoded.
    fn plain_spans(
        &mut self,
        line: &str,
        plain: Option<&PlainSpelling>,
    ) -> (Vec<SecretSpan<'r>>, bool) {
        let mut spans = Vec::new();
        if let Some((kind, range)) = self.key_part(line, plain) {
            let beside = [&line[..range.start], &line[range.end..]];
            let is_bare = !line.contains("-----");
            if is_bare && kind == "base64" {
                // The provider whose token it is says more.
                push_matches(
                    SecretTable::built_in(),
                    line,
                    self.nature.script,
                    &mut spans,
                );
                spans.retain(|span| span.range == range);
            }
            if spans.is_empty() {
                let random = Some(range.clone());
                spans.push(SecretSpan {
                    random,
                    ..SecretSpan::of_known(kind, range)
                });
            }
            // In a secret file nothing that stands beside a piece of a key is shown either.
            let is_whole = beside.iter().all(|text| text.chars().all(is_around_value));
            if is_bare && (is_whole || !self.nature.holds_secrets) {
                return (spans, false);
            }
        }
        push_matches(
            SecretTable::built_in(),
            line,
            self.nature.script,
            &mut spans,
        );
        if let Some(own) = &self.redactor.own {
            push_matches(own, line, self.nature.script, &mut spans);
        }
        if self.nature.holds_drawn {
            let words = drawn_words(line);
            spans.extend(words.map(|word| SecretSpan::of_known("value", word)));
        }
        if !self.nature.holds_secrets || self.block.is_public() {
            return (spans, false);
        }
        let guess = |kind, range| SecretSpan {
            is_guess: true,
            ..SecretSpan::of_known(kind, range)
        };
        match value_of_line(line, self.nature.script) {
            LineValue::Shown => (spans, false),
            LineValue::Opaque if self.nature.script.is_code => (spans, false),
            LineValue::Written(at) if !self.nature.is_handed => {
                let words = drawn_words(&line[at..]);
                spans.extend(words.map(|word| guess("value", at + word.start..at + word.end)));
                (spans, false)
            }
            LineValue::Written(at) | LineValue::Hidden(at) => {
                let end = match self.nature.script.is_code {
                    true => self.nature.script.value_end(&line[at..]),
                    false => Some(line.len() - at),
                };
                spans.extend(end.map(|end| guess("value", at..at + end)));
                (spans, false)
            }
            LineValue::Opaque => {
                let is_shapeless = spans.is_empty();
                spans.push(guess("line of a secret file", 0..line.len()));
                (spans, is_shapeless)
            }
        }
    }
}

fn push_matches<'t>(
    table: &'t SecretTable,
    line: &str,
    script: Script,
    spans: &mut Vec<SecretSpan<'t>>,
) {
    let found = table.find_secrets(line);
    // A line may hold a million of them: no room is made for more.
    spans.reserve_exact(found.len());
    for found in found {
        let Some(part) = script.hidden_part(line, found.shape, &found.span) else {
            continue;
        };
        let is_drawn = found.shape == SecretShape::Token || is_drawn(&line[found.random.clone()]);
        let span = SecretSpan {
            random: is_drawn.then_some(found.random),
            ..SecretSpan::of_known(found.kind, found.span)
        };
        spans.push(span.cut_to(part));
    }
}
