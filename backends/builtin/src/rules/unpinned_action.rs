//! `unpinned-action`: an action of a third party at a tag or branch.

use super::prelude::*;
use crate::workflow;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unpinned-action",
        perspective: SECURITY,
        category: "supply-chain",
        severity: Significant,
        summary: "a third-party action on a branch, or one that loses its pin to a commit",
        why: "Tags and branches can be moved: whoever takes over the action's repository runs code in this job, as \
              happened with tj-actions/changed-files (CVE-2025-30066). Most workflows use tags, so a tag is a warning \
              only where the action was pinned before, and a note where the file pins others.",
        fix: "Pin the action to a full commit id, and name the version in a comment; Dependabot keeps both current.",
        examples: &[RuleExample {
            path: ".github/workflows/ci.yml",
            bad: "      - uses: acme/setup-tool@main\n",
            good: "      - uses: acme/setup-tool@5dee1c1b8a5b8f9a4b6d6d6c3d4a3d2c1b0a9f8e # v2.1.0\n",
        }],
    },
    scope: RuleScope::Workflows,
    languages: &[],
    claims: &["unpinned", "pinned", "third-party action", "supply chain"],
    check: RuleCheck::Line {
        needles: &["uses:"],
        look: check_line,
    },
};

pattern!(
    USES,
    r#"^\s*(?:-\s*)?uses:\s*["']?([\w.-]+)/([\w./-]+?)@([^\s"'#]+)"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let Some((action, version)) = find_unpinned(line.text()) else {
        return;
    };
    // An action that was there before is not news at another version.
    let used = |text: &str| find_unpinned(text).is_some_and(|(other, _)| other == action);
    let known = line.file.removed_lines().any(|removed| used(removed.text))
        || line
            .file
            .text_before()
            .is_some_and(|text| text.lines().any(used));
    if known {
        return;
    }
    // Some must be used by tag: they check how they were called.
    if action.starts_with("slsa-framework/") || action == "dtolnay/rust-toolchain" {
        return;
    }
    let hit = line.line_hit(format!(
        "`{action}` is used at `{version}`, which its owner can move."
    ));
    let branch = matches!(
        version.as_str(),
        "main" | "master" | "HEAD" | "develop" | "trunk" | "latest"
    );
    if branch || was_pinned(line.file, &action) {
        hits.push(hit);
    } else if pins_others(line.file) {
        // A tag is news only where the file pins what it uses.
        hits.push(hit.with_severity(Minor));
    }
}

/// Whether the change takes an action's pin away.
fn was_pinned(file: &FileView<'_>, action: &str) -> bool {
    let pinned = |text: &str| {
        let found = USES.captures(text);
        found.is_some_and(|f| format!("{}/{}", &f[1], &f[2]) == action && is_commit(&f[3]))
    };
    file.removed_lines().any(|line| pinned(line.text))
}

/// Whether the file pins an action of a third party to a commit.
fn pins_others(file: &FileView<'_>) -> bool {
    workflow::lines_after(file).any(|text| {
        USES.captures(text)
            .is_some_and(|found| is_commit(&found[3]) && !is_own(&found[1], text))
    })
}

fn is_commit(version: &str) -> bool {
    version.len() >= 40 && version.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_own(owner: &str, text: &str) -> bool {
    matches!(owner, "actions" | "github" | "." | "..") || text.contains("docker://")
}

/// Action and version of a `uses:` line of a third party that is not pinned.
fn find_unpinned(text: &str) -> Option<(String, String)> {
    let found = USES.captures(text)?;
    let (owner, name, version) = (&found[1], &found[2], &found[3]);
    (!is_commit(version) && !is_own(owner, text))
        .then(|| (format!("{owner}/{name}"), version.to_owned()))
}
