//! `new-panic`: library code that ends the program.

use super::prelude::*;
use crate::view::indent;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "new-panic",
        perspective: ERROR_PATHS,
        category: "panic",
        severity: Minor,
        summary: "a `panic` in Rust or Go outside tests",
        why: "The caller cannot handle it: one bad value ends the program, or the thread and everything that waits \
              for it.",
        fix: "Return an error; panic only on bugs in this code itself, and name them in the message.",
        examples: &[RuleExample {
            path: "src/parse.rs",
            bad: "    panic!(\"bad input {text}\");\n",
            good: "    return Err(ParseError::BadInput(text.to_owned()));\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Rust, Language::Go],
    claims: &["panic"],
    check: RuleCheck::Line {
        needles: &["panic!(", "panic("],
        look: check_line,
    },
};

pattern!(RUST, r"(?:^|[^\w:])(?:std::|core::)?panic!\(");
pattern!(GO, r"(?:^|[^\w.])panic\(");

pattern!(CONST_FN, r"\bconst\s+(?:unsafe\s+)?fn\s");
pattern!(
    FUNCTION,
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|extern\s+\S+\s+)*fn\s"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let (panics, excepted) = match line.file.language {
        Language::Rust => (
            RUST.is_match(&code),
            line.file.file_name() == "build.rs" || line.file.path.starts_with("xtask/"),
        ),
        _ => (
            GO.is_match(&code),
            line.file.file_name() == "main.go" || in_must(line),
        ),
    };
    // What has been reported under its own name is not said twice.
    let unfinished = line.text().to_ascii_lowercase().contains("not implemented");
    if panics && !excepted && !is_checked_early(line) && !unfinished {
        hits.push(line.line_hit("The program ends here; the caller cannot handle it."));
    }
}

/// Go's functions that are named for their panic, and `init`.
fn in_must(line: &LineView<'_, '_>) -> bool {
    let above = (1..60)
        .map_while(|by| line.text_near(-by))
        .find(|text| text.starts_with("func "));
    above.is_some_and(|text| {
        text.contains("Must") || text.contains("must") || text.starts_with("func init(")
    })
}

/// Whether the panic is one of the compiler's, or of debug builds alone.
fn is_checked_early(line: &LineView<'_, '_>) -> bool {
    if line.file.language != Language::Rust {
        return false;
    }
    let above = (1..40).map_while(|by| line.text_near(-by));
    let mut depth = line.indent();
    for text in above.filter(|text| !text.trim().is_empty()) {
        let outer = indent(text) < depth || text.trim_start().starts_with("#[");
        if outer && text.contains("debug_assertions") {
            return true;
        }
        if indent(text) < depth {
            depth = indent(text);
            if CONST_FN.is_match(text) {
                return true;
            }
        }
        if FUNCTION.is_match(text) {
            return false;
        }
    }
    false
}
