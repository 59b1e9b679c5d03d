//! `pipe-to-shell`: a download that is run unseen.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "pipe-to-shell",
        perspective: SECURITY,
        category: "supply-chain",
        severity: Significant,
        summary: "a download that goes straight into a shell",
        why: "The server's response runs before anyone has seen it, and an interrupted download runs half of it. Over \
              plain http anyone on the network path can change it: significant. Over https it is minor.",
        fix: "Download to a file, check it against a known digest, then run it; or install a packaged version.",
        examples: &[RuleExample {
            path: "Dockerfile",
            bad: "RUN curl -s http://get.acme.io/install | bash\n",
            good: "RUN apt-get install -y acme\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &["curl", "pipe", "| sh", "| bash"],
    check: RuleCheck::Line {
        needles: &[
            "curl",
            "wget",
            "iwr",
            "irm ",
            "invoke-webrequest",
            "invoke-restmethod",
            "downloadstring",
        ],
        look: check_line,
    },
};

/// The programs that fetch something from an address.
const FETCH: &str = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)";
/// What may stand before the program that runs it.
const WRAPPER: &str =
    r"(?:(?:sudo|doas|env|exec|nohup|command|nice)\s+(?:-\S+\s+|\w+=\S*\s+)*)*(?:(?:/usr)?/bin/)?";
const SHELL: &str = r#"(?:(?:ba|z|da|k|a)?sh\b|["']?\$\{?SHELL\b)"#;
/// Its output, as an argument or a file.
const FETCHED: &str = r#"["']?(?:<\(|\$\(|`)\s*(?:curl|wget)\b"#;

pattern!(
    PIPED,
    &format!(
        r#"(?i)\b{FETCH}\b[^|\n]*(?:\|&?[^|\n]+){{0,3}}\|&?\s*{WRAPPER}{SHELL}|\b{FETCH}\b[^|\n]*\|\s*(?:iex|invoke-expression)\b|\biex\b.*DownloadString"#
    )
);
pattern!(
    SUBSTITUTED,
    &format!(
        r#"(?i)\b(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*(?:<<<\s*)?{FETCHED}|\b(?:eval|source|exec)\s+{FETCHED}|(?:^|[\s;&|])\.\s+{FETCHED}|\b(?:python3?|node|ruby|perl|php)\s+-\w\s+{FETCHED}"#
    )
);
pattern!(
    INTERPRETED,
    r"(?i)\b(?:curl|wget)\b.*\|\s*(?:sudo\s+)?(?:python3?|node|ruby|perl|php)\s*(?:-\s*)?$|^\s*\|\s*(?:sudo\s+)?(?:python3?|node|ruby|perl)\s*(?:-\s*)?$"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let whole = line.statement();
    let text = whole.map_or_else(|| line.without_comments().into_owned(), |whole| whole.text);
    let prose = matches!(line.file.language, Language::Prose | Language::Markup);
    let is_run = || {
        let patterns: [&regex::Regex; 3] = [&PIPED, &SUBSTITUTED, &INTERPRETED];
        patterns.iter().any(|pattern| pattern.is_match(&text))
    };
    if prose || line.file.language.is_code() || !is_run() {
        return;
    }
    let hit = line.line_hit("A download is run without being checked.");
    let open = text.contains("http://");
    hits.push(if open { hit } else { hit.with_severity(Minor) });
}
