//! What a next step names is there: a command that prints it, or a place of the page on which it stands.

use std::collections::BTreeSet;

use council_protocol::answer::Stance;
use council_protocol::message::{Failure, FailureKind};
use council_protocol::reproduction::ReproductionClaim;
use council_protocol::{CoverageState, RoundNumber, Vote};
use council_secrets::Redactor;

use super::parts::{file, judged, opinion, outcome, run, sql, subject, thinking};
use super::samples;
use crate::council::outcome::{
    Disposition, FindingLevel, Opinion, RoundFailure, Verdict, VerdictReason,
};
use crate::council::reproduction::{RUNS, ReproductionRecord, ReproductionResult, TestRun};
use crate::report::document::{Document, ReadingPlace};
use crate::report::words::JudgeNames;
use crate::report::{
    DisplayOptions, FailOn, GatePolicy, Report, TOO_LONG_A_LINE, agent, both_sides, checkstyle,
    gitlab, html, junit, markdown, rdjson, sarif, terminal,
};

pub(super) const PLACES: [ReadingPlace; 5] = [
    ReadingPlace::Clone,
    ReadingPlace::Agent,
    ReadingPlace::Forge,
    ReadingPlace::Conversation,
    ReadingPlace::SomeConversations,
];

/// What the judge says who disagrees, and the line that it quotes.
const REFUTER: (&str, &str) = ("No request reaches this function.", "fn internal_only()");

/// Why judges of the samples object, and what could not be read.
const OBJECTION: &str = "The statement is open to whoever sends it.";
const LONG_LINE: &str = "src/min.js: the last 9 ";

/// A critical finding of one judge, which another one refutes or did not look at.
pub(super) fn open_critical(disposition: Disposition) -> Report {
    let mut outcome = outcome(Verdict::Warn, VerdictReason::CriticalDisputed);
    outcome.judges.truncate(3);
    thinking(&mut outcome.judges);
    let mut finding = sql();
    finding.rule = None;
    let level = Some(FindingLevel::Warn);
    let mut found = judged("F1", finding, disposition, level, &["security"]);
    if disposition == Disposition::Disputed {
        let evidence = Some(("src/db.rs", 7, REFUTER.1));
        found.opinions = vec![opinion("tests", Stance::Disagreed, REFUTER.0, evidence)];
    }
    outcome.findings = vec![found];
    Report::new(
        outcome,
        subject("main...feature"),
        run(),
        &Redactor::default(),
    )
}

/// A report without a verdict, for a reason; `lost`: what nobody read.
fn undecided(reason: VerdictReason, lost: Option<CoverageState>, note: &str) -> Report {
    let mut outcome = outcome(Verdict::Inconclusive, reason);
    thinking(&mut outcome.judges);
    let objecting = &mut outcome.judges[0];
    (objecting.r1, objecting.counted) = (Some(Vote::Fail), Some(Vote::Fail));
    objecting.first_insight = OBJECTION.into();
    objecting.key_insight = OBJECTION.into();
    outcome
        .coverage
        .files
        .extend(lost.map(|state| file("src/lost.rs", state)));
    outcome
        .notes
        .extend((!note.is_empty()).then(|| note.to_owned()));
    Report::new(
        outcome,
        subject("main...feature"),
        run(),
        &Redactor::default(),
    )
}

fn reports() -> Vec<Report> {
    let unreadable = CoverageState::Unreadable {
        reason: "gone astray".into(),
    };
    let cut = CoverageState::Truncated {
        shown: 12,
        total: 54,
    };
    let long = format!("{LONG_LINE}{TOO_LONG_A_LINE}1 more were not shown");
    let mut all: Vec<Report> = samples::all()
        .into_iter()
        .map(|(_, report)| report)
        .collect();
    all.extend([
        open_critical(Disposition::Disputed),
        open_critical(Disposition::Unconfirmed),
        undecided(VerdictReason::VerdictWithoutFinding, None, ""),
        undecided(VerdictReason::IncompleteCoverage, Some(unreadable), ""),
        undecided(VerdictReason::IncompleteCoverage, Some(cut.clone()), &long),
        undecided(VerdictReason::IncompleteCoverage, Some(cut), ""),
        undecided(VerdictReason::Deadline, None, ""),
        undecided(VerdictReason::BackendLost, None, ""),
    ]);
    all
}

/// Every next step that the samples have, with its report and where it is read.
pub(crate) fn every_next_step() -> Vec<(Report, ReadingPlace, String)> {
    let at_places = |report: Report| {
        PLACES.map(|place| {
            let names = JudgeNames::of(&report.outcome.judges);
            let step = Document::at_place(&report, &names, false, place)
                .verdict
                .next_step;
            (report.clone(), place, step)
        })
    };
    let all = reports().into_iter().flat_map(at_places);
    all.filter(|(_, _, step)| !step.is_empty()).collect()
}

fn plain(text: &str) -> String {
    let text = text.replace("<code>", "").replace("</code>", "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The pages on which a next step stands.
pub(super) fn pages(report: &Report, place: ReadingPlace) -> Vec<String> {
    let look = DisplayOptions {
        place,
        ..DisplayOptions::default()
    };
    let markdown = |fold| {
        let bare = markdown::MarkdownOptions::default();
        markdown::render(
            report,
            markdown::MarkdownOptions {
                place,
                fold,
                ..bare
            },
        )
    };
    let material = html::PageMaterial {
        place,
        ..html::PageMaterial::default()
    };
    let pages = [
        terminal::render(report, look, &[]),
        markdown(true),
        markdown(false),
        html::render(report, &material),
    ];
    pages.iter().map(|page| plain(page)).collect()
}

/// What those said and quoted who disagree with the first finding.
fn said_against(report: &Report) -> Vec<String> {
    let opinions = report.outcome.findings.iter().take(1);
    let opinions = opinions.flat_map(|finding| &finding.opinions);
    let against = opinions.filter(|opinion| opinion.stance == Stance::Disagreed);
    let words = |opinion: &Opinion| {
        let quote = opinion
            .evidence
            .as_ref()
            .map(|evidence| evidence.quote.clone());
        [Some(opinion.reasoning.clone()), quote]
    };
    against.flat_map(words).flatten().collect()
}

/// What a sentence that says "below" promises; none for a sentence that nobody has thought of here.
fn promised_below(step: &str, report: &Report) -> Option<Vec<String>> {
    let words = |all: &[&str]| Some(all.iter().map(|word| (*word).to_owned()).collect());
    let failed = || {
        let judges = report.abstained_judges();
        let failures = judges.filter_map(|judge| judge.own_failure());
        failures
            .map(|failed| plain(&failed.failure.in_words()))
            .collect()
    };
    match step {
        _ if step.contains("both sides are below") => Some(said_against(report)),
        _ if step.contains("is listed below") => words(&["src/lost.rs", "gone astray"]),
        _ if step.contains("the note below") => words(&[LONG_LINE.trim()]),
        _ if step.contains("the judges object, below") => words(&[OBJECTION]),
        _ if step.contains("see why below") => Some(failed()),
        _ => None,
    }
}

#[test]
fn what_a_next_step_says_is_below_stands_below() {
    let mut kinds = BTreeSet::new();
    for (report, place, step) in every_next_step() {
        if !step.contains("below") {
            continue;
        }
        let promised = promised_below(&step, &report);
        let promised = promised.unwrap_or_else(|| panic!("what is below, of {step:?}?"));
        kinds.extend((!promised.is_empty()).then(|| step.clone()));
        for page in pages(&report, place) {
            for words in &promised {
                let words = words.replace('`', "");
                assert!(
                    page.replace('`', "").contains(&words),
                    "{step}\n{words}\n{page}"
                );
            }
        }
    }
    assert!(kinds.len() > 4, "each of them is tried: {kinds:?}");
}

/// Whoever asks again under the bound that turned judges away is turned away again.
#[test]
fn what_the_bound_of_the_cost_stopped_is_not_asked_again_under_it() {
    let mut report = undecided(VerdictReason::BelowQuorum, None, "");
    let detail = "the call may cost $0.40, and $0.01 are left: raise --max-cost";
    for judge in &mut report.outcome.judges {
        judge.counted = None;
        judge.failures = vec![RoundFailure {
            round: RoundNumber::FIRST,
            failure: Failure::new(FailureKind::Quota, detail),
        }];
    }
    let step = |report: &Report, place| {
        let names = JudgeNames::of(&report.outcome.judges);
        Document::at_place(report, &names, false, place)
            .verdict
            .next_step
    };
    for place in PLACES {
        let told = step(&report, place);
        assert!(told.contains("--max-cost"), "{told}");
    }
    let clone = step(&report, ReadingPlace::Clone);
    assert!(
        clone.contains("git council resume") && clone.contains("--max-cost USD"),
        "{clone}"
    );
    report.outcome.judges[0].failures[0].failure = Failure::new(FailureKind::Provider, "gone");
    for place in PLACES {
        let told = step(&report, place);
        assert!(
            !told.contains("--max-cost"),
            "one of them may answer: {told}"
        );
    }
}

/// A law: a run that findings fail says what clears it, whatever the word of its verdict.
#[test]
fn a_run_that_fails_by_its_findings_says_what_clears_it() {
    for (name, mut report) in samples::all() {
        report.receipt.run.fail_on = Some(FailOn::Warn);
        if report.failing_findings().next().is_none() || report.receipt.run.recorded {
            continue;
        }
        let fails = report.bottom_line(report.own_gate()).exit_code == 1;
        let names = JudgeNames::of(&report.outcome.judges);
        for place in PLACES {
            let step = Document::at_place(&report, &names, false, place)
                .verdict
                .next_step;
            assert!(
                !fails || step.starts_with("Next step: fix"),
                "{name:?}: {step}"
            );
        }
    }
}

/// A law: what stands on a page of the forge names no finding by an id that no line of that page has outside of its fold.
#[test]
fn a_next_step_on_the_forge_names_no_id_that_is_folded_away() {
    for (report, place, step) in every_next_step() {
        if matches!(place, ReadingPlace::Clone | ReadingPlace::Agent) {
            continue;
        }
        let ids = report
            .outcome
            .findings
            .iter()
            .map(|found| found.id.as_str());
        for id in ids {
            let mut words = step.split(|c: char| !c.is_alphanumeric());
            assert!(!words.any(|word| word == id), "{step}");
        }
    }
}

/// A law: a form that shows a critical finding alone says so where it does not fail the change.
#[test]
fn every_form_says_that_a_critical_finding_fails_nothing() {
    for disposition in [Disposition::Disputed, Disposition::Unconfirmed] {
        let report = open_critical(disposition);
        let gate = GatePolicy::default();
        let beside = markdown::beside_a_line(&report.outcome.findings[0]);
        for text in [
            sarif::render(&report, gate),
            junit::render(&report, gate),
            checkstyle::render(&report, gate),
            gitlab::render(&report, gate),
            beside,
        ] {
            assert!(text.contains("does not fail the change)"), "{text}");
        }
    }
}

/// Who votes FAIL and has named nothing has no findings that could fail to hold.
#[test]
fn a_judge_that_names_nothing_is_said_to_name_nothing() {
    let report = undecided(VerdictReason::VerdictWithoutFinding, None, "");
    assert_eq!(
        report.outcome.findings.len(),
        0,
        "the sample has none to speak of"
    );
    assert!(
        report
            .headline()
            .ends_with("a judge votes FAIL, but names no finding"),
        "{}",
        report.headline()
    );
}

/// Several judges that are too few, or agree without evidence, are not one.
#[test]
fn one_judge_alone_reports_what_no_other_stands_behind() {
    let step = |change: &dyn Fn(&mut Report)| {
        let mut report = open_critical(Disposition::Unconfirmed);
        change(&mut report);
        let names = JudgeNames::of(&report.outcome.judges);
        let document = Document::of(&report, &names, false);
        document.verdict.next_step.clone()
    };
    let alone = "which one judge alone reports";
    assert!(step(&|_| {}).contains(alone));
    let agrees = |report: &mut Report| {
        report.outcome.findings[0].opinions =
            vec![opinion("tests", Stance::Agreed, "Right.", None)];
    };
    let reports = |report: &mut Report| {
        let mut member = report.outcome.findings[0].members[0].clone();
        member.judge = "tests".into();
        report.outcome.findings[0].members.push(member);
    };
    for change in [&agrees as &dyn Fn(&mut Report), &reports] {
        let told = step(change);
        assert!(
            !told.contains(alone) && told.contains("too few judges hold"),
            "{told}"
        );
    }
}

#[test]
fn where_a_command_has_both_sides_it_has_them() {
    let mut steps = every_next_step();
    steps.retain(|(report, _, step)| {
        step.contains("show F1` has both sides") && !said_against(report).is_empty()
    });
    assert!(!steps.is_empty());
    for (report, ..) in steps {
        let told = both_sides(&report, &report.outcome.findings[0]).join("\n");
        for words in ["held by security", "tests disagrees", REFUTER.0, REFUTER.1] {
            assert!(told.contains(words), "{told}");
        }
    }
}

/// Digits that are for a fingerprint stand in no sentence, whatever the format.
#[test]
fn no_format_shows_a_piece_of_a_fingerprint() {
    let mut report = open_critical(Disposition::Disputed);
    for finding in &mut report.outcome.findings {
        let told = format!(
            "{} There are 2 more in this file: lines 3 and 4 (b9fb).",
            finding.finding.description
        );
        finding.members[0].finding.description.clone_from(&told);
        finding.finding.description = told;
    }
    let gate = GatePolicy::default();
    let mut all = pages(&report, ReadingPlace::Clone);
    all.extend([
        agent::render(&report, gate),
        sarif::render(&report, gate),
        rdjson::render(&report, gate),
        junit::render(&report, gate),
        checkstyle::render(&report, gate),
        gitlab::render(&report, gate),
    ]);
    for text in all {
        assert!(text.contains("lines 3 and 4"), "{text}");
        assert!(!text.contains("b9fb"), "{text}");
    }
}

/// A finding of the only judge that answered is nobody's agreement.
#[test]
fn a_lone_finding_is_not_told_as_confirmed_where_a_judge_is_missing() {
    let mut report = open_critical(Disposition::Confirmed);
    report.outcome.judges.truncate(2);
    let lone = |report: &Report| agent::render(report, GatePolicy::default());
    assert!(
        lone(&report).contains("\tF1\tcritical\tconfirmed\t"),
        "{}",
        lone(&report)
    );
    let absent = &mut report.outcome.judges[1];
    (absent.r1, absent.counted) = (None, None);
    assert!(
        lone(&report).contains("\tF1\tcritical\tunconfirmed\t"),
        "{}",
        lone(&report)
    );
    let told = both_sides(&report, &report.outcome.findings[0]).join("\n");
    assert!(
        told.contains("held by security alone: no answer came from error-paths"),
        "{told}"
    );
}

/// What one of two judges read, and objected to, was read.
#[test]
fn what_too_few_read_is_not_called_unread() {
    let only = "only 1 of the 2 judges that were shown it answered";
    let state = CoverageState::Unreadable {
        reason: only.into(),
    };
    let report = undecided(VerdictReason::IncompleteCoverage, Some(state), "");
    for page in pages(&report, ReadingPlace::Clone) {
        let page = page.to_lowercase();
        let at = page
            .find("read by too few")
            .unwrap_or_else(|| panic!("{page}"));
        assert!(page[at..].contains("src/lost.rs"), "{page}");
        assert!(!page.contains("not read: src/lost.rs"), "{page}");
    }
}

/// A finding whose own test went green is not one for which nobody tried.
#[test]
fn a_test_that_decides_nothing_has_a_line_in_every_report() {
    let mut report = open_critical(Disposition::Unconfirmed);
    let runs = || vec![TestRun::Passed; RUNS];
    let result = ReproductionResult::Ran {
        base: runs(),
        head: runs(),
        output: String::new(),
        mended: None,
        without: None,
    };
    report.outcome.ledger.reproductions = vec![ReproductionRecord {
        id: "P1".into(),
        judge: "judge-security".into(),
        finding: Some("F1".into()),
        shows: ReproductionClaim::Defect,
        command: "pytest test_a.py".into(),
        files: Vec::new(),
        standing: result.standing(),
        result,
        refutes: false,
    }];
    let told =
        "P1 by security about F1: not proved by this: it passes before the change and after it";
    for page in pages(&report, ReadingPlace::Clone) {
        assert!(page.contains(told), "{page}");
    }
}
