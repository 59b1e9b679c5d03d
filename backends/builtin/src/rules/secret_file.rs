//! `secret-file`: a file whose purpose is to hold secrets.

use council_protocol::change::{FileKind, FileStatus};
use council_secrets::{SecretTable, drawn_words, is_private_key};

use super::prelude::*;
use crate::role::sample_folder;
use crate::rule::RuleHit;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "secret-file",
        perspective: SECURITY,
        category: "secret-files",
        severity: Critical,
        summary: "a file that usually holds secrets (significant), or one that is a private key in DER or has a token in its \
                  name (critical)",
        why: "Files with this name are meant for credentials. Once committed, they stay in the history of every \
              clone.",
        fix: "Take the file out of the commit, list it in `.gitignore`, and commit a template such as `.env.example`.",
        examples: &[],
    },
    scope: RuleScope::AnyFile,
    guards: Guarded::Code,
    languages: &[],
    claims: &["credential", "secret", ".env"],
    check: RuleCheck::File(check_file),
};

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let name = file.file_name();
    let path = file.change.path.display();
    let table = SecretTable::built_in();
    let named = table.is_secret_file(&path) || (table.holds_drawn(&path) && holds_drawn_word(file));
    let new = matches!(file.change.status, FileStatus::Added) && file.change.new_size != Some(0);
    // Tests and examples come with such files, but not with values that were drawn.
    let is_sample = matches!(file.role, FileRole::Test | FileRole::Example);
    if named && new && (!is_sample || holds_drawn_word(file)) {
        let hit = file.file_hit(format!("`{name}` is a file that usually holds secrets."));
        hits.push(hit.with_severity(Significant));
    }
    if let Some(hit) = private_key(file) {
        hits.push(hit);
    }
    if is_moved_here(file)
        && let Some(owner) = token_in(&file.change.path.display())
    {
        let said = format!("The file's name contains a token in {owner}'s format.");
        hits.push(file.file_hit(said));
    }
}

/// A larger file is no key.
const MAX_KEY_BYTES: u64 = 64 << 10;

/// A file that is nothing but a private key. Nobody sees its bytes, so no other rule and no model can speak of it.
fn private_key(file: &FileView<'_>) -> Option<RuleHit> {
    let is_small = file
        .change
        .new_size
        .is_none_or(|size| size <= MAX_KEY_BYTES);
    let is_candidate = file.exists() && file.change.kind == FileKind::Binary && is_small;
    let bytes = is_candidate.then(|| file.bytes_after()).flatten()?;
    is_private_key(&bytes).then_some(())?;
    let hit = |said: String| file.file_hit(said);
    Some(match sample_folder(&file.path) {
        Some(folder) => hit(format!(
            "The file is a private key (lower, because it lies under `{folder}`)."
        ))
        .with_severity(Significant),
        None => hit("The file is a private key.".to_owned()),
    })
}

fn holds_drawn_word(file: &FileView<'_>) -> bool {
    let mut lines = file.added_lines();
    lines.any(|line| drawn_words(line.text()).next().is_some())
}

fn is_moved_here(file: &FileView<'_>) -> bool {
    matches!(file.change.status, FileStatus::Added | FileStatus::Renamed)
}

/// Whose token stands in a path.
fn token_in(path: &str) -> Option<&'static str> {
    let found = SecretTable::built_in().find_secrets(path).into_iter();
    let mut tokens = found.filter(|found| found.is_plausible && found.is_provider);
    tokens.next().map(|token| token.owner)
}
