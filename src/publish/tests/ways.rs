//! What is said of the ways in which a finding can be dismissed: from what each finding has, on every surface.

use std::collections::BTreeSet;

use council_protocol::Proof;
use proptest::prelude::*;

use super::plan::{report, seen, thread, wishes};
use crate::council::outcome::JudgedFinding;
use crate::publish::seen::ReviewThread;
use crate::publish::*;
use crate::report::markdown::ReadingPlace;
use crate::report::{
    DisplayOptions, EarlierFinding, EarlierReview, FindingFate, Report, Talks, terminal,
};

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// A line of the new side that is in the diff.
    InDiff,
    /// One that is not.
    Beside,
    /// A line that the change removes.
    Removed,
    /// A removed line that the diff does not have.
    RemovedElsewhere,
    /// The file, and no line of it.
    Lineless,
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::InDiff,
        Self::Beside,
        Self::Removed,
        Self::RemovedElsewhere,
        Self::Lineless,
    ];

    fn is_in_diff(self) -> bool {
        matches!(self, Self::InDiff | Self::Removed)
    }

    fn has_line(self) -> bool {
        matches!(self, Self::InDiff | Self::Beside)
    }

    fn change(self, found: &mut JudgedFinding) {
        let removed = |old_line| Proof::Removed {
            line: old_line,
            old_line,
        };
        let (line, proof) = match self {
            Self::InDiff => (7, Proof::Verified),
            Self::Beside => (900, Proof::Verified),
            Self::Removed => (0, removed(9)),
            Self::RemovedElsewhere => (0, removed(900)),
            Self::Lineless => (0, Proof::Verified),
        };
        found.finding.location.line = line;
        found.members[0].proof = proof;
    }
}

/// A report whose findings fail the change, each of a kind; `old`: nobody mentioned it again.
fn report_of(kinds: &[(Kind, bool, bool)]) -> Report {
    let mut report = report(kinds.len());
    for (found, (kind, _, old)) in report.outcome.findings.iter_mut().zip(kinds) {
        kind.change(found);
        found.since = old.then(|| "abc1234".to_owned());
    }
    report
}

/// A diff that shows the lines 1 to 50 of the new side, and removes the lines 9 and 10.
fn options(surfaces: BTreeSet<Surface>) -> PublishOptions {
    let mut options = wishes();
    options.surfaces = surfaces;
    options.lines = DiffLines::default();
    options
        .lines
        .add_patch("src/a.rs", "@@ -9,2 +1,50 @@\n-let x = 1;\n-b");
    options
}

/// What is said at the terminal that published, in the comment, and in the check.
fn steps(report: &Report, talks: Talks, actions: &[PublishAction]) -> Vec<String> {
    let look = DisplayOptions {
        place: ReadingPlace::Desk(talks),
        ..DisplayOptions::default()
    };
    let mut texts = vec![terminal::render(report, look, &[])];
    texts.extend(actions.iter().filter_map(|action| match action {
        PublishAction::CreateComment { body, .. } => Some(body.clone()),
        PublishAction::CreateCheck { body } => Some(body["output"]["summary"].to_string()),
        _ => None,
    }));
    let flat = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    texts.iter().map(flat).collect()
}

fn surfaces() -> impl Strategy<Value = BTreeSet<Surface>> {
    let all = vec![Surface::Comment, Surface::Check, Surface::Review];
    prop::sample::subsequence(all, 0..=3).prop_map(BTreeSet::from_iter)
}

fn kinds() -> impl Strategy<Value = Vec<(Kind, bool, bool)>> {
    let kind = prop::sample::select(Kind::ALL.to_vec());
    prop::collection::vec((kind, any::<bool>(), any::<bool>()), 1..5)
}

proptest! {
    /// A law: whatever a finding is about and wherever it is published, a reply is named as far as something can be replied
    /// to, a comment stands beside the line that is meant, on its side, and an annotation beside no other line.
    #[test]
    fn the_ways_that_are_named_are_those_that_there_are(kinds in kinds(), surfaces in surfaces()) {
        let report = report_of(&kinds);
        let findings = &report.outcome.findings;
        let options = options(surfaces.clone());
        let mut seen = seen();
        let talked = findings.iter().zip(&kinds).filter(|(_, (_, talked, _))| *talked);
        seen.threads = Some(talked.map(|(found, _)| thread(found)).collect());
        let actions = plan_actions(&report, &seen, &options);
        let posts = surfaces.contains(&Surface::Review);
        let has = |(kind, talked, _): &(Kind, bool, bool)| *talked || (posts && kind.is_in_diff());
        let many = kinds.iter().filter(|kind| has(kind)).count();

        let mut sides: Vec<String> = Vec::new();
        let mut annotated: Vec<u64> = Vec::new();
        for action in &actions {
            let call = action.api_call(&RepoSlug::parse("o/r").unwrap(), None);
            let body = call.and_then(|call| call.body).unwrap_or_default();
            let comments = body["comments"].as_array().into_iter().flatten();
            sides.extend(comments.map(|c| format!("{}{}", c["side"].as_str().unwrap(), c["line"])));
            let notes = body["output"]["annotations"].as_array().into_iter().flatten();
            annotated.extend(notes.map(|note| note["start_line"].as_u64().unwrap()));
        }
        let new = kinds.iter().filter(|(kind, talked, _)| posts && !talked && kind.is_in_diff());
        let expected: Vec<String> = new.map(|(kind, ..)| match kind {
            Kind::Removed => "LEFT9".to_owned(),
            _ => "RIGHT7".to_owned(),
        }).collect();
        prop_assert_eq!(sides, expected);
        let noted = kinds.iter().filter(|kind| surfaces.contains(&Surface::Check) && kind.0.has_line());
        let noted: Vec<u64> = noted
            .filter(|kind| !(posts && has(kind)))
            .map(|(kind, ..)| if *kind == Kind::Beside { 900 } else { 7 })
            .collect();
        prop_assert_eq!(annotated, noted);

        let talks = talks_about(&report, &seen, &options);
        for (nth, step) in steps(&report, talks, &actions).iter().enumerate() {
            let says = |words: &str| step.contains(words);
            prop_assert_eq!(says("in the conversation about it") || says("in the conversation about them"),
                many == kinds.len(), "{}", step);
            prop_assert_eq!(says("the conversation about each that has one"),
                many > 0 && many < kinds.len(), "{}", step);
            let may_post = !posts && many == 0 && kinds.iter().all(|(kind, ..)| kind.is_in_diff());
            prop_assert_eq!(says("`--publish review` posts"), nth == 0 && may_post, "{}", step);
            let is_told = many == kinds.len() || (nth == 0 && may_post);
            prop_assert_eq!(says("docs/warn-and-merge.md"), !is_told, "{}", step);
            let is_old = kinds.iter().any(|(.., old)| *old);
            let whole = if nth == 0 { "`git council review --pr 1 --full`" } else { "`/council review full`" };
            prop_assert_eq!(says(whole), is_old, "{}", step);
            prop_assert_eq!(says("dismisses it `as fixed`"), is_old, "{}", step);
        }
    }

    /// A law: a conversation that we closed with a dismissal is opened again when that is taken back, and no second one
    /// begins; unless it cannot be seen where it stands, or another one goes on.
    #[test]
    fn a_dismissal_that_is_taken_back_opens_its_conversation_again(
        by_us in any::<bool>(), reopens in any::<bool>(), outdated in any::<bool>(), beside in any::<bool>(),
    ) {
        let report = report(1);
        let found = &report.outcome.findings[0];
        let old = ReviewThread { closed: true, closed_by_us: by_us, reopens, outdated, answered: true, ..thread(found) };
        let other = ReviewThread { id: "PRRT_2".into(), ..thread(found) };
        let mut seen = seen();
        seen.threads = Some([Some(old.clone()), beside.then_some(other)].into_iter().flatten().collect());
        let actions = plan_actions(&report, &seen, &wishes());
        let begun = actions.iter().any(|action| matches!(action, PublishAction::Review { .. }));
        let again: Vec<&String> = actions.iter().filter_map(|action| match action {
            PublishAction::Reopen { threads, .. } => Some(threads),
            _ => None,
        }).flatten().collect();
        let is_used = by_us && reopens && !outdated;
        prop_assert_eq!(again, if is_used && !beside { vec![&old.id] } else { vec![] });
        // What somebody else closed was seen by them.
        prop_assert_eq!(begun, by_us && !is_used && !beside);
        let hides = actions.iter().any(|action| matches!(action, PublishAction::Hide { .. }));
        prop_assert!(!hides);
    }
}

/// After a push that gives the finding another name, too; what somebody has argued away keeps the one that they saw.
#[test]
fn a_conversation_whose_dismissal_was_taken_back_follows_its_finding() {
    let order = |meaning| DismissOrder {
        login: "ann".into(),
        meaning,
        at: String::new(),
        edited_by: None,
        reply: String::new(),
        answered: true,
        taken_for: None,
    };
    for reopens in [true, false] {
        let mut now = report(1);
        let found = &mut now.outcome.findings[0];
        let before = std::mem::replace(&mut found.fingerprint, "f".repeat(16));
        now.receipt.run.earlier = Some(EarlierReview {
            commit: "abc1234".into(),
            findings: vec![EarlierFinding {
                fingerprint: before.clone(),
                fingerprint_now: Some(found.fingerprint.clone()),
                severity: found.finding.severity,
                location: found.finding.location.clone(),
                description: String::new(),
                fate: FindingFate::StillOpen,
                lapsed: None,
                asked: Vec::new(),
            }],
            lost: 0,
        });
        let talk = ReviewThread {
            fingerprint: before,
            orders: vec![order(OrderMeaning::TakeBack)],
            reopens,
            ..thread(found)
        };
        let mut seen = seen();
        seen.threads = Some(vec![talk]);
        let actions = plan_actions(&now, &seen, &wishes());
        let begun = actions
            .iter()
            .any(|action| matches!(action, PublishAction::Review { .. }));
        assert_eq!(begun, !reopens);
    }
}
