//! Who calls a function through a table that holds it.

use proptest::prelude::*;

use super::*;

type File = (&'static str, &'static str);

/// A file with a function `pay` and a table that holds it; a file that calls through the table.
const TABLES: [[File; 2]; 7] = [
    [
        (
            "a/h.py",
            "def pay(e):\n    return find(e, 77)\n\n\nTABLE = {\n    \"ship\": 1,\n    \"pay\": pay,\n}\n",
        ),
        (
            "a/run.py",
            "from a.h import TABLE\n\n\ndef run(e):\n    return len(TABLE[e.kind](e))\n",
        ),
    ],
    [
        (
            "a/h.py",
            "def pay(e):\n    return find(e, 77)\n\n\nTABLE = [(\"pay\", pay)]\n",
        ),
        (
            "a/run.py",
            "from a.h import TABLE\n\n\ndef run(e):\n    return [len(f(e)) for _, f in TABLE]\n",
        ),
    ],
    [
        (
            "src/h.ts",
            "function pay(e: string) {\n  return find(e, 77);\n}\n\nexport const table: Record<string, F> = {\n  pay: pay,\n};\n",
        ),
        (
            "src/run.ts",
            "import { table } from \"./h\";\n\nexport function run(k: string, e: string) {\n  return table[k](e).length;\n}\n",
        ),
    ],
    [
        (
            "src/h.js",
            "function pay(e) {\n  return find(e, 77);\n}\n\nexport const table = {\n  pay,\n};\n",
        ),
        (
            "src/run.js",
            "import { table } from \"./h.js\";\n\nexport function run(k, e) {\n  return table[k](e).length;\n}\n",
        ),
    ],
    [
        (
            "h.go",
            "package a\n\nfunc pay(e string) []string {\n\treturn find(e, 77)\n}\n\nvar table = map[string]func(string) []string{\n\t\"pay\": pay,\n}\n",
        ),
        (
            "run.go",
            "package a\n\nfunc run(kind, e string) string {\n\treturn table[kind](e)[0]\n}\n",
        ),
    ],
    [
        (
            "file.c",
            "#include \"ops.h\"\n\nstatic int pay(int fd) {\n    return find(fd, 77);\n}\n\nconst struct ops file_ops = {\n    .fetch_page = pay,\n};\n",
        ),
        (
            "main.c",
            "#include \"ops.h\"\n\nint drain(const struct ops *o, int fd) {\n    return o->fetch_page(fd) + 1;\n}\n",
        ),
    ],
    [
        (
            "src/h.rs",
            "fn pay(e: u32) -> u32 {\n    find(e, 77)\n}\n\npub const TABLE: [(&str, fn(u32) -> u32); 1] = [(\"pay\", pay)];\n",
        ),
        (
            "src/run.rs",
            "use crate::h::TABLE;\n\npub fn run(e: u32) -> u32 {\n    TABLE[0].1(e) + 1\n}\n",
        ),
    ],
];

/// The brief of a change of the function, behind so many other entries of the table's file.
fn brief([home, user]: &[File; 2], others: usize) -> String {
    let repo = Repo::new();
    repo.write("go.mod", "module a\n");
    let mark = if home.0.ends_with(".py") { "#" } else { "//" };
    let filling = format!("{mark}\n").repeat(others * 40);
    let text = |value: &str| format!("{}{filling}", home.1.replace("77", value));
    repo.write(user.0, user.1);
    repo.write(home.0, text("77")).commit("one");
    repo.write(home.0, text("78")).commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    render(&packet, &look(&change, &packet))
}

fn call(user: &str) -> &str {
    let calls = ["TABLE[", "in TABLE", "table[", "->fetch_page("];
    let mut lines = user.lines();
    let line = lines.find(|line| calls.iter().any(|call| line.contains(call)));
    line.unwrap().trim()
}

#[test]
fn who_calls_through_a_table_is_shown_where_a_function_in_it_changes() {
    let missing: Vec<&str> = TABLES
        .iter()
        .filter(|table| !brief(table, 0).contains(call(table[1].1)))
        .map(|table| table[1].1)
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// What a list of exports, a constant or a table of a test holds is called by nobody through it.
#[test]
fn what_is_no_table_of_functions_leads_nowhere() {
    for (path, home, user) in [
        (
            "a/h.py",
            "def pay(e):\n    return find(e, 77)\n\n\nTABLE = {\n    \"pay\": pay(1),\n}\n",
            "from a.h import TABLE\n\n\ndef run(e):\n    return spend(TABLE[e])\n",
        ),
        (
            "tests/test_h.py",
            "def pay(e):\n    return find(e, 77)\n\n\nTABLE = {\n    \"pay\": pay,\n}\n",
            "from tests.test_h import TABLE\n\n\ndef run(e):\n    return spend(TABLE[e])\n",
        ),
    ] {
        let repo = Repo::new();
        repo.write("z/run.py", user).write(path, home).commit("one");
        repo.write(path, home.replace("77", "78")).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        let brief = render(&packet, &look(&change, &packet));
        assert!(!brief.contains("spend("), "{path}: {brief}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law: who calls through a table is shown however large its file is.
    #[test]
    fn a_table_leads_to_its_callers(table in 0..TABLES.len(), others in 0usize..6) {
        let table = &TABLES[table];
        prop_assert!(brief(table, others).contains(call(table[1].1)), "{}", table[0].0);
    }
}
