//! The numbers behind a comparison: intervals by resampling, chance as a baseline, agreement, and how many changes it takes.

use serde::Serialize;

/// How many times a sample is drawn again for an interval.
const RESAMPLES: usize = 4_000;

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// Whether zero lies outside of the interval: a difference that chance alone would rarely make.
    pub(crate) fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The same where few changes were seen: up to this share of all changes may be of a kind that none of `seen` was, at
    /// 95 % (Clopper, Pearson, 1934, where all agree), and there the number may be anything from `least` to `most`.
    /// Resampling alone knows nothing of them: of ten changes that agree it makes an interval without a width.
    pub(crate) fn with_unseen(self, seen: usize, least: f64, most: f64) -> Self {
        let unseen = unseen_share(seen);
        let with = |number: f64| self.value * (1.0 - unseen) + number * unseen;
        Self {
            value: self.value,
            low: self.low.min(with(least)),
            high: self.high.max(with(most)),
        }
    }

    /// The same where few changes were seen of a number that is no share: as much wider as Student's distribution is than
    /// the normal one (Hesterberg, 2015), for resampling takes the spread of a few for that of all. One change says
    /// nothing of others.
    pub(crate) fn with_few(self, seen: usize, least: f64) -> Self {
        if seen < 2 {
            return Self {
                low: least,
                high: f64::INFINITY,
                ..self
            };
        }
        let seen = seen as f64;
        let wider = student_quantile(seen - 1.0) / NORMAL_QUANTILE * (seen / (seen - 1.0)).sqrt();
        let away = |end: f64| self.value + (end - self.value) * wider;
        Self {
            low: away(self.low).max(least),
            high: away(self.high),
            ..self
        }
    }

    /// The same for a difference of so few changes that not even all of them together would show one: a sign test says
    /// so of up to five.
    pub(crate) fn with_few_signs(self, seen: usize) -> Self {
        match seen < LEAST_SIGNS {
            true => Self {
                low: self.low.min(0.0),
                high: self.high.max(0.0),
                ..self
            },
            false => self,
        }
    }
}

/// What a normal distribution does not exceed in 97.5 % of all cases.
const NORMAL_QUANTILE: f64 = 1.959_964;

/// Two-sided at 5 %: half to the power of five is more, of six is less.
const LEAST_SIGNS: usize = 6;

/// The same for Student's distribution with so many degrees of freedom, within 0.1 % (Abramowitz, Stegun, 26.7.5; the first
/// two are exact).
fn student_quantile(freedom: f64) -> f64 {
    if freedom < 1.5 {
        return 12.706_205;
    }
    if freedom < 2.5 {
        return 4.302_653;
    }
    let z = NORMAL_QUANTILE;
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
        (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5)
            - 1920.0 * z.powi(3)
            - 945.0 * z)
            / 92_160.0,
    ];
    let parts = (1..)
        .zip(terms)
        .map(|(power, term)| term / freedom.powi(power));
    z + parts.sum::<f64>()
}

/// The share of all changes that may be of a kind of which none of `seen` was, at 95 %.
fn unseen_share(seen: usize) -> f64 {
    1.0 - 0.025_f64.powf(1.0 / seen.max(1) as f64)
}

/// What one costs where something was paid and none was had, in `tries` on `seen` changes: no end above, and at least
/// what it would be if as many were had as chance may hide. None where nothing was paid, tried or left to wish for.
pub(crate) fn price_of_none(pairs: &[(f64, f64)], tries: f64, seen: usize) -> Option<Estimate> {
    let paid: f64 = pairs.iter().map(|pair| pair.0).sum();
    let had: f64 = pairs.iter().map(|pair| pair.1).sum();
    (paid > 0.0 && had == 0.0 && tries > 0.0).then(|| Estimate {
        value: f64::INFINITY,
        low: paid / (tries * unseen_share(seen)),
        high: f64::INFINITY,
    })
}

/// Numbers that look drawn by chance and are the same in every run (SplitMix64; Steele, Lea, Flood, 2014).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or(0)
    }
}

/// The sum of the first numbers over the sum of the second ones, with its percentile bootstrap interval (Efron, 1979),
/// resampled by pairs. None where there is nothing below the line.
pub(crate) fn bootstrap_ratio(pairs: &[(f64, f64)]) -> Option<Estimate> {
    resample(pairs.len(), |drawn| sum_ratio(drawn, pairs))
}

/// The first ratio less the second one, both resampled by the same changes. None where either has nothing below the line.
pub(crate) fn bootstrap_difference(one: &[(f64, f64)], other: &[(f64, f64)]) -> Option<Estimate> {
    resample(one.len().min(other.len()), |drawn| {
        Some(sum_ratio(drawn, one)? - sum_ratio(drawn, other)?)
    })
}

/// The ratio of the sums of some pairs.
fn sum_ratio(drawn: &[usize], pairs: &[(f64, f64)]) -> Option<f64> {
    let add = |sum: (f64, f64), &at: &usize| (sum.0 + pairs[at].0, sum.1 + pairs[at].1);
    let (above, below) = drawn.iter().fold((0.0, 0.0), add);
    match (above, below) {
        (0.0, 0.0) => None,
        // A cost without anything bought.
        (_, 0.0) => Some(f64::INFINITY),
        _ => Some(above / below),
    }
}

/// A number of a sample, and the same of samples drawn from it.
fn resample(size: usize, number: impl Fn(&[usize]) -> Option<f64>) -> Option<Estimate> {
    let value = number(&(0..size).collect::<Vec<_>>()).filter(|value| value.is_finite())?;
    let mut dice = Dice(0x6769_7463_6f75_6e63);
    let draw = |_| {
        let drawn: Vec<usize> = (0..size).map(|_| dice.below(size)).collect();
        number(&drawn)
    };
    let drawn: Vec<f64> = (0..RESAMPLES).filter_map(draw).collect();
    // Two costs without anything bought may differ by anything.
    let sorted = |unknown: f64| {
        let known = |&number: &f64| if number.is_nan() { unknown } else { number };
        let mut sorted: Vec<f64> = drawn.iter().map(known).collect();
        sorted.sort_by(f64::total_cmp);
        sorted
    };
    Some(Estimate {
        value,
        low: quantile(&sorted(f64::NEG_INFINITY), 0.025),
        high: quantile(&sorted(f64::INFINITY), 0.975),
    })
}

/// The quantile of sorted numbers, between neighbours by their distance.
fn quantile(sorted: &[f64], at: f64) -> f64 {
    let place = at * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let (one, other, part) = (sorted[below], sorted[above], place - place.floor());
    if part == 0.0 || one == other || one.is_infinite() {
        return one;
    }
    one + (other - one) * part
}

/// The chance that one of `drawn` lines, taken from `all` without putting back, is one of `marked`.
pub(crate) fn chance_to_hit(all: u64, marked: u64, drawn: u64) -> f64 {
    let marked = marked.min(all);
    if drawn + marked > all {
        return if marked == 0 || drawn == 0 { 0.0 } else { 1.0 };
    }
    // The product of (all - marked - i) / (all - i): no draw hits.
    let miss = (0..drawn).map(|i| (all - marked - i) as f64 / (all - i) as f64);
    1.0 - miss.product::<f64>()
}

/// Agreement of two raters beyond chance (Cohen, 1960). None without a pair, or where chance explains everything.
pub(crate) fn cohens_kappa(pairs: &[(bool, bool)]) -> Option<f64> {
    if pairs.is_empty() {
        return None;
    }
    let share = |count: usize| count as f64 / pairs.len() as f64;
    let agreed = share(pairs.iter().filter(|(a, b)| a == b).count());
    let (a, b) = (
        share(pairs.iter().filter(|pair| pair.0).count()),
        share(pairs.iter().filter(|pair| pair.1).count()),
    );
    let by_chance = a * b + (1.0 - a) * (1.0 - b);
    (by_chance < 1.0).then(|| (agreed - by_chance) / (1.0 - by_chance))
}

/// How many changes each of two councils must see so that shares of `one` and `other` differ at the 5 % level in four of
/// five attempts (two-sided test of two proportions, normal approximation with pooled variance; Fleiss, 1981).
pub(crate) fn changes_to_tell_apart(one: f64, other: f64) -> u64 {
    const POWER: f64 = 0.841_621;
    let mean = f64::midpoint(one, other);
    let under_none = NORMAL_QUANTILE * (2.0 * mean * (1.0 - mean)).sqrt();
    let under_some = POWER * (one * (1.0 - one) + other * (1.0 - other)).sqrt();
    ((under_none + under_some).powi(2) / (one - other).powi(2)).ceil() as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A mean is a ratio over ones.
    fn bootstrap_mean(sample: &[f64]) -> Option<Estimate> {
        bootstrap_ratio(&sample.iter().map(|&value| (value, 1.0)).collect::<Vec<_>>())
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    /// The numbers are those of SciPy 1.17 and scikit-learn 1.9.
    #[test]
    fn the_reference_agrees() {
        // 1 - scipy.stats.hypergeom(50, 5, 10).pmf(0)
        assert!(near(chance_to_hit(50, 5, 10), 0.689_437_217_995_431_3));
        // sklearn.metrics.cohen_kappa_score([1,1,0,0,1,0,1,1,0,1], [1,0,0,0,1,1,1,1,0,1])
        let one = [1, 1, 0, 0, 1, 0, 1, 1, 0, 1];
        let other = [1, 0, 0, 0, 1, 1, 1, 1, 0, 1];
        let pairs: Vec<(bool, bool)> = one
            .iter()
            .zip(other)
            .map(|(&a, b)| (a == 1, b == 1))
            .collect();
        assert!(near(cohens_kappa(&pairs).unwrap(), 0.583_333_333_333_333_3));
        // The textbook's example: 30 % against 40 %.
        assert_eq!(changes_to_tell_apart(0.3, 0.4), 356);
    }

    #[test]
    fn an_interval_is_where_the_binomial_says() {
        let sample: Vec<f64> = (0..200).map(|number| f64::from(number % 5 == 0)).collect();
        let found = bootstrap_mean(&sample).unwrap();
        assert!(near(found.value, 0.2));
        // scipy.stats.binom(200, 0.2).ppf([0.025, 0.975]) / 200
        assert!(
            (found.low - 0.145).abs() < 0.011 && (found.high - 0.255).abs() < 0.011,
            "{found:?}"
        );
        assert_eq!(bootstrap_mean(&[]), None);
    }

    #[test]
    fn what_was_never_bought_has_no_upper_end() {
        let mut pairs = vec![(1.0, 0.0); 9];
        pairs.push((1.0, 1.0));
        let found = bootstrap_ratio(&pairs).unwrap();
        assert_eq!((found.value, found.high), (10.0, f64::INFINITY));
        assert!(found.low.is_finite());
        assert_eq!(bootstrap_ratio(&[(1.0, 0.0)]), None);
        let difference = bootstrap_difference(&pairs, &pairs).unwrap();
        assert!(!difference.excludes_zero());
    }

    #[test]
    fn a_few_changes_that_agree_leave_room_for_others() {
        let all = |count| bootstrap_mean(&vec![1.0; count]).unwrap();
        // scipy.stats.binomtest(11, 11).proportion_ci(0.95)
        let eleven = all(11).with_unseen(11, 0.0, 1.0);
        assert!((eleven.low - 0.715).abs() < 0.001, "{eleven:?}");
        // A sign test says the same: five pairs are too few.
        let differs = |count| all(count).with_unseen(count, -1.0, 1.0).excludes_zero();
        assert_eq!([1, 2, 5, 6].map(differs), [false, false, false, true]);
    }

    /// Numbers that are drawn from one distribution with long tails, as seconds and dollars are: each in its own way.
    fn drawn(dice: &mut Dice) -> f64 {
        let uniform = |dice: &mut Dice| (dice.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let sum: f64 = (0..12).map(|_| uniform(dice)).sum();
        (0.6 * (sum - 6.0)).exp()
    }

    /// Of two councils that are the same, a difference is told as one at most once in twenty times, or so.
    #[test]
    fn equal_councils_are_seldom_told_apart_however_few_changes_there_are() {
        let mut dice = Dice(7);
        for seen in [1, 2, 3, 5, 10, 25] {
            let told = (0..200).filter(|_| {
                let mut rows =
                    || -> Vec<(f64, f64)> { (0..seen).map(|_| (drawn(&mut dice), 1.0)).collect() };
                let (one, other) = (rows(), rows());
                let found = bootstrap_difference(&one, &other).unwrap();
                let found = found.with_few(seen, f64::NEG_INFINITY).with_few_signs(seen);
                found.excludes_zero()
            });
            // Five of a hundred, and three times the spread of two hundred draws.
            let told = told.count();
            assert!(told <= 19, "{seen} changes: {told} of 200");
        }
    }

    /// The numbers are those of scipy.stats.t.ppf(0.975, freedom).
    #[test]
    fn few_changes_have_the_spread_of_student_s_distribution() {
        for (freedom, known) in [
            (1.0, 12.7062),
            (2.0, 4.3027),
            (3.0, 3.1824),
            (4.0, 2.7764),
            (9.0, 2.2622),
            (24.0, 2.0639),
            (1000.0, 1.9623),
        ] {
            let found = student_quantile(freedom);
            assert!((found / known - 1.0).abs() < 0.004, "{freedom}: {found}");
        }
        let one = bootstrap_mean(&[3.0]).unwrap().with_few(1, 0.0);
        assert_eq!((one.value, one.low, one.high), (3.0, 0.0, f64::INFINITY));
        let two = bootstrap_mean(&[1.0, 1.0])
            .unwrap()
            .with_few(2, f64::NEG_INFINITY);
        assert!(!two.with_few_signs(2).excludes_zero());
    }

    #[test]
    fn what_was_paid_for_nothing_has_a_price() {
        let none = [(2.0, 0.0); 10];
        let found = price_of_none(&none, 10.0, 10).unwrap();
        // scipy.stats.binomtest(0, 10).proportion_ci(0.95).high is 0.308
        assert!(
            (found.low - 20.0 / (10.0 * 0.308_497)).abs() < 0.001,
            "{found:?}"
        );
        assert_eq!((found.value, found.high), (f64::INFINITY, f64::INFINITY));
        assert_eq!(price_of_none(&[(2.0, 1.0)], 1.0, 1), None, "one was had");
        assert_eq!(price_of_none(&[(0.0, 0.0)], 1.0, 1), None, "it is free");
        assert_eq!(price_of_none(&none, 0.0, 0), None, "there was none to have");
    }

    proptest! {
        #[test]
        fn unseen_changes_never_narrow_an_interval(
            sample in prop::collection::vec(0.0..=1.0_f64, 1..40),
        ) {
            let found = bootstrap_mean(&sample).unwrap();
            let wider = found.with_unseen(sample.len(), 0.0, 1.0);
            prop_assert!(wider.low <= found.low && found.high <= wider.high && wider.low < wider.high);
            prop_assert!(wider.low >= -1e-9 && wider.high <= 1.0 + 1e-9);
        }

        #[test]
        fn the_value_lies_in_its_interval(sample in prop::collection::vec(0.0..10.0_f64, 1..40)) {
            let found = bootstrap_mean(&sample).unwrap();
            prop_assert!(found.low <= found.value + 1e-9 && found.value <= found.high + 1e-9);
        }

        #[test]
        fn equal_councils_never_differ(sample in prop::collection::vec(0.0..1.0_f64, 1..40)) {
            let differences: Vec<f64> = sample.iter().map(|value| value - value).collect();
            prop_assert!(!bootstrap_mean(&differences).unwrap().excludes_zero());
        }

        #[test]
        fn more_draws_hit_more(all in 1_u64..300, marked in 0_u64..300, drawn in 0_u64..300) {
            let chance = chance_to_hit(all, marked, drawn);
            prop_assert!((0.0..=1.0).contains(&chance));
            prop_assert!(chance_to_hit(all, marked, drawn + 1) + 1e-12 >= chance);
        }
    }
}
