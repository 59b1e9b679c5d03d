//! What a heading promises: what only has the name is not told as what is meant.

use super::*;

/// A function of `toml.py` is edited; others have its name, and somebody calls one of them.
fn brief_of(others: &[(&str, &str)]) -> String {
    let repo = Repo::new();
    let edited = |value: &str| format!("def parse_value(s):\n    return len(s) - {value}\n");
    for (path, text) in others {
        repo.write(path, *text);
    }
    repo.write("app/toml.py", edited("1")).commit("one");
    repo.write("app/toml.py", edited("2")).commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    render(&packet, &look(&change, &packet))
}

#[test]
fn what_another_file_defines_by_an_edited_name_is_another_one() {
    let brief = brief_of(&[("app/json.py", "def parse_value(s):\n    return len(s)\n")]);
    assert!(!brief.contains("definition of `parse_value`"), "{brief}");
    assert!(
        brief.contains("app/json.py:1-2: another `parse_value`"),
        "{brief}"
    );
}

#[test]
fn a_use_is_possible_where_nothing_in_its_file_tells_what_it_means() {
    let calls = "def load(reader):\n    return reader.parse_value('1')\n";
    let imports =
        "from app.toml import parse_value\n\n\ndef read():\n    return parse_value('2')\n";
    let brief = brief_of(&[("app/load.py", calls), ("app/read.py", imports)]);
    let heading = |path: &str| {
        let mut lines = brief.lines();
        let found = lines.find(|line| line.starts_with("=== ") && line.contains(path));
        found.unwrap_or_default().to_owned()
    };
    assert!(
        heading("app/load.py").contains(": possible use of"),
        "{brief}"
    );
    assert!(heading("app/read.py").contains(": use of"), "{brief}");
}
