//! What a request brings, one line before it is used.

use regex::Regex;

use crate::pattern::pattern;
use crate::view::LineView;

pattern!(
    /// A variable that is given what a request brings, and nothing else is done with it.
    GIVEN,
    r#"(?x)^\s*(?:(?:const|let|var|final|String)\s+)*(\$?\w+)\s*:?=\s*(?:
      (?:flask\.)?request\.(?:args|values|form|GET|POST)(?:\.get\([^()]*\)|\[[^\[\]]*\])
    | (?:req|request)\.(?:query|body|params)(?:\.\w+|\[[^\[\]]*\])
    | params\[[^\[\]]*\]
    | \$_(?:GET|POST|REQUEST)\[[^\[\]]*\]
    | (?:req|request)\.getParameter\([^()]*\)
    | \w+\.(?:FormValue|PostFormValue|URL\.Query\(\)\.Get)\([^()]*\)
    )\s*;?\s*$"#
);

/// Whether a line uses what the one above takes from the request, or the other way round where only that one is new. `used`
/// finds what is done with a variable, whose name is its first group that matches.
pub(crate) fn uses_request(line: &LineView<'_, '_>, used: &Regex) -> bool {
    let text = line.without_comments();
    let is_used = |given: &str, text: &str| {
        let mut uses = used.captures_iter(text);
        uses.any(|found| {
            let name = found.iter().skip(1).flatten().next();
            name.is_some_and(|name| name.as_str() == given)
        })
    };
    let given = |text: &str| GIVEN.captures(text).map(|found| found[1].to_owned());
    let above = [-1, -2].map(|by| line.text_near(by).unwrap_or_default());
    let above = above.into_iter().find(|text| !text.trim().is_empty());
    if above
        .and_then(given)
        .is_some_and(|name| is_used(&name, &text))
    {
        return true;
    }
    let (Some(name), Some(below)) = (given(&text), line.next_text()) else {
        return false;
    };
    let is_old = line.text_near(1) == Some(below) && !line.file.is_added(line.number() + 1);
    is_old && is_used(&name, below)
}
