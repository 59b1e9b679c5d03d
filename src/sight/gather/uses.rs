//! Where the names of a change are used, the places that certainly mean them first.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use council_syntax::language::Language;

use super::super::causes::asks_for_cause;
use super::super::definitions::DefinitionKind;
use super::super::fixtures::certainty_of_fixture;
use super::super::handler_tables::calls_field;
use super::super::imported::types_called_on;
use super::super::receivers::{self, Certainty};
use super::super::search::{FileHits, FileOutline, NameHit, is_searched};
use super::super::wanted::{NameReason, Spelling, WantedName};
use super::super::words::{CodeWord, WordUse};
use super::super::{fields, moved, parents, shadowed, spelled, words};
use super::searching::MAX_OUTLINED;
use super::syntax_words::is_word_of_syntax;
use super::use_notes::describe_use;
use super::{Gatherer, is_worth_showing};
use crate::prompt::{ContextKind, is_test_path};

/// The longest function that is shown whole around a use of a name.
const MAX_USER: u32 = 30;

/// Lines above and below a use in a longer one.
const USE_LINES: u32 = 6;

/// How many uses of one name are shown, and how many tests.
const MAX_USES: usize = 6;

/// The same where it is certain that the name is meant.
const MAX_CERTAIN_USES: usize = 12;

/// A word that more files have says nothing of the change.
const MAX_SPREAD: usize = 40;

impl Gatherer<'_> {
    /// The uses in one file that are as certain as `sure`.
    pub(super) fn add_uses(
        &mut self,
        (order, sure): (usize, Certainty),
        is_outlet: bool,
        (file, outline): (&FileHits, &FileOutline<'_>),
    ) {
        let in_test = is_test_path(&file.path.display());
        let kind = if in_test {
            ContextKind::Test
        } else {
            ContextKind::Use
        };
        let meant = self.meant_hits(order, file, outline);
        for (hit, _) in meant.iter().filter(|(_, certainty)| *certainty == sure) {
            let line = self.names[hit.name].line_of(hit.line, outline);
            if self.names[hit.name].inner.is_some() != is_outlet
                || !self.is_open(line, file, outline)
                || !self.may_be_outlet(hit.name, file)
            {
                continue;
            }
            if self.is_told_by_another(*hit, file, outline) {
                continue;
            }
            let is_possible = sure == Certainty::Possible;
            if is_possible && self.is_ambiguous(hit.name) {
                continue;
            }
            let is_frequent = self.rarity_of(hit.name, sure) > MAX_SPREAD;
            let most = if is_frequent {
                0
            } else if is_possible || is_outlet || self.names[hit.name].is_own {
                MAX_USES
            } else {
                MAX_CERTAIN_USES
            };
            if !self.names[hit.name].homes.contains(&file.path) {
                self.reached.insert(hit.name);
            }
            if self.may_add(hit.name, kind, most) {
                let order = order + self.rarity_of(hit.name, sure) * MAX_OUTLINED;
                self.add_use((order, kind, sure), *hit, file, outline);
            } else {
                *self.left.entry(hit.name).or_default() += 1;
            }
        }
    }

    /// Whether users of a name outside of its file are wanted where it is only an outlet: others may have what it leads to
    /// without it, and then those tell more.
    fn may_be_outlet(&self, name: usize, file: &FileHits) -> bool {
        let Some(inner) = &self.names[name].inner else {
            return true;
        };
        let of = self.by_text.get(inner.text.as_str());
        let is_reached = of.is_some_and(|of| self.reached.contains(of));
        let is_told = inner.is_open && is_reached;
        !is_told && !self.names[name].homes.contains(&file.path)
    }

    /// The hits of a file that the change's names may mean, and how certainly; read once, since it takes as long as all else.
    fn meant_hits(
        &mut self,
        order: usize,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Rc<Vec<(NameHit, Certainty)>> {
        if let Some(known) = self.meant_hits.get(&order) {
            return Rc::clone(known);
        }
        let unnoted = self.unnoted_hits(file, outline);
        let hits = file.hits.iter().chain(&unnoted);
        let certainty = |hit: NameHit| {
            let by_name = self.certainty_of(hit, file, outline);
            by_name.or_else(|| self.certainty_elsewhere(hit, file, outline))
        };
        let meant = hits.filter_map(|hit| Some((*hit, certainty(*hit)?)));
        let meant = Rc::new(meant.collect());
        self.meant_hits.insert(order, Rc::clone(&meant));
        meant
    }

    /// Whether a line only imports what another line of the file uses: that one tells more.
    fn is_told_by_another(&self, hit: NameHit, file: &FileHits, outline: &FileOutline<'_>) -> bool {
        let name = &self.names[hit.name];
        let is_use = |other: &NameHit| {
            other.name == hit.name
                && !outline.is_import(other.line)
                && outline.is_code(other.line, &name.text)
        };
        outline.is_import(hit.line)
            && name.moved_by(hit.line, file, outline).is_none()
            && file.hits.iter().any(is_use)
    }

    /// What stands around a use, and where a class extends what the change edits also around what it overrides.
    fn add_use(
        &mut self,
        (order, kind, sure): (usize, ContextKind, Certainty),
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) {
        let name = &self.names[hit.name];
        let hit = NameHit {
            line: name.line_of(hit.line, outline),
            ..hit
        };
        let overriding = parents::overriding_lines(&name.overridden, hit.line, outline);
        for line in [hit.line].into_iter().chain(overriding) {
            self.add_around((order, kind, sure), NameHit { line, ..hit }, file, outline);
        }
        self.add_indexed_tables(order, hit, file, outline);
        self.add_handlers((order, kind), hit, file, outline);
    }

    /// What stands around a place and is not shown yet, in as many pieces as what is shown leaves.
    fn add_around(
        &mut self,
        (order, kind, sure): (usize, ContextKind, Certainty),
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) {
        let name = &self.names[hit.name];
        let (mut from, end) = around_use(outline, hit.line);
        while let Some((start, last)) = self.shown.next_gap(&file.path, from, end) {
            from = last + 1;
            let is_here = (start..=last).contains(&hit.line);
            if !is_here && !is_worth_showing(&file.text, start, last) {
                continue;
            }
            let note = if is_here {
                describe_use((name, sure), hit.line, file, outline)
            } else {
                format!("around the use of `{}` at line {}", name.text, hit.line)
            };
            let mut block = self.lines_block(kind, file, (start, last), note);
            if let Some(moved) = name.moved_by(hit.line, file, outline) {
                block.about = moved.now.clone();
            }
            self.push((name.reason, order, start), block);
        }
    }

    /// What comes first of one kind: what is certain, and of words the rarest.
    fn rarity_of(&self, name: usize, sure: Certainty) -> usize {
        match self.names[name].spelling {
            Spelling::Word => self.spread.get(&name).copied().unwrap_or_default(),
            _ => sure as usize,
        }
    }

    /// Whether something around a use is not shown yet: of a function that a hunk cuts the line may be, and not what is
    /// done with it.
    pub(super) fn is_open(&self, line: u32, file: &FileHits, outline: &FileOutline<'_>) -> bool {
        let (mut from, end) = short_function(outline, line).unwrap_or((line, line));
        while let Some((start, last)) = self.shown.next_gap(&file.path, from, end) {
            if (start..=last).contains(&line) || is_worth_showing(&file.text, start, last) {
                return true;
            }
            from = last + 1;
        }
        false
    }

    /// How certain a hit is one that the change's name means; none: it is none, or shown already.
    fn certainty_of(
        &self,
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Option<Certainty> {
        let (name, line) = (&self.names[hit.name], hit.line);
        if !self.is_open(name.line_of(line, outline), file, outline) {
            return None;
        }
        if name.moved_by(line, file, outline).is_some() {
            return Some(Certainty::Exact);
        }
        let is_meant = name.uses
            && !(name.homes.is_empty() && self.meant[hit.name].is_of_language())
            && !is_word_of_syntax(name, line, outline)
            && is_searched(file.path.as_bytes())
            && (self.may_mean(name, &file.path) || name.is_read_as_key(line, outline))
            && name.is_spelled(line, outline)
            && !outline.defines(&name.text, line)
            && name.is_wanted_use(line, outline);
        if !is_meant {
            return None;
        }
        let sure = self.certainty_of_call(hit, file, outline)?;
        let is_certain = sure == Certainty::Exact;
        let is_of_type = || {
            is_in_method(name, line, file, outline)
                || fields::declares(outline, line, &name.text, &name.owners)
        };
        if name.is_own && !(is_certain && is_of_type()) {
            return None;
        }
        let is_left = || {
            let is_home = name.homes.contains(&file.path);
            is_home && !outline.is_import(line) && !outline.is_local(line, &name.text)
        };
        if name.is_orphan && !is_left() {
            return None;
        }
        // A value that is made, or a parent's constructor that is called, tells however short the type is called.
        let is_telling = sure < Certainty::Possible || name.is_built || !name.is_everywhere();
        (is_telling && (is_certain || name.alias.is_none())).then_some(sure)
    }

    /// The same by what a name is called on, and by where it comes from.
    fn certainty_of_call(
        &self,
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Option<Certainty> {
        if self.is_type_alone(hit, outline) {
            return None;
        }
        let name = &self.names[hit.name];
        if name.is_fixture {
            let asked = certainty_of_fixture(name, hit.line, &file.path, outline);
            // Of what only a test defines nothing but its fixtures has uses.
            if asked.is_some() || name.reason == NameReason::InTest {
                return asked;
            }
        }
        if let Some(sure) = certainty_in_table(name, hit.line, outline) {
            return sure;
        }
        if self.is_of_another(hit, file, outline)
            || self.is_only_called_so(hit, file, outline)
            || is_field_of_another(name, hit, file, outline)
        {
            return None;
        }
        let by_kin = self.certainty_of_kin(hit, file, outline);
        match self.is_said_to_mean(hit, file, outline) {
            Some(true) => Some(Certainty::Exact),
            _ if by_kin.is_some() => by_kin,
            Some(false) => None,
            None if self.asks_other_types(hit, file, outline) => None,
            None => Some(receivers::certainty(name, hit.line, file, outline)),
        }
    }

    /// Whether a name is what only a function around it calls so, or what an import from outside brings.
    fn is_of_another(&self, hit: NameHit, file: &FileHits, outline: &FileOutline<'_>) -> bool {
        let name = &self.names[hit.name];
        if name.is_import_alone && self.meant[hit.name].is_outside() {
            return true;
        }
        match &name.alias {
            Some(alias) if !alias.scopes.is_empty() => !alias.holds(&file.path, hit.line),
            _ => shadowed::is_shadowed(outline, hit.line, &name.text),
        }
    }

    /// Whether a name has certain uses: then a call in a file that does not know its type is more likely of something else.
    fn is_ambiguous(&self, name: usize) -> bool {
        let kinds = [ContextKind::Use, ContextKind::Test];
        !self.names[name].owners.is_empty()
            && kinds
                .iter()
                .any(|kind| self.counts.get(&(name, *kind)).is_some_and(|n| *n > 0))
    }

    /// Which names have more uses than are shown.
    pub(super) fn more_uses(&self) -> Option<String> {
        self.describe_more(&self.left, "uses")
    }

    /// Of which names something is left out, and how often.
    pub(super) fn describe_more(&self, left: &HashMap<usize, usize>, what: &str) -> Option<String> {
        const MAX_NAMED: usize = 5;
        let mut more: BTreeMap<&str, usize> = BTreeMap::new();
        for (&name, &count) in left {
            *more.entry(self.names[name].text.as_str()).or_default() += count;
        }
        let mut more: Vec<(&str, usize)> = more.into_iter().collect();
        more.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
        let named = more.iter().take(MAX_NAMED);
        let named: Vec<String> = named
            .map(|(name, count)| format!("`{name}` ({count})"))
            .collect();
        (!named.is_empty()).then(|| {
            format!(
                "some names have more {what} than are shown: {}",
                named.join(", ")
            )
        })
    }
}

impl WantedName {
    /// Whether a line has the name in the way in which its users write it.
    fn is_spelled(&self, line: u32, outline: &FileOutline<'_>) -> bool {
        // Of settings the same bare key says the same of something else: it reads nothing.
        let is_setting = words::is_settings(outline.language());
        let is_key = |line| {
            let stands = words::stand_as_key(outline.words_at(line), &self.text);
            !self.is_key_alone || (stands && !is_setting)
        };
        match self.spelling {
            _ if outline.is_code(line, &self.text) && is_key(line) => true,
            Spelling::Code => false,
            Spelling::Task => spelled::runs_task(outline.line(line), &self.text),
            Spelling::Word => outline.spells(line, &self.text),
        }
    }

    /// Whether a line of any language reads a key that is gone: `answer.currency_code`, `answer["currency_code"]`.
    fn is_read_as_key(&self, line: u32, outline: &FileOutline<'_>) -> bool {
        let is_read = |word: &CodeWord<'_>| {
            let stands = matches!(word.how, WordUse::Key | WordUse::Member);
            stands && words::is_name_of(word, &self.text)
        };
        self.crosses && outline.words_at(line).iter().any(is_read)
    }

    /// Whether it is one of those uses that are wanted.
    fn is_wanted_use(&self, line: u32, outline: &FileOutline<'_>) -> bool {
        let code = outline.line(line);
        let is_held = |sign: &str| code.contains(&format!("{sign}{}", self.text));
        let builds =
            || self.line_of(line, outline) != line || receivers::is_built(code, &self.text);
        let extends = || parents::extends(&self.text, line, outline);
        let lacks = || parents::overriding_lines(&self.asked, line, outline).is_none();
        let is_some = || {
            (self.is_built && builds())
                || (!self.overridden.is_empty() && extends())
                || (!self.asked.is_empty() && extends() && lacks())
        };
        let is_any = || !self.is_cause || asks_for_cause(code);
        let declares = || fields::declares(outline, line, &self.text, &self.owners);
        let is_member =
            is_held(".") || is_held("->") || (self.is_own && (is_held("@") || declares()));
        // `Job(due_at=1)`, `Job{DueAt: 1}` give a value to the field.
        let is_given = || {
            let mut owners = self.owners.iter();
            self.is_field
                && shadowed::is_argument(code, &self.text)
                && owners.any(|owner| outline.is_code(line, owner))
        };
        let is_whole = !self.is_field && !self.is_own;
        is_any() && (is_whole || is_member || is_given()) && (self.wants_every_use() || is_some())
    }

    /// The line that tells of a use: where a class extends what the change builds otherwise, the call of that constructor.
    fn line_of(&self, line: u32, outline: &FileOutline<'_>) -> u32 {
        let call = || parents::parent_call(&self.text, line, outline);
        self.is_built.then(call).flatten().unwrap_or(line)
    }

    /// The moved or deleted file that a line names by this name.
    pub(super) fn moved_by(
        &self,
        line: u32,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) -> Option<&moved::MovedFile> {
        if self.moved.is_empty() {
            return None;
        }
        let is_code = !outline.words_at(line).is_empty();
        let code = outline.import_statement(line);
        self.moved
            .iter()
            .find(|moved| moved.is_named_by(&file.path, &code, &self.text, is_code))
    }
}

/// Whether a line stands in a method of one of a name's types.
fn is_in_method(name: &WantedName, line: u32, file: &FileHits, outline: &FileOutline<'_>) -> bool {
    let mut owners = outline
        .functions_around(line)
        .filter_map(|span| outline.owner_of(&file.text, span));
    owners.any(|owner| name.owners.contains(&owner))
}

/// Whether a line reads a field that another type of the file declares for itself: `self.headers` in its methods.
fn is_field_of_another(
    name: &WantedName,
    hit: NameHit,
    file: &FileHits,
    outline: &FileOutline<'_>,
) -> bool {
    let is_other = |typed: &str| {
        let mut types = outline.definitions.iter();
        let own = types.find(|one| one.kind == DefinitionKind::Type && one.name == typed);
        let typed = [typed.to_owned()].into();
        own.is_some_and(|own| {
            let mut lines = own.head..=own.end;
            lines.any(|line| fields::declares(outline, line, &name.text, &typed))
        })
    };
    if !name.is_field {
        return false;
    }
    let called = types_called_on(outline, &file.text, hit.line, &name.text);
    let mut called = called.iter().map(|one| one.typed.as_str()).peekable();
    called.peek().is_some() && called.all(|typed| !name.owners.contains(typed) && is_other(typed))
}

/// Of the field of a table of C, whether a line calls it; none: it is no such field.
fn certainty_in_table(
    name: &WantedName,
    line: u32,
    outline: &FileOutline<'_>,
) -> Option<Option<Certainty>> {
    let is_table = name.alias.as_ref().is_some_and(|alias| alias.is_table);
    let calls = || calls_field(outline.line(line), &name.text);
    (is_table && outline.language() == Language::C).then(|| calls().then_some(Certainty::Exact))
}

/// What is shown around a use: the function if it is short, else some lines.
pub(super) fn around_use(outline: &FileOutline<'_>, line: u32) -> (u32, u32) {
    short_function(outline, line).unwrap_or_else(|| {
        let last = line.saturating_add(USE_LINES);
        let first = line.saturating_sub(USE_LINES).max(1);
        (first, last.min(outline.last_line().max(1)))
    })
}

/// The first and the last line of the function around a use, if it is short enough to be shown whole.
fn short_function(outline: &FileOutline<'_>, line: u32) -> Option<(u32, u32)> {
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let span = outline.function_span(line)?;
    let (start, end) = (number(span.start), number(span.end));
    (end - start < MAX_USER).then_some((start, end))
}
