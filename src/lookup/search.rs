//! Searching the reviewed tree, and listing its files.

use std::time::Instant;

use council_agents::tools::QueryBounds;
use council_protocol::{RepoPath, Side};
use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};

use super::file_view::FileView;
use super::result_text::ResultText;
use super::{CodeLookup, Found, is_binary};
use crate::prompt::show_path;

/// The largest file that is searched: what is larger is data.
const MAX_SEARCHED_BYTES: usize = 1 << 20;

/// The most lines that are shown, and of one file.
const MAX_MATCHES: usize = 120;
const MAX_MATCHES_OF_FILE: usize = 20;

/// The most files that are listed.
const MAX_LISTED: usize = 400;

/// The largest program that a pattern may become, in bytes: a repetition of repetitions is refused, not compiled.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// What a walk over files came to.
#[derive(Default)]
pub(super) struct FileWalk {
    pub(super) read: usize,
    /// Whether time ran out before all files were read.
    pub(super) is_cut: bool,
}

impl CodeLookup {
    /// Lines that a pattern matches, in the files nearest to the change first.
    pub(super) fn search_tree(
        &self,
        pattern: &str,
        glob: Option<&str>,
        bounds: &QueryBounds,
    ) -> Result<Found, String> {
        let regex = compile_regex(pattern)?;
        let glob = glob.map(compile_glob).transpose()?;
        let mut out = ResultText::within(bounds);
        let (mut matches, mut files) = (0, 0);
        let is_meant = |path: &RepoPath| glob.as_ref().is_none_or(|glob| fits(glob, path));
        let walk = self.walk_files(&is_meant, bounds.until, |path, text| {
            if !regex.is_match(text) {
                return true;
            }
            // A line counts as it is shown: no pattern tells anything of a secret that was taken out.
            let view = FileView::of_file(path, text, self.find_change(path), &self.redactor);
            let lines = (1..=view.last_line())
                .filter(|&number| view.line(number).is_some_and(|line| regex.is_match(line)));
            let most = MAX_MATCHES_OF_FILE.min(MAX_MATCHES - matches);
            let runs: Vec<(u32, u32)> = lines.take(most).map(|line| (line, line)).collect();
            if !runs.is_empty() {
                (matches, files) = (matches + runs.len(), files + 1);
                out.push_file(path, &view, &runs, &self.redactor);
            }
            matches < MAX_MATCHES && !out.is_full
        });
        let more = if matches >= MAX_MATCHES || out.is_full {
            ", and there may be more: narrow the search"
        } else if walk.is_cut {
            ", and time ran out before the whole tree was searched: narrow it by a glob"
        } else {
            ""
        };
        let read = walk.read;
        Ok(out.finish(&format!(
            "{matches} lines in {files} files, {read} files searched{more}"
        )))
    }

    /// Reads the text of every file that is meant, the nearest to the change first, until `visit` has enough.
    pub(super) fn walk_files(
        &self,
        is_meant: &dyn Fn(&RepoPath) -> bool,
        until: Instant,
        mut visit: impl FnMut(&RepoPath, &str) -> bool,
    ) -> FileWalk {
        let mut walk = FileWalk::default();
        for path in self.tree().files.iter().filter(|path| is_meant(path)) {
            if Instant::now() >= until {
                walk.is_cut = true;
                break;
            }
            let Ok(Some(bytes)) = self.blobs.read(Side::New, path) else {
                continue;
            };
            walk.read += 1;
            if bytes.len() > MAX_SEARCHED_BYTES || is_binary(&bytes) {
                continue;
            }
            if !visit(path, &String::from_utf8_lossy(&bytes)) {
                break;
            }
        }
        walk
    }

    /// Files whose path fits.
    pub(super) fn list_files(
        &self,
        glob: Option<&str>,
        bounds: &QueryBounds,
    ) -> Result<Found, String> {
        let glob = glob.map(compile_glob).transpose()?;
        let meant: Vec<&RepoPath> = self
            .tree()
            .files
            .iter()
            .filter(|path| glob.as_ref().is_none_or(|glob| fits(glob, path)))
            .collect();
        let mut out = ResultText::within(bounds);
        let mut listed = 0;
        for path in meant.iter().take(MAX_LISTED) {
            out.push_line(&show_path(path, &self.redactor));
            listed += usize::from(!out.is_full);
        }
        let all = meant.len();
        let note = match all - listed {
            0 => format!("{all} files"),
            _ => format!("{listed} of {all} files, the nearest to the change: narrow the glob"),
        };
        Ok(out.finish(&note))
    }
}

/// Patterns run line by line, in time that grows with the text alone.
pub(super) fn compile_regex(pattern: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(pattern)
        .multi_line(true)
        .crlf(true)
        .size_limit(MAX_REGEX_BYTES)
        .dfa_size_limit(MAX_REGEX_BYTES)
        .build();
    built.map_err(|error| format!("the regular expression cannot be used: {error}"))
}

fn compile_glob(glob: &str) -> Result<GlobMatcher, String> {
    // Models write `./src/**` and `/src/**` for the same thing.
    let glob = glob.trim_start_matches("./").trim_start_matches('/');
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    let matcher = built.map_err(|error| format!("the glob cannot be used: {error}"))?;
    Ok(matcher.compile_matcher())
}

/// A glob without a slash is one of names, in any folder.
fn fits(glob: &GlobMatcher, path: &RepoPath) -> bool {
    let by_name = !glob.glob().glob().contains('/');
    let text = path.display();
    glob.is_match(&*text) || (by_name && glob.is_match(&*String::from_utf8_lossy(path.file_name())))
}
