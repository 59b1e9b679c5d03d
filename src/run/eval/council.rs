//! A council that is measured: a configuration file of the user's, in the place of the usual one.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use crate::config::resolve_layers;
use crate::packet::sha256;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::eval::once::OnceNotifier;
use crate::run::layers::user_layers;
use crate::safe_file;

/// A council by its file.
#[derive(Clone)]
pub(crate) struct EvalCouncil {
    /// The file's name without its ending.
    pub(crate) name: String,
    /// The context in which it sits.
    pub(crate) context: RunContext,
    /// What its file says, as a digest, with the program's version: prompts change with it.
    pub(crate) digest: String,
}

impl EvalCouncil {
    /// Reads a council's file, and refuses one that is no configuration.
    pub(crate) fn load(file: &Path, start: &RunContext) -> Result<Self, RunError> {
        let file = start.dir.join(file);
        let mut bytes = Vec::new();
        let read = safe_file::open_input(&file).and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(|error| {
            RunError::usage(format!(
                "cannot read the council {}: {error}",
                file.display()
            ))
            .hint("a council is a file like your own config.toml, with [review] and [agents.NAME]")
        })?;
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let said = [env!("CARGO_PKG_VERSION").as_bytes(), b"\0", &bytes].concat();
        let context = RunContext {
            environment: start.environment.with_user_file(&file),
            notifier: Arc::new(OnceNotifier::new(start.notifier.clone())),
            ..start.clone()
        };
        // Else every trial would fail over it, one after another.
        resolve_layers(&user_layers(&context.environment, Vec::new())?)?;
        Ok(Self {
            name,
            context,
            digest: sha256(&said)[..16].to_owned(),
        })
    }
}
