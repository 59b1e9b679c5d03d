//! The plan, which needs no forge: what it consists of, and that nothing of anybody's is in it that could act.

mod raised_before;

use council_protocol::packet::{Target, TargetKind};
use council_protocol::{Coverage, Finding, Location, Proof, RoundNumber, Severity};

use crate::council::outcome::{
    Disposition, FindingLevel, FindingMember, JudgedFinding, Verdict, VerdictReason,
};
use crate::publish::seen::{OwnComment, ReviewThread};
use crate::publish::*;
use crate::report::{ChangeSize, Report, ReportSource, ReviewSubject, RunFacts};

const HEAD: &str = "a3f7c1e9d2b4f6a8c0e1d3b5f7a9c2e4d6b8f0a1";

fn found(number: usize, level: FindingLevel) -> JudgedFinding {
    let finding = Finding {
        severity: Severity::Critical,
        category: "injection".into(),
        rule: None,
        description: format!("@octocat fixes #{number} ![x](http://evil.example)"),
        location: Location {
            path: "src/a.rs".into(),
            line: u32::try_from(number).unwrap(),
            end_line: None,
        },
        quote: "let x = 1;".into(),
        why: "It is so.".into(),
        fix: "Do otherwise.".into(),
        suggestion: Some("let x = 2;".into()),
        reference: None,
    };
    let member = FindingMember {
        judge: "judge-1".into(),
        round: RoundNumber::FIRST,
        finding: finding.clone(),
        proof: Proof::Verified,
        withdrawn: false,
        fingerprint: None,
    };
    JudgedFinding {
        id: format!("F{number}"),
        fingerprint: format!("{number:016x}"),
        finding,
        disposition: Disposition::Confirmed,
        level: Some(level),
        dismissed: None,
        since: None,
        members: vec![member],
        opinions: Vec::new(),
        disputed_by_test: false,
        suggestion_check: None,
        standing_votes: Vec::new(),
    }
}

pub(super) fn report(findings: usize) -> Report {
    let target = Target {
        kind: TargetKind::PullRequest,
        label: "#1".into(),
        slug: "1".into(),
        base: None,
        head: Some(HEAD.into()),
        only: Vec::new(),
    };
    let subject = ReviewSubject {
        target,
        change: ChangeSize::default(),
        instructions: Vec::new(),
    };
    let run = RunFacts {
        name: "council-20260214-1".into(),
        recognition_key: Some("k".repeat(64)),
        ..RunFacts::default()
    };
    let mut report = Report::skipped(
        subject,
        Coverage::default(),
        VerdictReason::NothingToReview,
        "",
        run,
    );
    report.outcome.findings = (1..=findings)
        .map(|number| found(number, FindingLevel::Fail))
        .collect();
    (report.outcome.verdict, report.outcome.reason) =
        (Verdict::Fail, VerdictReason::CriticalConfirmed);
    report
}

pub(super) fn seen() -> ForgeState {
    let pull = PullRequest {
        number: 1,
        head: HEAD.into(),
        base_ref: "main".into(),
        base: HEAD.into(),
        default_branch: "main".into(),
        open: true,
        draft: false,
        fork: false,
        title: String::new(),
        body: String::new(),
    };
    ForgeState {
        me: Some(ForgeIdentity {
            login: "github-actions[bot]".into(),
        }),
        pull: Some(pull),
        threads: Some(Vec::new()),
        ..ForgeState::default()
    }
}

/// The conversation that a finding began.
pub(super) fn thread(found: &JudgedFinding) -> ReviewThread {
    ReviewThread {
        renamed: false,
        id: format!("PRRT_{}", found.id),
        comment: format!("PRRC_{}", found.id),
        review: Some("PRR_1".into()),
        url: None,
        fingerprint: found.fingerprint.clone(),
        severity: Some(found.finding.severity),
        standing: Some(String::new()),
        classes: Vec::new(),
        said: None,
        place: None,
        closed: false,
        closed_by_us: false,
        outdated: false,
        reopens: false,
        answered: false,
        number: Some(1),
        orders: Vec::new(),
        stale_answers: Vec::new(),
    }
}

pub(super) fn wishes() -> PublishOptions {
    let mut wishes = PublishOptions::new("git-council", HEAD);
    wishes.surfaces = Surface::ALL.into();
    wishes.lines.add_patch("src/a.rs", "@@ -0,0 +1,50 @@");
    wishes
}

#[test]
fn two_hundred_findings_take_seven_writes() {
    let actions = plan_actions(&report(200), &seen(), &wishes());
    let writes = actions.iter().filter(|action| {
        action
            .api_call(&RepoSlug::parse("o/r").unwrap(), Some(1))
            .is_some()
    });
    // Four batches of annotations, one review, one comment, one status.
    assert_eq!(writes.count(), 7);
    let inline = actions.iter().find_map(|action| match action {
        PublishAction::Review { comments, .. } => Some(comments.len()),
        _ => None,
    });
    assert_eq!(inline, Some(MAX_INLINE));
}

/// The bound is one of the request: each push would post as many again of what was there before.
#[test]
fn comments_of_earlier_reviews_count_for_the_bound() {
    let mut report = report(40);
    let known: Vec<ReviewThread> = report
        .outcome
        .findings
        .iter()
        .take(MAX_INLINE)
        .map(thread)
        .collect();
    let posted = |report: &Report, threads: &[ReviewThread]| {
        let mut seen = seen();
        seen.threads = Some(threads.to_vec());
        let actions = plan_actions(report, &seen, &wishes());
        let reviews = actions.iter().map(|action| match action {
            PublishAction::Review { comments, .. } => comments.len(),
            _ => 0,
        });
        reviews.sum::<usize>()
    };
    assert_eq!(
        posted(&report, &known),
        MAX_INLINE,
        "what fails the change is told"
    );
    for found in &mut report.outcome.findings {
        found.level = Some(FindingLevel::Warn);
    }
    assert_eq!(posted(&report, &known), 0);
    assert_eq!(posted(&report, &known[..MAX_INLINE - 2]), 2);
}

/// What a conversation calls its finding is what the report calls it, unless somebody has argued about what they saw there.
#[test]
fn a_comment_beside_a_line_says_how_bad_its_finding_is_now() {
    use council_protocol::Severity::{Critical, Minor, Significant};

    let report = report(1);
    let found = &report.outcome.findings[0];
    let order = DismissOrder {
        login: "ann".into(),
        meaning: OrderMeaning::Unreasoned,
        at: String::new(),
        edited_by: None,
        reply: String::new(),
        answered: true,
        taken_for: None,
    };
    for told in [None, Some(Critical), Some(Significant), Some(Minor)] {
        for (closed, orders) in [
            (false, vec![]),
            (true, vec![]),
            (false, vec![order.clone()]),
        ] {
            let is_open = !closed && orders.is_empty();
            let is_other = told.is_some_and(|told| told != found.finding.severity);
            let mut seen = seen();
            seen.threads = Some(vec![ReviewThread {
                severity: told,
                closed,
                orders,
                ..thread(found)
            }]);
            let retold: Vec<_> = plan_actions(&report, &seen, &wishes())
                .into_iter()
                .filter_map(|action| match action {
                    PublishAction::Retell { comment, body } => Some((comment, body)),
                    _ => None,
                })
                .collect();
            assert_eq!(retold.len(), usize::from(is_open && is_other), "{told:?}");
            for (comment, body) in retold {
                assert_eq!(comment, 1);
                assert!(
                    body.contains(&format!("**{}:**", found.finding.severity.as_str())),
                    "{body}"
                );
            }
        }
    }
}

#[test]
fn what_is_shown_already_is_planned_no_more() {
    let (report, mut seen, mut wishes) = (report(3), seen(), wishes());
    wishes.surfaces = [Surface::Comment, Surface::Check, Surface::Review].into();
    for action in plan_actions(&report, &seen, &wishes) {
        match action {
            PublishAction::CreateComment { body, .. } => seen.comments.push(OwnComment {
                id: 1,
                body,
                url: String::new(),
            }),
            PublishAction::CreateCheck { body } => {
                let external_id = body["external_id"].as_str().unwrap().to_owned();
                seen.check = Some(ExistingCheck {
                    id: 2,
                    external_id,
                    completed: true,
                    url: String::new(),
                });
            }
            PublishAction::Review { .. } => {
                seen.threads = Some(report.outcome.findings.iter().map(thread).collect());
                seen.reviews = vec!["PRR_1".into()];
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(plan_actions(&report, &seen, &wishes), Vec::new());
}

/// The check on a commit says what the last report says, whichever run made it: only one that says the same is left alone,
/// and only that one bears witness to a report that people could have edited.
#[test]
fn a_check_that_says_something_else_is_replaced_and_bears_no_witness() {
    let mut wishes = wishes();
    wishes.surfaces = [Surface::Check].into();
    let mut reports = [report(0), report(1), report(2), report(2), report(2)];
    (reports[0].outcome.verdict, reports[0].outcome.reason) =
        (Verdict::Pass, VerdictReason::NoFindings);
    reports[3].outcome.findings[0].level = Some(FindingLevel::Warn);
    reports[4].receipt.run.recognition_key = Some("l".repeat(64));
    let checks = |report: &Report, seen: &ForgeState| {
        let actions = plan_actions(report, seen, &wishes);
        let ids = actions.into_iter().map(|action| match action {
            PublishAction::CreateCheck { body } => body["external_id"].as_str().unwrap().to_owned(),
            other => panic!("{other:?}"),
        });
        ids.collect::<Vec<String>>()
    };
    for (at, before) in reports.iter().enumerate() {
        let mut seen = seen();
        let external_id = checks(before, &seen).remove(0);
        let check = ExistingCheck {
            id: 2,
            external_id,
            completed: true,
            url: String::new(),
        };
        seen.check = Some(check.clone());
        for (now, report) in reports.iter().enumerate() {
            assert_eq!(checks(report, &seen).is_empty(), at == now, "{at} {now}");
            assert_eq!(is_witness(&check, report), at == now, "{at} {now}");
        }
    }
}

/// What a job without rights reports leaves alone what a privileged review said of the same commit, by its check or by its
/// comment, and makes no status green.
#[test]
fn a_claim_leaves_what_a_privileged_review_said_and_is_never_green() {
    let (verdict, mut wishes) = (report(2), wishes());
    wishes.surfaces = [
        Surface::Comment,
        Surface::Check,
        Surface::Review,
        Surface::Status,
    ]
    .into();
    let mut claim = report(0);
    claim.source = ReportSource::UnprivilegedJob;
    claim.receipt.run.recognition_key = None;
    (claim.outcome.verdict, claim.outcome.reason) = (Verdict::Pass, VerdictReason::NoFindings);
    let alone = plan_actions(&claim, &seen(), &wishes);
    assert!(alone.len() >= 3, "{alone:?}");
    for action in &alone {
        if let PublishAction::Status { body, .. } = action {
            assert_eq!(body["state"], "pending");
        }
    }
    let (mut checked, mut commented) = (seen(), seen());
    for action in plan_actions(&verdict, &seen(), &wishes) {
        match action {
            PublishAction::CreateComment { body, .. } => commented.comments.push(OwnComment {
                id: 1,
                body,
                url: String::new(),
            }),
            PublishAction::CreateCheck { body } => {
                checked.check = Some(ExistingCheck {
                    id: 2,
                    external_id: body["external_id"].as_str().unwrap().to_owned(),
                    completed: true,
                    url: String::new(),
                });
            }
            _ => {}
        }
    }
    assert!(checked.check.is_some() && !commented.comments.is_empty());
    for there in [&checked, &commented] {
        assert_eq!(plan_actions(&claim, there, &wishes), Vec::new());
        assert!(
            !plan_actions(&report(1), there, &wishes).is_empty(),
            "a verdict replaces one"
        );
    }
    wishes.surfaces = Surface::ALL.into();
    let of_job = plan_actions(&claim, &checked, &wishes);
    assert!(
        of_job.iter().all(|action| action.surface().is_of_job()),
        "{of_job:?}"
    );
}

#[test]
fn a_comment_never_exceeds_what_a_forge_takes() {
    let mut report = report(900);
    for found in &mut report.outcome.findings {
        found.finding.why = "ß€🦀 ".repeat(300);
    }
    for action in plan_actions(&report, &seen(), &wishes()) {
        if let PublishAction::CreateComment { body, .. } = action {
            assert!(body.chars().count() <= 65_536, "{}", body.chars().count());
            assert!(body.contains("did not fit"));
        }
    }
}

/// A reader of the diff alone must not take a disputed finding for one that blocks the change; nor one that was disputed.
#[test]
fn a_comment_beside_a_line_says_how_its_finding_stands_now() {
    let mut report = report(1);
    let retold = |report: &Report, told: Option<&str>| {
        let mut seen = seen();
        seen.threads = Some(vec![ReviewThread {
            standing: told.map(str::to_owned),
            ..thread(&report.outcome.findings[0])
        }]);
        let actions = plan_actions(report, &seen, &wishes());
        actions.into_iter().find_map(|action| match action {
            PublishAction::Retell { body, .. } => Some(body),
            _ => None,
        })
    };
    assert_eq!(retold(&report, Some("")), None);
    assert_eq!(retold(&report, None), None, "of an earlier version");
    let confirmed = retold(&report, Some("disputed, does not fail the change")).unwrap();
    assert!(confirmed.contains("**critical:**"), "{confirmed}");
    report.outcome.findings[0].disposition = Disposition::Disputed;
    report.outcome.findings[0].level = Some(FindingLevel::Warn);
    let disputed = retold(&report, Some("")).unwrap();
    assert!(
        disputed.contains("**critical (disputed, does not fail the change):**"),
        "{disputed}"
    );
}

#[test]
fn a_suggestion_replaces_exactly_the_lines_it_stands_at_and_shows_every_character() {
    let mut plain = report(1);
    let body = |report: &Report| {
        let actions = plan_actions(report, &seen(), &wishes());
        let review = actions.into_iter().find_map(|action| match action {
            PublishAction::Review { comments, .. } => Some(comments[0].body.clone()),
            _ => None,
        });
        review.unwrap()
    };
    assert!(body(&plain).contains("```suggestion\nlet x = 2;\n```"));
    plain.outcome.findings[0].finding.suggestion = Some("a ``` b".into());
    assert!(body(&plain).contains("````suggestion\na ``` b\n````"));
    // What a reader would not see is not offered.
    for unfit in ["let x\u{202e} = 2;", "let x = f(\"[redacted: secret]\");"] {
        plain.outcome.findings[0].finding.suggestion = Some(unfit.into());
        assert!(!body(&plain).contains("suggestion\n"), "{unfit}");
    }
}

#[test]
fn t10_t11_no_text_that_is_sent_mentions_or_links_anything() {
    for action in plan_actions(&report(3), &seen(), &wishes()) {
        let Some(body) = action
            .api_call(&RepoSlug::parse("o/r").unwrap(), Some(1))
            .and_then(|call| call.body)
        else {
            continue;
        };
        let texts = ["/body", "/output/text", "/output/summary"]
            .map(|at| body.pointer(at).and_then(|text| text.as_str()));
        for text in texts.into_iter().flatten() {
            // The marker is a comment that cannot end before its line does.
            let prose: String = text
                .lines()
                .filter(|line| !(line.starts_with("<!-- ") && line.ends_with(" -->")))
                .flat_map(|line| line.split('`').step_by(2))
                .collect();
            assert!(
                !prose.contains("@octocat") && !prose.contains("](http"),
                "{prose}"
            );
        }
    }
}
