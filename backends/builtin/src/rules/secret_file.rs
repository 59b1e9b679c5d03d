//! `secret-file`: a file whose purpose is to hold secrets.

use council_protocol::change::FileStatus;
use council_secrets::SecretTable;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "secret-file",
        perspective: SECURITY,
        category: "secret-files",
        severity: Significant,
        summary: "a file that usually holds secrets",
        why: "Files of this name are made to hold credentials. Once committed, they stay in the history of every clone.",
        fix: "Take the file out of the commit, list it in `.gitignore`, and commit a template such as `.env.example`.",
        examples: &[],
    },
    scope: RuleScope::AnyFile,
    languages: &[],
    claims: &["credential", "secret", ".env"],
    check: RuleCheck::File(check_file),
};

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let name = file.file_name();
    let named = SecretTable::built_in().is_secret_file(&file.change.path.display());
    let new = matches!(file.change.status, FileStatus::Added) && file.change.new_size != Some(0);
    if named && new && !matches!(file.role, FileRole::Test | FileRole::Example) {
        hits.push(file.file_hit(format!("`{name}` is a file that usually holds secrets.")));
    }
}
