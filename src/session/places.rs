//! Where the files of a run lie, and what they are called.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use council_protocol::JudgeId;
use council_protocol::RoundNumber;

use super::error::SessionError;
use super::holder::RunLock;
use super::world::{CalendarMoment, SessionDisk, SessionWorld, WriteDurability};

/// The most runs of one target on one day.
const MAX_RUNS_PER_DAY: u32 = 10_000;

/// What the file of a name ends with whose run is gone.
pub(crate) const RETIRED_SUFFIX: &str = ".gone";

/// The file in a run's folder that names the worktree in which it began.
pub(crate) const WORKTREE_FILE: &str = "worktree";

/// The longest `<target>` in a file name.
const MAX_SLUG_CHARS: usize = 50;

/// Where runs and artefacts go; none: nothing is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFolders {
    /// The folder of run folders.
    pub runs: Option<RunFolder>,
    /// The folder of the files that people read.
    pub artefacts: Option<RunFolder>,
    /// The worktree in which runs begin, since all worktrees share `runs`; none where there is no repository.
    pub worktree: Option<String>,
}

/// A folder that is made when it is needed, below one that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
    below: PathBuf,
    /// Whether git is told to look away.
    ignored: bool,
}

impl RunFolder {
    fn new(root: &Path, below: &str) -> Self {
        Self {
            root: root.to_path_buf(),
            below: below.into(),
            ignored: false,
        }
    }

    pub fn path(&self) -> PathBuf {
        self.root.join(&self.below)
    }

    fn create_folder(&self, disk: &dyn SessionDisk) -> Result<PathBuf, SessionError> {
        let path = self.path();
        disk.make_dirs(&self.root, &self.below)
            .map_err(SessionError::disk("make", &path))?;
        let ignore = path.join(".gitignore");
        if self.ignored && disk.read_file(&ignore).is_err() {
            disk.write_file(&ignore, b"*\n", WriteDurability::Cheap)
                .map_err(SessionError::disk("write", &ignore))?;
        }
        Ok(path)
    }
}

impl RunFolders {
    /// The places of a repository: `git_dir` is the one that all worktrees share; a bare one has no worktree.
    pub fn in_repository(git_dir: &Path, worktree: Option<&Path>) -> Self {
        let artefacts = match worktree {
            Some(worktree) => RunFolder {
                ignored: true,
                ..RunFolder::new(worktree, ".agents/council")
            },
            None => RunFolder::new(git_dir, "council/artefacts"),
        };
        Self {
            runs: Some(RunFolder::new(git_dir, "council/runs")),
            artefacts: Some(artefacts),
            worktree: None,
        }
    }

    /// The places of a review without a repository, in a folder that the user named.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            runs: Some(RunFolder::new(folder, "runs")),
            artefacts: Some(RunFolder::new(folder, "")),
            worktree: None,
        }
    }
}

/// The names of the runs that are there, and of those that were.
fn taken_names(disk: &dyn SessionDisk, runs: &Path) -> BTreeSet<String> {
    // What cannot be listed is tried name by name.
    let names = disk.list_folder(runs).unwrap_or_default().into_iter();
    let run = |name: String| match name.strip_suffix(RETIRED_SUFFIX) {
        Some(run) => run.to_owned(),
        None => name,
    };
    names.map(run).collect()
}

/// A run by its name, with the places of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRef {
    /// `council-YYYYMMDD-<target>`; a second one on the same day ends with `-2`.
    pub name: String,
    /// `YYYY-MM-DD-<target>`, numbered as the name is: how its artefacts begin.
    pub stem: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// The run's own folder under the git directory.
    pub folder: Option<PathBuf>,
    /// The folder of the files that people read.
    pub artefacts: Option<PathBuf>,
}

impl RunRef {
    /// Makes the folders of a new run of `target` (a slug), begun at `moment`.
    pub fn create(
        world: &dyn SessionWorld,
        places: &RunFolders,
        target: &str,
        moment: &CalendarMoment,
    ) -> Result<Self, SessionError> {
        let disk = world.disk();
        let artefacts = places
            .artefacts
            .as_ref()
            .map(|place| place.create_folder(disk))
            .transpose()?;
        let run = match &places.runs {
            Some(place) => Self::claim_name(disk, &place.create_folder(disk)?, target, moment)?,
            None => Self::with_name(target, moment, 1),
        };
        if let (Some(worktree), Some(path)) = (&places.worktree, run.file_path(WORKTREE_FILE)) {
            disk.write_file(&path, worktree.as_bytes(), WriteDurability::Cheap)
                .map_err(SessionError::disk("write", &path))?;
        }
        Ok(Self { artefacts, ..run })
    }

    /// Takes the first name that nobody has or had, by making its folder. A name that was given again would show the
    /// verdict of one run to who asks for that of another.
    fn claim_name(
        disk: &dyn SessionDisk,
        runs: &Path,
        target: &str,
        moment: &CalendarMoment,
    ) -> Result<Self, SessionError> {
        // A target may be reviewed a hundred times a day: what is taken is asked once, and by the second run only.
        let mut taken = BTreeSet::new();
        for number in 1..=MAX_RUNS_PER_DAY {
            let run = Self::with_name(target, moment, number);
            if taken.contains(&run.name) {
                continue;
            }
            let folder = runs.join(&run.name);
            match disk.make_new_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    taken = taken_names(disk, runs);
                }
                Err(error) => return Err(SessionError::disk("make", &folder)(error)),
                Ok(()) if disk.read_file(&retired_name(&folder)).is_ok() => {
                    // Looked at behind the folder: whoever removes a run retires its name first.
                    let removed = disk.remove_dir(&folder);
                    removed.map_err(SessionError::disk("remove", &folder))?;
                    taken = taken_names(disk, runs);
                }
                Ok(()) => {
                    return Ok(Self {
                        folder: Some(folder),
                        ..run
                    });
                }
            }
        }
        let cause = io::Error::other("there are too many runs of this target today");
        Err(SessionError::disk("make a run in", runs)(cause))
    }

    /// A run that was made before, by its name, in the folder that it left.
    pub fn reopen(
        world: &dyn SessionWorld,
        places: &RunFolders,
        name: &str,
        started: &str,
        folder: &Path,
    ) -> Result<Self, SessionError> {
        let place = places.artefacts.as_ref();
        let artefacts = place
            .map(|place| place.create_folder(world.disk()))
            .transpose()?;
        Ok(Self {
            name: name.to_owned(),
            stem: artefact_stem(name),
            started: started.to_owned(),
            folder: Some(folder.to_path_buf()),
            artefacts,
        })
    }

    /// Holds the run's folder for this process; none where the run keeps none.
    pub fn acquire_lock(&self, disk: &dyn SessionDisk) -> Result<Option<RunLock>, SessionError> {
        let folder = self.folder.as_deref();
        folder
            .map(|folder| RunLock::acquire(disk, &self.name, folder))
            .transpose()
    }

    fn with_name(target: &str, moment: &CalendarMoment, number: u32) -> Self {
        let (date, mut target) = (&moment.date, to_slug(target));
        if number > 1 {
            target = format!("{target}-{number}");
        }
        Self {
            name: format!("council-{}-{target}", date.replace('-', "")),
            stem: format!("{date}-{target}"),
            started: moment.rfc3339.clone(),
            folder: None,
            artefacts: None,
        }
    }

    /// A file of the run's own folder.
    pub fn file_path(&self, name: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(name))
    }

    /// A file that people read: `report.md` is `YYYY-MM-DD-<target>-report.md`.
    pub fn artefact_path(&self, name: &str) -> Option<PathBuf> {
        Some(
            self.artefacts
                .as_ref()?
                .join(format!("{}-{name}", self.stem)),
        )
    }

    /// The file of a judge's answer: `…-judge-<N or perspective>.md`, later rounds `…-r2.md`.
    pub fn judge_artefact_path(&self, judge: &JudgeId, round: RoundNumber) -> Option<PathBuf> {
        let judge = to_slug(judge.as_str());
        match round {
            RoundNumber::NONE | RoundNumber::FIRST => self.artefact_path(&format!("{judge}.md")),
            later => self.artefact_path(&format!("{judge}-r{later}.md")),
        }
    }
}

/// The file that keeps the name of a run, by its folder, once the folder is gone.
pub(crate) fn retired_name(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(RETIRED_SUFFIX);
    PathBuf::from(name)
}

/// How the files of a run begin: `council-20260309-head-2` writes `2026-03-09-head-2-…`.
pub(crate) fn artefact_stem(name: &str) -> String {
    let bare = name.strip_prefix("council-").unwrap_or(name);
    match bare.split_at_checked(8) {
        Some((day, target)) if day.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{}-{}-{}{target}", &day[..4], &day[4..6], &day[6..])
        }
        _ => bare.to_owned(),
    }
}

/// Lower case, `[a-z0-9-]`, at most 50 characters, never empty: whoever made the name, it is safe in a path.
fn to_slug(name: &str) -> String {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let slug: String = name.chars().map(safe).take(MAX_SLUG_CHARS).collect();
    match slug.trim_matches('-') {
        "" => "target".to_owned(),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::real::RealWorld;
    use super::*;

    fn on(date: &str) -> CalendarMoment {
        CalendarMoment {
            date: date.into(),
            rfc3339: format!("{date}T10:00:00+01:00"),
        }
    }

    fn create(places: &RunFolders, target: &str) -> RunRef {
        RunRef::create(&RealWorld::new(), places, target, &on("2026-03-09")).unwrap()
    }

    fn file_name(path: Option<PathBuf>) -> String {
        path.unwrap()
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn names_of_runs_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let places = RunFolders::in_repository(folder.path(), Some(folder.path()));
        let run = create(&places, "main-feature");
        assert_eq!(run.name, "council-20260309-main-feature");
        let judge = |name: &str, round| file_name(run.judge_artefact_path(&name.into(), round));
        assert_eq!(
            judge("judge-1", RoundNumber::FIRST),
            "2026-03-09-main-feature-judge-1.md"
        );
        assert_eq!(
            judge("judge-error-paths", RoundNumber(2)),
            "2026-03-09-main-feature-judge-error-paths-r2.md"
        );
        assert_eq!(
            file_name(run.artefact_path("report.md")),
            "2026-03-09-main-feature-report.md"
        );
        let artefacts = folder.path().join(".agents/council");
        assert_eq!(run.artefacts.as_deref(), Some(artefacts.as_path()));
        assert_eq!(std::fs::read(artefacts.join(".gitignore")).unwrap(), b"*\n");
        assert!(folder.path().join("council/runs").join(&run.name).is_dir());
    }

    #[test]
    fn a_second_run_of_a_day_is_numbered_with_all_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let places = RunFolders::in_repository(folder.path(), None);
        create(&places, "head");
        let second = create(&places, "head");
        assert_eq!(second.name, "council-20260309-head-2");
        assert_eq!(
            file_name(second.judge_artefact_path(&"judge-1".into(), RoundNumber::FIRST)),
            "2026-03-09-head-2-judge-1.md"
        );
        assert_eq!(create(&places, "head").name, "council-20260309-head-3");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: a run takes the first name that nobody has or had, in whatever order the others went.
        #[test]
        fn a_run_takes_the_first_free_name(
            there in prop::collection::btree_set(1_u32..9, 0..7), gone in prop::collection::btree_set(1_u32..9, 0..7),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let places = RunFolders::in_repository(folder.path(), None);
            let runs = folder.path().join("council/runs");
            for number in there.difference(&gone) {
                let run = RunRef::with_name("head", &on("2026-03-09"), *number);
                std::fs::create_dir_all(runs.join(run.name)).unwrap();
            }
            std::fs::create_dir_all(&runs).unwrap();
            for number in &gone {
                let run = RunRef::with_name("head", &on("2026-03-09"), *number);
                std::fs::write(retired_name(&runs.join(run.name)), []).unwrap();
            }
            let free = (1..).find(|number| !there.contains(number) && !gone.contains(number)).unwrap();
            let first = RunRef::with_name("head", &on("2026-03-09"), free);
            prop_assert_eq!(create(&places, "head").name, first.name);
        }
    }

    #[test]
    fn a_run_that_goes_on_has_the_files_that_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let places = RunFolders::in_repository(folder.path(), Some(folder.path()));
        create(&places, "head");
        let run = create(&places, "head");
        let left = run.folder.clone().unwrap();
        let world = RealWorld::new();
        let again = RunRef::reopen(&world, &places, &run.name, &run.started, &left).unwrap();
        assert_eq!(again, run);
    }

    #[test]
    fn a_bare_repository_keeps_its_files_under_the_git_directory() {
        let folder = tempfile::tempdir().unwrap();
        let run = create(&RunFolders::in_repository(folder.path(), None), "head");
        assert!(
            run.artefacts
                .unwrap()
                .starts_with(folder.path().join("council"))
        );
    }

    #[test]
    fn a_patch_leaves_files_only_where_it_is_told_to() {
        let run = create(&RunFolders::default(), "patch");
        assert_eq!(
            (run.folder.as_ref(), run.artefact_path("report.md")),
            (None, None)
        );
        let folder = tempfile::tempdir().unwrap();
        let run = create(&RunFolders::in_folder(folder.path()), "patch");
        assert_eq!(
            run.artefact_path("x"),
            Some(folder.path().join("2026-03-09-patch-x"))
        );
        assert!(!folder.path().join(".gitignore").exists());
    }

    #[test]
    fn no_name_leads_out_of_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let run = create(&RunFolders::in_folder(folder.path()), "../../Etc/x");
        assert_eq!(run.name, "council-20260309-etc-x");
        assert_eq!(
            file_name(run.judge_artefact_path(&"../..".into(), RoundNumber::FIRST)),
            "2026-03-09-etc-x-target.md"
        );
        assert_eq!(to_slug(&"ä".repeat(80)), "target");
        assert_eq!(to_slug(&"a".repeat(80)).len(), 50);
    }
}
