//! What imports say of names, language by language.

use super::name::ImportedItem;
use super::*;

/// What the lines of a file import: `local = module : name`, `*` for all, nothing behind the colon for the module.
fn read(path: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let names = imported_names(Language::from_path(path), &lines).into_iter();
    let shown = names.map(|one| {
        let item = match &one.item {
            ImportedItem::Module => "",
            ImportedItem::Named(name) => name,
            ImportedItem::All => "*",
        };
        format!("{}={}:{item}", one.local, one.module)
    });
    shown.collect()
}

fn assert_read(path: &str, cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(read(path, text), *expected, "{text}");
    }
}

#[test]
fn imports_of_scripts_are_read() {
    assert_read(
        "a.ts",
        &[
            ("import a from 'm';", &["a=m:default"]),
            (
                "import a, { b, c as d } from \"m\"",
                &["a=m:default", "b=m:b", "d=m:c"],
            ),
            (
                "import {\n  a, // one\n  type B,\n} from './m';",
                &["a=./m:a", "B=./m:B"],
            ),
            ("import * as m from 'm'", &["m=m:"]),
            ("import type { T } from 'm'", &["T=m:T"]),
            ("import 'm';", &[]),
            ("import m = require('m');", &["m=m:"]),
            ("const m = require('m');", &["m=m:"]),
            (
                "const { a, b: c, d = 1 } = require('m');",
                &["a=m:a", "c=m:b", "d=m:d"],
            ),
            ("const a = require('m').b;", &["a=m:b"]),
            ("const m = await import('m');", &["m=m:"]),
            ("exports.a = require('m').b", &["a=m:b"]),
            ("module.exports = {\n  a: require('m').b,\n}", &["a=m:b"]),
            ("module.exports = require('m');", &["=m:*"]),
            ("__exportStar(require(\"m\"), exports);", &["=m:*"]),
            ("  ...require('m'),", &["=m:*"]),
            ("export { a, b as c } from 'm';", &["a=m:a", "c=m:b"]),
            ("export { default as a } from 'm';", &["a=m:default"]),
            ("export * from 'm';", &["=m:*"]),
            ("export * as m from 'm';", &["m=m:"]),
            ("export {\n  a,\n};\nimport b from 'm';", &["b=m:default"]),
            ("export function from(a) { return 'm'; }", &[]),
            ("important('from', 'm');", &[]),
        ],
    );
}

#[test]
fn imports_of_python_are_read() {
    assert_read(
        "a.py",
        &[
            ("import a", &["a=a:"]),
            ("import a.b, c as d", &["a=a:", "d=c:"]),
            ("import a.b as c  # d", &["c=a.b:"]),
            ("from a import b, c as d", &["b=a:b", "d=a:c"]),
            ("from . import b", &["b=.:b"]),
            (
                "from .a import (\n    b,  # one\n    c as d,\n)",
                &["b=.a:b", "d=.a:c"],
            ),
            ("from a import b, \\\n    c", &["b=a:b", "c=a:c"]),
            ("from a import *", &["=a:*"]),
            (
                "try:\n    import a\nexcept ImportError:\n    import b as a",
                &["a=a:", "a=b:"],
            ),
        ],
    );
}

#[test]
fn imports_of_rust_are_read() {
    assert_read(
        "a.rs",
        &[
            ("use crate::a::b;", &["b=crate::a:b"]),
            ("pub(crate) use a::b as c;", &["c=a:b"]),
            (
                "use a::{self, b::{C, d as e}, f::*};",
                &["a=:a", "C=a::b:C", "e=a::b:d", "=a::f:*"],
            ),
            (
                "use std::{\n    fmt, // one\n    io::Read,\n};",
                &["fmt=std:fmt", "Read=std::io:Read"],
            ),
            ("use serde_json;", &["serde_json=:serde_json"]),
            ("use ::a::b;", &["b=a:b"]),
            ("pub mod a;", &["a=self:a"]),
            (
                "mod tests {\n    use super::b;\n}",
                &["tests=self:tests", "b=self:b"],
            ),
            ("fn f() {\n    use super::b;\n}", &["b=super:b"]),
        ],
    );
}

#[test]
fn imports_of_go_and_of_java_are_read() {
    assert_read(
        "a.go",
        &[
            ("import \"net/http\"", &["http=net/http:"]),
            (
                "import (\n\tm \"ex.org/x/money\" // one\n\t_ \"a/b\"\n\t. \"c/d\"\n\t\"ex.org/chi/v5\"\n)",
                &["m=ex.org/x/money:", "=c/d:*", "chi=ex.org/chi/v5:"],
            ),
            ("import \"gopkg.in/yaml.v3\"", &["yaml=gopkg.in/yaml.v3:"]),
            ("import \"ex.org/x/go-cmp\"", &["cmp=ex.org/x/go-cmp:"]),
        ],
    );
    assert_read(
        "A.java",
        &[
            ("import a.b.C;", &["C=a.b:C"]),
            ("import static a.b.C.d;", &["d=a.b.C:d"]),
            ("import a.b.*;", &["=a.b:*"]),
        ],
    );
    assert_read("a.kt", &[("import a.b.c as d", &["d=a.b:c"])]);
    assert_read(
        "a.scala",
        &[
            ("import a.b.{C, D => E}", &["C=a.b:C", "E=a.b:D"]),
            ("import a.b._", &["=a.b:*"]),
        ],
    );
}
