//! How far `symbol` and `search` go, and what they tell of it.

use std::collections::BTreeMap;

use council_agents::tools::{CodeTools, ToolQuery};

use super::tests::{Tree, bounds, lookup_over};

/// What is defined behind a type is that type's, in every language and spelling; where it has none, all are shown.
#[test]
fn a_symbol_behind_its_type_is_that_of_the_type() {
    let files = [
        (
            "a/one.py",
            "class One:\n    def load(self, key):\n        return \"py one\"\n",
        ),
        (
            "a/two.py",
            "class Two:\n    def load(self, key):\n        return \"py two\"\n",
        ),
        (
            "b/one.go",
            "package b\n\nfunc (o *One) load() string {\n\treturn \"go one\"\n}\n\nfunc (t Two) load() string {\n\treturn \"go two\"\n}\n",
        ),
        (
            "c/one.rs",
            "impl One {\n    fn load(&self) -> u8 {\n        say(\"rust one\")\n    }\n}\n\nimpl Two {\n    fn load(&self) -> u8 {\n        say(\"rust two\")\n    }\n}\n",
        ),
        (
            "d/one.ts",
            "export class One {\n  load() {\n    return \"ts one\";\n  }\n}\nexport class Two {\n  load() {\n    return \"ts two\";\n  }\n}\n",
        ),
        (
            "d/One.java",
            "class One {\n  int load() {\n    return say(\"java one\");\n  }\n}\n",
        ),
        ("rates.py", "def load(key):\n    return \"of rates\"\n"),
    ];
    let new = files.map(|(path, text)| (path, text.as_bytes().to_vec()));
    let lookup = lookup_over(Tree {
        new: new.into(),
        old: BTreeMap::from([("shop/gone.py", b"a = 1\nb = 2\n".to_vec())]),
        other: Vec::new(),
    });
    let ask = |name: &str| {
        let name = name.to_owned();
        let query = ToolQuery::Symbol { name };
        lookup.run_query(&query, &bounds()).text.unwrap()
    };
    for name in [
        "One.load",
        "One::load",
        "One#load()",
        "(*One).load",
        "b.One.load",
    ] {
        let text = ask(name);
        for language in ["py", "go", "rust", "ts", "java"] {
            let is_shown = |of: &str| text.contains(&format!("{language} {of}"));
            assert!(
                is_shown("one") && !is_shown("two"),
                "{name} {language}: {text}"
            );
        }
        let told = "[5 definitions of `One` (5 of others),";
        assert!(text.contains(told), "{name}: {text}");
    }
    let module = ask("rates.load");
    let is_alone = module.contains("of rates") && !module.contains("py one");
    assert!(is_alone, "{module}");
    let none = ask("Three.load");
    let is_told = none.contains("`Three` itself has none");
    assert!(none.contains("py one") && is_told, "{none}");
}

/// Of a file that is named more lines are shown than of each of many, and the bound leads on.
#[test]
fn a_search_in_one_file_shows_more_of_it() {
    let uses = |count: usize| "reckon_up(x)\n".repeat(count).into_bytes();
    let lookup = lookup_over(Tree {
        new: BTreeMap::from([("a/some.py", uses(45)), ("b/lots.py", uses(200))]),
        old: BTreeMap::from([("shop/gone.py", b"a = 1\nb = 2\n".to_vec())]),
        other: Vec::new(),
    });
    let ask = |query: ToolQuery| {
        let text = lookup.run_query(&query, &bounds()).text.unwrap();
        (text.matches("reckon_up(x)").count(), text)
    };
    let search = |glob: Option<&str>| {
        ask(ToolQuery::Search {
            regex: "reckon_up".to_owned(),
            glob: glob.map(str::to_owned),
        })
    };
    for glob in ["a/some.py", "some.py", "**/some.py", "./a/some.py"] {
        let (shown, text) = search(Some(glob));
        assert_eq!(shown, 45, "{glob}: {text}");
    }
    let (shown, lots) = search(Some("b/lots.py"));
    assert_eq!(shown, 120, "{lots}");
    assert!(lots.contains("200 lines match there"), "{lots}");
    assert!(lots.contains("`read_file` behind line 120"), "{lots}");
    let (shown, all) = search(None);
    assert_eq!(shown, 40, "{all}");
    let bounds = "name one file as its glob (20 lines of each, 120 of one)";
    assert!(all.contains(bounds), "{all}");
    let (_, told) = ask(ToolQuery::Symbol {
        name: "reckon_up".to_owned(),
    });
    let told_bounds = "24 of 245 lines that use it, at most 12 of a file";
    assert!(told.contains(told_bounds), "{told}");
}
