//! The variables and parameters of functions: a word that one of them is called by names nothing outside of it.

use std::collections::{HashMap, HashSet};

use council_syntax::language::Language;
use council_syntax::outline::FunctionSpan;

use super::call_forms;
use super::search::{FileOutline, is_whole_word};
use super::words::{CodeWord, WordUse, is_name};

/// The names that a function declares.
#[derive(Default)]
pub(super) struct FunctionNames<'t> {
    /// Those that it declares or assigns.
    pub(super) known: HashSet<&'t str>,
    /// Those that are certainly its own: of an assignment alone the variable may be the module's.
    pub(super) bound: HashSet<&'t str>,
    /// The last line of its head, where that has several.
    pub(super) head_end: u32,
}

/// The names that each function declares, by the line of its head.
pub(super) type DeclaredNames<'t> = HashMap<usize, FunctionNames<'t>>;

/// Reads the functions of a file.
pub(super) fn declared_names<'t>(outline: &FileOutline<'t>) -> DeclaredNames<'t> {
    let mut found = DeclaredNames::new();
    let mut shared: HashMap<usize, HashSet<&'t str>> = HashMap::new();
    for line in 1..=outline.last_line() {
        let Some(span) = outline.function_span(line) else {
            continue;
        };
        let is_head = span.head == line as usize;
        let names = found.entry(span.head).or_default();
        if is_head {
            names.add_later_parameters(outline, line);
        }
        names.add_line(outline, line, is_head);
        if is_shared(outline.line(line)) {
            let words = outline.words_at(line).iter().map(|word| word.text);
            shared.entry(span.head).or_default().extend(words);
        }
    }
    for (head, shared) in shared {
        let names = found.entry(head).or_default();
        names.bound.retain(|name| !shared.contains(name));
    }
    found
}

/// Python: whether a line says that variables are those of what is around a function.
fn is_shared(code: &str) -> bool {
    let code = code.trim_start();
    code.starts_with("global ") || code.starts_with("nonlocal ")
}

impl<'t> FunctionNames<'t> {
    fn add_line(&mut self, outline: &FileOutline<'t>, line: u32, is_head: bool) {
        let (code, language) = (outline.line(line), outline.language());
        for word in outline
            .words_at(line)
            .iter()
            .filter(|word| word.how == WordUse::Plain)
        {
            let place = place_of(code, word);
            let is_parameter =
                is_head && is_in_head(place) && !call_forms::is_in_default(code, place.1);
            if !is_parameter && !is_declared(language, place) {
                continue;
            }
            self.known.insert(word.text);
            let is_bound = match is_parameter {
                true => is_listed(language, place),
                false => !outline.is_import(line) && is_bound(language, place),
            };
            // `const limit = config.limit` may well be what is meant.
            let is_single = is_whole_word_once(code, word.text);
            if is_bound && is_single {
                self.bound.insert(word.text);
            }
        }
    }

    /// The parameters of a head over several lines, behind its first one.
    fn add_later_parameters(&mut self, outline: &FileOutline<'t>, head: u32) {
        const MAX_HEAD: u32 = 30;
        let depth_of = |code: &str| {
            let opened = count(code, &['(', '{']);
            i64::try_from(opened).unwrap_or(0)
                - i64::try_from(count(code, &[')', '}'])).unwrap_or(0)
        };
        let first = outline.line(head);
        let is_open = first.trim_end().ends_with(['(', ',']) && !first.contains("=>");
        let mut depth = depth_of(first);
        for line in head + 1..=head + if is_open { MAX_HEAD } else { 0 } {
            let code = outline.line(line);
            for word in outline
                .words_at(line)
                .iter()
                .filter(|word| word.how == WordUse::Plain)
            {
                // Within braces it is a field of what is given.
                if depth == 1 && is_listed(outline.language(), place_of(code, word)) {
                    self.known.insert(word.text);
                    self.bound.insert(word.text);
                }
            }
            self.head_end = line;
            depth += depth_of(code);
            if depth <= 0 {
                break;
            }
        }
    }
}

fn is_whole_word_once(code: &str, word: &str) -> bool {
    let places = code.match_indices(word).map(|(at, _)| at);
    let whole = places.filter(|&at| is_whole_word(code.as_bytes(), at, at + word.len()));
    whole.count() == 1
}

/// A word is a piece of its line.
pub(super) fn place_of<'t>(code: &'t str, word: &CodeWord<'t>) -> WordPlace<'t> {
    let at = (word.text.as_ptr() as usize).wrapping_sub(code.as_ptr() as usize);
    (code, at, at + word.text.len())
}

/// Whether a word is what its piece of a list of parameters names: not its type, its default or a part of a pattern.
fn is_listed(language: Language, (code, from, to): WordPlace<'_>) -> bool {
    const MODIFIERS: [&str; 10] = [
        "mut",
        "final",
        "const",
        "readonly",
        "public",
        "private",
        "protected",
        "val",
        "var",
        "ref",
    ];
    let begin = code[..from].rfind([',', '(', '|']).map_or(0, |at| at + 1);
    let before = code[begin..from].trim_start();
    let behind = code[to..].trim_start();
    let is_outside = count(&code[..from], &['{']) > count(&code[..from], &['}']);
    let is_first = || {
        let mut words = before
            .split(|c: char| !is_name(c))
            .filter(|word| !word.is_empty());
        words.all(|word| MODIFIERS.contains(&word))
    };
    let is_last = || behind.is_empty() || behind.starts_with([',', ')', '=', '[']);
    !is_outside
        && !call_forms::is_in_default(code, from)
        && match is_typed(language) {
            true => is_last() && !before.contains('='),
            false => is_first() && !before.contains([':', '=', '.', '[']) || before == "...",
        }
}

/// Whether a line certainly makes a variable of its function, where it declares or assigns the word.
fn is_bound(language: Language, (code, from, to): WordPlace<'_>) -> bool {
    const KEYWORDS: [&str; 9] = [
        "let", "const", "var", "val", "auto", "for", "lambda", "mut", "final",
    ];
    let (before, behind) = (&code[..from], code[to..].trim_start());
    let mut words = before.split(|c: char| !is_name(c));
    let is_made = words.any(|word| KEYWORDS.contains(&word));
    // What is unpacked may well be what is meant: `const { save } = useStore()`.
    let is_field = count(before, &['{']) > count(before, &['}']);
    let is_lambda = language == Language::Script && behind.starts_with("=>");
    !is_field
        && (matches!(language, Language::Python | Language::Ruby)
            || is_made
            || is_lambda
            || is_between(before, behind)
            || behind.starts_with(":=")
            || (language == Language::Go && behind.starts_with(',') && code.contains(":="))
            || (is_typed(language) && stands_behind_type(before, behind)))
}

impl FileOutline<'_> {
    /// Whether a function around a line has a variable or a parameter of this name.
    pub(super) fn is_local(&self, line: u32, name: &str) -> bool {
        let declared = self.locals.get_or_init(|| declared_names(self));
        let mut around = self
            .functions
            .iter()
            .filter(|one| one.contains(line as usize));
        around.any(|one| {
            declared
                .get(&one.head)
                .is_some_and(|names| names.known.contains(name))
        })
    }

    /// Whether a function around a line certainly has a variable or a parameter of this name for itself, and the file
    /// defines nothing so called in it.
    pub(super) fn is_bound(&self, line: u32, name: &str) -> bool {
        let declared = self.locals.get_or_init(|| declared_names(self));
        let holds = |one: &FunctionSpan, line: u32| one.contains(line as usize);
        let defines = |function: &FunctionSpan| {
            let mut named = self.definitions.iter().filter(|one| one.name == name);
            named.any(|one| holds(function, one.head))
        };
        let mut around = self.functions.iter().filter(|one| holds(one, line));
        around.any(|one| {
            let names = declared.get(&one.head);
            names.is_some_and(|names| names.bound.contains(name)) && !defines(one)
        })
    }
}

/// A line, and where a word of it begins and ends.
pub(super) type WordPlace<'t> = (&'t str, usize, usize);

/// Whether a word stands among the parameters of a head: not in a body on the same line, nor before them, as what
/// else a call is given does (`app.get("/x", auth, (req, res) => {`).
fn is_in_head((code, from, _): WordPlace<'_>) -> bool {
    let is_body = |at: &usize| !code[..*at].trim_end().ends_with(['(', ',']);
    let braces = || code.match_indices('{').map(|(at, _)| at).find(is_body);
    let body = code.find("=>").or_else(braces).unwrap_or(code.len());
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
pub(super) fn is_declared(language: Language, place: WordPlace<'_>) -> bool {
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
    is_between_pipes(before, behind)
        || last == "as"
        || before.ends_with("catch (")
        || before.ends_with("catch(")
}

/// `|x|`, `|a, x: T|` of Rust and Ruby: a pipe opens a list where no value stands before it, as one does in `a | x`.
fn is_between_pipes(before: &str, behind: &str) -> bool {
    let Some((outer, given)) = before.rsplit_once('|') else {
        return false;
    };
    let outer = outer.trim_end();
    let word = outer.rsplit(|c: char| !is_name(c)).next();
    let opens = outer.is_empty()
        || outer.ends_with(['(', ',', '{', '=', '[', '>', ':', ';'])
        || matches!(word, Some("move" | "do" | "return"));
    let is_list = given
        .chars()
        .all(|c| is_name(c) || " ,:&(*)'<>[]_".contains(c));
    opens && is_list && behind.contains('|')
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

pub(super) fn count(code: &str, signs: &[char]) -> usize {
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
        let all = found.into_values().flat_map(|names| names.known);
        let mut all: Vec<String> = all.map(str::to_owned).collect();
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

    #[test]
    fn what_a_function_certainly_has_for_itself_is_told_from_what_it_may_share() {
        for (path, text, bound) in [
            (
                "a.py",
                "def f(one, two=far):\n    three = g(one)\n    for four in one:\n        pass\n",
                &["four", "one", "three", "two"][..],
            ),
            (
                "a.py",
                "def f(one: int, two=g(four), three: T = h(1, five)):\n    return six\n",
                &["one", "three", "two"],
            ),
            (
                "a.py",
                "def f(\n    one,\n    two: int = g(four),\n):\n    return six\n",
                &["one", "two"],
            ),
            (
                "a.ts",
                "const f = function(one: string, two = far) {\n  return one;\n};\n",
                &["one", "two"],
            ),
            (
                "a.py",
                "def f(\n    one,\n    two: int = far,\n):\n    global three\n    three = 1\n    four = self.four\n",
                &["one", "two"],
            ),
            (
                "a.ts",
                "function f(one: string, {two, three}: P) {\n  four = 1;\n  const five = 2;\n  const {six} = use();\n}\n",
                &["five", "one"],
            ),
            (
                "a.ts",
                "export function f({\n  one,\n}: P, two: T) {\n  return one;\n}\n",
                &[],
            ),
            (
                "a.ts",
                "export function f(\n  one: string,\n  two = far,\n) {\n  return one;\n}\n",
                &["one", "two"],
            ),
            (
                "a.go",
                "package a\n\nfunc f(one ...string, two time.Duration) {\n\tthree := g()\n\tfour = 2\n\tfor _, five := range one {\n\t}\n}\n",
                &["five", "one", "three", "two"],
            ),
            (
                "b.go",
                "package a\n\nfunc f() {\n\tg(one|two, three | four)\n\tfive := one | two\n}\n",
                &["five"],
            ),
            (
                "b.rs",
                "fn f() {\n    g(|one| 1, |three, two: &T| 2);\n    h(four | six);\n}\n",
                &["one", "three", "two"],
            ),
            (
                "a.rs",
                "fn f(one: &[u8], mut two: usize) {\n    let three = 1;\n    four = 2;\n}\n",
                &["one", "three", "two"],
            ),
            (
                "A.java",
                "class A {\n  int f(String one, int[] two) {\n    int three = 1;\n    four = 2;\n  }\n}\n",
                &["one", "three", "two"],
            ),
            (
                "a.c",
                "int f(int one, char *two)\n{\n\tint three = 1;\n\tfour = 2;\n\tfive->x = 1;\n}\n",
                &["one", "three", "two"],
            ),
        ] {
            let outline = FileOutline::of(&RepoPath::from(path), text);
            let found = declared_names(&outline);
            let words = ["one", "two", "three", "four", "five", "six", "far", "time"];
            let is_bound = |word: &&str| found.values().any(|names| names.bound.contains(*word));
            let mut found: Vec<&str> = words.into_iter().filter(is_bound).collect();
            found.sort_unstable();
            assert_eq!(found, bound, "{path}: {text}");
        }
    }
}
