//! Laws of the comparison: what must hold whatever councils say.

use std::collections::BTreeMap;

use council_protocol::{Severity, Vote};
use proptest::prelude::*;

use super::compare::{Comparison, CouncilFigures, compare_councils};
use super::labelled::{FileWeight, LabelConfidence, LabelSet, LabelledChange, LabelledPlace};
use super::measures::Measure;
use super::statistics::Estimate;
use super::trials::{TrialFinding, TrialKey, TrialResult};
use crate::council::outcome::{Disposition, HEARD_RULES, Verdict};

/// A change of one file whose first lines it adds.
fn change(number: u32, set: LabelSet, (added, defect): (u32, u32)) -> LabelledChange {
    let place = |line| LabelledPlace {
        path: "a".to_owned(),
        first: line,
        last: line,
    };
    LabelledChange {
        id: format!("{}-{number}", set.as_str()),
        set,
        confidence: LabelConfidence::High,
        how: String::new(),
        mended_by: None,
        commit: format!("commit-{number}"),
        seconds: 0,
        alteration: None,
        places: set
            .is_defective()
            .then(|| place(defect))
            .into_iter()
            .collect(),
        files: vec![FileWeight {
            path: "a".to_owned(),
            added: vec![(1, added)],
        }],
    }
}

fn finding(line: u32, end: u32) -> TrialFinding {
    TrialFinding {
        path: "a".to_owned(),
        line,
        end,
        severity: Severity::Significant,
        disposition: Disposition::Confirmed,
        description: String::new(),
        judges: Vec::new(),
    }
}

fn trial(item: &LabelledChange, council: &str, verdict: Verdict) -> TrialResult {
    TrialResult {
        key: TrialKey {
            item: item.id.clone(),
            council: council.to_owned(),
            digest: String::new(),
            repeat: 1,
        },
        run: String::new(),
        verdict,
        reason: None,
        trouble: String::new(),
        findings: Vec::new(),
        votes: Vec::new(),
        proved_quotes: (0, 0),
        dollars: Some(1.0),
        unpriced: Vec::new(),
        seconds: 1.0,
        models: ["m".to_owned()].into(),
    }
}

fn compared(items: &[LabelledChange], trials: &[TrialResult]) -> Comparison {
    compare_councils(items, trials, &|_, _| None)
}

/// The share that chance would have shown, and what was shown.
fn baseline(added: u32, defect: u32, findings: Vec<TrialFinding>) -> (f64, f64) {
    let item = change(1, LabelSet::Mutation, (added, defect));
    let said = TrialResult {
        findings,
        ..trial(&item, "a", Verdict::Warn)
    };
    let found = compared(&[item], &[said]);
    let council = &found.councils[0];
    let shown = council.measures[&Measure::DefectsShown].value;
    (council.random_lines.unwrap().value, shown)
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(vec![
        Verdict::Pass,
        Verdict::Warn,
        Verdict::Fail,
        Verdict::Inconclusive,
    ])
}

/// Sums of several parts differ in their last bit from sums of one.
fn are_same_but_for_rounding(
    one: &BTreeMap<Measure, Estimate>,
    other: &BTreeMap<Measure, Estimate>,
) -> Result<(), TestCaseError> {
    prop_assert!(one.keys().eq(other.keys()));
    for (own, others) in one.values().zip(other.values()) {
        let numbers = |e: &Estimate| [e.value, e.low, e.high];
        for (a, b) in numbers(own).into_iter().zip(numbers(others)) {
            let is_same = a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
            prop_assert!(is_same, "{own:?} {others:?}");
        }
    }
    Ok(())
}

proptest! {
    /// Rules that sit nowhere and speak only where they object are no judge that disagrees.
    #[test]
    fn rules_that_are_heard_alone_change_no_agreement(
        votes in prop::collection::vec((any::<bool>(), any::<bool>(), any::<bool>()), 1..20),
    ) {
        let vote = |objects| if objects { Vote::Fail } else { Vote::Pass };
        let of = |with_rules: bool| {
            let items: Vec<LabelledChange> = (0..votes.len())
                .map(|at| change(u32::try_from(at).unwrap(), LabelSet::Mutation, (9, 3)))
                .collect();
            let said = items.iter().zip(&votes).map(|(item, (one, other, heard))| {
                let mut votes = vec![("one".to_owned(), vote(*one)), ("other".to_owned(), vote(*other))];
                votes.extend((with_rules && *heard).then(|| (HEARD_RULES.to_owned(), Vote::Fail)));
                TrialResult { votes, ..trial(item, "a", Verdict::Warn) }
            });
            let said: Vec<TrialResult> = said.collect();
            compared(&items, &said).councils[0].kappa
        };
        prop_assert_eq!(of(true), of(false));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// More labels of one commit make no more changes: every interval and difference stays as it is.
    #[test]
    fn labels_of_one_commit_are_one_change(
        said in prop::collection::vec((verdict(), verdict(), any::<bool>()), 1..14),
        copies in 2_u32..5,
    ) {
        let mut once = (Vec::new(), Vec::new());
        let mut often = (Vec::new(), Vec::new());
        for (number, (one, other, is_clean)) in (0..).zip(said) {
            let set = if is_clean { LabelSet::Clean } else { LabelSet::Mutation };
            for copy in 0..copies {
                let mut item = change(number, set, (20, 9));
                item.id = format!("{}-{copy}", item.id);
                let findings = if one == Verdict::Fail { vec![finding(9, 9)] } else { Vec::new() };
                let first = TrialResult { findings, ..trial(&item, "a", one) };
                let trials = [first, trial(&item, "b", other)];
                if copy == 0 {
                    once.0.push(item.clone());
                    once.1.extend(trials.clone());
                }
                often.0.push(item);
                often.1.extend(trials);
            }
        }
        let (once, often) = (compared(&once.0, &once.1), compared(&often.0, &often.1));
        prop_assert_eq!(once.located_defects, often.located_defects);
        for (one, many) in once.differences.iter().zip(&often.differences) {
            prop_assert_eq!(one.changes, many.changes);
            are_same_but_for_rounding(&one.measures, &many.measures)?;
        }
        for (one, many) in once.councils.iter().zip(&often.councils) {
            prop_assert_eq!(one.changes, many.changes);
            are_same_but_for_rounding(&one.measures, &many.measures)?;
            let chances = [one, many].map(|council| council.random_lines.map(|chance| chance.value));
            prop_assert!(chances[0].is_none() == chances[1].is_none());
            let [one, many] = chances.map(Option::unwrap_or_default);
            prop_assert!((one - many).abs() < 1e-9);
        }
    }

    /// A range is as good as its lines one by one, and no better than chance where it covers the whole change.
    #[test]
    fn a_range_is_drawn_as_all_of_its_lines(
        added in 1_u32..60, defect in 1_u32..60, line in 1_u32..60, more in 0_u32..100,
    ) {
        let defect = defect.min(added);
        let last = line.saturating_add(more);
        let each = (line..=last.min(added)).map(|line| finding(line, line)).collect::<Vec<_>>();
        if !each.is_empty() {
            let range = baseline(added, defect, vec![finding(line, last)]);
            prop_assert_eq!(range, baseline(added, defect, each));
        }
        let all = baseline(added, defect, vec![finding(1, u32::MAX)]);
        prop_assert_eq!(all, (1.0, 1.0));
        // A file as a whole is no line.
        prop_assert_eq!(baseline(added, defect, vec![finding(0, 0)]), (0.0, 0.0));
    }

    /// A review that came to no verdict is to nobody's credit, whatever it says and whatever a person says of that.
    #[test]
    fn a_review_without_a_verdict_earns_nothing(
        said in prop::collection::vec((verdict(), any::<bool>(), 0_u32..20, any::<bool>()), 1..14), lost in 0_usize..14,
        is_labelled in any::<bool>(),
    ) {
        let items: Vec<LabelledChange> = (0..).zip(&said).map(|(number, (_, is_clean, ..))| {
            let set = if *is_clean { LabelSet::Clean } else { LabelSet::Mutation };
            change(number, set, (20, 9))
        }).collect();
        let with = |is_lost: &dyn Fn(usize) -> bool| {
            let trials = items.iter().zip(&said).enumerate().flat_map(|(at, (item, (verdict, _, line, is_found)))| {
                let verdict = if is_lost(at) { Verdict::Inconclusive } else { *verdict };
                let told = TrialResult {
                    findings: is_found.then(|| finding(*line, *line)).into_iter().collect(),
                    proved_quotes: (u32::from(*is_found), 1),
                    ..trial(item, "a", verdict)
                };
                let again = TrialResult { key: TrialKey { repeat: 2, ..told.key.clone() }, ..told.clone() };
                [told, again]
            });
            let label = is_labelled.then_some(true);
            compare_councils(&items, &trials.collect::<Vec<_>>(), &|_, _| label).councils.remove(0)
        };
        let lost = lost % said.len();
        let (before, after, none) = (with(&|_| false), with(&|at| at == lost), with(&|_| true));
        prop_assert!(after.without_verdict >= before.without_verdict && after.without_verdict > 0);
        for measure in Measure::ALL {
            let value = |of: &CouncilFigures| of.measures.get(&measure).map(|found| found.value);
            match wish(measure) {
                Wish::More => {
                    prop_assert!(value(&after) <= value(&before), "{measure:?}");
                    prop_assert!(value(&none).unwrap_or_default() == 0.0, "{measure:?}");
                }
                Wish::Less => prop_assert_eq!(value(&none), None, "{:?}", measure),
                Wish::LessForEach => {
                    prop_assert!(value(&after) >= value(&before), "{measure:?}");
                    prop_assert!(value(&none).is_none_or(f64::is_infinite), "{measure:?}");
                }
                Wish::Nothing => {}
            }
        }
        let chances = [&before, &after, &none].map(|of| of.random_lines.map(|chance| chance.value));
        prop_assert!(chances[1] <= chances[0] && chances[2].unwrap_or_default() == 0.0, "{chances:?}");
    }
}

/// What a reader of the table wishes for.
enum Wish {
    More,
    Less,
    /// Less for each defect that is shown: without one, there is no price.
    LessForEach,
    /// It is paid or told for whatever comes of it.
    Nothing,
}

fn wish(measure: Measure) -> Wish {
    match measure {
        Measure::DefectsShown
        | Measure::GuiltyFiles
        | Measure::Objections
        | Measure::FailedDefective
        | Measure::PassedClean
        | Measure::SilentOnClean
        | Measure::ProvedQuotes
        | Measure::StableVerdicts => Wish::More,
        Measure::FailedClean | Measure::RepeatedAlarms | Measure::FindingsPerChange => Wish::Less,
        Measure::DollarsPerHit | Measure::SecondsPerHit => Wish::LessForEach,
        Measure::WithoutVerdict | Measure::DollarsPerReview | Measure::SecondsPerReview => {
            Wish::Nothing
        }
    }
}

#[test]
fn a_council_that_fails_is_told_from_one_that_warns() {
    let items = [
        change(1, LabelSet::Clean, (20, 9)),
        change(2, LabelSet::Mutation, (20, 9)),
    ];
    let both = |council: &'static str, verdict| {
        let of_item = move |item| trial(item, council, verdict);
        items.iter().map(of_item).collect::<Vec<_>>()
    };
    let trials = [both("fails", Verdict::Fail), both("warns", Verdict::Warn)].concat();
    let found = compared(&items, &trials);
    for measure in [Measure::FailedClean, Measure::FailedDefective] {
        let values = found
            .councils
            .iter()
            .map(|council| council.measures[&measure].value);
        assert_eq!(values.collect::<Vec<_>>(), [1.0, 0.0], "{measure:?}");
    }
}

#[test]
fn what_was_paid_for_no_defect_has_a_price_without_an_end() {
    let item = change(1, LabelSet::Mutation, (20, 9));
    let trials = [trial(&item, "a", Verdict::Pass)];
    let found = compared(std::slice::from_ref(&item), &trials);
    let council = &found.councils[0];
    let price = council.measures[&Measure::DollarsPerHit];
    assert_eq!((price.value, price.high), (f64::INFINITY, f64::INFINITY));
    assert!(price.low >= 1.0, "{price:?}");
    assert_eq!(council.dollars, 1.0);
    let told = serde_json::to_value(council).unwrap();
    assert!(
        told["measures"]["dollars-per-hit"]["value"].is_null(),
        "{told}"
    );
}
