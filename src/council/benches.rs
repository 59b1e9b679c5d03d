//! Who was shown what, where the files of a change are spread over the models because it is larger than a brief.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::{Coverage, CoverageState, RepoPath};

use super::judges::{Judges, SeatIndex};
use super::outcome::ReaderBench;

/// Whether a judge was shown a file of the change, be it in part.
pub(super) fn is_shown(state: &CoverageState) -> bool {
    !matches!(
        state,
        CoverageState::OverBudget | CoverageState::Unreadable { .. }
    )
}

/// The benches of a change whose files are spread over the models; none where all of them were shown the same.
pub(super) fn reader_benches(judges: &Judges) -> Vec<ReaderBench> {
    let models = judges.model_seats();
    let unshown = |coverage: &Coverage| -> BTreeSet<RepoPath> {
        let files = coverage.files.iter().filter(|file| !is_shown(&file.state));
        files.map(|file| file.path.clone()).collect()
    };
    let gaps: Vec<(SeatIndex, BTreeSet<RepoPath>)> = models
        .iter()
        .map(|&seat| (seat, unshown(&judges[seat].planned.coverage)))
        .collect();
    let spread: BTreeSet<&RepoPath> = gaps.iter().flat_map(|(_, gap)| gap).collect();
    let mut benches: BTreeMap<Vec<SeatIndex>, Vec<RepoPath>> = BTreeMap::new();
    for path in spread {
        let readers = gaps.iter().filter(|(_, gap)| !gap.contains(path));
        let readers: Vec<SeatIndex> = readers.map(|(seat, _)| *seat).collect();
        benches.entry(readers).or_default().push(path.clone());
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
