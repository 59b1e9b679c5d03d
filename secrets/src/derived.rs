//! Secrets in another form: what is known by its value is found when somebody writes it backwards, in capitals, with
//! blanks between its letters, over two lines, in hexadecimal or in base64, and when a part of it is missing.
//!
//! Value and text are folded to their letters and digits. What of both is equal is found by its seeds: short pieces of
//! the values, of which every run that counts holds one. Each text is read once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aho_corasick::AhoCorasick;

use crate::folded::FoldedText;
use crate::known::{is_everyday, is_word};
use crate::plausible::is_drawn;
use crate::redactor::SecretSpan;
use crate::respelled::PlainSpelling;

/// Letters and digits of a seed.
const SEED: usize = 5;

/// A shorter value is known as it is written alone: other texts hold its letters by accident.
const MIN_VALUE: usize = 6;

/// So many letters and digits of a longer value give it away.
const MAX_RUN: usize = 8;

/// Letters without a digit, or digits without a letter, may be a word of any text: fewer say nothing.
const MIN_PLAIN_RUN: usize = 8;

/// More of one value makes it no better known.
const MAX_VALUE: usize = 4 << 10;

/// The most bytes of values that are looked for in other forms, of which there are eight times as many.
const MAX_BYTES: usize = 128 << 10;

/// A seed that stands in more places says nothing.
const MAX_PLACES: usize = 16;

/// Values in their other forms.
#[derive(Debug, Default)]
pub(crate) struct DerivedForms {
    forms: Vec<Form>,
    known: HashSet<Vec<u8>>,
    seeds: BTreeMap<[u8; SEED], Vec<SeedPlace>>,
    bytes: usize,
    finder: OnceLock<Option<SeedFinder>>,
}

/// Finds all seeds in one pass over a text.
#[derive(Debug)]
struct SeedFinder {
    automaton: AhoCorasick,
    /// Where each of them stands, by its number in the automaton.
    places: Vec<Vec<SeedPlace>>,
}

/// One form of one value.
#[derive(Debug)]
struct Form {
    kind: Arc<str>,
    /// Its letters and digits, folded.
    signs: Vec<u8>,
    /// How many of them in a row give it away.
    run: usize,
    spelling: Spelling,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As somebody chose it, forwards or backwards: parts of it may be words.
    Letters,
    /// The same where only the name of the file says that it is secret: it may be any text.
    Guess,
    /// In hexadecimal or base64: no part of it is a word.
    Encoded,
}

#[derive(Debug, Clone, Copy)]
struct SeedPlace {
    form: usize,
    at: usize,
}

impl DerivedForms {
    /// Keeps a value in all forms. `is_guess`: nothing but the name of its file says that it is secret.
    pub(crate) fn insert(&mut self, kind: &Arc<str>, value: &str, is_guess: bool) {
        let value = &value[..value.floor_char_boundary(MAX_VALUE)];
        if self.bytes + value.len() > MAX_BYTES || value.len() < MIN_VALUE {
            return;
        }
        self.bytes += value.len();
        let decoded = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
        for value in [value, &decoded] {
            for (signs, run, spelling) in forms_of(value, is_guess) {
                self.push(Form {
                    kind: Arc::clone(kind),
                    signs,
                    run,
                    spelling,
                });
            }
        }
    }

    fn push(&mut self, form: Form) {
        if form.signs.len() < form.run || !self.known.insert(form.signs.clone()) {
            return;
        }
        // Every run that is long enough holds one of these, wherever it begins.
        let step = form.run - SEED + 1;
        for (at, seed) in form.signs.windows(SEED).enumerate().step_by(step) {
            let places = self
                .seeds
                .entry(seed.try_into().unwrap_or_default())
                .or_default();
            if places.len() < MAX_PLACES {
                let form = self.forms.len();
                places.push(SeedPlace { form, at });
            }
        }
        self.forms.push(form);
    }

    /// Where a text holds a value in one of its forms, or enough of one. A place may reach over several lines.
    pub(crate) fn find(&self, text: &str) -> Vec<SecretSpan<'_>> {
        let Some(finder) = self.finder() else {
            return Vec::new();
        };
        let mut spans = self.find_as_written(finder, text);
        if let Some(plain) = PlainSpelling::of(text) {
            for span in self.find_as_written(finder, &plain.text) {
                let range = plain.place_of(&span.range);
                spans.push(SecretSpan { range, ..span });
            }
        }
        spans
    }

    /// Made when it is needed: many runs have no words of a judge.
    fn finder(&self) -> Option<&SeedFinder> {
        let build = || {
            let automaton = AhoCorasick::new(self.seeds.keys()).ok()?;
            let places = self.seeds.values().cloned().collect();
            Some(SeedFinder { automaton, places })
        };
        let finder = self.finder.get_or_init(build).as_ref();
        finder.filter(|_| !self.seeds.is_empty())
    }

    fn find_as_written(&self, finder: &SeedFinder, text: &str) -> Vec<SecretSpan<'_>> {
        let folded = FoldedText::of(text);
        // Where the last run of a form ends: a text may hold nothing but seeds.
        let mut ends: HashMap<usize, usize> = HashMap::new();
        let mut spans = Vec::new();
        for found in finder.automaton.find_overlapping_iter(&folded.signs) {
            for place in &finder.places[found.pattern().as_usize()] {
                let end = ends.entry(place.form).or_default();
                if found.end() <= *end {
                    continue;
                }
                let form = &self.forms[place.form];
                let run = common_run(&folded.signs, found.start(), &form.signs, place.at);
                *end = run.end;
                let place = folded.place_of(text, &run).unwrap_or_default();
                // The end of the word before may go on in the value by accident.
                let places = [place.clone(), inner_words(text, place)];
                let mut given_away = places.into_iter().filter(|place| {
                    let run = FoldedText::of(&text[place.clone()]).signs;
                    form.is_given_away(&run, text, place)
                });
                if let Some(place) = given_away.next() {
                    spans.push(SecretSpan::of_known(&form.kind, whole_word(text, place)));
                }
            }
        }
        spans
    }
}

impl Form {
    /// Whether a run of its signs tells what the value is, at its place in a text.
    fn is_given_away(&self, run: &[u8], text: &str, place: &Range<usize>) -> bool {
        if run.len() < self.run || self.spelling == Spelling::Encoded {
            return run.len() >= self.run;
        }
        if is_mixed(run) {
            return run.len() >= self.signs.len().min(MAX_RUN) || is_word(text, place);
        }
        // Read by itself, a place may hold more signs than within its text.
        let missing = self.signs.len().saturating_sub(run.len());
        let is_long = missing == 0 || (missing == 1 && run.len() >= MIN_PLAIN_RUN);
        self.spelling == Spelling::Letters
            && is_long
            && !std::str::from_utf8(run).is_ok_and(is_everyday)
            && is_word(text, place)
            && is_one_word(&text[place.clone()])
    }
}

/// What a value looks like in each form, and how much of that gives it away.
fn forms_of(value: &str, is_guess: bool) -> Vec<(Vec<u8>, usize, Spelling)> {
    let mut forms = Vec::new();
    let written = FoldedText::of(value).signs;
    if written.len() >= MIN_VALUE {
        let half = written.len().div_ceil(2).clamp(SEED, MAX_RUN);
        let is_any_text = is_guess && !is_drawn(value);
        let (run, spelling) = if is_any_text {
            let most = written.len() * 3 / 4;
            (most.max(half).min(written.len() - 1), Spelling::Guess)
        } else {
            (half, Spelling::Letters)
        };
        let backwards = written.iter().rev().copied().collect();
        forms.push((written, run, spelling));
        forms.push((backwards, run, spelling));
    }
    let bytes = value.len().div_ceil(2).clamp(SEED, MAX_RUN);
    forms.push((
        hex::encode(value).into_bytes(),
        bytes * 2,
        Spelling::Encoded,
    ));
    for before in 0..3 {
        let encoded = base64_core(value.as_bytes(), before);
        let signs = FoldedText::of(&encoded).signs;
        let run = fewest_letters(encoded.as_bytes(), (bytes * 8 - 4) / 6);
        forms.push((signs, run.max(SEED), Spelling::Encoded));
    }
    forms
}

/// How many letters and digits so many signs of base64 hold at least: `+` and `/` are none.
fn fewest_letters(encoded: &[u8], length: usize) -> usize {
    let letters = |part: &[u8]| part.iter().filter(|b| b.is_ascii_alphanumeric()).count();
    let windows = encoded.windows(length.clamp(1, encoded.len().max(1)));
    windows.map(letters).min().unwrap_or_default()
}

/// The signs of base64 that depend on these bytes alone, where so many others of a group stand before them.
fn base64_core(bytes: &[u8], before: usize) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held) = (0_u32, 0_u32);
    let mut core = String::new();
    // The first sign that these bytes share with another one is no part of it.
    let mut skipped = (before * 8).div_ceil(6) * 6 - before * 8;
    for byte in bytes {
        (bits, held) = ((bits << 8 | u32::from(*byte)) & 0xffff, held + 8);
        let shared = skipped.min(held as usize);
        (skipped, held) = (skipped - shared, held - shared as u32);
        while held >= 6 {
            held -= 6;
            core.push(char::from(SIGNS[(bits >> held & 63) as usize]));
        }
    }
    core
}

/// How far a text and a form agree around a place of each.
fn common_run(text: &[u8], at: usize, form: &[u8], form_at: usize) -> Range<usize> {
    let equal = |(a, b): &(&u8, &u8)| a == b;
    let before = text[..at].iter().rev().zip(form[..form_at].iter().rev());
    let behind = text[at..].iter().zip(&form[form_at..]);
    at - before.take_while(equal).count()..at + behind.take_while(equal).count()
}

fn is_mixed(signs: &[u8]) -> bool {
    signs.iter().any(u8::is_ascii_digit) && !signs.iter().all(u8::is_ascii_digit)
}

/// Whether letters stand together, or each by itself: those of `to get her` are three words.
fn is_one_word(text: &str) -> bool {
    let is_inner = |c: &char| !c.is_alphanumeric();
    let gaps = text.split(|c| is_inner(&c)).filter(|part| !part.is_empty());
    let words: Vec<usize> = gaps.map(|part| part.chars().count()).collect();
    words.len() == 1 || words.iter().all(|length| *length == 1)
}

/// A place without the words at its ends of which a part stands outside.
fn inner_words(text: &str, place: Range<usize>) -> Range<usize> {
    let inside = &text[place.clone()];
    let is_cut = [
        text[..place.start].ends_with(char::is_alphanumeric),
        text[place.end..].starts_with(char::is_alphanumeric),
    ];
    let without_first = inside.trim_start_matches(char::is_alphanumeric);
    let without_first = without_first.trim_start_matches(|c: char| !c.is_alphanumeric());
    let inside = if is_cut[0] { without_first } else { inside };
    let start = if is_cut[0] {
        place.end - inside.len()
    } else {
        place.start
    };
    let without_last = inside.trim_end_matches(char::is_alphanumeric);
    let without_last = without_last.trim_end_matches(|c: char| !c.is_alphanumeric());
    let inside = if is_cut[1] { without_last } else { inside };
    start..start + inside.len()
}

/// A place with what of the words at its ends stands outside.
fn whole_word(text: &str, place: Range<usize>) -> Range<usize> {
    let is_word = |b: &&u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
    let bytes = text.as_bytes();
    let left = bytes[..place.start].iter().rev().take_while(is_word);
    let right = bytes[place.end..].iter().take_while(is_word);
    place.start - left.count()..place.end + right.count()
}
