//! What a finding rests on, through the engine: who found it, who looked, who refuted it, and how many could have.

use council_protocol::answer::{Evidence, IndependentFinding, Stance, Tag, Withdrawal};
use council_protocol::{Finding, Severity, Task, Vote};

use crate::outcome::{Disposition, FindingLevel, Outcome, ReviewedBy, Verdict, VerdictReason};
use crate::plan::{DebateMode, Procedure};
use crate::testing::{Run, UNRELATED, change, evidence, finding, plan, response};

const LINE: u32 = 30;

fn critical() -> Finding {
    finding(Severity::Critical, LINE)
}

/// What a judge does with the finding.
#[derive(Clone, Copy)]
enum Part {
    Finds,
    Agrees(u32),
    Refutes(u32),
    /// Votes FAIL now, over this line, and says nothing else.
    Moves(u32),
    /// The same, with a problem of another kind that it found there.
    MovesWithOwn(u32),
    Silent,
    /// Found it, and takes it back over this line.
    TakesBack(u32),
}

/// A debate about one critical finding.
fn debated(parts: &[Part]) -> Outcome {
    let mut run = Run::seated(plan(Procedure::Debate, parts.len()));
    let name = |index: usize| format!("judge-{}", index + 1);
    for (index, part) in parts.iter().enumerate() {
        match part {
            Part::Finds | Part::TakesBack(_) => {
                run.answer(&name(index), Vote::Fail, |a| a.findings = vec![critical()]);
            }
            _ => run.answer(&name(index), Vote::Pass, |_| {}),
        }
    }
    if parts.len() == 1 {
        return run.concluded().clone();
    }
    for (index, part) in parts.iter().enumerate() {
        let Task::Debate { peers, .. } = run.task(&name(index)) else {
            panic!("{} is not debating", name(index))
        };
        let shown: Vec<String> = peers
            .iter()
            .flat_map(|p| &p.findings)
            .map(|f| f.id.clone())
            .collect();
        let say = |stance, line| {
            shown
                .iter()
                .map(|id| response(id, stance, Some(evidence(line))))
                .collect()
        };
        let (pass, fail) = (Vote::Pass, Vote::Fail);
        run.answer(
            &name(index),
            if matches!(part, Part::Finds | Part::Moves(_) | Part::MovesWithOwn(_)) {
                fail
            } else {
                pass
            },
            |a| match *part {
                Part::Agrees(line) => a.responses = say(Stance::Agreed, line),
                Part::Refutes(line) => a.responses = say(Stance::Disagreed, line),
                Part::Moves(line) => a.change = change(pass, fail, Some(evidence(line))),
                Part::MovesWithOwn(line) => {
                    a.change = change(pass, fail, Some(evidence(line)));
                    let mut own = finding(Severity::Critical, line);
                    own.category = "another-kind".into();
                    own.description = "The lock is never released.".into();
                    let tag = Tag::New;
                    a.independent_findings = vec![IndependentFinding { tag, finding: own }];
                }
                Part::TakesBack(line) => {
                    a.withdrawn = vec![Withdrawal {
                        finding: 1,
                        evidence: Some(evidence(line)),
                    }];
                    a.change = change(fail, pass, Some(evidence(line)));
                }
                Part::Finds | Part::Silent => {}
            },
        );
    }
    run.concluded().clone()
}

fn becomes(parts: &[Part]) -> (Verdict, Disposition) {
    let outcome = debated(parts);
    (outcome.verdict, outcome.findings[0].disposition)
}

const CONFIRMED: (Verdict, Disposition) = (Verdict::Fail, Disposition::Confirmed);
const DISPUTED: (Verdict, Disposition) = (Verdict::Warn, Disposition::Disputed);
const OPEN: (Verdict, Disposition) = (Verdict::Warn, Disposition::Unconfirmed);

use Part::{Agrees, Finds, Moves, Refutes, Silent, TakesBack};

#[test]
fn a_judge_that_moves_over_the_line_itself_has_looked_at_it() {
    for line in [LINE, LINE + 1] {
        assert_eq!(becomes(&[Finds, Moves(line)]), CONFIRMED, "line {line}");
    }
    assert_eq!(
        becomes(&[Finds, Moves(LINE - 20)]),
        (Verdict::Inconclusive, Disposition::Unconfirmed),
        "over something else: both vote FAIL, and nothing that they found is confirmed"
    );
    let outcome = debated(&[Finds, Moves(LINE)]);
    assert_eq!(
        outcome.findings[0].opinions[0].reasoning,
        "moved from PASS to FAIL over this place"
    );
}

/// Whoever moves over a problem of its own says nothing of a neighbour's.
#[test]
fn a_judge_that_moves_over_its_own_finding_confirms_no_other() {
    for line in [LINE - 2, LINE + 1, LINE + 2] {
        let outcome = debated(&[Finds, Part::MovesWithOwn(line)]);
        let mut all = outcome.findings.iter();
        let first = all.find(|f| f.finding.location.line == LINE).unwrap();
        assert_eq!(first.disposition, Disposition::Unconfirmed, "line {line}");
        assert!(first.opinions.is_empty(), "{:?}", first.opinions);
    }
}

#[test]
fn support_is_weighed_against_the_number_of_judges() {
    assert_eq!(becomes(&[Finds, Silent]), OPEN);
    assert_eq!(becomes(&[Finds, Agrees(LINE)]), CONFIRMED);
    assert_eq!(becomes(&[Finds, Finds, Silent]), CONFIRMED);
    assert_eq!(
        becomes(&[Finds, Agrees(50), Silent]),
        CONFIRMED,
        "evidence of its own"
    );
    assert_eq!(becomes(&[Finds, Agrees(LINE), Silent]), OPEN, "4/3 of 3/2");
    assert_eq!(becomes(&[Finds, Agrees(LINE), Agrees(LINE)]), CONFIRMED);
    assert_eq!(
        becomes(&[Finds, Finds, Silent, Silent, Silent]),
        OPEN,
        "two of five"
    );
    assert_eq!(
        becomes(&[Finds, Finds, Agrees(50), Silent, Silent]),
        CONFIRMED
    );
    let mut nine = [Silent; 9];
    (nine[0], nine[4]) = (Finds, Finds);
    assert_eq!(becomes(&nine), OPEN, "two voices of nine");
}

#[test]
fn a_refutation_is_never_ignored() {
    assert_eq!(becomes(&[Finds, Refutes(50)]), DISPUTED);
    assert_eq!(
        becomes(&[Finds, Agrees(50), Refutes(45)]),
        DISPUTED,
        "two voices against a refutation"
    );
    assert_eq!(becomes(&[Finds, Finds, Refutes(45)]), DISPUTED);
    assert_eq!(
        becomes(&[Finds, Finds, Finds, Refutes(45)]),
        CONFIRMED,
        "three less one is half of four"
    );
    assert_eq!(becomes(&[Finds, Finds]), CONFIRMED);
}

#[test]
fn what_every_judge_holds_is_confirmed_whatever_the_sum() {
    let four_looked = [
        Finds,
        Agrees(LINE),
        Agrees(LINE),
        Agrees(LINE),
        Agrees(LINE),
    ];
    assert_eq!(
        becomes(&four_looked),
        CONFIRMED,
        "7/3 of 5/2, and nobody who does not hold it"
    );
    assert_eq!(becomes(&[Finds]), CONFIRMED, "one judge of one");
}

#[test]
fn what_is_taken_back_but_held_by_another_is_not_lost() {
    let (verdict, disposition) = becomes(&[TakesBack(50), Agrees(LINE)]);
    assert_eq!((verdict, disposition), OPEN);
    assert_eq!(becomes(&[TakesBack(50), Finds, Silent]), OPEN);
}

/// Who is talked out of a critical finding must not leave the change greener than who is refuted.
#[test]
fn a_critical_that_is_taken_back_stays_open_until_two_others_refute_it() {
    let told = |outcome: &Outcome, what: &str| {
        let told = outcome.notes.iter().any(|note| note.contains(what));
        assert!(told, "{:?}", outcome.notes);
    };
    let outcome = debated(&[TakesBack(50), Silent]);
    assert_eq!((outcome.verdict, outcome.findings[0].disposition), DISPUTED);
    told(
        &outcome,
        "a critical finding of judge-1 at a.rs:30 was taken back, but no other",
    );
    assert_eq!(becomes(&[TakesBack(50), TakesBack(45)]), DISPUTED);
    assert_eq!(becomes(&[TakesBack(50), Refutes(UNRELATED)]), DISPUTED);
    assert_eq!(
        becomes(&[TakesBack(50), Refutes(LINE)]),
        DISPUTED,
        "its own line"
    );
    let outcome = debated(&[TakesBack(50), Refutes(45)]);
    let became = (outcome.verdict, outcome.findings[0].disposition);
    assert_eq!(became, DISPUTED, "any line of the file can be cited");
    told(
        &outcome,
        "a critical finding of judge-1 at a.rs:30 was taken back, and only one other judge refuted it",
    );
    let outcome = debated(&[TakesBack(50), Refutes(45), Refutes(44)]);
    let became = (outcome.verdict, outcome.findings[0].disposition);
    assert_eq!(became, (Verdict::Pass, Disposition::Rejected));
    told(
        &outcome,
        "a critical finding of judge-1 at a.rs:30 does not count",
    );
    assert_eq!(
        becomes(&[TakesBack(50), TakesBack(45), Refutes(44), Silent]),
        DISPUTED
    );
}

#[test]
fn a_refutation_is_about_the_finding() {
    assert_eq!(becomes(&[Finds, Finds, Refutes(UNRELATED)]), CONFIRMED);
    assert_eq!(
        becomes(&[Finds, Finds, Refutes(LINE)]),
        CONFIRMED,
        "its own line"
    );
    assert_eq!(becomes(&[Finds, Finds, Refutes(LINE + 1)]), DISPUTED);
}

#[test]
fn a_rule_confirms_what_it_found_and_no_more() {
    let mut plan = plan(Procedure::Review, 3);
    plan.debate = DebateMode::Off;
    plan.seats[0].seat.agent.deterministic = true;
    let mut run = Run::seated(plan);
    let hit = |line| Finding {
        rule: Some("overflow".into()),
        ..finding(Severity::Significant, line)
    };
    run.answer("judge-1", Vote::Warn, |a| a.findings = vec![hit(LINE + 1)]);
    run.answer("judge-2", Vote::Fail, |a| a.findings = vec![critical()]);
    run.answer("judge-3", Vote::Pass, |_| {});
    let outcome = run.concluded();
    let all: Vec<_> = outcome
        .findings
        .iter()
        .map(|f| (f.finding.location.line, f.disposition))
        .collect();
    assert_eq!(
        all,
        [
            (LINE, Disposition::Unconfirmed),
            (LINE + 1, Disposition::Confirmed)
        ]
    );
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Warn, VerdictReason::CriticalUnconfirmed)
    );
    assert_eq!(outcome.reviewed_by, ReviewedBy::Both);
}

#[test]
fn a_models_word_on_a_rules_line_rests_on_the_models() {
    let mut plan = plan(Procedure::Review, 3);
    plan.debate = DebateMode::Off;
    plan.seats[0].seat.agent.deterministic = true;
    let mut run = Run::seated(plan);
    let hit = Finding {
        rule: Some("overflow".into()),
        ..finding(Severity::Minor, LINE)
    };
    run.answer("judge-1", Vote::Warn, |a| a.findings = vec![hit]);
    run.answer("judge-2", Vote::Fail, |a| a.findings = vec![critical()]);
    run.answer("judge-3", Vote::Pass, |_| {});
    let [found] = run.concluded().findings.as_slice() else {
        panic!("one line, one category")
    };
    let shown = (found.finding.severity, found.disposition, found.level);
    assert_eq!(
        shown,
        (
            Severity::Critical,
            Disposition::Unconfirmed,
            Some(FindingLevel::Warn)
        )
    );
}

#[test]
fn a_model_that_says_the_same_as_a_rule_takes_neither_its_name_nor_its_words() {
    let mut plan = plan(Procedure::Review, 3);
    plan.debate = DebateMode::Off;
    plan.seats[2].seat.agent.deterministic = true;
    let mut run = Run::seated(plan);
    let hit = Finding {
        rule: Some("overflow".into()),
        description: "The sum may overflow.".into(),
        ..critical()
    };
    let remark = Finding {
        description: "A sum.".into(),
        ..critical()
    };
    run.answer("judge-1", Vote::Fail, |a| a.findings = vec![remark]);
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-3", Vote::Fail, |a| a.findings = vec![hit]);
    let [found] = run.concluded().findings.as_slice() else {
        panic!("one line, one category")
    };
    let shown = (&found.finding.rule, found.finding.description.as_str());
    assert_eq!(shown, (&Some("overflow".into()), "The sum may overflow."));
}

#[test]
fn rules_alone_are_no_council() {
    for (procedure, debate) in [
        (Procedure::Review, DebateMode::Auto),
        (Procedure::Review, DebateMode::Force),
        (Procedure::Debate, DebateMode::Force),
        (Procedure::CrossExamination, DebateMode::Auto),
        (Procedure::Staged, DebateMode::Auto),
    ] {
        let mut plan = plan(procedure, 3);
        plan.debate = debate;
        plan.seats
            .iter_mut()
            .for_each(|seat| seat.seat.agent.deterministic = true);
        let mut run = Run::seated(plan);
        let hit = |a: &mut council_protocol::Answer| {
            a.position = Some("It is risky.".into());
            a.findings = vec![critical()];
        };
        run.answer("judge-1", Vote::Fail, hit);
        run.answer("judge-2", Vote::Fail, hit);
        run.answer("judge-3", Vote::Pass, |a| {
            a.position = Some("Nothing matched.".into())
        });
        let outcome = run.concluded();
        assert_eq!(
            (outcome.rounds, outcome.reviewed_by),
            (1, ReviewedBy::Rules),
            "{procedure:?}"
        );
        assert!(
            outcome.branch.is_none() && !outcome.converged && outcome.ledger.confidence.is_none()
        );
        assert!(
            outcome
                .judges
                .iter()
                .all(|j| j.confidence.is_none() && j.steel_man.is_none())
        );
        assert!(
            outcome
                .ledger
                .rounds
                .iter()
                .all(|r| r.stands.is_empty() && r.consensus.is_empty())
        );
        assert_eq!(
            outcome.verdict,
            Verdict::Fail,
            "a rule's finding is confirmed by itself"
        );
    }
}

#[test]
fn models_debate_what_rules_found_and_rules_do_not_answer() {
    let mut plan = plan(Procedure::Debate, 3);
    plan.seats[0].seat.agent.deterministic = true;
    let mut run = Run::seated(plan);
    run.answer("judge-1", Vote::Fail, |a| a.findings = vec![critical()]);
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-3", Vote::Pass, |_| {});
    assert_eq!(run.rounds_of("judge-1"), [1]);
    for (judge, evidence) in [
        ("judge-2", Some(evidence(50))),
        ("judge-3", None::<Evidence>),
    ] {
        let id = run.id_of(judge, "judge-1", 1);
        run.answer(judge, Vote::Pass, |a| {
            a.responses = vec![response(&id, Stance::Disagreed, evidence)]
        });
    }
    let outcome = run.concluded();
    assert_eq!(
        outcome.findings[0].disposition,
        Disposition::Disputed,
        "less support than -1 from models is none"
    );
    assert!(
        !outcome
            .notes
            .iter()
            .any(|n| n.contains("answered in round 1 only")),
        "{:?}",
        outcome.notes
    );
}

/// What a judge reports of the line: how bad it is, and of which kind.
pub(super) type Reported = Option<(Severity, &'static str)>;

/// What each judge reports of one line, and which of them refute what is milder than critical there and of another kind,
/// with evidence that is found.
pub(super) fn beside_milder(reported: &[Reported], refuters: &[bool]) -> Outcome {
    let mut run = Run::seated(plan(Procedure::Debate, reported.len()));
    let vote = |reported: Reported| match reported {
        Some((Severity::Critical, _)) => Vote::Fail,
        Some((Severity::Significant, _)) => Vote::Warn,
        _ => Vote::Pass,
    };
    let name = |index: usize| format!("judge-{}", index + 1);
    for (index, &said) in reported.iter().enumerate() {
        run.answer(&name(index), vote(said), |a| {
            a.findings.extend(said.map(|(severity, category)| Finding {
                category: category.into(),
                ..finding(severity, LINE)
            }));
        });
    }
    let is_hole = |reported: &Reported| matches!(reported, Some((Severity::Critical, _)));
    let holes: Vec<&str> = reported
        .iter()
        .filter(|r| is_hole(r))
        .flatten()
        .map(|r| r.1)
        .collect();
    for (index, &said) in reported.iter().enumerate() {
        let Task::Debate { peers, .. } = run.task(&name(index)) else {
            panic!("{} is not debating", name(index))
        };
        let is_beside = |f: &Finding| match f.severity {
            Severity::Critical => false,
            // Whoever tells of it in the same words as a remark tells of the same problem.
            Severity::Significant | Severity::Minor => !holes.contains(&f.category.as_str()),
        };
        let shown = peers.iter().flat_map(|p| &p.findings);
        let beside = shown.filter(|f| refuters[index] && is_beside(&f.finding));
        let refuted = beside
            .map(|f| response(&f.id, Stance::Disagreed, Some(evidence(LINE + 20))))
            .collect();
        run.answer(&name(index), vote(said), |a| a.responses = refuted);
    }
    run.concluded().clone()
}

#[test]
fn what_is_refuted_beside_a_critical_takes_nothing_from_it() {
    let critical = Some((Severity::Critical, "injection"));
    for milder in [Severity::Minor, Severity::Significant] {
        let reported = [critical, critical, Some((milder, "style")), None];
        let outcome = beside_milder(&reported, &[true, true, false, true]);
        let became = (outcome.verdict, outcome.findings[0].disposition);
        assert_eq!(became, CONFIRMED, "{milder:?}");
    }
}

/// One round in which each judge says one thing of the line.
pub(super) fn seen(reported: &[Reported], rules: usize) -> Outcome {
    let mut plan = plan(Procedure::Review, reported.len());
    plan.debate = DebateMode::Off;
    for seat in plan.seats.iter_mut().take(rules) {
        seat.seat.agent.deterministic = true;
    }
    let mut run = Run::seated(plan);
    for (index, &said) in reported.iter().enumerate() {
        let vote = match said {
            Some((Severity::Critical, _)) => Vote::Fail,
            Some((Severity::Significant, _)) => Vote::Warn,
            _ => Vote::Pass,
        };
        run.answer(&format!("judge-{}", index + 1), vote, |a| {
            a.findings.extend(said.map(|(severity, category)| Finding {
                category: category.into(),
                rule: (index < rules).then(|| category.to_owned()),
                ..finding(severity, LINE)
            }));
        });
    }
    run.concluded().clone()
}

#[test]
fn a_milder_problem_of_another_kind_confirms_nothing() {
    let critical = Some((Severity::Critical, "race"));
    let outcome = seen(&[critical, Some((Severity::Significant, "amounts"))], 0);
    assert_eq!((outcome.verdict, outcome.findings[0].disposition), OPEN);
    let outcome = seen(&[critical, Some((Severity::Significant, "race"))], 0);
    assert_eq!(
        (outcome.verdict, outcome.findings[0].disposition),
        CONFIRMED
    );
}

#[test]
fn what_a_rule_finds_keeps_its_standing_whatever_models_say_in_its_line() {
    let rule = Some((Severity::Significant, "shell"));
    let outcome = seen(&[rule, Some((Severity::Critical, "shell")), None], 1);
    let standing: Vec<_> = outcome
        .findings
        .iter()
        .map(|f| {
            (
                f.finding.severity,
                f.finding.rule.is_some(),
                f.disposition,
                f.members.len(),
            )
        })
        .collect();
    assert_eq!(
        standing,
        [
            (Severity::Critical, false, Disposition::Unconfirmed, 1),
            (Severity::Significant, true, Disposition::Confirmed, 1),
        ]
    );
}

/// Who takes a finding back and reports it again in the same words holds it.
#[test]
fn a_finding_that_its_judge_reports_again_is_not_taken_back() {
    let mut run = Run::seated(plan(Procedure::Debate, 3));
    run.answer("judge-1", Vote::Fail, |a| a.findings = vec![critical()]);
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-3", Vote::Pass, |_| {});
    run.answer("judge-1", Vote::Warn, |a| {
        a.withdrawn = vec![Withdrawal {
            finding: 1,
            evidence: Some(evidence(50)),
        }];
        a.independent_findings = vec![IndependentFinding {
            tag: Tag::New,
            finding: critical(),
        }];
    });
    for (judge, line) in [("judge-2", 45), ("judge-3", 44)] {
        let Task::Debate { peers, .. } = run.task(judge) else {
            panic!()
        };
        let id = peers
            .iter()
            .flat_map(|p| &p.findings)
            .next()
            .unwrap()
            .id
            .clone();
        run.answer(judge, Vote::Pass, |a| {
            a.responses = vec![response(&id, Stance::Disagreed, Some(evidence(line)))];
        });
    }
    let outcome = run.concluded();
    assert_eq!((outcome.verdict, outcome.findings[0].disposition), DISPUTED);
    assert!(!outcome.findings[0].members[0].withdrawn);
}

/// Two that found it and talk each other out of it leave it open: neither is another judge to it.
#[test]
fn finders_that_refute_each_other_are_no_others() {
    for watching in [0, 1] {
        let judges = 2 + watching;
        let mut run = Run::seated(plan(Procedure::Debate, judges));
        for nth in 1..=judges {
            let finds = nth <= 2;
            let vote = if finds { Vote::Fail } else { Vote::Pass };
            run.answer(&format!("judge-{nth}"), vote, |a| {
                a.findings.extend(finds.then(critical));
            });
        }
        for nth in 1..=judges {
            let name = format!("judge-{nth}");
            let Task::Debate { peers, .. } = run.task(&name) else {
                panic!()
            };
            let ids: Vec<String> = peers
                .iter()
                .flat_map(|p| &p.findings)
                .map(|f| f.id.clone())
                .collect();
            run.answer(&name, Vote::Pass, |a| {
                if nth <= 2 {
                    a.withdrawn = vec![Withdrawal {
                        finding: 1,
                        evidence: Some(evidence(50)),
                    }];
                    a.change = change(Vote::Fail, Vote::Pass, Some(evidence(50)));
                    let refuted = ids.iter();
                    a.responses = refuted
                        .map(|id| response(id, Stance::Disagreed, Some(evidence(45))))
                        .collect();
                }
            });
        }
        let outcome = run.concluded();
        assert_eq!(
            outcome.verdict,
            Verdict::Warn,
            "{judges}: {:?}",
            outcome.notes
        );
        assert_eq!(outcome.findings[0].disposition, Disposition::Disputed);
    }
}
