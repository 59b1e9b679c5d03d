//! However code is dressed, what is put into a file is the code; what only looks like a dress stays as it is.

use proptest::prelude::*;

use super::*;

const OLD: &str = "    query = make(name)";
const NEW: &str = "    query = safe(name)";

fn edited<'a>(code: &'a str, indent: &'a str) -> EditedLines<'a> {
    EditedLines {
        code,
        indent,
        numbers: [8, 8],
        count: code.lines().count(),
        is_document: false,
    }
}

fn bare(written: &str) -> Option<String> {
    bare_suggestion(written, edited(OLD.trim(), "    "))
}

#[test]
fn code_is_taken_out_of_its_dress() {
    for written in [
        format!("```python\n{NEW}\n```"),
        format!("    ```\n{NEW}\n    ```\n"),
        format!("8 | {NEW}"),
        format!("8 |{NEW}"),
        format!("8: {NEW}"),
        format!("  8 +{NEW}"),
        format!("8  {NEW}"),
        format!("-{OLD}\n+{NEW}"),
        format!("- {OLD}\n+ {NEW}"),
        format!("--- a/a.py\n+++ b/a.py\n@@ -8 +8 @@\n-{OLD}\n+{NEW}\n"),
        format!("@@ -7,3 +7,3 @@\n above\n-{OLD}\n+{NEW}\n below"),
        format!("  -{OLD}\n8 +{NEW}"),
        format!("+{NEW}"),
        format!("```diff\n-{OLD}\n+{NEW}\n```"),
        NEW.to_owned(),
    ] {
        assert_eq!(bare(&written).as_deref(), Some(NEW), "{written}");
    }
}

#[test]
fn an_empty_field_and_what_nobody_can_tell_are_no_suggestion() {
    for written in [
        "",
        " \n",
        "N/A",
        "none.",
        "```\n```",
        "Bind it:\n```python\n    x\n```",
        "```python\n    query = safe(name)",
        "-    other = 1\n+    query = safe(name)",
        "+ \"more\"",
        "-query = make(name)",
    ] {
        assert_eq!(bare(written), None, "{written:?}");
    }
    assert_eq!(
        bare(&format!("-{OLD}")).as_deref(),
        Some(""),
        "a diff that removes the line says so"
    );
}

#[test]
fn what_is_the_codes_own_stays() {
    for (code, written) in [
        ("- a: 1", "- a: 2"),
        ("- a: 1", "- a: 2\n- b: 3"),
        ("+ \"b\"", "+ \"c\""),
        ("8: \"x\"", "8: \"y\""),
        ("i++;", "++i;"),
        ("200 | 404", "8 | 404"),
        ("total", "404: total"),
        ("text = \"\"\"", "text = \"\"\"- a\n+ b"),
    ] {
        assert_eq!(
            bare_suggestion(written, edited(code, "")).as_deref(),
            Some(written),
            "{code}"
        );
    }
    let document = EditedLines {
        is_document: true,
        ..edited("Run it.", "")
    };
    let with_block = "Run it:\n\n```sh\nrun\n```";
    assert_eq!(
        bare_suggestion(with_block, document).as_deref(),
        Some(with_block)
    );
    assert_eq!(
        bare_suggestion("```sh\nrun\n```", document),
        None,
        "a block of its own, or a fence around it"
    );
}

#[derive(Debug, Clone, Copy)]
enum Dress {
    Fence(&'static str),
    Listed(&'static str),
    Marked(char),
    Diff,
    Added,
}

fn dress() -> impl Strategy<Value = Dress> {
    prop_oneof![
        prop::sample::select(&["", "python", "rust", "c++"][..]).prop_map(Dress::Fence),
        prop::sample::select(&[" | ", ": ", "|", " |"][..]).prop_map(Dress::Listed),
        prop::sample::select(&['+', ' '][..]).prop_map(Dress::Marked),
        Just(Dress::Diff),
        Just(Dress::Added),
    ]
}

fn dressed(old: &str, new: &str, dress: Dress) -> String {
    let each = |text: &str, change: &dyn Fn(usize, &str) -> String| {
        let lines: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(nth, line)| change(nth + 8, line))
            .collect();
        lines.join("\n")
    };
    match dress {
        Dress::Fence(info) => format!("```{info}\n{new}\n```"),
        Dress::Listed(behind) => each(new, &|nth, line| format!("{nth}{behind}{line}")),
        Dress::Marked(marker) => each(new, &|nth, line| format!("{nth:>4} {marker}{line}")),
        Dress::Diff => format!(
            "{}\n{}",
            each(old, &|_, line| format!("-{line}")),
            each(new, &|_, line| format!("+{line}"))
        ),
        Dress::Added => each(new, &|_, line| format!("+{line}")),
    }
}

fn lines(indent: usize) -> impl Strategy<Value = String> {
    let line = ("[a-z]{3,6} = [a-z]{2,5}\\([a-z0-9, -]{0,6}\\);?", 0usize..2);
    proptest::collection::vec(line, 1..4).prop_map(move |lines| {
        let indented = lines.iter().enumerate().map(|(nth, (code, deeper))| {
            let depth = if nth == 0 {
                indent
            } else {
                indent + 4 * deeper
            };
            format!("{}{code}", " ".repeat(depth))
        });
        indented.collect::<Vec<_>>().join("\n")
    })
}

proptest! {
    /// One dress or a fence around it: the text is that of the bare suggestion, byte by byte.
    #[test]
    fn a_dressed_suggestion_is_the_bare_one(
        (indent, old, new) in prop::sample::select(&[0usize, 2, 4, 8][..])
            .prop_flat_map(|indent| (Just(indent), lines(indent), lines(indent))),
        dress in dress(),
        has_fence in any::<bool>(),
    ) {
        let indent = " ".repeat(indent);
        let edited = edited(&old, &indent);
        let text = dressed(&old, &new, dress);
        let text = if has_fence && !matches!(dress, Dress::Fence(_)) { format!("```diff\n{text}\n```") } else { text };
        prop_assert_eq!(bare_suggestion(&new, edited), Some(new.clone()));
        prop_assert_eq!(bare_suggestion(&text, edited), Some(new), "{}", text);
    }

    /// Whatever is written: nothing breaks, and no empty text is left but that of a deletion.
    #[test]
    fn no_blank_text_is_a_suggestion(text in "[-+ `8|:a\n]{0,30}", code in "[-+ 8|:a\n]{0,12}", indent in " {0,3}") {
        if let Some(once) = bare_suggestion(&text, edited(&code, &indent)).filter(|bare| !bare.is_empty()) {
            prop_assert!(!once.trim().is_empty());
        }
    }
}
