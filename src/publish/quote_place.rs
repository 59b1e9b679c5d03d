//! Whether code that was quoted is still there: a line that something was added to is another one.
//!
//! Who quotes a whole line means that line: "return row[0]" stands no more where "return row[0] if row else None" does.
//! A formatter makes no other code of it by joining it with the lines around it. Who quotes a part of a line means that
//! part, whatever becomes of the rest.

use std::collections::BTreeMap;

use council_protocol::{Finding, RepoPath};
use serde::{Deserialize, Serialize};

use super::carry::ReviewedText;
use crate::packet::sha256;
use crate::report::Report;
use crate::text::{CodeLetters, CodePlace};

/// How many hexadecimal digits of a digest are kept: a comment has little room.
const DIGITS: usize = 6;

/// What stood around the whole lines of a quote, as digests: it may be a part of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteNeighbours {
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

    /// Whether the quote's lines are whole at a place, or joined there with what stood around them.
    fn is_kept_at(&self, place: &CodePlace<'_>) -> bool {
        let now = Self::of(place);
        (place.begins_line || now.before == self.before)
            && (place.ends_line || now.behind == self.behind)
    }
}

/// The neighbours of quotes that were whole lines, each by [`quote_name`].
pub(super) type WholeQuotes = BTreeMap<String, QuoteNeighbours>;

/// What a quote is called among those of a report.
pub(super) fn quote_name(finding: &Finding) -> String {
    let place = format!("{}\n{}", finding.location.path.display(), finding.quote);
    sha256(place.as_bytes())[..DIGITS].to_owned()
}

/// The quotes of a report that are whole lines of the files that `read` gives.
pub(crate) fn find_whole_quotes(
    report: &Report,
    read: &dyn Fn(&RepoPath) -> ReviewedText,
) -> WholeQuotes {
    let mut files: BTreeMap<&RepoPath, Option<String>> = BTreeMap::new();
    let findings = report.outcome.findings.iter();
    let said = findings.flat_map(|found| {
        let members = found.members.iter().map(|member| &member.finding);
        members.chain([&found.finding])
    });
    let mut whole = WholeQuotes::new();
    for finding in said.filter(|finding| !finding.quote.trim().is_empty()) {
        let path = &finding.location.path;
        let text = files.entry(path).or_insert_with(|| match read(path) {
            ReviewedText::Text(text) => Some(text),
            ReviewedText::Gone | ReviewedText::Unreadable => None,
        });
        let neighbours = text.as_ref().and_then(|text| neighbours_in(text, finding));
        whole.extend(neighbours.map(|neighbours| (quote_name(finding), neighbours)));
    }
    whole
}

/// What stands around the quote of a finding; none: it is a part of its line, or is not there letter by letter.
pub(super) fn neighbours_in(text: &str, finding: &Finding) -> Option<QuoteNeighbours> {
    let code = CodeLetters::of(text.lines());
    let places = code.quoted_at(&finding.quote);
    let nearest = places.iter().min_by_key(|place| distance(place, finding))?;
    (nearest.begins_line && nearest.ends_line).then(|| QuoteNeighbours::of(nearest))
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

/// Where the code of a finding stands in a text, the nearest place to the one where it stood.
pub(super) fn find_quoted(
    text: &str,
    finding: &Finding,
    was: Option<&QuoteNeighbours>,
) -> QuotedCode {
    let code = CodeLetters::of(text.lines());
    let places = code.quoted_at(&finding.quote);
    let kept = places
        .iter()
        .filter(|place| was.is_none_or(|was| was.is_kept_at(place)));
    let nearest = kept.min_by_key(|place| distance(place, finding));
    match nearest.map(first_line) {
        Some(line) => QuotedCode::At(line),
        // Whole lines were there letter by letter.
        None if places.is_empty() && was.is_none() => QuotedCode::Missing,
        None => QuotedCode::Edited,
    }
}

fn distance(place: &CodePlace<'_>, finding: &Finding) -> u32 {
    first_line(place).abs_diff(finding.location.line)
}

fn first_line(place: &CodePlace<'_>) -> u32 {
    u32::try_from(place.lines.start() + 1).unwrap_or(u32::MAX)
}
