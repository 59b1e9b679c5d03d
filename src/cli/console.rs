//! The only place that prints.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use council_secrets::Redactor;

use crate::config::ColorChoice as ColorSetting;
use crate::report::markdown::ReadingPlace;
use crate::report::{DisplayOptions, LinkRoot, Talks, Verbosity};
use crate::text::{self, Untrusted};

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
    links: Option<LinkRoot>,
    place: ReadingPlace,
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
            links: None,
            // Whoever reads the log of a job has neither its clone nor its last report.
            place: match environment.is_ci() {
                true => ReadingPlace::Forge,
                false => ReadingPlace::Clone,
            },
        }
    }

    /// The same where it is known which findings that fail a pull request have a conversation.
    pub(crate) fn with_talks(mut self, talks: Talks) -> Self {
        self.place = match self.place {
            ReadingPlace::Clone => ReadingPlace::Desk(talks),
            other => other,
        };
        self
    }

    /// The same with links into the worktree of a directory, where the terminal takes them.
    pub(crate) fn with_links(mut self, dir: &Path, environment: &ProcessEnvironment) -> Self {
        let top = dir.ancestors().find(|folder| folder.join(".git").exists());
        let top = top.filter(|_| takes_links(environment));
        self.links = top.map(|top| LinkRoot::of_worktree(top.as_os_str().as_bytes()));
        self
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
            links: self.links,
            place: self.place,
        }
    }

    /// The columns of the terminal that standard output is; none: it is none.
    pub(crate) fn stdout_columns(&self) -> Option<usize> {
        terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
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

    /// Text as a terminal can show it. One of another encoding than UTF-8 takes the bytes of a letter one by one, and some
    /// of them for orders.
    pub(crate) fn spell_for<'t>(&self, is_terminal: bool, text: &'t str) -> Cow<'t, str> {
        if self.unicode || !is_terminal || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let spell = |c: char| match c.is_ascii() {
            true => c.to_string(),
            false => format!("<U+{:04X}>", u32::from(c)),
        };
        Cow::Owned(text.chars().map(spell).collect())
    }

    /// The rows of the terminal that standard error is; none: it is none.
    pub(crate) fn stderr_rows(&self) -> Option<usize> {
        terminal_size::terminal_size_of(std::io::stderr()).map(|(_, rows)| usize::from(rows.0))
    }

    /// Writes text to standard output as it is; whoever made it has cleaned it.
    pub(crate) fn print(&self, text: &str) -> Result<(), RunError> {
        let text = self.spell_for(std::io::stdout().is_terminal(), text);
        let mut out = AutoStream::new(std::io::stdout().lock(), self.colour);
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        written.map_err(|error| RunError::output("to standard output", &error))
    }

    /// The same; on a terminal, lines that are wider than that are broken at words.
    pub(crate) fn print_wrapped(&self, text: &str) -> Result<(), RunError> {
        self.print(&text::wrap_lines(text, self.stdout_columns()))
    }

    /// Prints data for programs. Characters that a terminal obeys are written as `\u` escapes.
    pub(crate) fn print_json(&self, data: &impl serde::Serialize) -> Result<(), RunError> {
        let json = crate::text::pretty_json(data).unwrap_or_default();
        self.print(&(text::json_safe(&json) + "\n"))
    }

    /// Tells a person at a terminal what to do next.
    pub(crate) fn hint(&self, text: &str) {
        if self.is_watched() {
            self.write_stderr(&labelled("hint:", HINT, text));
        }
    }

    /// Tells an error and its hints.
    pub(crate) fn error(&self, error: &RunError) {
        let mut text = labelled("Error:", ERROR, &error.message);
        if !error.hints.is_empty() {
            text.push('\n');
        }
        for hint in &error.hints {
            text.push_str(&labelled("hint:", HINT, hint));
        }
        self.write_stderr(&text);
    }

    /// Tells what a reader of the verdict should know beside it; silent with `-q`.
    pub(crate) fn note(&self, message: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.write_stderr(&labelled("note:", HINT, message));
        }
    }

    /// Tells something that does not stop the run; silent with `-q`.
    pub(crate) fn warning(&self, message: &str) {
        if self.verbosity != Verbosity::Quiet {
            self.write_stderr(&labelled("warning:", WARNING, message));
        }
    }

    /// Tells something without which the output would be taken for what it is not; not even `-q` silences it.
    pub(crate) fn caution(&self, message: &str) {
        self.write_stderr(&labelled("warning:", WARNING, message));
    }

    /// Whether somebody asked for more.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Tells a line of the run's log.
    pub(crate) fn log_line(&self, line: &str) {
        self.write_stderr(&format!("{}\n", Untrusted::new(line).line()));
    }

    /// Tells lines to people; on a terminal, those that are wider than that are broken at words.
    pub(crate) fn tell_lines(&self, lines: &[String]) {
        let columns = terminal_size::terminal_size_of(std::io::stderr());
        let columns = columns.map(|(width, _)| usize::from(width.0));
        for line in lines {
            self.write_stderr(&text::wrap_lines(line, columns));
        }
    }

    /// Tells lines, the last of which may be a question: what is typed stands behind it, on the same line.
    pub(crate) fn prompt(&self, text: &str) {
        let columns = terminal_size::terminal_size_of(std::io::stderr());
        // The answer has room, too.
        let columns = columns.map(|(width, _)| usize::from(width.0).saturating_sub(1));
        let mut told = text::wrap_lines(text, columns);
        if !text.ends_with('\n') {
            told.truncate(told.trim_end().len());
            told.push(' ');
        }
        self.write_stderr(&told);
    }

    /// Draws on a terminal: where colours are unwanted, the cursor moves all the same.
    pub(crate) fn draw_stderr(&self, text: &str) {
        let text = self.spell_for(true, text);
        let mut err = std::io::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// Standard error is for people; when nobody can hear, there is nobody to tell.
    pub(crate) fn write_stderr(&self, text: &str) {
        let text = self.spell_for(std::io::stderr().is_terminal(), text);
        let mut err = AutoStream::new(std::io::stderr().lock(), self.colour);
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }
}

/// A message behind its label; on a terminal wrapped at words, later lines below the first one.
fn labelled(label: &str, style: Style, message: &str) -> String {
    // An error repeats what it is about: a key of a file, an argument. In CI everybody may read it.
    let message = Redactor::default().redact_source(None, message).text;
    let message = Untrusted::new(&message).line();
    let columns = terminal_size::terminal_size_of(std::io::stderr());
    let indent = label.len() + 1;
    let lines = match columns.map(|(width, _)| usize::from(width.0).saturating_sub(indent)) {
        Some(room @ 20..) => text::wrap_columns(&message, room, room),
        _ => vec![message],
    };
    let below = format!("\n{}", " ".repeat(indent));
    format!("{style}{label}{style:#} {}\n", lines.join(&below))
}

fn color_choice(colour: ColorSetting) -> ColorChoice {
    match colour {
        ColorSetting::Auto => ColorChoice::Auto,
        ColorSetting::Always => ColorChoice::Always,
        ColorSetting::Never => ColorChoice::Never,
    }
}

/// Whether a terminal takes links (OSC 8), by what terminals say of themselves. Multiplexers may or may not pass them on,
/// so that they count as terminals that do not.
fn takes_links(environment: &ProcessEnvironment) -> bool {
    let value = |name| {
        environment
            .get(name)
            .map(|v| v.to_string_lossy().into_owned())
    };
    let term = value("TERM").unwrap_or_default();
    if environment.is_ci()
        || value("TMUX").is_some()
        || term.starts_with("screen")
        || term == "dumb"
    {
        return false;
    }
    let programs = [
        "iTerm.app",
        "WezTerm",
        "vscode",
        "ghostty",
        "Hyper",
        "Tabby",
        "rio",
    ];
    let terms = [
        "xterm-kitty",
        "xterm-ghostty",
        "foot",
        "alacritty",
        "contour",
    ];
    let is_vte = value("VTE_VERSION").and_then(|v| v.parse::<u32>().ok()) >= Some(5_000);
    is_vte
        || value("TERM_PROGRAM").is_some_and(|name| programs.contains(&name.as_str()))
        || terms.contains(&term.as_str())
        || ["WT_SESSION", "KONSOLE_VERSION", "DOMTERM"]
            .iter()
            .any(|name| value(name).is_some())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_of_another_encoding_gets_no_byte_that_it_may_obey() {
        let console = |locale| {
            let environment = ProcessEnvironment::from_vars(&[("LC_ALL", locale)]);
            Console::new(None, Verbosity::Normal, &environment)
        };
        // C3 9B: the second byte begins an order of terminals that take each byte for a letter.
        let text = "x\u{db}2J \u{1b}[1m";
        for locale in ["C", "de_DE.ISO-8859-1", ""] {
            let spelled = console(locale).spell_for(true, text);
            assert_eq!(spelled, "x<U+00DB>2J \u{1b}[1m");
            assert_eq!(console(locale).spell_for(false, text), text);
        }
        assert_eq!(console("C.UTF-8").spell_for(true, text), text);
    }

    #[test]
    fn only_terminals_that_say_so_are_given_links() {
        let takes = |vars: &[(&str, &str)]| takes_links(&ProcessEnvironment::from_vars(vars));
        assert!(takes(&[("TERM", "xterm-kitty")]));
        assert!(takes(&[
            ("TERM", "xterm-256color"),
            ("VTE_VERSION", "7402")
        ]));
        assert!(takes(&[("TERM_PROGRAM", "WezTerm")]));
        assert!(!takes(&[("VTE_VERSION", "4999")]));
        assert!(!takes(&[("TERM", "xterm-256color")]));
        assert!(!takes(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")]));
        assert!(!takes(&[("TERM", "xterm-kitty"), ("CI", "true")]));
    }
}
