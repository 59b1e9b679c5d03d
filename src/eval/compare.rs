//! Councils beside each other, beside chance, and beside reading the largest file first. Never one number.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::chance::{largest_file, random_lines};
use super::knowledge::{TrainingKnowledge, training_knowledge};
use super::labelled::{LabelledChange, count_commits};
use super::measures::{HitLabels, Measure};
use super::statistics::{
    Estimate, bootstrap_difference, bootstrap_ratio, changes_to_tell_apart, cohens_kappa,
    price_of_none,
};
use super::trials::{TrialFinding, TrialResult};
use crate::council::outcome::HEARD_RULES;
use council_protocol::Vote;

/// The shares whose difference a set of changes should be able to tell.
const TOLD_APART: (f64, f64) = (0.3, 0.4);

/// Councils on the same changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Comparison {
    pub(crate) councils: Vec<CouncilFigures>,
    /// Each council against each later one.
    pub(crate) differences: Vec<CouncilDifference>,
    /// How many defective changes were reviewed whose place is known.
    pub(crate) located_defects: usize,
    /// How many it takes to tell 30 % from 40 %.
    pub(crate) needed_defects: u64,
    /// On how many of the findings that count a person's word is there, which counts before the distance.
    pub(crate) labelled_findings: usize,
}

/// What is known of a council.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CouncilFigures {
    pub(crate) name: String,
    /// The commits that it reviewed: labels of one commit are of one change.
    pub(crate) changes: usize,
    pub(crate) trials: usize,
    /// What all of its reviews have cost, in US dollars.
    pub(crate) dollars: f64,
    pub(crate) measures: BTreeMap<Measure, Estimate>,
    /// How many of its reviews came to no verdict.
    pub(crate) without_verdict: usize,
    /// What kept one of them from it, where that is known. Untrusted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) trouble: String,
    /// Whether nobody knows what it costs: its agents say no price, and none is set.
    pub(crate) is_cost_unknown: bool,
    /// The share of defects that as many lines as its findings cover would have shown, drawn from the change by chance.
    pub(crate) random_lines: Option<Estimate>,
    /// The share of defects in the file with most added lines.
    pub(crate) largest_file: Option<Estimate>,
    /// Agreement between its judges beyond chance, over all pairs; none: one judge, or no variety.
    pub(crate) kappa: Option<f64>,
    /// The models whose price is not known: the dollars are a lower bound.
    pub(crate) unpriced: BTreeSet<String>,
    /// What its models may know of the changes from their training.
    pub(crate) training: TrainingKnowledge,
}

/// The first council less the second one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CouncilDifference {
    pub(crate) one: String,
    pub(crate) other: String,
    /// The changes that both saw.
    pub(crate) changes: usize,
    pub(crate) measures: BTreeMap<Measure, Estimate>,
}

/// The two numbers of a change in all of its trials.
type ChangeNumbers<'a> = dyn Fn(&LabelledChange, &[&TrialResult]) -> (f64, f64) + 'a;

/// The trials of one council, by change.
type TrialsByItem<'t> = BTreeMap<&'t str, Vec<&'t TrialResult>>;

/// The two numbers of each commit, of all of its labels together: intervals are drawn from changes, and labels of one
/// commit are no changes of their own.
fn rows_by_commit<'a>(
    labels: impl Iterator<Item = (&'a LabelledChange, (f64, f64))>,
) -> Vec<(f64, f64)> {
    let mut rows: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (item, (above, below)) in labels {
        let row = rows.entry(&item.commit).or_default();
        *row = (row.0 + above, row.1 + below);
    }
    rows.into_values().collect()
}

/// What councils are called: by their file, and where that was changed between trials, or another version of the program ran
/// it, by the digest of what it was as well. Two councils in one column would be the figures of neither.
struct CouncilNames<'a> {
    digests: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> CouncilNames<'a> {
    /// Digits of a digest that tell versions apart.
    const DIGITS: usize = 6;

    fn of(trials: &'a [TrialResult]) -> Self {
        let mut digests: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for trial in trials {
            let of_name = digests.entry(&trial.key.council).or_default();
            of_name.insert(&trial.key.digest);
        }
        Self { digests }
    }

    fn name_of(&self, trial: &TrialResult) -> String {
        let (name, digest) = (trial.key.council.as_str(), trial.key.digest.as_str());
        match self.digests.get(name) {
            Some(versions) if versions.len() > 1 => {
                format!("{name} ({})", digest.get(..Self::DIGITS).unwrap_or(digest))
            }
            _ => name.to_owned(),
        }
    }
}

/// Sets councils beside each other.
pub(crate) fn compare_councils(
    items: &[LabelledChange],
    trials: &[TrialResult],
    labels: &HitLabels<'_>,
) -> Comparison {
    let by_id: BTreeMap<&str, &LabelledChange> =
        items.iter().map(|item| (item.id.as_str(), item)).collect();
    let names = CouncilNames::of(trials);
    let mut councils: BTreeMap<String, TrialsByItem<'_>> = BTreeMap::new();
    for trial in trials
        .iter()
        .filter(|trial| by_id.contains_key(trial.key.item.as_str()))
    {
        let of_council = councils.entry(names.name_of(trial)).or_default();
        of_council.entry(&trial.key.item).or_default().push(trial);
    }
    let figures = councils
        .iter()
        .map(|(name, trials)| council_figures(name, &by_id, trials, labels));
    let names: Vec<&str> = councils.keys().map(String::as_str).collect();
    let pairs = names
        .iter()
        .enumerate()
        .flat_map(|(at, one)| names[at + 1..].iter().map(move |other| (*one, *other)));
    let differences = pairs.map(|(one, other)| {
        let shared: Vec<&str> = councils[one]
            .keys()
            .filter(|id| councils[other].contains_key(*id))
            .copied()
            .collect();
        let rows = |council: &str, measure: Measure| -> Vec<(f64, f64)> {
            let trials = &councils[council];
            rows_by_commit(shared.iter().map(|id| {
                let item = by_id[id];
                (item, measure.of_change(item, &trials[id], labels))
            }))
        };
        let estimate = |measure: Measure| {
            let (ours, theirs) = (rows(one, measure), rows(other, measure));
            let known = [one, other].map(|council| is_known(measure, &councils[council]));
            let difference =
                bootstrap_difference(&ours, &theirs).filter(|_| known == [true, true])?;
            let seen = match measure.is_share() {
                true => counted(&ours).min(counted(&theirs)),
                false => rows_in(&ours).min(rows_in(&theirs)),
            };
            let difference = match measure.is_share() {
                true => difference.with_unseen(seen, -1.0, 1.0),
                false => difference.with_few(seen, f64::NEG_INFINITY),
            };
            let difference = difference.with_few_signs(seen);
            Some((measure, difference))
        };
        CouncilDifference {
            one: one.to_owned(),
            other: other.to_owned(),
            changes: count_commits(shared.iter().map(|id| by_id[id])),
            measures: Measure::ALL.into_iter().filter_map(estimate).collect(),
        }
    });
    let reviewed = |item: &&LabelledChange| {
        let mut all = councils.values();
        all.any(|trials| trials.contains_key(item.id.as_str()))
    };
    let located = items.iter().filter(reviewed);
    let located = located.filter(|item| item.has_known_place());
    Comparison {
        councils: figures.collect(),
        differences: differences.collect(),
        located_defects: count_commits(located),
        needed_defects: changes_to_tell_apart(TOLD_APART.0, TOLD_APART.1),
        labelled_findings: count_labelled(&by_id, trials, labels),
    }
}

/// How many findings people have decided on, of those by which defects are shown; whoever raised one, it is one.
fn count_labelled(
    items: &BTreeMap<&str, &LabelledChange>,
    trials: &[TrialResult],
    labels: &HitLabels<'_>,
) -> usize {
    let mut labelled = BTreeSet::new();
    for trial in trials {
        let item = items.get(trial.key.item.as_str());
        let Some(item) = item.filter(|item| item.has_known_place()) else {
            continue;
        };
        let decided = |finding: &&TrialFinding| labels(item, finding).is_some();
        let decided = trial.credited_findings().filter(decided);
        labelled.extend(decided.map(|finding| {
            let TrialFinding {
                path,
                line,
                description,
                ..
            } = finding;
            (&item.id, path, *line, description)
        }));
    }
    labelled.len()
}

/// How many changes count for a share.
fn counted(rows: &[(f64, f64)]) -> usize {
    rows.iter().filter(|row| row.1 != 0.0).count()
}

/// How many changes have anything to do with a number: what a change costs counts without a defect that it shows.
fn rows_in(rows: &[(f64, f64)]) -> usize {
    rows.iter().filter(|row| **row != (0.0, 0.0)).count()
}

/// A share with its interval.
fn share_of(rows: &[(f64, f64)]) -> Option<Estimate> {
    let found = bootstrap_ratio(rows)?;
    Some(found.with_unseen(counted(rows), 0.0, 1.0))
}

/// Whether a number is known of all trials. Dollars are not where nobody says them; rules have no model, and cost nothing.
fn is_known(measure: Measure, trials: &TrialsByItem<'_>) -> bool {
    let is_priced = |trial: &&TrialResult| trial.dollars.is_some() || trial.models.is_empty();
    !measure.is_dollars() || trials.values().flatten().all(is_priced)
}

fn council_figures(
    name: &str,
    items: &BTreeMap<&str, &LabelledChange>,
    trials: &TrialsByItem<'_>,
    labels: &HitLabels<'_>,
) -> CouncilFigures {
    let rows = |number: &ChangeNumbers<'_>| -> Vec<(f64, f64)> {
        rows_by_commit(trials.iter().map(|(id, trials)| {
            let item = items[id];
            (item, number(item, trials))
        }))
    };
    let rows_of = |measure: Measure| rows(&|item, trials| measure.of_change(item, trials, labels));
    let shown = rows_of(Measure::DefectsShown);
    let tries = shown.iter().map(|row| row.1).sum();
    let estimate = |measure: Measure| {
        let rows = rows_of(measure);
        let found = match measure.is_share() {
            true => share_of(&rows),
            false => {
                let found = bootstrap_ratio(&rows).map(|found| found.with_few(rows_in(&rows), 0.0));
                let priced = || price_of_none(&rows, tries, counted(&shown));
                found.or_else(|| priced().filter(|_| measure.is_per_hit()))
            }
        };
        found
            .filter(|_| is_known(measure, trials))
            .map(|estimate| (measure, estimate))
    };
    let all = || trials.values().flatten();
    let lost = || all().filter(|trial| !trial.has_verdict());
    let told = lost().find(|trial| !trial.trouble.is_empty());
    let trouble = told.or_else(|| lost().next());
    CouncilFigures {
        name: name.to_owned(),
        changes: count_commits(trials.keys().map(|id| items[id])),
        trials: all().count(),
        dollars: all().filter_map(|trial| trial.dollars).sum(),
        measures: Measure::ALL.into_iter().filter_map(estimate).collect(),
        without_verdict: lost().count(),
        trouble: trouble.map_or_else(String::new, |trial| trial.why_no_verdict().to_owned()),
        is_cost_unknown: !is_known(Measure::DollarsPerReview, trials),
        random_lines: share_of(&rows(&random_lines)),
        largest_file: share_of(&rows(&|item, _| largest_file(item))),
        kappa: cohens_kappa(
            &all()
                .flat_map(|trial| judge_pairs(trial))
                .collect::<Vec<_>>(),
        ),
        unpriced: all()
            .flat_map(|trial| trial.unpriced.iter().cloned())
            .collect(),
        training: training_knowledge(trials.iter().flat_map(|(id, trials)| {
            let seconds = items[id].seconds;
            trials.iter().map(move |trial| (seconds, &trial.models))
        })),
    }
}

/// Every pair of judges of a trial: whether each objects.
fn judge_pairs(trial: &TrialResult) -> impl Iterator<Item = (bool, bool)> {
    let objects: Vec<bool> = trial
        .votes
        .iter()
        // They speak where they object, and sit nowhere: always of another mind than who does not.
        .filter(|(judge, _)| judge != HEARD_RULES)
        .map(|(_, vote)| *vote != Vote::Pass)
        .collect();
    let count = objects.len();
    let pairs = (0..count).flat_map(move |one| (one + 1..count).map(move |other| (one, other)));
    pairs
        .map(move |(one, other)| (objects[one], objects[other]))
        .collect::<Vec<_>>()
        .into_iter()
}
