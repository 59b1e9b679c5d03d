//! `format-string`: C that takes what it prints for the format.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "format-string",
        perspective: SECURITY,
        category: "memory",
        severity: Significant,
        summary: "input used as the format string of `printf`",
        why: "A `%n` or `%s` in the input writes to memory, or reads memory that should stay private.",
        fix: "Print it through a fixed format: `printf(\"%s\", text)`.",
        examples: &[RuleExample {
            path: "src/main.c",
            bad: "    printf(argv[1]);\n",
            good: "    printf(\"%s\", argv[1]);\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::C],
    claims: &["format string"],
    check: RuleCheck::Line {
        needles: &["printf(", "syslog("],
        look: check_line,
    },
};

pattern!(
    VARIABLE,
    r"(?x)(?:^|[^\w.>])(?:
      printf\(\s*(?:argv\s*\[\w+\]|optarg|getenv\([^()]*\)|buf(?:fer)?|line|input|msg|message|str|text)\s*\)
    | fprintf\(\s*\w+\s*,\s*(?:argv\s*\[\w+\]|optarg|getenv\([^()]*\)|buf(?:fer)?|line|input|msg|message|str|text)\s*\)
    | syslog\(\s*\w+\s*,\s*(?:argv\s*\[\w+\]|optarg|getenv\([^()]*\)|buf(?:fer)?|line|input|msg|message|str|text)\s*\)
    )"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    if VARIABLE.is_match(&line.code()) {
        hits.push(line.line_hit("A value is used as the format string."));
    }
}
