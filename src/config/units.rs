//! Durations and sizes as people write them.

const UNITS: [(&str, u64); 5] = [
    ("h", 3_600_000),
    ("min", 60_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
];

/// Milliseconds of a duration as people write it, or what it should look like.
pub(crate) fn parse_duration(text: &str) -> Result<u64, String> {
    duration_millis(text).ok_or_else(|| format!("{text:?} is no time: write 90s, 2m or 250ms"))
}

/// Milliseconds of `90`, `90s`, `2m`, `1h30m`, `250ms`; more than zero.
pub(super) fn duration_millis(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return seconds.checked_mul(1000).filter(|ms| *ms > 0);
    }
    let (mut rest, mut total) = (text, 0u64);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        let behind = &rest[digits..];
        let letters = behind
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(behind.len());
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &behind[..letters])?;
        total = total.checked_add(number.checked_mul(*unit)?)?;
        rest = &behind[letters..];
    }
    Some(total).filter(|ms| *ms > 0)
}

/// Bytes of `65536`, `64K`, `2M`, `1G` (powers of 1024, as git counts); more than zero.
pub(super) fn byte_count(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 1 << 10),
        (at, 'm' | 'M') => (&text[..at], 1 << 20),
        (at, 'g' | 'G') => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    number
        .parse::<u64>()
        .ok()?
        .checked_mul(unit)
        .filter(|n| *n > 0)
}

/// US dollars in millionths: `3`, `2.50`, `$0.000001`.
pub(super) fn money_millionths(text: &str) -> Option<u64> {
    let text = text.trim();
    let text = text.strip_prefix('$').unwrap_or(text);
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || part.len() > 6 || !digits(whole) || !digits(part) {
        return None;
    }
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000)?
        .checked_add(part)
}

/// Millionths of US dollars as [`money`] reads them, with two digits at least.
pub(super) fn show_money(millionths: u64) -> String {
    let part = format!("{:06}", millionths % 1_000_000);
    let short = part.trim_end_matches('0');
    format!("{}.{short:0<2}", millionths / 1_000_000)
}

/// The shortest text that [`duration`] reads as `ms` with a single unit.
pub(super) fn show_duration(ms: u64) -> String {
    let fits = UNITS
        .iter()
        .filter(|(_, unit)| ms.is_multiple_of(*unit) && ms >= 2 * unit);
    let (name, unit) = fits.max_by_key(|(_, unit)| *unit).unwrap_or(&("ms", 1));
    format!("{}{name}", ms / unit)
}

/// The shortest text that [`bytes`] reads as `bytes`.
pub(super) fn show_bytes(bytes: u64) -> String {
    let units = [("G", 1u64 << 30), ("M", 1 << 20), ("K", 1 << 10)];
    match units.iter().find(|(_, unit)| bytes.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", bytes / unit),
        None => bytes.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_money() {
        for (text, millionths) in [
            ("3", 3_000_000),
            ("$2.50", 2_500_000),
            ("0.000001", 1),
            ("0", 0),
        ] {
            assert_eq!(money_millionths(text), Some(millionths), "{text}");
            assert_eq!(
                money_millionths(&show_money(millionths)),
                Some(millionths),
                "{text}"
            );
        }
        for bad in [
            "",
            ".5",
            "-1",
            "1.0000001",
            "1e3",
            "1,5",
            "$",
            "99999999999999999999",
        ] {
            assert_eq!(money_millionths(bad), None, "{bad}");
        }
        assert_eq!(show_money(2_500_000), "2.50");
    }

    #[test]
    fn durations() {
        let good = [
            ("90", 90_000),
            ("90s", 90_000),
            ("2m", 120_000),
            ("1h30m", 5_400_000),
            ("250ms", 250),
        ];
        for (text, ms) in good {
            assert_eq!(duration_millis(text), Some(ms), "{text}");
        }
        for text in [
            "",
            "0",
            "0s",
            "soon",
            "5x",
            "m",
            "-1",
            "1.5s",
            "5m s",
            "99999999999999999999s",
        ] {
            assert_eq!(duration_millis(text), None, "{text:?}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(
            [byte_count("512"), byte_count("64K"), byte_count("2m")],
            [Some(512), Some(65_536), Some(2 << 20)]
        );
        assert_eq!(
            [
                byte_count(""),
                byte_count("K"),
                byte_count("0"),
                byte_count("1T"),
                byte_count("99999999999999999G")
            ],
            [None; 5]
        );
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for ms in [
            1,
            250,
            1000,
            1500,
            60_000,
            90_000,
            120_000,
            3_600_000,
            7_200_000,
            u64::from(u32::MAX),
        ] {
            assert_eq!(
                duration_millis(&show_duration(ms)),
                Some(ms),
                "{}",
                show_duration(ms)
            );
        }
        for size in [1, 1000, 1024, 400 << 10, 3 << 20, (1 << 30) + 1] {
            assert_eq!(byte_count(&show_bytes(size)), Some(size));
        }
        assert_eq!(
            (show_duration(120_000), show_duration(60_000)),
            ("2m".into(), "60s".into())
        );
    }
}
