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

/// `$0.00`, `$0.0004`, `$12.30`: an amount that is not nothing never reads as nothing.
pub(crate) fn dollars(usd: f64) -> String {
    match usd {
        ..=0.0 => "$0.00".to_owned(),
        ..0.000_05 => "<$0.0001".to_owned(),
        // What rounds up to a cent is one.
        ..0.009_95 => format!("${usd:.4}"),
        _ => format!("${usd:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a number that is shown stands for, and its unit.
    fn read_back(shown: &str) -> (u64, u64) {
        let unit = match shown.chars().last() {
            Some('k') => 1_000,
            Some('M') => 1_000_000,
            _ => return (shown.parse().unwrap(), 1),
        };
        let digits: String = shown.chars().filter(char::is_ascii_digit).collect();
        (digits.parse::<u64>().unwrap() * unit / 10, unit)
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

    #[test]
    fn an_amount_that_is_not_nothing_never_reads_as_nothing() {
        let amounts = [0.0, 1e-9, 0.000_4, 0.009_94, 0.009_96, 0.02, 1234.5];
        let wanted = [
            "$0.00", "<$0.0001", "$0.0004", "$0.0099", "$0.01", "$0.02", "$1234.50",
        ];
        assert_eq!(amounts.map(dollars), wanted);
    }

    proptest! {
        #[test]
        fn what_is_shown_is_the_nearest_tenth_of_its_unit(number in 0u64..100_000_000) {
            let shown = short_count(number);
            let (value, unit) = read_back(&shown);
            prop_assert!(value.abs_diff(number) <= unit / 20, "{number}: {shown}");
            prop_assert!(shown.len() <= 6, "{shown}");
        }
    }
}
