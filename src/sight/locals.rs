//! The variables and parameters of functions: a word that one of them is called by names nothing outside of it.

use std::collections::{HashMap, HashSet};

use council_syntax::language::Language;

use super::search::FileOutline;
use super::words::{WordUse, is_name};

/// The names that each function declares, by the line of its head.
pub(super) type DeclaredNames<'t> = HashMap<usize, HashSet<&'t str>>;

/// Reads the functions of a file.
pub(super) fn declared_names<'t>(outline: &FileOutline<'t>) -> DeclaredNames<'t> {
    let mut found = DeclaredNames::new();
    for line in 1..=outline.last_line() {
        let Some(span) = outline.function_span(line) else {
            continue;
        };
        let code = outline.line(line);
        let is_head = span.head == line as usize;
        let words = outline.words_at(line).iter();
        let plain = words.filter(|word| word.how == WordUse::Plain);
        let declared = plain.filter(|word| {
            // A word is a piece of its line.
            let at = (word.text.as_ptr() as usize).wrapping_sub(code.as_ptr() as usize);
            let place = (code, at, at + word.text.len());
            (is_head && is_in_head(place)) || is_declared(outline.language(), place)
        });
        let names: Vec<&'t str> = declared.map(|word| word.text).collect();
        found.entry(span.head).or_default().extend(names);
    }
    found
}

/// A line, and where a word of it begins and ends.
type WordPlace<'t> = (&'t str, usize, usize);

/// Whether a word stands among the parameters of a head: not in a body on the same line, nor before them, as what
/// else a call is given does (`app.get("/x", auth, (req, res) => {`).
fn is_in_head((code, from, _): WordPlace<'_>) -> bool {
    let body = code.find("=>").or_else(|| code.find('{'));
    let body = body.unwrap_or(code.len());
    let mut depth = 0_i32;
    let mut rest = code.get(from..body).unwrap_or_default().bytes();
    rest.any(|byte| {
        depth += match byte {
            b'(' => 1,
            b')' => -1,
            _ => 0,
        };
        depth < 0
    })
}

/// Whether a line declares a word or assigns it.
fn is_declared(language: Language, place: WordPlace<'_>) -> bool {
    let (code, from, to) = place;
    let (before, behind) = (&code[..from], code[to..].trim_start());
    let is_value = before.ends_with(['.', '@', ':']) && !before.ends_with("..");
    !is_value
        && (is_assigned(code, before, behind)
            || is_unpacked(code, from)
            || is_between(before, behind)
            || (is_typed(language) && stands_behind_type(before, behind)))
}

/// `x =`, `x: T =`, `x =>`; within brackets it is an argument, and in front of a comma, too.
fn is_assigned(code: &str, before: &str, behind: &str) -> bool {
    let is_open = count(before, &['(', '[']) > count(before, &[')', ']']);
    let is_argument = is_open || code.trim_end().ends_with(',');
    let is_set = ["=", "+=", "-=", "*=", "|=", ":="]
        .iter()
        .any(|sign| behind.starts_with(sign));
    let is_function = behind.starts_with("=>") || behind.starts_with("->");
    is_function || (is_set && !behind.starts_with("==") && !is_argument)
}

/// `let (a, b) =`, `for a, b in`, `a, err :=`, `a, b = f()`: one of several names that are declared together.
fn is_unpacked(code: &str, from: usize) -> bool {
    const KEYWORDS: [&str; 8] = ["let", "const", "var", "val", "auto", "for", "lambda", "mut"];
    let end = ["=", " in ", " of ", ":"]
        .iter()
        .filter_map(|sign| code[from..].find(sign))
        .min();
    let Some(end) = end.map(|end| from + end) else {
        return false;
    };
    let named = &code[..end];
    let words = named
        .split(|c: char| !is_name(c))
        .filter(|word| !word.is_empty());
    let is_begun = words.clone().any(|word| KEYWORDS.contains(&word));
    let is_list = named
        .chars()
        .all(|c| is_name(c) || " \t,*(){}[]:".contains(c));
    let is_call = named
        .match_indices('(')
        .any(|(at, _)| named[..at].ends_with(is_name));
    is_list && !is_call && (is_begun || named.contains(','))
}

/// `|x|`, `catch (x)`, `as x`: what a block is given.
fn is_between(before: &str, behind: &str) -> bool {
    let before = before.trim_end();
    let last = before
        .rsplit(|c: char| !is_name(c))
        .next()
        .unwrap_or_default();
    let is_pipe = before.ends_with('|') && !before.ends_with("||");
    let is_given = is_pipe || behind.starts_with('|') && before.contains('|');
    is_given || last == "as" || before.ends_with("catch (") || before.ends_with("catch(")
}

/// Languages that write a type before the name.
fn is_typed(language: Language) -> bool {
    matches!(
        language,
        Language::C | Language::Java | Language::CSharp | Language::Dart
    )
}

/// `int x;`, `char *x[4]`, `List<T> x =`.
fn stands_behind_type(before: &str, behind: &str) -> bool {
    const STATEMENTS: [&str; 10] = [
        "return", "else", "case", "throw", "new", "goto", "await", "in", "delete", "sizeof",
    ];
    let begun = before.trim_end().trim_end_matches(['*', '&']).trim_end();
    let mut words = begun.split(|c: char| !is_name(c));
    let is_type = begun.ends_with(|c: char| is_name(c) || ">]".contains(c));
    let is_value = begun.contains(['=', '(']) || words.any(|word| STATEMENTS.contains(&word));
    let is_apart = before.len() > begun.len();
    is_apart && is_type && !is_value && behind.starts_with(['=', ';', '[', ',', ':'])
}

fn count(code: &str, signs: &[char]) -> usize {
    code.matches(signs).count()
}

#[cfg(test)]
mod tests {
    use council_protocol::RepoPath;

    use super::*;

    /// The names that the first function of a file declares.
    fn names(path: &str, text: &str) -> Vec<String> {
        let outline = FileOutline::of(&RepoPath::from(path), text);
        let found = declared_names(&outline);
        let all = found.into_values().flatten().map(str::to_owned);
        let mut all: Vec<String> = all.collect();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn variables_and_parameters_are_told_from_what_stands_elsewhere() {
        for (path, text, declared) in [
            (
                "a.py",
                "def total(order, rate):\n    least = far(rate)\n    for item, n in order:\n        least += call(item, key=far, by=near)\n    return sorted(order, key=ranking)\n",
                &["item", "least", "order", "rate"][..],
            ),
            (
                "a.js",
                "function total(order) {\n  let least = 0;\n  const {rate, limit} = far;\n  order.map(item => item + rate);\n  return order.sort(compare);\n}\n",
                &["item", "least", "limit", "order", "rate"],
            ),
            (
                "a.go",
                "package a\n\nfunc total(order []int) int {\n\tleast, err := far(order)\n\tfor _, item := range order {\n\t\tleast += item\n\t}\n\tr.Use(auth)\n\treturn least\n}\n",
                &["item", "least", "order"],
            ),
            (
                "b.js",
                "app.get(\"/x\", auth, (order, least) => {\n  send(order);\n});\n",
                &["least", "order"],
            ),
            (
                "a.c",
                "int total(int *order)\n{\n\tint least = 0;\n\tchar *name;\n\tqsort(order, 3, 4, compare);\n\treturn least * ratio;\n}\n",
                &["least", "name", "order"],
            ),
            (
                "a.rs",
                "fn total(order: &[u32]) -> u32 {\n    let least = 0;\n    let sums = order.iter().map(|item| item + rate);\n    order.sort_by(compare);\n    least\n}\n",
                &["item", "least", "order", "sums"],
            ),
        ] {
            let found = names(path, text);
            for name in declared {
                assert!(
                    found.iter().any(|one| one == name),
                    "{path}: {name}: {found:?}"
                );
            }
            for name in ["compare", "ranking", "auth", "ratio", "far", "near"] {
                assert!(
                    !found.iter().any(|one| one == name),
                    "{path}: {name}: {found:?}"
                );
            }
        }
    }
}
