//! `debug-print`: output that was for the author's eyes.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "debug-print",
        perspective: HYGIENE,
        category: "leftovers",
        severity: Minor,
        summary: "a print statement left over from debugging",
        why: "It ends up in everyone's output or log, with values that may not belong there.",
        fix: "Delete the line, or log it at debug level.",
        examples: &[RuleExample {
            path: "src/orders.rs",
            bad: "    dbg!(&rows);\n",
            good: "    log::debug!(\"{rows:?}\");\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Rust,
        Language::Python,
        Language::Script,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::Php,
        Language::Ruby,
    ],
    claims: &[
        "debug print",
        "dbg!",
        "console.log",
        "print statement",
        "leftover",
        "var_dump",
    ],
    check: RuleCheck::Line {
        needles: &[
            "dbg!",
            "console.",
            "print",
            "var_dump(",
            "println",
            "puts ",
            "alert(",
        ],
        look: check_line,
    },
};

pattern!(RUST, r"(?:^|[^\w:])dbg!\(");
pattern!(SCRIPT, r"^\s*console\.(?:trace|dir|table)\(");
pattern!(PHP, r"^\s*(?:var_dump|dd|print_r)\(");
pattern!(
    /// Words that nobody prints for a user.
    FOR_ME,
    r#"(?x)\b(?:print|println|eprintln!|println!|printf|Println|Printf|console\.(?:log|error|warn)|puts|System\.out\.println|print_r)\s*[( ]\s*f?["'`](?:
        >>>+\s*[\w{]*
      | (?i:debug|dbg|xxx|here|got\s+here|test\s?print|foo|bar|asdf|aaa+|wtf)\s*\d*\s*[:!,=]*\s*["'`{%])"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let call = match line.file.language {
        Language::Rust => RUST.is_match(&code),
        Language::Script => SCRIPT.is_match(&code),
        Language::Php => PHP.is_match(&code),
        _ => false,
    };
    let words = code.contains(['(', ' ']) && FOR_ME.is_match(&line.without_comments());
    if call {
        hits.push(line.line_hit("The line prints for debugging."));
    } else if words && !code.trim_start().starts_with(['"', '\'', '`']) {
        hits.push(line.line_hit("The line prints something that only its author needs."));
    }
}
