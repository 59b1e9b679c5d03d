//! One defect put into a real change: a condition turned round, a guard taken away, an error dropped.

use std::sync::LazyLock;

use council_syntax::language::Language;
use regex::Regex;

use crate::eval::labelled::LabelConfidence;

/// What kind of defect is put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum MutationKind {
    /// The rarest first: few lines drop an error or leave a function early, and most hold a condition.
    Error,
    Guard,
    Condition,
}

/// A line with a defect in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MutatedLine {
    /// None: the line is gone.
    pub(super) becomes: Option<String>,
    pub(super) what: &'static str,
    /// A boundary that moves by one may change nothing that anybody can see.
    pub(super) confidence: LabelConfidence,
}

/// The kind of a defect that is told in these words.
pub(super) fn kind_of(told: &str) -> MutationKind {
    match told {
        told if told.starts_with(ERROR_DROPPED) => MutationKind::Error,
        told if told.starts_with(GUARD_GONE) => MutationKind::Guard,
        _ => MutationKind::Condition,
    }
}

impl MutatedLine {
    pub(super) fn kind(&self) -> MutationKind {
        kind_of(self.what)
    }

    fn sure(becomes: Option<String>, what: &'static str) -> Self {
        Self {
            becomes,
            what,
            confidence: LabelConfidence::High,
        }
    }
}

const ERROR_DROPPED: &str = "an error is dropped";
const GUARD_GONE: &str = "a guard is gone";

/// What is replaced by what.
const REPLACEMENTS: [(&str, &str, &str, LabelConfidence); 10] = [
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
    /// The code of the line before that has some; none: it is not known.
    pub(super) before: Option<&'l str>,
    /// The code of the next line that has some; none: it is not known.
    pub(super) next: Option<&'l str>,
}

/// The defects that a line of code can be given.
pub(super) fn mutate_line(line: CodeLine<'_>) -> Vec<MutatedLine> {
    let mut found = turned_conditions(line);
    found
        .extend(dropped_error(line).map(|becomes| MutatedLine::sure(Some(becomes), ERROR_DROPPED)));
    found.extend(gone_guard(line).map(|becomes| MutatedLine::sure(becomes, GUARD_GONE)));
    found
}

/// Conditions that say something else. Lines with strings are left alone: what stands in them is no code.
fn turned_conditions(line: CodeLine<'_>) -> Vec<MutatedLine> {
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
    REPLACEMENTS.iter().filter_map(of).collect()
}

/// Whether a replacement leaves code of the line's language: what does not parse is no defect that a review has to find.
fn stays_code(line: CodeLine<'_>, from: &str) -> bool {
    // A chain of `let` knows no other joint.
    from != " && " || !line.code.contains("let ")
}

/// A statement that ends with its line: without it, no rest of it would stand alone.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    let returned = r"^(?<go>\s*return (?:[\w.]+, )*)err;?$";
    let asked = r"^(?<rust>\s*)(?<call>[\w.:]+(?:\.|::|\b)\w+\(.*\)(?:\.await)?)\?;$";
    let raised = r"^(?<python>\s*)raise\b(?<what>.*)$";
    let pattern = format!("{returned}|{asked}|{raised}");
    Regex::new(&pattern).expect("a fixed pattern")
});

/// The line with its error dropped: returned as none, not looked at, or not raised; none: it has none.
fn dropped_error(line: CodeLine<'_>) -> Option<String> {
    let CodeLine { language, text, .. } = line;
    let code = line.code.trim_end();
    let found = ERROR.captures(code).filter(|_| is_balanced(code))?;
    // What stands in strings is kept as it is written.
    let written = |name: &str| found.name(name).and_then(|part| text.get(part.range()));
    if let Some(before) = written("go") {
        return (language == Language::Go).then(|| format!("{before}nil"));
    }
    if let Some((indent, call)) = written("rust").zip(written("call")) {
        return (language == Language::Rust).then(|| format!("{indent}let _ = {call};"));
    }
    let (indent, what) = written("python").zip(written("what"))?;
    let is_whole = language == Language::Python && !code.ends_with('\\');
    is_whole.then(|| format!("{indent}pass  #{what}"))
}

/// What a line alone in the block of a condition becomes so that the condition guards nothing; none inside: it is gone.
fn gone_guard(line: CodeLine<'_>) -> Option<Option<String>> {
    let code = line.code.trim_end();
    let has_text = line.text.contains(['"', '\'', '`']);
    if !has_text && GUARD.is_match(code) && leaves_a_block(line) {
        return Some(None);
    }
    let is_alone = LEAVES.is_match(code) && is_balanced(code) && is_alone_in_condition(line)?;
    is_alone.then(|| {
        let indent = &line.text[..indent_of(line.text)];
        (line.language == Language::Python).then(|| format!("{indent}pass"))
    })
}

/// A statement on a line of its own that leaves the function, or the turn of a loop, and no error.
static LEAVES: LazyLock<Regex> = LazyLock::new(|| {
    let leaves = r"^\s*(return|continue|break)\b[^{]*$";
    Regex::new(leaves).expect("a fixed pattern")
});

/// Whether a line is all that stands in the block of an `if` that has no other branch; none: that is not known.
fn is_alone_in_condition(line: CodeLine<'_>) -> Option<bool> {
    let (before, next) = (line.before?.trim_end(), line.next?);
    let is_if = before.trim_start().starts_with("if ") && is_opened(before);
    let (own, outer, behind) = (indent_of(line.code), indent_of(before), indent_of(next));
    let closes = next.trim() == "}" && behind == outer;
    let goes_on = match line.language {
        Language::Python => behind <= outer && !continues_condition(next),
        _ => closes && before.ends_with('{'),
    };
    // An expression that ends a block of Rust has a value, and a statement has none.
    let is_statement = line.language != Language::Rust || line.code.trim_end().ends_with(';');
    Some(is_if && own > outer && goes_on && is_statement)
}

fn is_opened(condition: &str) -> bool {
    condition.ends_with(':') || condition.ends_with('{')
}

fn continues_condition(next: &str) -> bool {
    let next = next.trim_start();
    ["else", "elif"].iter().any(|word| next.starts_with(word))
}

fn indent_of(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Whether the block of a guard goes on behind it, with nothing that belongs to the guard.
fn leaves_a_block(line: CodeLine<'_>) -> bool {
    let goes_on =
        |next: &str| indent_of(next) == indent_of(line.code) && !continues_condition(next);
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
            before: None,
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

    /// Guards and errors as most code writes them: over two lines, with a message, with a value beside the error.
    #[test]
    fn guards_over_two_lines_and_errors_with_a_message_are_mutated() {
        let in_block = |language, before, line: &str, next| {
            let line = CodeLine {
                language,
                text: line,
                code: &line.replace("\"no\"", "    "),
                before: Some(before),
                next: Some(next),
            };
            mutate_line(line)
                .into_iter()
                .map(|m| (m.kind(), m.becomes))
                .collect::<Vec<_>>()
        };
        let some = |line: &str| Some(line.to_owned());
        let (py, rust, go) = (Language::Python, Language::Rust, Language::Go);
        let guard = in_block(py, "    if x in box:", "        return None", "    y = 1");
        assert_eq!(guard, [(MutationKind::Guard, some("        pass"))]);
        let guard = in_block(rust, "    if done {", "        return;", "    }");
        assert_eq!(guard, [(MutationKind::Guard, None)]);
        for (language, line, becomes) in [
            (
                py,
                "    raise ValueError(\"no\")",
                "    pass  # ValueError(\"no\")",
            ),
            (rust, "    file.flush()?;", "    let _ = file.flush();"),
            (go, "\t\treturn nil, err", "\t\treturn nil, nil"),
        ] {
            let found = in_block(language, "x", line, "y");
            assert_eq!(found, [(MutationKind::Error, some(becomes))], "{line}");
        }
        for (language, before, line, next) in [
            (py, "    if x:", "        return 1", "    else:"),
            (py, "    if x:", "        return 1", "        y()"),
            (py, "    for x in y:", "        return 1", "    z()"),
            (rust, "    if done {", "        return", "    } else {"),
            (rust, "    f()", "    let a = g()?;", "    h()"),
        ] {
            assert_eq!(in_block(language, before, line, next), [], "{line}");
        }
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
            before: None,
            next: None,
        });
        assert_eq!(mutated.len(), 1, "{mutated:?}");
        let prose = CodeLine {
            language: Language::Python,
            text: "    We return early if a == b and not c",
            code: "                                       ",
            before: None,
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
