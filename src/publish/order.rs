//! `/council dismiss because …`: what somebody writes below a finding to argue it away.
//!
//! The words are anybody's. Whether they count is for the forge to say, which knows who may write.

use serde_json::Value;

use super::call::json_text;
use super::marker::{self, MarkerKind};
use super::seen::ForgeIdentity;

/// How a reply begins that argues a finding away.
const ORDER: &str = "/council dismiss";

/// The word before the reason; people forget it.
const BECAUSE: &str = "because";

/// The most characters of a reason.
const MAX_REASON: usize = 500;

/// A reply in one of our conversations that argues its finding away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DismissOrder {
    /// Who writes, as the forge says.
    pub login: String,
    /// Why, in their words.
    pub because: String,
    /// When, RFC 3339.
    pub at: String,
    /// Whether we have answered it.
    pub answered: bool,
}

/// The reason in a reply; none where it is no order, or gives none.
pub(super) fn parse_reason(body: &str) -> Option<String> {
    let rest = body.trim_start().strip_prefix(ORDER)?;
    if !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let rest = rest.trim();
    let reason = match rest.strip_prefix(BECAUSE) {
        Some(reason) if reason.starts_with(char::is_whitespace) => reason.trim(),
        Some("") => "",
        _ => rest,
    };
    let reason = crate::text::clip_chars(reason, MAX_REASON);
    (!reason.is_empty()).then(|| reason.into_owned())
}

/// The latest order among the replies of a conversation.
pub(super) fn find_order(
    replies: &[Value],
    me: &ForgeIdentity,
    council: &str,
) -> Option<DismissOrder> {
    let mut found: Option<DismissOrder> = None;
    for reply in replies {
        let login = json_text(reply, "/author/login").unwrap_or_default();
        let kind = json_text(reply, "/author/__typename");
        let is_person = kind.as_deref() == Some("User");
        let body = json_text(reply, "/body").unwrap_or_default();
        if me.is_author(&login, !is_person) {
            let mark = marker::read_marker(MarkerKind::Answer, &body);
            if mark.is_some_and(|mark| mark.council == council) {
                found.iter_mut().for_each(|order| order.answered = true);
            }
            continue;
        }
        let at = json_text(reply, "/createdAt").unwrap_or_default();
        if let (true, Some(because)) = (is_person, parse_reason(&body)) {
            found = Some(DismissOrder {
                login,
                because,
                at,
                answered: false,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reason_is_what_stands_behind_the_command() {
        let of = |body: &str| parse_reason(body);
        assert_eq!(
            of("/council dismiss because it is a constant").as_deref(),
            Some("it is a constant")
        );
        assert_eq!(
            of("  /council dismiss a test fixture\n").as_deref(),
            Some("a test fixture")
        );
        for no in [
            "/council dismiss",
            "/council dismiss because ",
            "/council dismissal x",
            "I say /council dismiss x",
            "> /council dismiss x",
        ] {
            assert_eq!(of(no), None, "{no}");
        }
        assert_eq!(
            of(&format!("/council dismiss {}", "x".repeat(9_000)))
                .unwrap()
                .chars()
                .count(),
            501
        );
    }

    #[test]
    fn the_latest_order_of_a_person_counts_and_our_answer_closes_it() {
        let me = ForgeIdentity {
            login: "github-actions[bot]".into(),
        };
        let says = |login: &str, kind: &str, body: &str| {
            json!({
                "author": { "login": login, "__typename": kind }, "body": body, "createdAt": "2026-03-09T10:00:00Z",
            })
        };
        let answer = marker::sign_body(MarkerKind::Answer, "c", &json!({}), "Dismissed.");
        let first = says("ann", "User", "/council dismiss because one");
        let second = says("zoe", "User", "/council dismiss because two");
        let find =
            |replies: &[Value]| find_order(replies, &me, "c").map(|o| (o.because, o.answered));
        assert_eq!(
            find(&[first.clone(), second.clone()]),
            Some(("two".into(), false))
        );
        let ours = says("github-actions", "Bot", &answer);
        assert_eq!(
            find(&[first.clone(), ours.clone()]),
            Some(("one".into(), true))
        );
        assert_eq!(find(&[first, ours, second]), Some(("two".into(), false)));
        assert_eq!(
            find(&[says("helper", "Bot", "/council dismiss because three")]),
            None
        );
        // A person may be called as the bot is, and writes what it writes.
        assert_eq!(find(&[says("github-actions", "User", &answer)]), None);
    }
}
