//! Which changed files are left out: built-in globs, then those of trusted configuration, in gitignore syntax.

use std::path::{Path, PathBuf};

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::coverage::LEFT_OUT_BY_USER as CONFIGURED;
use council_protocol::{FileChange, RepoPath};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The built-in globs by what they mean. Vendored folders are anchored: `app/vendor/` may be somebody's own code.
const BUILT_IN: &[(&str, &[&str])] = &[
    (
        LOCKFILE,
        &[
            "Cargo.lock",
            "package-lock.json",
            "npm-shrinkwrap.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "bun.lock",
            "bun.lockb",
            "deno.lock",
            "poetry.lock",
            "Pipfile.lock",
            "uv.lock",
            "pdm.lock",
            "Gemfile.lock",
            "composer.lock",
            "go.sum",
            "go.work.sum",
            "mix.lock",
            "pubspec.lock",
            "Podfile.lock",
            "Package.resolved",
            "packages.lock.json",
            "gradle.lockfile",
            "flake.lock",
            "MODULE.bazel.lock",
            ".terraform.lock.hcl",
            "Chart.lock",
        ],
    ),
    (
        MINIFIED,
        &[
            "*.min.js",
            "*.min.mjs",
            "*.min.cjs",
            "*.min.css",
            "*.js.map",
            "*.css.map",
        ],
    ),
    (
        VENDORED,
        &[
            "/vendor/",
            "/third_party/",
            "/Pods/",
            "/.yarn/cache/",
            "/.yarn/unplugged/",
            "node_modules/",
            "bower_components/",
        ],
    ),
    (
        GENERATED,
        &[
            "*.pb.go",
            "*.pb.cc",
            "*.pb.h",
            "*.pb.swift",
            "*_pb2.py",
            "*_pb2.pyi",
            "*_pb2_grpc.py",
            "*.g.dart",
            "*.freezed.dart",
            "*.g.cs",
            "zz_generated.*",
            "__generated__/",
        ],
    ),
];

const LOCKFILE: &str = "lockfile";
const MINIFIED: &str = "minified";
const VENDORED: &str = "vendored";
const GENERATED: &str = "generated";

/// The globs by which files are left out. The last one that matches decides, so configuration can take back a built-in
/// one: `!Cargo.lock`.
#[derive(Debug, Clone)]
pub struct IgnoreGlobs(Gitignore);

/// A glob that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("ignore glob {glob:?} cannot be used: {cause}; it follows the syntax of .gitignore")]
pub struct GlobError {
    pub glob: String,
    /// What is wrong with it.
    pub cause: String,
}

impl Default for IgnoreGlobs {
    fn default() -> Self {
        // The built-in globs alone are valid: a test builds them.
        Self::new(&[]).unwrap_or_else(|_| Self(Gitignore::empty()))
    }
}

impl IgnoreGlobs {
    /// The built-in globs, then `lines` of trusted configuration, each a line of a .gitignore (negations included).
    pub fn new(lines: &[String]) -> Result<Self, GlobError> {
        let mut builder = GitignoreBuilder::new("");
        let built_in = BUILT_IN
            .iter()
            .flat_map(|(class, globs)| globs.iter().map(|g| (*class, *g)));
        let configured = lines.iter().map(|line| (CONFIGURED, line.as_str()));
        for (class, glob) in built_in.chain(configured) {
            let cause = |e: ignore::Error| GlobError {
                glob: glob.to_owned(),
                cause: e.to_string(),
            };
            // `from` is the file that a glob was read from; here it carries the class, to be shown with a match.
            builder
                .add_line(Some(PathBuf::from(class)), glob)
                .map_err(cause)?;
        }
        let glob = String::new();
        builder.build().map(Self).map_err(|e| GlobError {
            glob,
            cause: e.to_string(),
        })
    }

    /// Why a file is left out, in words for a person; none when it is to be reviewed.
    ///
    /// The author of a change chooses its names, so built-in globs are narrow: only files stay hidden (no links, no
    /// submodules, nothing that changes its type), a rename must be left out on both sides, and a new file is not
    /// believed to be generated.
    pub fn skip_reason(&self, file: &FileChange) -> Option<String> {
        let (class, glob) = self.ignored_by(&file.path)?;
        if let Some(old) = &file.old_path {
            self.ignored_by(old)?;
        }
        if class != CONFIGURED {
            let plain = matches!(file.kind, FileKind::Text | FileKind::Binary);
            let typed = file.status == FileStatus::TypeChanged;
            let claimed = class == GENERATED && file.status == FileStatus::Added;
            if !plain || typed || claimed {
                return None;
            }
        }
        Some(format!("{class} (`{glob}`)"))
    }

    /// Whether configuration leaves out what has this path, and not a built-in glob.
    pub fn is_left_out_by_user(&self, path: &RepoPath) -> bool {
        let ignored = self.ignored_by(path);
        ignored.is_some_and(|(class, _)| class == CONFIGURED)
    }

    /// Whether a file is left out for what its own name says that it is: a lockfile, a minified file.
    pub(super) fn goes_by_file_name(&self, path: &RepoPath) -> bool {
        let ignored = self.ignored_by(path);
        ignored.is_some_and(|(class, _)| matches!(class, LOCKFILE | MINIFIED))
    }

    /// From where a file was moved that is left out there and reviewed here: `moved out of vendor/a.js`. Its content was
    /// never read, so the move alone must not stand for it.
    pub fn left_folder(&self, file: &FileChange) -> Option<String> {
        let old = file.old_path.as_ref()?;
        self.ignored_by(old)?;
        let here = self.ignored_by(&file.path).is_none();
        (here && file.status == FileStatus::Renamed)
            .then(|| format!("moved out of {}", old.display()))
    }

    /// Whether configuration says that a file is to be reviewed, whatever it looks like: `!path`.
    pub fn is_kept(&self, file: &FileChange) -> bool {
        self.match_path(&file.path).is_whitelist()
    }

    fn ignored_by(&self, path: &RepoPath) -> Option<(&str, &str)> {
        match self.match_path(path) {
            Match::Ignore(glob) => {
                let class = glob.from().and_then(Path::to_str).unwrap_or(CONFIGURED);
                Some((class, glob.original()))
            }
            Match::None | Match::Whitelist(_) => None,
        }
    }

    fn match_path(&self, path: &RepoPath) -> Match<&ignore::gitignore::Glob> {
        let path = path.display();
        // A patch may name any path; the matcher wants relative ones.
        let path = Path::new(path.trim_start_matches('/'));
        for (level, at) in path.ancestors().enumerate() {
            if at.as_os_str().is_empty() {
                break;
            }
            let found = self.0.matched(at, level > 0);
            if counts_at(&found, level > 0) {
                return found;
            }
        }
        Match::None
    }
}

/// Whether a match decides. What names lockfiles and minified files names files: whoever gives a folder such a name must not
/// hide what lies in it.
fn counts_at(found: &Match<&ignore::gitignore::Glob>, is_folder: bool) -> bool {
    match found {
        Match::None => false,
        Match::Whitelist(_) => true,
        Match::Ignore(glob) => {
            let is_own = glob.from() == Some(Path::new(CONFIGURED));
            is_own || !is_folder || glob.is_only_dir()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;

    fn reason(globs: &[&str], path: &str) -> Option<String> {
        let lines: Vec<_> = globs.iter().map(|g| (*g).to_owned()).collect();
        IgnoreGlobs::new(&lines).unwrap().skip_reason(&file(path))
    }

    #[test]
    fn built_in_globs_name_what_they_found() {
        for (path, why) in [
            ("Cargo.lock", "lockfile (`Cargo.lock`)"),
            ("web/package-lock.json", "lockfile (`package-lock.json`)"),
            ("web/jquery.min.js", "minified (`*.min.js`)"),
            ("vendor/github.com/x/y.go", "vendored (`/vendor/`)"),
            ("web/node_modules/a/b.js", "vendored (`node_modules/`)"),
            ("api/v1.pb.go", "generated (`*.pb.go`)"),
        ] {
            assert_eq!(reason(&[], path).as_deref(), Some(why), "{path}");
        }
    }

    #[test]
    fn ordinary_code_is_reviewed() {
        for path in [
            "src/main.rs",
            "app/vendor/order.rb",
            "lock.rs",
            "src/min.js",
            "flake.nix",
        ] {
            assert_eq!(reason(&[], path), None, "{path}");
        }
    }

    #[test]
    fn a_folder_with_the_name_of_a_lockfile_hides_nothing() {
        let files = BUILT_IN.iter().flat_map(|(_, globs)| globs.iter());
        for glob in files.filter(|glob| !glob.ends_with('/')) {
            let name = glob.replace('*', "a");
            let path = format!("src/{name}/e.js");
            assert_eq!(reason(&[], &path), None, "{path}");
            assert!(reason(&[], &format!("src/{name}")).is_some(), "{name}");
        }
        assert_eq!(reason(&[], ".yarn/releases/yarn.cjs"), None);
        assert!(reason(&["gen.d"], "src/gen.d/e.js").is_some());
    }

    #[test]
    fn configuration_adds_and_takes_back() {
        let globs = ["docs/**", "!Cargo.lock", "!/vendor/ours/"];
        assert_eq!(
            reason(&globs, "docs/a/b.md").as_deref(),
            Some("ignored by configuration (`docs/**`)")
        );
        assert_eq!(reason(&globs, "Cargo.lock"), None);
        assert_eq!(reason(&globs, "vendor/ours/a.go"), None);
        assert!(reason(&globs, "vendor/theirs/a.go").is_some());
    }

    #[test]
    fn a_bad_glob_is_named() {
        let error = IgnoreGlobs::new(&["a{b".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("a{b"), "{error}");
    }

    #[test]
    fn a_new_file_does_not_hide_as_generated_but_a_new_lockfile_is_one() {
        let globs = IgnoreGlobs::default();
        let added = |path| FileChange {
            status: FileStatus::Added,
            ..file(path)
        };
        assert_eq!(globs.skip_reason(&added("api/evil.pb.go")), None);
        assert!(globs.skip_reason(&added("yarn.lock")).is_some());
        assert!(globs.skip_reason(&added("a.min.js")).is_some());
    }

    #[test]
    fn a_rename_hides_only_when_both_sides_do() {
        let globs = IgnoreGlobs::default();
        let renamed = |old: &str, new| FileChange {
            status: FileStatus::Renamed,
            old_path: Some(old.into()),
            ..file(new)
        };
        assert_eq!(
            globs.skip_reason(&renamed("src/auth.js", "vendor/auth.js")),
            None
        );
        assert_eq!(
            globs.skip_reason(&renamed("vendor/auth.js", "src/auth.js")),
            None
        );
        assert!(
            globs
                .skip_reason(&renamed("vendor/a.js", "vendor/b.js"))
                .is_some()
        );
    }

    #[test]
    fn links_submodules_and_new_types_are_always_reviewed() {
        let globs = IgnoreGlobs::default();
        let link = FileChange {
            kind: FileKind::Symlink,
            ..file("yarn.lock")
        };
        let typed = FileChange {
            status: FileStatus::TypeChanged,
            ..file("yarn.lock")
        };
        assert_eq!(
            (globs.skip_reason(&link), globs.skip_reason(&typed)),
            (None, None)
        );
    }

    #[test]
    fn any_path_of_a_patch_can_be_asked() {
        for path in [
            "/vendor/x",
            "//",
            "",
            "../vendor/x",
            "./Cargo.lock",
            "a\u{0}b",
            "vendor",
        ] {
            IgnoreGlobs::default().skip_reason(&file(path));
        }
    }
}
