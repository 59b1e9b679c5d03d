//! What imports say of the names of a change: who is a user, and who calls another thing of the name.

use super::imports::{File, MODULE, MONEY_GO, MONEY_JS, MONEY_KT, MONEY_PY, MONEY_RS};
use super::*;

/// A change of `convert` in the first file; who calls it, and who calls another thing of this name.
struct Callers {
    files: &'static [File],
    swapped: (&'static str, &'static str),
    /// Files with a call of it.
    callers: &'static [File],
    /// Files with a call of something else.
    others: &'static [File],
}

const CALLERS: &[Callers] = &[
    Callers {
        files: &[
            MONEY_PY,
            ("lib/__init__.py", "from .money import convert\n"),
        ],
        swapped: ("n * 2", "str(n * 2)"),
        callers: &[
            (
                "zz/app.py",
                "from lib import convert\n\n\ndef total(n):\n    return convert(n) + 1\n",
            ),
            (
                "zz/b.py",
                "import lib.money as m\n\n\ndef total(n):\n    return m.convert(n) + 1\n",
            ),
        ],
        others: &[
            (
                "app/o.py",
                "def convert(n):\n    return n\n\n\nX = convert(1)\n",
            ),
            (
                "app/p.py",
                "from shutil import convert\n\n\nX = convert(1)\n",
            ),
            (
                "app/q.py",
                "from app.o import convert\n\n\nX = convert(1)\n",
            ),
            (
                "app/r.py",
                "from lib.money import other\n\n\ndef convert(n):\n    return n\n\n\nX = convert(1)\n",
            ),
        ],
    },
    Callers {
        files: &[
            MONEY_JS,
            ("lib/index.js", "export * from \"./money.js\";\n"),
        ],
        swapped: ("n * 2", "String(n * 2)"),
        callers: &[
            (
                "zz/app.js",
                "import {convert} from \"../lib/index.js\";\nexport const total = n => convert(n) + 1;\n",
            ),
            (
                "zz/b.js",
                "const m = require(\"../lib\");\nexports.total = n => m.convert(n) + 1;\n",
            ),
        ],
        others: &[
            (
                "app/o.js",
                "export function convert(n) {\n\treturn n;\n}\nexport const o = convert(1);\n",
            ),
            (
                "app/p.js",
                "import convert from \"ava\";\nexport const o = convert(1);\n",
            ),
            (
                "app/q.js",
                "import {convert} from \"./o.js\";\nexport const o = convert(1);\n",
            ),
        ],
    },
    Callers {
        files: &[
            MONEY_RS,
            ("src/lib.rs", "mod money;\npub use money::convert;\n"),
        ],
        swapped: ("n * 2", "n * 3"),
        callers: &[
            (
                "src/zz/a.rs",
                "use crate::convert;\n\npub fn total(n: u32) -> u32 {\n    convert(n) + 1\n}\n",
            ),
            (
                "src/zz/b.rs",
                "pub fn total(n: u32) -> u32 {\n    crate::money::convert(n) + 1\n}\n",
            ),
        ],
        others: &[
            (
                "src/app/o.rs",
                "fn convert(n: u32) -> u32 {\n    n\n}\n\npub fn o() -> u32 {\n    convert(1)\n}\n",
            ),
            (
                "src/app/p.rs",
                "use std::fs;\n\npub fn o() -> u32 {\n    fs::convert(1)\n}\n",
            ),
        ],
    },
    Callers {
        files: &[MONEY_GO, MODULE],
        swapped: ("n * 2", "n * 3"),
        callers: &[(
            "zz/a.go",
            "package zz\n\nimport m \"example.com/x/money\"\n\nfunc Total(n int) int {\n\treturn m.Convert(n) + 1\n}\n",
        )],
        others: &[
            (
                "app/o.go",
                "package app\n\nfunc Convert(n int) int {\n\treturn n\n}\n\nvar O = Convert(1)\n",
            ),
            (
                "app/p.go",
                "package app\n\nimport \"net/http\"\n\nvar P = http.Convert(1)\n",
            ),
        ],
    },
    Callers {
        files: &[MONEY_KT],
        swapped: ("n * 2", "n * 3"),
        callers: &[(
            "src/zz/A.kt",
            "package zz\n\nimport a.b.convert\n\nfun total(n: Int): Int {\n    return convert(n) + 1\n}\n",
        )],
        others: &[(
            "src/c/O.kt",
            "package c\n\nfun convert(n: Int): Int {\n    return n\n}\n\nfun o(): Int {\n    return convert(1)\n}\n",
        )],
    },
];

/// The files of which a use of `convert` is shown.
fn users(case: &Callers, more: &[File]) -> Vec<String> {
    let repo = Repo::new();
    let files = case.files.iter().chain(case.callers).chain(more);
    for (path, text) in files {
        repo.write(path, text);
    }
    repo.commit("one");
    let (path, text) = case.files[0];
    let (before, after) = case.swapped;
    repo.write(path, text.replace(before, after)).commit("two");
    let heads = heads(&repo).into_iter();
    let uses = heads.filter(|head| head.contains("use of `"));
    uses.map(|head| head.split(':').next().unwrap().to_owned())
        .collect()
}

/// Who calls the changed thing, by whatever front, is shown; whoever calls another one of its name is not.
#[test]
fn who_calls_another_thing_of_the_name_is_no_user() {
    for case in CALLERS {
        let shown = users(case, case.others);
        for (path, text) in case.callers {
            assert!(shown.iter().any(|shown| shown == path), "{text}: {shown:?}");
        }
        for (path, text) in case.others {
            assert!(shown.iter().all(|shown| shown != path), "{text}: {shown:?}");
        }
    }
}

/// However many files have a function of that name for themselves, they crowd out no caller.
#[test]
fn functions_of_other_files_crowd_out_no_caller() {
    const OWN: [File; 8] = [
        (
            "app/o0.py",
            "def convert(n):\n    return n\n\n\nX = convert(0)\n",
        ),
        (
            "app/o1.py",
            "def convert(n):\n    return n\n\n\nX = convert(1)\n",
        ),
        (
            "app/o2.py",
            "def convert(n):\n    return n\n\n\nX = convert(2)\n",
        ),
        (
            "app/o3.py",
            "def convert(n):\n    return n\n\n\nX = convert(3)\n",
        ),
        (
            "app/o4.py",
            "def convert(n):\n    return n\n\n\nX = convert(4)\n",
        ),
        (
            "app/o5.py",
            "def convert(n):\n    return n\n\n\nX = convert(5)\n",
        ),
        (
            "app/o6.py",
            "def convert(n):\n    return n\n\n\nX = convert(6)\n",
        ),
        (
            "lib/o7.py",
            "def convert(n):\n    return n\n\n\nX = convert(7)\n",
        ),
    ];
    assert_eq!(users(&CALLERS[0], &OWN), users(&CALLERS[0], &[]));
}

/// A removed call of what is not in the tree: only who has it from there, too, uses the same.
#[test]
fn who_calls_a_removed_name_from_outside_is_told_from_who_calls_another() {
    let repo = Repo::new();
    let bill = |value: &str| {
        format!(
            "from bleach import sanitize\n\n\ndef bill(n):\n    return {value}\n\n\nX = sanitize\n"
        )
    };
    repo.write("app/bill.py", bill("sanitize(n)"));
    repo.write(
        "app/same.py",
        "from bleach import sanitize\n\n\ndef page(n):\n    return sanitize(n) + 1\n",
    );
    repo.write(
        "app/else.py",
        "def page(web, n):\n    return web.sanitize(n) + 1\n",
    );
    repo.commit("one");
    repo.write("app/bill.py", bill("n")).commit("two");
    let heads = heads(&repo);
    assert!(has(&heads, "app/same.py"), "{heads:?}");
    assert!(!has(&heads, "app/else.py"), "{heads:?}");
}

/// A package that the change moves is still what its users import by its old name.
#[test]
fn a_package_that_moved_is_not_from_outside() {
    let repo = Repo::new();
    let money = |end: &str| {
        format!("def convert(n):\n    return n * 2{end}\n\n\ndef other(n):\n    return n\n")
    };
    repo.write("lib/__init__.py", "")
        .write("lib/money.py", money(""));
    repo.write(
        "zz/app.py",
        format!(
            "from lib.money import convert\n{}\n\ndef total(n):\n    return convert(n) + 1\n",
            "# filling\n".repeat(60)
        ),
    );
    repo.commit("one");
    repo.git(&["mv", "lib", "core"]);
    repo.write("core/money.py", money(" + 1")).commit("two");
    let heads = heads(&repo);
    let is_use = |head: &String| head.starts_with("zz/app.py") && head.contains("`convert`");
    assert!(heads.iter().any(is_use), "{heads:?}");
}
