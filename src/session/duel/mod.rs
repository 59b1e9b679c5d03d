//! Seed 004, one side: looks at the file, asks the agent when it is its turn, appends in one write.

mod desk;
#[cfg(test)]
mod tests;

use std::io;

use council_agents::{Sitting, Stop};
use council_protocol::{Answer, Failure, FailureKind, Millis, Task, Turn, TurnId};

use crate::council::duel::render::{self, Speech};
use crate::council::duel::side::{Move, Side};
use crate::council::duel::speak;
use crate::council::duel::transcript::SectionKind;
use crate::council::duel::{Ending, Role};
use crate::council::extract::{self, Expected};

pub use desk::{Desk, FileDesk, MAX_BYTES};

/// A duel's sections are turns of one conversation: to the agent it is one round.
const ROUND: u8 = 1;

/// How one side plays.
#[derive(Debug, Clone)]
pub struct Seat {
    /// Which side; fixed for the run.
    pub role: Role,
    /// What stands behind `# Code Debate: `.
    pub subject: String,
    /// The name in our signatures.
    pub tool: String,
    /// Pause between two looks at the file (seed 004: 5 s), in milliseconds.
    pub poll_ms: Millis,
    /// How long the other side may take (seed 004: 600 s), in milliseconds.
    pub timeout_ms: Millis,
    /// How long our own agent may take for a section, in milliseconds.
    pub agent_timeout_ms: Millis,
    /// The one-time key that our agent's answers must echo.
    pub key: String,
}

/// Renders the text of a task for an agent that reads text; one that reads the task itself gets an empty prompt. An error is
/// a template of the user's that cannot be rendered.
pub type Prompt<'a> = &'a dyn Fn(&Task, &str) -> Result<String, String>;

/// How a side's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finished {
    /// A CONSENSUS stands in the file.
    Concluded(Ending),
    /// The file never came (B), and nothing was written.
    NoFile,
}

/// Why a side could not go on.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// A finished debate lies where a new one should begin.
    #[error("{file} holds a concluded debate: move it away, or name another file with `--file`")]
    Concluded {
        /// The file.
        file: String,
    },
    /// The file could not be read or written.
    #[error("cannot use {file}: {cause}")]
    File {
        /// The file.
        file: String,
        /// What the system said.
        cause: io::Error,
    },
    /// Our own agent gave no answer that can be used; nothing is written in its place.
    #[error("the agent of {role} gave no section: {failure}")]
    Agent {
        /// Which side.
        role: Role,
        /// Why.
        failure: Failure,
    },
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Plays one side to the end. `told` hears each section's heading as it is written (`-v`); nothing else is said before
/// the end (seed 004, "Hard Exit Gate").
pub fn play(
    seat: &Seat,
    sitting: &mut Sitting,
    prompt: Prompt<'_>,
    desk: &mut dyn Desk,
    stop: &Stop,
    told: &mut dyn FnMut(&str),
) -> Result<Finished, DuelError> {
    let file = |cause| DuelError::File {
        file: desk_name(seat),
        cause,
    };
    let mut side = Side::new(seat.role, seat.timeout_ms, desk.now());
    let mut voice = Voice {
        seat,
        sitting,
        prompt,
        stop,
        review: None,
        turns: 0,
    };
    let mut first = true;
    loop {
        if stop.is_raised() {
            return Err(DuelError::Interrupted);
        }
        let text = desk.read().map_err(file)?;
        let next = side.look(text.as_deref(), desk.now());
        match next {
            Move::Stop { .. } if first => {
                return Err(DuelError::Concluded {
                    file: desk_name(seat),
                });
            }
            Move::Stop { ending } => return Ok(Finished::Concluded(ending)),
            Move::GiveUp => return Ok(Finished::NoFile),
            Move::Wait => desk.pause(seat.poll_ms),
            Move::Close { ending } => {
                told(&SectionKind::Consensus.heading());
                let before = text.unwrap_or_default();
                desk.append(Some(&before), &close(seat, desk, &before, ending))
                    .map_err(file)?;
            }
            Move::Speak { section, last } => {
                told(&section.heading());
                let addition =
                    voice.section(desk, text.as_deref().unwrap_or_default(), section, last)?;
                // Refused when the file has changed meanwhile: then the next look decides anew.
                desk.append(text.as_deref(), &addition).map_err(file)?;
            }
        }
        first = false;
    }
}

fn desk_name(_: &Seat) -> String {
    "DEBATE.md".to_owned()
}

fn sign(seat: &Seat, desk: &dyn Desk) -> String {
    render::sign(seat.role, &seat.tool, &desk.timestamp())
}

fn close(seat: &Seat, desk: &dyn Desk, text: &str, ending: Ending) -> String {
    let (settled, open) = speak::score(text);
    render::consensus(ending, &settled, &open, &sign(seat, desk))
}

/// Our own agent: one review of the subject, then a section each time.
struct Voice<'a> {
    seat: &'a Seat,
    sitting: &'a mut Sitting,
    prompt: Prompt<'a>,
    stop: &'a Stop,
    review: Option<Answer>,
    turns: u32,
}

impl Voice<'_> {
    fn section(
        &mut self,
        desk: &dyn Desk,
        text: &str,
        section: SectionKind,
        last: bool,
    ) -> Result<String, DuelError> {
        let review = match self.review.take() {
            Some(review) => review,
            None => self.ask(Task::Review)?,
        };
        self.review = Some(review.clone());
        let role = self.seat.role;
        let answer = match section {
            SectionKind::Opening => None,
            _ => Some(self.reply(speak::task(role, section, text))?),
        };
        let speech: Speech = speak::speech(role, text, section, &review, answer.as_ref());
        let head = if section == SectionKind::Opening {
            render::head(&self.seat.subject)
        } else {
            String::new()
        };
        let mut out = head + &render::section(section, &speech, &sign(self.seat, desk));
        if last {
            let whole = format!("{text}{out}");
            let ending = if speak::score(&whole).1.is_empty() {
                Ending::Consensus
            } else {
                Ending::Limit
            };
            out += &close(self.seat, desk, &whole, ending);
        }
        Ok(out)
    }

    /// An answer to the other side. One that leaves points uncategorised is sent back once, and counts if no better one comes.
    fn reply(&mut self, task: Task) -> Result<Answer, DuelError> {
        let answer = self.ask(task.clone())?;
        let missing = speak::unanswered(&task, &answer);
        if missing.is_empty() {
            return Ok(answer);
        }
        let error = format!(
            "responses: nothing is said of {}; each point is agreed, partially_agreed or disagreed",
            missing.join(", ")
        );
        let form = task.form();
        let again = self.turn(Task::Mend { error, form }).ok();
        let better = |again: &Answer| speak::unanswered(&task, again).len() < missing.len();
        Ok(again.filter(better).unwrap_or(answer))
    }

    /// One turn, and once more with the exact error when the answer cannot be used (3-debate.md, rule 11).
    fn ask(&mut self, task: Task) -> Result<Answer, DuelError> {
        let form = task.form();
        let first = self.turn(task);
        let answer = match first {
            Err(failure) if is_mendable(&failure) => self.turn(Task::Mend {
                error: failure.to_string(),
                form,
            }),
            other => other,
        };
        answer.map_err(|failure| DuelError::Agent {
            role: self.seat.role,
            failure,
        })
    }

    fn turn(&mut self, task: Task) -> Result<Answer, Failure> {
        self.turns += 1;
        let prompt = (self.prompt)(&task, &self.seat.key)
            .map_err(|detail| Failure::new(FailureKind::Unsupported, detail))?;
        let turn = Turn {
            id: TurnId(self.turns),
            round: ROUND,
            key: self.seat.key.clone(),
            task,
            prompt,
            timeout_ms: self.seat.agent_timeout_ms,
        };
        let reply = self.sitting.turn(&turn, self.stop)?;
        let expected = Expected {
            round: ROUND,
            key: &self.seat.key,
            judge: judge(self.seat.role),
            others: &[judge(self.seat.role.other())],
            is_foreign: &|_| false,
        };
        extract::answer(&reply.raw, expected)
    }
}

/// Whether asking again can help: the agent is there, but what it wrote cannot be used.
fn is_mendable(failure: &Failure) -> bool {
    use FailureKind as K;
    matches!(
        failure.kind,
        K::Empty | K::Prose | K::Malformed | K::Truncated | K::WrongRound | K::WrongKey
    )
}

/// The name of a side as a judge.
pub fn judge(role: Role) -> &'static str {
    match role {
        Role::A => "judge-a",
        Role::B => "judge-b",
    }
}
