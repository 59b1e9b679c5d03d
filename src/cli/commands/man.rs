//! `git council man` and `git council completions`: what git and shells show of us.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::cli::args::Cli;
use crate::cli::context::CommandContext;
use crate::cli::deliver::write_output;
use crate::run::error::RunError;
use crate::safe_file;

/// Print the man page, or install it so that `git council --help` works
#[derive(Debug, Clone, Args)]
pub(crate) struct ManArgs {
    /// Write git-council.1 to FOLDER/man1 [default: ~/.local/share/man]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    install: Option<Option<PathBuf>>,
}

/// Print shell completions for `git council` and `git-council`
#[derive(Debug, Clone, Args)]
pub(crate) struct CompletionsArgs {
    /// Your shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &ManArgs, start: &CommandContext) -> Result<(), RunError> {
    let page = render_man_page().map_err(|error| RunError::output("the man page", &error))?;
    let Some(folder) = &args.install else {
        return start.console.print(&page);
    };
    let home = || Some(PathBuf::from(start.environment.get("HOME")?).join(".local/share/man"));
    let folder = folder
        .as_ref()
        .map(|folder| start.dir.join(folder))
        .or_else(home);
    let folder = folder.ok_or_else(|| {
        RunError::usage("there is no home directory").hint("name a folder: --install FOLDER")
    })?;
    let file = folder.join("man1/git-council.1");
    safe_file::make_folder(&folder.join("man1"))
        .map_err(|error| RunError::output(&folder.display().to_string(), &error))?;
    write_output(&file, page)?;
    start.console.print(&format!("{}\n", file.display()))
}

/// One page: the command, then each subcommand.
fn render_man_page() -> std::io::Result<String> {
    let mut command = Cli::command().name("git-council").bin_name("git council");
    command.build();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone())
        .title("GIT-COUNCIL")
        .section("1")
        .manual("Git Manual");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let name = sub.get_name().to_ascii_uppercase();
        page.extend(format!(".SH \"GIT COUNCIL {name}\"\n").into_bytes());
        page.extend(render_section(sub)?);
    }
    man.render_extra_section(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// A subcommand's own page with its headings one level deeper.
fn render_section(command: &clap::Command) -> std::io::Result<Vec<u8>> {
    let man = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    man.render_description_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_options_section(&mut text)?;
    let text = String::from_utf8_lossy(&text)
        .replace(".SH DESCRIPTION\n", "")
        .replace(".SH ", ".SS ");
    Ok(text.into_bytes())
}

/// What git's own completion of bash calls for `git council …`.
const GIT_BASH: &str = r#"
_git_council() {
    local COMP_WORDS=("git-council" "${COMP_WORDS[@]:2}") COMP_CWORD=$((COMP_CWORD - 1))
    _git-council git-council "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}
"#;

pub(crate) fn run_completions(
    args: &CompletionsArgs,
    start: &CommandContext,
) -> Result<(), RunError> {
    start.console.print(&render_completions(args.shell))
}

fn render_completions(shell: Shell) -> String {
    let mut command = Cli::command().name("git-council").bin_name("git-council");
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "git-council", &mut text);
    let mut text = String::from_utf8_lossy(&text).into_owned();
    match shell {
        Shell::Bash => text.push_str(GIT_BASH),
        Shell::Fish => text
            .push_str("complete -c git -n '__fish_seen_subcommand_from council' -w git-council\n"),
        _ => {}
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_subcommand_that_is_not_hidden() {
        let page = render_man_page().unwrap();
        assert!(
            page.contains(".TH GIT\\-COUNCIL 1") || page.contains(".TH GIT-COUNCIL 1"),
            "{}",
            &page[..200]
        );
        for sub in Cli::command()
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set())
        {
            let heading = format!(
                ".SH \"GIT COUNCIL {}\"",
                sub.get_name().to_ascii_uppercase()
            );
            assert!(page.contains(&heading), "{heading}");
        }
    }

    #[test]
    fn the_shells_have_their_completions() {
        for (shell, word) in [
            (Shell::Bash, "_git_council()"),
            (Shell::Zsh, "#compdef git-council"),
            (Shell::Fish, "complete -c git-council"),
        ] {
            assert!(render_completions(shell).contains(word), "{shell}");
        }
    }
}
