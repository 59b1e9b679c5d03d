//! The type of a value, as its own file says it: what a parameter, a variable or a field is declared as, or made by.

use council_syntax::language::Language;

use super::definitions::DefinitionKind;
use super::search::{FileOutline, is_whole_word};
use super::words::{self, is_name};

/// Whether a name alone may be a member of the type whose method is running.
pub(super) fn is_of_this(language: Language) -> bool {
    matches!(
        language,
        Language::Java
            | Language::Kotlin
            | Language::Scala
            | Language::CSharp
            | Language::C
            | Language::Swift
            | Language::Dart
    )
}

/// So many lines of a function are read for its variables, the nearest first.
const MAX_LINES: u32 = 400;

/// Words that are no types where a type may stand.
const NO_TYPES: [&str; 14] = [
    "return", "new", "throw", "await", "else", "case", "in", "is", "as", "not", "and", "or",
    "range", "delete",
];

/// The type of a value that a word alone stands for on a line: of a variable of its function, of a field where the language
/// names those so, or of a variable of the whole file.
pub(super) fn type_of_word<'t>(
    outline: &FileOutline<'t>,
    text: &str,
    line: u32,
    word: &str,
) -> Option<&'t str> {
    let of_function = local_type(outline, line, word);
    let bare_fields = is_of_this(outline.language());
    let field = || {
        bare_fields
            .then(|| type_of_field(outline, text, line, word))
            .flatten()
    };
    let of_file = || {
        let mut values = outline.definitions.iter();
        let value = values.find(|one| one.kind == DefinitionKind::Value && one.name == word)?;
        declared_type(outline.language(), outline.line(value.head), word)
    };
    of_function.or_else(field).or_else(of_file)
}

/// The type of a field of the value whose method a line stands in.
pub(super) fn type_of_field<'t>(
    outline: &FileOutline<'t>,
    text: &str,
    line: u32,
    field: &str,
) -> Option<&'t str> {
    let language = outline.language();
    let owner = outline.owner_of(text, outline.function_span(line)?)?;
    let mut types = outline.definitions.iter();
    let holder = types.find(|one| one.kind == DefinitionKind::Type && one.name == owner)?;
    let inside = holder.head..=holder.end;
    let constructs = |at: u32| {
        let span = outline.function_span(at);
        span.is_none_or(|span| words::is_constructor(&span.name, &owner))
    };
    let declared = |at: u32| declared_type(language, outline.line(at), field);
    let held = inside
        .clone()
        .filter(|&at| constructs(at))
        .find_map(declared);
    held.or_else(|| {
        let given = inside.filter(|&at| is_set(outline.line(at), field));
        given.into_iter().find_map(|at| {
            let value = outline.line(at).split_once('=')?.1.trim();
            let value = value.trim_end_matches(';');
            let is_word = !value.is_empty() && value.chars().all(is_name);
            // `self.repo = repo`: what the constructor is given.
            is_word.then(|| local_type(outline, at, value)).flatten()
        })
    })
}

/// Whether a line sets a field of the value whose method it stands in.
fn is_set(code: &str, field: &str) -> bool {
    let mut places = whole_words(code, field);
    places.any(|at| {
        let behind = code[at + field.len()..].trim_start();
        let is_own = ["self.", "this.", "this->"]
            .iter()
            .any(|own| code[..at].ends_with(own));
        is_own && behind.starts_with('=') && !behind.starts_with("==")
    })
}

/// The type that a parameter or a variable of the functions around a line is declared as, the nearest line first.
fn local_type<'t>(outline: &FileOutline<'t>, line: u32, word: &str) -> Option<&'t str> {
    let heads = outline.functions_around(line).map(|span| span.head);
    // A function without a name may stand on one line, its parameters included.
    let head = heads
        .min()
        .map_or(Some(line), |head| u32::try_from(head).ok())?;
    let first = head.max(line.saturating_sub(MAX_LINES));
    // Behind what is held by something else the word is another one.
    for at in (first..=line).rev() {
        let (language, code) = (outline.language(), outline.line(at));
        let found = declared_type(language, code, word);
        // `let cart = cart.read().unwrap()`: above it the word is another variable.
        if found.is_some() || (at < line && is_rebound(language, code, word)) {
            return found;
        }
    }
    None
}

/// Whether a line makes a new variable of a name, of which it does not tell the type.
fn is_rebound(language: Language, code: &str, word: &str) -> bool {
    let keywords: &[&str] = match language {
        Language::Rust => &["let "],
        Language::Kotlin | Language::Scala => &["val ", "var "],
        Language::Swift => &["let ", "var "],
        Language::Script => &["const ", "let ", "var "],
        Language::Go => &[""],
        _ => return false,
    };
    let sign = if language == Language::Go { ":=" } else { "=" };
    let named = |keyword: &&str| {
        let at = code.find(*keyword)? + keyword.len();
        let (pattern, _) = code[at..].split_once(sign)?;
        whole_words(pattern, word).next()
    };
    keywords.iter().any(|keyword| named(keyword).is_some())
}

/// The type that a line gives to a word.
fn declared_type<'t>(language: Language, code: &'t str, word: &str) -> Option<&'t str> {
    whole_words(code, word).find_map(|at| {
        let (before, behind) = (&code[..at], &code[at + word.len()..]);
        let is_own = ["self.", "this.", "this->"]
            .iter()
            .any(|own| before.ends_with(own));
        if before.ends_with(['.', '>', '"', '\'', '@', '#']) && !is_own {
            return None;
        }
        let annotated = || annotated_type(language, behind);
        let stands_before = || type_before(language, before, behind).filter(|_| !is_own);
        made_type(language, behind)
            .or_else(annotated)
            .or_else(stands_before)
    })
}

/// `name: T`, and in Go `name T`.
fn annotated_type(language: Language, behind: &str) -> Option<&str> {
    let typed = match language {
        Language::Python
        | Language::Script
        | Language::Rust
        | Language::Kotlin
        | Language::Swift
        | Language::Scala => {
            let behind = behind.trim_start().trim_start_matches(['?', '!']);
            let typed = behind
                .strip_prefix(':')
                .filter(|typed| !typed.starts_with([':', '=']))?;
            return named_type(language, typed);
        }
        Language::Go => behind.strip_prefix(' ')?,
        _ => return None,
    };
    let found = named_type(language, typed)?;
    let end = (found.as_ptr() as usize - typed.as_ptr() as usize) + found.len();
    let ends = typed[end..].trim_start();
    (ends.is_empty() || ends.starts_with([',', ')', '=', '`', '/', '['])).then_some(found)
}

/// `T name`.
fn type_before<'t>(language: Language, before: &'t str, behind: &str) -> Option<&'t str> {
    let is_typed = matches!(
        language,
        Language::Java | Language::CSharp | Language::C | Language::Dart | Language::Php
    );
    let behind = behind.trim_start();
    let ends = behind.is_empty() || behind.starts_with(['=', ';', ',', ')', ':', '{', '(']);
    if !is_typed || !ends {
        return None;
    }
    let typed = before
        .trim_end_matches(['$', '*', '&', ' '])
        .trim_end_matches('?');
    let is_apart = before.len() > typed.len();
    let plain = match typed
        .strip_suffix('>')
        .and_then(|generic| generic.split_once('<'))
    {
        // `std::unique_ptr<T>`
        Some((holder, held)) if holder.ends_with("_ptr") => held,
        Some((plain, _)) => plain,
        None => typed,
    };
    let begin = plain.rfind(|c| !is_name(c)).map_or(0, |at| {
        at + plain[at..].chars().next().map_or(1, char::len_utf8)
    });
    named_type(language, &plain[begin..]).filter(|_| is_apart)
}

/// `= new T(…)`, `= T(…)`, `:= &T{…}`, `= T::new(…)`.
fn made_type(language: Language, behind: &str) -> Option<&str> {
    let behind = behind.trim_start();
    let value = behind
        .strip_prefix(":=")
        .or_else(|| behind.strip_prefix('='))?;
    let value = value.trim_start();
    (!value.starts_with(['=', '>']))
        .then(|| type_made(language, value))
        .flatten()
}

/// The type that an expression makes a value of, where it does nothing else.
fn type_made(language: Language, value: &str) -> Option<&str> {
    let value = value.trim_end().trim_end_matches(';');
    let value = value.trim_start_matches(['&', '*', '(']);
    if language == Language::Ruby {
        return made_in_ruby(value);
    }
    let made = value.strip_prefix("new ");
    let is_new = made.is_some();
    let found = named_type(language, made.unwrap_or(value))?;
    let rest = &value[(found.as_ptr() as usize - value.as_ptr() as usize) + found.len()..];
    let rest = match rest.strip_prefix('<') {
        Some(generic) => generic.split_once('>').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let (name, behind) = match language {
        Language::Rust => made_in_rust(found, rest)?,
        Language::Go => made_in_go(found, rest)?,
        Language::Python
        | Language::Kotlin
        | Language::Swift
        | Language::Scala
        | Language::Dart => (found, rest),
        _ if is_new => (found, rest),
        _ => return None,
    };
    let behind = behind.trim_start();
    let ends = behind.is_empty() || ends_with_brackets(behind.trim_end_matches('?'));
    ends.then_some(name)
}

/// `T::new(…)` and `T {…}`; other functions of a type may give anything.
fn made_in_rust<'t>(found: &'t str, rest: &'t str) -> Option<(&'t str, &'t str)> {
    const MAKERS: [&str; 4] = ["new", "default", "from", "with_capacity"];
    match found.rsplit_once("::") {
        Some((name, maker)) if MAKERS.contains(&maker) && rest.starts_with('(') => {
            Some((name, rest))
        }
        _ => rest.trim_start().starts_with('{').then_some((found, rest)),
    }
}

/// `T{…}` and `NewT(…)`.
fn made_in_go<'t>(found: &'t str, rest: &'t str) -> Option<(&'t str, &'t str)> {
    let is_upper = |name: &&str| name.starts_with(char::is_uppercase);
    match found.strip_prefix("New").filter(is_upper) {
        Some(name) if rest.starts_with('(') => Some((name, rest)),
        _ => rest.starts_with('{').then_some((found, rest)),
    }
}

/// `T.new(…)` and `T.new`.
fn made_in_ruby(value: &str) -> Option<&str> {
    let (name, behind) = value.split_once(".new")?;
    let is_type = name.starts_with(char::is_uppercase);
    let is_plain = name.chars().all(|c| is_name(c) || c == ':');
    let ends = behind.trim().is_empty() || behind.starts_with('(') && ends_with_brackets(behind);
    (is_type && is_plain && ends).then_some(name)
}

/// Whether brackets open here that nothing follows, or that stay open.
fn ends_with_brackets(code: &str) -> bool {
    let mut depth = 0_i32;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            let behind = code[at + 1..].trim_start();
            let is_remark = behind.starts_with("//") || behind.starts_with('#');
            return at > 0 && (behind.is_empty() || is_remark || behind.starts_with([')', ',']));
        }
    }
    true
}

/// The type of what stands before a dot: `T(…)`, `new T(…)`, `T{…}`, `T::new(…)`; `before` ends before the dot.
pub(super) fn type_of_made(language: Language, before: &str) -> Option<&str> {
    let before = before.trim_end_matches(['?', '!']);
    let open = opening_bracket(before)?;
    // `(&T{})`, `(new T())`
    let inner = before[open + 1..]
        .strip_suffix(')')
        .filter(|_| before[..open].is_empty() || before[..open].ends_with([' ', '(', '=', '\t']));
    if let Some(inner) = inner {
        return type_made(language, inner);
    }
    let named = before[..open].trim_end_matches(|c| is_name(c) || c == '.' || c == ':');
    let named = named.strip_suffix("new ").unwrap_or(named);
    type_made(language, &before[named.len()..])
}

/// Where the bracket is opened that a text ends with.
fn opening_bracket(before: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, byte) in before.bytes().enumerate().rev() {
        match byte {
            b')' | b'}' => depth += 1,
            b'(' | b'{' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return matches!(byte, b'(' | b'{').then_some(at);
        }
    }
    None
}

/// The name of a type that a text begins with, its module before it: `&mut T`, `*pkg.T`, `Optional[T]`, `T | None`.
fn named_type(language: Language, text: &str) -> Option<&str> {
    const BEFORE: [&str; 9] = [
        "mut ",
        "dyn ",
        "const ",
        "final ",
        "readonly ",
        "inout ",
        "impl ",
        "any ",
        "struct ",
    ];
    const HOLDERS: [&str; 14] = [
        "Optional[",
        "Annotated[",
        "ClassVar[",
        "Final[",
        "Type[",
        "Union[",
        "Arc::new(",
        "Box::new(",
        "Rc::new(",
        "Box<",
        "Rc<",
        "Arc<",
        "std::unique_ptr<",
        "std::shared_ptr<",
    ];
    let mut rest = text.trim_start_matches([' ', '&', '*', '"', '\'', '?']);
    while let Some(next) = BEFORE
        .iter()
        .chain(&HOLDERS)
        .find_map(|begin| rest.strip_prefix(begin))
    {
        rest = next.trim_start_matches([' ', '&', '*', '"', '\'']);
    }
    let is_part = |(at, c): (usize, char)| {
        is_name(c)
            || c == '.'
            || c == ':' && (rest[at..].starts_with("::") || rest[..at].ends_with(':'))
    };
    let end = rest
        .char_indices()
        .find(|&place| !is_part(place))
        .map_or(rest.len(), |(at, _)| at);
    let found = rest[..end].trim_end_matches(['.', ':']);
    let last = found.rsplit(['.', ':']).next().unwrap_or_default();
    // In these the names of types may be small.
    let may_be_small = matches!(language, Language::Go | Language::C | Language::Rust);
    let is_type = last.starts_with(|c: char| c.is_uppercase() || may_be_small && c.is_alphabetic());
    // `T::new` of Rust is read to its end.
    (is_type && !NO_TYPES.contains(&found)).then_some(found)
}

fn whole_words<'t>(code: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let places = code.match_indices(name).map(|(at, _)| at);
    places.filter(move |&at| is_whole_word(code.as_bytes(), at, at + name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_the_type_of_a_word() {
        use Language::{C, CSharp, Go, Java, Kotlin, Php, Python, Ruby, Rust, Script};
        for (language, code, told) in [
            (Python, "def total(self, repo: Repo, n: int):", Some("Repo")),
            (
                Python,
                "    repo: models.Repo | None = None",
                Some("models.Repo"),
            ),
            (Python, "    repo = Repo(url, [1])  # why", Some("Repo")),
            (Python, "    self.repo = Repo()", Some("Repo")),
            (Python, "    repo = Repo(url).find()", None),
            (Python, "    other.repo = Repo()", None),
            (Python, "    repo = connect()", None),
            (
                Script,
                "  constructor(private readonly repo: Repo, n) {",
                Some("Repo"),
            ),
            (Script, "  private repo?: Repo<User>;", Some("Repo")),
            (Script, "  const repo = new Repo(1);", Some("Repo")),
            (Script, "  const repo = new Repo(1).find();", None),
            (Script, "  const repo = Repo(1);", None),
            (Rust, "fn total(repo: &mut Repo<'_>) -> u32 {", Some("Repo")),
            (Rust, "    let repo = Repo::new(1);", Some("Repo")),
            (Rust, "    let repo = Repo { n: 1 };", Some("Repo")),
            (Rust, "    repo: Arc<Repo>,", Some("Repo")),
            (
                Go,
                "func total(n int, repo *store.Repo) int {",
                Some("store.Repo"),
            ),
            (Go, "\trepo *Repo", Some("Repo")),
            (Go, "\trepo := &Repo{n: 1}", Some("Repo")),
            (Go, "\trepo := NewRepo(1)", Some("Repo")),
            (Go, "\treturn repo", None),
            (Java, "  private final Repo<User> repo;", Some("Repo")),
            (Java, "  int total(int n, Repo repo) {", Some("Repo")),
            (Java, "    return repo;", None),
            (CSharp, "    var repo = new Repo(1);", Some("Repo")),
            (Kotlin, "class Own(private val repo: Repo) {", Some("Repo")),
            (Kotlin, "    val repo = Repo(1)", Some("Repo")),
            (Php, "  private ?Repo $repo;", Some("Repo")),
            (Ruby, "    repo = Db::Repo.new(1)", Some("Db::Repo")),
            (Ruby, "    repo = Repo.new(1).find", None),
            (Ruby, "    repo = Repo.newest", None),
            (C, "  std::unique_ptr<Repo> repo;", Some("Repo")),
            (C, "  Repo *repo = open();", Some("Repo")),
        ] {
            assert_eq!(declared_type(language, code, "repo"), told, "{code}");
        }
    }

    #[test]
    fn what_a_call_is_made_on_tells_its_type() {
        use Language::{Go, Java, Kotlin, Python, Rust, Script};
        for (language, before, told) in [
            (Python, "    return Repo(1, f(2))", Some("Repo")),
            (Python, "    return models.Repo()", Some("models.Repo")),
            (Python, "    return connect()", None),
            (Script, "  return new Repo(1)", Some("Repo")),
            (Script, "  return (await new Repo(1))", None),
            (Script, "  return Repo(1)", None),
            (Java, "    int n = new Repo()", Some("Repo")),
            (Kotlin, "    val n = Repo(1)", Some("Repo")),
            (Rust, "    Repo::new(1)", Some("Repo")),
            (Rust, "    Repo::open(1)", None),
            (Go, "\treturn (&Repo{n: 1})", Some("Repo")),
            (Go, "\treturn Repo{}", Some("Repo")),
            (Go, "\treturn NewRepo(1)", Some("Repo")),
        ] {
            assert_eq!(type_of_made(language, before), told, "{before}");
        }
    }
}
