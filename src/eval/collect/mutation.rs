//! One defect put into a real change: a condition turned round, a guard taken away, an error dropped.

use std::sync::LazyLock;

use regex::Regex;

use crate::eval::labelled::LabelConfidence;

/// A line with a defect in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MutatedLine {
    /// None: the line is gone.
    pub(super) becomes: Option<String>,
    pub(super) what: &'static str,
    /// A boundary that moves by one may change nothing that anybody can see.
    pub(super) confidence: LabelConfidence,
}

/// What is replaced by what.
const REPLACEMENTS: [(&str, &str, &str, LabelConfidence); 12] = [
    (
        " == ",
        " != ",
        "a comparison is turned round",
        LabelConfidence::High,
    ),
    (
        " != ",
        " == ",
        "a comparison is turned round",
        LabelConfidence::High,
    ),
    (
        " === ",
        " !== ",
        "a comparison is turned round",
        LabelConfidence::High,
    ),
    (
        " !== ",
        " === ",
        "a comparison is turned round",
        LabelConfidence::High,
    ),
    (
        " <= ",
        " < ",
        "a boundary moves by one",
        LabelConfidence::Medium,
    ),
    (
        " >= ",
        " > ",
        "a boundary moves by one",
        LabelConfidence::Medium,
    ),
    (
        " && ",
        " || ",
        "a condition is weakened",
        LabelConfidence::High,
    ),
    (
        " and ",
        " or ",
        "a condition is weakened",
        LabelConfidence::High,
    ),
    (
        "if !",
        "if ",
        "a condition is turned round",
        LabelConfidence::High,
    ),
    (
        "if not ",
        "if ",
        "a condition is turned round",
        LabelConfidence::High,
    ),
    (
        "return err",
        "return nil",
        "an error is dropped",
        LabelConfidence::High,
    ),
    (
        "raise ",
        "pass  # ",
        "an error is dropped",
        LabelConfidence::High,
    ),
];

/// A guard on one line: it leaves the function, or the turn of a loop, early.
static GUARD: LazyLock<Regex> = LazyLock::new(|| {
    let guard = r"^\s*if\b.*[:)]\s*(return|continue|break|throw|raise)\b.*[;\w)]$";
    Regex::new(guard).expect("a fixed pattern")
});

/// The defects that a line of code can be given. Lines with strings are left alone: what stands in them is no code.
pub(super) fn mutate_line(line: &str) -> Vec<MutatedLine> {
    if line.contains(['"', '\'', '`']) {
        return Vec::new();
    }
    let is_condition = ["if ", "while ", "return ", "elif "]
        .iter()
        .any(|word| line.contains(word));
    let of = |(from, to, what, confidence): &(&str, &str, &'static str, LabelConfidence)| {
        let applies = line.matches(from).count() == 1 && (is_condition || !from.starts_with(' '));
        applies.then(|| MutatedLine {
            becomes: Some(line.replacen(from, to, 1)),
            what,
            confidence: *confidence,
        })
    };
    let mut found: Vec<MutatedLine> = REPLACEMENTS.iter().filter_map(of).collect();
    if GUARD.is_match(line) {
        found.push(MutatedLine {
            becomes: None,
            what: "a guard is gone",
            confidence: LabelConfidence::High,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn becomes(line: &str) -> Vec<Option<String>> {
        mutate_line(line)
            .into_iter()
            .map(|mutated| mutated.becomes)
            .collect()
    }

    #[test]
    fn conditions_guards_and_errors_are_mutated() {
        let some = |line: &str| Some(line.to_owned());
        assert_eq!(becomes("    if a == b {"), [some("    if a != b {")]);
        assert_eq!(becomes("    if not done:"), [some("    if done:")]);
        assert_eq!(becomes("\t\treturn err"), [some("\t\treturn nil")]);
        assert_eq!(becomes("  if (x) return;"), [None]);
        assert_eq!(
            becomes("    raise ValueError(x)"),
            [some("    pass  # ValueError(x)")]
        );
    }

    #[test]
    fn what_is_no_condition_or_holds_a_string_is_left_alone() {
        for line in [
            "x = a == b",
            "if a == \"x\" {",
            "let y = 1;",
            "if a == b && c == d {",
        ] {
            let comparison = becomes(line)
                .into_iter()
                .flatten()
                .filter(|text| text.contains("!="));
            assert_eq!(comparison.count(), 0, "{line}");
        }
    }
}
