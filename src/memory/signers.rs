//! Whose signature counts.

/// The keys that the user lists, each with the names and mails of whoever holds it (`council.trustedNotes`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TrustedSigners(Vec<SignerEntry>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct SignerEntry {
    key: String,
    names: Vec<String>,
}

/// Who had a part in the change, as far as a job of a CI service can tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangeAuthors {
    /// Mails of authors and committers.
    pub mails: Vec<String>,
    /// Names at the forge: whoever opened the pull request, pushed, or started the job.
    pub logins: Vec<String>,
    /// Whether all of the change's commits were seen.
    pub complete: bool,
}

/// Why a signature does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DistrustReason {
    /// Its key is not listed.
    Unlisted,
    /// In CI: the list does not say whose key it is.
    Nameless,
    /// In CI: whoever signed had a part in the change.
    Own,
}

impl DistrustReason {
    /// The words for people.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Unlisted => "its signer is not listed in council.trustedNotes",
            Self::Nameless => "council.trustedNotes does not say whose key signed it",
            Self::Own => "nobody's signature counts for their own change",
        }
    }
}

impl SignerEntry {
    fn has_key(&self, key: &str) -> bool {
        // Hexadecimal fingerprints have no case, `SHA256:…` has.
        self.key == key || (!key.contains(':') && self.key.eq_ignore_ascii_case(key))
    }
}

impl TrustedSigners {
    /// Reads the list: each entry is a fingerprint, then names at the forge and mails, separated by blanks.
    pub(crate) fn parse(list: &[String]) -> Self {
        let signer = |entry: &String| {
            let mut words = entry.split_whitespace().map(str::to_owned);
            let key = words.next()?;
            Some(SignerEntry {
                key,
                names: words.collect(),
            })
        };
        Self(list.iter().filter_map(signer).collect())
    }

    /// The names that the list gives to a key.
    pub(crate) fn names_of(&self, key: &str) -> &[String] {
        let signer = self.0.iter().find(|signer| signer.has_key(key));
        signer.map_or(&[], |signer| &signer.names)
    }

    /// Whether a signature of this key counts. `authors` is given where strangers' changes are reviewed: there nobody's
    /// signature counts for their own change, and one of an unknown person counts for nothing.
    ///
    /// # Errors
    ///
    /// Why it does not count.
    pub(crate) fn check_signer(
        &self,
        key: &str,
        authors: Option<&ChangeAuthors>,
    ) -> Result<(), DistrustReason> {
        let signer = self.0.iter().find(|signer| signer.has_key(key));
        let signer = signer.ok_or(DistrustReason::Unlisted)?;
        let Some(authors) = authors else {
            return Ok(());
        };
        let part = |name: &String| {
            let mut all = authors.mails.iter().chain(&authors.logins);
            all.any(|author| author.eq_ignore_ascii_case(name))
        };
        let has = |mail: bool| signer.names.iter().any(|name| name.contains('@') == mail);
        if signer.names.iter().any(part) {
            Err(DistrustReason::Own)
        } else if !authors.complete || authors.logins.is_empty() || !has(false) || !has(true) {
            // Mails of commits are what their author wrote: only the forge's name of a person is proof.
            Err(DistrustReason::Nameless)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signers() -> TrustedSigners {
        TrustedSigners::parse(&[
            "SHA256:abc ann ann@example.com".into(),
            "0123ABCD".into(),
            "SHA256:ben ben".into(),
        ])
    }

    fn authors(mails: &[&str], logins: &[&str]) -> ChangeAuthors {
        let own = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        ChangeAuthors {
            mails: own(mails),
            logins: own(logins),
            complete: true,
        }
    }

    #[test]
    fn at_home_a_listed_key_is_enough() {
        assert_eq!(signers().check_signer("SHA256:abc", None), Ok(()));
        assert_eq!(signers().check_signer("0123abcd", None), Ok(()));
        assert_eq!(
            signers().check_signer("sha256:ABC", None),
            Err(DistrustReason::Unlisted)
        );
        assert_eq!(
            TrustedSigners::default().check_signer("SHA256:abc", None),
            Err(DistrustReason::Unlisted)
        );
    }

    #[test]
    fn in_ci_nobody_signs_for_their_own_change() {
        let own = |mails: &[&str], logins: &[&str]| {
            signers().check_signer("SHA256:abc", Some(&authors(mails, logins)))
        };
        assert_eq!(own(&["zoe@example.com"], &["zoe"]), Ok(()));
        assert_eq!(
            own(&["zoe@example.com"], &["Ann"]),
            Err(DistrustReason::Own)
        );
        assert_eq!(
            own(&["ANN@example.com"], &["zoe"]),
            Err(DistrustReason::Own)
        );
        assert_eq!(
            own(&["zoe@example.com"], &[]),
            Err(DistrustReason::Nameless)
        );
        let unseen = ChangeAuthors {
            complete: false,
            ..authors(&[], &["zoe"])
        };
        assert_eq!(
            signers().check_signer("SHA256:abc", Some(&unseen)),
            Err(DistrustReason::Nameless)
        );
        let zoe = authors(&["zoe@example.com"], &["zoe"]);
        for key in ["0123abcd", "SHA256:ben"] {
            assert_eq!(
                signers().check_signer(key, Some(&zoe)),
                Err(DistrustReason::Nameless)
            );
        }
    }
}
