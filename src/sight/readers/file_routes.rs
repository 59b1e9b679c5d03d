//! Routes that follow from where a file lies: `app/api/orders/route.ts`, `server/api/orders.get.ts`.

use council_syntax::language::Language;

use super::routes::Segment;

/// A folder whose files are routes by their places.
struct RouteFolder {
    /// Its name, and that of one within that stands in the route; empty: whatever lies within.
    names: [&'static str; 2],
    /// What every file of it is called; empty: as the last part of its route.
    file: &'static str,
}

const FOLDERS: [RouteFolder; 5] = [
    // Next.js.
    folder(["app", ""], "route"),
    folder(["pages", "api"], ""),
    // Nuxt and what it is made of.
    folder(["server", "api"], ""),
    folder(["server", "routes"], ""),
    // SvelteKit.
    folder(["routes", ""], "+server"),
];

const fn folder(names: [&'static str; 2], file: &'static str) -> RouteFolder {
    RouteFolder { names, file }
}

/// The route of a file; none: its place says none.
pub(super) fn route_of_file(path: &str) -> Option<Vec<Segment>> {
    if Language::from_path(path) != Language::Script {
        return None;
    }
    let parts: Vec<&str> = path.split('/').collect();
    let (file, folders) = parts.split_last()?;
    let stem = file.split('.').next().unwrap_or(file);
    let inside = FOLDERS.iter().find_map(|known| {
        let [outer, inner] = known.names;
        let at = folders.iter().position(|name| *name == outer)?;
        let rest = &folders[at + 1..];
        let is_inside = inner.is_empty() || rest.first() == Some(&inner);
        let is_named = known.file.is_empty() || known.file == stem;
        let rest = if inner == "routes" {
            rest.get(1..)?
        } else {
            rest
        };
        (is_inside && is_named).then_some((rest, known.file.is_empty()))
    });
    let (rest, is_part) = inside?;
    let last = (is_part && stem != "index").then_some(stem);
    let route: Vec<Segment> = rest
        .iter()
        .copied()
        .chain(last)
        .filter(|part| !part.starts_with(['(', '@']))
        .map(|part| (!part.starts_with('[')).then(|| part.to_owned()))
        .collect();
    route.iter().any(Option::is_some).then_some(route)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_file_tells_its_route() {
        for (path, route) in [
            ("app/api/orders/route.ts", Some("api/orders")),
            (
                "web/src/app/(shop)/api/orders/[id]/route.js",
                Some("api/orders/*"),
            ),
            ("app/api/orders/page.tsx", None),
            ("pages/api/orders.js", Some("api/orders")),
            ("src/pages/api/orders/[...all].ts", Some("api/orders/*")),
            ("pages/orders.js", None),
            ("server/api/orders.get.ts", Some("api/orders")),
            ("server/api/orders/index.post.ts", Some("api/orders")),
            ("server/routes/feed/[id].ts", Some("feed/*")),
            ("src/routes/api/orders/+server.ts", Some("api/orders")),
            ("src/routes/orders/+page.ts", None),
            ("server/api/orders.go", None),
        ] {
            let found = route_of_file(path);
            let found = found.map(|route| {
                let parts = route.into_iter().map(|part| part.unwrap_or("*".to_owned()));
                parts.collect::<Vec<_>>().join("/")
            });
            assert_eq!(found.as_deref(), route, "{path}");
        }
    }
}
