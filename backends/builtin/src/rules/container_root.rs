//! `container-root`: a container that the change makes run as root.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "container-root",
        perspective: SECURITY,
        category: "configuration",
        severity: Significant,
        summary: "a container that runs as root",
        why: "Whoever breaks into the program is root in the container: every file of the image and of mounted \
              folders can be changed, and ways out of the container mostly need just that.",
        fix: "Do what needs root first, and end with `USER` and an account without rights.",
        examples: &[RuleExample {
            path: "Dockerfile",
            bad: "FROM debian:12\nUSER root\nCMD [\"serve\"]\n",
            good: "FROM debian:12\nUSER root\nRUN apt-get update\nUSER app\nCMD [\"serve\"]\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Docker],
    claims: &["as root", "user root", "container"],
    check: RuleCheck::File(check_file),
};

pattern!(USER, r"(?i)^\s*USER\s+(\S+)");
pattern!(
    /// The builder takes quotes away; whatever the group, the account is root.
    ROOT,
    r#"^["']*(?:root|0+)["']*(?::\S*)?$"#
);
pattern!(STAGE, r"(?i)^\s*FROM\s");

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    // Only the whole file says which account is the last one.
    let Some(text) = file.text_after() else {
        return;
    };
    let mut last = None;
    for (number, line) in (1_u32..).zip(text.lines()) {
        if STAGE.is_match(line) {
            last = None;
        } else if let Some(found) = USER.captures(line) {
            last = Some((number, ROOT.is_match(&found[1])));
        }
    }
    let Some((number, true)) = last else {
        return;
    };
    for line in file.added_lines().filter(|line| line.number() == number) {
        hits.push(line.line_hit("The program in the container runs as root."));
    }
}
