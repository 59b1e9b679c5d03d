//! What becomes of the findings that an earlier review left open, as far as it is known before the new one begins.
//!
//! A finding stays until its code is gone from what the change adds, or a rule that is applied again does not raise it:
//! judges that are silent about it this time, and code that is moved, resolve nothing. One about code that the change
//! leaves as it was stays with that very line, and one about code that the change removes until it no longer removes it.

use council_protocol::{FileChange, Finding, Hunk, JudgeId, LineKind, RepoPath};

use super::code_search::{CodeSearch, OpenCode, SearchedFile, move_finding};
use super::file_code::FileCode;
use super::kept::OpenFinding;
use super::memory::ReviewState;
use super::quote_place::quote_name;
use super::reviewed_side::{ReviewedSide, ReviewedText};
use crate::council::outcome::JudgedFinding;
use crate::council::{Dismissal, weigh_again};
use crate::packet::sha256;
use crate::report::{CarriedReview, FindingFate};
use crate::text::telling_lines;

impl ReviewState {
    /// The findings that are open, each with what becomes of it unless it is raised again.
    pub(crate) fn carry_findings(&self, side: &ReviewedSide<'_>) -> CarriedReview {
        let open = self.open.iter().map(OpenFinding::restore_finding);
        let search = CodeSearch::of(side, open.collect());
        let carry = |kept: &OpenFinding| {
            let mut found = kept.restore_finding();
            found.since.get_or_insert_with(|| self.head.clone());
            hear_dismissal(&mut found, side.dismissed);
            weigh_again(&mut found, side.cites);
            let is_back = self.is_taken_back(kept, side);
            let find = |code: OpenCode<'_>| match is_back {
                true => follow_move(code, &search),
                false => find_fate(code, &search),
            };
            let (fate, moved) = match kept.removed_line {
                Some(line) => (fate_of_removed(&kept.finding, line, side), None),
                None => find(OpenCode {
                    named: Some(&found),
                    ..kept.code_of(&kept.finding)
                }),
            };
            let is_there =
                |finding: &Finding| find(kept.code_of(finding)).0 != FindingFate::Resolved;
            // What was left out of a quote may stand there.
            let fate = match fate {
                FindingFate::Resolved if !is_back && search.may_hide(kept) => {
                    FindingFate::NotVerifiable
                }
                fate => fate,
            };
            let may_be_left = fate == FindingFate::Resolved && kept.removed_line.is_none();
            // Another problem of the same line may quote another part of it.
            let (fate, moved) = match may_be_left && found.keep_problems(is_there) {
                true => find(kept.code_of(&found.finding)),
                false => (fate, moved),
            };
            if let Some((path, line)) = moved {
                move_finding(&mut found, &path, line);
            }
            if fate != FindingFate::Resolved {
                search.claim(&kept.finding.location, &found.finding);
                forget_old_name(&mut found, kept, &search);
            }
            (found, fate)
        };
        let open = self.open.iter().map(|kept| (kept, carry(kept)));
        let mut all: Vec<_> = open.chain(self.returned_findings(&search)).collect();
        give_way(&mut all, side);
        let renamed = all
            .iter()
            .filter(|(kept, (found, _))| kept.fingerprint != found.fingerprint);
        let renamed =
            renamed.map(|(kept, (found, _))| (found.fingerprint.clone(), kept.fingerprint.clone()));
        CarriedReview {
            commit: self.head.clone(),
            renamed: renamed.collect(),
            findings: all.into_iter().map(|(_, found)| found).collect(),
            lost: self.lost,
            asked: self.open.iter().chain(&self.gone).map(asked_of).collect(),
        }
    }

    /// Whether the file of a finding, which the change was about, is as it is without it.
    fn is_taken_back(&self, kept: &OpenFinding, side: &ReviewedSide<'_>) -> bool {
        let path = &kept.finding.location.path;
        let is_there = || matches!((side.read)(path), ReviewedText::Text(_));
        self.knows_file(path) && !side.is_part && !side.files.contains(path) && is_there()
    }
}

/// A finding with what it has become.
type CarriedFinding<'k> = (&'k OpenFinding, (JudgedFinding, FindingFate));

/// Of code that stood there several times a part may be gone: where findings of several places have come to one of them, it is
/// the place of those that it is named by, else of those that nobody has dismissed. The others are resolved.
fn give_way(all: &mut Vec<CarriedFinding<'_>>, side: &ReviewedSide<'_>) {
    let strays: Vec<bool> = (0..all.len()).map(|at| is_stray(all, at, side)).collect();
    for ((kept, (found, fate)), _) in all.iter_mut().zip(&strays).filter(|(_, stray)| **stray) {
        // It is told of as it was.
        let was = &kept.finding.location;
        move_finding(found, &was.path, was.line);
        found.fingerprint.clone_from(&kept.fingerprint);
        // What had been resolved is so still.
        if *fate != FindingFate::CameBack {
            *fate = FindingFate::Resolved;
        }
    }
    let mut strays = strays.into_iter();
    all.retain(|(_, (_, fate))| {
        !(strays.next().unwrap_or_default() && *fate == FindingFate::CameBack)
    });
}

/// Whether another finding has more right to the place to which one has come, and stood elsewhere.
fn is_stray(all: &[CarriedFinding<'_>], at: usize, side: &ReviewedSide<'_>) -> bool {
    let stands = |(kept, (found, fate)): &CarriedFinding<'_>| {
        let is_removed = kept.removed_line.is_some() || found.finding.location.line == 0;
        *fate != FindingFate::Resolved && !is_removed
    };
    let place = |one: &CarriedFinding<'_>| {
        let finding = &one.1.0.finding;
        (finding.location.clone(), finding.quote.clone())
    };
    let Some(own) = all.get(at).filter(|one| stands(one)) else {
        return false;
    };
    let there = place(own);
    let rivals: Vec<_> = all
        .iter()
        .filter(|one| stands(one) && place(one) == there)
        .collect();
    let is_own = |(kept, (found, _)): &CarriedFinding<'_>| {
        let at = &found.finding.location;
        (side.is_named_at)(&kept.restore_finding(), &at.path, at.line)
    };
    let right = |one: &&&CarriedFinding<'_>| {
        let (found, fate) = &one.1;
        let is_back = *fate == FindingFate::CameBack;
        (!is_own(one), is_back, found.dismissed.is_some())
    };
    // Most places have one finding.
    rivals.len() > 1 && !is_own(own) && {
        // Of equals the first one stays.
        let best = rivals.iter().min_by_key(right);
        best.is_some_and(|best| was_place(best.0) != was_place(own.0))
    }
}

fn was_place(kept: &OpenFinding) -> (&RepoPath, u32) {
    let place = &kept.finding.location;
    (&place.path, place.line)
}

impl OpenFinding {
    pub(super) fn code_of<'a>(&'a self, finding: &'a Finding) -> OpenCode<'a> {
        OpenCode {
            finding,
            was: self.places.get(&quote_name(finding)),
            named: None,
        }
    }
}

/// Whoever has dismissed a finding since the last review has read it there.
pub(super) fn hear_dismissal(found: &mut JudgedFinding, dismissed: &[Dismissal]) {
    let mut named = dismissed.iter();
    let named = named.find(|one| one.fingerprint == found.fingerprint);
    found.dismissed = found.dismissed.take().or_else(|| named.cloned());
}

/// Names a finding after the lines that stand around it now, as a judge would that raises it. A dismissal is about what its
/// author has read: where those are others by now, it has another name, and what is found there counts again.
pub(super) fn forget_old_name(
    found: &mut JudgedFinding,
    kept: &OpenFinding,
    search: &CodeSearch<'_>,
) {
    let is_other = found.dismissed.is_some()
        && kept.removed_line.is_none()
        && !search.stands_as_it_was(kept, &found.finding.location);
    let name = match (is_other, kept.is_cut) {
        (true, _) => Some(other_name(&found.fingerprint)),
        // What stands around a quote that was cut is not what stood around all of it.
        (false, true) => None,
        (false, false) => (search.side.name_now)(found),
    };
    if let Some(name) = name {
        found.fingerprint = name;
    }
}

/// A name for what has an old one, and is other code by now.
fn other_name(fingerprint: &str) -> String {
    sha256(format!("edited {fingerprint}").as_bytes())[..fingerprint.len().min(16)].to_owned()
}

/// What becomes of a finding about code that the change removed from this line: it is resolved once the change leaves that code
/// alone.
fn fate_of_removed(finding: &Finding, line: u32, side: &ReviewedSide<'_>) -> FindingFate {
    let path = &finding.location.path;
    let mut changes = side.changes.iter();
    let change = changes.find(|change| change.path == *path || change.path_before() == path);
    // The file may have been moved once more.
    let is_removed_elsewhere = || {
        let mut changes = side.changes.iter();
        changes.any(|change| removes_line_of(change, &finding.quote))
    };
    match change {
        _ if !side.is_judged_for(finding) => FindingFate::StillOpen,
        // A rule that is applied again and finds nothing has the last word.
        _ if finding.rule.is_some() => FindingFate::Resolved,
        None => match (side.read)(path) {
            ReviewedText::Gone if is_removed_elsewhere() => FindingFate::StillOpen,
            _ => FindingFate::Resolved,
        },
        Some(change) if change.hunks.is_empty() && change.old_id != change.new_id => {
            FindingFate::NotVerifiable
        }
        Some(change) if removes_line_of(change, &finding.quote) => FindingFate::StillOpen,
        Some(change) if is_missed_in_place(finding, line, change, side) => FindingFate::StillOpen,
        Some(_) => FindingFate::Resolved,
    }
}

/// Whether the function of a removed line has less of it than before the change, or the lines beside it stand together, though
/// the diff removes none such: it pairs the line with one of another place.
fn is_missed_in_place(
    finding: &Finding,
    line: u32,
    change: &FileChange,
    side: &ReviewedSide<'_>,
) -> bool {
    let text = |read: ReviewedText| match read {
        ReviewedText::Text(text) => Some(text),
        ReviewedText::Gone | ReviewedText::Unreadable => None,
    };
    let before = text((side.read_before)(change.path_before()));
    let now = text((side.read)(&change.path));
    let (Some(before), Some(now)) = (before, now) else {
        return false;
    };
    let before = FileCode::of(change.path_before(), before);
    let now = FileCode::of(&change.path, now);
    let quoted = telling_lines(&finding.quote).into_iter();
    let mut quoted = quoted.map(|line| line.strip_prefix('-').unwrap_or(line));
    quoted.any(|quoted| {
        let stood = before.nearest_to(quoted, line);
        stood.is_some_and(|line| {
            before.has_more_in_function(&now, quoted, line) || before.is_missing_between(&now, line)
        })
    })
}

/// Whether the change removes all of the code again that a finding about removed code quotes, which had been put back.
pub(super) fn is_removed_again(finding: &Finding, side: &ReviewedSide<'_>) -> bool {
    let path = &finding.location.path;
    let mut changes = side.changes.iter();
    let change = changes.find(|change| change.path == *path || change.path_before() == path);
    let Some(removed) = change.map(removed_lines) else {
        return false;
    };
    let mut quoted = telling_lines(&finding.quote).into_iter().map(removed_code);
    quoted.all(|quoted| removed.iter().any(|line| line.contains(&quoted)))
}

/// Whether a change removes a line of a quote, which may be cut within its last one.
fn removes_line_of(change: &FileChange, quote: &str) -> bool {
    let removed = removed_lines(change);
    let quoted = quote.lines().map(removed_code);
    let mut quoted = quoted.filter(|quoted| !quoted.is_empty());
    quoted.any(|quoted| removed.iter().any(|line| line.contains(&quoted)))
}

/// A quoted line that a change removes, without the mark that a diff puts before it.
fn removed_code(line: &str) -> String {
    let line = line.trim_start();
    squeeze(line.strip_prefix('-').unwrap_or(line))
}

/// The lines that a change removes from a file.
fn removed_lines(change: &FileChange) -> Vec<String> {
    let lines = change.hunks.iter().flat_map(Hunk::lines);
    let removed = lines.filter(|line| line.kind == LineKind::Removed);
    removed.map(|line| squeeze(line.text)).collect()
}

/// What becomes of a finding, and where its code is now, if it was moved.
fn find_fate(
    code: OpenCode<'_>,
    search: &CodeSearch<'_>,
) -> (FindingFate, Option<(RepoPath, u32)>) {
    let (finding, side) = (code.finding, search.side);
    let (path, was) = (&finding.location.path, finding.location.line);
    let (is_judged, is_empty) = (side.is_judged_for(finding), finding.quote.trim().is_empty());
    let file = search.file(path);
    let line = search
        .own_line(&code)
        .filter(|line| !search.has_left(&code, *line));
    let moved = line.filter(|line| *line != was);
    let moved = moved.map(|line| (path.clone(), line));
    match &*file {
        SearchedFile::Gone => follow_move(code, search),
        _ if !is_judged => (FindingFate::StillOpen, moved),
        SearchedFile::Unreadable => (FindingFate::NotVerifiable, None),
        SearchedFile::Text(..) if is_empty || line.is_some() => {
            let fate = match &finding.rule {
                // A rule that is applied again and finds nothing has the last word; of a tool the council hears whether it is.
                Some(_) if (side.is_looked_for)(finding) => FindingFate::Resolved,
                Some(_) => FindingFate::StillOpen,
                None if is_empty => FindingFate::NotVerifiable,
                None => FindingFate::StillOpen,
            };
            (fate, moved)
        }
        SearchedFile::Text(..) => follow_move(code, search),
    }
}

/// The same of a finding whose code is no longer in its file: what the change adds to another file is the same code.
fn follow_move(
    code: OpenCode<'_>,
    search: &CodeSearch<'_>,
) -> (FindingFate, Option<(RepoPath, u32)>) {
    let Some(place) = search.moved_place(&code) else {
        return (FindingFate::Resolved, None);
    };
    let side = search.side;
    let is_judged = (side.is_judged)(&place.0);
    let is_looked_for = (side.is_looked_for)(code.finding);
    let fate = match is_judged || (side.is_read_by_rules)(&place.0) {
        // It is raised there, if it is one: under its new place it is the same.
        true if is_looked_for => FindingFate::Resolved,
        _ if is_judged => FindingFate::StillOpen,
        _ => FindingFate::NotVerifiable,
    };
    (fate, Some(place))
}

fn asked_of(kept: &OpenFinding) -> (String, Vec<JudgeId>) {
    (kept.fingerprint.clone(), kept.asked.clone())
}

/// A text with one blank for each run of white space.
fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
