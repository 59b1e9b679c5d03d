//! A backend on stage: opened, spoken with, and held to the law when it is closed.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use council_protocol::message::{Ending, Message};
use council_protocol::{
    Backend, BackendError, Capability, CapabilitySet, Event, Failure, FailureKind, JudgeId,
    JudgeSpec, RoundNumber, Task, Turn, TurnId,
};

use crate::Candidate;
use crate::script::ScriptLine;

/// What the program would wait beyond what it granted.
pub(crate) const MARGIN: Duration = Duration::from_secs(4);
/// The most bytes of an answer unless a scenario says otherwise.
pub(crate) const ANSWER_BYTES: u64 = 64 * 1024;

/// What became of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StageReply {
    Answered(String),
    Failed(Failure),
}

pub(crate) struct ScenarioStage<'a> {
    candidate: &'a Candidate<'a>,
    backend: Box<dyn Backend>,
    events: Receiver<Event>,
    seen: Vec<Event>,
    turns: u32,
    pub(crate) claimed: CapabilitySet,
}

/// Makes a backend and opens it, whatever comes of that.
pub(crate) fn raise_backend<'a>(
    candidate: &'a Candidate<'a>,
    protocols: &[u32],
) -> Result<(ScenarioStage<'a>, Result<(), BackendError>), String> {
    let mut backend = (candidate.make)().map_err(|error| format!("it cannot be made: {error}"))?;
    let (sender, events) = mpsc::channel();
    let mut hello = candidate.hello.clone();
    hello.protocols = protocols.to_vec();
    let sink = Arc::new(move |event| {
        // Nobody listens any more once the scenario is over.
        let _ = sender.send(event);
    });
    let opened = backend.open(hello, sink);
    let claimed = backend.manifest().capabilities;
    Ok((
        ScenarioStage {
            candidate,
            backend,
            events,
            seen: Vec::new(),
            turns: 0,
            claimed,
        },
        opened,
    ))
}

impl<'a> ScenarioStage<'a> {
    /// Opens a backend as the program would, and probes the seat: what is claimed is what both say.
    pub(crate) fn open_backend(candidate: &'a Candidate<'a>) -> Result<Self, String> {
        let (mut stage, opened) = raise_backend(candidate, &candidate.hello.protocols)?;
        opened.map_err(|error| format!("it cannot be opened: {error}"))?;
        stage.wait_until("`opened`", candidate.patience, |e| {
            matches!(e, Event::Opened { .. }).then_some(())
        })?;
        let probed = stage.probe_seat("judge-1")?;
        stage.claimed = stage.claimed.intersection(&probed);
        Ok(stage)
    }

    pub(crate) fn claims_capability(&self, capability: &Capability) -> bool {
        self.claimed.has(capability)
    }

    pub(crate) fn backend(&mut self) -> &mut dyn Backend {
        self.backend.as_mut()
    }

    pub(crate) fn probe_seat(&mut self, judge: &str) -> Result<CapabilitySet, String> {
        let seat = self.candidate.seat_for(judge);
        let asked = self.backend.send(Message::Probe { seat });
        asked.map_err(|error| format!("a probe was refused: {error}"))?;
        let probed = self.wait_until("`probed`", self.candidate.patience, |event| match event {
            Event::Probed {
                judge: who,
                capabilities,
                ..
            } if who.as_str() == judge => Some(Ok(capabilities.clone())),
            Event::Failed {
                judge: who,
                turn: None,
                failure,
            } if who.as_str() == judge => Some(Err(failure.clone())),
            _ => None,
        })?;
        probed.map_err(|failure| format!("the seat cannot be taken: {failure}"))
    }

    /// Seats a judge and waits until it is.
    pub(crate) fn seat_judge(&mut self, judge: &str) -> Result<(), String> {
        self.seat_for(judge, ANSWER_BYTES)
    }

    pub(crate) fn seat_for(&mut self, judge: &str, max_answer_bytes: u64) -> Result<(), String> {
        match self.try_seat(judge, max_answer_bytes)? {
            None => Ok(()),
            Some(failure) => Err(format!("{judge} was not seated: {failure}")),
        }
    }

    /// Seats a judge; the reason when it was refused.
    pub(crate) fn try_seat(
        &mut self,
        judge: &str,
        max_answer_bytes: u64,
    ) -> Result<Option<Failure>, String> {
        let seat = self.candidate.seat_for(judge);
        let spec = JudgeSpec {
            seat,
            brief: "Nothing is under review.\n".into(),
            room: None,
            max_answer_bytes,
            proves: false,
        };
        if let Err(error) = self.backend.spawn(spec) {
            return Ok(Some(refusal_of(&error)));
        }
        self.wait_until(
            &format!("`started` for {judge}"),
            self.candidate.patience,
            |event| match event {
                Event::Started { judge: who, .. } if who.as_str() == judge => Some(None),
                Event::Failed {
                    judge: who,
                    turn: None,
                    failure,
                } if who.as_str() == judge => Some(Some(failure.clone())),
                _ => None,
            },
        )
    }

    /// Sends a judge its next turn; the reply when it was refused at once.
    pub(crate) fn ask_turn(
        &mut self,
        judge: &str,
        told: ScriptLine,
    ) -> (TurnId, Option<StageReply>) {
        self.ask_within(judge, told, self.candidate.patience)
    }

    pub(crate) fn ask_within(
        &mut self,
        judge: &str,
        told: ScriptLine,
        timeout: Duration,
    ) -> (TurnId, Option<StageReply>) {
        self.turns += 1;
        let (id, key) = (TurnId(self.turns), format!("key-{}", self.turns));
        // The key as the scripted judge reads it, and in the words of the program's own prompts.
        let prompt = format!(
            "\nSay what you think.\nkey: {key}\n- `round` is 1, and `key` is `{key}`: copy both.\n{}\n",
            told.line()
        );
        let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        let turn = Turn {
            id,
            round: RoundNumber::FIRST,
            key,
            task: Task::Review,
            prompt,
            timeout_ms,
            spend: None,
        };
        let sent = self.backend.send(Message::Turn {
            judge: judge.into(),
            turn,
        });
        (
            id,
            sent.err()
                .map(|error| StageReply::Failed(refusal_of(&error))),
        )
    }

    /// Waits for what becomes of a turn.
    pub(crate) fn reply_to(
        &mut self,
        turn: TurnId,
        within: Duration,
    ) -> Result<StageReply, String> {
        self.wait_until(&format!("an outcome of turn {}", turn.0), within, |event| {
            reply_of(event, turn)
        })
    }

    /// A turn from the question to an answer that echoes its key.
    pub(crate) fn expect_answer(&mut self, judge: &str) -> Result<(), String> {
        let (turn, refused) = self.ask_turn(judge, ScriptLine::Answer);
        let reply = refused.map_or_else(|| self.reply_to(turn, self.candidate.patience), Ok)?;
        check_order(judge, turn, &reply)
    }

    /// Asks a judge to end and waits for that.
    pub(crate) fn shutdown_judge(
        &mut self,
        judge: &str,
        grace: Duration,
    ) -> Result<Ending, String> {
        let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        let asked = self.backend.shutdown(&judge.into(), grace_ms);
        asked.map_err(|error| format!("the shutdown of {judge} was refused: {error}"))?;
        self.wait_until(
            &format!("`ended` for {judge}"),
            grace + MARGIN,
            |event| match event {
                Event::Ended { judge: who, ending } if who.as_str() == judge => Some(*ending),
                _ => None,
            },
        )
    }

    /// Waits until `pick` finds something in what was seen or is yet to come.
    pub(crate) fn wait_until<T>(
        &mut self,
        what: &str,
        within: Duration,
        pick: impl Fn(&Event) -> Option<T>,
    ) -> Result<T, String> {
        if let Some(found) = self.seen.iter().find_map(&pick) {
            return Ok(found);
        }
        let deadline = Instant::now() + within;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(event) = self.events.recv_timeout(left) else {
                return Err(format!(
                    "{what} did not come within {} s{}",
                    within.as_secs_f32(),
                    self.rule_breaches()
                ));
            };
            let found = pick(&event);
            self.seen.push(event);
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    /// What the backend itself said was wrong.
    fn rule_breaches(&self) -> String {
        let errors = self.seen.iter().filter_map(|event| match event {
            Event::Error { message } => Some(message.as_str()),
            _ => None,
        });
        let errors: Vec<&str> = errors.collect();
        if errors.is_empty() {
            String::new()
        } else {
            format!(" ({})", errors.join("; "))
        }
    }

    /// Hears what comes within a while.
    pub(crate) fn listen_for(&mut self, a_while: Duration) -> &[Event] {
        let deadline = Instant::now() + a_while;
        while let Ok(event) = self
            .events
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            self.seen.push(event);
        }
        &self.seen
    }

    /// Closes the backend, twice, and holds it to the law.
    pub(crate) fn close_backend(mut self) -> Result<(), String> {
        let began = Instant::now();
        self.backend
            .close()
            .map_err(|error| format!("close was refused: {error}"))?;
        if began.elapsed() > MARGIN {
            return Err(format!("close took {:.1} s", began.elapsed().as_secs_f32()));
        }
        self.backend
            .close()
            .map_err(|error| format!("a second close was refused: {error}"))?;
        self.wait_until("`closed`", MARGIN, |event| {
            matches!(event, Event::Closed).then_some(())
        })?;
        self.listen_for(Duration::from_millis(100));
        check_law(&self.seen)
    }
}

fn reply_of(event: &Event, wanted: TurnId) -> Option<StageReply> {
    match event {
        Event::Answered { turn, raw, .. } if *turn == wanted => {
            Some(StageReply::Answered(raw.clone()))
        }
        Event::Failed {
            turn: Some(turn),
            failure,
            ..
        } if *turn == wanted => Some(StageReply::Failed(failure.clone())),
        _ => None,
    }
}

/// Whether a reply is the answer to this turn.
pub(crate) fn check_order(judge: &str, turn: TurnId, reply: &StageReply) -> Result<(), String> {
    match reply {
        StageReply::Answered(raw) if raw.contains(&format!("key-{}\"", turn.0)) => Ok(()),
        StageReply::Answered(_) => Err(format!(
            "the answer of {judge} does not echo the key of turn {}",
            turn.0
        )),
        StageReply::Failed(failure) => {
            Err(format!("{judge} did not answer turn {}: {failure}", turn.0))
        }
    }
}

/// A refusal at once, in the words of one that comes as an event.
fn refusal_of(error: &BackendError) -> Failure {
    let kind = match error {
        BackendError::Unsupported(_) => FailureKind::Unsupported,
        _ => FailureKind::Died,
    };
    Failure::new(kind, error.to_string())
}

/// What holds for the events of every session.
fn check_law(events: &[Event]) -> Result<(), String> {
    match events
        .iter()
        .position(|e| matches!(e, Event::Opened { .. }))
    {
        Some(at)
            if events[..at]
                .iter()
                .all(|e| matches!(e, Event::Error { .. })) => {}
        _ => return Err("`opened` did not come first".into()),
    }
    if events.iter().filter(|e| matches!(e, Event::Closed)).count() != 1
        || events.last() != Some(&Event::Closed)
    {
        return Err("`closed` did not come last and once".into());
    }
    for event in events {
        match event {
            Event::Answered { judge, turn, .. }
            | Event::Failed {
                judge,
                turn: Some(turn),
                ..
            } => {
                let outcomes = events.iter().filter_map(|e| reply_of(e, *turn)).count();
                if outcomes != 1 {
                    return Err(format!(
                        "turn {} of {judge} has {outcomes} outcomes",
                        turn.0
                    ));
                }
            }
            Event::Started { judge, .. } => once_each(events, judge)?,
            _ => {}
        }
    }
    Ok(())
}

fn once_each(events: &[Event], judge: &JudgeId) -> Result<(), String> {
    let starts = events
        .iter()
        .filter(|e| matches!(e, Event::Started { judge: j, .. } if j == judge))
        .count();
    let ends = events
        .iter()
        .filter(|e| matches!(e, Event::Ended { judge: j, .. } if j == judge))
        .count();
    if (starts, ends) == (1, 1) {
        Ok(())
    } else {
        Err(format!(
            "{judge} was started {starts} times and ended {ends} times"
        ))
    }
}
