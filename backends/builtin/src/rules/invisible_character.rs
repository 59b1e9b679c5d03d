//! `invisible-character`: text that is there and cannot be seen: zero-width characters, tags, fillers, and line breaks that
//! no diff shows.

use super::lockfile_without_manifest::is_lockfile;
use super::prelude::*;
use crate::unicode::{character_name, find_invisible, hidden_line_end};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "invisible-character",
        perspective: SECURITY,
        category: "unicode",
        severity: Significant,
        summary: "an invisible character, or a line break in code that no diff shows",
        why: "Two different names or strings can look the same. Tag characters and variation selectors can carry \
              whole instructions that only programs read. Behind a lone carriage return or U+2028, compilers begin a \
              new line where a reader sees the rest of a comment.",
        fix: "Delete the character, or write it as an escape such as `\\u{200b}` if the program needs it.",
        examples: &[RuleExample {
            path: "src/names.py",
            bad: "ADMIN = \"ad\u{200b}min\"\n",
            good: "ADMIN = \"admin\"\n",
        }],
    },
    scope: RuleScope::AnyFile,
    guards: Guarded::Review,
    languages: &[],
    claims: &[
        "zero-width",
        "zero width",
        "invisible",
        "u+200b",
        "tag character",
        "homoglyph",
        "carriage return",
        "line separator",
    ],
    check: RuleCheck::NonAscii(check_line),
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.text();
    // A byte order mark may begin a file.
    let text = if line.number() == 1 {
        text.trim_start_matches('\u{feff}')
    } else {
        text
    };
    let prose = matches!(
        line.file.language,
        Language::Prose | Language::Markup | Language::Json
    );
    let line_end = || hidden_line_end(text).filter(|_| line.file.language.is_code());
    let Some(c) = find_invisible(text, prose).or_else(line_end) else {
        return;
    };
    let carrier = matches!(c, '\u{e0000}'..='\u{e01ef}');
    // Data by which a program's handling of such text is tested.
    let data = line.file.role == FileRole::Test && !line.file.language.is_code();
    if data && !carrier {
        return;
    }
    let code = u32::from(c);
    let hit = line.line_hit(format!(
        "The line holds an invisible character: U+{code:04X} ({}).",
        character_name(c)
    ));
    // What smuggles whole texts is bad anywhere; a stray zero-width space in prose or test data is a slip. Nobody reads what
    // is vendored or generated, so there it is none.
    let is_slip = match line.file.role {
        _ if is_lockfile(line.file.file_name()) => false,
        FileRole::Foreign => prose,
        role => prose || role != FileRole::Production,
    };
    let quiet = line.file.role == FileRole::Test || (!carrier && is_slip);
    hits.push(if quiet { hit.with_severity(Minor) } else { hit });
}
