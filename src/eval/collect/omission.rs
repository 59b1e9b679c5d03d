//! A real change without a file that had to change with it: the head of a function changes, and its callers stay behind.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use council_syntax::language::Language;
use council_syntax::lexer::Lexer;
use regex::Regex;

use super::telling::{code_of, is_product_code};
use crate::eval::labelled::{Alteration, LabelConfidence, LabelledPlace};
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
    /// High where the calls name the file of the function; else another function may have the name.
    pub(super) confidence: LabelConfidence,
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
        // There an argument that is left out is one without a value, which the function may well expect.
        if language == Language::Script {
            continue;
        }
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
                let calls = broken_calls(other, &head, (path, language));
                if !calls.is_empty() {
                    let omission = || omission_of(path, &head, caller, &calls);
                    found.entry(caller.clone()).or_insert_with(omission);
                }
            }
        }
    }
    found.into_values().collect()
}

fn omission_of(path: &str, head: &ChangedHead, caller: &str, calls: &[BrokenCall]) -> Omission {
    let lines = || calls.iter().map(|call| call.line);
    let (first, last) = (lines().min().unwrap_or(0), lines().max().unwrap_or(0));
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
            place(caller, first, last),
        ],
        confidence: match calls.iter().all(|call| call.names_file) {
            true => LabelConfidence::High,
            false => LabelConfidence::Medium,
        },
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

/// An old line that calls a function as it cannot be called any more.
struct BrokenCall {
    line: u32,
    /// Whether the call names the file of the function (`lib.cut(…)`).
    names_file: bool,
}

/// The old lines of a file that call a function of another one as it cannot be called any more, where calls that fit it
/// replace them.
fn broken_calls(
    file: &ChangedLines,
    head: &ChangedHead,
    (path, language): (&str, Language),
) -> Vec<BrokenCall> {
    let spans = file.spans.as_deref().unwrap_or_default();
    let mut broken = Vec::new();
    for span in spans {
        let fits = |count: usize| head.takes.fits(count);
        let calls = |lines| calls_in(lines, &head.name, (path, language));
        if !calls(&span.added).iter().any(|call| fits(call.count)) {
            continue;
        }
        let removed = calls(&span.removed).into_iter();
        let lines = removed.filter(|call| !fits(call.count));
        broken.extend(lines.map(|call| BrokenCall {
            line: span.old_start + u32::try_from(call.at).unwrap_or(0),
            names_file: call.names_file,
        }));
    }
    broken
}

/// A call on a line of a span.
struct FoundCall {
    at: usize,
    /// How many arguments it has.
    count: usize,
    names_file: bool,
}

/// The lines that call a function of a file, and with how many arguments. Calls that hand a list on are left out, and so
/// are comments, literals and methods of whatever stands before the name.
fn calls_in(lines: &[String], name: &str, (path, language): (&str, Language)) -> Vec<FoundCall> {
    let mut found = Vec::new();
    let call = format!("{name}(");
    let mut lexer = Lexer::new(language);
    for (at, line) in lines.iter().enumerate() {
        let code = code_of(&mut lexer, line);
        let is_head = head_of(line).is_some_and(|(other, _)| other == name);
        for (start, _) in code.match_indices(&call).filter(|_| !is_head) {
            let before = &line[..start];
            let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let names_file = receiver_of(before).map(|receiver| names_of(path).contains(&receiver));
            if !is_whole || names_file == Some(false) {
                continue;
            }
            let arguments = split_arguments(&text_from(lines, at, start + name.len()));
            let arguments = arguments.unwrap_or_else(|| vec!["...".into()]);
            let is_list = |one: &String| one.starts_with('*') || one.contains("...");
            if !arguments.iter().any(is_list) {
                found.push(FoundCall {
                    at,
                    count: arguments.len(),
                    names_file: names_file == Some(true),
                });
            }
        }
    }
    found
}

/// What stands before the dot or the colons of a call; none: nothing does.
fn receiver_of(before: &str) -> Option<&str> {
    let signs = [".", "::", "->"];
    let object = signs.iter().find_map(|sign| before.strip_suffix(sign))?;
    let start = object.rfind(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&object[start.map_or(0, |at| at + 1)..])
}

/// By which names other files speak of a file: its own and its folder's.
fn names_of(path: &str) -> Vec<&str> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or_default();
    let folder = folder.rsplit('/').next().unwrap_or_default();
    [stem, folder]
        .into_iter()
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
#[path = "omission_tests.rs"]
mod tests;
