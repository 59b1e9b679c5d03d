//! Templates that others include, extend, import or render: who does is shown where what a template takes changes.

use std::collections::BTreeSet;

use council_protocol::RepoPath;

use super::super::hints::{join, normalize, split_name};
use super::super::read_side::ReadSide;
use super::super::spelled::has_word;
use super::super::wanted::{NameReason, WantedName};
use super::super::words::is_name;
use super::place::{ReadingPlace, read_name};
use super::reader::{Reader, TemplateUse};
use super::template_marks::{MarkedCode, is_template, marked_code, words_of_code};

/// What uses an edited template by its file, and its edited macros and lost blocks by their names.
pub(super) fn edited_names(before: &ReadSide<'_>, now: &ReadSide<'_>) -> Vec<WantedName> {
    let path = now.path.display();
    if !is_template(&path) {
        return Vec::new();
    }
    let marked = [before.text, now.text].map(|text| marked_code(&path, text));
    let parts = [&marked[0], &marked[1]].map(|marked| parts_of(marked));
    let taken = |at: usize, side: &ReadSide<'_>| -> BTreeSet<&str> {
        let words = marked[at].iter().flat_map(words_of_code);
        let words = words.filter(|(line, _)| side.lines.contains(line));
        words.map(|(_, word)| word).collect()
    };
    let name = |text: &str, is_part: bool| {
        let used = TemplateUse {
            home: now.path.clone(),
            is_part,
        };
        read_name(text, NameReason::Changed, Reader::Template(used))
    };
    let is_edited = |part: &&TemplatePart<'_>, side: &ReadSide<'_>| {
        let last = if part.is_macro { part.last } else { part.line };
        side.lines
            .iter()
            .any(|line| (part.line..=last).contains(line))
    };
    let had = parts[0].iter().filter(|part| is_edited(part, before));
    let has = parts[1].iter().filter(|part| is_edited(part, now));
    let is_kept = |part: &&TemplatePart<'_>| parts[1].iter().any(|one| one.name == part.name);
    let lost = had.filter(|part| part.is_macro || !is_kept(part));
    let named = lost.chain(has.filter(|part| part.is_macro));
    let named: BTreeSet<&str> = named.map(|part| part.name).collect();
    let mut found: Vec<WantedName> = named.iter().map(|text| name(text, true)).collect();
    if taken(0, before) != taken(1, now) || !named.is_empty() {
        found.extend(names_of_file(&path).iter().map(|text| name(text, false)));
    }
    found
}

/// A part of a template that others fill or call.
struct TemplatePart<'t> {
    name: &'t str,
    is_macro: bool,
    line: u32,
    /// The last line that may be of it.
    last: u32,
}

/// The macros and the blocks of a template.
fn parts_of<'t>(marked: &[MarkedCode<'t>]) -> Vec<TemplatePart<'t>> {
    const MACROS: [&str; 4] = ["macro", "mixin", "define", "function"];
    const BLOCKS: [&str; 7] = [
        "block",
        "yield",
        "content_for",
        "RenderSection",
        "RenderSectionAsync",
        "section",
        "stack",
    ];
    let mut found: Vec<TemplatePart<'t>> = Vec::new();
    for piece in marked {
        let begins = |words: &[&str]| words.iter().find_map(|word| named_behind(piece.code, word));
        let is_end = ["endmacro", "</#macro"]
            .iter()
            .any(|word| piece.code.contains(word));
        let named = begins(&MACROS).map(|name| (name, true));
        let named = named.or_else(|| begins(&BLOCKS).map(|name| (name, false)));
        if let Some(open) = found.iter_mut().rev().find(|one| one.last == u32::MAX)
            && (is_end || named.is_some_and(|(_, is_macro)| is_macro))
        {
            open.last = piece.line;
        }
        found.extend(named.map(|(name, is_macro)| TemplatePart {
            name,
            is_macro,
            line: piece.line,
            last: if is_macro { u32::MAX } else { piece.line },
        }));
    }
    found
}

/// The name behind a word: `block scripts`, `yield :head`, `define "row"`, `@section('main')`.
fn named_behind<'t>(code: &'t str, word: &str) -> Option<&'t str> {
    let at = code.find(word)?;
    let before = &code[..at];
    let behind = &code[at + word.len()..];
    let begun = before.trim_start_matches(['{', '%', '<', '#', '@', '-', '=', ' ', '\t', '\n']);
    let name = behind.trim_start_matches([' ', '(', ':', '"', '\'']);
    let end = name.find(|c| !is_name(c) && c != '-').unwrap_or(name.len());
    let is_apart = name.len() < behind.len();
    Some(&name[..end]).filter(|name| begun.is_empty() && is_apart && !name.is_empty())
}

/// The name of a file as others spell it: without endings, without the `_` of partials.
fn spelled_names(file: &str) -> BTreeSet<&str> {
    let bare = file.trim_start_matches('_');
    let places = bare.match_indices('.').map(|(at, _)| at);
    let ends: Vec<usize> = places.chain([bare.len()]).collect();
    let skipped = file.len() - bare.len();
    let names = ends
        .iter()
        .flat_map(|end| [&file[..skipped + end], &bare[..*end]]);
    names.filter(|name| !name.is_empty()).collect()
}

/// The texts by which a template is searched: its name alone and below its folder, with slashes or with dots.
fn names_of_file(path: &str) -> BTreeSet<String> {
    /// Whoever names one of these names its ending.
    const WITH_ENDING: [&str; 8] = [
        ".html", ".htm", ".j2", ".jinja", ".jinja2", ".njk", ".twig", ".tmpl",
    ];
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = folder.rsplit('/').next().unwrap_or_default();
    let needs_ending = WITH_ENDING.iter().any(|ending| path.ends_with(ending));
    let mut found = BTreeSet::new();
    for name in spelled_names(file) {
        if name.contains('.') || !needs_ending {
            found.insert(name.to_owned());
        }
        if !parent.is_empty() {
            found.insert(format!("{parent}/{name}"));
            found.insert(format!("{parent}.{name}"));
        }
    }
    if let Some((_, component)) = path.split_once("/components/")
        && let Some(tag) = component.strip_suffix(".blade.php")
    {
        found.insert(format!("x-{}", tag.replace('/', ".")));
    }
    found
}

/// Folders below which templates are named.
const ROOTS: [&str; 14] = [
    "_includes",
    "_layouts",
    "_partials",
    "components",
    "fragments",
    "includes",
    "layouts",
    "pages",
    "partials",
    "shared",
    "snippets",
    "template",
    "templates",
    "views",
];

/// Whether a text of the file `from` leads to a template: by its path below a folder of templates, or below one that holds
/// both files.
fn leads_to(from: &str, text: &str, home: &str) -> bool {
    let (home_folder, home_file) = home.rsplit_once('/').unwrap_or(("", home));
    let names = spelled_names(home_file);
    let fits = |file: &str| names.contains(file);
    let is_blade = home.ends_with(".blade.php");
    let text = match text.strip_prefix("x-").filter(|_| is_blade) {
        Some(tag) => format!("components/{}", tag.replace('.', "/")),
        None if is_blade && !text.contains('/') => text.replace('.', "/"),
        None => text.to_owned(),
    };
    let (from_folder, ..) = split_name(from);
    if text.starts_with("./") || text.starts_with("../") {
        let whole = normalize(&join(from_folder, &text));
        let (folder, file) = whole.rsplit_once('/').unwrap_or(("", &whole));
        return folder == home_folder && fits(file);
    }
    let text = text.trim_start_matches('/');
    let (folder, file) = text.rsplit_once('/').unwrap_or(("", text));
    let above = match folder {
        "" => Some(home_folder),
        folder => home_folder
            .strip_suffix(folder)
            .filter(|above| above.is_empty() || above.ends_with('/')),
    };
    let Some(above) = above.filter(|_| fits(file)) else {
        return false;
    };
    let above = above.trim_end_matches('/');
    let last = above.rsplit('/').next().unwrap_or_default().to_lowercase();
    let is_around = above.is_empty() || format!("{from_folder}/").starts_with(&format!("{above}/"));
    is_around || ROOTS.contains(&last.as_str())
}

impl ReadingPlace<'_, '_> {
    /// Whether the line names a template, or in a file that does a part of it.
    pub(super) fn takes_template(&self, used: &TemplateUse) -> bool {
        if self.file.path == used.home {
            return false;
        }
        if !used.is_part {
            return self.names_template(self.line, self.name, &used.home);
        }
        let code = self.code();
        let path = self.file.path.display();
        let is_marked = || {
            let pieces = marked_code(&path, code);
            pieces.iter().any(|piece| has_word(piece.code, self.name))
        };
        let is_called = || code.contains(&format!("template \"{}\"", self.name));
        is_template(&path) && is_marked() && (is_called() || self.knows_template(&used.home))
    }

    /// Whether any line of the file names a template.
    fn knows_template(&self, home: &RepoPath) -> bool {
        let names = names_of_file(&home.display());
        let lines = self.file.text.lines().zip(1_u32..);
        let naming =
            lines.filter(|(code, _)| names.iter().any(|name| code.contains(name.as_str())));
        let mut naming = naming.take(40);
        naming.any(|(_, line)| {
            let mut names = names.iter();
            names.any(|name| self.names_template(line, name, home))
        })
    }

    /// Whether a line, or the one above it, takes a template whose path it has.
    fn names_template(&self, line: u32, name: &str, home: &RepoPath) -> bool {
        let code = self.outline.without_comment(line);
        let above = self.outline.without_comment(line.saturating_sub(1));
        let path = self.file.path.display();
        let is_of_path = |c: char| is_name(c) || "./-".contains(c);
        let is_taken = takes(code) || (above.trim_end().ends_with(['(', ',']) && takes(above));
        let mut places = code.match_indices(name).map(|(at, _)| at);
        is_taken
            && places.any(|at| {
                let before = code[..at].trim_end_matches(is_of_path);
                let behind = &code[at..];
                let end = behind.find(|c| !is_of_path(c)).unwrap_or(behind.len());
                let text = &code[before.len()..at + end];
                is_reference(before, &behind[end..]) && leads_to(&path, text, &home.display())
            })
    }
}

/// Whether what stands around a path makes it one of a template.
fn is_reference(before: &str, behind: &str) -> bool {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let begun = before.trim_end();
    let is_quoted = before.ends_with(QUOTES) && behind.starts_with(QUOTES);
    let is_partial = begun.ends_with("{{>") || begun.ends_with("{{#>") || begun.ends_with("~{");
    let is_tag = before.ends_with('<') || before.ends_with("</");
    let is_directive = ["include", "extends"].contains(&begun.trim_start());
    is_quoted || is_partial || is_tag || is_directive
}

/// Whether a line takes a template: includes, extends, imports or renders one.
fn takes(code: &str) -> bool {
    const VERBS: [&str; 16] = [
        "component",
        "each",
        "embed",
        "extend",
        "from ",
        "import",
        "include",
        "insert",
        "layout",
        "partial",
        "render",
        "replace",
        "template",
        "view",
        "{{>",
        "<x-",
    ];
    let code = code.to_lowercase();
    VERBS.iter().any(|verb| code.contains(verb)) || code.contains("{{#>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_leads_to_the_template_below_its_folder() {
        for (from, text, home, is_it) in [
            ("t/cart.html", "_row.html", "t/_row.html", true),
            ("t/cart.html", "_row.html", "t/shop/_row.html", false),
            (
                "app/views.py",
                "shop/row.html",
                "app/templates/shop/row.html",
                true,
            ),
            (
                "b/templates/b/x.html",
                "a/row.html",
                "a/templates/a/row.html",
                true,
            ),
            (
                "app/views/carts/show.html.erb",
                "orders/line",
                "app/views/orders/_line.html.erb",
                true,
            ),
            (
                "app/views/carts/show.html.erb",
                "orders/line",
                "app/views/admin/orders/_line.html.erb",
                false,
            ),
            (
                "app/views/orders/show.html.erb",
                "line",
                "app/views/orders/_line.html.erb",
                true,
            ),
            (
                "app/views/carts/show.html.erb",
                "line",
                "app/views/orders/_line.html.erb",
                false,
            ),
            (
                "views/cart.ejs",
                "partials/row",
                "views/partials/row.ejs",
                true,
            ),
            (
                "views/shop/cart.ejs",
                "../partials/row.ejs",
                "views/partials/row.ejs",
                true,
            ),
            (
                "views/shop/cart.ejs",
                "./partials/row",
                "views/partials/row.ejs",
                false,
            ),
            (
                "r/views/cart.blade.php",
                "shop.row",
                "r/views/shop/row.blade.php",
                true,
            ),
            (
                "r/views/cart.blade.php",
                "x-forms.input",
                "r/views/components/forms/input.blade.php",
                true,
            ),
            (
                "r/views/cart.blade.php",
                "x-input",
                "r/views/components/forms/input.blade.php",
                false,
            ),
            (
                "Views/Orders/Index.cshtml",
                "_Row",
                "Views/Shared/_Row.cshtml",
                true,
            ),
            (
                "Views/Orders/Index.cshtml",
                "_Row",
                "Views/Carts/_Row.cshtml",
                false,
            ),
        ] {
            assert_eq!(
                leads_to(from, text, home),
                is_it,
                "{from}: {text} -> {home}"
            );
        }
    }

    #[test]
    fn the_parts_of_templates_are_found() {
        let parts = |path: &str, text: &str| -> Vec<String> {
            let marked = marked_code(path, text);
            let parts = parts_of(&marked).into_iter();
            parts
                .map(|one| format!("{} {} {}", one.name, one.line, one.last))
                .collect()
        };
        let jinja = "{% macro row(a) %}\n{{ a }}\n{% endmacro %}\n{% block body %}{% endblock %}\n";
        assert_eq!(parts("a.html", jinja), ["row 1 3", "body 4 4"]);
        assert_eq!(
            parts("a.erb", "<%= yield :head %>\n<%= yielding %>\n"),
            ["head 1 1"]
        );
        let go = "{{ define \"row\" }}\n{{ end }}\n{{ define \"top\" }}\n{{ end }}\n";
        assert_eq!(parts("a.tmpl", go), ["row 1 3", "top 3 4294967295"]);
        assert_eq!(
            parts("a.blade.php", "@yield('main')\n@section(\"side\")\n"),
            ["main 1 1", "side 2 2"]
        );
        assert_eq!(
            parts("a.ftl", "<#macro row item>\n${item}\n</#macro>\n"),
            ["row 1 3"]
        );
    }
}
