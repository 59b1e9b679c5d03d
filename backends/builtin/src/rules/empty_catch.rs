//! `empty-catch`: a handler with nothing in it.

use std::ops::Range;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "empty-catch",
        perspective: ERROR_PATHS,
        category: "swallowed-error",
        severity: Significant,
        summary: "an empty `catch` block",
        why: "Every failure in the block disappears, bugs as well as expected errors, and the program continues in \
              whatever state it is in.\n\
              It is a note where a file is removed or closed on the way out, or a folder is made that may be there.",
        fix: "Handle the error, log it, or say in a comment why it does not matter.",
        examples: &[RuleExample {
            path: "src/store.ts",
            bad: "try { await save(order); } catch (e) {}\n",
            good: "try { await save(order); } catch (e) { log.warn(\"cannot save\", e); }\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
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
    if let Some(dropped) = PROMISE
        .find(&code)
        .filter(|_| line.comments().next().is_none())
    {
        let hit = line.line_hit("A rejected promise is dropped without a trace.");
        hits.push(if is_best_effort(line, &code, dropped.range()) {
            hit.with_severity(Minor)
        } else {
            hit
        });
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
    /// What is tidied away, by a call whose arguments are no calls.
    TIDIES,
    r"^\s*(?:(?:await|void|return)\s+)?(?:[\w$]+\??\.)*(?:rm|rmdir|unlink|close)\([^()]*\)$"
);
pattern!(
    /// A folder that may be there already.
    MAKES_FOLDER,
    r"^\s*(?:(?:await|void|return)\s+)?(?:[\w$]+\??\.)*mkdir\([^{}]*,\s*\{\s*recursive:\s*true,?\s*\}\s*\)$"
);
pattern!(CLEANS_UP, r"\b(?:finally|catch)\b[^{}]*\{\s*$");

/// Whether the promise is the whole statement, and of something that may fail: a file is removed on the way out, or a
/// folder is made that the next line needs, and that line fails loudly without it.
fn is_best_effort(line: &LineView<'_, '_>, code: &str, dropped: Range<usize>) -> bool {
    let (call, behind) = (&code[..dropped.start], &code[dropped.end..]);
    let is_whole = matches!(behind.trim(), "" | ";");
    let cleans_up = || {
        line.enclosing_code()
            .iter()
            .any(|code| CLEANS_UP.is_match(code))
    };
    is_whole && (MAKES_FOLDER.is_match(call) || (TIDIES.is_match(call) && cleans_up()))
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
