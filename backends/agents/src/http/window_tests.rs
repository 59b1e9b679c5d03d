//! Servers whose context window is too small, and such whose honest count looks like a window.

use council_fake_models::{FakeModels, Reply as Says, Rule, Script, Tokens, Window};
use council_protocol::price::{ModelPrice, SpendLimit};
use council_protocol::{Failure, FailureKind, JudgeSpec};

use super::tests::{APIS, context, endpoint, spec, turn};
use super::tool_tests::ask;
use super::*;
use crate::AgentReply;

/// A brief that the scripted server counts as some 3,000 tokens, and that may be half as many to another tokenizer.
fn brief() -> String {
    "some considerable documentation\n".repeat(380)
}

fn agent() -> HttpAgent {
    HttpAgent::new(Arc::new(context()))
}

/// What two judges of one brief come to, whose prompts differ in their keys alone.
fn ask_two(agent: &HttpAgent, spec: &JudgeSpec) -> [Result<AgentReply, Failure>; 2] {
    [("key-one", 1), ("key-two", 2)].map(|(key, round)| {
        let mut turn = turn(1, 20_000);
        turn.prompt = format!("Judge this. The key is {key}, the seat {round}.");
        ask(agent, spec, &turn)
    })
}

fn kinds(replies: &[Result<AgentReply, Failure>]) -> Vec<Option<FailureKind>> {
    let kind =
        |reply: &Result<AgentReply, Failure>| reply.as_ref().err().map(|failure| failure.kind);
    replies.iter().map(kind).collect()
}

/// Law: whatever number a window has, told or not, two prompts that fill it are never both taken for read, however near their
/// sizes are; and where the server holds both, neither is taken for cut.
#[test]
fn a_window_that_two_prompts_fill_is_noticed_whatever_its_number() {
    let cut = Some(FailureKind::ContextCut);
    for api in APIS {
        for tokens in [1_801, 2_001, 2_731, 2_999, 3_600, 100_001] {
            for told in [true, false] {
                let script = Script {
                    rules: vec![Rule::on(Says::default())],
                    window: Some(Window { tokens, told }),
                };
                let models = FakeModels::start(script).unwrap();
                let mut spec = spec(&models, api);
                spec.brief = brief().into();
                let replies = ask_two(&agent(), &spec);
                let expected = if tokens < 3_000 { cut } else { None };
                let place = format!("{:?} {tokens} {told}: {replies:?}", api.0);
                assert_eq!(kinds(&replies)[1], expected, "{place}");
                // Of a window that nobody tells, the first count says nothing yet.
                let first = expected.filter(|_| told);
                assert_eq!(kinds(&replies)[0], first, "{place}");
            }
        }
    }
}

/// Law: a whole prompt whose count happens to be a usual window is an answer where the server tells a larger window, or reads
/// a longer prompt; what that costs is counted, and not spent where it would be too dear.
#[test]
fn an_honest_count_that_looks_like_a_window_is_cleared() {
    for api in APIS {
        for read in [2_048, 2_560, 3_000, 3_072] {
            let counting = |input| {
                let usage = Some(Tokens {
                    input,
                    ..Tokens::default()
                });
                Rule::on(Says {
                    usage,
                    ..Says::default()
                })
                .times(1)
            };
            // The model tells no window; with so many more it has read the padding, with the same number it has not.
            for (again, cents, expected) in [
                (read + 900, 100, None),
                (read, 100, Some(FailureKind::ContextCut)),
                (read + 900, 1, Some(FailureKind::ContextCut)),
            ] {
                let window = Window {
                    tokens: 1 << 20,
                    told: false,
                };
                let script = Script {
                    rules: vec![counting(read), counting(again)],
                    window: Some(window),
                };
                let models = FakeModels::start(script).unwrap();
                let mut spec = spec(&models, api);
                spec.brief = brief().into();
                endpoint(&mut spec).max_tokens = 200;
                let price = ModelPrice {
                    input: 2_500_000,
                    cached: 0,
                    output: 0,
                    written: None,
                };
                let mut turn = turn(1, 20_000);
                turn.spend = Some(SpendLimit {
                    micro_usd: cents * 10_000,
                    prices: [("m".to_owned(), price)].into(),
                });
                let reply = ask(&agent(), &spec, &turn);
                let place = format!("{:?} {read} {again} {cents}: {reply:?}", api.0);
                let failed = reply.as_ref().err();
                assert_eq!(failed.map(|failure| failure.kind), expected, "{place}");
                let usage = match &reply {
                    Ok(reply) => reply.usage.clone().unwrap(),
                    Err(failure) => (**failure.usage.as_ref().unwrap()).clone(),
                };
                // The answer's own count stays the turn's; the other call is an earlier one.
                assert_eq!(usage.all_input_tokens(), Some(read), "{place}");
                let asked_again = usize::from(cents > 1);
                assert_eq!(usage.earlier.len(), asked_again, "{place}");
                assert_eq!(models.stats().requests, 1 + asked_again, "{place}");
            }
        }
        // Where the window is told, nothing is asked twice.
        let models = FakeModels::start([Rule::on(Says {
            usage: Some(Tokens {
                input: 3_072,
                ..Tokens::default()
            }),
            ..Says::default()
        })])
        .unwrap();
        let mut spec = spec(&models, api);
        spec.brief = brief().into();
        let reply = ask(&agent(), &spec, &turn(1, 20_000));
        assert!(reply.is_ok(), "{:?}: {reply:?}", api.0);
        assert_eq!(models.stats().requests, 1);
    }
}
