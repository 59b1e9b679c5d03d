//! A line that has two problems: what one review says of the one takes nothing from what another said of the other.

use super::remembered::{failed_over, let_judges_say};
use super::stage::Stage;

const ARGS: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check,review"];

/// The line with both, and what stands below it.
fn code(below: &str) -> String {
    format!("def f(o):\n    return parse(o.amount) / rate(o.day)\n{below}")
}

fn finding(quote: &str, words: &str) -> String {
    format!(
        r#"{{"severity": "critical", "category": "bug", "description": "{words}",
 "location": {{"path": "src/a.py", "line": 2}}, "quote": "{quote}", "why": "w", "fix": "f"}}"#
    )
}

const RAISES: &str = "parse raises for an empty amount, and nobody catches it.";
const ZERO: &str = "rate is zero on holidays, so this divides by zero.";

/// Judges object to the first of the two in a file with this quote of it.
fn failed(quote: &str) -> Stage {
    let stage = failed_over(&[("src/a.py", &code(""))], &finding(quote, RAISES));
    stage.council(&ARGS).ends(1);
    stage
}

/// What people read of the report.
fn told(stage: &Stage) -> String {
    let body = stage.reports(1)[0].body.clone();
    let (text, _) = body.split_once("<details>").unwrap_or((&body, ""));
    text.to_owned()
}

/// Whatever else a push does to the file, and whatever part of the line judges quote.
#[test]
fn another_bug_of_a_line_leaves_the_one_that_was_found_there() {
    const LINE: &str = "return parse(o.amount) / rate(o.day)";
    let far = "\n\n\ndef g(o):\n    return o\n";
    for (first, second, below) in [
        ("parse(o.amount)", "rate(o.day)", "# below\n"),
        ("parse(o.amount)", "rate(o.day)", far),
        (LINE, LINE, far),
    ] {
        let stage = failed(first);
        stage.add(1, &[("src/a.py", &code(below))]);
        let_judges_say(&stage, "FAIL", &finding(second, ZERO));
        stage.council(&ARGS).ends(1);
        let both = told(&stage);
        assert!(both.contains("**1 still open, 1 new**"), "{both}");
        assert!(
            both.contains("parse raises") && both.contains("rate is zero"),
            "{both}"
        );
        let open = stage
            .hub
            .state()
            .threads
            .iter()
            .filter(|t| !t.resolved)
            .count();
        assert_eq!(open, 2, "a conversation each");
        // The author mends the one.
        let mended = code(below).replace("rate(o.day)", "safe_rate(o)");
        stage.add(1, &[("src/a.py", &mended)]);
        let_judges_say(&stage, "PASS", "");
        // Where a judge quotes a part, the other one's code is still there; a whole line that is edited is another one.
        let is_part = first != LINE;
        stage.council(&ARGS).ends(i32::from(is_part));
        let fates = if is_part {
            "1 resolved, 1 still open"
        } else {
            "2 resolved"
        };
        assert!(told(&stage).contains(fates), "{}", told(&stage));
        stage.requests();
    }
}

/// Who dismisses one bug of a line has said nothing of another one, on the page and at the terminal.
#[test]
fn a_dismissed_bug_takes_no_other_one_along() {
    let stage = failed("parse(o.amount)");
    let reply = (
        "alice".to_owned(),
        "/council dismiss because parse is total since 2.0".to_owned(),
    );
    {
        let mut state = stage.hub.state();
        state.permissions.insert("alice".into(), "write");
        state.threads[0].replies.push(reply);
        state.threads[0].comments += 1;
    }
    stage.council(&ARGS).ends(0);
    stage.add(1, &[("src/a.py", &code("\n\n\n# below\n"))]);
    let_judges_say(&stage, "FAIL", &finding("rate(o.day)", ZERO));
    stage.council(&ARGS).ends(1);
    let other = told(&stage);
    assert!(
        other.contains("rate is zero") && !other.contains("came back"),
        "{other}"
    );
    // Judges speak of the dismissed one again, and not of the other.
    stage.add(1, &[("src/a.py", &code("\n\n\n# further below\n"))]);
    let_judges_say(&stage, "FAIL", &finding("parse(o.amount)", RAISES));
    stage.council(&ARGS).ends(1);
    assert!(told(&stage).contains("rate is zero"), "{}", told(&stage));
    stage.requests();
}
