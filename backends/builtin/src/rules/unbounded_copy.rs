//! `unbounded-copy`: C that writes input into a buffer without asking how long either is.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unbounded-copy",
        perspective: SECURITY,
        category: "memory",
        severity: Significant,
        summary: "input copied into a fixed-size buffer without a length limit",
        why: "Longer input overwrites the memory after the buffer: the classic way to run an attacker's code.",
        fix: "Limit the length: `fgets`, `snprintf`, `scanf(\"%63s\", …)`, `strlcpy`.",
        examples: &[RuleExample {
            path: "src/main.c",
            bad: "    strcpy(name, argv[1]);\n",
            good: "    snprintf(name, sizeof name, \"%s\", argv[1]);\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::C],
    claims: &["buffer overflow", "strcpy", "unbounded"],
    check: RuleCheck::Line {
        needles: &["strcpy", "strcat", "scanf", "gets(", "sprintf"],
        look: check_line,
    },
};

pattern!(
    /// Copies of what the user or the environment gives, and calls that no bound can be given to.
    COPIED,
    r"(?x)(?:^|[^\w.>])(?:
      gets\(\s*\w
    | str(?:cpy|cat)\(\s*[^,]+,\s*(?:argv\s*\[|optarg\b|getenv\s*\()
    | sprintf\(\s*[^,]+,[^,]*,[^;]*\b(?:argv\s*\[|optarg\b|getenv\s*\()
    )"
);
pattern!(
    /// `%s` and `%[` without a width, and without the `m` that allocates.
    SCANNED,
    r#"\b[fs]?scanf\([^"]*"(?:[^"%]|%\*?\d*[a-ln-rt-zA-Z%])*%(?:s|\[)"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.without_comments();
    let scanned = SCANNED
        .find(&text)
        .is_some_and(|found| !line.in_literal(found.start()));
    if scanned {
        hits.push(line.line_hit("Input of any length is read into a buffer."));
    } else if COPIED.is_match(&line.code()) {
        hits.push(line.line_hit("User input is copied without a length limit."));
    }
}
