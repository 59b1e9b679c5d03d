//! Values that files beside a change hold: nothing of the change tells them, and words of its history may repeat them.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use crate::known::{KnownValues, MIN_ANYWHERE};
use crate::redactor::{RedactedText, Redactor, SecretSpan};
use crate::replaced::push_redacted;

/// Values that are learnt when somebody first asks for them.
pub(crate) type ValuesBeside = LazyLock<KnownValues, Box<dyn FnOnce() -> KnownValues + Send>>;

/// Files as texts, by their paths.
pub type FileTexts = Vec<(String, String)>;

impl Redactor {
    /// The same, which reads these files when words of history are first redacted: a review that shows none reads none.
    pub fn learning(&self, read: impl FnOnce() -> FileTexts + Send + 'static) -> Self {
        let reader = self.clone();
        let learn = move || reader.values_of_files(&read());
        let mut more = self.clone();
        more.beside = Some(Arc::new(LazyLock::new(Box::new(learn))));
        more
    }

    /// What was said beside the change, such as the message of an earlier commit: as other words, and without the values of
    /// files beside the change. `touched`: the files that it speaks of.
    pub fn redact_history(&self, text: &str, touched: &[(String, String)]) -> RedactedText {
        let mut words = self.redact_words(text);
        let of_touched = self.values_of_files(touched);
        let mut out = String::with_capacity(words.text.len());
        for line in words.text.split_inclusive('\n') {
            let mut spans = self.find_beside(line);
            of_touched.find(line, &mut spans);
            words.secrets += push_redacted(&mut out, line, spans);
        }
        words.text = out;
        words
    }

    fn values_of_files(&self, files: &[(String, String)]) -> KnownValues {
        let lines = files.iter();
        self.values_of(lines.map(|(path, text)| (Some(Cow::Borrowed(path.as_str())), text.lines())))
    }

    /// Where a line repeats a value of any file of the tree. In one of them an everyday word is somebody's password, and no
    /// message could use that word any more.
    fn find_beside(&self, line: &str) -> Vec<SecretSpan<'_>> {
        let mut spans = Vec::new();
        if let Some(beside) = &self.beside {
            beside.find(line, &mut spans);
        }
        spans.retain(|span| !may_be_any_word(&line[span.range.clone()]));
        spans
    }
}

/// Whether a value may stand in any text and mean nothing: short, and of letters alone or of digits alone.
fn may_be_any_word(value: &str) -> bool {
    let is_all = |class: fn(char) -> bool| value.chars().all(class);
    value.len() < MIN_ANYWHERE && (is_all(char::is_alphabetic) || is_all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn file(path: &str, text: &str) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn files_beside_a_change_are_read_once_and_only_for_history() {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let redactor = Redactor::default().learning(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            vec![file("settings.py", "password = \"hunter2-Xy9!kk\"\n")]
        });
        let said = "the server expects hunter2-Xy9!kk.";
        assert_eq!(redactor.redact_words(said).text, said);
        assert_eq!(count.load(Ordering::Relaxed), 0);
        for _ in 0..2 {
            let shown = redactor.clone().redact_history(said, &[]);
            assert_eq!(shown.text, "the server expects [redacted: secret].");
            assert_eq!(shown.secrets, 1);
        }
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn an_everyday_word_is_hidden_only_where_the_message_is_about_its_file() {
        let tree = || {
            vec![file(
                "src/login.py",
                "URL = \"postgres://app:swordfish@db/prod\"\n",
            )]
        };
        let redactor = Redactor::default().learning(tree);
        let said = "Draw a swordfish";
        assert_eq!(redactor.redact_history(said, &[]).text, said);
        let shown = redactor.redact_history(said, &tree()).text;
        assert_eq!(shown, "Draw a [redacted: url-password]");
    }
}
