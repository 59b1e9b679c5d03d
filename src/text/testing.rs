//! Hostile text for the tests of every room that shows some.

use proptest::prelude::*;

use super::is_hidden;

/// Pieces that a hostile change, path or answer is made of.
const PIECES: [&str; 44] = [
    "@admin",
    "@org/team",
    "fixes #1",
    "org/repo#2",
    "GH-3",
    "https://e.example/x",
    "www.e.example",
    "a@b.example",
    "![i](http://e.example/i.png)",
    "[t](javascript:alert(1))",
    "[r]: http://e.example",
    "<img src=x onerror=y>",
    "<!-- m -->",
    "</details>",
    "&lt;",
    "&#64;x",
    "`",
    "``",
    "```",
    "~~~",
    "**b**",
    "_i_",
    "~~s~~",
    "| a | b |",
    "\\",
    "\\|",
    "$x$",
    "# h",
    "> q",
    "- [ ] t",
    "1. x",
    "/lgtm",
    "::error file=a::m",
    "##[group]x",
    "%0A",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{200b}",
    "\u{e0041}",
    "⚠\u{fe0f}",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "\r\n",
    "\n",
    "\t",
];

/// Text made of such pieces, ordinary words and anything else.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        2 => "[a-z]{1,6}",
        2 => Just(" ".to_owned()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Whether nothing in rendered text is hidden; a selector of presentation may stand behind a symbol.
pub(crate) fn all_visible(text: &str) -> bool {
    text.chars()
        .all(|c| !is_hidden(c) || matches!(c, '\u{fe0e}' | '\u{fe0f}'))
}

/// What GitHub acts upon in rendered text outside of code.
pub(crate) fn acts(prose: &str) -> bool {
    let after = |mark: &str, is: fn(char) -> bool| {
        prose
            .match_indices(mark)
            .any(|(at, _)| prose[at + mark.len()..].starts_with(is))
    };
    after("@", char::is_alphanumeric)
        || after("#", |c| c.is_ascii_digit())
        || after("GH-", |c| c.is_ascii_digit())
        || prose.contains("://")
        || prose.contains("www.")
}
