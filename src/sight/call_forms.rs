//! How languages call a function without brackets right behind its name.

use council_syntax::language::Language;

/// Whether what follows a name are the types of a call, and its brackets: `f::<u32>(n)`, `f<number>(n)`, `F[int](n)` of Go.
pub(super) fn opens_call(language: Language, behind: &[u8]) -> bool {
    /// Types that are longer are rare, and a comparison is not to be read as some.
    const MAX_TYPES: usize = 60;
    let types = behind.strip_prefix(b"::").unwrap_or(behind);
    let (open, close) = match (types.first(), language) {
        (Some(b'<'), _) => (b'<', b'>'),
        (Some(b'['), Language::Go) => (b'[', b']'),
        _ => return false,
    };
    let mut depth = 0_usize;
    for (at, &byte) in types.iter().enumerate().take(MAX_TYPES) {
        match byte {
            b if b == open => depth += 1,
            b if b == close => depth -= 1,
            b';' | b'"' | b'&' if language != Language::Rust => return false,
            _ => {}
        }
        if depth == 0 {
            return types.get(at + 1) == Some(&b'(');
        }
    }
    false
}

/// Whether a name is a decorator: `@retrying`. Types are called so in Java, and are what they are without it.
pub(super) fn is_decorator(language: Language, word: &[u8], before: &[u8]) -> bool {
    let decorates = matches!(
        language,
        Language::Python | Language::Script | Language::Java | Language::Kotlin | Language::Scala
    );
    decorates && before.trim_ascii() == b"@" && word.first().is_some_and(u8::is_ascii_lowercase)
}

/// Whether a name stands where Ruby and shells name what they call.
pub(super) fn is_command(language: Language, before: &[u8], behind: &[u8]) -> bool {
    match language {
        Language::Ruby => begins_statement(before, b"=;{") && is_argument(behind),
        Language::Shell => {
            let ends = |byte: &u8| b" \t;|&)}".contains(byte);
            begins_statement(before, b";|&({`!") && behind.first().is_none_or(ends)
        }
        _ => false,
    }
}

/// Whether a statement begins behind these signs.
fn begins_statement(before: &[u8], signs: &[u8]) -> bool {
    const WORDS: [&[u8]; 10] = [
        b"do", b"else", b"exec", b"if", b"return", b"then", b"unless", b"until", b"while", b"and",
    ];
    let begun = before.trim_ascii_end();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let start = begun
        .iter()
        .rposition(|byte| !is_word(byte))
        .map_or(0, |at| at + 1);
    let last = &begun[start..];
    match begun.last() {
        None => true,
        Some(sign) if signs.contains(sign) => true,
        _ => before.len() > begun.len() && WORDS.contains(&last),
    }
}

/// Whether what stands behind a name of Ruby is what it is called with: `notify order`, `validates :name`.
fn is_argument(behind: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] = [
        b"and", b"do", b"if", b"in", b"or", b"rescue", b"then", b"unless", b"while",
    ];
    let argument = behind.trim_ascii_start();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let end = argument
        .iter()
        .position(|byte| !is_word(byte))
        .unwrap_or(argument.len());
    let begins = |byte: &u8| is_word(byte) || b"\"'@".contains(byte);
    let is_symbol = argument.first() == Some(&b':') && argument.get(1).is_some_and(is_word);
    behind.first() == Some(&b' ')
        && (argument.first().is_some_and(begins) || is_symbol)
        && !WORDS.contains(&&argument[..end])
}

/// Whether a name stands where values are handed on, between what opens a list or an assignment and what ends it.
pub(super) fn is_handed_on(code: &str, from: usize, to: usize) -> bool {
    let (before, behind) = (code[..from].trim_end(), code[to..].trim_start());
    let is_symbol = code[..from].ends_with(':') && !code[..from].ends_with("::");
    let is_returned = before.ends_with("return") && before.len() < from;
    let is_begun = before.ends_with(['(', ',', '[', '{', ':', '?']) && !before.ends_with("::");
    let is_set = before.ends_with('=') && !before.ends_with("==") && !before.ends_with("!=");
    let is_ended = behind.is_empty() || behind.starts_with([',', ')', ']', '}', ';', ':']);
    is_ended && (is_begun || is_set || is_symbol || is_returned)
}

/// Whether a word is handed to a call that makes the default of a parameter: `user=Depends(load_user)`.
pub(super) fn is_in_default(code: &str, from: usize) -> bool {
    let mut depth = 0_usize;
    let mut opened = code[..from].char_indices().rev().filter_map(|(at, sign)| {
        match sign {
            ')' => depth += 1,
            '(' if depth == 0 => return Some(at),
            '(' => depth -= 1,
            _ => {}
        }
        None
    });
    let Some(before) = opened.next().map(|at| &code[..at]) else {
        return false;
    };
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let callee = before.rsplit(|c: char| !is_name(c)).next();
    let piece = before.rsplit([',', '(']).next().unwrap_or_default();
    let is_call = callee.is_some_and(|word| !matches!(word, "" | "function" | "func" | "fn"));
    is_call && piece.contains('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_types_is_a_call() {
        for (language, behind, is_one) in [
            (Language::Rust, "::<u32>(n)", true),
            (Language::Rust, "::<Vec<&str>>(n)", true),
            (Language::Script, "<number>(n)", true),
            (Language::Go, "[int](n)", true),
            (Language::Script, "[0](n)", false),
            (Language::C, "<b && c>(d)", false),
            (Language::C, " < b", false),
            (Language::Rust, "::new(n)", false),
        ] {
            assert_eq!(opens_call(language, behind.as_bytes()), is_one, "{behind}");
        }
    }

    #[test]
    fn a_command_is_told_from_a_variable() {
        let is_one = |language, code: &str| {
            let at = code.find("notify").unwrap();
            let (before, behind) = (&code.as_bytes()[..at], &code.as_bytes()[at + 6..]);
            is_command(language, before, behind)
        };
        for code in [
            "  notify order",
            "x = notify :all",
            "  return notify \"a\"",
            "  notify @order",
        ] {
            assert!(is_one(Language::Ruby, code), "{code}");
        }
        for code in [
            "  notify = 1",
            "  notify if x",
            "x + notify order",
            "  notify.all",
            "  notify",
            "  notify - 1",
        ] {
            assert!(!is_one(Language::Ruby, code), "{code}");
        }
        for code in [
            "notify \"$1\"",
            "a && notify",
            "if notify; then",
            "  notify",
        ] {
            assert!(is_one(Language::Shell, code), "{code}");
        }
        for code in ["notify=1", "echo notify", "notify-send x"] {
            assert!(!is_one(Language::Shell, code), "{code}");
        }
    }

    #[test]
    fn what_is_handed_on_is_told_from_what_is_declared() {
        let is_one = |code: &str| {
            let at = code.find("compare").unwrap();
            is_handed_on(code, at, at + 7)
        };
        for code in [
            "x.sort(compare)",
            "qsort(x, 3, 4, compare);",
            "sorted(x, key=compare)",
            "before_action :compare",
            "app.get(\"/x\", compare, (req, res) => {",
            "return compare;",
            "[1, compare]",
        ] {
            assert!(is_one(code), "{code}");
        }
        for code in [
            "int compare;",
            "compare = 1",
            "x == compare",
            "compare.sort()",
            "a + compare",
            "private compare: number",
        ] {
            assert!(!is_one(code), "{code}");
        }
    }
}
