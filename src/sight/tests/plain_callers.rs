//! Who calls what has a plain name: from pages and packages, by comments, by variables.

use super::plain_names::{Change, assert_told};
use super::*;

/// Who calls a changed function from a page, a template or the settings of a package is shown.
#[test]
fn callers_in_pages_are_shown() {
    assert_told(&[
        Change {
            name: "attribute",
            files: &[
                (
                    "index.html",
                    "<button onclick=\"saveOrder(3)\">x</button> <!-- user -->\n",
                ),
                ("js/order.js", "function saveOrder(id) {\n  return id;\n}\n"),
            ],
            swapped: ("(id) {", "(id, force) {"),
            told: "<!-- user",
        },
        Change {
            name: "method of a component",
            files: &[
                (
                    "src/a.component.html",
                    "<button (click)=\"saveOrder(3)\">x</button> <!-- user -->\n",
                ),
                (
                    "src/a.component.ts",
                    "@Component({templateUrl: \"./a.component.html\"})\nexport class A {\n  saveOrder(id: number) {\n    return id;\n  }\n}\n",
                ),
            ],
            swapped: ("(id: number) {", "(id: number, force: boolean) {"),
            told: "<!-- user",
        },
        Change {
            name: "erb",
            files: &[
                (
                    "app/views/a.html.erb",
                    "<%= price_tag(3) %> <!-- user -->\n",
                ),
                (
                    "app/helpers/h.rb",
                    "module H\n  def price_tag(n)\n    n\n  end\nend\n",
                ),
            ],
            swapped: ("(n)", "(n, cur)"),
            told: "<!-- user",
        },
        Change {
            name: "filter",
            files: &[
                ("templates/a.html", "{{ x | price_tag }} <!-- user -->\n"),
                ("f.py", "def price_tag(n):\n    return n\n"),
            ],
            swapped: ("(n)", "(n, cur)"),
            told: "<!-- user",
        },
        Change {
            name: "template of Go",
            files: &[
                ("t/a.tmpl", "{{ .TotalText }} <!-- user -->\n"),
                (
                    "m.go",
                    "package m\n\nfunc (o Order) TotalText() string {\n\treturn \"x\"\n}\n",
                ),
            ],
            swapped: ("TotalText()", "TotalText(cur string)"),
            told: "<!-- user",
        },
        Change {
            name: "razor",
            files: &[
                ("V.cshtml", "@Model.TotalText() <!-- user -->\n"),
                (
                    "O.cs",
                    "class O {\n  public string TotalText() {\n    return \"x\";\n  }\n}\n",
                ),
            ],
            swapped: ("TotalText()", "TotalText(int c)"),
            told: "<!-- user",
        },
        Change {
            name: "entry point",
            files: &[
                (
                    "pyproject.toml",
                    "[project.scripts]\nx = \"app.server:start_server\" # user\n",
                ),
                ("app/__init__.py", ""),
                ("app/server.py", "def start_server():\n    return 1\n"),
            ],
            swapped: ("start_server", "run_server"),
            told: "# user",
        },
    ]);
}

/// A package of the same repository is followed by its name.
#[test]
fn an_import_by_the_name_of_a_package_is_followed() {
    const OTHER: &str = "function convert(n) {\n  return n;\n}\nexport const z = convert(1);\n";
    const OTHER_CRATE: &str =
        "fn convert(n: u32) -> u32 {\n    n\n}\npub fn z() -> u32 {\n    convert(1)\n}\n";
    assert_told(&[
        Change {
            name: "npm",
            files: &[
                ("package.json", "{\"workspaces\":[\"packages/*\"]}\n"),
                (
                    "packages/money/package.json",
                    "{\"name\":\"@acme/money\",\"main\":\"src/index.js\"}\n",
                ),
                ("packages/o1/src/a.js", OTHER),
                ("packages/o2/src/a.js", OTHER),
                ("packages/o3/src/a.js", OTHER),
                ("packages/o4/src/a.js", OTHER),
                ("packages/o5/src/a.js", OTHER),
                ("packages/o6/src/a.js", OTHER),
                ("packages/o7/src/a.js", OTHER),
                (
                    "packages/zapp/src/a.js",
                    "import {convert} from \"@acme/money\";\nexport const f = n => convert(n) + 1; // caller\n",
                ),
                (
                    "packages/money/src/index.js",
                    "export function convert(n) {\n  return n * 2;\n}\n",
                ),
            ],
            swapped: ("n * 2", "String(n)"),
            told: "// caller",
        },
        Change {
            name: "npm, an everyday name",
            files: &[
                ("package.json", "{\"workspaces\":[\"packages/*\"]}\n"),
                (
                    "packages/money/package.json",
                    "{\"name\":\"@acme/money\",\"main\":\"src/index.js\"}\n",
                ),
                (
                    "packages/zapp/src/a.js",
                    "import {get} from \"@acme/money\";\nexport const f = n => get(n) + 1; // caller\n",
                ),
                (
                    "packages/money/src/index.js",
                    "export function get(n) {\n  return n * 2;\n}\n",
                ),
            ],
            swapped: ("n * 2", "String(n)"),
            told: "// caller",
        },
        Change {
            name: "cargo",
            files: &[
                ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
                (
                    "crates/money-core/Cargo.toml",
                    "[package]\nname = \"money-core\"\n",
                ),
                ("crates/o1/src/lib.rs", OTHER_CRATE),
                ("crates/o2/src/lib.rs", OTHER_CRATE),
                ("crates/o3/src/lib.rs", OTHER_CRATE),
                ("crates/o4/src/lib.rs", OTHER_CRATE),
                ("crates/o5/src/lib.rs", OTHER_CRATE),
                ("crates/o6/src/lib.rs", OTHER_CRATE),
                ("crates/o7/src/lib.rs", OTHER_CRATE),
                (
                    "crates/zapp/src/lib.rs",
                    "use money_core::convert;\n\npub fn f(n: u32) -> u32 {\n    convert(n) + 1 // caller\n}\n",
                ),
                (
                    "crates/money-core/src/lib.rs",
                    "pub fn convert(n: u32) -> u32 {\n    n * 2\n}\n",
                ),
            ],
            swapped: ("n * 2", "n * 3"),
            told: "// caller",
        },
    ]);
}

/// Law: what only a comment or a docstring says brings nobody who calls the function, in any language; a line of code
/// beside it does.
#[test]
fn a_comment_brings_no_callers() {
    const CALLER_PY: &str =
        "from a import parse_amount\n\ndef k(a):\n    return parse_amount(a)  # caller\n";
    const CALLER_JS: &str =
        "import {parseAmount} from \"./a.js\";\nexport const k = a => parseAmount(a); // caller\n";
    let cases = [
        Change {
            name: "comment of JavaScript",
            files: &[
                ("b.js", CALLER_JS),
                (
                    "a.js",
                    "export function parseAmount(text) {\n  // teh amount\n  return Number(text);\n}\n",
                ),
            ],
            swapped: ("teh", "the"),
            told: "// caller",
        },
        Change {
            name: "comment of Python",
            files: &[
                ("b.py", CALLER_PY),
                (
                    "a.py",
                    "def parse_amount(text):\n    # teh amount\n    return int(text)\n",
                ),
            ],
            swapped: ("teh", "the"),
            told: "# caller",
        },
        Change {
            name: "docstring",
            files: &[
                ("b.py", CALLER_PY),
                (
                    "a.py",
                    "def parse_amount(text):\n    \"\"\"Parses teh amount.\n\n    And `parse_amount` more.\n    \"\"\"\n    return int(text)\n",
                ),
            ],
            swapped: ("teh", "the"),
            told: "# caller",
        },
    ];
    for case in cases {
        assert!(!case.brief().contains(case.told), "{}", case.name);
        let code = Change {
            swapped: ("(text)\n", "(text, 1)\n"),
            ..case
        };
        let code = match code.files[1].0 {
            "a.js" => Change {
                swapped: ("Number(text)", "Number(text, 1)"),
                ..code
            },
            _ => Change {
                swapped: ("int(text)", "int(text, 1)"),
                ..code
            },
        };
        assert!(code.brief().contains(code.told), "{}", code.name);
    }
}

/// Law: a variable of a function has no users in other functions, whatever it is called and in whichever language.
#[test]
fn a_variable_has_no_users_elsewhere() {
    let languages: [(&str, &str); 5] = [
        (
            "py",
            "def NAME(order):\n    line_total = START\n    for line_item in order:\n        line_total += line_item\n    return line_total\n",
        ),
        (
            "js",
            "export function NAME(order) {\n  let line_total = START;\n  for (const line_item of order) {\n    line_total += line_item;\n  }\n  return line_total;\n}\n",
        ),
        (
            "go",
            "package a\n\nfunc NAME(order []int) int {\n\tline_total := START\n\tfor _, line_item := range order {\n\t\tline_total += line_item\n\t}\n\treturn line_total\n}\n",
        ),
        (
            "java",
            "class NAME {\n  int total(int[] order) {\n    int line_total = START;\n    for (int line_item : order) line_total += line_item;\n    return line_total;\n  }\n}\n",
        ),
        (
            "c",
            "int NAME(int *order, int n)\n{\n\tint line_total = START;\n\tfor (int i = 0; i < n; i++)\n\t\tline_total += order[i];\n\treturn line_total;\n}\n",
        ),
    ];
    for (ending, text) in languages {
        let repo = Repo::new();
        for n in 0..4 {
            let other = text
                .replace("NAME", &format!("Other{n}"))
                .replace("START", "2");
            repo.write(&format!("o{n}.{ending}"), other);
        }
        for start in ["0", "1"] {
            let edited = text.replace("NAME", "Edited").replace("START", start);
            repo.write(&format!("a.{ending}"), edited).commit(start);
        }
        let heads = heads(&repo);
        assert!(!has(&heads, "line_total"), "{ending}: {heads:?}");
    }
}
