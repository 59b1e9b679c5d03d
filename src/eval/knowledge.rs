//! What a model may know of a change from its training: the later fix is in it where the model is younger than the change.

use std::collections::BTreeSet;

use serde::Serialize;

/// What the models of a council may know of the changes that they reviewed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TrainingKnowledge {
    /// Trials of changes that are older than a model of the trial.
    pub(crate) older: usize,
    /// Models whose names do not say how old they are.
    pub(crate) undated: BTreeSet<String>,
}

/// That of trials: when each change was made, in seconds since 1970, and who judged it.
pub(super) fn training_knowledge<'a>(
    trials: impl Iterator<Item = (i64, &'a BTreeSet<String>)>,
) -> TrainingKnowledge {
    let mut known = TrainingKnowledge::default();
    for (change, models) in trials {
        let ages = models.iter().map(|model| (model, model_seconds(model)));
        let mut is_older = false;
        for (model, made) in ages {
            match made {
                Some(made) => is_older |= change < made,
                None => drop(known.undated.insert(model.clone())),
            }
        }
        known.older += usize::from(is_older);
    }
    known
}

/// When a model was made, by the date in its name, in seconds since 1970: `…-20250514`, `…-2024-08-06`. What it learnt is
/// older than that, so that the date is a bound on the safe side.
fn model_seconds(name: &str) -> Option<i64> {
    let digits = |from: usize, count: usize| -> Option<i64> {
        let part = name.get(from..from + count)?;
        let plain = part.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| part.parse().ok())?
    };
    let is_edge = |at: usize| !name.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let starts = (0..name.len()).filter(|&at| at == 0 || is_edge(at - 1));
    let mut dates = starts.filter_map(|at| {
        let year = digits(at, 4)?;
        let joined = digits(at + 4, 2).zip(digits(at + 6, 2));
        let (month, day, end) = match joined {
            Some((month, day)) => (month, day, at + 8),
            None => {
                let has_dashes =
                    name.get(at + 4..at + 5)? == "-" && name.get(at + 7..at + 8)? == "-";
                let (month, day) = digits(at + 5, 2)
                    .zip(digits(at + 8, 2))
                    .filter(|_| has_dashes)?;
                (month, day, at + 10)
            }
        };
        let plausible = (2018..2100).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && is_edge(end);
        plausible.then(|| days_since_1970(year, month, day) * 86_400)
    });
    dates.next()
}

/// Days from 1 January 1970 to a date of the Gregorian calendar (H. Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms").
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_as_old_as_its_name_says() {
        assert_eq!(days_since_1970(1970, 1, 1), 0);
        assert_eq!(days_since_1970(2000, 3, 1), 11_017);
        for (name, days) in [
            ("claude-sonnet-4-20250514", Some(20_222)),
            ("gpt-4o-2024-08-06", Some(19_941)),
            ("vendor/model-2024-08-06:free", Some(19_941)),
            ("claude-opus-4", None),
            ("qwen2.5-coder:32b", None),
            ("m-123456789012", None),
            ("m-20251399", None),
            ("2024-8-6", None),
            ("größe-20250514", Some(20_222)),
            ("", None),
        ] {
            let seconds = days.map(|days| days * 86_400);
            assert_eq!(model_seconds(name), seconds, "{name}");
        }
    }

    #[test]
    fn a_trial_counts_once_however_many_of_its_models_may_know() {
        let models: BTreeSet<String> = ["a-20250101", "b-20250201", "c"].map(str::to_owned).into();
        let old = 1_700_000_000;
        let young = 1_800_000_000;
        let known = training_knowledge([(old, &models), (young, &models)].into_iter());
        assert_eq!(known.older, 1);
        assert_eq!(known.undated, BTreeSet::from(["c".to_owned()]));
    }
}
