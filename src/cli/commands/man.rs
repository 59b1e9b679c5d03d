//! `git council man` and `git council completions`: what git and shells show of us.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    start.console.print(&format!("{}\n", file.display()))?;
    if !finds_page(&file) {
        start.console.warning(&format!(
            "`man` does not look there, so `git council --help` does not find it: add `export MANPATH=\"{}:\"` to your \
             shell's profile, or use `git council -h`",
            folder.display()
        ));
    }
    Ok(())
}

/// Whether `man`, and so git's `--help`, leads to this page.
fn finds_page(file: &Path) -> bool {
    let mut command = Command::new("man");
    command.args(["-w", "git-council"]).stdin(Stdio::null());
    let Ok(told) = command.stderr(Stdio::null()).output() else {
        return false;
    };
    let told = String::from_utf8_lossy(&told.stdout);
    let told = Path::new(told.lines().next().unwrap_or_default()).canonicalize();
    told.is_ok_and(|told| file.canonicalize().is_ok_and(|file| file == told))
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
    page.extend(EXAMPLES.as_bytes());
    man.render_options_section(&mut page)?;
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let name = sub.get_name().to_ascii_uppercase();
        page.extend(format!(".SH \"GIT COUNCIL {name}\"\n").into_bytes());
        page.extend(render_section(sub)?);
    }
    page.extend(EXIT_STATUS.as_bytes());
    page.extend(FILES.as_bytes());
    page.extend(render_environment().as_bytes());
    Ok(String::from_utf8_lossy(&page).into_owned())
}

const EXAMPLES: &str = r#".SH EXAMPLES
.TP
\fBgit council review\fR
Review the current branch before you push it.
.TP
\fBgit council review HEAD~3..HEAD \-\- src\fR
Review three commits, and only what they change below src.
.TP
\fBgit council review \-\-agents claude,codex \-\-debate \-\-max\-cost 2\fR
Two agents review and answer each other; the run may cost two dollars.
.TP
\fBgit council dismiss F2 \-\-because \(aqthe input is a constant\(aq\fR
Make the second finding of the last report not count.
.TP
\fBgit council hook install\fR
Review every push.
"#;

const EXIT_STATUS: &str = r#".SH "EXIT STATUS"
.TP
\fB0\fR
PASS, WARN (something to look at), or SKIPPED (nothing to review).
.TP
\fB1\fR
FAIL, or WARN with \-\-fail\-on warn.
.TP
\fB2\fR
Wrong usage or configuration.
.TP
\fB3\fR
INCONCLUSIVE: too few judges answered, or too little was read, for a verdict.
.TP
\fB4\fR
There is a verdict, but it could not be published anywhere.
.TP
\fB130\fR
Interrupted.
"#;

const FILES: &str = r#".SH FILES
.TP
\fI~/.config/git\-council/config.toml\fR
Your own configuration (below XDG_CONFIG_HOME, if that is set).
.TP
\fIcouncil.toml\fR
The project's configuration, read from the trusted branch.
.TP
\fI.git/council/\fR
Runs, cached verdicts and the journal of each run.
.TP
\fI.agents/council/\fR
Reports and answers for people; output.save turns this off.
.TP
\fI~/.local/state/git\-council/seal.key\fR
The key that signs your own cached verdicts (below XDG_STATE_HOME, if that is set).
"#;

/// Variables that the program reads beside those of the configuration.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_COUNCIL", "0 skips the hooks once."),
    (
        "NO_COLOR",
        "No colour, unless \\-\\-color or the configuration asks for it.",
    ),
    (
        "GIT_PAGER, PAGER",
        "The pager of long output, by git\\(aqs rules.",
    ),
    (
        "CI",
        "In CI the cache is ignored, no note is written, and progress is told in lines.",
    ),
    (
        "GIT_DIR, GIT_WORK_TREE",
        "The repository, as for every git command.",
    ),
];

fn render_environment() -> String {
    let own = VARIABLES
        .iter()
        .map(|(name, does)| format!(".TP\n\\fB{name}\\fR\n{does}\n"));
    let keys = crate::config::ENVIRONMENT.iter();
    let keys = keys.map(|(name, key)| format!(".TP\n\\fB{name}\\fR\nSets {key}.\n"));
    format!(".SH ENVIRONMENT\n{}", own.chain(keys).collect::<String>())
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

/// What git's own completion of bash calls for `git council …`: it says where the subcommand stands, since options of git
/// may come before it. Flags are offered where one is begun, or where there is nothing else.
const GIT_BASH: &str = r#"
_git_council_words() {
    _git__council "$@"
    local word begun=${COMP_WORDS[COMP_CWORD]} plain=()
    [[ $begun == -* ]] && return
    for word in "${COMPREPLY[@]}"; do
        [[ $word == -* ]] || plain+=("$word")
    done
    [[ ${#plain[@]} -gt 0 ]] && COMPREPLY=("${plain[@]}")
    return 0
}
complete -F _git_council_words -o bashdefault -o default git-council

_git_council() {
    local at=${__git_cmd_idx:-1}
    local words=("git-council" "${COMP_WORDS[@]:at+1}") cword=$((COMP_CWORD - at))
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$cword
    _git_council_words git-council "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
}
"#;

/// `git council …` in fish: what `git-council …` would be completed to. Copy the script to fish's `conf.d` as well, or
/// source it: fish reads completions of `git-council` only when that is typed.
const GIT_FISH: &str = r#"
function __fish_git_council_words
    set -l before (commandline -opc)
    set -l at (contains -i -- council $before); or return
    set -e before[1..$at]
    set -l word (commandline -ct)
    complete -C "git-council "(string join ' ' -- (string escape -- $before) "$word")
end
complete -c git -n '__fish_seen_subcommand_from council' -e
complete -c git -f -n 'contains -- council (commandline -opc)' -a '(__fish_git_council_words)'
complete -c git -n __fish_git_needs_command -a council -d 'Review a change and give one verdict'
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
        Shell::Bash => {
            // The generator names states by the name of the program, and looks them up by the words of its usage.
            text = text.replace("git__subcmd__council", "git__council");
            text.push_str(GIT_BASH);
        }
        Shell::Fish => text.push_str(GIT_FISH),
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
    fn the_page_has_the_sections_that_readers_of_man_pages_look_for() {
        let page = render_man_page().unwrap();
        for heading in [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "EXAMPLES",
            "\"EXIT STATUS\"",
            "FILES",
            "ENVIRONMENT",
        ] {
            let heading = format!(".SH {heading}\n");
            assert_eq!(page.matches(&heading).count(), 1, "{heading}");
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
