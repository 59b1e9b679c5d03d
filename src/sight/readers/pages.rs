//! What pages are given by name: values that a call hands to a template, and routes that it names in quotes.

use super::super::read_side::ReadSide;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::{self, WordUse};
use super::literals::{GivenTo, given_keys};
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;

/// What reads the values and the routes that a side gave to pages.
pub(super) fn names_before(side: &ReadSide<'_>) -> Vec<WantedName> {
    let given = given_keys(side).into_iter();
    let given = given.filter(|(_, to)| *to == GivenTo::Page);
    let values = given.map(|(name, _)| read_name(&name, NameReason::Removed, Reader::PageValue));
    let routes = routes_of(side).into_iter();
    let routes = routes.map(|name| read_name(name, NameReason::Removed, Reader::PageRoute));
    values.chain(routes).collect()
}

/// The routes that the edited lines of a side name, where no word of code is called so: `name="cart-detail"`.
fn routes_of<'t>(side: &ReadSide<'t>) -> Vec<&'t str> {
    let outline = &side.outline;
    let lines = side.lines.iter().filter(|line| {
        let code = outline.line(**line);
        ["name=", "name =", "name:"]
            .iter()
            .any(|sign| code.contains(sign))
    });
    let words = lines.flat_map(|line| outline.words_at(*line));
    let routes = words.filter(|word| word.how == WordUse::Key && word.text.contains('-'));
    routes.map(|word| word.text).collect()
}

impl ReadingPlace<'_, '_> {
    /// Whether the line of a page names a value.
    pub(super) fn is_page_value(&self) -> bool {
        self.is_page() && self.outline.is_code(self.line, self.name)
    }

    /// Whether a line of a page has the name of a route in quotes, between the marks of code.
    pub(super) fn is_page_route(&self) -> bool {
        const MARKS: [&str; 5] = ["{%", "{{", "<%", "${", "@{"];
        let has_marks = || MARKS.iter().any(|mark| self.code().contains(mark));
        let is_quoted = || {
            self.around().iter().any(|(before, behind)| {
                before.ends_with(['"', '\'', ':']) && behind.starts_with(['"', '\''])
            })
        };
        self.is_page() && has_marks() && is_quoted()
    }

    fn is_page(&self) -> bool {
        words::is_template(&self.file.path.display())
    }
}
