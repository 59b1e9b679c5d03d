//! What ends with a function: its lines, its variables, its parameters.

use super::*;

/// A function of twenty steps, by the ending of its file.
fn function(ending: &str, name: &str) -> String {
    let steps = |step: &str| -> String {
        (0..20)
            .map(|nth| step.replace("NTH", &format!("{nth}, {name}")) + "\n")
            .collect()
    };
    match ending {
        "py" => format!("def {name}(x):\n{}", steps("    x.step(NTH)")),
        "go" => format!("func {name}(x *X) {{\n{}}}\n", steps("\tx.step(NTH)")),
        "rs" => format!("fn {name}(x: &X) {{\n{}}}\n", steps("    x.step(NTH);")),
        "js" => format!("function {name}(x) {{\n{}}}\n", steps("  x.step(NTH);")),
        "test.js" => format!(
            "test(\"{name}\", (x) => {{\n{}}});\n",
            steps("  x.step(NTH);")
        ),
        "c" => format!("void {name}(X *x)\n{{\n{}}}\n", steps("\tstep(x, NTH);")),
        "rb" => format!("def {name}(x)\n{}end\n", steps("  x.step(NTH)")),
        _ => unreachable!(),
    }
}

const ENDINGS: [&str; 7] = ["py", "go", "rs", "js", "test.js", "c", "rb"];

/// The text of a file that has these functions, with an empty line or two between them.
fn text_of(ending: &str, names: &[&str]) -> String {
    let between = if ending == "py" { "\n\n" } else { "\n" };
    let functions = names.iter().map(|name| function(ending, name));
    let head = if ending == "go" { "package a\n\n" } else { "" };
    format!("{head}{}", functions.collect::<Vec<_>>().join(between))
}

/// Law: functions that come and go edit none of those that stay, wherever they stand, in every language.
#[test]
fn functions_that_come_and_go_edit_no_other() {
    let forms = [
        (&["one"][..], &["one", "two"][..]),
        (&["one", "two"], &["one"]),
        (&["one", "two", "three"], &["one", "three"]),
        (
            &["one", "two", "three"],
            &["one", "two", "three", "four", "five"],
        ),
    ];
    let repo = Repo::new();
    for is_after in [false, true] {
        for (nth, (before, after)) in forms.iter().enumerate() {
            for ending in ENDINGS {
                let names = if is_after { after } else { before };
                repo.write(&format!("a{nth}.{ending}"), text_of(ending, names));
            }
        }
        repo.commit("change");
    }
    let (change, packet) = prepare(&repo, "main~1..main");
    let gathered = look(&change, &packet);
    let notes = gathered
        .blocks
        .iter()
        .map(|block| (block.path.display(), &block.note));
    let edited: Vec<_> = notes
        .filter(|(_, note)| note.contains("which the change edits"))
        .collect();
    assert!(edited.is_empty(), "{edited:?}");
    let cut = cut_functions(&Sight::around(&change).unwrap(), &packet);
    assert_eq!(cut, None);
}

/// A line that goes from a function, the first, one within or the last, edits that function and no other.
#[test]
fn a_line_that_goes_edits_the_function_that_had_it() {
    for (ending, gone) in [
        (
            "py",
            [
                "    x.step(0, one)\n",
                "    x.step(9, one)\n",
                "    x.step(19, one)\n",
            ],
        ),
        (
            "go",
            [
                "\tx.step(0, one)\n",
                "\tx.step(9, one)\n",
                "\tx.step(19, one)\n",
            ],
        ),
        (
            "test.js",
            [
                "  x.step(0, one);\n",
                "  x.step(9, one);\n",
                "  x.step(19, one);\n",
            ],
        ),
    ] {
        let repo = Repo::new();
        let whole = text_of(ending, &["one", "two"]);
        let two = whole.find("two").unwrap();
        for nth in 0..gone.len() {
            repo.write(&format!("a{nth}.{ending}"), &whole);
            repo.write(&format!("b{nth}.{ending}"), &whole);
        }
        repo.commit("one");
        for (nth, line) in gone.iter().enumerate() {
            repo.write(&format!("a{nth}.{ending}"), whole.replacen(line, "", 1));
            let of_two = line.replace("one", "two");
            let last = whole[two..].replacen(&of_two, "", 1);
            repo.write(
                &format!("b{nth}.{ending}"),
                format!("{}{last}", &whole[..two]),
            );
        }
        repo.commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        let sight = Sight::around(&change).unwrap();
        for file in candidates::changed_files(&packet, &sight.tree) {
            let path = file.path().display().into_owned();
            let text = file.new.clone().unwrap();
            let outline = search::FileOutline::of(file.path(), &text);
            let held = file
                .edited_lines()
                .iter()
                .map(|line| outline.function_span(*line));
            let held: Vec<bool> = held
                .map(|span| {
                    let head = outline.line(u32::try_from(span.unwrap().head).unwrap());
                    head.contains("one") == path.starts_with('a')
                })
                .collect();
            assert_eq!(held, [true], "{path}");
        }
    }
}

/// A constant that is edited, a function that takes it into a variable, and two that have a parameter of that name.
const LOCALS: [(&str, &str, &str, &str); 6] = [
    (
        "ts/config.ts",
        "export const TIMEOUT_MS = 2000;\n",
        "ts/client.ts",
        "import { TIMEOUT_MS } from \"./config\";\n\nexport function get(url: string) {\n  const timeout = TIMEOUT_MS;\n  return call(url, timeout);\n}\n\nexport function retry(fn: () => void, timeout: number) {\n  setTimeout(fn, timeout); // OTHER\n}\n\nexport const slow = (timeout: number) => {\n  return timeout; // OTHER\n};\n",
    ),
    (
        "py/config.py",
        "TIMEOUT_MS = 2000\n",
        "py/client.py",
        "from py.config import TIMEOUT_MS\n\n\ndef get(url):\n    timeout = TIMEOUT_MS\n    return call(url, timeout)\n\n\ndef retry(fn, timeout):\n    later(fn, timeout)  # OTHER\n",
    ),
    (
        "go/config.go",
        "package a\n\nconst timeoutMillis = 2000\n",
        "go/client.go",
        "package a\n\nfunc get(url string) {\n\ttimeout := timeoutMillis\n\tcall(url, timeout)\n}\n\nfunc retry(fn func(), timeout int) {\n\tlater(fn, timeout) // OTHER\n}\n",
    ),
    (
        "src/config.rs",
        "pub const TIMEOUT_MS: usize = 2000;\n",
        "src/client.rs",
        "use crate::config::TIMEOUT_MS;\n\npub fn get(url: &str) {\n    let timeout = TIMEOUT_MS;\n    call(url, timeout);\n}\n\npub fn retry(run: fn(), timeout: usize) {\n    later(run, timeout); // OTHER\n}\n",
    ),
    (
        "js/config.js",
        "exports.TIMEOUT_MS = 2000;\n",
        "js/client.js",
        "const { TIMEOUT_MS } = require(\"./config\");\n\nexports.get = function (url) {\n  const timeout = TIMEOUT_MS;\n  return call(url, timeout);\n};\n\nexports.retry = function (fn, timeout) {\n  later(fn, timeout); // OTHER\n};\n",
    ),
    (
        "rb/config.rb",
        "TIMEOUT_MS = 2000\n",
        "rb/client.rb",
        "require_relative \"config\"\n\ndef get(url)\n  timeout = TIMEOUT_MS\n  call(url, timeout)\nend\n\ndef retry_it(work, timeout)\n  later(work, timeout) # OTHER\nend\n",
    ),
];

/// The brief of a change that writes `after` over some of the files that `before` has.
pub(super) fn brief_of(before: &[(&str, String)], after: &[(&str, String)]) -> String {
    let repo = Repo::new();
    for files in [before, after] {
        for (path, text) in files {
            repo.write(path, text);
        }
        repo.commit("change");
    }
    let (change, packet) = prepare(&repo, "main~1..main");
    render(&packet, &look(&change, &packet))
}

#[test]
fn the_other_name_of_a_variable_ends_with_its_function() {
    let mut before = Vec::new();
    let mut after = Vec::new();
    for (path, config, user, text) in LOCALS {
        before.push((path, config.to_owned()));
        before.push((user, text.to_owned()));
        after.push((path, config.replace("2000", "20")));
    }
    let brief = brief_of(&before, &after);
    for (_, _, user, _) in LOCALS {
        let call = format!("=== {user}:");
        assert!(brief.contains(&call), "{user}: {brief}");
    }
    assert!(!brief.contains("OTHER"), "{brief}");
}

/// A module's variable that a function takes over is another name everywhere, and the function's own is one in it.
#[test]
fn what_a_function_shares_is_another_name_outside_of_it() {
    let base = [
        ("a.py", "def convert(x):\n    return x\n".to_owned()),
        (
            "b.py",
            "from a import convert\n\nchosen = None\n\n\ndef set_up():\n    global chosen\n    chosen = convert\n\n\ndef run(x):\n    return chosen(x)  # SHARED\n".to_owned(),
        ),
        (
            "c.py",
            "from a import convert\n\n\ndef run(x):\n    chosen_one = convert\n    for n in x:\n        chosen_one(n)  # INSIDE\n".to_owned(),
        ),
    ];
    let edited = ("a.py", "def convert(x):\n    return x + 1\n".to_owned());
    let brief = brief_of(&base, &[edited]);
    assert!(
        brief.contains("SHARED") && brief.contains("INSIDE"),
        "{brief}"
    );
}

/// What a function has from what is edited is a use, though a variable is called so.
#[test]
fn a_variable_that_is_made_of_what_is_edited_is_a_use() {
    let base = [
        ("src/store.ts", "export function useOrders() {\n  const save = (x: number) => {\n    return x;\n  };\n  return { save };\n}\n".to_owned()),
        ("src/page.ts", "import { useOrders } from \"./store\";\n\nexport function Page() {\n  const { save } = useOrders();\n  return save(1); // HOOK\n}\n".to_owned()),
        ("src/job.py", "def load_rates(x):\n    return x\n".to_owned()),
        ("src/late.py", "def late(x):\n    from src.job import load_rates\n    return load_rates(x)  # LATE\n".to_owned()),
    ];
    let edited = [
        (
            "src/store.ts",
            base[0].1.replace("return x;", "return x + 1;"),
        ),
        ("src/job.py", base[2].1.replace("return x", "return x + 1")),
    ];
    let brief = brief_of(&base, &edited);
    assert!(brief.contains("HOOK") && brief.contains("LATE"), "{brief}");
}

/// A type with a field that becomes another one, and a reader that never names the type.
const READERS: [(&str, &str, &str, &str, &str, &str); 5] = [
    (
        "ts/types.ts",
        "export interface Order {\n  id: string;\n  shippingCost: number;\n}\n",
        "shippingCost: number",
        "shippingCost?: number",
        "ts/summary.ts",
        "import { getOrder } from \"./client\";\n\nexport async function summary(id: string) {\n  const order = await getOrder(id);\n  return order.shippingCost.toFixed(2);\n}\n",
    ),
    (
        "model/user.go",
        "package model\n\ntype User struct {\n\tID int\n\tLastLogin int64\n}\n",
        "LastLogin int64",
        "LastLogin *int64",
        "api/a.go",
        "package api\n\nimport \"ex.com/app/store\"\n\nfunc Age(id int, now int64) int64 {\n\tu := store.Load(id)\n\treturn now - u.LastLogin\n}\n",
    ),
    (
        "Models/User.cs",
        "namespace App.Models;\n\npublic class User\n{\n    public DateTime? LastSeen { get; set; }\n}\n",
        "DateTime?",
        "DateTime",
        "Web/Age.cs",
        "using App.Data;\n\nnamespace App.Web;\n\npublic class Age\n{\n    public int Days(Users users)\n    {\n        return users.Find(1).LastSeen.Value.Days;\n    }\n}\n",
    ),
    (
        "src/user.rs",
        "pub struct User {\n    pub last_login: u64,\n}\n",
        "last_login: u64",
        "last_login: Option<u64>",
        "src/age.rs",
        "use crate::store::load;\n\npub fn age(now: u64) -> u64 {\n    now - load(1).last_login\n}\n",
    ),
    (
        "py/model.py",
        "class Job:\n    id: int\n    due_at: float = 0.0\n",
        "float = 0.0",
        "float | None = None",
        "py/run.py",
        "from py.store import load\n\n\ndef late(id, now):\n    return now > load(id).due_at\n",
    ),
];

#[test]
fn whoever_reads_a_field_that_becomes_another_is_shown() {
    let mut before = vec![("go.mod", "module ex.com/app\n\ngo 1.22\n".to_owned())];
    let mut after = Vec::new();
    for (path, text, was, is, reader, reading) in READERS {
        before.extend([(path, text.to_owned()), (reader, reading.to_owned())]);
        after.push((path, text.replace(was, is)));
    }
    let brief = brief_of(&before, &after);
    for (.., reader, _) in READERS {
        assert!(
            brief.contains(&format!("=== {reader}:")),
            "{reader}: {brief}"
        );
    }
}

/// Spaces and comments of a field are none of what it is.
#[test]
fn a_field_that_is_only_aligned_has_no_readers() {
    let (path, text, was, _, reader, reading) = READERS[1];
    let aligned = text.replace(was, "LastLogin   int64 // in seconds");
    let base = [(path, text.to_owned()), (reader, reading.to_owned())];
    let brief = brief_of(&base, &[(path, aligned)]);
    assert!(!brief.contains("=== api/a.go"), "{brief}");
}

/// Files that import the same modules from outside of the tree.
const IMPORTS: [(&str, &str, &str); 5] = [
    (
        "web/cNTH.tsx",
        "import React from \"react\";\nimport { get } from \"./api\";\n\nexport const CNTH = () => <b>{get(NTH)}</b>;\n",
        "import React from \"react\";\n",
    ),
    (
        "web/dNTH.ts",
        "import { useState } from \"react\";\n\nexport function DNTH() {\n  return NTH;\n}\n",
        "import { useState } from \"react\";\n",
    ),
    (
        "app/hNTH.go",
        "package app\n\nimport (\n\t\"encoding/json\"\n\t\"net/http\"\n)\n\nfunc HNTH(w http.ResponseWriter, r *http.Request) {\n\tjson.NewEncoder(w).Encode(NTH)\n}\n",
        "\t\"encoding/json\"\n",
    ),
    (
        "py/mNTH.py",
        "import json\nfrom dataclasses import dataclass\n\n\ndef mNTH(x):\n    return json.dumps(x)\n",
        "from dataclasses import dataclass\n",
    ),
    (
        "rb/rNTH.rb",
        "require \"json\"\n\ndef rNTH(x)\n  JSON.generate(x)\nend\n",
        "require \"json\"\n",
    ),
];

#[test]
fn an_import_from_outside_that_goes_has_no_uses() {
    let mut before = vec![
        (
            "go.mod".to_owned(),
            "module ex.com/app\n\ngo 1.22\n".to_owned(),
        ),
        (
            "package.json".to_owned(),
            "{\n  \"name\": \"web\",\n  \"dependencies\": { \"react\": \"18\" }\n}\n".to_owned(),
        ),
        (
            "web/api.ts".to_owned(),
            "export const get = (n: number) => n;\n".to_owned(),
        ),
    ];
    let mut after = Vec::new();
    for (path, text, gone) in IMPORTS {
        for nth in 1..5 {
            let of = |text: &str| text.replace("NTH", &nth.to_string());
            before.push((of(path), of(text)));
        }
        let of = |text: &str| text.replace("NTH", "1");
        after.push((of(path), of(&text.replace(gone, ""))));
    }
    let repo = Repo::new();
    for files in [before, after] {
        for (path, text) in files {
            repo.write(&path, text);
        }
        repo.commit("change");
    }
    let heads = heads(&repo);
    let uses: Vec<_> = heads
        .iter()
        .filter(|head| head.contains("use of"))
        .collect();
    assert!(uses.is_empty(), "{uses:?}");
}

#[test]
fn a_test_is_called_by_its_title() {
    let repo = Repo::new();
    let steps: String = (0..260)
        .map(|nth| format!("  t.is(f({nth}), {nth});\n"))
        .collect();
    let text = format!("test(\"one\", (t) => {{\n{steps}}});\n");
    repo.write("f.test.js", &text).commit("one");
    let edited = text.replace("t.is(f(100), 100)", "t.is(f(100), 101)");
    repo.write("f.test.js", edited).commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    assert!(
        brief.contains("rest of `test(\"one\")`, which the change edits"),
        "{brief}"
    );
    let cut = cut_functions(&Sight::around(&change).unwrap(), &packet);
    assert!(cut.is_some_and(|cut| cut.contains("the function at line 1 of f.test.js")));
}
