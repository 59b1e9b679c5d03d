//! `ignored-result`: Rust that throws the outcome of a write away.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "ignored-result",
        perspective: ERROR_PATHS,
        category: "swallowed-error",
        severity: Minor,
        summary: "a Rust `Result` that is discarded",
        why: "`let _ =` and a bare `.ok()` silence the compiler but not the failure: the work is not done, and nobody \
              finds out.",
        fix: "Return the error with `?`, log it, or say in a comment why it does not matter.",
        examples: &[RuleExample {
            path: "src/cache.rs",
            bad: "    let _ = fs::write(&path, bytes);\n",
            good: "    fs::write(&path, bytes)?;\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Rust],
    claims: &[
        "let _ =",
        ".ok()",
        "ignored result",
        "swallow",
        "result is ignored",
    ],
    check: RuleCheck::Line {
        needles: &["let _ =", ".ok();"],
        look: check_line,
    },
};

pattern!(
    THROWN,
    r"\blet _ = .*?((?:\bfs::(?:write|rename|copy|create_dir|create_dir_all|set_permissions|hard_link)|\.(?:sync_all|sync_data|commit|persist|save|execute))\()"
);
pattern!(LONE, r"^\s*[^=]*?(\w+\([^;]*\))\.ok\(\);\s*$");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let explained = line.comments().next().is_some()
        || line
            .text_near(-1)
            .is_some_and(|above| above.trim_start().starts_with("//"));
    let code = line.code();
    let statement = !code.trim_start().starts_with("return") && !code.trim_start().starts_with('.');
    if explained || !statement {
        return;
    }
    if let Some(found) = THROWN.captures(&code) {
        let call = found[1].trim_matches(['.', '(']).to_owned();
        hits.push(line.line_hit(format!("The result of `{call}` is discarded.")));
    } else if LONE
        .captures(&code)
        .is_some_and(|found| !found[1].starts_with("print("))
    {
        hits.push(line.line_hit("`.ok()` discards the error."));
    }
}
