//! Lines whose secrets other lines of their file give away: a heading far above, a key, an element. Where a change
//! shows such a line, what stood around it may be missing.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::redactor::SecretSpan;

/// The most bytes of lines that are kept: a file that is one heap of secrets must not fill the memory.
const MAX_BYTES: usize = 1 << 20;

/// Where the secrets of a line stand, each with its kind.
type KnownPlaces = Vec<(Arc<str>, Range<usize>)>;

/// The lines of one file, each with its secrets.
pub(crate) type FileLines = HashMap<String, KnownPlaces>;

/// The lines of files, by the paths of the files.
#[derive(Debug, Default)]
pub(crate) struct KnownLines {
    files: HashMap<String, FileLines>,
    bytes: usize,
}

impl KnownLines {
    /// Keeps the secrets of a line of a file.
    pub(crate) fn insert(&mut self, path: &str, line: &str, spans: &[SecretSpan<'_>]) {
        if spans.is_empty() || self.bytes + line.len() > MAX_BYTES {
            return;
        }
        let lines = match self.files.get_mut(path) {
            Some(lines) => lines,
            None => self.files.entry(path.to_owned()).or_default(),
        };
        let line = without_end(line);
        if !lines.contains_key(line) {
            self.bytes += line.len();
        }
        let places = lines.entry(line.to_owned()).or_default();
        for span in spans {
            // Each side of the change brings the line.
            if places.iter().all(|(_, range)| *range != span.range) {
                places.push((span.kind.into(), span.range.clone()));
            }
        }
    }

    /// All that is kept, in its order.
    #[cfg(test)]
    pub(crate) fn told(&self) -> String {
        let files = self.files.iter();
        let files: std::collections::BTreeMap<_, std::collections::BTreeMap<_, _>> = files
            .map(|(path, lines)| (path, lines.iter().collect()))
            .collect();
        format!("{files:?}")
    }

    /// The lines of a file.
    pub(crate) fn of_file(&self, path: &str) -> Option<&FileLines> {
        self.files.get(path)
    }
}

/// What is known of a line.
pub(crate) fn find_line<'k>(lines: &'k FileLines, line: &str, spans: &mut Vec<SecretSpan<'k>>) {
    let places = lines.get(without_end(line)).into_iter().flatten();
    spans.extend(places.map(|(kind, range)| SecretSpan::of_known(kind, range.clone())));
}

/// A line of a hunk has the first sign of its end where that is of two, and one of a file has none.
fn without_end(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}
