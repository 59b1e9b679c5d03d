//! Searching the reviewed tree, and listing its files.

use council_agents::tools::QueryBounds;
use council_protocol::RepoPath;
use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};

use super::file_view::FileView;
use super::result_text::{ResultText, count};
use super::{CodeLookup, Found, ShownNames};
use crate::git::map_parallel;
use crate::prompt::{redact_words, show_path};

/// The most lines that are shown, and of one file.
pub(super) const MAX_MATCHES: usize = 120;
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
        let glob = glob.map(|glob| self.compile_glob(glob)).transpose()?;
        let mut out = ResultText::within(bounds);
        let (mut matches, mut files, mut all) = (0, 0, 0);
        let is_meant = |path: &RepoPath| {
            glob.as_ref()
                .is_none_or(|glob| glob.fits(path, self.shown_names()))
        };
        let of_file = match self.is_one_file(glob.as_ref()) {
            true => MAX_MATCHES,
            false => MAX_MATCHES_OF_FILE,
        };
        let asks_for_marks = asks_for_marks(pattern);
        let mut last = 0;
        let look = |path: &RepoPath, text: &str| {
            if !asks_for_marks && !regex.is_match(text) {
                return None;
            }
            // A line counts as it is shown: no pattern tells anything of a secret that was taken out.
            let view = FileView::of_file(path, text, self.find_change(path), &self.redactor);
            let lines = (1..=view.last_line())
                .filter(|&number| view.line(number).is_some_and(|line| regex.is_match(line)));
            let runs: Vec<(u32, u32)> = lines.map(|line| (line, line)).collect();
            (!runs.is_empty()).then_some((view, runs))
        };
        let walk = self.walk_files(&is_meant, bounds.until, &look, |path, (view, mut runs)| {
            all += runs.len();
            runs.truncate(of_file.min(MAX_MATCHES - matches));
            last = runs.last().map_or(0, |(line, _)| *line);
            (matches, files) = (matches + runs.len(), files + 1);
            out.push_matches(path, &view, (&runs, &regex), &self.redactor);
            matches < MAX_MATCHES && !out.is_full
        });
        let mut note = format!(
            "{} in {}, {} searched",
            count(matches, "line"),
            count(files, "file"),
            count(walk.read, "file")
        );
        if all > matches {
            note += &format!("; {all} lines match there: narrow the search, ");
            note += &match of_file {
                MAX_MATCHES => format!("or `read_file` behind line {last}"),
                _ => format!(
                    "or name one file as its glob ({of_file} lines of each, {MAX_MATCHES} of one)"
                ),
            };
        }
        note += if matches >= MAX_MATCHES || out.is_full {
            ", and there may be more: narrow the search"
        } else if walk.is_cut {
            ", and time ran out before the whole tree was searched: narrow it by a glob"
        } else {
            ""
        };
        note += &walk.describe_unread();
        if let Some(glob) = glob.filter(|_| walk.read + walk.missing == 0 && !walk.is_cut) {
            note += &format!("; no file that is searched fits the glob `{}`", glob.asked);
        }
        Ok(out.finish(&note))
    }

    /// Whether a glob names one file and no pattern: then more of its lines are shown.
    fn is_one_file(&self, glob: Option<&MeantFiles>) -> bool {
        let Some(glob) = glob else {
            return false;
        };
        let plain = glob.asked.strip_prefix("**/").unwrap_or(&glob.asked);
        let files = self.tree().files.iter();
        let mut fitting = files.filter(|path| glob.fits(path, self.shown_names()));
        !plain.contains(['*', '?', '{']) && fitting.next().is_some() && fitting.next().is_none()
    }

    /// Files whose path fits.
    pub(super) fn list_files(
        &self,
        glob: Option<&str>,
        bounds: &QueryBounds,
    ) -> Result<Found, String> {
        let glob = glob.map(|glob| self.compile_glob(glob)).transpose()?;
        let is_meant = |path: &RepoPath| {
            glob.as_ref()
                .is_none_or(|glob| glob.fits(path, self.shown_names()))
        };
        let files = self.tree().files.iter();
        let meant: Vec<&RepoPath> = files.filter(|path| is_meant(path)).collect();
        let mut out = ResultText::within(bounds);
        let mut listed = 0;
        for path in meant.iter().take(MAX_LISTED) {
            out.push_line(&show_path(path, &self.redactor));
            listed += usize::from(!out.is_full);
        }
        let all = meant.len();
        let note = match all - listed {
            0 => count(all, "file"),
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

/// Whether a pattern may mean what stands for a secret or an invisible character, which only the shown line has.
fn asks_for_marks(pattern: &str) -> bool {
    let lower = pattern.to_lowercase();
    ["redact", "secret", "u+", "u\\+"]
        .iter()
        .any(|mark| lower.contains(mark))
}

/// Which files are meant.
struct MeantFiles {
    /// As it was asked for.
    asked: String,
    matcher: GlobMatcher,
    /// The same where brackets are letters of a name (`app/[id]/page.tsx`) and no class of letters.
    literal: Option<GlobMatcher>,
    /// The folder that it names, with a slash behind.
    folder: Option<String>,
}

impl MeantFiles {
    /// A glob without a slash is one of names, in any folder; the name of a folder means what lies in it.
    ///
    /// A name counts as it is shown: no pattern tells anything of a secret that was taken out of it.
    fn fits(&self, path: &RepoPath, shown: &ShownNames) -> bool {
        let text = match shown.get(path) {
            Some(shown) => shown.into(),
            None => path.display(),
        };
        let name = text.rsplit('/').next().unwrap_or_default();
        let is_meant = |matcher: &GlobMatcher| {
            let by_name = !matcher.glob().glob().contains('/');
            matcher.is_match(&*text) || by_name && matcher.is_match(name)
        };
        let is_inside = |folder: &String| text.starts_with(folder.as_str());
        is_meant(&self.matcher)
            || self.literal.as_ref().is_some_and(is_meant)
            || self.folder.as_ref().is_some_and(is_inside)
    }
}

/// What finds the files that a glob means.
fn build_glob(glob: &str) -> Result<GlobMatcher, String> {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    let built = built.map_err(|error| format!("the glob cannot be used: {error}"))?;
    Ok(built.compile_matcher())
}

/// What finds the files of a glob, and those that it means where brackets are letters of a name.
fn build_matchers(glob: &str) -> Result<(GlobMatcher, Option<GlobMatcher>), String> {
    let literal = with_literal_brackets(glob).and_then(|glob| build_glob(&glob).ok());
    // `app/[id` is no glob, and may be a name.
    let matcher = match (build_glob(glob), &literal) {
        (Err(_), Some(literal)) => literal.clone(),
        (built, _) => built?,
    };
    Ok((matcher, literal))
}

/// A glob whose brackets stand for themselves; none: it has none.
fn with_literal_brackets(glob: &str) -> Option<String> {
    let literal = |letter: char| match letter {
        '[' => "[[]".to_owned(),
        ']' => "[]]".to_owned(),
        other => other.to_string(),
    };
    glob.contains('[')
        .then(|| glob.chars().map(literal).collect())
}

impl CodeLookup {
    /// The files that are shown under another name than their own.
    fn shown_names(&self) -> &ShownNames {
        self.shown_names.get_or_init(|| {
            let mut files: Vec<&RepoPath> = self.tree().files.iter().collect();
            let shown = map_parallel(&mut files, &|path| {
                let shown = show_path(path, &self.redactor);
                (*shown != *path.display()).then(|| ((*path).clone(), shown))
            });
            shown.into_iter().flatten().collect()
        })
    }

    fn compile_glob(&self, asked: &str) -> Result<MeantFiles, String> {
        // Models write `./src/**` and `/src/**` for the same thing.
        let glob = asked.trim_start_matches("./").trim_start_matches('/');
        let (matcher, literal) = build_matchers(glob)?;
        let folder = format!("{}/", glob.trim_end_matches('/'));
        Ok(MeantFiles {
            asked: redact_words(&self.redactor, asked),
            matcher,
            literal,
            folder: self.has_folder(&folder).then_some(folder),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(glob: &str, path: &str) -> bool {
        fits_shown(glob, path, &ShownNames::new())
    }

    fn fits_shown(glob: &str, path: &str, shown: &ShownNames) -> bool {
        let (matcher, literal) = build_matchers(glob).unwrap();
        let meant = MeantFiles {
            asked: glob.to_owned(),
            matcher,
            literal,
            folder: None,
        };
        meant.fits(&path.into(), shown)
    }

    #[test]
    fn brackets_are_letters_of_a_name_and_a_class_of_letters() {
        for glob in [
            "app/[id]/page.tsx",
            "app/[id]/*",
            "app/**",
            "page.tsx",
            "**/[id]/**",
        ] {
            assert!(fits(glob, "app/[id]/page.tsx"), "{glob}");
        }
        assert!(fits("[ab].py", "a.py") && fits("[ab].py", "x/[ab].py"));
        assert!(!fits("[ab].py", "c.py") && !fits("app/[id]/*", "app/id/page.tsx"));
    }

    proptest::proptest! {
        #![proptest_config(crate::council::testing::config())]

        /// Whatever is asked for, a hit tells nothing of a secret that was taken out of a name.
        #[test]
        fn no_glob_tells_a_secret_of_a_name(
            one in "[a-c]{3}", other in "[a-c]{3}", glob in "[a-c*?{},\\[\\]!_.-]{1,10}",
        ) {
            proptest::prop_assume!(build_matchers(&glob).is_ok());
            let name = |secret: &str| format!("lib/f_{secret}.txt");
            let shown: ShownNames = [&one, &other]
                .map(|secret| (name(secret).as_str().into(), "lib/f_[redacted: secret].txt".to_owned()))
                .into();
            let hits = [&one, &other].map(|secret| fits_shown(&glob, &name(secret), &shown));
            proptest::prop_assert_eq!(hits[0], hits[1]);
        }

        /// The whole path of a file is a glob that means it.
        #[test]
        fn a_path_as_a_glob_means_its_file(names in proptest::collection::vec("[a-c.(-]{0,2}[\\[\\]a-c]{1,5}", 1..4)) {
            let path = names.join("/");
            proptest::prop_assert!(fits(&path, &path), "{}", path);
        }
    }
}
