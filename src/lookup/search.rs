//! Searching the reviewed tree, and listing its files.

use council_agents::tools::QueryBounds;
use council_protocol::RepoPath;
use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};

use super::file_view::FileView;
use super::result_text::ResultText;
use super::{CodeLookup, Found};
use crate::prompt::show_path;

/// The most lines that are shown, and of one file.
const MAX_MATCHES: usize = 120;
const MAX_MATCHES_OF_FILE: usize = 20;

/// The most files that are listed.
const MAX_LISTED: usize = 400;

/// The largest program that a pattern may become, in bytes: a repetition of repetitions is refused, not compiled.
const MAX_REGEX_BYTES: usize = 1 << 20;

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
        let look = |path: &RepoPath, text: &str| {
            if !regex.is_match(text) {
                return None;
            }
            // A line counts as it is shown: no pattern tells anything of a secret that was taken out.
            let view = FileView::of_file(path, text, self.find_change(path), &self.redactor);
            let lines = (1..=view.last_line())
                .filter(|&number| view.line(number).is_some_and(|line| regex.is_match(line)));
            let lines = lines.take(MAX_MATCHES_OF_FILE).map(|line| (line, line));
            let runs: Vec<(u32, u32)> = lines.collect();
            (!runs.is_empty()).then_some((view, runs))
        };
        let walk = self.walk_files(&is_meant, bounds.until, &look, |path, (view, mut runs)| {
            runs.truncate(MAX_MATCHES - matches);
            (matches, files) = (matches + runs.len(), files + 1);
            out.push_file(path, &view, &runs, &self.redactor);
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
