//! What holds of the context of every change, over repositories that are made for it: too slow for ten thousand cases.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

/// The numbers of the lines of the reviewed side that a brief shows, with their files; each as often as it is shown.
fn shown_lines(brief: &str) -> Vec<(String, u32)> {
    let mut path = String::new();
    let mut lines = Vec::new();
    for line in brief.lines() {
        if let Some(head) = line.strip_prefix("=== ") {
            let name = head.split([':', ' ']).find(|word| word.contains('.'));
            name.unwrap_or_default().clone_into(&mut path);
        } else if line.starts_with("</") {
            path.clear();
        } else if let Some((number, _)) = line.trim_start().split_once(' ')
            && let Ok(number) = number.parse()
            && !path.is_empty()
        {
            lines.push((path.clone(), number));
        }
    }
    lines
}

fn assert_shown_once(name: &str, brief: &str) {
    let mut seen = HashSet::new();
    let lines = shown_lines(brief);
    assert!(!lines.is_empty(), "{name}");
    let twice: Vec<_> = lines
        .into_iter()
        .filter(|line| !seen.insert(line.clone()))
        .collect();
    assert!(twice.is_empty(), "{name}: {twice:?}\n{brief}");
}

#[test]
fn no_line_stands_in_a_brief_twice() {
    for case in &all_cases() {
        let repo = build(case);
        let (change, packet) = prepare(&repo, "main~1..main");
        assert_shown_once(&case.name, &render(&packet, &look(&change, &packet)));
    }
}

/// Functions of a file that call each other, and which of them a change edits.
fn functions() -> impl Strategy<Value = (Vec<(usize, usize)>, Vec<bool>)> {
    (2_usize..7).prop_flat_map(|count| {
        let function = (0..count, 1_usize..40);
        (
            prop::collection::vec(function, count),
            prop::collection::vec(any::<bool>(), count),
        )
    })
}

fn file_of(functions: &[(usize, usize)], edited: Option<&[bool]>) -> String {
    let mut text: String = (0..160).map(|n| format!("FILL_{n} = {n}\n")).collect();
    for (index, (calls, lines)) in functions.iter().enumerate() {
        text.push_str(&format!("\n\ndef part_{index}(value):\n"));
        for line in 0..*lines {
            text.push_str(&format!("    value += {line}\n"));
        }
        let is_edited = edited.is_some_and(|edited| edited[index]);
        let more = if is_edited { " + 1" } else { "" };
        text.push_str(&format!("    value = part_{calls}(value){more}\n"));
        for line in 0..*lines {
            text.push_str(&format!("    value -= {line}\n"));
        }
        text.push_str("    return value\n");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Functions that hold each other's uses, and hunks in the midst of them, overlap in every way.
    #[test]
    fn pieces_that_overlap_are_shown_once((functions, edited) in functions()) {
        prop_assume!(edited.contains(&true));
        let repo = Repo::new();
        repo.write("a/one.py", file_of(&functions, None));
        repo.write("a/two.py", file_of(&functions, None).replace("def part_", "def other_"));
        repo.commit("one");
        repo.write("a/one.py", file_of(&functions, Some(&edited))).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        assert_shown_once("generated", &render(&packet, &look(&change, &packet)));
    }

    /// A function that uses what the change edits is shown whole where it is short, however much of it stands in the hunk.
    #[test]
    fn every_use_in_a_function_that_a_hunk_cuts_is_shown(
        blank in 0_usize..5,
        before in any::<bool>(),
        uses in prop::collection::vec(any::<bool>(), 1..22),
    ) {
        let line = |(at, is_use): (usize, &bool)| match is_use {
            true => format!("    total -= LIMIT + {at}\n"),
            false => format!("    total += {at}\n"),
        };
        let body: String = uses.iter().enumerate().map(line).collect();
        let user = format!("def take(total):\n{body}    return total\n");
        let blank = "\n".repeat(blank);
        let file = |limit: &str| match before {
            true => format!("{user}{blank}LIMIT = {limit}\n"),
            false => format!("LIMIT = {limit}\n{blank}{user}"),
        };
        let filling: String = (0..160).map(|n| format!("\nFILL_{n} = {n}\n")).collect();
        let repo = Repo::new();
        repo.write("a.py", format!("{}{filling}", file("10"))).commit("one");
        repo.write("a.py", format!("{}{filling}", file("9"))).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        let brief = render(&packet, &look(&change, &packet));
        assert_shown_once("generated", &brief);
        for (at, _) in uses.iter().enumerate().filter(|(_, is_use)| **is_use) {
            let used = format!("total -= LIMIT + {at}\n");
            prop_assert!(brief.contains(&used), "{}\n{}", used, brief);
        }
    }

    /// What settings and documents say in sentences and paths brings nothing of code that has such names.
    #[test]
    fn no_word_of_a_sentence_or_a_path_brings_code(
        words in prop::collection::btree_set("[a-z]{4,9}", 4..8),
        form in 0_usize..6,
    ) {
        let words: Vec<String> = words.into_iter().collect();
        let (said, path) = (words.join(" "), format!("{}.py", words.join("/")));
        let (file, text) = match form {
            0 => ("settings.yaml", format!("xdescription: {said}\nxpath: {path}\n")),
            1 => ("settings.yaml", format!("xlist:\n  - {said}\n  - \"{path}\"\n")),
            2 => ("settings.json", format!("{{\n  \"xdescription\": \"{said}\",\n  \"xpath\": \"{path}\"\n}}\n")),
            3 => ("settings.toml", format!("xdescription = \"{said}\"\nxpath = '{path}'\n")),
            4 => ("readme.md", format!("# {said}\n\nSee {path}, and then {said}.\n")),
            _ => ("said.py", format!("XSAID = \"{said}\"\nXPATH = \"{path}\"\n")),
        };
        let repo = Repo::new();
        for (index, word) in words.iter().enumerate() {
            let text = format!("def {word}(value):\n    return value\n\n\n{word}_{index} = {word}(1)\n");
            repo.write(&format!("lib/n{index}.py"), text);
        }
        repo.write(file, "x = 1\n").commit("one");
        repo.write(file, text).commit("two");
        let heads = heads(&repo);
        prop_assert!(!has(&heads, "lib/"), "{:?}", heads);
    }
}

#[test]
fn a_name_that_nobody_wrote_is_not_searched_and_the_others_are() {
    let long = "A".repeat(100_000);
    let names = [long.clone(), "pay".to_owned(), String::new()];
    let search = super::super::search::NameSearch::new(&names);
    let hits = search.search_bytes(format!("{long}\npay()\n").as_bytes());
    let expected = super::super::search::NameHit { name: 1, line: 2 };
    assert_eq!(hits, [expected]);
}
