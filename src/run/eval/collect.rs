//! Labelled changes from this repository's own objects, without asking anybody.

use std::collections::BTreeMap;

use crate::council::DismissalGround;
use crate::eval::collect::LabelCollector;
use crate::eval::labelled::{LabelConfidence, LabelSet, LabelledChange, LabelledPlace};
use crate::git::{CouncilNotes, MainLineLimits, MainLineWalk, commit_at, walk_main_line};
use crate::memory::line::{self, DismissalLine, NoteLine};
use crate::run::context::RunContext;
use crate::run::dismissals;
use crate::run::error::RunError;

/// What is collected.
pub(crate) struct CollectRequest {
    /// The tip of the main line.
    pub(crate) tip: String,
    pub(crate) limits: MainLineLimits,
    pub(crate) sets: Vec<LabelSet>,
    /// The most changes of a set.
    pub(crate) limit: usize,
}

/// What came of it.
pub(crate) struct CollectedChanges {
    pub(crate) items: Vec<LabelledChange>,
    /// What was read of the main line.
    pub(crate) walked: MainLineWalk,
}

/// Reads the main line and labels its changes.
pub(crate) fn collect_changes(
    request: &CollectRequest,
    start: &RunContext,
) -> Result<CollectedChanges, RunError> {
    let env = start.git_environment();
    let mut collector = LabelCollector::default();
    let walked = walk_main_line(
        &start.dir,
        &env,
        &request.tip,
        request.limits,
        &mut |commit| {
            collector.see(&commit);
        },
    )?;
    let dismissed = if request.sets.contains(&LabelSet::Dismissals) {
        dismissed_findings(start)
    } else {
        Vec::new()
    };
    for (commit, place, seconds) in dismissed {
        collector.note_dismissal(&commit, place, seconds);
    }
    Ok(CollectedChanges {
        items: collector.finish(&request.sets, request.limit),
        walked,
    })
}

/// Findings that people dismissed, in notes or on this machine alone: on which object, at which place, and when.
fn dismissed_findings(start: &RunContext) -> Vec<(String, LabelledPlace, i64)> {
    let mut lines = dismissals::own_lines(start)
        .unwrap_or_default()
        .into_iter()
        .map(|line| (String::new(), line))
        .collect::<Vec<_>>();
    let env = start.git_environment();
    if let Ok(book) = CouncilNotes::open(&start.dir, &env) {
        for object in book.noted_objects().unwrap_or_default() {
            let noted = book.lines_on(&object).unwrap_or_default();
            let read = noted.iter().filter_map(|text| line::parse_line(text));
            lines.extend(read.filter_map(|read| match read.line {
                NoteLine::Dismissal(line) => Some((object.clone(), line)),
                NoteLine::Verdict(_) => None,
            }));
        }
    }
    lines.sort_by(|(_, one), (_, other)| one.dismissal.at.cmp(&other.dismissal.at));
    let last_words: BTreeMap<String, (String, DismissalLine)> = lines
        .into_iter()
        .map(|(object, line)| (line.dismissal.fingerprint.clone(), (object, line)))
        .collect();
    // What was mended or is put up with is true: to raise it again is no false alarm.
    let is_false = |line: &DismissalLine| line.dismissal.ground == DismissalGround::FalsePositive;
    let hold = last_words
        .into_values()
        .filter(|(_, line)| !line.restored && is_false(line));
    let placed = hold.filter_map(|(object, line)| {
        let at = line.dismissal.at.parse::<jiff::Timestamp>();
        let seconds = at.map_or(i64::MAX, jiff::Timestamp::as_second);
        Some((object, place_of(&line.finding)?, seconds))
    });
    placed.collect()
}

/// The place of `path:line description`. A path may hold blanks, and a description more places.
fn place_of(finding: &str) -> Option<LabelledPlace> {
    let ends = finding.match_indices(':').filter(|(at, _)| *at > 0);
    let place = |(at, _): (usize, &str)| {
        let (line, _) = finding[at + 1..].split_once(' ')?;
        Some((&finding[..at], line.parse().ok()?))
    };
    let (path, line) = ends.filter_map(place).next()?;
    Some(LabelledPlace {
        path: path.to_owned(),
        first: line,
        last: line,
    })
}

/// The labels' confidence is a threshold, too: the changes that are sure enough.
pub(crate) fn sure_enough(
    items: Vec<LabelledChange>,
    least: LabelConfidence,
) -> Vec<LabelledChange> {
    items
        .into_iter()
        .filter(|item| item.confidence >= least)
        .collect()
}

/// The commit by which a main line is named, so that a wrong name is an error before anything is read.
pub(crate) fn resolve_tip(name: &str, start: &RunContext) -> Result<String, RunError> {
    Ok(commit_at(&start.dir, &start.git_environment(), name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_finding_may_hold_blanks() {
        let place = |finding: &str| place_of(finding).map(|place| (place.path, place.first));
        let some = |path: &str, line| Some((path.to_owned(), line));
        assert_eq!(place("src/a.rs:3 it overflows"), some("src/a.rs", 3));
        assert_eq!(
            place("my notes/a b.md:12 as in c.rs:9 "),
            some("my notes/a b.md", 12)
        );
        assert_eq!(place("a:b.rs:7 x"), some("a:b.rs", 7));
        for none in ["src/a.rs", "src/a.rs:3", ":3 x", "a.rs:x y"] {
            assert_eq!(place(none), None, "{none}");
        }
    }
}
