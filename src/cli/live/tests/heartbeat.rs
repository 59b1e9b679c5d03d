//! When a run that nobody hears of gives a sign of life.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::{HEARTBEAT_EVERY, REDRAW_EVERY, ViewKind, ViewState};
use super::{answered, asked, convened};
use crate::cli::console::Console;
use crate::report::Verbosity;
use crate::run::environment::ProcessEnvironment;
use crate::session::{AskedTask, ProgressEvent, ProgressKind};

/// A view whose clock the test turns.
fn view(kind: ViewKind, began: Instant) -> ViewState {
    let environment = ProcessEnvironment::from_vars(&[]);
    let console = Console::new(None, Verbosity::Normal, &environment);
    ViewState::new(kind, console, began)
}

/// Turns the clock for so many seconds, five times a second, and hands over each event at its time. What the heartbeat
/// said, and when.
fn beats(
    state: &mut ViewState,
    seconds: u64,
    events: &[(u64, ProgressKind)],
) -> Vec<(u64, String)> {
    let began = state.began;
    let step = u64::try_from(REDRAW_EVERY.as_millis()).unwrap();
    let (mut said, mut events) = (Vec::new(), events.iter().peekable());
    for ms in (0..=seconds * 1_000).step_by(usize::try_from(step).unwrap()) {
        let now = began + Duration::from_millis(ms);
        while let Some((at, kind)) = events.next_if(|(at, _)| *at <= ms) {
            // As `hear` does, but for what is written.
            let line = state.board.hear(&ProgressEvent::new(*at, kind.clone()));
            if line.is_some() {
                state.told = now;
            }
        }
        let beat = state
            .heartbeat(now)
            .filter(|_| state.shows() && state.board.is_running());
        if let Some(line) = beat {
            state.told = now;
            said.push((ms / 1_000, line));
        }
    }
    said
}

#[test]
fn in_ci_a_silent_minute_has_one_line() {
    let mut state = view(ViewKind::Lines, Instant::now());
    let events = [
        convened(Some(1.0)),
        (0, asked("judge-1", AskedTask::Review)),
        (0, asked("judge-2", AskedTask::Review)),
        (90_000, answered("judge-2")),
    ];
    let said = beats(&mut state, 250, &events);
    let expected = [
        (
            60,
            "round 1 · 1 m 00 s · 0 of 3 answered · $0.00 of $1.00 · waiting for security, tests, \u{1b}[2Jodd",
        ),
        // The answer after 90 seconds was a sign of life.
        (
            150,
            "round 1 · 2 m 30 s · 1 of 3 answered · $0.00 of $1.00 · waiting for security, \u{1b}[2Jodd",
        ),
        (
            210,
            "round 1 · 3 m 30 s · 1 of 3 answered · $0.00 of $1.00 · waiting for security, \u{1b}[2Jodd",
        ),
    ];
    let expected = expected.map(|(at, line)| (at, line.to_owned()));
    assert_eq!(said, expected, "whoever prints a line cleans it");
}

#[test]
fn a_run_that_is_over_or_that_nobody_watches_has_no_heartbeat() {
    let events = [
        convened(None),
        (0, asked("judge-1", AskedTask::Review)),
        (
            30_000,
            ProgressKind::Finished {
                verdict: crate::council::outcome::Verdict::Pass,
                headline: "PASS".to_owned(),
                exit_code: 0,
                reused: false,
            },
        ),
    ];
    let over = beats(&mut view(ViewKind::Lines, Instant::now()), 300, &events);
    assert_eq!(over, []);
    for kind in [ViewKind::Off, ViewKind::Block] {
        let said = beats(&mut view(kind, Instant::now()), 300, &events[..2]);
        assert_eq!(said, [], "{kind:?}");
    }
}

proptest! {
    /// Whatever judges do: a log is never silent for longer than a minute and one step, and never has two heartbeats in one.
    #[test]
    fn a_log_is_never_silent_for_over_a_minute(answers in proptest::collection::vec(0_u64..600_000, 0..12)) {
        let mut answers = answers;
        answers.sort_unstable();
        let mut events = vec![convened(None), (0, asked("judge-1", AskedTask::Review))];
        events.extend(answers.iter().map(|at| (*at, answered("judge-2"))));
        let said = beats(&mut view(ViewKind::Lines, Instant::now()), 600, &events);
        let mut lines: Vec<(u64, bool)> = said.iter().map(|(at, _)| (*at, true)).collect();
        lines.extend(answers.iter().map(|at| (at / 1_000, false)));
        // Of one second, the heartbeat comes first: after an answer there is none for a minute.
        lines.sort_unstable_by_key(|(at, is_beat)| (*at, !is_beat));
        let mut last = 0;
        for (at, is_beat) in lines.into_iter().chain([(600, false)]) {
            let gap = at - last;
            prop_assert!(gap <= HEARTBEAT_EVERY.as_secs() + 1, "silent from {last} s to {at} s");
            prop_assert!(!is_beat || gap + 1 >= HEARTBEAT_EVERY.as_secs(), "two at {last} s and {at} s");
            last = at;
        }
    }
}
