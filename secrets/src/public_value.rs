//! Values that are public by their form, whatever the name says that gets them: where something lies, which version of
//! it is meant, when something happens, and the checksum that a reader compares. Who hides them hides what a change does.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::dialect::compile_pattern;
use crate::words::words_of_name;

/// A part of a version: words and numbers, but no mixture of the two that is not hexadecimal.
const VERSION: &str = concat!(
    r"(?:[~^<>=!]{1,2} ?|v)?[0-9]{1,5}(?:\.[0-9]{1,5}){1,3}",
    r"(?:[-+._](?:[0-9]{1,14}|[A-Za-z]{1,10}[0-9]{0,4}|[0-9a-f]{5,40})){0,5}"
);

/// Names of places that every machine has.
const ROOTS: &str = "etc|var|usr|opt|home|tmp|run|srv|mnt|root|app|data|dev|proc|sys|bin|sbin|lib|secrets|vault|Users|\
    Library|subscriptions";

/// The ends of names of files.
const ENDINGS: &str = "ya?ml|json|toml|pem|crt|cer|key|pub|p12|pfx|jks|sh|bash|py|rb|js|mjs|ts|go|rs|java|cs|php|conf|\
    cfg|ini|txt|md|so|dll|exe|jar|war|ova|zip|gz|tgz|xml|html?|css|sql|db|service|lock";

/// Whether a value is public by its form.
pub(crate) fn is_public_value(value: &str) -> bool {
    static FORMS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let forms = [
            // What a service calls its things.
            r"arn:[a-z-]+:[a-z0-9-]+:[a-z0-9-]*:[A-Za-z0-9-]*:[^\s]+".to_owned(),
            // What a package is taken from.
            concat!(
                r"(?:github|gitlab|bitbucket|codeberg|sourcehut|gist):[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+",
                r"(?:[#/?][A-Za-z0-9_./=&^~+:-]*)?"
            )
            .to_owned(),
            r"[A-Za-z0-9-]+/[A-Za-z0-9_.-]+#[0-9a-f]{7,40}".to_owned(),
            r"(?:npm|jsr|workspace):@?[A-Za-z0-9_./-]*@[A-Za-z0-9_.^~*+-]+".to_owned(),
            r"(?:file|link|portal|path):\.{0,2}/[A-Za-z0-9_./@+-]+".to_owned(),
            VERSION.to_owned(),
            // An image, by its tag or its digest.
            format!(r"(?:[A-Za-z0-9_.-]+(?::[0-9]{{1,5}})?/)+[A-Za-z0-9_.-]+:(?:{VERSION}|[0-9a-f]{{7,40}})"),
            r"[a-z0-9][A-Za-z0-9_./:-]*@sha(?:256|384|512):[0-9a-f]{64,128}".to_owned(),
            // A checksum that says what it is.
            r"sha(?:256[-:][A-Za-z0-9+/]{43}=?|384[-:][A-Za-z0-9+/]{64}|512[-:][A-Za-z0-9+/]{86}(?:==)?)".to_owned(),
            // A time and a duration.
            concat!(
                r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?",
                r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
            )
            .to_owned(),
            r"[0-9]{8}T[0-9]{6}Z".to_owned(),
            r"-?P(?:[0-9]{1,6}[YMWD]){0,4}(?:T(?:[0-9]{1,6}(?:\.[0-9]{1,9})?[HMS]){1,3})?".to_owned(),
            r"(?:[0-9]{1,6}(?:ns|us|ms|[dhms])){2,5}".to_owned(),
            // A migration, by its number.
            r"[0-9]{4}_[a-z]{2,20}(?:_(?:[a-z]{1,20}|[0-9]{1,8})){0,12}".to_owned(),
            // An entry of a directory.
            concat!(
                r"(?:(?i:uid|cn|ou|dc|o|c|l|st|sn|mail|userid)=[A-Za-z0-9_. @-]{1,64}, ?){1,12}",
                r"(?i:ou|dc|o|c|cn)=[A-Za-z0-9_. -]{1,64}"
            )
            .to_owned(),
            // A file, whatever part of its name was drawn.
            format!(r"/(?:{ROOTS})/[A-Za-z0-9_./@~-]+"),
            format!(r"(?:~|\.{{1,2}}|[a-z][a-z0-9_-]*)?/[A-Za-z0-9_./@~-]*\.(?:{ENDINGS})"),
        ];
        compile_pattern(&format!("^(?:{})$", forms.join("|"))).ok()
    });
    may_be_public(value) && FORMS.as_ref().is_some_and(|forms| forms.is_match(value))
}

/// Whether a value has a sign that each of these forms has: a line may hold a million values, and most have none.
fn may_be_public(value: &str) -> bool {
    let is_duration =
        |text: &str| text.starts_with(['P', '-']) || text.starts_with(|c: char| c.is_ascii_digit());
    value.contains([':', '/', '.', '-', '_', '=']) || is_duration(value)
}

/// Whether a word of a line is a part of what is public by its form: `prod/db-AbC123` of the name of a resource.
pub(crate) fn is_of_public_value(line: &str, place: &Range<usize>) -> bool {
    const FAR: usize = 256;
    let is_end = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;|".contains(c);
    let from = line.ceil_char_boundary(place.start.saturating_sub(FAR));
    let to = line.floor_char_boundary(place.end + FAR);
    let start = line[from..place.start].rfind(is_end);
    let start = start.map_or(from, |at| from + at + 1);
    let start = line.ceil_char_boundary(start);
    let end = line[place.end..to]
        .find(is_end)
        .map_or(to, |at| place.end + at);
    let around = line[start..end].trim_end_matches(['.', ':', '\\']);
    let value = around.split_once('=').map_or(around, |(_, value)| value);
    [around, value, &line[place.clone()]]
        .iter()
        .any(|text| is_public_value(text))
}

/// Whether a value is the address of an account or a contract: twenty bytes, which everybody may know. A private key
/// has thirty-two.
pub(crate) fn is_account(value: &str) -> bool {
    let digits = value.strip_prefix("0x").unwrap_or_default();
    digits.len() == 40 && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether a value is the address of a coin that its name speaks of: thirty-two bytes in base58. By their form alone
/// such bytes could be a key.
pub(crate) fn is_coin(value: &str, name: &str) -> bool {
    const COINS: [&str; 17] = [
        "mint", "mints", "spl", "solana", "sol", "wsol", "msol", "usdc", "usdt", "dai", "weth",
        "wbtc", "steth", "bonk", "jup", "pyth", "program",
    ];
    let is_named = || {
        words_of_name(name)
            .iter()
            .any(|word| COINS.contains(&word.as_str()))
    };
    (32..=44).contains(&value.len()) && is_key_in_base58(value) && is_named()
}

/// Whether a text is thirty-two bytes in base58.
fn is_key_in_base58(text: &str) -> bool {
    const DIGITS: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut bytes = [0_u32; 33];
    for sign in text.bytes() {
        let Some(mut carry) = DIGITS.iter().position(|digit| *digit == sign) else {
            return false;
        };
        for byte in bytes.iter_mut().rev() {
            let sum = *byte as usize * 58 + carry;
            (*byte, carry) = ((sum & 0xff) as u32, sum >> 8);
        }
    }
    bytes[0] == 0 && bytes[1] != 0
}

/// Whether a value is a colour: `#ffffff`, `#ansiblue`.
pub(crate) fn is_colour(value: &str) -> bool {
    let digits = value.strip_prefix('#').unwrap_or_default();
    let is_hex =
        [3, 4, 6, 8].contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex
        || digits
            .strip_prefix("ansi")
            .is_some_and(|name| name.bytes().all(|b| b.is_ascii_lowercase()))
}

/// Whether a value is a type of numbers, with its size: `uint256`.
pub(crate) fn is_sized_type(value: &str) -> bool {
    let name = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_size = (1..=3).contains(&(value.len() - name.len()));
    is_size && ["uint", "int", "float", "bytes", "fixed", "ufixed"].contains(&name)
}

/// Whether a value is a pattern that others are matched with: two of its marks stand in no drawn value by accident.
pub(crate) fn is_match_pattern(value: &str) -> bool {
    const MARKS: [&str; 12] = [
        "[a-z", "[A-Z", "[0-9", "[^", r"\w", r"\d", r"\s", "(?", "]*", "]+", "]{", "]?",
    ];
    MARKS.iter().filter(|mark| value.contains(**mark)).count() >= 2
}

/// Whether a name is that of a place in a list that is read page by page: whoever has such a token has nothing else.
pub(crate) fn is_cursor_name(name: &str) -> bool {
    let one = name.strip_suffix(['s', 'S']).unwrap_or(name);
    let end = one
        .len()
        .checked_sub("token".len())
        .and_then(|at| one.get(at..));
    let is_token = end.is_some_and(|end| end.eq_ignore_ascii_case("token"));
    let is_page = |word: &String| {
        ["next", "page", "continuation", "pagination", "starting"].contains(&word.as_str())
    };
    is_token && words_of_name(name).iter().any(is_page)
}

/// A text with its letters of other languages as letters: `Nom\u00e9s` has no digits.
pub(crate) fn with_letters(text: &str) -> Cow<'_, str> {
    static LETTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        compile_pattern(
            r"\\u(?:00[89A-Fa-f]|0[1-9A-Fa-f][0-9A-Fa-f]|[1-9A-Fa-f][0-9A-Fa-f]{2})[0-9A-Fa-f]",
        )
        .ok()
    });
    match LETTER.as_ref().filter(|_| text.contains("\\u")) {
        Some(letter) => letter.replace_all(text, "\u{e9}"),
        None => Cow::Borrowed(text),
    }
}
