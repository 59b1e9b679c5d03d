//! Private keys in folders of tests that are there already: a new fixture that repeats the key of another one gives
//! nothing away that was not given away before.

use std::collections::HashMap;

use council_protocol::change::{EntryKind, FileKind};
use council_protocol::{RepoPath, Severity, Side};

use council_secrets::encoded_keys;

use crate::applicable::ActiveRules;
use crate::role::sample_root;
use crate::rules::{is_key_body, is_key_header};
use crate::scan::FoundHit;
use crate::view::{ChangeView, FileView};

/// The most files of the base, and bytes of them, that are searched for keys.
const MAX_FILES: usize = 500;
const MAX_BYTES: usize = 8 << 20;

/// The longest key in the wild has about 200 lines.
const MAX_KEY_LINES: u32 = 256;

/// As far below the first line of a key nobody looks for another one: it tells of what stands there.
const TOLD_LINES: u32 = 8;

/// A key that the change adds to a folder of tests or examples.
struct AddedKey<'v> {
    /// Index of its finding.
    found: usize,
    file: &'v FileView<'v>,
    /// The folder of tests that it lies in.
    root: &'v str,
    /// All of its lines.
    lines: Vec<&'v str>,
    /// Where the same lines stand already.
    known: Option<String>,
}

/// Makes a note of each key that stands in the base below the same folder of tests, or earlier in the change. Nothing but
/// the whole key, line for line, counts as the same one.
pub(crate) fn lower_copied_keys(
    change: &ChangeView<'_>,
    rules: &ActiveRules,
    found: &mut [FoundHit],
) {
    let mut keys = added_keys(change, found);
    if keys.is_empty() {
        return;
    }
    find_in_base(change, &mut keys);
    find_in_change(&mut keys);
    let copies = keys
        .into_iter()
        .filter_map(|key| Some((key.found, key.known?)));
    for (at, place) in copies.collect::<Vec<_>>() {
        let copy = &mut found[at];
        copy.hit.severity = Some(Severity::Minor);
        copy.hit.description = format!(
            "A private key of tests is repeated (a note, because all of it stands in `{place}` as well)."
        );
        copy.severity = rules.hit_severity(copy.rule, &copy.hit);
    }
}

fn added_keys<'v>(change: &'v ChangeView<'_>, found: &[FoundHit]) -> Vec<AddedKey<'v>> {
    let mut keys: Vec<AddedKey<'v>> = Vec::new();
    for (at, key) in found.iter().enumerate() {
        let file = &change.files[key.hit.file];
        let is_lowered =
            key.rule.info.id == "private-key" && key.hit.severity == Some(Severity::Significant);
        if !is_lowered || file.change.kind != FileKind::Text {
            continue;
        }
        if let (Some(root), Some(lines)) =
            (sample_root(&file.path), lines_of_key(file, key.hit.line))
        {
            keys.push(AddedKey {
                found: at,
                file,
                root,
                lines,
                known: None,
            });
        }
    }
    keys.sort_by_key(|key| (key.file.index, found[key.found].hit.line));
    keys
}

/// The lines of the key that begins at a line. None: nobody can say where it ends, or more stands right behind it than
/// the finding would tell of.
fn lines_of_key<'v>(file: &'v FileView<'_>, first: u32) -> Option<Vec<&'v str>> {
    let line = |number: u32| file.line_text(number).map(str::trim);
    let text = line(first)?;
    let is_pem = is_key_header(text);
    let mut lines = vec![text];
    let mut below = (first + 1..first.saturating_add(MAX_KEY_LINES)).map_while(line);
    if is_pem && !text.contains("-----END") {
        loop {
            let text = below.next()?;
            lines.push(text);
            if text.contains("-----END") {
                break;
            }
        }
    } else if !is_pem && encoded_keys(text).is_empty() {
        return None;
    } else {
        lines.extend(below.take_while(|text| is_base64(text)));
    }
    let end = first + u32::try_from(lines.len()).ok()?;
    let mut told = (end..first.saturating_add(TOLD_LINES + 1)).map_while(line);
    (!told.any(|text| is_key_body(text) || !encoded_keys(text).is_empty())).then_some(lines)
}

/// Whether a line may go on with what was begun above it.
fn is_base64(text: &str) -> bool {
    let is_sign = |b: u8| b.is_ascii_alphanumeric() || b"+/=\"',\\".contains(&b);
    text.len() >= 8 && text.bytes().all(is_sign)
}

fn find_in_base(change: &ChangeView<'_>, keys: &mut [AddedKey<'_>]) {
    let mut bytes = 0;
    for path in files_of_base(change, keys) {
        let Ok(Some(blob)) = change.blobs.read(Side::Old, &path) else {
            continue;
        };
        bytes += blob.len();
        if bytes > MAX_BYTES || keys.iter().all(|key| key.known.is_some()) {
            return;
        }
        let place = path.display().into_owned();
        let text = String::from_utf8_lossy(&blob);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for key in keys.iter_mut().filter(|key| key.known.is_none()) {
            if is_below(&place, key.root) && holds_key(&lines, &key.lines) {
                key.known = Some(place.clone());
            }
        }
    }
}

/// Whether the lines of a file hold those of a key, and the key does not go on there.
fn holds_key(file: &[&str], key: &[&str]) -> bool {
    let behind = |at: usize| file.get(at + key.len()).is_none_or(|text| !is_base64(text));
    let mut windows = file.windows(key.len()).enumerate();
    windows.any(|(at, lines)| lines == key && behind(at))
}

/// The files of the base below the folders of tests in which keys are added, the nearest first.
fn files_of_base(change: &ChangeView<'_>, keys: &[AddedKey<'_>]) -> Vec<RepoPath> {
    let entries = change
        .blobs
        .entries(Side::Old)
        .ok()
        .flatten()
        .unwrap_or_default();
    let files = entries
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::File);
    let mut files: Vec<(bool, RepoPath)> = files
        .filter_map(|entry| {
            let place = entry.path.display();
            let is_near = keys
                .iter()
                .any(|key| is_below(&place, key.file.folder_path().trim_end_matches('/')));
            let is_wanted = is_near || keys.iter().any(|key| is_below(&place, key.root));
            is_wanted.then_some((!is_near, entry.path.clone()))
        })
        .collect();
    files.sort();
    files.truncate(MAX_FILES);
    files.into_iter().map(|(_, path)| path).collect()
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Of a key that a change brings several times, the first finding speaks for the others.
fn find_in_change(keys: &mut [AddedKey<'_>]) {
    let mut first: HashMap<Vec<&str>, &str> = HashMap::new();
    for key in keys.iter_mut().filter(|key| key.known.is_none()) {
        match first.get(&key.lines) {
            Some(place) => key.known = Some((*place).to_owned()),
            None => {
                first.insert(key.lines.clone(), &key.file.path);
            }
        }
    }
}
