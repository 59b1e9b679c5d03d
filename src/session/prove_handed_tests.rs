//! Quotes that hold a value which an agent was handed.

use std::cell::RefCell;

use council_protocol::{Event, JudgeId, TurnId};
use proptest::prelude::*;
use serde_json::json;

use super::tests::{Blobs, packet};
use super::*;
use crate::prompt::redactor_knowing;
use crate::session::handed::HandedValues;

/// Where a line may stand: a change shows the first, and the second is one of its file that it leaves alone.
const PLACES: [(&str, u32); 3] = [("pay.rs", 12), ("pay.rs", 3), ("other.rs", 2)];

fn base64(text: &str) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |part: &[u8]| {
        let byte = |at| u32::from(part.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let sign = move |at: u32| char::from(SIGNS[(bits >> (18 - 6 * at) & 63) as usize]);
        (0..=part.len() as u32).map(sign).collect::<String>()
    };
    text.as_bytes().chunks(3).map(group).collect()
}

/// A value in the form that somebody may give it.
fn in_form(value: &str, form: usize) -> String {
    match form {
        0 => value.to_owned(),
        1 => value.to_uppercase(),
        2 => value.chars().rev().collect(),
        3 => hex::encode(value),
        4 => base64(value),
        5 => value.chars().flat_map(|c| [c, '-']).collect(),
        6 => value.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        _ => value[..10].to_owned(),
    }
}

/// A quote as judges write it.
fn in_dress(line: &str, before: &str, dress: usize) -> String {
    match dress {
        0 => line.to_owned(),
        1 => format!("`{line}`"),
        2 => format!("12 | {line}"),
        3 => format!("{before}\n{line}"),
        4 => line.replace(' ', "  "),
        _ => line.trim_start_matches("let ").to_owned(),
    }
}

/// A prover over a change with a line at one of the places, and what knows the value.
fn prover_with(value: &str, line: &str, place: usize) -> (QuoteProver, Redactor) {
    let mut pay = vec![
        "use x;",
        "fn pay() {",
        "    begin();",
        "    transfer(amount);",
        "}",
    ];
    let mut other = vec!["fn other() {", "    begin();", "}"];
    let mut change = Packet::clone(&packet());
    match place {
        0 => change.files[1].hunks[0].body = format!(" fn pay() {{\n+    begin();\n+{line}\n }}\n"),
        1 => pay[2] = line,
        _ => other[1] = line,
    }
    let text = |lines: &[&str]| -> &'static str { (lines.join("\n") + "\n").leak() };
    let long = format!("{}fn pay() {{\n    begin();\n{line}\n}}\n", "\n".repeat(9));
    let pay = if place == 0 { long.leak() } else { text(&pay) };
    let blobs = [
        ((Side::New, "pay.rs"), pay),
        ((Side::New, "other.rs"), text(&other)),
    ];
    let settings = [format!("MY_KEY={value}")];
    let redactor = redactor_knowing(&Redactor::default(), &change, &[], &settings);
    let prover = QuoteProver::new(
        Arc::new(change),
        Arc::new(Blobs(blobs.into())),
        redactor.clone(),
    );
    (prover, redactor)
}

/// An answer as it is kept.
fn kept_answer(
    prover: &mut QuoteProver,
    redactor: &Redactor,
    answer: &serde_json::Value,
) -> serde_json::Value {
    let mut event = Event::Answered {
        judge: JudgeId("j".into()),
        turn: TurnId(1),
        raw: format!("This is it:\n{answer}"),
        usage: None,
    };
    let prover = RefCell::new(prover);
    let is_reviewed =
        |text: &str, places: &[Location]| prover.borrow_mut().is_reviewed(text, places);
    HandedValues::new(redactor, &is_reviewed).take_out_of_event(&mut event);
    let Event::Answered { raw, .. } = event else {
        panic!("another event")
    };
    serde_json::from_str(raw.strip_prefix("This is it:\n").unwrap()).unwrap()
}

proptest! {
    /// Whatever form the value has, wherever its line stands, and however a judge quotes it: the quote is found, in the answer
    /// that is kept and as other judges are shown it. Other words do not tell the value.
    #[test]
    fn a_quote_that_holds_a_value_is_found(
        value in "[a-z]{3}[0-9]{3}[A-Za-z0-9]{8,12}[a-z][0-9]",
        form in 0_usize..8,
        dress in 0_usize..6,
        place in 0_usize..3,
        is_quote_first: bool,
    ) {
        let line = format!("let mine = connect(\"{}\", 7);", in_form(&value, form));
        let (mut prover, redactor) = prover_with(&value, &line, place);
        let (path, number) = PLACES[place];
        let before = ["    begin();", "fn pay() {", "fn other() {"][place];
        let quote = in_dress(&line, before, dress);
        let first = number - u32::from(dress == 3);
        let location = json!({ "path": path, "line": first });
        let finding = if is_quote_first {
            json!({ "a_quote": quote, "location": location, "why": format!("it says {value} there") })
        } else {
            json!({ "location": location, "quote": quote, "why": format!("it says {value} there") })
        };
        let kept = kept_answer(&mut prover, &redactor, &json!({ "findings": [finding] }));
        let kept = &kept["findings"][0];
        prop_assert!(!kept["why"].as_str().unwrap().contains(&value));
        let kept = kept[if is_quote_first { "a_quote" } else { "quote" }].as_str().unwrap();
        let exchanged = redactor.redact_quote(path, kept).text;
        for quote in [kept, &exchanged] {
            let location = Location { path: path.into(), line: first, end_line: None };
            let (proof, _) = prover.prove_quote(&location, quote);
            prop_assert_eq!(proof, Proof::Verified, "{}", quote);
        }
    }

    /// What stands nowhere is no quote, and the value goes from it.
    #[test]
    fn a_value_that_stands_in_no_file_goes_from_a_quote(
        value in "[a-z]{3}[0-9]{3}[A-Za-z0-9]{8,12}[a-z][0-9]",
        place in 0_usize..3,
    ) {
        let (mut prover, redactor) = prover_with(&value, "let mine = connect(key, 7);", place);
        let (path, line) = PLACES[place];
        let quote = format!("let mine = connect(\"{value}\", 7);");
        let finding = json!({ "location": { "path": path, "line": line }, "quote": quote });
        let kept = kept_answer(&mut prover, &redactor, &finding);
        prop_assert!(!kept.to_string().contains(&value), "{}", kept);
    }
}
