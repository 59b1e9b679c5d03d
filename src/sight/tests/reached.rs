//! Who is reached by a change though it speaks of something else: whoever has an outer function, or a value of a type.

use super::*;

/// So many lines that nothing is shown because it stands near.
fn filling(mark: &str) -> String {
    (0..170)
        .map(|n| format!("{mark} filling {n}\n\n"))
        .collect()
}

/// An edited file, what is swapped in it, and a file that is to be shown for a line of it.
pub(super) struct Reach {
    pub(super) edited: (&'static str, &'static str),
    pub(super) swapped: (&'static str, &'static str),
    pub(super) user: (&'static str, &'static str),
    pub(super) line: &'static str,
}

impl Reach {
    /// The brief of a repository with nothing but the two files, each far away from what else it holds.
    fn brief(&self) -> String {
        let repo = Repo::new();
        let far = |path: &str, text: &str| {
            let mark = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
                "json" => return text.to_owned(),
                "py" | "rb" | "sh" | "tf" | "yml" | "graphql" | "" => "#",
                "lua" | "sql" => "--",
                _ => "//",
            };
            let opening = if path.ends_with(".php") {
                "<?php\n"
            } else {
                ""
            };
            format!("{opening}{text}{}", filling(mark))
        };
        repo.write("go.mod", "module ex\n");
        repo.write(self.user.0, far(self.user.0, self.user.1));
        repo.write(self.edited.0, far(self.edited.0, self.edited.1));
        repo.commit("one");
        let (before, after) = self.swapped;
        assert!(self.edited.1.contains(before), "{before}");
        repo.write(
            self.edited.0,
            far(self.edited.0, &self.edited.1.replace(before, after)),
        );
        repo.commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        render(&packet, &look(&change, &packet))
    }
}

pub(super) fn assert_shown(cases: &[Reach]) {
    let missing: Vec<String> = cases
        .iter()
        .filter(|case| !case.brief().contains(case.line))
        .map(|case| format!("{}: {} -> {}", case.edited.0, case.swapped.0, case.line))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

const NESTED: [Reach; 9] = [
    Reach {
        edited: (
            "core/retry.py",
            "def retry(times=3):\n    def wrap(fn):\n        def inner(*a):\n            return fn(*a) or LEAST\n        return \
             inner\n    return wrap\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "jobs/pay.py",
            "from core.retry import retry\n\n@retry(times=5)\ndef charge(card):\n    gateway.send(card)\n",
        ),
        line: "gateway.send(card)",
    },
    Reach {
        edited: (
            "src/useForm.js",
            "export function useForm(initial) {\n  const validate = (values) => {\n    return LEAST;\n  };\n  return \
             makeForm(initial, validate);\n}\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "src/Signup.jsx",
            "import { useForm } from './useForm';\n\nexport function Signup() {\n  const form = useForm({});\n  return \
             register(form.email);\n}\n",
        ),
        line: "register(form.email)",
    },
    Reach {
        edited: (
            "src/Pay.tsx",
            "export function PayButton({ onPaid }: Props) {\n  const handleClick = async () => {\n    onPaid(LEAST);\n  };\n  \
             return <button onClick={handleClick}>Pay</button>;\n}\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "src/Cart.tsx",
            "import { PayButton } from './Pay';\n\nexport function Cart() {\n  return <PayButton onPaid={(id) => ship(id)} \
             />;\n}\n",
        ),
        line: "ship(id)",
    },
    Reach {
        edited: (
            "mw/auth.go",
            "package mw\n\nfunc Auth(next Handler) Handler {\n\tcheck := func(r Request) bool {\n\t\treturn LEAST\n\t}\n\t\
             return wrap(next, check)\n}\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "main.go",
            "package main\n\nimport \"ex/mw\"\n\nfunc main() {\n\thandle(\"/admin\", mw.Auth(admin()))\n}\n",
        ),
        line: "mw.Auth(admin())",
    },
    Reach {
        edited: (
            "src/rates.rs",
            "pub fn convert(a: u64) -> u64 {\n    fn round_up(a: u64) -> u64 {\n        a + LEAST\n    }\n    round_up(a)\n}\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "src/bill.rs",
            "use crate::rates::convert;\n\npub fn bill(x: u64) -> u64 {\n    convert(x) / 100\n}\n",
        ),
        line: "convert(x) / 100",
    },
    Reach {
        edited: (
            "src/Rates.kt",
            "fun convertAll(a: Int): Int {\n    fun roundUp(b: Int): Int {\n        return b + LEAST\n    }\n    return \
             roundUp(a)\n}\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "src/Bill.kt",
            "fun bill(x: Int): Int {\n    return convertAll(x) / 100\n}\n",
        ),
        line: "convertAll(x) / 100",
    },
    Reach {
        edited: (
            "src/x/Pool.java",
            "package x;\n\nclass Pool {\n    static Thread openWorker(int a) {\n        return new Thread(new Runnable() {\n    \
             \x20       public void run() {\n                work(LEAST);\n            }\n        });\n    }\n}\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "src/x/Use.java",
            "package x;\n\nclass Use {\n    void go() {\n        Pool.openWorker(1).join();\n    }\n}\n",
        ),
        line: "Pool.openWorker(1).join()",
    },
    Reach {
        edited: (
            "lib/rates.lua",
            "function convert_all(a)\n  local function round_up(b)\n    return b + LEAST\n  end\n  return round_up(a)\nend\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "lib/bill.lua",
            "function bill(x)\n  return convert_all(x) / 100\nend\n",
        ),
        line: "convert_all(x) / 100",
    },
    Reach {
        edited: (
            "src/Rates.cs",
            "public static class Rates\n{\n    public static int ConvertAll(int a)\n    {\n        int RoundUp(int b)\n        \
             {\n            return b + LEAST;\n        }\n        return RoundUp(a);\n    }\n}\n",
        ),
        swapped: ("LEAST", "MOST"),
        user: (
            "src/Bill.cs",
            "public class Bill\n{\n    public int Go(int x)\n    {\n        return Rates.ConvertAll(x) / 100;\n    }\n}\n",
        ),
        line: "ConvertAll(x) / 100",
    },
];

/// Law: whoever reads a key that is taken away is shown, in whichever language; who has a variable of that name is not.
#[test]
fn who_reads_a_key_that_is_gone_is_shown_in_any_language() {
    const WRITERS: [(&str, &str); 4] = [
        (
            "server/api.py",
            "def order(o):\n    return {\"currency_code\": o.cur, \"total\": 3}\n",
        ),
        (
            "server/m.go",
            "package m\n\ntype Order struct {\n\tTotal int `json:\"total\"`\n\tCur string `json:\"currency_code\"`\n}\n",
        ),
        (
            "server/Order.java",
            "class Order {\n  @JsonProperty(\"currency_code\")\n  private String cur;\n}\n",
        ),
        (
            "server/order.rb",
            "def order(o)\n  { \"currency_code\" => o.cur }\nend\n",
        ),
    ];
    const READERS: [(&str, &str); 4] = [
        (
            "web/order.js",
            "export function show(o) {\n  return spend(o.currency_code);\n}\n",
        ),
        (
            "web/order.ts",
            "export function show(o: any) {\n  return spend(o['currency_code']);\n}\n",
        ),
        (
            "tools/read.py",
            "def show(o):\n    return spend(o[\"currency_code\"])\n",
        ),
        (
            "web/Show.kt",
            "fun show(o: Map<String, String>) {\n    spend(o[\"currency_code\"])\n}\n",
        ),
    ];
    const OTHER: (&str, &str) = (
        "web/other.js",
        "export function other(currency_code) {\n  return spend(currency_code);\n}\n",
    );
    for edited in WRITERS {
        let case = |user: (&'static str, &'static str)| Reach {
            edited,
            swapped: ("currency_code", "currency"),
            user,
            line: user.1.lines().find(|line| line.contains("spend")).unwrap(),
        };
        assert_shown(&READERS.map(case));
        assert!(!case(OTHER).brief().contains("spend("), "{}", edited.0);
    }
}

/// Law: an edit in a function within another one shows who uses the outer one, in every language that nests them.
#[test]
fn who_uses_an_outer_function_is_shown_where_an_inner_one_changes() {
    assert_shown(&NESTED);
}

/// A class of each language, a method of it that runs without its name, and the use of the type.
const UNNAMED: [(&str, &str, &str, &str, &str); 15] = [
    (
        "src/ledger.cpp",
        "#include \"ledger.h\"\n\nNAME\n{\n    close(LEAST);\n}\n",
        "Ledger::~Ledger()|bool Ledger::operator<(const Ledger &o)|Row Ledger::operator[](int i)",
        "src/use.cpp",
        "#include \"ledger.h\"\n\nvoid go(int x)\n{\n    Ledger spend(x);\n    work(spend);\n}\n",
    ),
    (
        "core/ledger.py",
        "class Ledger:\n    def NAME(self, *a):\n        return LEAST\n",
        "__enter__ __exit__ __eq__ __call__ __getitem__ __iter__ __del__ __init__",
        "app/use.py",
        "from core.ledger import Ledger\n\n\ndef go(x):\n    return spend(Ledger(x))\n",
    ),
    (
        "src/ledger.rs",
        "pub struct Ledger;\n\nimpl TRAIT for Ledger {\n    fn NAME(&mut self) {\n        close(LEAST);\n    }\n}\n",
        "drop deref index add eq cmp hash fmt next",
        "src/work.rs",
        "use crate::ledger::Ledger;\n\npub fn go(x: i32) {\n    let _l = spend(Ledger::take(x));\n}\n",
    ),
    (
        "src/ledger.h",
        "class Ledger {\npublic:\n    NAME {\n        close(LEAST);\n    }\n};\n",
        "~Ledger() |Ledger(int x) |bool operator==(const Ledger &o) const|Row operator[](int i)|void operator()(int i)",
        "src/use.cpp",
        "#include \"ledger.h\"\n\nvoid go(int x)\n{\n    Ledger spend(x);\n    work(spend);\n}\n",
    ),
    (
        "src/Ledger.cs",
        "public class Ledger\n{\n    public NAME\n    {\n        Close(LEAST);\n    }\n}\n",
        "void Dispose()|bool Equals(object o)|int GetHashCode()|string ToString()|static bool operator ==(Ledger a, Ledger b)",
        "src/Use.cs",
        "public class Use\n{\n    public void Go(int x)\n    {\n        using var spend = new Ledger(x);\n    }\n}\n",
    ),
    (
        "src/x/Ledger.java",
        "package x;\n\npublic class Ledger {\n    public Object NAME(Object o) {\n        return use(LEAST);\n    }\n}\n",
        "equals hashCode close toString compareTo iterator",
        "src/x/Use.java",
        "package x;\n\nclass Use {\n    void go(int x) {\n        spend(new Ledger(x));\n    }\n}\n",
    ),
    (
        "src/ledger.js",
        "export class Ledger {\n  NAME() {\n    return use(LEAST);\n  }\n}\n",
        "constructor toString valueOf toJSON [Symbol.iterator] [Symbol.dispose]",
        "src/use.js",
        "import { Ledger } from './ledger.js';\n\nexport function go(x) {\n  return spend(new Ledger(x));\n}\n",
    ),
    (
        "src/Ledger.kt",
        "class Ledger {\n    NAME(o: Any): Any {\n        return use(LEAST)\n    }\n}\n",
        "override fun close|override fun equals|operator fun plus|operator fun invoke",
        "src/Use.kt",
        "fun go(x: Int) {\n    spend(Ledger(x))\n}\n",
    ),
    (
        "src/Ledger.swift",
        "class Ledger {\n    NAME {\n        close(LEAST)\n    }\n}\n",
        "deinit|static func == (a: Ledger, b: Ledger) -> Bool|subscript(i: Int) -> Int",
        "src/Use.swift",
        "func go(x: Int) {\n    spend(Ledger(x))\n}\n",
    ),
    (
        "lib/ledger.rb",
        "class Ledger\n  def NAME(o)\n    use(LEAST)\n  end\nend\n",
        "== <=> [] to_s each call",
        "lib/use.rb",
        "require_relative 'ledger'\n\ndef go(x)\n  spend(Ledger.new(x))\nend\n",
    ),
    (
        "src/Ledger.php",
        "class Ledger {\n  public function NAME() {\n    return work(LEAST);\n  }\n}\n",
        "__destruct __toString __get __invoke offsetGet __construct",
        "src/Use.php",
        "function go($x) {\n  return spend(new Ledger($x));\n}\n",
    ),
    (
        "lib/ledger.dart",
        "class Ledger {\n  NAME {\n    return use(LEAST);\n  }\n}\n",
        "bool operator ==(Object o)|String toString()|void dispose()",
        "lib/use.dart",
        "void go(int x) {\n  spend(Ledger(x));\n}\n",
    ),
    (
        "src/Ledger.scala",
        "class Ledger {\n  def NAME(o: Any): Any = {\n    use(LEAST)\n  }\n}\n",
        "equals toString close apply",
        "src/Use.scala",
        "object Use {\n  def go(x: Int): Any = {\n    spend(new Ledger(x))\n  }\n}\n",
    ),
    (
        "ledger/ledger.go",
        "package ledger\n\ntype Ledger struct{}\n\nfunc (l *Ledger) NAME() string {\n\treturn use(LEAST)\n}\n",
        "String Error MarshalJSON",
        "use/use.go",
        "package use\n\nimport \"ex/ledger\"\n\nfunc Go(x int) {\n\tspend(ledger.Ledger{x})\n}\n",
    ),
    (
        "lib/ledger.lua",
        "Ledger = {}\n\nfunction Ledger.NAME(a)\n  return use(LEAST)\nend\n",
        "__eq __index __call",
        "lib/use.lua",
        "function go(x)\n  return spend(Ledger.new(x))\nend\n",
    ),
];

/// The methods of `UNNAMED` whose type's users are not shown, where the type is called `owner`.
fn unseen_users(owner: &str, paths: impl Fn(&str) -> bool) -> Vec<String> {
    let mut missing = Vec::new();
    for (edited, text, names, user, use_of) in UNNAMED.into_iter().filter(|case| paths(case.0)) {
        let separator = if names.contains('|') { '|' } else { ' ' };
        let use_of: &str = String::leak(use_of.replace("Ledger", owner));
        for name in names.split(separator) {
            let text = text.replace("NAME", name).replace("TRAIT", "Any");
            let case = Reach {
                edited: (edited, String::leak(text.replace("Ledger", owner))),
                swapped: ("LEAST", "MOST"),
                user: (user, use_of),
                line: use_of.lines().find(|line| line.contains("spend")).unwrap(),
            };
            if !case.brief().contains(case.line.trim()) {
                missing.push(format!("{edited}: {name}"));
            }
        }
    }
    missing
}

/// Law: an edit in a method that nobody calls by its name shows who has a value of its type, in every language.
#[test]
fn who_has_a_value_is_shown_where_a_method_without_callers_by_name_changes() {
    assert_eq!(unseen_users("Ledger", |_| true), Vec::<String>::new());
}

/// Law: the same of a type with a name of two letters, wherever an import or a package tells that it is that one.
#[test]
fn who_has_a_value_of_a_type_with_a_short_name_is_shown() {
    let is_told = |path: &str| {
        let ending = path.rsplit_once('.').unwrap().1;
        ["py", "rs", "h", "cs", "java", "js", "kt", "go"].contains(&ending)
    };
    // A method whose name is computed is known by its class alone, and that name stands everywhere.
    let unseen = unseen_users("Tx", is_told).into_iter();
    let unseen: Vec<String> = unseen.filter(|case| !case.contains("[Symbol.")).collect();
    assert_eq!(unseen, Vec::<String>::new());
}

#[test]
fn the_merge_tells_why_lines_were_there_where_their_commit_does_not() {
    let guarded = "def f(n):\n    if n is None:\n        return 0\n    x = compute_the_value(n)\n    return x\n";
    let plain = "def f(n):\n    x = compute_the_value(n)\n    return x\n";
    let told = |wip: &str, merge: &str| {
        let repo = Repo::new();
        repo.write("a.py", plain).commit("init");
        repo.git(&["checkout", "-q", "-b", "fix-crash"]);
        repo.write("a.py", guarded).commit(wip);
        repo.git(&["checkout", "-q", "main"]);
        repo.write("z.py", "1\n").commit("z");
        repo.git(&["merge", "-q", "--no-ff", "-m", merge, "fix-crash"]);
        repo.write("a.py", plain).commit("simplify");
        let (change, packet) = prepare(&repo, "main~1..main");
        render(&packet, &look(&change, &packet))
    };
    let merge = "Merge pull request #12 from ann/none\n\nFix crash of the nightly job with None";
    for wip in ["wip", "address review"] {
        let brief = told(wip, merge);
        assert!(brief.contains("were merged by commit"), "{brief}");
        assert!(
            brief.contains("Fix crash of the nightly job with None"),
            "{brief}"
        );
    }
    // The commit itself comes first.
    let brief = told("Fix None, which the API gives", merge);
    assert!(brief.contains("Fix None, which the API gives"), "{brief}");
    assert!(!brief.contains("nightly job"), "{brief}");
    // What git writes of branches is no reason.
    assert!(!told("wip", "Merge branch 'fix-crash'").contains("merged by"));
}
