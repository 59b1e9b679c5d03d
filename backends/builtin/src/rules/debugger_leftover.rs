//! `debugger-leftover`: a stop for the debugger.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "debugger-leftover",
        perspective: HYGIENE,
        category: "leftovers",
        severity: Significant,
        summary: "a breakpoint or debugger statement",
        why: "A server stops here and waits for input on a terminal that it does not have.",
        fix: "Delete the line.",
        examples: &[RuleExample {
            path: "src/orders.py",
            bad: "    breakpoint()\n",
            good: "    total = sum(rows)\n",
        }],
    },
    scope: RuleScope::Fresh,
    guards: Guarded::Code,
    languages: &[
        Language::Python,
        Language::Script,
        Language::Ruby,
        Language::Php,
        Language::Lua,
        Language::Kotlin,
    ],
    claims: &["debugger", "breakpoint", "pdb", "debug leftover"],
    check: RuleCheck::Line {
        needles: &[
            "breakpoint",
            "set_trace",
            "pdb",
            "debugger",
            "binding.pry",
            "binding.irb",
            "byebug",
            "xdebug_break",
        ],
        look: check_line,
    },
};

pattern!(
    PYTHON,
    r"^\s*(?:import\s+i?pudb\b|import\s+i?pdb\s*;\s*)?(?:breakpoint\(\)|(?:i?pdb|pudb|bdb|rpdb|celery\.contrib\.rdb)\.set_trace\(\)|import\s+i?pdb\s*;.*set_trace\(\))"
);
pattern!(SCRIPT, r"^\s*debugger\s*;?\s*$");
pattern!(RUBY, r"^\s*(?:binding\.(?:pry|irb)|byebug|debugger)\s*$");
pattern!(PHP, r"^\s*xdebug_break\(\)\s*;");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let found = match line.file.language {
        Language::Python => PYTHON.is_match(&code),
        Language::Script => SCRIPT.is_match(&code),
        Language::Ruby => RUBY.is_match(&code),
        Language::Php => PHP.is_match(&code),
        _ => false,
    };
    // A tool for JavaScript is tested with programs that hold the statement.
    let data = line.file.role == FileRole::Test && !line.file.file_name().contains(".test.");
    if found && !(data && line.file.language == Language::Script) {
        let hit = line.line_hit("The program stops here and waits for a debugger.");
        hits.push(if line.file.role == FileRole::Example {
            hit.with_severity(Minor)
        } else {
            hit
        });
    }
}
