//! The register of threats in SECURITY.md: numbered without a gap, and every test that a row names is there, as a test.

use std::fs;
use std::path::Path;

/// The rows of the register: the number and the cell of tests.
fn rows(text: &str) -> Vec<(usize, &str)> {
    let rows = text.lines().filter_map(|line| {
        let (number, rest) = line.strip_prefix("| T")?.split_once(" | ")?;
        Some((number.parse().ok()?, rest.split_once(" | ")?.1))
    });
    rows.collect()
}

#[test]
fn every_threat_has_a_row_and_every_test_of_a_row_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let mut sources = String::new();
    for dir in ["src", "backends", "plugins", "secrets", "syntax", "tests"] {
        gather(&root.join(dir), &mut sources);
    }
    let rows = rows(&text);
    let own = names_of_numbered_tests(&sources);
    let numbers: Vec<usize> = rows.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>());
    assert!(numbers.len() >= 39, "a threat has lost its row");
    for (number, cell) in rows {
        // A name of a test is one word with underscores; other words in backticks are no tests.
        let words = cell.split('`').skip(1).step_by(2);
        let names: Vec<&str> = words.filter(|word| is_name_of_test(word)).collect();
        assert!(!names.is_empty(), "T{number} names no test");
        for &name in &names {
            let defined = format!("fn {name}(");
            let mut places = sources.match_indices(&defined);
            assert!(
                places.any(|(at, _)| is_test(&sources[..at])),
                "T{number}: there is no test {name}"
            );
            let threats = threats_of(name);
            assert!(
                threats.is_empty() || threats.contains(&number),
                "T{number}: {name} is about another threat"
            );
        }
        let is_missing =
            |name: &&String| threats_of(name).contains(&number) && !names.contains(&name.as_str());
        let missing: Vec<&String> = own.iter().filter(is_missing).collect();
        assert!(missing.is_empty(), "T{number} does not name {missing:?}");
    }
}

/// The threats by whose numbers a test is called: `t9_t26_…`.
fn threats_of(name: &str) -> Vec<usize> {
    let parts = name
        .split('_')
        .map(|part| part.strip_prefix('t')?.parse().ok());
    parts.map_while(|number| number).collect()
}

fn names_of_numbered_tests(sources: &str) -> Vec<String> {
    let tests = sources.match_indices("fn t").filter_map(|(at, _)| {
        let name = sources[at + 3..].split('(').next()?;
        let is_one = !threats_of(name).is_empty() && is_test(&sources[..at]);
        is_one.then(|| name.to_owned())
    });
    tests.collect()
}

fn is_name_of_test(word: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    word.matches('_').count() >= 2 && word.bytes().all(plain)
}

/// Whether the attribute of a test stands above what follows.
fn is_test(before: &str) -> bool {
    let above = before.rsplit("\n\n").next().unwrap_or(before);
    let is_run = !above.contains("#[ignore");
    is_run && (above.contains("#[test]") || above.contains("::test]"))
}

fn gather(dir: &Path, sources: &mut String) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            gather(&path, sources);
        } else if path.extension().is_some_and(|e| e == "rs") {
            sources.push_str(&fs::read_to_string(&path).unwrap());
            sources.push_str("\n\n");
        }
    }
}
