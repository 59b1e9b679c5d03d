//! A real change without a file that had to change with it: the head of a function changes, and its callers stay behind.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use council_syntax::language::Language;
use regex::Regex;

use super::telling::is_product_code;
use crate::eval::labelled::{Alteration, LabelledPlace};
use crate::git::ChangedLines;

/// A change of more files than this hides what belongs together.
const MAX_FILES: usize = 20;

/// The head of a function where a keyword opens it, with what stands behind the name.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    let head = r"\b(?:fn|def|func|function)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w{2,})\s*(\(.*)";
    Regex::new(head).expect("a fixed pattern")
});

/// What is left out, and where it is missed.
pub(super) struct Omission {
    pub(super) alteration: Alteration,
    pub(super) places: Vec<LabelledPlace>,
    pub(super) how: String,
}

/// The changes that a commit makes without one of its files: one for each file that calls a function whose head changes
/// in another.
pub(super) fn find_omissions(files: &[ChangedLines]) -> Vec<Omission> {
    let code: Vec<(String, &ChangedLines)> = files
        .iter()
        .map(|file| (String::from_utf8_lossy(&file.path).into_owned(), file))
        .filter(|(path, _)| is_product_code(path))
        .collect();
    if files.len() > MAX_FILES || code.len() < 2 {
        return Vec::new();
    }
    let mut found = BTreeMap::new();
    for (path, file) in &code {
        let language = Language::from_path(path);
        // What every type has is called everywhere, whichever of them is meant.
        let heads = changed_heads(file, language)
            .into_iter()
            .filter(|head| is_telling_name(&head.name));
        for head in heads {
            let callers = code.iter().filter(|(caller, other)| {
                caller != path
                    && Language::from_path(caller) == language
                    && other.old_path.as_deref() == Some(&other.path)
            });
            for (caller, other) in callers {
                let calls = broken_calls(other, &head);
                let (Some(&first), Some(&last)) = (calls.first(), calls.last()) else {
                    continue;
                };
                found
                    .entry(caller.clone())
                    .or_insert_with(|| omission_of(path, &head, caller, (first, last)));
            }
        }
    }
    found.into_values().collect()
}

fn omission_of(path: &str, head: &ChangedHead, caller: &str, calls: (u32, u32)) -> Omission {
    let place = |path: &str, first, last| LabelledPlace {
        path: path.to_owned(),
        first,
        last,
    };
    Omission {
        alteration: Alteration::Leave {
            paths: vec![caller.to_owned()],
        },
        places: vec![
            place(path, head.line, head.line),
            place(caller, calls.0, calls.1),
        ],
        how: format!(
            "`{}` takes other arguments, and {caller} still calls it as before",
            head.name
        ),
    }
}

fn is_telling_name(name: &str) -> bool {
    const EVERYWHERE: [&str; 10] = [
        "new", "init", "main", "open", "close", "read", "write", "get", "set", "run",
    ];
    !name.starts_with("__") && !EVERYWHERE.contains(&name.to_ascii_lowercase().as_str())
}

/// A function that takes another number of arguments than before.
struct ChangedHead {
    name: String,
    line: u32,
    takes: Arity,
}

/// How many arguments a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arity {
    least: usize,
    /// None: any number.
    most: Option<usize>,
}

impl Arity {
    /// What a head takes, from its parenthesis on; none: it does not end in what is known.
    fn of_head(text: &str, language: Language) -> Option<Self> {
        let (mut least, mut most) = (0, Some(0));
        for argument in split_arguments(text)? {
            let name = argument
                .trim_start_matches(['&', ' '])
                .trim_start_matches("mut ");
            let word = name.split([':', ' ', '=']).next().unwrap_or_default();
            match word {
                // The object that a method belongs to, and signs that divide the arguments.
                "self" | "cls" | "this" | "*" | "/" => continue,
                _ if argument.starts_with('*') || argument.contains("...") => most = None,
                _ => {
                    most = most.map(|most| most + 1);
                    least += usize::from(!is_optional(&argument));
                }
            }
        }
        // JavaScript drops what it is given too much of.
        Some(match language {
            Language::Script | Language::Php => Self { least, most: None },
            _ => Self { least, most },
        })
    }

    fn fits(self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }
}

/// Whether a caller may leave an argument out.
fn is_optional(argument: &str) -> bool {
    let name = argument.split(':').next().unwrap_or_default();
    let plain = argument.replace("=>", "").replace("==", "");
    plain.contains('=') || name.trim_end().ends_with('?')
}

/// The functions of a file that take other arguments than before, however their heads are laid out.
fn changed_heads(file: &ChangedLines, language: Language) -> Vec<ChangedHead> {
    let spans = file.spans.as_deref().unwrap_or_default();
    let mut found = Vec::new();
    for span in spans {
        let heads = |lines: &[String]| -> Vec<(usize, String, Arity)> {
            let of_line = |(at, line): (usize, &String)| {
                let (name, _) = head_of(line)?;
                let start = HEAD.captures(line)?.get(2)?.start();
                let takes = Arity::of_head(&text_from(lines, at, start), language)?;
                Some((at, name, takes))
            };
            lines.iter().enumerate().filter_map(of_line).collect()
        };
        let before = heads(&span.removed);
        for (at, name, takes) in heads(&span.added) {
            let mut old = before.iter().filter(|(_, other, _)| *other == name);
            if let Some((_, _, before)) = old.next()
                && *before != takes
            {
                let line = span.new_start + u32::try_from(at).unwrap_or(0);
                found.push(ChangedHead { name, line, takes });
            }
        }
    }
    found
}

/// The most lines of a head or a call.
const MAX_LINES: usize = 40;

/// The text from a place of a line on, with the lines below.
fn text_from(lines: &[String], at: usize, start: usize) -> String {
    let below = lines[at + 1..].iter().take(MAX_LINES).map(String::as_str);
    let first = &lines[at][start..];
    let all: Vec<&str> = std::iter::once(first).chain(below).collect();
    all.join("\n")
}

/// The function whose head stands on a line.
pub(super) fn opened_function(line: &str) -> Option<String> {
    head_of(line).map(|(name, _)| name)
}

fn head_of(line: &str) -> Option<(String, String)> {
    let found = HEAD.captures(line)?;
    Some((found[1].to_owned(), found[2].to_owned()))
}

/// The arguments of a head or a call, from its parenthesis on; none: it does not end in what is known.
fn split_arguments(text: &str) -> Option<Vec<String>> {
    let (mut depth, mut one, mut all) = (0_i32, String::new(), Vec::new());
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match c {
            _ if quote == Some(c) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            // `dict[str, int]` has brackets; `Map<K, V>` has none that a comparison has not as well.
            '<' if text[..at].ends_with(char::is_alphanumeric) => depth += 1,
            '>' if depth > 1 && !text[..at].ends_with(['-', '=']) => depth -= 1,
            _ => {}
        }
        match c {
            _ if depth == 0 => {
                all.push(std::mem::take(&mut one));
                let all = all.iter().map(|one| one.trim().to_owned());
                return Some(all.filter(|one| !one.is_empty()).collect());
            }
            ',' if depth == 1 && quote.is_none() => all.push(std::mem::take(&mut one)),
            '(' if depth == 1 && one.is_empty() && all.is_empty() => {}
            c => one.push(c),
        }
    }
    None
}

/// The old lines of a file that call a function as it cannot be called any more, where calls that fit it replace them.
fn broken_calls(file: &ChangedLines, head: &ChangedHead) -> Vec<u32> {
    let spans = file.spans.as_deref().unwrap_or_default();
    let mut broken = Vec::new();
    for span in spans {
        let fits = |count: usize| head.takes.fits(count);
        let added = calls_in(&span.added, &head.name);
        if !added.iter().any(|(_, count)| fits(*count)) {
            continue;
        }
        let removed = calls_in(&span.removed, &head.name).into_iter();
        let lines = removed.filter(|(_, count)| !fits(*count));
        broken.extend(lines.map(|(at, _)| span.old_start + u32::try_from(at).unwrap_or(0)));
    }
    broken
}

/// The lines that call a function, and with how many arguments. Calls that hand a list on are left out.
fn calls_in(lines: &[String], name: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let call = format!("{name}(");
    for (at, line) in lines.iter().enumerate() {
        let is_head = head_of(line).is_some_and(|(other, _)| other == name);
        for (start, _) in line.match_indices(&call).filter(|_| !is_head) {
            let is_whole = !line[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let arguments = split_arguments(&text_from(lines, at, start + name.len()));
            let arguments = arguments
                .filter(|_| is_whole)
                .unwrap_or_else(|| vec!["...".into()]);
            let is_list = |one: &String| one.starts_with('*') || one.contains("...");
            if !arguments.iter().any(is_list) {
                found.push((at, arguments.len()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::LineSpan;

    fn file(path: &str, line: u32, removed: &str, added: &str) -> ChangedLines {
        ChangedLines {
            path: path.into(),
            old_path: Some(path.into()),
            is_removed: false,
            spans: Some(vec![LineSpan {
                old_start: line,
                new_start: line + 1,
                removed: vec![removed.to_owned()],
                added: vec![added.to_owned()],
            }]),
        }
    }

    #[test]
    fn a_caller_that_stays_behind_is_an_omission() {
        let files = [
            file("a.py", 3, "def load(path):", "def load(path, mode):"),
            file("b.py", 9, "    x = load(p)", "    x = load(p, 'r')"),
            file("c.py", 1, "    y = other(p)", "    y = other(p, 1)"),
            file("tests/test_b.py", 1, "load(p)", "load(p, 'r')"),
        ];
        let found = find_omissions(&files);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].alteration,
            Alteration::Leave {
                paths: vec!["b.py".to_owned()]
            }
        );
        let place = |path: &str, line| LabelledPlace {
            path: path.to_owned(),
            first: line,
            last: line,
        };
        assert_eq!(found[0].places, [place("a.py", 4), place("b.py", 9)]);
    }

    #[test]
    fn a_head_with_as_many_arguments_needs_nobody() {
        let files = [
            file(
                "a.go",
                3,
                "func (s *S) Load(path string) {",
                "func (s *S) Load(name string) {",
            ),
            file("b.go", 9, "s.Load(p)", "s.Load(q)"),
        ];
        assert!(find_omissions(&files).is_empty());
    }

    fn arity(head: &str, language: Language) -> Option<(usize, Option<usize>)> {
        Arity::of_head(head, language).map(|takes| (takes.least, takes.most))
    }

    #[test]
    fn a_head_takes_what_its_language_says() {
        let python = |head| arity(head, Language::Python);
        for head in [
            "(a, b, c):",
            "(\n    a,\n    b,\n    c,\n):",
            "(self, a: int, b: dict[str, int], c: X) -> Y:",
        ] {
            assert_eq!(python(head), Some((3, Some(3))), "{head}");
        }
        assert_eq!(python("(a, b=1, *, c: int = 2)"), Some((1, Some(3))));
        assert_eq!(python("(a, *args, **more)"), Some((1, None)));
        assert_eq!(python("()"), Some((0, Some(0))));
        assert_eq!(python("(a,"), None);
        let rust = arity(
            "(&mut self, a: HashMap<K, V>, f: fn(u8, u8) -> u8) -> X {",
            Language::Rust,
        );
        assert_eq!(rust, Some((2, Some(2))));
        assert_eq!(
            arity("(a: A, b?: B, ...c)", Language::Script),
            Some((1, None))
        );
        assert_eq!(
            arity("(s string, more ...int)", Language::Go),
            Some((1, None))
        );
    }

    fn span_of(path: &str, removed: &str, added: &str) -> ChangedLines {
        let lines = |text: &str| text.lines().map(str::to_owned).collect();
        let mut file = file(path, 3, "", "");
        let spans = file.spans.as_mut().unwrap();
        spans[0].removed = lines(removed);
        spans[0].added = lines(added);
        file
    }

    /// True by construction is only what a caller cannot do any more.
    #[test]
    fn a_caller_whose_call_still_fits_is_no_omission() {
        let is_one = |old: &str, new: &str, call: &str, adapted: &str| {
            let files = [span_of("a.py", old, new), span_of("b.py", call, adapted)];
            find_omissions(&files).len() == 1
        };
        let old = "def load(jar, request, response):";
        for new in [
            "def load(\n    jar,\n    request,\n    response,\n):",
            "def load(jar: Jar, request: Request, response: Response) -> None:",
            "def load(\n    jar: Jar,\n    request: dict[str, int],\n    response: R,\n) -> None:",
            "def load(jar, request, response, mode=None):",
            "def load(jar, request, response, *more):",
            "def load(jar, request, *, response):",
            "def load(a, b, c):",
        ] {
            for adapted in [
                "load(x, y, z)",
                "load(x, y, z, 'r')",
                "load(\n    x,\n    y,\n    z,\n)",
            ] {
                assert!(
                    !is_one(old, new, "load(p, q, r)", adapted),
                    "{new} {adapted}"
                );
            }
        }
        for (new, adapted) in [
            (
                "def load(jar, request, response, mode):",
                "load(p, q, r, 'r')",
            ),
            (
                "def load(\n    jar,\n    request,\n):",
                "load(\n    p,\n    q,\n)",
            ),
        ] {
            assert!(is_one(old, new, "load(p, q, r)", adapted), "{new}");
            // Another function, a head, and a list that is handed on are no such calls.
            assert!(!is_one(old, new, "reload(p, q, r)", "reload(p)"));
            assert!(!is_one(
                old,
                new,
                "def preload(p, q, r):",
                "def preload(p):"
            ));
            assert!(!is_one(old, new, "load(*all)", adapted));
        }
    }
}
