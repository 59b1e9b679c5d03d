//! Long output on a terminal goes through the user's pager, by git's rules.

use std::io::{IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use super::context::CommandContext;
use crate::git::UserGit;
use crate::run::error::RunError;

/// Prints a text, through a pager where it is longer than the terminal is high.
pub(crate) fn print_paged(text: &str, start: &CommandContext) -> Result<(), RunError> {
    let high =
        terminal_size::terminal_size_of(std::io::stdout()).map(|(_, rows)| usize::from(rows.0));
    let long = high.is_some_and(|rows| text.lines().count() >= rows);
    match pager_program(start).filter(|_| long && std::io::stdout().is_terminal()) {
        Some(pager) if pipe_through(&pager, text, start).is_ok() => Ok(()),
        _ => start.console.print(text),
    }
}

/// The pager: `GIT_PAGER`, `pager.council`, `core.pager`, `PAGER`, `less`; never one that a repository names. None for none.
fn pager_program(start: &CommandContext) -> Option<String> {
    let var = |name: &str| Some(start.environment.get(name)?.to_string_lossy().into_owned());
    let git = UserGit::new(&start.dir, &start.git_environment()).ok();
    let own = |key: &str| git.as_ref().and_then(|git| git.own_config(key));
    let council = own("pager.council");
    if council
        .as_deref()
        .is_some_and(|value| matches!(value, "false" | "no" | "off" | "0"))
    {
        return None;
    }
    let council = council.filter(|value| !matches!(value.as_str(), "true" | "yes" | "on" | "1"));
    let named = var("GIT_PAGER")
        .or(council)
        .or_else(|| own("core.pager"))
        .or_else(|| var("PAGER"));
    let pager = named.unwrap_or_else(|| "less".to_owned());
    (!pager.is_empty() && pager != "cat").then_some(pager)
}

fn pipe_through(pager: &str, text: &str, start: &CommandContext) -> std::io::Result<()> {
    let mut command = Command::new("sh");
    command.args(["-c", pager]).stdin(Stdio::piped());
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if start.environment.get(name).is_none() {
            command.env(name, value);
        }
    }
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A reader who has seen enough closes the pipe.
        let text = start.console.spell_for(true, text);
        let _ = stdin.write_all(text.as_bytes());
    }
    // The shell's words for a program that is not there, or cannot be run: then nothing of the text was seen.
    match child.wait()?.code() {
        Some(126 | 127) => Err(std::io::Error::other("the pager cannot be run")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::console::Console;
    use crate::report::Verbosity;
    use crate::run::environment::ProcessEnvironment;

    fn context(vars: &[(&str, &str)]) -> CommandContext {
        let path = std::env::var("PATH").unwrap_or_default();
        let hermetic = [
            ("PATH", path.as_str()),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ];
        let environment = ProcessEnvironment::from_vars(&[&hermetic, vars].concat());
        let console = Console::new(None, Verbosity::Normal, &environment);
        CommandContext::new(
            crate::cli::args::GlobalArgs::default(),
            environment,
            console,
        )
        .unwrap()
    }

    fn pager(vars: &[(&str, &str)]) -> Option<String> {
        pager_program(&context(vars))
    }

    /// A report that nobody was shown must not end as if it had been.
    #[test]
    fn a_pager_that_is_not_there_has_shown_nothing() {
        let start = context(&[]);
        for missing in ["no-such-pager-anywhere", "/nonexistent/pager -R"] {
            assert!(pipe_through(missing, "a\n", &start).is_err(), "{missing}");
        }
        for there in ["cat >/dev/null", "true", "false", "head -1 >/dev/null"] {
            assert!(pipe_through(there, "a\n", &start).is_ok(), "{there}");
        }
    }

    #[test]
    fn the_pager_is_the_one_that_git_would_take() {
        let configured = |key: &'static str, value: &'static str| {
            [
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", key),
                ("GIT_CONFIG_VALUE_0", value),
            ]
        };
        assert_eq!(pager(&[]).as_deref(), Some("less"));
        assert_eq!(pager(&[("PAGER", "more")]).as_deref(), Some("more"));
        assert_eq!(
            pager(&[("PAGER", "more"), ("GIT_PAGER", "most")]).as_deref(),
            Some("most")
        );
        assert_eq!(pager(&[("GIT_PAGER", "cat")]), None);
        assert_eq!(
            pager(&configured("core.pager", "delta")).as_deref(),
            Some("delta")
        );
        assert_eq!(pager(&configured("pager.council", "false")), None);
        assert_eq!(
            pager(&configured("pager.council", "bat")).as_deref(),
            Some("bat")
        );
    }
}
