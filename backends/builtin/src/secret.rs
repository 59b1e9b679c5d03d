//! Secrets as the one table has them: what is reported, and quotes that do not show one.

use std::sync::LazyLock;

use council_secrets::Redactor;

/// Lines of a file with a placeholder for each secret, as everybody else is shown them.
pub(crate) fn without_secrets(path: &str, text: &str) -> String {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(Redactor::default);
    REDACTOR.redact_source(Some(path), text).text
}

#[cfg(test)]
mod tests {
    use council_secrets::SecretTable;

    use super::*;

    #[test]
    fn a_secret_is_not_in_its_quote_and_nothing_hangs_in_the_air() {
        let quote = without_secrets("a.py", "token = \"s3cr3tvalue\"");
        assert_eq!(quote, "token = \"[redacted: secret]\"");
    }

    #[test]
    fn a_placeholder_is_none() {
        let owner = |text| {
            let found = SecretTable::built_in().find_secrets(text).into_iter();
            found
                .filter(|found| found.is_plausible)
                .map(|found| found.owner)
                .next()
        };
        assert_eq!(owner("key = AKIAIOSFODNN7EXAMPLE"), None);
        assert_eq!(owner("key = AKIAQ3ZR7WV5LKM2XTNB"), Some("AWS"));
    }
}
