//! Whether a text reads like words: what somebody wrote has the pairs of letters of words, what was drawn has any.

use std::sync::LazyLock;

use crate::code_name::{is_code_name, names_standard};

/// The eighty most frequent pairs of letters in English, of which names in code are made. Of drawn pairs every eighth is
/// one: with more rows drawn values would pass for words, with fewer words would pass for drawn.
const PAIRS: &str = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le \
                     ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec \
                     pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie ";

/// Which pairs of letters are among these: it is asked of every value that may be a password.
static FREQUENT: LazyLock<[bool; 26 * 26]> = LazyLock::new(|| {
    let mut frequent = [false; 26 * 26];
    let pairs = PAIRS.split_ascii_whitespace();
    pairs.for_each(|pair| frequent[place_of_pair(pair.as_bytes())] = true);
    frequent
});

/// The number of a pair of letters, in small or capital ones.
fn place_of_pair(pair: &[u8]) -> usize {
    let nth = |letter: u8| usize::from(letter.to_ascii_lowercase() - b'a');
    nth(pair[0]) * 26 + nth(pair[1])
}

/// Whether a text reads like words, or is a name that is made of them.
pub(crate) fn reads_like_words(text: &str) -> bool {
    has_pairs_of_words(text) || is_code_name(text) || names_standard(text)
}

/// Whether the pairs of a text's letters are those of words. What has the form of words needs fewer frequent pairs than
/// what has digits within.
fn has_pairs_of_words(text: &str) -> bool {
    let (all, frequent) = count_pairs(text);
    if has_form_of_words(text) {
        return all >= 2 && frequent * 4 >= all;
    }
    let digits = text
        .as_bytes()
        .chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit());
    let numbers = digits.filter(|run| run[0].is_ascii_digit()).count();
    all >= 6 && frequent * 2 >= all && numbers <= 2
}

/// How many pairs of letters stand side by side in a text, and how many of them are frequent.
fn count_pairs(text: &str) -> (usize, usize) {
    let pairs = text.as_bytes().windows(2);
    let pairs = pairs.filter(|pair| pair.iter().all(u8::is_ascii_alphabetic));
    let is_frequent = |pair: &[u8]| FREQUENT[place_of_pair(pair)];
    pairs.fold((0, 0), |(all, frequent), pair| {
        (all + 1, frequent + usize::from(is_frequent(pair)))
    })
}

/// `shadow-map-2`, `refreshToken`, `LBRACE2`: words of letters, each with two digits behind it at most.
pub(crate) fn has_form_of_words(text: &str) -> bool {
    let parts = text.split(['-', '_', '.', ':', '/', ',', '|']);
    let mut parts = parts.filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(is_word)
}

/// Whether a part is a number of a version, or letters of one case, or of words with a capital each.
fn is_word(part: &str) -> bool {
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = part.len() - letters.len();
    if letters.is_empty() {
        return digits <= 4;
    }
    let is_upper = |b: &&u8| b.is_ascii_uppercase();
    let ends = |a: &u8, b: &u8| a.is_ascii_lowercase() && b.is_ascii_uppercase();
    let mut humps = letters.as_bytes().chunk_by(|a, b| !ends(a, b));
    let is_hump = |hump: &[u8]| {
        let upper = hump.iter().filter(is_upper).count();
        upper == 0 || upper == hump.len() || (upper == 1 && hump.len() >= 3)
    };
    digits <= 2 && letters.bytes().all(|b| b.is_ascii_alphabetic()) && humps.all(is_hump)
}

/// The words of a name in whatever style of case, in small letters: `dbPassword2` is `db`, `password`.
pub(crate) fn words_of_name(name: &str) -> Vec<String> {
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let runs = name.split(|c| !is_letter(c)).filter(|run| !run.is_empty());
    let mut words = Vec::new();
    for run in runs {
        let bytes = run.as_bytes();
        let mut start = 0;
        for at in 1..=bytes.len() {
            let is_end = at == bytes.len() || begins_word(bytes, at);
            if is_end {
                words.push(run[start..at].to_ascii_lowercase());
                start = at;
            }
        }
    }
    words
}

/// `dbPassword` and `HTTPServer` have a word that begins at the `P` and at the `S`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let is_capital = bytes[at].is_ascii_uppercase();
    let is_behind_small = bytes[at - 1].is_ascii_lowercase();
    let is_before_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    is_capital && (is_behind_small || is_before_small)
}
