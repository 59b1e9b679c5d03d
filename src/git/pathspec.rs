//! git's pathspecs: which of the changed files are meant.

use std::collections::BTreeSet;
use std::path::Path;

use council_protocol::{FileChange, RepoPath};
use globset::{Candidate, GlobBuilder, GlobMatcher};

use super::error::GitError;

/// A list of pathspecs; the empty one matches everything.
pub(super) struct PathspecList {
    specs: Vec<PathspecEntry>,
}

struct PathspecEntry {
    excluded: bool,
    pattern: PathPattern,
}

enum PathPattern {
    /// A file, or everything below a directory; empty for everything.
    Below { path: Vec<u8>, icase: bool },
    /// As git does, a name is first taken as it is written: `app/[id]/page.tsx` is a file of that name, too.
    Glob { literal: Vec<u8>, glob: GlobMatcher },
}

/// What pathspecs make of a change.
pub(super) struct LimitedFiles {
    /// The files that are meant.
    pub(super) files: Vec<FileChange>,
    /// Changed files that are not.
    pub(super) left_out: Vec<RepoPath>,
    /// Why no file is meant; none: some are.
    pub(super) nothing: Option<String>,
}

impl PathspecList {
    /// Reads pathspecs given in the directory `prefix` (`/`-separated, from the top, without a slash at the end) of the
    /// worktree `top`.
    pub(super) fn parse(
        specs: &[String],
        prefix: &str,
        top: Option<&Path>,
    ) -> Result<Self, GitError> {
        let specs = specs
            .iter()
            .map(|spec| PathspecEntry::parse(spec, prefix, top))
            .collect::<Result<_, _>>()?;
        Ok(Self { specs })
    }

    /// The files that are meant and those that are not. `equal` says why there are none where the whole change has none. Of
    /// `folders` nobody knows what lies in them.
    pub(super) fn limit_files(
        &self,
        files: Vec<FileChange>,
        folders: &BTreeSet<RepoPath>,
        equal: String,
    ) -> Result<LimitedFiles, GitError> {
        if files.is_empty() {
            return Ok(LimitedFiles {
                files,
                left_out: Vec::new(),
                nothing: Some(equal),
            });
        }
        let changed = files.len();
        let is_folder =
            |file: &FileChange| folders.contains(&file.path) && self.may_match_below(&file.path);
        let is_named = |file: &FileChange| {
            self.names(&file.path) || self.names(file.path_before()) || is_folder(file)
        };
        if !files.iter().any(is_named) {
            // A misspelt name must not come out as a change with nothing in it.
            return Err(GitError::NothingMatches { changed });
        }
        // A file that moved is meant by either of its names.
        let (files, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| {
            self.matches(&file.path) || self.matches(file.path_before()) || is_folder(file)
        });
        let none = || match changed {
            1 => "the only changed file does not match the pathspecs".to_owned(),
            _ => format!("none of the {changed} changed files matches the pathspecs"),
        };
        let nothing = files.is_empty().then(none);
        Ok(LimitedFiles {
            files,
            left_out: others.into_iter().map(|file| file.path).collect(),
            nothing,
        })
    }

    /// Whether a path is meant before the exclusions.
    fn names(&self, path: &RepoPath) -> bool {
        let mut named = self.specs.iter().filter(|spec| !spec.excluded).peekable();
        named.peek().is_none() || named.any(|spec| spec.pattern.matches(path))
    }

    pub(super) fn matches(&self, path: &RepoPath) -> bool {
        let any = |excluded| {
            let mut specs = self
                .specs
                .iter()
                .filter(move |spec| spec.excluded == excluded)
                .peekable();
            specs
                .peek()
                .is_some()
                .then(|| specs.any(|spec| spec.pattern.matches(path)))
        };
        any(false).unwrap_or(true) && !any(true).unwrap_or(false)
    }
}

/// Paths that pathspecs leave out by name: `:!secrets`.
#[derive(Default)]
pub struct ExcludedPaths(Vec<PathspecEntry>);

impl ExcludedPaths {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a path is left out.
    pub fn matches(&self, path: &RepoPath) -> bool {
        self.0.iter().any(|spec| spec.pattern.matches(path))
    }
}

impl PathspecList {
    /// What is left out by name.
    pub(super) fn into_excluded(self) -> ExcludedPaths {
        ExcludedPaths(
            self.specs
                .into_iter()
                .filter(|spec| spec.excluded)
                .collect(),
        )
    }

    /// Whether a path in this folder may be meant; what lies there is not known.
    pub(super) fn may_match_below(&self, folder: &RepoPath) -> bool {
        let mut excluded = self.specs.iter().filter(|spec| spec.excluded);
        let mut named = self.specs.iter().filter(|spec| !spec.excluded).peekable();
        let meant =
            named.peek().is_none() || named.any(|spec| spec.pattern.may_match_below(folder));
        meant && !excluded.any(|spec| spec.pattern.covers(folder))
    }
}

#[derive(Default)]
struct PathspecMagic {
    top: bool,
    excluded: bool,
    icase: bool,
    glob: bool,
    literal: bool,
}

impl PathspecEntry {
    fn parse(spec: &str, prefix: &str, top: Option<&Path>) -> Result<Self, GitError> {
        let refuse = |cause: String| GitError::Pathspec {
            spec: spec.to_owned(),
            cause,
        };
        let (magic, pattern) = PathspecMagic::parse_magic(spec).map_err(refuse)?;
        let inside = path_inside(pattern, top);
        let from_top = magic.top || inside.is_some();
        let prefix = if from_top { "" } else { prefix };
        let pattern = inside.as_deref().unwrap_or(pattern);
        if pattern.starts_with('/') && !magic.top {
            return Err(refuse("it leads out of the repository".to_owned()));
        }
        let plain = magic.literal || !pattern.contains(['*', '?', '[', '\\']);
        let outside = || refuse("it leads out of the repository".to_owned());
        let literal = join_paths(prefix, pattern).ok_or_else(outside)?;
        let pattern = if plain {
            PathPattern::Below {
                path: literal.into_bytes(),
                icase: magic.icase,
            }
        } else {
            let path = join_paths(&globset::escape(prefix), pattern).ok_or_else(outside)?;
            let glob = GlobBuilder::new(&translate_glob(&path, magic.glob))
                .literal_separator(magic.glob)
                .case_insensitive(magic.icase)
                .backslash_escape(true)
                .build();
            let glob = glob.map_err(|e| refuse(e.kind().to_string()))?;
            PathPattern::Glob {
                literal: literal.into_bytes(),
                glob: glob.compile_matcher(),
            }
        };
        Ok(Self {
            excluded: magic.excluded,
            pattern,
        })
    }
}

impl PathspecMagic {
    /// `:(word,word)pattern`, or `:` with the short signs `/`, `!` and `^`.
    fn parse_magic(spec: &str) -> Result<(Self, &str), String> {
        let mut magic = Self::default();
        let Some(rest) = spec.strip_prefix(':') else {
            return Ok((magic, spec));
        };
        let Some(rest) = rest.strip_prefix('(') else {
            let pattern = rest.trim_start_matches(['/', '!', '^']);
            let signs = &rest[..rest.len() - pattern.len()];
            magic.top = signs.contains('/');
            magic.excluded = signs.contains(['!', '^']);
            return Ok((magic, pattern.strip_prefix(':').unwrap_or(pattern)));
        };
        let (words, pattern) = rest.split_once(')').ok_or("a parenthesis is not closed")?;
        for word in words.split(',') {
            match word {
                "top" => magic.top = true,
                "exclude" => magic.excluded = true,
                "icase" => magic.icase = true,
                "glob" => magic.glob = true,
                "literal" => magic.literal = true,
                "" => {}
                word => return Err(format!("{word:?} is not supported")),
            }
        }
        Ok((magic, pattern))
    }
}

/// An absolute path inside of the worktree, from its top: tools such as lint-staged hand over absolute paths.
fn path_inside(pattern: &str, top: Option<&Path>) -> Option<String> {
    let (given, top) = (Path::new(pattern), top?);
    let canonical = top.canonicalize().ok();
    let tops = [Some(top), canonical.as_deref()].into_iter().flatten();
    let strip = |top: &Path| given.strip_prefix(top).ok();
    let inside = tops
        .filter(|_| given.is_absolute())
        .find_map(strip)?
        .to_str()?;
    // The top itself is everything.
    Some(inside.to_owned())
}

/// The pattern from the top; none when it leads out.
fn join_paths(prefix: &str, pattern: &str) -> Option<String> {
    let mut parts: Vec<&str> = prefix.split('/').filter(|part| !part.is_empty()).collect();
    for part in pattern.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// git's wildcards in globset's: no alternatives in braces, and `**` only with the word `glob`.
fn translate_glob(path: &str, glob: bool) -> String {
    let mut out = String::with_capacity(path.len() + 4);
    let mut escaped = false;
    for c in path.chars() {
        match c {
            '{' | '}' | ',' if !escaped => out.extend(['\\', c]),
            '*' if !glob && !escaped && out.ends_with('*') => {}
            c => out.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    out
}

impl PathPattern {
    fn matches(&self, path: &RepoPath) -> bool {
        match self {
            Self::Below {
                path: wanted,
                icase,
            } => is_below(path, wanted, *icase),
            Self::Glob { literal, glob } => {
                is_below(path, literal, false)
                    || glob.is_match_candidate(&Candidate::from_bytes(path.as_bytes()))
            }
        }
    }
}

impl PathPattern {
    fn may_match_below(&self, folder: &RepoPath) -> bool {
        match self {
            Self::Below { path, icase } => {
                is_below(folder, path, *icase)
                    || is_below(&RepoPath::new(path.as_slice()), folder.as_bytes(), *icase)
            }
            // As far as no wildcard stands, one must lead to the other.
            Self::Glob { literal, .. } => {
                let ends = literal.iter().position(|byte| b"*?[\\".contains(byte));
                let plain = &literal[..ends.unwrap_or(literal.len())];
                let folder = folder.as_bytes();
                let shared = plain.len().min(folder.len());
                plain[..shared].eq_ignore_ascii_case(&folder[..shared])
            }
        }
    }

    /// Whether everything in this folder is meant.
    fn covers(&self, folder: &RepoPath) -> bool {
        match self {
            Self::Below { path, icase } => is_below(folder, path, *icase),
            Self::Glob { literal, .. } => is_below(folder, literal, false),
        }
    }
}

/// Whether a path is `wanted`, or stands below it.
fn is_below(path: &RepoPath, wanted: &[u8], icase: bool) -> bool {
    let path = path.as_bytes();
    let equal = |head: &[u8]| {
        if icase {
            head.eq_ignore_ascii_case(wanted)
        } else {
            head == wanted
        }
    };
    let ends = wanted.is_empty() || matches!(path.get(wanted.len()), None | Some(b'/'));
    ends && path.get(..wanted.len()).is_some_and(equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(specs: &[&str], prefix: &str) -> Vec<&'static str> {
        const PATHS: [&str; 6] = [
            "Makefile",
            "src/a.rs",
            "src/sub/b.rs",
            "src/sub/c{1}.py",
            "srcs/d.rs",
            "docs/x y.md",
        ];
        let specs: Vec<_> = specs.iter().map(ToString::to_string).collect();
        let specs = PathspecList::parse(&specs, prefix, None).unwrap();
        PATHS
            .into_iter()
            .filter(|path| specs.matches(&RepoPath::from(*path)))
            .collect()
    }

    #[test]
    fn files_directories_and_wildcards() {
        assert_eq!(
            matching(&["src"], ""),
            ["src/a.rs", "src/sub/b.rs", "src/sub/c{1}.py"]
        );
        assert_eq!(
            matching(&["src/a.rs", "Makefile"], ""),
            ["Makefile", "src/a.rs"]
        );
        assert_eq!(matching(&["src/*.rs"], ""), ["src/a.rs", "src/sub/b.rs"]);
        assert_eq!(matching(&["*.rs"], "src"), ["src/a.rs", "src/sub/b.rs"]);
        assert_eq!(matching(&[":(glob)src/*.rs"], ""), ["src/a.rs"]);
        assert_eq!(
            matching(&[":(glob)**/*.rs"], ""),
            ["src/a.rs", "src/sub/b.rs", "srcs/d.rs"]
        );
        assert_eq!(matching(&["*{1}*"], ""), ["src/sub/c{1}.py"]);
        assert_eq!(matching(&[], "").len(), 6);
    }

    #[test]
    fn magic_words_and_signs() {
        assert_eq!(
            matching(&[":!src"], ""),
            ["Makefile", "srcs/d.rs", "docs/x y.md"]
        );
        assert_eq!(matching(&["src", ":(exclude)src/sub"], ""), ["src/a.rs"]);
        assert_eq!(matching(&[":/Makefile"], "src"), ["Makefile"]);
        assert_eq!(
            matching(&["../Makefile", "./a.rs"], "src"),
            ["Makefile", "src/a.rs"]
        );
        assert_eq!(matching(&[":(icase)MAKEFILE"], ""), ["Makefile"]);
        assert_eq!(matching(&[":(literal)*.rs"], ""), Vec::<&str>::new());
        assert_eq!(
            matching(&["."], "src/sub"),
            ["src/sub/b.rs", "src/sub/c{1}.py"]
        );
    }

    #[test]
    fn a_name_with_wildcards_in_it_is_first_taken_as_it_is_written() {
        let matches = |spec: &str, path: &str| {
            let specs = PathspecList::parse(&[spec.to_owned()], "", None).unwrap();
            specs.matches(&RepoPath::from(path))
        };
        assert!(matches("app/[id]/page.tsx", "app/[id]/page.tsx"));
        assert!(matches("app/[id]", "app/[id]/page.tsx"));
        assert!(
            matches("app/[id]/page.tsx", "app/d/page.tsx"),
            "as a wildcard"
        );
        assert!(!matches(":!app/[id]", "app/[id]/page.tsx"));
        assert!(!matches("app/[id]", "app/x/page.tsx"));
    }

    #[test]
    fn an_absolute_path_is_one_from_the_top_of_the_worktree() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        let parse = |spec: &str| PathspecList::parse(&[spec.to_owned()], "src", Some(top));
        let file = top.join("docs/a.md");
        let specs = parse(file.to_str().unwrap()).unwrap();
        assert!(specs.matches(&RepoPath::from("docs/a.md")));
        assert!(!specs.matches(&RepoPath::from("src/docs/a.md")));
        let all = parse(top.to_str().unwrap()).unwrap();
        assert!(all.matches(&RepoPath::from("docs/a.md")));
        assert!(parse("/elsewhere/a.md").is_err());
    }

    #[test]
    fn what_cannot_be_understood_is_said() {
        let refused = |spec: &str| {
            PathspecList::parse(&[spec.to_owned()], "", None)
                .err()
                .unwrap()
                .to_string()
        };
        assert_eq!(
            refused(":(attr:x)a"),
            "pathspec \":(attr:x)a\": \"attr:x\" is not supported"
        );
        assert_eq!(
            refused("../a"),
            "pathspec \"../a\": it leads out of the repository"
        );
        assert!(refused("[a").contains("pathspec \"[a\""));
        assert!(refused(":(top").contains("not closed"));
    }
}
