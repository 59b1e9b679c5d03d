//! What was raised before, and what became of it.

use super::{report, seen, thread, wishes};
use crate::publish::seen::{OwnComment, ReviewThread};
use crate::publish::*;
use crate::report::Report;

fn of_review(report: &Report, seen: &ForgeState) -> Vec<PublishAction> {
    let mut wishes = wishes();
    wishes.surfaces = [Surface::Review].into();
    plan_actions(report, seen, &wishes)
}

#[test]
fn what_was_raised_before_is_not_raised_again_however_it_ended() {
    let report = report(1);
    let change: [fn(&mut ReviewThread); 4] = [
        |_| {},
        |thread| thread.answered = true,
        |thread| thread.closed = true,
        |thread| thread.outdated = true,
    ];
    for change in change {
        let mut seen = seen();
        let mut before = thread(&report.outcome.findings[0]);
        change(&mut before);
        seen.threads = Some(vec![before]);
        assert_eq!(of_review(&report, &seen), Vec::new());
    }
    // Nor is anything raised by whoever cannot read what was.
    let blind = ForgeState {
        threads: None,
        ..seen()
    };
    assert_eq!(of_review(&report, &blind), Vec::new());
}

#[test]
fn a_finding_whose_conversation_is_outdated_is_annotated_where_it_is_now() {
    let report = report(1);
    let annotations = |outdated| {
        let mut seen = seen();
        let mut before = thread(&report.outcome.findings[0]);
        before.outdated = outdated;
        seen.threads = Some(vec![before]);
        let actions = plan_actions(&report, &seen, &wishes());
        let check = actions.into_iter().find_map(|action| match action {
            PublishAction::CreateCheck { body } => Some(body),
            _ => None,
        });
        check.unwrap()["output"]["annotations"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!((annotations(false), annotations(true)), (0, 1));
}

#[test]
fn what_is_gone_is_closed_and_a_review_that_nothing_is_left_of_is_hidden() {
    let (before, after) = (report(3), report(1));
    let mut seen = seen();
    let mut threads: Vec<ReviewThread> = before.outcome.findings.iter().map(thread).collect();
    threads[0].review = Some("PRR_2".into());
    threads[2].answered = true;
    seen.threads = Some(threads);
    seen.reviews = vec!["PRR_1".into(), "PRR_2".into()];
    let resolve = PublishAction::Resolve {
        threads: vec!["PRRT_F2".into(), "PRRT_F3".into()],
        // A comment that somebody answered is not hidden.
        comments: vec!["PRRC_F2".into()],
    };
    let hide = PublishAction::Hide {
        reviews: vec!["PRR_1".into()],
    };
    // Nobody knows what the last review left: only what a push has outdated is gone.
    assert_eq!(of_review(&after, &seen), Vec::new());
    let mut outdated = seen.clone();
    for thread in outdated.threads.iter_mut().flatten() {
        thread.outdated = thread.id == "PRRT_F2";
    }
    let PublishAction::Resolve { threads, .. } = &of_review(&after, &outdated)[0] else {
        panic!("what is outdated is closed");
    };
    assert_eq!(threads, &["PRRT_F2"]);
    for action in plan_actions(
        &before,
        &ForgeState {
            threads: None,
            ..seen.clone()
        },
        &wishes(),
    ) {
        if let PublishAction::CreateComment { body, .. } = action {
            let (id, url) = (1, String::new());
            seen.comments.push(OwnComment { id, body, url });
        }
    }
    assert_eq!(of_review(&after, &seen), vec![resolve, hide]);
    // After an incomplete run nothing is known to be gone.
    let mut cut = report(1);
    cut.incomplete = true;
    assert_eq!(of_review(&cut, &seen), Vec::new());
}
