//! What is a reason, and what only stands for one.

/// What an example has in the place of a reason, in small letters and without marks.
const PLACEHOLDERS: [&str; 13] = [
    "a reason",
    "because",
    "my reason",
    "reason",
    "reason here",
    "some reason",
    "tbd",
    "the reason",
    "todo",
    "why",
    "xxx",
    "your reason",
    "your reason here",
];

/// Whether a text says why: marks alone, and what an example has in the place of a reason, do not.
pub fn is_reason(text: &str) -> bool {
    let text = text.trim();
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let bare = words.join(" ").to_lowercase();
    // A forge takes `<why>` for a tag and shows nothing; an address in such brackets is shown.
    let is_tag = text.starts_with('<') && text.ends_with('>') && !text.contains("://");
    !bare.is_empty() && !is_tag && !PLACEHOLDERS.contains(&bare.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_of_somebody_are_a_reason() {
        for reason in [
            "it is a constant",
            "fixture",
            "<https://example.org/decisions/7>",
            "for the reason above",
            "定数です",
            "why not",
        ] {
            assert!(is_reason(reason), "{reason}");
        }
    }

    proptest! {
        /// However it is set: what stands for a reason is none.
        #[test]
        fn a_placeholder_is_no_reason(
            word in prop::sample::select(PLACEHOLDERS.to_vec()),
            open in "[ <\\[{(`'\"…._-]{0,3}",
            close in "[ >\\]})`'\"…._!?-]{0,3}",
            marks in "[\\p{P}+=~^|<>$… ]{0,12}",
            is_loud in any::<bool>(),
        ) {
            let word = if is_loud { word.to_uppercase() } else { word.to_owned() };
            let framed = format!("{open}{word}{close}");
            prop_assert!(!is_reason(&framed));
            prop_assert!(!is_reason(&marks));
            let tag = format!("<{word} it is safe>");
            prop_assert!(!is_reason(&tag));
        }
    }
}
