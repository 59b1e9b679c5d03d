//! Expressions of a workflow (`${{ … }}`): in whatever way one is written, it is read in one way.

use crate::pattern::pattern;

pattern!(INDEX, r#"\[\s*['"]([\w-]+)['"]\s*\]"#);
pattern!(SPACED_DOT, r"\s*\.\s*");
pattern!(
    /// What is written as JSON and read again.
    THERE_AND_BACK,
    r"fromjson\(\s*tojson\(\s*([\w.-]+)\s*\)\s*\)"
);

/// An expression as it is mostly written: `github['event']` is `github.event`, and case makes no difference to GitHub.
pub(crate) fn normalize(text: &str) -> String {
    let text = INDEX.replace_all(text, ".$1");
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    // Only within `${{`: elsewhere case and spaces are a script's own.
    while let Some((before, inside, behind)) = split_expression(rest) {
        out += before;
        out += "${{";
        let inside = inside.to_ascii_lowercase();
        out += &SPACED_DOT.replace_all(&THERE_AND_BACK.replace_all(&inside, "$1"), ".");
        out += "}}";
        rest = behind;
    }
    out + rest
}

/// The expressions of a text, each without its braces, as [`normalize`] writes them.
pub(crate) fn expressions(text: &str) -> Vec<String> {
    let text = normalize(text);
    let mut rest = &*text;
    let mut found = Vec::new();
    while let Some((_, inside, behind)) = split_expression(rest) {
        found.push(inside.to_owned());
        rest = behind;
    }
    found
}

/// What stands before the first expression, in it and behind it. Braces in a literal, as `format` takes them, end none.
fn split_expression(text: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = text.split_once("${{")?;
    let mut in_literal = false;
    let end = after.bytes().enumerate().find(|(at, byte)| {
        in_literal ^= *byte == b'\'';
        !in_literal && after.as_bytes()[*at..].starts_with(b"}}")
    });
    // A quote that is never closed is none.
    match end.map(|(at, _)| at).or_else(|| after.find("}}")) {
        Some(at) => Some((before, &after[..at], &after[at + 2..])),
        None => Some((before, after, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_expression_is_read_alike_in_every_spelling() {
        for written in [
            "github.event.issue.title",
            "GitHub.Event.Issue.Title",
            "github['event']['issue']['title']",
            "github['event'].issue.TITLE",
            "github . event\n.issue . title",
            "fromJSON(toJSON(github.event)).issue.title",
            "fromJson( toJson( github ) )['event'].issue.title",
        ] {
            let found = expressions(&format!("echo \"${{{{{written}}}}}\""));
            assert_eq!(found, ["github.event.issue.title"], "{written}");
        }
        assert_eq!(
            expressions("${{ format('{{{0}}}', a) }} ${{ b }}"),
            [" format('{{{0}}}', a) ", " b "]
        );
        assert_eq!(expressions("${{ a' }} ${{ b"), [" a' ", " b"]);
    }
}
