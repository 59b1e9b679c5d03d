//! The copy of the reviewed files in which a tool works: with the configuration of the base, and what it was when the tool
//! is through.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use council_protocol::change::FileStatus;
use council_protocol::{Failure, FailureKind, FileChange, RepoPath, Side};

use crate::extended::extended_files;
use crate::private;
use crate::process::spawn_failure;
use crate::report::is_one_of;
use crate::room::{self, WorkspaceBounds};
use crate::tool::ToolRun;

impl ToolRun<'_> {
    /// A workspace of its own with the base's configuration, where the change brings another one: what is under review
    /// must not switch off who reviews it.
    pub(crate) fn trusted_workspace(&self) -> Result<Option<tempfile::TempDir>, Failure> {
        let configs = &self.rules.config;
        if configs.is_empty() {
            return Ok(None);
        }
        let extended = extended_files(&*self.context.blobs, configs);
        let is_config = |path: &RepoPath| is_one_of(configs, path) || extended.contains(path);
        let files = &self.context.packet.files;
        let changed: Vec<&FileChange> = files.iter().filter(|file| is_config(&file.path)).collect();
        let moved = files
            .iter()
            .filter(|file| file.status == FileStatus::Renamed && is_config(file.path_before()));
        let moved: Vec<&RepoPath> = moved.map(FileChange::path_before).collect();
        if changed.is_empty() && moved.is_empty() || !self.context.blobs.has_blobs() {
            return Ok(None);
        }
        let cannot = |error: &dyn std::fmt::Display| spawn_failure(&self.argv[0], error);
        let folder =
            private::temporary_folder_in(self.scratch, "").map_err(|error| cannot(&error))?;
        let blobs = &*self.context.blobs;
        let at_base = |path: &RepoPath| blobs.read(Side::Old, path).ok().flatten();
        let filter = keep_lifetimes(|path, content| {
            if is_config(path) {
                at_base(path).map_or(Cow::Borrowed(content), |old| Cow::Owned(old.to_vec()))
            } else {
                Cow::Borrowed(content)
            }
        });
        let bounds = WorkspaceBounds {
            launched: self.is_launched(),
            ..WorkspaceBounds::default()
        };
        room::export_side(blobs, Side::New, folder.path(), &bounds, &filter)
            .map_err(|error| cannot(&error))?;
        // A configuration that the base has not is none; one that the change deletes is there again.
        for file in changed {
            let name = String::from_utf8_lossy(file.path.as_bytes()).into_owned();
            match at_base(&file.path) {
                Some(old) if file.status == FileStatus::Deleted => {
                    let _ = private::write_file(&folder.path().join(name), &old);
                }
                Some(_) => {}
                None => _ = std::fs::remove_file(folder.path().join(name)),
            }
        }
        for path in moved {
            let name = String::from_utf8_lossy(path.as_bytes()).into_owned();
            if let Some(old) = at_base(path) {
                let _ = private::write_file(&folder.path().join(name), &old);
            }
        }
        Ok(Some(folder))
    }

    /// Whether the files that the tool was asked about, and its configuration, are still those of the change. A tool that
    /// mends a file finds nothing in it afterwards, and so does one whose files another program has written over.
    pub(crate) fn check_copy(
        &self,
        side: Side,
        workspace: &Path,
        files: &[RepoPath],
    ) -> Result<(), Failure> {
        let names = self.rules.config.iter().filter(|name| !name.contains('*'));
        let configs: Vec<RepoPath> = names.map(|name| name.as_str().into()).collect();
        let is_altered = |path: &RepoPath| {
            let found = std::fs::read(workspace.join(OsStr::from_bytes(path.as_bytes()))).ok();
            let is_of = |side| {
                let read = self.context.blobs.read(side, path).ok().flatten();
                read.as_deref() == found.as_deref()
            };
            // A configuration is the base's or the change's, and one that is a link is in no copy.
            let is_config = is_one_of(&self.rules.config, path);
            let may_be_gone = is_config && found.is_none();
            !(is_of(side) || may_be_gone || is_config && (is_of(Side::Old) || is_of(Side::New)))
        };
        let Some(altered) = files.iter().chain(&configs).find(|path| is_altered(path)) else {
            return Ok(());
        };
        let detail = format!(
            "{} was altered in the copy of the files while `{}` ran, so what it says is not about the change: let it check \
             without mending; if something else wrote there, give the other tools `sandbox = \"required\"`",
            altered.display(),
            self.argv[0],
        );
        Err(Failure::new(FailureKind::Provider, detail))
    }
}

/// Tells the compiler that a filter borrows from what it is given.
fn keep_lifetimes<F>(filter: F) -> F
where
    F: for<'c> Fn(&RepoPath, &'c [u8]) -> Cow<'c, [u8]>,
{
    filter
}
