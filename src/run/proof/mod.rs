//! Proof by running: tests that judges bring are run on both sides of the change, by the user's own commands, behind
//! every border that this machine has. What their results mean is in [`crate::council::reproduction`].

mod altered;
mod beside;
mod copies;
mod ending;
mod node_ending;
mod other_text;
mod printed;
mod refusal;
mod runner_word;
pub(crate) mod setup;
mod suites;
mod tally;
mod toolchains;
mod unread_link;
mod vanished;
mod whose_test;
mod without;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use council_agents::StopSignal;
use council_agents::guard::HardBorders;
use council_agents::trial::{FinishedTrial, Refusal, TrialCommand, TrialEnding, TrialFolder};
use council_protocol::reproduction::{Reproduction, TestSuite};
use council_protocol::{BlobSource, Location, RepoPath, Side};

use self::copies::{Lacking, LackingFile, needed_but_lacking, paths_taken_away};
use self::ending::{TrialFacts, is_before_test, read_ending};
use self::printed::PrintedRedactor;
use self::refusal::refusal;
use self::runner_word::{TestRunner, runners_of, telling_line};
use self::suites::{meant_suite, suites_of};
use self::toolchains::toolchain_variables;
use self::vanished::{TestSurroundings, VanishedNeeds};
use self::whose_test::OwnTests;
use self::without::MAX_OTHER_SOURCES;
use crate::config::ProofSettings;
use crate::council::reproduction::{
    MendedRuns, ProofTerms, RUNS, ReproductionResult, ReproductionStanding, Suggestion, TestRun,
    fill_in,
};
use crate::git;
use crate::run::context::RunContext;
use crate::run::prepare::PreparedReview;
use crate::run::shell::shell_word;
use crate::session::ReproductionRunner;
use crate::text::clip_chars;

/// What the names of the folders begin with.
pub(crate) const PREFIX: &str = council_agents::private::PROOF_PREFIX;

/// The most processes and threads of a test: build tools start many.
const MAX_PROCESSES: u64 = 512;

/// The most characters of what a runner says.
const MAX_REASON: usize = 160;

/// What a test may see of the environment beside what the user names.
const VISIBLE: [&str; 5] = ["PATH", "LANG", "LANGUAGE", "LC_ALL", "TZ"];

/// On which terms judges are asked for tests; none: they are not.
pub(crate) fn terms(start: &RunContext, prepared: &PreparedReview) -> Option<ProofTerms> {
    let settings = &prepared.config.settings.proof;
    let suites = suites_of(settings);
    if suites.is_empty() || refusal(start, prepared).is_some() {
        return None;
    }
    let told = |(name, argv): &(String, &[String])| TestSuite {
        name: name.clone(),
        // Every judge is shown it, and every report.
        command: prepared.redactor.redact_words(&suite_command(argv)).text,
    };
    // Both sides, and the suggestion of what is proved, or other sources than what is doubted.
    let runs = u64::try_from(RUNS * 2 + RUNS.max(MAX_OTHER_SOURCES)).unwrap_or(u64::MAX);
    let commands = 1 + u64::from(!settings.setup.is_empty());
    Some(ProofTerms {
        suites: suites.iter().map(told).collect(),
        runs_ms: settings.timeout.saturating_mul(runs * commands),
    })
}

/// A command as a shell reads it, so that a person can repeat it. Its marks (`{file}`) are read as they stand: a path
/// of a test is a plain one.
fn suite_command(argv: &[String]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%{}".contains(c);
    let word = |word: &String| {
        if word.contains(['{', '}']) && word.chars().all(is_plain) {
            word.clone()
        } else {
            shell_word(word)
        }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// How the note begins that says why no test of a judge was run.
pub(crate) const IDLE_NOTE: &str = "`[proof]` is set, and no test of a judge was run: ";

/// What is told where `[proof]` is set, and no test of a judge is run for what is reviewed.
pub(crate) fn idle_note(start: &RunContext, prepared: &PreparedReview) -> Option<String> {
    let is_set = setup::is_set(&prepared.config.settings.proof);
    // A fault of the setting is told with the others.
    let why = refusal(start, prepared).filter(|why| is_set && *why != setup::NO_MARK)?;
    Some(format!("{IDLE_NOTE}{why}"))
}

/// Whether coding agents, or this program, do what a file of this name says: no test brings one.
pub(crate) fn is_obeyed(path: &RepoPath) -> bool {
    council_protocol::steers_agents(&path.display()) || path.file_name() == b"council.toml"
}

/// A command, and the runners that it names.
type TrialArgv = (Vec<String>, Vec<&'static TestRunner>);

/// Where a test runs, and how.
struct TrialRoom<'a> {
    folder: TrialFolder,
    argv: Vec<String>,
    /// The runners that the command names.
    runners: Vec<&'static TestRunner>,
    brought: &'a Reproduction,
    /// The file of the finding before and after the change, as far as there is one.
    sides: [String; 2],
    /// What the borders kept from the test before the change.
    refused_before: RefCell<BTreeSet<Refusal>>,
    /// What neither copy has of the repository.
    lacking: Vec<LackingFile>,
}

impl TrialRoom<'_> {
    /// Whether the change takes a name away from the file of the finding.
    fn is_renamed(&self, name: &str) -> bool {
        let [old, new] = &self.sides;
        let is_in = |text: &str| {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == name)
        };
        !name.is_empty() && is_in(old) && !is_in(new)
    }
}

/// What the change newly needs of the user's surroundings, which no test has.
fn vanished_needs(
    start: &RunContext,
    prepared: &PreparedReview,
    env: &[(String, OsString)],
) -> VanishedNeeds {
    let blobs = &*prepared.change.blobs;
    let found = git::RepositoryPaths::discover(&start.dir, &start.git_environment()).ok();
    let top = found.and_then(|found| found.workdir);
    let is_there =
        |side, path: &str| matches!(blobs.read(side, &RepoPath::from(path)), Ok(Some(_)));
    let around = TestSurroundings {
        is_visible: &|name| env.iter().any(|(known, _)| known == name),
        is_set: &|name| start.environment.get(name).is_some(),
        worktree: top.as_deref(),
        is_tracked: &|path| is_there(Side::Old, path) || is_there(Side::New, path),
    };
    let mut needs = VanishedNeeds::default();
    for file in &prepared.packet.files {
        let text = |side| {
            let old = file.old_path.as_ref().filter(|_| side == Side::Old);
            let read = blobs.read(side, old.unwrap_or(&file.path)).ok().flatten();
            read.map_or_else(String::new, |text| {
                String::from_utf8_lossy(&text).into_owned()
            })
        };
        let sides = [Side::Old, Side::New].map(text);
        needs.add_file(&file.path.display(), (&sides[0], &sides[1]), &around);
    }
    needs
}

/// The worktree in whose place the copies stand, unless `proof.setup` takes something from there itself.
fn covered_worktree(start: &RunContext, settings: &ProofSettings) -> Option<PathBuf> {
    let found = git::RepositoryPaths::discover(&start.dir, &start.git_environment()).ok()?;
    let top = found.workdir?;
    let whole = top.canonicalize().ok()?;
    let names = |word: &String| {
        [&top, &whole]
            .iter()
            .any(|top| word.contains(&*top.to_string_lossy()))
    };
    (!settings.setup.iter().any(names)).then_some(whole)
}

/// Runs tests of judges.
pub(crate) struct ProofRunner {
    /// This program, whose guard holds the commands.
    program: PathBuf,
    settings: ProofSettings,
    env: Vec<(String, OsString)>,
    home: Option<PathBuf>,
    blobs: Arc<dyn BlobSource>,
    redactor: council_secrets::Redactor,
    /// In whose place the copies stand; none: the worktree is where it is.
    worktree: Option<PathBuf>,
    /// What takes the secrets of the copies out of what tests print; made when the first one fails.
    printed: OnceLock<PrintedRedactor>,
    /// The files that the change takes away.
    gone: Vec<String>,
    /// What the change newly needs and no test has.
    vanished: VanishedNeeds,
    stop: StopSignal,
}

impl ProofRunner {
    /// The one of a review; none: judges are asked for no tests.
    pub(crate) fn for_review(start: &RunContext, prepared: &PreparedReview) -> Option<Self> {
        terms(start, prepared)?;
        let settings = prepared.config.settings.proof.clone();
        let is_visible = |name: &str| {
            let named = settings.env.iter().any(|own| own == name);
            VISIBLE.contains(&name) || named
        };
        let is_forbidden = council_agents::environment::is_forbidden;
        let vars = start.environment.vars();
        let vars = vars.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let env = vars.filter(|(name, _)| is_visible(name) && !is_forbidden(name));
        let mut env: Vec<_> = env.collect();
        env.extend(toolchain_variables(&settings.read, &env));
        let vanished = vanished_needs(start, prepared, &env);
        Some(Self {
            program: start.program.clone()?,
            worktree: covered_worktree(start, &settings),
            vanished,
            env,
            home: start.environment.home().map(Path::to_path_buf),
            settings,
            gone: paths_taken_away(&*prepared.change.blobs),
            blobs: Arc::clone(&prepared.change.blobs),
            redactor: prepared.redactor.clone(),
            printed: OnceLock::new(),
            stop: StopSignal::default(),
        })
    }

    /// The command of a test that may be run, with the runners that it names, or why it may not.
    fn command_of(&self, brought: &Reproduction) -> Result<TrialArgv, String> {
        if let Some(fault) = brought.fault() {
            return Err(fault);
        }
        let suites = suites_of(&self.settings);
        let argv = meant_suite(&suites, &brought.suite)?;
        for side in [Side::Old, Side::New] {
            self.check_paths(side, brought)?;
        }
        let first = brought.files.first().map(|file| file.path.display());
        let first = first.ok_or("it has no file")?;
        let filled = argv.iter().map(|arg| fill_in(arg, &first)).collect();
        Ok((filled, runners_of(argv)))
    }

    /// What a run wrote, without secrets.
    fn redact_printed(&self, said: &str) -> String {
        let know = || PrintedRedactor::new(&self.redactor, &*self.blobs);
        self.printed.get_or_init(know).redact(said)
    }

    /// What came of it, or why this machine could not run it.
    fn try_run(
        &self,
        brought: &Reproduction,
        (argv, runners): TrialArgv,
        suggestion: Option<&Suggestion>,
        place: Option<&Location>,
    ) -> Result<ReproductionResult, String> {
        let folder = TrialFolder::create(PREFIX).map_err(|error| error.to_string())?;
        let lacking = match self.lacking_files(&folder)? {
            Lacking::One(why) => return Ok(ReproductionResult::not_run(why)),
            Lacking::Both(files) => files,
        };
        let (mut base, mut head, mut output) = (Vec::new(), Vec::new(), String::new());
        // In turn, so that whatever changes on this machine meanwhile changes for both sides.
        let room = TrialRoom {
            folder,
            argv,
            runners,
            brought,
            sides: [Side::Old, Side::New].map(|side| self.text_of(side, place)),
            refused_before: RefCell::default(),
            lacking,
        };
        for _ in 0..RUNS {
            let (run, said) = self.run_on(&room, Side::Old, None)?;
            let is_broken = matches!(run, TestRun::Broken { .. });
            base.push(run);
            // Whatever the other runs say, it proves nothing; and six that hang take six times as long.
            if is_broken {
                output = self.redact_printed(&said);
                break;
            }
            let (run, said) = self.run_on(&room, Side::New, None)?;
            if run != TestRun::Passed {
                output = self.redact_printed(&said);
            }
            head.push(run);
        }
        let mut ran = ReproductionResult::Ran {
            base,
            head,
            output,
            mended: None,
            without: None,
        };
        if ran.passes_on_both_sides()
            && let Some(place) = place
            && let ReproductionResult::Ran { without, .. } = &mut ran
        {
            *without = self.try_without(&room, place)?;
        }
        if ran.standing() == ReproductionStanding::Proved
            && let Some(place) = place
            && let ReproductionResult::Ran { without, .. } = &mut ran
        {
            *without = self.try_stopped(&room, place)?;
        }
        if ran.standing() == ReproductionStanding::Proved
            && let Some(suggestion) = suggestion
            && let ReproductionResult::Ran { mended, .. } = &mut ran
        {
            let tried = self.try_suggestion(&room, suggestion);
            *mended = Some(tried.unwrap_or_else(|why| MendedRuns::NotRun { why }));
        }
        Ok(ran)
    }

    /// One run in a fresh export.
    fn run_on(
        &self,
        room: &TrialRoom<'_>,
        side: Side,
        edit: Option<(&RepoPath, &[u8])>,
    ) -> Result<(TestRun, String), String> {
        let folder = &room.folder;
        if self.stop.is_raised() {
            return Err("the run ended before it was run".to_owned());
        }
        let files: Vec<(&RepoPath, &str)> = room
            .brought
            .files
            .iter()
            .map(|file| (&file.path, file.content.as_str()))
            .collect();
        let filled = folder.fill(&*self.blobs, side, edit, &files);
        filled.map_err(|error| format!("the files cannot be put into a folder: {error}"))?;
        if !self.settings.setup.is_empty() {
            let setup = self.run_command(folder, &self.settings.setup)?;
            if setup.ending != TrialEnding::Exited(0) {
                let why = "the command of `proof.setup` failed".to_owned();
                return Ok((TestRun::Broken { why }, setup.output));
            }
        }
        let finished = self.run_command(folder, &room.argv)?;
        if side == Side::Old && edit.is_none() {
            let mut before = room.refused_before.borrow_mut();
            before.extend(&finished.refused);
            // If nobody answers after the change, that is its own server, and none of this machine.
            before.extend(finished.has_served.then_some(Refusal::Service));
        }
        let before = room.refused_before.borrow();
        let own = OwnTests::of_files(&room.brought.files);
        let facts = TrialFacts {
            own: &own,
            gone: &self.gone,
            is_edited: edit.is_some(),
            is_renamed: &|name| room.is_renamed(name),
            runners: &room.runners,
            refused: finished.refused.difference(&before).next().copied(),
        };
        let mut run = read_ending(&finished, &facts);
        if run == TestRun::Failed
            && let Some(why) = needed_but_lacking(&room.lacking, &room.sides, &finished.output)
        {
            run = TestRun::Broken { why };
        }
        if run == TestRun::Failed
            && (side, edit.is_some()) == (Side::New, false)
            && let Some(why) = self.vanished.why(&finished.output)
        {
            let why = why.to_owned();
            run = TestRun::Broken { why };
        }
        self.add_reason(&mut run, &finished.output);
        Ok((run, finished.output))
    }

    /// Why a runner never got to a test: only its own words say so.
    fn add_reason(&self, run: &mut TestRun, output: &str) {
        let TestRun::Broken { why } = run else {
            return;
        };
        if !is_before_test(why) {
            return;
        }
        let shown = self.redact_printed(output);
        if let Some(line) = telling_line(&shown) {
            *why = format!("{why}: {}", clip_chars(line, MAX_REASON));
        }
    }

    fn run_command(&self, folder: &TrialFolder, argv: &[String]) -> Result<FinishedTrial, String> {
        let command = TrialCommand {
            exe: Path::new(&self.program),
            argv,
            env: &self.env,
            read: &self.settings.read,
            home: self.home.as_deref(),
            worktree: self.worktree.as_deref(),
            borders: HardBorders {
                network: self.settings.network,
                max_processes: MAX_PROCESSES,
                max_memory: self.settings.memory,
            },
            timeout: Duration::from_millis(self.settings.timeout),
        };
        let finished = folder.run(&command, &self.stop);
        match finished.ending {
            TrialEnding::NoBorders(why) => Err(why),
            _ => Ok(finished),
        }
    }
}

impl ReproductionRunner for ProofRunner {
    fn run_reproduction(
        &self,
        reproduction: &Reproduction,
        suggestion: Option<&Suggestion>,
        place: Option<&Location>,
    ) -> ReproductionResult {
        let argv = match self.command_of(reproduction) {
            Ok(argv) => argv,
            Err(why) => return ReproductionResult::not_run(why),
        };
        let ran = self.try_run(reproduction, argv, suggestion, place);
        ran.unwrap_or_else(ReproductionResult::held_up)
    }

    fn stop(&self) {
        self.stop.raise();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_told_as_a_shell_reads_it() {
        let told =
            |argv: &[&str]| suite_command(&argv.iter().map(|&a| a.to_owned()).collect::<Vec<_>>());
        assert_eq!(told(&["pytest", "-q", "{file}"]), "pytest -q {file}");
        assert_eq!(
            told(&["python3", "-c", "print(1)"]),
            "python3 -c 'print(1)'"
        );
        assert_eq!(told(&["sh", "-c", "it's", ""]), r"sh -c 'it'\''s' ''");
        let secret = "xK9mQ2vL8pR4nT7z";
        for setting in [
            format!("SECRET_KEY={secret}"),
            format!("DATABASE_URL=postgres://app:{secret}@localhost/app"),
        ] {
            let command = told(&["env", &setting, "python3", "{file}"]);
            let shown = council_secrets::Redactor::default()
                .redact_words(&command)
                .text;
            assert!(!shown.contains(secret), "{shown}");
            assert!(shown.ends_with("python3 {file}"), "{shown}");
        }
    }
}
