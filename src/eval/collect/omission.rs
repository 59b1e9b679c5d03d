//! A real change without a file that had to change with it: the head of a function changes, and its callers stay behind.

use std::collections::BTreeMap;
use std::sync::LazyLock;

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
        // What every type has is called everywhere, whichever of them is meant.
        let heads = changed_heads(file)
            .into_iter()
            .filter(|(name, _)| is_telling_name(name));
        for (name, line) in heads {
            for (caller, other) in code.iter().filter(|(caller, _)| caller != path) {
                let calls = adapted_calls(other, &name);
                if let (Some(&first), true) = (
                    calls.first(),
                    other.old_path.as_deref() == Some(&other.path),
                ) {
                    let last = calls.last().copied().unwrap_or(first);
                    found.entry(caller.clone()).or_insert_with(|| Omission {
                        alteration: Alteration::Leave {
                            paths: vec![caller.clone()],
                        },
                        places: vec![
                            LabelledPlace {
                                path: path.clone(),
                                first: line,
                                last: line,
                            },
                            LabelledPlace {
                                path: caller.clone(),
                                first,
                                last,
                            },
                        ],
                        how: format!(
                            "`{name}` takes other arguments, and {caller} still calls it as before"
                        ),
                    });
                }
            }
        }
    }
    found.into_values().collect()
}

fn is_telling_name(name: &str) -> bool {
    const EVERYWHERE: [&str; 10] = [
        "new", "init", "main", "open", "close", "read", "write", "get", "set", "run",
    ];
    !name.starts_with("__") && !EVERYWHERE.contains(&name.to_ascii_lowercase().as_str())
}

/// The functions of a file whose heads change, with the line of the new head.
fn changed_heads(file: &ChangedLines) -> Vec<(String, u32)> {
    let spans = file.spans.as_deref().unwrap_or_default();
    let mut found = Vec::new();
    for span in spans {
        let before: BTreeMap<String, String> = span
            .removed
            .iter()
            .filter_map(|line| head_of(line))
            .collect();
        for (number, line) in (span.new_start..).zip(&span.added) {
            let Some((name, arguments)) = head_of(line) else {
                continue;
            };
            if before
                .get(&name)
                .is_some_and(|before| argument_count(before) != argument_count(&arguments))
            {
                found.push((name, number));
            }
        }
    }
    found
}

/// The function whose head stands on a line.
pub(super) fn opened_function(line: &str) -> Option<String> {
    head_of(line).map(|(name, _)| name)
}

fn head_of(line: &str) -> Option<(String, String)> {
    let found = HEAD.captures(line)?;
    Some((found[1].to_owned(), found[2].to_owned()))
}

/// How many arguments a head or a call on one line has; none: it does not end there.
fn argument_count(text: &str) -> Option<usize> {
    let (mut depth, mut commas, mut any) = (0_i32, 0, false);
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(commas + usize::from(any));
                }
            }
            ',' if depth == 1 => (commas, any) = (commas + 1, false),
            c => any |= depth >= 1 && !c.is_whitespace(),
        }
    }
    None
}

/// The old lines of a file that call a function and are replaced by lines that call it, too.
fn adapted_calls(file: &ChangedLines, name: &str) -> Vec<u32> {
    let call = format!("{name}(");
    let calls =
        |line: &str| line.contains(&call) && head_of(line).is_none_or(|(other, _)| other != name);
    let spans = file.spans.as_deref().unwrap_or_default();
    let adapted = spans
        .iter()
        .filter(|span| span.added.iter().any(|line| calls(line)));
    adapted
        .flat_map(|span| (span.old_start..).zip(&span.removed))
        .filter(|(_, line)| calls(line))
        .map(|(number, _)| number)
        .collect()
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
        assert_eq!(argument_count("(a, b(c, d), e) -> x"), Some(3));
        assert_eq!(argument_count("()"), Some(0));
        assert_eq!(argument_count("(a,"), None);
    }
}
