//! Names that files of another kind read, each in a way of its own: what is searched for is how these spell it.

mod answer_types;
mod answers;
mod cargo_features;
mod conventions;
mod enum_cases;
mod environment;
mod event_types;
mod fields_of_pages;
mod file_routes;
mod key_patterns;
mod listening;
mod literals;
mod mapped_statements;
mod markup;
mod object_keys;
mod objects;
mod options;
mod pages;
mod place;
mod quoted_texts;
pub(in crate::sight) mod reader;
mod routes;
mod service_arguments;
mod setting_fields;
mod setting_keys;
mod setting_paths;
mod spelling;
mod spring;
mod started;
mod style_classes;
mod tags;
mod template_marks;
mod templates;

use std::collections::BTreeSet;

use super::read_side::ReadSide;
use super::receivers::Certainty;
use super::search::{FileHits, FileOutline};
use super::wanted::{NameReason, WantedName};
use super::words::WordUse;
use crate::prompt::is_test_path;
pub(super) use markup::is_xml;
use place::{ReadingPlace, read_name};
use reader::Reader;

/// What the changed files say that is read elsewhere.
#[derive(Debug, Default)]
pub(super) struct ReadElsewhere {
    /// Whoever reads these is to be seen, whatever became of them.
    edited: Vec<WantedName>,
    /// The names that lines had which are gone.
    lost: Vec<WantedName>,
    /// The names that added lines have in the same ways.
    given: BTreeSet<String>,
}

impl ReadElsewhere {
    /// Reads both sides of a file; of tests nobody reads anything.
    pub(super) fn of(sides: &[Option<ReadSide<'_>>; 2]) -> Self {
        let path = |side: &ReadSide<'_>| side.path.display().into_owned();
        let path = sides.iter().flatten().next().map(path);
        let Some(path) = path.filter(|path| !is_test_path(path)) else {
            return Self::default();
        };
        Self {
            edited: edited_names(&path, sides),
            lost: sides[0]
                .iter()
                .flat_map(|before| lost_names(before, sides[1].as_ref()))
                .collect(),
            // What only stands elsewhere is not taken away.
            given: sides[1].iter().flat_map(given_names).collect(),
        }
    }

    /// Adds what another file says.
    pub(super) fn extend(&mut self, other: Self) {
        self.edited.extend(other.edited);
        self.lost.extend(other.lost);
        self.given.extend(other.given);
    }

    /// The names to search for.
    pub(super) fn into_names(self) -> impl Iterator<Item = WantedName> {
        /// A change that takes more away is one of everything.
        const MAX_LOST: usize = 100;
        let given = self.given;
        let lost = self.lost.into_iter();
        let lost = lost.filter(move |name| !given.contains(name.whole_text()));
        self.edited.into_iter().chain(lost.take(MAX_LOST))
    }
}

/// What is looked for whatever else the change says.
fn edited_names(path: &str, sides: &[Option<ReadSide<'_>>; 2]) -> Vec<WantedName> {
    let mut found = conventions::edited_properties(sides);
    found.extend(markup::edited_resources(sides));
    if spring::is_settings(path) {
        found.extend(spring::edited_keys(sides));
    }
    if tags::is_component(path) {
        found.extend(tags::edited_names(sides));
    }
    if let [Some(before), Some(now)] = sides {
        found.extend(object_keys::altered_names(before, now));
        found.extend(fields_of_pages::lost_names(before, now));
        found.extend(templates::edited_names(before, now));
        found.extend(cargo_features::altered_names(before, now));
        found.extend(enum_cases::extended_enums(before, now));
    }
    if let Some(before) = &sides[0] {
        let now = sides[1].as_ref();
        found.extend(started::lost_names(before, now));
        found.extend(setting_paths::lost_paths(before, now));
        found.extend(setting_fields::lost_names(before, now));
        found.extend(style_classes::lost_names(before, now));
        found.extend(listening::lost_services(before, now));
    }
    for side in sides.iter().flatten() {
        found.extend(routes::edited_routes(side));
        found.extend(event_types::edited_names(side));
        found.extend(mapped_statements::edited_names(side));
    }
    found
}

/// What edited lines had, and what reads it unless the change gives it elsewhere.
fn lost_names(before: &ReadSide<'_>, now: Option<&ReadSide<'_>>) -> Vec<WantedName> {
    let mut found = answers::keys_before(before);
    found.extend(pages::names_before(before));
    found.extend(object_keys::lost_names(before, now));
    found.extend(quoted_texts::names_before(before));
    found.extend(key_patterns::names_before(before));
    found.extend(lost_words(before));
    found.extend(options::options_before(before));
    found
}

/// What is read as the environment gives it, or as code declares it.
fn lost_words(side: &ReadSide<'_>) -> Vec<WantedName> {
    let variables = environment::variables_on(side).into_iter();
    let variables = variables.map(|name| (name, Reader::Variable));
    let declared = markup::declared_on(side).into_iter();
    let declared = declared.map(|name| (name, Reader::Markup));
    let arguments = service_arguments::arguments_on(side).into_iter();
    let arguments = arguments.map(|name| (name, Reader::Argument));
    let ports = listening::ports_on(side).into_iter();
    let ports = ports.map(|name| (name, Reader::Port));
    let all = variables.chain(declared).chain(arguments).chain(ports);
    all.map(|(name, reader)| read_name(&name, NameReason::Removed, reader))
        .collect()
}

/// The names that the edited lines of a side give to whoever reads them.
fn given_names(side: &ReadSide<'_>) -> Vec<String> {
    let literals = literals::given_keys(side).into_iter().map(|(name, _)| name);
    let fields = answer_types::answer_fields(side);
    let words = side
        .lines
        .iter()
        .flat_map(|line| side.outline.words_at(*line));
    let quoted = words.filter(|word| word.how == WordUse::Key);
    let quoted = quoted.map(|word| word.text.to_owned());
    let spoken = quoted_texts::texts_on(side).into_iter();
    let keys = object_keys::keys_on(side).into_iter();
    let others = environment::variables_on(side)
        .into_iter()
        .chain(markup::declared_on(side))
        .chain(service_arguments::arguments_on(side))
        .chain(listening::ports_on(side));
    let options = options::options_of(side);
    literals
        .chain(fields)
        .chain(quoted)
        .chain(spoken)
        .chain(key_patterns::patterns_on(side))
        .chain(keys)
        .chain(others)
        .chain(options)
        .collect()
}

/// How certainly a line reads what a name stands for; none: it does not.
pub(super) fn certainty_of_reading(
    name: &WantedName,
    line: u32,
    file: &FileHits,
    outline: &FileOutline<'_>,
) -> Option<Certainty> {
    let place = ReadingPlace {
        name: &name.text,
        line,
        file,
        outline,
    };
    let sure = name.readers.iter().filter_map(|reader| match reader {
        Reader::Placeholder => place.is_placeholder().then_some(Certainty::Exact),
        Reader::Variable => place.is_variable().then_some(Certainty::Exact),
        Reader::Bound(key) => place.is_bound(key).then_some(Certainty::Exact),
        Reader::Set(home) => place.certainty_of_setting(home),
        Reader::Answer(key) => place.certainty_of_answer(key),
        Reader::PageValue => place.is_page_value().then_some(Certainty::Likely),
        Reader::Template(used) => place.takes_template(used).then_some(Certainty::Exact),
        Reader::PageRoute => place.is_page_route().then_some(Certainty::Likely),
        Reader::Attribute(component) => place.is_attribute(component).then_some(Certainty::Likely),
        Reader::Held(key) => place.certainty_of_held(key),
        Reader::Text(text) => place.certainty_of_text(text),
        Reader::Pattern(pattern) => place.has_pattern(pattern).then_some(Certainty::Likely),
        Reader::Heard => place.is_heard().then_some(Certainty::Likely),
        Reader::Subscribed(typed) => place.is_subscribed(typed).then_some(Certainty::Likely),
        Reader::StyleClass(home) => place.is_style_class(home).then_some(Certainty::Likely),
        Reader::Feature(home) => place.is_feature(home).then_some(Certainty::Likely),
        Reader::Statement(typed) => place.is_statement(typed).then_some(Certainty::Likely),
        Reader::Spelled => place.is_spelled_out().then_some(Certainty::Possible),
        Reader::Started(home) => place.is_started(home).then_some(Certainty::Exact),
        Reader::Path => place.is_templated().then_some(Certainty::Likely),
        Reader::Markup => place.is_attribute_value().then_some(Certainty::Likely),
        Reader::Argument => place.is_argument().then_some(Certainty::Exact),
        Reader::Host => place.is_host().then_some(Certainty::Likely),
        Reader::Port => place.is_port().then_some(Certainty::Likely),
        Reader::Resource => place.is_resource().then_some(Certainty::Likely),
        Reader::Property(used, owner) => place.certainty_of_property(*used, owner),
        Reader::Option(home) => place.is_option(home).then_some(Certainty::Likely),
        Reader::Route(route) => place.certainty_of_route(route),
        Reader::Case(members) => place.is_case(members).then_some(Certainty::Possible),
        Reader::Order(members) => place.is_order(members).then_some(Certainty::Possible),
    });
    sure.min()
}
