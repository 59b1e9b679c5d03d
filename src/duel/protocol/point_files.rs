//! A file that stands in a heading or in a line of its own, and the lines of it that the points below name.

use council_protocol::{Location, RepoPath};

use super::blocks::{BlockShape, TextBlock};
use super::claim_place::{find_location, find_path_and_line};

/// How many words stand in front of a line's number at most: an id, a severity, and `line`.
const MAX_WORDS_BEFORE: usize = 4;

/// Gives the points below a file their places, where they name a line and no file.
pub(super) fn place_below_files(blocks: &mut [TextBlock<'_>]) {
    let mut above: Option<FileAbove> = None;
    for block in blocks {
        if let Some(found) = FileAbove::of(block) {
            above = Some(found);
            continue;
        }
        above = above.filter(|file| !file.ends_at(block));
        let Some(file) = &above else { continue };
        let is_placed = block.fields.location(true).is_some()
            || find_location(&block.words()).is_some()
            || find_path_and_line(&block.head, true).is_some();
        if !is_placed {
            let own = block.fields.line.as_deref().and_then(numbers_in);
            block.fields.place = own
                .or_else(|| named_lines(&block.head))
                .map(|lines| file.place(lines));
        }
    }
}

/// A file, and how far it reaches.
struct FileAbove {
    path: String,
    shape: BlockShape,
    indent: usize,
}

impl FileAbove {
    fn of(block: &TextBlock<'_>) -> Option<Self> {
        let fields = &block.fields;
        let is_lead = !matches!(block.shape, BlockShape::Row) && !fields.is_layout;
        let alone = file_alone(&block.head).filter(|_| is_lead);
        // A labelled line that nothing belongs to.
        let is_bare = block.head.is_empty() && fields.line.is_none() && fields.text.is_empty();
        let labelled = || {
            fields
                .file
                .as_deref()
                .filter(|_| is_bare)
                .and_then(file_alone)
        };
        let path = alone.or_else(labelled)?;
        Some(Self {
            path,
            shape: block.shape,
            indent: block.indent,
        })
    }

    fn ends_at(&self, block: &TextBlock<'_>) -> bool {
        match (self.shape, block.shape) {
            (BlockShape::Heading(own), BlockShape::Heading(other)) => other <= own,
            (_, BlockShape::Heading(_)) => true,
            (own, other) => own.is_item() && !(other.is_item() && block.indent > self.indent),
        }
    }

    fn place(&self, (line, end_line): (u32, Option<u32>)) -> Location {
        Location {
            path: RepoPath::from(self.path.as_str()),
            line,
            end_line,
        }
    }
}

/// The path that a line is nothing but, however it is set: `` ### `src/pay.py` ``, `**File: src/pay.py**`.
fn file_alone(head: &str) -> Option<String> {
    let around = |c: char| c.is_whitespace() || "*_`#:[]()".contains(c);
    let head = head.trim_matches(around);
    let named = ["File", "file", "In", "in"]
        .iter()
        .find_map(|label| head.strip_prefix(label)?.strip_prefix([':', ' ']));
    let path = named.unwrap_or(head).trim_matches(around);
    let (name, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    let is_ending = (1..=8).contains(&ending.len())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        && !ending.bytes().all(|b| b.is_ascii_digit());
    let is_path =
        !name.is_empty() && !path.contains(|c: char| c.is_whitespace() || "`,;:".contains(c));
    (is_path && is_ending).then(|| path.to_owned())
}

/// The lines that a text names near its beginning: `L8`, `line 8`, `Lines 8-9`.
fn named_lines(head: &str) -> Option<(u32, Option<u32>)> {
    let between = |c: char| c.is_whitespace() || "*_`:()[],.".contains(c);
    let words: Vec<&str> = head
        .split(between)
        .filter(|word| word.contains(char::is_alphanumeric))
        .collect();
    let at = |nth: usize| {
        let word = words.get(nth)?;
        let bare = word.strip_prefix(['L', 'l']).and_then(numbers_in);
        let is_label = ["line", "lines", "l"].contains(&word.to_lowercase().as_str());
        bare.or_else(|| numbers_in(words.get(nth + 1).filter(|_| is_label)?))
    };
    (0..MAX_WORDS_BEFORE).find_map(at)
}

/// `8`, `8-9`, `L8–L9`.
fn numbers_in(text: &str) -> Option<(u32, Option<u32>)> {
    let mut numbers = text.trim().split(['-', '–']).map(|number| {
        let number = number.trim().trim_start_matches(['L', 'l']);
        number.parse::<u32>().ok().filter(|line| *line > 0)
    });
    let first = numbers.next()??;
    let last = numbers.next().flatten().filter(|last| *last > first);
    Some((first, last))
}
