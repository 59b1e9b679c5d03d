//! A tool as a judge: asked about the changed files, at the base as well where only what is new matters, its report read
//! while it writes it. A tool that fails abstains, with its own last words.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::process::ChildStdout;

use council_protocol::change::{FileKind, FileStatus};
use council_protocol::seat::{AgentKind, OutputFormat, ToolRules};
use council_protocol::{Answer, Failure, FailureKind, FileChange, RepoPath, Side, Turn};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::client::shorten_message;
use crate::guard::{GuardedProgram, SandboxFence};
use crate::launcher_files::is_launched;
use crate::private;
use crate::process::{
    FinishedProgram, GRACE_MS, TreeKiller, cancelled_failure, run_reading, spawn_failure,
};
use crate::report::{HitSink, ReportSubject, read_report};
use crate::room::{self, WorkspaceBounds};
use crate::{AgentContext, StopSignal};

/// Stands in a command for the changed files, one argument each.
pub(crate) const FILES: &str = "{files}";

/// Stands in a command for a folder that the tool may write to.
const SCRATCH: &str = "{scratch}";

/// Stands in an argument for the file that configures the tool; without one the argument is left out. For tools that look
/// for it in a repository only, and there is none where they work.
const CONFIG: &str = "{config}";

/// The most bytes of file names in one command: some systems take no more than 128 KiB.
pub(crate) const MAX_NAME_BYTES: usize = 64 << 10;

/// One run of a tool, on one side of the change.
pub(crate) struct ToolRun<'a> {
    pub(crate) context: &'a AgentContext,
    pub(crate) argv: &'a [String],
    pub(crate) env: &'a [(String, OsString)],
    pub(crate) fence: Option<&'a SandboxFence>,
    pub(crate) scratch: &'a Path,
    pub(crate) format: OutputFormat,
    pub(crate) rules: &'a ToolRules,
    /// How it lists the files that it looks at; empty: it cannot.
    pub(crate) lists: &'a [&'a str],
    pub(crate) stop: &'a StopSignal,
}

impl ToolRun<'_> {
    /// What the tool says of the change in `workspace`.
    pub(crate) fn review(&self, workspace: &Path, turn: &Turn) -> Result<Answer, Failure> {
        let patterns = patterns_of(&self.rules.files)?;
        let changed = &self.context.packet.files;
        if given_files(self.argv, changed, &patterns).is_empty() {
            return Err(nothing_to_look_at());
        }
        let files = paths_on(changed, Side::New, &patterns);
        let trusted = self.trusted_workspace()?;
        let workspace = trusted.as_ref().map_or(workspace, |folder| folder.path());
        // Its paths begin with where it worked.
        let subject = self.subject_in(workspace);
        let mut sink = self.sink_for(&subject, Side::New);
        self.run_on(workspace, &files, &mut sink)?;
        let mut note = String::new();
        if self.rules.baseline && sink.asks_base() {
            match self.run_on_base(&patterns, &mut sink) {
                Ok(()) => {}
                Err(failure) if failure.kind == FailureKind::Cancelled => return Err(failure),
                Err(failure) => {
                    sink.forget_elsewhere();
                    note = format!(" It could not be run on the base: {}.", failure.detail);
                }
            }
        }
        sink.check_whole()?;
        note += &self.left_out_note(workspace, &files);
        Ok(sink.into_answer(self.rules, turn, &note))
    }

    fn sink_for<'s>(&self, subject: &'s ReportSubject<'s>, side: Side) -> HitSink<'s> {
        let sink = HitSink::new(subject, side);
        if self.rules.baseline {
            sink.with_elsewhere()
        } else {
            sink
        }
    }

    fn subject_in<'s>(&'s self, workspace: &'s Path) -> ReportSubject<'s> {
        ReportSubject {
            packet: &self.context.packet,
            blobs: &*self.context.blobs,
            room: workspace,
            // A scanner finds secrets in its own configuration, too; a compiler only what it cannot understand.
            config: match self.format {
                OutputFormat::Lines | OutputFormat::Cargo => &self.rules.config,
                _ => &[],
            },
        }
    }

    /// Whether a launcher starts it, whose files the change must not bring.
    pub(crate) fn is_launched(&self) -> bool {
        let path = self.context.env.get("PATH");
        is_launched(self.argv, path.map(OsString::as_os_str))
    }

    /// Takes away what the tool says of the base, too.
    fn run_on_base(&self, patterns: &Gitignore, sink: &mut HitSink<'_>) -> Result<(), Failure> {
        let files = paths_on(&self.context.packet.files, Side::Old, patterns);
        if files.is_empty() && takes_files(self.argv) {
            return Ok(());
        }
        let base = private::temporary_folder_in(self.scratch, "")
            .map_err(|error| spawn_failure(&self.argv[0], &error))?;
        let bounds = WorkspaceBounds {
            launched: self.is_launched(),
            ..WorkspaceBounds::default()
        };
        let exported = room::export_side(
            &*self.context.blobs,
            Side::Old,
            base.path(),
            &bounds,
            &as_it_is,
        )
        .map_err(|error| spawn_failure(&self.argv[0], &error))?;
        if exported.files == 0 {
            let detail = "the files of the base are not known";
            return Err(Failure::new(FailureKind::Unsupported, detail));
        }
        let subject = self.subject_in(base.path());
        let mut known = self.sink_for(&subject, Side::Old);
        self.run_on(base.path(), &files, &mut known)?;
        sink.drop_known(known);
        Ok(())
    }

    /// Runs it on those of the files that are in the workspace: links, submodules and files that steer agents are not.
    /// In parts where there are more files than a command takes.
    fn run_on(
        &self,
        workspace: &Path,
        files: &[RepoPath],
        sink: &mut HitSink<'_>,
    ) -> Result<(), Failure> {
        let path_in = |file: &RepoPath| workspace.join(OsStr::from_bytes(file.as_bytes()));
        let is_there = |file: &&RepoPath| path_in(file).is_file();
        let files: Vec<RepoPath> = files.iter().filter(is_there).cloned().collect();
        if !takes_files(self.argv) {
            files.iter().for_each(|file| sink.tell_unlisted(file));
            self.run_once_on(workspace, &files, sink)?;
            return self.check_copy(sink.side(), workspace, &files);
        }
        if files.is_empty() {
            return if sink.side() == Side::Old {
                Ok(())
            } else {
                Err(no_file_there())
            };
        }
        for part in parts_of(&files) {
            self.run_once_on(workspace, part, sink)?;
        }
        self.check_copy(sink.side(), workspace, &files)
    }

    fn run_once_on(
        &self,
        workspace: &Path,
        files: &[RepoPath],
        sink: &mut HitSink<'_>,
    ) -> Result<(), Failure> {
        let program = GuardedProgram {
            argv: self.command_for(workspace, files).into(),
            env: self.env,
            dir: workspace,
            grace_ms: GRACE_MS,
            fence: self.fence,
        };
        let exe = self.context.exe.clone().unwrap_or_default();
        let input = list_of(files);
        let format = self.format;
        let before = sink.offered();
        let read = |stream: Option<ChildStdout>, killer: &TreeKiller| {
            let Some(stream) = stream else {
                return (0, Ok(()));
            };
            let mut counted = CountedBytes { stream, bytes: 0 };
            let read = read_report(format, &mut counted, sink);
            if read.is_err() {
                killer.kill_tree();
            }
            let _ = std::io::copy(&mut counted, &mut std::io::sink());
            (counted.bytes, read)
        };
        let finished = run_reading(&exe, &program, input, read, self.stop)?;
        if self.stop.is_raised() {
            return Err(cancelled_failure());
        }
        self.check_run(finished, sink.offered() > before)?;
        match sink.misled() {
            Some(words) => {
                let detail = format!("`{}` cannot use its configuration: {words}", self.argv[0]);
                Err(Failure::new(FailureKind::Provider, detail))
            }
            None => Ok(()),
        }
    }

    /// Whether the tool has done its work. Most tell by their exit code that they found something, so a code alone is no
    /// failure; one with nothing written is, and so is a signal.
    fn check_run(
        &self,
        finished: FinishedProgram<(u64, Result<(), Failure>)>,
        has_reported: bool,
    ) -> Result<(), Failure> {
        let last_words = || match shorten_message(&finished.noise).as_str() {
            "" => String::new(),
            noise => format!(": {noise}"),
        };
        let name = &self.argv[0];
        let ended = finished.describe_ending();
        let (bytes, read) = &finished.stdout;
        let is_signal = finished.was_killed();
        let is_success = finished
            .status
            .as_ref()
            .is_ok_and(|status| status.success());
        // Plain lines are the one format in which finding nothing is writing nothing. Whoever fails and names no place, as
        // tsc does that prints its help, has not looked at anything.
        let is_silent = match self.format {
            OutputFormat::Lines => !has_reported && !is_success,
            _ => *bytes == 0,
        };
        if is_silent {
            let detail = format!(
                "`{name}` ended ({ended}) and wrote no report{}",
                last_words()
            );
            return Err(Failure::new(FailureKind::Empty, detail));
        }
        if let Err(failure) = read {
            let detail = format!(
                "`{name}` ended ({ended}); {}{}",
                failure.detail,
                last_words()
            );
            return Err(Failure::new(failure.kind, detail));
        }
        if is_signal {
            let detail = format!("`{name}` was ended ({ended}){}", last_words());
            return Err(Failure::new(FailureKind::Died, detail));
        }
        Ok(())
    }

    fn command_for(&self, workspace: &Path, files: &[RepoPath]) -> Vec<OsString> {
        let scratch = self.scratch.to_string_lossy();
        let mut configs = self.rules.config.iter();
        let config = configs.find(|name| workspace.join(name.as_str()).is_file());
        let expand = |argument: &String| match argument.as_str() {
            FILES => files.iter().map(argument_of).collect(),
            other if other.contains(CONFIG) => {
                let named = config.map(|config| other.replace(CONFIG, config).into());
                named.into_iter().collect()
            }
            other => vec![other.replace(SCRATCH, &scratch).into()],
        };
        self.argv.iter().flat_map(expand).collect()
    }
}

/// A tool that was started for no file has read nothing: its silence is no PASS.
fn nothing_to_look_at() -> Failure {
    let detail = "no changed file is one that it looks at";
    Failure::new(FailureKind::Unsupported, detail)
}

/// A patch outside of its repository and a job of a matrix have the change, and not the files.
fn no_file_there() -> Failure {
    let detail = "a tool reads files, and none of the changed files is here (a patch without its repository, one job for \
                  each judge, or a file that no judge is shown)";
    Failure::new(FailureKind::Unsupported, detail)
}

/// The changed files that a tool is asked about; none: it is no tool, or its patterns cannot be read, which it says itself.
pub fn files_of_tool(kind: &AgentKind, files: &[FileChange]) -> Option<BTreeSet<RepoPath>> {
    let AgentKind::Command {
        argv, format, tool, ..
    } = kind
    else {
        return None;
    };
    if *format == OutputFormat::Answer {
        return None;
    }
    let patterns = patterns_of(&tool.files).ok()?;
    Some(given_files(argv, files, &patterns).into_iter().collect())
}

/// Whether a command names the files that it is about; a tool without them looks at the whole tree.
fn takes_files(argv: &[String]) -> bool {
    argv.iter().any(|argument| argument == FILES)
}

/// The changed files that are a tool's affair: those that it is asked about, and for one that looks at the whole tree also
/// those that are gone, since what is left may need them.
fn given_files(argv: &[String], files: &[FileChange], patterns: &Gitignore) -> Vec<RepoPath> {
    let mut given = paths_on(files, Side::New, patterns);
    if !takes_files(argv) {
        let gone = |file: &&FileChange| file.status == FileStatus::Deleted;
        let gone: Vec<FileChange> = files.iter().filter(gone).cloned().collect();
        given.extend(paths_on(&gone, Side::Old, patterns));
    }
    given
}

/// A path as no tool takes it for an option.
pub(crate) fn argument_of(path: &RepoPath) -> OsString {
    OsString::from_vec([b"./", path.as_bytes()].concat())
}

/// The paths for standard input, one a line: a name that holds a line break cannot stand there.
pub(crate) fn list_of(files: &[RepoPath]) -> Vec<u8> {
    let names = files.iter().map(RepoPath::as_bytes);
    let lines = names.filter(|name| !name.contains(&b'\n'));
    lines
        .flat_map(|name| [b"./", name, b"\n"].concat())
        .collect()
}

/// A file as a tool that looks for secrets has to see it.
fn as_it_is<'c>(_: &RepoPath, content: &'c [u8]) -> Cow<'c, [u8]> {
    Cow::Borrowed(content)
}

/// Counts what a tool wrote.
struct CountedBytes<R> {
    stream: R,
    bytes: u64,
}

impl<R: std::io::Read> std::io::Read for CountedBytes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.bytes += read as u64;
        Ok(read)
    }
}

/// The patterns of files, as gitignore has them: the last one that matches decides, and one with `!` takes files out.
fn patterns_of(patterns: &[String]) -> Result<Gitignore, Failure> {
    let cannot = |error: ignore::Error| {
        Failure::new(FailureKind::Spawn, format!("`files` of the agent: {error}"))
    };
    let mut set = GitignoreBuilder::new("");
    for pattern in patterns {
        set.add_line(None, pattern).map_err(cannot)?;
    }
    set.build().map_err(cannot)
}

/// The files of a side that changed and that the tool looks at. Links and submodules are no files in its workspace.
fn paths_on(files: &[FileChange], side: Side, patterns: &Gitignore) -> Vec<RepoPath> {
    let is_file =
        |file: &&FileChange| !matches!(file.kind, FileKind::Symlink | FileKind::Submodule);
    let path_of = |file: &FileChange| match side {
        Side::New => (file.status != FileStatus::Deleted).then(|| file.path.clone()),
        Side::Old => (file.status != FileStatus::Added)
            .then(|| file.old_path.clone().unwrap_or_else(|| file.path.clone())),
    };
    let is_its = |path: &RepoPath| {
        let path = Path::new(OsStr::from_bytes(path.as_bytes()));
        patterns.is_empty()
            || patterns
                .matched_path_or_any_parents(path, false)
                .is_ignore()
    };
    let paths = files.iter().filter(is_file).filter_map(path_of);
    paths.filter(is_its).collect()
}

/// The files in parts that fit into a command each.
fn parts_of(files: &[RepoPath]) -> Vec<&[RepoPath]> {
    let (mut parts, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, file) in files.iter().enumerate() {
        let length = argument_of(file).len();
        if bytes + length > MAX_NAME_BYTES && at > start {
            parts.push(&files[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += length + 1;
    }
    parts.push(&files[start..]);
    parts
}
