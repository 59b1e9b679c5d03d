//! How an independent finding says that it relates to those of the other side.

use council_protocol::answer::Tag;

/// The three tags of independent findings.
pub(crate) const TAGS: [(&str, Tag); 3] = [
    ("same as other agent", Tag::Same),
    ("new finding", Tag::New),
    ("not reproduced / disagreed", Tag::NotReproduced),
];

/// Other spellings of the tags, in lower case.
const TAG_SPELLINGS: [(&str, Tag); 5] = [
    ("same as other agent", Tag::Same),
    ("not reproduced / disagreed", Tag::NotReproduced),
    ("not reproduced/disagreed", Tag::NotReproduced),
    ("not reproduced", Tag::NotReproduced),
    ("new finding", Tag::New),
];

/// What may stand around a tag.
const AROUND_TAG: [char; 13] = [
    ' ', '*', '_', '`', '[', ']', '(', ')', ':', ';', '—', '–', ',',
];

/// The tag in a text, wherever it stands, and the text without it.
pub(super) fn split_tag(text: &str) -> (Option<Tag>, String) {
    let lower = text.to_ascii_lowercase();
    let found = TAG_SPELLINGS.iter().find_map(|(word, tag)| {
        let at = lower.find(word)?;
        Some((at, at + word.len(), *tag))
    });
    let Some((from, to, tag)) = found else {
        return (None, text.to_owned());
    };
    let before = text[..from].trim_end_matches(AROUND_TAG);
    let after = text[to..].trim_start_matches(['*', '_', '`', ']', ')', ':', ';', ' ']);
    let joined = match (before.is_empty(), after.is_empty()) {
        (true, _) => after.to_owned(),
        (false, true) => before.to_owned(),
        (false, false) => format!("{before} {after}"),
    };
    (Some(tag), joined)
}
