//! The rooms of agents that are programs: exports of the reviewed tree, away from the repository.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

use council_agents::launcher_files::is_launched;
use council_agents::private;
use council_agents::room::{self, WorkspaceBounds};
use council_protocol::change::{BlobError, BlobSource, TreeEntry};
use council_protocol::seat::AgentKind;
use council_protocol::{JudgeId, RepoPath, Seat, Side};
use council_secrets::Redactor;

use crate::git::{self, PathFilter};
use crate::prompt::redact_source;
use crate::session;

use crate::run::error::RunError;

/// The rooms of a council, removed with the value.
#[derive(Default)]
pub(crate) struct AgentWorkspaces {
    /// Of agents that are kept from writing.
    shared: Option<ExportedTree>,
    /// Of each judge that nobody keeps from writing.
    own: BTreeMap<JudgeId, ExportedTree>,
}

/// One room, removed with the value.
struct ExportedTree {
    folder: private::TemporaryFolder,
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
        hidden: Option<&PathFilter>,
        search_path: Option<&OsStr>,
    ) -> Result<Self, RunError> {
        let mut rooms = Self::default();
        if !blobs.has_blobs() {
            return Ok(rooms);
        }
        for seat in seats.iter().filter(|seat| enters_room(&seat.agent.kind)) {
            let kind = &seat.agent.kind;
            if !may_write(kind) {
                if rooms.shared.is_none() {
                    rooms.shared = Some(ExportedTree::redacted(blobs, redactor, hidden)?);
                }
                continue;
            }
            // Nobody works in a room yet: what lies in one of the same content is what was written there.
            let mut written = seats.iter().filter_map(|other| {
                let is_launched = |kind: &AgentKind| starts_launched(kind, search_path);
                let content = |kind: &AgentKind| (kind.is_tool(), is_launched(kind));
                let is_like = content(&other.agent.kind) == content(kind);
                rooms.own.get(&other.judge).filter(|_| is_like)
            });
            let room = match written.next() {
                Some(room) => room.copy()?,
                None if kind.is_tool() => ExportedTree::export_tree(
                    blobs,
                    starts_launched(kind, search_path),
                    &keep_content,
                )?,
                None => ExportedTree::redacted(blobs, redactor, hidden)?,
            };
            rooms.own.insert(seat.judge.clone(), room);
        }
        Ok(rooms)
    }

    /// Which files of the reviewed tree the agents cannot look up.
    pub(crate) fn missing_note(&self) -> Option<String> {
        let room = self.shared.as_ref().or(self.own.values().next())?;
        let named = room.missing.iter().take(MAX_NAMED);
        let named: Vec<_> = named.map(|path| path.display().into_owned()).collect();
        let more = room.missing.len() - named.len();
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let files = named.join(", ");
        (!named.is_empty()).then(|| {
            format!("missing in the folder in which the agents look things up (too large, or not readable): {files}{more}")
        })
    }

    /// Where they are.
    pub(crate) fn workspace_folders(&self) -> session::ExportFolders {
        let place = |room: &ExportedTree| room.folder.path().to_path_buf();
        let own = self.own.iter();
        session::ExportFolders {
            shared: self.shared.as_ref().map(place),
            own: own
                .map(|(judge, room)| (judge.clone(), place(room)))
                .collect(),
        }
    }
}

/// Whether an agent is a program, which can look into a folder. An API has its tools, or nothing.
fn enters_room(kind: &AgentKind) -> bool {
    kind.reads_text() && !matches!(kind, AgentKind::Http(_))
}

/// Whether nothing but its own manners keeps an agent from writing. The permissions of files do not: whoever owns them
/// takes them back, and root never needs them.
fn may_write(kind: &AgentKind) -> bool {
    matches!(kind, AgentKind::Command { .. } | AgentKind::Acp(_))
}

/// Whether a launcher may start it, whose files the change must not bring. Of a coding agent and of a script nobody knows; a
/// tool that is started itself has to see every file, since secrets are looked for in them.
fn starts_launched(kind: &AgentKind, search_path: Option<&OsStr>) -> bool {
    match kind {
        AgentKind::Command { argv, .. } if kind.is_tool() => is_launched(argv, search_path),
        _ => true,
    }
}

impl ExportedTree {
    fn new() -> io::Result<Self> {
        Ok(Self {
            folder: private::temporary_folder(private::ROOM_PREFIX)?,
            missing: Vec::new(),
        })
    }

    fn export_tree(
        blobs: &dyn BlobSource,
        launched: bool,
        shown: &room::FileFilter<'_>,
    ) -> Result<Self, RunError> {
        let mut room = Self::new().map_err(cannot_export)?;
        let bounds = WorkspaceBounds {
            launched,
            ..WorkspaceBounds::default()
        };
        let export = room::export_workspace(blobs, room.folder.path(), &bounds, shown);
        let export = export.map_err(cannot_export)?;
        room.missing = export.missing_files().cloned().collect();
        Ok(room)
    }

    /// Of agents that may pass on what they read: secrets are replaced, as they are in briefs, and files left out that no model
    /// may see.
    fn redacted(
        blobs: &dyn BlobSource,
        redactor: &Redactor,
        hidden: Option<&PathFilter>,
    ) -> Result<Self, RunError> {
        let named = RedactedNames::new(blobs, redactor, hidden)?;
        Self::export_tree(&named, true, &|path, content| {
            redact_content(redactor, path, content)
        })
    }

    /// Another room of the same content. Links to its files would share what is written into them.
    fn copy(&self) -> Result<Self, RunError> {
        let mut copy = Self::new().map_err(cannot_export)?;
        room::copy_workspace(self.folder.path(), copy.folder.path()).map_err(cannot_export)?;
        copy.missing.clone_from(&self.missing);
        Ok(copy)
    }
}

fn cannot_export(error: impl std::fmt::Display) -> RunError {
    RunError::run(format!("cannot export the reviewed tree: {error}"))
}

/// A file as a judge is shown it that passes on what it reads. Where something is replaced, what is no UTF-8 becomes it.
fn redact_content<'a>(redactor: &Redactor, path: &RepoPath, content: &'a [u8]) -> Cow<'a, [u8]> {
    let as_it_is = Cow::Borrowed(content);
    // The text that it stands for, and the bytes as somebody else may read them.
    let texts = [git::decode_text(content), Some(as_it_is.clone())];
    for text in texts.into_iter().flatten() {
        let (redacted, secrets) =
            redact_source(redactor, Some(path), &String::from_utf8_lossy(&text));
        if secrets > 0 {
            return Cow::Owned(redacted.into_bytes());
        }
    }
    as_it_is
}

/// A source whose files have the names that judges are told: a name may hold a secret, too.
struct RedactedNames<'a> {
    blobs: &'a dyn BlobSource,
    entries: Option<Vec<TreeEntry>>,
    /// The real names of those that have another.
    real: BTreeMap<RepoPath, RepoPath>,
}

impl<'a> RedactedNames<'a> {
    fn new(
        blobs: &'a dyn BlobSource,
        redactor: &Redactor,
        hidden: Option<&PathFilter>,
    ) -> Result<Self, RunError> {
        let mut entries = blobs.entries(Side::New).map_err(cannot_export)?;
        if let (Some(entries), Some(hidden)) = (&mut entries, hidden) {
            entries.retain(|entry| !hidden(&entry.path));
        }
        let mut real = BTreeMap::new();
        for entry in entries.iter_mut().flatten() {
            let shown = redactor.redact_name(&entry.path.display());
            if shown.secrets > 0 {
                let count = real
                    .keys()
                    .filter(|known: &&RepoPath| known.display().starts_with(&shown.text));
                let same = count.count();
                let apart = if same > 0 {
                    format!(" ({})", same + 1)
                } else {
                    String::new()
                };
                let path = RepoPath::new((shown.text + &apart).as_bytes());
                let was = std::mem::replace(&mut entry.path, path.clone());
                real.insert(path, was);
            }
        }
        Ok(Self {
            blobs,
            entries,
            real,
        })
    }
}

impl BlobSource for RedactedNames<'_> {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        self.blobs.read(side, self.real.get(path).unwrap_or(path))
    }

    fn entries(&self, side: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
        match side {
            Side::New => Ok(self.entries.clone()),
            Side::Old => self.blobs.entries(side),
        }
    }
}

fn keep_content<'a>(_: &RepoPath, content: &'a [u8]) -> Cow<'a, [u8]> {
    Cow::Borrowed(content)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use council_protocol::change::EntryKind;
    use council_protocol::seat::{AgentSpec, Api, Client, Endpoint, OutputFormat, Prime};
    use proptest::prelude::*;

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
                is_executable: false,
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
            AgentWorkspaces::for_seats(seats, &OneFile, &Redactor::default(), None, None).unwrap()
        };
        let alone = rooms(&[api(), api()]);
        assert!(alone.shared.is_none() && alone.own.is_empty());
        for seats in [vec![program()], vec![api(), program()]] {
            let folders = rooms(&seats).workspace_folders();
            assert_eq!(folders.own.len(), 1, "{} seats", seats.len());
        }
    }

    fn client() -> Client {
        Client {
            argv: vec!["agent".to_owned()],
            ..Client::default()
        }
    }

    fn command(format: OutputFormat) -> AgentKind {
        AgentKind::Command {
            argv: vec!["judge".to_owned()],
            env: Vec::new(),
            format,
            sandbox: Default::default(),
            tool: Default::default(),
        }
    }

    proptest! {
        /// Whatever a judge writes into its room, and however it is made, no other judge reads it.
        #[test]
        fn what_one_judge_writes_no_other_reads(
            kinds in proptest::collection::vec(0..5_usize, 1..6),
            writer in any::<prop::sample::Index>(),
        ) {
            let kind = |kind: usize| match kind {
                0 => command(OutputFormat::Answer),
                1 => command(OutputFormat::Sarif),
                2 => command(OutputFormat::Lines),
                3 => AgentKind::Acp(client()),
                _ => AgentKind::Claude(client()),
            };
            let mut seats: Vec<Seat> = kinds.iter().map(|&k| seat(kind(k))).collect();
            for (number, seat) in seats.iter_mut().enumerate() {
                seat.judge = format!("judge-{number}").as_str().into();
            }
            let rooms =
                AgentWorkspaces::for_seats(&seats, &OneFile, &Redactor::default(), None, None).unwrap();
            let folders = rooms.workspace_folders();
            let writers: Vec<&Seat> = seats.iter().filter(|s| may_write(&s.agent.kind)).collect();
            prop_assume!(!writers.is_empty());
            let writer = &writer.get(&writers).judge;
            let file = folders.own[writer].join("main.rs");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
            std::fs::write(&file, "other").unwrap();
            let others = folders.own.iter().filter(|(judge, _)| *judge != writer);
            for folder in others.map(|(_, folder)| folder).chain(&folders.shared) {
                let read = std::fs::read(folder.join("main.rs")).unwrap();
                prop_assert_eq!(read, b"fn main() {}\n".to_vec());
            }
        }
    }

    const TOKEN: &str = concat!("ghp_", "RV0LicaqJDR6g4RImaBXZBMKST9OPE261yEz");

    struct Files(Vec<(String, Vec<u8>)>);

    impl BlobSource for Files {
        fn read(&self, _: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
            let found = self.0.iter().find(|(name, _)| path.display() == *name);
            Ok(found.map(|(_, content)| content.as_slice().into()))
        }

        fn entries(&self, _: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
            let entry = |(name, _): &(String, Vec<u8>)| TreeEntry {
                path: name.as_str().into(),
                kind: EntryKind::File,
                is_executable: false,
            };
            Ok(Some(self.0.iter().map(entry).collect()))
        }
    }

    /// Names and contents of what a judge finds in its room.
    fn room_of(files: &Files) -> Vec<(String, Vec<u8>)> {
        let redactor = Redactor::default();
        let named = RedactedNames::new(files, &redactor, None).unwrap();
        let shown = |path: &RepoPath, content: &[u8]| -> Vec<u8> {
            redact_content(&redactor, path, content).into_owned()
        };
        let listed = named.entries(Side::New).unwrap().unwrap();
        let read = |entry: TreeEntry| {
            let content = named.read(Side::New, &entry.path).unwrap().unwrap();
            (
                entry.path.display().into_owned(),
                shown(&entry.path, &content),
            )
        };
        listed.into_iter().map(read).collect()
    }

    /// Whether a text stands in bytes, be it with every second or three of four bytes zero.
    fn holds(bytes: &[u8], text: &str) -> bool {
        let plain: Vec<u8> = bytes.iter().copied().filter(|&b| b != 0).collect();
        plain
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    }

    fn wide(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    proptest! {
        #[test]
        fn no_encoding_and_no_name_brings_a_secret_into_a_room(
            before in proptest::collection::vec(any::<u8>(), 0..20),
            after in proptest::collection::vec(any::<u8>(), 0..20),
            folder in "[a-z]{1,5}",
        ) {
            let line = format!("x\ntoken = \"{TOKEN}\"\ny\n");
            let odd = [&before[..], b"\n", line.as_bytes(), &after].concat();
            let latin = [b"caf\xe9\n", line.as_bytes()].concat();
            let mark = |bytes: Vec<u8>, mark: [u8; 2]| [mark.to_vec(), bytes].concat();
            let files = Files(vec![
                ("odd".to_owned(), odd),
                ("latin.py".to_owned(), latin),
                ("le.txt".to_owned(), wide(&line, u16::to_le_bytes)),
                ("be.txt".to_owned(), wide(&line, u16::to_be_bytes)),
                ("marked.txt".to_owned(), mark(wide(&line, u16::to_le_bytes), [0xff, 0xfe])),
                (format!("{folder}/{TOKEN}/a.py"), b"plain\n".to_vec()),
                (format!("{folder}/{TOKEN}/b.py"), b"plain\n".to_vec()),
                (format!("{folder}/{TOKEN}.py"), b"plain\n".to_vec()),
                ("image.png".to_owned(), before.clone()),
            ]);
            let room = room_of(&files);
            prop_assert_eq!(room.len(), files.0.len());
            for (name, content) in &room {
                prop_assert!(!name.contains(TOKEN) && !holds(content, TOKEN), "{}", name);
            }
            let names: std::collections::BTreeSet<_> = room.iter().map(|(name, _)| name).collect();
            prop_assert_eq!(names.len(), room.len());
            prop_assert_eq!(&room[8].1, &before);
        }
    }
}
