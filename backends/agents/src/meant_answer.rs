//! Whether words that stand elsewhere than in an answer were meant as one.

/// What `verdict` is followed by where it is no vote in favour.
const OBJECTIONS: [&str; 5] = ["fail", "warn", "reject", "block", "do not"];

/// The most signs between the word and the vote: quotation marks, a colon, stars of Markdown.
const MAX_SIGNS: usize = 12;

/// Whether a text holds the key of its turn, or gives a vote that objects (`"verdict": "FAIL"`, `**Verdict: FAIL**`):
/// small models leave the key out of what they say beside a call, and mean it all the same.
pub(crate) fn is_meant_as_answer(text: &str, key: &str) -> bool {
    !key.is_empty() && text.contains(key) || gives_objection(text)
}

fn gives_objection(text: &str) -> bool {
    const NAME: &str = "verdict";
    let text = text.to_ascii_lowercase();
    text.match_indices(NAME).any(|(at, _)| {
        let rest = &text[at + NAME.len()..];
        let vote = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let signs = rest.len() - vote.len();
        signs <= MAX_SIGNS && OBJECTIONS.iter().any(|word| vote.starts_with(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vote_is_one_without_its_key() {
        for text in [
            r#"{"schema_version": 1, "verdict": "FAIL", "findings": []}"#,
            r#"{"key": "KEY", "verdict":"WARN"}"#,
            "**Verdict: FAIL**\nusers.py:8 is critical",
            "Verdict - reject",
            "the key is k1",
        ] {
            assert!(is_meant_as_answer(text, "k1"), "{text}");
        }
        for text in [
            "I look into it first.",
            r#"{"verdict": "PASS"}"#,
            "The verdict may be FAIL, I have to see the caller first.",
            "Tests fail there: let me see why.",
            "",
        ] {
            assert!(!is_meant_as_answer(text, "k1"), "{text}");
        }
        assert!(!is_meant_as_answer("anything", ""));
    }
}
