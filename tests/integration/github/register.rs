//! The register of threats in SECURITY.md: all twenty-eight, and every test that it names is there.

use std::fs;
use std::path::Path;

#[test]
fn every_threat_has_a_row_and_every_test_of_a_row_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let mut sources = String::new();
    for dir in ["src", "backends", "plugins", "secrets", "tests"] {
        gather(&root.join(dir), &mut sources);
    }
    for number in 1..=28 {
        let start = format!("| T{number} | ");
        let row = text
            .lines()
            .find(|line| line.starts_with(&start))
            .unwrap_or_else(|| panic!("T{number} has no row"));
        let cell = row.rsplit(" | ").next().unwrap();
        let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert!(
            !names.is_empty() || cell.len() > 40,
            "T{number} has neither a test nor a reason"
        );
        for name in names {
            assert!(
                sources.contains(&format!("fn {name}(")),
                "T{number}: there is no test {name}"
            );
        }
    }
}

fn gather(dir: &Path, sources: &mut String) {
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            gather(&path, sources);
        } else if path.extension().is_some_and(|e| e == "rs") {
            sources.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}
