//! What imports say of the names of a change: whose definition is shown.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// A file of a small repository.
pub(super) type File = (&'static str, &'static str);

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

pub(super) const MONEY_JS: File = (
    "lib/money.js",
    "export function convert(n) {\n\treturn n * 2;\n}\n",
);
pub(super) const MONEY_PY: File = ("lib/money.py", "def convert(n):\n    return n * 2\n");
pub(super) const MONEY_RS: File = (
    "src/money.rs",
    "pub fn convert(n: u32) -> u32 {\n    n * 2\n}\n",
);
pub(super) const MONEY_GO: File = (
    "money/r.go",
    "package money\n\nfunc Convert(n int) int {\n\treturn n * 2\n}\n",
);
const MONEY_JAVA: File = (
    "src/a/b/Money.java",
    "package a.b;\n\npublic class Money {\n    public static int convert(int n) {\n        return n * 2;\n    }\n}\n",
);
pub(super) const MONEY_KT: File = (
    "src/rates.kt",
    "package a.b\n\nfun convert(n: Int): Int {\n    return n * 2\n}\n",
);
pub(super) const MODULE: File = ("go.mod", "module example.com/x\n");

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
