//! One side of a duel: looks at the file, asks the agent when it is its turn, appends in one write.

mod agent;
mod file;
mod past;
#[cfg(test)]
mod past_tests;
#[cfg(test)]
mod rewritten_tests;
#[cfg(test)]
mod tests;

use std::io;

use council_agents::{AgentReply, SeatedJudge, StopSignal};
use council_protocol::{Failure, Millis, Task, Turn};
use council_secrets::Redactor;

use crate::duel::protocol::ledger::{ByteLedger, LedgerBreach};
use crate::duel::protocol::render;
use crate::duel::protocol::side::{DuelSide, SideMove};
use crate::duel::protocol::speak;
use crate::duel::protocol::transcript::{DebateTranscript, SectionKind};
use crate::duel::protocol::{DuelEnding, DuelRole};
use crate::duel::subject::DuelSubject;
use crate::duel::verdict::UnheardReply;

pub(crate) use file::{DuelFile, DuelFileOnDisk, MAX_TRANSCRIPT_BYTES, ReportedFile};
pub(crate) use past::{KEY_DIGITS, KeptFile, KnownFile, SideKeeper, SideLine, SidePast};

use agent::DuelAgent;
pub(crate) use agent::{heard_recommendation, heard_review};

/// How long a file that seems broken is left alone before it is read again, in milliseconds. Whoever writes a file anew leaves
/// it cut for microseconds; on a busy machine for tens of milliseconds.
const SETTLING_MS: Millis = 300;
/// How often, if it is something else each time.
const SETTLING_LOOKS: u32 = 10;

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
    /// What an agent said could not be kept: it would be paid for again.
    #[error("cannot keep what {role} says: {cause}")]
    Unkept {
        role: DuelRole,
        /// What the system said.
        cause: io::Error,
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

impl DuelError {
    /// Whether the side did not begin at all: nobody was asked, and nothing was written.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Concluded { .. } | Self::Taken { .. })
    }
}

/// How the agent of a side is asked.
pub(crate) struct SideTurns<'a> {
    pub(crate) sitting: &'a mut SeatedJudge,
    pub(crate) prompt: RenderPrompt<'a>,
    pub(crate) stop: &'a StopSignal,
    pub(crate) meter: &'a mut dyn TurnMeter,
    pub(crate) memory: SideMemory<'a>,
}

/// What a side knows of an earlier process that played it, and where it keeps what the next one has to know.
#[derive(Default)]
pub(crate) struct SideMemory<'a> {
    pub(crate) past: SidePast,
    pub(crate) known: KnownFile,
    /// None: this duel does not go on once it was ended.
    pub(crate) keeper: Option<&'a dyn SideKeeper>,
}

/// Plays one side to the end. `told` hears each section's heading as it is written (`-v`); nothing else is said before
/// the end.
pub(crate) fn play_side<'a>(
    seat: &'a DuelSeat,
    turns: SideTurns<'a>,
    desk: &mut dyn DuelFile,
    told: &mut dyn FnMut(&str),
) -> Result<DuelFinished, DuelError> {
    let mut side = DuelSide::new(seat.role, seat.timeout_ms, desk.now());
    let stop = turns.stop;
    let known = &turns.memory.known;
    // Whoever goes on finds its own words there, and perhaps an end that nobody has heard of yet.
    let mut first = known.bytes.is_empty();
    let mut guarded = GuardedFile {
        seat,
        desk,
        ledger: ByteLedger::after(seat.role, &known.bytes, &known.own),
    };
    if guarded.ledger.check_known().is_err() {
        return Err(guarded.taken(Some(&known.bytes)));
    }
    let mut voice = DuelAgent::new(seat, turns);
    loop {
        if stop.is_raised() {
            return Err(DuelError::Interrupted);
        }
        let bytes = match guarded.read_settled() {
            // Whoever puts something else in its place breaks the debate, and not the run of who was paid for it.
            Err(cause) if guarded.ledger.known_text().is_some() => {
                let cause = cause.to_string();
                let breach = LedgerBreach::Unreadable { cause };
                return Ok(guarded.concluded(DuelEnding::Violation, Some(breach)));
            }
            read => read.map_err(|cause| guarded.failed(cause))?,
        };
        if let Some(bytes) = &bytes {
            let kept = guarded.desk.keep_read(bytes);
            kept.map_err(|cause| guarded.failed(cause))?;
        }
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
    fn append(&mut self, expected: Option<&[u8]>, addition: &str) -> Result<(), DuelError> {
        let appended = match self.desk.append_if_unchanged(expected, addition) {
            // The next look says what became of the file.
            Err(_) if expected.is_some() && !self.still_is(expected) => false,
            appended => appended.map_err(|cause| self.failed(cause))?,
        };
        if appended {
            let before = expected.unwrap_or_default();
            self.ledger.record_append(before, addition.as_bytes());
        }
        Ok(())
    }

    /// The file's bytes. Most editors and agents write a file anew, and whoever looks meanwhile sees none or half of it: what
    /// would break the debate counts only once it holds still.
    fn read_settled(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut look = self.desk.read();
        for _ in 0..SETTLING_LOOKS {
            if self.may_be(&look) {
                break;
            }
            self.desk.pause(SETTLING_MS);
            let before = std::mem::replace(&mut look, self.desk.read());
            if before.ok() == look.as_ref().ok().cloned() {
                break;
            }
        }
        look
    }

    /// Whether a look at the file shows nothing that would break the debate.
    fn may_be(&self, look: &io::Result<Option<Vec<u8>>>) -> bool {
        let is_unknown = self.ledger.known_text().is_none();
        let fits = |bytes: &Option<Vec<u8>>| self.ledger.allows(bytes.as_deref());
        is_unknown || look.as_ref().is_ok_and(fits)
    }

    /// Whether the file is what it was at the last look.
    fn still_is(&mut self, expected: Option<&[u8]>) -> bool {
        let now = self.desk.read();
        now.is_ok_and(|now| now.as_deref() == expected)
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
                // What stands in its place may take nothing: the debate is broken all the same.
                let _ = self.desk.append_if_unchanged(Some(bytes), &closing);
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

/// The name of a side as a judge.
pub(crate) fn judge_name(role: DuelRole) -> &'static str {
    match role {
        DuelRole::A => "judge-a",
        DuelRole::B => "judge-b",
    }
}
