//! `new-unwrap`: Rust that ends the program where it should return an error.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "new-unwrap",
        perspective: ERROR_PATHS,
        category: "panic",
        severity: Minor,
        summary: "an `unwrap()` in Rust outside tests",
        why: "It panics on the first unexpected value, with a message that does not say what was expected.",
        fix: "Return the error with `?`, or say with `expect(\"…\")` why it cannot happen.",
        examples: &[RuleExample {
            path: "src/config.rs",
            bad: "    let port: u16 = text.parse().unwrap();\n",
            good: "    let port: u16 = text.parse()?;\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Rust],
    claims: &["unwrap"],
    check: RuleCheck::Line {
        needles: &[".unwrap()"],
        look: check_line,
    },
};

pattern!(
    /// What is unwrapped by custom: poisoned locks, writes to a string, joins, constants that are parsed.
    CUSTOM,
    r#"(?x)
      \.(lock|read|write|borrow|borrow_mut|join|wait|get_mut|into_inner)\(\s*\)\s*\.unwrap\(\)
    | \bwrite(?:ln)?!\(.*\)\s*\.unwrap\(\)
    | (Regex|RegexBuilder|RegexSet|Url|Version|VersionReq|Selector|NonZero\w*|Duration|Glob|Layout|Uri|HeaderValue)::\w+\(\s*(r?\#*"[^"]*"\#*|\d+)\s*\)\s*\.unwrap\(\)
    | "\s*\.parse(::<[^>]*>)?\(\)\s*\.unwrap\(\)
    | (thread|scope|handle|rx|tx|sender|receiver)\w*\s*\.(recv|send|join)\([^)]*\)\.unwrap\(\)
    "#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    if !line.code().contains(".unwrap()") || is_build_script(&line.file.path) {
        return;
    }
    if !CUSTOM.is_match(&statement_of(line)) {
        hits.push(line.line_hit(
            "`unwrap()` panics here when there is no value, without saying what was expected.",
        ));
    }
}

/// The line without its comments, joined to those above it that its chain of calls begins on.
fn statement_of(line: &LineView<'_, '_>) -> String {
    let mut text = line.without_comments().into_owned();
    for by in 1..=4 {
        let Some(above) = line
            .text_near(-by)
            .filter(|_| text.trim_start().starts_with('.'))
        else {
            break;
        };
        text = format!("{}{}", above.trim_end(), text.trim_start());
    }
    text
}

fn is_build_script(path: &str) -> bool {
    path.rsplit('/').next() == Some("build.rs") || path.starts_with("xtask/")
}
