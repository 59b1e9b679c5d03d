//! Components of Vue: a prop or an event that code calls `cardTitle` is an attribute `card-title` of whoever uses it.

use std::collections::BTreeSet;

use council_protocol::RepoPath;

use super::super::read_side::ReadSide;
use super::super::search::FileOutline;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::{CodeWord, WordUse, is_name};
use super::place::{ReadingPlace, line_of, read_name};
use super::reader::Reader;
use super::spelling;

/// Whether a file holds a component.
pub(super) fn is_component(path: &str) -> bool {
    path.ends_with(".vue")
}

/// What reads the props and the events of a component on edited lines.
pub(super) fn edited_names(sides: &[Option<ReadSide<'_>>; 2]) -> Vec<WantedName> {
    let mut names = BTreeSet::new();
    for (index, side) in sides.iter().enumerate() {
        let Some(side) = side else { continue };
        let declaring = declaring_lines(side.text);
        for line in side.lines.iter().filter(|line| declaring.contains(*line)) {
            // Nobody has given what is only added.
            if index == 0 {
                names.extend(names_on(&side.outline, *line));
            }
            names.extend(
                holding_line(&side.outline, *line, &declaring)
                    .into_iter()
                    .flat_map(|line| names_on(&side.outline, line)),
            );
        }
    }
    let path = sides.iter().flatten().last().map(|side| side.path.clone());
    let spelled = names
        .iter()
        .flat_map(|name| [spelling::kebab(name), spelling::camel(name)]);
    let spelled: BTreeSet<String> = spelled.collect();
    let of = |path: RepoPath| {
        spelled
            .iter()
            .map(move |text| read_name(text, NameReason::Changed, Reader::Attribute(path.clone())))
    };
    path.into_iter().flat_map(of).collect()
}

/// The names of several words on a line that may be those of props or events.
fn names_on(outline: &FileOutline<'_>, line: u32) -> Vec<String> {
    let name = |word: &CodeWord<'_>| {
        let text = match word.how {
            WordUse::Key => word.text.rsplit(':').next()?,
            _ => word.text,
        };
        let is_small =
            text.starts_with(|c: char| c.is_ascii_lowercase()) && !text.contains(['_', '.', '/']);
        (is_small && spelling::words_of(text).len() > 1).then(|| text.to_owned())
    };
    outline
        .words_at(line)
        .iter()
        .filter_map(name)
        .filter(|name| !name.starts_with("define"))
        .collect()
}

/// The lines on which a component declares what it is given and what it tells, and those that tell it.
fn declaring_lines(text: &str) -> BTreeSet<u32> {
    const BEGINS: [&str; 9] = [
        "defineProps",
        "defineEmits",
        "defineModel",
        "withDefaults",
        "props:",
        "emits:",
        "emit(",
        "interface ",
        "type ",
    ];
    let begins = BEGINS.iter().flat_map(|begin| {
        text.match_indices(begin)
            .map(move |(at, _)| (at, begin.len()))
    });
    begins
        .flat_map(|(at, length)| {
            let skip = if text[at..at + length].ends_with('(') {
                length - 1
            } else {
                length
            };
            let first = line_of(text, at);
            first..=line_of(text, at + skip + bracketed(&text[at + skip..]))
        })
        .collect()
}

/// How long it is until the first bracket of a text is closed.
fn bracketed(text: &str) -> usize {
    const MAX_DECLARED: usize = 8 << 10;
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().take(MAX_DECLARED) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth <= 1 => return at,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    0
}

/// The line that opens what a line stands in: `cardSize: {` above `type: Number,`.
fn holding_line(outline: &FileOutline<'_>, line: u32, declaring: &BTreeSet<u32>) -> Option<u32> {
    let indent = |line: u32| {
        let code = outline.line(line);
        code.len() - code.trim_start().len()
    };
    let above = (1..line).rev().take_while(|line| declaring.contains(line));
    let mut above = above.filter(|above| !outline.line(*above).trim().is_empty());
    let holding = above.find(|above| indent(*above) < indent(line))?;
    outline
        .line(holding)
        .trim_end()
        .ends_with(['{', '[', '('])
        .then_some(holding)
}

impl ReadingPlace<'_, '_> {
    /// Whether a tag of a component has an attribute of that name: `card-title="a"`, `:card-title`, `@save-done`.
    pub(super) fn is_attribute(&self, component: &RepoPath) -> bool {
        let path = self.file.path.display();
        let is_page = is_component(&path) || path.ends_with(".html") || path.ends_with(".htm");
        is_page
            && self.around().iter().any(|(before, behind)| {
                let is_begun = before.is_empty() || before.ends_with([' ', '\t', ':', '@']);
                let is_ended = behind.is_empty() || behind.starts_with(['=', ' ', '>', '/', '.']);
                let tag = || self.tag_around(before);
                is_begun && is_ended && tag().is_some_and(|tag| self.is_tag_of(&tag, component))
            })
    }

    /// The tag in which a place stands that has this before it on its line.
    fn tag_around(&self, before: &str) -> Option<String> {
        const MAX_TAG: u32 = 30;
        let above = (1..self.line).rev().take(MAX_TAG as usize);
        let above = above.map(|line| self.outline.line(line));
        std::iter::once(before).chain(above).find_map(opened_tag)
    }

    /// Whether a tag is that of a component: by its name, by the names of its folders before it, or as it is imported.
    fn is_tag_of(&self, tag: &str, component: &RepoPath) -> bool {
        let path = component.display();
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
        let (folder, stem) = match file.strip_suffix(".vue").unwrap_or(file) {
            "index" => folder.rsplit_once('/').unwrap_or(("", folder)),
            stem => (folder, stem),
        };
        let (plain, stem) = (spelling::plain(tag), spelling::plain(stem));
        let of_folders = plain
            .strip_suffix(&stem)
            .is_some_and(|before| spelling::plain(folder).ends_with(before));
        let is_import = |line: &str| {
            let mut words = line.split(|c| !is_name(c));
            line.contains("import")
                && line.contains(file)
                && words.any(|word| spelling::plain(word) == plain)
        };
        !stem.is_empty() && (of_folders || self.file.text.lines().any(is_import))
    }
}

/// The tag that a piece of a line opens last; an empty one: what it opens is closed.
fn opened_tag(code: &str) -> Option<String> {
    let at = code.rfind('<')?;
    let name = code[at + 1..]
        .split(|c: char| !(is_name(c) || c == '-'))
        .next()?;
    Some(name.to_owned())
}
