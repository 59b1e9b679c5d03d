//! `unsafe-extraction`: an archive that may write outside the folder it is unpacked into.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unsafe-extraction",
        perspective: SECURITY,
        category: "path-traversal",
        severity: Significant,
        summary: "a tar archive unpacked without a filter",
        why: "A member named `../../.ssh/authorized_keys`, or a link that points outside, is written outside the \
              target folder (CVE-2007-4559).",
        fix: "Pass `filter=\"data\"` (in Python since 3.12, and in security releases of older versions).",
        examples: &[RuleExample {
            path: "src/install.py",
            bad: "tarfile.open(path).extractall(folder)\n",
            good: "tarfile.open(path).extractall(folder, filter=\"data\")\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Python],
    claims: &["extractall", "tarfile", "path traversal", "zip slip"],
    check: RuleCheck::Line {
        needles: &["extractall("],
        look: check_line,
    },
};

pattern!(ALL, r"(\w+(?:\([^)]*\))?)\.extractall\(([^)]*)\)");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let Some(found) = ALL.captures(&code) else {
        return;
    };
    let zip = found[1].to_ascii_lowercase().contains("zip") || found[1].starts_with('z');
    let names_tar = || {
        line.file
            .text_after()
            .is_none_or(|text| text.contains("tarfile"))
    };
    let tar = line.file.fact("tarfile", names_tar);
    if !found[2].contains("filter") && !zip && tar {
        hits.push(line.line_hit("Members of the archive may be written outside the folder."));
    }
}
