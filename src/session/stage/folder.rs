//! A project with stages on disk: `state/`, `config/`, `stages/`, `references/`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use council_protocol::RoundNumber;
use serde::Deserialize;

use super::{Intensity, StageError, StageRole, StageSettings};
use crate::safe_file;

/// The most bytes of one file of context.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How deep below a stage's references files are read.
const MAX_REFERENCE_DEPTH: usize = 4;

/// One stage of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StageFolder {
    pub(super) root: PathBuf,
    pub(super) stage: String,
}

/// What every role is given beside its directive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StageContext {
    /// `stages/<id>/CLAUDE.md`.
    pub instructions: String,
    /// `HANDOFF.md` of the stage before; none for the first one, or where it is missing.
    pub handoff: Option<String>,
    /// `references/<id>/`, by name.
    pub references: Vec<(String, String)>,
    /// What was left out or missing, in words.
    pub notes: Vec<String>,
}

#[derive(Deserialize)]
struct StageProgressFile {
    #[serde(default, alias = "currentStage", alias = "stage")]
    current_stage: Option<String>,
}

impl StageFolder {
    /// The stage that was named, or the current one of `state/progress.json`.
    pub(crate) fn find(root: &Path, named: Option<&str>) -> Result<Self, StageError> {
        let stage = match named {
            Some(stage) => stage.to_owned(),
            None => current_stage(root)?,
        };
        let plain = !stage.is_empty()
            && stage
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        if !plain || stage.starts_with('.') {
            return Err(StageError::BadName(stage));
        }
        let found = Self {
            root: root.into(),
            stage,
        };
        found.check_paths()?;
        if !found.stage_path().is_dir() {
            return Err(StageError::Missing {
                file: found.stage_path(),
                hint: "it holds the stage's instructions",
            });
        }
        Ok(found)
    }

    /// Every folder and file that is read or written must lie where its path says, before anybody is asked.
    fn check_paths(&self) -> Result<(), StageError> {
        let stage = self.stage_path();
        for folder in [
            self.root.join("config"),
            self.root.join("references").join(&self.stage),
            self.root.join("state/debate").join(&self.stage),
            stage.join("outputs/synthesis.md"),
            self.call_log_path(),
        ] {
            refuse_links(&self.root, &folder)?;
        }
        let log = self.call_log_path();
        if log.is_dir() {
            // It is written last, when every round is paid for.
            let cause =
                io::Error::other("it is a folder, and the line of the debate is to be added to it");
            return Err(StageError::Io { file: log, cause });
        }
        let previous = self.previous_stage()?;
        previous.map_or(Ok(()), |previous| {
            refuse_links(&self.root, &self.root.join("stages").join(previous))
        })
    }

    /// The project's folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The stage's name.
    pub(crate) fn stage(&self) -> &str {
        &self.stage
    }

    /// The settings of `config/debate.jsonc` for this stage.
    pub(crate) fn read_settings(
        &self,
        asked: Option<Intensity>,
    ) -> Result<StageSettings, StageError> {
        let file = self.root.join("config/debate.jsonc");
        let text = read_text(&file)?.ok_or_else(|| StageError::Missing {
            file: file.clone(),
            hint: "it names the stage's intensity and roles",
        })?;
        StageSettings::parse(&text, &file, &self.stage, asked)
    }

    /// The stage's instructions, the handoff of the stage before it, and its references.
    pub(crate) fn read_context(&self) -> Result<StageContext, StageError> {
        let file = self.stage_path().join("CLAUDE.md");
        let hint = "it is the stage's instructions";
        let instructions = read_text(&file)?.ok_or(StageError::Missing { file, hint })?;
        let mut context = StageContext {
            instructions,
            ..StageContext::default()
        };
        match self.previous_stage()? {
            Some(previous) => {
                let file = self.root.join("stages").join(&previous).join("HANDOFF.md");
                context.handoff = read_text(&file)?;
                if context.handoff.is_none() {
                    context.notes.push(format!(
                        "stages/{previous}/HANDOFF.md is missing: debated without it"
                    ));
                }
            }
            None => context.notes.push("the first stage has no handoff".into()),
        }
        self.read_references(&mut context)?;
        Ok(context)
    }

    /// Where a role's document of a round goes.
    pub(crate) fn round_path(&self, round: RoundNumber, role: &StageRole) -> PathBuf {
        let suffix = match round {
            RoundNumber::FIRST => "",
            RoundNumber::SECOND => "_review",
            _ => "_rebuttal",
        };
        let folder = self
            .root
            .join("state/debate")
            .join(&self.stage)
            .join(format!("round{round}"));
        folder.join(format!("{}{suffix}.md", role.slug()))
    }

    /// `state/ai-call-log.jsonl`.
    pub(crate) fn call_log_path(&self) -> PathBuf {
        self.root.join("state/ai-call-log.jsonl")
    }

    fn stage_path(&self) -> PathBuf {
        self.root.join("stages").join(&self.stage)
    }

    /// The stage whose folder comes before this one by name.
    fn previous_stage(&self) -> Result<Option<String>, StageError> {
        let names = list_names(&self.root.join("stages"), |path| path.is_dir())?;
        Ok(names.into_iter().filter(|name| *name < self.stage).max())
    }

    /// The references with those in subfolders; whatever is not read is named.
    fn read_references(&self, context: &mut StageContext) -> Result<(), StageError> {
        let folder = self.root.join("references").join(&self.stage);
        let mut open = vec![(String::new(), 0)];
        while let Some((below, depth)) = open.pop() {
            let here = folder.join(&below);
            for name in list_names(&here, |_| true)? {
                let path = here.join(&name);
                let shown = format!("{below}{name}");
                let is_folder = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
                let text = match is_folder {
                    true if depth < MAX_REFERENCE_DEPTH => {
                        open.push((format!("{shown}/"), depth + 1));
                        continue;
                    }
                    true => None,
                    false => read_text(&path)?,
                };
                match text {
                    Some(text) => context.references.push((shown, text)),
                    None => context
                        .notes
                        .push(format!("references/{}/{shown} was left out", self.stage)),
                }
            }
        }
        context.references.sort();
        Ok(())
    }
}

/// No part of a path below the project may be a link: a repository could commit one that leads to private files.
fn refuse_links(root: &Path, path: &Path) -> Result<(), StageError> {
    let below = path.strip_prefix(root).unwrap_or(path);
    let mut part = root.to_path_buf();
    for name in below.components() {
        part.push(name);
        if part.is_symlink() {
            return Err(StageError::Linked(part));
        }
    }
    Ok(())
}

fn current_stage(root: &Path) -> Result<String, StageError> {
    let file = root.join("state/progress.json");
    refuse_links(root, &root.join("state"))?;
    let Some(text) = read_text(&file)? else {
        return Err(StageError::NoCurrent { file });
    };
    let progress: StageProgressFile =
        serde_json::from_slice(text.as_bytes()).map_err(|e| StageError::Syntax {
            file: file.clone(),
            cause: e.to_string(),
        })?;
    progress.current_stage.ok_or(StageError::NoCurrent { file })
}

/// A file's text; none when there is none, when it is too large, or when it is not text.
fn read_text(file: &Path) -> Result<Option<String>, StageError> {
    let fail = |cause| StageError::Io {
        file: file.into(),
        cause,
    };
    match fs::symlink_metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(fail(error)),
        Ok(meta) if !meta.is_file() || meta.len() > MAX_FILE_BYTES => Ok(None),
        Ok(_) => Ok(String::from_utf8(safe_file::read(file).map_err(fail)?).ok()),
    }
}

/// The names in a folder that `wanted` accepts, sorted; none when there is no such folder.
fn list_names(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<String>, StageError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => {
            return Err(StageError::Io {
                file: folder.into(),
                cause,
            });
        }
        Ok(entries) => entries,
    };
    let paths = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| wanted(path));
    let mut names: Vec<String> = paths
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}
