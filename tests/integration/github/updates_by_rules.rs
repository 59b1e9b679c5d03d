//! What built-in rules say of an update is what they say of the whole change: they cost nothing, and what they find in one
//! file may follow from another, which the push leaves as it was.

use super::remembered::{let_judges_say, seat_judges};
use super::stage::Stage;

const ARGS: [&str; 5] = ["review", "--pr", "1", "--publish", "comment,check"];

const CALLER: &str = "from src.a import charge\n\n\ndef run(order):\n    return charge(order, 5)\n";
const CALLEE: &str = "def charge(order, amount):\n    return order.pay(amount)\n";
const CHANGED: &str = "def charge(order):\n    return order.pay(order.amount)\n";

/// First line of what a terminal shows, and what a review from the start says of the same commit.
fn update_and_whole(stage: &Stage) -> (String, String) {
    let headline = |args: &[&str]| {
        let run = stage.council(args);
        run.stdout.lines().next().unwrap_or_default().to_owned()
    };
    let told = headline(&ARGS);
    (told, headline(&["review", "--pr", "1", "--full"]))
}

/// The verdict, and how many findings it names.
fn verdict(headline: &str) -> &str {
    headline.split(" · ").next().unwrap_or_default()
}

/// Pushes to one pull request; each line is a push: files, and none where one is deleted.
type Push<'a> = &'a [(&'a str, &'a str)];

fn assert_updates_are_whole(base: &[(&str, &str)], pushes: &[Push<'_>]) -> Vec<String> {
    let stage = Stage::new();
    stage.land(base);
    let (first, rest) = pushes.split_first().unwrap();
    stage.propose(1, first);
    stage.council(&ARGS);
    let mut told = Vec::new();
    for push in rest {
        stage.add(1, push);
        let (update, whole) = update_and_whole(&stage);
        assert_eq!(verdict(&update), verdict(&whole), "{push:?}");
        told.push(update);
    }
    told
}

#[test]
fn a_caller_that_is_mended_in_another_file_is_mended() {
    let base = [("src/a.py", CALLEE), ("src/b.py", CALLER)];
    let fits = CALLER.replace(", 5", "");
    let told = assert_updates_are_whole(&base, &[&[("src/a.py", CHANGED)], &[("src/b.py", &fits)]]);
    assert!(told[0].starts_with("PASS"), "{told:?}");
}

#[test]
fn a_caller_that_comes_with_the_second_push_does_not_fit() {
    let base = [
        ("src/a.py", CALLEE),
        ("src/b.py", "def run(order):\n    return None\n"),
    ];
    let told =
        assert_updates_are_whole(&base, &[&[("src/a.py", CHANGED)], &[("src/b.py", CALLER)]]);
    assert!(told[0].starts_with("WARN"), "{told:?}");
}

#[test]
fn tests_that_come_with_the_second_push_are_tests() {
    let base = [
        ("src/orders.py", "def a():\n    return 1\n"),
        ("tests/test_orders.py", "def test_a():\n    assert True\n"),
    ];
    let mut code = String::from("def a():\n    return 1\n");
    for number in 0..80 {
        code.push_str(&format!(
            "\n\ndef step_{number}(order):\n    return order.amount + {number}\n"
        ));
    }
    let test = "def test_a():\n    assert True\n\n\ndef test_b():\n    assert 1 + 1 == 2\n";
    let told = assert_updates_are_whole(
        &base,
        &[
            &[("src/orders.py", &code)],
            &[("tests/test_orders.py", test)],
        ],
    );
    assert!(!told[0].contains("minor"), "{told:?}");
}

/// A rule that is heard beside models finds a key again at each push: it is one finding with one conversation.
#[test]
fn a_key_that_stays_is_one_finding_beside_models() {
    let stage = Stage::new();
    seat_judges(&stage);
    let_judges_say(&stage, "PASS", "");
    let key = format!("KEY = \"AKIA{}\"\n", "IOSFODNN7EXAMPLQ");
    stage.propose(1, &[("k.py", &key)]);
    let args = ["review", "--pr", "1", "--publish", "comment,check,review"];
    stage.council(&args).ends(1);
    for pushes in 1..3 {
        let text = format!("{key}{}", "x = 1\n".repeat(pushes));
        stage.add(1, &[("k.py", &text)]);
        stage.council(&args).ends(1);
        let body = stage.reports(1)[0].body.clone();
        assert!(body.contains("1 still open"), "{body}");
        assert!(!body.contains("1 resolved"), "{body}");
    }
    let threads = stage.hub.state().threads.len();
    assert_eq!(threads, 1);
    stage.requests();
}
