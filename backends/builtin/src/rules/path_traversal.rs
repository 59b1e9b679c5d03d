//! `path-traversal`: a file that is opened under a name from the request.

use super::prelude::*;
use crate::request::uses_request;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "path-traversal",
        perspective: SECURITY,
        category: "injection",
        severity: Significant,
        summary: "a file opened under a name taken from the request",
        why: "`../` in the name leads out of the intended folder: the program then serves or overwrites any file that \
              it can access.",
        fix: "Use only the last part of the name (`secure_filename`, `path.basename`), or resolve it and check that \
              it is inside the folder.",
        examples: &[RuleExample {
            path: "src/files.js",
            bad: "  res.sendFile(req.query.name);\n",
            good: "  res.sendFile(path.basename(req.query.name), { root });\n",
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
    claims: &["path traversal", "directory traversal"],
    check: RuleCheck::Line {
        needles: &[
            "request.args",
            "request.form",
            "request.values",
            "request.get",
            "req.query",
            "req.params",
            "req.body",
            "params[",
            "$_get",
            "$_post",
            "$_request",
            "getparameter(",
            "query().get(",
            "formvalue(",
            "open(",
            "send_file",
            "sendfile(",
            "readfile",
            "createreadstream(",
            "new file",
            "servefile(",
        ],
        look: check_line,
    },
};

pattern!(
    OPENED,
    r#"(?x)
      \b(?:open|send_file|os\.remove|os\.unlink|shutil\.rmtree)\(\s*(?:os\.path\.join\([^()]*,\s*)?(?:flask\.)?request\.(?:args|values|form|GET|POST)(?:\.get\(|\[)
    | \b(?:fs\.(?:promises\.)?(?:readFile|writeFile|unlink|createReadStream|createWriteStream|rm)(?:Sync)?|res\.(?:sendFile|download))\(\s*(?:path\.join\([^()]*,\s*)?(?:req|request)\.(?:query|body|params)\b
    | \b(?:File\.(?:read|open|delete)|send_file|IO\.read)\s*\(?\s*params\[
    | \b(?:readfile|file_get_contents|fopen|unlink|include|require)(?:_once)?\s*\(?\s*\$_(?:GET|POST|REQUEST)\b
    | \bnew\s+(?:File|FileInputStream|FileReader)\([^()]*\b(?:req|request)\.getParameter\(
    | \b(?:os\.(?:Open|ReadFile|Remove(?:All)?|Create)|http\.ServeFile\(\w+,\s*\w+,\s*|ioutil\.ReadFile)\(?\s*(?:filepath\.Join\([^()]*,\s*)?\w+\.(?:FormValue|URL\.Query\(\)\.Get)\("#
);

pattern!(
    /// The same with a variable in the place of what the request brings.
    OPENED_LATER,
    r#"(?x)
      \b(?:open|send_file|os\.remove|os\.unlink|shutil\.rmtree)\(\s*(?:os\.path\.join\([^()]*,\s*|f["'][^"'{]*\{)?(\w+)\s*[,)}]
    | \b(?:fs\.(?:promises\.)?(?:readFile|writeFile|unlink|createReadStream|createWriteStream|rm)(?:Sync)?|res\.(?:sendFile|download))\(\s*(?:path\.join\([^()]*,\s*|`[^`$]*\$\{)?(\w+)\s*[,)}]
    | \b(?:File\.(?:read|open|delete)|send_file|IO\.read)[\s(]\s*(\w+)\s*(?:[,)]|$)
    | \b(?:readfile|file_get_contents|fopen|unlink|include|require)(?:_once)?[\s(]\s*(\$\w+)\s*[,);]
    | \bnew\s+(?:File|FileInputStream|FileReader)\((?:[^()]*,\s*)?(\w+)\)
    | \b(?:os\.(?:Open|ReadFile|Remove(?:All)?|Create)|http\.ServeFile\(\w+,\s*\w+,\s*|ioutil\.ReadFile)\(?\s*(?:filepath\.Join\([^()]*,\s*)?(\w+)\)"#
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.without_comments();
    let found = OPENED.find(&text);
    let is_there = found.is_some_and(|found| !line.in_literal(found.start()));
    if is_there || uses_request(line, &OPENED_LATER) {
        hits.push(line.line_hit("The request names the file that is opened."));
    }
}
