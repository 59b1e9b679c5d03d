//! A world is played: what its judges do reaches the engine in the order of the script, and what holds in every run is
//! checked on the way.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::message::Ending;
use council_protocol::{Failure, FailureKind, JudgeId, Millis, RoundNumber, Task, TurnId};

use super::says::reply;
use super::world::{Deed, World};
use crate::testing::search;
use crate::{Action, Council, Input, Outcome, TimerId};

/// A message on its way to the engine.
struct Event {
    at: Millis,
    input: Input,
}

/// A run as it goes.
pub(super) struct Play<'a> {
    world: &'a World,
    now: Millis,
    on_the_way: Vec<Event>,
    timers: BTreeMap<TimerId, Millis>,
    deeds: BTreeMap<JudgeId, usize>,
    /// What each was asked last, a complaint aside: asked again, it says the same again.
    asked: BTreeMap<JudgeId, Task>,
    spawned: BTreeSet<JudgeId>,
    started: BTreeSet<JudgeId>,
    gone: BTreeSet<JudgeId>,
    /// Their R1 was accepted.
    recorded: BTreeSet<JudgeId>,
    /// Nothing is left of them to end.
    ended: BTreeSet<JudgeId>,
    shut: BTreeSet<JudgeId>,
    open: BTreeMap<JudgeId, TurnId>,
    drawn: usize,
    /// How many tests were to be run.
    tested: usize,
    outcome: Option<Outcome>,
}

impl<'a> Play<'a> {
    pub(super) fn new(world: &'a World) -> Self {
        let mut play = Self {
            world,
            now: 0,
            on_the_way: Vec::new(),
            timers: BTreeMap::new(),
            deeds: BTreeMap::new(),
            asked: BTreeMap::new(),
            spawned: BTreeSet::new(),
            started: BTreeSet::new(),
            gone: BTreeSet::new(),
            recorded: BTreeSet::new(),
            ended: BTreeSet::new(),
            shut: BTreeSet::new(),
            open: BTreeMap::new(),
            drawn: 0,
            tested: 0,
            outcome: None,
        };
        if let Some((at, cause)) = world.cancel {
            play.post(at, Input::Cancel { cause });
        }
        play
    }

    pub(super) fn run(mut self) -> Outcome {
        let (mut council, actions) = Council::convene(self.world.plan.clone());
        self.perform(actions);
        for _ in 0..10_000 {
            let Some(input) = self.next() else { break };
            self.watch(&input);
            let actions = council.handle(input, self.now);
            self.perform(actions);
        }
        let outcome = self.outcome.take().expect("the council never concludes");
        assert!(council.is_over());
        outcome
    }

    /// Keeps in mind who is gone, and of whom nothing is left.
    fn watch(&mut self, input: &Input) {
        match input {
            Input::Started { judge } => {
                self.started.insert(judge.clone());
            }
            Input::Failed {
                judge, turn: None, ..
            } => {
                self.gone.insert(judge.clone());
                if !self.started.contains(judge) {
                    self.ended.insert(judge.clone());
                }
            }
            Input::Ended { judge, .. } => {
                self.gone.insert(judge.clone());
                self.ended.insert(judge.clone());
            }
            _ => {}
        }
    }

    /// A number of the script's disorder; 0 when it has run out.
    fn draw(&mut self) -> u8 {
        let drawn = self.world.disorder.get(self.drawn).copied().unwrap_or(0);
        self.drawn += 1;
        drawn
    }

    fn post(&mut self, after: u64, input: Input) {
        self.on_the_way.push(Event {
            at: self.now + after,
            input,
        });
    }

    /// The next message or deadline. Several at one moment come in any order, and some come twice.
    fn next(&mut self) -> Option<Input> {
        let message = self.on_the_way.iter().map(|e| e.at).min();
        let deadline = self.timers.iter().map(|(t, at)| (*at, *t)).min();
        match (message, deadline) {
            (Some(at), Some((due, timer))) if due < at => self.strike(due, timer),
            (None, Some((due, timer))) => self.strike(due, timer),
            (Some(at), _) => {
                self.now = self.now.max(at);
                let due: Vec<usize> = (0..self.on_the_way.len())
                    .filter(|&i| self.on_the_way[i].at <= at)
                    .collect();
                let drawn = usize::from(self.draw());
                let picked = due[drawn % due.len()];
                let input = self.on_the_way[picked].input.clone();
                if drawn % 7 != 6 {
                    self.on_the_way.remove(picked);
                } else {
                    // It comes again, later.
                    self.on_the_way[picked].at += 5;
                }
                Some(input)
            }
            (None, None) => None,
        }
    }

    fn strike(&mut self, due: Millis, timer: TimerId) -> Option<Input> {
        self.timers.remove(&timer);
        self.now = self.now.max(due);
        Some(Input::Deadline { timer })
    }

    fn perform(&mut self, actions: Vec<Action>) {
        for action in actions {
            assert!(self.outcome.is_none(), "after the end: {action:?}");
            match action {
                Action::Spawn { judge } => self.spawn(judge),
                Action::Send {
                    judge,
                    turn,
                    round,
                    key,
                    task,
                    timeout_ms,
                } => {
                    assert!(self.started.contains(&judge) && !self.shut.contains(&judge));
                    assert!(
                        !self.gone.contains(&judge),
                        "{judge} is gone and was sent {task:?}"
                    );
                    assert!(
                        round == 1 || self.recorded.contains(&judge),
                        "{judge} has no R1 and was sent {task:?}"
                    );
                    assert!(timeout_ms <= 200_000, "a turn without a bound");
                    assert_eq!(
                        self.open.insert(judge.clone(), turn),
                        None,
                        "two turns at once"
                    );
                    self.act(judge, turn, round, key, task);
                }
                Action::CancelTurn { judge } => {
                    if let Some(turn) = self.open.remove(&judge) {
                        let failure = Failure::new(FailureKind::Cancelled, "");
                        let input = Input::Failed {
                            judge,
                            turn: Some(turn),
                            failure,
                        };
                        self.post(3, input);
                    }
                }
                Action::Prove {
                    claim,
                    location,
                    quote,
                } if self.world.proves => {
                    let proof = search(location.line, &quote);
                    let context = if proof.resolves() {
                        quote
                    } else {
                        String::new()
                    };
                    self.post(
                        1,
                        Input::Proved {
                            claim,
                            proof,
                            context,
                            nearest: None,
                            function: None,
                            quoted: None,
                        },
                    );
                }
                Action::Reproduce { id, .. } => {
                    let result = self.world.results.get(self.tested).cloned();
                    self.tested += 1;
                    if let Some(result) = result {
                        let after = u64::from(self.draw()) * 20;
                        self.post(after, Input::Reproduced { id, result });
                    }
                }
                Action::SetDeadline { timer, at } => {
                    self.timers.insert(timer, at);
                }
                Action::Shutdown { judge, .. } => {
                    assert!(
                        self.shut.insert(judge.clone()),
                        "{judge} is shut down twice"
                    );
                    if self.world.scripts[&judge].obedient {
                        self.post(
                            2,
                            Input::Ended {
                                judge,
                                ending: Ending::Graceful,
                            },
                        );
                    }
                }
                Action::Record {
                    judge,
                    round: RoundNumber::FIRST,
                    ..
                } => {
                    self.recorded.insert(judge);
                }
                Action::Conclude { outcome } => self.conclude(*outcome),
                _ => {}
            }
        }
    }

    fn spawn(&mut self, judge: JudgeId) {
        assert!(
            self.spawned.insert(judge.clone()),
            "{judge} is spawned twice"
        );
        if self.world.scripts[&judge].seated {
            self.post(0, Input::Started { judge });
        } else {
            let failure = Failure::new(FailureKind::Spawn, "no");
            self.post(
                0,
                Input::Failed {
                    judge,
                    turn: None,
                    failure,
                },
            );
        }
    }

    fn conclude(&mut self, outcome: Outcome) {
        for judge in &self.spawned {
            let ended = self.shut.contains(judge) || self.ended.contains(judge);
            assert!(ended, "{judge} was never shut down");
        }
        self.outcome = Some(outcome);
    }

    fn act(&mut self, judge: JudgeId, turn: TurnId, round: RoundNumber, key: String, task: Task) {
        let task = match task {
            Task::Mend { .. } => self.asked.get(&judge).cloned().unwrap_or(task),
            other => {
                self.asked.insert(judge.clone(), other.clone());
                other
            }
        };
        let count = self.deeds.entry(judge.clone()).or_insert(0);
        let script = &self.world.scripts[&judge];
        let deed = script.deeds.get(*count).copied().unwrap_or(Deed::Answer);
        *count += 1;
        let answer = || reply(&judge, script, round, &key, &task);
        let said = |raw: String| Input::Answered {
            judge: judge.clone(),
            turn,
            raw: raw.into(),
            usage: None,
        };
        let lost = |kind| Failure::new(kind, "so it goes");
        match deed {
            Deed::Answer => self.post(10, said(answer())),
            Deed::Slowly(ms) => self.post(ms, said(answer())),
            Deed::Silence => return,
            Deed::Babble => self.post(10, said("Looks good to me: PASS!".into())),
            Deed::Forge => self.post(10, said(answer().replace(&key, "0000"))),
            Deed::Refuse => {
                let failure = lost(FailureKind::Refused);
                self.post(
                    10,
                    Input::Failed {
                        judge: judge.clone(),
                        turn: Some(turn),
                        failure,
                    },
                );
            }
            Deed::Die => {
                let failure = lost(FailureKind::Died);
                self.post(
                    10,
                    Input::Failed {
                        judge: judge.clone(),
                        turn: None,
                        failure,
                    },
                );
            }
            Deed::Leave => {
                if self.draw().is_multiple_of(2) {
                    self.post(10, said(answer()));
                }
                self.post(
                    10,
                    Input::Ended {
                        judge: judge.clone(),
                        ending: Ending::Died,
                    },
                );
            }
        }
        self.open.remove(&judge);
    }
}
