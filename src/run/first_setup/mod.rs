//! A first configuration: which files `git council init` writes for whom, from what is installed and what was chosen.

mod own_file;
mod repository_files;

use std::path::{Path, PathBuf};

use council_agents::installed::{InstalledClient, InstalledTool, find_clients};
use council_agents::known_tools::TreeCode;

use crate::run::backends::{bare_agent_context, find_worktree};
use crate::run::context::RunContext;
use crate::run::detect_tools::detect_tools;
use crate::run::error::RunError;
use crate::run::seats::{ApiVendor, vendors_with_key};
use crate::run::written_together::{FileToWrite, WrittenFiles, write_together};

pub(crate) use own_file::describe_version;

/// For whom git-council is set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetupPreset {
    /// One person, in every repository: the user's own file.
    Solo,
    /// A required check on pull requests from branches of the repository.
    Team,
    /// Advice on pull requests from forks, without secrets.
    OpenSource,
}

/// What there is here that could review.
pub(crate) struct SetupOptions {
    pub(crate) clients: Vec<InstalledClient>,
    /// The APIs whose key is in the environment.
    pub(crate) apis: Vec<&'static ApiVendor>,
    /// The linters that this repository uses and that are installed.
    pub(crate) tools: Vec<InstalledTool>,
    /// The top of the repository around the working directory.
    pub(crate) worktree: Option<PathBuf>,
    /// The user's own configuration.
    pub(crate) own_file: Option<PathBuf>,
}

impl SetupOptions {
    /// Asks each agent for its version: may take some seconds.
    pub(crate) fn detect(start: &RunContext) -> Self {
        Self {
            clients: find_clients(&bare_agent_context(start)),
            apis: vendors_with_key(&start.environment),
            tools: detect_tools(start),
            worktree: find_worktree(start),
            own_file: start.environment.user_file(),
        }
    }

    /// The tools that can judge as they are: nothing of a change is run for them.
    pub(crate) fn ready_tools(&self) -> impl Iterator<Item = &'static str> {
        let is_ready = |one: &&InstalledTool| {
            one.problem.is_none() && !matches!(one.tool.code, TreeCode::Always)
        };
        self.tools.iter().filter(is_ready).map(|one| one.tool.name)
    }
}

/// A model behind an API, as it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChosenModel {
    /// The agent's name.
    pub(crate) name: String,
    /// As `agents.NAME.api` spells it.
    pub(crate) api: &'static str,
    /// None: the vendor's own.
    pub(crate) url: Option<String>,
    pub(crate) model: String,
}

/// What was chosen; without anybody to ask, nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SetupChoices {
    pub(crate) clients: Vec<String>,
    pub(crate) models: Vec<ChosenModel>,
    pub(crate) tools: Vec<String>,
}

impl SetupChoices {
    /// Whether a program or a model was chosen that may cost money.
    pub(crate) fn has_models(&self) -> bool {
        !self.clients.is_empty() || !self.models.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.has_models() && self.tools.is_empty()
    }

    /// The value of `review.agents`: the built-in rules, unless models judge.
    fn agents(&self) -> Vec<&str> {
        let clients = self.clients.iter().map(String::as_str);
        let models = self.models.iter().map(|one| one.name.as_str());
        let tools = self.tools.iter().map(String::as_str);
        let built_in = (!self.has_models()).then_some("builtin");
        built_in
            .into_iter()
            .chain(clients)
            .chain(models)
            .chain(tools)
            .collect()
    }
}

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The places that a preset writes to, whatever is chosen.
///
/// # Errors
/// When there is no such place: no home, or no repository.
pub(crate) fn setup_places(
    preset: SetupPreset,
    options: &SetupOptions,
) -> Result<Vec<PathBuf>, RunError> {
    let files = repository_files::files_of(preset);
    if files.is_empty() {
        let no_home = || {
            RunError::usage("there is no home directory to write a configuration to")
                .hint("set HOME or XDG_CONFIG_HOME, or write it elsewhere: --print")
        };
        return Ok(vec![options.own_file.clone().ok_or_else(no_home)?]);
    }
    let top = options.worktree.as_deref().ok_or_else(|| {
        RunError::usage("this preset writes files of a repository, and here is none")
            .hint("run it in your repository, or set up only yourself: --preset solo")
    })?;
    Ok(files.iter().map(|(name, _)| top.join(name)).collect())
}

/// The files of a preset, in the order in which they are told.
///
/// # Errors
/// See [`setup_places`].
pub(crate) fn plan_setup(
    preset: SetupPreset,
    options: &SetupOptions,
    choices: &SetupChoices,
) -> Result<Vec<PlannedFile>, RunError> {
    let places = setup_places(preset, options)?;
    let own = |path: &Path| PlannedFile {
        path: path.to_owned(),
        text: own_file::render_own_file(options, choices),
    };
    if preset == SetupPreset::Solo {
        return Ok(places.iter().map(|path| own(path)).collect());
    }
    let texts = repository_files::files_of(preset).iter();
    let files = places.into_iter().zip(texts).map(|(path, (_, text))| {
        let text = (*text).to_owned();
        PlannedFile { path, text }
    });
    // Whom a repository's reviews are sent to is said in the user's own file only.
    let mine = options.own_file.as_deref().filter(|_| !choices.is_empty());
    Ok(files.chain(mine.map(own)).collect())
}

/// Writes the files, all or none.
///
/// # Errors
/// Names the file that cannot be written; then nothing has changed.
pub(crate) fn write_setup(
    files: &[PlannedFile],
    options: &SetupOptions,
) -> Result<WrittenFiles, RunError> {
    let top = options.worktree.as_deref();
    write_together(files.iter().map(|file| FileToWrite {
        path: &file.path,
        text: &file.text,
        top: top.filter(|_| options.own_file.as_ref() != Some(&file.path)),
    }))
}

/// The lines of a file that still name no release: whoever copies it puts a commit there.
pub(crate) fn lines_without_release(text: &str) -> Vec<usize> {
    const NO_COMMIT: &str = "@0000000000000000000000000000000000000000";
    let lines = text.lines().zip(1..);
    lines
        .filter(|(line, _)| line.contains(NO_COMMIT))
        .map(|(_, number)| number)
        .collect()
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
