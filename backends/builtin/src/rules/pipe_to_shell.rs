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
    languages: &[],
    claims: &["curl", "pipe", "| sh", "| bash"],
    check: RuleCheck::Line {
        needles: &["curl", "wget", "iwr", "invoke-webrequest", "downloadstring"],
        look: check_line,
    },
};

pattern!(
    PIPED,
    r"(?i)\b(?:curl|wget|iwr|invoke-webrequest|irm)\b[^|\n]*\|\s*(?:sudo\s+(?:-\w+\s+)*)?(?:(?:/usr)?/bin/)?(?:ba|z|da|k)?sh\b|\b(?:ba|z)?sh\s+(?:-c\s+)?[\x22']?(?:<\(|\$\()\s*(?:curl|wget)\b|\b(?:iwr|irm|invoke-webrequest)\b[^|\n]*\|\s*iex\b|\biex\b.*DownloadString|\|\s*(?:sudo\s+)?(?:python3?|node|ruby|perl)\s*(?:-\s*)?$"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let whole = line.statement();
    let text = whole.map_or_else(|| line.without_comments().into_owned(), |whole| whole.text);
    let prose = matches!(line.file.language, Language::Prose | Language::Markup);
    if prose || !PIPED.is_match(&text) || line.file.language.is_code() {
        return;
    }
    let hit = line.line_hit("A download is run without being checked.");
    let open = text.contains("http://");
    hits.push(if open { hit } else { hit.with_severity(Minor) });
}
