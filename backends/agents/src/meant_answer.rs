//! Whether words that stand elsewhere than in an answer were meant as one.

/// What `verdict` is followed by where it is no vote in favour.
const OBJECTIONS: [&str; 5] = ["fail", "warn", "reject", "block", "do not"];

/// The most signs between the word and the vote: quotation marks, a colon, stars of Markdown.
const MAX_SIGNS: usize = 12;

/// Words before `vote FAIL` of somebody who does.
const DECIDED: [&str; 9] = [
    "i",
    "i'll",
    "i'd",
    "must",
    "will",
    "therefore",
    "so",
    "my",
    "we",
];

/// Words before it of somebody who has not decided, or decides otherwise.
const UNDECIDED: [&str; 11] = [
    "should", "would", "could", "can", "not", "never", "if", "whether", "may", "might", "don't",
];

/// The most words before it that are looked at.
const MAX_BEFORE: usize = 4;

/// As many bytes before a new part of a text may belong to a vote that ends in the part.
const MAX_VOTE_BYTES: usize = 256;

/// Whether a text holds the key of its turn, or gives a vote that objects (`"verdict": "FAIL"`, `**Verdict: FAIL**`, `I must
/// vote FAIL`): small models leave the key out of what they say beside a call, and mean it all the same.
pub(crate) fn is_meant_as_answer(text: &str, key: &str) -> bool {
    !key.is_empty() && text.contains(key) || gives_objection(text)
}

/// The same of a text that was looked at up to a byte: thoughts come in thousands of parts.
pub(crate) fn is_meant_since(text: &str, begin: usize, key: &str) -> bool {
    let from = begin.saturating_sub(MAX_VOTE_BYTES.max(key.len()));
    is_meant_as_answer(&text[text.floor_char_boundary(from)..], key)
}

fn gives_objection(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let is_objection = |name: &str, at: usize| {
        let rest = &text[at + name.len()..];
        let vote = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let signs = rest.len() - vote.len();
        signs <= MAX_SIGNS && OBJECTIONS.iter().any(|word| vote.starts_with(word))
    };
    let mut verdicts = text.match_indices("verdict");
    let mut votes = text.match_indices("vote");
    verdicts.any(|(at, name)| is_objection(name, at))
        || votes.any(|(at, name)| is_objection(name, at) && is_decided(&text[..at]))
}

/// Whether the words before a vote are those of somebody who gives it.
fn is_decided(before: &str) -> bool {
    let clause = before.rsplit(['.', '!', '?', ';', '\n', ',', ':']).next();
    let words = clause.unwrap_or_default().split_whitespace().rev();
    let words: Vec<&str> = words.take(MAX_BEFORE).collect();
    words.iter().any(|word| DECIDED.contains(word))
        && !words.iter().any(|word| UNDECIDED.contains(word))
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
            "a.py line 3 raises a TypeError on None, I must vote FAIL on this change.",
            "So I vote **FAIL**.",
            "My vote: FAIL",
        ] {
            assert!(is_meant_as_answer(text, "k1"), "{text}");
        }
        for text in [
            "I look into it first.",
            r#"{"verdict": "PASS"}"#,
            "The verdict may be FAIL, I have to see the caller first.",
            "Tests fail there: let me see why.",
            "Should I vote FAIL? The caller checks it.",
            "If the caller is unchecked I would vote FAIL.",
            "I will not vote FAIL for that.",
            "Judges vote PASS, WARN or FAIL.",
            "",
        ] {
            assert!(!is_meant_as_answer(text, "k1"), "{text}");
        }
        assert!(!is_meant_as_answer("anything", ""));
    }

    /// In whatever parts a vote comes, it is one in the part that ends it.
    #[test]
    fn a_vote_in_parts_is_one() {
        let text = format!("{}, so I must vote FAIL", "é".repeat(400));
        let cuts = (0..=text.len()).filter(|cut| text.is_char_boundary(*cut));
        for cut in cuts.filter(|cut| *cut < text.len() - 3) {
            assert!(is_meant_since(&text, cut, "k1"), "{cut}");
        }
        assert!(!is_meant_since(&text[..text.len() - 4], 700, "k1"));
    }
}
