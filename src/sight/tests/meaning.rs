//! Callers, importers and tests that certainly mean what a change edits, however many others have its names.

use super::*;

/// So many lines that a file counts as large, and only its hunks are shown.
fn filling(mark: &str) -> String {
    (0..170)
        .map(|n| format!("{mark} filling {n}\n\n"))
        .collect()
}

#[test]
fn callers_of_a_constructor_are_shown_and_who_only_names_the_type_is_not() {
    let repo = Repo::new();
    // File, its text before and after, a caller, and one that only mentions the type.
    let cases = [
        (
            "app/session.py",
            "#",
            "class Session:\n    def __init__(self, url, retries):\n        self.url = url + retries\n",
            ("(self, url, retries)", "(self, retries, url)"),
            (
                "app/zcall.py",
                "def go():\n    return Session('http://x', 3)\n",
            ),
            (
                "app/amention.py",
                "def of(s: Session) -> Session:\n    return s\n",
            ),
        ),
        (
            "web/timer.ts",
            "//",
            "export class Timer {\n  constructor(delay: number, unit: string) {\n    this.delay = delay + unit;\n  }\n}\n",
            (
                "(delay: number, unit: string)",
                "(unit: string, delay: number)",
            ),
            (
                "web/zcall.ts",
                "export function go() {\n  return new Timer(3, 's');\n}\n",
            ),
            (
                "web/amention.ts",
                "export function of(t: Timer): Timer {\n  return t;\n}\n",
            ),
        ),
        (
            "src/foo.rs",
            "//",
            "pub struct Foo(usize);\nimpl Foo {\n    pub fn new(size: usize, limit: usize) -> Self {\n        Self(size.min(limit))\n    }\n}\n",
            ("(size: usize, limit: usize)", "(limit: usize, size: usize)"),
            (
                "src/zcall.rs",
                "pub fn go() -> usize {\n    Foo::new(3, 4).0\n}\n",
            ),
            (
                "src/amention.rs",
                "pub fn list() -> Vec<u8> {\n    Vec::new()\n}\n",
            ),
        ),
        (
            "pkg/pool.go",
            "//",
            "package pkg\n\nfunc NewPool(n int, most int) int {\n\treturn min(n, most)\n}\n",
            ("(n int, most int)", "(most int, n int)"),
            (
                "cmd/zcall.go",
                "package main\n\nfunc run() int {\n\treturn pkg.NewPool(3, 4)\n}\n",
            ),
            (
                "cmd/amention.go",
                "package main\n\n// NewPool is not called.\nfunc other() {}\n",
            ),
        ),
        (
            "j/Account.java",
            "//",
            "class Account {\n    Account(int a, int b) {\n        this.a = a + b;\n    }\n}\n",
            ("(int a, int b)", "(int b, int a)"),
            (
                "j/Zcall.java",
                "class Zcall {\n    Object go() {\n        return new Account(1, 2);\n    }\n}\n",
            ),
            (
                "j/Amention.java",
                "class Amention {\n    Account of(Account a) {\n        return a;\n    }\n}\n",
            ),
        ),
    ];
    for (path, mark, text, _, caller, mention) in &cases {
        repo.write(path, format!("{}{text}", filling(mark)));
        repo.write(caller.0, caller.1).write(mention.0, mention.1);
    }
    repo.commit("one");
    for (path, mark, text, (before, after), ..) in &cases {
        repo.write(
            path,
            format!("{}{}", filling(mark), text.replace(before, after)),
        );
    }
    repo.commit("two");
    let heads = heads(&repo);
    for (.., caller, mention) in &cases {
        assert!(has(&heads, caller.0), "{}: {heads:?}", caller.0);
        assert!(!has(&heads, mention.0), "{}: {heads:?}", mention.0);
    }
}

#[test]
fn callers_of_short_names_are_told_from_whoever_has_such_a_method() {
    for name in ["get", "run", "ok", "t", "put", "list", "format", "add"] {
        let repo = Repo::new();
        let module = |body: &str| format!("{}def {name}(key):\n    return {body}\n", filling("#"));
        repo.write("lib/cache.py", module("STORE[key]"));
        repo.write(
            "far/by_module.py",
            format!("from lib import cache\n\ndef price(k):\n    return cache.{name}(k)\n"),
        );
        repo.write(
            "far/by_name.py",
            format!("from lib.cache import {name}\n\ndef second(k):\n    return {name}(k)\n"),
        );
        repo.write(
            "far/by_alias.py",
            format!("import lib.cache as store\n\ndef third(k):\n    return store.{name}(k)\n"),
        );
        for n in 0..30 {
            let text = format!("def a{n}(d, {name}):\n    return d.{name}({n})\n");
            repo.write(&format!("lib/a{n}.py"), text);
        }
        repo.commit("one");
        repo.write("lib/cache.py", module("STORE.pop(key)"))
            .commit("two");
        let heads = heads(&repo);
        for caller in ["far/by_module.py", "far/by_name.py", "far/by_alias.py"] {
            assert!(has(&heads, caller), "{name}: {caller}: {heads:?}");
        }
        assert!(!has(&heads, "lib/a"), "{name}: {heads:?}");
    }
}

#[test]
fn callers_of_a_short_method_are_told_by_what_it_is_called_on() {
    let repo = Repo::new();
    let class = |body: &str| {
        format!(
            "{}class Pool:\n    def get(self, key):\n        return {body}\n",
            filling("#")
        )
    };
    repo.write("lib/pool.py", class("self.items[key]"));
    repo.write(
        "far/user.py",
        "def take(self):\n    return self._pool.get(3)\n",
    );
    for n in 0..30 {
        repo.write(
            &format!("lib/a{n}.py"),
            format!("def a{n}(d):\n    return d.get({n})\n"),
        );
    }
    repo.commit("one");
    repo.write("lib/pool.py", class("self.items.pop(key)"))
        .commit("two");
    let heads = heads(&repo);
    assert!(
        has(&heads, "far/user.py") && !has(&heads, "lib/a"),
        "{heads:?}"
    );
}

/// How languages import a file, where it lies before and after a move, and how the importer says so then.
const IMPORTS: [(&str, &str, &str, &str, &str); 9] = [
    (
        "src/util/format.js",
        "src/text/format.js",
        "src/app/a.js",
        "import {f} from \"../util/format.js\";",
        "import {f} from \"../text/format.js\";",
    ),
    (
        "src/util/format.ts",
        "src/text/format.ts",
        "src/all.ts",
        "export * from \"./util/format\";",
        "export * from \"./text/format\";",
    ),
    (
        "src/util/index.js",
        "src/text/index.js",
        "src/b.js",
        "const u = require(\"./util\");",
        "const u = require(\"./text\");",
    ),
    (
        "pkg/util/names.py",
        "pkg/names.py",
        "pkg/util/c.py",
        "from .names import clean",
        "from ..names import clean",
    ),
    (
        "pkg/util/names.py",
        "pkg/text/names.py",
        "app/d.py",
        "import pkg.util.names as n",
        "import pkg.text.names as n",
    ),
    (
        "src/helper.rs",
        "src/deep/helper.rs",
        "src/e.rs",
        "use crate::{helper::help, other};",
        "use crate::{deep::helper::help, other};",
    ),
    (
        "com/x/Money.java",
        "com/y/Money.java",
        "com/z/Use.java",
        "import com.x.Money;",
        "import com.y.Money;",
    ),
    (
        "internal/db/open.go",
        "internal/store/open.go",
        "cmd/m.go",
        "import \"example.com/m/internal/db\"",
        "import \"example.com/m/internal/store\"",
    ),
    (
        "inc/list.h",
        "inc/deep/list.h",
        "inc/g.c",
        "#include \"list.h\"",
        "#include \"deep/list.h\"",
    ),
];

#[test]
fn who_imports_a_moved_file_by_its_old_path_is_shown_and_who_was_moved_along_is_not() {
    for (before, after, importer, old, new) in IMPORTS {
        for left_over in [true, false] {
            let repo = Repo::new();
            repo.write(before, "one\ntwo\nthree\nfour\n");
            repo.write(importer, format!("{old}\n\nx\n"));
            // One that names the same word and imports something else.
            let stem = after.rsplit('/').next().unwrap().split('.').next().unwrap();
            repo.write("zz/other.py", format!("from elsewhere import {stem}\n"));
            repo.commit("one");
            let folder = repo.path().join(after);
            std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
            repo.git(&["mv", before, after]);
            if !left_over {
                repo.write(importer, format!("{new}\n\nx\n"));
            }
            repo.commit("two");
            let heads = heads(&repo);
            let why = format!("names `{before}`, which the change moves");
            assert_eq!(has(&heads, &why), left_over, "{importer}: {heads:?}");
            assert!(!has(&heads, "zz/other.py"), "{importer}: {heads:?}");
        }
    }
}

#[test]
fn a_test_is_found_by_its_name_though_it_names_nothing_that_changed() {
    let cases = [
        (
            "app/rates.py",
            "#",
            "def _inner(v):\n    return v + 1\n",
            "tests/unit/test_rates.py",
            "def test_it():\n    assert main(1)\n",
        ),
        (
            "go/pool.go",
            "//",
            "func inner(v int) int {\n\treturn v + 1\n}\n",
            "go/pool_test.go",
            "func TestOuter(t *testing.T) {\n\tOuter(1)\n}\n",
        ),
        (
            "web/src/calc.ts",
            "//",
            "function inner(v) {\n  return v + 1;\n}\n",
            "web/src/calc.test.ts",
            "test(\"calc\", () => {\n  outer(1);\n});\n",
        ),
        (
            "j/src/main/java/x/Calc.java",
            "//",
            "class Calc {\n    int inner(int v) {\n        return v + 1;\n    }\n}\n",
            "j/src/test/java/x/CalcTest.java",
            "class CalcTest {\n    void t() {\n        outer(1);\n    }\n}\n",
        ),
        (
            "r/src/calc.rs",
            "//",
            "fn inner(v: u8) -> u8 {\n    v + 1\n}\n",
            "r/tests/calc.rs",
            "fn t() {\n    outer(1);\n}\n",
        ),
    ];
    let repo = Repo::new();
    for (path, mark, text, test, tests) in cases {
        repo.write(path, format!("{}{text}", filling(mark)))
            .write(test, tests);
    }
    repo.write("tests/test_unrelated.py", "def test_other():\n    pass\n");
    repo.commit("one");
    for (path, mark, text, ..) in cases {
        repo.write(
            path,
            format!("{}{}", filling(mark), text.replace("v + 1", "v - 1")),
        );
    }
    repo.commit("two");
    let heads = heads(&repo);
    for (path, _, _, test, _) in cases {
        let is_it = |head: &String| {
            head.starts_with(&format!("{test}:")) && head.contains(&format!("test of `{path}`"))
        };
        assert!(heads.iter().any(is_it), "{test}: {heads:?}");
    }
    assert!(!has(&heads, "test_unrelated.py"), "{heads:?}");
}

/// A line that only imports a name tells less than the one that uses it, and takes no place from it.
#[test]
fn an_import_is_shown_only_where_nothing_else_uses_the_name() {
    for import in [
        "from lib.rates import pay_rate",
        "from lib.rates import (\n    other,\n    pay_rate,\n)",
    ] {
        let repo = Repo::new();
        let module = |sign: &str| {
            let filling = filling("#");
            format!("{filling}def pay_rate(v):\n    return v {sign} 1\n")
        };
        repo.write("lib/rates.py", module("+"));
        let gap = "\n".repeat(20);
        repo.write(
            "app/uses.py",
            format!("{import}\n{gap}\ndef go(v):\n    return pay_rate(v)\n"),
        );
        repo.write("app/passes_on.py", format!("{import}\n"));
        repo.commit("one");
        repo.write("lib/rates.py", module("-")).commit("two");
        let heads = heads(&repo);
        let of = |path: &str| heads.iter().filter(|head| head.starts_with(path)).count();
        assert_eq!(
            (of("app/uses.py"), of("app/passes_on.py")),
            (1, 1),
            "{heads:?}"
        );
        assert!(has(&heads, "in `go`"), "{heads:?}");
    }
}
