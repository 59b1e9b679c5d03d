//! A commit that one review has failed is passed by no other one, whoever writes, wherever, and whenever the failure came.

use std::fs;
use std::thread;
use std::time::Duration;

use super::remembered::{FINDING, OPENS, let_judges_say, seat_judges, write_judges};
use super::stage::Stage;
use super::standing_votes::seat_scripts;
use crate::harness::Run;
use crate::programs::answer;

/// Who writes the milder result.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Writer {
    Review,
    Publish,
    Conclude,
}

/// What another machine does meanwhile leaves nothing here.
fn fail_elsewhere(stage: &Stage, surfaces: &str) {
    let (own, kept) = (stage.repo.path().join(".git/council"), stage.file("kept"));
    let has_own = fs::rename(&own, &kept).is_ok();
    let_judges_say(stage, "FAIL", FINDING);
    let args = ["review", "--pr", "1", "--publish", surfaces];
    stage.council(&args).ends(1);
    let_judges_say(stage, "PASS", "");
    fs::remove_dir_all(&own).unwrap();
    if has_own {
        fs::rename(&kept, &own).unwrap();
    }
}

/// The jobs of a matrix but the last one.
fn judge_all(stage: &Stage) {
    let workers = stage.repo.path().join("run/workers");
    for worker in fs::read_dir(workers).unwrap() {
        let worker = worker.unwrap().path();
        let name = worker.file_name().unwrap().to_str().unwrap().to_owned();
        let turns = fs::read_dir(&worker).unwrap();
        let names = turns.map(|turn| turn.unwrap().file_name().into_string().unwrap());
        let turns: Vec<String> = names
            .filter_map(|name| {
                let number = name.strip_prefix("turn-")?.strip_suffix(".json")?;
                number.parse::<u64>().ok().map(|number| number.to_string())
            })
            .collect();
        for turn in turns {
            let args = ["judge", "--run", "run", "--judge", &name, "--turn", &turn];
            stage.council(&args).ends(0);
        }
    }
}

/// What a writer does before, and how it then writes.
fn begin(stage: &Stage, writer: Writer) {
    let_judges_say(stage, "PASS", "");
    match writer {
        Writer::Review => {}
        Writer::Publish => {
            stage.council(&["review", "main...topic-1"]).ends(0);
        }
        Writer::Conclude => {
            let args = ["plan", "--run", "run", "--pr", "1"];
            stage.council(&args).ends(0);
        }
    }
}

fn write(stage: &Stage, writer: Writer, surfaces: &str, more: &[&str]) -> Run {
    let posted = [&["--pr", "1", "--publish", surfaces], more].concat();
    let command: &[&str] = match writer {
        Writer::Review => &["review"],
        Writer::Publish => &["publish"],
        Writer::Conclude => {
            judge_all(stage);
            &["conclude", "--run", "run"]
        }
    };
    stage.council(&[command, &posted[..]].concat())
}

/// A review during which another machine fails the commit: its judges wait for that.
fn review_meanwhile(stage: &Stage, surfaces: &str) -> Run {
    let (started, go) = (stage.file("started"), stage.file("go"));
    let wait = format!(
        "touch '{}'; while [ ! -e '{}' ]; do sleep 0.1; done",
        started.display(),
        go.display()
    );
    write_judges(stage, &format!("{wait}\n{}", answer("PASS", "")));
    let args = ["review", "--pr", "1", "--publish", surfaces];
    let command = stage.command(&args);
    let slow = thread::spawn(move || Run::of_command(command));
    while !started.exists() {
        thread::sleep(Duration::from_millis(50));
    }
    let_judges_say(stage, "FAIL", FINDING);
    stage.council(&args).ends(1);
    let_judges_say(stage, "PASS", "");
    fs::write(&go, "").unwrap();
    slow.join().unwrap()
}

/// The conclusion of the last check, or the state of the last status.
fn last_word(stage: &Stage, surfaces: &str) -> String {
    let state = stage.hub.state();
    let word = match surfaces {
        "status" => state.statuses.last().map(|(_, body)| body["state"].clone()),
        _ => state.checks.last().map(|check| check["conclusion"].clone()),
    };
    word.unwrap().as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_failed_commit_is_passed_by_no_writer_on_no_surface() {
    for writer in [Writer::Review, Writer::Publish, Writer::Conclude] {
        for surfaces in ["check", "status", "comment,check"] {
            for is_before in [true, false] {
                let stage = Stage::new();
                seat_judges(&stage);
                stage.propose(1, &[("src/a.py", OPENS)]);
                if is_before {
                    fail_elsewhere(&stage, surfaces);
                }
                begin(&stage, writer);
                let run = match (writer, is_before) {
                    (Writer::Review, false) => review_meanwhile(&stage, surfaces),
                    (_, true) => write(&stage, writer, surfaces, &[]),
                    (_, false) => {
                        fail_elsewhere(&stage, surfaces);
                        write(&stage, writer, surfaces, &[])
                    }
                };
                let what = format!("{writer:?} {surfaces} before: {is_before}");
                // What was made without the page is refused, with the way on.
                let is_refused = writer == Writer::Publish && surfaces == "comment,check";
                let code = if is_refused { 3 } else { 1 };
                assert_eq!(run.code, code, "{what}: {} {}", run.stdout, run.stderr);
                assert!(
                    is_refused || run.stdout.contains("FAIL"),
                    "{what}: {}",
                    run.stdout
                );
                assert_eq!(last_word(&stage, surfaces), "failure", "{what}");
                for body in stage.reports(1).iter().map(|report| &report.body) {
                    assert!(body.contains("# FAIL"), "{what}: {body}");
                }
                // Whoever means it may.
                if writer != Writer::Conclude {
                    write(&stage, writer, surfaces, &["--full"]).ends(0);
                    assert_eq!(last_word(&stage, surfaces), "success", "{what}");
                }
                stage.requests();
            }
        }
    }
}

/// Votes that no finding carries stand on the page alone: who shows a milder result of the same commit there, without a check,
/// leaves it as it is.
#[test]
fn a_page_that_failed_by_votes_gives_way_to_no_milder_one() {
    for writer in [Writer::Publish, Writer::Conclude] {
        let stage = Stage::new();
        seat_judges(&stage);
        stage.propose(1, &[("src/a.py", OPENS)]);
        let page = |word: &str| {
            let reports = stage.reports(1);
            assert_eq!(reports.len(), 1);
            assert!(
                reports[0].body.contains(word),
                "{writer:?} {}",
                reports[0].body
            );
        };
        let_judges_say(&stage, "FAIL", "");
        let args = ["review", "--pr", "1", "--publish", "comment"];
        let by_votes = [&args[..], &["--consensus", "majority"]].concat();
        stage.council(&by_votes).ends(1).prints("FAIL");
        fs::remove_dir_all(stage.repo.path().join(".git/council")).unwrap();
        begin(&stage, writer);
        for _ in 0..2 {
            write(&stage, writer, "comment", &[])
                .ends(1)
                .prints(match writer {
                    Writer::Conclude => "this verdict stands since",
                    _ => "FAIL: another review has failed this very commit",
                });
            page("# FAIL");
        }
        write(&stage, writer, "comment", &["--full"]).ends(0);
        page("# PASS");
        stage.requests();
    }
}

/// A whole matrix over the commit as it is, whatever was judged before.
pub(super) fn run_matrix(stage: &Stage, more: &[&str]) -> Run {
    let folder = stage.repo.path().join("run");
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
    let plan = [&["plan", "--run", "run", "--pr", "1"], more].concat();
    stage.council(&plan).ends(0);
    write(stage, Writer::Conclude, "comment,check", more)
}

/// Judges who are silent the second time were not asked for what they had objected to the first time.
#[test]
fn a_matrix_that_is_run_again_makes_no_objection_milder() {
    let unproved = FINDING.replace("x = open(p)", "y = close(q)");
    for (findings, is_review) in [("", true), (unproved.as_str(), false)] {
        let stage = Stage::new();
        seat_judges(&stage);
        stage.propose(1, &[("src/a.py", OPENS)]);
        let_judges_say(&stage, "FAIL", findings);
        let first = match is_review {
            true => write(&stage, Writer::Review, "comment,check", &[]),
            false => run_matrix(&stage, &[]),
        };
        let (code, word) = (first.code, last_word(&stage, "comment,check"));
        assert!(code != 0 && word != "success", "{}", first.stdout);
        let_judges_say(&stage, "PASS", "");
        for _ in 0..2 {
            let again = run_matrix(&stage, &[]);
            assert_eq!(again.code, code, "{}", again.stdout);
            again.prints("this verdict stands since");
            assert_eq!(last_word(&stage, "comment,check"), word);
        }
        run_matrix(&stage, &["--full"]).ends(0);
        assert_eq!(last_word(&stage, "comment,check"), "success");
    }
}

/// Whatever one judge of two objects in that no finding carries, told by a matrix or by `review`, on this machine or on another
/// one: a matrix that is run again, with judges who are silent, tells the same verdict, until everything is judged anew.
#[test]
fn a_matrix_that_is_run_again_keeps_each_kind_of_objection() {
    let prose =
        "cat <<END\nIt divides by zero for an empty list. I vote FAIL: do not merge this.\nEND";
    let cut = answer("FAIL", FINDING).replace("\"findings\": [", "\"findings\": [ {");
    let nowhere = FINDING.replace("x = open(p)", "y = close(q)");
    let silent = answer("PASS", "");
    for (what, script, is_review) in [
        ("a lone FAIL vote", answer("FAIL", ""), false),
        ("prose", prose.to_owned(), true),
        ("a broken answer", cut, false),
        ("a quote that is nowhere", answer("FAIL", &nowhere), true),
    ] {
        let stage = Stage::new();
        stage.propose(1, &[("src/a.py", OPENS)]);
        let seat = |script: &str| {
            let judges = [("ash", script.to_owned()), ("elm", silent.clone())];
            seat_scripts(&stage, &judges, "");
        };
        seat(&script);
        let first = match is_review {
            true => write(&stage, Writer::Review, "comment,check", &[]),
            false => run_matrix(&stage, &[]),
        };
        let (code, word) = (first.code, last_word(&stage, "comment,check"));
        assert_ne!(word, "success", "{what}: {}", first.stdout);
        seat(&silent);
        let again = run_matrix(&stage, &[]);
        assert_eq!(again.code, code, "{what}: {}", again.stdout);
        again.prints("this verdict stands since");
        assert_eq!(last_word(&stage, "comment,check"), word, "{what}");
        run_matrix(&stage, &["--full"]).ends(0);
        assert_eq!(last_word(&stage, "comment,check"), "success", "{what}");
    }
}

/// A report that is too large for the comment cannot be told again: its verdict stands all the same, whoever reviews the change
/// and however.
#[test]
fn an_objection_whose_report_is_too_large_to_be_kept_stands() {
    let stage = Stage::new();
    stage.propose(1, &[("src/a.py", OPENS)]);
    let seat = |vote: &str| {
        let judges = [("ash", answer(vote, "")), ("elm", answer("PASS", ""))];
        seat_scripts(&stage, &judges, "");
        // What a model is called is in the report, however long.
        let config = stage.file(".config/git-council/config.toml");
        let long = format!("driver = 'command'\nmodel = '{}'", "long".repeat(3_000));
        let text = fs::read_to_string(&config).unwrap();
        fs::write(&config, text.replace("driver = 'command'", &long)).unwrap();
    };
    let review = |more: &[&str]| {
        let args = ["review", "--pr", "1", "--publish", "comment,check"];
        stage.council(&[&args[..], more].concat())
    };
    seat("FAIL");
    let code = run_matrix(&stage, &[]).code;
    let word = last_word(&stage, "comment,check");
    assert_ne!(word, "success");
    seat("PASS");
    for is_review in [false, true] {
        // Another machine knows the page alone.
        let _ = fs::remove_dir_all(stage.repo.path().join(".git/council"));
        let again = match is_review {
            true => review(&["--quorum", "1"]),
            false => run_matrix(&stage, &[]),
        };
        assert_eq!(again.code, code, "{is_review}: {}", again.stdout);
        again.prints("this verdict stands since");
        assert_eq!(last_word(&stage, "comment,check"), word, "{is_review}");
    }
    review(&["--full"]).ends(0);
    assert_eq!(last_word(&stage, "comment,check"), "success");
}
