//! Where a reader is led: each link has to have a page, and each fact its one place.

use council_protocol::Proof;

use super::plan::{report, seen, wishes};
use crate::publish::{DiffLines, PublishAction, PublishOptions, Surface, plan_actions};
use crate::report::Report;

const BASE: &str = "0123456789abcdef0123456789abcdef01234567";

/// The report with its first finding about a line that the change removes.
fn about_removed(mut report: Report, old_line: u32) -> Report {
    report.target.base = Some(BASE.into());
    let found = &mut report.outcome.findings[0];
    (found.finding.location.line, found.finding.location.end_line) = (0, None);
    found.members[0].proof = Proof::Removed {
        line: old_line,
        old_line,
    };
    report
}

fn of_surface(report: &Report, surface: Surface, wishes: &PublishOptions) -> PublishAction {
    let wishes = PublishOptions {
        surfaces: [surface].into(),
        repository_url: Some("https://github.com/o/r".into()),
        ..wishes.clone()
    };
    plan_actions(report, &seen(), &wishes).remove(0)
}

fn comment(report: &Report, wishes: &PublishOptions) -> String {
    match of_surface(report, Surface::Comment, wishes) {
        PublishAction::CreateComment { body, .. } => body,
        other => panic!("{other:?}"),
    }
}

/// A deleted file has no page at the reviewed commit: GitHub answers 404.
#[test]
fn a_finding_about_a_deleted_file_leads_to_the_base() {
    let report = about_removed(report(1), 4);
    let mut deleted = wishes();
    deleted.lines = DiffLines::default();
    deleted.lines.add_patch("src/a.rs", "@@ -1,9 +0,0 @@\n-x");
    let body = comment(&report, &deleted);
    let link = format!("[`src/a.rs`](https://github.com/o/r/blob/{BASE}/src/a.rs#L4) (removed)");
    assert!(body.contains(&link), "{body}");
    // Of a file that stays there is a page, which may have another name at the base.
    let head = report.target.head.as_deref().unwrap();
    let stays = comment(&report, &wishes());
    let link = format!("(https://github.com/o/r/blob/{head}/src/a.rs) (removed)");
    assert!(stays.contains(&link), "{stays}");
    // A claim may call anything its base.
    let mut claimed = report;
    claimed.target.base = Some("evil/../x".into());
    let body = comment(&claimed, &deleted);
    let shown = body.split_once("-->").unwrap().1;
    assert!(!shown.contains("evil/../x"), "{shown}");
    assert!(!shown.contains("github.com/o/r/blob/"), "{shown}");
}

/// The page of a check has its title, its summary and its text below each other.
#[test]
fn a_check_says_each_thing_once() {
    let report = report(3);
    let action = of_surface(&report, Surface::Check, &wishes());
    let PublishAction::CreateCheck { body } = action else {
        panic!("{action:?}");
    };
    let part = |name: &str| body["output"][name].as_str().unwrap().to_owned();
    let (title, summary, text) = (part("title"), part("summary"), part("text"));
    assert!(!summary.contains(&title), "{title}: {summary}");
    assert!(!text.contains(&title), "{title}: {text}");
    assert!(summary.contains("Next step"), "{summary}");
    for told in summary.lines().filter(|line| !line.is_empty()) {
        assert!(!text.contains(told), "{told}: {text}");
    }
    let head = report.target.head.as_deref().unwrap();
    let link = format!("(https://github.com/o/r/blob/{head}/src/a.rs#L2)");
    assert!(text.contains(&link), "{text}");
}
