//! Names that are one everyday word: what the change hands on, calls without brackets, takes away or leaves behind.

use super::*;

/// So many lines lie between two places that nothing is shown because it stands near.
fn filling(text: &str, path: &str) -> String {
    let mark = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "py" | "rb" | "sh" | "toml" => "#",
        _ => "//",
    };
    let lines: String = (0..220)
        .map(|n| format!("    {mark} filling {n}\n"))
        .collect();
    text.replace("FILLING\n", &lines)
}

/// What a repository holds, what is swapped in one of its files, and what the brief of that has to hold.
struct Change {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// In the last of the files.
    swapped: (&'static str, &'static str),
    told: &'static str,
}

impl Change {
    fn brief(&self) -> String {
        let repo = Repo::new();
        for (path, text) in self.files {
            repo.write(path, filling(text, path));
        }
        repo.commit("one");
        let (path, text) = self.files[self.files.len() - 1];
        let (before, after) = self.swapped;
        assert!(text.contains(before), "{}: {before}", self.name);
        repo.write(path, filling(&text.replacen(before, after, 1), path));
        repo.commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        render(&packet, &look(&change, &packet))
    }
}

fn assert_told(changes: &[Change]) {
    let missing: Vec<String> = changes
        .iter()
        .map(|change| (change.name, change.brief(), change.told))
        .filter(|(_, brief, told)| !brief.contains(told))
        .map(|(name, brief, _)| {
            let heads = brief.lines().filter(|line| line.starts_with("=== "));
            format!("{name}: {:?}", heads.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

/// What a guard did is shown where the change takes it away.
#[test]
fn a_guard_that_is_taken_away_is_shown() {
    assert_told(&[
        Change {
            name: "middleware of a route",
            files: &[
                (
                    "auth.js",
                    "export function auth(req, res, next) {\n  if (!req.user) return res.status(401).end(); // the guard\n  next();\n}\n",
                ),
                (
                    "v.js",
                    "import {auth} from \"./auth.js\";\napp.get(\"/x\", auth, (req, res) => {\n  res.send(1);\n});\n",
                ),
            ],
            swapped: ("auth, (", "("),
            told: "the guard",
        },
        Change {
            name: "middleware of Go",
            files: &[
                (
                    "auth.go",
                    "package a\n\nfunc auth(h H) H {\n\treturn h // the guard\n}\n",
                ),
                (
                    "v.go",
                    "package a\n\nfunc routes(r R) {\n\tr.Use(auth)\n\tr.Get(\"/x\", page)\n}\n",
                ),
            ],
            swapped: ("\tr.Use(auth)\n", ""),
            told: "the guard",
        },
        Change {
            name: "decorator",
            files: &[
                ("auth.py", "def secured(fn):\n    return fn  # the guard\n"),
                (
                    "v.py",
                    "from auth import secured\n\n\n@secured\ndef page(r):\n    return 1\n",
                ),
            ],
            swapped: ("@secured\n", ""),
            told: "the guard",
        },
        Change {
            name: "callback of a controller",
            files: &[
                (
                    "app/c/application.rb",
                    "class App\n  def authenticate\n    redirect # the guard\n  end\nend\n",
                ),
                (
                    "app/c/orders.rb",
                    "class Orders < App\n  before_action :authenticate\n  def index\n    1\n  end\nend\n",
                ),
            ],
            swapped: ("  before_action :authenticate\n", ""),
            told: "the guard",
        },
    ]);
}

/// What a change newly uses is shown, however plain its name is and however it is used.
#[test]
fn what_is_newly_used_is_shown() {
    assert_told(&[
        Change {
            name: "decorator",
            files: &[
                ("m.py", "def retrying(fn):\n    return fn  # what it does\n"),
                (
                    "a.py",
                    "from m import retrying\n\n\ndef f(x):\n    return x\n",
                ),
            ],
            swapped: ("def f", "@retrying\ndef f"),
            told: "# what it does",
        },
        Change {
            name: "key of a sort",
            files: &[
                ("m.py", "def ranking(fn):\n    return fn  # what it does\n"),
                (
                    "a.py",
                    "from m import ranking\n\n\ndef f(x):\n    return x\n",
                ),
            ],
            swapped: ("return x", "return sorted(x, key=ranking)"),
            told: "# what it does",
        },
        Change {
            name: "function of the same package",
            files: &[
                (
                    "m.go",
                    "package a\n\nfunc audit(h H) H {\n\treturn h // what it does\n}\n",
                ),
                ("a.go", "package a\n\nfunc f(x R) {\n\tx.Get(1)\n}\n"),
            ],
            swapped: ("\tx.Get(1)\n", "\tx.Get(1)\n\tx.Use(audit)\n"),
            told: "// what it does",
        },
        Change {
            name: "comparison of C",
            files: &[
                (
                    "m.c",
                    "int compare(const void *a, const void *b)\n{\n\treturn 0; /* what it does */\n}\n",
                ),
                ("a.c", "void f(int *x)\n{\n\tg(x);\n}\n"),
            ],
            swapped: ("\tg(x);\n", "\tg(x);\n\tqsort(x, 3, 4, compare);\n"),
            told: "/* what it does",
        },
        Change {
            name: "member of a struct",
            files: &[
                (
                    "u.h",
                    "struct order {\n\tint total;\n\tchar label[8]; /* what it is */\n};\n",
                ),
                (
                    "a.c",
                    "#include \"u.h\"\nvoid f(struct order *o, const char *s)\n{\n\to->total = 1;\n}\n",
                ),
            ],
            swapped: (
                "\to->total = 1;\n",
                "\to->total = 1;\n\tstrcpy(o->label, s);\n",
            ),
            told: "/* what it is",
        },
        Change {
            name: "call with types",
            files: &[
                (
                    "m.go",
                    "package a\n\nfunc apply[T any](x []T) []T {\n\treturn nil // what it does\n}\n",
                ),
                (
                    "a.go",
                    "package a\n\nfunc f(x []int) []int {\n\treturn x\n}\n",
                ),
            ],
            swapped: ("return x", "return apply[int](x)"),
            told: "// what it does",
        },
    ]);
}

/// A field of the very type whose method the change edits is shown where it is declared.
#[test]
fn a_field_of_its_own_type_is_shown() {
    assert_told(&[
        Change {
            name: "Python",
            files: &[(
                "a.py",
                "class Svc:\n    def __init__(self):\n        self.cache = None  # what it is\n\nFILLING\n    def get(self, k):\n        return k\n",
            )],
            swapped: ("return k", "return self.cache[k]"),
            told: "# what it is",
        },
        Change {
            name: "TypeScript",
            files: &[(
                "a.ts",
                "export class Svc {\n  private cache?: Map<number, number>; // what it is\nFILLING\n  put(k: number) {\n    this.n++;\n  }\n}\n",
            )],
            swapped: ("this.n++", "this.cache!.set(k, 1)"),
            told: "// what it is",
        },
        Change {
            name: "Rust",
            files: &[(
                "a.rs",
                "pub struct Svc {\n    cache: Option<u32>, // what it is\n}\nimpl Svc {\nFILLING\n    pub fn put(&mut self, k: u32) -> u32 {\n        k\n    }\n}\n",
            )],
            swapped: ("\n        k\n", "\n        self.cache.unwrap() + k\n"),
            told: "// what it is",
        },
        Change {
            name: "C",
            files: &[(
                "a.c",
                "struct svc {\n\tint cache[4]; /* what it is */\n};\nFILLING\nvoid put(struct svc *s, int k)\n{\n\ts->n++;\n}\n",
            )],
            swapped: ("s->n++", "s->cache[k] = 1"),
            told: "/* what it is",
        },
    ]);
}

/// Law: what a file no longer imports or declares and still has is shown, in each language that asks nobody before it runs.
#[test]
fn what_is_left_of_a_removed_import_is_shown() {
    assert_told(&[
        Change {
            name: "module",
            files: &[(
                "a.py",
                "import json\nimport os\n\nFILLING\n\ndef total(n):\n    return json.dumps(n)  # still used\n",
            )],
            swapped: ("import json\n", ""),
            told: "# still used",
        },
        Change {
            name: "function",
            files: &[
                ("lib.py", "def helper(n):\n    return n\n"),
                (
                    "a.py",
                    "from lib import helper\nimport os\n\nFILLING\n\ndef total(n):\n    return helper(n)  # still used\n",
                ),
            ],
            swapped: ("from lib import helper\n", ""),
            told: "# still used",
        },
        Change {
            name: "one of several",
            files: &[
                (
                    "lib.js",
                    "export const helper = n => n;\nexport const other = n => n;\n",
                ),
                (
                    "a.js",
                    "import {helper, other} from \"./lib.js\";\nFILLING\nexport const total = n => helper(other(n)); // still used\n",
                ),
            ],
            swapped: ("{helper, other}", "{other}"),
            told: "// still used",
        },
        Change {
            name: "require",
            files: &[(
                "a.js",
                "const fs = require(\"fs\");\nconst x = require(\"x\");\nFILLING\nexports.total = n => fs.readFileSync(n); // still used\n",
            )],
            swapped: ("const fs = require(\"fs\");\n", ""),
            told: "// still used",
        },
        Change {
            name: "field of a class",
            files: &[(
                "a.ts",
                "export class A {\n  private ready = false;\nFILLING\n  second() {\n    return this.ready ? 1 : 2; // still used\n  }\n}\n",
            )],
            swapped: ("  private ready = false;\n", ""),
            told: "// still used",
        },
        Change {
            name: "field of a struct",
            files: &[(
                "a.go",
                "package a\n\ntype A struct {\n\tready bool\n\tn     int\n}\nFILLING\nfunc f(a *A) int {\n\tif a.ready { // still used\n\t\treturn 1\n\t}\n\treturn 2\n}\n",
            )],
            swapped: ("\tready bool\n", ""),
            told: "// still used",
        },
    ]);
}

/// What is called without brackets is shown.
#[test]
fn a_call_without_brackets_is_one() {
    assert_told(&[
        Change {
            name: "method of Ruby",
            files: &[
                (
                    "app/order.rb",
                    "class Order\n  def cancel\n    nil # what it does\n  end\nend\n",
                ),
                ("app/job.rb", "def run(order)\n  1\nend\n"),
            ],
            swapped: ("  1\n", "  order.cancel.id\n"),
            told: "# what it does",
        },
        Change {
            name: "function of Ruby",
            files: &[
                (
                    "lib/mail.rb",
                    "def notify(order)\n  raise \"no\" # what it does\nend\n",
                ),
                ("app/job.rb", "def run(order)\n  1\nend\n"),
            ],
            swapped: ("  1\n", "  notify order\n"),
            told: "# what it does",
        },
        Change {
            name: "property of Python",
            files: &[
                (
                    "order.py",
                    "class Order:\n    @property\n    def total(self):\n        return None  # what it does\n",
                ),
                (
                    "job.py",
                    "from order import Order\n\ndef run(order):\n    return 1\n",
                ),
            ],
            swapped: ("return 1", "return order.total + 1"),
            told: "# what it does",
        },
        Change {
            name: "getter",
            files: &[
                (
                    "order.js",
                    "export class Order {\n  get total() {\n    return null; // what it does\n  }\n}\n",
                ),
                (
                    "job.js",
                    "import {Order} from \"./order.js\";\nexport const run = order => {\n  return 1;\n};\n",
                ),
            ],
            swapped: ("return 1", "return order.total + 1"),
            told: "// what it does",
        },
        Change {
            name: "function of a shell",
            files: &[
                ("lib.sh", "deploy() {\n  rm -rf \"$1\" # what it does\n}\n"),
                ("run.sh", ". ./lib.sh\nmain() {\n  echo 1\n}\n"),
            ],
            swapped: ("  echo 1\n", "  deploy \"$1\"\n"),
            told: "# what it does",
        },
    ]);
}

/// Of a class that is called the constructor is shown, however much stands before it.
#[test]
fn the_constructor_of_a_long_class_is_shown() {
    assert_told(&[
        Change {
            name: "Python",
            files: &[
                (
                    "u.py",
                    "class Mailer:\nFILLING\n    def __init__(self, host, port=25):\n        self.h = host  # the constructor\n",
                ),
                (
                    "a.py",
                    "from u import Mailer\n\ndef f(x):\n    return Mailer(x)\n",
                ),
            ],
            swapped: ("Mailer(x)", "Mailer(x, ssl=True)"),
            told: "# the constructor",
        },
        Change {
            name: "TypeScript",
            files: &[
                (
                    "u.ts",
                    "export class Mailer {\nFILLING\n  constructor(host: string) {\n    this.h = host; // the constructor\n  }\n}\n",
                ),
                (
                    "a.ts",
                    "import {Mailer} from \"./u\";\nexport function f(x: string) {\n  return 1;\n}\n",
                ),
            ],
            swapped: ("return 1", "return new Mailer(x, 25)"),
            told: "// the constructor",
        },
        Change {
            name: "Java",
            files: &[
                (
                    "Mailer.java",
                    "class Mailer {\nFILLING\n  Mailer(String host) {\n    this.h = host; // the constructor\n  }\n}\n",
                ),
                (
                    "A.java",
                    "class A {\n  Object f(String x) {\n    return null;\n  }\n}\n",
                ),
            ],
            swapped: ("return null", "return new Mailer(x)"),
            told: "// the constructor",
        },
    ]);
}

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
