//! What a name says of the value that it gets.

use crate::code_name::{is_code_name, is_dotted_name, names_standard};
use crate::name_words::{WordSense, has_sense};
use crate::words::words_of_name;

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameKind {
    /// `password`, `client_secret`, `apiKey`: nobody calls anything else so.
    Secret,
    /// `token`, `auth`, `pass`: code has others of that name, so the value has to look drawn.
    Perhaps,
    /// `STRIPE_KEY`, `masterKey`: most keys are those of a map, so the value has to be long and drawn.
    Key,
    /// `password_field`, `token_url`: what speaks of a secret.
    Described,
}

/// What a name says of its value; none: nothing.
pub(crate) fn kind_of_name(name: &str) -> Option<NameKind> {
    let words = words_of_name(name);
    let is_key = |at: usize| {
        let word = words[at].as_str();
        let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
        let joined = word.strip_suffix("key").filter(|head| !head.is_empty());
        let head = joined.unwrap_or(before);
        let is_one = joined.is_some() || word == "key" || word == "keys";
        is_one.then(|| has_sense(head, WordSense::SecretKey))
    };
    let mut kinds = (0..words.len()).filter_map(|at| {
        let word = words[at].as_str();
        let kind = match is_key(at) {
            Some(true) => Some(NameKind::Secret),
            Some(false) if at + 1 == words.len() && at > 0 => Some(NameKind::Key),
            _ if has_sense(word, WordSense::Secret) => Some(NameKind::Secret),
            _ if has_sense(word, WordSense::Perhaps) => Some(NameKind::Perhaps),
            _ if at + 1 == words.len() && has_sense(word, WordSense::PerhapsLast) => {
                Some(NameKind::Perhaps)
            }
            _ => None,
        };
        kind.map(|kind| (at, kind))
    });
    let (at, kind) = kinds.next_back()?;
    let rest = &words[at + 1..];
    if has_sense(words.last()?, WordSense::Describes) && !rest.is_empty() {
        return Some(NameKind::Described);
    }
    let is_other = words
        .iter()
        .any(|word| has_sense(word, WordSense::OtherKey));
    (kind != NameKind::Key || !is_other).then_some(kind)
}

/// Whether a name says of its value that it is a secret, or speaks of one, and not merely something like a token of a
/// parser.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let is_somebodys = || {
        words_of_name(name)
            .iter()
            .any(|word| has_sense(word, WordSense::SecretKey))
    };
    match kind_of_name(name) {
        Some(NameKind::Secret | NameKind::Described) => true,
        Some(NameKind::Perhaps) => is_somebodys(),
        Some(NameKind::Key) | None => false,
    }
}

/// Whether a text is nothing but the name of such a thing: `password2`, `X-Token2`, `db.secret_v2`.
pub(crate) fn says_a_name(text: &str) -> bool {
    crate::words::has_form_of_words(text) && kind_of_name(text).is_some()
}

/// Whether a text is the name of such a thing, of a module or of an algorithm: `app.hashers.PBKDF2PasswordHasher`,
/// `PBKDF2WithHmacSHA1`. Other words may be a password that somebody thought of.
pub(crate) fn names_code(text: &str) -> bool {
    says_a_name(text)
        || names_standard(text)
        || is_dotted_name(text)
        || (is_code_name(text) && kind_of_name(text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_names_of_other_things() {
        for name in [
            "apiKey",
            "client_secret",
            "auth_token",
            "password_file",
            "accessToken",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["next_token", "sort_key", "passenger", "tokenizer"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
