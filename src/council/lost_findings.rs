//! The findings of a reply that cannot be read as an answer: known by their shape, not by words for how bad they are.

use std::collections::HashSet;

use super::answer_fields::{PLACES, TEXTS};
use super::plain_words::EXCERPT_CHARS;
use super::raw_fields::{loose_values, number_of, text_of, values_of};
use super::raw_objects::{RawObject, objects_of};

/// The most characters of a finding that is told with its whole block, since its fields cannot be told apart.
const BLOCK_CHARS: usize = 240;

/// The most characters that are told of how a reply rates a finding.
const RATING_CHARS: usize = 24;

/// Fields that say how bad a finding is.
const RATINGS: [&str; 3] = ["severity", "level", "priority"];

/// Words for what must not go in.
const CRITICAL_WORDS: [&str; 7] = [
    "critical", "blocker", "blocking", "fatal", "severe", "high", "urgent",
];

/// Words for what a reader should hear of, and what fails no change by itself.
const SIGNIFICANT_WORDS: &[&str] = &["significant", "medium"];

/// Words for what nobody has to hear of.
const MILD: &[&str] = &["minor", "info", "low", "nit", "style", "note"];

fn is_one_of(words: &[&str], word: &str) -> bool {
    words.contains(&word.trim().to_lowercase().as_str())
}

pub(super) fn is_mild(word: &str) -> bool {
    is_one_of(MILD, word) || is_one_of(SIGNIFICANT_WORDS, word)
}

fn is_critical(word: &str) -> bool {
    let word = word.trim().to_ascii_lowercase();
    CRITICAL_WORDS.iter().any(|begin| word.starts_with(begin))
}

/// What is said to be wrong, in words: where each finding is said to be, and what it says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LostFindings {
    /// Those that are critical by a word that is known, or may be since the reply breaks off before it says so.
    pub(super) criticals: Vec<String>,
    /// Those that are rated by a word that nobody knows (`error`, `P0`), or not at all: they are as bad as the vote
    /// says, and critical beside a consent.
    pub(super) unrated: Vec<String>,
    /// Those that are significant: they are told, and weigh nothing without a proof.
    pub(super) significant: Vec<String>,
}

impl LostFindings {
    /// Whether none of them weighs anything.
    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many of them weigh something.
    pub(super) fn count(&self) -> usize {
        self.criticals.len() + self.unrated.len()
    }

    /// These and those of another reply that are not among them.
    pub(super) fn with(mut self, other: Self) -> Self {
        let join = |own: &mut Vec<String>, new: Vec<String>| {
            let new = new.into_iter().filter(|said| !own.contains(said));
            own.extend(new.collect::<Vec<_>>());
        };
        join(&mut self.criticals, other.criticals);
        join(&mut self.unrated, other.unrated);
        join(&mut self.significant, other.significant);
        self
    }

    /// `critical a.py:2: Division by zero (unproved)`, each of them.
    pub(super) fn describe(&self) -> impl Iterator<Item = String> {
        let criticals = self.criticals.iter();
        let criticals = criticals.map(|said| format!("critical {said} (unproved)"));
        let unrated = self.unrated.iter();
        let unrated = unrated.map(|said| format!("{said} (unproved)"));
        let significant = self.significant.iter();
        let significant = significant.map(|said| format!("significant {said} (unproved)"));
        criticals.chain(unrated).chain(significant)
    }

    fn add(&mut self, rating: Option<&str>, named: String) {
        match rating {
            Some(word) if is_one_of(MILD, word) => {}
            Some(word) if is_one_of(SIGNIFICANT_WORDS, word) => self.significant.push(named),
            Some(word) if is_critical(word) => self.criticals.push(named),
            Some(word) => {
                let word: String = excerpt(word, RATING_CHARS);
                self.unrated.push(format!("{named} [rated \"{word}\"]"));
            }
            None => self.unrated.push(named + " [not rated]"),
        }
    }
}

/// Reads the findings of a reply. The text is searched, not parsed: it may break off, be YAML or Python, or be prose.
pub(super) fn lost_findings(raw: &str) -> LostFindings {
    let objects = objects_of(raw);
    let told = finding_objects(&objects);
    let mut found = LostFindings::default();
    for object in &told {
        found.add(rating_of(object).as_deref(), name_object(object));
    }
    let severities: Vec<(usize, String)> = values_of(raw, "severity").collect();
    if severities.is_empty() && told.is_empty() {
        add_loose(raw, &mut found);
    }
    add_stray(raw, &severities, (&objects, &told), &mut found);
    found.criticals.extend(begun_finding(&objects));
    found
}

/// The objects that are findings: with words, a place and how bad it is, of which one may be missing. What stands
/// within one is its evidence, unless it is rated by itself.
fn finding_objects<'o, 't>(objects: &'o [RawObject<'t>]) -> Vec<&'o RawObject<'t>> {
    let mut told: Vec<&RawObject<'_>> = Vec::new();
    let mut end = 0;
    for object in objects.iter().filter(|object| is_finding(object)) {
        if object.start >= end || object.has_any(&RATINGS) {
            end = end.max(object.end());
            told.push(object);
        }
    }
    told
}

fn is_finding(object: &RawObject<'_>) -> bool {
    let (place, words) = (object.has_any(&PLACES), object.has_any(&TEXTS));
    // An answer is no finding, whatever it says of itself.
    let is_answer = object.has_any(&["verdict", "findings"]);
    !is_answer
        && match object.has_any(&RATINGS) {
            true => place || words,
            false => place && words && object.is_listed && !object.is_open,
        }
}

/// How bad a finding is said to be: a word, a number, or what stands there instead.
fn rating_of(object: &RawObject<'_>) -> Option<String> {
    let word = object.text_of_any(&RATINGS);
    let mut values = RATINGS.iter().filter_map(|name| object.value_of(name));
    word.or_else(|| {
        let bare = values.next()?.split([',', '}', ']', '\n']).next()?.trim();
        let is_given = !bare.is_empty() && bare != "null";
        is_given.then(|| bare.to_owned())
    })
}

fn name_object(object: &RawObject<'_>) -> String {
    let location = object.value_of("location");
    let path = object.text_of_any(&["path", "file"]).or_else(|| {
        let mut paths = ["path", "file"].into_iter();
        paths.find_map(|name| Some(values_of(location?, name).next()?.1))
    });
    let line = || number_of(location.unwrap_or(object.text)).unwrap_or(0);
    let place = path.map(|path| format!("{path}:{}", line()));
    // `"location": "a.py:3"`
    let place = place.or_else(|| location.and_then(text_of));
    let what = object.text_of_any(&TEXTS);
    let what = what.or_else(|| object.text_of_any(&["why", "quote"]));
    name_finding(place, &what.unwrap_or_default())
}

/// Adds what is rated outside of every object that is a finding: where quotation marks are missing, nobody can tell
/// objects apart. The fields of an object have no order: those behind the rating first, then those before it.
fn add_stray(
    raw: &str,
    severities: &[(usize, String)],
    (objects, told): (&[RawObject<'_>], &[&RawObject<'_>]),
    found: &mut LostFindings,
) {
    let own = objects
        .iter()
        .flat_map(|object| object.places_of("severity"));
    let own: HashSet<usize> = own.collect();
    for (nth, (at, word)) in severities.iter().enumerate() {
        let is_told = |object: &&RawObject<'_>| object.start < *at && *at < object.end();
        if told.iter().any(is_told) {
            continue;
        }
        let end = severities.get(nth + 1).map_or(raw.len(), |next| next.0);
        let start = nth.checked_sub(1).map_or(0, |before| severities[before].0);
        let (behind, before) = (&raw[*at..end], &raw[start..*at]);
        let field = |name: &str| {
            let first = values_of(behind, name).next();
            let found = first.or_else(|| values_of(before, name).last());
            found.map(|(_, value)| value)
        };
        let path = field("path");
        if is_critical(word) || (path.is_some() && !own.contains(at)) {
            let line = number_of(behind).or_else(|| number_of(before)).unwrap_or(0);
            let place = path.map(|path| format!("{path}:{line}"));
            let what = field("description").unwrap_or_default();
            found.add(Some(word), name_finding(place, &what));
        }
    }
}

/// Adds the findings of a text that is no JSON: what is rated `critical`, and what is rated by another word and has a
/// path.
fn add_loose(raw: &str, found: &mut LostFindings) {
    for word in loose_values(raw, "severity") {
        let block = block_of(raw, word);
        let names_file = || {
            ["path", "file"]
                .iter()
                .any(|name| loose_values(block, name).next().is_some())
        };
        let word = word.trim();
        if is_critical(word) || (is_assigned(raw, word) && names_file()) {
            found.add(Some(word), excerpt(block, BLOCK_CHARS));
        }
    }
}

/// Whether a part of a text stands behind a mark that assigns it to a name.
fn is_assigned(text: &str, part: &str) -> bool {
    let before = text[..place_in(text, part)].trim_end();
    before.ends_with([':', '=', '\'', '"', '*', '`'])
}

fn place_in(text: &str, part: &str) -> usize {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    text.floor_char_boundary(at.min(text.len()))
}

/// The item of a list around a part of a text; without one its paragraph.
fn block_of<'t>(text: &'t str, part: &str) -> &'t str {
    let at = place_in(text, part);
    let mut start = 0;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let begins = line.trim_start().starts_with("- ");
        if line_start > at && (begins || line.trim().is_empty()) {
            return &text[start..line_start];
        }
        if begins {
            start = line_start;
        }
        line_start += line.len();
        if line.trim().is_empty() {
            start = line_start;
        }
    }
    &text[start..]
}

/// The finding at the end of a reply that breaks off before it says how bad the finding is: it may be the worst. Fields
/// stand in the order in which the form asks for them, the severity behind the words.
fn begun_finding(objects: &[RawObject<'_>]) -> Option<String> {
    let mut innermost = objects
        .iter()
        .rev()
        .filter(|object| object.is_open && object.is_item);
    let finding =
        innermost.find(|item| item.has_any(&["location"]) && !item.has_any(&["severity"]))?;
    let field = |name: &str| values_of(finding.text, name).next().map(|(_, value)| value);
    let path = field("path")?;
    let what = field("description").or_else(|| field("quote"));
    let place = format!("{path}:{}", number_of(finding.text).unwrap_or(0));
    let named = name_finding(Some(place), &what.unwrap_or_default());
    Some(named + " [cut off before it says how bad it is]")
}

/// `a.py:2: Division by zero`
pub(super) fn name_finding(place: Option<String>, what: &str) -> String {
    let parts = [place.unwrap_or_default(), excerpt(what, EXCERPT_CHARS)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        "finding without words".to_owned()
    } else {
        parts.join(": ")
    }
}

/// A text on one line, so many characters of it.
fn excerpt(text: &str, chars: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.chars().take(chars).collect()
}

#[cfg(test)]
#[path = "lost_findings_tests.rs"]
mod tests;
