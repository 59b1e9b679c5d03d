//! One defect put into a real change: a condition turned round, a guard taken away, an error dropped.

use std::sync::LazyLock;

use council_syntax::language::Language;
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

/// A line of a function, as it is written and without its comments and literals.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeLine<'l> {
    pub(super) language: Language,
    pub(super) text: &'l str,
    /// As many bytes, with a blank for each that is no code.
    pub(super) code: &'l str,
    /// The code of the next line that has some; none: it is not known.
    pub(super) next: Option<&'l str>,
}

/// The defects that a line of code can be given. Lines with strings are left alone: what stands in them is no code.
pub(super) fn mutate_line(line: CodeLine<'_>) -> Vec<MutatedLine> {
    let CodeLine { text, code, .. } = line;
    if text.contains(['"', '\'', '`']) {
        return Vec::new();
    }
    let is_condition = ["if ", "while ", "return ", "elif "]
        .iter()
        .any(|word| code.contains(word));
    let of = |(from, to, what, confidence): &(&str, &str, &'static str, LabelConfidence)| {
        let applies = code.matches(from).count() == 1 && (is_condition || !from.starts_with(' '));
        let at = code
            .find(from)
            .filter(|_| applies && stays_code(line, from))?;
        // A blank may stand for a part of a longer sign.
        let (before, behind) = (text.get(..at)?, text.get(at..)?.strip_prefix(from)?);
        Some(MutatedLine {
            becomes: Some([before, to, behind].concat()),
            what,
            confidence: *confidence,
        })
    };
    let mut found: Vec<MutatedLine> = REPLACEMENTS.iter().filter_map(of).collect();
    if GUARD.is_match(code.trim_end()) && leaves_a_block(line) {
        found.push(MutatedLine {
            becomes: None,
            what: "a guard is gone",
            confidence: LabelConfidence::High,
        });
    }
    found
}

/// Whether a replacement leaves code of the line's language: what does not parse is no defect that a review has to find.
fn stays_code(line: CodeLine<'_>, from: &str) -> bool {
    let code = line.code.trim();
    let behind = code
        .split_once(from.trim())
        .map_or("", |(_, behind)| behind);
    match from {
        "return err" => {
            line.language == Language::Go && behind.chars().all(|c| c == ';' || c.is_whitespace())
        }
        // The statement must end with its line, or its rest would stand alone.
        "raise " => line.language == Language::Python && is_balanced(code) && !code.ends_with('\\'),
        // A chain of `let` knows no other joint.
        " && " => !code.contains("let "),
        _ => true,
    }
}

/// Whether the block of a guard goes on behind it, with nothing that belongs to the guard.
fn leaves_a_block(line: CodeLine<'_>) -> bool {
    const BELONGS: [&str; 2] = ["else", "elif"];
    let indent = |text: &str| text.len() - text.trim_start().len();
    let belongs = |next: &str| {
        BELONGS
            .iter()
            .any(|word| next.trim_start().starts_with(word))
    };
    let goes_on = |next: &str| indent(next) == indent(line.code) && !belongs(next);
    is_balanced(line.code) && line.next.is_some_and(goes_on)
}

fn is_balanced(code: &str) -> bool {
    let count = |signs: &[char]| code.matches(signs).count();
    count(&['(', '[', '{']) == count(&[')', ']', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn becomes_in(language: Language, line: &str, next: Option<&str>) -> Vec<Option<String>> {
        let line = CodeLine {
            language,
            text: line,
            code: line,
            next,
        };
        let mutated = mutate_line(line).into_iter();
        mutated.map(|mutated| mutated.becomes).collect()
    }

    fn becomes(line: &str) -> Vec<Option<String>> {
        becomes_in(Language::Python, line, None)
    }

    #[test]
    fn conditions_guards_and_errors_are_mutated() {
        let some = |line: &str| Some(line.to_owned());
        assert_eq!(becomes("    if a == b {"), [some("    if a != b {")]);
        assert_eq!(becomes("    if not done:"), [some("    if done:")]);
        let go = becomes_in(Language::Go, "\t\treturn err", None);
        assert_eq!(go, [some("\t\treturn nil")]);
        let guard = becomes_in(Language::Script, "  if (x) return;", Some("  f();"));
        assert_eq!(guard, [None]);
        assert_eq!(
            becomes("    raise ValueError(x)"),
            [some("    pass  # ValueError(x)")]
        );
    }

    /// What does not parse, or is no code of the language, is no defect of a review.
    #[test]
    fn what_would_be_no_code_is_left_alone() {
        for (language, line, next) in [
            (
                Language::Python,
                "    raise ValueError(",
                Some("        x)"),
            ),
            (Language::Python, "    raise ValueError \\", None),
            (Language::Ruby, "    raise x", None),
            (Language::Script, "    return err", None),
            (Language::Go, "    return errorOf(x)", None),
            (Language::Rust, "    if let Some(x) = y && z {", None),
            (Language::Python, "    if x: return", None),
            (Language::Python, "    if x: return", Some("    else: f()")),
            (Language::Python, "    if x: return", Some("def g():")),
            (Language::Script, "  if (x) return;", Some("  else f();")),
            (Language::Script, "  if (x) return;", Some("}")),
        ] {
            assert_eq!(becomes_in(language, line, next), [], "{line}");
        }
        // Words of a comment or of a text over several lines are none of the code.
        let text = "    if a == b: # if c != d";
        let mutated = mutate_line(CodeLine {
            language: Language::Python,
            text,
            code: "    if a == b:            ",
            next: None,
        });
        assert_eq!(mutated.len(), 1, "{mutated:?}");
        let prose = CodeLine {
            language: Language::Python,
            text: "    We return early if a == b and not c",
            code: "                                       ",
            next: None,
        };
        assert_eq!(mutate_line(prose), []);
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
