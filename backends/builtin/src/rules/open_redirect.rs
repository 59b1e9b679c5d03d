//! `open-redirect`: a visitor is sent where the request says.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "open-redirect",
        perspective: SECURITY,
        category: "injection",
        severity: Significant,
        summary: "a redirect to an address taken from the request",
        why: "A link to the trusted host leads to the attacker's page: visitors type in their passwords there, and \
              tokens in the address leak.",
        fix: "Redirect to a path of your own, or check the host against a list of known ones first.",
        examples: &[RuleExample {
            path: "src/views.py",
            bad: "    return redirect(request.args.get(\"next\"))\n",
            good: "    return redirect(url_for(\"index\"))\n",
        }],
    },
    scope: RuleScope::Production,
    languages: &[
        Language::Python,
        Language::Script,
        Language::Php,
        Language::Ruby,
        Language::Java,
        Language::Go,
    ],
    claims: &["open redirect", "unvalidated redirect"],
    check: RuleCheck::Line {
        needles: &[
            "redirect(",
            "redirect_to",
            "header(\"location",
            "header('location",
        ],
        look: check_line,
    },
};

pattern!(
    DIRECT,
    r#"(?x)
      \b(?:HttpResponse)?[rR]edirect\(\s*(?:flask\.)?request\.(?:args|values|form|GET|POST)(?:\.get\(|\[)
    | \bres(?:ponse)?\.redirect\(\s*(?:\d+\s*,\s*)?(?:req|request)\.(?:query|body|params)\b
    | \bredirect_to\s*\(?\s*params\[
    | \bheader\(\s*["']Location:\s*["']\s*\.\s*\$_(?:GET|POST|REQUEST)\b
    | \bhttp\.Redirect\(\s*\w+\s*,\s*\w+\s*,\s*\w+\.(?:FormValue|PostFormValue|URL\.Query\(\)\.Get)\(
    | \bsendRedirect\(\s*(?:req|request)\.getParameter\("#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.without_comments();
    let found = DIRECT.find(&text);
    if found.is_some_and(|found| !line.in_literal(found.start())) {
        hits.push(line.line_hit("The request decides where the visitor is sent."));
    }
}
