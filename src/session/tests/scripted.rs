//! Judges that say what a script says.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use council_protocol::capability::Capability;
use council_protocol::message::{Ending, Hello, Manifest};
use council_protocol::{
    Answer, Backend, BackendError, Event, Failure, FailureKind, JudgeId, JudgeSpec, Limits,
    Message, PROTOCOL_VERSION, Sink, Task, Turn, TurnId, Vote,
};

/// What a judge does with a turn.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    Vote(Vote),
    Say(Box<Answer>),
    /// So many milliseconds later.
    Later(u64, Box<Self>),
    Raw(&'static str),
    Hang,
    Die,
    /// These events, as they are.
    Events(Vec<Event>),
}

pub(super) type Script = Arc<dyn Fn(&str, &Turn) -> Deed + Send + Sync>;

/// What happened outside, in order: calls of backends, writes of the disk.
pub(super) type Diary = Arc<Mutex<Vec<String>>>;

/// Every turn that was sent, in order.
pub(super) type Asked = Arc<Mutex<Vec<(JudgeId, TurnId)>>>;

/// How a backend behaves beside its judges.
#[derive(Debug, Clone, Default)]
pub(super) struct Manners {
    pub(super) seats_nobody: bool,
    pub(super) refuses_spawn: bool,
    pub(super) never_seats: BTreeSet<&'static str>,
    pub(super) ignores_shutdown: BTreeSet<&'static str>,
    pub(super) closes_on_turn: bool,
    /// Chairs that there are.
    pub(super) no_more_than: Option<usize>,
}

pub(super) struct Scripted {
    pub(super) name: &'static str,
    pub(super) script: Script,
    pub(super) asked: Asked,
    pub(super) manners: Manners,
    pub(super) diary: Diary,
    pub(super) sink: Option<Sink>,
}

impl Scripted {
    fn emit(&self, event: Event) {
        self.sink.as_ref().expect("open")(event);
    }

    fn note(&self, line: String) {
        self.diary
            .lock()
            .unwrap()
            .push(format!("{} {line}", self.name));
    }

    fn act(&self, judge: &JudgeId, turn: &Turn, deed: Deed) {
        let (judge, id) = (judge.clone(), turn.id);
        let answered = |raw: String| Event::Answered {
            judge: judge.clone(),
            turn: id,
            raw,
            usage: None,
        };
        match deed {
            Deed::Vote(vote) => {
                self.act(&judge, turn, Deed::Say(Box::new(Answer::new(1, "", vote))))
            }
            Deed::Say(mut answer) => {
                (answer.round, answer.key) = (turn.round, turn.key.clone());
                self.emit(answered(serde_json::to_string(&answer).unwrap()));
            }
            Deed::Raw(raw) => self.emit(answered(raw.to_owned())),
            Deed::Hang => {}
            Deed::Die => {
                let failure = Failure::new(FailureKind::Died, "killed");
                self.emit(Event::Failed {
                    judge: judge.clone(),
                    turn: Some(id),
                    failure,
                });
                let ending = Ending::Died;
                self.emit(Event::Ended { judge, ending });
            }
            Deed::Events(events) => events.into_iter().for_each(|event| self.emit(event)),
            Deed::Later(ms, deed) => {
                let (later, turn) = (self.again(), turn.clone());
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    later.act(&judge, &turn, *deed);
                });
            }
        }
    }

    fn again(&self) -> Self {
        Self {
            name: self.name,
            script: Arc::clone(&self.script),
            asked: Arc::clone(&self.asked),
            manners: self.manners.clone(),
            diary: Arc::clone(&self.diary),
            sink: self.sink.clone(),
        }
    }
}

impl Backend for Scripted {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: self.name.into(),
            version: "1".into(),
            protocols: vec![PROTOCOL_VERSION],
            capabilities: Capability::known().collect(),
            limits: Limits::default(),
        }
    }

    fn open(&mut self, _: Hello, sink: Sink) -> Result<(), BackendError> {
        self.sink = Some(sink);
        self.emit(Event::Opened {
            protocol: PROTOCOL_VERSION,
        });
        Ok(())
    }

    fn spawn(&mut self, spec: JudgeSpec) -> Result<(), BackendError> {
        let judge = spec.seat.judge;
        self.note(format!("spawn {judge}"));
        if let Some(room) = &spec.room {
            self.note(format!("room {judge} {}", room.display()));
        }
        let spawn = format!("{} spawn ", self.name);
        let seated = self.diary.lock().unwrap();
        let seated = seated.iter().filter(|l| l.starts_with(&spawn)).count();
        if self.manners.no_more_than.is_some_and(|most| seated > most) {
            return Err(BackendError::Other("no more chairs".into()));
        }
        if self.manners.refuses_spawn {
            return Err(BackendError::Other("no more chairs".into()));
        }
        if self.manners.seats_nobody {
            let failure = Failure::new(FailureKind::Spawn, "no chair");
            let turn = None;
            self.emit(Event::Failed {
                judge,
                turn,
                failure,
            });
        } else if !self.manners.never_seats.contains(judge.as_str()) {
            self.emit(Event::Started { judge, pid: None });
        }
        Ok(())
    }

    fn send(&mut self, message: Message) -> Result<(), BackendError> {
        let Message::Turn { judge, turn } = message else {
            return Ok(());
        };
        let task = match turn.task {
            Task::Review => "review",
            Task::Debate { .. } => "debate",
            Task::Mend { .. } => "mend",
            Task::Explored { .. } => "explored",
            Task::Explore { .. } => "explore",
            _ => "other",
        };
        self.note(format!("send {judge} {task}"));
        self.asked.lock().unwrap().push((judge.clone(), turn.id));
        if self.manners.closes_on_turn {
            self.emit(Event::Closed);
            return Err(BackendError::Closed);
        }
        let deed = (self.script)(judge.as_str(), &turn);
        self.act(&judge, &turn, deed);
        Ok(())
    }

    fn cancel(&mut self, judge: &JudgeId) -> Result<(), BackendError> {
        self.note(format!("cancel {judge}"));
        Ok(())
    }

    fn shutdown(&mut self, judge: &JudgeId, _: u64) -> Result<(), BackendError> {
        self.note(format!("shutdown {judge}"));
        if !self.manners.ignores_shutdown.contains(judge.as_str()) {
            let ending = Ending::Graceful;
            let judge = judge.clone();
            self.emit(Event::Ended { judge, ending });
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), BackendError> {
        self.note("close".into());
        Ok(())
    }
}
