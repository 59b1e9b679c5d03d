//! `gitattributes-change`: attributes that hide code from diffs, or run programs on it.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "gitattributes-change",
        perspective: SECURITY,
        category: "hidden-changes",
        severity: Significant,
        summary: "an attribute that hides source code from reviews, or sends it through a filter",
        why: "Most review tools collapse files marked `-diff`, `binary` or `linguist-generated`; a filter changes \
              what is checked out.",
        fix: "Limit the attribute, by path or file extension, to files that are really generated or binary.",
        examples: &[RuleExample {
            path: ".gitattributes",
            bad: "src/** -diff\n",
            good: "*.png binary\nCargo.lock -diff\n",
        }],
    },
    scope: RuleScope::Always,
    languages: &[Language::Ini],
    claims: &["gitattributes", "-diff", "linguist-generated"],
    check: RuleCheck::File(check_file),
};

const HIDING: [&str; 5] = [
    "-diff",
    "binary",
    "-text",
    "linguist-generated",
    "linguist-generated=true",
];

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if file.file_name() != ".gitattributes" || file.role == FileRole::Test {
        return;
    }
    for line in file.added_lines() {
        let mut words = line.text().split_whitespace();
        let Some(glob) = words.next().filter(|glob| !glob.starts_with('#')) else {
            continue;
        };
        for attribute in words {
            if HIDING.contains(&attribute) && hides_code(glob) {
                let described =
                    format!("`{attribute}` hides the source code under `{glob}` from reviews.");
                hits.push(line.line_hit(described));
            } else if attribute.starts_with("filter=") && attribute != "filter=lfs" {
                hits.push(line.line_hit(format!(
                    "Files under `{glob}` now go through `{attribute}`."
                )));
            }
        }
    }
}

/// Whether a pattern takes in source code: everything, a whole folder, or the ending of a programming language.
fn hides_code(glob: &str) -> bool {
    const GENERATED: [&str; 14] = [
        "generated",
        "vendor",
        "third_party",
        "dist",
        "snap",
        "testdata",
        "fixtures",
        "tests/",
        "test/",
        "gen/",
        "min.",
        "lock",
        "docs/",
        "bindings",
    ];
    if GENERATED.iter().any(|word| glob.contains(word)) {
        return false;
    }
    let name = glob.rsplit('/').next().unwrap_or(glob);
    matches!(name, "*" | "**" | "")
        || Language::from_path(name).is_code()
        || Language::from_path(name) == Language::Shell
}
