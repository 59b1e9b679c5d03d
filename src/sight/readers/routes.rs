//! Routes of a web service: a test that asks for one reaches the function behind it without its name.

use std::collections::BTreeSet;

use council_syntax::outline::FunctionSpan;

use super::super::read_side::ReadSide;
use super::super::search::FileOutline;
use super::super::spelled::has_word;
use super::super::wanted::{NameReason, WantedName};
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;
use crate::prompt::is_test_path;

/// A part of a route; none: whatever is given there.
type Segment = Option<String>;

/// The paths in the strings of a line.
type RouteLine<'o> = (u32, Vec<&'o str>);

/// What asks for the routes of the functions that a side edits.
pub(super) fn edited_routes(side: &ReadSide<'_>) -> Vec<WantedName> {
    const MAX_ROUTES: usize = 20;
    let outline = &side.outline;
    let lines = (1..=outline.last_line()).map(|line| {
        let paths = literals_of(outline.without_comment(line)).filter_map(path_of);
        (line, paths.collect())
    });
    let lines: Vec<RouteLine<'_>> = lines
        .filter(|(_, paths): &RouteLine<'_>| !paths.is_empty())
        .collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let is_edited =
        |span: &&FunctionSpan| side.lines.iter().any(|line| span.contains(*line as usize));
    let spans = outline.functions.iter().filter(is_edited);
    let routes: BTreeSet<Vec<Segment>> = spans
        .flat_map(|span| routes_to(outline, span, &lines))
        .collect();
    let names = routes.into_iter().take(MAX_ROUTES).filter_map(|route| {
        let word = route
            .iter()
            .flatten()
            .max_by_key(|word| word.len())?
            .clone();
        Some(read_name(&word, NameReason::Changed, Reader::Route(route)))
    });
    names.collect()
}

/// The routes that lead to a function: above it, on the line of one without a name, or where its name is given to one.
fn routes_to(
    outline: &FileOutline<'_>,
    span: &FunctionSpan,
    lines: &[RouteLine<'_>],
) -> Vec<Vec<Segment>> {
    let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    let (start, head) = (number(span.start), number(span.head));
    let leads = |line: u32| {
        let is_above = (start.saturating_sub(1)..=head).contains(&line);
        is_above || (!span.name.is_empty() && has_word(outline.line(line), &span.name))
    };
    let leading = lines.iter().filter(|(line, _)| leads(*line));
    let prefix = prefix_above(outline, start).unwrap_or_default();
    leading
        .flat_map(|(_, paths)| paths)
        .map(|path| segments_of(&format!("{prefix}{path}")))
        .filter(|route| route.iter().any(Option::is_some))
        .collect()
}

/// What all routes of a file or of a class begin with: `APIRouter(prefix="/orders")`, `@RequestMapping("/orders")`.
fn prefix_above<'o>(outline: &'o FileOutline<'_>, line: u32) -> Option<&'o str> {
    const SIGNS: [&str; 5] = [
        "prefix=",
        "url_prefix=",
        "@RequestMapping(",
        "@Controller(",
        "@Path(",
    ];
    let mut above = (1..line).rev().map(|at| outline.without_comment(at));
    above.find_map(|code| {
        let has_sign =
            SIGNS.iter().any(|sign| code.contains(sign)) && !code.starts_with([' ', '\t']);
        literals_of(code).find_map(path_of).filter(|_| has_sign)
    })
}

/// The strings of a line.
fn literals_of(code: &str) -> impl Iterator<Item = &str> {
    code.split(['"', '\'', '`']).skip(1).step_by(2)
}

/// The path in a string, behind a verb or a host: `GET /orders/{id}`.
fn path_of(literal: &str) -> Option<&str> {
    let path = literal.rsplit(' ').next().unwrap_or(literal);
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path = match path.split_once("://") {
        Some((_, rest)) => &rest[rest.find('/')?..],
        None => path,
    };
    (path.starts_with('/') && path.len() > 1).then_some(path)
}

fn segments_of(path: &str) -> Vec<Segment> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    let is_open =
        |part: &str| part.starts_with(':') || part.contains(['{', '<', '*', '(', '$', '%']);
    parts
        .map(|part| (!is_open(part)).then(|| part.to_owned()))
        .collect()
}

/// Whether a path that is asked for ends as a route does; what is behind its last slash may be added to it.
fn is_asked(route: &[Segment], path: &str) -> bool {
    let mut given = segments_of(path);
    let ends_with = |given: &[Segment]| {
        let from = given.len().checked_sub(route.len());
        from.is_some_and(|from| {
            let mut pairs = route.iter().zip(&given[from..]);
            pairs.all(|(part, given)| part.is_none() || part == given)
        })
    };
    let is_it = ends_with(&given);
    given.push(None);
    is_it || (path.ends_with('/') && ends_with(&given))
}

impl ReadingPlace<'_, '_> {
    /// Whether the line of a test asks for a route.
    pub(super) fn is_route(&self, route: &[Segment]) -> bool {
        let mut paths = literals_of(self.code()).filter_map(path_of);
        is_test_path(&self.file.path.display()) && paths.any(|path| is_asked(route, path))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_asked_for_is_told_from_other_routes() {
        for (route, path, is_it) in [
            ("/orders/{id}", "/orders/0", true),
            ("/orders/:id", "/api/v1/orders/7", true),
            ("/orders/<int:id>", "/orders/", true),
            ("/orders/{id}", "/orders/${order.id}", true),
            ("/orders/{id}", "/orders", false),
            ("/orders/{id}", "/orders/0/lines", false),
            ("/orders/{id}", "/users/0", false),
            ("/orders", "/orders", true),
            ("/orders", "/orders/1", false),
        ] {
            assert_eq!(is_asked(&segments_of(route), path), is_it, "{route} {path}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: a route is asked for by each path that has something in the place of its parameters, whatever stands before.
        #[test]
        fn a_path_with_values_asks_for_its_route(
            parts in prop::collection::vec("[a-z]{2,6}|:[a-z]{2,6}|\\{[a-z]{2,6}\\}", 1..4),
            before in "(/[a-z]{1,4}){0,2}",
            value in "[a-z0-9]{1,4}",
        ) {
            let route = format!("/{}", parts.join("/"));
            let given = parts.iter().map(|part| match part.starts_with([':', '{']) {
                true => value.clone(),
                false => part.clone(),
            });
            let path = format!("{before}/{}", given.collect::<Vec<_>>().join("/"));
            prop_assert!(is_asked(&segments_of(&route), &path), "{} {}", route, path);
        }

        #[test]
        fn any_line_is_read_to_its_end(code in "[a-z/{}:?#\"'`ä <>%$]{0,40}") {
            for literal in literals_of(&code) {
                path_of(literal).map(segments_of);
            }
        }
    }
}
