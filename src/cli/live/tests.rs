use council_protocol::{JudgeId, RoundNumber, Vote};

use super::board::{Board, seconds};
use crate::council::plan::Procedure;
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
    let (shown, _) = board(events);
    assert!(!shown.render(7_000, 80, Ellipsis::Unicode)[1].contains("read file"));
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
    round 1 · 12 s · 2 of 3 answered · 12.3k tokens · $0.04 of $1.00
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
