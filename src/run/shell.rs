//! Commands as a shell reads them, for people to repeat.

/// A word between quotes.
pub(crate) fn shell_quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A word, quoted where a shell would read something else.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        shell_quote(word)
    }
}

/// A whole command.
pub(crate) fn shell_command<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.into_iter().map(shell_word).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    /// What a real shell makes of a command: its words.
    fn read_by_shell(command: &str) -> Vec<String> {
        let script = format!("set -- {command}; for word do printf '%s\\0' \"$word\"; done");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let words = text.split_terminator('\0').map(str::to_owned);
        words.collect()
    }

    #[test]
    fn only_what_a_shell_reads_otherwise_is_quoted() {
        assert_eq!(
            shell_command(["pytest", "-q", "a/b.py"]),
            "pytest -q a/b.py"
        );
        assert_eq!(
            shell_command(["sh", "-c", "it's", ""]),
            r"sh -c 'it'\''s' ''"
        );
        assert_eq!(shell_command([":!x y", "*.rs", "~"]), "':!x y' '*.rs' '~'");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn a_shell_reads_the_words_that_were_meant(
            words in prop::collection::vec(
                prop_oneof![
                    "[ -~]{0,12}",
                    "[-~!#$&*?\\[\\](){}<>|;'\"` \t\né=:,.%@^\\\\]{0,8}",
                    Just(String::new()),
                ],
                1..5,
            ),
        ) {
            let command = shell_command(words.iter().map(String::as_str));
            prop_assert_eq!(read_by_shell(&command), words, "{}", command);
        }
    }
}
