//! What the language itself brings, and what is no use and no definition of what has its name.

use proptest::prelude::*;

use super::*;

/// The heads of the blocks of a brief, where a text of a file is replaced by another.
fn heads_of(files: &[(&str, String)], (path, from, to): (&str, &str, &str)) -> Vec<String> {
    let repo = Repo::new();
    for (path, text) in files {
        repo.write(path, text.clone());
    }
    repo.commit("one");
    let (_, text) = files.iter().find(|(other, _)| *other == path).unwrap();
    assert!(text.contains(from), "{path}: {from}");
    repo.write(path, text.replacen(from, to, 1)).commit("two");
    heads(&repo)
}

fn module(value: &str) -> String {
    format!("export function load(v: any) {{\n  const x = {value};\n  return x;\n}}\n")
}

fn other(n: usize, value: &str) -> String {
    format!("export function other{n}() {{\n  return {value};\n}}\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: a name that a module neither imports nor declares, and that no file gives to all, has no uses, whatever
    /// it is.
    #[test]
    fn what_the_language_brings_has_no_uses(
        name in prop::sample::select(&["fetch", "structuredClone", "queueMicrotask", "localStorage", "globalThis"][..]),
        random in "[a-z]{4,6}[A-Z][a-z]{3,5}",
        is_random in any::<bool>(),
        is_called in any::<bool>(),
    ) {
        let name = if is_random { random } else { name.to_owned() };
        let value = if is_called { format!("{name}(v)") } else { format!("{name}.first") };
        let mut files = vec![("src/a.ts", module(&value))];
        files.push(("src/b.ts", other(1, &value)));
        files.push(("lib/c.ts", other(2, &value)));
        let told = heads_of(&files, ("src/a.ts", &value, "v"));
        prop_assert!(!has(&told, &format!("of `{name}`")), "{:?}", told);
    }

    /// Law: it has where a file of the tree gives it to all.
    #[test]
    fn what_a_file_gives_to_all_has_uses(name in "[a-z]{4,6}[A-Z][a-z]{3,5}", how in 0_usize..3) {
        let given = [
            format!("globalThis.{name} = () => 1;\n"),
            format!("export function {name}() {{\n  return 1;\n}}\n"),
            format!("declare function {name}(): number;\n"),
        ];
        let value = format!("{name}(1)");
        let files = [
            ("src/a.ts", module(&value)),
            ("src/b.ts", other(1, &value)),
            ("src/all.ts", given[how].clone()),
        ];
        let told = heads_of(&files, ("src/a.ts", &value, "v"));
        prop_assert!(has(&told, &format!("use of `{name}`")), "{:?}", told);
    }
}

/// A type without an import is the language's, whatever methods a class of the tree has.
#[test]
fn a_type_of_the_language_has_no_definition_in_the_tree() {
    let fakes = "export class FakeResponse {\n  get headers() {\n    return new Map();\n  }\n\n  text() {\n    return \"fake\";\n  }\n}\n";
    let log = "export async function log(response: Response) {\n  console.log(1);\n}\n";
    let files = [
        ("src/log.ts", log.to_owned()),
        ("test/fakes.ts", fakes.to_owned()),
    ];
    let told = heads_of(
        &files,
        (
            "src/log.ts",
            "console.log(1)",
            "console.log(response.headers, await response.text())",
        ),
    );
    assert!(!has(&told, "test/fakes.ts"), "{told:?}");
    // One that a file declares for all is the tree's.
    let declared = fakes.replace("export class FakeResponse", "declare class Response");
    let files = [("src/log.ts", log.to_owned()), ("src/fakes.d.ts", declared)];
    let told = heads_of(
        &files,
        (
            "src/log.ts",
            "console.log(1)",
            "console.log(await response.text())",
        ),
    );
    assert!(has(&told, "src/fakes.d.ts"), "{told:?}");
}

/// Nor is a call on a value of such a type one of an edited method of another class.
#[test]
fn a_value_of_a_type_of_the_language_calls_no_method_of_the_tree() {
    let fake = "export class FakeReply {\n  readText() {\n    return 1;\n  }\n}\n";
    let log = |typed: &str| {
        format!("export function log(reply: {typed}) {{\n  return reply.readText();\n}}\n")
    };
    for (typed, is_use) in [("Response", false), ("FakeReply", true)] {
        let import = if is_use {
            "import { FakeReply } from \"../lib/fake\";\n\n"
        } else {
            ""
        };
        let files = [
            ("lib/fake.ts", fake.to_owned()),
            ("src/log.ts", format!("{import}{}", log(typed))),
        ];
        let told = heads_of(&files, ("lib/fake.ts", "return 1", "return undefined"));
        assert_eq!(has(&told, "src/log.ts"), is_use, "{typed}: {told:?}");
    }
}

const GO_TEST: &str = "package a\n\nimport \"testing\"\n\nfunc TestGet(t *testing.T) {\n\tresp, _ := get(\"x\")\n\tif resp == nil {\n\t\tt.Fatal(1)\n\t}\n}\n";

/// What a function of Go returns has what its type has, wherever that is from.
#[test]
fn what_a_function_returns_is_asked_for_what_its_type_has() {
    let wrap = "package wrap\n\ntype Writer struct{ code int }\n\nfunc (b *Writer) Status() int {\n\treturn b.code\n}\n";
    let call = |imports: &str, typed: &str| {
        format!(
            "package a\n\nimport \"{imports}\"\n\nfunc get(url string) (*{typed}, string) {{\n\treturn nil, url\n}}\n"
        )
    };
    for (imports, typed, is_shown) in [
        ("net/http", "http.Response", false),
        ("example.com/a/wrap", "wrap.Writer", true),
    ] {
        let files = [
            ("go.mod", "module example.com/a\n\ngo 1.22\n".to_owned()),
            ("wrap/wrap.go", wrap.to_owned()),
            ("call.go", call(imports, typed)),
            ("call_test.go", GO_TEST.to_owned()),
        ];
        let told = heads_of(
            &files,
            ("call_test.go", "t.Fatal(1)", "t.Fatal(resp.Status)"),
        );
        assert_eq!(has(&told, "wrap/wrap.go"), is_shown, "{typed}: {told:?}");
    }
}

/// What a value is asked for is no type.
#[test]
fn a_field_of_a_value_has_no_type_for_a_definition() {
    let routes = "package a\n\ntype Route struct {\n\tPattern string\n}\n\nfunc get(x string) ([]Route, error) { return nil, nil }\n";
    let other = "package mw\n\ntype Pattern struct {\n\tprefix string\n}\n";
    for asked in ["resp[0].Pattern", "first(resp).Pattern"] {
        let files = [
            ("mw/mw.go", other.to_owned()),
            ("route.go", routes.to_owned()),
            ("call_test.go", GO_TEST.to_owned()),
        ];
        let told = heads_of(
            &files,
            ("call_test.go", "t.Fatal(1)", &format!("t.Fatal({asked})")),
        );
        assert!(!has(&told, "mw/mw.go"), "{asked}: {told:?}");
    }
}

/// A keyword of a language and a key of settings that is called like a function are no uses of it.
#[test]
fn a_key_of_settings_is_no_use_of_a_function() {
    let code = "def info():\n    return 1\n";
    let files = [
        ("app/help.py", code.to_owned()),
        ("docs/Makefile", "info:\n\techo 1\n".to_owned()),
        ("ci.yml", "info: true\n".to_owned()),
        (
            "app/run.py",
            "from app.help import info\n\nprint(info())\n".to_owned(),
        ),
    ];
    let told = heads_of(&files, ("app/help.py", "return 1", "return None"));
    assert!(has(&told, "app/run.py"), "{told:?}");
    assert!(!has(&told, "Makefile") && !has(&told, "ci.yml"), "{told:?}");
}
