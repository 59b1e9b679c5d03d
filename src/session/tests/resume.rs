//! A run that another process left is brought to the end that it would have had.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use council_protocol::message::Usage;
use council_protocol::reproduction::{
    Reproduction, ReproductionClaim, ReproductionFile, TestSuite,
};
use council_protocol::{
    Event, Failure, FailureKind, Finding, JudgeId, Seat, Severity, Task, Turn, Vote,
};

use super::stage::{Deed, Seen, Stage, stage};
use crate::council::Input;
use crate::council::Outcome;
use crate::council::outcome::{Verdict, VerdictReason};
use crate::council::reproduction::{
    ProofTerms, RUNS, ReproductionResult, ReproductionStanding, Suggestion, TestRun,
};
use crate::session::journal::{JOURNAL_FILE, JournalEntry, RunJournal};
use crate::session::{PromptRenderer, ReproductionRunner, before_losses};

/// A split council whose judges take their time, each another one.
fn slow(judge: &str, turn: &Turn) -> Deed {
    let takes = match (judge, &turn.task) {
        ("judge-1", Task::Review) => 40,
        ("judge-2", Task::Review) => 10,
        ("judge-3", Task::Review) => 25,
        _ => 5,
    };
    Deed::Later(takes, Box::new(split(judge, turn)))
}

fn split(judge: &str, turn: &Turn) -> Deed {
    match (judge, &turn.task) {
        ("judge-1", Task::Review) => {
            let mut answer = council_protocol::Answer::new(1, "", Vote::Warn);
            answer.findings = vec![risky()];
            Deed::Say(Box::new(answer))
        }
        _ => Deed::Vote(Vote::Pass),
    }
}

fn risky() -> Finding {
    serde_json::from_value(serde_json::json!({
        "severity": Severity::Significant,
        "category": "correctness",
        "description": "`risky` is called without a check",
        "location": { "path": "a.rs", "line": 1 },
        "quote": "let a = risky(input);",
    }))
    .unwrap()
}

fn paid() -> Stage {
    stage(3, slow).debate().paid()
}

/// The outcome without the moments of its answers: whoever is asked again answers later.
fn timeless(outcome: &Outcome) -> Outcome {
    let mut outcome = outcome.clone();
    for judge in &mut outcome.judges {
        judge.answered_ms = None;
    }
    outcome
}

/// What the journal says was answered, as `judge turn`.
fn answered(journal: &[u8]) -> Vec<String> {
    let lines = journal
        .split(|&b| b == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok())
        .filter(|line| line["input"] == "answered")
        .map(|line| format!("{} {}", line["judge"].as_str().unwrap(), line["turn"]))
        .collect()
}

#[test]
fn a_run_that_was_cut_anywhere_ends_as_if_it_had_not_been() {
    let whole = paid().run().check();
    let journal = &whole.files[JOURNAL_FILE];
    let header = journal.iter().position(|&b| b == b'\n').unwrap() + 1;
    // Every line's end, and the middle of every line.
    let ends = (header..=journal.len()).filter(|&at| journal[at - 1] == b'\n');
    let torn = (header..journal.len()).step_by(97);
    for at in ends.chain(torn) {
        let resumed = paid().resume(&whole, at).check();
        let same = timeless(resumed.outcome()) == timeless(whole.outcome());
        assert!(same, "cut at byte {at}");
        let bought = answered(&resumed.files[JOURNAL_FILE]);
        let mut once = bought.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), bought.len(), "bought twice after byte {at}");
        for name in [
            "2026-03-09-head-judge-1.md",
            "2026-03-09-head-judge-1-r2.md",
        ] {
            assert_eq!(resumed.files[name], whole.files[name], "cut at byte {at}");
        }
    }
}

/// Runs tests as a script says, and counts them.
#[derive(Default)]
struct CountedRuns(AtomicUsize);

impl ReproductionRunner for CountedRuns {
    fn run_reproduction(
        &self,
        _: &Reproduction,
        _: Option<&Suggestion>,
        _: Option<&council_protocol::Location>,
    ) -> ReproductionResult {
        self.0.fetch_add(1, Ordering::SeqCst);
        ReproductionResult::Ran {
            base: vec![TestRun::Passed; RUNS],
            head: vec![TestRun::Failed; RUNS],
            output: "it panics".to_owned(),
            mended: None,
            without: None,
        }
    }

    fn stop(&self) {}
}

/// A split council whose first judge brings a test, and who runs it.
fn tested() -> (Stage, Arc<CountedRuns>) {
    let runner = Arc::new(CountedRuns::default());
    let mut stage = stage(3, |judge, turn| {
        let (true, Task::Debate { suites, .. }) = (judge == "judge-1", &turn.task) else {
            return slow(judge, turn);
        };
        assert_eq!(suites.len(), 1, "it is asked for a test");
        let mut answer = council_protocol::Answer::new(2, "", Vote::Warn);
        answer.reproductions = vec![Reproduction {
            finding: "1".to_owned(),
            shows: ReproductionClaim::Defect,
            suite: "run".to_owned(),
            files: vec![ReproductionFile {
                path: "tests/new.rs".into(),
                content: "risky(input)".to_owned(),
            }],
        }];
        Deed::Say(Box::new(answer))
    });
    stage.plan.options.proof = Some(ProofTerms {
        suites: vec![TestSuite {
            name: "run".to_owned(),
            command: "run {file}".to_owned(),
        }],
        runs_ms: 1_000,
    });
    stage.runner = Some(Arc::clone(&runner) as _);
    stage.is_live = true;
    (stage.debate().paid(), runner)
}

#[test]
fn a_test_is_run_once_more_only_where_the_journal_does_not_hold_what_came_of_it() {
    let (stage, runner) = tested();
    let whole = stage.run().check();
    assert_eq!(runner.0.load(Ordering::SeqCst), 1);
    let standing = |seen: &Seen| seen.outcome().ledger.reproductions[0].standing;
    assert_eq!(standing(&whole), ReproductionStanding::Proved);
    let journal = &whole.files[JOURNAL_FILE];
    let text = std::str::from_utf8(journal).unwrap();
    let heard = text.find("\"reproduced\"").unwrap();
    let line = text[..heard].rfind('\n').unwrap() + 1;
    let after = heard + text[heard..].find('\n').unwrap() + 1;
    for (cut, runs) in [
        (line, 1),
        ((line + heard) / 2, 1),
        (after, 0),
        (journal.len(), 0),
    ] {
        let (stage, runner) = tested();
        let resumed = stage.resume(&whole, cut).check();
        assert_eq!(runner.0.load(Ordering::SeqCst), runs, "cut at byte {cut}");
        assert_eq!(standing(&resumed), ReproductionStanding::Proved);
        assert_eq!(timeless(resumed.outcome()), timeless(whole.outcome()));
    }
}

/// Where a run is resumed in CI, or `[proof]` is gone, its tests are not run: what they might have proved stays open.
#[test]
fn a_run_whose_tests_cannot_be_run_any_more_has_no_mild_verdict() {
    let (stage, _) = tested();
    let whole = stage.run().check();
    let text = std::str::from_utf8(&whole.files[JOURNAL_FILE]).unwrap();
    let heard = text.find("\"reproduced\"").unwrap();
    let (mut stage, runner) = tested();
    stage.runner = None;
    let resumed = stage.resume(&whole, text[..heard].rfind('\n').unwrap() + 1);
    assert_eq!(runner.0.load(Ordering::SeqCst), 0);
    let outcome = resumed.outcome();
    assert_eq!(outcome.verdict, Verdict::Inconclusive);
    assert!(outcome.ledger.reproductions[0].result.is_unsettled());
    let mut notes = outcome.notes.iter();
    assert!(
        notes.any(|note| note.contains("any more")),
        "{:?}",
        outcome.notes
    );
}

#[test]
fn a_run_may_be_cut_again_and_again() {
    let whole = paid().run().check();
    let mut left = whole.files[JOURNAL_FILE].clone();
    let header = left.iter().position(|&b| b == b'\n').unwrap() + 1;
    let mut kept = header;
    loop {
        // Each process adds two lines at most, and the last of them is torn.
        let resumed = paid().resume_from(&whole, &left[..kept], |_| {});
        let journal = &resumed.files[JOURNAL_FILE];
        let mut ends = (kept..journal.len()).filter(|&at| journal[at] == b'\n');
        let Some(end) = ends.nth(2) else {
            assert_eq!(timeless(resumed.outcome()), timeless(whole.outcome()));
            return;
        };
        left = journal.clone();
        kept = end + 1;
    }
}

#[test]
fn who_has_answered_is_not_asked_again_but_reminded_of_it() {
    let whole = paid().run().check();
    let journal = &whole.files[JOURNAL_FILE];
    let text = String::from_utf8_lossy(journal);
    let third = text.match_indices("\"answered\"").nth(2).unwrap().0;
    let end = third + text[third..].find('\n').unwrap() + 1;
    let resumed = paid().resume(&whole, end).check();
    assert_eq!(resumed.times("first send judge-1 review"), 0);
    assert_eq!(resumed.times("first spawn judge-1"), 1, "it sits again");
    assert_eq!(resumed.times("first send judge-1 debate"), 1);
}

/// Judges that cannot be told what they said.
struct Forgetful;

impl PromptRenderer for Forgetful {
    fn render_brief(&self, _: &Seat) -> Arc<str> {
        "the change".into()
    }

    fn render_prompt(&self, _: &Seat, _: &Turn, _: u8) -> Result<String, String> {
        Ok("go on".into())
    }

    fn render_reminder(&self, _: &Seat, _: &[Arc<str>]) -> Result<String, String> {
        Err("the template `reminder` cannot be rendered".into())
    }
}

#[test]
fn who_cannot_be_reminded_of_its_answers_is_not_asked_for_more() {
    let whole = paid().run().check();
    let journal = &whole.files[JOURNAL_FILE];
    let text = String::from_utf8_lossy(journal);
    let third = text.match_indices("\"answered\"").nth(2).unwrap().0;
    let end = third + text[third..].find('\n').unwrap() + 1;
    let mut stage = paid();
    stage.prompter = Arc::new(Forgetful);
    let resumed = stage.resume(&whole, end).check();
    assert_eq!(resumed.times("first send judge-1 debate"), 0);
    let told = format!("{:?}", resumed.outcome().judges[0].failures);
    assert!(told.contains("`reminder` cannot be rendered"), "{told}");
}

#[test]
fn the_time_that_died_with_the_process_is_given_again() {
    // Whoever hangs is cut off by its deadline; the process dies when half of that has passed.
    fn hangs_first(judge: &str, turn: &Turn) -> Deed {
        match (judge, &turn.task) {
            ("judge-1", Task::Review) => Deed::Later(100_000, Box::new(Deed::Vote(Vote::Pass))),
            ("judge-2", Task::Review) => Deed::Later(90_000, Box::new(Deed::Vote(Vote::Pass))),
            _ => Deed::Vote(Vote::Pass),
        }
    }
    let whole = stage(2, hangs_first).paid().run().check();
    let journal = &whole.files[JOURNAL_FILE];
    let text = String::from_utf8_lossy(journal);
    let first = text.find("\"answered\"").unwrap();
    let end = first + text[first..].find('\n').unwrap() + 1;
    let resumed = stage(2, hangs_first).paid().resume(&whole, end).check();
    assert_eq!(resumed.outcome().verdict, whole.outcome().verdict);
    assert_eq!(resumed.outcome().counted, 2, "100 s again are in time");
}

/// The network was gone: two of three judges could not answer.
fn cut_off(judge: &str, turn: &Turn) -> Deed {
    match judge {
        "judge-2" => Deed::Later(10, Box::new(split(judge, turn))),
        _ => Deed::Events(vec![Event::Failed {
            judge: JudgeId(judge.to_owned()),
            turn: Some(turn.id),
            failure: Failure::new(FailureKind::Died, "connection reset"),
        }]),
    }
}

fn healed(seen: &Seen) -> Seen {
    let journal = &seen.files[JOURNAL_FILE];
    paid().resume_from(seen, journal, |journal: &mut RunJournal| {
        let plan = paid().plan;
        let kept = before_losses(plan, &journal.entries).expect("judges were lost");
        journal.truncate_entries(kept);
    })
}

#[test]
fn judges_that_were_lost_to_the_network_are_asked_again_and_no_other() {
    let failed = stage(3, cut_off).debate().paid().run().check();
    assert_eq!(failed.outcome().counted, 1);
    let resumed = healed(&failed).check();
    let undisturbed = paid().run();
    assert_eq!(timeless(resumed.outcome()), timeless(undisturbed.outcome()));
    assert_eq!(
        resumed.times("first send judge-2 review"),
        0,
        "it has answered"
    );
    assert_eq!(resumed.times("first send judge-1 review"), 1);
    let again = RunJournal::parse(&resumed.files[JOURNAL_FILE]).unwrap();
    assert!(!again.forgotten.is_empty());
}

/// What was answered in time was paid for; the others are asked again where the time of the whole run was up.
#[test]
fn judges_that_the_limit_of_the_run_cut_off_are_asked_again_and_no_other() {
    fn one_hangs(judge: &str, turn: &Turn) -> Deed {
        match judge {
            "judge-2" => Deed::Hang,
            _ => Deed::Later(10, Box::new(split(judge, turn))),
        }
    }
    let mut late = stage(3, one_hangs).debate().paid();
    late.plan.timeouts.run_ms = Some(5_000);
    let failed = late.run().check();
    assert_eq!(failed.outcome().reason, VerdictReason::Deadline);
    let plan = || {
        let mut plan = paid().plan;
        plan.timeouts.run_ms = Some(5_000);
        plan
    };
    let journal = &failed.files[JOURNAL_FILE];
    let mut again = paid();
    again.plan = plan();
    let resumed = again.resume_from(&failed, journal, |journal: &mut RunJournal| {
        let kept = before_losses(plan(), &journal.entries).expect("a judge was lost");
        journal.truncate_entries(kept);
    });
    let resumed = resumed.check();
    assert_eq!(
        resumed.times("first send judge-1 review"),
        0,
        "it has answered"
    );
    assert_eq!(resumed.times("first send judge-2 review"), 1);
    assert_eq!(resumed.outcome().counted, 3);
}

#[test]
fn nothing_was_lost_in_a_run_that_went_well() {
    let whole = paid().run();
    assert_eq!(before_losses(paid().plan, &whole.journal().entries), None);
}

/// Judges of which each asks for thirty cents; the second lost its connection when it had told of them.
fn thirty_cents(judge: &str, turn: &Turn) -> Deed {
    let usage = Some(Usage {
        cost_usd: Some(0.3),
        ..Usage::default()
    });
    let (judge_id, id) = (JudgeId(judge.to_owned()), turn.id);
    if judge == "judge-2" {
        let failure = Failure::new(FailureKind::Died, "connection reset").with_usage(usage);
        let turn = Some(id);
        return Deed::Events(vec![Event::Failed {
            judge: judge_id,
            turn,
            failure,
        }]);
    }
    let raw = serde_json::to_string(&council_protocol::Answer::new(1, &turn.key, Vote::Pass));
    let raw = raw.unwrap();
    Deed::Events(vec![Event::Answered {
        judge: judge_id,
        turn: id,
        raw,
        usage,
    }])
}

#[test]
fn what_a_run_cost_before_it_was_cut_off_counts_when_it_goes_on() {
    let began = |most_usd| {
        let mut stage = stage(2, thirty_cents).paid();
        stage.most_usd = most_usd;
        stage
    };
    let failed = began(None).run();
    let journal = failed.files[JOURNAL_FILE].clone();
    let again = |most_usd| {
        began(Some(most_usd)).resume_from(&failed, &journal, |journal: &mut RunJournal| {
            let plan = stage(2, thirty_cents).paid().plan;
            let kept = before_losses(plan, &journal.entries).expect("a judge was lost");
            journal.truncate_entries(kept);
        })
    };
    // Sixty cents are gone, the answer that was forgotten with the loss among them.
    for (most_usd, asked) in [(0.59, 0), (0.6, 0), (0.61, 1), (9.0, 1)] {
        let resumed = again(most_usd);
        assert_eq!(
            resumed.times("first send judge-2 review"),
            asked,
            "{most_usd}: {:?} {:?}",
            resumed.diary,
            resumed.outcome().judges[1].failures
        );
        let refused = format!("{:?}", resumed.outcome().judges).contains("--max-cost");
        assert_eq!(refused, asked == 0, "{most_usd}");
        let told = RunJournal::parse(&resumed.files[JOURNAL_FILE]).unwrap();
        assert_eq!(
            told.max_usd,
            Some(most_usd),
            "whoever watches is shown the cap"
        );
    }
}

/// The first judge objects and is lost with that; asked again it has nothing to say.
fn objects_and_is_lost(kind: FailureKind, answer: &str) -> impl Fn(&str, &Turn) -> Deed {
    let answer = answer.to_owned();
    move |judge, turn| {
        if judge != "judge-1" {
            return Deed::Vote(Vote::Pass);
        }
        let said = answer.replace("KEY", &turn.key);
        let failure = Failure::new(kind, "so it goes").with_drafts([said]);
        Deed::Events(vec![Event::Failed {
            judge: JudgeId(judge.to_owned()),
            turn: Some(turn.id),
            failure,
        }])
    }
}

#[test]
fn what_a_lost_judge_had_objected_to_is_told_after_it_was_asked_again() {
    fn agrees(_: &str, _: &Turn) -> Deed {
        Deed::Vote(Vote::Pass)
    }
    let fails = r#"{"key":"KEY","verdict":"FAIL"}"#;
    let passes = r#"{"key":"KEY","verdict":"PASS"}"#;
    for kind in [
        FailureKind::Died,
        FailureKind::Provider,
        FailureKind::Timeout,
    ] {
        for (said, objects) in [(fails, true), (passes, false)] {
            let forget = |journal: &mut RunJournal| {
                let plan = stage(3, agrees).paid().plan;
                if let Some(kept) = before_losses(plan, &journal.entries) {
                    journal.truncate_entries(kept);
                }
            };
            let failed = stage(3, objects_and_is_lost(kind, said))
                .paid()
                .run()
                .check();
            let journal = failed.files[JOURNAL_FILE].clone();
            let resumed = stage(3, agrees)
                .paid()
                .resume_from(&failed, &journal, forget);
            let resumed = resumed.check();
            let told = |seen: &Seen| format!("{:?}", seen.outcome().notes).contains("it said FAIL");
            assert_eq!(told(&resumed), objects, "{kind}");
            let is_green = resumed.outcome().verdict == Verdict::Pass;
            assert_eq!(is_green, !objects, "{kind}");
            // Whoever reads the journal later finds the same.
            let journal = resumed.journal();
            let recalled = |entry: &&JournalEntry| matches!(entry.input, Input::Recalled { .. });
            let count = journal.entries.iter().filter(recalled).count();
            assert_eq!(count, usize::from(objects), "{kind}");
            let cut = resumed.files[JOURNAL_FILE].clone();
            let again = stage(3, agrees)
                .paid()
                .resume_from(&resumed, &cut, forget)
                .check();
            assert_eq!(told(&again), objects, "{kind}");
        }
    }
}

/// What a judge says at first that is no answer, and how it fails so.
fn first_slips() -> [fn(&str, &Turn) -> Deed; 4] {
    [
        |_, _| Deed::Raw("Let me look at this change first."),
        |_, _| Deed::Raw("{\"schema_version\": 1, \"verdict\": \"FAIL\"}"),
        |judge, turn| {
            Deed::Events(vec![Event::Failed {
                judge: JudgeId(judge.to_owned()),
                turn: Some(turn.id),
                failure: Failure::new(FailureKind::Empty, "nothing"),
            }])
        },
        |_, _| {
            let mut answer = council_protocol::Answer::new(1, "", Vote::Fail);
            answer.findings = vec![Finding {
                quote: "let a = a_line_that_is_not_there();".into(),
                ..critical()
            }];
            Deed::Say(Box::new(answer))
        },
    ]
}

fn critical() -> Finding {
    Finding {
        severity: Severity::Critical,
        ..risky()
    }
}

/// A judge that answers when it is asked a second time has answered, whenever the other one was lost: resumed, it is not
/// asked again, and what it says then cannot take the place of what it said.
#[test]
fn an_answer_at_the_second_asking_is_kept_when_another_judge_is_asked_again() {
    for (which, slip) in first_slips().into_iter().enumerate() {
        for lost_after in [1_u64, 15, 60] {
            let bench = move |judge: &str, turn: &Turn| {
                let is_mended = matches!(turn.task, Task::Mend { .. });
                let mut answer = council_protocol::Answer::new(1, "", Vote::Fail);
                answer.findings = vec![critical()];
                let deed = match (judge, is_mended) {
                    ("judge-1", false) => slip(judge, turn),
                    ("judge-1", true) => Deed::Say(Box::new(answer)),
                    _ => {
                        let lost = Event::Failed {
                            judge: JudgeId(judge.to_owned()),
                            turn: Some(turn.id),
                            failure: Failure::new(FailureKind::Quota, "it is used up"),
                        };
                        return Deed::Later(lost_after, Box::new(Deed::Events(vec![lost])));
                    }
                };
                Deed::Later(10, Box::new(deed))
            };
            // Asked again, it would see nothing.
            let later = |_: &str, _: &Turn| Deed::Vote(Vote::Pass);
            let failed = stage(2, bench).paid().run().check();
            let journal = failed.files[JOURNAL_FILE].clone();
            let resumed = stage(2, later).paid().resume_from(
                &failed,
                &journal,
                |journal: &mut RunJournal| {
                    let plan = stage(2, later).paid().plan;
                    let kept = before_losses(plan, &journal.entries).expect("one was lost");
                    journal.truncate_entries(kept);
                },
            );
            let resumed = resumed.check();
            let case = format!("{which}, lost after {lost_after} ms");
            assert_eq!(resumed.times("first send judge-1 review"), 0, "{case}");
            assert_eq!(resumed.times("first send judge-1 mend"), 0, "{case}");
            let findings = &resumed.outcome().findings;
            assert_eq!(findings.len(), 1, "{case}: {:?}", resumed.outcome().notes);
            assert_eq!(findings[0].finding.severity, Severity::Critical, "{case}");
            assert_eq!(
                resumed.outcome().judges[0].counted,
                Some(Vote::Fail),
                "{case}"
            );
        }
    }
}
