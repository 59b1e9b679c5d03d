//! Which of the changed files a tool leaves out by its own configuration, where it can list those that it looks at.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use council_protocol::RepoPath;

use crate::guard::GuardedProgram;
use crate::process::{GRACE_MS, run_once};
use crate::tool::{FILES, MAX_NAME_BYTES, ToolRun, argument_of, list_of};

/// The most files that are named.
const MAX_NAMED: usize = 5;

impl ToolRun<'_> {
    /// What a reader should know of files that the tool does not look at: a file in which it finds nothing is told from one
    /// that it leaves out. Nothing where it cannot tell.
    pub(crate) fn left_out_note(&self, workspace: &Path, files: &[RepoPath]) -> String {
        let path_in = |file: &&RepoPath| workspace.join(OsStr::from_bytes(file.as_bytes()));
        let there = files.iter().filter(|file| path_in(file).is_file());
        let given: Vec<RepoPath> = there.cloned().collect();
        let Some(listed) = self.list_files(workspace, &given) else {
            return String::new();
        };
        let left: Vec<_> = given.iter().filter(|file| !listed.contains(file)).collect();
        if left.is_empty() {
            return String::new();
        }
        let named: Vec<_> = left
            .iter()
            .take(MAX_NAMED)
            .map(|file| file.display())
            .collect();
        let more = match left.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = named.join(", ");
        format!(" By its own configuration it does not look at {named}{more}.")
    }

    /// Those of the files that the tool says it looks at; none: it does not say, or says something else.
    fn list_files<'f>(
        &self,
        workspace: &Path,
        files: &'f [RepoPath],
    ) -> Option<BTreeSet<&'f RepoPath>> {
        let bytes: usize = files.iter().map(|file| file.as_bytes().len() + 3).sum();
        if self.lists.is_empty() || files.is_empty() || bytes > MAX_NAME_BYTES {
            return None;
        }
        let arguments = self.lists.iter().flat_map(|&argument| match argument {
            FILES => files.iter().map(argument_of).collect(),
            other => vec![OsString::from(other)],
        });
        let program = GuardedProgram {
            argv: arguments.collect::<Vec<_>>().into(),
            env: self.env,
            dir: workspace,
            grace_ms: GRACE_MS,
            fence: self.fence,
        };
        let exe = self.context.exe.clone().unwrap_or_default();
        // As long as the names, each behind the path of the folder.
        let max_bytes = (MAX_NAME_BYTES + files.len() * (workspace.as_os_str().len() + 2)) as u64;
        let never = |_: &[u8]| false;
        let finished = run_once(
            &exe,
            &program,
            list_of(files),
            max_bytes,
            &self.stop.without_draft(),
            &never,
        )
        .ok()?;
        let is_success = finished
            .status
            .as_ref()
            .is_ok_and(|status| status.success());
        if !is_success || !finished.whole {
            return None;
        }
        let real = workspace.canonicalize().ok()?;
        let lines = finished.stdout.split(|&byte| byte == b'\n');
        let lines = lines
            .map(<[u8]>::trim_ascii_end)
            .filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let path = Path::new(OsStr::from_bytes(line));
                let inside = [workspace, &real, Path::new(".")];
                let inside = inside
                    .iter()
                    .find_map(|folder| path.strip_prefix(folder).ok());
                let path = inside.unwrap_or(path).as_os_str().as_bytes();
                files.iter().find(|file| file.as_bytes() == path)
            })
            .collect()
    }
}
