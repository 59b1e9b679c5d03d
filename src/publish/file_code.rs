//! The code of a file on one side of the change, function by function. A diff pairs lines that are alike, whichever functions
//! they stand in; what a function has of a line, before the change and now, does not depend on that.

use council_protocol::RepoPath;

use super::quote_place::{FileFunctions, QuoteNeighbours, first_line};
use crate::text::{CodeLetters, CodePlace};

pub(super) struct FileCode {
    pub(super) letters: CodeLetters,
    pub(super) functions: FileFunctions,
}

impl FileCode {
    pub(super) fn of(path: &RepoPath, text: String) -> Self {
        Self {
            letters: CodeLetters::of(text.lines()),
            functions: FileFunctions::of(path, text),
        }
    }

    /// Whether more of a quote stands here than there in the function of a line; none stands outside of functions.
    pub(super) fn has_more_in_function(&self, there: &Self, quote: &str, line: u32) -> bool {
        let name = self.functions.name_at(line);
        name.is_some_and(|name| self.count_in(&name, quote) > there.count_in(&name, quote))
    }

    /// The same; outside of functions: whether it stands nowhere there as it does here.
    pub(super) fn has_more_than(&self, there: &Self, quote: &str, line: u32) -> bool {
        match self.functions.name_at(line) {
            Some(_) => self.has_more_in_function(there, quote, line),
            None => {
                let own = self.letters.quoted_at(quote);
                let own = own.iter().find(|place| first_line(place) == line);
                own.is_some_and(|own| !there.has_outside(quote, own))
            }
        }
    }

    /// The line nearest to this one at which a quote begins.
    pub(super) fn nearest_to(&self, quote: &str, line: u32) -> Option<u32> {
        let places = self.letters.quoted_at(quote);
        let lines = places.iter().map(first_line);
        lines.min_by_key(|there| there.abs_diff(line))
    }

    /// Whether a function has this name, as a digest.
    pub(super) fn has_function(&self, name: &str) -> bool {
        let mut lines = 1..=self.letters.line_count();
        lines.any(|line| self.functions.name_at(line).as_deref() == Some(name))
    }

    fn count_in(&self, function: &str, quote: &str) -> usize {
        let places = self.letters.quoted_at(quote);
        let within = |place: &&CodePlace<'_>| {
            self.functions.name_at(first_line(place)).as_deref() == Some(function)
        };
        places.iter().filter(within).count()
    }

    fn has_outside(&self, quote: &str, like: &CodePlace<'_>) -> bool {
        let wanted = QuoteNeighbours::of(like);
        let places = self.letters.quoted_at(quote);
        places.iter().any(|place| {
            self.functions.name_at(first_line(place)).is_none()
                && QuoteNeighbours::of(place) == wanted
        })
    }
}
