//! Whether code that was quoted is still there: a line that something was added to is another one.
//!
//! Who quotes a whole line means that line: "return row[0]" stands no more where "return row[0] if row else None" does.
//! A formatter makes no other code of it by joining it with the lines around it. Who quotes a part of a line means that
//! part, whatever becomes of the rest.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use council_protocol::{FileChange, Finding, RepoPath};
use council_syntax::language::Language;
use council_syntax::outline::{FunctionIndex, functions};
use serde::{Deserialize, Serialize};

use super::line_origin::{ChangedLines, LineOrigin};
use super::reviewed_side::ReviewedText;
use crate::packet::sha256;
use crate::report::Report;
use crate::text::{CodeLetters, CodePlace};

/// How many hexadecimal digits of a digest are kept: a comment has little room.
const DIGITS: usize = 6;

/// What stood around the whole lines of a quote, as digests: it may be a part of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct QuoteNeighbours {
    before: String,
    behind: String,
}

impl QuoteNeighbours {
    fn of(place: &CodePlace<'_>) -> Self {
        let digest = |letters: &str| sha256(letters.as_bytes())[..DIGITS].to_owned();
        Self {
            before: digest(place.before),
            behind: digest(place.behind),
        }
    }

    /// Whether the same stands on one side of a place, where its lines are as whole as they were.
    fn is_near(&self, place: &CodePlace<'_>) -> bool {
        let now = Self::of(place);
        let is_whole = place.begins_line && place.ends_line;
        now == *self || is_whole && (now.before == self.before || now.behind == self.behind)
    }

    /// Whether the same stands before a place.
    pub(super) fn begins_alike(&self, place: &CodePlace<'_>) -> bool {
        Self::of(place).before == self.before
    }

    /// How many sides of a place are others than they were.
    fn strangeness_at(&self, place: &CodePlace<'_>) -> u8 {
        let now = Self::of(place);
        u8::from(now.before != self.before) + u8::from(now.behind != self.behind)
    }

    /// Whether the quote's lines are whole at a place, or joined there with what stood around them.
    fn is_kept_at(&self, place: &CodePlace<'_>) -> bool {
        let now = Self::of(place);
        (place.begins_line || now.before == self.before)
            && (place.ends_line || now.behind == self.behind)
    }
}

/// Where a quote stood letter by letter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotePlace {
    /// What stood around it.
    pub(super) around: QuoteNeighbours,
    /// Whether it was all of its lines.
    pub(super) is_whole: bool,
    /// Whether the change had brought its lines; none: nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<LineOrigin>,
    /// The name of the function that it stood in, as a digest; none: it stood in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) within: Option<String>,
}

/// The functions of a file, read where somebody asks.
pub(super) struct FileFunctions {
    language: Language,
    text: String,
    functions: OnceCell<FunctionIndex>,
}

impl FileFunctions {
    pub(super) fn of(path: &RepoPath, text: String) -> Self {
        Self {
            language: Language::from_path(&path.display()),
            text,
            functions: OnceCell::new(),
        }
    }

    /// The name of the function in which a line stands, as a digest: a name may be a part of a secret.
    pub(super) fn name_at(&self, line: u32) -> Option<String> {
        let read = || FunctionIndex::new(functions(self.language, &self.text));
        let functions = self.functions.get_or_init(read);
        let function = functions.enclosing(line as usize)?;
        let name = Some(&function.name).filter(|name| !name.is_empty())?;
        Some(sha256(name.as_bytes())[..DIGITS].to_owned())
    }
}

/// How much a place of the same code is the one of a finding, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kinship {
    /// It is what the finding is named by.
    Own,
    /// It stands in a function of that name: a copy of the function as it was, under another name, is none.
    SameFunction,
    Other,
    /// Another finding stands there.
    Taken,
}

impl QuotePlace {
    /// How many sides of the quote at a line are others than they were.
    pub(super) fn strangeness_at(&self, code: &CodeLetters, finding: &Finding, line: u32) -> u8 {
        let places = code.quoted_at(&finding.quote);
        let there = places.iter().find(|place| first_line(place) == line);
        there.map_or(2, |place| self.around.strangeness_at(place))
    }
}

/// The places of quotes, each by [`quote_name`].
pub(super) type QuotePlaces = BTreeMap<String, QuotePlace>;

/// The places of the quotes of each finding, by its fingerprint: the same line may be quoted at several places.
pub(super) type ReportPlaces = BTreeMap<String, QuotePlaces>;

/// What a quote is called among those of a finding.
pub(super) fn quote_name(finding: &Finding) -> String {
    let place = format!("{}\n{}", finding.location.path.display(), finding.quote);
    sha256(place.as_bytes())[..DIGITS].to_owned()
}

/// Where the quotes of a report stand in the files that `read` gives, of which these are changed.
pub(crate) fn find_quote_places(
    report: &Report,
    read: &dyn Fn(&RepoPath) -> ReviewedText,
    changes: &[FileChange],
) -> ReportPlaces {
    type ReadFile<'c> = (CodeLetters, FileFunctions, ChangedLines<'c>);
    let mut files: BTreeMap<&RepoPath, Option<ReadFile<'_>>> = BTreeMap::new();
    let mut places = ReportPlaces::new();
    for found in &report.outcome.findings {
        let members = found.members.iter().map(|member| &member.finding);
        let said = members.chain([&found.finding]);
        let mut own = QuotePlaces::new();
        for finding in said.filter(|finding| !finding.quote.trim().is_empty()) {
            let path = &finding.location.path;
            let file = files.entry(path).or_insert_with(|| match read(path) {
                ReviewedText::Text(text) => Some((
                    CodeLetters::of(text.lines()),
                    FileFunctions::of(path, text),
                    ChangedLines::of(path, changes, false),
                )),
                ReviewedText::Gone | ReviewedText::Unreadable => None,
            });
            let place = file
                .as_ref()
                .and_then(|(code, functions, lines)| place_in((code, functions), lines, finding));
            own.extend(place.map(|place| (quote_name(finding), place)));
        }
        places.insert(found.fingerprint.clone(), own);
    }
    places
}

/// Where the quote of a finding stands; none: it is not there letter by letter.
pub(super) fn place_in(
    (code, functions): (&CodeLetters, &FileFunctions),
    lines: &ChangedLines<'_>,
    finding: &Finding,
) -> Option<QuotePlace> {
    let places = code.quoted_at(&finding.quote);
    let nearest = places.iter().min_by_key(|place| distance(place, finding))?;
    Some(QuotePlace {
        around: QuoteNeighbours::of(nearest),
        is_whole: nearest.begins_line && nearest.ends_line,
        origin: lines.origin_of(&numbers_of(nearest)),
        within: functions.name_at(first_line(nearest)),
    })
}

/// Where the code of a quote is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuotedCode {
    /// It begins at this line, from 1.
    At(u32),
    /// Its lines have become other lines.
    Edited,
    /// No line has these letters, and it is not known that one had.
    Missing,
}

/// The most places of the same code that are asked whether they are the one that a finding is named by.
const MAX_TWINS: usize = 16;

/// Where the code of a finding stands in a text: among the places that count, the one that is most like its own, of
/// several the nearest to where it stood.
pub(super) fn find_quoted(
    code: &CodeLetters,
    finding: &Finding,
    was: Option<&QuotePlace>,
    counts: &dyn Fn(&RangeInclusive<u32>) -> bool,
    kinship: &dyn Fn(u32) -> Kinship,
) -> QuotedCode {
    let places = code.quoted_at(&finding.quote);
    let around = was.filter(|was| was.is_whole).map(|was| &was.around);
    let kept = places
        .iter()
        .filter(|place| around.is_none_or(|around| around.is_kept_at(place)))
        .filter(|place| counts(&numbers_of(place)));
    let mut kept: Vec<_> = kept.collect();
    kept.sort_by_key(|place| distance(place, finding));
    let lines = kept.into_iter().map(first_line).take(MAX_TWINS);
    match nearest_kin(lines, kinship) {
        Some(line) => QuotedCode::At(line),
        // Whole lines were there letter by letter.
        None if places.is_empty() && around.is_none() => QuotedCode::Missing,
        None => QuotedCode::Edited,
    }
}

/// The line at which the code of a finding stands again that had gone: beside the same letters, at a line that counts.
pub(super) fn find_returned(
    code: &CodeLetters,
    finding: &Finding,
    was: &QuotePlace,
    counts: &dyn Fn(&RangeInclusive<u32>) -> bool,
    kinship: &dyn Fn(u32) -> Kinship,
) -> Option<u32> {
    let places = code.quoted_at(&finding.quote);
    let same = places
        .iter()
        .filter(|place| was.around.is_near(place) && counts(&numbers_of(place)));
    let mut same: Vec<_> = same.collect();
    same.sort_by_key(|place| distance(place, finding));
    let mut lines = same.into_iter().map(first_line).take(MAX_TWINS);
    match is_short(finding) {
        // So few letters come with every other function: what stands around them, and the function, are all the same.
        true => lines.find(|line| kinship(*line) == Kinship::Own),
        false => nearest_kin(lines, kinship),
    }
}

/// The fewest letters of a quote by which code is known again: `return None` comes with every other function.
const MIN_LETTERS: usize = 16;

/// Whether code of so few letters is known again only by what stands around it.
pub(super) fn is_short(finding: &Finding) -> bool {
    let letters = finding.quote.chars();
    letters.filter(|letter| !letter.is_whitespace()).count() < MIN_LETTERS
}

/// The first of some lines that is most like a finding's own.
fn nearest_kin(lines: impl Iterator<Item = u32>, kinship: &dyn Fn(u32) -> Kinship) -> Option<u32> {
    let lines: Vec<u32> = lines.collect();
    match lines.as_slice() {
        // Most code stands there once.
        [] | [_] => lines.first().copied(),
        _ => lines.into_iter().min_by_key(|line| kinship(*line)),
    }
}

fn distance(place: &CodePlace<'_>, finding: &Finding) -> u32 {
    first_line(place).abs_diff(finding.location.line)
}

pub(super) fn first_line(place: &CodePlace<'_>) -> u32 {
    *numbers_of(place).start()
}

/// The lines of a place, from 1.
pub(super) fn numbers_of(place: &CodePlace<'_>) -> RangeInclusive<u32> {
    let number = |line: usize| u32::try_from(line + 1).unwrap_or(u32::MAX);
    number(*place.lines.start())..=number(*place.lines.end())
}
