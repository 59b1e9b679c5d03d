//! What a request holds: how much to think, the schema of the answer, and never the key.

use council_fake_models::{FakeModels, Reply as Says, Rule};
use council_protocol::reproduction::TestSuite;
use council_protocol::seat::{Api, Effort};
use council_protocol::task::{DebateBranch, Form};
use council_protocol::{JudgeSpec, Task, Turn};
use serde_json::{Value, json};

use super::tests::{APIS, asked, endpoint, http, open, spec, turn};
use crate::{Agent as _, StopSignal};

/// Each in its API's own form; a number of tokens comes on top of those of the answer.
#[test]
fn a_model_is_told_how_much_to_think_in_its_api_s_own_form() {
    let models = FakeModels::start([]).unwrap();
    let body = |api, effort, thinking| {
        let api = APIS.into_iter().find(|(known, _)| *known == api).unwrap();
        let mut spec = spec(&models, api);
        endpoint(&mut spec).structured = true;
        (endpoint(&mut spec).effort, endpoint(&mut spec).thinking) = (effort, thinking);
        open(&http(), &spec)
            .take_turn(&turn(1, 5_000), &StopSignal::default())
            .unwrap();
        serde_json::from_str::<Value>(&models.records().last().unwrap().body).unwrap()
    };
    let high = Some(Effort::High);
    let anthropic = body(Api::Anthropic, high, None);
    assert_eq!(anthropic["output_config"]["effort"], "high");
    assert_eq!(anthropic["output_config"]["format"]["type"], "json_schema");
    assert_eq!(anthropic["thinking"], json!({"type": "adaptive"}));
    let budget = body(Api::Anthropic, None, Some(4_000));
    assert_eq!(
        budget["thinking"],
        json!({"type": "enabled", "budget_tokens": 4_000})
    );
    let plain = body(Api::Anthropic, None, None);
    let most = |body: &Value| body["max_tokens"].as_u64().unwrap();
    assert_eq!(most(&budget), most(&plain) + 4_000);
    assert_eq!(plain.get("thinking"), None);
    let off = body(Api::Anthropic, Some(Effort::None), None);
    assert_eq!(off["thinking"], json!({"type": "disabled"}));
    assert_eq!(off["output_config"].get("effort"), None);
    assert_eq!(
        body(Api::Responses, high, None)["reasoning"],
        json!({"effort": "high"})
    );
    assert_eq!(body(Api::Chat, high, None)["reasoning_effort"], "high");
    let config = |body: &Value| body["generationConfig"]["thinkingConfig"].clone();
    assert_eq!(
        config(&body(Api::Gemini, high, None)),
        json!({"thinkingLevel": "high"})
    );
    let budget = body(Api::Gemini, None, Some(4_000));
    assert_eq!(config(&budget), json!({"thinkingBudget": 4_000}));
    for (api, _) in APIS {
        for sampling in ["temperature", "top_p", "top_k"] {
            let body = body(api, high, None).to_string();
            assert!(
                !body.contains(sampling),
                "{api:?}: thinking allows no {sampling}"
            );
        }
    }
}

/// What breaks a provider's cache: anything before the last turn that is not the same bytes again.
#[test]
fn the_schema_is_the_same_in_every_turn_and_thinks_first() {
    for (api, proves) in APIS.into_iter().flat_map(|api| [(api, false), (api, true)]) {
        let models = FakeModels::start([]).unwrap();
        let mut spec = spec(&models, api);
        spec.proves = proves;
        endpoint(&mut spec).structured = true;
        let mut judge = open(&http(), &spec);
        let suite = TestSuite {
            name: "tests".to_owned(),
            command: "make test".to_owned(),
        };
        let debate = Task::Debate {
            restatement: String::new(),
            branch: DebateBranch::Agreed,
            peers: Vec::new(),
            dropped: 0,
            settled: 0,
            framing: None,
            suites: proves.then_some(suite).into_iter().collect(),
        };
        for (round, task) in [(1, Task::Review), (2, debate)] {
            let turn = Turn {
                task,
                ..turn(round, 5_000)
            };
            judge.take_turn(&turn, &StopSignal::default()).unwrap();
        }
        let form = if proves {
            Form::ProvenDebate
        } else {
            Form::Review
        };
        let schema = crate::schema::answer_schema(form).unwrap().text();
        assert_eq!(models.records().len(), 2);
        for record in models.records() {
            assert_eq!(
                record.body.matches(schema).count(),
                1,
                "{api:?}: {}",
                record.body
            );
        }
    }
}

#[test]
fn a_seat_without_a_key_a_model_or_a_safe_address_cannot_be_taken() {
    let models = FakeModels::start([]).unwrap();
    let whole = spec(&models, APIS[0]);
    let probe = |change: &dyn Fn(&mut JudgeSpec)| {
        let mut spec = whole.clone();
        change(&mut spec);
        http().probe_seat(&spec.seat).unwrap_err().detail
    };
    assert!(http().probe_seat(&whole.seat).is_ok());
    let key = |name: &'static str| move |s: &mut JudgeSpec| endpoint(s).key = Some(name.to_owned());
    let url = |url: &'static str| move |s: &mut JudgeSpec| endpoint(s).url = url.to_owned();
    assert!(probe(&key("NO_SUCH")).contains("NO_SUCH"));
    assert!(probe(&key("GITHUB_TOKEN")).contains("no judge may use"));
    assert!(probe(&|s| s.seat.agent.model = None).contains("agents.api.model"));
    assert!(probe(&url("http://models.example/v1")).contains("unencrypted"));
    assert!(probe(&url("https://me:pass@models.example/v1")).contains("no password"));
    assert!(probe(&url("file:///etc/passwd")).contains("https://"));
    assert_eq!(models.stats().requests, 0, "a probe costs nothing");
}

#[test]
fn an_error_s_words_are_short_and_never_have_the_key() {
    let body = format!(
        r#"{{"error": {{"message": "bad key sk-test-0123456789 {}"}}}}"#,
        "x".repeat(9000)
    );
    let says = Says {
        body: Some(body),
        ..Says::status(401)
    };
    for (api, answer, _) in asked(&[Rule::on(says)], 20_000) {
        let detail = answer.unwrap_err().detail;
        assert!(
            detail.contains("bad key [key]") && detail.len() < 500,
            "{api:?}: {detail}"
        );
    }
}
