//! `git council completions`: scripts for shells. Subcommands, flags and fixed values are generated from the parser; values
//! that only the repository knows are asked for with [`super::complete`].

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::cli::args::Cli;
use crate::cli::context::CommandContext;
use crate::run::error::RunError;

/// Where each shell looks for its script.
const PLACES: &str = "\
Where the script belongs:
  bash  git council completions bash > ~/.local/share/bash-completion/completions/git-council
  zsh   git council completions zsh > DIR/_git-council, DIR being a folder of $fpath
  fish  git council completions fish > ~/.config/fish/conf.d/git-council.fish
        (fish reads ~/.config/fish/completions/git-council.fish for `git-council` alone, not for `git council`)
Start a new shell afterwards.";

/// Print shell completions for `git council` and `git-council`
#[derive(Debug, Clone, Args)]
#[command(after_help = PLACES)]
pub(crate) struct CompletionsArgs {
    /// Your shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// What git's own completion of bash calls for `git council …`: it says where the subcommand stands, since options of git
/// may come before it. Flags are offered where one is begun, or where there is nothing else.
const GIT_BASH: &str = r#"
_git_council_words() {
    local word begun=${COMP_WORDS[COMP_CWORD]} plain=() values
    values=$(git-council __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ -n $values ]]; then
        [[ $begun == = ]] && begun=
        COMPREPLY=($(compgen -W "$values" -- "$begun"))
        return 0
    fi
    _git__council "$@"
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

/// What only the repository knows, in zsh: asked before the generated function, which is called `_git-council-flags` then.
const ZSH_VALUES: &str = r#"_git-council() {
    local -a values
    values=(${(f)"$(git-council __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#values )); then
        compadd -a values
        return
    fi
    _git-council-flags "$@"
}

"#;

/// The same in fish. Behind an option, fish offers what is said of that option alone.
const FISH_VALUES: &str = r#"
function __fish_git_council_values
    set -l before (commandline -opc)
    git-council __complete -- $before[2..] (commandline -ct) 2>/dev/null
end
function __fish_git_council_behind
    set -l before (commandline -opc)
    test "$before[-1]" = $argv[1]
end
complete -c git-council -f -n 'count (__fish_git_council_values) >/dev/null' -a '(__fish_git_council_values)'
for name in agents agent-a agent-b perspectives preset run procedure consensus intensity fail-on format
    complete -c git-council -x -n "__fish_git_council_behind --$name" -l $name -a '(__fish_git_council_values)'
end
"#;

/// `git council …` in fish: what `git-council …` would be completed to. The script belongs into fish's `conf.d`: from its
/// folder of completions fish reads it only when `git-council` is typed.
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

/// The first line of fish's script, for whoever has it and not the help.
const FISH_PLACE: &str =
    "# Belongs into ~/.config/fish/conf.d/, so that `git council <TAB>` is completed as well.\n";

pub(crate) fn run(args: &CompletionsArgs, start: &CommandContext) -> Result<(), RunError> {
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
        Shell::Zsh => {
            let flags = format!("{ZSH_VALUES}_git-council-flags() {{");
            text = text.replacen("_git-council() {", &flags, 1);
        }
        Shell::Fish => {
            text.insert_str(0, FISH_PLACE);
            text.push_str(FISH_VALUES);
            text.push_str(GIT_FISH);
        }
        _ => {}
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shells_have_their_completions() {
        for (shell, word) in [
            (Shell::Bash, "_git_council()"),
            (Shell::Zsh, "#compdef git-council"),
            (Shell::Zsh, "_git-council-flags() {"),
            (Shell::Fish, "complete -c git-council"),
        ] {
            let script = render_completions(shell);
            assert!(script.contains(word), "{shell}");
            assert!(script.contains("git-council __complete -- "), "{shell}");
        }
    }
}
