//! What is plain, and what only begins so.

use super::super::contradiction::denies;
use super::*;

#[test]
fn what_people_write_beside_a_vote_is_plain() {
    for text in [
        "LGTM",
        "LGTM, thanks!",
        "No issues.",
        "I see no issues.",
        "I found no issues here.",
        "There is nothing to add.",
        "Nothing stands against the change.",
        "It looks good to me now.",
        "This is fine.",
        "The change is correct.",
        "I have read it.",
        "I read a.py:3 to a.py:9.",
        "I looked at it again.",
        "Noted, thank you.",
        "OK thanks.",
        "`a.py:3` is guarded.",
        "No answer to A1, A2.",
        "I was wrong: I found nothing, no issues.",
        "I withdraw my objection.",
        "All tests pass.",
        "Approve.",
        "No blocking issues.",
        "No critical or significant issues found.",
        "Reviewed all files. No issues.",
        "I reviewed `a.py`; no issues.",
        "Thanks, nothing from me.",
        "The code is correct and well tested.",
    ] {
        assert!(is_plain(text), "{text}");
    }
}

#[test]
fn what_only_begins_plainly_is_a_remark() {
    for text in [
        "Passwords are logged in plain text.",
        "TODO for the author: remove `x / 0`.",
        "The whole function is dead on arrival.",
        "No issues found in g. In f, total is never computed.",
        "Except f.",
        "No issues. That is what I would write if f worked.",
        "<!-- No issues. -->",
        "No issues?",
        "I found nothing good here.",
        "No issues in README.",
        "No issues in `a.py`.",
        "`a.py` is dead.",
        "I reviewed `f(x)`; no issues.",
        "Not tested.",
        "I do not approve.",
        "No critical issues, one significant.",
        "`a.py:5` is not guarded.",
        "This is not good.",
        "Look at the code again.",
        "Change the code.",
        "I object to this.",
        "\"No issues\"",
        "❌ LGTM",
    ] {
        assert!(!is_plain(text), "{text}");
    }
}

#[test]
fn an_agreement_is_one_from_its_label_to_its_end() {
    for text in [
        "Agreed",
        "Agreed.",
        "I agree with A1.",
        "I agree with A1 and A2",
        "Agreed, thanks",
        "**Agreed** — the value is lost",
        "Agreed: the call is wrong",
        "I agree because the value is lost",
        "Agreed on all points.",
        "I agree with you.",
        "✅ Agreed",
    ] {
        assert!(plain_agreement(text).is_some(), "{text}");
    }
    for text in [
        "Agreed on nothing.",
        "Agreed to be wrong",
        "Agreed that this is nonsense",
        "Agreed in principle, though x is never 0",
        "Agreed with reservations: x is never 0",
        "Agreed with myself, it stays",
        "I agree with A on style. B1 stands.",
        "Agreed with your reading of B2.",
        "Agreed on all points of style.",
        "Agreed on all points you made, none of mine.",
        "Nobody agreed",
    ] {
        assert!(plain_agreement(text).is_none(), "{text}");
    }
}

#[test]
fn a_denial_is_no_reason_to_agree() {
    for reason in [
        "this is not a bug",
        "it is a false positive",
        "not",
        "A1 is no issue",
        "never a problem",
    ] {
        assert!(denies(reason), "{reason}");
    }
    for reason in [
        "the value is lost",
        "it is never closed",
        "the call is wrong",
        "",
    ] {
        assert!(!denies(reason), "{reason}");
    }
}

#[test]
fn a_point_is_given_up_in_so_many_words() {
    for text in [
        "Agreed",
        "Agreed — you are right",
        "Agreed: I was wrong",
        "Agreed — the lock is taken before",
        "Agreed on all points.",
    ] {
        assert!(gives_up(text), "{text}");
    }
    for text in [
        "Agreed: it stays",
        "Agreed — f crashes on every call",
        "Agreed on all points: B1 stands",
        "Agreed on all points — of style",
        "Your refutation is agreed to be wrong",
    ] {
        assert!(!gives_up(text), "{text}");
    }
    let taken = |text: &str| taken_back(text).len();
    for text in [
        "I take B1 back.",
        "I withdraw B1: I was wrong",
        "B1 is withdrawn",
        "B1 — I take it back.",
        "**B1** — I withdraw it.",
        "I take B1 and B2 back",
        "You are right about B1. I give it up.",
        "I agree with you on B1.",
        "Agreed on all points. B1 was wrong: I take it back.",
        "You are right. B1 and B2 are withdrawn.",
    ] {
        assert!(taken(text) > 0, "{text}");
    }
    for text in [
        "I take nothing of B1 back.",
        "B1 is withdrawn — by nobody, it stands",
        "I take B1 back to A",
        "B1 stands.",
        "You are right about B1, but it still divides by zero.",
        "You are right about B1. It is critical all the same.",
        "I agree with you on B1?",
        "You said \"B1 was wrong\".",
        "Agreed. I give it up.",
    ] {
        assert_eq!(taken(text), 0, "{text}");
    }
}
