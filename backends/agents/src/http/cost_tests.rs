//! What a turn costs: each call is counted and asked for, and judges of one brief share what a provider keeps of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use council_fake_models::{FakeModels, Fault, Reply as Says, Rule, Stop as Ends};
use council_protocol::FailureKind;
use council_protocol::message::Usage;
use council_protocol::price::{ModelPrice, SpendLimit};
use council_protocol::seat::{Api, Prime};

use super::tests::{APIS, asked, endpoint, http, open, spec, turn};
use crate::StopSignal;

/// So many words that a brief is worth the wait.
const SMALL_WORDS: usize = super::prime::MIN_BRIEF_BYTES / 6 + 1;

#[test]
fn a_call_that_is_cut_off_costs_at_least_what_was_counted() {
    for fault in [Fault::Hang, Fault::HangMidway, Fault::Cut, Fault::Close] {
        for (api, answer, _) in asked(&[Rule::on(Says::fault(fault))], 1_500) {
            let usage = answer.unwrap_err().usage.expect("the server took the call");
            let is_open = |usage: &Usage| usage.unpriced.iter().any(|name| name.contains(" of m "));
            assert!(usage.earlier.iter().all(is_open), "{api:?} {fault:?}");
            assert!(is_open(&usage), "{api:?} {fault:?}: {usage:?}");
            let silent = matches!(fault, Fault::Hang | Fault::Close);
            assert!(!silent || usage.unread.is_empty(), "{api:?} {fault:?}");
            let counts_first = matches!(api, Api::Anthropic) && fault == Fault::HangMidway;
            assert!(
                !counts_first || usage.input_tokens.is_some(),
                "{api:?}: {usage:?}"
            );
        }
    }
    // What is refused, and what nobody hears, costs nothing.
    let refused = Rule::on(Says {
        status: 401,
        ..Says::text("no")
    });
    for (api, answer, _) in asked(&[refused], 1_500) {
        assert_eq!(answer.unwrap_err().usage, None, "{api:?}");
    }
}

#[test]
fn a_model_that_fails_gives_way_to_the_next_and_is_named() {
    let models = FakeModels::start([Rule::on(Says::status(404)).model("m")]).unwrap();
    let mut spec = spec(&models, APIS[2]);
    endpoint(&mut spec).fallback = vec!["m".to_owned(), "n".to_owned()];
    let mut talk = open(&http(), &spec);
    let usage = talk
        .take_turn(&turn(1, 20_000), &StopSignal::default())
        .unwrap()
        .usage
        .unwrap();
    assert_eq!(usage.model.as_deref(), Some("n"));
    assert_eq!(usage.passed_over.len(), 1);
    assert!(
        usage.passed_over[0].starts_with("m: provider: 127.0.0.1 has no such model"),
        "{usage:?}"
    );
    // The conversation stays with the model that answered.
    talk.take_turn(&turn(2, 20_000), &StopSignal::default())
        .unwrap();
    assert_eq!(models.stats().requests, 3);
}

#[test]
fn every_call_of_a_turn_is_counted_and_asked_for_before_it_is_made() {
    let truncated = |times| {
        Rule::on(Says {
            stop: Ends::MaxTokens,
            ..Says::text("half an ans")
        })
        .times(times)
    };
    let price = ModelPrice {
        input: 1_000_000,
        cached: 1_000_000,
        output: 1_000_000,
        written: None,
    };
    let prices: BTreeMap<String, ModelPrice> = ["m", "second", "third"]
        .map(|model| (model.to_owned(), price))
        .into();
    for api in APIS {
        let models = FakeModels::start([truncated(9)]).unwrap();
        let mut spec = spec(&models, api);
        endpoint(&mut spec).fallback = vec!["second".to_owned(), "third".to_owned()];
        let failure = open(&http(), &spec)
            .take_turn(&turn(1, 5_000), &StopSignal::default())
            .unwrap_err();
        let usage = *failure.usage.expect("a truncated answer is paid for");
        assert_eq!(
            usage.unread, ["half an ans"; 3],
            "{api:?}: what each said is kept"
        );
        let asked: Vec<&str> = usage
            .earlier
            .iter()
            .chain([&usage])
            .filter_map(|u| u.model.as_deref())
            .collect();
        assert_eq!(asked, ["m", "second", "third"], "{api:?}");
        assert!(
            usage
                .earlier
                .iter()
                .chain([&usage])
                .all(|u| u.input_tokens.is_some()),
            "{api:?}"
        );

        let models = FakeModels::start([truncated(9)]).unwrap();
        endpoint(&mut spec).url = format!("{}{}", models.url(), api.1);
        let mut turn = turn(1, 5_000);
        // The first call was approved with the turn; another, of some 1,500 tokens, would be too much.
        let limit = SpendLimit {
            micro_usd: 1_500,
            prices: prices.clone(),
        };
        turn.spend = Some(limit);
        let failure = open(&http(), &spec)
            .take_turn(&turn, &StopSignal::default())
            .unwrap_err();
        assert_eq!(
            (failure.kind, models.stats().requests),
            (FailureKind::Quota, 1),
            "{api:?}: {failure}"
        );
        assert!(failure.detail.contains("--max-cost"), "{failure}");
        assert!(failure.usage.is_some(), "{api:?}");
    }
}

#[test]
fn judges_of_one_brief_start_when_the_first_one_s_answer_begins() {
    // Headers alone say nothing: a proxy sends them before the provider has read the prompt.
    let slow = Says {
        headers_first: true,
        ..Says::default().after(400)
    };
    let models = FakeModels::start([Rule::on(slow)]).unwrap();
    let http = http();
    for prime in [Prime::Auto, Prime::Off] {
        let before = models.records().len();
        let mut spec = spec(&models, APIS[0]);
        spec.brief = format!("{prime:?} {}", "brief ".repeat(SMALL_WORDS)).into();
        endpoint(&mut spec).prime = prime;
        let judges: Vec<_> = (0..3)
            .map(|_| {
                let (http, spec) = (Arc::clone(&http), spec.clone());
                thread::spawn(move || {
                    open(&http, &spec)
                        .take_turn(&turn(1, 30_000), &StopSignal::default())
                        .unwrap()
                })
            })
            .collect();
        let usages: Vec<_> = judges
            .into_iter()
            .map(|j| j.join().unwrap().usage.unwrap())
            .collect();
        let cached = usages
            .iter()
            .filter(|usage| usage.cached_tokens > Some(1000))
            .count();
        let records = &models.records()[before..];
        let most = records.iter().map(|r| r.in_flight).max().unwrap();
        // What the server has in its cache it has from an answer that had begun. How many are in flight after that is chance:
        // the first one may or may not be over.
        match prime {
            Prime::Auto | Prime::On => assert_eq!(cached, 2, "{usages:?}"),
            Prime::Off => assert_eq!((cached, most), (0, 3), "{usages:?}"),
        }
    }
}
