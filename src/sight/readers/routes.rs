//! Routes of a web service: who asks for one reaches the function behind it without its name.

use std::collections::BTreeSet;

use council_syntax::outline::FunctionSpan;

use super::super::definitions::DefinitionKind;
use super::super::read_side::ReadSide;
use super::super::receivers::Certainty;
use super::super::search::FileOutline;
use super::super::spelled::has_word;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::is_name;
use super::file_routes;
use super::place::{ReadingPlace, read_name};
use super::reader::Reader;
use crate::prompt::is_test_path;

/// A part of a route; none: whatever is given there.
pub(super) type Segment = Option<String>;

/// The paths in the strings of a line.
type RouteLine<'o> = (u32, Vec<&'o str>);

/// What asks for the routes of the functions that a side edits.
pub(super) fn edited_routes(side: &ReadSide<'_>) -> Vec<WantedName> {
    const MAX_ROUTES: usize = 20;
    let outline = &side.outline;
    let lines = (1..=outline.last_line()).map(|line| {
        let paths = paths_on(outline.without_comment(line));
        (line, paths.collect())
    });
    let lines: Vec<RouteLine<'_>> = lines
        .filter(|(line, paths): &RouteLine<'_>| {
            !paths.is_empty() || is_verb(outline.without_comment(*line))
        })
        .collect();
    let is_edited =
        |span: &&FunctionSpan| side.lines.iter().any(|line| span.contains(*line as usize));
    let spans = outline.functions.iter().filter(is_edited);
    let mut routes: BTreeSet<Vec<Segment>> = match lines.is_empty() {
        true => BTreeSet::new(),
        false => spans
            .flat_map(|span| routes_to(outline, span, &lines))
            .collect(),
    };
    let of_file = file_routes::route_of_file(&side.path.display());
    routes.extend(of_file.filter(|_| !side.lines.is_empty()));
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
        .flat_map(|(_, paths)| match paths.is_empty() {
            // A verb alone: `@GetMapping`.
            true => vec![""],
            false => paths.clone(),
        })
        .map(|path| segments_of(&format!("{prefix}/{path}")))
        .filter(|route| route.iter().any(Option::is_some))
        .collect()
}

/// What all routes of a file or of a class begin with: `APIRouter(prefix="/orders")`, `@RequestMapping("/orders")`.
fn prefix_above(outline: &FileOutline<'_>, line: u32) -> Option<String> {
    const SIGNS: [&str; 2] = ["prefix=", "url_prefix="];
    const OF_CLASS: [&str; 4] = ["@RequestMapping(", "@Controller(", "@Path(", "[Route("];
    let has_sign = |code: &str, signs: &[&str]| signs.iter().any(|sign| code.contains(sign));
    let types = outline
        .definitions
        .iter()
        .filter(|one| one.kind == DefinitionKind::Type && one.start <= line && line <= one.end);
    let of_class = types.max_by_key(|one| one.head).and_then(|one| {
        let mut above = (one.start..=one.head).map(|at| outline.without_comment(at));
        let code = above.find(|code| has_sign(code, &OF_CLASS))?;
        let path = literals_of(code).find_map(|literal| path_of(literal).or(bare_path(literal)))?;
        let typed = one.name.strip_suffix("Controller").unwrap_or(&one.name);
        Some(path.replace("[controller]", &typed.to_lowercase()))
    });
    let of_file = || {
        let mut above = (1..line).rev().map(|at| outline.without_comment(at));
        above.find_map(|code| {
            let is_one = has_sign(code, &SIGNS) && !code.starts_with([' ', '\t']);
            literals_of(code).find_map(path_of).filter(|_| is_one)
        })
    };
    of_class.or_else(|| of_file().map(str::to_owned))
}

/// The paths in the strings of a line; those of a verb above a function may begin without a slash.
fn paths_on(code: &str) -> impl Iterator<Item = &str> {
    let is_verb = is_verb(code);
    let literals = literals_of(code);
    literals.filter_map(move |literal| {
        let bare = || bare_path(literal).filter(|_| is_verb);
        path_of(literal).or_else(bare)
    })
}

/// Whether a line says above a function how it is asked for: `@Get(':id')`, `@app.get("/")`, `[HttpGet]`.
fn is_verb(code: &str) -> bool {
    const VERBS: [&str; 9] = [
        "all", "delete", "get", "head", "options", "patch", "post", "put", "request",
    ];
    let Some(rest) = code.trim_start().strip_prefix(['@', '[']) else {
        return false;
    };
    let end = rest.find(|c| !is_name(c) && c != '.').unwrap_or(rest.len());
    let named = rest[..end].rsplit('.').next().unwrap_or_default();
    let named = named.strip_prefix("Http").unwrap_or(named);
    let verb = named.strip_suffix("Mapping").unwrap_or(named);
    VERBS.contains(&verb.to_lowercase().as_str())
}

/// A path that begins without a slash.
fn bare_path(literal: &str) -> Option<&str> {
    let fits = |c: char| is_name(c) || "-_./:{}*[]".contains(c);
    (!literal.is_empty() && literal.chars().all(fits)).then_some(literal)
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
        // A variable says where the service is: `${host}/orders`.
        None if path.starts_with(['$', '{', '%']) => &path[path.find('/')?..],
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

/// How many parts stand before a route in a path that is asked for and ends as it does; what is behind the last slash of
/// the path may be added to it. None: it asks for another one.
fn asked_behind(route: &[Segment], path: &str) -> Option<usize> {
    let mut given = segments_of(path);
    let place_in = |given: &[Segment]| {
        let from = given.len().checked_sub(route.len())?;
        let mut pairs = route.iter().zip(&given[from..]);
        let is_it = pairs.all(|(part, given)| part.is_none() || part == given);
        is_it.then_some(from)
    };
    let whole = place_in(&given);
    given.push(None);
    whole.or_else(|| place_in(&given).filter(|_| path.ends_with('/')))
}

/// Whether what stands before a route in a path only says where its service is: `/api/v1`, `${host}`.
fn is_mount(path: &str, parts: usize) -> bool {
    let is_version = |part: &str| {
        let number = part.strip_prefix('v').unwrap_or_default();
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    };
    let before = segments_of(path).into_iter().take(parts);
    let mut before = before.flatten();
    before.all(|part| part == "api" || part == "rest" || is_version(&part))
}

impl ReadingPlace<'_, '_> {
    /// How certainly the line asks for a route: in a test however it is written, elsewhere where it declares none of its own.
    pub(super) fn certainty_of_route(&self, route: &[Segment]) -> Option<Certainty> {
        let code = self.code();
        let mut paths = paths_on(code).filter_map(|path| Some((path, asked_behind(route, path)?)));
        if is_test_path(&self.file.path.display()) {
            return paths.next().map(|_| Certainty::Possible);
        }
        let is_asked = paths.any(|(path, parts)| is_mount(path, parts)) && self.may_ask(code);
        is_asked.then_some(Certainty::Likely)
    }

    /// Whether a line may ask for a route, and does not declare one of a service.
    fn may_ask(&self, code: &str) -> bool {
        const DECLARING: [&str; 12] = [
            "Handle", "Route", "app.", "fastify.", "group.", "mux.", "path(", "prefix", "route(",
            "router.", "routes.", "server.",
        ];
        let is_decorator = code.trim_start().starts_with(['@', '[']);
        match is_decorator {
            true => self.is_in_client(),
            false => !DECLARING.iter().any(|sign| code.contains(sign)),
        }
    }

    /// Whether the type around the line is one of a client: the program makes it of what its methods say.
    fn is_in_client(&self) -> bool {
        let types = self.outline.definitions.iter().filter(|one| {
            one.kind == DefinitionKind::Type && (one.start..=one.end).contains(&self.line)
        });
        let typed = types.max_by_key(|one| one.head);
        typed.is_some_and(|typed| {
            let mut head = (typed.start..=typed.head).map(|line| self.outline.line(line));
            head.any(|code| code.contains("interface ") || code.contains("Client"))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn verbs_above_functions_are_known() {
        for code in [
            "@Get(':id')",
            "  @GetMapping",
            "@app.post(\"/\")",
            "[HttpGet(\"{id}\")]",
            "@RequestMapping(\"/a\")",
        ] {
            assert!(is_verb(code), "{code}");
        }
        for code in [
            "@Injectable('get')",
            "get('/a')",
            "[Fact]",
            "@property",
            "[1, 2]",
        ] {
            assert!(!is_verb(code), "{code}");
        }
    }

    #[test]
    fn only_where_a_service_is_may_stand_before_its_routes() {
        for (path, parts, is_it) in [
            ("/orders/1", 0, true),
            ("/api/v2/orders/1", 2, true),
            ("/${base}/orders/1", 1, true),
            ("/users/orders", 1, false),
        ] {
            assert_eq!(is_mount(path, parts), is_it, "{path}");
        }
        assert_eq!(path_of("${host}/orders/1"), Some("/orders/1"));
    }

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
            let asked = asked_behind(&segments_of(route), path);
            assert_eq!(asked.is_some(), is_it, "{route} {path}");
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
            prop_assert!(asked_behind(&segments_of(&route), &path).is_some(), "{} {}", route, path);
        }

        #[test]
        fn any_line_is_read_to_its_end(code in "[a-z/{}:?#\"'`ä <>%$]{0,40}") {
            for literal in literals_of(&code) {
                path_of(literal).map(segments_of);
            }
        }
    }
}
