mod heartbeat;

use council_protocol::{JudgeId, RoundNumber, Vote};

use super::ViewKind;
use super::board::{Board, seconds};
use crate::config::ProgressSetting;
use crate::council::plan::Procedure;
use crate::run::environment::ProcessEnvironment;
use crate::session::{AskedTask, ProgressEvent, ProgressKind, SeatedJudge, UsedTokens};
use crate::text::{Ellipsis, display_width};

fn judge(name: &str) -> JudgeId {
    name.into()
}

fn seated(name: &str, perspective: &str) -> SeatedJudge {
    SeatedJudge {
        judge: judge(name),
        perspective: perspective.to_owned(),
        agent: "claude".to_owned(),
        model: None,
        paid: true,
    }
}

fn board(events: Vec<(u64, ProgressKind)>) -> (Board, Vec<String>) {
    let mut board = Board::default();
    let lines = events
        .into_iter()
        .filter_map(|(at, kind)| board.hear(&ProgressEvent::new(at, kind)))
        .collect();
    (board, lines)
}

fn convened(max_usd: Option<f64>) -> (u64, ProgressKind) {
    let kind = ProgressKind::Convened {
        run: "council-1".to_owned(),
        target: "main..topic".to_owned(),
        procedure: Procedure::Review,
        backend: "inline".to_owned(),
        max_usd,
        judges: vec![
            seated("judge-1", "security"),
            seated("judge-2", "tests"),
            seated("judge-3", "\u{1b}[2Jodd"),
        ],
    };
    (0, kind)
}

fn asked(name: &str, task: AskedTask) -> ProgressKind {
    ProgressKind::Asked {
        judge: judge(name),
        round: RoundNumber::FIRST,
        task,
        timeout_ms: 120_000,
    }
}

fn answered(name: &str) -> ProgressKind {
    ProgressKind::Answered {
        judge: judge(name),
        round: RoundNumber::FIRST,
        vote: Vote::Fail,
        critical: 1,
        significant: 0,
        minor: 2,
        insight: "The query is built from a name.".to_owned(),
    }
}

/// In a log without it the answers of two rounds look like one judge's two answers of one.
#[test]
fn a_second_round_is_announced_once() {
    let second = |name: &str| {
        let mut kind = asked(name, AskedTask::Debate);
        if let ProgressKind::Asked { round, .. } = &mut kind {
            *round = RoundNumber::SECOND;
        }
        (9_000, kind)
    };
    let events = vec![
        convened(None),
        (0, asked("judge-1", AskedTask::Review)),
        (8_000, answered("judge-1")),
        second("judge-1"),
        second("judge-2"),
        (12_000, answered("judge-1")),
    ];
    let (_, lines) = board(events);
    let announced: Vec<usize> = (0..lines.len())
        .filter(|&at| lines[at].contains("round 2"))
        .collect();
    assert_eq!(announced, [1], "{lines:?}");
    assert_eq!(lines.len(), 3, "{lines:?}");
}

/// What a judge looks things up for is paid with each call, long before its answer.
#[test]
fn the_money_of_a_turn_counts_while_it_goes_on_and_once() {
    let used = |usd: f64| UsedTokens {
        input_tokens: Some(1_000),
        usd: Some(usd),
        ..UsedTokens::default()
    };
    let spends = |at: u64, name: &str, usd: f64| {
        let (judge, used) = (judge(name), used(usd));
        (at, ProgressKind::Spends { judge, used })
    };
    let mut events = vec![
        convened(Some(30.0)),
        (0, asked("judge-1", AskedTask::Review)),
        (0, asked("judge-2", AskedTask::Review)),
        spends(1_000, "judge-1", 0.5),
        spends(2_000, "judge-1", 1.5),
        spends(2_000, "judge-2", 0.25),
    ];
    let money = |events: &[(u64, ProgressKind)]| {
        let (shown, _) = board(events.to_vec());
        let summary = shown.summary(9_000);
        summary.rsplit(" · ").next().unwrap().to_owned()
    };
    assert_eq!(money(&events), "$1.75 of $30.00");
    let (judge_1, used) = (judge("judge-1"), used(2.0));
    let replied = ProgressKind::Replied {
        judge: judge_1,
        used,
    };
    events.push((3_000, replied));
    assert_eq!(money(&events), "$2.25 of $30.00");
    events.push(spends(2_500, "judge-1", 1.75));
    assert_eq!(money(&events), "$2.25 of $30.00", "heard late");
    events.push((5_000, asked("judge-2", AskedTask::Correction)));
    events.push(spends(6_000, "judge-2", 0.5));
    assert_eq!(
        money(&events),
        "$2.75 of $30.00",
        "a turn that failed is paid for"
    );
}

#[test]
fn the_tool_in_use_stands_beside_the_judge_until_it_answers() {
    let looks_up = ProgressKind::LooksUp {
        judge: judge("judge-1"),
        tool: "read_file".to_owned(),
        asked: "src/\u{1b}[2Jdb.py 1-20".to_owned(),
    };
    let mut events = vec![
        convened(None),
        (0, asked("judge-1", AskedTask::Review)),
        (4_000, looks_up),
    ];
    let (shown, lines) = board(events.clone());
    let rows = shown.render(5_000, 80, Ellipsis::Unicode);
    assert!(
        rows[1].contains("thinking 5 s · read file src/"),
        "{rows:?}"
    );
    assert!(!rows[1].contains('\u{1b}'), "{rows:?}");
    assert_eq!(
        lines,
        Vec::<String>::new(),
        "a look-up has no line of its own"
    );
    events.push((6_000, answered("judge-1")));
    let (shown, _) = board(events.clone());
    assert!(!shown.render(7_000, 80, Ellipsis::Unicode)[1].contains("read file"));
    // Whoever watches from another process hears the journal first, and of a look-up of round 1 in round 2.
    let late = events.remove(2);
    events.extend([(8_000, asked("judge-1", AskedTask::Debate)), late]);
    let (shown, _) = board(events);
    assert!(!shown.render(9_000, 80, Ellipsis::Unicode)[1].contains("read file"));
}

/// Who waits for a provider is told so, and no longer than it lasts.
#[test]
fn a_provider_that_is_asked_again_is_not_taken_for_thought() {
    let again = ProgressKind::AsksAgain {
        judge: judge("judge-1"),
        why: "the provider is overloaded \u{1b}[2J(503)".to_owned(),
        pause_ms: 4_000,
    };
    let mut events = vec![
        convened(None),
        (0, asked("judge-1", AskedTask::Review)),
        (2_000, again),
    ];
    let row = |events: &[(u64, ProgressKind)], now| {
        let (shown, lines) = board(events.to_vec());
        assert_eq!(
            lines,
            Vec::<String>::new(),
            "a pause has no line of its own"
        );
        shown.render(now, 80, Ellipsis::Unicode)[1].clone()
    };
    let told = row(&events, 3_000);
    assert!(
        told.contains("asked again in 3 s: the provider is overloaded"),
        "{told}"
    );
    assert!(
        !told.contains('\u{1b}') && !told.contains("thinking"),
        "{told}"
    );
    assert!(row(&events, 5_999).contains("asked again in 1 s"));
    assert!(row(&events, 6_000).contains("thinking 6 s"));
    events.push((4_000, asked("judge-1", AskedTask::Debate)));
    assert!(row(&events, 5_000).contains("reading the other judges"));
}

/// A call without a price is not free: the line never says less than was spent, and that the sum is not all.
#[test]
fn what_has_no_price_is_never_told_as_nothing() {
    let replied = |usd: Option<f64>, tokens: Option<u64>| ProgressKind::Replied {
        judge: judge("judge-1"),
        used: UsedTokens {
            input_tokens: tokens,
            output_tokens: None,
            usd,
            lookups: 0,
        },
    };
    let priced = || replied(Some(0.5), Some(900));
    let unpriced = || replied(None, Some(5_300));
    let uncounted = || replied(None, None);
    for (replies, limit, told) in [
        (vec![], Some(1.0), "$0.00 of $1.00"),
        (vec![uncounted()], Some(1.0), "$0.00 of $1.00"),
        (vec![priced()], Some(1.0), "$0.50 of $1.00"),
        (vec![unpriced()], Some(1.0), "cost unknown, limit $1.00"),
        (
            vec![priced(), unpriced()],
            Some(1.0),
            "at least $0.50 of $1.00",
        ),
        (vec![unpriced(), priced()], None, "at least $0.50"),
        (vec![priced()], None, "$0.50"),
        (vec![unpriced()], None, "5300 tokens"),
    ] {
        let mut events = vec![convened(limit)];
        events.extend(replies.into_iter().map(|kind| (1, kind)));
        let (board, _) = board(events);
        let line = board.summary(2_000);
        assert_eq!(line.rsplit(" · ").next(), Some(told), "{line}");
    }
}

/// Judges know each other by labels, readers by names.
#[test]
fn a_question_is_told_with_the_name_of_whom_it_is_put_to() {
    let (_, lines) = board(vec![
        convened(None),
        (
            1,
            ProgressKind::Challenged {
                judge: judge("judge-2"),
                round: RoundNumber(2),
                to: "judge-1".to_owned(),
                question: "Who calls f?".to_owned(),
            },
        ),
    ]);
    assert_eq!(lines, ["tests asks security: Who calls f?"]);
}

/// Nobody failed where the user stopped the run: a judge that is asked to end is told of once, at the end.
#[test]
fn who_is_asked_to_end_has_not_failed() {
    let failed = |kind| ProgressKind::Failed {
        judge: judge("judge-1"),
        kind,
        why: "the judge was asked to end".to_owned(),
    };
    let (shown, lines) = board(vec![
        convened(None),
        (1, failed(council_protocol::FailureKind::Cancelled)),
    ]);
    assert!(lines.is_empty(), "{lines:?}");
    assert!(!shown.summary(2_000).contains("failed"));
    let (_, lines) = board(vec![
        convened(None),
        (1, failed(council_protocol::FailureKind::Died)),
    ]);
    assert_eq!(lines.len(), 1);
}

/// A reason is told once, and an answer to a second question is told as one.
#[test]
fn who_is_asked_again_is_said_to_be_and_one_reason_is_told_once() {
    let failed = |why: &str| ProgressKind::Failed {
        judge: judge("judge-1"),
        kind: council_protocol::FailureKind::Empty,
        why: why.to_owned(),
    };
    let again = || (0, asked("judge-1", AskedTask::Review));
    let told = |last: ProgressKind| {
        let events = vec![
            convened(None),
            again(),
            (1, failed("no model")),
            again(),
            (2, last),
        ];
        board(events).1
    };
    let first = "security failed: no model";
    for (last, second) in [
        (
            failed("no model"),
            "security was asked again, and failed in the same way",
        ),
        (failed("no key"), "security, asked again, failed: no key"),
        (
            answered("judge-1"),
            "security, asked again, answered FAIL · 1 critical, 2 minor",
        ),
    ] {
        assert_eq!(told(last), [first, second]);
    }
    // What happened in one round says nothing of the next one.
    let next = ProgressKind::Asked {
        judge: judge("judge-1"),
        round: RoundNumber::SECOND,
        task: AskedTask::Debate,
        timeout_ms: 120_000,
    };
    let mut events = vec![convened(None), again(), (1, failed("no model"))];
    events.extend([(2, next), (3, answered("judge-1"))]);
    let answer = "security answered FAIL · 1 critical, 2 minor";
    assert_eq!(board(events).1, [first, "round 2 begins", answer]);
}

/// Who is not asked in a round has not answered in it.
#[test]
fn a_round_counts_those_that_are_asked_in_it() {
    let first = ["judge-1", "judge-2", "judge-3"];
    let mut events = vec![convened(None)];
    events.extend(first.map(|name| (0, asked(name, AskedTask::Review))));
    events.extend(first.map(|name| (1, answered(name))));
    let (before, _) = board(events.clone());
    assert!(before.summary(2_000).contains("3 of 3 answered"));
    let again = ProgressKind::Asked {
        judge: judge("judge-2"),
        round: RoundNumber::SECOND,
        task: AskedTask::Debate,
        timeout_ms: 120_000,
    };
    events.push((2, again));
    let (now, _) = board(events.clone());
    let summary = now.summary(2_000);
    assert!(
        summary.contains("round 2") && summary.contains("0 of 1 answered"),
        "{summary}"
    );
    events.push((3, answered("judge-2")));
    assert!(board(events).0.summary(3_000).contains("1 of 1 answered"));
}

/// Whatever the terminal is, somebody at it sees what judges do, and nothing moves a cursor that cannot be moved.
#[test]
fn a_terminal_without_a_cursor_is_told_in_lines() {
    let choose = |vars: &[(&str, &str)], watched: bool| {
        let environment = ProcessEnvironment::from_vars(vars);
        ViewKind::choose_for(ProgressSetting::Auto, watched, &environment)
    };
    assert_eq!(choose(&[("TERM", "dumb")], true), ViewKind::Lines);
    assert_eq!(choose(&[("TERM", "xterm")], true), ViewKind::Block);
    assert_eq!(
        choose(&[("TERM", "xterm"), ("CI", "1")], true),
        ViewKind::Lines
    );
    assert_eq!(choose(&[("TERM", "dumb")], false), ViewKind::Off);
}

#[test]
fn every_judge_has_a_line_and_the_money_stands_against_its_limit() {
    let used = UsedTokens {
        input_tokens: Some(12_000),
        output_tokens: Some(345),
        usd: Some(0.042),
        lookups: 3,
    };
    let (board, lines) = board(vec![
        convened(Some(1.0)),
        (0, asked("judge-1", AskedTask::Review)),
        (0, asked("judge-2", AskedTask::Review)),
        (
            9_000,
            ProgressKind::Replied {
                judge: judge("judge-2"),
                used,
            },
        ),
        (9_100, answered("judge-2")),
        (
            9_200,
            ProgressKind::TimedOut {
                judge: judge("judge-3"),
            },
        ),
    ]);
    assert_eq!(
        lines,
        [
            "tests answered FAIL · 1 critical, 2 minor",
            "\u{1b}[2Jodd is out of time"
        ],
        "whoever prints a line cleans it"
    );
    let shown = board.render(12_400, 80, Ellipsis::Unicode).join("\n");
    insta::assert_snapshot!(shown, @r"
    round 1 · 12 s · 1 of 3 answered, 1 failed · 12.3k tokens · $0.04 of $1.00
      security      claude  thinking 12 s
      tests         claude  answered FAIL · 1 critical, 2 minor, 3 look-ups
      \u{1B}[2Jodd  claude  failed: out of time
    ");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let (board, _) = board(vec![
        convened(None),
        (
            1,
            ProgressKind::Abstained {
                judge: judge("judge-1"),
                why: "a long story ".repeat(40),
            },
        ),
    ]);
    for width in [20, 40, 80, 120] {
        for line in board.render(61_000, width, Ellipsis::Unicode) {
            assert!(display_width(&line) < width, "{width}: {line:?}");
            assert!(!line.contains('\u{1b}'));
        }
    }
}

#[test]
fn time_is_told_in_seconds_and_minutes() {
    assert_eq!(
        [seconds(900), seconds(59_999), seconds(185_000)],
        ["0 s", "59 s", "3 m 05 s"]
    );
}

#[test]
fn tests_of_judges_are_told_as_long_as_they_run() {
    let test = |name: &str| ProgressKind::TestQueued {
        test: name.to_owned(),
    };
    let mut events = vec![convened(None), (1, test("P1")), (1, test("P2"))];
    let told = |events: &[(u64, ProgressKind)]| board(events.to_vec()).0.summary(9_000);
    assert!(
        told(&events).contains("running 2 tests of judges"),
        "{}",
        told(&events)
    );
    for (name, rest) in [("P1", "running a test of a judge"), ("P2", "")] {
        let test = name.to_owned();
        events.push((5_000, ProgressKind::TestEnded { test }));
        let told = told(&events);
        assert_eq!(told.contains("running"), !rest.is_empty(), "{told}");
        assert!(told.contains(rest), "{told}");
    }
}
