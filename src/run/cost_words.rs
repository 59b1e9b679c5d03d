//! Numbers of a forecast as people read them.

pub(super) fn format_cost(usd: Option<(f64, f64)>) -> String {
    match usd {
        Some((least, most)) if format!("{least:.3}") == format!("{most:.3}") => {
            format!("about ${most:.3}")
        }
        Some((least, most)) => format!("${least:.3} to ${most:.3}"),
        None => "cost unknown (set `prices.MODEL.input` and `.output`)".to_owned(),
    }
}

pub(super) fn format_size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        _ => format!("{} KB", bytes.div_ceil(1000)),
    }
}

/// `12,345`.
pub(super) fn format_number(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub(super) fn count_noun(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
