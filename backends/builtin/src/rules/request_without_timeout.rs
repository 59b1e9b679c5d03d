//! `request-without-timeout`: a request that may wait for ever.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "request-without-timeout",
        perspective: ERROR_PATHS,
        category: "timeouts",
        severity: Minor,
        summary: "a call of Python's `requests` without a timeout",
        why: "`requests` has no default timeout: a server that accepts the connection but never answers blocks the \
              thread for ever.",
        fix: "Pass `timeout=` with as many seconds as the caller can wait.",
        examples: &[RuleExample {
            path: "src/client.py",
            bad: "response = requests.get(url)\n",
            good: "response = requests.get(url, timeout=10)\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Python],
    claims: &["timeout", "hang"],
    check: RuleCheck::Line {
        needles: &["requests."],
        look: check_line,
    },
};

pattern!(
    CALL,
    r"\brequests\.(get|post|put|patch|delete|head|options|request)\((.*)\)"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    // A call that goes on below may have its timeout there.
    let whole = line.statement().map(|whole| whole.code);
    let code = whole.as_deref().unwrap_or(&code);
    let Some(found) = CALL.captures(code) else {
        return;
    };
    let balanced = found[2].matches('(').count() == found[2].matches(')').count();
    if balanced && !found[2].contains("timeout") && !found[2].contains("**") {
        hits.push(line.line_hit(format!("`requests.{}` waits without a limit.", &found[1])));
    }
}
