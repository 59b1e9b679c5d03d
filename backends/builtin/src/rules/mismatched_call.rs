//! `mismatched-call`: a function whose number of required arguments changes, and a call that no longer fits.

use council_protocol::{RepoPath, Side};

use super::prelude::*;
use crate::imports::callees;
use crate::rule::RuleHit;
use crate::signature::{
    Definition, Signature, calls_of, count_definitions, definitions, may_rebind, without_literals,
};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "mismatched-call",
        perspective: ERROR_PATHS,
        category: "broken-call",
        severity: Significant,
        summary: "a call that no longer fits the function whose arguments change",
        why: "In Python the call fails when it is reached; in JavaScript, where this is a note, the missing argument is \
              undefined.\n\
              The rule reads calls by plain names whose imports are clear, of functions with one definition \
              in the tree, and only if they fitted before.",
        fix: "Change the calls too, or give the new argument a default.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[Language::Python, Language::Script],
    claims: &[
        "missing argument",
        "too few arguments",
        "too many arguments",
        "wrong number of arguments",
        "positional argument",
    ],
    check: RuleCheck::Change(check_change),
};

/// A change that alters more functions than this has moved a whole interface, and its author has looked at the calls.
const MAX_FUNCTIONS: usize = 12;

/// A function before and after.
struct Altered<'v, 'a> {
    file: &'v FileView<'a>,
    before: Definition,
    after: Definition,
    old: Signature,
    new: Signature,
}

impl Altered<'_, '_> {
    /// A finding at the parameters that are new, or where others were.
    fn hit(&self, text: &str) -> Option<RuleHit> {
        let (before, after) = (&self.before, &self.after);
        let (was, is) = (before.line..=before.end_line, after.line..=after.end_line);
        let mut added = self.file.added_lines();
        if let Some(line) = added.find(|line| is.contains(&line.number())) {
            return Some(line.line_hit(text));
        }
        let mut removed = self.file.removed_lines();
        let line = removed.find(|line| line.old_no.is_some_and(|number| was.contains(&number)))?;
        Some(self.file.removed_hit(line, text))
    }
}

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let altered: Vec<Altered<'_, '_>> = change.files.iter().flat_map(altered_functions).collect();
    if altered.is_empty() || altered.len() > MAX_FUNCTIONS {
        return;
    }
    let names: Vec<&str> = altered.iter().map(|one| one.after.name.as_str()).collect();
    let Some(files) = change.blobs.files_naming(&names) else {
        return;
    };
    for one in &altered {
        let Some((path, line, more)) = first_misfit(change, one, &files) else {
            continue;
        };
        let (name, needed) = (&one.after.name, one.new.required);
        let arguments = if needed == 1 { "argument" } else { "arguments" };
        let others = match more {
            0 => String::new(),
            more => format!(" Nor do {more} more."),
        };
        let text = format!(
            "`{name}` needs {needed} {arguments} now, and the call at {path}:{line} does not fit.{others}"
        );
        let Some(hit) = one.hit(&text) else {
            continue;
        };
        hits.push(match one.file.language {
            Language::Python => hit,
            _ => hit.with_severity(Minor),
        });
    }
}

/// TypeScript has a compiler that says so.
fn is_read(path: &str, language: Language) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    match language {
        Language::Python => ending == "py",
        Language::Script => matches!(ending, "js" | "mjs" | "cjs" | "jsx"),
        _ => false,
    }
}

/// The functions at the top of a file whose number of required arguments the change alters.
fn altered_functions<'v, 'a>(file: &'v FileView<'a>) -> Vec<Altered<'v, 'a>> {
    let language = file.language;
    let ours = file.role != FileRole::Foreign && is_read(&file.path, language) && file.is_text();
    let may_alter = || {
        let mut added = file.added_lines();
        added.any(|line| has_list(line.text()))
            || file.removed_lines().any(|line| has_list(line.text))
    };
    if !ours || file.change.old_mode == 0 || !may_alter() {
        return Vec::new();
    }
    let (Some(before), Some(after)) = (file.text_before(), file.text_after()) else {
        return Vec::new();
    };
    let read = |text: &str| definitions(language, &without_literals(language, text));
    let (before, after) = (read(before), read(after));
    let alone =
        |all: &[Definition], name: &str| all.iter().filter(|one| one.name == name).count() == 1;
    let mut altered = Vec::new();
    for new in &after {
        let Some(old) = before.iter().find(|old| old.name == new.name) else {
            continue;
        };
        let (Some(was), Some(is)) = (&old.signature, &new.signature) else {
            continue;
        };
        if was.required != is.required && alone(&before, &new.name) && alone(&after, &new.name) {
            altered.push(Altered {
                file,
                before: old.clone(),
                after: new.clone(),
                old: was.clone(),
                new: is.clone(),
            });
        }
    }
    altered
}

/// Whether a line may be of a function's parameters: cheaper than to read the whole file.
fn has_list(text: &str) -> bool {
    text.contains(['(', ')', ','])
}

/// The first call that fitted and does not now, and how many more there are; none: there is none, or the name may mean
/// something else.
fn first_misfit(
    change: &ChangeView<'_>,
    one: &Altered<'_, '_>,
    files: &[RepoPath],
) -> Option<(String, u32, usize)> {
    let (language, name) = (one.file.language, one.after.name.as_str());
    let mut defined = 0;
    let mut misfits: Vec<(String, u32)> = Vec::new();
    for path in files {
        let shown = path.display();
        if Language::from_path(&shown) != language {
            continue;
        }
        let bytes = change.blobs.read(Side::New, path).ok().flatten()?;
        let text = String::from_utf8_lossy(&bytes);
        let code = without_literals(language, &text);
        defined += count_definitions(language, &code, name);
        if defined > 1 {
            return None;
        }
        if !is_read(&shown, language) || may_rebind(language, &code, name) {
            continue;
        }
        if language == Language::Script && shown == one.file.path && is_optional(one, &text) {
            return None;
        }
        for callee in callees(language, (&shown, &code, &text), &one.file.path, name) {
            for call in calls_of(&code, &callee) {
                let Some(arguments) = &call.arguments else {
                    continue;
                };
                let fitted = one.old.fits(language, arguments);
                if fitted && !one.new.fits(language, arguments) {
                    misfits.push((shown.clone().into_owned(), call.line));
                }
            }
        }
    }
    let count = misfits.len();
    let first = misfits.into_iter().next().filter(|_| defined == 1)?;
    Some((first.0, first.1, count - 1))
}

pattern!(
    ASKS,
    r"(?:!\s*|typeof\s+)(\w+)\b|\b(\w+)\s*(?:\?|&&|\|\||[!=]==?)|\bif\s*\(\s*(\w+)\s*\)|\b(\w+)\s*=[^=]|[!=]==?\s*(\w+)\b"
);

/// Whether a script asks if a new parameter is there: then it may be left out.
fn is_optional(one: &Altered<'_, '_>, text: &str) -> bool {
    let known = &one.old.names;
    let mut new = one.new.names.iter().filter(|name| !known.contains(name));
    new.any(|name| {
        ASKS.captures_iter(text).any(|found| {
            let mut groups = found.iter().skip(1).flatten();
            groups.any(|group| group.as_str() == name)
        })
    })
}
