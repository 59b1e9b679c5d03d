//! Events: what a program publishes is heard by whoever listens to its type, and in C# by whatever is added to it.

use std::collections::{BTreeMap, BTreeSet};

use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::super::definitions::DefinitionKind;
use super::super::read_side::ReadSide;
use super::super::receivers::is_called_like;
use super::super::search::FileOutline;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::{WordUse, is_name};
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;
use super::spelling;

/// What listens to the events that edited lines publish.
pub(super) fn edited_names(side: &ReadSide<'_>) -> Vec<WantedName> {
    let name = |text: &&str, reader: Reader| read_name(text, NameReason::Changed, reader);
    let typed = published_types(side);
    let typed = typed.iter().map(|text| name(text, Reader::Heard));
    let raised = raised_events(side);
    let raised = raised
        .iter()
        .map(|(text, typed)| name(text, Reader::Subscribed((*typed).to_owned())));
    typed.chain(raised).collect()
}

/// The types of which edited lines make a value, where they or their function publish something.
fn published_types<'t>(side: &ReadSide<'t>) -> BTreeSet<&'t str> {
    let outline = &side.outline;
    let mut known: BTreeMap<u32, bool> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for &line in &side.lines {
        let first = statement_begin(outline, line);
        let around = outline.function_span(line);
        let of_function = around.map_or(first..=line, lines_of);
        let mut lines = (first..=line).chain(of_function);
        let mut is_known = |line| {
            *known
                .entry(line)
                .or_insert_with(|| publishes(outline, line))
        };
        if !lines.any(&mut is_known) {
            continue;
        }
        for line in first..=line {
            let code = outline.line(line);
            let words = outline.words_at(line).iter();
            let made = words.map(|word| word.text);
            found.extend(made.filter(|word| is_made(code, word)));
        }
    }
    found
}

fn lines_of(span: &FunctionSpan) -> std::ops::RangeInclusive<u32> {
    const MAX_FUNCTION: usize = 60;
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    number(span.head)..=number(span.end.min(span.head + MAX_FUNCTION))
}

/// The line on which a statement begins that goes on to a line.
fn statement_begin(outline: &FileOutline<'_>, line: u32) -> u32 {
    const MAX_LINES: u32 = 8;
    let goes_on = |line: u32| {
        outline
            .without_comment(line)
            .trim_end()
            .ends_with(['(', ','])
    };
    let first = line.saturating_sub(MAX_LINES).max(1);
    let above = (first..line).rev().take_while(|line| goes_on(*line));
    above.last().unwrap_or(line)
}

/// Whether a line calls what hands an event to whoever listens.
fn publishes(outline: &FileOutline<'_>, line: u32) -> bool {
    const VERBS: [&str; 8] = [
        "publish",
        "dispatch",
        "emit",
        "raise",
        "fire",
        "trigger",
        "broadcast",
        "notify",
    ];
    const WHOLE: [&str; 2] = ["event", "send"];
    let words = outline.words_at(line).iter();
    let mut called = words.filter(|word| word.how == WordUse::Called);
    called.any(|word| {
        let name = word.text.to_lowercase();
        WHOLE.contains(&name.as_str()) || VERBS.iter().any(|verb| name.starts_with(verb))
    })
}

/// Whether code makes a value of a type: `new OrderPaid(…)`, `OrderPaid{…}`, `OrderPaid::dispatch(…)`.
fn is_made(code: &str, typed: &str) -> bool {
    let is_type = typed.len() > 2
        && typed.starts_with(|c: char| c.is_uppercase())
        && typed.contains(|c: char| c.is_lowercase());
    let mut places = code.match_indices(typed).map(|(at, _)| at);
    is_type
        && places.any(|at| {
            let behind = code[at + typed.len()..].trim_start();
            let before = &code[..at];
            let is_method = before.ends_with(['.', '>']) || before.ends_with("fun ");
            let is_opened = behind.starts_with(['(', '{']) || behind.starts_with("::dispatch");
            !before.ends_with(is_name) && !is_method && is_opened
        })
}

/// The events of C# that edited lines raise (`Changed?.Invoke(this, v)`), each with the type that has it.
fn raised_events<'s>(side: &'s ReadSide<'_>) -> BTreeSet<(&'s str, &'s str)> {
    let outline = &side.outline;
    if outline.language() != Language::CSharp {
        return BTreeSet::new();
    }
    let is_raised = |event: &str| {
        let calls = [".", "?."].map(|sign| format!("{event}{sign}Invoke("));
        let raises = |code: &str| calls.iter().any(|call| code.contains(call));
        let mut edited = side.lines.iter().map(|line| outline.line(*line));
        edited.any(|code| raises(code) || code.trim_start().starts_with(&format!("{event}(")))
    };
    let declared = (1..=outline.last_line()).filter_map(|line| {
        let event = declared_event(outline.without_comment(line))?;
        let types = outline.definitions.iter().filter(|one| {
            one.kind == DefinitionKind::Type && (one.start..=one.end).contains(&line)
        });
        let typed = types.max_by_key(|one| one.head)?;
        Some((event, typed.name.as_str()))
    });
    declared.filter(|(event, _)| is_raised(event)).collect()
}

/// The event that a line of C# declares.
fn declared_event(code: &str) -> Option<&str> {
    let (_, declared) = code.split_once(" event ")?;
    let declared = declared.split([';', '{', '=']).next().unwrap_or_default();
    let name = declared.trim_end().rsplit(|c: char| !is_name(c)).next();
    name.filter(|name| !name.is_empty())
}

impl ReadingPlace<'_, '_> {
    /// Whether the line hears events of a type: as the parameter of what listens, or where that is said of it.
    pub(super) fn is_heard(&self) -> bool {
        let outline = self.outline;
        if outline.is_import(self.line) || !outline.language().is_code() || self.around().is_empty()
        {
            return false;
        }
        says_listening(self.code()) || self.is_listener()
    }

    /// Whether the line is of the head of a function that listens, and has the type of a parameter.
    fn is_listener(&self) -> bool {
        const NAMES: [&str; 9] = [
            "on", "handle", "listen", "consume", "receive", "process", "apply", "when", "invoke",
        ];
        let Some(span) = self.outline.function_span(self.line) else {
            return false;
        };
        let (line, language) = (self.line as usize, self.outline.language());
        let is_head = (span.head..=span.head + 2).contains(&line);
        let is_parameter = self.around().iter().any(|(before, behind)| {
            let is_typed = before.trim_end().ends_with(':') || before.ends_with('*');
            let is_first = behind.starts_with([' ', '>']) && before.contains('(');
            // Go writes the name in front of the type.
            let is_behind_name = before.ends_with(' ') && before.trim_end().ends_with(is_name);
            let is_last = language == Language::Go && before.contains('(') && is_behind_name;
            is_typed || is_last || is_first || (line > span.head && behind.starts_with(' '))
        });
        let called = spelling::words_of(&span.name);
        let is_named = called
            .first()
            .is_some_and(|word| NAMES.contains(&word.as_str()));
        let above = span.start..span.head;
        let mut above = above.filter_map(|line| u32::try_from(line).ok());
        let is_said = above.any(|line| says_listening(self.outline.line(line)));
        is_head && is_parameter && (is_named || is_said)
    }

    /// Whether the line adds something to an event of a type: `feed.Changed += OnChanged`.
    pub(super) fn is_subscribed(&self, typed: &str) -> bool {
        let is_added = |(_, behind): &(&str, &str)| behind.trim_start().starts_with("+=");
        let is_known =
            || self.file.text.contains(typed) || is_called_like(typed, self.code(), self.name);
        self.outline.language() == Language::CSharp
            && self.around().iter().any(is_added)
            && is_known()
    }
}

/// Whether code says that something listens.
fn says_listening(code: &str) -> bool {
    const WORDS: [&str; 8] = [
        "listen",
        "handler<",
        "subscri",
        "receiver",
        "consumer",
        "onevent",
        "eventreader",
        ".on(",
    ];
    let code = code.to_lowercase();
    WORDS.iter().any(|word| code.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_value_is_told_from_a_type_that_is_named() {
        for (code, is_it) in [
            ("events.publishEvent(new OrderPaid(id, 1));", true),
            ("event(new \\App\\OrderPaid($id));", true),
            ("OrderPaid::dispatch($id);", true),
            ("bus.Publish(OrderPaid{ID: 1})", true),
            ("bus.publish(OrderPaid(id))", true),
            ("OrderPaid e = last;", false),
            ("bus.OrderPaid(1)", false),
            ("x: OrderPaid", false),
        ] {
            assert_eq!(is_made(code, "OrderPaid"), is_it, "{code}");
        }
        for (code, event) in [
            (
                "    public event EventHandler<int>? Changed;",
                Some("Changed"),
            ),
            ("    event Action Closed = delegate { };", Some("Closed")),
            ("    public Event Changed;", None),
        ] {
            assert_eq!(declared_event(code), event, "{code}");
        }
    }
}
