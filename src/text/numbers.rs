//! Numbers as people read them.

/// `950`, `9800`, `12.3k`, `1.2M`: a large number rounded to its nearest tenth, so that every surface says the same.
pub(crate) fn short_count(number: u64) -> String {
    // What rounds up to 1000.0k is a million.
    let (unit, name) = match number {
        0..10_000 => return number.to_string(),
        10_000..999_950 => (1_000, 'k'),
        _ => (1_000_000, 'M'),
    };
    let (whole, rest) = (number / unit, number % unit);
    let tenths = (rest * 10 + unit / 2) / unit;
    format!("{}.{}{name}", whole + tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(shown: &str) -> f64 {
        let unit = match shown.chars().last() {
            Some('k') => 1e3,
            Some('M') => 1e6,
            _ => 1.0,
        };
        let digits: f64 = shown.trim_end_matches(['k', 'M']).parse().unwrap();
        digits * unit
    }

    #[test]
    fn large_numbers_are_rounded() {
        let numbers = [
            0,
            9_999,
            10_000,
            12_672,
            999_949,
            999_950,
            1_250_000,
            u64::MAX,
        ];
        let shown = numbers.map(short_count);
        let wanted = [
            "0",
            "9999",
            "10.0k",
            "12.7k",
            "999.9k",
            "1.0M",
            "1.3M",
            "18446744073709.6M",
        ];
        assert_eq!(shown, wanted);
    }

    proptest! {
        #[test]
        #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
        fn what_is_shown_is_the_nearest_tenth_of_its_unit(number in 0u64..100_000_000) {
            let shown = short_count(number);
            let half = match shown.chars().last() {
                Some('k') => 50.0,
                Some('M') => 50_000.0,
                _ => 0.0,
            };
            prop_assert!((value(&shown) - number as f64).abs() <= half + 1e-3, "{number}: {shown}");
            prop_assert!(shown.len() <= 6, "{shown}");
        }
    }
}
