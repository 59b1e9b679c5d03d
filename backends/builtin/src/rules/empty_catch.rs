//! `empty-catch`: a handler with nothing in it.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "empty-catch",
        perspective: ERROR_PATHS,
        category: "swallowed-error",
        severity: Significant,
        summary: "an empty `catch` block",
        why: "Every failure in the block disappears, bugs as well as expected errors, and the program continues in \
              whatever state it is in.",
        fix: "Handle the error, log it, or say in a comment why it does not matter.",
        examples: &[RuleExample {
            path: "src/store.ts",
            bad: "try { await save(order); } catch (e) {}\n",
            good: "try { await save(order); } catch (e) { log.warn(\"cannot save\", e); }\n",
        }],
    },
    scope: RuleScope::Production,
    languages: &[
        Language::Script,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::C,
        Language::Php,
        Language::Dart,
        Language::Scala,
        Language::Swift,
    ],
    claims: &["empty catch", "swallow", "silently"],
    check: RuleCheck::Line {
        needles: &["catch"],
        look: check_line,
    },
};

pattern!(INLINE, r"\bcatch\s*(?:\(([^)]*)\))?\s*\{\s*\}");
pattern!(OPENED, r"\bcatch\s*(?:\(([^)]*)\))?\s*\{\s*$");
pattern!(
    PROMISE,
    r"\.catch\(\s*(?:(?:async\s*)?\(?\s*\w*\s*\)?\s*=>\s*\{\s*\}|function\s*\(\w*\)\s*\{\s*\})\s*\)"
);
pattern!(
    /// By the name of the variable, nothing is to be done.
    EXPECTED,
    r"(?i)\b(?:ignored?|expected|unused|_+)$|^(?:ignored?|expected|unused|_)\s*:|^\.\.\.$|\b(?:InterruptedException|CancelledException|AbortError)\b"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    if PROMISE.is_match(&code) && line.comments().next().is_none() {
        hits.push(line.line_hit("A rejected promise is dropped without a trace."));
        return;
    }
    let inline = INLINE
        .captures(&code)
        .filter(|_| line.comments().next().is_none());
    let (found, last) = match inline {
        Some(found) => (found, line.number()),
        None => match OPENED.captures(&code) {
            Some(found) if closes_at_once(line) => (found, line.number() + 1),
            _ => return,
        },
    };
    let caught = found.get(1).map_or("", |m| m.as_str()).trim();
    if !EXPECTED.is_match(caught) {
        let hit = line.lines_hit(last, "The handler does nothing with what it catches.");
        // Whoever names one kind of failure has thought of it.
        let unnamed = caught.is_empty() && line.file.language == Language::Script;
        let typed = caught.contains(' ') && line.file.language != Language::Script;
        let broad = !unnamed && (!typed || BROAD.is_match(caught));
        hits.push(if broad { hit } else { hit.with_severity(Minor) });
    }
}

pattern!(
    BROAD,
    r"(?:^|[^\w])\\?(?:(?:java\.lang\.|System\.)?(?:Runtime)?Exception|Throwable)(?:\W|$)"
);

fn closes_at_once(line: &LineView<'_, '_>) -> bool {
    line.comments().next().is_none()
        && line
            .text_near(1)
            .is_some_and(|below| below.trim_start().starts_with('}'))
}
