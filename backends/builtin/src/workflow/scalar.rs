//! The values of a workflow under certain keys, however its YAML lays them out: block or flow style, quoted or folded.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::pattern::pattern;
use crate::view::LineView;
use crate::yaml::{Node, parse_yaml};

/// A value that stands under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyedText {
    pub(crate) text: String,
    /// From its first line to the one at which something else begins.
    pub(crate) lines: Range<u32>,
}

/// Larger workflows are read line by line.
pub(crate) const MAX_YAML_BYTES: usize = 1 << 20;

/// What a step hands on as it is, under names of its own.
const NAMES_OF_OTHERS: [&str; 2] = ["env", "inputs"];

/// The texts under one of `keys`, in their order; none: it cannot be read as YAML.
pub(crate) fn texts_under(text: &str, keys: &[&str]) -> Option<Vec<KeyedText>> {
    if text.len() > MAX_YAML_BYTES {
        return None;
    }
    let document = parse_yaml(text)?;
    let mut found = Vec::new();
    let mut begins = BTreeSet::new();
    visit(&document, keys, &mut begins, &mut found);
    let end_of = |line: u32| begins.range(line.saturating_add(1)..).next().copied();
    let placed = found.into_iter().map(|(line, text)| KeyedText {
        text,
        lines: line..end_of(line).unwrap_or(u32::MAX),
    });
    Some(placed.collect())
}

fn visit(node: &Node, keys: &[&str], begins: &mut BTreeSet<u32>, found: &mut Vec<(u32, String)>) {
    begins.insert(node.line);
    for item in node.items() {
        visit(item, keys, begins, found);
    }
    for (key, value) in node.entries() {
        match value.text() {
            Some(text) if keys.contains(&key) => found.push((value.line, text.to_owned())),
            _ if NAMES_OF_OTHERS.contains(&key) => {
                begins.extend(value.entries().map(|(_, value)| value.line));
            }
            _ => {}
        }
        if !NAMES_OF_OTHERS.contains(&key) {
            visit(value, keys, begins, found);
        }
        begins.insert(value.line);
    }
}

/// Those of the added lines of a file, in their order, that belong to a value.
pub(crate) fn lines_of<'l, 'f, 'a>(
    added: &'l [LineView<'f, 'a>],
    lines: &Range<u32>,
) -> &'l [LineView<'f, 'a>] {
    // A file may have many thousand values.
    let place = |number: u32| added.partition_point(|line| line.number() < number);
    &added[place(lines.start)..place(lines.end)]
}

pattern!(
    /// `key: value` on a line of its own, behind the dash of a list, or within braces.
    PAIR,
    r#"(?:^\s*(?:-\s+)*|[{,]\s*)["']?([\w-]+)["']?\s*:\s+(?:"([^"]*)"|'([^']*)'|([^\s,}#]+))"#
);

/// The values of one word that a line gives a key, where the rest of the file is not known.
pub(crate) fn words_under<'t>(line: &'t str, key: &str) -> Vec<&'t str> {
    let pairs = PAIR.captures_iter(line).filter(|found| &found[1] == key);
    let values = pairs.filter_map(|found| found.get(2).or(found.get(3)).or(found.get(4)));
    values.map(|value| value.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_in_every_layout_with_its_lines() {
        for (text, lines) in [
            ("a:\n  - run: x y\n    env: 1\n", 2..3),
            ("a:\n  - { run: x y, env: { run: no } }\n", 2..u32::MAX),
            ("a:\n  - {\n    \"run\": 'x y',\n    b: 1 }\n", 3..4),
            ("a:\n  - run: >-\n      x\n      y\n    shell: bash\n", 3..5),
            (
                "a:\n  - run: |-\n      x y\n    env:\n      run: no\n",
                3..5,
            ),
        ] {
            let found = texts_under(text, &["run"]).unwrap();
            let [value] = &found[..] else {
                panic!("{text}: {found:?}")
            };
            assert_eq!((&*value.text, &value.lines), ("x y", &lines), "{text}");
        }
    }

    #[test]
    fn words_of_a_line_are_found_without_the_rest() {
        for line in [
            "  uses: a/b@c",
            "  - uses: a/b@c # 1",
            "- \"uses\" : 'a/b@c'",
            "- {uses: a/b@c, with: {x: y}}",
            "steps: [{ name: x, uses: \"a/b@c\" }]",
        ] {
            assert_eq!(words_under(line, "uses"), ["a/b@c"], "{line}");
        }
        assert!(words_under("# uses: a/b@c", "uses").is_empty());
    }
}
