//! Names searched around a change, and then the other names that what is found gives them.

use std::collections::HashSet;
use std::time::Instant;

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::{FileChange, Packet, RepoPath};

use super::super::aliases::{aliases_in, default_export_name};
use super::super::candidates::ChangedFile;
use super::super::hints;
use super::super::imported::{KnownTree, Meaning, is_telling};
use super::super::limits::{SearchLimits, Sight};
use super::super::moved::may_name_files;
use super::super::name_source::NameSource;
use super::super::nearest::NearestFiles;
use super::super::readers::{is_xml, reader::Reader};
use super::super::search::{FileHits, NameHit, NameHits, NameSearch};
use super::super::wanted::{NameReason, WantedName};
use super::kin::{kin_names, set_kin_aside};
use super::test_imports::{FirstTests, drop_modules, module_names};
use super::test_names::TestNames;
use crate::prompt::{is_test_path, rank_files};

/// So many of the nearest files with hits are read closely.
pub(super) const MAX_OUTLINED: usize = 150;

/// A name of a name of a name is not followed.
const MAX_ALIASING: usize = 2;

/// Searches names around a change, the nearest files first. Those by which what is edited goes elsewhere are added to
/// `names` and searched as well.
pub(super) fn search_names(
    sight: &Sight,
    packet: &Packet,
    (files, names): (&[ChangedFile<'_>], &mut Vec<WantedName>),
    limits: &SearchLimits,
) -> (NameHits, KnownTree) {
    add_default_exports(files, names);
    let paths = changed_paths(packet);
    // What is found has to be read closely afterwards, which takes about as long.
    let now = Instant::now();
    let bounds = SearchLimits {
        until: now + limits.until.saturating_duration_since(now) / 2,
        ..*limits
    };
    let hints = hints::paths_near(&sight.tree, &paths);
    let nearest = || NearestFiles::new(&sight.tree, &paths, hints.clone());
    let imported: HashSet<&[u8]> = hints.iter().map(Vec::as_slice).collect();
    let tells = |path: &RepoPath| is_telling(path) || imported.contains(path.as_bytes());
    let tests = TestNames::of(files);
    let is_test = |path: &RepoPath| tests.tested_by(path).is_some();
    let kin = kin_names(files, names).into_iter();
    let kin = kin.map(|text| WantedName::new(&text, NameReason::Around));
    let mut searched: Vec<WantedName> = names.iter().cloned().chain(kin).collect();
    let modules = module_names(files).into_iter();
    let first_module = searched.len();
    searched.extend(modules.map(|text| WantedName::new(&text, NameReason::Around)));
    let mut hits =
        search_of(&searched)
            .keeping(&is_test)
            .telling(&tells)
            .run(nearest(), &sight.tree, &bounds);
    let first = FirstTests::of(files);
    let is_wanted = |file: &FileHits| is_test(&file.path) || first.takes(file);
    drop_modules(&mut hits, first_module, is_wanted, tells);
    set_kin_aside(&mut hits, names.len(), is_wanted);
    for _ in 0..MAX_ALIASING {
        let aliases = aliases_in(names, &hits.files);
        if aliases.is_empty() {
            break;
        }
        let is_exported =
            |name: &WantedName| name.alias.as_ref().is_some_and(|alias| alias.is_exported);
        let found = if aliases.iter().any(is_exported) {
            search_of(&aliases)
                .run(nearest(), &sight.tree, &bounds)
                .files
        } else {
            hits_at_home(&aliases, &hits.files)
        };
        add_hits(&mut hits.files, found, names.len());
        names.extend(aliases);
    }
    let changed = packet.files.iter();
    let changed = changed.flat_map(|file| [&file.path, file.path_before()]);
    let known = KnownTree::of(&hits, changed.cloned());
    add_original_names(names, &known, &mut hits.files);
    (hits, known)
}

/// Whatever a changed file imports by a name of its own is defined under another one.
fn add_original_names(names: &mut Vec<WantedName>, known: &KnownTree, files: &mut Vec<FileHits>) {
    let used = names.iter().filter(|name| name.definition);
    let sources = used.flat_map(|name| name.sources.iter().map(move |source| (name, source)));
    let mut found: Vec<(String, NameReason, NameSource, String, Vec<FileHits>)> = Vec::new();
    for (name, source) in sources {
        let NameSource::From(from) = source else {
            continue;
        };
        if let Meaning::Inside(place) = known.meaning(from)
            && let Some(original) = place.name.clone().filter(|text| *text != name.text)
        {
            let kept = place.files().filter_map(|path| known.kept_file(path));
            let original = (
                original,
                name.reason,
                source.clone(),
                name.text.clone(),
                kept.collect(),
            );
            found.push(original);
        }
    }
    for (text, reason, source, called, kept) in found {
        add_original(
            names,
            WantedName {
                definition: true,
                uses: false,
                sources: [source].into(),
                imported_as: Some(called),
                ..WantedName::new(&text, reason)
            },
        );
        let kept = kept.into_iter();
        let new: Vec<FileHits> = kept
            .filter(|file| files.iter().all(|known| known.path != file.path))
            .collect();
        let at = files.len().min(MAX_OUTLINED / 2);
        files.splice(at..at, new);
    }
}

fn add_original(names: &mut Vec<WantedName>, original: WantedName) {
    let Some(known) = names.iter_mut().find(|name| name.text == original.text) else {
        names.push(original);
        return;
    };
    // Where it is looked for already, it still is.
    if known.definition && known.sources.is_empty() {
        known.sources.insert(NameSource::Unknown);
    }
    known.definition = true;
    known.sources.extend(original.sources);
}

/// Whoever imports all that a file exports names a part of its path.
fn add_default_exports(files: &[ChangedFile<'_>], names: &mut Vec<WantedName>) {
    let files = files.iter();
    let files = files.filter(|file| !is_test_path(&file.path().display()));
    for exported in files.filter_map(default_export_name) {
        match names.iter_mut().find(|name| name.text == exported.text) {
            Some(name) => name.exports.extend(exported.exports),
            None => names.push(exported),
        }
    }
}

fn search_of<'k>(names: &[WantedName]) -> NameSearch<'k> {
    let texts: Vec<String> = names.iter().map(|name| name.text.clone()).collect();
    let is_call = |name: &WantedName| {
        // A type is used without brackets, as a field is.
        let is_type = name.owners.is_empty() && name.text.starts_with(char::is_uppercase);
        let is_bare = name.definition
            || name.is_field
            || name.is_own
            || name.is_orphan
            || name.is_fixture
            || is_type;
        name.is_everywhere() && !is_bare && name.moved.is_empty()
    };
    let names_files = names.iter().any(|name| !name.moved.is_empty());
    let is_read_in_markup = |reader: &Reader| {
        matches!(
            reader,
            Reader::Markup | Reader::Resource | Reader::Statement(_)
        )
    };
    let in_markup = names
        .iter()
        .any(|name| name.readers.iter().any(is_read_in_markup));
    let is_alias = |name: &WantedName| name.alias.is_some() || !name.exports.is_empty();
    NameSearch::new(&texts)
        .also_in(match (names_files, in_markup) {
            (true, false) => may_name_files,
            (false, true) => is_markup,
            (true, true) => |path| may_name_files(path) || is_markup(path),
            (false, false) => |_| false,
        })
        .calls_alone(
            names
                .iter()
                .map(|name| is_call(name) && !is_alias(name))
                .collect(),
        )
}

fn is_markup(path: &[u8]) -> bool {
    is_xml(&String::from_utf8_lossy(path))
}

/// Where aliases stand in the files that were found already: nobody else can have them.
fn hits_at_home(aliases: &[WantedName], files: &[FileHits]) -> Vec<FileHits> {
    let search = search_of(aliases);
    let found = files.iter().map(|file| FileHits {
        hits: search.search_bytes(file.text.as_bytes()),
        ..file.clone()
    });
    found.filter(|file| !file.hits.is_empty()).collect()
}

/// Adds what was found of further names, which begin at `first`.
fn add_hits(files: &mut Vec<FileHits>, found: Vec<FileHits>, first: usize) {
    let mut new = Vec::new();
    for mut file in found {
        let hits = file.hits.iter().map(|hit| NameHit {
            name: hit.name + first,
            ..*hit
        });
        file.hits = hits.collect();
        match files.iter_mut().find(|known| known.path == file.path) {
            Some(known) => known.hits.append(&mut file.hits),
            None => new.push(file),
        }
    }
    // Only so many are read closely.
    let at = files.len().min(MAX_OUTLINED / 2);
    files.splice(at..at, new);
}

/// Where names are searched first: around the changed files, the most telling first, and where moved ones were.
fn changed_paths(packet: &Packet) -> Vec<RepoPath> {
    let files = rank_files(&packet.files).into_iter();
    let files = files.map(|index| &packet.files[index]);
    let is_read = |file: &&FileChange| {
        let has_lines = file.kind == FileKind::Text && !file.hunks.is_empty();
        has_lines || file.status == FileStatus::Renamed
    };
    let mut paths: Vec<RepoPath> = Vec::new();
    for file in files.filter(is_read) {
        paths.push(file.path.clone());
        if file.path_before() != &file.path {
            paths.push(file.path_before().clone());
        }
    }
    paths
}
