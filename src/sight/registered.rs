//! Lines that name a type as a value: where a program hands it to a framework, which calls its methods.

use council_syntax::language::Language;

use super::search::is_whole_word;
use super::words::is_name;

/// Whether a line of code names a type as a value: `permission_classes = [X]`, `addInterceptor(new X())`,
/// `AddScoped<X>()`, `useClass: X,`, `X::class`.
pub(super) fn names_as_value(language: Language, code: &str, typed: &str) -> bool {
    const ASKING: [&str; 8] = [
        "isinstance",
        "issubclass",
        "instanceof",
        "except",
        "catch",
        "rescue",
        "raise",
        "throw",
    ];
    let mut words = code.split(|c: char| !is_name(c));
    let places = code.match_indices(typed).map(|(at, _)| at);
    let mut places = places.filter(|&at| is_whole_word(code.as_bytes(), at, at + typed.len()));
    !words.any(|word| ASKING.contains(&word))
        && places.any(|at| is_value(language, &code[..at], &code[at + typed.len()..]))
}

fn is_value(language: Language, before: &str, behind: &str) -> bool {
    if ["::class", ".class", ".self"]
        .iter()
        .any(|sign| behind.starts_with(sign))
    {
        return true;
    }
    let behind = behind.trim_start();
    let is_made = behind.starts_with(['(', '{']);
    let is_last = behind.is_empty() || behind.starts_with('#') || behind.starts_with("//");
    let ends = is_made || is_last || behind.starts_with([']', ')', ',', ';', '}', '>']);
    let before = without_module(before).trim_end();
    let (before, is_returned) = match before.strip_suffix("new") {
        Some(rest) => (rest.trim_end(), true),
        None => (before.trim_end_matches('&').trim_end(), is_made),
    };
    if !ends {
        return false;
    }
    match before.chars().next_back() {
        // One line of a list.
        None => behind.starts_with(','),
        Some('[' | '(' | '{' | ',' | '<') => is_listed(language, before, behind),
        Some('=') => !before.ends_with("==") && !before.ends_with("!="),
        Some('>') => before.ends_with("=>"),
        Some(':') => {
            let is_inside = open_bracket(before).is_some_and(|at| before[at..].starts_with('{'));
            is_inside || (open_bracket(before).is_none() && behind.starts_with(','))
        }
        Some(_) if before.ends_with("return") => is_returned,
        Some(_) => language == Language::Ruby && is_command(before),
    }
}

/// What stands before a name and the module that it is of.
fn without_module(before: &str) -> &str {
    let is_path = ["::", ".", "\\"].iter().any(|sign| before.ends_with(sign));
    match is_path {
        true => before.trim_end_matches(|c| is_name(c) || matches!(c, '.' | ':' | '\\')),
        false => before,
    }
}

/// Whether what is named in brackets is handed on: types of types and of annotations are not.
fn is_listed(language: Language, before: &str, behind: &str) -> bool {
    let Some(at) = open_bracket(before) else {
        return false;
    };
    let outer = &before[..at];
    let is_named = outer.ends_with(|c| is_name(c) || c == ']');
    match before.as_bytes()[at] {
        b'[' => !is_named,
        b'<' => {
            let is_called = behind
                .split_once('>')
                .is_some_and(|(_, rest)| rest.starts_with('('));
            let called = outer.trim_end_matches(is_name).trim_end();
            let is_asked = matches!(
                language,
                Language::CSharp | Language::Kotlin | Language::Scala
            );
            is_asked && is_named && is_called && !called.ends_with("new")
        }
        // `(X) value` is another type of the value.
        b'(' => {
            is_named
                || !behind
                    .strip_prefix(')')
                    .is_some_and(|rest| rest.contains(is_name))
        }
        _ => !outer.trim_start().starts_with("export"),
    }
}

/// Where the innermost bracket opens that a text leaves open.
fn open_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    let brackets = text.char_indices().rev().filter(|(at, c)| match c {
        '>' => !text[..*at].ends_with(['=', '-']),
        c => "()[]{}<".contains(*c),
    });
    for (at, c) in brackets {
        match c {
            ')' | ']' | '}' | '>' => depth += 1,
            _ if depth == 0 => return Some(at),
            _ => depth -= 1,
        }
    }
    None
}

/// Whether a text ends with what Ruby calls without brackets: `config.middleware.use`.
fn is_command(before: &str) -> bool {
    const KEYWORDS: [&str; 8] = [
        "class", "module", "when", "return", "if", "unless", "and", "or",
    ];
    let last = before
        .rsplit(|c: char| !is_name(c))
        .next()
        .unwrap_or_default();
    last.starts_with(char::is_lowercase) && !KEYWORDS.contains(&last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_is_handed_on_is_told_from_one_that_is_spoken_of() {
        use Language::{CSharp, Go, Java, Kotlin, Php, Python, Ruby, Script};
        for (language, code, is_it) in [
            (Python, "    permission_classes = [X]", true),
            (Python, "    permission_classes = [perms.X, Y]", true),
            (Python, "        X,", true),
            (Python, "app.add_middleware(X)", true),
            (Python, "app.add_middleware(X(1))", true),
            (Python, "HOOKS = {\"a\": X}", true),
            (Python, "def run(x: X, y):", false),
            (Python, "def run(xs: list[X]) -> X:", false),
            (Python, "def run(xs: dict[str, X]):", false),
            (Python, "    if isinstance(x, X):", false),
            (
                Java,
                "    r.addInterceptor(new X()).addPathPatterns(\"/\");",
                true,
            ),
            (Java, "    return new X();", true),
            (Java, "@Import(X.class)", true),
            (Java, "    X x = (X) other;", false),
            (Java, "    List<X> all(X x) {", false),
            (CSharp, "builder.Services.AddSingleton<IX, X>();", true),
            (CSharp, "app.UseMiddleware<X>();", true),
            (CSharp, "    var all = new List<X>();", false),
            (CSharp, "    public X Make(X x)", false),
            (Script, "@Module({ providers: [X], controllers: [] })", true),
            (Script, "    useClass: X,", true),
            (Script, "  { provide: A, useClass: X },", true),
            (Script, "  private x: X;", false),
            (Script, "  const all: X[] = [];", false),
            (Php, "        'admin' => \\App\\Http\\X::class,", true),
            (Php, "    public function run(X $x)", false),
            (Ruby, "  config.middleware.use X", true),
            (Ruby, "class A < X", false),
            (Go, "\tmux.Handle(\"/\", &X{n: 1})", true),
            (Go, "func run(x X) X {", false),
            (Kotlin, "    single<X>()", true),
            (Kotlin, "class A : X() {", false),
        ] {
            assert_eq!(names_as_value(language, code, "X"), is_it, "{code}");
        }
    }
}
