//! `insecure-source`: a dependency or submodule that comes over an unprotected connection.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "insecure-source",
        perspective: SECURITY,
        category: "supply-chain",
        severity: Significant,
        summary: "a dependency, registry or submodule over http:// or git://",
        why: "Anyone on the network path can replace the code, which is then built and run.",
        fix: "Use https:// or ssh://.",
        examples: &[RuleExample {
            path: "Cargo.toml",
            bad: "acme = { git = \"http://git.acme.io/acme\" }\n",
            good: "acme = { git = \"https://git.acme.io/acme\" }\n",
        }],
    },
    scope: RuleScope::Production,
    languages: &[],
    claims: &["http://", "git://", "insecure"],
    check: RuleCheck::Line {
        needles: &["http://", "git://"],
        look: check_line,
    },
};

pattern!(
    SOURCE,
    r#"(?i)(?:\bgit\s*=|\burl\s*=|\bregistry\s*=|\bindex(?:-url)?\s*=|--(?:extra-)?index-url|\bfind-links|source\s+['"]|\bgit\+|"(?:resolved|repository|registry)"\s*:|@\s*git\+|^\s*"[\w@/.-]+"\s*:)\s*\[?["']?(?:\[[^\]]*\]\s*)?(?:http|git)://([\w.-]+)"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    if !is_manifest(line.file.file_name()) {
        return;
    }
    let text = line.without_comments();
    let Some(found) = SOURCE.captures(&text) else {
        return;
    };
    let host = &found[1];
    let local = host == "localhost" || host.starts_with("127.") || text.contains("\"homepage\"");
    if !local {
        hits.push(line.line_hit(format!(
            "Code is fetched from `{host}` over an unprotected connection."
        )));
    }
}

fn is_manifest(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "Cargo.toml",
        "config.toml",
        ".gitmodules",
        "package.json",
        ".npmrc",
        ".yarnrc",
        "pyproject.toml",
        "Pipfile",
        "Gemfile",
        "pip.conf",
        "build.gradle",
        "settings.gradle",
        "composer.json",
        "Dockerfile",
    ];
    NAMES.contains(&name) || (name.starts_with("requirements") && name.ends_with(".txt"))
}
