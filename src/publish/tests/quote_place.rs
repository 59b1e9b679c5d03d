//! What becomes of a quoted line under edits, drawn.

use council_protocol::Finding;
use proptest::prelude::*;

use super::plan::report;
use crate::publish::line_origin::ChangedLines;
use crate::publish::quote_place::{FileFunctions, Kinship, QuotedCode, find_quoted, place_in};
use crate::text::CodeLetters;

/// Lines of code, each with mends that leave all of its letters, as authors write them.
const LINES: [(&str, &str, &str); 5] = [
    ("return row[0]", " if row else None", "if row: "),
    ("total = add(one, two)", " or 0", "grand_"),
    ("if i <= n", " - 1", "else "),
    ("let x = first(items)?", ".get(1)?", "if ok { "),
    ("user.name = form['name']", ".strip()", "new_"),
];

/// The same lines as a formatter breaks them.
const WRAPPED: [&str; 5] = [
    "return (\n    row[0]\n)",
    "total = add(\n    one,\n    two,\n)",
    "if (\n    i <= n\n)",
    "let x = first(\n    items,\n)?",
    "user.name = form[\n    \"name\"\n]",
];

/// A part of each.
const PARTS: [&str; 5] = [
    "row[0]",
    "add(one, two)",
    "i <= n",
    "first(items)",
    "form['name']",
];

#[derive(Debug, Clone, Copy)]
enum Edit {
    Appended,
    Prepended,
    CommentedOut,
    Wrapped,
    Indented,
    Remarked,
    Moved,
}

fn edited(nth: usize, edit: Edit) -> String {
    let (line, behind, before) = LINES[nth];
    match edit {
        Edit::Appended => format!("{line}{behind}"),
        Edit::Prepended => format!("{before}{line}"),
        Edit::CommentedOut => format!("# {line}"),
        Edit::Wrapped => WRAPPED[nth].to_owned(),
        Edit::Indented => format!("        {line}"),
        Edit::Remarked => format!("{line}  # one more word"),
        Edit::Moved => format!("other()\n\n{line}"),
    }
}

fn finding(quote: &str, line: u32) -> Finding {
    let mut finding = report(1).outcome.findings.remove(0).finding;
    (finding.quote, finding.location.line) = (quote.to_owned(), line);
    finding
}

fn code_after(text: &str, quote: &str, now: &str) -> QuotedCode {
    let at = text
        .lines()
        .position(|line| line.contains(quote.lines().next().unwrap()));
    let finding = finding(quote, u32::try_from(at.unwrap() + 1).unwrap());
    let code = |text: &str| CodeLetters::of(text.lines());
    let lines = ChangedLines::of(&finding.location.path, &[], false);
    let functions = FileFunctions::of(&finding.location.path, text.to_owned());
    let was = place_in((&code(text), &functions), &lines, &finding);
    let kinship = |_| Kinship::Other;
    find_quoted(&code(now), &finding, was.as_ref(), &|_| true, &kinship)
}

proptest! {
    /// Whoever mends a line by adding to it, before or behind, or takes it out as a comment, has changed it; a
    /// formatter has not, nor has who says something about it. Of a quoted part the rest of its line says nothing.
    #[test]
    fn a_line_is_there_as_long_as_it_is_the_same_line(
        nth in 0..LINES.len(),
        above in 0usize..4,
        depth in 0usize..9,
        edit in prop::sample::select(vec![
            Edit::Appended, Edit::Prepended, Edit::CommentedOut, Edit::Wrapped, Edit::Indented, Edit::Remarked,
            Edit::Moved,
        ]),
        is_part in any::<bool>(),
    ) {
        let line = LINES[nth].0;
        let around = |code: &str| {
            let above: String = (0..above).map(|n| format!("above_{n}()\n")).collect();
            let code: String = code.lines().map(|line| format!("{}{line}\n", " ".repeat(depth))).collect();
            format!("{above}{code}below()\n")
        };
        let quote = match is_part {
            true => PARTS[nth],
            false => line,
        };
        let is_other = matches!(edit, Edit::Appended | Edit::Prepended | Edit::CommentedOut);
        let now = code_after(&around(line), quote, &around(&edited(nth, edit)));
        prop_assert_eq!(now == QuotedCode::Edited, is_other && !is_part, "{:?} {:?}", now, edit);
        prop_assert!(now != QuotedCode::Missing, "{:?}", edit);
    }
}

/// A line of a call that stands on several is joined with the others: its letters stand between the same ones.
#[test]
fn what_a_formatter_joins_is_the_same_code() {
    let wrapped = "call(\n    f\"SELECT {name}\",\n    x,\n)\n";
    let quote = "    f\"SELECT {name}\",";
    let now = |text: &str| code_after(wrapped, quote, text);
    assert_eq!(now("call(f\"SELECT {name}\", x)\n"), QuotedCode::At(1));
    let mended = "safe_call(\n    quote(f\"SELECT {name}\",\n    y),\n)\n";
    assert_eq!(now(mended), QuotedCode::Edited);
    assert_eq!(
        now("call(\n    \"SELECT ?\",\n    x,\n)\n"),
        QuotedCode::Edited
    );
}
