//! The words by which names speak of secrets: the one list, and what each word counts for.

use WordSense::{
    Beside, BesideKey, Describes, DescribesEnd, OtherKey, Perhaps, PerhapsLast, Secret, SecretKey,
    Setting,
};

/// What a word counts for in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordSense {
    /// What has the name is a secret.
    Secret,
    /// It may be one: code has others of that name.
    Perhaps,
    /// The same at the end of a name alone: `render_pass`, `basicAuth`, but not `pass_through` or `authMode`.
    PerhapsLast,
    /// Before `key`, it makes the name that of a secret.
    SecretKey,
    /// Before `key`, or anywhere in the name of a key, it makes the name that of something else.
    OtherKey,
    /// At the end of a name, it makes the name that of something else: `token_url`.
    Describes,
    /// The same where no sign and no capital begins it: `tokenurl`.
    DescribesEnd,
    /// A drawn value on the same line is a secret, whatever joins the two.
    Beside,
    /// The same before `key`.
    BesideKey,
    /// In a file of secrets, what has a name with these letters anywhere is a secret, however it looks.
    Setting,
}

/// Words with what they count for. `*` stands for more letters before one.
const WORDS: &[(&str, &[WordSense])] = &[
    (
        "*password *passwd *passphrase *passwort *kennwort",
        &[Secret, Beside],
    ),
    ("*secret", &[Secret, Beside, Setting]),
    ("*pwd", &[Secret, Beside, Setting]),
    (
        "*passwords *passwds *passcode *pswd *secrets *storepass *keypass requirepass sshpass",
        &[Secret, Beside],
    ),
    ("passe contrase contrasena senha", &[Secret]),
    ("*token", &[Perhaps, Beside, Setting]),
    ("credential", &[Perhaps, Beside, Setting]),
    ("*tokens credentials bearer", &[Perhaps]),
    ("auth", &[PerhapsLast, SecretKey, BesideKey, Setting]),
    ("pass", &[PerhapsLast, Beside, Setting]),
    ("authorization authentication", &[Perhaps, Beside]),
    (
        "psk *pw masterauth dbpass smtppass mailpass rootpass ftppass userpass sqlpass mysqlpass adminpass ldappass",
        &[PerhapsLast, Beside],
    ),
    (
        "api access private signing encryption",
        &[SecretKey, BesideKey],
    ),
    ("secret shared", &[SecretKey]),
    ("key pin salt", &[Setting]),
    (
        "socket public pub primary foreign partition sort cache site host publishable object map",
        &[OtherKey],
    ),
    (
        "name header field url uri path file env var id regex pattern hash prefix label message hint error title type \
         param length expiry policy scope endpoint checksum digest fingerprint integrity",
        &[Describes, DescribesEnd],
    ),
    (
        "key_size md5 sha1 sha224 sha256 sha384 sha512",
        &[DescribesEnd],
    ),
    (
        "names headers fields urls paths ids types params size sha ref hasher encoder placeholder kind md scheme algorithm \
         algo method mode format version provider strategy class source validator validators generator reset strength \
         rule rules count limit lifetime ttl expires expiration age manager arn hashers encoders algorithms \
         providers classes sources rev revision commit branch registry resolved expire",
        &[Describes],
    ),
];

/// Words with such a sense; `*` stands for more letters before one.
pub(crate) fn words_of_sense(sense: WordSense) -> impl Iterator<Item = &'static str> {
    let rows = WORDS
        .iter()
        .filter(move |(_, senses)| senses.contains(&sense));
    rows.flat_map(|(words, _)| words.split_ascii_whitespace())
}

/// Whether a word in small letters has such a sense.
pub(crate) fn has_sense(word: &str, sense: WordSense) -> bool {
    words_of_sense(sense).any(|known| match known.strip_prefix('*') {
        Some(end) => word.ends_with(end),
        None => word == known,
    })
}

/// The letters that each name of a secret holds somewhere.
pub(crate) fn letters_of_names() -> impl Iterator<Item = &'static str> {
    let senses = [Secret, Perhaps, PerhapsLast]
        .into_iter()
        .flat_map(words_of_sense);
    senses
        .map(|word| word.trim_start_matches('*'))
        .chain(["key"])
}

/// The names beside which a drawn value is a secret, in small letters.
pub(crate) fn names_beside() -> Vec<String> {
    let words = words_of_sense(Beside).map(|word| word.trim_start_matches('*').to_owned());
    let keys = words_of_sense(BesideKey);
    let keys = keys.flat_map(|head| ["", "_", "-"].map(|joint| format!("{head}{joint}key")));
    words.chain(keys).chain(["api key".to_owned()]).collect()
}

/// Whether a name, its borders aside, ends in what makes it that of something else.
pub(crate) fn ends_in_description(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let one = lower.strip_suffix('s').unwrap_or(&lower);
    let hash = one.strip_suffix("sum").unwrap_or(one).replace('-', "");
    words_of_sense(DescribesEnd).any(|end| {
        [lower.as_str(), one, &hash]
            .iter()
            .any(|name| name.ends_with(end))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_word_stands_in_one_row_for_each_sense() {
        let mut seen = BTreeSet::new();
        for (words, senses) in WORDS {
            for word in words.split_ascii_whitespace() {
                for sense in *senses {
                    assert!(
                        seen.insert((word, format!("{sense:?}"))),
                        "{word}: {sense:?}"
                    );
                }
            }
        }
    }

    /// Lines are searched for these letters alone, with one automaton.
    #[test]
    fn the_row_of_assigned_values_is_called_by_the_letters_of_all_names() {
        let table = crate::SecretTable::built_in();
        let lines =
            letters_of_names().map(|letters| format!("x_{letters} = \"tR5wPz8KqLm3Xv7Nb2Yc\""));
        for line in lines {
            let is_name = crate::named::kind_of_name(line.split(' ').next().unwrap_or_default());
            let is_found = !table.find_secrets(&line).is_empty();
            assert_eq!(is_name.is_some(), is_found, "{line}");
        }
    }

    #[test]
    fn descriptions_end_a_name_whatever_its_borders() {
        for name in [
            "SECRET_NAME",
            "tokenurl",
            "tokenIds",
            "x-sha-256",
            "sha1sum",
            "key_size",
        ] {
            assert!(ends_in_description(name), "{name}");
        }
        for name in ["client_secret", "token", "window_size", "keys"] {
            assert!(!ends_in_description(name), "{name}");
        }
    }
}
