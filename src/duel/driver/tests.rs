//! Two sides of ours over a file in memory, on one thread each, with a clock that only moves when somebody pauses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use council_agents::{Agent, AgentReply, Conversation, JudgeMemory, SeatProbe};
use council_protocol::answer::{Response, Stance};
use council_protocol::seat::{AgentKind, AgentSpec, Perspective};
use council_protocol::{Answer, CapabilitySet, Finding, JudgeSpec, Location, Severity, Vote};
use council_secrets::Redactor;

use super::*;
use crate::duel::protocol::check::check_transcript;
use crate::duel::protocol::transcript::DebateTranscript;

#[derive(Clone, Default)]
pub(super) struct Shared {
    pub(super) text: Arc<Mutex<Option<String>>>,
    pub(super) clock: Arc<AtomicU64>,
    /// What this side has written.
    pub(super) own: Arc<Mutex<String>>,
    /// What somebody else does with the file before each look.
    pub(super) tamper: Option<fn(Option<String>) -> Option<String>>,
}

impl DuelFile for Shared {
    fn now(&self) -> Millis {
        self.clock.load(Ordering::SeqCst)
    }

    fn signature_time(&self) -> String {
        let seconds = self.now() / 1000;
        format!(
            "2025-06-15T{:02}:{:02}:{:02}Z",
            seconds / 3600 % 24,
            seconds / 60 % 60,
            seconds % 60
        )
    }

    fn pause(&mut self, ms: Millis) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
        thread::yield_now();
    }

    fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut text = self.text.lock().unwrap();
        if let Some(tamper) = self.tamper {
            *text = tamper(text.take());
        }
        Ok(text.clone().map(String::into_bytes))
    }

    fn append_if_unchanged(&mut self, expected: Option<&[u8]>, addition: &str) -> io::Result<bool> {
        let mut text = self.text.lock().unwrap();
        if text.as_deref().map(str::as_bytes) != expected {
            return Ok(false);
        }
        *text = Some(text.take().unwrap_or_default() + addition);
        self.own.lock().unwrap().push_str(addition);
        Ok(true)
    }
}

/// An agent that raises one point and answers everything with one stance.
#[derive(Clone, Copy)]
pub(super) struct Scripted {
    pub(super) line: u32,
    pub(super) stance: Stance,
    pub(super) broken: bool,
    /// It answers the other's points only when it is told that it has not.
    pub(super) forgets: bool,
}

impl Agent for Scripted {
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
        Ok(Box::new(*self))
    }
}

impl Conversation for Scripted {
    fn take_turn(&mut self, turn: &Turn, _: &StopSignal) -> Result<AgentReply, Failure> {
        let mut answer = Answer::new(1, turn.key.clone(), Vote::Warn);
        match &turn.task {
            Task::Duel { .. } if self.forgets => {}
            Task::Mend { error, .. } => {
                let reply = Response {
                    to: "A1".into(),
                    stance: self.stance,
                    reasoning: error.clone(),
                    evidence: None,
                };
                answer.responses = vec![reply];
            }
            Task::Duel {
                theirs, objections, ..
            } => {
                let to = theirs
                    .iter()
                    .map(|p| &p.id)
                    .chain(objections.iter().map(|o| &o.to));
                let reply = |to: &String| Response {
                    to: to.clone(),
                    stance: self.stance,
                    reasoning: "I looked".into(),
                    evidence: None,
                };
                answer.responses = to.map(reply).collect();
            }
            _ => answer.findings = vec![finding(self.line)],
        }
        let raw = if self.broken {
            "no".into()
        } else {
            serde_json::to_string(&answer).unwrap()
        };
        Ok(AgentReply { raw, usage: None })
    }
}

fn finding(line: u32) -> Finding {
    Finding {
        severity: Severity::Significant,
        category: String::new(),
        rule: None,
        description: "bad".into(),
        location: Location {
            path: "a.rs".into(),
            line,
            end_line: None,
        },
        quote: "let x = 1;".into(),
        why: "because".into(),
        fix: "mend".into(),
        suggestion: None,
        reference: None,
    }
}

pub(super) struct Unmetered;

impl TurnMeter for Unmetered {
    fn before_turn(&mut self, _: &mut Turn) -> Result<(), Failure> {
        Ok(())
    }

    fn after_turn(&mut self, _: &Turn, _: &Result<AgentReply, Failure>) {}

    fn unheard(&mut self, _: UnheardReply) {}
}

fn sitting(agent: Scripted) -> SeatedJudge {
    let agent: Arc<dyn Agent> = Arc::new(agent);
    SeatedJudge::open(&agent, spec(), JudgeMemory::Kept).unwrap()
}

pub(super) fn spec() -> JudgeSpec {
    let kind = AgentKind::Builtin {
        rules: Default::default(),
    };
    let agent_spec = AgentSpec {
        name: "t".into(),
        kind,
        vendor: "t".into(),
        model: None,
        deterministic: false,
    };
    let seat = council_protocol::Seat {
        judge: "judge-1".into(),
        perspective: Perspective::default(),
        agent: agent_spec,
    };
    JudgeSpec {
        seat,
        brief: "".into(),
        room: None,
        max_answer_bytes: 100_000,
        proves: false,
    }
}

pub(super) fn seat_of(role: DuelRole) -> DuelSeat {
    DuelSeat {
        role,
        file: "DEBATE.md".into(),
        subject: DuelSubject::named("HEAD"),
        tool: "test".into(),
        poll_ms: 10,
        timeout_ms: 600_000,
        agent_timeout_ms: 1_000,
        key: "k".into(),
        redactor: Redactor::default(),
    }
}

fn run(role: DuelRole, agent: Scripted, mut desk: Shared) -> Result<DuelFinished, DuelError> {
    run_over(role, agent, &mut desk)
}

pub(super) fn run_over(
    role: DuelRole,
    agent: Scripted,
    desk: &mut dyn DuelFile,
) -> Result<DuelFinished, DuelError> {
    let seat = seat_of(role);
    let prompt = |_: &Task, _: &str| Ok(String::new());
    let turns = SideTurns {
        sitting: &mut sitting(agent),
        prompt: &prompt,
        stop: &StopSignal::default(),
        meter: &mut Unmetered,
        memory: SideMemory::default(),
    };
    play_side(&seat, turns, desk, &mut |_| {})
}

fn duel(a: Scripted, b: Scripted) -> (DuelFinished, DuelFinished, String) {
    let desk = Shared::default();
    let other = desk.clone();
    let side = thread::spawn(move || run(DuelRole::B, b, other).unwrap());
    let first = run(DuelRole::A, a, desk.clone()).unwrap();
    let text = desk.text.lock().unwrap().clone().unwrap();
    (first, side.join().unwrap(), text)
}

/// How it ended; none: the file never came.
pub(super) fn ending(finished: &DuelFinished) -> Option<DuelEnding> {
    match finished {
        DuelFinished::Concluded { ending, .. } => Some(*ending),
        DuelFinished::NoFile => None,
    }
}

pub(super) const AGREES: Scripted = Scripted {
    line: 1,
    stance: Stance::Agreed,
    broken: false,
    forgets: false,
};
pub(super) const HOLDS: Scripted = Scripted {
    line: 50,
    stance: Stance::Disagreed,
    broken: false,
    forgets: false,
};

#[test]
fn two_sides_that_agree_end_in_consensus() {
    let (a, b, text) = duel(AGREES, AGREES);
    assert_eq!(
        (ending(&a), ending(&b)),
        (Some(DuelEnding::Consensus), Some(DuelEnding::Consensus))
    );
    assert_eq!(
        check_transcript(&DebateTranscript::parse(&text)),
        [],
        "{text}"
    );
    assert_eq!(text.matches("## CONSENSUS").count(), 1);
}

#[test]
fn two_sides_that_hold_end_at_the_limit() {
    let (a, b, text) = duel(Scripted { line: 1, ..HOLDS }, HOLDS);
    assert_eq!(
        (ending(&a), ending(&b)),
        (Some(DuelEnding::Limit), Some(DuelEnding::Limit))
    );
    assert_eq!(
        check_transcript(&DebateTranscript::parse(&text)),
        [],
        "{text}"
    );
    assert!(text.contains("## Response 6") && !text.contains("## Follow-up 6"));
    assert!(text.contains("Remaining disagreements: A1, B1"), "{text}");
}

#[test]
fn points_that_are_not_categorised_are_asked_for_once_more() {
    let forgets = Scripted {
        forgets: true,
        ..AGREES
    };
    let (.., text) = duel(AGREES, forgets);
    assert!(text.contains("nothing is said of A1"), "{text}");
    assert_eq!(
        check_transcript(&DebateTranscript::parse(&text)),
        [],
        "{text}"
    );
}

#[test]
fn no_side_writes_for_the_other() {
    let desk = Shared::default();
    let other = Shared {
        own: Arc::default(),
        ..desk.clone()
    };
    let theirs = Arc::clone(&other.own);
    let side = thread::spawn(move || run(DuelRole::B, HOLDS, other).unwrap());
    run(DuelRole::A, Scripted { line: 1, ..HOLDS }, desk.clone()).unwrap();
    side.join().unwrap();
    for (role, own, sections) in [
        (DuelRole::A, &desk.own, 1 + 5),
        (DuelRole::B, &theirs, 6 + 1),
    ] {
        let own = own.lock().unwrap();
        let sign = |role: DuelRole| own.matches(&format!("*— {role}")).count();
        assert_eq!((sign(role), sign(role.other())), (sections, 0), "{own}");
    }
}

#[test]
fn a_side_alone_closes_with_the_others_time_out() {
    let desk = Shared::default();
    let alone = run(DuelRole::A, AGREES, desk.clone()).unwrap();
    assert_eq!(ending(&alone), Some(DuelEnding::TimeoutB));
    assert!(desk.now() >= 600_000);
    let lonely = Shared::default();
    assert_eq!(
        run(DuelRole::B, AGREES, lonely.clone()).unwrap(),
        DuelFinished::NoFile
    );
    assert_eq!(*lonely.text.lock().unwrap(), None);
}

/// What stands inside of an open fence is nobody's words: a closing there would end nothing, again and again.
#[test]
fn an_open_fence_of_the_other_side_ends_with_its_time_out() {
    for fence in ["```", "~~~~", "  ```sh"] {
        let text = format!(
            "# Code Debate: HEAD\n\n## Opening\n\nVote: PASS\n\n{fence}\nnothing\n\n*— Agent A (x), 2025-06-15T14:30:00Z*\n\n---\n"
        );
        let desk = Shared {
            text: Arc::new(Mutex::new(Some(text))),
            ..Shared::default()
        };
        let alone = run(DuelRole::B, AGREES, desk.clone()).unwrap();
        assert_eq!(ending(&alone), Some(DuelEnding::TimeoutA), "{fence}");
        let closings = desk.text.lock().unwrap().clone().unwrap();
        assert_eq!(closings.matches("## CONSENSUS").count(), 1, "{closings}");
    }
}

#[test]
fn a_concluded_file_is_refused() {
    let (_, _, text) = duel(AGREES, AGREES);
    let desk = Shared {
        text: Arc::new(Mutex::new(Some(text.clone()))),
        ..Shared::default()
    };
    assert!(matches!(
        run(DuelRole::A, AGREES, desk.clone()),
        Err(DuelError::Concluded { .. })
    ));
    assert_eq!(desk.text.lock().unwrap().as_ref(), Some(&text));
}

#[test]
fn an_agent_without_an_answer_writes_nothing() {
    let desk = Shared::default();
    let result = run(
        DuelRole::A,
        Scripted {
            broken: true,
            ..AGREES
        },
        desk.clone(),
    );
    assert!(matches!(
        result,
        Err(DuelError::Agent {
            role: DuelRole::A,
            ..
        })
    ));
    assert_eq!(*desk.text.lock().unwrap(), None);
}

#[test]
fn an_append_is_refused_when_the_file_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("DEBATE.md");
    let mut desk = DuelFileOnDisk::new(path.clone());
    assert_eq!(desk.read().unwrap(), None);
    assert!(desk.append_if_unchanged(None, "one\n").unwrap());
    assert!(!desk.append_if_unchanged(None, "again\n").unwrap());
    assert!(!desk.append_if_unchanged(Some(b"other"), "two\n").unwrap());
    assert!(desk.append_if_unchanged(Some(b"one\n"), "two\n").unwrap());
    assert_eq!(std::fs::read_to_string(path).unwrap(), "one\ntwo\n");
}

/// A duel of ours as A, in which `tamper` plays the rest of the world.
fn against(
    tamper: fn(Option<String>) -> Option<String>,
) -> (Result<DuelFinished, DuelError>, String) {
    let desk = Shared {
        tamper: Some(tamper),
        ..Shared::default()
    };
    let finished = run(DuelRole::A, AGREES, desk.clone());
    let text = desk.text.lock().unwrap().clone().unwrap_or_default();
    (finished, text)
}

const ANSWERED: &str =
    "\n## Response 1\n- A1: Disagreed, it is fine\n\n*— Agent B, 2025-06-15T00:00:01Z*\n";

#[test]
fn a_section_of_the_other_side_that_changes_is_a_violation() {
    let (finished, text) = against(|text| {
        let text = text?;
        match text.contains("## Follow-up 1") {
            true => Some(text.replace("Disagreed, it is fine", "Agreed")),
            false if text.contains("## Response 1") => Some(text),
            false => Some(text + ANSWERED),
        }
    });
    let finished = finished.unwrap();
    assert_eq!(ending(&finished), Some(DuelEnding::Violation));
    assert!(text.contains("Outcome: violation"), "{text}");
    let DuelFinished::Concluded { text, breach, .. } = finished else {
        panic!()
    };
    assert!(
        matches!(breach, Some(LedgerBreach::Changed { .. })),
        "{breach:?}"
    );
    assert!(
        text.contains("Disagreed, it is fine"),
        "what was read is what counts: {text}"
    );
}

#[test]
fn a_section_under_our_name_is_a_violation() {
    let (finished, text) = against(|text| {
        let text = text?;
        let forged = "\n## Follow-up 1\n- A1: Agreed\n\n*— Agent A, 2025-06-15T00:00:02Z*\n";
        if text.contains("## Response 1") {
            Some(text)
        } else {
            Some(text + ANSWERED + forged)
        }
    });
    assert_eq!(ending(&finished.unwrap()), Some(DuelEnding::Violation));
    assert!(text.contains("Outcome: violation"), "{text}");
    let (taken, text) = against(|text| {
        text.or(Some(
            "## Opening\nx\n\n*— Agent A, 2025-06-15T00:00:00Z*\n".into(),
        ))
    });
    assert!(matches!(taken, Err(DuelError::Taken { .. })), "{taken:?}");
    assert!(!text.contains("CONSENSUS"), "{text}");
}

#[test]
fn a_file_that_goes_away_is_a_violation_and_is_not_made_anew() {
    let (finished, text) = against(|_| None);
    assert_eq!(ending(&finished.unwrap()), Some(DuelEnding::Violation));
    assert_eq!(text, "");
}

#[test]
fn a_partner_that_closes_by_the_protocols_own_form_is_understood() {
    let bare = |answer: &str| {
        let desk = Shared::default();
        let opening = format!(
            "# Code Debate: HEAD\n\n## Opening\n1. `a.rs:1` — bad\n\n*— Agent A, 2025-06-15T00:00:00Z*\n{answer}"
        );
        *desk.text.lock().unwrap() = Some(opening);
        let other = Shared {
            tamper: Some(|text| {
                let text = text?;
                if text.contains("Response 1") && !text.contains("CONSENSUS") {
                    Some(text + "\n## CONSENSUS\nWe agree: `a.rs:1` is to be fixed.\n")
                } else {
                    Some(text)
                }
            }),
            ..desk
        };
        ending(&run(DuelRole::B, AGREES, other).unwrap())
    };
    assert_eq!(bare(""), Some(DuelEnding::Consensus));
}
