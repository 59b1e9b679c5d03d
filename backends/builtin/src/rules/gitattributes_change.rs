//! `gitattributes-change`: attributes that hide code from diffs, or run programs on it.

use super::prelude::*;
use crate::workflow;

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
    guards: Guarded::Review,
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
    let macros = hiding_macros(file);
    for line in file.added_lines() {
        let Some((glob, attributes)) = split_line(line.text()) else {
            continue;
        };
        for attribute in attributes.split_whitespace() {
            let hides = HIDING.contains(&attribute) || macros.iter().any(|name| name == attribute);
            if hides && hides_code(&glob) {
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

/// The attributes that the file makes of those that hide code: `[attr]quiet -diff`.
fn hiding_macros(file: &FileView<'_>) -> Vec<String> {
    let made = workflow::lines_after(file).filter_map(|line| {
        let mut words = line.trim().strip_prefix("[attr]")?.split_whitespace();
        let name = words.next()?;
        let hides = words.any(|attribute| HIDING.contains(&attribute));
        hides.then(|| name.to_owned())
    });
    made.collect()
}

/// The pattern of a line, which may stand in quotes, and its attributes.
fn split_line(text: &str) -> Option<(String, &str)> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') || text.starts_with("[attr]") {
        return None;
    }
    let Some(quoted) = text.strip_prefix('"') else {
        let (glob, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        return Some((glob.to_owned(), rest));
    };
    let mut glob = String::new();
    let mut signs = quoted.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '"' => return Some((glob, &quoted[at + 1..])),
            '\\' => glob.extend(signs.next().map(|(_, sign)| sign)),
            sign => glob.push(sign),
        }
    }
    None
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
        || may_match_code(name)
}

/// Whether a name with wildcards in its ending takes in the ending of a programming language. Names in capitals
/// (`README*`) are no code.
fn may_match_code(name: &str) -> bool {
    const ENDINGS: [&str; 14] = [
        ".py", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".rb", ".c", ".cpp", ".sh", ".php",
        ".kt", ".cs",
    ];
    let plain = name.split(['*', '?', '[']).next().unwrap_or_default();
    let is_capital = plain.len() > 1 && !plain.contains(|c: char| c.is_ascii_lowercase());
    if plain == name || is_capital && plain.contains(char::is_alphabetic) {
        return false;
    }
    let stem = plain.split('.').next().unwrap_or_default();
    let stem = if stem.is_empty() { "a" } else { stem };
    // What stands before the first wildcard may be of any length, and need not be matched sign by sign.
    let rest = &name.as_bytes()[plain.len()..];
    ENDINGS.iter().any(|ending| {
        let other = format!("{stem}{ending}");
        let behind = other.strip_prefix(plain);
        behind.is_some_and(|behind| matches_glob(rest, behind.as_bytes()))
    })
}

/// Whether a name fits a pattern of git's, which has no slash.
fn matches_glob(glob: &[u8], name: &[u8]) -> bool {
    match (glob, name) {
        ([], []) => true,
        ([b'*', b'*', ..], _) => {
            let stars = glob.iter().take_while(|&&sign| sign == b'*').count();
            matches_glob(&glob[stars - 1..], name)
        }
        ([b'*', rest @ ..], _) => {
            matches_glob(rest, name) || (!name.is_empty() && matches_glob(glob, &name[1..]))
        }
        ([b'?', rest @ ..], [_, others @ ..]) => matches_glob(rest, others),
        ([b'[', rest @ ..], [sign, others @ ..]) => {
            let Some(end) = rest
                .iter()
                .skip(1)
                .position(|&b| b == b']')
                .map(|at| at + 1)
            else {
                return false;
            };
            let set = &rest[..end];
            let (is_other, set) = match set {
                [b'!' | b'^', set @ ..] => (true, set),
                set => (false, set),
            };
            let mut is_in = set.contains(sign);
            is_in |= set
                .windows(3)
                .any(|range| range[1] == b'-' && (range[0]..=range[2]).contains(sign));
            is_in != is_other && matches_glob(&rest[end + 1..], others)
        }
        ([b'\\', sign, rest @ ..], [other, others @ ..]) => {
            sign == other && matches_glob(rest, others)
        }
        ([sign, rest @ ..], [other, others @ ..]) => sign == other && matches_glob(rest, others),
        _ => false,
    }
}
