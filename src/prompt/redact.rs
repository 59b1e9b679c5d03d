//! What of a text leaves the machine: secrets replaced, characters that nobody sees written out.
//!
//! Line by line, so that a line shown in a brief and the same line of the reviewed file come out alike: quotes of judges
//! that read briefs are proved against text that went through here too.

use std::borrow::Cow;

use council_protocol::{Hunk, LineKind, Packet, RepoPath};
use council_secrets::{Redactor, has_joined_lines};

use super::hidden_values::HiddenValues;
use crate::text::mark_hidden;

/// A redactor that knows the secrets of a change by their value: those of both its sides, of the whole files that it
/// changes as far as `files` has them, of what the trusted side instructs, of what its authors say, and of a question.
/// It knows settings as well (`NAME=value`), whose values are secret whatever they look like.
pub(crate) fn redactor_knowing(
    rules: &Redactor,
    packet: &Packet,
    files: &[(RepoPath, Cow<'_, str>)],
    settings: &[String],
) -> Redactor {
    let names = packet.files.iter().filter_map(|file| {
        let old = file.old_path.as_ref().or(file.moved_from.as_ref())?;
        Some((file.path.display().into_owned(), old.display().into_owned()))
    });
    let rules = rules.renaming(names);
    let whole = files.iter();
    let whole = whole.map(|(path, text)| (Some(path.display()), text.lines().collect()));
    let files = packet.files.iter().flat_map(|file| {
        let path = file.path.display();
        let texts = file.hunks.iter().flat_map(hunk_texts);
        texts.map(move |lines| (Some(path.clone()), lines))
    });
    let instructions = packet.instructions.iter().map(|instruction| {
        let path = Some(instruction.path.display());
        (path, instruction.text.lines().collect())
    });
    let framing = &packet.framing;
    let words = [&packet.target.label, &framing.title, &framing.body];
    let messages = framing.commits.iter().map(|commit| &commit.message);
    let words = words.into_iter().chain(messages);
    let words = words.map(|text| (None, text.lines().collect()));
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let rules = rules.handing(settings.iter().copied());
    let settings = [(Some(Cow::Borrowed(".env")), settings)];
    let files = whole.chain(files);
    rules.knowing(files.chain(instructions).chain(words).chain(settings))
}

/// The lines of a hunk, as texts that secrets are searched in.
fn hunk_texts(hunk: &Hunk) -> Vec<Vec<&str>> {
    if !has_joined_lines(&hunk.body) {
        return vec![hunk.lines().map(|line| line.text).collect()];
    }
    // Each side by itself, so that the lines of a key follow each other.
    [LineKind::Added, LineKind::Removed]
        .map(|other| side_lines(hunk, other))
        .into()
}

fn side_lines(hunk: &Hunk, other: LineKind) -> Vec<&str> {
    let lines = hunk.lines().filter(|line| line.kind != other);
    lines.map(|line| line.text).collect()
}

/// The secrets on lines that a change adds, which are replaced before anybody reads them.
pub(crate) fn hidden_on_added(redactor: &Redactor, packet: &Packet) -> HiddenValues {
    let mut hidden = HiddenValues::default();
    for file in &packet.files {
        let path = file.path.display();
        for hunk in &file.hunks {
            let mut lines = redactor.lines(Some(&path));
            let mut added = HiddenValues::default();
            for line in hunk.lines().filter(|line| line.kind != LineKind::Removed) {
                let shown = lines.redact_line(line.text);
                if line.kind == LineKind::Added {
                    added.add_line(line.text, &shown.text);
                }
            }
            hidden.extend(&added);
        }
    }
    hidden
}

/// Text of the reviewed repository as judges that read briefs are shown it, and how many secrets were replaced.
///
/// A file whose name says that it holds secrets (`.env`, `*.pem`, `id_rsa`, …) shows the names of its settings but none of
/// its values. Redacting twice changes nothing more. Lines stay lines, so their numbers hold.
pub(crate) fn redact_source(
    redactor: &Redactor,
    path: Option<&RepoPath>,
    text: &str,
) -> (String, usize) {
    let path = path.map(RepoPath::display);
    let shown = redactor.redact_source(path.as_deref(), text);
    (
        mark_hidden(Cow::Owned(shown.text)).into_owned(),
        shown.secrets,
    )
}

/// The same text with the secrets that were replaced in it.
pub(super) fn redact_counting(
    redactor: &Redactor,
    path: Option<&RepoPath>,
    text: &str,
) -> (String, HiddenValues) {
    let path = path.map(RepoPath::display);
    let shown = redactor.redact_source(path.as_deref(), text);
    let values = HiddenValues::of_text(text, &shown.text);
    (mark_hidden(Cow::Owned(shown.text)).into_owned(), values)
}

/// Words of a judge or of a person, as other judges are shown them.
pub(crate) fn redact_words(redactor: &Redactor, text: &str) -> String {
    mark_hidden(Cow::Owned(redactor.redact_words(text).text)).into_owned()
}

/// Words beside the change, such as a message of history, as judges are shown them; `touched`: the files that they speak of.
pub(crate) fn redact_history(
    redactor: &Redactor,
    text: &str,
    touched: &[(String, String)],
) -> String {
    let shown = redactor.redact_history(text, touched);
    mark_hidden(Cow::Owned(shown.text)).into_owned()
}

/// Lines of a file as somebody quotes them, as other judges are shown them.
pub(super) fn redact_quote(redactor: &Redactor, path: &str, text: &str) -> String {
    mark_hidden(Cow::Owned(redactor.redact_quote(path, text).text)).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn redact(path: &str, text: &str) -> (String, usize) {
        redact_source(&Redactor::default(), Some(&path.into()), text)
    }

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        let text = "a\u{202e}b\u{e0041}\u{200b}c\u{1b}[0m\td\r👩\u{200d}💻\nx";
        let shown = "a<U+202E>b<U+E0041><U+200B>c<U+001B>[0m\td<U+000D>👩\u{200d}💻\nx";
        assert_eq!(redact("a.rs", text), (shown.to_owned(), 0));
    }

    /// Lines of keys, of settings and of neither.
    fn key_line() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(concat!("-----BEGIN ", "PRIVATE KEY-----").to_owned()),
            Just(concat!("-----END ", "PRIVATE KEY-----").to_owned()),
            Just("PuTTY-User-Key-File-3: x".to_owned()),
            "[A-Za-z0-9+/]{40,64}",
            "[A-Za-z0-9+/]{60,70}",
            "(password|token|api_key) ?[=:] ?[\"'][a-zA-Z0-9!]{14,20}[\"']",
            "[ -~]{0,40}",
        ]
    }

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ -~]{0,40}",
            "\\PC{0,10}",
            "(password|token|api_key) ?[=:] ?[\"'][a-zA-Z0-9\u{200b}!]{4,20}[\"']",
            "https://[a-z\u{200b}:]{0,8}@h",
            "[a-z\u{202e}]{4,20}=[a-z]{2}",
        ]
    }

    proptest! {
        #[test]
        fn a_hunk_that_is_read_once_teaches_what_its_two_sides_teach(
            lines in proptest::collection::vec((0..3usize, key_line()), 1..12),
        ) {
            let mark = |at: usize| [' ', '-', '+'][at];
            let body: String = lines.iter().map(|(at, text)| format!("{}{text}\n", mark(*at))).collect();
            let hunk = Hunk { old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, section: String::new(), body };
            let knowing = |texts: Vec<Vec<&str>>| {
                Redactor::default().knowing(texts.into_iter().map(|lines| (None, lines)))
            };
            let ours = knowing(hunk_texts(&hunk));
            let sides = knowing(vec![side_lines(&hunk, LineKind::Added), side_lines(&hunk, LineKind::Removed)]);
            for (_, text) in &lines {
                prop_assert_eq!(ours.redact_words(text), sides.redact_words(text));
            }
        }

        #[test]
        fn redacting_twice_is_redacting_once(lines in proptest::collection::vec(line(), 0..8)) {
            let text = lines.join("\n");
            for path in ["a.rs", ".env"] {
                let (once, _) = redact(path, &text);
                let (twice, count) = redact(path, &once);
                prop_assert_eq!(&once, &twice);
                prop_assert_eq!(count, 0);
                prop_assert_eq!(once.lines().count(), text.lines().count());
            }
        }
    }
}
