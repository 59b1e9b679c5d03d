//! Which files a search reads, and in which order.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::tests::{Tree, bounds, lookup_over, read, run, search};
use super::*;

#[test]
fn files_are_listed_by_name_or_path() {
    let list = |glob: &str| {
        let glob = Some(glob.to_owned());
        run(&ToolQuery::List { glob }).text
    };
    assert_eq!(
        list("*.py").unwrap(),
        "shop/app.py\nshop/other.py\na/far.py\n[3 files]\n"
    );
    assert_eq!(
        list("./shop/*.py").unwrap(),
        "shop/app.py\nshop/other.py\n[2 files]\n"
    );
    assert!(list("{a,b").unwrap_err().contains("cannot be used"));
    assert!(!list("**").unwrap().contains("link"));
}

/// Paths of a tree with folders near the change and far from it.
static PATHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let name = |n: usize| format!("{}/f{n}.py", ["shop", "shop/inner", "a", "b/c"][n % 4]);
    (0..160).map(name).collect()
});

const LINES: [&str; 6] = [
    "pay(order)\n",
    "def pay(order):\n    return order\n",
    "# pay, some day\n",
    "token = \"hunter2hunter2\"\n",
    "other = 1\n",
    "\u{0}binary pay\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Reading on several processors, and reading from what is kept, changes nothing of a result: neither what is found
    /// nor its order nor what is said of the rest.
    #[test]
    fn files_that_are_read_at_once_tell_what_they_tell_one_after_another(
        files in prop::collection::btree_map(0..160_usize, prop::collection::vec(0..6_usize, 0..30), 0..160),
        max_bytes in prop_oneof![400..3_000_usize, Just(24 << 10)],
        query in prop::sample::select(vec![
            ("search", "pay"), ("search", "^def "), ("search", "^other"), ("search", "nobody"), ("search", ""),
            ("symbol", "pay"), ("symbol", "order"), ("symbol", "nobody"),
        ]),
        glob in prop::sample::select(vec![None, Some("shop/**"), Some("*1*.py")]),
    ) {
        let text = |lines: &[usize]| lines.iter().map(|&line| LINES[line]).collect::<String>().into_bytes();
        let new = || files.iter().map(|(&file, lines)| (PATHS[file].as_str(), text(lines))).collect();
        let over = || lookup_over(Tree { new: new(), old: BTreeMap::new(), other: Vec::new() });
        let at_once = over();
        let one_by_one = CodeLookup { largest_batch: 1, ..over() };
        let (kind, word) = (query.0, query.1.to_owned());
        let query = match kind {
            "search" => ToolQuery::Search { regex: word, glob: glob.map(str::to_owned) },
            _ => ToolQuery::Symbol { name: word },
        };
        let bounds = QueryBounds { max_bytes, ..bounds() };
        let expected = one_by_one.run_query(&query, &bounds);
        for _ in 0..2 {
            let found = at_once.run_query(&query, &bounds);
            prop_assert_eq!(&found.text, &expected.text);
            prop_assert_eq!(&found.seen, &expected.seen);
        }
    }
}

#[test]
fn a_folder_as_a_glob_means_what_lies_in_it() {
    for glob in ["shop", "shop/", "./shop"] {
        let found = search("pay", Some(glob)).text.unwrap();
        assert!(found.contains("shop/other.py"), "{glob}: {found}");
        assert!(!found.contains("a/far.py"), "{glob}: {found}");
    }
    let none = search("pay", Some("nowhere/**")).text.unwrap();
    assert!(
        none.contains("no file that is searched fits the glob `nowhere/**`"),
        "{none}"
    );
    let folder = read("shop", None, None).text.unwrap_err();
    assert!(
        folder.contains("it is a folder") && folder.contains("shop/**"),
        "{folder}"
    );
}

#[test]
fn what_stands_for_a_secret_is_found_by_its_own_words() {
    let found = search("redacted", None).text.unwrap();
    assert!(
        found.contains("shop/other.py") && !found.contains("ghp_a1B2"),
        "{found}"
    );
}
