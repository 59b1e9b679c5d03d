//! What files have to do with each other: by language, by folder, by path.

use std::cmp::Reverse;

use council_protocol::RepoPath;
use council_syntax::language::Language;

use super::candidates::ChangedFile;

/// Whether code in a file and changed code can call each other: a `parse` of another language is another one.
pub(super) fn is_related(files: &[ChangedFile<'_>], path: &RepoPath) -> bool {
    let family = family_of(path);
    let mut changed = files.iter().map(|file| family_of(file.path()));
    family.is_none() || changed.any(|other| other.is_none() || other == family)
}

/// Whether two files are written in languages that call each other.
pub(super) fn same_family(one: &RepoPath, other: &RepoPath) -> bool {
    family_of(one) == family_of(other)
}

/// Languages that call each other. C is called from everywhere and settings are read by all: they have none.
fn family_of(path: &RepoPath) -> Option<Language> {
    match Language::from_path(&path.display()) {
        Language::C => None,
        Language::Kotlin | Language::Scala => Some(Language::Java),
        language => language.is_code().then_some(language),
    }
}

/// Whether a file lies in the folder of a changed one, where a member's name means the same.
pub(super) fn is_near(files: &[ChangedFile<'_>], path: &RepoPath) -> bool {
    let folder = folder_of(path);
    let language = |path: &RepoPath| Language::from_path(&path.display());
    files.iter().any(|file| {
        // Most files lie elsewhere, and a language takes longer to tell.
        let is_beside = || folder_of(file.path()) == folder;
        file.path() == path || (is_beside() && language(file.path()) == language(path))
    })
}

/// The changed file that shares most of its path.
pub(super) fn nearest_change(files: &[ChangedFile<'_>], path: &RepoPath) -> RepoPath {
    let shared = |file: &&ChangedFile<'_>| {
        let pairs = file.path().as_bytes().iter().zip(path.as_bytes());
        let count = pairs.take_while(|(a, b)| a == b).count();
        (count, Reverse(file.path().clone()))
    };
    let nearest = files.iter().max_by_key(shared);
    nearest.map_or_else(|| path.clone(), |file| file.path().clone())
}

fn folder_of(path: &RepoPath) -> &[u8] {
    let bytes = path.as_bytes();
    let end = bytes.iter().rposition(|&b| b == b'/').unwrap_or(0);
    &bytes[..end]
}
