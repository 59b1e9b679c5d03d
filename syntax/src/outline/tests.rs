//! Functions, language by language, and what must hold for any text.
use proptest::prelude::*;

use super::*;

mod expressions;
mod shapes;

const LANGUAGES: &[Language] = &[
    Language::Rust,
    Language::Python,
    Language::Go,
    Language::Script,
    Language::Java,
    Language::Kotlin,
    Language::CSharp,
    Language::C,
    Language::Swift,
    Language::Scala,
    Language::Dart,
    Language::Php,
    Language::Ruby,
    Language::Shell,
    Language::PowerShell,
    Language::Lua,
    Language::Unknown,
];

/// Pieces of code in any order: what half a file, a template or a hostile one may hold.
fn debris() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "fn ",
        "def ",
        "func ",
        "function ",
        "class A ",
        "a",
        "é",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ";",
        ",",
        ":",
        "=",
        "=>",
        "->",
        "\n",
        "\n    ",
        "\t",
        "\"",
        "'",
        "`",
        "//",
        "/*",
        "*/",
        "#",
        "#if\n",
        "#else\n",
        "#endif\n",
        "@",
        "async ",
        "end\n",
        "\\",
        "if ",
        "r#\"",
        "<<EOF\n",
        "$",
        "\u{200b}",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// What opens and never closes: no line may be read with all that is open above it. The smallest of these took minutes.
#[test]
fn a_hundred_thousand_open_blocks_are_read_at_once() {
    for (language, line) in [
        (Language::Rust, "unsafe {"),
        (Language::Go, "if err != nil {"),
        (Language::Java, "} catch (E e) { try {"),
        (Language::Script, "try {"),
        (Language::C, "{\n#if A"),
        (Language::C, "x(["),
        (Language::C, "#if 0"),
        (Language::C, "int f(a) int b; {}"),
        (Language::C, "A() : a{}"),
        (Language::Script, "a|{}"),
        (Language::Script, "a():<{}"),
        (Language::Script, "a(): {"),
        (Language::Script, "a: b<c,"),
        (Language::Go, "a func() interface{}"),
        (Language::CSharp, "class A { void f() {"),
        (Language::CSharp, "int A() => b("),
        (Language::Script, "const a = b => ("),
        (Language::Script, "a = b =>"),
        (Language::Kotlin, "fun a(b: C) = d("),
        (Language::Kotlin, "fun"),
        (Language::Scala, "  def a"),
        (Language::Ruby, "def a"),
        (Language::Lua, "function a()"),
    ] {
        let text = format!("{line}\n").repeat(100_000);
        let began = std::time::Instant::now();
        functions(language, &text);
        let took = began.elapsed();
        assert!(took.as_secs() < 30, "{line}: {took:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_gives_spans_within_it(text in debris()) {
        let lines = text.lines().count();
        for &language in LANGUAGES {
            for found in functions(language, &text) {
                prop_assert!(1 <= found.start && found.start <= found.head, "{language:?} {found:?}");
                prop_assert!(found.head <= found.end && found.end <= lines, "{language:?} {found:?}");
            }
        }
    }

    /// What stands below a function does not change where it is.
    #[test]
    fn a_function_is_found_whatever_follows_it(text in debris()) {
        let whole = [
            (Language::Rust, "fn whole() {\n    a();\n}\n"),
            (Language::Go, "func whole() {\n\ta()\n}\n"),
            (Language::Script, "function whole() {\n  a()\n}\n"),
            (Language::C, "int whole(void)\n{\n}\n"),
        ];
        for (language, code) in whole {
            let found = functions(language, &format!("{code}{text}"));
            prop_assert!(found.iter().any(|f| (f.name.as_str(), f.start, f.end) == ("whole", 1, 3)), "{language:?} {found:?}");
        }
    }
}

/// Name, first and last line of each function.
fn outline(language: Language, text: &str) -> Vec<(String, usize, usize)> {
    let found = functions(language, text);
    found
        .into_iter()
        .map(|f| (f.name, f.start, f.end))
        .collect()
}

fn spans(expected: &[(&str, usize, usize)]) -> Vec<(String, usize, usize)> {
    expected
        .iter()
        .map(|&(name, start, end)| (name.to_owned(), start, end))
        .collect()
}

#[test]
fn python_statements_that_end_in_a_bracket_are_no_heads() {
    let text = "@cached\nasync def load(\n    a,\n):\n    f(a)\n\n    def inner(): return 1\n    return g(b)\n\nprint(load(1))\n";
    assert_eq!(
        outline(Language::Python, text),
        spans(&[("load", 1, 8), ("inner", 7, 7)])
    );
}

#[test]
fn python_text_in_strings_is_no_code() {
    let text = "def f():\n    \"\"\"\ndef g():\n    \"\"\"\n    return 1\n# end\nx = 1\n";
    assert_eq!(outline(Language::Python, text), spans(&[("f", 1, 5)]));
}

#[test]
fn rust_functions_with_where_clauses_and_attributes() {
    let text = "#[test]\npub fn a<T>(t: T) -> Vec<T>\nwhere\n    T: Fn() -> u8,\n{\n    let f = |x| { x };\n    if x { y() }\n}\nimpl A {\n    fn b(&self) {}\n}\n";
    assert_eq!(
        outline(Language::Rust, text),
        spans(&[("a", 1, 8), ("b", 10, 10)])
    );
}

#[test]
fn go_methods_and_what_looks_like_one() {
    let text = "var x = 1\nfunc (s *S) Run(f func() error) (map[string]struct{}, error) {\n\tgo func() {\n\t}()\n}\nfunc g() interface{} {\n}\ntype T struct {\n\tf func()\n}\n";
    assert_eq!(
        outline(Language::Go, text),
        spans(&[("Run", 2, 5), ("g", 6, 7)])
    );
}

#[test]
fn scripts_have_functions_methods_and_arrows() {
    let text = "const a = async (x) => {\n  if (x) { y() }\n}\nexport default class B {\n  x = 1\n  get c() { return 1 }\n  static async d<T>(x: T): Promise<{a: T}> {\n  }\n}\napp.get('/', (req, res) => {\n})\nfunction* e(): { a: string } {\n}\n";
    assert_eq!(
        outline(Language::Script, text),
        spans(&[
            ("a", 1, 3),
            ("c", 6, 6),
            ("d", 7, 8),
            ("", 10, 11),
            ("e", 12, 13)
        ])
    );
}

#[test]
fn java_members_constructors_and_no_calls() {
    let text = "class A {\n  A(int x) {\n  }\n  @Override\n  public <T> List<T> b(@N(\"x\") int c) throws E {\n    foo(new R() {\n      public void run() {\n      }\n    });\n    synchronized (this) { }\n  }\n}\n";
    assert_eq!(
        outline(Language::Java, text),
        spans(&[("A", 2, 3), ("b", 4, 11), ("run", 7, 8)])
    );
    let annotated =
        "@Adapter(value = Money.class)\npublic class Price<T> {\n  Price(T t) {\n  }\n}\n";
    assert_eq!(
        outline(Language::Java, annotated),
        spans(&[("Price", 3, 4)])
    );
}

#[test]
fn c_definitions_macros_and_branches() {
    let text = "static inline int\na(int x)\n{\n#if X\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}\nstruct s { int x; };\nint t[] = { 1 };\n__attribute__((cold)) void b(void) {\n  for_each(x) { }\n}\n";
    assert_eq!(
        outline(Language::C, text),
        spans(&[("a", 1, 10), ("b", 13, 15)])
    );
}

#[test]
fn ruby_lua_and_shell() {
    assert_eq!(
        outline(
            Language::Ruby,
            "class A\n  def b?(x)\n    if x\n    end\n  end\nend\n"
        ),
        spans(&[("b?", 2, 5)])
    );
    assert_eq!(
        outline(
            Language::Lua,
            "local function f(x)\n  if x then end\nend\nM.g = function()\nend\n"
        ),
        spans(&[("f", 1, 3), ("M.g", 4, 5)])
    );
    assert_eq!(
        outline(Language::Shell, "f() {\n  echo ${x}\n}\nfunction g {\n}\n"),
        spans(&[("f", 1, 3), ("g", 4, 5)])
    );
}

#[test]
fn the_smallest_named_function_encloses_a_line() {
    let text = "function a() {\n  b(() => {\n    c()\n  })\n}\n";
    let found = functions(Language::Script, text);
    assert_eq!(enclosing(&found, 3).map(|f| f.name.as_str()), Some("a"));
    assert_eq!(enclosing(&found, 9), None);
}

/// Spans of any order and overlap, some without a name.
fn any_spans() -> impl Strategy<Value = Vec<FunctionSpan>> {
    let span = (1usize..40, 0usize..20, prop::bool::weighted(0.7));
    let span = span.prop_map(|(start, length, is_named)| FunctionSpan {
        name: if is_named {
            "f".to_owned()
        } else {
            String::new()
        },
        start,
        head: start,
        end: start + length,
    });
    prop::collection::vec(span, 0..12)
}

proptest! {
    #[test]
    fn an_index_says_what_a_search_says(functions in any_spans(), line in 0usize..70) {
        let index = FunctionIndex::new(functions.clone());
        prop_assert_eq!(index.enclosing(line), enclosing(&functions, line));
    }
}
