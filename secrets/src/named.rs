//! What a name says of the value that it gets.

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

/// Words in any name of which the whole name is a secret's. `*` stands for more letters before it.
const SECRETS: &str = "*password *passwords *passwd *passwds *passphrase *passcode *pwd *pswd *secret *secrets \
    *storepass *keypass requirepass \
    sshpass *passwort *kennwort passe contrase contrasena senha";

/// Words of which a name is one where code may have another of it.
const PERHAPS: &str = "*token *tokens credential credentials bearer";

/// The same at the end of a name alone: `render_pass`, `basicAuth`, but not `pass_through` or `authMode`.
const PERHAPS_LAST: &str = "auth pass pw psk masterauth";

/// What stands before `key` in the name of a secret.
const SECRET_KEYS: &str = "api access private signing encryption auth secret shared";

/// What stands before `key` in the name of what is none.
const OTHER_KEYS: &str =
    "socket public pub primary foreign partition sort cache site host publishable object map";

/// Words behind which a name is that of something else.
const DESCRIBING: &str = "name names header headers field fields url urls uri path paths file env var id ids \
    regex pattern hash prefix label message hint error title type types param params size \
    length expiry policy scope endpoint checksum digest fingerprint integrity sha ref \
    hasher encoder placeholder kind md scheme algorithm algo method mode format version provider strategy class source \
    validator validators generator reset strength rule rules count limit lifetime ttl expires expiration age manager";

/// What a name says of its value; none: nothing.
pub(crate) fn kind_of_name(name: &str) -> Option<NameKind> {
    let words = words_of_name(name);
    let is_any = |word: &str, list: &str| list.split(' ').any(|one| is_like(word, one));
    let is_key = |at: usize| {
        let word = words[at].as_str();
        let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
        let joined = word.strip_suffix("key").filter(|head| !head.is_empty());
        let head = joined.unwrap_or(before);
        let is_one = joined.is_some() || word == "key" || word == "keys";
        is_one.then(|| is_any(head, SECRET_KEYS))
    };
    let mut kinds = (0..words.len()).filter_map(|at| {
        let word = words[at].as_str();
        let kind = match is_key(at) {
            Some(true) => Some(NameKind::Secret),
            Some(false) if at + 1 == words.len() && at > 0 => Some(NameKind::Key),
            _ if is_any(word, SECRETS) => Some(NameKind::Secret),
            _ if is_any(word, PERHAPS) => Some(NameKind::Perhaps),
            _ if at + 1 == words.len() && is_any(word, PERHAPS_LAST) => Some(NameKind::Perhaps),
            _ => None,
        };
        kind.map(|kind| (at, kind))
    });
    let (at, kind) = kinds.next_back()?;
    let rest = &words[at + 1..];
    if is_any(words.last()?, DESCRIBING) && !rest.is_empty() {
        return Some(NameKind::Described);
    }
    let is_other = words.iter().any(|word| is_any(word, OTHER_KEYS));
    (kind != NameKind::Key || !is_other).then_some(kind)
}

fn is_like(word: &str, pattern: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some(end) => word.ends_with(end),
        None => word == pattern,
    }
}

/// Whether a text is nothing but the name of such a thing: `password2`, `X-Token2`, `db.secret_v2`.
pub(crate) fn says_a_name(text: &str) -> bool {
    crate::words::has_form_of_words(text) && kind_of_name(text).is_some()
}
