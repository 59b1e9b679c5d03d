//! `git council man`: the pages that `man` and `git help` show, one for the program and one for each subcommand.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, CommandFactory as _};

use crate::cli::args::Cli;
use crate::cli::context::CommandContext;
use crate::cli::help::without_idle_options;
use crate::run::error::RunError;
use crate::run::output_file::write_output;
use crate::safe_file;

/// Print the man page, or install it so that `git council --help` works
#[derive(Debug, Clone, Args)]
pub(crate) struct ManArgs {
    /// Write git-council.1, git-council-review.1 and so on to FOLDER/man1 [default: ~/.local/share/man]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    install: Option<Option<PathBuf>>,
}

pub(crate) fn run(args: &ManArgs, start: &CommandContext) -> Result<(), RunError> {
    let page = render_man_page().map_err(|error| RunError::output("the man page", &error))?;
    let Some(folder) = &args.install else {
        return start.console.print(&page);
    };
    let home = || Some(start.environment.home()?.join(".local/share/man"));
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
    for (name, page) in
        render_subcommand_pages().map_err(|error| RunError::output("the man pages", &error))?
    {
        write_output(&folder.join(format!("man1/{name}.1")), page)?;
    }
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

fn built_command() -> clap::Command {
    let command = without_idle_options(Cli::command());
    let mut command = command.name("git-council").bin_name("git council");
    command.build();
    command
}

/// The subcommands that have a page: `help` is the parser's own.
fn paged_subcommands(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    let subcommands = command.get_subcommands();
    subcommands.filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
}

/// A page for each subcommand, by its name.
fn render_subcommand_pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let command = built_command();
    let page = |sub: &clap::Command| {
        let name = format!("git-council-{}", sub.get_name());
        // The name of a page has hyphens, and what is typed has none.
        let titled = sub.clone().display_name(name.clone());
        let man = clap_mangen::Man::new(titled)
            .title(name.to_ascii_uppercase())
            .section("1")
            .manual("Git Manual");
        let mut page = Vec::new();
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        page.extend(render_synopsis(sub, "SH").into_bytes());
        man.render_options_section(&mut page)?;
        for below in paged_subcommands(sub) {
            page.extend(format!(".SH \"{}\"\n", usage_name(below)).into_bytes());
            page.extend(render_section(below)?);
        }
        page.extend(EXIT_STATUS.as_bytes());
        page.extend(b".SH \"SEE ALSO\"\n\\fBgit\\-council\\fR(1)\n");
        Ok((name, page))
    };
    paged_subcommands(&command).map(page).collect()
}

fn usage_name(command: &clap::Command) -> &str {
    command.get_bin_name().unwrap_or_else(|| command.get_name())
}

/// The options and flags of a command; `--help` goes without saying.
fn shown_options(command: &clap::Command) -> impl Iterator<Item = &clap::Arg> {
    let is_parsers_own = |arg: &clap::Arg| ["help", "version"].contains(&arg.get_id().as_str());
    let options = command.get_arguments().filter(|arg| !arg.is_positional());
    options.filter(move |arg| !arg.is_hide_set() && !is_parsers_own(arg))
}

/// `git council review [--staged] [--patch FILE] … [TARGET]`: each option with the value that it takes. Those of every
/// command stand in the page of the program.
fn render_synopsis(command: &clap::Command, level: &str) -> String {
    let bold = |text: &str| format!("\\fB{}\\fR", text.replace('-', "\\-"));
    let value = |arg: &clap::Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        let names: Vec<String> = names.iter().map(|name| format!("\\fI{name}\\fR")).collect();
        names.join(" ")
    };
    let mut out = format!(".{level} SYNOPSIS\n{}", bold(usage_name(command)));
    let is_of_all = |arg: &clap::Arg| arg.is_global_set() && usage_name(command) != "git council";
    for arg in shown_options(command).filter(|arg| !is_of_all(arg)) {
        let flag = match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => continue,
        };
        let takes_one = arg.get_action().takes_values();
        let may_be_left_out = arg
            .get_num_args()
            .is_some_and(|range| range.min_values() == 0);
        let behind = match (takes_one, may_be_left_out) {
            (false, _) => String::new(),
            (true, true) if arg.is_require_equals_set() => format!("[={}]", value(arg)),
            (true, true) => format!(" [{}]", value(arg)),
            (true, false) => format!(" {}", value(arg)),
        };
        let aliases = arg.get_visible_aliases().unwrap_or_default();
        let aliases = aliases
            .iter()
            .map(|alias| format!(" | {}", bold(&format!("--{alias}"))));
        let aliases: String = aliases.collect();
        out.push_str(&format!("\n[{}{aliases}{behind}]", bold(&flag)));
    }
    for arg in command.get_positionals().filter(|arg| !arg.is_hide_set()) {
        let (open, close) = if arg.is_required_set() {
            ("", "")
        } else {
            ("[", "]")
        };
        let (dashes, more) = if arg.is_last_set() {
            ("\\-\\- ", "...")
        } else {
            ("", "")
        };
        out.push_str(&format!("\n{open}{dashes}{}{more}{close}", value(arg)));
    }
    if paged_subcommands(command).next().is_some() {
        let is_required = command.is_subcommand_required_set();
        out.push_str(if is_required {
            "\n\\fICOMMAND\\fR"
        } else {
            "\n[\\fICOMMAND\\fR]"
        });
    }
    out + "\n"
}

/// One page: the command, then each subcommand.
fn render_man_page() -> std::io::Result<String> {
    let command = built_command();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone())
        .title("GIT-COUNCIL")
        .section("1")
        .manual("Git Manual");
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    page.extend(render_synopsis(&command, "SH").into_bytes());
    man.render_description_section(&mut page)?;
    page.extend(EXAMPLES.as_bytes());
    man.render_options_section(&mut page)?;
    for sub in paged_subcommands(&command) {
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
PASS, WARN (something to look at), or SKIPPED (no changed file is
one that is reviewed).
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
    text.extend(render_synopsis(command, "SH").into_bytes());
    man.render_options_section(&mut text)?;
    let text = String::from_utf8_lossy(&text)
        .replace(".SH DESCRIPTION\n", "")
        .replace(".SH ", ".SS ");
    Ok(text.into_bytes())
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
        for sub in paged_subcommands(&Cli::command()) {
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

    /// Law: every option of every command stands in its synopsis with the value that it takes, and nothing is left empty.
    #[test]
    fn a_synopsis_names_each_option_with_its_value() {
        let root = built_command();
        let below = paged_subcommands(&root)
            .flat_map(|sub| std::iter::once(sub).chain(paged_subcommands(sub)));
        for command in std::iter::once(&root).chain(below) {
            let synopsis = render_synopsis(command, "SH").replace('\\', "");
            assert!(
                !synopsis.contains("[]") && !synopsis.contains(" ]"),
                "{synopsis}"
            );
            for arg in shown_options(command).filter(|arg| !arg.is_global_set()) {
                let Some(long) = arg.get_long() else { continue };
                let line = synopsis
                    .lines()
                    .find(|line| line.starts_with(&format!("[fB--{long}fR")));
                let line = line.unwrap_or_else(|| panic!("{long}: {synopsis}"));
                let names = arg.get_value_names().unwrap_or_default();
                let takes_one = arg.get_action().takes_values();
                assert_eq!(
                    takes_one,
                    names
                        .iter()
                        .any(|name| line.contains(&format!("fI{name}fR"))),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn a_synopsis_names_the_other_spellings_of_an_option() {
        let root = built_command();
        let review = root.find_subcommand("review").unwrap();
        let synopsis = render_synopsis(review, "SH").replace('\\', "");
        assert!(
            synopsis.contains("[fB--stagedfR | fB--cachedfR]"),
            "{synopsis}"
        );
    }

    #[test]
    fn each_subcommand_has_a_page_of_its_own() {
        let pages = render_subcommand_pages().unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert!(
            names.contains(&"git-council-review") && !names.contains(&"git-council-help"),
            "{names:?}"
        );
        for (name, page) in &pages {
            let page = String::from_utf8_lossy(page).replace('\\', "");
            assert!(page.contains(&format!("{name} -")), "{name}: {page}");
            for heading in [".SH SYNOPSIS", ".SH \"EXIT STATUS\"", ".SH \"SEE ALSO\""] {
                assert_eq!(page.matches(heading).count(), 1, "{name}: {heading}");
            }
        }
    }
}
