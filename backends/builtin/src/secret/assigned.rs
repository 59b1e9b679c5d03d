//! Random-looking literals under names that say secret.

use std::ops::Range;

use super::{is_placeholder, shannon_entropy};
use crate::pattern::pattern;

pattern!(
    ASSIGNED,
    r#"(?ix)
    ([\w.-]*(?:passwd|password|passphrase|secret|api[_-]?key|auth[_-]?token|access[_-]?token|access[_-]?key
        |private[_-]?token|signing[_-]?key|encryption[_-]?key)[\w-]*)
    ["']?\s*(?::\s*[&\w<>'\ ]{1,20})?(?:=|:|=>|:=)\s*(?:[\w.]+\()?["'`]([^"'`\s]{12,})["'`]"#
);
pattern!(
    DOTENV,
    r"(?i)^\s*(?:export\s+)?([\w.-]*(?:password|secret|api_?key|access_?key|auth_?token)[\w.-]*)\s*[=:]\s*([^\s'\x22]{12,})\s*$"
);
pattern!(
    /// Names under which a literal describes a secret rather than being one.
    DESCRIPTION,
    r"(?i)(?:name|header|field|url|uri|path|file|env|var|id|regex|pattern|hash|prefix|label|message|hint|error|title|type|param|param_name|key_size|length|expiry|policy|scope|endpoint)s?$"
);

/// The first secret that a line gives to a name: the name, and where the value stands. With `bare`, values without
/// quotes count too, as in a `.env` file.
pub(crate) fn find_assigned(text: &str, bare: bool) -> Option<(&str, Range<usize>)> {
    let quoted = ASSIGNED.captures(text);
    let found = quoted.or_else(|| bare.then(|| DOTENV.captures(text)).flatten())?;
    let (name, value) = (found.get(1)?.as_str(), found.get(2)?);
    let real = !DESCRIPTION.is_match(name) && looks_random(value.as_str());
    real.then(|| (name, value.range()))
}

/// Whether a value looks drawn rather than written: mixed classes of characters in one word, and enough entropy.
fn looks_random(value: &str) -> bool {
    let longest = value
        .split(['-', '_', '.', '/', ':', '@', ','])
        .max_by_key(|word| word.len())
        .unwrap_or_default();
    let has = |test: fn(&char) -> bool| longest.chars().filter(test).count();
    let (digits, upper, lower) = (
        has(char::is_ascii_digit),
        has(char::is_ascii_uppercase),
        has(char::is_ascii_lowercase),
    );
    let hex = longest.len() >= 24 && longest.bytes().all(|b| b.is_ascii_hexdigit()) && digits > 3;
    let mixed =
        longest.len() >= 12 && digits >= 2 && lower >= 2 && (upper >= 2 || longest.len() >= 20);
    (hex || mixed)
        && shannon_entropy(value) >= 3.3
        && !is_placeholder(value)
        && !value.contains("://")
}
