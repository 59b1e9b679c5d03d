//! `line-ending-flip`: a file whose every line has changed, and none has.

use council_protocol::LineKind;

use super::prelude::*;

pub(super) static RULE: Rule = Rule {
    info: RuleInfo {
        id: "line-ending-flip",
        perspective: HYGIENE,
        category: "whitespace",
        severity: Minor,
        summary: "a file whose line endings are changed",
        why: "The diff shows every line as changed: what was really changed hides among them, and blame forgets who wrote \
              what.",
        fix: "Restore the line endings, and let `.gitattributes` (`* text=auto`) keep them.",
        examples: &[],
    },
    scope: Scope::Everywhere,
    languages: &[],
    claims: &["line ending", "crlf"],
    check: Check::File(look),
};

/// Lines that differ in their ending alone.
const ENOUGH: usize = 5;

fn look(file: &FileView<'_>, hits: &mut Hits) {
    let count = |kind, carriage| {
        let lines = file
            .lines
            .iter()
            .filter(|l| l.kind == kind && !l.text.trim().is_empty());
        lines.filter(|l| l.text.ends_with('\r') == carriage).count()
    };
    let to_crlf = (
        count(LineKind::Removed, false),
        count(LineKind::Added, true),
    );
    let to_lf = (
        count(LineKind::Removed, true),
        count(LineKind::Added, false),
    );
    for ((removed, added), what) in [(to_crlf, "CRLF"), (to_lf, "LF")] {
        if removed >= ENOUGH && added >= ENOUGH && same_lines(file) >= ENOUGH {
            if let Some(line) = file.added().next() {
                hits.push(line.hit(format!("The lines of the file now end with {what}.")));
            }
            return;
        }
    }
}

/// Removed lines that come back with another ending.
fn same_lines(file: &FileView<'_>) -> usize {
    let added: std::collections::HashSet<&str> = file.added().map(|line| line.text()).collect();
    let removed = file
        .removed()
        .map(|line| line.text.strip_suffix('\r').unwrap_or(line.text));
    removed
        .filter(|text| !text.trim().is_empty() && added.contains(text))
        .count()
}
