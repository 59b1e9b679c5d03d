//! `unpinned-action`: an action of a third party at a tag or branch.

use std::collections::BTreeMap;
use std::ops::Range;

use council_protocol::LineKind;

use super::prelude::*;
use crate::workflow::scalar::{KeyedText, lines_of, texts_under, words_under};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unpinned-action",
        perspective: SECURITY,
        category: "supply-chain",
        severity: Significant,
        summary: "a third-party action on a branch, or one that loses its pin to a commit",
        why: "Tags and branches can be moved: whoever takes over the action's repository runs code in this job, as \
              happened with tj-actions/changed-files (CVE-2025-30066).\n\
              Most workflows use tags, so a tag is a warning \
              only where the action was pinned before, and a note where the file pins others.",
        fix: "Pin the action to a full commit id, and name the version in a comment; Dependabot keeps both current.",
        examples: &[RuleExample {
            path: ".github/workflows/ci.yml",
            bad: "      - uses: acme/setup-tool@main\n",
            good: "      - uses: acme/setup-tool@5dee1c1b8a5b8f9a4b6d6d6c3d4a3d2c1b0a9f8e # v2.1.0\n",
        }],
    },
    scope: RuleScope::Workflows,
    guards: Guarded::Code,
    languages: &[],
    claims: &["unpinned", "pinned", "third-party action", "supply chain"],
    check: RuleCheck::File(check_file),
};

pattern!(USED, r"^([\w.-]+)/([\w./-]+?)@(\S+)$");

/// An action or a workflow of somebody else that a file uses.
struct UsedAction {
    name: String,
    version: String,
    lines: Range<u32>,
}

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !file.is_text() {
        return;
    }
    let after = used_after(file);
    if after.iter().all(|used| is_commit(&used.version)) {
        return;
    }
    let added: Vec<LineView<'_, '_>> = file.added_lines().collect();
    let (old, new) = (count_uses(&used_before(file)), count_uses(&after));
    for used in after.iter().filter(|used| !is_commit(&used.version)) {
        let Some(line) = lines_of(&added, &used.lines).first() else {
            continue;
        };
        let before = old.get(&used.name).copied().unwrap_or_default();
        let pins = new.get(&used.name).map_or(0, |uses| uses.pinned);
        // An action that was there before is not news at another version; one that loses its pin is.
        if before.loose == 0 {
            check_action(line, used, before.pinned > pins, &new, hits);
        }
    }
}

/// How often an action is used at a commit, and otherwise.
#[derive(Debug, Clone, Copy, Default)]
struct UseCount {
    pinned: usize,
    loose: usize,
}

fn count_uses(used: &[UsedAction]) -> BTreeMap<String, UseCount> {
    let mut counts = BTreeMap::<String, UseCount>::new();
    for action in used {
        let count = counts.entry(action.name.clone()).or_default();
        match is_commit(&action.version) {
            true => count.pinned += 1,
            false => count.loose += 1,
        }
    }
    counts
}

fn check_action(
    line: &LineView<'_, '_>,
    used: &UsedAction,
    loses_pin: bool,
    new: &BTreeMap<String, UseCount>,
    hits: &mut HitList,
) {
    let UsedAction { name, version, .. } = used;
    // Some must be used by tag: they check how they were called.
    if name.starts_with("slsa-framework/") || name == "dtolnay/rust-toolchain" {
        return;
    }
    let hit = line.line_hit(format!(
        "`{name}` is used at `{version}`, which its owner can move."
    ));
    let branch = matches!(
        version.as_str(),
        "main" | "master" | "HEAD" | "develop" | "trunk" | "latest"
    );
    if branch || loses_pin {
        hits.push(hit);
    } else if new.values().any(|uses| uses.pinned > 0) {
        // A tag is news only where the file pins what it uses.
        hits.push(hit.with_severity(Minor));
    }
}

/// What the file uses after the change.
fn used_after(file: &FileView<'_>) -> Vec<UsedAction> {
    let whole = file
        .text_after()
        .and_then(|text| texts_under(text, &["uses"]));
    match whole {
        Some(values) => actions_of(values),
        None => {
            let lines = file.lines.iter().filter_map(|line| {
                let number = line.new_no?;
                Some((number, line.text))
            });
            lines
                .flat_map(|(number, text)| actions_in(number, text))
                .collect()
        }
    }
}

/// What it used before, as far as it is known.
fn used_before(file: &FileView<'_>) -> Vec<UsedAction> {
    let whole = file
        .text_before()
        .and_then(|text| texts_under(text, &["uses"]));
    match whole {
        Some(values) => actions_of(values),
        None => {
            let lines = file
                .lines
                .iter()
                .filter(|line| line.kind != LineKind::Added);
            lines.flat_map(|line| actions_in(0, line.text)).collect()
        }
    }
}

fn actions_of(values: Vec<KeyedText>) -> Vec<UsedAction> {
    let actions = values
        .into_iter()
        .filter_map(|value| action_at(value.text.trim(), value.lines));
    actions.collect()
}

fn actions_in(number: u32, text: &str) -> Vec<UsedAction> {
    let words = words_under(text, "uses").into_iter();
    words
        .filter_map(|word| action_at(word, number..number.saturating_add(1)))
        .collect()
}

/// None: it is the repository's own, the forge's, an image, or nothing that has a version.
fn action_at(text: &str, lines: Range<u32>) -> Option<UsedAction> {
    let found = USED.captures(text)?;
    let is_own = matches!(&found[1], "actions" | "github" | "." | "..");
    (!is_own).then(|| UsedAction {
        name: format!("{}/{}", &found[1], &found[2]),
        version: found[3].to_owned(),
        lines,
    })
}

fn is_commit(version: &str) -> bool {
    version.len() >= 40 && version.bytes().all(|b| b.is_ascii_hexdigit())
}
