use super::*;
use crate::sight::receiver_types::receiver_of;

fn names(path: &str, text: &str) -> Vec<(String, u32, u32)> {
    let language = Language::from_path(path);
    let functions = council_syntax::outline::functions(language, text);
    let found = definitions_in(language, &LexedLines::of(language, text), &functions);
    let mut found: Vec<_> = found
        .into_iter()
        .map(|one| (one.name, one.start, one.end))
        .collect();
    found.sort();
    found
}

fn named(name: &str, start: u32, end: u32) -> (String, u32, u32) {
    (name.to_owned(), start, end)
}

#[test]
fn methods_outside_of_their_type_know_whose_they_are() {
    let owner = |path: &str, text: &str, head| receiver_of(Language::from_path(path), text, head);
    let rust = "impl<T: Into<u8>> Drop for Pool<T>\nwhere\n    T: Copy,\n{\n    fn drop(&mut self) {}\n}\nimpl Size {\n    // why\n\n    fn of() {}\n}\n";
    assert_eq!(owner("a.rs", rust, 10).as_deref(), Some("Size"));
    assert_eq!(owner("a.rs", "fn free() {}\n", 1), None);
    assert_eq!(
        owner("a.go", "func (p *Pool[T]) Refill() {}\n", 1).as_deref(),
        Some("Pool")
    );
    assert_eq!(owner("a.go", "func Refill() {}\n", 1), None);
}

#[test]
fn arguments_and_annotations_define_no_type() {
    let python = "KW = [\n    dict(type=click.Tuple([str])),\n]\n\nclass A:\n    kind: type[Response] = Response\n\ntype Alias = int\n";
    let found = names("a.py", python);
    let found: Vec<_> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(found, ["A", "Alias", "KW", "kind"]);
    let python = "@mark(\n    reason=\"x\",\n)\nclass B:\n    size: int = 3\n\nif version >= 3:\n    old = 1\n";
    let found = names("a.py", python);
    let found: Vec<_> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(found, ["B", "old", "size"]);
    let script = "export type Shape = { kind: type };\nconst x = make(type, Other);\n";
    let found = names("a.ts", script);
    let found: Vec<_> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(found, ["Shape", "x"]);
    assert_eq!(
        names("a.cpp", "enum class Color {\n  Red\n};\n"),
        [named("Color", 1, 3), named("Red", 2, 2)]
    );
}

#[test]
fn types_and_constants_are_found_with_their_comments_and_bodies() {
    let rust = "/// Waits.\nconst WAIT: u8 = 3;\n\npub struct Pool {\n    size: u8,\n}\nimpl<T: Into<u8>> Drop for Pool {\n    fn drop(&mut self) {}\n}\n";
    let found = names("a.rs", rust);
    let wanted = [
        named("Pool", 4, 6),
        named("Pool", 7, 9),
        named("WAIT", 1, 2),
        named("drop", 8, 8),
    ];
    assert_eq!(found, wanted);
    let go = "const (\n\tA = 1\n\tB = 2\n)\n\ntype S struct {\n\tx int\n}\n";
    assert_eq!(
        names("a.go", go),
        [named("A", 1, 4), named("B", 1, 4), named("S", 6, 8)]
    );
    let c = "#define MAX 3\nstruct node {\n\tint x;\n};\n";
    assert_eq!(names("a.c", c), [named("MAX", 1, 1), named("node", 2, 4)]);
    let go = "var (\n\tall = []string{\n\t\thttp.MethodGet, http.MethodPost,\n\t}\n\tb = 2\n)\n";
    assert_eq!(names("a.go", go), [named("all", 1, 6), named("b", 1, 6)]);
    assert_eq!(
        names("a.yaml", "a: 1\n# b\nb: 2\n"),
        [named("a", 1, 1), named("b", 2, 3)]
    );
}

/// Law: what is defined in an everyday form is found with all of its lines, whatever stands around it.
#[test]
fn everyday_forms_are_definitions() {
    let forms = [
        ("a.h", "typedef struct {\n  int a;\n} name;\n", 3),
        (
            "a.h",
            "typedef struct name_tag\n{\n  int a;\n} name, *name_pointer;\n",
            4,
        ),
        ("a.h", "typedef int (*name)(int);\n", 1),
        ("a.h", "typedef unsigned long name;\n", 1),
        ("a.h", "enum e { one, name, two };\n", 1),
        ("a.h", "enum {\n  one = 1,\n  name = (1 << 2),\n};\n", 1),
        (
            "a.rs",
            "enum E {\n    A(u8, u8),\n    #[allow(unused)]\n    name {\n        a: u32,\n    },\n}\n",
            4,
        ),
        ("a.rs", "macro_rules! name {\n    () => {};\n}\n", 3),
        (
            "A.java",
            "enum E {\n  ONE(1), name(2);\n  int f() { return 1; }\n}\n",
            1,
        ),
        (
            "a.ts",
            "export enum E {\n  One = 'x',\n  name = 'y',\n}\n",
            1,
        ),
        (
            "a.swift",
            "enum E {\n  case one\n  case two(Int), name\n}\n",
            1,
        ),
        ("a.kt", "fun name(a: Int) = a + 1\n", 1),
        (
            "a.kt",
            "inline fun <T> List<T>.name(): Int =\n    size\n",
            2,
        ),
        (
            "A.cs",
            "class A {\n  public Task<int> name(int a) => f(a);\n}\n",
            1,
        ),
        (
            "A.cs",
            "class A {\n  static T name<T>(T a) where T : class => a;\n}\n",
            1,
        ),
        ("a.dart", "int name(int a) => a + 1;\n", 1),
        ("a.scala", "object A {\n  def name(a: Int): Int = a\n}\n", 1),
        (
            "a.rb",
            "class A\n  def self.name(a)\n    a\n  end\nend\n",
            3,
        ),
        ("a.rb", "name = 1\n", 0),
        ("a.rb", "Name = [\n  1,\n].freeze\n", 3),
        ("a.lua", "function M.name(a)\n  return a\nend\n", 3),
    ];
    for (path, form, lines) in forms {
        for (above, below) in [("", ""), ("\n\n", "\n"), ("\n", "\n\n\n")] {
            let found = names(path, &format!("{above}{form}{below}"));
            let found: Vec<_> = found
                .iter()
                .filter(|(name, ..)| name.eq_ignore_ascii_case("name"))
                .collect();
            let length: u32 = found.iter().map(|(_, start, end)| end - start + 1).sum();
            assert_eq!(length, lines, "{path}: {form}: {found:?}");
        }
    }
}

/// Law: a definition is as long as its expression, on however many lines and without brackets.
#[test]
fn an_expression_is_followed_to_its_end() {
    let forms = [
        ("a.js", "export const name = order =>", "&& order.total > 0"),
        (
            "a.ts",
            "export const name = (n: number): boolean =>",
            "|| n > 2",
        ),
        ("a.js", "const name = first", ".then(second)"),
        ("a.ts", "type Name = 'a'", "| 'b'"),
        ("a.go", "var name = first |", "second |"),
        ("a.rs", "pub const NAME: u32 = GET |", "PUT |"),
        ("a.kt", "fun name(a: Int) =", "+ a"),
        ("a.kt", "val name: Int? = a", "?: b"),
        (
            "A.java",
            "class A {\n  static final int NAME = ONE",
            "+ TWO",
        ),
        ("a.swift", "let name = first", "?? second"),
        (
            "A.cs",
            "class A {\n  public static int Name(int a) =>",
            "+ a",
        ),
        ("a.c", "static const int name = ONE", "| TWO"),
    ];
    for (path, head, more) in forms {
        for lines in 0..4 {
            let is_open = more.ends_with('|');
            let mut text = format!("{head}\n");
            if head.ends_with('=') || head.ends_with("=>") {
                text.push_str("      begin\n");
            }
            for _ in 0..lines {
                text.insert_str(text.len(), &format!("      {more}\n"));
            }
            let mut own = text.lines().count();
            if head.contains('\n') {
                own -= 1;
            }
            if is_open {
                text.push_str("      last\n");
                own += 1;
            }
            let end = if path.ends_with(".go") || path.ends_with(".kt") {
                ""
            } else {
                ";"
            };
            text.insert_str(text.len() - 1, end);
            let behind = "\n\nother(1)\n";
            let found = names(path, &format!("{text}{behind}"));
            let found = found
                .iter()
                .find(|(name, ..)| name.eq_ignore_ascii_case("name"));
            let length = found.map(|(_, start, end)| end - start + 1);
            let wanted = u32::try_from(own).unwrap();
            assert_eq!(length, Some(wanted), "{path}: {text}");
        }
    }
}

/// Whatever the expression is made of: branches without brackets, text over several lines.
#[test]
fn what_is_indented_or_quoted_below_a_definition_belongs_to_it() {
    for (path, text, lines) in [
        (
            "U.kt",
            "fun name(n: Int): Int =\n    if (n > 5)\n        1\n    else\n        n\n\nval other = 1\n",
            5,
        ),
        (
            "u.py",
            "NAME = \"\"\"\n    SELECT a\n    FROM b\n\"\"\"\n\nOTHER = 1\n",
            4,
        ),
        (
            "u.go",
            "const name = `\nSELECT a\nFROM b`\n\nvar other = 1\n",
            3,
        ),
        ("u.js", "const name = `\n  SELECT a\n`;\n\nother();\n", 3),
        (
            "u.ts",
            "export type Name =\n  | 'a'\n  | 'b';\n\nother();\n",
            3,
        ),
        (
            "u.ts",
            "export const name = z\n  .object({\n    a: 1,\n  })\n  .strict();\n\nother();\n",
            5,
        ),
        (
            "U.cs",
            "class U {\n  public static int Name(int n) =>\n    n > 5\n      ? 1\n      : n;\n  int B;\n}\n",
            4,
        ),
    ] {
        let found = names(path, text);
        let found = found
            .iter()
            .find(|(name, ..)| name.eq_ignore_ascii_case("name"));
        let length = found.map(|(_, start, end)| end - start + 1);
        assert_eq!(length, Some(lines), "{path}: {text}");
    }
}

/// What stands below a definition that is over does not belong to it.
#[test]
fn a_definition_that_is_over_is_not_followed() {
    for (path, text) in [
        ("a.js", "const name = 1;\n  .other()\n"),
        ("a.js", "const name = i++\nother()\n"),
        ("a.kt", "val name: Int? = a?\nval other = 1\n"),
        ("a.c", "int name = 1;\n\n  *other = 2;\n"),
        ("a.rs", "const NAME: u8 = 1;\n\nfn f() {}\n"),
        ("a.go", "var name = 1\n\nvar other = 2\n"),
    ] {
        let found = names(path, text);
        let found = found
            .iter()
            .find(|(name, ..)| name.eq_ignore_ascii_case("name"));
        assert_eq!(
            found.map(|(_, start, end)| (*start, *end)),
            Some((1, 1)),
            "{path}: {text}"
        );
    }
}

/// What only looks like one of these forms defines nothing.
#[test]
fn what_only_uses_a_name_defines_nothing() {
    for (path, text) in [
        (
            "A.cs",
            "class A {\n  Func<int, int> f = (name) => 1;\n  int G => name(1);\n}\n",
        ),
        ("a.kt", "val f = other { fun1 -> name(fun1) }\n"),
        ("a.h", "enum e name(int);\nstruct s { enum e a; };\n"),
        ("a.rb", "puts Name == 1\nNAMES.each { |name| name }\n"),
        (
            "a.rs",
            "fn f(e: E) {\n    match e {\n        E::name => {}\n    }\n}\n",
        ),
    ] {
        let found = names(path, text);
        assert!(
            !found
                .iter()
                .any(|(found, ..)| found == "name" || found == "Name"),
            "{path}: {text}: {found:?}"
        );
    }
}

/// Law: a property of Kotlin ends with its last accessor, whatever those are and whatever stands below.
#[test]
fn a_property_of_kotlin_is_one_definition_with_its_accessors() {
    let heads = [
        "val total: Int",
        "private var total = 3",
        "override val List<Int>.total: Int",
        "@Volatile var total: Int = f(1)",
    ];
    let accessors = [
        "        get() = lines.sum()\n",
        "        get() {\n            return lines.sum()\n        }\n",
        "        get() =\n            lines\n                .sum()\n",
        "        private set\n",
        "        set(value) {\n            field = value\n        }\n",
    ];
    for head in heads {
        for first in accessors {
            for second in [
                "",
                "\n        private set\n",
                "        set(value) = put(value)\n",
            ] {
                for below in ["    fun other() = 1\n", "    val get = 3\n", ""] {
                    let property = format!("    {head}\n{first}{second}");
                    let text = format!("class A {{\n{property}{below}}}\n");
                    let last = u32::try_from(1 + property.lines().count()).unwrap();
                    let found: Vec<_> = names("A.kt", &text)
                        .into_iter()
                        .filter(|one| one.0 == "total")
                        .collect();
                    assert_eq!(found, [named("total", 2, last)], "{text}");
                    assert!(
                        !names("A.kt", &text).iter().any(|one| one.0 == "set"),
                        "{text}"
                    );
                }
            }
        }
    }
    let lazy = "class A {\n    val total: Int by lazy {\n        f()\n    }\n    lateinit var repo: Repo\n}\n";
    let found: Vec<_> = names("A.kt", lazy)
        .into_iter()
        .filter(|one| one.0 != "A")
        .collect();
    assert_eq!(found, [named("repo", 5, 5), named("total", 2, 4)]);
}

/// Law: what is written above a type or a field and says what it is belongs to it, and what declares another one does not.
#[test]
fn decorators_and_annotations_belong_to_what_they_stand_above() {
    for (path, above, head, end) in [
        (
            "a.py",
            &["@dataclass(", "    frozen=True,", ")", "@runtime_checkable"][..],
            "class Own(Protocol):",
            "    size = 3",
        ),
        (
            "a.ts",
            &["@Injectable()", "// why", "@Input({ a: 1 })"],
            "export class Own {",
            "}",
        ),
        (
            "A.java",
            &["@Entity", "@Table(name = \"own\")"],
            "public class Own {",
            "}",
        ),
        (
            "A.kt",
            &["@Serializable @Keep"],
            "data class Own(val size: Int)",
            "",
        ),
        (
            "A.cs",
            &["[Serializable]", "[Table(\"own\")]"],
            "public class Own {",
            "}",
        ),
    ] {
        for count in 0..=above.len() {
            let whole = above[above.len() - count..].join("\n");
            // A part of a decorator is none.
            if whole.starts_with([' ', ')']) {
                continue;
            }
            let before = if count == 0 {
                String::new()
            } else {
                format!("{whole}\n")
            };
            let text = format!("\n\n{before}{head}\n{end}\n");
            let found = names(path, &text).into_iter().find(|one| one.0 == "Own");
            assert_eq!(found.map(|one| one.1), Some(3), "{text}");
        }
    }
    let other = "class A {\n    @Volatile var one: Int = 3\n    var two: Int = 4\n}\n";
    let found = names("A.kt", other).into_iter().find(|one| one.0 == "two");
    assert_eq!(found, Some(named("two", 3, 3)));
}
