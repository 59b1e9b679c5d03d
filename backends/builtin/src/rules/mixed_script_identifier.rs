//! `mixed-script-identifier`: a name in which letters of two scripts look like one.

use super::lockfile_without_manifest::is_lockfile;
use super::prelude::*;
use crate::lexer::is_word;
use crate::unicode::look_alike;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "mixed-script-identifier",
        perspective: SECURITY,
        category: "unicode",
        severity: Significant,
        summary: "an identifier that mixes letters of look-alike scripts",
        why: "A Cyrillic or Greek letter among Latin ones makes a second name that looks like the first: a call \
              reaches another function, a check compares another variable.",
        fix: "Write the name in one script.",
        examples: &[RuleExample {
            path: "src/auth.js",
            bad: "if (is\u{410}dmin(user)) {\n",
            good: "if (isAdmin(user)) {\n",
        }],
    },
    scope: RuleScope::AnyFile,
    guards: Guarded::Review,
    languages: &[],
    claims: &["mixed-script", "homoglyph", "cyrillic", "confusable"],
    check: RuleCheck::NonAscii(check_line),
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    // The strings of a lockfile are the names of packages.
    let names_packages = is_lockfile(line.file.file_name());
    let is_code = line.file.language.is_code() || line.file.language == Language::Shell;
    if !is_code && !names_packages {
        return;
    }
    let code = if names_packages {
        line.text().into()
    } else {
        line.code()
    };
    let words = code.split(|c| !is_word(c)).flat_map(|word| word.split('_'));
    for word in words.filter(|word| !word.is_ascii()) {
        if let Some(c) = look_alike(word) {
            let described = format!(
                "`{word}` mixes Latin letters with U+{:04X}, which looks like one.",
                u32::from(c)
            );
            hits.push(line.line_hit(described));
            return;
        }
    }
}
