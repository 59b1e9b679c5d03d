//! A value below its name: the statement, the block, the element or the table that a name opens goes on in other lines.

use std::ops::Range;

use crate::assigned::{literals_of, may_hold_name};
use crate::element::{NAME_TAGS, VALUE_TAGS};
use crate::inserted_rows::rows_of;
use crate::joined_lines::JoinedLines;
use crate::line_signs::LineSigns;
use crate::matcher::{PLACEHOLDER, SecretShape};
use crate::named::{NameKind, kind_of_name};
use crate::open_name::{
    NamedField, OpenName, Part, begins_alternative, field_of, is_operator_end, is_value_field,
    may_choose, without_comment,
};
use crate::plausible::is_literal;
use crate::returned_value::returned_value;
use crate::value::{MIN_VALUE, is_chosen_value, is_drawn_value, is_secret_value};

/// A longer line is not looked at as the name of what stands below it.
const MAX_NAME_LINE: usize = 200;

/// Of a value that stands above its name: how many lines above, and where.
const MAX_ABOVE: usize = 6;

/// What the lines above say of the next one.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamesAbove {
    open: Option<OpenName>,
    /// Fields called `value` whose name has not come yet, with the lines since then.
    unnamed: Vec<(usize, NamedField, String)>,
    /// Values of lines above, whose name stands in this one.
    late: Vec<String>,
}

/// Where the secret of a line stands whose name is in one of the lines above it, the nearest first.
pub fn value_below_name<'l>(
    line: &str,
    above: impl IntoIterator<Item = &'l str>,
) -> Option<Range<usize>> {
    const MAX_LINES: usize = 8;
    let mut lines: Vec<&str> = above.into_iter().take(MAX_LINES).collect();
    let (mut names, mut lists) = (NamesAbove::default(), JoinedLines::default());
    while let Some(above) = lines.pop() {
        names.read_line(above);
        lists.read_line(above, &LineSigns::of(above));
    }
    let found = names.read_line(line).into_iter();
    let mut found = found.chain(lists.read_line(line, &LineSigns::of(line)));
    found.next().map(|(range, _)| range)
}

/// Whether a line of a text may name what stands in the lines below it, so that other lines must not come between them.
pub(crate) fn may_name_below(text: &str) -> bool {
    if !may_hold_name(text) {
        return false;
    }
    // Lines of a hunk have their mark before them.
    let opens = |line: &str| line.len() <= MAX_NAME_LINE && OpenName::of_line(line).is_some();
    text.lines()
        .any(|line| opens(line) || line.get(1..).is_some_and(opens))
}

impl NamesAbove {
    /// Reads the next line: what of it is the value of a name above.
    pub(crate) fn read_line(&mut self, line: &str) -> Vec<(Range<usize>, SecretShape)> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        self.open.take_if(|open| open.is_ended_by(line));
        let found = self.open.as_ref().map(|open| open.values_of(line));
        self.open.take_if(|open| !open.goes_on(line));
        self.open_line(line);
        found.unwrap_or_default()
    }

    /// Whether no value of a line above is waited for.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.is_none() && self.unnamed.is_empty()
    }

    /// The values above that are known to be secret since the last lines.
    pub(crate) fn take_late(&mut self) -> Vec<String> {
        std::mem::take(&mut self.late)
    }

    fn open_line(&mut self, line: &str) {
        self.unnamed.retain_mut(|(age, ..)| {
            *age += 1;
            *age <= MAX_ABOVE
        });
        if line.len() > MAX_NAME_LINE {
            return;
        }
        if let Some(open) = OpenName::of_line(line) {
            self.name_above(&open);
            self.open = Some(open);
        } else if let Some(field) = field_of(line).filter(|field| is_value_field(&field.key)) {
            let value = line[field.value.clone()].to_owned();
            self.unnamed.push((0, field, value));
        }
    }

    /// `- value: …` and `name: DB_PASSWORD` in the next line.
    fn name_above(&mut self, open: &OpenName) {
        if !open.is_of_field {
            return;
        }
        let is_beside = |field: &NamedField| field.indent == open.indent;
        let named = self.unnamed.iter().filter(|(_, field, _)| is_beside(field));
        let secret = named.filter(|(_, _, value)| is_secret_value(value, "", &open.name));
        self.late.extend(secret.map(|(_, _, value)| value.clone()));
    }
}

impl OpenName {
    /// The values of this name in a line.
    fn values_of(&self, line: &str) -> Vec<(Range<usize>, SecretShape)> {
        self.parts
            .iter()
            .map(|part| self.part_of(line, *part))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    fn part_of(&self, line: &str, part: Part) -> Vec<(Range<usize>, SecretShape)> {
        let found: Vec<Range<usize>> = match part {
            Part::Literal => literals_alone(line),
            Part::Alternative if begins_alternative(line) => literals_alone(line),
            Part::Alternative => Vec::new(),
            Part::Returned { is_bare } => returned_value(line, is_bare).unwrap_or_default(),
            Part::Field => self.field_value(line, false).into_iter().collect(),
            Part::Inner => self.field_value(line, true).into_iter().collect(),
            Part::Word | Part::Drawn => self.word_of(line, part).into_iter().collect(),
            Part::Element => self.element_of(line).into_iter().collect(),
            Part::Column { sign, at, of } => cells_below(line, sign, at, of),
        };
        let (before, shape) = match part {
            Part::Literal | Part::Alternative | Part::Returned { .. } => {
                ("\"", SecretShape::QuotedValue)
            }
            Part::Word | Part::Drawn => ("", SecretShape::BareValue),
            _ => ("", SecretShape::QuotedValue),
        };
        let is_secret = |value: &Range<usize>| {
            let text = &line[value.clone()];
            let is_value =
                || !text.contains(char::is_whitespace) && is_secret_value(text, before, &self.name);
            (is_value() || (part == Part::Field && self.is_variable(text)))
                && !text.contains(PLACEHOLDER)
        };
        let found = found.into_iter().filter(is_secret);
        found.map(|value| (value, shape)).collect()
    }

    /// What the field of a line holds that stands beside the name, or within what it opens.
    fn field_value(&self, line: &str, is_inner: bool) -> Option<Range<usize>> {
        let field = field_of(line).filter(|field| is_value_field(&field.key))?;
        let is_ours = match is_inner {
            true => field.indent > self.indent,
            false => field.indent == self.indent,
        };
        is_ours.then_some(field.value)
    }

    /// The text of the next element; of one that stands farther below, only if it holds what another one names.
    fn element_of(&self, line: &str) -> Option<Range<usize>> {
        let is_value = VALUE_TAGS
            .iter()
            .any(|tag| begins_element(line.trim_start(), tag));
        text_of_element(line).filter(|_| self.age == 0 || is_value)
    }

    /// The word by itself in a line, or the first one behind an option.
    fn word_of(&self, line: &str, part: Part) -> Option<Range<usize>> {
        let text = line.trim_start_matches([' ', '\t']);
        if self.is_block && line.len() - text.len() <= self.outer {
            return None;
        }
        let item = text.strip_prefix("- ");
        if item.is_some() && kind_of_name(&self.name) != Some(NameKind::Secret) {
            return None;
        }
        let text = item.unwrap_or(text);
        let text = text.strip_prefix(": ").unwrap_or(text).trim_start();
        let text = text.strip_prefix('`').unwrap_or(text);
        let start = line.len() - text.len();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let word = text[..end].trim_end_matches('`');
        let rest = without_comment(&text[end..]).trim();
        let is_alone = self.is_option || rest.is_empty();
        let is_sign = |b: u8| b.is_ascii_alphanumeric() || b"_-+/=.!@#$%^&*~?|".contains(&b);
        let is_word = word.bytes().all(is_sign) && !word.starts_with(|c| "$-*&!#@|%".contains(c));
        let is_due = part == Part::Word || is_drawn_value(word);
        (is_alone && is_word && is_due).then(|| start..start + word.len())
    }

    /// Nobody writes down what a variable of such a name holds unless it is that: the line below alone says it.
    fn is_variable(&self, value: &str) -> bool {
        let is_named = match kind_of_name(&self.name) {
            Some(NameKind::Secret) => true,
            Some(NameKind::Perhaps) => self.name.to_ascii_uppercase().ends_with("TOKEN"),
            _ => false,
        };
        self.is_of_field
            && self.age == 0
            && is_named
            && value.len() >= MIN_VALUE
            && is_literal(value)
    }

    /// Whether a line begins the next item, section or block.
    fn is_ended_by(&self, line: &str) -> bool {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let is_block = self.parts.contains(&Part::Field) || self.parts.contains(&Part::Inner);
        let is_next =
            text.starts_with(['[', '}', ']']) || (text.starts_with("- ") && indent <= self.outer);
        // The element that holds the name ends, or the next one of its kind begins.
        let is_end = text.starts_with("</") && !text.starts_with("</description>");
        let is_other = is_end || NAME_TAGS.iter().any(|tag| begins_element(text, tag));
        let is_left = self.is_of_element() && indent <= self.outer && is_other;
        (is_block && is_next) || is_left
    }

    /// Whether the value may stand in a line below this one; it ages by that.
    fn goes_on(&mut self, line: &str) -> bool {
        let text = line.trim();
        let is_row = self.parts.iter().any(
            |part| matches!(part, Part::Column { sign, of, .. } if has_rows(line, *sign, *of) || is_rule(text)),
        );
        if is_row {
            return true;
        }
        self.age += 1;
        // Below the sign stands a condition, and below that what it chooses of.
        let is_condition = self.parts == [Part::Literal] && self.age == 1 && may_choose(text);
        if is_condition && literals_alone(line).is_empty() && !is_operator_end(text) {
            self.parts = vec![Part::Alternative];
            return true;
        }
        let is_between = text.is_empty()
            || text.eq_ignore_ascii_case("values")
            || without_comment(text).is_empty();
        let is_of_block = || {
            let takes = |part: &Part| self.parts.contains(part);
            let indent = line.len() - line.trim_start().len();
            (takes(&Part::Field) && indent >= self.outer)
                || (takes(&Part::Inner) && indent > self.outer)
        };
        let is_of_expression = || {
            let is_literal = !literals_alone(line).is_empty();
            let is_other = self.parts == [Part::Alternative] && begins_alternative(text);
            is_other || self.parts.contains(&Part::Literal) && (is_literal || is_operator_end(text))
        };
        let is_of_element = || {
            let is_value = VALUE_TAGS.iter().any(|tag| begins_element(text, tag));
            self.is_of_element() && !is_value
        };
        // The lines of a body stand deeper than its head; a bracket may have a line of its own.
        let is_of_body = || {
            let is_deeper = line.len() - line.trim_start().len() > self.outer;
            matches!(self.parts[..], [Part::Returned { .. }]) && (is_deeper || text == "{")
        };
        let is_within =
            is_between || is_of_body() || is_of_block() || is_of_expression() || is_of_element();
        self.age < self.most_lines() && is_within
    }
}

/// The literals of a line that hold nothing else but the end of an expression.
fn literals_alone(line: &str) -> Vec<Range<usize>> {
    let at = line.len() - line.trim_start().len();
    let is_bracket = line[at..].starts_with(['(', '[', '{']);
    let literals = match is_bracket {
        true => Vec::new(),
        false => literals_of(line, at),
    };
    let rest = literals.last().map_or("-", |last| &line[last.end..]);
    let is_end = |c: char| c.is_whitespace() || "\"'`,;)}]+\\".contains(c);
    let rest = without_comment(rest);
    match rest.chars().all(is_end) || is_operator_end(rest) {
        true => literals,
        false => Vec::new(),
    }
}

/// Whether an element of this name begins a text.
fn begins_element(text: &str, tag: &str) -> bool {
    let name = text
        .strip_prefix('<')
        .and_then(|rest| rest.get(..tag.len()));
    let is_end = || text[1 + tag.len()..].starts_with(['>', ' ']);
    name.is_some_and(|name| name.eq_ignore_ascii_case(tag)) && is_end()
}

/// `<value>…</value>`, under whatever name.
fn text_of_element(line: &str) -> Option<Range<usize>> {
    let inner = line.trim_start().strip_prefix('<')?;
    let (tag, text) = inner.split_once('>')?;
    let is_tag = !tag.is_empty()
        && tag
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_:-".contains(&b));
    let (text, _) = text.split_once("</").filter(|_| is_tag)?;
    let value = text.trim();
    let start = value.as_ptr() as usize - line.as_ptr() as usize;
    (value.len() >= MIN_VALUE && !value.contains(char::is_whitespace))
        .then(|| start..start + value.len())
}

/// `|---|---|`, below the names of columns.
fn is_rule(text: &str) -> bool {
    text.contains('-') && text.bytes().all(|b| b"|-: ".contains(&b))
}

/// Whether a line is of rows with that many cells.
fn has_rows(line: &str, sign: char, of: usize) -> bool {
    let rows = rows_below(line, sign);
    !rows.is_empty() && rows.iter().all(|cells| cells.len() == of)
}

/// The cells of a line's rows that stand below the name.
fn cells_below(line: &str, sign: char, at: usize, of: usize) -> Vec<Range<usize>> {
    let rows = rows_below(line, sign).into_iter();
    let cells = rows.filter(|cells| cells.len() == of);
    let values = cells.filter_map(|cells| {
        let value = cell_value(line, cells.get(at)?);
        is_chosen_value(&line[value.clone()]).then_some(value)
    });
    values.collect()
}

/// What a cell holds, without its blanks, quotes and marks.
pub(crate) fn cell_value(line: &str, cell: &str) -> Range<usize> {
    let value = cell.trim().trim_matches(['"', '\'', '`']);
    let start = value.as_ptr() as usize - line.as_ptr() as usize;
    start..start + value.len()
}

fn rows_below(line: &str, sign: char) -> Vec<Vec<&str>> {
    match sign {
        '(' => rows_of(line),
        _ => vec![cells_of(line, sign)],
    }
}

/// The cells of a row of Markdown or of CSV.
pub(crate) fn cells_of(line: &str, sign: char) -> Vec<&str> {
    let text = line.trim();
    let row = match sign {
        '|' => text
            .strip_prefix('|')
            .and_then(|text| text.strip_suffix('|')),
        _ => Some(text),
    };
    row.map(|row| row.split(sign).collect()).unwrap_or_default()
}
