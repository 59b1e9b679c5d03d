//! Expressions that make a value: what they begin with, and whether a value of their own comes out of them.

use council_syntax::language::Language;

use super::locals::WordPlace;
use super::words::is_name;

/// Names that are joined, the last of which may be called: `sqlite3.connect(path)`, `resp.Body`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chain<'t> {
    pub(super) words: Vec<&'t str>,
    pub(super) is_called: bool,
    /// What the call is given, as far as it stands on the line.
    pub(super) given: &'t str,
}

/// Beginnings of functions that hand on what they are given, or what the program has given them before, in one text:
/// a list of them would take a page.
const HANDING: &str = "apply as autospec await bind call cast chain choice choose clone closing copy decorate deepcopy \
    extend filter find first from gather group heappop import inject instance last lookup map max memo \
    min mock model must next nullcontext observable partial patch pick pop proxy reactive reduce ref \
    replace resolve run sample select sort sorted spy unwrap use value values wait watch with wrap wraps";

/// Types that hold a value of another one, and are used as if they were it.
const HOLDERS: [&str; 14] = [
    "Arc", "Box", "Cell", "Cow", "LazyLock", "Mutex", "OnceCell", "OnceLock", "Option", "Pin",
    "Rc", "RefCell", "RwLock", "Vec",
];

/// Reads an expression that is nothing but names and one call of what they lead to; none: it is something else, or what
/// comes out may be what goes in.
pub(super) fn read_chain(language: Language, value: &str) -> Option<Chain<'_>> {
    let mut rest = value.trim_start();
    while let Some(next) = ["await ", "new ", "&mut ", "&", "*"]
        .iter()
        .find_map(|sign| rest.strip_prefix(sign))
    {
        rest = next.trim_start();
    }
    let mut words = Vec::new();
    loop {
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        words.push(word);
        let joined = ["::", "?.", "!.", "."]
            .iter()
            .find_map(|sign| behind.strip_prefix(sign));
        match joined {
            Some(joined) => rest = joined,
            None => {
                rest = behind;
                break;
            }
        }
    }
    let called = rest.strip_prefix('(');
    let mut inner = "";
    if let Some(given) = called {
        let end = closing_bracket(given);
        inner = end.map_or(given, |end| &given[..end]);
        if hands_on(language, &words, inner) {
            return None;
        }
        rest = end.map_or("", |end| &given[end + 1..]);
    }
    let is_called = called.is_some();
    ends(language, rest).then_some(Chain {
        words,
        is_called,
        given: inner,
    })
}

/// Whether what comes out of a call may be what it is given: a type of the program, a value that it makes another of.
fn hands_on(language: Language, words: &[&str], given: &str) -> bool {
    let called = words.last().copied().unwrap_or_default();
    let begin = first_part(called);
    let is_handing = HANDING.split(' ').any(|word| word == begin);
    let is_holder = words.iter().any(|word| HOLDERS.contains(word));
    // Its functions are methods of what comes out: `observable({ close() {} })`.
    let is_object = language == Language::Script && given.trim_start().starts_with('{');
    is_handing || is_holder || is_object || names_type(given)
}

/// The first word of a name in small letters: `find` of `findAll` and `Find_all`.
fn first_part(name: &str) -> String {
    let name = name.trim_start_matches('_');
    let inner = name.char_indices().skip(1);
    let mut ends = inner.filter(|(_, c)| c.is_uppercase() || *c == '_');
    let end = ends.next().map_or(name.len(), |(at, _)| at);
    name[..end].to_lowercase()
}

/// Whether a type of the program stands among arguments: `Pool`, not `os.O_RDONLY`, `http.HandlerFunc`, `"Pool"`.
fn names_type(given: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    let mut chars = given.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => quote = Some(c),
            None => {
                let is_small = chars.peek().is_some_and(|next| next.is_lowercase());
                if c.is_uppercase() && is_small && !is_name(before) && !".:".contains(before) {
                    return true;
                }
            }
        }
        before = c;
    }
    false
}

/// Where the bracket is closed that opens before a text; none: on a later line.
pub(super) fn closing_bracket(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' | '`' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' if depth == 0 => return Some(at),
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            },
        }
    }
    None
}

/// Whether an expression ends here: no `or`, no index, no cast stands behind it.
fn ends(language: Language, rest: &str) -> bool {
    let rest = rest.trim_start_matches(['?', '!']).trim_start();
    let remark = if language == Language::Python {
        "#"
    } else {
        "//"
    };
    let is_block = || rest.trim_end() == "{" || rest.trim_end() == ") {";
    rest.is_empty()
        || rest.starts_with(';')
        || rest.starts_with(remark)
        || (language == Language::Python && rest.trim_end() == ":")
        || is_block()
}

/// What a place gives to a word: `x = VALUE`, `x, err := VALUE`, `with VALUE as x:`; none: it does something else.
pub(super) fn assigned_value((code, from, to): WordPlace<'_>) -> Option<&str> {
    let (before, behind) = (&code[..from], &code[to..]);
    let held = before
        .trim_start()
        .strip_prefix("async ")
        .unwrap_or(before.trim_start());
    if let Some(with) = held.strip_prefix("with ") {
        let value = with.trim_end().strip_suffix(" as")?;
        let is_last = behind.trim_end() == ":";
        return (is_last && !value.contains(" as ")).then(|| value.trim());
    }
    let is_open =
        before.matches(['(', '[', '{', '|']).count() > before.matches([')', ']', '}']).count();
    let is_condition = ["if ", "if (", "try ("]
        .iter()
        .any(|begin| held.starts_with(begin));
    if is_open && !is_condition {
        return None;
    }
    // `f, err := os.Create(path)`
    let list = behind.trim_start_matches(|c: char| is_name(c) || c == ',' || c == ' ');
    let value = list.strip_prefix(":=").or_else(|| list.strip_prefix('='))?;
    let is_list = list.len() == behind.trim_start().len() || behind.trim_start().starts_with(',');
    (is_list && !value.starts_with(['=', '>'])).then(|| value.trim())
}

/// The end of a text that is one expression: `x = http.Get(url)` ends with `http.Get(url)`.
pub(super) fn expression_before(text: &str) -> &str {
    let mut depth = 0_usize;
    let mut begin = text.len();
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth == 0 => break,
            '(' | '[' | '{' => depth -= 1,
            _ if depth > 0 || is_name(c) || ".:?!".contains(c) => {}
            _ => break,
        }
        begin = at;
    }
    text[begin..].trim_start_matches([':', '?', '!', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_told_from_what_may_give_back_what_it_is_given() {
        use Language::{Go, Python, Rust, Script};
        for (language, value, words) in [
            (
                Python,
                "sqlite3.connect(path)",
                Some(&["sqlite3", "connect"][..]),
            ),
            (
                Python,
                "socket.socket(AF_INET, 1):",
                Some(&["socket", "socket"]),
            ),
            (Python, "urlopen(\"Http\")  # why", Some(&["urlopen"])),
            (
                Go,
                "os.Create(filepath.Join(a, b))",
                Some(&["os", "Create"]),
            ),
            (Go, "http.Get(u); err != nil {", Some(&["http", "Get"])),
            (
                Go,
                "httptest.NewServer(http.HandlerFunc(func(w W) {",
                Some(&["httptest", "NewServer"]),
            ),
            (Script, "await fs.open(path);", Some(&["fs", "open"])),
            (Script, "express();", Some(&["express"])),
            (Rust, "File::create(path)?;", Some(&["File", "create"])),
            (Rust, "Arc::new(pool);", None),
            (Python, "copy.deepcopy(pool)", None),
            (Python, "typing.cast(Pool, x)", None),
            (Python, "given or sqlite3.connect(path)", None),
            (Python, "redis.Redis().pool()", None),
            (Go, "ctx.Value(key).(*Pool)", None),
            (Script, "observable({ close() {} });", None),
            (Script, "useStore();", None),
            (Script, "useRef<Pool>(null);", None),
            (Script, "json.read(x) as Pool;", None),
        ] {
            let found = read_chain(language, value).map(|chain| chain.words);
            assert_eq!(found.as_deref(), words, "{value}");
        }
    }

    #[test]
    fn what_a_word_is_given_is_read_from_its_line() {
        for (code, value) in [
            ("    x = a.b(c)", Some("a.b(c)")),
            ("\tx, err := a.b(c)", Some("a.b(c)")),
            (
                "\tif x, err := a.b(c); err != nil {",
                Some("a.b(c); err != nil {"),
            ),
            ("    with a.b(c) as x:", Some("a.b(c)")),
            ("    async with a.b(c) as x:", Some("a.b(c)")),
            ("  const x = await a.b(c);", Some("await a.b(c);")),
            ("  const [x, y] = a.b(c);", None),
            ("  const { x } = a.b(c);", None),
            ("    f(x=a.b(c))", None),
            ("    for x in a.b(c):", None),
            ("    x += a.b(c)", None),
            ("    if x == a.b(c):", None),
            ("def f(x=None):", None),
        ] {
            let from = code.find('x').unwrap();
            assert_eq!(assigned_value((code, from, from + 1)), value, "{code}");
        }
        for (text, value) in [
            ("    return sqlite3.connect(a, b)", "sqlite3.connect(a, b)"),
            ("x = f(resp.Body", "resp.Body"),
            ("\tdefer ts", "ts"),
        ] {
            assert_eq!(expression_before(text), value, "{text}");
        }
    }
}
