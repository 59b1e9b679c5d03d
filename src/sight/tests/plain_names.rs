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
pub(super) struct Change {
    pub(super) name: &'static str,
    pub(super) files: &'static [(&'static str, &'static str)],
    /// In the last of the files.
    pub(super) swapped: (&'static str, &'static str),
    pub(super) told: &'static str,
}

impl Change {
    pub(super) fn brief(&self) -> String {
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

pub(super) fn assert_told(changes: &[Change]) {
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
