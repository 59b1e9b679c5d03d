//! What a command is started with: what the use cases need, and what only the command line knows.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use crate::cli::args::GlobalArgs;
use crate::cli::console::Console;
use crate::cli::live::{EventFile, LiveView, ViewKind, WatchedConsole};
use crate::config::{ProgressSetting, ReportFormat, Settings};
use crate::report::{Report, Verbosity, exit};
use crate::run::context::{Notifier, RunContext};
use crate::run::environment::ProcessEnvironment;
use crate::run::error::RunError;
use crate::run::settings;
use crate::run::shown;
use crate::text::Untrusted;

/// The process's environment: read here and nowhere else.
pub(crate) fn process_environment() -> ProcessEnvironment {
    ProcessEnvironment::new(std::env::vars_os().collect())
}

/// What a command is started with.
#[derive(Clone)]
pub(crate) struct CommandContext {
    pub(crate) run: RunContext,
    pub(crate) console: Console,
    pub(crate) global: GlobalArgs,
    /// Where the events of the run are written, too (`--events`).
    pub(crate) events: Option<Arc<EventFile>>,
}

/// A command hands itself on to the use cases, which see their part of it only.
impl Deref for CommandContext {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        &self.run
    }
}

impl CommandContext {
    pub(crate) fn new(
        global: GlobalArgs,
        environment: ProcessEnvironment,
        console: Console,
    ) -> Result<Self, RunError> {
        let unreadable =
            |error| RunError::usage(format!("cannot tell the current directory: {error}"));
        let here = std::env::current_dir().map_err(unreadable)?;
        let dir = global
            .directory
            .as_ref()
            .map_or(here.clone(), |dir| here.join(dir));
        if !dir.is_dir() {
            return Err(RunError::usage(format!(
                "{} is not a directory",
                dir.display()
            )));
        }
        let console = console.with_links(&dir, &environment);
        let started_by = environment.calling_agent();
        let run = RunContext {
            environment,
            dir,
            named_dir: global.directory.clone(),
            config: global.config.clone(),
            program: std::env::current_exe().ok(),
            temporary: std::env::temp_dir(),
            notifier: Arc::new(console),
            started_by,
        };
        Ok(Self {
            run,
            console,
            global,
            events: None,
        })
    }

    /// The same with the colours that the configuration wants, where no flag does: every command that prints obeys it. One
    /// that cannot be read changes nothing.
    pub(crate) fn with_own_color(&self) -> Self {
        match settings::branch_config(self) {
            Ok(config) if self.global.color.is_none() => {
                let console = self
                    .console
                    .with_color_setting(None, config.settings.output.color);
                self.with_view(ViewKind::Off, console)
            }
            _ => self.clone(),
        }
    }

    /// The same with what the configuration says about the output, where no flag did.
    pub(crate) fn with_settings(&self, settings: &Settings) -> Self {
        let flag = self.global.color.map(Into::into);
        let console = self.console.with_color_setting(flag, settings.output.color);
        let kind = ViewKind::choose(settings.output.progress, &console, &self.run.environment);
        self.with_view(kind, console)
    }

    /// The same, and what judges do is shown where the configuration says so. One that cannot be read hides nothing.
    pub(crate) fn with_live_view(&self) -> Self {
        let (kind, console) = self.view_of_settings();
        self.with_view(kind, console)
    }

    fn with_view(&self, kind: ViewKind, console: Console) -> Self {
        let notifier: Arc<dyn Notifier> = match (kind, &self.events) {
            (ViewKind::Off, None) => Arc::new(console),
            (kind, events) => {
                let view = Arc::new(LiveView::new(kind, console));
                Arc::new(WatchedConsole::new(console, view, events.clone()))
            }
        };
        Self {
            run: RunContext {
                notifier,
                ..self.run.clone()
            },
            console,
            ..self.clone()
        }
    }

    /// How a view looks of a run that is not this command's own, and on which console: as the configuration says. One
    /// that cannot be read hides nothing.
    pub(crate) fn view_of_settings(&self) -> (ViewKind, Console) {
        let (mut progress, mut console) = (ProgressSetting::Auto, self.console);
        if let Ok(config) = settings::branch_config(self) {
            let output = config.settings.output;
            let flag = self.global.color.map(Into::into);
            console = console.with_color_setting(flag, output.color);
            progress = output.progress;
        }
        let kind = ViewKind::choose(progress, &console, &self.run.environment);
        (kind, console)
    }

    /// Remembers the report that a person was just shown in this format, unless that was the headline alone: its `F1` means
    /// nothing to who has not seen it.
    pub(crate) fn remember_shown(&self, report: &Report, format: ReportFormat) {
        let is_for_people = matches!(format, ReportFormat::Terminal | ReportFormat::Story);
        let is_headline = is_for_people && self.console.verbosity == Verbosity::Quiet;
        if format.names_findings() && !is_headline {
            shown::remember_shown(report, self);
        }
    }

    /// The exit code, which says so where events were asked for and could not be written.
    pub(crate) fn check_events(&self, code: u8) -> u8 {
        let Some(error) = self.events.as_ref().and_then(|events| events.failure()) else {
            return code;
        };
        self.console.error(&error);
        if code == exit::OK {
            exit::UNPUBLISHED
        } else {
            code
        }
    }

    /// The same with events of the run written to a file; `-` is standard output.
    pub(crate) fn with_events(&self, file: Option<&Path>) -> Result<Self, RunError> {
        let open = |file| EventFile::open(file, &self.dir).map(Arc::new);
        Ok(Self {
            events: file.map(open).transpose()?,
            ..self.clone()
        })
    }

    /// The same in another environment.
    pub(crate) fn with_environment(&self, environment: ProcessEnvironment) -> Self {
        Self {
            run: RunContext {
                environment,
                ..self.run.clone()
            },
            ..self.clone()
        }
    }
}

impl Notifier for Console {
    fn warn(&self, message: &str) {
        self.warning(message);
    }

    fn log(&self, line: &str) {
        self.log_line(line);
    }

    fn print_line(&self, line: &str) {
        // A reader that has gone does not stop the run.
        let _ = self.print(&format!("{}\n", Untrusted::new(line).line()));
    }

    fn announce(&self, lines: &[String]) {
        self.tell_lines(lines);
    }

    fn is_verbose(&self) -> bool {
        Self::is_verbose(self)
    }

    fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    fn is_watched(&self) -> bool {
        Self::is_watched(self)
    }
}
