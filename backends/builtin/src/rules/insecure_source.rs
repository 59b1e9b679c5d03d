//! `insecure-source`: a dependency or submodule that comes over an unprotected connection.

use regex::Regex;

use super::prelude::*;
use crate::rule::RuleHit;

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
    // A list of requirements is text, and its lines are what is installed.
    scope: RuleScope::Fresh,
    guards: Guarded::Code,
    languages: &[],
    claims: &["http://", "git://", "insecure"],
    check: RuleCheck::Line {
        needles: &["http://", "git://"],
        look: check_line,
    },
};

pattern!(
    SOURCE,
    r#"(?i)(?:\bgit\s*=|\burl\s*=|\bregistry\s*=|\bindex(?:-url)?\s*=|--(?:extra-)?index-url=?|\bfind-links|source\s+['"]|\bgit\+|"(?:resolved|repository|registry)"\s*:|@\s*git\+|^\s*"[\w@/.-]+"\s*:)\s*\[?["']?(?:\[[^\]]*\]\s*)?(?:http|git)://([\w.-]+)"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let name = line.file.file_name();
    if !is_manifest(name) || line.in_test() {
        return;
    }
    let text = line.without_comments();
    if name.ends_with(".json")
        && let Some(host) = DEPENDENCIES.captures_iter(&text).find_map(|found| {
            let sources = DEPENDENCY.captures_iter(found.get(1)?.as_str());
            let mut hosts =
                sources.filter_map(|source| source.get(1).map(|host| host.as_str().to_owned()));
            hosts.find(|host| !is_local(host))
        })
    {
        hits.push(insecure_hit(line, &host));
        return;
    }
    let source = match name {
        "pom.xml" | "settings.xml" => MAVEN.captures(&text),
        _ if is_gradle(name) => GRADLE.captures(&text),
        _ => SOURCE.captures(&text),
    };
    let Some(found) = source else {
        return;
    };
    // Both say addresses of web pages in the same words.
    let opener: Option<&Regex> = match name {
        "pom.xml" | "settings.xml" => Some(&MAVEN_REPOSITORY),
        _ if is_gradle(name) => Some(&GRADLE_REPOSITORY),
        _ => None,
    };
    if opener.is_some_and(|opener| !stands_in(line, opener)) {
        return;
    }
    let host = found
        .iter()
        .skip(1)
        .flatten()
        .next()
        .map_or("", |host| host.as_str());
    if !is_local(host) && !text.contains("\"homepage\"") {
        hits.push(insecure_hit(line, host));
    }
}

fn is_local(host: &str) -> bool {
    host == "localhost" || host.starts_with("127.")
}

fn insecure_hit(line: &LineView<'_, '_>, host: &str) -> RuleHit {
    line.line_hit(format!(
        "Code is fetched from `{host}` over an unprotected connection."
    ))
}

pattern!(
    /// The sources in a manifest that stands in one line; whole, a line has other addresses, too.
    DEPENDENCIES,
    r#""(?:\w*[dD]ependencies|resolutions|overrides|require(?:-dev)?)"\s*:\s*\{([^{}]*)"#
);
pattern!(DEPENDENCY, r#"(?i):\s*"(?:git\+)?(?:http|git)://([\w.-]+)"#);

pattern!(MAVEN, r"(?i)<url>\s*http://([\w.-]+)");
pattern!(
    MAVEN_REPOSITORY,
    r"<(?:plugin|snapshot)?[rR]epository>|<mirror>"
);
pattern!(
    GRADLE,
    r#"(?i)\b(?:url|setUrl)\b\s*[=(]?\s*(?:uri\s*\(\s*)?["']http://([\w.-]+)|\bmaven\s*\(\s*["']http://([\w.-]+)"#
);
pattern!(GRADLE_REPOSITORY, r"\b(?:maven|ivy)\s*[{(]");

/// The most lines between the head of a repository and its address.
const MAX_LINES_ABOVE: i32 = 6;

/// Whether a line stands in what the nearest line above opens that is not closed yet.
fn stands_in(line: &LineView<'_, '_>, opener: &Regex) -> bool {
    let near = (0..=MAX_LINES_ABOVE).map_while(|by| line.text_near(-by));
    for text in near {
        if opener.is_match(text) {
            return true;
        }
        let closes = text.contains("epository>") || text.contains("</mirror>");
        if closes || text.trim() == "}" {
            return false;
        }
    }
    false
}

fn is_gradle(name: &str) -> bool {
    name.ends_with(".gradle") || name.ends_with(".gradle.kts")
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
        "pom.xml",
        "settings.xml",
        "composer.json",
        "Dockerfile",
    ];
    NAMES.contains(&name)
        || is_gradle(name)
        || (name.starts_with("requirements") && name.ends_with(".txt"))
}
