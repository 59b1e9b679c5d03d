//! What chance, and the simplest reader of all, would have shown.

use std::collections::BTreeSet;

use super::labelled::{FileWeight, LabelledChange};
use super::statistics::chance_to_hit;
use super::trials::{TrialFinding, TrialResult};

/// The chance that as many lines as the findings cover, drawn blindly from those that the change adds, would show the
/// defect. A range counts with each of its lines: whoever points at a whole file is as good as drawing all of it.
pub(super) fn random_lines(item: &LabelledChange, trials: &[&TrialResult]) -> (f64, f64) {
    if !item.has_known_place() {
        return (0.0, 0.0);
    }
    let (mut all, mut marked) = (0, 0);
    for file in &item.files {
        for line in lines_of(file) {
            let mut places = item.places.iter();
            all += 1;
            marked +=
                u64::from(places.any(|place| place.path == file.path && place.is_near(line, line)));
        }
    }
    let chance = |trial: &&TrialResult| chance_to_hit(all, marked, covered_lines(item, trial));
    (trials.iter().map(chance).sum(), trials.len() as f64)
}

/// How many lines the findings to a council's credit cover: those that the change adds, each once; a finding beside them
/// is one.
/// A finding about a file as a whole says no line; it is one where the defect is a file as a whole.
fn covered_lines(item: &LabelledChange, trial: &TrialResult) -> u64 {
    let mut covered: BTreeSet<(&str, u32)> = BTreeSet::new();
    let mut beside = 0;
    for finding in trial.credited_findings() {
        if finding.line == 0 {
            beside += u64::from(item.places.iter().any(|place| place.is_whole_file()));
            continue;
        }
        let added = added_lines_in(item, finding);
        beside += u64::from(added.is_empty());
        covered.extend(added.into_iter().map(|line| (finding.path.as_str(), line)));
    }
    covered.len() as u64 + beside
}

/// The lines of a finding that the change adds.
fn added_lines_in(item: &LabelledChange, finding: &TrialFinding) -> Vec<u32> {
    let files = item.files.iter().filter(|file| file.path == finding.path);
    let lines = files.flat_map(lines_of);
    lines
        .filter(|line| (finding.line..=finding.end).contains(line))
        .collect()
}

/// The lines that the change adds to a file.
fn lines_of(file: &FileWeight) -> impl Iterator<Item = u32> {
    file.added.iter().flat_map(|(first, last)| *first..=*last)
}

/// Whether the defect lies in the file with most added lines.
pub(super) fn largest_file(item: &LabelledChange) -> (f64, f64) {
    if !item.has_known_place() {
        return (0.0, 0.0);
    }
    let largest = item
        .files
        .iter()
        .max_by_key(|file| (file.added_lines(), std::cmp::Reverse(&file.path)));
    let is_guilty =
        largest.is_some_and(|file| item.places.iter().any(|place| place.path == file.path));
    (f64::from(is_guilty), 1.0)
}
