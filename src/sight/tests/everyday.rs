//! What a change says in the words of a language or of a format names nothing of the project.

use super::*;
use crate::sight::common_words::OF_LANGUAGES;
use council_syntax::language::Language;

/// The heads of what a brief shows where the second of these texts takes the place of the first, beside other files.
fn shown(path: &str, sides: [&str; 2], others: &[(String, String)]) -> Vec<String> {
    let repo = Repo::new();
    for (path, text) in others {
        repo.write(path, text);
    }
    repo.write(path, sides[0]).commit("one");
    repo.write(path, sides[1]).commit("two");
    heads(&repo)
}

/// Law: no word of a language brings code that has it, too.
#[test]
fn a_word_of_the_language_is_not_looked_for() {
    for (language, words) in OF_LANGUAGES {
        let (path, put): (&str, fn(&str) -> String) = match language {
            Language::Python => ("py", |code| format!("def check(opt):\n    return {code}\n")),
            Language::Script => ("js", |code| {
                format!("export function check(opt) {{\n  return {code};\n}}\n")
            }),
            Language::Ruby => ("rb", |code| format!("def check(opt)\n  {code}\nend\n")),
            Language::Go => ("go", |code| {
                format!("package a\n\nfunc check(opt int) int {{\n\treturn {code}\n}}\n")
            }),
            Language::Rust => ("rs", |code| {
                format!("pub fn check(opt: u8) -> u8 {{\n    {code}\n}}\n")
            }),
            Language::Java => ("java", |code| {
                format!("class A {{\n  int check(int opt) {{\n    return {code};\n  }}\n}}\n")
            }),
            _ => ("c", |code| {
                format!("int check(int opt)\n{{\n    return {code};\n}}\n")
            }),
        };
        let calls: String = words.iter().map(|word| format!("{word}(opt) + ")).collect();
        let others: Vec<(String, String)> = (0..3)
            .map(|n| {
                (
                    format!("b{n}.{path}"),
                    put(&format!("{calls}{n}")).replace("check", &format!("k{n}")),
                )
            })
            .collect();
        let sides = [put(&format!("{calls}1")), put("opt")];
        let heads = shown(&format!("a.{path}"), [&sides[0], &sides[1]], &others);
        let named = |head: &&String| words.iter().any(|word| head.contains(&format!("`{word}`")));
        let found: Vec<_> = heads.iter().filter(named).collect();
        assert!(found.is_empty(), "{path}: {found:?}");
    }
}

/// Law: the name of a type in a string is no key.
#[test]
fn what_typeof_gives_is_no_key() {
    for name in [
        "function",
        "number",
        "string",
        "object",
        "boolean",
        "symbol",
        "bigint",
        "undefined",
    ] {
        let check = |more: &str| {
            format!("export function check(opt) {{\n  return typeof opt !== '{name}'{more};\n}}\n")
        };
        let other = format!(
            "export const k = a => {{\n  if (typeof a === '{name}') return 1;\n  return 4;\n}};\n"
        );
        let others = [("m.js".to_owned(), other)];
        let heads = shown("a.js", [&check(""), &check(" && opt")], &others);
        assert!(!has(&heads, &format!("`{name}`")), "{heads:?}");
    }
}

/// Law: what every file of settings has of its kind is no use of the same key in another one; a program that reads it is.
#[test]
fn the_same_key_in_other_settings_is_no_use() {
    let job = |name: &str, more: &str| {
        format!(
            "name: {name}\non: [push]\njobs:\n  build:\n    runs-on: x\n    steps:\n      - name: Set up\n        uses: a/b@v4\n{more}      - name: Run\n        run: make\n"
        )
    };
    let step = "      - name: Lint\n        uses: a/c@v1\n        run: make lint\n";
    let others = |folder: &str| -> Vec<(String, String)> {
        let one = |n| (format!("{folder}/w{n}.yml"), job(&format!("W{n}"), ""));
        (0..3).map(one).collect()
    };
    let path = ".github/workflows/ci.yml";
    let heads = shown(
        path,
        [&job("T", ""), &job("T", step)],
        &others(".github/workflows"),
    );
    assert!(!has(&heads, " use of `"), "{heads:?}");

    let package = |name: &str, version: &str| {
        format!("{{\n  \"name\": \"{name}\",\n  \"version\": \"{version}\"\n}}\n")
    };
    let mut others: Vec<(String, String)> = (0..3)
        .map(|n| {
            (
                format!("p{n}/package.json"),
                package(&format!("p{n}"), "2.0.0"),
            )
        })
        .collect();
    let reader = "import pkg from './package.json';\nexport const told = () => pkg.version;\n";
    others.push(("a/told.js".to_owned(), reader.to_owned()));
    let sides = [package("a", "1.0.0"), package("a", "1.1.0")];
    let heads = shown("a/package.json", [&sides[0], &sides[1]], &others);
    assert!(has(&heads, "a/told.js"), "{heads:?}");
    assert!(!heads.iter().any(|head| head.starts_with('p')), "{heads:?}");
}

/// Law: a constructor that changes has those who make a value of its type for users, and no other constructor.
#[test]
fn a_constructor_of_another_class_is_no_use() {
    let cases = [
        (
            "py",
            "class Answer:\n    def __init__(self, body):\n        super().__init__()\n        self.body = LEAST\n",
            "from a import Answer\n\nclass Base:\n    def __init__(self):\n        self.x = 1\n\nclass Adapter(Base):\n    def __init__(self):\n        super().__init__()\n        self.other = 2\n",
            "from a import Answer\n\ndef make(text):\n    return Answer(text)\n",
        ),
        (
            "js",
            "export class Answer {\n  constructor(body) {\n    this.body = LEAST;\n  }\n}\n",
            "import {Answer} from './a.js';\nexport class Adapter extends Base {\n  constructor() {\n    super();\n    this.other = 2;\n  }\n}\n",
            "import {Answer} from './a.js';\nexport const make = text => new Answer(text);\n",
        ),
        (
            "rb",
            "class Answer\n  def initialize(body)\n    @body = LEAST\n  end\nend\n",
            "require_relative 'a'\nclass Adapter < Base\n  def initialize\n    super()\n    @other = 2\n  end\nend\n",
            "require_relative 'a'\ndef make(text)\n  Answer.new(text)\nend\n",
        ),
    ];
    for (ending, edited, other, maker) in cases {
        let others = [
            (format!("b.{ending}"), other.to_owned()),
            (format!("c.{ending}"), maker.to_owned()),
        ];
        let sides = [
            edited.replace("LEAST", "body"),
            edited.replace("LEAST", "body or 1"),
        ];
        let heads = shown(&format!("a.{ending}"), [&sides[0], &sides[1]], &others);
        assert!(has(&heads, &format!("c.{ending}:")), "{heads:?}");
        assert!(!has(&heads, "b."), "{heads:?}");
    }
}

/// A string of code is no key of what a service runs.
#[test]
fn a_string_of_code_names_no_job() {
    let test = |more: &str| {
        format!(
            "package x\n\nvar cases = []struct {{\n\tname string\n}}{{\n\t{{name: \"zero\"}},\n{more}}}\n"
        )
    };
    let job = "defaults:\n  run:\n    shell: bash\non: [push]\n".to_owned();
    let others = [(".github/workflows/ci.yml".to_owned(), job)];
    let sides = [test(""), test("\t{name: \"defaults\"},\n")];
    let heads = shown("a_test.go", [&sides[0], &sides[1]], &others);
    assert!(!has(&heads, "ci.yml"), "{heads:?}");
}
