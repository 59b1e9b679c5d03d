//! R2: what evidence does to votes and findings.

use council_protocol::answer::{IndependentFinding, Stance, Tag, Withdrawal};
use council_protocol::{Proof, RoundNumber, Severity, Vote};

use super::debate::{debate, in_r2};
use crate::exchange::{Action, Input};
use crate::outcome::{Disposition, Verdict, VerdictReason};
use crate::testing::{Run, UNRELATED, change, evidence, finding, made_up, response};

#[test]
fn a_changed_vote_needs_evidence_that_is_found_and_was_missed() {
    let counted = |change: Option<council_protocol::answer::Change>| {
        let mut run = Run::seated(debate(2));
        run.answer("judge-1", Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, 3)]
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        run.answer("judge-1", Vote::Pass, |a| a.change = change);
        run.answer("judge-2", Vote::Pass, |_| {});
        let judge = run.concluded().judges[0].clone();
        (judge.counted.unwrap(), judge.change.unwrap().weak)
    };
    let (pass, fail) = (Vote::Pass, Vote::Fail);
    assert_eq!(
        counted(change(fail, pass, Some(evidence(20)))),
        (pass, false)
    );
    assert_eq!(counted(None), (fail, true));
    assert_eq!(counted(change(fail, pass, None)), (fail, true));
    assert_eq!(counted(change(fail, pass, Some(made_up()))), (fail, true));
    assert_eq!(
        counted(change(fail, pass, Some(evidence(3)))),
        (fail, true),
        "it had reported this itself"
    );
    assert_eq!(
        counted(change(fail, pass, Some(evidence(UNRELATED)))),
        (fail, true),
        "it says nothing of what the judge had found"
    );
    assert_eq!(
        counted(change(Vote::Warn, pass, Some(evidence(20)))),
        (fail, true),
        "it never held WARN"
    );
}

/// Law: what a stricter vote rests on is said once, be it in `change`, as a new finding as grave, or with an agreement. A
/// milder finding, one that is not there and one that was reported before are no grounds.
#[test]
fn a_stricter_vote_may_rest_on_what_its_answer_found_or_agreed_to() {
    let counted = |fill: &dyn Fn(&mut council_protocol::Answer)| {
        let mut run = Run::seated(debate(2));
        run.answer("judge-1", Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, 3)];
        });
        run.answer("judge-2", Vote::Pass, |a| {
            a.findings = vec![finding(Severity::Minor, UNRELATED)];
        });
        run.answer("judge-1", Vote::Fail, |_| {});
        run.answer("judge-2", Vote::Fail, fill);
        if run.open.contains_key("judge-2") {
            run.answer("judge-2", Vote::Fail, fill);
        }
        run.concluded().judges[1].counted
    };
    let found = |severity, line| {
        move |a: &mut council_protocol::Answer| {
            a.independent_findings = vec![IndependentFinding {
                tag: Tag::New,
                finding: finding(severity, line),
            }];
        }
    };
    let agreed = |shown: council_protocol::answer::Evidence| {
        move |a: &mut council_protocol::Answer| {
            a.responses = vec![response("F1", Stance::Agreed, Some(shown.clone()))];
        }
    };
    let (pass, fail) = (Some(Vote::Pass), Some(Vote::Fail));
    assert_eq!(counted(&found(Severity::Critical, 20)), fail);
    assert_eq!(counted(&agreed(evidence(20))), fail);
    assert_eq!(counted(&found(Severity::Significant, 20)), pass);
    assert_eq!(counted(&found(Severity::Critical, UNRELATED)), pass);
    assert_eq!(counted(&agreed(made_up())), pass);
    assert_eq!(counted(&|_| {}), pass);
}

/// Law: an objection that names no finding is answered by no line of the change, whichever is quoted.
#[test]
fn an_objection_without_a_finding_is_taken_back_by_no_quote() {
    for objects in [Vote::Warn, Vote::Fail] {
        for line in [1, 3, 20, UNRELATED] {
            let mut run = Run::seated(debate(2));
            run.answer("judge-1", objects, |a| {
                a.key_insight = "The name reaches the SQL text.".into();
            });
            run.answer("judge-2", Vote::Pass, |_| {});
            run.answer("judge-1", Vote::Pass, |a| {
                a.change = change(objects, Vote::Pass, Some(evidence(line)));
            });
            run.answer("judge-2", Vote::Pass, |_| {});
            let outcome = run.concluded();
            let is_green = outcome.verdict == Verdict::Pass;
            assert!(!is_green || objects == Vote::Warn, "{line}");
            assert_eq!(outcome.judges[0].counted, Some(objects), "{line}");
        }
    }
}

/// Law: a lost quote is no way out of the record, whatever its judge says of it afterwards.
#[test]
fn a_critical_without_its_quote_is_not_green_once_it_is_taken_back() {
    for (vote, line) in [
        (Vote::Pass, 20),
        (Vote::Warn, 20),
        (Vote::Pass, 3),
        (Vote::Warn, UNRELATED),
    ] {
        let mut run = Run::seated(debate(2));
        let lost = council_protocol::Finding {
            quote: made_up().quote,
            ..finding(Severity::Critical, 3)
        };
        let insist = |a: &mut council_protocol::Answer| a.findings = vec![lost.clone()];
        run.answer("judge-1", Vote::Fail, insist);
        if run.open.contains_key("judge-1")
            && *run.task("judge-1") != council_protocol::Task::Review
        {
            run.answer("judge-1", Vote::Fail, insist);
        }
        run.answer("judge-2", Vote::Pass, |_| {});
        run.answer("judge-1", vote, |a| {
            a.withdrawn = vec![Withdrawal {
                finding: 1,
                evidence: Some(evidence(line)),
            }];
            a.change = change(Vote::Fail, vote, Some(evidence(line)));
        });
        if run.open.contains_key("judge-2") {
            run.answer("judge-2", Vote::Pass, |_| {});
        }
        assert_ne!(run.concluded().verdict, Verdict::Pass, "{vote:?} {line}");
    }
}

#[test]
fn withdrawing_a_finding_has_the_same_bar() {
    let level = |evidence: Option<council_protocol::answer::Evidence>| {
        let mut run = Run::seated(debate(2));
        run.answer("judge-1", Vote::Warn, |a| {
            a.findings = vec![finding(Severity::Significant, 3)]
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        run.answer("judge-1", Vote::Warn, |a| {
            a.withdrawn = vec![Withdrawal {
                finding: 1,
                evidence,
            }]
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        let weak = run
            .concluded()
            .notes
            .iter()
            .any(|n| n.contains("without evidence that holds"));
        (run.concluded().findings[0].disposition, weak)
    };
    assert_eq!(level(Some(evidence(20))), (Disposition::Rejected, false));
    assert_eq!(level(Some(made_up())), (Disposition::Unconfirmed, true));
    assert_eq!(
        level(Some(evidence(UNRELATED))),
        (Disposition::Unconfirmed, true),
        "it is about nothing that was found"
    );
    assert_eq!(level(Some(evidence(3))), (Disposition::Unconfirmed, true));
    assert_eq!(level(None), (Disposition::Unconfirmed, true));
}

/// Every answer of a debate has to challenge somebody or to say why not: what was asked, of whom, is part of the debate.
#[test]
fn what_a_judge_asks_another_is_in_the_outcome() {
    for plan in [debate(2), {
        let mut plan = debate(2);
        plan.procedure = crate::plan::Procedure::Review;
        plan
    }] {
        let mut run = Run::seated(plan);
        run.answer("judge-1", Vote::Warn, |a| {
            a.findings = vec![finding(Severity::Significant, 3)]
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        let asks = |to: &str, question: &str| council_protocol::answer::Challenge {
            to: to.into(),
            claim: "It is called twice.".into(),
            question: question.into(),
        };
        assert_eq!(
            run.council.peer_meant(&"judge-2".into(), "A"),
            Some(&"judge-1".into())
        );
        if run.open.contains_key("judge-1") {
            run.answer("judge-1", Vote::Warn, |_| {});
        }
        run.answer("judge-2", Vote::Pass, |a| {
            a.challenges = vec![asks("A", "Who calls f?"), asks("Z", "Who are you?")];
        });
        let outcome = run.concluded();
        let told: Vec<_> = outcome
            .challenges
            .iter()
            .map(|c| {
                (
                    c.from.as_str(),
                    c.to.as_str(),
                    c.question.as_str(),
                    c.evaded,
                )
            })
            .collect();
        assert_eq!(told, [("judge-2", "judge-1", "Who calls f?", false)]);
    }
}

/// A judge quotes line 3 and names line 30: everybody is told the line where the quote stands, and who let go of it is not
/// said to hold it.
#[test]
fn a_finding_has_one_place_and_those_who_took_it_back_do_not_hold_it() {
    let mut run = Run::seated(debate(2));
    run.answer("judge-1", Vote::Fail, |a| {
        let mut moved = finding(Severity::Critical, 3);
        moved.location.line = 30;
        moved.reference = Some("a.rs:30".into());
        a.findings = vec![moved];
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    let own = run.council.own_finding(&"judge-1".into(), 1);
    assert_eq!(own.map(|own| own.location.line), Some(3));
    run.answer("judge-1", Vote::Pass, |a| {
        a.withdrawn = vec![Withdrawal {
            finding: 1,
            evidence: Some(evidence(20)),
        }]
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    let outcome = run.concluded();
    let shown = &outcome.findings[0].finding;
    assert_eq!((shown.location.line, shown.reference.as_deref()), (3, None));
    let told = format!("{:?} {:?}", outcome.notes, outcome.disagreements);
    assert!(
        told.contains("a critical finding of judge-1 at a.rs:3 was taken back"),
        "{told}"
    );
    assert!(
        told.contains("judge-1 took it back") && !told.contains("judge-1 holds it"),
        "{told}"
    );
    assert!(!told.contains("a.rs:30"), "{told}");
}

/// One judge holds a critical finding; the other says something about it in R2.
fn opinion(
    stance: Stance,
    evidence: Option<council_protocol::answer::Evidence>,
    deterministic: bool,
) -> Run {
    let mut plan = debate(2);
    plan.seats[0].seat.agent.deterministic = deterministic;
    let mut run = Run::seated(plan);
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    let id = run.id_of("judge-2", "judge-1", 1);
    if !deterministic {
        run.answer("judge-1", Vote::Fail, |_| {});
    }
    run.answer("judge-2", Vote::Pass, |a| {
        a.responses = vec![response(&id, stance, evidence)]
    });
    run
}

#[test]
fn agreement_counts_only_with_evidence_that_is_found() {
    let agreed = |e| opinion(Stance::Agreed, e, false).concluded().findings[0].disposition;
    assert_eq!(agreed(Some(evidence(20))), Disposition::Confirmed);
    assert_eq!(agreed(Some(made_up())), Disposition::Unconfirmed);
    assert_eq!(
        agreed(Some(evidence(3))),
        Disposition::Confirmed,
        "looking at the same line is looking: of two judges, both hold it"
    );
    assert_eq!(agreed(None), Disposition::Unconfirmed);
    let run = opinion(Stance::PartiallyAgreed, Some(evidence(20)), false);
    assert_eq!(
        run.concluded().findings[0].disposition,
        Disposition::Unconfirmed
    );
}

#[test]
fn disagreement_contests_only_with_evidence() {
    let run = opinion(Stance::Disagreed, Some(evidence(20)), false);
    let outcome = run.concluded();
    assert_eq!(outcome.findings[0].disposition, Disposition::Disputed);
    assert_eq!(
        (outcome.verdict, outcome.reason),
        (Verdict::Warn, VerdictReason::CriticalDisputed)
    );
    assert_eq!(outcome.findings[0].opinions.len(), 1);
    let run = opinion(Stance::Disagreed, Some(made_up()), false);
    assert_eq!(
        run.concluded().findings[0].disposition,
        Disposition::Unconfirmed
    );
}

#[test]
fn a_rules_finding_is_confirmed_unless_it_is_refuted_with_evidence() {
    let rule = |e| opinion(Stance::Disagreed, e, true).concluded().findings[0].disposition;
    assert_eq!(rule(None), Disposition::Confirmed);
    assert_eq!(rule(Some(made_up())), Disposition::Confirmed);
    assert_eq!(rule(Some(evidence(UNRELATED))), Disposition::Confirmed);
    assert_eq!(
        rule(Some(evidence(3))),
        Disposition::Confirmed,
        "its own line"
    );
    assert_eq!(rule(Some(evidence(20))), Disposition::Disputed);
}

/// No model was shown the secret, so that none can say what it is.
#[test]
fn a_rules_finding_of_a_secret_is_not_refuted_by_models() {
    let mut plan = debate(2);
    plan.seats[0].seat.agent.deterministic = true;
    let mut run = Run::seated(plan);
    run.answer("judge-1", Vote::Fail, |a| {
        let mut secret = finding(Severity::Critical, 3);
        secret.category = "secrets".into();
        a.findings = vec![secret];
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    let id = run.id_of("judge-2", "judge-1", 1);
    run.answer("judge-2", Vote::Pass, |a| {
        a.responses = vec![response(&id, Stance::Disagreed, Some(evidence(20)))]
    });
    assert_eq!(run.concluded().verdict, Verdict::Fail);
}

#[test]
fn a_new_finding_of_r2_is_proven_like_any_other() {
    let mut run = in_r2(debate(2), &[Vote::Pass, Vote::Fail]);
    run.answer("judge-1", Vote::Pass, |a| {
        let new = |tag, finding| IndependentFinding { tag, finding };
        let mut bogus = finding(Severity::Critical, 9);
        bogus.quote = "not there".into();
        a.independent_findings = vec![
            new(Tag::New, finding(Severity::Significant, 8)),
            new(Tag::New, bogus),
        ];
    });
    run.answer("judge-2", Vote::Fail, |_| {});
    let findings = &run.concluded().findings;
    assert_eq!(findings.len(), 2);
    assert_eq!(
        (findings[0].disposition, findings[0].members[0].round),
        (Disposition::Unconfirmed, RoundNumber::SECOND)
    );
    assert_eq!(
        (findings[1].disposition, findings[1].level),
        (Disposition::Rejected, None)
    );
}

#[test]
fn repeating_what_one_was_shown_is_looking_at_its_place() {
    let disposition = |tag| {
        let mut run = Run::seated(debate(2));
        run.answer("judge-1", Vote::Fail, |a| {
            a.findings = vec![finding(Severity::Critical, 3)]
        });
        run.answer("judge-2", Vote::Pass, |_| {});
        run.answer("judge-1", Vote::Fail, |_| {});
        run.answer("judge-2", Vote::Pass, |a| {
            a.independent_findings = vec![IndependentFinding {
                tag,
                finding: finding(Severity::Critical, 3),
            }];
        });
        run.concluded().findings[0].disposition
    };
    assert_eq!(disposition(Tag::Same), Disposition::Confirmed);
    assert_eq!(
        disposition(Tag::NotReproduced),
        Disposition::Unconfirmed,
        "and says nothing against it"
    );
}

#[test]
fn not_reproduced_with_evidence_contests() {
    let mut run = Run::seated(debate(2));
    run.answer("judge-1", Vote::Fail, |a| {
        a.findings = vec![finding(Severity::Critical, 3)]
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    run.answer("judge-1", Vote::Fail, |_| {});
    run.answer("judge-2", Vote::Pass, |a| {
        let mut denied = finding(Severity::Critical, 4);
        denied.description = "value 3 overflows when computed: not so, it is bounded here".into();
        a.independent_findings = vec![IndependentFinding {
            tag: Tag::NotReproduced,
            finding: denied,
        }];
    });
    assert_eq!(run.concluded().findings.len(), 1);
    assert_eq!(
        run.concluded().findings[0].disposition,
        Disposition::Disputed
    );
}

#[test]
fn a_split_that_becomes_unanimous_is_marked_as_converged() {
    let mut run = in_r2(debate(2), &[Vote::Pass, Vote::Fail]);
    run.votes(&[Vote::Pass, Vote::Pass]);
    assert!(run.concluded().converged);
    assert_eq!(
        run.concluded().judges[1].counted,
        Some(Vote::Fail),
        "but the weak change does not count"
    );
    let mut run = in_r2(debate(2), &[Vote::Pass, Vote::Fail]);
    run.votes(&[Vote::Pass, Vote::Fail]);
    assert!(!run.concluded().converged);
}

/// A line that the change removes stands under no number of the reviewed side: there it would be taken for another one.
#[test]
fn a_removed_line_is_shown_under_no_number() {
    let mut plan = debate(2);
    plan.debate = crate::plan::DebateMode::Off;
    let mut run = Run::seated(plan);
    run.proves = false;
    run.answer("judge-1", Vote::Fail, |a| {
        let mut gone = finding(Severity::Critical, 3);
        gone.suggestion = Some("nothing".into());
        a.findings = vec![gone];
    });
    let claim = run.actions.iter().find_map(|action| match action {
        Action::Prove { claim, .. } => Some(*claim),
        _ => None,
    });
    run.feed(Input::Proved {
        claim: claim.unwrap(),
        proof: Proof::Removed {
            line: 3,
            old_line: 2,
        },
        context: String::new(),
        nearest: None,
        function: None,
        quoted: None,
    });
    run.answer("judge-2", Vote::Pass, |_| {});
    let found = &run.concluded().findings[0];
    assert_eq!(found.finding.location.line, 0);
    assert_eq!(found.finding.suggestion, None);
    assert_eq!(found.disposition, Disposition::Unconfirmed);
}
