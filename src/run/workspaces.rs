//! The rooms of agents that are programs: exports of the reviewed tree, away from the repository.

use std::borrow::Cow;

use council_agents::room::{self, WorkspaceBounds};
use council_protocol::change::BlobSource;
use council_protocol::seat::AgentKind;
use council_protocol::{RepoPath, Seat};
use council_secrets::Redactor;
use tempfile::TempDir;

use crate::prompt::redact_source;
use crate::session;

use crate::run::error::RunError;

/// What the names of all rooms begin with.
pub(crate) const PREFIX: &str = "council-room-";

/// The rooms of a council, removed with the value.
#[derive(Default)]
pub(crate) struct AgentWorkspaces {
    redacted: Option<ExportedTree>,
    whole: Option<ExportedTree>,
}

/// One room, removed with the value.
struct ExportedTree {
    folder: TempDir,
    /// Files that did not fit into it.
    missing: Vec<RepoPath>,
}

/// The most files that a note names.
const MAX_NAMED: usize = 5;

impl Drop for ExportedTree {
    fn drop(&mut self) {
        // What is left of it is no part of the verdict.
        let _ = room::remove_workspace(self.folder.path());
    }
}

impl AgentWorkspaces {
    /// The rooms that these seats need.
    pub(crate) fn for_seats(
        seats: &[Seat],
        blobs: &dyn BlobSource,
        redactor: &Redactor,
    ) -> Result<Self, RunError> {
        let mut programs = seats
            .iter()
            .filter(|seat| enters_room(&seat.agent.kind))
            .peekable();
        if !blobs.has_blobs() || programs.peek().is_none() {
            return Ok(Self::default());
        }
        let (tools, thinkers): (Vec<_>, Vec<_>) = programs.partition(|s| s.agent.kind.is_tool());
        Ok(Self {
            redacted: (!thinkers.is_empty())
                .then(|| {
                    ExportedTree::export_tree(blobs, &|path, content| {
                        redact_content(redactor, path, content)
                    })
                })
                .transpose()?,
            whole: (!tools.is_empty())
                .then(|| ExportedTree::export_tree(blobs, &keep_content))
                .transpose()?,
        })
    }

    /// Which files of the reviewed tree the agents cannot look up.
    pub(crate) fn missing_note(&self) -> Option<String> {
        let room = self.redacted.as_ref().or(self.whole.as_ref())?;
        let named = room.missing.iter().take(MAX_NAMED);
        let named: Vec<_> = named.map(|path| path.display().into_owned()).collect();
        let more = room.missing.len() - named.len();
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let files = named.join(", ");
        (!named.is_empty()).then(|| {
            format!("too large for the folder in which the agents look things up: {files}{more}")
        })
    }

    /// Where they are.
    pub(crate) fn workspace_folders(&self) -> session::ExportFolders {
        let place = |room: &Option<ExportedTree>| {
            room.as_ref().map(|room| room.folder.path().to_path_buf())
        };
        session::ExportFolders {
            redacted: place(&self.redacted),
            whole: place(&self.whole),
        }
    }
}

/// Whether an agent is a program, which can look into a folder. An API has its tools, or nothing.
fn enters_room(kind: &AgentKind) -> bool {
    kind.reads_text() && !matches!(kind, AgentKind::Http(_))
}

impl ExportedTree {
    fn export_tree(blobs: &dyn BlobSource, shown: &room::FileFilter<'_>) -> Result<Self, RunError> {
        let cannot = |error| RunError::run(format!("cannot export the reviewed tree: {error}"));
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir()
            .map_err(cannot)?;
        let mut room = Self {
            folder,
            missing: Vec::new(),
        };
        let bounds = WorkspaceBounds::default();
        let export = room::export_workspace(blobs, room.folder.path(), &bounds, shown);
        room.missing = export.map_err(cannot)?.missing_files().cloned().collect();
        Ok(room)
    }
}

/// A file as a judge is shown it that passes on what it reads: binary files hold no text to redact.
fn redact_content<'a>(redactor: &Redactor, path: &RepoPath, content: &'a [u8]) -> Cow<'a, [u8]> {
    match std::str::from_utf8(content) {
        Ok(text) => match redact_source(redactor, Some(path), text) {
            (_, 0) => Cow::Borrowed(content),
            (redacted, _) => Cow::Owned(redacted.into_bytes()),
        },
        Err(_) => Cow::Borrowed(content),
    }
}

fn keep_content<'a>(_: &RepoPath, content: &'a [u8]) -> Cow<'a, [u8]> {
    Cow::Borrowed(content)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use council_protocol::Side;
    use council_protocol::change::{BlobError, EntryKind, TreeEntry};
    use council_protocol::seat::{AgentSpec, Api, Endpoint, Prime};

    use super::*;

    /// A tree of one file.
    struct OneFile;

    impl BlobSource for OneFile {
        fn read(&self, _: Side, _: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
            Ok(Some(b"fn main() {}\n".as_slice().into()))
        }

        fn entries(&self, _: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
            Ok(Some(vec![TreeEntry {
                path: "main.rs".into(),
                kind: EntryKind::File,
            }]))
        }
    }

    fn seat(kind: AgentKind) -> Seat {
        Seat {
            judge: "judge-1".into(),
            perspective: Default::default(),
            agent: AgentSpec {
                name: "a".to_owned(),
                kind,
                vendor: String::new(),
                model: None,
                deterministic: false,
            },
        }
    }

    /// An export reads and redacts the whole tree: in a large repository it takes longer than the judges.
    #[test]
    fn the_tree_is_exported_for_programs_alone() {
        let api = || {
            seat(AgentKind::Http(Endpoint {
                api: Api::Anthropic,
                url: "https://api.example".to_owned(),
                key: None,
                fallback: Vec::new(),
                max_tokens: 1,
                structured: true,
                prime: Prime::Auto,
                tool_calls: 12,
                effort: None,
                thinking: None,
            }))
        };
        let program = || {
            seat(AgentKind::Command {
                argv: vec!["judge".to_owned()],
                env: Vec::new(),
                format: Default::default(),
                sandbox: Default::default(),
                tool: Default::default(),
            })
        };
        let rooms = |seats: &[Seat]| {
            AgentWorkspaces::for_seats(seats, &OneFile, &Redactor::default()).unwrap()
        };
        let alone = rooms(&[api(), api()]);
        assert!(alone.redacted.is_none() && alone.whole.is_none());
        for seats in [vec![program()], vec![api(), program()]] {
            let folder = rooms(&seats).workspace_folders().redacted.is_some();
            assert!(folder, "{} seats", seats.len());
        }
    }
}
