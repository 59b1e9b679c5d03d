//! `code-evaluation`: text that is run as code.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "code-evaluation",
        perspective: SECURITY,
        category: "injection",
        severity: Significant,
        summary: "a value that is run as code",
        why: "Anyone who can influence the text can run any code with the program's rights.",
        fix: "Parse the value as the type you expect (`ast.literal_eval`, `JSON.parse`), or look it up in a table of \
              functions.",
        examples: &[RuleExample {
            path: "src/rules.py",
            bad: "result = eval(expression)\n",
            good: "result = ast.literal_eval(expression)\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[
        Language::Python,
        Language::Script,
        Language::Ruby,
        Language::Shell,
        Language::Php,
    ],
    claims: &["eval", "exec(", "code execution", "arbitrary code"],
    check: RuleCheck::Line {
        needles: &["eval", "exec(", "exec (", "new function", "create_function"],
        look: check_line,
    },
};

pattern!(
    PYTHON,
    r#"(?:^|[^.\w])(?:eval|exec)\s*\(\s*([^)\s"'][^)]*)"#
);
pattern!(
    SCRIPT,
    r#"(?:^|[^.\w$])(?:(?:window\.|globalThis\.)?eval\s*\(\s*([^)\s"'][^)]*)|new Function\s*\(\s*(.*\w))"#
);
pattern!(
    RUBY,
    r#"(?:^|[^.\w])(?:eval|instance_eval|class_eval)[( ]\s*(?:"[^"]*#\{|[a-z_]\w*(?:\)|$))"#
);
pattern!(
    PHP,
    r"(?:^|[^>:\w])(?:eval|create_function|assert)\s*\(\s*[^)]*\$"
);

pattern!(
    /// Arguments of the script put together and read as code again.
    SHELL,
    r#"(?:^|[;&|({]\s*|\s)eval\s+["']?\$(?:[@*1-9]|\{[@*1-9])"#
);

pattern!(
    /// A function of that name is no call of it.
    DEFINITION,
    r"\bdef\s+(?:self\.)?(?:eval|exec|instance_eval|class_eval)\s*\("
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    // The value may stand on the next line; then only where the call opens, so that nothing inside it is taken for one.
    let opened = code
        .trim_end()
        .ends_with('(')
        .then(|| line.statement())
        .flatten();
    let whole = opened.map_or_else(|| code.clone().into_owned(), |whole| whole.code);
    let whole = DEFINITION.replace_all(&whole, "def it(");
    let found = match line.file.language {
        Language::Python => PYTHON.is_match(&whole),
        Language::Script => SCRIPT.is_match(&whole),
        Language::Ruby => RUBY.is_match(&whole),
        // A shell expands inside double quotes; in a comment nothing is.
        Language::Shell => SHELL.is_match(&line.without_comments()),
        _ => PHP.is_match(&whole),
    };
    if found {
        hits.push(line.line_hit("A value is run as code."));
    }
}
