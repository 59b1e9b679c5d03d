//! Who was shown what, where the files of a change are spread over the models because it is larger than a brief.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::{Coverage, CoverageState, RepoPath};

use super::judges::{Judges, SeatIndex};
use super::outcome::ReaderBench;

/// So many must have been shown a file whole before those do not count that were shown the head of it: one judge alone
/// decides nothing.
const MIN_WHOLE: usize = 2;

/// Whether a judge was shown a file of the change, be it in part.
fn is_shown(state: &CoverageState) -> bool {
    !matches!(
        state,
        CoverageState::OverBudget | CoverageState::Unreadable { .. }
    )
}

fn is_whole(state: &CoverageState) -> bool {
    is_shown(state) && !matches!(state, CoverageState::Truncated { .. })
}

/// The readers of a file among these judges, given what each was shown of it (none: all of it). Whoever was shown the head
/// of a file has nothing to say of the rest: where enough were shown all of it, they alone are its readers.
fn pick_readers<'a>(
    shown: impl Iterator<Item = (SeatIndex, Option<&'a CoverageState>)> + Clone,
) -> Vec<SeatIndex> {
    let those = |is_reader: fn(&CoverageState) -> bool| -> Vec<SeatIndex> {
        let readers = shown
            .clone()
            .filter(|(_, state)| state.is_none_or(is_reader));
        readers.map(|(seat, _)| seat).collect()
    };
    let whole = those(is_whole);
    if whole.len() >= MIN_WHOLE {
        whole
    } else {
        those(is_shown)
    }
}

/// Which of these judges are the readers of a file.
pub(super) fn readers_of(judges: &Judges, seats: &[SeatIndex], path: &RepoPath) -> Vec<SeatIndex> {
    let state_for = |&seat: &SeatIndex| {
        let files = &judges[seat].planned.coverage.files;
        let file = files.iter().find(|file| file.path == *path);
        (seat, file.map(|file| &file.state))
    };
    pick_readers(seats.iter().map(state_for))
}

/// The benches of a change whose files are spread over the models; none where all of them were shown the same.
pub(super) fn reader_benches(judges: &Judges) -> Vec<ReaderBench> {
    let models = judges.model_seats();
    let gaps_of = |coverage: &'_ Coverage| -> BTreeMap<RepoPath, CoverageState> {
        let files = coverage.files.iter().filter(|file| !is_whole(&file.state));
        files
            .map(|file| (file.path.clone(), file.state.clone()))
            .collect()
    };
    let gaps: Vec<(SeatIndex, BTreeMap<RepoPath, CoverageState>)> = models
        .iter()
        .map(|&seat| (seat, gaps_of(&judges[seat].planned.coverage)))
        .collect();
    let spread: BTreeSet<&RepoPath> = gaps.iter().flat_map(|(_, gap)| gap.keys()).collect();
    let mut benches: BTreeMap<Vec<SeatIndex>, Vec<RepoPath>> = BTreeMap::new();
    for path in spread {
        let readers = pick_readers(gaps.iter().map(|(seat, gap)| (*seat, gap.get(path))));
        if readers.len() < models.len() {
            benches.entry(readers).or_default().push(path.clone());
        }
    }
    let read = benches
        .into_iter()
        .filter(|(readers, _)| !readers.is_empty());
    read.map(|(readers, files)| ReaderBench {
        judges: readers
            .iter()
            .map(|&seat| judges[seat].id().clone())
            .collect(),
        files,
    })
    .collect()
}
