//! Files that say of themselves that a program wrote them. The old side must say so: a change cannot hide by marking
//! itself. The new side must say so still: what people write in the place of such a file is new.

use std::collections::BTreeSet;

use council_protocol::FileChange;
use council_syntax::generated::generated_mark;

/// Average bytes per line from which a script or style sheet counts as minified.
const MINIFIED_AVERAGE: usize = 400;

/// How much of a minified file may stand in shorter lines: a licence, not a program.
const MAX_SHORT_BYTES: usize = 2_048;

/// So many shorter lines of code a minified file may have: what a bundler puts round its one line.
const MAX_SHORT_LINES: usize = 3;

/// Whether people write a file now that its old side called generated or minified.
pub(super) fn is_written_now(file: &FileChange, before: &[u8], after: &[u8]) -> bool {
    if generated_mark(&file.path.display(), after).is_some() {
        return false;
    }
    let known: BTreeSet<&[u8]> = short_lines(before).collect();
    let is_new = |line: &&[u8]| !known.contains(*line);
    generated_reason(file, after).is_none() || short_lines(after).any(|line| is_new(&line))
}

/// Why a file whose old side is `before` is left out as generated or minified; none when people write it.
pub(super) fn generated_reason(file: &FileChange, before: &[u8]) -> Option<String> {
    if let Some(mark) = generated_mark(&file.path.display(), before) {
        return Some(format!("generated ({mark} on the old side)"));
    }
    if !matches!(file.path.extension(), Some("js" | "mjs" | "cjs" | "css")) {
        return None;
    }
    let lines = before.split_inclusive(|&b| b == b'\n').count();
    let average = before.len() / lines.max(1);
    // One long line of data, such as a picture, makes no bundle of a program.
    let short_bytes: usize = short_lines(before).map(<[u8]>::len).sum();
    let is_bundle =
        short_lines(before).count() <= MAX_SHORT_LINES && short_bytes <= MAX_SHORT_BYTES;
    (average >= MINIFIED_AVERAGE && is_bundle)
        .then(|| format!("minified ({average} bytes a line on the old side)"))
}

/// The lines that people can read, comments and empty ones left out.
fn short_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| {
        let is_comment = [&b"//"[..], b"/*", b"*"]
            .iter()
            .any(|lead| line.starts_with(lead));
        !line.is_empty() && line.len() < MINIFIED_AVERAGE && !is_comment
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::file;
    use super::*;

    #[test]
    fn what_people_write_in_its_place_is_read() {
        let (marked, long) = ("// @generated\nf()\n", "a=1;".repeat(2000));
        let by_hand = "  remove_everything(user.home);\n".repeat(180);
        for (after, written) in [
            (marked.to_owned(), false),
            (long.clone(), false),
            (format!("/* Licence: MIT */\n{long}\n"), false),
            (format!("{long}\nrun(user);\n"), true),
            (by_hand.clone(), true),
            // A long line that stays does not hide what is written beside it.
            (format!("{by_hand}{}", long.repeat(20)), true),
        ] {
            let is_written = is_written_now(&file("a.js"), long.as_bytes(), after.as_bytes());
            assert_eq!(is_written, written, "{}", &after[..20]);
        }
        assert!(is_written_now(
            &file("a.go"),
            marked.as_bytes(),
            b"package x\n"
        ));
    }

    proptest! {
        /// A line that people can read is read: no long line of data beside it, in the base or in the change, hides it.
        #[test]
        fn no_line_of_data_hides_a_written_one(
            code in 0usize..60, data in 0usize..60_000, end in prop::sample::select(vec!["js", "mjs", "css"]),
        ) {
            let data = format!("var icon='{}';\n", "QUJD".repeat(data / 4));
            let code = "function f(a) {\n  return a;\n}\n".repeat(code);
            let before = format!("{data}{code}");
            let after = format!("{before}run(user.input);\n");
            let file = file(&format!("a.{end}"));
            let is_skipped = generated_reason(&file, before.as_bytes()).is_some()
                && !is_written_now(&file, before.as_bytes(), after.as_bytes());
            prop_assert!(!is_skipped);
        }
    }

    #[test]
    fn long_lines_make_a_script_minified_but_not_a_text() {
        let long = format!("{}\n", "a=1;".repeat(500));
        assert_eq!(
            generated_reason(&file("a.js"), long.as_bytes()).as_deref(),
            Some("minified (2001 bytes a line on the old side)")
        );
        assert_eq!(generated_reason(&file("a.md"), long.as_bytes()), None);
    }
}
