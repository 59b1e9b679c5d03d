//! What is measured of a council on one change: a number above the line and one below it, so that any set of changes can be
//! summed.

use serde::Serialize;

use super::labelled::{LabelSet, LabelledChange, LabelledPlace};
use super::trials::{TrialFinding, TrialResult};
use crate::council::outcome::Verdict;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Measure {
    DefectsShown,
    GuiltyFiles,
    Objections,
    FailedDefective,
    PassedClean,
    FailedClean,
    SilentOnClean,
    RepeatedAlarms,
    FindingsPerChange,
    ProvedQuotes,
    WithoutVerdict,
    StableVerdicts,
    DollarsPerReview,
    DollarsPerHit,
    SecondsPerReview,
    SecondsPerHit,
}

impl Measure {
    /// In the order of the table.
    pub(crate) const ALL: [Self; 16] = [
        Self::DefectsShown,
        Self::GuiltyFiles,
        Self::Objections,
        Self::FailedDefective,
        Self::PassedClean,
        Self::FailedClean,
        Self::SilentOnClean,
        Self::RepeatedAlarms,
        Self::FindingsPerChange,
        Self::ProvedQuotes,
        Self::WithoutVerdict,
        Self::StableVerdicts,
        Self::DollarsPerReview,
        Self::DollarsPerHit,
        Self::SecondsPerReview,
        Self::SecondsPerHit,
    ];

    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::DefectsShown => "defects shown within 3 lines",
            Self::GuiltyFiles => "defects shown in the right file",
            Self::Objections => "defective changes not passed",
            Self::FailedDefective => "defective changes failed",
            Self::PassedClean => "clean changes passed",
            Self::FailedClean => "clean changes failed",
            Self::SilentOnClean => "clean changes without a finding",
            Self::RepeatedAlarms => "dismissed findings raised again",
            Self::FindingsPerChange => "findings a change",
            Self::ProvedQuotes => "quotes that were found",
            Self::WithoutVerdict => "reviews without a verdict",
            Self::StableVerdicts => "same verdict when repeated",
            Self::DollarsPerReview => "dollars a review",
            Self::DollarsPerHit => "dollars for each defect shown",
            Self::SecondsPerReview => "seconds a review",
            Self::SecondsPerHit => "seconds for each defect shown",
        }
    }

    /// Whether it is a share, and shown in per cent.
    pub(crate) fn is_share(self) -> bool {
        self != Self::FindingsPerChange && !self.is_dollars() && !self.is_seconds()
    }

    /// Whether it is what a council costs.
    pub(crate) fn is_dollars(self) -> bool {
        matches!(self, Self::DollarsPerReview | Self::DollarsPerHit)
    }

    fn is_seconds(self) -> bool {
        matches!(self, Self::SecondsPerReview | Self::SecondsPerHit)
    }

    /// Whether it is what a defect that is shown takes.
    pub(crate) fn is_per_hit(self) -> bool {
        matches!(self, Self::DollarsPerHit | Self::SecondsPerHit)
    }

    /// The two numbers of a change in all of its repeats; nothing above nothing where the change does not count for it.
    ///
    /// A review that came to no verdict earns nothing: it counts as a miss where more is better, and not at all where
    /// less is.
    pub(crate) fn of_change(
        self,
        item: &LabelledChange,
        trials: &[&TrialResult],
        labels: &HitLabels<'_>,
    ) -> (f64, f64) {
        let (is_located, is_clean) = (item.has_known_place(), item.set == LabelSet::Clean);
        let is_defective = item.set.is_defective();
        let every = |counts: bool, holds: &dyn Fn(&TrialResult) -> bool| {
            share_of(trials.iter().copied().filter(|_| counts), holds)
        };
        let concluded = |counts: bool, holds: &dyn Fn(&TrialResult) -> bool| {
            let concluded = trials.iter().copied().filter(|trial| trial.has_verdict());
            share_of(concluded.filter(|_| counts), holds)
        };
        let sum = |number: &dyn Fn(&TrialResult) -> f64| trials.iter().copied().map(number).sum();
        let hits = || every(is_located, &|trial| is_hit(item, trial, labels)).0;
        let dollars = || sum(&|trial| trial.dollars.unwrap_or(0.0));
        let reviews = trials.len() as f64;
        match self {
            Self::DefectsShown => every(is_located, &|trial| is_hit(item, trial, labels)),
            Self::GuiltyFiles => every(is_located, &|trial| names_guilty_file(item, trial)),
            Self::Objections => every(is_defective, &|trial| {
                matches!(trial.verdict, Verdict::Fail | Verdict::Warn)
            }),
            Self::FailedDefective => every(is_defective, &|trial| trial.verdict == Verdict::Fail),
            Self::PassedClean => every(is_clean, &|trial| trial.verdict == Verdict::Pass),
            Self::FailedClean => concluded(is_clean, &|trial| trial.verdict == Verdict::Fail),
            Self::SilentOnClean => every(is_clean, &|trial| {
                trial.has_verdict() && trial.told_findings().next().is_none()
            }),
            Self::RepeatedAlarms => concluded(item.set == LabelSet::Dismissals, &|trial| {
                let mut weighty = trial.weighty_findings();
                weighty.any(|finding| is_near(&item.places, finding))
            }),
            Self::FindingsPerChange => {
                let (_, reviews) = concluded(true, &|_| true);
                let told = |trial: &TrialResult| trial.told_findings().count() as f64;
                let concluded = trials.iter().filter(|trial| trial.has_verdict());
                (concluded.map(|trial| told(trial)).sum(), reviews)
            }
            Self::ProvedQuotes => (
                sum(&|trial| match trial.has_verdict() {
                    true => f64::from(trial.proved_quotes.0),
                    false => 0.0,
                }),
                sum(&|trial| f64::from(trial.proved_quotes.1)),
            ),
            Self::WithoutVerdict => every(true, &|trial| !trial.has_verdict()),
            Self::StableVerdicts => stable_pairs(trials),
            Self::DollarsPerReview => (dollars(), reviews),
            Self::DollarsPerHit => (dollars(), hits()),
            Self::SecondsPerReview => (sum(&|trial| trial.seconds), reviews),
            Self::SecondsPerHit => (sum(&|trial| trial.seconds), hits()),
        }
    }
}

/// Of how many trials something holds, and of how many it might.
fn share_of<'t>(
    trials: impl Iterator<Item = &'t TrialResult>,
    holds: &dyn Fn(&TrialResult) -> bool,
) -> (f64, f64) {
    trials.fold((0.0, 0.0), |(held, all), trial| {
        (held + f64::from(holds(trial)), all + 1.0)
    })
}

/// What a person said of a shown finding: whether it names the defect.
pub(crate) type HitLabels<'a> = dyn Fn(&LabelledChange, &TrialFinding) -> Option<bool> + 'a;

/// Whether a finding lies where the defect is. One about a file as a whole says no line: it names the file alone.
pub(crate) fn is_near(places: &[LabelledPlace], finding: &TrialFinding) -> bool {
    let near = |place: &LabelledPlace| {
        let touches = finding.line != 0 && place.is_near(finding.line, finding.end);
        place.path == finding.path && (place.is_whole_file() || touches)
    };
    places.iter().any(near)
}

/// Whether a trial shows the defect: a person's word counts before the distance.
pub(crate) fn is_hit(item: &LabelledChange, trial: &TrialResult, labels: &HitLabels<'_>) -> bool {
    let counts = |finding: &TrialFinding| {
        labels(item, finding).unwrap_or_else(|| is_near(&item.places, finding))
    };
    trial.credited_findings().any(counts)
}

fn names_guilty_file(item: &LabelledChange, trial: &TrialResult) -> bool {
    let is_guilty =
        |finding: &TrialFinding| item.places.iter().any(|place| place.path == finding.path);
    trial.credited_findings().any(is_guilty)
}

/// Pairs of repeats with the same verdict, of all pairs. That two came to none is no agreement.
fn stable_pairs(trials: &[&TrialResult]) -> (f64, f64) {
    let pairs = trials.iter().enumerate().flat_map(|(at, one)| {
        trials[at + 1..]
            .iter()
            .map(|other| one.has_verdict() && one.verdict == other.verdict)
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
        // A finding about the file as a whole names the file, and no line of it.
        assert!(!near(0) && is_near(&[place("a", 0, 0)], &finding("a", 0)));
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
