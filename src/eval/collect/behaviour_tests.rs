//! What readers alone see, and what behaves otherwise.

use proptest::prelude::*;

use super::*;
use crate::git::SideTexts;

fn changed(path: &str, old: &str, new: &str) -> ChangedLines {
    let lines = |text: &str| text.lines().map(str::to_owned).collect();
    ChangedLines {
        path: path.into(),
        old_path: Some(path.into()),
        is_removed: false,
        spans: Some(vec![LineSpan {
            old_start: 1,
            new_start: 1,
            removed: lines(old),
            added: lines(new),
        }]),
        texts: Some(SideTexts {
            old: old.into(),
            new: new.into(),
        }),
    }
}

fn behaves(path: &str, old: &str, new: &str) -> bool {
    !behaving_files(&[changed(path, old, new)]).is_empty()
}

const PYTHON: &str = "\
\"\"\"
requests HTTP library
\"\"\"
NAME = \"a\"

def f(value, other):
    r'''Gives it.'''
    # the sum
    first = g(value,
              other)
    return first
";

#[test]
fn what_only_readers_see_does_not_behave() {
    for (was, becomes) in [
        ("requests HTTP", "Requests HTTP"),
        ("Gives it.", "Gives the sum."),
        ("    r'''Gives it.'''\n", ""),
        ("# the sum", "# the whole sum"),
        ("first = g", "first= g"),
        (
            "g(value,\n              other)",
            "g(\n        value, other)",
        ),
        ("NAME = \"a\"\n", "NAME = \"a\"\n\n\n"),
        ("return first", "return first  # all"),
    ] {
        let new = PYTHON.replace(was, becomes);
        assert_ne!(new, PYTHON);
        assert!(!behaves("a.py", PYTHON, &new), "{new}");
    }
    for (was, becomes) in [
        ("\"a\"", "\"A\""),
        ("    return first", "return first"),
        ("    return first", "        return first"),
        (
            "(value,\n              other)",
            "(other,\n              value)",
        ),
        ("first = g", "first == g"),
        ("return first", "returnfirst"),
        ("NAME = \"a\"", "# NAME = \"a\""),
        ("\"\"\"\nrequests", "TEXT = \"\"\"\nrequests"),
    ] {
        let new = PYTHON.replace(was, becomes);
        assert_ne!(new, PYTHON);
        assert!(behaves("a.py", PYTHON, &new), "{new}");
    }
}

#[test]
fn a_comment_that_is_closed_elsewhere_makes_code_of_lines_between() {
    let mut file = changed("a.go", "/*\nx()\n*/\n", "x()\n");
    let span = |old_start, new_start, removed: &str| LineSpan {
        old_start,
        new_start,
        removed: vec![removed.to_owned()],
        added: Vec::new(),
    };
    file.spans = Some(vec![span(1, 1, "/*"), span(3, 2, "*/")]);
    let found = behaving_files(&[file.clone()]);
    assert_eq!(found[0].spans, file.spans);
}

#[test]
fn only_the_spans_that_behave_are_kept() {
    let mut file = changed("a.rs", "// a\nx(1);\ny();\n", "// b\nx(1);\ny(2);\n");
    let span = |at, removed: &str, added: &str| LineSpan {
        old_start: at,
        new_start: at,
        removed: vec![removed.to_owned()],
        added: vec![added.to_owned()],
    };
    file.spans = Some(vec![span(1, "// a", "// b"), span(3, "y();", "y(2);")]);
    let found = behaving_files(&[file]);
    assert_eq!(found[0].spans, Some(vec![span(3, "y();", "y(2);")]));
}

/// Of each language a statement, a comment, and a file's name.
const SAMPLES: [(&str, &str, &str); 6] = [
    ("a.py", "total = add(first, second)", "# why"),
    ("a.rs", "let total = add(first, second);", "/// why"),
    ("a.go", "total := add(first, second)", "// why"),
    ("a.ts", "const total = add(first, second);", "/* why */"),
    ("a.rb", "total = add(first, second)", "# why"),
    ("A.java", "int total = add(first, second);", "/** why */"),
];

proptest! {
    /// However a statement is commented, indented and spaced, it behaves as before; with another word it does not.
    #[test]
    fn comments_and_blanks_behave_in_no_language(
        sample in prop::sample::select(SAMPLES.to_vec()),
        count in 1_usize..6,
        edits in prop::collection::vec((0_usize..6, 0_u8..4), 1..8),
    ) {
        let (path, statement, comment) = sample;
        let before = vec![statement.to_owned(); count];
        let mut after = before.clone();
        for (at, kind) in &edits {
            let at = at % after.len();
            match kind {
                0 => after.insert(at, comment.to_owned()),
                1 => after.insert(at, String::new()),
                2 => after[at] = after[at].replace(", ", " ,  "),
                _ => after[at] = format!("{}  {comment}", after[at]),
            }
        }
        let (old, new) = (before.join("\n"), after.join("\n"));
        prop_assert!(!behaves(path, &old, &new), "{}", new);
        let other = new.replacen("second", "third", 1);
        prop_assert!(behaves(path, &old, &other), "{}", other);
    }
}
