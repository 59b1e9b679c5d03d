//! Explorers: one-shot helpers in the same backend as the judge that asks them (`--explorers`). The council never
//! hears of them, only of what they found.

use std::collections::BTreeMap;

use council_protocol::message::Usage;
use council_protocol::seat::Perspective;
use council_protocol::task::Explored;
use council_protocol::{
    Event, FailureKind, JudgeId, JudgeSpec, Message, Millis, Request, RoundNumber, Task, Turn,
    TurnId,
};

use super::drive::SessionState;
use crate::council::{Input, TimerId};

/// What is left of the explorers' time for their results to reach the judge: one part in so many.
const REPORT_MARGIN: Millis = 20;

/// The explorers of every judge that has asked for some.
#[derive(Debug, Default)]
pub(super) struct ExplorerPool {
    parties: BTreeMap<JudgeId, ExplorerGroup>,
    /// Turns and deadlines of explorers are numbered from the end, those of judges from the beginning.
    numbers: u32,
}

/// The explorers of one judge.
#[derive(Debug)]
struct ExplorerGroup {
    helpers: Vec<Explorer>,
    timer: TimerId,
    timeout_ms: u64,
    reported: bool,
}

#[derive(Debug)]
struct Explorer {
    id: JudgeId,
    turn: TurnId,
    question: String,
    state: ExplorerState,
    seated: bool,
    result: Option<String>,
    usage: Option<Usage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExplorerState {
    Called,
    /// It has its question.
    Asked,
    /// Nothing more is expected of it.
    Settled,
}

impl ExplorerPool {
    fn next_number(&mut self) -> u32 {
        self.numbers += 1;
        u32::MAX - self.numbers
    }

    /// The judge whose explorer this is, and which of them.
    fn find_explorer(&self, id: &JudgeId) -> Option<(JudgeId, usize)> {
        let mut parties = self.parties.iter();
        parties.find_map(|(judge, party)| {
            let at = party.helpers.iter().position(|helper| helper.id == *id)?;
            Some((judge.clone(), at))
        })
    }

    /// The judge whose explorers have to be back now.
    pub(super) fn due_judge(&self, timer: TimerId) -> Option<JudgeId> {
        let mut parties = self.parties.iter();
        let due = parties.find(|(_, party)| party.timer == timer)?;
        Some(due.0.clone())
    }
}

impl ExplorerGroup {
    /// What came back, once everybody is done.
    fn take_report(&mut self) -> Option<(Vec<Explored>, Option<Usage>)> {
        let done = self
            .helpers
            .iter()
            .all(|h| h.state == ExplorerState::Settled);
        if !done || std::mem::replace(&mut self.reported, true) {
            return None;
        }
        let results = self.helpers.iter_mut().map(|helper| Explored {
            question: helper.question.clone(),
            result: helper.result.take(),
        });
        let results = results.collect();
        Some((results, self.total_usage()))
    }

    /// What all of them cost; none where nobody says.
    fn total_usage(&self) -> Option<Usage> {
        let known = self.helpers.iter().filter_map(|h| h.usage.clone());
        known.reduce(|a, b| a.plus(&b))
    }
}

impl SessionState<'_> {
    /// Seats an explorer for each question.
    pub(super) fn seat_explorers(
        &mut self,
        judge: JudgeId,
        questions: Vec<String>,
        timeout_ms: u64,
    ) {
        let count = questions.len();
        self.log_line(format!("{judge} asked {count} explorers"));
        let timeout_ms = timeout_ms - timeout_ms / REPORT_MARGIN;
        let timer = TimerId(self.explorers.next_number());
        self.timers.insert(timer, self.council_ms() + timeout_ms);
        let helper = |(question, number): (String, usize)| Explorer {
            id: JudgeId(format!("{judge}-explorer-{number}")),
            turn: TurnId(self.explorers.next_number()),
            question,
            state: ExplorerState::Called,
            seated: false,
            result: None,
            usage: None,
        };
        let helpers: Vec<Explorer> = questions.into_iter().zip(1..).map(helper).collect();
        let ids: Vec<JudgeId> = helpers.iter().map(|helper| helper.id.clone()).collect();
        let party = ExplorerGroup {
            helpers,
            timer,
            timeout_ms,
            reported: false,
        };
        self.explorers.parties.insert(judge.clone(), party);
        for id in ids {
            self.seat_explorer(&judge, id);
        }
        self.report_explorers(&judge);
    }

    fn seat_explorer(&mut self, judge: &JudgeId, id: JudgeId) {
        let Some(mut seat) = self.find_seat(judge).map(|planned| planned.seat.clone()) else {
            return;
        };
        // It works where its judge does, whatever it is called.
        let room = self.setting.rooms.folder_for(&seat);
        seat.judge = id;
        seat.perspective = Perspective::default();
        if let Some(model) = self.explorer_model() {
            seat.agent.model = Some(model);
        }
        let reads = seat.agent.kind.reads_text();
        let prompter = self.setting.prompter.as_deref().filter(|_| reads);
        let spec = JudgeSpec {
            brief: prompter.map_or_else(|| "".into(), |prompter| prompter.render_brief(&seat)),
            room,
            seat,
            max_answer_bytes: self.setting.max_answer_bytes,
            proves: false,
        };
        self.call_backend(Request::Spawn { spec });
    }

    /// An event of an explorer; any other is given back.
    pub(super) fn on_explorer_event(&mut self, event: Event) -> Option<Event> {
        let id = match &event {
            Event::Started { judge, .. }
            | Event::Answered { judge, .. }
            | Event::Failed { judge, .. }
            | Event::Ended { judge, .. } => judge.clone(),
            _ => return Some(event),
        };
        let Some((judge, at)) = self.explorers.find_explorer(&id) else {
            return Some(event);
        };
        let most = self.setting.max_answer_bytes;
        let party = self.explorers.parties.get_mut(&judge)?;
        let helper = &mut party.helpers[at];
        match event {
            Event::Started { .. } => {
                helper.seated = true;
                if helper.state == ExplorerState::Called {
                    helper.state = ExplorerState::Asked;
                    self.question_explorer(&judge, at);
                } else {
                    self.end_explorer(&judge, at);
                }
            }
            Event::Answered {
                turn, raw, usage, ..
            } if helper.state == ExplorerState::Asked && helper.turn == turn => {
                helper.result = Some(raw).filter(|raw| raw.len() as u64 <= most);
                helper.usage = usage;
                helper.state = ExplorerState::Settled;
                self.end_explorer(&judge, at);
            }
            Event::Failed { failure, .. } if helper.state != ExplorerState::Settled => {
                helper.usage = failure.usage.as_deref().cloned();
                helper.state = ExplorerState::Settled;
                if failure.kind == FailureKind::Died {
                    helper.seated = false;
                }
                self.log_line(format!("{id} found nothing: {}", failure.in_words()));
                self.end_explorer(&judge, at);
            }
            Event::Ended { .. } => {
                helper.seated = false;
                helper.state = ExplorerState::Settled;
            }
            _ => {}
        }
        self.report_explorers(&judge);
        None
    }

    /// Their time is over: whoever is not back has found nothing.
    pub(super) fn recall_explorers(&mut self, judge: &JudgeId) {
        let helpers = self.explorers.parties.get(judge).map(|p| p.helpers.len());
        for at in 0..helpers.unwrap_or(0) {
            let Some(helper) = self.explorer_mut(judge, at) else {
                continue;
            };
            if std::mem::replace(&mut helper.state, ExplorerState::Settled)
                != ExplorerState::Settled
            {
                let id = helper.id.clone();
                self.log_line(format!("{id} found nothing in time"));
                self.end_explorer(judge, at);
            }
        }
        self.report_explorers(judge);
    }

    fn explorer_mut(&mut self, judge: &JudgeId, at: usize) -> Option<&mut Explorer> {
        self.explorers.parties.get_mut(judge)?.helpers.get_mut(at)
    }

    fn question_explorer(&mut self, judge: &JudgeId, at: usize) {
        let Some(party) = self.explorers.parties.get(judge) else {
            return;
        };
        let helper = &party.helpers[at];
        let (id, timeout_ms) = (helper.id.clone(), party.timeout_ms);
        let mut turn = Turn {
            id: helper.turn,
            round: RoundNumber::FIRST,
            key: String::new(),
            task: Task::Explore {
                question: helper.question.clone(),
            },
            prompt: String::new(),
            timeout_ms,
            spend: None,
        };
        let seat = self.find_seat(judge).map(|planned| &planned.seat);
        if let (Some(seat), Some(prompter)) = (seat, &self.setting.prompter) {
            match prompter.render_prompt(seat, &turn, 0) {
                Ok(prompt) => turn.prompt = prompt,
                Err(cause) => return self.give_up_explorer(judge, at, &cause),
            }
        }
        let message = Message::Turn { judge: id, turn };
        self.call_backend(Request::Send { message });
    }

    /// It was never asked: its question has no answer.
    fn give_up_explorer(&mut self, judge: &JudgeId, at: usize, cause: &str) {
        if let Some(helper) = self.explorer_mut(judge, at) {
            helper.state = ExplorerState::Settled;
            let id = helper.id.clone();
            self.log_line(format!("{id} was not asked: {cause}"));
        }
        self.end_explorer(judge, at);
        self.report_explorers(judge);
    }

    /// It was for one question: it ends as judges end.
    fn end_explorer(&mut self, judge: &JudgeId, at: usize) {
        let grace_ms = self.shutdown_ms();
        let Some(helper) = self.explorer_mut(judge, at).filter(|helper| helper.seated) else {
            return;
        };
        let judge = helper.id.clone();
        self.call_backend(Request::Shutdown { judge, grace_ms });
    }

    fn report_explorers(&mut self, judge: &JudgeId) {
        let Some(party) = self.explorers.parties.get_mut(judge) else {
            return;
        };
        let timer = party.timer;
        if let Some((results, usage)) = party.take_report() {
            self.timers.remove(&timer);
            let judge = judge.clone();
            self.queue_input(Input::Explored {
                judge,
                results,
                usage,
            });
        }
    }
}
