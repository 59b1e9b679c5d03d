//! One side of a duel: looks at the file, asks the agent when it is its turn, appends in one write.

mod file;
#[cfg(test)]
mod tests;

use std::io;

use council_agents::{AgentReply, SeatedJudge, StopSignal};
use council_protocol::{
    Answer, Failure, FailureKind, Millis, RoundNumber, Task, Turn, TurnId, Vote,
};
use council_secrets::Redactor;

use crate::council::extract::{self, ExpectedEcho};
use crate::council::objects_beyond;
use crate::duel::protocol::ledger::{ByteLedger, LedgerBreach};
use crate::duel::protocol::render::{self, SectionDraft};
use crate::duel::protocol::side::{DuelSide, SideMove, is_settled};
use crate::duel::protocol::speak;
use crate::duel::protocol::transcript::{DebateTranscript, SectionKind};
use crate::duel::protocol::{DuelEnding, DuelRole};
use crate::duel::subject::DuelSubject;
use crate::duel::verdict::UnheardReply;

pub(crate) use file::{DuelFile, DuelFileOnDisk, MAX_TRANSCRIPT_BYTES, ReportedFile};

/// A duel's sections are turns of one conversation: to the agent it is one round.
const ROUND: RoundNumber = RoundNumber::FIRST;

/// How one side plays.
#[derive(Debug, Clone)]
pub(crate) struct DuelSeat {
    /// Which side; fixed for the run.
    pub role: DuelRole,
    /// The file's name in messages.
    pub file: String,
    /// What it argues over.
    pub subject: DuelSubject,
    /// The name in our signatures.
    pub tool: String,
    /// Pause between two looks at the file (5 s by default), in milliseconds.
    pub poll_ms: Millis,
    /// How long the other side may take (600 s by default), in milliseconds.
    pub timeout_ms: Millis,
    /// How long our own agent may take for a section, in milliseconds.
    pub agent_timeout_ms: Millis,
    /// The one-time key that our agent's answers must echo.
    pub key: String,
    /// Takes secrets out of what is written: the file lies in the worktree, and strangers read it.
    pub(crate) redactor: Redactor,
}

/// Renders the text of a task for an agent that reads text; one that reads the task itself gets an empty prompt. An error is
/// a template of the user's that cannot be rendered.
pub(crate) type RenderPrompt<'a> = &'a dyn Fn(&Task, &str) -> Result<String, String>;

/// Watches what the turns of a side cost.
pub(crate) trait TurnMeter {
    /// Asked before each turn, and says in it what it may cost. An error: the turn is not to be asked for.
    fn before_turn(&mut self, turn: &mut Turn) -> Result<(), Failure>;

    /// What became of it.
    fn after_turn(&mut self, turn: &Turn, reply: &Result<AgentReply, Failure>);

    /// A reply that does not count objected to something, and the answer in its place does not.
    fn unheard(&mut self, reply: UnheardReply);
}

/// How a side's run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DuelFinished {
    /// The debate is over.
    Concluded {
        ending: DuelEnding,
        /// The file as it was when nobody had broken it yet.
        text: String,
        /// Who broke it, in words.
        breach: Option<LedgerBreach>,
    },
    /// The file never came (B), and nothing was written.
    NoFile,
}

/// Why a side could not go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DuelError {
    /// A finished debate lies where a new one should begin.
    #[error("{file} holds a concluded debate: move it away, or name another file with `--file`")]
    Concluded { file: String },
    /// Somebody speaks for our side already.
    #[error(
        "{file} has words of {role} that this process did not write: another process plays that side, or did"
    )]
    Taken { file: String, role: DuelRole },
    /// The debate is about something else than this side has read.
    #[error("{file}: {other}")]
    OtherSubject {
        file: String,
        /// How the two differ.
        other: String,
    },
    /// The file could not be read or written.
    #[error("cannot use {file}: {cause}")]
    File {
        file: String,
        /// What the system said.
        cause: io::Error,
    },
    /// Our own agent gave no answer that can be used; nothing is written in its place.
    #[error("the agent of {role} gave no section: {failure}")]
    Agent { role: DuelRole, failure: Failure },
    /// The run was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Plays one side to the end. `told` hears each section's heading as it is written (`-v`); nothing else is said before
/// the end.
pub(crate) fn play_side(
    seat: &DuelSeat,
    sitting: &mut SeatedJudge,
    prompt: RenderPrompt<'_>,
    desk: &mut dyn DuelFile,
    stop: &StopSignal,
    meter: &mut dyn TurnMeter,
    told: &mut dyn FnMut(&str),
) -> Result<DuelFinished, DuelError> {
    let mut side = DuelSide::new(seat.role, seat.timeout_ms, desk.now());
    let mut guarded = GuardedFile {
        seat,
        desk,
        ledger: ByteLedger::new(seat.role),
    };
    let mut voice = DuelAgent {
        seat,
        sitting,
        prompt,
        stop,
        meter,
        review: None,
        turns: 0,
        lost: Vec::new(),
    };
    let mut first = true;
    loop {
        if stop.is_raised() {
            return Err(DuelError::Interrupted);
        }
        let bytes = guarded.read()?;
        match guarded.ledger.observe(bytes.as_deref()) {
            Ok(()) => {}
            Err(LedgerBreach::Forged { .. }) if first => {
                return Err(guarded.taken(bytes.as_deref()));
            }
            Err(breach) => return guarded.close_after_breach(bytes.as_deref(), breach, told),
        }
        let text = bytes
            .as_deref()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        match side.next_move(text.as_deref(), guarded.desk.now()) {
            SideMove::Stop { .. } if first => {
                let file = seat.file.clone();
                return Err(DuelError::Concluded { file });
            }
            SideMove::Stop { ending } => return Ok(guarded.concluded(ending, None)),
            SideMove::GiveUp => return Ok(DuelFinished::NoFile),
            SideMove::Wait => guarded.desk.pause(seat.poll_ms),
            SideMove::Close { ending } => {
                told(&SectionKind::Consensus.heading());
                let before = text.unwrap_or_default();
                let closing = render_closing(seat, guarded.desk, &before, ending);
                guarded.append(bytes.as_deref(), &closing)?;
            }
            SideMove::Speak { section, last } => {
                let before = text.unwrap_or_default();
                if let Some(other) = seat.subject.other_subject(&before) {
                    let file = seat.file.clone();
                    return Err(DuelError::OtherSubject { file, other });
                }
                told(&section.heading());
                let addition = voice.write_section(guarded.desk, &before, section, last)?;
                // Refused when the file has changed meanwhile: then the next look decides anew.
                guarded.append(bytes.as_deref(), &addition)?;
            }
        }
        first = false;
    }
}

/// The file with what this process knows of it.
struct GuardedFile<'a> {
    seat: &'a DuelSeat,
    desk: &'a mut dyn DuelFile,
    ledger: ByteLedger,
}

impl GuardedFile<'_> {
    fn read(&mut self) -> Result<Option<Vec<u8>>, DuelError> {
        self.desk.read().map_err(|cause| self.failed(cause))
    }

    fn append(&mut self, expected: Option<&[u8]>, addition: &str) -> Result<(), DuelError> {
        let appended = self.desk.append_if_unchanged(expected, addition);
        if appended.map_err(|cause| self.failed(cause))? {
            let before = expected.unwrap_or_default();
            self.ledger.record_append(before, addition.as_bytes());
        }
        Ok(())
    }

    fn failed(&self, cause: io::Error) -> DuelError {
        DuelError::File {
            file: self.seat.file.clone(),
            cause,
        }
    }

    /// A file that is over is refused as such, whoever spoke in it.
    fn taken(&self, bytes: Option<&[u8]>) -> DuelError {
        let (file, role) = (self.seat.file.clone(), self.seat.role);
        let text = String::from_utf8_lossy(bytes.unwrap_or_default());
        if DebateTranscript::parse(&text).is_concluded() {
            DuelError::Concluded { file }
        } else {
            DuelError::Taken { file, role }
        }
    }

    /// Ends a duel whose file was broken: with a closing where there is none yet, and a file to write it to.
    fn close_after_breach(
        &mut self,
        bytes: Option<&[u8]>,
        breach: LedgerBreach,
        told: &mut dyn FnMut(&str),
    ) -> Result<DuelFinished, DuelError> {
        if let Some(bytes) = bytes {
            let text = String::from_utf8_lossy(bytes);
            if !DebateTranscript::parse(&text).is_concluded() {
                told(&SectionKind::Consensus.heading());
                let closing = render_closing(self.seat, self.desk, &text, DuelEnding::Violation);
                let appended = self.desk.append_if_unchanged(Some(bytes), &closing);
                appended.map_err(|cause| self.failed(cause))?;
            }
        }
        Ok(self.concluded(DuelEnding::Violation, Some(breach)))
    }

    fn concluded(&self, ending: DuelEnding, breach: Option<LedgerBreach>) -> DuelFinished {
        DuelFinished::Concluded {
            ending,
            text: self.ledger.known_text().unwrap_or_default(),
            breach,
        }
    }
}

fn render_own_signature(seat: &DuelSeat, desk: &dyn DuelFile) -> String {
    render::render_signature(seat.role, &seat.tool, &desk.signature_time())
}

fn render_closing(seat: &DuelSeat, desk: &dyn DuelFile, text: &str, ending: DuelEnding) -> String {
    let sign = render_own_signature(seat, desk);
    end_of_fence(text) + &speak::draft_closing(seat.role, text, ending, &sign)
}

/// What closes a code fence that the other side left open: a closing inside of it would be nobody's, and the duel had no end.
fn end_of_fence(text: &str) -> String {
    let transcript = DebateTranscript::parse(text);
    let open = transcript.sections.last().and_then(|last| last.open_fence);
    let line = open.and_then(|line| text.lines().nth((line as usize).checked_sub(1)?));
    let mark = line.map(str::trim_start).unwrap_or_default();
    let sign = mark.chars().next().unwrap_or('`');
    let fence: String = mark.chars().take_while(|c| *c == sign).collect();
    match open {
        Some(_) => format!("\n{fence}\n"),
        None => String::new(),
    }
}

/// Our own agent: one review of the subject, then a section each time.
struct DuelAgent<'a> {
    seat: &'a DuelSeat,
    sitting: &'a mut SeatedJudge,
    prompt: RenderPrompt<'a>,
    stop: &'a StopSignal,
    meter: &'a mut dyn TurnMeter,
    review: Option<Answer>,
    turns: u32,
    /// Replies to the question that is open which do not count.
    lost: Vec<String>,
}

impl DuelAgent<'_> {
    fn write_section(
        &mut self,
        desk: &dyn DuelFile,
        text: &str,
        section: SectionKind,
        last: bool,
    ) -> Result<String, DuelError> {
        let review = match self.review.take() {
            Some(review) => review,
            None => self.ask_with_mending(Task::Review)?,
        };
        self.review = Some(review.clone());
        let role = self.seat.role;
        let answer = match section {
            SectionKind::Opening => None,
            _ => Some(self.ask_for_replies(speak::build_task(role, section, text))?),
        };
        let speech: SectionDraft =
            speak::draft_section(role, text, section, &review, answer.as_ref());
        let head = if section == SectionKind::Opening {
            render::render_head(&self.seat.subject.title())
        } else {
            String::new()
        };
        let sign = render_own_signature(self.seat, desk);
        let written = render::render_section(section, &speech, &sign);
        let mut out = head + &self.seat.redactor.redact_words(&written).text;
        if last {
            let whole = format!("{text}{out}");
            let ending = if is_settled(&DebateTranscript::parse(&whole)) {
                DuelEnding::Consensus
            } else {
                DuelEnding::Limit
            };
            out += &render_closing(self.seat, desk, &whole, ending);
        }
        Ok(out)
    }

    /// An answer to the other side. One that leaves points uncategorised is sent back once, and counts if no better one comes.
    fn ask_for_replies(&mut self, task: Task) -> Result<Answer, DuelError> {
        let answer = self.ask_with_mending(task.clone())?;
        let missing = speak::unanswered_points(&task, &answer);
        if missing.is_empty() {
            return Ok(answer);
        }
        let error = format!(
            "responses: nothing is said of {}; each point is agreed, partially_agreed or disagreed",
            missing.join(", ")
        );
        let form = task.form();
        let again = self.run_turn(Task::Mend { error, form }).ok();
        let better = |again: &Answer| speak::unanswered_points(&task, again).len() < missing.len();
        let (kept, other) = match again {
            Some(again) if better(&again) => (again, Some(answer)),
            again => (answer, again),
        };
        let other = other.and_then(|other| serde_json::to_string(&other).ok());
        self.lost.extend(other);
        self.tell_unheard(&kept);
        Ok(kept)
    }

    /// What was said in replies that do not count stays known, unless the answer that does says it again.
    fn tell_unheard(&mut self, counted: &Answer) {
        let key = &self.seat.key;
        for said in std::mem::take(&mut self.lost) {
            if objects_beyond(&said, key, counted) {
                self.meter.unheard(UnheardReply {
                    key: key.clone(),
                    said: self.seat.redactor.redact_words(&said).text,
                });
            }
        }
    }

    /// One turn, and once more with the exact error when the answer cannot be used.
    fn ask_with_mending(&mut self, task: Task) -> Result<Answer, DuelError> {
        let form = task.form();
        let first = self.run_turn(task);
        let answer = match first {
            Err(failure) if is_mendable(&failure) => self.run_turn(Task::Mend {
                error: failure.to_string(),
                form,
            }),
            other => other,
        };
        let answer = answer.map_err(|failure| {
            // No answer of it counts, so that none says it again.
            self.tell_unheard(&Answer::new(ROUND, self.seat.key.clone(), Vote::Pass));
            let role = self.seat.role;
            DuelError::Agent { role, failure }
        })?;
        self.tell_unheard(&answer);
        Ok(answer)
    }

    fn run_turn(&mut self, task: Task) -> Result<Answer, Failure> {
        self.turns += 1;
        let prompt = (self.prompt)(&task, &self.seat.key)
            .map_err(|detail| Failure::new(FailureKind::Unsupported, detail))?;
        let mut turn = Turn {
            id: TurnId(self.turns),
            round: ROUND,
            key: self.seat.key.clone(),
            task,
            prompt,
            timeout_ms: self.seat.agent_timeout_ms,
            spend: None,
        };
        self.meter.before_turn(&mut turn)?;
        let mut reply = self.sitting.take_turn(&turn, self.stop);
        self.lost.extend(take_unread(&mut reply));
        self.meter.after_turn(&turn, &reply);
        let reply = reply?;
        let expected = ExpectedEcho {
            round: ROUND,
            key: &self.seat.key,
            judge: judge_name(self.seat.role),
            others: &[judge_name(self.seat.role.other())],
            is_foreign: &|_| false,
        };
        let answer = extract::extract_answer(&reply.raw, expected);
        if answer.is_err() {
            self.lost.push(reply.raw);
        }
        answer
    }
}

/// What was cut off, or replaced by what another model said, before a turn was over.
fn take_unread(reply: &mut Result<AgentReply, Failure>) -> Vec<String> {
    let usage = match reply {
        Ok(reply) => reply.usage.as_mut(),
        Err(failure) => failure.usage.as_deref_mut(),
    };
    usage
        .map(|usage| std::mem::take(&mut usage.unread))
        .unwrap_or_default()
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
pub(crate) fn judge_name(role: DuelRole) -> &'static str {
    match role {
        DuelRole::A => "judge-a",
        DuelRole::B => "judge-b",
    }
}
