//! Callers that only the types of a file tell: the constructor of a parent, and methods with everyday names.

use super::*;
use crate::prompt::ContextBody;

/// So many lines that nothing is shown because it stands near.
fn filling(mark: &str) -> String {
    (0..170)
        .map(|n| format!("{mark} filling {n}\n\n"))
        .collect()
}

/// A class whose constructor the change edits, a subclass that calls it, and the call.
struct Parent {
    path: &'static str,
    mark: &'static str,
    class: &'static str,
    swapped: (&'static str, &'static str),
    child: (&'static str, &'static str),
    call: &'static str,
}

const PARENTS: [Parent; 7] = [
    Parent {
        path: "js/timer.js",
        mark: "//",
        class: "export class Timer {\n  constructor(delay, unit) {\n    this.delay = delay + unit;\n  }\n}\n",
        swapped: ("(delay, unit)", "(unit, delay)"),
        child: (
            "js/fast.js",
            "export class Fast extends Timer {\n@  constructor() {\n    super(3, 's');\n  }\n}\n",
        ),
        call: "super(3, 's');",
    },
    Parent {
        path: "ts/clock.ts",
        mark: "//",
        class: "export class Clock<T> {\n  constructor(delay: number, unit: T) {\n    this.delay = delay;\n  }\n}\n",
        swapped: ("(delay: number, unit: T)", "(unit: T, delay: number)"),
        child: (
            "ts/wall.ts",
            "export class Wall extends base.Clock<string> {\n@  constructor() {\n    super(4, 's');\n  }\n}\n",
        ),
        call: "super(4, 's');",
    },
    Parent {
        path: "j/Account.java",
        mark: "//",
        class: "class Account {\n    Account(int a, int b) {\n        this.a = a + b;\n    }\n}\n",
        swapped: ("(int a, int b)", "(int b, int a)"),
        child: (
            "j/Saving.java",
            "class Saving extends Account {\n@    Saving() {\n        super(1, 2);\n    }\n}\n",
        ),
        call: "super(1, 2);",
    },
    Parent {
        path: "cs/Order.cs",
        mark: "//",
        class: "class Order {\n    public Order(int a, int b) {\n        this.a = a + b;\n    }\n}\n",
        swapped: ("(int a, int b)", "(int b, int a)"),
        child: (
            "cs/Late.cs",
            "class Late : Order {\n@    public Late()\n        : base(5, 6) {\n    }\n}\n",
        ),
        call: ": base(5, 6)",
    },
    Parent {
        path: "py/session.py",
        mark: "#",
        class: "class Session:\n    def __init__(self, url, retries):\n        self.url = url + retries\n",
        swapped: ("(self, url, retries)", "(self, retries, url)"),
        child: (
            "py/cached.py",
            "class Cached(Session):\n@    def __init__(self):\n        super().__init__('x', 3)\n",
        ),
        call: "super().__init__('x', 3)",
    },
    Parent {
        path: "php/Mailer.php",
        mark: "//",
        class: "class Mailer {\n    public function __construct($host, $port) {\n        $this->host = $host . $port;\n    }\n}\n",
        swapped: ("($host, $port)", "($port, $host)"),
        child: (
            "php/Smtp.php",
            "class Smtp extends Mailer {\n@    public function __construct() {\n        parent::__construct('h', 25);\n    }\n}\n",
        ),
        call: "parent::__construct('h', 25);",
    },
    Parent {
        path: "rb/job.rb",
        mark: "#",
        class: "class Job\n  def initialize(name, queue)\n    @name = name + queue\n  end\nend\n",
        swapped: ("(name, queue)", "(queue, name)"),
        child: (
            "rb/mail_job.rb",
            "class MailJob < Job\n@  def initialize\n    super('mail', 'low')\n  end\nend\n",
        ),
        call: "super('mail', 'low')",
    },
];

/// Law: who calls the constructor of a parent by no name is shown as whoever calls it by its name is, however far below the
/// head of the class; who calls that of another parent is not.
#[test]
fn a_constructor_that_a_subclass_calls_has_a_caller() {
    for far in [false, true] {
        let repo = Repo::new();
        let child = |one: &Parent| {
            let room = if far {
                filling(one.mark)
            } else {
                String::new()
            };
            let class = one.child.1.replace('@', &room);
            let opening = if one.path.ends_with(".php") {
                "<?php\n"
            } else {
                ""
            };
            format!("{opening}{class}")
        };
        let parent = |one: &Parent, class: &str| {
            let opening = if one.path.ends_with(".php") {
                "<?php\n"
            } else {
                ""
            };
            format!("{opening}{}{class}", filling(one.mark))
        };
        for one in &PARENTS {
            repo.write(one.path, parent(one, one.class));
            repo.write(one.child.0, child(one));
            // The same with another parent, beside it.
            let (folder, name) = one.child.0.split_once('/').unwrap();
            let type_name = one
                .class
                .split_whitespace()
                .find(|word| word.starts_with(char::is_uppercase))
                .unwrap();
            let type_name = type_name.trim_end_matches(|c: char| !c.is_alphanumeric());
            let type_name = type_name.split('<').next().unwrap();
            let other = child(one).replace(type_name, "Another");
            repo.write(&format!("{folder}/other_{name}"), other);
        }
        repo.commit("one");
        for one in &PARENTS {
            let (before, after) = one.swapped;
            repo.write(one.path, parent(one, &one.class.replace(before, after)));
        }
        repo.commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        let gathered = look(&change, &packet);
        for one in &PARENTS {
            let shown = |path: &str| {
                let mut blocks = gathered
                    .blocks
                    .iter()
                    .filter(|block| block.path.display() == path);
                blocks.any(|block| match &block.body {
                    ContextBody::Lines { text, start, end } => {
                        let lines = text
                            .lines()
                            .skip(*start as usize - 1)
                            .take((*end - *start) as usize + 1);
                        lines.into_iter().any(|line| line.contains(one.call))
                    }
                    ContextBody::Words(_) => false,
                })
            };
            assert!(
                shown(one.child.0),
                "{} far: {far}: {:?}",
                one.child.0,
                heads(&repo)
            );
            let (folder, name) = one.child.0.split_once('/').unwrap();
            assert!(
                !shown(&format!("{folder}/other_{name}")),
                "{} far: {far}: {:?}",
                one.child.0,
                heads(&repo)
            );
        }
    }
}

/// Law: a method with an everyday name has those callers whose files tell the type of what it is called on, in whatever way
/// the language writes that, and not those who call it on something else.
#[test]
fn callers_of_an_everyday_method_are_told_by_the_type_of_its_receiver() {
    for name in ["get", "run", "put", "list", "add"] {
        let repo = Repo::new();
        let python = |body: &str| {
            format!(
                "{}class Headers:\n    def {name}(self, key):\n        return {body}\n",
                filling("#")
            )
        };
        let script = |body: &str| {
            format!(
                "{}export class Crate {{\n  {name}(key) {{\n    return {body};\n  }}\n}}\n",
                filling("//")
            )
        };
        repo.write("lib/headers.py", python("self.items[key]"));
        repo.write("web/crate.js", script("this.items[key]"));
        let callers = [
            (
                "a/annotated.py",
                format!("def take(h: Headers):\n    return h.{name}('a')\n"),
            ),
            (
                "b/made.py",
                format!("def take():\n    h = Headers()\n    return h.{name}('a')\n"),
            ),
            (
                "c/named.py",
                format!("def take(request):\n    return request.headers.{name}('a')\n"),
            ),
            (
                "d/made.js",
                format!(
                    "export function take() {{\n  const c = new Crate();\n  return c.{name}('a');\n}}\n"
                ),
            ),
            (
                "e/annotated.ts",
                format!("export function take(c: Crate) {{\n  return c.{name}('a');\n}}\n"),
            ),
            (
                "f/named.js",
                format!("export function take(box) {{\n  return box.crate.{name}('a');\n}}\n"),
            ),
        ];
        for (path, text) in &callers {
            repo.write(path, text);
        }
        for n in 0..30 {
            repo.write(
                &format!("lib/z{n}.py"),
                format!("def z{n}(d):\n    return d.{name}({n})\n"),
            );
            repo.write(
                &format!("web/z{n}.js"),
                format!("export function z{n}(d) {{\n  return d.{name}({n});\n}}\n"),
            );
        }
        repo.commit("one");
        repo.write("lib/headers.py", python("self.items.pop(key)"));
        repo.write("web/crate.js", script("this.items.pop(key)"));
        repo.commit("two");
        let heads = heads(&repo);
        for (caller, _) in &callers {
            assert!(has(&heads, caller), "{name}: {caller}: {heads:?}");
        }
        assert!(
            !has(&heads, "lib/z") && !has(&heads, "web/z"),
            "{name}: {heads:?}"
        );
    }
}

/// Law: what a change calls on something whose type the file tells brings the method of that type, and not whatever has the
/// same name beside it.
#[test]
fn a_called_method_brings_the_definition_of_its_receivers_type() {
    for name in ["get", "put", "list"] {
        let repo = Repo::new();
        let caller = |key: &str| {
            format!(
                "{}import {{ Store }} from './store.js';\n\nexport function take(request) {{\n  const s = new Store();\n  \
                 return request.headers.{name}({key}) + s.{name}({key});\n}}\n",
                filling("//")
            )
        };
        repo.write("web/caller.js", caller("'a'"));
        repo.write(
            "web/store.js",
            format!(
                "export class Store {{\n  {name}(key) {{\n    return this.kept[key];\n  }}\n}}\n"
            ),
        );
        repo.write(
            "web/queue.js",
            format!(
                "export class Queue {{\n  {name}(key) {{\n    return this.rows[key];\n  }}\n}}\n"
            ),
        );
        repo.commit("one");
        repo.write("web/caller.js", caller("'b'")).commit("two");
        let heads = heads(&repo);
        assert!(has(&heads, "web/store.js"), "{name}: {heads:?}");
        assert!(!has(&heads, "web/queue.js"), "{name}: {heads:?}");
    }
}
