//! The only place that prints.

use std::io::{IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use crate::config::ColorChoice as ColorSetting;
use crate::report::{DisplayOptions, Verbosity};
use crate::text::Untrusted;

use crate::run::environment::ProcessEnvironment;
use crate::run::error::RunError;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// Standard output for data, standard error for people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    colour: ColorChoice,
    pub(crate) verbosity: Verbosity,
    unicode: bool,
}

impl Console {
    pub(crate) fn new(
        colour: Option<ColorSetting>,
        verbosity: Verbosity,
        environment: &ProcessEnvironment,
    ) -> Self {
        Self {
            colour: color_choice(colour.unwrap_or(ColorSetting::Auto)),
            verbosity,
            unicode: speaks_unicode(environment),
        }
    }

    /// What the configuration says, where no flag did.
    pub(crate) fn with_color_setting(
        mut self,
        flag: Option<ColorSetting>,
        colour: ColorSetting,
    ) -> Self {
        if flag.is_none() {
            self.colour = color_choice(colour);
        }
        self
    }

    /// What a report for standard output may look like.
    pub(crate) fn stdout_look(&self) -> DisplayOptions {
        let columns = terminal_size::terminal_size_of(std::io::stdout())
            .map(|(width, _)| usize::from(width.0));
        let colour = match self.colour {
            ColorChoice::Auto => AutoStream::choice(&std::io::stdout()) != ColorChoice::Never,
            other => other != ColorChoice::Never,
        };
        DisplayOptions {
            width: columns.unwrap_or(100),
            colour,
            unicode: self.unicode,
            verbosity: self.verbosity,
        }
    }

    /// What a report for standard error may look like.
    pub(crate) fn stderr_look(&self) -> DisplayOptions {
        let columns = terminal_size::terminal_size_of(std::io::stderr())
            .map(|(width, _)| usize::from(width.0));
        let colour = match self.colour {
            ColorChoice::Auto => AutoStream::choice(&std::io::stderr()) != ColorChoice::Never,
            other => other != ColorChoice::Never,
        };
        DisplayOptions {
            width: columns.unwrap_or(100),
            colour,
            ..self.stdout_look()
        }
    }

    /// Whether a person watches standard error.
    pub(crate) fn is_watched(&self) -> bool {
        self.verbosity != Verbosity::Quiet && std::io::stderr().is_terminal()
    }

    /// Writes text to standard output as it is; whoever made it has cleaned it.
    pub(crate) fn print(&self, text: &str) -> Result<(), RunError> {
        let mut out = AutoStream::new(std::io::stdout().lock(), self.colour);
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| RunError::output("to standard output", &error))
    }

    /// Tells a person at a terminal what to do next.
    pub(crate) fn hint(&self, text: &str) {
        if self.is_watched() {
            self.write_stderr(&format!(
                "{HINT}hint:{HINT:#} {}\n",
                Untrusted::new(text).line()
            ));
        }
    }

    /// Tells an error and its hints.
    pub(crate) fn error(&self, error: &RunError) {
        let mut text = format!(
            "{ERROR}Error:{ERROR:#} {}\n",
            Untrusted::new(&error.message).line()
        );
        if !error.hints.is_empty() {
            text.push('\n');
        }
        for hint in &error.hints {
            text.push_str(&format!(
                "{HINT}hint:{HINT:#} {}\n",
                Untrusted::new(hint).line()
            ));
        }
        self.write_stderr(&text);
    }

    /// Tells something that does not stop the run; silent with `-q`.
    pub(crate) fn warning(&self, message: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.write_stderr(&format!(
                "{WARNING}warning:{WARNING:#} {}\n",
                Untrusted::new(message).line()
            ));
        }
    }

    /// Whether somebody asked for more.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Tells a line of the run's log.
    pub(crate) fn log_line(&self, line: &str) {
        self.write_stderr(&format!("{}\n", Untrusted::new(line).line()));
    }

    /// Standard error is for people; when nobody can hear, there is nobody to tell.
    pub(crate) fn write_stderr(&self, text: &str) {
        let mut err = AutoStream::new(std::io::stderr().lock(), self.colour);
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

fn color_choice(colour: ColorSetting) -> ColorChoice {
    match colour {
        ColorSetting::Auto => ColorChoice::Auto,
        ColorSetting::Always => ColorChoice::Always,
        ColorSetting::Never => ColorChoice::Never,
    }
}

/// As libc decides: the first of the three that is set.
fn speaks_unicode(environment: &ProcessEnvironment) -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.iter().find_map(|name| environment.get(name));
    let locale = locale
        .map(|l| l.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    locale.contains("utf-8") || locale.contains("utf8")
}
