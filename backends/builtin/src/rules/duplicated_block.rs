//! `duplicated-block`: the same lines added twice by one change.

use std::collections::HashMap;

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "duplicated-block",
        perspective: MAINTAINABILITY,
        category: "duplication",
        severity: Minor,
        summary: "a block of code that the change adds twice",
        why: "The next fix will be made in one of the two places.",
        fix: "Make it a function and call it twice.",
        examples: &[],
    },
    scope: Scope::Production,
    languages: &[],
    claims: &["duplicat", "copy-paste", "copied", "repeated code"],
    check: Check::Change(look),
};

/// Lines in a row, blank ones and lone brackets aside.
const ENOUGH: usize = 12;

fn look(change: &ChangeView<'_>, hits: &mut Hits) {
    let mut seen: HashMap<Vec<&str>, (usize, u32)> = HashMap::new();
    for file in change.files.iter().filter(|f| is_grown_code(f)) {
        let mut run: Vec<LineView<'_, '_>> = Vec::new();
        let mut last = 0;
        let mut quiet_until = 0;
        for line in file.added() {
            if line.number() != last + 1 {
                run.clear();
            }
            last = line.number();
            if !tells(line.text()) {
                continue;
            }
            run.push(line);
            if run.len() < ENOUGH {
                continue;
            }
            let window = &run[run.len() - ENOUGH..];
            let key: Vec<&str> = window.iter().map(|line| line.text().trim()).collect();
            let first = window[0];
            match seen.get(&key) {
                Some((other, number)) if first.number() >= quiet_until && is_code(window) => {
                    let place = format!("{}:{number}", change.files[*other].path);
                    let described = format!("The same {ENOUGH} lines and more stand at {place}.");
                    hits.push(first.hit_to(line.number(), described));
                    quiet_until = line.number() + 200;
                }
                Some(_) => {}
                None => {
                    seen.insert(key, (file.index, first.number()));
                }
            }
        }
    }
}

/// Whether a file of production code grows by a block: what is only written anew was there twice before.
fn is_grown_code(file: &FileView<'_>) -> bool {
    let code = file.role == Role::Production && file.language.is_code() && file.is_text();
    code && file.added().count() >= file.removed().count() + ENOUGH
}

/// Whether the lines are code, not a text inside a literal or comment, and not a test.
fn is_code(window: &[LineView<'_, '_>]) -> bool {
    let code = window
        .iter()
        .filter(|line| line.code().chars().any(char::is_alphanumeric))
        .count();
    code * 4 > window.len() * 3 && window.iter().all(|line| !line.in_test())
}

/// Whether a line says something: no blank, no lone bracket, no comment, no import, no row of a table.
fn tells(text: &str) -> bool {
    let text = text.trim();
    let words = text.chars().filter(|c| c.is_alphabetic()).count();
    let other = ["//", "#", "*", "/*", "import ", "use ", "from "]
        .iter()
        .any(|mark| text.starts_with(mark));
    words > 3 && !other && !text.ends_with(',')
}
