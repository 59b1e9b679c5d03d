//! Takes secrets out of one line after another.

use std::borrow::Cow;
use std::ops::Range;

use crate::below_name::NamesAbove;
use crate::encoded_key::{self, EncodedBlock, MIN_NUMBER};
use crate::file::{LineValue, drawn_words, is_around_value, value_of_line};
use crate::joined_lines::JoinedLines;
use crate::key_block::{KeyBlock, MIN_BARE};
use crate::known_lines::{FileLines, find_line};
use crate::line_signs::{LineSigns, Sign};
use crate::manifest::SecretManifest;
use crate::matcher::{SecretMatch, SecretShape};
use crate::opaque::without_kinds;
use crate::plausible::is_drawn;
use crate::redactor::{RedactedText, Redactor, SecretSpan};
use crate::replaced::push_redacted;
use crate::respelled::PlainSpelling;
use crate::script::Script;
use crate::spelled_key::SpelledKey;
use crate::table::SecretTable;
use crate::table_cells::TableReader;
use crate::words::has_form_of_words;

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

/// What names in lines above make a secret, and in which shape.
type NamedSpans = Vec<(Range<usize>, SecretShape)>;

/// What the name of a file says of its lines.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FileNature {
    /// Its values are secret, whatever they look like.
    pub(crate) holds_secrets: bool,
    /// Its words are secret that look drawn.
    pub(crate) holds_drawn: bool,
    /// It is what agents are handed: each value is secret, a path or a word as well.
    pub(crate) is_handed: bool,
    pub(crate) script: Script,
}

/// What of the reviewed side a judge's words may repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Against {
    /// Text of the reviewed repository: what looks like a secret, and each drawn value that is known to be one. A value that
    /// its author chose must not hide code that happens to be the same.
    Shapes,
    /// Words of a judge: what looks like a secret, and every value that is known to be one.
    Values,
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
    /// The lists that go on.
    lists: JoinedLines,
    table: TableReader,
    manifest: SecretManifest,
    nature: FileNature,
    /// What is known of lines of the file, by its name and by its former one.
    known_lines: Vec<&'r FileLines>,
    /// Whether what was found in the last line was found by the lines above.
    is_with_others: bool,
    pub(crate) against: Against,
}

impl<'r> LineRedactor<'r> {
    pub(crate) fn new(redactor: &'r Redactor, nature: FileNature) -> Self {
        Self {
            redactor,
            block: KeyBlock::within(nature.script),
            encoded: EncodedBlock::default(),
            spelled: SpelledKey::default(),
            names: NamesAbove::default(),
            lists: JoinedLines::default(),
            table: TableReader::default(),
            manifest: SecretManifest::default(),
            nature,
            known_lines: Vec::new(),
            is_with_others: false,
            against: Against::Shapes,
        }
    }

    /// The same, asked about that.
    pub(crate) fn reading(self, against: Against) -> Self {
        Self { against, ..self }
    }

    /// The same for the lines of a file: what is known of one is hidden in it, whatever stands around it.
    pub(crate) fn of_file(mut self, path: &str) -> Self {
        self.known_lines
            .extend(self.redactor.known.lines.of_file(path));
        self
    }

    /// Passes over the first lines of a text, as far as no rule looks at any of them: how many those are. Most hunks are
    /// nothing but such lines.
    pub(crate) fn pass_quiet(&mut self, lines: &[&str]) -> usize {
        let nature = self.nature;
        let is_plain = !nature.holds_secrets && !nature.holds_drawn && !nature.is_handed;
        let goes_by_signs =
            self.redactor.own.is_empty() && SecretTable::built_in().always.is_empty();
        if !is_plain || !goes_by_signs {
            return 0;
        }
        let quiet = lines.iter().take_while(|line| LineSigns::is_quiet(line));
        let quiet = quiet.count();
        if quiet < lines.len() {
            // A list or a table may begin there, and hold a secret below.
            for line in &lines[..quiet] {
                self.lists.read_line(line, &LineSigns::NONE);
                self.table.read_line(line);
            }
        }
        quiet
    }

    /// Whether lines above said something of the last one.
    pub(crate) fn is_read_with_others(&self) -> bool {
        self.is_with_others
    }

    /// The heading of a hunk: a line of the file from somewhere above, without the lines that would say what it is. What may
    /// be a piece of a key is no heading of anything, and neither is a line of a file of secrets.
    pub fn redact_heading(&self, text: &str) -> RedactedText {
        if self.nature.holds_secrets || is_piece_of_key(text) {
            return RedactedText::default();
        }
        self.redactor.redact_words(text)
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
    pub(crate) fn take_late(&mut self) -> Vec<String> {
        let mut late = self.names.take_late();
        late.extend(self.manifest.take_late());
        late
    }

    /// What of a line is replaced, and whether all of it is withheld.
    pub(crate) fn due_spans(&mut self, line: &str) -> (Vec<SecretSpan<'r>>, bool) {
        let (mut spans, withheld) = self.spans(line);
        for lines in &self.known_lines {
            find_line(lines, line, &mut spans);
        }
        match self.against {
            Against::Values => self.redactor.known.find(line, &mut spans),
            Against::Shapes => self.redactor.known.find_drawn(line, &mut spans),
        }
        (spans, withheld)
    }

    /// The secrets of a line by their shape, and whether all of it is withheld for want of one.
    pub(crate) fn spans(&mut self, line: &str) -> (Vec<SecretSpan<'r>>, bool) {
        let own: Vec<&SecretTable> = self.redactor.own.iter().map(AsRef::as_ref).collect();
        let line = without_kinds(line, &own);
        self.signed_spans(&line, &LineSigns::of(&line))
    }

    /// The same for a line with these signs: what none of them calls for is not asked, which is nearly all for most lines.
    pub(crate) fn signed_spans(
        &mut self,
        line: &str,
        signs: &LineSigns,
    ) -> (Vec<SecretSpan<'r>>, bool) {
        let is_idle = self.encoded.is_idle() && self.spelled.is_idle() && self.block.is_idle();
        let mut encoded = Vec::new();
        let is_encoded = signs.has_run(MIN_NUMBER) || signs.has(Sign::Number);
        if is_encoded || !self.encoded.is_idle() {
            encoded = self.encoded.read_line(line);
        }
        if signs.has(Sign::Spelled) || !self.spelled.is_idle() {
            encoded.extend(self.spelled.read_line(line));
        }
        let plain = PlainSpelling::of_signed(line, signs);
        if let Some(plain) = plain.as_ref().filter(|_| encoded.is_empty()) {
            let keys = encoded_key::encoded_keys(&plain.text);
            encoded.extend(keys.iter().map(|key| plain.place_of(key)));
        }
        let (mut spans, withheld) = self.plain_spans(line, signs, plain.as_ref());
        let is_shaped = !encoded.is_empty();
        let keys = encoded.into_iter().map(|range| SecretSpan {
            random: (range.len() >= MIN_DRAWN).then(|| range.clone()),
            ..SecretSpan::of_known(encoded_key::KIND, range)
        });
        spans.splice(0..0, keys);
        let (of_manifest, of_names) = self.spans_below(line, signs);
        self.is_with_others = !(is_idle && of_manifest.is_empty() && of_names.is_empty());
        let script = self.nature.script.of_line(line);
        let of_names = of_names.into_iter();
        let of_names = of_names.filter_map(|(range, shape)| script.hidden_part(shape, &range));
        for range in of_names.chain(of_manifest) {
            spans.push(SecretSpan::of_known("secret", range));
        }
        (spans, withheld && !is_shaped)
    }

    /// What of a line the lines above make a secret.
    fn spans_below(&mut self, line: &str, signs: &LineSigns) -> (Vec<Range<usize>>, NamedSpans) {
        let has_any = |wanted: &[Sign]| wanted.iter().any(|sign| signs.has(*sign));
        let (mut of_manifest, mut of_names) = (Vec::new(), Vec::new());
        if has_any(&[Sign::Object, Sign::Data, Sign::Field]) || !self.manifest.is_idle() {
            of_manifest = self.manifest.read_line(line);
        }
        if has_any(&[Sign::Name, Sign::Field]) || !self.names.is_idle() {
            of_names = self.names.read_line(line);
        }
        of_names.extend(self.lists.read_line(line, signs));
        let cells = self.table.read_line(line).into_iter();
        of_names.extend(cells.map(|cell| (cell, SecretShape::QuotedValue)));
        (of_manifest, of_names)
    }

    /// What of a line belongs to a private key, or is base64, whichever signs of it are written as escapes.
    fn key_part(
        &mut self,
        line: &str,
        signs: &LineSigns,
        plain: Option<&PlainSpelling>,
    ) -> Option<(&'static str, Range<usize>)> {
        let holds_secrets = self.nature.holds_secrets;
        let is_due = signs.has(Sign::Frame) || signs.has_run(MIN_BARE) || plain.is_some();
        if !is_due && !holds_secrets && self.block.is_idle() {
            return None;
        }
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
        signs: &LineSigns,
        plain: Option<&PlainSpelling>,
    ) -> (Vec<SecretSpan<'r>>, bool) {
        let mut spans = Vec::new();
        let script = self.nature.script;
        let find = |table: &'r SecretTable, spans: &mut Vec<SecretSpan<'r>>| {
            push_matches(table.find_signed(line, signs, plain), line, script, spans);
        };
        if let Some((kind, range)) = self.key_part(line, signs, plain) {
            let beside = [&line[..range.start], &line[range.end..]];
            let is_bare = !line.contains("-----");
            if is_bare && kind == "base64" {
                // The provider whose token it is says more.
                find(SecretTable::built_in(), &mut spans);
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
        find(SecretTable::built_in(), &mut spans);
        for own in &self.redactor.own {
            find(own, &mut spans);
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
    found: Vec<SecretMatch<'t>>,
    line: &str,
    script: Script,
    spans: &mut Vec<SecretSpan<'t>>,
) {
    let script = script.of_line(line);
    // A line may hold a million of them: no room is made for more.
    spans.reserve_exact(found.len());
    for found in found {
        let Some(part) = script.hidden_part(found.shape, &found.span) else {
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

/// Whether a text is one run of base64: the last line of a key has no shape but that.
fn is_piece_of_key(text: &str) -> bool {
    const MIN_PIECE: usize = 8;
    let is_around = |c: char| c.is_whitespace() || "\"'`,;\\".contains(c);
    let text = text.trim().trim_end_matches(" +").trim_matches(is_around);
    let text = text.trim_end_matches("\\n");
    let run = text.trim_end_matches('=');
    let is_base64 = run
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"+/-_".contains(&b));
    let is_padded = run.len() < text.len();
    is_base64 && (is_padded || (run.len() >= MIN_PIECE && !has_form_of_words(run)))
}
