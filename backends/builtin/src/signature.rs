//! Functions and calls, as far as a count of arguments needs them, in Python and JavaScript. Where anything is in doubt (star
//! arguments, decorators, defaults that are programs) there is no signature, and nothing is said.

use council_syntax::lexer::{LexSpan, Lexer};
use regex::Regex;

use crate::language::Language;
use crate::pattern::pattern;

/// The parameters of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) names: Vec<String>,
    /// How many of the first have no default.
    pub(crate) required: usize,
}

/// A function at the top of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    /// The line of its name, from 1.
    pub(crate) line: u32,
    /// The line on which its parameters end.
    pub(crate) end_line: u32,
    /// None: in doubt.
    pub(crate) signature: Option<Signature>,
}

/// A call by a plain name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) line: u32,
    /// The arguments as they are written, literals blanked; none: in doubt.
    pub(crate) arguments: Option<Vec<String>>,
}

/// The code with every comment as spaces and every literal as zeros: nothing in them looks like code, and every byte stays
/// where it is.
pub(crate) fn without_literals(language: Language, text: &str) -> String {
    let mut lexer = Lexer::new(language);
    let mut code = String::with_capacity(text.len());
    let mut spans: Vec<LexSpan> = Vec::new();
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        spans.clear();
        lexer.lex_line(bare, &mut spans);
        let mut at = 0;
        for span in &spans {
            let start = span.start.max(at);
            code.push_str(bare.get(at..start).unwrap_or_default());
            let filling = match span.part {
                council_syntax::lexer::SpanKind::Comment => ' ',
                council_syntax::lexer::SpanKind::Literal => '0',
            };
            code.extend(std::iter::repeat_n(filling, span.end.saturating_sub(start)));
            at = span.end.max(at);
        }
        code.push_str(bare.get(at..).unwrap_or_default());
        code.push_str(&line[bare.len()..]);
    }
    code
}

pattern!(
    PYTHON_FUNCTION,
    r"(?m)^(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\("
);
pattern!(
    SCRIPT_FUNCTION,
    r"(?m)^(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?function[ \t]+(\w+)[ \t]*\(|^(?:export[ \t]+)?const[ \t]+(\w+)[ \t]*=[ \t]*(?:async[ \t]*)?\("
);

/// The functions at the top of a file, whose `code` is without literals.
pub(crate) fn definitions(language: Language, code: &str) -> Vec<Definition> {
    let pattern: &Regex = match language {
        Language::Python => &PYTHON_FUNCTION,
        Language::Script => &SCRIPT_FUNCTION,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for captures in pattern.captures_iter(code) {
        let (Some(whole), Some(name)) =
            (captures.get(0), captures.get(1).or_else(|| captures.get(2)))
        else {
            continue;
        };
        let Some((parameters, end)) = split_list(code, whole.end()) else {
            continue;
        };
        let is_arrow = captures.get(2).is_some();
        if is_arrow && !code[end..].trim_start().starts_with("=>") {
            continue;
        }
        let decorated = code[..whole.start()]
            .lines()
            .next_back()
            .is_some_and(|line| line.starts_with('@') || line.starts_with(')'));
        let signature = match language {
            _ if decorated => None,
            Language::Python => python_signature(&parameters),
            _ => script_signature(&parameters),
        };
        found.push(Definition {
            name: name.as_str().to_owned(),
            line: line_of(code, name.start()),
            end_line: line_of(code, end),
            signature,
        });
    }
    found
}

fn line_of(code: &str, at: usize) -> u32 {
    let before = &code.as_bytes()[..at.min(code.len())];
    let ends = before.iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(ends + 1).unwrap_or(u32::MAX)
}

/// The longest list of parameters or arguments.
const MAX_LIST: usize = 8_000;

/// What stands between a bracket that was opened before `from` and its end, by its commas; and where it ends.
fn split_list(code: &str, from: usize) -> Option<(Vec<String>, usize)> {
    let (mut depth, mut start) = (0_usize, from);
    let mut parts = Vec::new();
    for (at, byte) in code.as_bytes().iter().enumerate().skip(from).take(MAX_LIST) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                parts.push(code[start..at].trim().to_owned());
                // A comma may stand behind the last.
                if parts.last().is_some_and(String::is_empty) {
                    parts.pop();
                }
                return Some((parts, at + 1));
            }
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                parts.push(code[start..at].trim().to_owned());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c == '_' || c.is_alphanumeric())
}

fn python_signature(parameters: &[String]) -> Option<Signature> {
    let (mut names, mut required) = (Vec::new(), 0);
    for parameter in parameters {
        let name = parameter.split([':', '=']).next()?.trim();
        if !is_name(name) || parameter.contains("lambda") {
            return None;
        }
        names.push(name.to_owned());
        if !parameter.contains('=') {
            required += 1;
            if required != names.len() {
                return None;
            }
        }
    }
    Some(Signature { names, required })
}

fn script_signature(parameters: &[String]) -> Option<Signature> {
    let plain = parameters.iter().all(|parameter| is_name(parameter));
    plain.then(|| Signature {
        names: parameters.to_vec(),
        required: parameters.len(),
    })
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte == b'$' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Where a name stands as a whole word, and no attribute of anything.
fn places<'c>(code: &'c str, name: &'c str) -> impl Iterator<Item = usize> + 'c {
    let bytes = code.as_bytes();
    code.match_indices(name).filter_map(move |(at, _)| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        let after = bytes.get(at + name.len()).copied();
        let whole = !before.is_some_and(|b| is_word(b) || b == b'.') && !after.is_some_and(is_word);
        whole.then_some(at)
    })
}

fn line_at(code: &str, at: usize) -> &str {
    let start = code[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = code[at..].find('\n').map_or(code.len(), |end| at + end);
    &code[start..end]
}

/// The calls of a name, or of a name in a module (`mod.name`).
pub(crate) fn calls_of(code: &str, callee: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    for at in places(code, callee) {
        let end = at + callee.len();
        let space = code[end..].len() - code[end..].trim_start_matches([' ', '\t']).len();
        if !code[end + space..].starts_with('(') {
            continue;
        }
        let before = code[..at].trim_end_matches([' ', '\t']);
        let word = before
            .rsplit(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        if matches!(word, "def" | "class" | "function" | "new") || before.ends_with('@') {
            continue;
        }
        let arguments = split_list(code, end + space + 1).map(|(arguments, _)| arguments);
        let is_sure = |arguments: &Vec<String>| {
            let doubtful = |one: &String| {
                one.starts_with(['*', '.']) || one.is_empty() || one.contains("lambda")
            };
            !arguments.iter().any(doubtful)
        };
        calls.push(Call {
            line: line_of(code, at),
            arguments: arguments.filter(is_sure),
        });
    }
    calls
}

/// Whether a file binds the name to something else, or may do so.
pub(crate) fn may_rebind(language: Language, code: &str, name: &str) -> bool {
    const HEADS: [&str; 12] = [
        "def ",
        "async def ",
        "lambda",
        "for ",
        "async for ",
        "with ",
        "async with ",
        "global ",
        "nonlocal ",
        "del ",
        "except ",
        "case ",
    ];
    places(code, name).any(|at| {
        let line = line_at(code, at).trim();
        let rest = code[at + name.len()..].trim_start_matches([' ', '\t']);
        let is_call = rest.starts_with('(');
        let assigned = rest.starts_with('=') && !rest.starts_with("==") && line.starts_with(name);
        let before = code[..at].trim_end_matches([' ', '\t']);
        let renamed = before.ends_with(" as");
        match language {
            Language::Python if line.starts_with("from ") || line.starts_with("import ") => renamed,
            Language::Python => {
                let bare = !is_call
                    && (HEADS.iter().any(|head| line.starts_with(head))
                        || line.contains("lambda")
                        || line.contains(" for ")
                        || rest.starts_with(':'));
                assigned || renamed || bare
            }
            _ => {
                let bare = !is_call
                    && (line.contains("=>") || line.contains("function") || line.contains("catch"));
                assigned || renamed || bare
            }
        }
    })
}

/// How many things of that name a file defines: functions, methods, classes, variables.
pub(crate) fn count_definitions(language: Language, code: &str, name: &str) -> usize {
    let name = regex::escape(name);
    let pattern = match language {
        Language::Python => format!(
            r"(?m)^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+{name}\b|^[ \t]*{name}[ \t]*(?::[^=\n]*)?=[^=]"
        ),
        _ => format!(
            r"(?m)\b(?:function\*?|class|const|let|var)[ \t]+{name}\b|\b{name}[ \t]*[:=][ \t]*(?:async\b|function\b|\()|^[ \t]*(?:static[ \t]+)?(?:async[ \t]+)?{name}[ \t]*\([^)\n]*\)[ \t]*\{{"
        ),
    };
    Regex::new(&pattern).map_or(usize::MAX, |pattern| pattern.find_iter(code).count())
}

impl Signature {
    /// Whether a call fits. JavaScript takes more arguments than there are parameters.
    pub(crate) fn fits(&self, language: Language, arguments: &[String]) -> bool {
        if language == Language::Script {
            return arguments.len() >= self.required;
        }
        let keyword = |argument: &String| {
            let (name, value) = argument.split_once('=')?;
            let name = name.trim();
            (is_name(name) && !value.starts_with('=')).then(|| name.to_owned())
        };
        let keywords: Vec<String> = arguments.iter().filter_map(keyword).collect();
        let by_place = arguments.len() - keywords.len();
        let known = |name: &String| self.names.iter().skip(by_place).any(|own| own == name);
        let given = |name: &String| keywords.contains(name);
        by_place <= self.names.len()
            && keywords.iter().all(known)
            && self.names[..self.required].iter().skip(by_place).all(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(language: Language, text: &str) -> Option<(Vec<String>, usize)> {
        let code = without_literals(language, text);
        let found = definitions(language, &code).pop()?.signature?;
        Some((found.names, found.required))
    }

    #[test]
    fn parameters_are_counted_and_doubts_are_none() {
        let python =
            |text: &str| signature(Language::Python, text).map(|(names, n)| (names.len(), n));
        assert_eq!(
            python("def f(a, b: int, c='x, y', d: T = {1: 2}):\n"),
            Some((4, 2))
        );
        assert_eq!(
            python("async def f(\n    a,\n    b,  # both, of them\n):\n"),
            Some((2, 2))
        );
        assert_eq!(python("def f():\n"), Some((0, 0)));
        for doubt in [
            "def f(a, *b):\n",
            "def f(a, *, b):\n",
            "def f(a, /, b):\n",
            "def f(a, **k):\n",
            "def f(a, k=lambda x, y: 1):\n",
            "@overload\ndef f(a):\n",
            "    def f(a):\n",
            "# def f(a):\n",
            "'''\ndef f(a):\n'''\n",
        ] {
            assert_eq!(python(doubt), None, "{doubt}");
        }
        let script = |text: &str| signature(Language::Script, text).map(|(names, _)| names.len());
        assert_eq!(script("export function f(a, b) {\n"), Some(2));
        assert_eq!(script("const f = async (a, b) => a;\n"), Some(2));
        for doubt in [
            "function f(a, b = 1) {\n",
            "function f({ a }) {\n",
            "const f = (a);\n",
            "function f(...a) {\n",
        ] {
            assert_eq!(script(doubt), None, "{doubt}");
        }
    }

    #[test]
    fn a_call_fits_as_the_language_says() {
        let signature = Signature {
            names: ["a", "b", "c"].map(str::to_owned).to_vec(),
            required: 2,
        };
        let fits = |call: &str| {
            let calls = calls_of(call, "f");
            signature.fits(Language::Python, calls[0].arguments.as_ref().unwrap())
        };
        for call in [
            "f(1, 2)",
            "f(1, 2, 3)",
            "f(1, b=2)",
            "f(a=1, b=2, c=3)",
            "f(\n  1,\n  g(2, 3),\n)",
            "f(1, x == 2)",
        ] {
            assert!(fits(call), "{call}");
        }
        for call in [
            "f()",
            "f(1)",
            "f(1, c=2)",
            "f(1, 2, 3, 4)",
            "f(1, 2, d=3)",
            "f(1, 2, a=3)",
        ] {
            assert!(!fits(call), "{call}");
        }
    }

    #[test]
    fn calls_are_plain_and_doubts_are_told() {
        let code = "x.f(1)\ndef f(a):\n    pass\n@f(1)\nf (1, 2)\nf(*a)\nf(1\nmy_f(2)\n";
        let calls = calls_of(code, "f");
        let told: Vec<(u32, bool)> = calls
            .iter()
            .map(|call| (call.line, call.arguments.is_some()))
            .collect();
        assert_eq!(told, [(5, true), (6, false), (7, false)]);
        assert_eq!(calls_of("m.f(1)\n", "m.f").len(), 1);
    }

    #[test]
    fn a_name_that_means_something_else_is_told() {
        let rebinds = |text: &str| may_rebind(Language::Python, text, "load");
        for text in [
            "load = 1\n",
            "def g(load):\n",
            "for load in x:\n",
            "from a import b as load\n",
            "x = [load for load in y]\n",
            "with open() as load:\n",
            "load: int\n",
        ] {
            assert!(rebinds(text), "{text}");
        }
        for text in [
            "from a import load\nload(1)\n",
            "g(load)\n",
            "g(x, load=1)\n",
            "x.load = 1\n",
            "if load == 1:\n    pass\n",
        ] {
            assert!(!rebinds(text), "{text}");
        }
    }

    #[test]
    fn definitions_of_a_name_are_counted() {
        let python =
            "def load(a):\n    pass\nclass A:\n    def load(self):\n        pass\nload = 3\n";
        assert_eq!(count_definitions(Language::Python, python, "load"), 3);
        let script = "function load(a) {}\nconst o = { load(b) {\n} };\nvar load = 1;\nif (load == 1) {}\nload(1);\n";
        assert!(count_definitions(Language::Script, script, "load") >= 2);
        assert_eq!(count_definitions(Language::Script, "load(1);\n", "load"), 0);
    }
}
