//! `world-writable`: a file that everybody on the machine may change.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "world-writable",
        perspective: SECURITY,
        category: "permissions",
        severity: Significant,
        summary: "a file or folder that everybody can write to",
        why: "Any user or service on the machine can replace what the program reads or runs.",
        fix: "Give the permission to the owner or to one group only: 755 and 644, or 770 and 660.",
        examples: &[RuleExample {
            path: "scripts/setup.sh",
            bad: "chmod -R 777 /var/lib/acme\n",
            good: "chmod -R 750 /var/lib/acme\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &["world-writable", "chmod", "777", "permissions"],
    check: RuleCheck::Line {
        needles: &["chmod", "from_mode", "set_mode"],
        look: check_line,
    },
};

pattern!(
    OPEN,
    r"(?x)\bchmod\s+(?:-\w+\s+)*(?:0?[0-7]?[0-7][0-7][2367]\b|[augo]*[ao][augo]*\+[rx]*w)
    |\b(?:os\.|fs\.)?[cC]hmod(?:Sync)?\([^)]*,\s*0o?[0-7]?[0-7][0-7][2367]\b
    |\b(?:from|set)_mode\(\s*0o[0-7]?[0-7][0-7][2367]\b"
);
pattern!(STICKY, r"\b0?o?1[0-7]{3}\b");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.without_comments();
    let prose = matches!(line.file.language, Language::Prose | Language::Markup);
    if let Some(found) = OPEN.find(&text).filter(|_| !prose)
        && !STICKY.is_match(found.as_str())
        && !text[found.end()..].contains("umask")
    {
        hits.push(line.line_hit(format!("`{}` lets everybody write.", found.as_str())));
    }
}
