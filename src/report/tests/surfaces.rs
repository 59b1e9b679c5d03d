//! What people see: read these snapshots as a user would.

use super::super::{DisplayOptions, Verbosity, judge, markdown, rdjson, sarif, story, terminal};
use super::{looks, samples};
use crate::text;

#[test]
fn terminal() {
    for (name, report) in samples::all() {
        let text = terminal::render(&report, DisplayOptions::default());
        insta::assert_snapshot!(format!("terminal_{name}"), text);
    }
}

#[test]
fn terminal_verbose() {
    let look = DisplayOptions {
        verbosity: Verbosity::Verbose,
        ..DisplayOptions::default()
    };
    for (name, report) in [("warn", samples::warn()), ("fail", samples::fail())] {
        insta::assert_snapshot!(
            format!("terminal_verbose_{name}"),
            terminal::render(&report, look)
        );
    }
}

#[test]
fn markdown() {
    for (name, report) in samples::all() {
        let text = markdown::render(&report, markdown::MarkdownOptions::default());
        insta::assert_snapshot!(format!("markdown_{name}"), text);
    }
}

#[test]
fn story() {
    for (name, report) in samples::all() {
        insta::assert_snapshot!(
            format!("story_{name}"),
            story::render(&report, DisplayOptions::default())
        );
    }
}

#[test]
fn seed_001_the_session_is_written_down_as_a_whole() {
    assert_eq!(markdown::session(&samples::fail()), None);
    let session = markdown::session(&samples::examined()).unwrap();
    insta::assert_snapshot!("session_examined", session);
}

/// Seed 001, 3.1.6: round after round is there while the council sits, and nothing that looks like its verdict.
#[test]
fn seed_001_the_minutes_grow_round_by_round_and_have_no_verdict() {
    let whole = samples::examined();
    for rounds in 1..=whole.outcome.ledger.rounds.len() {
        let mut so_far = whole.clone();
        so_far.outcome.ledger.rounds.truncate(rounds);
        so_far.outcome.ledger.ballots.clear();
        let minutes = markdown::minutes(&so_far).unwrap();
        let told = minutes.matches("### Round ").count();
        assert_eq!(told, rounds - 1, "{minutes}");
        assert!(!minutes.contains("## Verdict"), "{minutes}");
        assert!(minutes.contains("there is no verdict"), "{minutes}");
    }
    let mut nobody = whole;
    nobody.outcome.ledger.rounds.clear();
    assert_eq!(markdown::minutes(&nobody), None);
}

#[test]
fn sarif() {
    for (name, report) in samples::all() {
        if ["fail", "inconclusive", "odd_path", "hostile"].contains(&name) {
            insta::assert_snapshot!(format!("sarif_{name}"), sarif::render(&report));
        }
    }
}

#[test]
fn rdjson() {
    for (name, report) in samples::all() {
        if ["pass", "fail", "odd_path", "hostile"].contains(&name) {
            insta::assert_snapshot!(format!("rdjson_{name}"), rdjson::render(&report));
        }
    }
}

#[test]
fn judge_files() {
    let (seat, answers) = samples::answers();
    for answer in answers {
        let file = judge::render_judge(&seat, answer.round, &answer);
        assert!(file.starts_with("```json\n{\n"), "{file}");
        assert_eq!(judge::parse_judge_file(&file), Some(answer.clone()));
        insta::assert_snapshot!(format!("judge_r{}", answer.round), file);
    }
}

#[test]
fn a_terminal_without_colour_gets_no_escapes_and_keeps_its_width() {
    for (name, report) in samples::all() {
        for (look_name, look) in looks() {
            for line in terminal::render(&report, look).lines() {
                assert!(
                    !line.chars().any(text::is_hidden),
                    "{name} {look_name}: {line:?}"
                );
                let named = line.contains("src/db.rs") || line.contains("src/server.rs");
                assert!(
                    text::display_width(line) <= if named { 400 } else { look.width },
                    "{name} {look_name}: {line}"
                );
                assert!(
                    !line.trim_start().starts_with("::") && !line.contains("##["),
                    "{name}: {line}"
                );
            }
        }
    }
}

#[test]
fn colours_say_nothing_that_words_do_not() {
    for (name, report) in samples::all() {
        for (_, look) in looks() {
            let plain = terminal::render(&report, look);
            let painted = terminal::render(
                &report,
                DisplayOptions {
                    colour: true,
                    ..look
                },
            );
            assert!(painted.contains('\u{1b}'), "{name}");
            let stripped = anstream::adapter::strip_str(&painted).to_string();
            assert_eq!(stripped, plain, "{name}");
        }
    }
}

#[test]
fn ascii_only_where_only_ascii_can_be_shown() {
    for report in [
        samples::fail(),
        samples::inconclusive(),
        samples::interrupted(),
    ] {
        let look = DisplayOptions {
            unicode: false,
            ..DisplayOptions::default()
        };
        for page in [
            terminal::render(&report, look),
            story::render(&report, look),
        ] {
            assert!(page.is_ascii(), "{page}");
        }
    }
}

#[test]
fn judges_of_several_agents_are_named_with_them() {
    let mut report = samples::fail();
    report.outcome.judges[0].seat.agent.name = "codex".into();
    let text = terminal::render(&report, DisplayOptions::default());
    assert!(
        text.contains("held by security (codex), hygiene (claude)"),
        "{text}"
    );
    assert!(text.contains("tests (claude) agrees"), "{text}");
}

/// Found in a real run: R1 was told with the sentence of R2.
#[test]
fn the_story_tells_each_round_in_its_own_words() {
    let mut report = samples::fail();
    report.outcome.judges[2].first_insight = "Every path has a test.".into();
    report.outcome.judges[2].key_insight = "I had missed the quote.".into();
    let text = story::render(&report, DisplayOptions::default());
    assert!(
        text.contains("tests voted PASS: Every path has a test."),
        "{text}"
    );
}

/// Found in a real run: evidence of several lines ran together, and the same move was told once per judge.
#[test]
fn the_same_move_is_told_once_with_the_first_line_of_its_evidence() {
    let mut report = samples::fail();
    let mut change = report.outcome.judges[2].change.clone().unwrap();
    change.evidence.as_mut().unwrap().quote = "\n  first line\nsecond line".into();
    report.outcome.judges[2].change = Some(change.clone());
    report.outcome.judges[4].change = Some(change);
    for text in [
        terminal::render(&report, DisplayOptions::default()),
        story::render(&report, DisplayOptions::default()),
    ] {
        assert!(text.contains("tests and hygiene"), "{text}");
        assert!(text.contains("src/db.rs:42: first line"), "{text}");
        assert!(!text.contains("second line"), "{text}");
    }
}
