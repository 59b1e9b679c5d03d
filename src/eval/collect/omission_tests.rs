//! Callers that stay behind, and what only looks like one.

use super::*;
use crate::git::LineSpan;

fn file(path: &str, line: u32, removed: &str, added: &str) -> ChangedLines {
    ChangedLines {
        path: path.into(),
        old_path: Some(path.into()),
        is_removed: false,
        spans: Some(vec![LineSpan {
            old_start: line,
            new_start: line + 1,
            removed: vec![removed.to_owned()],
            added: vec![added.to_owned()],
        }]),
        texts: None,
    }
}

#[test]
fn a_caller_that_stays_behind_is_an_omission() {
    let files = [
        file("a.py", 3, "def load(path):", "def load(path, mode):"),
        file("b.py", 9, "    x = load(p)", "    x = load(p, 'r')"),
        file("c.py", 1, "    y = other(p)", "    y = other(p, 1)"),
        file("tests/test_b.py", 1, "load(p)", "load(p, 'r')"),
    ];
    let found = find_omissions(&files);
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].alteration,
        Alteration::Leave {
            paths: vec!["b.py".to_owned()]
        }
    );
    let place = |path: &str, line| LabelledPlace {
        path: path.to_owned(),
        first: line,
        last: line,
    };
    assert_eq!(found[0].places, [place("a.py", 4), place("b.py", 9)]);
}

#[test]
fn a_head_with_as_many_arguments_needs_nobody() {
    let files = [
        file(
            "a.go",
            3,
            "func (s *S) Load(path string) {",
            "func (s *S) Load(name string) {",
        ),
        file("b.go", 9, "s.Load(p)", "s.Load(q)"),
    ];
    assert!(find_omissions(&files).is_empty());
}

fn arity(head: &str, language: Language) -> Option<(usize, Option<usize>)> {
    Arity::of_head(head, language).map(|takes| (takes.least, takes.most))
}

#[test]
fn a_head_takes_what_its_language_says() {
    let python = |head| arity(head, Language::Python);
    for head in [
        "(a, b, c):",
        "(\n    a,\n    b,\n    c,\n):",
        "(self, a: int, b: dict[str, int], c: X) -> Y:",
    ] {
        assert_eq!(python(head), Some((3, Some(3))), "{head}");
    }
    assert_eq!(python("(a, b=1, *, c: int = 2)"), Some((1, Some(3))));
    assert_eq!(python("(a, *args, **more)"), Some((1, None)));
    assert_eq!(python("()"), Some((0, Some(0))));
    assert_eq!(python("(a,"), None);
    let rust = arity(
        "(&mut self, a: HashMap<K, V>, f: fn(u8, u8) -> u8) -> X {",
        Language::Rust,
    );
    assert_eq!(rust, Some((2, Some(2))));
    assert_eq!(
        arity("(a: A, b?: B, ...c)", Language::Script),
        Some((1, None))
    );
    assert_eq!(
        arity("(s string, more ...int)", Language::Go),
        Some((1, None))
    );
}

fn span_of(path: &str, removed: &str, added: &str) -> ChangedLines {
    let lines = |text: &str| text.lines().map(str::to_owned).collect();
    let mut file = file(path, 3, "", "");
    let spans = file.spans.as_mut().unwrap();
    spans[0].removed = lines(removed);
    spans[0].added = lines(added);
    file
}

/// True by construction is only what a caller cannot do any more.
#[test]
fn a_caller_whose_call_still_fits_is_no_omission() {
    let is_one = |old: &str, new: &str, call: &str, adapted: &str| {
        let files = [span_of("a.py", old, new), span_of("b.py", call, adapted)];
        find_omissions(&files).len() == 1
    };
    let old = "def load(jar, request, response):";
    for new in [
        "def load(\n    jar,\n    request,\n    response,\n):",
        "def load(jar: Jar, request: Request, response: Response) -> None:",
        "def load(\n    jar: Jar,\n    request: dict[str, int],\n    response: R,\n) -> None:",
        "def load(jar, request, response, mode=None):",
        "def load(jar, request, response, *more):",
        "def load(jar, request, *, response):",
        "def load(a, b, c):",
    ] {
        for adapted in [
            "load(x, y, z)",
            "load(x, y, z, 'r')",
            "load(\n    x,\n    y,\n    z,\n)",
        ] {
            assert!(
                !is_one(old, new, "load(p, q, r)", adapted),
                "{new} {adapted}"
            );
        }
    }
    for (new, adapted) in [
        (
            "def load(jar, request, response, mode):",
            "load(p, q, r, 'r')",
        ),
        (
            "def load(\n    jar,\n    request,\n):",
            "load(\n    p,\n    q,\n)",
        ),
    ] {
        assert!(is_one(old, new, "load(p, q, r)", adapted), "{new}");
        // Another function, a head, and a list that is handed on are no such calls.
        assert!(!is_one(old, new, "reload(p, q, r)", "reload(p)"));
        assert!(!is_one(
            old,
            new,
            "def preload(p, q, r):",
            "def preload(p):"
        ));
        assert!(!is_one(old, new, "load(*all)", adapted));
    }
}

/// Whatever else has the name is another function, and what may be one is no sure label.
#[test]
fn only_calls_of_the_function_are_omissions() {
    let label = |[lib, user]: [&str; 2], call: &str, adapted: &str| {
        let old = "def cut(a):";
        let files = [
            span_of(lib, old, "def cut(a, n):"),
            span_of(user, call, adapted),
        ];
        find_omissions(&files).first().map(|found| found.confidence)
    };
    let python = ["lib.py", "use.py"];
    for (call, adapted, expected) in [
        (
            "print(lib.cut([1]))",
            "print(lib.cut([1], 2))",
            Some(LabelConfidence::High),
        ),
        (
            "print(cut([1]))",
            "print(cut([1], 2))",
            Some(LabelConfidence::Medium),
        ),
        ("k.cut(1)", "k.cut(1, 2)", None),
        ("self.cut(1)", "self.cut(1, 2)", None),
        ("# cut(x) is old", "# cut(x, n) is new", None),
        ("s = 'cut(y)'", "s = 'cut(y, 2)'", None),
    ] {
        assert_eq!(label(python, call, adapted), expected, "{call}");
    }
    let script = |call: &str, adapted: &str| {
        let (old, new) = ("function cut(a) {", "function cut(a, n) {");
        find_omissions(&[
            span_of("lib.js", old, new),
            span_of("use.js", call, adapted),
        ])
        .len()
    };
    assert_eq!(script("cut(1);", "cut(1, 2);"), 0);
}
