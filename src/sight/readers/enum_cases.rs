//! Members of an enum: a switch that has a case for each of them may be in need of one for a new member, and what stores
//! their order has another one.

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;

use super::super::definitions::{DefinedName, DefinitionKind, indent_of};
use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::is_name;
use super::place::{ReadingPlace, read_name};
use super::reader::{EnumMembers, Reader};
use super::spelling;

/// What tells the members apart of enums that get new ones.
pub(super) fn extended_enums(before: &ReadSide<'_>, now: &ReadSide<'_>) -> Vec<WantedName> {
    let enums = enums_of(now);
    if enums.is_empty() {
        return Vec::new();
    }
    let known: BTreeMap<String, Vec<String>> = enums_of(before).into_iter().collect();
    let extended = enums.into_iter().filter_map(|(typed, members)| {
        let old = known.get(&typed)?.iter().cloned().collect();
        Some(names_of(now, typed, &members, old))
    });
    extended.flatten().collect()
}

/// What reads the old members of an enum that has new ones.
fn names_of(
    now: &ReadSide<'_>,
    typed: String,
    members: &[String],
    old: BTreeSet<String>,
) -> Vec<WantedName> {
    const MAX_MEMBERS: usize = 12;
    let first_new = members.iter().position(|name| !old.contains(name));
    let Some(first_new) = first_new.filter(|_| !old.is_empty()) else {
        return Vec::new();
    };
    let is_last = members[first_new..].iter().all(|name| !old.contains(name));
    let of = EnumMembers {
        home: now.path.clone(),
        typed,
        members: old,
    };
    let kept = members.iter().filter(|name| of.members.contains(*name));
    let case = |name: &String| read_name(name, NameReason::Changed, Reader::Case(of.clone()));
    let cases = kept.take(MAX_MEMBERS).map(case);
    let order = Reader::Order(of.clone());
    let order = (!is_last).then(|| read_name("ordinal", NameReason::Changed, order));
    cases.chain(order).collect()
}

/// The enums of a side, each with its members in their order.
fn enums_of(side: &ReadSide<'_>) -> Vec<(String, Vec<String>)> {
    let outline = &side.outline;
    let is_enum = |one: &&DefinedName| {
        let mut words = outline.line(one.head).split(|c| !is_name(c));
        one.kind == DefinitionKind::Type && words.any(|word| word == "enum")
    };
    let enums: Vec<&DefinedName> = outline.definitions.iter().filter(is_enum).collect();
    if enums.is_empty() {
        return Vec::new();
    }
    let members = outline.enum_members();
    let named = enums.into_iter().map(|one| {
        let lines = one.head as usize..=one.end as usize;
        let own = members.iter().filter(|(_, line)| lines.contains(line));
        (
            one.name.clone(),
            own.map(|(name, _)| name.clone()).collect(),
        )
    });
    named.collect()
}

impl ReadingPlace<'_, '_> {
    /// Whether the file can name an enum: it is written in a language that has the same types.
    fn is_of_kin(&self, of: &EnumMembers) -> bool {
        const OF_JVM: [Language; 3] = [Language::Java, Language::Kotlin, Language::Scala];
        let home = Language::from_path(&of.home.display());
        let own = self.outline.language();
        home == own || (OF_JVM.contains(&home) && OF_JVM.contains(&own))
    }

    /// Whether the line is a case of a switch over the members of an enum.
    pub(super) fn is_case(&self, of: &EnumMembers) -> bool {
        const LEAST: usize = 2;
        if !self.is_of_kin(of) || !labels_of(self.code()).contains(&self.name) {
            return false;
        }
        let cases = self.cases_around();
        let others = ["default", "else", "_"];
        let is_known = |label: &&&str| of.members.contains(**label) || others.contains(*label);
        cases.iter().all(|label| is_known(&label)) && cases.len() >= LEAST
    }

    /// The labels of the switch that the line is a case of.
    fn cases_around(&self) -> BTreeSet<&str> {
        const MAX_SWITCH: usize = 80;
        let code = |line: u32| self.outline.without_comment(line);
        let indent = indent_of(self.code());
        let is_inside =
            |line: &u32| code(*line).trim().is_empty() || indent_of(code(*line)) >= indent;
        let last = self.outline.last_line();
        let below = (self.line..=last).take(MAX_SWITCH).take_while(is_inside);
        let above = (1..self.line).rev().take(MAX_SWITCH).take_while(is_inside);
        let lines = below
            .chain(above)
            .filter(|line| indent_of(code(*line)) == indent);
        lines.flat_map(|line| labels_of(code(line))).collect()
    }

    /// Whether the line asks a value that is called like an enum for its place in the order.
    pub(super) fn is_order(&self, of: &EnumMembers) -> bool {
        let typed = spelling::plain(&of.typed);
        let is_asked = |before: &str| {
            let held = before
                .strip_suffix('.')
                .unwrap_or_default()
                .trim_end_matches("()");
            let word = held.rsplit(|c| !is_name(c)).next().unwrap_or_default();
            spelling::plain(word).ends_with(&typed)
        };
        self.is_of_kin(of) && self.around().iter().any(|(before, _)| is_asked(before))
    }
}

/// The members that a line has cases for: `case NEW, PAID ->`, `case .done:`, `Status.NEW ->`, `Status::New =>`.
fn labels_of(code: &str) -> Vec<&str> {
    let code = code.trim_start();
    let before_arrow = |code: &'_ str| code.find("->").or_else(|| code.find("=>"));
    let head = match code.strip_prefix("case ") {
        Some(rest) => &rest[..before_arrow(rest).unwrap_or(rest.len())],
        None => match before_arrow(code) {
            Some(at) if !code[..at].contains('=') => &code[..at],
            _ => return Vec::new(),
        },
    };
    let is_sign = |at: usize| !head[at + 1..].starts_with(':') && !head[..at].ends_with(':');
    let mut ends = head.match_indices([':', '(']).map(|(at, _)| at);
    let end = ends.find(|&at| head[at..].starts_with('(') || is_sign(at));
    let parts = head[..end.unwrap_or(head.len())]
        .split([',', '|'])
        .map(str::trim);
    let named: Vec<&str> = parts
        .map(|part| part.rsplit(['.', ':']).next().unwrap_or_default())
        .collect();
    let is_plain = |name: &&str| !name.is_empty() && name.chars().all(is_name);
    // `items.map(one -> one.id)` has no case before its arrow.
    let is_call = !code.starts_with("case ")
        && end.is_some_and(|end| !head.trim_end().ends_with(')') && head[end..].starts_with('('));
    match named.iter().all(is_plain) && !is_call {
        true => named,
        false => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cases_of_a_line_are_read() {
        for (code, labels) in [
            ("    case NEW: return 1;", &["NEW"][..]),
            ("    case NEW, PAID -> 1;", &["NEW", "PAID"]),
            ("    case .loading: return 1", &["loading"]),
            ("    case .failed(let error):", &["failed"]),
            ("    Status.NEW, Status.PAID -> 1", &["NEW", "PAID"]),
            ("    Status::New | Status::Paid => 1,", &["New", "Paid"]),
            ("    NEW -> 1", &["NEW"]),
            ("    case Status.NEW:", &["NEW"]),
            ("    default: return 1;", &[]),
            ("    items.map(one -> one.id)", &[]),
            ("    let a = b;", &[]),
        ] {
            assert_eq!(labels_of(code), labels, "{code}");
        }
    }
}
