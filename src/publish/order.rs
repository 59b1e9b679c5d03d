//! `/council dismiss because …`: what somebody writes below a finding to argue it away, and what we have answered.
//!
//! The words are anybody's. Whether they count is for the forge to say, which knows who may write.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::action::PublishAction;
use super::call::json_text;
use super::marker::{self, MarkerKind};
use super::order_words::{OrderMeaning, read_order};
use super::seen::ForgeIdentity;
use crate::packet::sha256;

/// A reply in one of our conversations that argues its finding away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DismissOrder {
    /// Who writes, as the forge says.
    pub login: String,
    pub meaning: OrderMeaning,
    /// When, RFC 3339.
    pub at: String,
    /// Who wrote its words, where that is not `login`: whoever may write to a repository may edit everybody's replies.
    pub edited_by: Option<String>,
    /// What tells this reply, in these words, from every other one.
    pub reply: String,
    /// Whether we have answered it.
    pub answered: bool,
    /// What it called its finding when we took it for the finding of the conversation: later reports number anew.
    pub taken_for: Option<String>,
}

/// One line below a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyAnswer {
    /// The number of our comment that began the conversation.
    pub comment: u64,
    /// The reply that it answers.
    pub reply: String,
    /// What the reply called the finding, where it was taken for that of the conversation.
    pub taken_for: Option<String>,
    pub line: String,
}

/// What the marker of an answer carries.
#[derive(Debug, Default, Serialize, Deserialize)]
struct AnswerMark {
    /// The reply; none: an answer of an earlier version, to all that stood above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    taken_for: Option<String>,
}

/// How an answer begins that says that a finding is dismissed.
pub(crate) const DISMISSED_BY: &str = "Dismissed by ";

/// What an answer is to whose reply is gone: no reply has such a name.
const NO_REPLY: &str = "";

impl AnswerMark {
    fn of_nothing() -> Self {
        Self {
            reply: Some(NO_REPLY.to_owned()),
            taken_for: None,
        }
    }
}

impl ReplyAnswer {
    /// The answer as it is sent.
    pub(super) fn to_action(&self, number: u64, council: &str) -> PublishAction {
        let mark = AnswerMark {
            reply: Some(self.reply.clone()),
            taken_for: self.taken_for.clone(),
        };
        PublishAction::Answer {
            number,
            comment: self.comment,
            body: marker::sign_body(MarkerKind::Answer, council, &mark, &self.line),
        }
    }
}

/// The orders among the replies of a conversation, the first one first.
pub(super) fn find_orders(
    replies: &[Value],
    me: &ForgeIdentity,
    council: &str,
) -> Vec<DismissOrder> {
    let mut found: Vec<DismissOrder> = Vec::new();
    for reply in replies {
        let login = json_text(reply, "/author/login").unwrap_or_default();
        let kind = json_text(reply, "/author/__typename");
        let is_person = kind.as_deref() == Some("User");
        let body = json_text(reply, "/body").unwrap_or_default();
        if me.is_author(&login, !is_person) {
            let mark = marker::read_marker(MarkerKind::Answer, &body);
            if let Some(mark) = mark.filter(|mark| mark.council == council) {
                note_answer(&mut found, marker::marker_state(&mark).unwrap_or_default());
            }
        } else if let Some(meaning) = read_order(&body).filter(|_| is_person) {
            found.push(DismissOrder {
                meaning,
                at: json_text(reply, "/createdAt").unwrap_or_default(),
                edited_by: other_editor(reply, &login),
                reply: reply_key(reply, &login, &body),
                login,
                answered: false,
                taken_for: None,
            });
        }
    }
    found
}

/// The numbers of our answers that say that something is dismissed by a reply which is not there any more, or has other
/// words by now.
pub(super) fn stale_answers(
    replies: &[Value],
    me: &ForgeIdentity,
    council: &str,
    orders: &[DismissOrder],
) -> Vec<u64> {
    let is_there = |reply: &String| orders.iter().any(|order| order.reply == *reply);
    let told = told_dismissals(replies, me, council);
    // An answer of an earlier version does not say to which reply.
    let stale = told.filter(|(_, answered)| answered.as_ref().is_some_and(|one| !is_there(one)));
    let stale = stale.filter(|(_, answered)| answered.as_deref() != Some(NO_REPLY));
    stale
        .filter_map(|(reply, _)| reply.get("databaseId")?.as_u64())
        .collect()
}

/// Whether what we told of as dismissed in a conversation was taken back: by a command, or because the reply is gone or
/// has other words by now.
pub(super) fn is_taken_back(
    replies: &[Value],
    me: &ForgeIdentity,
    council: &str,
    orders: &[DismissOrder],
) -> bool {
    let dismisses = |order: &DismissOrder| matches!(order.meaning, OrderMeaning::Dismiss(_));
    let is_undone = orders.iter().any(|o| o.meaning == OrderMeaning::TakeBack);
    let is_there = |reply: &String| orders.iter().any(|order| order.reply == *reply);
    let mut told = told_dismissals(replies, me, council);
    let is_over = |answered: Option<String>| answered.is_some_and(|one| !is_there(&one));
    let is_dismissed_anew = orders.last().is_some_and(dismisses);
    !is_dismissed_anew && told.any(|(_, answered)| is_undone || is_over(answered))
}

/// Our answers that say that something is dismissed, or said so once, each with the reply that it answers.
fn told_dismissals<'r>(
    replies: &'r [Value],
    me: &ForgeIdentity,
    council: &str,
) -> impl Iterator<Item = (&'r Value, Option<String>)> {
    let tell = move |reply: &'r Value| {
        let login = json_text(reply, "/author/login").unwrap_or_default();
        let is_bot = json_text(reply, "/author/__typename").as_deref() != Some("User");
        let body = json_text(reply, "/body").unwrap_or_default();
        let mark = marker::read_marker(MarkerKind::Answer, &body)?;
        let is_own = me.is_author(&login, is_bot) && mark.council == council;
        let answered = marker::marker_state::<AnswerMark>(&mark)?.reply;
        let says_so = body.lines().any(|line| line.starts_with(DISMISSED_BY));
        let is_told = says_so || answered.as_deref() == Some(NO_REPLY);
        (is_own && is_told).then_some((reply, answered))
    };
    replies.iter().filter_map(tell)
}

/// What such an answer says from now on.
pub(super) fn withdrawn_answer(council: &str) -> String {
    let line = "This no longer holds: the reply that dismissed the finding was deleted or changed.";
    marker::sign_body(MarkerKind::Answer, council, &AnswerMark::of_nothing(), line)
}

/// Marks what an answer of ours answers.
fn note_answer(orders: &mut [DismissOrder], mark: AnswerMark) {
    let is_it = |order: &&mut DismissOrder| match &mark.reply {
        Some(reply) => order.reply == *reply,
        None => true,
    };
    for order in orders.iter_mut().filter(is_it) {
        order.answered = true;
        order.taken_for.clone_from(&mark.taken_for);
    }
}

/// Other words are another reply: whoever adds the reason that was missing is answered again.
fn reply_key(reply: &Value, login: &str, body: &str) -> String {
    let id = json_text(reply, "/id").unwrap_or_default();
    let at = json_text(reply, "/createdAt").unwrap_or_default();
    let all = [id.as_str(), at.as_str(), login, body].join("\0");
    sha256(all.as_bytes())[..16].to_owned()
}

/// Who edited a reply last, if not its author; empty where the forge does not say who.
fn other_editor(reply: &Value, author: &str) -> Option<String> {
    let editor = json_text(reply, "/editor/login").unwrap_or_default();
    let is_edited = json_text(reply, "/lastEditedAt").is_some() || !editor.is_empty();
    (is_edited && editor != author).then_some(editor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn me() -> ForgeIdentity {
        ForgeIdentity {
            login: "github-actions[bot]".into(),
        }
    }

    fn says(login: &str, kind: &str, body: &str) -> Value {
        json!({
            "author": { "login": login, "__typename": kind }, "body": body, "createdAt": "2026-03-09T10:00:00Z",
        })
    }

    /// The reasons of the orders, each with whether it was answered.
    fn find(replies: &[Value]) -> Vec<(String, bool)> {
        let orders = find_orders(replies, &me(), "c").into_iter();
        let orders = orders.map(|order| match order.meaning {
            OrderMeaning::Dismiss(words) => (words.because, order.answered),
            other => (format!("{other:?}"), order.answered),
        });
        orders.collect()
    }

    fn answer_to(order: &DismissOrder) -> Value {
        answer_saying(order, "Not dismissed.")
    }

    fn answer_saying(order: &DismissOrder, line: &str) -> Value {
        let answer = ReplyAnswer {
            comment: 1,
            reply: order.reply.clone(),
            taken_for: None,
            line: line.into(),
        };
        let PublishAction::Answer { body, .. } = answer.to_action(1, "c") else {
            panic!("no answer");
        };
        says("github-actions", "Bot", &body)
    }

    /// What it says holds only as long as the reply does.
    #[test]
    fn an_answer_to_a_reply_that_is_gone_or_changed_is_stale() {
        let numbered = |number: u64, mut reply: Value| {
            (reply["id"], reply["databaseId"]) = (number.to_string().into(), number.into());
            reply
        };
        let dismiss = |because: &str| {
            let body = format!("/council dismiss because {because}");
            numbered(1, says("ann", "User", &body))
        };
        let order = find_orders(&[dismiss("one")], &me(), "c").remove(0);
        let answer = |line: &str| numbered(2, answer_saying(&order, line));
        let dismissed = answer("Dismissed by `ann`. This is about `F1`.");
        let stale = |replies: &[Value]| {
            let orders = find_orders(replies, &me(), "c");
            stale_answers(replies, &me(), "c", &orders)
        };
        let there = [dismiss("one"), dismissed.clone()];
        assert!(stale(&there).is_empty());
        assert_eq!(stale(std::slice::from_ref(&dismissed)), [2], "deleted");
        assert_eq!(stale(&[dismiss("two"), dismissed.clone()]), [2], "edited");
        assert!(
            stale(&[answer("Not dismissed.")]).is_empty(),
            "true for ever"
        );
        let withdrawn = numbered(2, says("github-actions", "Bot", &withdrawn_answer("c")));
        assert!(stale(&[withdrawn]).is_empty(), "it is told once");
        let mut of_person = dismissed;
        of_person["author"] = json!({ "login": "ann", "__typename": "User" });
        assert!(stale(&[of_person]).is_empty(), "it is not ours");
    }

    /// By whatever it is taken back; who dismisses anew takes nothing back.
    #[test]
    fn a_dismissal_is_taken_back_by_a_command_or_with_its_reply() {
        let dismiss = says("ann", "User", "/council dismiss because one");
        let anew = says("zoe", "User", "/council dismiss because two");
        let undo = says("ann", "User", "/council undo");
        let order = find_orders(std::slice::from_ref(&dismiss), &me(), "c").remove(0);
        let told = answer_saying(&order, "Dismissed by `ann`. This is about `F1`.");
        let refused = answer_saying(&order, "Not dismissed.");
        let withdrawn = says("github-actions", "Bot", &withdrawn_answer("c"));
        let of_person = says("eve", "User", told["body"].as_str().unwrap());
        let taken_back = |replies: &[&Value]| {
            let replies: Vec<Value> = replies.iter().map(|reply| (*reply).clone()).collect();
            is_taken_back(&replies, &me(), "c", &find_orders(&replies, &me(), "c"))
        };
        assert!(taken_back(&[&dismiss, &told, &undo]));
        assert!(taken_back(&[&told]), "deleted");
        assert!(taken_back(&[&withdrawn]), "deleted, and told");
        for holds in [
            &[&dismiss, &told][..],
            &[&dismiss, &told, &undo, &anew],
            &[&withdrawn, &anew],
            &[&undo],
            &[&refused],
            &[&of_person],
        ] {
            assert!(!taken_back(holds), "{holds:?}");
        }
    }

    #[test]
    fn the_orders_of_people_are_found_and_an_old_answer_of_ours_answers_all_above_it() {
        let answer = marker::sign_body(MarkerKind::Answer, "c", &json!({}), "Dismissed.");
        let first = says("ann", "User", "/council dismiss because one");
        let second = says("zoe", "User", "/council dismiss because two");
        let (one, two) = ("one".to_owned(), "two".to_owned());
        assert_eq!(
            find(&[first.clone(), second.clone()]),
            [(one.clone(), false), (two.clone(), false)]
        );
        let ours = says("github-actions", "Bot", &answer);
        assert_eq!(find(&[first.clone(), ours.clone()]), [(one.clone(), true)]);
        assert_eq!(find(&[first, ours, second]), [(one, true), (two, false)]);
        assert_eq!(
            find(&[says("helper", "Bot", "/council dismiss because three")]),
            []
        );
        // A person may be called as the bot is, and writes what it writes.
        assert_eq!(find(&[says("github-actions", "User", &answer)]), []);
    }

    /// Who writes other words in place of those that were answered is answered again.
    #[test]
    fn a_reply_with_other_words_is_another_reply() {
        let before = says("zoe", "User", "/council dismiss");
        let answer = answer_to(&find_orders(&[before], &me(), "c")[0]);
        let after = says("zoe", "User", "/council dismiss because two");
        assert_eq!(find(&[after, answer]), [("two".to_owned(), false)]);
    }

    proptest! {
        /// In whatever order replies and answers come: each reply is answered by its own answer and by no other one.
        #[test]
        fn each_reply_has_its_own_answer(
            bodies in prop::collection::vec("/council dismiss( because [a-z]{4,8}| [a-z]{4} because|)", 1..5),
            answered in prop::collection::vec(any::<bool>(), 5),
            is_late in any::<bool>(),
        ) {
            let reply = |(at, body): (usize, &String)| {
                let mut reply = says(["ann", "zoe"][at % 2], "User", body);
                reply["id"] = format!("PRRC_{at}").into();
                reply
            };
            let replies: Vec<Value> = bodies.iter().enumerate().map(reply).collect();
            let orders = find_orders(&replies, &me(), "c");
            prop_assert_eq!(orders.len(), replies.len());
            let (mut talk, mut answers) = (Vec::new(), Vec::new());
            for ((reply, order), is_answered) in replies.into_iter().zip(&orders).zip(&answered) {
                talk.push(reply);
                let answer = is_answered.then(|| answer_to(order));
                match is_late {
                    true => answers.extend(answer),
                    false => talk.extend(answer),
                }
            }
            talk.append(&mut answers);
            let told: Vec<bool> = find_orders(&talk, &me(), "c").iter().map(|order| order.answered).collect();
            prop_assert_eq!(told.as_slice(), &answered[..told.len()]);
        }
    }
}
