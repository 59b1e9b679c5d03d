//! `/council dismiss because …`: what somebody writes below a finding to argue it away.
//!
//! The words are anybody's. Whether they count is for the forge to say, which knows who may write.

use serde_json::Value;

use super::call::json_text;
use super::marker::{self, MarkerKind};
use super::seen::ForgeIdentity;
use crate::council::DismissalGround;

/// How a reply begins that argues a finding away.
const ORDER: &str = "/council dismiss";

/// The word before the reason; people forget it.
const BECAUSE: &str = "because";

/// What may stand behind `as`; without it the finding is right, and somebody answers for it.
const GROUNDS: [(&str, DismissalGround); 4] = [
    ("wrong", DismissalGround::FalsePositive),
    ("false-positive", DismissalGround::FalsePositive),
    ("accepted-risk", DismissalGround::AcceptedRisk),
    ("fixed", DismissalGround::Fixed),
];

/// The most characters of a reason.
const MAX_REASON: usize = 500;

/// A reply in one of our conversations that argues its finding away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DismissOrder {
    /// Who writes, as the forge says.
    pub login: String,
    /// Whether they call the finding wrong, or answer for it.
    pub ground: DismissalGround,
    /// Why, in their words; empty where they do not say it, and then nothing is dismissed.
    pub because: String,
    /// When, RFC 3339.
    pub at: String,
    /// Who wrote its words, where that is not `login`: whoever may write to a repository may edit everybody's replies.
    pub edited_by: Option<String>,
    /// Whether we have answered it.
    pub answered: bool,
}

/// What a reply orders.
#[derive(Debug, PartialEq, Eq)]
struct ReadOrder {
    ground: DismissalGround,
    /// Empty where none is given.
    because: String,
}

/// The order in a reply, which begins one of its lines; none where there is none. What is quoted, or code, orders nothing.
fn parse_order(body: &str) -> Option<ReadOrder> {
    let mut fences = 0_usize;
    let mut left = body;
    while !left.is_empty() {
        let line = left.lines().next().unwrap_or_default();
        let is_fence = ["```", "~~~"]
            .iter()
            .any(|mark| line.trim_start().starts_with(mark));
        fences += usize::from(is_fence);
        let rest = left.trim_start_matches([' ', '\t']).strip_prefix(ORDER);
        let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        if let Some(rest) = rest.filter(|_| fences.is_multiple_of(2)) {
            return Some(read_words(rest.trim()));
        }
        left = left.split_once('\n').map_or("", |(_, rest)| rest);
    }
    None
}

/// `as wrong because it is a constant`: the ground, the word before the reason, and the reason itself.
fn read_words(words: &str) -> ReadOrder {
    let after = |text: &'_ str, word: &str| {
        let rest = text.strip_prefix(word)?;
        let ends = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == ':');
        ends.then(|| rest.trim_start_matches(':').trim().to_owned())
    };
    let named = after(words, "as").and_then(|rest| {
        let (name, ground) = GROUNDS
            .iter()
            .find(|(name, _)| after(&rest, name).is_some())?;
        Some((after(&rest, name)?, *ground))
    });
    let (words, ground) = named.unwrap_or((words.to_owned(), DismissalGround::AcceptedRisk));
    let reason = after(&words, BECAUSE).unwrap_or(words);
    let because = crate::text::clip_chars(&reason, MAX_REASON).into_owned();
    ReadOrder { ground, because }
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
        let order = parse_order(&body).filter(|_| is_person);
        // Who has given a reason before does not take it back by an order without one.
        let has_reason = found
            .as_ref()
            .is_some_and(|before| !before.because.is_empty());
        if let Some(order) = order.filter(|order| !(has_reason && order.because.is_empty())) {
            found = Some(DismissOrder {
                ground: order.ground,
                because: order.because,
                at,
                edited_by: other_editor(reply, &login),
                login,
                answered: false,
            });
        }
    }
    found
}

/// Who edited a reply last, if not its author; empty where the forge does not say who.
fn other_editor(reply: &Value, author: &str) -> Option<String> {
    let editor = json_text(reply, "/editor/login").unwrap_or_default();
    let is_edited = json_text(reply, "/lastEditedAt").is_some() || !editor.is_empty();
    (is_edited && editor != author).then_some(editor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reason_is_what_stands_behind_the_command() {
        let of = |body: &str| parse_order(body).map(|order| order.because);
        for (body, reason) in [
            (
                "/council dismiss because it is a constant",
                "it is a constant",
            ),
            ("  /council dismiss a test fixture\n", "a test fixture"),
            ("I looked at it.\n\n/council dismiss because below", "below"),
            (
                "```\nx\n```\n/council dismiss because after code",
                "after code",
            ),
            (
                "/council dismiss as we know the input",
                "as we know the input",
            ),
            ("/council dismiss because two\nlines", "two\nlines"),
            ("/council dismiss", ""),
            ("/council dismiss because ", ""),
            ("/council dismiss as wrong", ""),
        ] {
            assert_eq!(of(body).as_deref(), Some(reason), "{body}");
        }
        for no in [
            "/council dismissal x",
            "I say /council dismiss x",
            "> /council dismiss x",
            "```\n/council dismiss x\n```",
            "",
        ] {
            assert_eq!(of(no), None, "{no}");
        }
        let long = of(&format!("/council dismiss {}", "x".repeat(9_000)));
        assert_eq!(long.unwrap().chars().count(), 501);
    }

    #[test]
    fn who_calls_a_finding_wrong_is_not_said_to_answer_for_it() {
        let of = |words: &str| {
            let order = parse_order(&format!("/council dismiss {words}")).unwrap();
            (order.ground, order.because)
        };
        let wrong = (
            DismissalGround::FalsePositive,
            "it is a constant".to_owned(),
        );
        assert_eq!(of("as wrong because it is a constant"), wrong);
        assert_eq!(of("as false-positive: it is a constant"), wrong);
        assert_eq!(
            of("because it is as wrong as can be").0,
            DismissalGround::AcceptedRisk
        );
        assert_eq!(of("as fixed because it is gone").0, DismissalGround::Fixed);
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
