//! `unpinned-image`: a container built on whatever image is the newest today.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "unpinned-image",
        perspective: SECURITY,
        category: "supply-chain",
        severity: Minor,
        summary: "a container image without a version",
        why: "`latest` is another image next week: the same commit then builds something that nobody has tested, and \
              a base image that was taken over arrives with the next build.",
        fix: "Name the version (`debian:12.5`), and for a build that stays the same its digest (`@sha256:…`).",
        examples: &[RuleExample {
            path: "Dockerfile",
            bad: "FROM node:latest\n",
            good: "FROM node:22.3-slim\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Docker],
    claims: &["latest", "unpinned", "base image"],
    check: RuleCheck::File(check_file),
};

pattern!(
    FROM,
    r"(?i)^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$"
);

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let mut stages: Vec<String> = Vec::new();
    let known: Vec<&str> = file
        .removed_lines()
        .filter_map(|line| image(line.text))
        .collect();
    for line in file.lines.iter().filter(|line| line.new_no.is_some()) {
        if let Some(stage) = FROM.captures(line.text).and_then(|found| found.get(2)) {
            stages.push(stage.as_str().to_lowercase());
        }
    }
    // A stage may be named above what the change shows.
    for text in file.text_after().unwrap_or_default().lines() {
        if let Some(stage) = FROM.captures(text).and_then(|found| found.get(2)) {
            stages.push(stage.as_str().to_lowercase());
        }
    }
    for line in file.added_lines() {
        let Some(image) = image(line.text()).filter(|image| floats(image)) else {
            continue;
        };
        if !stages.contains(&image.to_lowercase()) && !known.contains(&image) {
            hits.push(line.line_hit(format!("`{image}` names no version.")));
        }
    }
}

fn image(text: &str) -> Option<&str> {
    Some(FROM.captures(text)?.get(1)?.as_str())
}

/// Whether a name stands for another image tomorrow. A variable may hold a version.
fn floats(image: &str) -> bool {
    let last = image.rsplit('/').next().unwrap_or(image);
    let tag = last.split_once(':').map(|(_, tag)| tag);
    !image.contains(['$', '@']) && image != "scratch" && tag.is_none_or(|tag| tag == "latest")
}
