//! `ignored-error-go`: Go that takes the value and drops the error, or asks for it and does nothing.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "ignored-error-go",
        perspective: ERROR_PATHS,
        category: "swallowed-error",
        severity: Significant,
        summary: "a Go error that is dropped",
        why: "The value returned with a dropped error is usually zero or incomplete, and the program continues with \
              it.",
        fix: "Return the error with its context (`fmt.Errorf(\"…: %w\", err)`), or handle it here.",
        examples: &[RuleExample {
            path: "store/user.go",
            bad: "\tage, _ := strconv.Atoi(text)\n",
            good: "\tage, err := strconv.Atoi(text)\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Go],
    claims: &[
        "ignored error",
        "error is ignored",
        "swallow",
        "unchecked error",
    ],
    check: RuleCheck::Line {
        needles: &[", _ :=", ", _ =", "_ = ", "err != nil"],
        look: check_line,
    },
};

pattern!(
    DROPPED,
    r"(?x)\b\w+,\s*_\s*:?=\s*((?:strconv\.(?:Atoi|Parse(?:Int|Uint|Float))|os\.(?:ReadFile|Open|OpenFile|Create|Stat|ReadDir)|io(?:util)?\.ReadAll|ioutil\.ReadFile
    |http\.(?:NewRequest(?:WithContext)?|Get|Post|Head)|\w*[cC]lient\.Do|(?:db|tx|conn|stmt)\.(?:Query|Exec|Prepare|Begin)(?:Context|Tx)?|sql\.Open|url\.Parse\w*|time\.Parse\w*|json\.Marshal\w*|exec\.Command\([^)]*\)\.(?:Output|CombinedOutput)|base64\.\w+\.DecodeString|hex\.DecodeString)\()"
);
pattern!(
    THROWN_AWAY,
    r"^\s*_\s*=\s*((?:json|yaml|xml|toml|proto)\.Unmarshal\(|\w+\.(?:Commit|Decode|Scan)\()"
);
pattern!(
    ASKED,
    r"\bif\s+(?:[^;{]*;\s*)?err\s*!=\s*nil\s*\{\s*(\}?)\s*$"
);

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let commented = line.comments().next().is_some();
    if let Some(found) = ASKED.captures(&code) {
        let closed = &found[1] == "}" || line.text_near(1).is_some_and(|below| below.trim() == "}");
        if closed && !commented {
            let last = line.number() + u32::from(&found[1] != "}");
            hits.push(line.lines_hit(last, "The error is checked, but nothing is done with it."));
        }
    } else if let Some(found) = DROPPED
        .captures(&code)
        .or_else(|| THROWN_AWAY.captures(&code))
        && !commented
        // A habit of the file is no news.
        && !line.file.held_before(line.text())
    {
        let call = found[1].trim_end_matches('(').to_owned();
        hits.push(
            line.line_hit(format!("The error of `{call}` is dropped."))
                .with_severity(Minor),
        );
    }
}
