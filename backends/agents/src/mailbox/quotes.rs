//! Whether the quotes of a verdict stand in what the judge was shown. The engine searches them again, in the reviewed blobs:
//! here the judge is only told in time.

use std::fs;
use std::path::{Component, Path};

use council_protocol::evidence::FileLines;
use council_protocol::quoted::{QuotedText, quoted_texts};
use council_protocol::{Answer, RepoPath};

/// The largest file that is read for it, in bytes: a larger one is not worth keeping a client waiting.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Characters of a quote or a line in a complaint.
const EXCERPT_CHARS: usize = 120;

/// What is said of each quote that stands neither in its file nor in the brief.
pub(super) fn lost_quotes(answer: &Answer, tree: Option<&Path>, brief: &str) -> Vec<String> {
    let shown = FileLines::of(&without_gutter(brief));
    let lost = quoted_texts(answer).into_iter().filter_map(|text| {
        let file = tree.and_then(|tree| read_lines(tree, &text.location.path));
        // A file that is not here (one that the change deletes, say) may still be shown in the brief.
        let sources = [file.as_ref(), Some(&shown)];
        let found = sources
            .iter()
            .flatten()
            .any(|lines| lines.prove(text.location.line, text.quote).resolves());
        (!found).then(|| complaint(&text, sources.into_iter().flatten().next()))
    });
    lost.collect()
}

fn complaint(text: &QuotedText<'_>, source: Option<&FileLines>) -> String {
    let (quote, path) = (excerpt(text.quote), text.location.path.display());
    let nearest = source.and_then(|lines| lines.nearest_line(text.location.line, text.quote));
    let nearest = match nearest {
        Some((_, line)) if !quote.is_empty() => format!("the nearest line is `{}`", excerpt(line)),
        _ => "quote the line that you mean".to_owned(),
    };
    format!(
        "{}: `{quote}` was not found in {path}; {nearest}. Copy the line as it is, or leave the entry out",
        text.field
    )
}

fn excerpt(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    flat.chars().take(EXCERPT_CHARS).collect()
}

/// A file of the reviewed tree; never one beside it.
fn read_lines(tree: &Path, path: &RepoPath) -> Option<FileLines> {
    let path = path.clone().without_dot();
    let plain = path.display();
    let relative = Path::new(&*plain);
    let is_inside = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let file = tree.join(relative);
    let known = fs::symlink_metadata(&file).ok()?;
    let is_readable = is_inside && known.is_file() && known.len() <= MAX_FILE_BYTES;
    let bytes = is_readable.then(|| fs::read(&file).ok()).flatten()?;
    Some(FileLines::of(&String::from_utf8_lossy(&bytes)))
}

/// The brief without the number and the marker before each line.
fn without_gutter(brief: &str) -> String {
    let plain = |line: &str| {
        let text = line
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit());
        let text = text.strip_prefix(' ').unwrap_or(text);
        text.strip_prefix(['+', '-']).unwrap_or(text).to_owned()
    };
    brief.lines().map(plain).collect::<Vec<_>>().join("\n")
}
