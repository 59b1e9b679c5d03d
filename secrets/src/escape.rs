//! What stands in a line for a character or for a terminal's order: escapes, whose last letter must not pass for the first
//! one of the word behind it.

/// Two languages may read the same signs in two ways: `\0075` is a character of three digits and a `5`, or one of four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    Short,
    Long,
}

/// Whether an escape may begin with this byte.
pub(crate) fn may_begin(byte: u8) -> bool {
    matches!(byte, b'\\' | b'%' | b'=' | b'&' | b'[' | b'^' | 0x1b | 0xc2)
}

/// How long the escape is that a text begins with, what it tells a terminal included; an escaped backslash is one by
/// itself, and may begin another one.
pub(crate) fn escape_length(text: &[u8], reading: Reading) -> Option<usize> {
    let (length, value) = match text {
        [b'\\', rest @ ..] => after_backslash(rest, reading)?,
        [b'%', rest @ ..] => after_percent(rest, reading)?,
        // As mail writes it.
        [b'=', rest @ ..] => (3, hex_value(rest, 2)?),
        [b'&', b'#', rest @ ..] => entity(rest, reading)?,
        [b'^', b'[', ..] => (2, ESCAPE),
        [0x1b, ..] => (1, ESCAPE),
        [0xc2, 0x9b, ..] => (2, CONTROL_SEQUENCE),
        // Its first byte cannot be seen, and is often lost.
        [b'[', b'0'..=b'9', ..] => return bracket_order(text),
        _ => return None,
    };
    let behind = text.get(length..).unwrap_or_default();
    let order = match value {
        ESCAPE => bracket_order(behind).or_else(|| short_order(behind, reading)),
        CONTROL_SEQUENCE => order_end(behind),
        _ => None,
    };
    Some(length + order.unwrap_or(0))
}

const ESCAPE: u32 = 0x1b;

/// ESC and `[` in one.
const CONTROL_SEQUENCE: u32 = 0x9b;

/// Length and value of what begins with a backslash, which `rest` stands behind.
fn after_backslash(rest: &[u8], reading: Reading) -> Option<(usize, u32)> {
    let is_long = reading == Reading::Long;
    match rest {
        [b'x', hex @ ..] if hex_value(hex, 2).is_some() => Some((4, hex_value(hex, 2)?)),
        [b'u', hex @ ..] if hex_value(hex, 4).is_some() => Some((6, hex_value(hex, 4)?)),
        [b'U', hex @ ..] if is_long && hex_value(hex, 8).is_some() => {
            Some((10, hex_value(hex, 8)?))
        }
        [b'c', _, ..] if is_long => Some((3, 0)),
        [b'e' | b'E', ..] => Some((2, ESCAPE)),
        [letter, ..] if letter.is_ascii_alphabetic() => Some((2, 0)),
        _ => {
            let most = if is_long && rest.first() == Some(&b'0') {
                4
            } else {
                3
            };
            let digits = rest.iter().take(most);
            let digits: Vec<u8> = digits
                .take_while(|b| (b'0'..b'8').contains(b))
                .copied()
                .collect();
            let value = |digits: &[u8]| digits.iter().fold(0, |v, b| v * 8 + u32::from(b - b'0'));
            (!digits.is_empty()).then(|| (1 + digits.len(), value(&digits)))
        }
    }
}

/// The same for a percent sign; `%253D` is `%3D`, written into a URL once more. `%s` stands for something else.
fn after_percent(rest: &[u8], reading: Reading) -> Option<(usize, u32)> {
    let again = rest
        .chunks_exact(2)
        .take_while(|pair| pair == b"25")
        .count()
        * 2;
    let hex = hex_value(&rest[again..], 2).map(|value| (1 + again + 2, value));
    let plain = hex_value(rest, 2).map(|value| (3, value));
    let letter = rest.first().filter(|b| b.is_ascii_alphabetic());
    let is_long = reading == Reading::Long;
    hex.or(plain).or(letter.filter(|_| is_long).map(|_| (2, 0)))
}

fn hex_value(text: &[u8], digits: usize) -> Option<u32> {
    let hex = text
        .get(..digits)
        .filter(|hex| hex.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

/// Length and value of an entity of HTML whose end is missing. Where digits follow that may belong to the word behind it,
/// the short reading of a decimal one ends with the first digits that give a sign one can see.
fn entity(text: &[u8], reading: Reading) -> Option<(usize, u32)> {
    let is_hex = text.first().is_some_and(|b| b.eq_ignore_ascii_case(&b'x'));
    let (before, radix) = if is_hex { (1, 16) } else { (0, 10) };
    let is_digit = |b: &&u8| {
        b.is_ascii_digit() || (is_hex && reading == Reading::Long && b.is_ascii_hexdigit())
    };
    let most = text
        .iter()
        .skip(before)
        .take(8)
        .take_while(is_digit)
        .count();
    let value_of = |count: usize| {
        let digits = std::str::from_utf8(&text[before..before + count]).ok()?;
        u32::from_str_radix(digits, radix).ok()
    };
    let first_sign = (1..most).find(|count| value_of(*count).is_some_and(|value| value >= 32));
    let count = match reading {
        Reading::Short if !is_hex => first_sign.unwrap_or(most),
        _ => most,
    };
    Some((2 + before + count, value_of(count)?))
}

/// `[1;32m`
fn bracket_order(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"[")?;
    Some(1 + order_end(inner)?)
}

/// Parameters and the letter that ends them.
fn order_end(text: &[u8]) -> Option<usize> {
    let parameters = text
        .iter()
        .take_while(|b| matches!(b, b'0'..=b'9' | b';' | b':' | b'?'))
        .count();
    let letter = text.get(parameters)?;
    letter.is_ascii_alphabetic().then_some(parameters + 1)
}

/// `(B`; or `M`, which may be the first letter of a token as well.
fn short_order(text: &[u8], reading: Reading) -> Option<usize> {
    let between = text.iter().take_while(|b| matches!(b, b' '..=b'/')).count();
    let last = text.get(between)?;
    let is_one = last.is_ascii_alphanumeric() && (between > 0 || reading == Reading::Long);
    is_one.then_some(between + 1)
}
