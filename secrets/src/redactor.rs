//! What takes secrets out of texts: a value, handed to whatever shows a text to somebody else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::below_name::may_name_below;
use crate::beside::ValuesBeside;
use crate::encoded_key::may_go_on;
use crate::joined_lines::may_open_list;
use crate::key_block::may_begin_key;
use crate::known::KnownValues;
use crate::line_redactor::{Against, FileNature, LineRedactor};
use crate::manifest::may_begin_manifest;
use crate::plausible::looks_random;
use crate::replaced::{FoundSpans, lines_of, push_redacted, redact_derived, replace_found};
use crate::script::Script;
use crate::spelled_key::may_spell_key;
use crate::table::SecretTable;
use crate::table_cells::may_open_table;

/// Takes secrets out of texts: those that look like one, and those that were found in the change.
///
/// Redacting twice changes nothing more. Lines stay lines, so their numbers hold.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    /// The rules of the user's own.
    pub(crate) own: Vec<Arc<SecretTable>>,
    pub(crate) known: Arc<KnownValues>,
    /// Values that agents were handed.
    handed: Arc<KnownValues>,
    /// The names of files before the change that renames them, by their names after it.
    former: Arc<BTreeMap<String, String>>,
    /// Values of files beside the change; none: nobody can read any.
    pub(crate) beside: Option<Arc<ValuesBeside>>,
}

/// A text without its secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RedactedText {
    pub text: String,
    /// How many secrets were replaced.
    pub secrets: usize,
}

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

impl Redactor {
    /// With the rules of the user's own beside the built-in ones.
    pub fn with_table(table: SecretTable) -> Self {
        Self::default().adding_table(table)
    }

    /// The same, with more rules of the user's own, unless they are those that it has.
    pub fn adding_table(&self, table: SecretTable) -> Self {
        let mut more = self.clone();
        if more.own.iter().all(|own| own.digest() != table.digest()) {
            more.own.push(Arc::new(table));
        }
        more
    }

    /// The same, knowing the secrets of these lines by their value: the lines of one file (or of no file) after another.
    pub fn knowing<'l, L>(&self, texts: impl IntoIterator<Item = (Option<Cow<'l, str>>, L)>) -> Self
    where
        L: IntoIterator<Item = &'l str>,
    {
        Self {
            known: Arc::new(self.values_of(texts)),
            ..self.clone()
        }
    }

    /// The secrets of these lines by their value.
    pub(crate) fn values_of<'l, L>(
        &self,
        texts: impl IntoIterator<Item = (Option<Cow<'l, str>>, L)>,
    ) -> KnownValues
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
            let lines: Vec<&str> = lines.into_iter().collect();
            let quiet = reader.pass_quiet(&lines);
            for line in &lines[quiet..] {
                let (spans, _) = reader.spans(line);
                spans.iter().for_each(|span| known.insert(line, span));
                if let Some((path, _)) = last.as_ref().filter(|_| reader.is_read_with_others())
                    && let Some(path) = path
                {
                    known.lines.insert(path, line, &spans);
                }
                for value in reader.take_late() {
                    known.insert(&value, &SecretSpan::of_known("secret", 0..value.len()));
                }
            }
        }
        known.build();
        known
    }

    /// The same where a change gives files other names, told as the new one and the old one: a file holds secrets if
    /// either of its names says so.
    pub fn renaming(&self, names: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            former: Arc::new(names.into_iter().collect()),
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
        self.own.first().map(|table| table.digest())
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
        let mut reader = self.lines(path).reading(against);
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
        let reader = self.reader(self.nature_of(path));
        let former = path.and_then(|path| self.former.get(path));
        let names = path.into_iter().chain(former.map(String::as_str));
        names.fold(reader, LineRedactor::of_file)
    }

    fn reader(&self, nature: FileNature) -> LineRedactor<'_> {
        LineRedactor::new(self, nature)
    }

    fn nature_of(&self, path: Option<&str>) -> FileNature {
        let Some(path) = path else {
            return FileNature::default();
        };
        let tables =
            || std::iter::once(SecretTable::built_in()).chain(self.own.iter().map(Arc::as_ref));
        let former = self.former.get(path).map(String::as_str);
        let names = [Some(path), former];
        let is_any = |says: fn(&SecretTable, &str) -> bool| {
            let names = names.iter().flatten();
            names
                .copied()
                .any(|name| tables().any(|table| says(table, name)))
        };
        FileNature {
            holds_secrets: is_any(SecretTable::holds_secrets),
            holds_drawn: is_any(SecretTable::holds_drawn),
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
        || may_open_list(text)
        || may_open_table(text)
}
