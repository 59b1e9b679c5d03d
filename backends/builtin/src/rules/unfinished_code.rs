//! `unfinished-code`: a place that was left for later and fails when it is reached.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unfinished-code",
        perspective: ERROR_PATHS,
        category: "unfinished",
        severity: Significant,
        summary: "code that is marked as not implemented",
        why: "It compiles and looks complete in a list of functions, but fails when somebody calls it.",
        fix: "Implement it, or leave the function out until then.",
        examples: &[RuleExample {
            path: "src/export.rs",
            bad: "    todo!()\n",
            good: "    write_rows(rows)\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &["todo!", "unimplemented", "not implemented", "stub"],
    check: RuleCheck::Line {
        needles: &[
            "todo!",
            "unimplemented!",
            "not implemented",
            "notimplementedexception",
            "todo(",
        ],
        look: check_line,
    },
};

pattern!(
    RUST,
    r"(?:^|[^\w:])(?:std::|core::)?(todo|unimplemented)!\("
);
pattern!(
    THROWN,
    r#"(?i)\b(?:throw\s+new\s+\w*(?:Error|Exception)|panic|fatalError)\(\s*["'`](?:todo\b|not (?:yet )?implemented(?: yet)?[.!]?["'`])"#
);
pattern!(CSHARP, r"\bthrow\s+new\s+NotImplementedException\(");
pattern!(KOTLIN, r"(?:^|[^\w.])TODO\(");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let found = match line.file.language {
        // An arm of a macro that is only there to be shown in the documentation.
        Language::Rust => RUST.is_match(&code) && !code.contains(") => {"),
        Language::CSharp => CSHARP.is_match(&code),
        Language::Kotlin => KOTLIN.is_match(&code),
        Language::Script
        | Language::Java
        | Language::Go
        | Language::Swift
        | Language::Php
        | Language::Dart => THROWN.is_match(&line.without_comments()),
        _ => false,
    };
    if found {
        let hit = line.line_hit("The code fails when it runs: it is not implemented.");
        hits.push(if is_stub_of_trait(line) {
            hit.with_severity(Minor)
        } else {
            hit.grouped(line.file.path.clone(), "")
        });
    }
}

pattern!(NAMED_STUB, r#"\bunimplemented!\(\s*"(\w+)"\s*\)"#);
pattern!(FUNCTION, r"\bfn\s+(\w+)");
pattern!(OF_TRAIT, r"^\s*(?:unsafe\s+)?impl\b.*\sfor\s");

/// Whether it is a method that a trait asks for and that names itself: whoever wrote it has no use for it.
fn is_stub_of_trait(line: &LineView<'_, '_>) -> bool {
    let text = line.without_comments();
    let Some(stub) = NAMED_STUB.captures(&text) else {
        return false;
    };
    let around = line.enclosing_code();
    let is_function = |code: &String| {
        FUNCTION
            .captures(code)
            .is_some_and(|found| found[1] == stub[1])
    };
    matches!(&around[..], [function, holder, ..] if is_function(function) && OF_TRAIT.is_match(holder))
}
