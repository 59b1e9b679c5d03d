//! Tests that import a changed file without a name that the change edits: they reach it through what it starts, as a client
//! does that asks a web service.

use std::cell::Cell;

use council_protocol::RepoPath;

use super::super::candidates::ChangedFile;
use super::super::hints;
use super::super::search::{FileHits, NameHits};
use super::test_names::is_helper_of_tests;
use crate::prompt::is_test_path;

/// So many of them are read.
const MAX_READ: usize = 4;

/// So many changed files are asked for, the most telling first: a change of more is one of everything.
const MAX_TESTED: usize = 50;

/// What files that import the changed ones call them: their names without endings, or those of their folders.
pub(super) fn module_names(files: &[ChangedFile<'_>]) -> Vec<String> {
    const MAX_MODULES: usize = 20;
    const OF_FOLDER: [&str; 4] = ["index", "__init__", "mod", "lib"];
    let tested = files
        .iter()
        .filter(|file| !is_test_path(&file.path().display()));
    let mut names: Vec<String> = tested
        .filter_map(|file| {
            let shown = file.path().display();
            let (folder, stem, _) = hints::split_name(&shown);
            let name = match OF_FOLDER.contains(&stem) {
                true => folder.rsplit('/').next()?,
                false => stem,
            };
            (!name.is_empty()).then(|| name.to_owned())
        })
        .collect();
    names.sort();
    names.dedup();
    names.truncate(MAX_MODULES);
    names
}

/// The changed file that a test imports.
pub(super) fn imported_by<'f>(
    files: &'f [ChangedFile<'_>],
    (path, text): (&RepoPath, &str),
) -> Option<&'f RepoPath> {
    let shown = path.display();
    if !is_test_path(&shown) || is_helper_of_tests(&shown) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let imported = hints::import_lines(&shown, &lines);
    let paths = files.iter().take(MAX_TESTED).map(ChangedFile::path);
    let mut tested = paths.filter(|path| !is_test_path(&path.display()));
    tested.find(|tested| {
        let mut all = imported.iter();
        all.any(|(_, paths)| {
            // Who imports a package of Go imports no file of it.
            let files: Vec<String> = paths
                .iter()
                .filter(|path| !path.ends_with('/'))
                .cloned()
                .collect();
            hints::is_among(&files, &tested.display())
        })
    })
}

/// Keeps the first few files that are such tests.
pub(super) struct FirstTests<'f, 'p> {
    files: &'f [ChangedFile<'p>],
    read: Cell<usize>,
}

impl<'f, 'p> FirstTests<'f, 'p> {
    pub(super) fn of(files: &'f [ChangedFile<'p>]) -> Self {
        Self {
            files,
            read: Cell::new(0),
        }
    }

    pub(super) fn takes(&self, file: &FileHits) -> bool {
        let is_one = self.read.get() < MAX_READ
            && imported_by(self.files, (&file.path, &file.text)).is_some();
        self.read.set(self.read.get() + usize::from(is_one));
        is_one
    }
}

/// Takes out what was found of the names of modules alone, which begin at `first`; what tells of other files is kept aside.
pub(super) fn drop_modules(
    hits: &mut NameHits,
    first: usize,
    is_wanted: impl Fn(&FileHits) -> bool,
    tells: impl Fn(&RepoPath) -> bool,
) {
    for mut file in std::mem::take(&mut hits.files) {
        let all = file.hits.len();
        file.hits.retain(|hit| hit.name < first);
        if !file.hits.is_empty() || all == 0 || is_wanted(&file) {
            hits.files.push(file);
        } else if tells(&file.path) {
            hits.kept.push(file);
        }
    }
}
