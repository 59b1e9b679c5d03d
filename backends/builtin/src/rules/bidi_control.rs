//! `bidi-control`: characters that change the order in which text is shown (Trojan Source, CVE-2021-42574).

use super::prelude::*;
use crate::part::is_obeyed_name;
use crate::unicode::{character_name, is_bidi_control};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "bidi-control",
        perspective: SECURITY,
        category: "unicode",
        severity: Critical,
        summary: "a bidirectional control character in code",
        why: "Such characters display text in a different order than the compiler reads it. What reviewers see is \
              then not what runs (Trojan Source, CVE-2021-42574).",
        fix: "Delete the character, or write it as an escape such as `\\u{202e}` if the program needs it.",
        examples: &[RuleExample {
            path: "src/access.rs",
            bad: "if level != \"user\u{202e} \u{2066}// admins only\u{2069} \u{2066}\" {\n",
            good: "if level != \"user\" { // admins only\n",
        }],
    },
    scope: RuleScope::Always,
    guards: Guarded::Review,
    languages: &[],
    claims: &["bidi", "trojan source", "right-to-left", "u+202"],
    check: RuleCheck::NonAscii(check_line),
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let Some((at, c)) = line
        .text()
        .char_indices()
        .find(|&(_, c)| is_bidi_control(c))
    else {
        return;
    };
    if is_translation(line.file) {
        return;
    }
    // As many stood in the lines that go: the text was there before, and is only written anew.
    if !line
        .file
        .fact("more-bidi-controls", || adds_controls(line.file))
    {
        return;
    }
    let described = format!(
        "The line holds {} ({}) at byte {}: it is displayed in another order than it is read.",
        code_point(c),
        character_name(c),
        at + 1
    );
    let hit = line.line_hit(described);
    // Data by which a program's handling of such text is tested.
    let data = line.file.role == FileRole::Test && (!is_run(line.file) || line.file.is_packed());
    if data {
        hits.push(hit.with_severity(Minor));
        return;
    }
    // Tests are code: they run where the keys of CI are.
    hits.push(if line.file.language == Language::Prose {
        hit.with_severity(Significant)
    } else {
        hit
    });
}

/// Translations into languages written from right to left need these characters. Code needs none, whatever its folder is
/// called.
fn is_translation(file: &FileView<'_>) -> bool {
    const FOLDERS: [&str; 8] = [
        "locale",
        "locales",
        "i18n",
        "l10n",
        "lang",
        "translations",
        "lproj",
        "values-ar",
    ];
    const DATA: [&str; 10] = [
        "json",
        "yml",
        "yaml",
        "properties",
        "xml",
        "txt",
        "md",
        "ftl",
        "csv",
        "toml",
    ];
    const ENDINGS: [&str; 5] = ["po", "arb", "xliff", "strings", "resx"];
    let (folders, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let mut parts = folders.split(['/', '.']).chain(name.split('.'));
    let is_data = DATA.contains(&ending) && parts.any(|part| FOLDERS.contains(&part));
    !is_run(file) && (is_data || ENDINGS.contains(&ending))
}

/// Whether somebody compiles or runs the file, or a program obeys it.
fn is_run(file: &FileView<'_>) -> bool {
    let is_script = matches!(
        file.language,
        Language::Shell | Language::PowerShell | Language::Docker | Language::Make
    );
    file.language.is_code() || is_script || file.is_workflow() || is_obeyed_name(file.file_name())
}

fn code_point(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// Whether the change adds more of them than it takes away.
fn adds_controls(file: &FileView<'_>) -> bool {
    let count = |text: &str| text.chars().filter(|&c| is_bidi_control(c)).count();
    let added: usize = file.added_lines().map(|line| count(line.text())).sum();
    let removed: usize = file.removed_lines().map(|line| count(line.text)).sum();
    added > removed
}
