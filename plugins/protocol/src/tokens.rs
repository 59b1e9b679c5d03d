//! How many tokens a text has where nobody has counted them.

/// Bytes of prose that one token stands for.
pub(crate) const TOKEN_BYTES: u64 = 4;

/// The bytes of a text, or as many as its tokens stand for: numbers, hashes, minified code and Chinese have more of them than
/// prose has. Most tokenizers make a quarter more of a text than the least.
pub fn weighed_bytes(text: &str) -> u64 {
    weigh_bytes(text.len() as u64, min_tokens(text))
}

/// The same of so many bytes, of which no tokenizer makes fewer than `least` tokens.
pub fn weigh_bytes(bytes: u64, least: u64) -> u64 {
    bytes.max((least + least / 4) * TOKEN_BYTES)
}

/// At least so many tokens does any tokenizer in use make of a text: each splits where letters, digits and marks meet, but
/// may take one mark to the letters behind it, and takes the end of a line to the marks before it at most. Chinese, Japanese
/// and Korean are written without blanks: no tokenizer in use makes less than two tokens of five of their characters, and
/// some join more now and then, so a quarter of these is given away. Measured over code and prose, o200k makes hardly
/// more of a text than this (2 to 25 %), Llama 2 and Gemma up to twice as much.
pub fn min_tokens(text: &str) -> u64 {
    let mut parts = PartCount::default();
    let mut unspaced = 0_u64;
    for c in text.chars() {
        unspaced += u64::from(is_unspaced(c));
        parts.add(c);
    }
    // A sixteenth is left for tokenizers that nobody here has measured.
    let spaced = parts.count - parts.count / 16;
    spaced.max((unspaced * 2 / 5) * 3 / 4)
}

/// Counts the parts of a text that no tokenizer puts together.
struct PartCount {
    count: u64,
    last: CharClass,
    /// Characters of the last class so far.
    length: usize,
    /// What stands before the blanks that were read last.
    before_blanks: CharClass,
    /// Whether those blanks hold the end of a line, and how many stand behind it.
    indent: Option<usize>,
}

impl Default for PartCount {
    fn default() -> Self {
        Self {
            count: 0,
            last: CharClass::Blank,
            length: 0,
            before_blanks: CharClass::Mark,
            indent: None,
        }
    }
}

impl PartCount {
    fn add(&mut self, c: char) {
        let class = CharClass::of(c);
        match (self.last, class) {
            (CharClass::Blank, CharClass::Blank) => self.add_blank(c),
            (before, CharClass::Blank) => {
                (self.before_blanks, self.indent) = (before, None);
                self.add_blank(c);
            }
            (CharClass::Blank, _) => self.begin_after_blanks(class),
            // One mark goes to the letters behind it: `.name`.
            (CharClass::Mark, CharClass::Letter) if self.length == 1 => {}
            (CharClass::Other, CharClass::Letter | CharClass::Mark) => {}
            (CharClass::Letter | CharClass::Mark, CharClass::Other) => {}
            (last, class) => self.count += u64::from(last != class),
        }
        self.length = if class == self.last {
            self.length + 1
        } else {
            1
        };
        self.last = class;
    }

    fn add_blank(&mut self, c: char) {
        self.indent = match self.indent {
            _ if matches!(c, '\n' | '\r') => Some(0),
            indent => indent.map(|blanks| blanks + 1),
        };
    }

    /// The end of a line is a part of its own unless it goes to the marks before it; so is an indentation, but for its last
    /// blank. o200k takes slashes behind the end of a line to the marks before it, too.
    fn begin_after_blanks(&mut self, class: CharClass) {
        let is_mark = |class| matches!(class, CharClass::Mark | CharClass::Other);
        let follows_mark = is_mark(self.before_blanks);
        let is_joined = follows_mark && self.indent == Some(0) && is_mark(class);
        let is_apart = self
            .indent
            .is_some_and(|blanks| !follows_mark || blanks > 1);
        self.count += u64::from(!is_joined) + u64::from(is_apart);
    }
}

/// Whether a character is of a script in which words are not set apart.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{3ffff}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Blank,
    Letter,
    Digit,
    Mark,
    /// Signs of other scripts: some are parts of words (a virama, an accent), some are marks.
    Other,
}

impl CharClass {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_whitespace() => Self::Blank,
            _ if c.is_numeric() => Self::Digit,
            _ if c.is_ascii_punctuation() || c.is_control() => Self::Mark,
            // Latin, Greek and Cyrillic; what is a letter of other scripts depends on who is asked.
            _ if c.is_alphabetic() && c < '\u{530}' => Self::Letter,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::price::estimate_tokens;

    proptest! {
        /// Law: what is reserved for a prompt is never less than what any server has to count of it.
        #[test]
        fn no_prompt_has_more_tokens_at_least_than_are_reserved(text in "[a-f0-9,;.= \u{4e00}-\u{4e20}\n]{0,400}") {
            prop_assert!(estimate_tokens(weighed_bytes(&text)) >= min_tokens(&text));
        }

        /// What a text weighs pays for the least number of its tokens, is never less than its bytes, and texts weigh no more
        /// together than apart but for what may be one token at the seam.
        #[test]
        fn a_text_weighs_what_its_tokens_cost(text in ".{0,200}", more in "[0-9a-f ,\\n]{0,200}") {
            let weight = weighed_bytes(&text);
            prop_assert!(weight >= text.len() as u64);
            prop_assert!(weight.div_ceil(TOKEN_BYTES) >= min_tokens(&text));
            let both = weighed_bytes(&format!("{text}{more}"));
            prop_assert!(both <= weight + weighed_bytes(&more) + 4 * TOKEN_BYTES, "{both}");
        }
    }

    #[test]
    fn prose_weighs_its_bytes_and_numbers_more() {
        let prose = "Whoever consents to a sum consents to all turns. ".repeat(20);
        assert_eq!(weighed_bytes(&prose), prose.len() as u64);
        let numbers = "1,2;3,4;5,6;7,8;".repeat(60);
        assert!(weighed_bytes(&numbers) > numbers.len() as u64 * 3 / 2);
    }
}
