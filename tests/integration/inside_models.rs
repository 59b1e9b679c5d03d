//! A review that a coding agent asks for and a model answers: its progress, its focus, and how it is cancelled.

use std::time::{Duration, Instant};

use council_fake_models::{FakeModels, Fault, Reply, Rule};
use serde_json::json;

use crate::harness::Repo;
use crate::inside::Agent;

const KEY: (&str, &str) = ("MODEL_KEY", "sk-test-0123456789");

/// An agent in a worktree with a change, and one judge with a model.
pub(crate) fn with_model(models: &FakeModels) -> Agent {
    let repo = Repo::with_base();
    repo.write("src/more.rs", "/// One more.\npub const MORE: u32 = 1;\n");
    let url = models.url();
    repo.write_home(
        ".config/git-council/config.toml",
        &format!(
            "[agents.fake]\ndriver = 'http'\napi = 'chat'\nurl = '{url}/v1'\nkey = 'MODEL_KEY'\nmodel = 'fake'\n\
             [review]\nagents = ['fake']\njudges = 1\nquorum = 1\n"
        ),
    );
    Agent::start_with(repo, &[KEY])
}

#[test]
fn a_review_tells_its_progress_to_a_client_that_asks_for_it() {
    let models = FakeModels::start([]).unwrap();
    let mut agent = with_model(&models);
    agent.call("review", json!({}));
    let told = std::mem::take(&mut agent.progress);
    assert!(
        !told.is_empty(),
        "a review that a model takes part in says nothing"
    );
    assert!(
        told.windows(2).all(|pair| pair[0].0 < pair[1].0),
        "{told:?}"
    );
    assert!(told.iter().all(|(_, line)| !line.is_empty()), "{told:?}");
    // Whoever names no token hears nothing but the answer.
    let silent = json!({ "name": "review", "arguments": { "fresh": true } });
    let heard = agent.ask("tools/call", &silent);
    assert_ne!(heard["isError"], true, "{heard}");
    assert_eq!(agent.progress, []);
}

#[test]
fn the_focus_of_an_agent_is_what_the_judges_look_at_beside_everything_else() {
    let models = FakeModels::start([]).unwrap();
    let mut agent = with_model(&models);
    let asked = &council_builtin::perspectives()[0];
    let words = asked.focus.split(|c: char| c == '"' || !c.is_ascii());
    let words = words.max_by_key(|part| part.len()).unwrap();
    agent.call("review", json!({}));
    let plain = models.records().last().unwrap().body.clone();
    assert!(!plain.contains("With special care"), "{plain}");
    agent.call("review", json!({ "focus": [asked.name], "fresh": true }));
    let focused = models.records().last().unwrap().body.clone();
    assert!(focused.contains("With special care"), "{focused}");
    assert!(focused.contains(words), "{words}: {focused}");
    assert!(focused.len() > plain.len(), "it takes nothing away");
}

#[test]
fn a_review_that_the_client_cancels_ends_in_good_order() {
    let models = FakeModels::start([Rule::on(Reply::fault(Fault::Hang)).times(1)]).unwrap();
    let mut agent = with_model(&models);
    let review = json!({ "name": "review", "arguments": {} });
    let id = agent.send("tools/call", &review);
    let patience = Duration::from_secs(60);
    assert!(models.wait(patience, |stats| stats.requests == 1));
    agent.given_up.push(id);
    agent.tell(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": id, "reason": "the user has no time" } }),
    );
    assert!(
        models.wait(patience, |stats| stats.aborted == 1),
        "the model is asked on"
    );
    // The server lives on, and reviews again as soon as the other one has ended.
    let until = Instant::now() + patience;
    loop {
        let heard = agent.ask("tools/call", &review);
        let text = heard["content"][0]["text"].as_str().unwrap();
        if heard["isError"] != true {
            assert!(text.starts_with("PASS"), "{text}");
            break;
        }
        assert!(
            text.contains("is running already") && Instant::now() < until,
            "{text}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let status = agent.call("status", json!({}));
    assert!(!status.contains("is running\n"), "{status}");
}

/// A client that leaves amid a review, as one does that is closed, costs the answers that were there no more than Ctrl-C does.
#[test]
fn the_review_of_a_client_that_leaves_is_resumed_at_once() {
    // A model that answers when nobody listens any more: its judge takes its time to end.
    let models = FakeModels::start([Rule::on(Reply::fault(Fault::Hang)).times(1)]).unwrap();
    let mut agent = with_model(&models);
    let review = json!({ "name": "review", "arguments": {} });
    agent.send("tools/call", &review);
    assert!(models.wait(Duration::from_secs(60), |stats| stats.requests == 1));
    let repo = agent.leave();
    let resumed = repo.council_with(&[KEY], &["resume"]).ends(0);
    assert!(resumed.stdout.starts_with("PASS"), "{}", resumed.stdout);
    assert_eq!(models.stats().requests, 2);
}
