//! `left-out-file`: a file that nearly always changed together with a changed one, and does not now.

use council_protocol::change::Companion;

use super::lockfile_without_manifest::is_lockfile;
use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "left-out-file",
        perspective: MAINTAINABILITY,
        category: "incomplete-change",
        severity: Minor,
        summary: "a file that nearly always changed along, and does not in this change",
        why: "What usually changes together may belong together: a table and its copy, a setting and its document.\n\
              What often changes together, as a changelog and a version do, is seldom what a change forgot, so the \
              rule does not run by itself. It reads the last 300 commits of the main line for at most 100 ms; where \
              they are not there, as in a shallow clone, it is silent.",
        fix: "Change that file too, or leave it where it has nothing to say here.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "changed together",
        "change together",
        "left out",
        "also be updated",
    ],
    check: RuleCheck::Change(check_change),
};

/// At most one: the one that changed along most often.
fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let spoken = change
        .blobs
        .companions()
        .into_iter()
        .filter_map(|companion| {
            let file = change
                .files
                .iter()
                .find(|file| *file.change.path_before() == companion.with)?;
            is_missed(file, &companion).then_some((companion, file))
        });
    let share = |one: &Companion| one.together * 1_000 / one.of.max(1);
    let best = spoken.min_by_key(|(one, _)| {
        (
            std::cmp::Reverse((share(one), one.together)),
            one.path.clone(),
        )
    });
    if let Some((
        Companion {
            path, together, of, ..
        },
        file,
    )) = best
    {
        let path = path.display();
        hits.push(file.file_hit(format!(
            "`{path}` changed together with this file in {together} of its last {of} commits, and not here."
        )));
    }
}

/// Whether somebody who changes the one has to think of the other: what programs write follows by itself, and a test may
/// change alone.
fn is_missed(file: &FileView<'_>, companion: &Companion) -> bool {
    let path = companion.path.display();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let role = FileRole::from_path(&path, Language::from_path(&path));
    let of_programs = role == FileRole::Foreign || file.role == FileRole::Foreign;
    let test_alone = file.role == FileRole::Test && role != FileRole::Test;
    !(of_programs || test_alone || is_lockfile(name) || is_lockfile(file.file_name()))
}
