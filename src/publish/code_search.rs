//! Where the code of an open finding stands in the change as it is reviewed now.
//!
//! What the change adds is in it, in whichever of its files that is. A line that it does not add is other code, unless
//! it is the very one that the finding was about.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

use council_protocol::{Finding, Hunk, LineKind, Location, RepoPath};

use super::file_code::FileCode;
use super::kept::OpenFinding;
use super::line_origin::{ChangedLines, LineOrigin};
use super::lines_apart::{MAX_APART, ScatteredQuote, without_blanks};
use super::quote_place::{
    Kinship, QuotePlace, QuotedCode, find_quoted, find_returned, first_line, is_short,
};
use super::reviewed_side::{ReviewedSide, ReviewedText};
use crate::council::outcome::JudgedFinding;
use crate::text::telling_lines;

/// The code of an open finding, with what is known of where it stood, if it stood there letter by letter.
#[derive(Clone, Copy)]
pub(super) struct OpenCode<'a> {
    pub(super) finding: &'a Finding,
    pub(super) was: Option<&'a QuotePlace>,
    /// The finding as it was named there.
    pub(super) named: Option<&'a JudgedFinding>,
}

/// A file of the reviewed side.
pub(super) enum SearchedFile<'a> {
    Gone,
    Unreadable,
    Text(Box<SearchedText<'a>>),
}

pub(super) struct SearchedText<'a> {
    now: FileCode,
    lines: ChangedLines<'a>,
    /// The file before the change, read where somebody asks; none: there was none.
    before: OnceCell<Option<FileCode>>,
}

impl SearchedText<'_> {
    /// The line at which those lines of a quote stand that its finding is about, whatever came between them.
    fn line_apart(&self, code: &OpenCode<'_>) -> Option<u32> {
        let scattered = self.scattered(code);
        // Where its first lines are others by now, those that are left stand below the place where it began.
        let quoted = code.finding.quote.lines().count();
        let reach = MAX_APART.saturating_add(u32::try_from(quoted).unwrap_or(u32::MAX));
        scattered.line(&|at| is_near_its_place(&self.lines, at, code, reach))
    }

    fn scattered<'q>(&'q self, code: &OpenCode<'q>) -> ScatteredQuote<'q> {
        ScatteredQuote {
            code: &self.now.letters,
            finding: code.finding,
            // What stood in the file as it was quoted holds no line that the change removes.
            change: self.lines.change.filter(|_| code.was.is_none()),
            needs_all: false,
        }
    }
}

/// The reviewed side, each file read once.
pub(super) struct CodeSearch<'a> {
    pub(super) side: &'a ReviewedSide<'a>,
    files: RefCell<BTreeMap<RepoPath, Rc<SearchedFile<'a>>>>,
    /// The findings that were open.
    open: Vec<JudgedFinding>,
    /// Where findings stand by now, with where each stood.
    claimed: RefCell<Vec<(Location, FoundPlace)>>,
}

/// A place of a quote.
type FoundPlace = (RepoPath, u32, String);

impl<'a> CodeSearch<'a> {
    pub(super) fn of(side: &'a ReviewedSide<'a>, open: Vec<JudgedFinding>) -> Self {
        Self {
            side,
            files: RefCell::default(),
            open,
            claimed: RefCell::default(),
        }
    }

    /// Tells where a finding stands by now that stood elsewhere: of code that is there twice, no other one comes to the place.
    pub(super) fn claim(&self, was: &Location, now: &Finding) {
        let place = &now.location;
        let place = (place.path.clone(), place.line, now.quote.clone());
        self.claimed.borrow_mut().push((was.clone(), place));
    }

    /// Whether a place is that of another finding of the same code, by its name or because that has come there.
    fn is_taken(&self, code: &OpenCode<'_>, path: &RepoPath, line: u32) -> bool {
        let Some(named) = code.named else {
            return false;
        };
        let finding = code.finding;
        let is_other = |was: &Location| {
            (&was.path, was.line) != (&finding.location.path, finding.location.line)
        };
        let claimed = self.claimed.borrow();
        let is_claimed = claimed.iter().any(|(was, (there, at, quote))| {
            (there, *at, quote) == (path, line, &finding.quote) && is_other(was)
        });
        let is_named = |other: &JudgedFinding| {
            other.finding.quote == finding.quote
                && other.fingerprint != named.fingerprint
                && is_other(&other.finding.location)
                && (self.side.is_named_at)(other, path, line)
        };
        is_claimed || self.open.iter().any(is_named)
    }

    pub(super) fn file(&self, path: &RepoPath) -> Rc<SearchedFile<'a>> {
        let mut files = self.files.borrow_mut();
        let known = files.entry(path.clone());
        Rc::clone(known.or_insert_with(|| Rc::new(self.read_file(path))))
    }

    fn read_file(&self, path: &RepoPath) -> SearchedFile<'a> {
        match (self.side.read)(path) {
            ReviewedText::Gone => SearchedFile::Gone,
            ReviewedText::Unreadable => SearchedFile::Unreadable,
            ReviewedText::Text(text) => {
                let is_listed = self.side.files.contains(path);
                let lines = ChangedLines::of(path, self.side.changes, is_listed);
                SearchedFile::Text(Box::new(SearchedText {
                    now: FileCode::of(path, text),
                    before: OnceCell::new(),
                    lines,
                }))
            }
        }
    }

    fn before<'t>(&self, text: &'t SearchedText<'_>) -> Option<&'t FileCode> {
        let read = || {
            let path = text.lines.path_before()?;
            match (self.side.read_before)(path) {
                ReviewedText::Text(text) => Some(FileCode::of(path, text)),
                ReviewedText::Gone | ReviewedText::Unreadable => None,
            }
        };
        text.before.get_or_init(read).as_ref()
    }

    /// Whether the quote stood as often in the file before the change, where nobody knows which lines that adds.
    fn has_no_more_of(&self, text: &SearchedText<'_>, quote: &str) -> bool {
        let before = self.before(text).filter(|_| text.lines.are_unknown);
        let count = |file: &FileCode| file.letters.quoted_at(quote).len();
        before.is_some_and(|before| count(before) >= count(&text.now))
    }

    /// Whether lines of its file may be those of a finding.
    fn is_its_place(
        &self,
        code: &OpenCode<'_>,
        (path, text): (&RepoPath, &SearchedText<'_>),
        at: &RangeInclusive<u32>,
    ) -> bool {
        is_its_place(&text.lines, at, code) || self.is_paired(code, text, (path, *at.start()))
    }

    /// Whether the diff pairs the very lines of a finding with lines of other code, which is gone: what it takes for old lines
    /// did not stand between those lines before the change, or is new to their function.
    fn is_paired(
        &self,
        code: &OpenCode<'_>,
        text: &SearchedText<'_>,
        (path, line): (&RepoPath, u32),
    ) -> bool {
        let Some(before) = self.before(text).filter(|_| code.was.is_some()) else {
            return false;
        };
        let quote = &code.finding.quote;
        match self.kinship(code, text, (path, line)) {
            Kinship::Own => !text.now.stands_alike_in(before, quote, line),
            Kinship::SameFunction => text.now.has_more_in_function(before, quote, line),
            // Of lines that look alike, one has another name when another one is gone.
            Kinship::Other => {
                self.has_same_neighbours(code, text, line)
                    && !text.now.stands_alike_in(before, quote, line)
            }
            Kinship::Taken => false,
        }
    }

    /// Whether what stood around a finding outside of functions stands around this place outside of functions.
    fn has_same_neighbours(&self, code: &OpenCode<'_>, text: &SearchedText<'_>, line: u32) -> bool {
        let is_outside = text.now.functions.name_at(line).is_none();
        code.was.is_some_and(|was| {
            is_outside
                && was.within.is_none()
                && was.strangeness_at(&text.now.letters, code.finding, line) == 0
        })
    }

    /// The line of its own file at which the code of a finding stands. What proves a quote takes a part of a line for
    /// it: it is asked only where the letters are not there as they were kept.
    pub(super) fn own_line(&self, code: &OpenCode<'_>) -> Option<u32> {
        let path = &code.finding.location.path;
        let file = self.file(path);
        let SearchedFile::Text(text) = &*file else {
            return None;
        };
        let counts = |at: &RangeInclusive<u32>| self.is_its_place(code, (path, text), at);
        let kinship = |line: u32| self.kinship(code, text, (path, line));
        match find_quoted(&text.now.letters, code.finding, code.was, &counts, &kinship) {
            QuotedCode::At(line) => Some(line),
            QuotedCode::Edited => text.line_apart(code),
            QuotedCode::Missing if text.scattered(code).is_put_back() => None,
            QuotedCode::Missing => {
                (self.side.prove)(path, code.finding).or_else(|| text.line_apart(code))
            }
        }
    }

    /// Whether a place is the one that a finding is named by: of functions that are alike, only one has the name of its own.
    fn is_own(&self, code: &OpenCode<'_>, path: &RepoPath, line: u32) -> bool {
        code.named
            .is_some_and(|named| (self.side.is_named_at)(named, path, line))
    }

    /// How much a place of the same code in a file is the one of a finding.
    fn kinship(
        &self,
        code: &OpenCode<'_>,
        text: &SearchedText<'_>,
        (path, line): (&RepoPath, u32),
    ) -> Kinship {
        let within = code.was.and_then(|was| was.within.as_ref());
        if self.is_own(code, path, line) {
            Kinship::Own
        } else if self.is_taken(code, path, line) {
            Kinship::Taken
        } else if within.is_some() && text.now.functions.name_at(line).as_ref() == within {
            Kinship::SameFunction
        } else {
            Kinship::Other
        }
    }

    /// Whether another file has the very place of a finding, and that line of its own file is another place of the same text.
    /// A copy of its function as it was has all that the finding is named by, and leaves the function where it is.
    pub(super) fn has_left(&self, code: &OpenCode<'_>, line: u32) -> bool {
        let path = &code.finding.location.path;
        let file = self.file(path);
        let SearchedFile::Text(text) = &*file else {
            return true;
        };
        let kin = self.kinship(code, text, (path, line));
        code.named.is_some()
            && !matches!(kin, Kinship::Own | Kinship::SameFunction)
            && self
                .moved_place(code)
                .is_some_and(|(path, line)| self.is_own(code, &path, line))
    }

    /// Whether a finding of a judge quoted more than is kept, and the function in which that stood is still in its file.
    pub(super) fn may_hide(&self, kept: &OpenFinding) -> bool {
        let file = self.file(&kept.finding.location.path);
        let SearchedFile::Text(text) = &*file else {
            return false;
        };
        let was = kept.code_of(&kept.finding).was;
        let within = was.and_then(|was| was.within.as_ref());
        kept.is_cut
            && kept.finding.rule.is_none()
            && kept.removed_line.is_none()
            && within.is_none_or(|name| text.now.has_function(name))
    }

    /// Whether the code of a finding stands at a place letter by letter, as far as it is known that it did; of a quote that was
    /// cut also whether the same stands before it, in the same function and file.
    pub(super) fn stands_as_it_was(&self, kept: &OpenFinding, at: &Location) -> bool {
        let code = kept.code_of(&kept.finding);
        let file = self.file(&at.path);
        let (Some(was), SearchedFile::Text(text)) = (code.was, &*file) else {
            return true;
        };
        let places = text.now.letters.quoted_at(&kept.finding.quote);
        let place = places.iter().find(|place| first_line(place) == at.line);
        place.is_some_and(|place| {
            !kept.is_cut
                || at.path == kept.finding.location.path
                    && was.around.begins_alike(place)
                    && was.within == text.now.functions.name_at(at.line)
        })
    }

    /// The line of its own file at which the code of a finding stands again that had gone.
    pub(super) fn returned_line(&self, code: &OpenCode<'_>) -> Option<u32> {
        let path = &code.finding.location.path;
        let file = self.file(path);
        let SearchedFile::Text(text) = &*file else {
            return None;
        };
        let counts = |at: &RangeInclusive<u32>| self.is_its_place(code, (path, text), at);
        let kinship = |line: u32| match self.kinship(code, text, (path, line)) {
            // What comes back may be found once more.
            Kinship::Taken => Kinship::Other,
            kin => kin,
        };
        let as_it_was = find_returned(
            &text.now.letters,
            code.finding,
            code.was?,
            &counts,
            &kinship,
        );
        // Its lines may all be back with others between them.
        as_it_was.or_else(|| text.scattered(code).needing_all().line(&counts))
    }

    /// The same in another file: where its own is still there, only with all that it is known by.
    pub(super) fn returned_place(&self, code: &OpenCode<'_>) -> Option<(RepoPath, u32)> {
        let is_gone = matches!(*self.file(&code.finding.location.path), SearchedFile::Gone);
        let needs_all = !is_gone || is_short(code.finding);
        // Reading every file again and again takes long.
        let may_be_there = is_gone || self.adds_quote(code.finding);
        let place = may_be_there.then(|| self.moved_place(code)).flatten();
        place.filter(|(path, line)| !needs_all || self.is_own(code, path, *line))
    }

    /// Whether the change adds a line that is the first of a quote, as far as its lines are known.
    fn adds_quote(&self, finding: &Finding) -> bool {
        let quoted = telling_lines(&finding.quote);
        let Some(first) = quoted.first().map(|line| without_blanks(line)) else {
            return false;
        };
        self.side.changes.iter().any(|change| {
            let mut lines = change.hunks.iter().flat_map(Hunk::lines);
            change.hunks.is_empty()
                || lines.any(|line| {
                    line.kind == LineKind::Added && without_blanks(line.text).contains(&first)
                })
        })
    }

    /// Where the code of a finding stands that is no longer in its file: in lines that the change adds to another one, or
    /// where its file is now. Of several places the one that is most like its own.
    pub(super) fn moved_place(&self, code: &OpenCode<'_>) -> Option<(RepoPath, u32)> {
        let own = &code.finding.location.path;
        let others = self.side.files.iter().filter(|path| *path != own);
        let places = others.filter_map(|path| Some((path, self.line_elsewhere(path, code)?)));
        let best = places.min_by_key(|(path, line)| self.strangeness(code, path, *line));
        best.map(|(path, line)| (path.clone(), line))
    }

    /// How little a place in another file is like the one of a finding.
    fn strangeness(&self, code: &OpenCode<'_>, path: &RepoPath, line: u32) -> u8 {
        let file = self.file(path);
        let SearchedFile::Text(text) = &*file else {
            return u8::MAX;
        };
        let taken = match self.kinship(code, text, (path, line)) {
            Kinship::Own => return 0,
            Kinship::Taken => 4,
            Kinship::SameFunction | Kinship::Other => 0,
        };
        let around = code.was.map_or(0, |was| {
            was.strangeness_at(&text.now.letters, code.finding, line)
        });
        // What a file has that is as it was at the last review stood there then, too.
        let known = 8 * u8::from(!(self.side.is_judged)(path));
        // git knows that it was renamed.
        1 + taken + known + around + 2 * u8::from(!is_moved_file(&text.lines, code))
    }

    fn line_elsewhere(&self, path: &RepoPath, code: &OpenCode<'_>) -> Option<u32> {
        let file = self.file(path);
        let SearchedFile::Text(text) = &*file else {
            return None;
        };
        let lines = &text.lines;
        let is_moved = is_moved_file(lines, code);
        let counts = |at: &RangeInclusive<u32>| match is_moved {
            true => self.is_its_place(code, (path, text), at),
            false => lines.adds(at),
        };
        if !is_moved && (!lines.adds_any() || self.has_no_more_of(text, &code.finding.quote)) {
            return None;
        }
        let kinship = |line: u32| self.kinship(code, text, (path, line));
        let found = match find_quoted(&text.now.letters, code.finding, code.was, &counts, &kinship)
        {
            QuotedCode::At(line) => Some(line),
            // To prove a quote takes long, and there are many files: what stood letter by letter is found by its
            // letters.
            QuotedCode::Missing if code.was.is_none() => {
                (self.side.prove)(path, code.finding).filter(|line| counts(&(*line..=*line)))
            }
            QuotedCode::Edited | QuotedCode::Missing => None,
        };
        let apart = || match is_moved {
            true => text.scattered(code),
            false => text.scattered(code).needing_all(),
        };
        found.or_else(|| apart().line(&counts))
    }
}

/// Whether a file is the one of a finding under another name.
fn is_moved_file(lines: &ChangedLines<'_>, code: &OpenCode<'_>) -> bool {
    let stood_in = match code.was.and_then(|was| was.origin.as_ref()) {
        Some(LineOrigin::Old { object, .. }) => Some(object.clone()),
        Some(LineOrigin::Added) | None => None,
    };
    lines.path_before() == Some(&code.finding.location.path)
        || (stood_in.is_some() && lines.object_before() == stood_in)
}

/// Puts a finding, with what each judge says of it, to another place.
pub(super) fn move_finding(found: &mut JudgedFinding, path: &RepoPath, line: u32) {
    let members = found.members.iter_mut().map(|member| &mut member.finding);
    for finding in members.chain([&mut found.finding]) {
        let place = &mut finding.location;
        let lines = place.end_line.map(|end| end.saturating_sub(place.line));
        place.path = path.clone();
        place.line = line;
        place.end_line = lines.map(|lines| line + lines);
    }
}

/// Whether lines of its file may be those of a finding: the change adds them, or it was about them. After a change of
/// what the file is compared with nobody knows the number of an old line.
fn is_its_place(lines: &ChangedLines<'_>, at: &RangeInclusive<u32>, code: &OpenCode<'_>) -> bool {
    is_near_its_place(lines, at, code, 0)
}

/// The same of lines that may stand so many lines below the place of the finding.
fn is_near_its_place(
    lines: &ChangedLines<'_>,
    at: &RangeInclusive<u32>,
    code: &OpenCode<'_>,
    below: u32,
) -> bool {
    if lines.adds(at) {
        return true;
    }
    match code.was.and_then(|was| was.origin.as_ref()) {
        None => true,
        Some(LineOrigin::Added) => false,
        Some(LineOrigin::Old { object, line }) => match lines.origin_of(at) {
            Some(LineOrigin::Old {
                object: now,
                line: at,
            }) => now != *object || (*line..=line.saturating_add(below)).contains(&at),
            Some(LineOrigin::Added) | None => true,
        },
    }
}
