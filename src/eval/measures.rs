//! What is measured of a council on one change: a number above the line and one below it, so that any set of changes can be
//! summed.

use serde::Serialize;

use super::labelled::{LabelSet, LabelledChange, LabelledPlace};
use super::trials::{TrialFinding, TrialResult};
use crate::council::outcome::Verdict;

/// A finding so many lines beside the defect still shows it.
pub(crate) const NEAR_LINES: u32 = 3;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Measure {
    DefectsShown,
    GuiltyFiles,
    Objections,
    PassedClean,
    SilentOnClean,
    RepeatedAlarms,
    FindingsPerChange,
    ProvedQuotes,
    StableVerdicts,
    DollarsPerHit,
    SecondsPerHit,
}

impl Measure {
    /// In the order of the table.
    pub(crate) const ALL: [Self; 11] = [
        Self::DefectsShown,
        Self::GuiltyFiles,
        Self::Objections,
        Self::PassedClean,
        Self::SilentOnClean,
        Self::RepeatedAlarms,
        Self::FindingsPerChange,
        Self::ProvedQuotes,
        Self::StableVerdicts,
        Self::DollarsPerHit,
        Self::SecondsPerHit,
    ];

    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::DefectsShown => "defects shown within 3 lines",
            Self::GuiltyFiles => "defects shown in the right file",
            Self::Objections => "defective changes not passed",
            Self::PassedClean => "clean changes passed",
            Self::SilentOnClean => "clean changes without a finding",
            Self::RepeatedAlarms => "dismissed findings raised again",
            Self::FindingsPerChange => "findings a change",
            Self::ProvedQuotes => "quotes that were found",
            Self::StableVerdicts => "same verdict when repeated",
            Self::DollarsPerHit => "dollars for each defect shown",
            Self::SecondsPerHit => "seconds for each defect shown",
        }
    }

    /// Whether it is a share, and shown in per cent.
    pub(crate) fn is_share(self) -> bool {
        !matches!(
            self,
            Self::FindingsPerChange | Self::DollarsPerHit | Self::SecondsPerHit
        )
    }

    /// The two numbers of a change in all of its repeats; nothing above nothing where the change does not count for it.
    pub(crate) fn of_change(
        self,
        item: &LabelledChange,
        trials: &[&TrialResult],
        labels: &HitLabels<'_>,
    ) -> (f64, f64) {
        let has_places = item.set.is_defective() && !item.places.is_empty();
        let each = |counts: bool, number: &dyn Fn(&TrialResult) -> f64| {
            if counts {
                (
                    trials.iter().map(|trial| number(trial)).sum(),
                    trials.len() as f64,
                )
            } else {
                (0.0, 0.0)
            }
        };
        let hit = |trial: &TrialResult| f64::from(is_hit(item, trial, labels));
        let is_clean = item.set == LabelSet::Clean;
        match self {
            Self::DefectsShown => each(has_places, &hit),
            Self::GuiltyFiles => each(has_places, &|trial| {
                f64::from(names_guilty_file(item, trial))
            }),
            Self::Objections => each(item.set.is_defective(), &|trial| {
                f64::from(matches!(trial.verdict, Verdict::Fail | Verdict::Warn))
            }),
            Self::PassedClean => each(is_clean, &|trial| f64::from(trial.verdict == Verdict::Pass)),
            Self::SilentOnClean => each(is_clean, &|trial| {
                f64::from(trial.told_findings().next().is_none())
            }),
            Self::RepeatedAlarms => each(item.set == LabelSet::Dismissals, &|trial| {
                f64::from(
                    trial
                        .weighty_findings()
                        .any(|finding| is_near(&item.places, finding)),
                )
            }),
            Self::FindingsPerChange => each(true, &|trial| trial.told_findings().count() as f64),
            Self::ProvedQuotes => {
                let sum =
                    |part: fn(&TrialResult) -> u32| trials.iter().map(|t| f64::from(part(t))).sum();
                (
                    sum(|trial| trial.proved_quotes.0),
                    sum(|trial| trial.proved_quotes.1),
                )
            }
            Self::StableVerdicts => stable_pairs(trials),
            Self::DollarsPerHit => (
                trials.iter().filter_map(|trial| trial.dollars).sum(),
                each(has_places, &hit).0,
            ),
            Self::SecondsPerHit => (
                trials.iter().map(|trial| trial.seconds).sum(),
                each(has_places, &hit).0,
            ),
        }
    }
}

/// What a person said of a shown finding: whether it names the defect.
pub(crate) type HitLabels<'a> = dyn Fn(&LabelledChange, &TrialFinding) -> Option<bool> + 'a;

/// Whether a finding lies where the defect is.
pub(crate) fn is_near(places: &[LabelledPlace], finding: &TrialFinding) -> bool {
    let near = |place: &LabelledPlace| {
        let whole = place.first == 0 || finding.line == 0;
        let touches = finding.line <= place.last.saturating_add(NEAR_LINES)
            && place.first <= finding.end.saturating_add(NEAR_LINES);
        place.path == finding.path && (whole || touches)
    };
    places.iter().any(near)
}

/// Whether a trial shows the defect: a person's word counts before the distance.
pub(crate) fn is_hit(item: &LabelledChange, trial: &TrialResult, labels: &HitLabels<'_>) -> bool {
    let counts = |finding: &TrialFinding| {
        labels(item, finding).unwrap_or_else(|| is_near(&item.places, finding))
    };
    trial.weighty_findings().any(counts)
}

fn names_guilty_file(item: &LabelledChange, trial: &TrialResult) -> bool {
    let is_guilty =
        |finding: &TrialFinding| item.places.iter().any(|place| place.path == finding.path);
    trial.weighty_findings().any(is_guilty)
}

/// Pairs of repeats with the same verdict, of all pairs.
fn stable_pairs(trials: &[&TrialResult]) -> (f64, f64) {
    let pairs = trials.iter().enumerate().flat_map(|(at, one)| {
        trials[at + 1..]
            .iter()
            .map(|other| one.verdict == other.verdict)
    });
    pairs.fold((0.0, 0.0), |(same, all), equal| {
        (same + f64::from(equal), all + 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::council::outcome::Disposition;
    use council_protocol::Severity;

    fn place(path: &str, first: u32, last: u32) -> LabelledPlace {
        LabelledPlace {
            path: path.to_owned(),
            first,
            last,
        }
    }

    fn finding(path: &str, line: u32) -> TrialFinding {
        TrialFinding {
            path: path.to_owned(),
            line,
            end: line,
            severity: Severity::Significant,
            disposition: Disposition::Confirmed,
            description: String::new(),
            judges: Vec::new(),
        }
    }

    #[test]
    fn three_lines_beside_the_defect_still_show_it() {
        let places = [place("a", 10, 12)];
        let near = |line| is_near(&places, &finding("a", line));
        assert_eq!([6, 7, 15, 16].map(near), [false, true, true, false]);
        assert!(!is_near(&places, &finding("b", 11)));
        // A finding about the file as a whole names the file.
        assert!(near(0));
    }

    #[test]
    fn a_remark_and_a_rejected_finding_show_nothing() {
        let minor = TrialFinding {
            severity: Severity::Minor,
            ..finding("a", 1)
        };
        let rejected = TrialFinding {
            disposition: Disposition::Rejected,
            ..finding("a", 1)
        };
        assert!(!minor.is_weighty() && !rejected.is_weighty() && finding("a", 1).is_weighty());
    }
}
