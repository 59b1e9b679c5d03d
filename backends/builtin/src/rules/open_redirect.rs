//! `open-redirect`: a visitor is sent where the request says.

use super::prelude::*;
use crate::request::uses_request;

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
    guards: Guarded::Code,
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
            "request.args",
            "request.get",
            "req.query",
            "params[",
            "$_get",
            "getparameter(",
            "query().get(",
            "formvalue(",
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

pattern!(
    /// The same with a variable in the place of what the request brings.
    LATER,
    r#"(?x)
      \b(?:HttpResponse)?[rR]edirect\(\s*(\w+)\s*[,)]
    | \bres(?:ponse)?\.redirect\(\s*(?:\d+\s*,\s*)?(\w+)\s*\)
    | \bredirect_to[\s(]\s*(\w+)\s*(?:[,)]|$)
    | \bheader\(\s*["']Location:\s*["']\s*\.\s*(\$\w+)\s*\)
    | \bhttp\.Redirect\(\s*\w+\s*,\s*\w+\s*,\s*(\w+)\s*,
    | \bsendRedirect\(\s*(\w+)\s*\)"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.without_comments();
    let found = DIRECT.find(&text);
    let is_there = found.is_some_and(|found| !line.in_literal(found.start()));
    if is_there || uses_request(line, &LATER) {
        hits.push(line.line_hit("The request decides where the visitor is sent."));
    }
}
