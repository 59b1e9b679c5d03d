//! The words that git hands to a hook: data, not options.

use std::ffi::OsString;

/// Puts `--` before what git says after `hook run EVENT`. A remote's name comes from the repository's configuration, and may
/// be `-h` or `--config=hook.enabled=false`.
pub(crate) fn separate_arguments(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_option = |at: usize| words[at].as_encoded_bytes().starts_with(b"-");
    // Before the subcommand stand options, and values of options.
    let may_lead =
        |at: usize| words[at] != "--" && (is_option(at) || (at > 0 && is_option(at - 1)));
    let is_event = |word: &OsString| word == "pre-push" || word == "post-commit";
    let is_run = |at: &usize| {
        let of_hook = words[*at] == "hook" && words[at + 1] == "run" && is_event(&words[at + 2]);
        of_hook && (0..*at).all(may_lead)
    };
    if let Some(at) = (0..words.len().saturating_sub(2)).find(is_run) {
        words.insert(at + 3, "--".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn separated(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let words: Vec<String> = separate_arguments(words)
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        words.join(" ")
    }

    #[test]
    fn what_git_says_is_no_option() {
        for (line, expected) in [
            ("hook run pre-push -h url", "hook run pre-push -- -h url"),
            ("hook run pre-push", "hook run pre-push --"),
            ("-q hook run pre-push -- x", "-q hook run pre-push -- -- x"),
            (
                "-C hook hook run pre-push a",
                "-C hook hook run pre-push -- a",
            ),
            (
                "--color never hook run post-commit --all",
                "--color never hook run post-commit -- --all",
            ),
            ("hook run --help", "hook run --help"),
            ("hook status", "hook status"),
            (
                "review -- hook run pre-push x",
                "review -- hook run pre-push x",
            ),
        ] {
            assert_eq!(separated(line), expected);
        }
    }
}
