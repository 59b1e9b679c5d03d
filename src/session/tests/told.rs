//! What a judge is told with a turn beside its task: where its peers' files lie, and what it is to mend.

use std::sync::{Arc, Mutex};

use council_protocol::{Capability, Seat, Task, Turn, Vote};

use super::scripted::Deed;
use super::stage::{Stage, stage};
use crate::council::plan::ExchangeMode;
use crate::session::PromptRenderer;

/// Tells the whole task.
struct Telling;

impl PromptRenderer for Telling {
    fn render_brief(&self, _: &Seat) -> Arc<str> {
        "the change".into()
    }

    fn render_prompt(&self, _: &Seat, turn: &Turn, _: u8) -> Result<String, String> {
        Ok(format!("task: {:?}\n", turn.task))
    }

    fn render_reminder(&self, _: &Seat, said: &[Arc<str>]) -> Result<String, String> {
        Ok(format!("you said: {}\n", said.join(" and ")))
    }
}

type Prompts = Arc<Mutex<Vec<(String, Turn)>>>;

/// Two judges that read text; what they are told is kept.
fn telling(script: impl Fn(&str, &Turn) -> Deed + Send + Sync + 'static) -> (Stage, Prompts) {
    let prompts = Prompts::default();
    let kept = Arc::clone(&prompts);
    let mut stage = stage(2, move |judge, turn| {
        kept.lock().unwrap().push((judge.to_owned(), turn.clone()));
        script(judge, turn)
    })
    .paid();
    stage.prompter = Arc::new(Telling);
    (stage, prompts)
}

fn split(judge: &str, turn: &Turn) -> Deed {
    match (judge, &turn.task) {
        ("judge-1", Task::Review) => Deed::Vote(Vote::Warn),
        _ => Deed::Vote(Vote::Pass),
    }
}

#[test]
fn a_judge_with_a_shared_folder_is_told_where_its_peers_files_lie() {
    let (stage, prompts) = telling(split);
    let mut stage = stage.debate();
    stage.plan.exchange = ExchangeMode::Reference;
    for planned in &mut stage.plan.seats {
        planned.grant.granted.insert(Capability::SharedFs);
    }
    stage.run().check();
    let prompts = prompts.lock().unwrap();
    let debates = prompts
        .iter()
        .filter(|(_, turn)| matches!(turn.task, Task::Debate { .. }));
    let mut told = 0;
    for (judge, turn) in debates {
        let file = format!("/{judge}/peer-a.json");
        assert!(turn.prompt.contains(&file), "{judge}: {}", turn.prompt);
        told += 1;
    }
    assert_eq!(told, 2);
}

/// Whoever keeps no conversation knows neither what it was asked nor what it said.
#[test]
fn who_mends_without_memory_is_told_its_task_and_what_it_said() {
    let (mut stage, prompts) = telling(|judge, turn| match (judge, &turn.task) {
        ("judge-1", Task::Review) => Deed::Raw("no object at all"),
        _ => Deed::Vote(Vote::Pass),
    });
    for planned in &mut stage.plan.seats {
        let granted = [Capability::Spawn, Capability::Shutdown];
        planned.grant.granted = granted.into_iter().collect();
    }
    stage.run().check();
    let prompts = prompts.lock().unwrap();
    let mut mending = prompts
        .iter()
        .filter(|(_, turn)| matches!(turn.task, Task::Mend { .. }));
    let (judge, turn) = mending.next().expect("it is asked to mend its answer");
    assert_eq!(judge, "judge-1");
    for part in ["you said: no object at all", "task: Review", "task: Mend"] {
        assert!(turn.prompt.contains(part), "{part}: {}", turn.prompt);
    }
}
