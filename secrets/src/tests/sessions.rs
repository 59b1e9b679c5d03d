//! Cookies of sessions: whoever has one needs no password.

use proptest::prelude::*;

use super::redact;
use crate::value::is_drawn_value;

/// How code, commands and recordings of HTTP write one, with `~` for it.
const FORMS: [&str; 14] = [
    "Cookie: sessionid=~",
    "cookie: theme=dark; lang=en; sid=~; x=1",
    "Set-Cookie: sid=~; HttpOnly; Path=/",
    "set-cookie: __Host-session=~; Secure",
    r#"headers = {"Cookie": "session=~"}"#,
    r#"req.Header.Set("Cookie", "session=~")"#,
    r#"cookies = {"sid": "~"}"#,
    r#"s.cookies.set("sid", "~")"#,
    r#"new Cookie("sid", "~")"#,
    "curl -b 'sid=~' https://a.example",
    "curl --cookie \"sid=~\" https://a.example",
    "JSESSIONID=~",
    r#"{"session_id": "~"}"#,
    "x = '.ASPXAUTH=~'",
];

/// Code that speaks of cookies and holds none.
const INNOCENT: [&str; 8] = [
    "Cookie: theme=dark2; lang=en",
    r#"SESSION_COOKIE_NAME = "sessionid2""#,
    r#"res.cookie("session2", token)"#,
    r#"req.Header.Set("Cookie", "session="+session.Value2())"#,
    r#"cookies = {"sid": load_session2_from_file()}"#,
    "session_id = uuid4().hex",
    "Set-Cookie: sid=deleted; Max-Age=0",
    r#"cookie = SimpleCookie("session_cookie_of_the_test")"#,
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Law: in no form is a drawn value shown.
    #[test]
    fn a_session_is_hidden_in_every_form(value in "[A-Za-z0-9]{8}[0-9][A-Za-z0-9]{11,24}") {
        prop_assume!(is_drawn_value(&value) && !crate::is_placeholder(&value));
        for form in FORMS {
            let (shown, _) = redact(&form.replace('~', &value));
            prop_assert!(!shown.contains(&value[..8]), "{shown}");
        }
    }
}

#[test]
fn code_that_speaks_of_sessions_is_shown() {
    for line in INNOCENT {
        assert_eq!(redact(line).0, line);
    }
}
