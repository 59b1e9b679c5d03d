//! What a file of results says of trials.

use super::*;

fn key(repeat: u32) -> TrialKey {
    TrialKey {
        item: "szz-1".to_owned(),
        council: "a".to_owned(),
        digest: "d".to_owned(),
        repeat,
    }
}

fn result(repeat: u32, verdict: Verdict) -> TrialResult {
    TrialResult::of_outcome(
        key(repeat),
        "run".to_owned(),
        &Outcome {
            verdict,
            ..outcome()
        },
    )
}

fn outcome() -> Outcome {
    let coverage = council_protocol::Coverage::default();
    let empty = serde_json::json!({
        "verdict": "PASS", "reason": "no-findings", "rounds": 1, "findings": [], "judges": [], "coverage": coverage,
    });
    serde_json::from_value(empty).unwrap()
}

fn line(line: &TrialLine) -> String {
    serde_json::to_string(line).unwrap() + "\n"
}

#[test]
fn a_trial_that_began_is_open_until_it_ends() {
    let began = line(&TrialLine::Began {
        key: key(1),
        run: "run-1".to_owned(),
    });
    let book = TrialBook::parse(&began).unwrap();
    assert_eq!(book.open_run(&key(1)), Some("run-1"));
    assert_eq!(book.open_run(&key(2)), None);
    let ended = began + &line(&TrialLine::Ended(result(1, Verdict::Pass)));
    let book = TrialBook::parse(&ended).unwrap();
    assert_eq!(
        (book.open_run(&key(1)), book.is_over(&key(1))),
        (None, true)
    );
}

#[test]
fn a_line_that_was_cut_off_costs_itself_and_any_other_is_named() {
    let whole = line(&TrialLine::Ended(result(1, Verdict::Pass)));
    let cut = format!("{whole}{}", &whole[..20]);
    assert_eq!(TrialBook::parse(&cut).unwrap().ended.len(), 1);
    assert_eq!(
        TrialBook::parse(&format!("{}\n{whole}", &whole[..20])).unwrap_err(),
        1
    );
}

#[test]
fn the_smaller_limit_holds_a_review_and_says_whose_it_is() {
    let of = |own, left| CostBound::smaller(own, left);
    for (own, left, most, bound) in [
        (None, None, None, CostBound::Council),
        (Some(1.0), None, Some(1.0), CostBound::Council),
        (None, Some(2.0), Some(2.0), CostBound::Evaluation),
        (Some(1.0), Some(2.0), Some(1.0), CostBound::Council),
        (Some(3.0), Some(2.0), Some(2.0), CostBound::Evaluation),
        (Some(2.0), Some(2.0), Some(2.0), CostBound::Council),
    ] {
        assert_eq!(of(own, left), (most, bound), "{own:?} {left:?}");
    }
}

#[test]
fn a_result_that_was_cut_short_is_none_and_what_it_cost_is_counted() {
    let reasons = [
        VerdictReason::Interrupted,
        VerdictReason::Deadline,
        VerdictReason::BackendLost,
        VerdictReason::NoFindings,
    ];
    let began = line(&TrialLine::Began {
        key: key(1),
        run: "run".to_owned(),
    });
    for reason in reasons {
        let ended = TrialResult {
            reason: Some(reason),
            dollars: Some(0.5),
            ..result(1, Verdict::Inconclusive)
        };
        let book = TrialBook::parse(&(began.clone() + &line(&TrialLine::Ended(ended)))).unwrap();
        let over = !reason.is_cut_short();
        assert_eq!(
            (book.is_over(&key(1)), book.spent()),
            (over, 0.5),
            "{reason:?}"
        );
        assert_eq!(book.open_run(&key(1)).is_none(), over, "{reason:?}");
    }
}

#[test]
fn a_run_that_went_on_is_counted_once() {
    let failed = |cost| TrialLine::Failed {
        key: key(1),
        why: "interrupted".to_owned(),
        run: "run".to_owned(),
        cost,
        too_little: None,
    };
    let ended = TrialResult {
        dollars: Some(0.75),
        ..result(1, Verdict::Pass)
    };
    let text = line(&failed(0.25)) + &line(&failed(0.5));
    assert_eq!(TrialBook::parse(&text).unwrap().spent(), 0.5);
    let text = text + &line(&TrialLine::Ended(ended));
    assert_eq!(TrialBook::parse(&text).unwrap().spent(), 0.75);
    // Lines of an earlier version name neither run nor money.
    let old =
        r#"{"trial":"failed","key":{"item":"a","council":"b","digest":"c","repeat":1},"why":"x"}"#;
    assert_eq!(TrialBook::parse(&format!("{old}\n")).unwrap().spent(), 0.0);
}

#[test]
fn a_later_result_stands_in_the_place_of_an_earlier_one() {
    let text = line(&TrialLine::Ended(result(1, Verdict::Pass)))
        + &line(&TrialLine::Ended(result(1, Verdict::Fail)));
    let book = TrialBook::parse(&text).unwrap();
    assert_eq!(
        book.ended
            .iter()
            .map(|result| result.verdict)
            .collect::<Vec<_>>(),
        [Verdict::Fail]
    );
}
