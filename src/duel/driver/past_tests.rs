//! A side that was ended, and another process that goes on with it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use council_agents::{Agent, AgentReply, Conversation, JudgeMemory, SeatProbe};
use council_protocol::{CapabilitySet, JudgeSpec};

use super::tests::{AGREES, HOLDS, Scripted, Shared, Unmetered, ending, seat_of, spec};
use super::*;

/// What a side keeps, in memory.
#[derive(Default)]
pub(super) struct Notebook(std::cell::RefCell<Vec<SideLine>>);

impl Notebook {
    /// What whoever goes on reads of it.
    pub(super) fn past(&self) -> SidePast {
        let lines = self.0.borrow();
        let lines: Vec<Vec<u8>> = lines
            .iter()
            .map(|line| serde_json::to_vec(line).unwrap())
            .collect();
        SidePast::of_lines(lines.iter().map(Vec::as_slice))
    }
}

impl SideKeeper for Notebook {
    fn keep(&self, line: &SideLine) -> io::Result<()> {
        self.0.borrow_mut().push(line.clone());
        Ok(())
    }
}

/// An agent that counts how often it is asked.
struct Counted(Scripted, Arc<AtomicU64>);

impl Conversation for Counted {
    fn take_turn(&mut self, turn: &Turn, stop: &StopSignal) -> Result<AgentReply, Failure> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.take_turn(turn, stop)
    }
}

impl Agent for Counted {
    fn driver_name(&self) -> &'static str {
        "builtin"
    }

    fn capabilities(&self) -> CapabilitySet {
        CapabilitySet::default()
    }

    fn probe_seat(&self, _: &council_protocol::Seat) -> Result<SeatProbe, Failure> {
        Ok(SeatProbe::default())
    }

    fn open_conversation(&self, _: &JudgeSpec) -> Result<Box<dyn Conversation>, Failure> {
        Ok(Box::new(Self(self.0, Arc::clone(&self.1))))
    }
}

/// Plays A against a partner that holds every point, after an earlier process kept `lines` and left the file so. What it came
/// to, what it kept, and how often its agent was asked.
fn play_after(
    agent: Scripted,
    lines: &[SideLine],
    left: Option<String>,
) -> (DuelFinished, String, Vec<SideLine>, u64) {
    let lines: Vec<Vec<u8>> = lines
        .iter()
        .map(|line| serde_json::to_vec(line).unwrap())
        .collect();
    let past = SidePast::of_lines(lines.iter().map(Vec::as_slice));
    let known = past.known_file(Some(left.as_deref().unwrap_or_default().as_bytes()));
    let shared = Shared {
        text: Arc::new(Mutex::new(left)),
        tamper: Some(answer_as_b),
        ..Shared::default()
    };
    let notebook = Notebook::default();
    let mut desk = KeptFile::new(shared.clone(), Some(&notebook), known.bytes.clone());
    let asked = Arc::default();
    let counted: Arc<dyn Agent> = Arc::new(Counted(agent, Arc::clone(&asked)));
    let mut sitting = SeatedJudge::open(&counted, spec(), JudgeMemory::Kept).unwrap();
    let turns = SideTurns {
        sitting: &mut sitting,
        prompt: &|_, _| Ok(String::new()),
        stop: &StopSignal::default(),
        meter: &mut Unmetered,
        memory: SideMemory {
            past,
            known,
            keeper: Some(&notebook),
        },
    };
    let finished = play_side(&seat_of(DuelRole::A), turns, &mut desk, &mut |_| {}).unwrap();
    let text = shared.text.lock().unwrap().clone().unwrap();
    (
        finished,
        text,
        notebook.0.take(),
        asked.load(Ordering::SeqCst),
    )
}

/// A partner that answers whenever it is its turn.
fn answer_as_b(text: Option<String>) -> Option<String> {
    let text = text?;
    let count = |word: &str| text.matches(word).count();
    let theirs = count("## Opening") + count("## Follow-up");
    let own = count("## Response");
    if theirs <= own || text.contains("## CONSENSUS") {
        return Some(text);
    }
    let number = own + 1;
    Some(format!(
        "{text}\n## Response {number}\n- A1: Disagreed, it is fine\n\n*— Agent B, 2025-06-15T00:00:0{number}Z*\n"
    ))
}

/// A law: wherever a side is ended, whoever goes on with it comes to the same end, and no reply that was kept is asked for
/// again. What was about to be written may or may not stand in the file.
#[test]
fn a_side_goes_on_wherever_it_was_ended() {
    let forgets = Scripted {
        forgets: true,
        ..HOLDS
    };
    for agent in [HOLDS, AGREES, forgets] {
        let (whole, text, lines, asked) = play_after(agent, &[], None);
        let headings = |text: &str| text.matches("\n## ").count();
        for cut in 0..=lines.len() {
            let (before, lost) = (&lines[..cut], lines.len() - cut);
            let heard = |lines: &[SideLine]| {
                let heard = lines
                    .iter()
                    .filter(|line| matches!(line, SideLine::Heard(_)));
                heard.count() as u64
            };
            let bytes: Vec<Vec<u8>> = before
                .iter()
                .map(|line| serde_json::to_vec(line).unwrap())
                .collect();
            let past = SidePast::of_lines(bytes.iter().map(Vec::as_slice));
            let written = past.known_file(None).bytes;
            let unwritten = past.known_file(Some(b"")).bytes;
            for left in [written, unwritten] {
                let left = String::from_utf8(left).unwrap();
                let left = (!left.is_empty()).then_some(left);
                let (again, told, _, asked_again) = play_after(agent, before, left);
                assert_eq!(ending(&again), ending(&whole), "{lost} lines lost");
                assert_eq!(headings(&told), headings(&text), "{told}");
                assert_eq!(
                    heard(before) + asked_again,
                    asked,
                    "{lost} lines lost: {told}"
                );
            }
        }
    }
}
