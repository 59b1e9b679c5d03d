//! What imports say of the names of a change: whose definition is shown, and who is a user.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// A file of a small repository.
type File = (&'static str, &'static str);

/// A change that calls `convert` (of Go `Convert`), and who of the tree is meant by it.
#[derive(Debug, Clone, Copy)]
struct Call {
    /// The files around, of which one defines what is meant.
    files: &'static [File],
    /// The changed file, and how it begins.
    path: &'static str,
    imports: &'static str,
    /// What the change writes.
    call: &'static str,
    /// Where the definition is; none: nothing in the tree is it.
    meant: Option<&'static str>,
    /// A file that has nothing to do with it and defines `NAME`.
    other: File,
}

const MONEY_JS: File = (
    "lib/money.js",
    "export function convert(n) {\n\treturn n * 2;\n}\n",
);
const MONEY_PY: File = ("lib/money.py", "def convert(n):\n    return n * 2\n");
const MONEY_RS: File = (
    "src/money.rs",
    "pub fn convert(n: u32) -> u32 {\n    n * 2\n}\n",
);
const MONEY_GO: File = (
    "money/r.go",
    "package money\n\nfunc Convert(n int) int {\n\treturn n * 2\n}\n",
);
const MONEY_JAVA: File = (
    "src/a/b/Money.java",
    "package a.b;\n\npublic class Money {\n    public static int convert(int n) {\n        return n * 2;\n    }\n}\n",
);
const MONEY_KT: File = (
    "src/rates.kt",
    "package a.b\n\nfun convert(n: Int): Int {\n    return n * 2\n}\n",
);
const MODULE: File = ("go.mod", "module example.com/x\n");

const OTHER_JS: File = (
    "app/a.js",
    "export function NAME(n) {\n\treturn n; // another\n}\n",
);
const METHOD_JS: File = (
    "app/a.js",
    "run({\n\tasync NAME(n) {\n\t\treturn n;\n\t},\n});\n",
);
const OTHER_PY: File = ("app/a.py", "def NAME(n):\n    return n  # another\n");
const METHOD_PY: File = (
    "app/a.py",
    "class Enc:\n    def NAME(self, n):\n        return n\n",
);
const OTHER_RS: File = ("src/app/a.rs", "pub fn NAME(n: u32) -> u32 {\n    n\n}\n");
const METHOD_RS: File = (
    "src/app/a.rs",
    "pub struct Z;\n\nimpl Z {\n    pub fn NAME(&self) -> u8 {\n        3\n    }\n}\n",
);
const METHOD_GO: File = (
    "app/c.go",
    "package app\n\ntype T int\n\nfunc (t T) NAME(n int) int {\n\treturn n // another\n}\n",
);
const OTHER_JAVA: File = (
    "src/c/Other.java",
    "package c;\n\npublic class Other {\n    public static int NAME(int n) {\n        return n;\n    }\n}\n",
);
const OTHER_KT: File = (
    "src/c/other.kt",
    "package c\n\nfun NAME(n: Int): Int {\n    return n\n}\n",
);

macro_rules! calls {
    ($($path:literal, [$($file:expr),*], $imports:literal, $call:literal => $meant:expr, $other:expr;)*) => {
        &[$(Call {
            files: &[$($file),*],
            path: $path,
            imports: $imports,
            call: $call,
            meant: $meant,
            other: $other,
        }),*]
    };
}

const SCRIPT: &[Call] = calls![
    "app/bill.js", [MONEY_JS], "import {convert} from \"../lib/money.js\";", "convert(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.ts", [MONEY_JS], "import {\n\tconvert,\n} from '../lib/money';", "convert(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.js", [MONEY_JS], "import {convert as c} from \"../lib/money.js\";", "c(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.js", [MONEY_JS], "import * as m from \"../lib/money.js\";", "m.convert(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.js", [MONEY_JS], "const {convert} = require(\"../lib/money\");", "convert(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.js", [MONEY_JS], "const m = require(\"../lib/money\");", "m.convert(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.js", [MONEY_JS, ("lib/index.js", "export {convert} from \"./money.js\";\n")],
        "import {convert} from \"../lib/index.js\";", "convert(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.js", [MONEY_JS, ("lib/index.js", "export * from \"./money.js\";\n")],
        "import {convert} from \"../lib\";", "convert(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.js", [("lib/money.js", "export default function convert(n) {\n\treturn n * 2;\n}\n")],
        "import toCents from \"../lib/money.js\";", "toCents(n)" => Some("lib/money.js"), OTHER_JS;
    "app/bill.js", [("p/money/package.json", "{\"name\": \"@x/rates\"}\n"),
        ("p/money/src/r.js", "export function convert(n) {\n\treturn n * 2;\n}\n")],
        "import {convert} from \"@x/rates\";", "convert(n)" => Some("p/money/src/r.js"), OTHER_JS;
    "app/bill.js", [], "import convert from \"ava\";", "convert(n)" => None, METHOD_JS;
    "app/bill.js", [("package.json", "{\"name\": \"x\", \"devDependencies\": {\"ava\": \"^6\"}}\n")],
        "import {convert} from \"ava/x\";", "convert(n)" => None, OTHER_JS;
    "app/bill.js", [], "import fs from \"node:fs\";", "fs.convert(n)" => None, OTHER_JS;
    "app/bill.js", [("lib/index.js", "export {convert} from \"ava\";\n")],
        "import {convert} from \"../lib/index.js\";", "convert(n)" => None, OTHER_JS;
];

const PYTHON: &[Call] = calls![
    "lib/bill.py", [MONEY_PY, ("lib/__init__.py", "")], "from .money import convert", "convert(n)" => Some("lib/money.py"), OTHER_PY;
    "app/bill.py", [MONEY_PY], "from lib.money import convert", "convert(n)" => Some("lib/money.py"), OTHER_PY;
    "app/bill.py", [MONEY_PY], "from lib.money import (\n    convert as c,\n)", "c(n)" => Some("lib/money.py"), OTHER_PY;
    "app/bill.py", [MONEY_PY], "import lib.money as m", "m.convert(n)" => Some("lib/money.py"), OTHER_PY;
    "app/bill.py", [MONEY_PY], "import lib.money", "lib.money.convert(n)" => Some("lib/money.py"), OTHER_PY;
    "app/bill.py", [MONEY_PY], "from lib import money", "money.convert(n)" => Some("lib/money.py"), OTHER_PY;
    "app/bill.py", [MONEY_PY, ("lib/__init__.py", "from .money import convert\n")],
        "from lib import convert", "convert(n)" => Some("lib/money.py"), OTHER_PY;
    "app/bill.py", [MONEY_PY, ("lib/__init__.py", "from .money import *\n")],
        "import lib", "lib.convert(n)" => Some("lib/money.py"), OTHER_PY;
    "s/app/bill.py", [("s/lib/money.py", "def convert(n):\n    return n * 2\n")],
        "from lib.money import convert", "convert(n)" => Some("s/lib/money.py"), OTHER_PY;
    "app/bill.py", [], "import json", "json.convert(n)" => None, METHOD_PY;
    "app/bill.py", [], "from shutil import convert", "convert(n)" => None, METHOD_PY;
    "app/bill.py", [], "from os import path as p", "p.convert(n)" => None, OTHER_PY;
    "app/bill.py", [("lib/__init__.py", "from shutil import convert\n")],
        "from lib import convert", "convert(n)" => None, OTHER_PY;
    "app/bill.py", [("lib/__init__.py", ""), ("lib/json.py", "X = 1\n")], "import json", "json.convert(n)" => None, OTHER_PY;
];

const RUST: &[Call] = calls![
    "src/app/bill.rs", [MONEY_RS], "use crate::money::convert;", "convert(n)" => Some("src/money.rs"), OTHER_RS;
    "src/app/bill.rs", [MONEY_RS], "use crate::{money::{convert as c}, app};", "c(n)" => Some("src/money.rs"), OTHER_RS;
    "src/app/bill.rs", [MONEY_RS], "use crate::money;", "money::convert(n)" => Some("src/money.rs"), OTHER_RS;
    "src/app/bill.rs", [MONEY_RS], "", "crate::money::convert(n)" => Some("src/money.rs"), OTHER_RS;
    "src/app/bill.rs", [MONEY_RS, ("src/lib.rs", "mod money;\npub use money::convert;\n")],
        "use crate::convert;", "convert(n)" => Some("src/money.rs"), OTHER_RS;
    "c/app/src/bill.rs", [("c/money/Cargo.toml", "[package]\nname = \"x-money\"\n"),
        ("c/money/src/lib.rs", "pub fn convert(n: u32) -> u32 {\n    n * 2\n}\n")],
        "use x_money::convert;", "convert(n)" => Some("c/money/src/lib.rs"), OTHER_RS;
    "src/app/bill.rs", [("src/money.rs", "pub struct Money;\n\nimpl Money {\n    pub fn convert(n: u32) -> u32 {\n        n * 2\n    }\n}\n")],
        "use crate::money::Money;", "Money::convert(n)" => Some("src/money.rs"), METHOD_RS;
    "src/app/bill.rs", [], "use std::fs::convert;", "convert(n)" => None, METHOD_RS;
    "src/app/bill.rs", [], "use std::fs;", "fs::convert(n)" => None, OTHER_RS;
    "src/app/bill.rs", [("Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nserde-json = \"1\"\n")],
        "", "serde_json::convert(n)" => None, OTHER_RS;
];

const OTHERS: &[Call] = calls![
    "app/bill.go", [MODULE, MONEY_GO], "import \"example.com/x/money\"", "money.Convert(n)" => Some("money/r.go"), METHOD_GO;
    "app/bill.go", [MONEY_GO], "import (\n\tm \"example.com/x/money\"\n)", "m.Convert(n)" => Some("money/r.go"), METHOD_GO;
    "app/bill.go", [MODULE], "import \"net/http\"", "http.Convert(n)" => None, METHOD_GO;
    "app/bill.go", [], "import \"context\"", "context.Convert(n)" => None, METHOD_GO;
    "src/d/Bill.java", [MONEY_JAVA], "import a.b.Money;", "Money.convert(n)" => Some("src/a/b/Money.java"), OTHER_JAVA;
    "src/d/Bill.java", [MONEY_JAVA], "import static a.b.Money.convert;", "convert(n)" => Some("src/a/b/Money.java"), OTHER_JAVA;
    "src/d/Bill.java", [], "import java.util.Money;", "Money.convert(n)" => None, OTHER_JAVA;
    "src/d/bill.kt", [MONEY_KT], "import a.b.convert", "convert(n)" => Some("src/rates.kt"), OTHER_KT;
    "src/d/bill.kt", [MONEY_KT], "import a.b.convert as c", "c(n)" => Some("src/rates.kt"), OTHER_KT;
];

impl Call {
    fn name(&self) -> &'static str {
        match self.path.ends_with(".go") {
            true => "Convert",
            false => "convert",
        }
    }

    /// The changed file with what it returns.
    fn text(&self, value: &str) -> String {
        let imports = self.imports;
        match self.path.rsplit_once('.').unwrap().1 {
            "py" => format!("{imports}\n\n\ndef bill(n):\n    return {value}\n"),
            "rs" => format!("{imports}\n\npub fn bill(n: u32) -> u32 {{\n    {value}\n}}\n"),
            "go" => format!(
                "package app\n\n{imports}\n\nfunc Bill(n int) int {{\n\treturn {value}\n}}\n"
            ),
            "java" => format!(
                "package d;\n\n{imports}\n\nclass Bill {{\n    int bill(int n) {{\n        return {value};\n    }}\n}}\n"
            ),
            "kt" => format!(
                "package d\n\n{imports}\n\nfun bill(n: Int): Int {{\n    return {value}\n}}\n"
            ),
            _ => format!("{imports}\n\nexport function bill(n) {{\n\treturn {value};\n}}\n"),
        }
    }

    /// The blocks of the brief that speak of `convert`, where the other file defines something called `other`.
    fn blocks(&self, other: &str, folder: &str) -> Vec<String> {
        let repo = Repo::new();
        for (path, text) in self.files {
            repo.write(path, text);
        }
        let path = format!("{folder}{}", self.other.0);
        repo.write(&path, self.other.1.replace("NAME", other));
        repo.write(self.path, self.text("n")).commit("one");
        repo.write(self.path, self.text(self.call)).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        let brief = render(&packet, &look(&change, &packet));
        let spoken = format!("`{}`", self.name());
        let blocks = brief.split("\n=== ").skip(1);
        let blocks = blocks.filter(|block| block.lines().next().unwrap().contains(&spoken));
        blocks.map(str::to_owned).collect()
    }
}

fn assert_meant(calls: &[Call]) {
    let mut wrong = Vec::new();
    for call in calls {
        let blocks = call.blocks(call.name(), "");
        let paths: Vec<&str> = blocks
            .iter()
            .map(|block| block.split(':').next().unwrap())
            .collect();
        if paths != call.meant.into_iter().collect::<Vec<_>>() {
            wrong.push(format!(
                "{}: {} {}: {paths:?}",
                call.path, call.imports, call.call
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The definition of what a script imports is the one that it imports, and of what is not in the tree there is none.
#[test]
fn the_imported_definition_is_shown_in_scripts() {
    assert_meant(SCRIPT);
}

/// The same in Python.
#[test]
fn the_imported_definition_is_shown_in_python() {
    assert_meant(PYTHON);
}

/// The same in Rust.
#[test]
fn the_imported_definition_is_shown_in_rust() {
    assert_meant(RUST);
}

/// The same in Go, Java and Kotlin.
#[test]
fn the_imported_definition_is_shown_in_go_and_on_the_jvm() {
    assert_meant(OTHERS);
}

/// Without an import a name is looked for as before.
#[test]
fn what_no_import_brings_is_looked_for_everywhere() {
    for call in [SCRIPT[0], PYTHON[0], RUST[0], OTHERS[4]] {
        let call = Call {
            imports: "",
            files: &[],
            ..call
        };
        assert_eq!(call.blocks(call.name(), "").len(), 1, "{}", call.path);
    }
}

fn any_call() -> impl Strategy<Value = Call> {
    let all = [SCRIPT, PYTHON, RUST, OTHERS].concat();
    select(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: however things elsewhere are called, the blocks about an imported name stay the same.
    #[test]
    fn what_others_are_called_changes_no_block_about_an_imported_name(
        call in any_call(),
        folder in select(&["", "a/", "zz/deep/"][..]),
    ) {
        let name = call.name();
        prop_assert_eq!(call.blocks(name, folder), call.blocks("unheard_of", folder), "{:?}", call);
    }
}

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

/// What a changed file imports is searched before anything else: a bound of files does not leave it out.
#[test]
fn what_is_imported_is_searched_first() {
    let repo = Repo::new();
    repo.write("far/away/money.js", MONEY_JS.1);
    for n in 0..30 {
        repo.write(
            &format!("app/n{n}.js"),
            format!("export const n{n} = {n};\n"),
        );
    }
    let bill = |value: &str| {
        format!(
            "import {{convert}} from \"../far/away/money.js\";\n\nexport const bill = n => {value};\n"
        )
    };
    repo.write("app/bill.js", bill("n")).commit("one");
    repo.write("app/bill.js", bill("convert(n)")).commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    let limits = SearchLimits {
        files: 3,
        ..SearchLimits::within(Duration::from_secs(60))
    };
    let gathered = gather_context(&Sight::around(&change).unwrap(), &packet, &limits);
    let brief = render(&packet, &gathered);
    assert!(
        brief.contains("=== far/away/money.js:1-3: definition of `convert`"),
        "{brief}"
    );
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
