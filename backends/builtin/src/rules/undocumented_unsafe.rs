//! `undocumented-unsafe`: Rust's `unsafe` without the reason why it is sound.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "undocumented-unsafe",
        perspective: MAINTAINABILITY,
        category: "unsafe",
        severity: Minor,
        summary: "an `unsafe` block or impl in Rust without a SAFETY comment",
        why: "The compiler does not check this code. Unless its conditions are written down, nobody can tell whether \
              a later change still meets them.",
        fix: "Write above it why it is sound (`// SAFETY: …`), or avoid `unsafe`.",
        // The space is written as an escape: a test of the workspace searches the sources for the block itself.
        examples: &[RuleExample {
            path: "src/map.rs",
            bad: "// SAFETY: the pointer is never null.\nunsafe\x20impl Sync for Shared {}\n\n\n\n\n\n    let map = unsafe\x20{ Mmap::map(&file) }?;\n",
            good: "    // SAFETY: the file is ours alone and is not truncated while it is mapped.\n    let map = unsafe\x20{ Mmap::map(&file) }?;\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Rust],
    claims: &["unsafe"],
    check: RuleCheck::Line {
        needles: &["unsafe"],
        look: check_line,
    },
};

pattern!(OPENS, r"\bunsafe\s*(?:\{|impl\b|$)");
/// Lines of code between the reason and the block at most; a comment may be as long as it likes.
const BETWEEN: usize = 4;

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    if OPENS.is_match(&line.code())
        && !is_documented(line)
        && line
            .file
            .fact("reasons-of-unsafe", || gives_reasons(line.file))
    {
        hits.push(line.line_hit("Nothing says why this `unsafe` is sound."));
    }
}

/// Whether the file gives its reasons elsewhere: where nobody does, one more block is a habit, and no news.
fn gives_reasons(file: &FileView<'_>) -> bool {
    let says = |text: &str| text.to_ascii_lowercase().contains("safety:");
    file.text_after().is_some_and(says) || file.lines.iter().any(|line| says(line.text))
}

/// Whether a comment above, beside or right below gives the reason.
fn is_documented(line: &LineView<'_, '_>) -> bool {
    let says_so = |text: &str| {
        let text = text.trim_start().to_ascii_lowercase();
        text.contains("safety") || (text.starts_with("//") && text.contains("safe"))
    };
    let mut code = 0;
    let above = (1..60)
        .map_while(|by| line.text_near(-by))
        .take_while(|text| {
            code += usize::from(!text.trim_start().starts_with("//"));
            code <= BETWEEN
        });
    let mut below = (0..=2).filter_map(|by| line.text_near(by));
    above.into_iter().any(says_so) || below.any(says_so)
}
