//! `weakened-ci`: a gate that no longer closes.

use super::prelude::*;
use crate::workflow;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "weakened-ci",
        perspective: TESTS,
        category: "ci",
        severity: Significant,
        summary: "a CI check that can no longer fail, or is removed",
        why: "The pipeline stays green whatever the check finds, and nobody notices that it no longer protects \
              anything.",
        fix: "Fix the check, or remove it in a separate change that says why.",
        examples: &[RuleExample {
            path: ".github/workflows/ci.yml",
            bad: "      - run: cargo test || true\n",
            good: "      - run: cargo test\n",
        }],
    },
    scope: RuleScope::Always,
    guards: Guarded::Review,
    languages: &[Language::Yaml, Language::Unknown],
    claims: &["continue-on-error", "|| true", "ci", "gate"],
    check: RuleCheck::File(check_file),
};

pattern!(
    CHECK,
    r"(?x)\b(cargo\s+(?:\+\S+\s+)?(?:test|nextest|clippy|fmt|deny|miri)|npm\s+(?:run\s+)?test|yarn\s+(?:run\s+)?test|pnpm\s+(?:run\s+)?test
    |pytest|tox|nox|mypy|ruff|flake8|go\s+(?:test|vet)|golangci-lint|mvn\s.*(?:test|verify)|gradlew?\s.*(?:test|check)
    |make\s+(?:test|check)|ctest|rspec|rubocop|phpunit|dotnet\s+test|eslint|tsc)\b"
);
pattern!(IGNORED, r"\|\|\s*(?:true|:|exit\s+0|echo\b.*)\s*$");

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !is_ci(file) {
        return;
    }
    for line in file.added_lines() {
        let code = line.without_comments();
        let text = code.trim().trim_start_matches("- ");
        let moved = file
            .removed_lines()
            .any(|removed| removed.text.trim() == code.trim());
        if moved {
            continue;
        }
        if matches!(
            text,
            "continue-on-error: true" | "allow_failure: true" | "continueOnError: true"
        ) {
            // In a new workflow nothing is weaker than it was.
            if line.file.change.old_mode != 0 {
                hits.push(
                    line.line_hit("The step or job may fail without anybody noticing.")
                        .with_severity(Minor),
                );
            }
        } else if matches!(text, "if: false" | "if: ${{ false }}") {
            hits.push(line.line_hit("The step or job never runs."));
        } else if let Some(found) = CHECK.find(text)
            && IGNORED.is_match(text)
        {
            hits.push(line.line_hit(format!("The result of `{}` is ignored.", found.as_str())));
        }
    }
    report_removed_checks(file, hits);
}

/// Reports a check that was run before and is run nowhere in the file any more.
fn report_removed_checks(file: &FileView<'_>, hits: &mut HitList) {
    // Where another check is added, or a wrapper that is named after one, it has taken the old one's place.
    const CHECKS: [&str; 5] = ["test", "check", "lint", "clippy", "tox"];
    let replaced = file.added_lines().any(|line| {
        let code = line.without_comments();
        let script = is_step(&code) && (code.contains(".sh") || code.contains("./"));
        CHECK.is_match(&code)
            || script
            || (is_step(&code) && CHECKS.iter().any(|word| code.contains(word)))
    });
    if !file.exists() || replaced {
        return;
    }
    let mut told: Vec<&str> = Vec::new();
    for removed in file.removed_lines() {
        let text = removed.text.split('#').next().unwrap_or_default();
        let Some(found) = CHECK.find(text).filter(|_| is_command(text)) else {
            continue;
        };
        let check = found.as_str();
        // The tool may be run in another way, as by an action that takes its name.
        let tool = check
            .rsplit(' ')
            .next()
            .filter(|word| word.len() > 5 || *word == "fmt");
        let named = |line: &str| line.contains(check) || tool.is_some_and(|t| line.contains(t));
        let runs = workflow::lines_after(file).any(named) || told.contains(&check);
        if !runs {
            told.push(check);
            hits.push(file.removed_hit(removed, format!("`{check}` is no longer run here.")));
        }
    }
}

/// Whether a line starts a program or an action.
fn is_step(text: &str) -> bool {
    let text = text.trim().trim_start_matches("- ");
    ["run:", "script:", "uses:"]
        .iter()
        .any(|key| text.starts_with(key))
        || !text.contains(": ")
}

fn is_command(text: &str) -> bool {
    let text = text.trim().trim_start_matches("- ");
    text.starts_with("run:")
        || text.starts_with("script:")
        || CHECK.find(text).is_some_and(|found| found.start() == 0)
}

fn is_ci(file: &FileView<'_>) -> bool {
    const FILES: [&str; 7] = [
        ".gitlab-ci.yml",
        ".travis.yml",
        "azure-pipelines.yml",
        "appveyor.yml",
        "bitbucket-pipelines.yml",
        ".drone.yml",
        "Jenkinsfile",
    ];
    file.is_workflow() || FILES.contains(&file.file_name()) || file.path == ".circleci/config.yml"
}
