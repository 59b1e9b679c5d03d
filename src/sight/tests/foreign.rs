//! Values that modules from outside made, or whose types are theirs: what they are asked for has no definition here.

use super::*;

/// A type of the tree whose methods are called like those of others, by the ending of its file.
const OWN: [(&str, &str); 6] = [
    (
        "py",
        "class Pool:\n    def finish(self):\n        return 1  # OWN\n\n    def execute(self, sql):\n        return self.run(sql)  # OWN\n",
    ),
    (
        "go",
        "package app\n\ntype Pool struct{}\n\nfunc (p *Pool) Finish() error {\n\treturn nil // OWN\n}\n\nfunc (p *Pool) Execute(s string) error {\n\treturn nil // OWN\n}\n",
    ),
    (
        "ts",
        "export class Pool {\n  finish() {\n    return 1; // OWN\n  }\n\n  execute(sql: string) {\n    return sql; // OWN\n  }\n}\n",
    ),
    (
        "java",
        "package app;\n\npublic class Pool {\n    public void finish() {\n        stop(); // OWN\n    }\n\n    public void execute(String sql) {\n        run(sql); // OWN\n    }\n}\n",
    ),
    (
        "cs",
        "namespace App;\n\npublic class Pool\n{\n    public void Finish()\n    {\n        Stop(); // OWN\n    }\n\n    public void Execute(string sql)\n    {\n        Run(sql); // OWN\n    }\n}\n",
    ),
    (
        "rs",
        "pub struct Pool;\n\nimpl Pool {\n    pub fn finish(&self) -> u32 {\n        1 // OWN\n    }\n\n    pub fn execute(&self, sql: &str) -> u32 {\n        2 // OWN\n    }\n}\n",
    ),
];

/// Files with a value that a module from outside made; `ONE` is what the change edits.
const FOREIGN: [(&str, &str); 17] = [
    (
        "py",
        "import sqlite3\n\n\ndef report(path):\n    con = sqlite3.connect(path)\n    con.execute(\"ONE\")\n    con.finish()\n",
    ),
    (
        "py",
        "import sqlite3\n\n\ndef report(path):\n    with sqlite3.connect(path) as con:\n        con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "from sqlite3 import connect\n\n\nclass Report:\n    def __init__(self, path):\n        self.con = connect(path)\n\n    def run(self):\n        self.con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "import sqlite3\n\ncon = sqlite3.connect(\"a\")\n\n\ndef report():\n    con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "import sqlite3\n\n\ndef report(path):\n    return sqlite3.connect(path).execute(\"ONE\")\n",
    ),
    (
        "py",
        "import sqlite3\n\n\ndef report(con: sqlite3.Connection):\n    con.execute(\"ONE\")\n",
    ),
    (
        "go",
        "package app\n\nimport \"db\"\n\nfunc report(path string) error {\n\tf, err := db.Open(path)\n\tif err != nil {\n\t\treturn err\n\t}\n\tf.Execute(\"ONE\")\n\treturn f.Finish()\n}\n",
    ),
    (
        "go",
        "package app\n\nimport \"db\"\n\nfunc report(f db.Conn) error {\n\treturn f.Execute(\"ONE\")\n}\n",
    ),
    (
        "go",
        "package app\n\nimport \"db\"\n\nfunc report(path string) error {\n\tresp, err := db.Get(path)\n\tresp.Body.Execute(\"ONE\")\n\treturn err\n}\n",
    ),
    (
        "go",
        "package app\n\nimport \"db\"\n\nfunc serve(h H) {\n\th.Handle(func(w db.Writer, r *db.Request) {\n\t\tw.Execute(\"ONE\")\n\t})\n}\n",
    ),
    (
        "ts",
        "import fs from \"node:fs\";\n\nexport function report(path: string) {\n  const s = fs.createWriteStream(path);\n  s.execute(\"ONE\");\n  s.finish();\n}\n",
    ),
    (
        "ts",
        "import { connect } from \"node:net\";\n\nexport class Report {\n  private con = connect(1);\n\n  run() {\n    this.con.execute(\"ONE\");\n  }\n}\n",
    ),
    (
        "ts",
        "import { Socket } from \"node:net\";\n\nexport function report(con: Socket) {\n  con.execute(\"ONE\");\n}\n",
    ),
    (
        "java",
        "package app;\n\nimport java.io.*;\n\npublic class Report {\n    void report(String p) {\n        FileOutputStream f = new FileOutputStream(p);\n        f.execute(\"ONE\");\n        f.finish();\n    }\n}\n",
    ),
    (
        "java",
        "package app;\n\nimport java.nio.file.Files;\n\npublic class Report {\n    void report(String p) {\n        var f = Files.newOutputStream(p);\n        f.execute(\"ONE\");\n    }\n}\n",
    ),
    (
        "cs",
        "using System.IO;\n\nnamespace App;\n\npublic class Report\n{\n    void Run(FileStream f)\n    {\n        f.Execute(\"ONE\");\n    }\n}\n",
    ),
    (
        "rs",
        "use std::fs::File;\n\nfn report(path: &str) -> Option<u32> {\n    let f = File::create(path).ok()?;\n    let g = File::create(path)?;\n    g.execute(\"ONE\");\n    None\n}\n",
    ),
];

/// Files with a value that may be one of the tree's, though an import had a hand in it.
const HANDED: [(&str, &str); 13] = [
    (
        "py",
        "import copy\n\n\ndef report(pool):\n    con = copy.copy(pool)\n    con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "import inject\n\nfrom .pool import Pool\n\n\ndef report():\n    con = inject.give(Pool)\n    con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "import sqlite3\n\n\ndef report(path, con=None):\n    if con is None:\n        con = sqlite3.connect(path)\n    con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "import sqlite3\n\n\ndef report(path, given):\n    con = given or sqlite3.connect(path)\n    con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "import sqlite3\n\n\ndef report(path):\n    if path:\n        con = sqlite3.connect(path)\n    else:\n        con = local(path)\n    con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "import orm\n\n\ndef report(path):\n    rows = orm.connect(path)\n    row = rows.get(1)\n    row.execute(\"ONE\")\n",
    ),
    (
        "py",
        "from typing import Annotated\n\nfrom .pool import Pool\n\n\ndef report(con: Annotated[Pool, 1]):\n    con.execute(\"ONE\")\n",
    ),
    (
        "py",
        "from web import make\n\napp = make(1)\n\n\ndef report():\n    app.pool.execute(\"ONE\")\n",
    ),
    (
        "go",
        "package app\n\nimport \"context\"\n\nfunc report(ctx context.Context) error {\n\tcon := ctx.Value(1).(*Pool)\n\treturn con.Execute(\"ONE\")\n}\n",
    ),
    (
        "ts",
        "import { useStore } from \"node:hooks\";\n\nexport function report() {\n  const con = useStore();\n  con.execute(\"ONE\");\n}\n",
    ),
    (
        "ts",
        "import { watchable } from \"node:hooks\";\n\nexport function report() {\n  const con = watchable({ execute() {} });\n  con.execute(\"ONE\");\n}\n",
    ),
    (
        "java",
        "package app;\n\npublic class Report<T extends Pool> {\n    void report(T con) {\n        con.execute(\"ONE\");\n    }\n}\n",
    ),
    (
        "rs",
        "use std::sync::Arc;\n\nuse crate::pool::Pool;\n\nfn report(given: Pool) {\n    let con = Arc::new(given);\n    con.execute(\"ONE\");\n}\n",
    ),
];

/// The brief of a change within a file that holds such a value, beside the tree's own type.
fn brief_beside(ending: &str, text: &str, more: &[(&str, &str)]) -> String {
    let repo = Repo::new();
    let (_, own) = OWN.iter().find(|(of, _)| *of == ending).unwrap();
    let pool = if ending == "java" || ending == "cs" {
        "Pool"
    } else {
        "pool"
    };
    let filling = if ending == "py" { "#\n" } else { "//\n" }.repeat(220);
    repo.write("go.mod", "module ex.com/app\n\ngo 1.22\n");
    repo.write("package.json", "{\n  \"name\": \"app\"\n}\n");
    repo.write("src/__init__.py", "");
    repo.write(&format!("src/{pool}.{ending}"), format!("{own}{filling}"));
    for (path, text) in more {
        repo.write(path, *text);
    }
    repo.write(&format!("src/report.{ending}"), text)
        .commit("one");
    repo.write(&format!("src/report.{ending}"), text.replace("ONE", "TWO"));
    repo.commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    render(&packet, &look(&change, &packet))
}

#[test]
fn what_a_value_from_outside_is_asked_for_has_no_definition() {
    let shown: Vec<&str> = FOREIGN
        .iter()
        .filter(|(ending, text)| brief_beside(ending, text, &[]).contains("OWN"))
        .map(|(_, text)| *text)
        .collect();
    assert_eq!(shown, Vec::<&str>::new());
}

#[test]
fn what_may_be_a_value_of_the_tree_keeps_its_definition() {
    let missing: Vec<&str> = HANDED
        .iter()
        .filter(|(ending, text)| !brief_beside(ending, text, &[]).contains("OWN"))
        .map(|(_, text)| *text)
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// Law: where the module is one of the tree, or nobody says what made the value, the definition is shown.
#[test]
fn a_module_of_the_tree_makes_values_of_the_tree() {
    let modules = [
        (
            "src/sqlite3.py",
            "def connect(path):\n    return find(path)\n",
        ),
        (
            "src/db/db.go",
            "package db\n\nfunc Open(path string) (Conn, error) {\n\treturn find(path), nil\n}\n",
        ),
        (
            "src/files.ts",
            "export const createWriteStream = (path: string) => find(path);\nexport const connect = createWriteStream;\nexport default { createWriteStream };\n",
        ),
        (
            "src/files.rs",
            "pub fn create(path: &str) -> Option<Pool> {\n    find(path)\n}\n",
        ),
    ];
    let typed = |text: &str| {
        ["Connection", "db.Conn", "db.Writer", "Socket", "fs::File"]
            .iter()
            .any(|word| text.contains(word))
    };
    let of_tree = FOREIGN
        .iter()
        .filter(|(ending, text)| !["java", "cs"].contains(ending) && !typed(text));
    let missing: Vec<String> = of_tree
        .map(|(ending, text)| {
            let text = text.replace("import sqlite3", "from src import sqlite3");
            let text = text
                .replace("from sqlite3", "from src.sqlite3")
                .replace("\"db\"", "\"ex.com/app/src/db\"");
            (
                *ending,
                text.replace("node:fs", "./files")
                    .replace("node:net", "./files"),
            )
        })
        .filter(|(ending, text)| !brief_beside(ending, text, &modules).contains("OWN"))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

/// Who asks a value from outside does not use the tree's own method of that name; who asks another one may.
#[test]
fn a_value_from_outside_is_no_user_of_the_trees_own_method() {
    let repo = Repo::new();
    let (_, own) = OWN[0];
    repo.write("src/__init__.py", "").write("src/pool.py", own);
    let user = |made: &str, mark: &str| {
        format!(
            "import sqlite3\n\n\ndef report(path, given):\n    con = {made}\n    con.execute(path)  # {mark}\n"
        )
    };
    repo.write("src/outside.py", user("sqlite3.connect(path)", "OUTSIDE"));
    repo.write("src/inside.py", user("given", "INSIDE"))
        .commit("one");
    repo.write(
        "src/pool.py",
        own.replace("self.run(sql)", "self.run_all(sql)"),
    );
    repo.commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    assert!(brief.contains("INSIDE"), "{brief}");
    assert!(!brief.contains("OUTSIDE"), "{brief}");
}
