//! `emptied-handler`: a handler that did something with the error, and no longer does.

use council_protocol::LineKind;
use council_protocol::change::Line;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "emptied-handler",
        perspective: ERROR_PATHS,
        category: "swallowed-error",
        severity: Significant,
        summary: "an error handler whose body was removed",
        why: "Errors that were logged, returned or handled are now lost without a trace, and the diff shows only \
              removed lines.",
        fix: "Keep what the handler did, remove the whole handler, or say in a comment why nothing needs to be done.",
        examples: &[],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Python,
        Language::Script,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::C,
        Language::Php,
        Language::Dart,
        Language::Scala,
        Language::Swift,
        Language::Go,
    ],
    claims: &["empty catch", "empty handler", "swallow"],
    check: RuleCheck::File(check_file),
};

pattern!(
    HANDLER,
    r"^\s*(?:\}\s*)?catch\b[^{}]*\{\s*$|^\s*except\b[^#]*:\s*$|^\s*(?:\}\s*else\s+)?if\s+err\s*!=\s*nil\s*\{\s*$"
);

pattern!(
    /// What passes the failure on, or tells somebody. A default in its place is an answer, too.
    TELLS,
    r"(?i)\b(?:log\w*|logger|raise|throw|return|warn\w*|report\w*|print\w*|panic|console|errors?|fail\w*|abort|exit)\b"
);

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    for (at, line) in file.lines.iter().enumerate() {
        let handler = line.kind == LineKind::Context && HANDLER.is_match(line.text);
        if handler && is_emptied(&file.lines[at + 1..]) && !file.in_test(line.new_no.unwrap_or(0)) {
            let view = LineView::new(file, at);
            hits.push(
                view.line_hit("The handler did something with the error, and now does nothing."),
            );
        }
    }
}

/// Whether what follows a handler's first line is its old body, which goes, and its end.
fn is_emptied(rest: &[Line<'_>]) -> bool {
    let mut gone = false;
    for line in rest {
        let text = line.text.trim();
        match line.kind {
            LineKind::Removed => gone |= TELLS.is_match(text) && !is_comment(text),
            LineKind::Added if matches!(text, "" | "pass" | "...") => {}
            LineKind::Context if text == "pass" => {}
            LineKind::Added => return false,
            // A line of the old body that stays is something that the handler still does.
            LineKind::Context => return gone && (text.starts_with('}') || ends_python(rest, line)),
        }
    }
    false
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with('#') || text.starts_with('*')
}

/// Whether the handler's body was replaced by `pass`, so that the line stands outside it.
fn ends_python(rest: &[Line<'_>], end: &Line<'_>) -> bool {
    let above = rest.iter().take_while(|line| !std::ptr::eq(*line, end));
    let mut bodies = above.filter(|line| line.kind == LineKind::Added);
    bodies.any(|line| matches!(line.text.trim(), "pass" | "..."))
}
