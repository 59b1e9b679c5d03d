//! Brings what belongs to one point together, in whatever layout it is written: a title with labelled lines below it, a
//! heading that is nothing but a severity with its items, a table with named columns.
//!
//! What was taken in stays among the block's words: nothing that a side says is lost by being a part of a point.

use council_protocol::Severity;
use council_protocol::answer::Stance;

use super::DuelRole;
use super::block_stance::stance_of_block;
use super::blocks::{BlockShape, TextBlock, is_table_rule};
use super::claim_place::find_location;
use super::leading_refs::{split_refs, starts_with_place};
use super::plain_forms::is_plain;
use super::point_fields::{FieldName, field_name, makes_point, split_fields};
use super::point_files::place_below_files;
use super::point_leads::{PointLead, is_group, is_weighable};
use super::point_ref::PointId;
use super::point_severity::{is_severity_alone, parse_severity};
use super::wording::{parse_vote, split_label};
use crate::council::plain_words::{Words, objects};

/// The blocks of a section by `author`, each with everything that belongs to its point.
pub(super) fn gather_points<'a>(
    blocks: Vec<TextBlock<'a>>,
    author: Option<DuelRole>,
    is_opening: bool,
) -> Vec<TextBlock<'a>> {
    let mut gatherer = PointGatherer {
        author,
        is_opening,
        gathered: Vec::new(),
        open: None,
        columns: Vec::new(),
    };
    let repeated = next_fields(&blocks);
    for (block, next) in blocks.into_iter().zip(repeated) {
        gatherer.take_block(block, &next);
    }
    let mut points = gatherer.spread_leads();
    place_below_files(&mut points);
    points
}

type Fields = Vec<(FieldName, String)>;

/// For each block the labelled lines that stand right below it.
fn next_fields(blocks: &[TextBlock<'_>]) -> Vec<Fields> {
    let own = |block: &TextBlock<'_>| rest_fields(block);
    let below = |at: usize| blocks.get(at + 1).map(fields_of).unwrap_or_default();
    let each = blocks.iter().enumerate();
    each.map(|(at, block)| [own(block), below(at)].concat())
        .collect()
}

/// The labelled values of a block that is nothing but them.
fn fields_of(block: &TextBlock<'_>) -> Fields {
    if matches!(block.shape, BlockShape::Heading(_)) || parse_vote(&block.head).is_some() {
        return Vec::new();
    }
    let fields = split_fields(&block.head);
    if fields.is_empty() {
        return fields;
    }
    [fields, rest_fields(block)].concat()
}

/// The labelled values of the lines below a block's first one.
fn rest_fields(block: &TextBlock<'_>) -> Fields {
    let lines = block.rest.iter().filter(|line| line.is_text());
    lines.flat_map(|line| split_fields(&line.text)).collect()
}

/// Words with which a side speaks of the other's points and not of its own.
const TO_THE_OTHER: [&str; 17] = [
    "you",
    "your",
    "yours",
    "agent a",
    "agent b",
    "other agent",
    "other side",
    "agree",
    "agreed",
    "disagree",
    "disagreed",
    "convinced",
    "unconvinced",
    "persuaded",
    "dispute",
    "refute",
    "reject",
];

struct PointGatherer<'a> {
    author: Option<DuelRole>,
    is_opening: bool,
    gathered: Vec<TextBlock<'a>>,
    /// The point that the next blocks may belong to.
    open: Option<usize>,
    /// What the columns of the table are that is being read.
    columns: Vec<Option<FieldName>>,
}

impl<'a> PointGatherer<'a> {
    fn take_block(&mut self, block: TextBlock<'a>, below: &Fields) {
        if block.shape == BlockShape::Row {
            if self.read_columns(&block) {
                return;
            }
            if !self.columns.is_empty() {
                let row = self.with_columns(block);
                return self.push(row, None);
            }
        }
        self.columns.clear();
        let fields = fields_of(&block);
        if !fields.is_empty() && self.take_fields(&block, &fields) {
            return;
        }
        if let Some(at) = self.open
            && self.belongs(&self.gathered[at], &block, below)
        {
            return self.take_text(at, block);
        }
        self.begin(block);
    }

    fn push(&mut self, block: TextBlock<'a>, open: Option<usize>) {
        self.gathered.push(block);
        self.open = open;
    }

    /// A block that begins a point or is none; its own lines may be labelled.
    fn begin(&mut self, mut block: TextBlock<'a>) {
        let is_layout = makes_point(&rest_fields(&block)) && self.can_begin(&block);
        if is_layout {
            take_rest(&mut block);
        }
        let at = self.gathered.len();
        self.push(block, is_layout.then_some(at));
    }

    /// Labelled lines belong to the point above them; where there is none they are one.
    fn take_fields(&mut self, block: &TextBlock<'a>, fields: &Fields) -> bool {
        let open = self
            .open
            .filter(|at| !self.gathered[*at].fields.repeats(fields));
        if let Some(at) = open {
            self.absorb(at, block);
            return true;
        }
        let is_free = match self.gathered.last() {
            None => true,
            Some(last) => self.open.is_some() || parse_vote(&last.head).is_some() || is_group(last),
        };
        let title = self.title_above(block).filter(|_| self.open.is_none());
        let is_begun = title.is_some_and(|at| self.is_named_heading(&self.gathered[at]));
        if !makes_point(fields) && !is_begun {
            return false;
        }
        match title {
            Some(at) => {
                self.take_between(at);
                self.absorb(at, block);
                self.open = Some(at);
                true
            }
            None if is_free => {
                let head = TextBlock {
                    head: String::new(),
                    rest: Vec::new(),
                    ..block.clone()
                };
                self.push(head, Some(self.gathered.len()));
                self.absorb(self.gathered.len() - 1, block);
                true
            }
            None => false,
        }
    }

    /// The title that labelled lines stand below: what is right above them, or the heading of that.
    fn title_above(&self, fields: &TextBlock<'_>) -> Option<usize> {
        let last = self.gathered.len().checked_sub(1)?;
        let above = &self.gathered[last];
        let is_inside = above.shape.is_item() && fields.indent > above.indent;
        let is_title = is_inside || above.head.starts_with("**") || self.names_own(above);
        let mut heading = None;
        if !is_title {
            for at in (0..=last).rev() {
                let block = &self.gathered[at];
                if matches!(block.shape, BlockShape::Heading(_)) {
                    heading = Some(at).filter(|_| !is_group(block));
                    break;
                }
                if block.fields.is_layout || self.names_any(block) || starts_with_place(&block.head)
                {
                    break;
                }
            }
        }
        let at = heading.unwrap_or(last);
        self.can_begin(&self.gathered[at]).then_some(at)
    }

    /// What stands between a title and its first labelled line is its text.
    fn take_between(&mut self, at: usize) {
        for block in self.gathered.split_off(at + 1) {
            self.open = Some(at);
            self.take_text(at, block);
        }
        let point = &mut self.gathered[at];
        take_rest(point);
        // "**ID:** A1" is a labelled line as well.
        if !split_fields(&point.head).is_empty() {
            let first = std::mem::take(&mut point.head);
            take_line(point, &first);
        }
    }

    /// Takes in what is labelled, and the words and quotes among it.
    fn absorb(&mut self, at: usize, block: &TextBlock<'a>) {
        let mut part = block.clone();
        let first = std::mem::take(&mut part.head);
        take_rest(&mut part);
        let point = &mut self.gathered[at];
        take_line(point, &first);
        let below = part.fields;
        for line in below.lines {
            take_line(point, &line);
        }
        point.rest.append(&mut part.rest);
        point.fields.is_layout = true;
        if let Some(id) = point.fields.id.take()
            && Some(id.role) == self.author
            && split_refs(point).0.ids.is_empty()
        {
            point.head = format!("{id} — {}", point.head);
        }
    }

    fn take_text(&mut self, at: usize, block: TextBlock<'a>) {
        // What takes a stance, or objects to more than the point says, is heard by itself, too.
        let stance = stance_of_block(&block).filter(|_| !self.is_opening);
        let is_said = stance.is_some() && Words::of(&block.words()).has_any(&TO_THE_OTHER);
        let point = &self.gathered[at];
        let severity = point
            .fields
            .severity
            .unwrap_or_else(|| parse_severity(&point.head));
        let is_heard = is_said || objects(&block.words()) && severity < Severity::Critical;
        let mut part = block.clone();
        let point = &mut self.gathered[at];
        take_line(point, &part.head);
        part.head.clear();
        let quotes = part.rest.iter().filter(|line| !line.is_text()).copied();
        let quotes: Vec<_> = quotes.collect();
        take_rest(&mut part);
        for line in part.fields.lines {
            take_line(point, &line);
        }
        point.rest.extend(quotes);
        if is_heard {
            self.gathered.push(TextBlock {
                rest: block
                    .rest
                    .iter()
                    .filter(|line| line.is_text())
                    .copied()
                    .collect(),
                ..block
            });
        }
    }

    /// Whether a block is more text of the point above it.
    fn belongs(&self, point: &TextBlock<'_>, block: &TextBlock<'_>, below: &Fields) -> bool {
        let is_text = match block.shape {
            BlockShape::Paragraph => true,
            BlockShape::Bullet | BlockShape::Numbered(_) => {
                block.indent > point.indent || !point.shape.is_item()
            }
            BlockShape::Heading(_) | BlockShape::Row => false,
        };
        let (refs, rest) = split_refs(block);
        let words = block.words();
        let is_inside = point.shape.is_item() && block.indent > point.indent;
        let has_place = starts_with_place(&block.head)
            || block.shape.is_item() && find_location(&words).is_some();
        let agrees = || matches!(stance_of_block(block), Some((Stance::Agreed, _)));
        is_text
            && refs.ids.is_empty()
            && !self.names_any(block)
            && parse_vote(&block.head).is_none()
            && !is_severity_alone(&block.head)
            && !point.fields.repeats(below)
            && (is_inside || !has_place)
            && !is_plain(&words)
            && split_label(rest).is_none()
            && (self.is_opening || !agrees())
    }

    /// Whether a block may be the title of one of the author's points.
    fn can_begin(&self, block: &TextBlock<'_>) -> bool {
        let (refs, rest) = split_refs(block);
        let is_own = refs.ids.is_empty() || refs.ids.len() == 1 && self.names_own(block);
        let answers =
            || split_label(rest).is_some() || refs.ids.is_empty() && self.names_other(block);
        is_own
            && block.shape != BlockShape::Row
            && parse_vote(&block.head).is_none()
            && !is_group(block)
            && (self.is_opening || !answers())
    }

    /// Whether a heading names one of the author's points: what is labelled below it needs neither severity nor place.
    fn is_named_heading(&self, block: &TextBlock<'_>) -> bool {
        matches!(block.shape, BlockShape::Heading(_)) && self.names_own(block)
    }

    fn names_own(&self, block: &TextBlock<'_>) -> bool {
        let ids = split_refs(block).0.ids;
        !ids.is_empty() && ids.iter().all(|id| Some(id.role) == self.author)
    }

    fn names_other(&self, block: &TextBlock<'_>) -> bool {
        ids_in(&block.words()).any(|id| Some(id.role) != self.author)
    }

    fn names_any(&self, block: &TextBlock<'_>) -> bool {
        ids_in(&block.words()).next().is_some()
    }

    /// The head of a table that names where points have their severity or place.
    fn read_columns(&mut self, block: &TextBlock<'_>) -> bool {
        if !block.rest.iter().any(|line| is_table_rule(&line.text)) {
            return false;
        }
        let cells = block.head.trim_end().trim_end_matches('|').split('|');
        let columns: Vec<_> = cells.map(field_name).collect();
        let has = |name: FieldName| columns.contains(&Some(name));
        let stances = [
            "stance", "response", "position", "answer", "label", "reply", "agreed",
        ];
        let is_answer = Words::of(&block.head).has_any(&stances);
        let is_points = has(FieldName::Severity) || has(FieldName::Place) || has(FieldName::File);
        self.columns.clear();
        self.open = None;
        if is_points && !is_answer {
            self.columns = columns;
        }
        !self.columns.is_empty()
    }

    /// A row with its cells as labelled lines.
    fn with_columns(&self, block: TextBlock<'a>) -> TextBlock<'a> {
        if ids_in(&block.head).any(|id| Some(id.role) != self.author) {
            return block;
        }
        let head = block.head.trim_end();
        let head = head.strip_suffix('|').unwrap_or(head);
        let mut row = TextBlock {
            head: String::new(),
            ..block.clone()
        };
        for (cell, column) in head.split('|').zip(&self.columns) {
            let cell = cell.trim();
            match column {
                _ if cell.is_empty() => {}
                Some(name) => drop(row.fields.take(*name, cell)),
                None => row.fields.text.push(cell.to_owned()),
            }
        }
        row.fields
            .lines
            .push(head.replace('|', " ").trim().to_owned());
        row.fields.is_layout = true;
        row.head = row.fields.id.map_or(String::new(), |id| id.to_string());
        row
    }

    /// A heading or a line that is nothing but a severity weighs what stands below it.
    fn spread_leads(self) -> Vec<TextBlock<'a>> {
        let mut weighed: Vec<TextBlock<'a>> = Vec::new();
        let mut lead: Option<PointLead> = None;
        let (author, is_opening) = (self.author, self.is_opening);
        for mut block in self.gathered {
            if let Some(found) = PointLead::of(&block, weighed.len()) {
                lead = Some(found);
            } else if lead.as_ref().is_some_and(|lead| lead.ends_at(&block)) {
                lead = None;
            } else if let Some(lead) = &mut lead
                && is_weighable(&block, author, is_opening)
            {
                block.fields.severity = Some(lead.severity);
                // The line has said what it is for. A heading still ends what the one above it says.
                let used = lead.at.take().map(|at| (at, weighed[at].shape));
                match used {
                    Some((at, BlockShape::Heading(_))) => weighed[at].head = "Findings".to_owned(),
                    Some((at, _)) => block.rest.extend(weighed.remove(at).rest),
                    None => {}
                }
            }
            weighed.push(block);
        }
        weighed
    }
}

pub(super) fn ids_in(text: &str) -> impl Iterator<Item = PointId> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter_map(PointId::parse)
}

/// Takes one line into a point: its labelled values, or its words.
fn take_line(point: &mut TextBlock<'_>, line: &str) {
    let line = line.trim();
    if line.is_empty() {
        return;
    }
    let fields = split_fields(line);
    if fields.is_empty() {
        point.fields.text.push(line.to_owned());
    }
    for (name, value) in &fields {
        if !point.fields.take(*name, value) {
            point.fields.text.push(value.clone());
        }
    }
    point.fields.lines.push(line.to_owned());
}

/// Takes the lines below a block's first one into its fields; quotes and code stay.
fn take_rest(block: &mut TextBlock<'_>) {
    let (words, quotes): (Vec<_>, Vec<_>) = block.rest.drain(..).partition(|line| line.is_text());
    block.rest = quotes;
    for line in words {
        let text = line.text.trim().trim_start_matches(['-', '•', ' ']);
        take_line(block, text);
    }
    block.fields.is_layout = true;
}
