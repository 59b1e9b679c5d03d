//! The hidden line by which our own texts on a forge are known again.
//!
//! It stands first in a body, names the council and a digest of everything behind it, and carries what the next run needs
//! to know. A marker proves nothing by itself: whoever wrote the text must be us, and a state whose digest does not
//! fit was edited and is not read.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// How a marker begins.
const OPEN: &str = "<!-- git-council:";

/// How it ends.
const CLOSE: &str = " -->";

/// Version of the line.
const VERSION: &str = "v1";

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkerKind {
    /// The sticky report.
    Report,
    /// One finding beside a line.
    Finding,
    /// The body of a review.
    Review,
    /// A line that answers a reply.
    Answer,
}

impl MarkerKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Finding => "finding",
            Self::Review => "review",
            Self::Answer => "answer",
        }
    }
}

/// A marker that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BodyMarker<'a> {
    pub(super) council: &'a str,
    /// The state as JSON; none when the text was edited since.
    pub(super) state: Option<&'a str>,
}

/// The council of whoever gave it no name.
pub(crate) const DEFAULT_COUNCIL: &str = "git-council";

/// A name by which councils on one pull request are told apart: `[a-z0-9-]`, at most 40 characters.
pub(crate) fn council_id(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let id: String = name.chars().map(plain).take(40).collect();
    match id.trim_matches('-') {
        "" => DEFAULT_COUNCIL.to_owned(),
        id => id.to_owned(),
    }
}

/// A text of ours: the marker, then `body`.
pub(super) fn sign_body(
    kind: MarkerKind,
    council: &str,
    state: &impl Serialize,
    body: &str,
) -> String {
    let state = hidden_json(state);
    let digest = marker_digest(kind, council, &state, body);
    format!(
        "{OPEN}{} {VERSION} {council} {digest} {state}{CLOSE}\n{body}",
        kind.as_str()
    )
}

/// Reads the marker of a text of the kind; none when it has none. Line ends may have been changed by the forge.
pub(super) fn read_marker(kind: MarkerKind, text: &str) -> Option<BodyMarker<'_>> {
    let rest = text.strip_prefix(OPEN)?;
    let (line, body) = rest.split_once(CLOSE)?;
    let mut words = line.splitn(5, ' ');
    let (word, version) = (words.next()?, words.next()?);
    if (word, version) != (kind.as_str(), VERSION) {
        return None;
    }
    let (council, said, state) = (words.next()?, words.next()?, words.next()?);
    let body = body.replace("\r\n", "\n");
    let body = body.strip_prefix('\n').unwrap_or(&body);
    let fits = marker_digest(kind, council, state, body) == said;
    Some(BodyMarker {
        council,
        state: fits.then_some(state),
    })
}

/// The state that a marker carries; none when the text was edited, or when another version wrote it.
pub(super) fn marker_state<T: DeserializeOwned>(marker: &BodyMarker<'_>) -> Option<T> {
    serde_json::from_slice(marker.state?.as_bytes()).ok()
}

/// How many characters a state takes in a text.
pub(super) fn hidden_len(state: &impl Serialize) -> usize {
    hidden_json(state).len()
}

/// JSON without a character that could end a comment, or that anybody would act upon.
fn hidden_json(state: &impl Serialize) -> String {
    // Plain data with string keys: this cannot fail.
    let json = serde_json::to_string(state).unwrap_or_default();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Outside of a string there is a minus only before a number, and a state has none below zero.
            '-' | '<' | '>' | '&' | '@' | '#' | '/' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)))
            }
            c if c.is_ascii() => out.push(c),
            c => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out
}

/// The first half of a SHA-256: who can write the comment can compute it; it finds edits, it keeps nobody out.
fn marker_digest(kind: MarkerKind, council: &str, state: &str, body: &str) -> String {
    let mut hasher = Sha256::new();
    for part in [kind.as_str(), council, state, body.trim_end()] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hex::encode(&hasher.finalize()[..16])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_is_signed_is_read_again() {
        let state = json!({ "v": 1, "text": "--> <b> @me #1 é 🦀" });
        let text = sign_body(MarkerKind::Report, "git-council", &state, "# PASS\n");
        let line = text.lines().next().unwrap();
        assert!(!line[4..line.len() - 3].contains("--"), "{line}");
        assert!(!line.contains('@') && line.is_ascii());
        let marker = read_marker(MarkerKind::Report, &text).unwrap();
        assert_eq!(marker.council, "git-council");
        assert_eq!(super::marker_state::<Value>(&marker), Some(state));
        assert_eq!(read_marker(MarkerKind::Finding, &text), None);
    }

    #[test]
    fn t13_a_text_that_was_edited_has_no_state() {
        let text = sign_body(
            MarkerKind::Report,
            "c",
            &json!({ "verdict": "FAIL" }),
            "# FAIL\n",
        );
        for edited in [
            text.replace("\"FAIL\"", "\"PASS\""),
            text.replace("# FAIL", "# PASS"),
            text.replace(" c ", " d "),
        ] {
            assert_eq!(
                read_marker(MarkerKind::Report, &edited).unwrap().state,
                None,
                "{edited}"
            );
        }
        // A forge may change line ends and drop the last one.
        let same = text.trim_end().replace('\n', "\r\n");
        assert!(
            read_marker(MarkerKind::Report, &same)
                .unwrap()
                .state
                .is_some()
        );
    }

    #[test]
    fn t12_a_marker_further_down_is_none() {
        let text = sign_body(MarkerKind::Report, "c", &json!({}), "x");
        assert_eq!(
            read_marker(MarkerKind::Report, &format!("Look:\n{text}")),
            None
        );
        assert_eq!(read_marker(MarkerKind::Report, &format!("> {text}")), None);
    }

    #[test]
    fn ids_are_safe_names() {
        assert_eq!(council_id("Security & Tests"), "security---tests");
        assert_eq!(council_id("-->"), "git-council");
    }

    proptest! {
        #[test]
        fn any_state_and_body_survive(text in ".*", body in "[^\r]*") {
            let signed = sign_body(MarkerKind::Report, "c", &text, &body);
            let marker = read_marker(MarkerKind::Report, &signed).unwrap();
            prop_assert_eq!(super::marker_state::<String>(&marker), Some(text));
        }
    }
}
