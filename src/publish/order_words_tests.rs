//! What words order: what they name, in the kind that they name, or nothing.

use proptest::prelude::*;

use super::*;
use DismissalGround::{AcceptedRisk, FalsePositive, Fixed};

fn read(words: &str) -> OrderMeaning {
    read_order(&format!("/council dismiss {words}")).unwrap()
}

fn dismissal(names: Option<&str>, ground: DismissalGround, because: &str) -> OrderMeaning {
    OrderMeaning::Dismiss(DismissWords {
        names: names.map(str::to_owned),
        ground,
        because: because.to_owned(),
    })
}

/// The reason of an order; empty where it has none.
fn reason(body: &str) -> Option<String> {
    match read_order(body)? {
        OrderMeaning::Dismiss(words) => Some(words.because),
        OrderMeaning::Unreasoned => Some(String::new()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_dismissal_is_taken_back_by_its_own_command() {
    for body in [
        "/council undo",
        "/Council Undo, it was no fixture",
        "I was wrong.\n/council undismiss F1",
        "/council take back",
    ] {
        assert_eq!(read_order(body), Some(OrderMeaning::TakeBack), "{body}");
    }
    for body in [
        "/council undoing",
        "    /council undo",
        "council undo",
        "/council",
    ] {
        assert_eq!(read_order(body), None, "{body}");
    }
    let both = "/council undo\n/council dismiss because a fixture";
    assert_eq!(read_order(both), Some(OrderMeaning::Several));
}

#[test]
fn a_reason_is_what_stands_behind_the_command() {
    for (body, because) in [
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
        ("/council dismiss because two\nlines", "two\nlines"),
        ("/council dismiss\r\nbecause two\r\nlines", "two\nlines"),
        ("/Council Dismiss Because it is", "it is"),
        ("/council dismiss: it is a constant", "it is a constant"),
        ("/council dismiss it is a constant", "it is a constant"),
        ("/council dismiss", ""),
        ("/council dismiss because ", ""),
        ("/council dismiss as wrong", ""),
    ] {
        assert_eq!(reason(body).as_deref(), Some(because), "{body}");
    }
    for no in [
        "/council dismissal x",
        "/council dismiss-all x",
        "/council",
        "I say /council dismiss x",
        "> /council dismiss x",
        "```\n/council dismiss x\n```",
        "    /council dismiss x",
        "",
    ] {
        assert_eq!(read_order(no), None, "{no}");
    }
    let long = reason(&format!("/council dismiss {}", "x".repeat(9_000)));
    assert_eq!(long.unwrap().chars().count(), 501);
}

#[test]
fn who_calls_a_finding_wrong_is_not_said_to_answer_for_it() {
    let wrong = dismissal(None, FalsePositive, "it is a constant");
    for words in [
        "as wrong because it is a constant",
        "as false-positive: it is a constant",
        "as false positive because it is a constant",
        "as a False Positive, because it is a constant",
        "as `false_positive` because it is a constant",
        "false positive because it is a constant",
        "this as wrong because it is a constant",
        "wrong: it is a constant",
    ] {
        assert_eq!(read(words), wrong, "{words}");
    }
    let risk = dismissal(None, AcceptedRisk, "it is as wrong as can be");
    assert_eq!(read("because it is as wrong as can be"), risk);
    assert_eq!(
        read("as fixed because it is gone"),
        dismissal(None, Fixed, "it is gone")
    );
    // Neither what is no kind, nor what could be the kind as well as the reason, is taken for the other kind.
    for words in [
        "as no bug because it is a constant",
        "as we know the input",
        "as false alarm: it is a constant",
        "wrong line, it is a constant",
        "fixed in the next change",
    ] {
        assert!(
            matches!(read(words), OrderMeaning::OtherKind(_)),
            "{words}: {:?}",
            read(words)
        );
    }
}

#[test]
fn what_an_order_names_is_heard() {
    let header = |names| dismissal(Some(names), AcceptedRisk, "it is a header");
    for words in [
        "F2 because it is a header",
        "F2: it is a header",
        "finding F2, it is a header",
        "the finding `F2` because it is a header",
        "F2 it is a header",
    ] {
        assert_eq!(read(words), header("F2"), "{words}");
    }
    let digits = "0123456789abcdef";
    let words = format!("{digits} as fixed because it is a header");
    assert_eq!(
        read(&words),
        dismissal(Some(digits), Fixed, "it is a header")
    );
    for words in [
        "this because it is a header",
        "It because it is a header",
        "this finding because it is a header",
    ] {
        assert_eq!(
            read(words),
            dismissal(None, AcceptedRisk, "it is a header"),
            "{words}"
        );
    }
    for words in [
        "F1 and F2 because they are headers",
        "F1, F2: they are headers",
        "the second one because it is a header",
        "all because they are headers",
        "a fixture because it is a header",
        "F2 as wrong and F1 because it is a header",
    ] {
        assert!(
            matches!(read(words), OrderMeaning::OtherWords(_)),
            "{words}: {:?}",
            read(words)
        );
    }
    assert_eq!(
        read("F1-scores are compared"),
        dismissal(None, AcceptedRisk, "F1-scores are compared")
    );
    let two = "/council dismiss because one\n/council dismiss F2 because two";
    assert_eq!(read_order(two), Some(OrderMeaning::Several));
}

#[test]
fn what_stands_for_a_reason_is_none() {
    for words in [
        "because …",
        "because ...",
        "because <reason>",
        "because reason",
        "as wrong because …",
        "…",
        "this",
        "F2",
        "F2 because `…`",
    ] {
        assert_eq!(read(words), OrderMeaning::Unreasoned, "{words}");
    }
}

proptest! {
    /// Every order dismisses what it names, in the kind that it names, for the reason that it gives.
    #[test]
    fn an_order_is_read_as_it_was_meant(
        name in prop::option::of(prop::sample::select(vec!["F1", "F23", "0a1b2c3d"])),
        kind in prop::option::of(prop::sample::select(GROUNDS.to_vec())),
        blanks in prop::sample::select(vec!["-", "_", " "]),
        is_loud in any::<bool>(),
        because in "[g-z]{3,9} [g-z]{3,9}",
    ) {
        let spelt = kind.map(|(spelling, _)| format!("as {} ", spelling.replace('-', blanks)));
        let mut head = spelt.unwrap_or_default();
        if is_loud {
            head = head.to_uppercase();
        }
        let target = name.map(|name| format!("{name} ")).unwrap_or_default();
        let words = format!("{target}{head}because {because}");
        let ground = kind.map_or(AcceptedRisk, |(_, ground)| ground);
        prop_assert_eq!(read(&words), dismissal(name, ground, &because), "{}", words);
    }

    /// Words between a command and its reason that are not understood dismiss nothing, wherever they stand there.
    #[test]
    fn nothing_between_a_command_and_its_reason_is_passed_over(
        before in prop::sample::select(vec!["", "F1 ", "this ", "as wrong ", "F1 as fixed "]),
        other in prop::collection::vec("[g-z]{4,9}", 1..4),
        behind in prop::sample::select(vec!["", " as wrong", " F2"]),
        because in "[g-z]{3,9} [g-z]{3,9}",
    ) {
        let other = other.join(" ");
        let known = ["because", "wrong", "this"];
        prop_assume!(!known.iter().any(|word| other.contains(word)));
        let meant = read(&format!("{before}{other}{behind} because {because}"));
        let is_told = matches!(&meant, OrderMeaning::OtherWords(words) if words.contains(&other));
        prop_assert!(is_told, "{:?}", meant);
    }
}
