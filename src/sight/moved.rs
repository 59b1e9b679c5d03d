//! Files that the change moves or deletes, and the names by which others mean them: what still imports, includes or
//! renders the old path is what breaks.

use std::collections::BTreeSet;

use council_protocol::change::FileStatus;
use council_protocol::{FileChange, RepoPath};
use council_syntax::language::Language;

use super::hints;
use super::wanted::{NameReason, WantedName};
use crate::prompt::is_test_path;

/// A file that is no longer where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MovedFile {
    /// Where it was.
    pub(super) before: String,
    /// Where the brief tells about it.
    pub(super) now: RepoPath,
    is_deleted: bool,
    named_by: NameForm,
}

/// What a name of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameForm {
    /// The end of its path: a path in a line has to lead to the file.
    Path,
    /// The same without folders, of a file whose name no other has.
    File,
    /// Its module, written with dots or slashes.
    Module,
    /// A part of it, which means the file in an import only.
    Import,
    /// The folder that it is the file of: a path in a line has to lead there.
    Folder,
}

impl MovedFile {
    pub(super) fn describe(&self) -> String {
        let what = if self.is_deleted { "deletes" } else { "moves" };
        format!("`{}`, which the change {what}", self.before)
    }

    /// Whether a line that has the name `text` means this file; `is_code`: it has words outside of comments.
    pub(super) fn is_named_by(
        &self,
        path: &RepoPath,
        line: &str,
        text: &str,
        is_code: bool,
    ) -> bool {
        let path = path.display();
        let imports = hints::imports_file(&path, line, &self.before);
        let leads_here = || !is_remark(line) && leads_to(&path, line, text, &self.before);
        match self.named_by {
            NameForm::Path => imports == Some(true) || leads_here(),
            NameForm::File => {
                let is_bare = || is_code && !stands_in_path(line, text);
                imports.unwrap_or_else(is_bare) || leads_here()
            }
            // Settings name modules in strings: `x = "gen.main:run"`.
            NameForm::Module => !is_remark(line) && imports.unwrap_or(true),
            NameForm::Import => is_code && imports == Some(true),
            // A bare word is no path.
            NameForm::Folder => {
                !is_remark(line)
                    && line.contains(&format!("/{text}"))
                    && leads_to(&path, line, text, folder_of(&self.before))
            }
        }
    }
}

/// Whether a line is a comment as most files write it; one that embeds a file is none.
fn is_remark(line: &str) -> bool {
    const BEGINS: [&str; 6] = ["# ", "//", "<!--", "/*", "* ", "-- "];
    let line = line.trim_start();
    BEGINS.iter().any(|begin| line.starts_with(begin)) && !line.starts_with("//go:embed ")
}

/// Whether a name is the end of a path with folders wherever it stands in a line.
fn stands_in_path(line: &str, name: &str) -> bool {
    let mut places = line.match_indices(name);
    places.all(|(at, _)| line[..at].ends_with('/'))
}

/// Whether a path in a line of the file `from` that has `name` in it leads to `to`: from the top of the repository,
/// from the file's own folder, or from a folder that a variable names.
fn leads_to(from: &str, line: &str, name: &str, to: &str) -> bool {
    let is_of_path = |c: char| c.is_alphanumeric() || "_-./+@~".contains(c);
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].trim_end_matches(is_of_path);
        let behind = &line[at..];
        let end = behind.find(|c| !is_of_path(c)).unwrap_or(behind.len());
        let path = line[before.len()..at + end].trim_end_matches('.');
        match before.chars().next_back() {
            // `$DIR/lib/common.sh`: the variable is not known.
            Some('$') => path
                .split_once('/')
                .is_some_and(|(_, path)| is_end(to, path)),
            Some('}' | ')') if path.starts_with('/') => is_end(to, &path[1..]),
            _ => {
                let folder = folder_of(from);
                let moved = || folder_moved_to(folder, before);
                is_path_to(folder, path, to) || moved().is_some_and(|at| is_path_to(&at, path, to))
            }
        }
    })
}

/// The folder that a command of a line goes to before it names something: `cd tools && python gen.py`.
fn folder_moved_to(folder: &str, before: &str) -> Option<String> {
    let (head, rest) = before.rsplit_once("cd ")?;
    let is_command = head
        .chars()
        .next_back()
        .is_none_or(|c| !c.is_alphanumeric());
    let named = rest
        .split([' ', ';', '&'])
        .next()?
        .trim_matches(['"', '\'']);
    let named = named.trim_start_matches("./").trim_end_matches('/');
    let is_plain = !named.is_empty() && !named.starts_with(['/', '$', '.', '~']);
    (is_command && is_plain).then(|| match folder {
        "" => named.to_owned(),
        folder => format!("{folder}/{named}"),
    })
}

fn is_path_to(folder: &str, path: &str, to: &str) -> bool {
    let is_absolute = path.starts_with('/') && !path.starts_with("//");
    let (mut folder, mut path) = (folder, path.trim_start_matches('/'));
    loop {
        if let Some(rest) = path.strip_prefix("./") {
            path = rest;
        } else if let Some(rest) = path.strip_prefix("../") {
            (folder, path) = (folder_of(folder), rest);
        } else {
            break;
        }
    }
    let is_beside = match folder {
        "" => path == to,
        folder => to.strip_prefix(folder).and_then(|to| to.strip_prefix('/')) == Some(path),
    };
    // Where a program is started is not known, nor where it is installed: `/opt/app/bin/run.sh`.
    let is_installed = || is_absolute && to.contains('/') && is_end(path, to);
    is_beside || path == to || (path.contains('/') && is_end(to, path)) || is_installed()
}

/// Whether a path ends so, at a folder's border.
fn is_end(path: &str, end: &str) -> bool {
    let before = path.strip_suffix(end);
    !end.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// How others name a file that the change moves or deletes.
pub(super) fn moved_names(file: &FileChange) -> Vec<WantedName> {
    let before = file.path_before();
    let path = before.display();
    let is_deleted = match file.status {
        FileStatus::Renamed if file.path.as_bytes() != before.as_bytes() => false,
        FileStatus::Deleted => true,
        _ => return Vec::new(),
    };
    // Tests are named by nobody; what stands beside them is.
    if is_test_path(path.rsplit('/').next().unwrap_or_default()) {
        return Vec::new();
    }
    let stays = folder_of(&path) == folder_of(&file.path.display()) && !is_deleted;
    let is_package = Language::from_path(&path) == Language::Go;
    if stays && is_package {
        // Go imports folders.
        return Vec::new();
    }
    let name = |(text, named_by): (String, NameForm)| WantedName {
        moved: vec![MovedFile {
            before: path.clone().into_owned(),
            now: file.path.clone(),
            is_deleted,
            named_by,
        }],
        // What it means beside the file is for others to say.
        uses: false,
        is_bare: true,
        is_local: true,
        is_key_alone: true,
        is_built: true,
        ..WantedName::new(&text, NameReason::Removed)
    };
    names_of_file(&path).into_iter().map(name).collect()
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `lib/pool.py` → `lib/pool.py`, `pool.py`, `lib/pool`, `lib.pool`; in imports also `pool`, of a folder's main file
/// the folder's name.
fn names_of_file(path: &str) -> BTreeSet<(String, NameForm)> {
    // Every folder has one of these; whoever means it names the folder.
    const OF_FOLDER: [&str; 5] = ["index", "__init__", "mod", "main", "lib"];
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = folder.rsplit('/').next().unwrap_or_default();
    let language = Language::from_path(path);
    let mut names = BTreeSet::new();
    let whole = match parent {
        "" => file.to_owned(),
        parent => format!("{parent}/{file}"),
    };
    names.insert((whole, NameForm::Path));
    let stem = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    let Some((stem, _)) = stem else {
        if is_file_of_folder(file) && !parent.is_empty() {
            names.insert((parent.to_owned(), NameForm::Folder));
        }
        return names;
    };
    if language == Language::Go || OF_FOLDER.contains(&stem) {
        names.insert((parent.to_owned(), NameForm::Import));
        names.insert((file.to_owned(), NameForm::Path));
    } else {
        names.insert((file.to_owned(), NameForm::File));
        names.insert((stem.to_owned(), NameForm::Import));
    }
    // Partials of Sass: `_vars.scss` is `vars`.
    if let Some(partial) = stem.strip_prefix('_').filter(|_| language == Language::Css) {
        names.insert((partial.to_owned(), NameForm::Import));
    }
    if is_file_of_folder(file) {
        names.insert((parent.to_owned(), NameForm::Folder));
    }
    let is_module = language == Language::Python && stem == "main";
    if !parent.is_empty() && (is_module || !OF_FOLDER.contains(&stem)) && language != Language::Go {
        names.insert((format!("{parent}/{stem}"), NameForm::Module));
        names.insert((format!("{parent}.{stem}"), NameForm::Module));
    }
    names.retain(|(name, _)| !name.is_empty());
    names
}

/// Whether others mean a file by its folder: `uses: ./.github/actions/setup`, `source = "./modules/net"`.
fn is_file_of_folder(name: &str) -> bool {
    matches!(
        name,
        "action.yml" | "action.yaml" | "Dockerfile" | "package.json" | "Cargo.toml" | "go.mod"
    ) || name.ends_with(".tf")
}

/// Whether a file can name others though it is neither code nor settings: pages, styles, and what has no ending.
pub(super) fn may_name_files(path: &[u8]) -> bool {
    let path = String::from_utf8_lossy(path);
    let name = path.rsplit('/').next().unwrap_or(&path);
    let is_page = || {
        matches!(
            Language::from_path(&path),
            Language::Markup | Language::Css | Language::Prose
        )
    };
    let is_packed = path.contains(".min.") || path.ends_with(".svg");
    let has_no_ending = !name.contains('.') && Language::from_path(&path) == Language::Unknown;
    const SETTINGS: [&str; 10] = [
        ".service", ".timer", ".socket", ".desktop", ".tf", ".hcl", ".bzl", ".bazel", ".nix", ".in",
    ];
    let is_settings = || SETTINGS.iter().any(|ending| name.ends_with(ending));
    (is_page() && !is_packed) || has_no_ending || is_settings()
}
