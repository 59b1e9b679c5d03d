//! The spellings of one name: `max-attempts`, `maxAttempts`, `max_attempts`, `MAX_ATTEMPTS`.

/// The words of a name in small letters.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let is_hump = letter.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit());
        if !letter.is_alphanumeric() || is_hump {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// `max-attempts`.
pub(super) fn kebab(name: &str) -> String {
    words_of(name).join("-")
}

/// `max_attempts`.
pub(super) fn snake(name: &str) -> String {
    words_of(name).join("_")
}

/// `maxAttempts`.
pub(super) fn camel(name: &str) -> String {
    let words = words_of(name).into_iter().enumerate();
    let humps = words.map(|(index, word)| match index {
        0 => word,
        _ => with_capital(&word),
    });
    humps.collect()
}

/// `MaxAttempts`.
pub(super) fn pascal(name: &str) -> String {
    words_of(name)
        .iter()
        .map(|word| with_capital(word))
        .collect()
}

/// What is left of a name whatever it is spelled like: `maxattempts`.
pub(super) fn plain(name: &str) -> String {
    words_of(name).concat()
}

fn with_capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: each spelling has the words of the name, and so leads to each of the others.
        #[test]
        fn every_spelling_leads_to_the_others(words in prop::collection::vec("[a-z]{2,6}", 1..4)) {
            let name = words.join("-");
            let spelled = [kebab(&name), snake(&name), camel(&name), snake(&name).to_uppercase()];
            for one in &spelled {
                prop_assert_eq!(&words_of(one), &words, "{}", one);
                prop_assert_eq!(plain(one), words.concat());
                prop_assert_eq!(&[kebab(one), snake(one), camel(one)][..], &spelled[..3]);
            }
        }

        #[test]
        fn any_name_is_read_to_its_end(name in "[a-zA-ZäÄ0-9_.:-]{0,20}") {
            words_of(&name);
        }
    }
}
