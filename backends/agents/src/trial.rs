//! One run of a command of the user's on code that nobody trusts: a fresh export of one side of a change, behind
//! every border that this machine has. Where one of them is missing, nothing is run.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ChildStdout;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use council_protocol::{BlobSource, RepoPath, Side};

#[path = "trial_readable.rs"]
mod readable;

use crate::StopSignal;
use crate::command::is_safe_program;
pub use crate::guard::Refusal;
use crate::guard::{
    GuardedProgram, HardBorders, SERVED, SandboxFence, TreeCopy, coverable_places, is_enforceable,
    os_arguments, private_folder,
};
pub use crate::process::find_program;
use crate::process::{TreeKiller, run_reading};
use crate::room::{self, FileFilter, WorkspaceBounds};

/// How much of what a command writes is kept, in bytes: the end of it.
const KEPT_BYTES: usize = 8 << 10;

/// A command that writes more is ended.
const MAX_OUTPUT_BYTES: u64 = 16 << 20;

/// Devices that every program may write to.
const DEVICES: [&str; 2] = ["/dev/null", "/dev/zero"];

/// Folders that everybody writes to: a test has its own there, for what it needs is no defect.
const SHARED: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Beside the folders of a test: what the guard says of refusals, and what git says of each of its starts.
const REFUSED: &str = "refused";
const GIT_STARTS: &str = "git-starts";

/// The folder of one reproduction: all of its runs have the same paths.
pub struct TrialFolder {
    folder: crate::private::TemporaryFolder,
}

/// A command that runs behind the borders.
pub struct TrialCommand<'a> {
    /// This program, whose guard holds the command.
    pub exe: &'a Path,
    /// The command and its arguments.
    pub argv: &'a [String],
    /// The environment of this program that the command may see; its home and its folder for temporary files are its
    /// own.
    pub env: &'a [(String, OsString)],
    /// Folders of the user's that it may read.
    pub read: &'a [PathBuf],
    /// The home of the user; none: nobody knows it, and no folder of the `PATH` is read as a whole.
    pub home: Option<&'a Path>,
    /// The worktree in whose place the copy stands; none: the worktree is where it is.
    pub worktree: Option<&'a Path>,
    /// What it is kept from beside files.
    pub borders: HardBorders,
    /// How long it may take.
    pub timeout: Duration,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialEnding {
    /// By itself, with this exit code.
    Exited(i32),
    /// It was ended, or did not start: why.
    Broken(String),
    /// Nothing was run, because a border is missing.
    NoBorders(String),
}

/// What a command left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedTrial {
    /// How it ended.
    pub ending: TrialEnding,
    /// The end of what it wrote. Untrusted text.
    pub output: String,
    /// Whether it wrote more than that.
    pub is_cut: bool,
    /// What the borders kept from it.
    pub refused: BTreeSet<Refusal>,
    /// Whether it had a server of its own, to which it talked.
    pub has_served: bool,
}

impl TrialFolder {
    /// A new folder.
    ///
    /// # Errors
    /// What the disk says.
    pub fn create(prefix: &str) -> io::Result<Self> {
        let folder = crate::private::temporary_folder(prefix)?;
        Ok(Self { folder })
    }

    fn tree(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    /// Puts a side of a change there in the place of what was there before, one file with another text, and further
    /// files. Nothing but the code tells one side from the other: the paths are the same, and so are the times of all
    /// files. Returns what of that side is not there, since an export has no links, no submodules, no large files and
    /// none that steer agents.
    ///
    /// # Errors
    /// What the disk says, and that a file cannot be put where it is to stand.
    pub fn fill(
        &self,
        source: &dyn BlobSource,
        side: Side,
        edit: Option<(&RepoPath, &[u8])>,
        files: &[(&RepoPath, &str)],
    ) -> io::Result<Vec<(RepoPath, &'static str)>> {
        self.clear()?;
        let tree = self.tree();
        for folder in [
            &tree,
            &self.folder.path().join("home"),
            &self.folder.path().join("tmp"),
        ] {
            fs::create_dir(folder)?;
        }
        for place in SHARED {
            fs::create_dir_all(private_folder(self.folder.path(), Path::new(place)))?;
        }
        let bounds = WorkspaceBounds {
            writable: true,
            ..WorkspaceBounds::default()
        };
        let as_edited: &FileFilter<'_> = &|path, content| match edit {
            Some((edited, text)) if edited == path => text.to_vec().into(),
            _ => content.into(),
        };
        let exported = room::export_side(source, side, &tree, &bounds, as_edited)?;
        if let Some((path, _)) = edit
            && !room::holds_file(&tree, path)
        {
            let why = format!("{} is not among the files", path.display());
            return Err(io::Error::other(why));
        }
        for (path, content) in files {
            // A test that the repository has by now stands there already.
            let is_there = |bytes: &[u8]| bytes == content.as_bytes();
            if source
                .read(side, path)
                .ok()
                .flatten()
                .is_some_and(|bytes| is_there(&bytes))
            {
                continue;
            }
            // An export has neither links nor special files, so that no path leads out of it.
            room::add_file(&tree, path, content.as_bytes())?;
        }
        Ok(exported.left_out)
    }

    /// Removes what runs left there.
    fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.folder.path())? {
            let path = entry?.path();
            make_removable(&path);
            if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(&path)?;
            } else {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Runs a command in it.
    pub fn run(&self, command: &TrialCommand<'_>, stop: &StopSignal) -> FinishedTrial {
        let none = |ending| FinishedTrial {
            ending,
            output: String::new(),
            is_cut: false,
            refused: BTreeSet::new(),
            has_served: false,
        };
        if !is_enforceable() {
            let why =
                "this kernel cannot keep a program from files (Linux 6.2 or later, with Landlock)";
            return none(TrialEnding::NoBorders(why.to_owned()));
        }
        let path = command.env.iter().find(|(name, _)| name == "PATH");
        let program = command.argv.first().map_or("", String::as_str);
        if !is_safe_program(program) {
            let why =
                format!("`{program}` is looked up in the repository: name a program on the PATH");
            return none(TrialEnding::NoBorders(why));
        }
        if find_program(program, path.map(|(_, value)| value)).is_none() {
            let why = format!("there is no program `{program}` on the PATH");
            return none(TrialEnding::NoBorders(why));
        }
        let fence = self.fence(command);
        let env = self.environment(command);
        let guarded = GuardedProgram {
            argv: os_arguments(command.argv),
            env: &env,
            dir: &self.tree(),
            grace_ms: 0,
            fence: Some(&fence),
        };
        let ended = Arc::new(AtomicBool::new(false));
        let read = |stream: Option<ChildStdout>, killer: &TreeKiller| {
            read_bounded(stream, killer, command.timeout, &ended)
        };
        let finished = match run_reading(command.exe, &guarded, Vec::new(), read, stop) {
            Ok(finished) => finished,
            Err(failure) => return none(TrialEnding::NoBorders(failure.detail)),
        };
        let (output, written) = finished.stdout;
        let code = finished
            .status
            .as_ref()
            .ok()
            .and_then(|status| status.code());
        let ending = match code {
            _ if stop.is_raised() => TrialEnding::Broken("it was stopped".to_owned()),
            _ if written > MAX_OUTPUT_BYTES => {
                TrialEnding::Broken("it wrote more than 16 MB".to_owned())
            }
            _ if ended.load(Ordering::Relaxed) => {
                TrialEnding::Broken(format!("it took more than {} s", command.timeout.as_secs()))
            }
            // The guard's own words: nothing was started.
            Some(127) if output.is_empty() && finished.noise.starts_with("cannot start ") => {
                TrialEnding::NoBorders(finished.noise.clone())
            }
            Some(code) if code > 128 => {
                TrialEnding::Broken(format!("it was ended by signal {}", code - 128))
            }
            Some(code) => TrialEnding::Exited(code),
            None => TrialEnding::Broken("it was ended".to_owned()),
        };
        let output = [output, finished.noise].join("\n").trim().to_owned();
        let told = self.told_by_guard();
        FinishedTrial {
            ending,
            output,
            is_cut: written > KEPT_BYTES as u64,
            refused: self.refused(&told),
            has_served: told.lines().any(|line| line == SERVED),
        }
    }

    /// What the guard says of the last run.
    fn told_by_guard(&self) -> String {
        let word = self.folder.path().join(REFUSED);
        // Where the guard was ended, too, whatever stands there is the test's.
        let is_word = fs::symlink_metadata(&word).is_ok_and(|it| it.is_file() && it.len() < 4_096);
        let text = is_word.then(|| fs::read_to_string(&word).unwrap_or_default());
        text.unwrap_or_default()
    }

    /// What the borders kept from the last run.
    fn refused(&self, told: &str) -> BTreeSet<Refusal> {
        let mut refused = Refusal::parse_all(told);
        // No copy has the folder of git, so that it finds another repository or none.
        let has_git = fs::symlink_metadata(self.folder.path().join(GIT_STARTS)).is_ok();
        refused.extend(has_git.then_some(Refusal::Git));
        refused
    }

    fn fence(&self, command: &TrialCommand<'_>) -> SandboxFence {
        let path = command.env.iter().find(|(name, _)| name == "PATH");
        let folders = path.map_or_else(Vec::new, |(_, path)| std::env::split_paths(path).collect());
        let mut read = readable::of_system();
        let folders = folders.into_iter().filter(|folder| folder.is_absolute());
        read.extend(folders.flat_map(|folder| readable::of_path(folder, command.home)));
        read.extend(command.read.iter().cloned());
        let mut write: Vec<PathBuf> = DEVICES.map(PathBuf::from).into();
        write.push(self.folder.path().to_path_buf());
        SandboxFence {
            private: coverable_places(&SHARED, &read),
            copy: command
                .worktree
                .and_then(|place| self.copy_for(place, &read)),
            read,
            write,
            borders: Some(command.borders),
            refused: Some(self.folder.path().join(REFUSED)),
        }
    }

    /// The copy in the place of a worktree, with what may be read there and no copy has. None: the copy itself lies below
    /// it.
    fn copy_for(&self, worktree: &Path, read: &[PathBuf]) -> Option<TreeCopy> {
        let place = fs::canonicalize(worktree).ok()?;
        if place.parent().is_none() || self.folder.path().starts_with(&place) {
            return None;
        }
        let tree = self.tree();
        let is_foreign = |path: &PathBuf| {
            let below = path.strip_prefix(&place).ok();
            below.is_some_and(|below| !below.as_os_str().is_empty() && !tree.join(below).exists())
        };
        let whole = read.iter().filter_map(|path| fs::canonicalize(path).ok());
        let mut kept: Vec<PathBuf> = whole.filter(is_foreign).collect();
        kept.sort();
        // What lies below another one comes with it.
        kept.dedup_by(|path, above| path.starts_with(above));
        Some(TreeCopy { tree, place, kept })
    }

    fn environment(&self, command: &TrialCommand<'_>) -> Vec<(String, OsString)> {
        let own =
            |name: &str| ["HOME", "TMPDIR", "TEMP", "TMP", "GIT_TRACE2_EVENT"].contains(&name);
        let given = command.env.iter().filter(|(name, _)| !own(name));
        let mut env: Vec<(String, OsString)> = given.cloned().collect();
        env.push(("HOME".to_owned(), self.folder.path().join("home").into()));
        env.push(("TMPDIR".to_owned(), self.folder.path().join("tmp").into()));
        let starts = self.folder.path().join(GIT_STARTS);
        env.push(("GIT_TRACE2_EVENT".to_owned(), starts.into()));
        env
    }
}

/// Tests may take permissions away from folders, which then could not be emptied.
fn make_removable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return;
    };
    if !metadata.is_dir() {
        return;
    }
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_removable(&entry.path());
        }
    }
}

impl Drop for TrialFolder {
    fn drop(&mut self) {
        make_removable(self.folder.path());
    }
}

/// The end of what a program writes, and how many bytes it wrote in all; ends it when it does, or when its time is over.
fn read_bounded(
    stream: Option<ChildStdout>,
    killer: &TreeKiller,
    timeout: Duration,
    ended: &Arc<AtomicBool>,
) -> (String, u64) {
    let Some(mut stream) = stream else {
        return (String::new(), 0);
    };
    let (done, waits) = channel::<()>();
    let clock = {
        let (killer, ended) = (killer.clone(), Arc::clone(ended));
        thread::spawn(move || {
            if waits.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
                ended.store(true, Ordering::Relaxed);
                killer.kill_tree();
            }
        })
    };
    let (mut kept, mut total, mut buffer) = (Vec::new(), 0u64, vec![0; 1 << 16]);
    let mut flooded = false;
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        total += count as u64;
        kept.extend_from_slice(&buffer[..count]);
        let over = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..over);
        if total > MAX_OUTPUT_BYTES && !flooded {
            flooded = true;
            killer.kill_tree();
        }
    }
    drop(done);
    let _ = clock.join();
    (String::from_utf8_lossy(&kept).into_owned(), total)
}
