#!/usr/bin/env bash
# completions.sh PROGRAM: completes `git council <TAB>` and `git-council <TAB>` at every level in the real bash, zsh and
# fish. A shell that is missing is installed from the distribution where that is possible; where it is not, that is a
# failure, unless --if-present is given, too.
set -euo pipefail

program=$(realpath "$1")
mode=${2:-}
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
mkdir "$here/bin" "$here/zsh" "$here/home"
ln -s "$program" "$here/bin/git-council"
export PATH="$here/bin:$PATH" HOME="$here/home" GIT_CONFIG_NOSYSTEM=1
for shell in bash zsh fish; do "$program" completions $shell >"$here/council.$shell"; done
ln -s "$here/council.zsh" "$here/zsh/_git-council"
failed=0

# A repository with a run and a finding, and an agent of the user's own: their names are offered, too.
mkdir -p "$here/home/.config/git-council" "$here/work"
printf '[agents.mine]\ndriver = "command"\ncommand = ["true"]\n' >"$here/home/.config/git-council/config.toml"
cd "$here/work"
git init --quiet . && git config user.name somebody && git config user.email somebody@example.com
printf 'def run(text):\n    return eval(text)\n' >run.py
git add . && git commit --quiet --message "Run it"
git-council review HEAD --agents builtin >"$here/review" 2>&1 || { cat "$here/review" >&2; exit 1; }

# The line that is completed, a word that must be offered, and one that must not.
cases=(
  "git-council re|review|--color"
  "git council re|review|--color"
  "git-council |show|uninstall"
  "git council |show|uninstall"
  "git-council hook |install|review"
  "git council hook |install|review"
  "git-council hook install --f|--force|--json"
  "git council hook install --f|--force|--json"
  "git council review --deb|--debate|--deep"
  "git -C . council hook |install|review"
  # Fixed values.
  "git-council review --format |sarif|--color"
  "git council show --format |sarif|--color"
  "git-council init --preset |open-source|security-audit"
  "git-council completions |fish|--color"
  "git council hook run p|post-commit|run.py"
  "git council agents install |opencode|run.py"
  "git-council backends check |inline|run.py"
  "git-council config review.quo|review.quorum|run.py"
  # What only the repository and the configuration know.
  "git-council review --agents |mine|--color"
  "git council review --agents |mine|--color"
  "git-council review --agents builtin,|builtin,mine|--color"
  "git council duel HEAD --agent-b |mine|--color"
  "git-council review --preset |security-audit|--color"
  "git council review --preset |security-audit|--color"
  "git-council review --perspectives security,|security,tests|--color"
  "git-council show |council-[0-9]+-head|--color"
  "git council show |council-[0-9]+-head|--color"
  "git council replay council-|council-[0-9]+-head|--color"
  "git-council dismiss |F1|--color"
  "git council explain |F1|--color"
  "git council apply |F1|--color"
  "git-council explain F1 --run |council-[0-9]+-head|--color"
)

there_is() {
  command -v "$1" >/dev/null && return
  if [ "$mode" = --if-present ]; then
    echo "SKIPPED: there is no $1 here, so its completions were not tried" >&2
    return 1
  fi
  { apt-get install -y -qq "$1" || { apt-get update -qq && apt-get install -y -qq "$1"; }; } >/dev/null 2>&1 || true
  command -v "$1" >/dev/null && return
  echo "FAILED: there is no $1, and it cannot be installed" >&2
  failed=1
  return 1
}

check() { # SHELL LINE WANTED UNWANTED OFFERED
  if ! grep -qE -- "(^|[[:space:]])$3([[:space:]=]|\$)" <<<"$5"; then
    echo "FAILED: $1: [$2] does not offer $3, but: ${5:0:300}" >&2
    failed=1
  elif grep -qE -- "(^|[[:space:]])$4([[:space:]]|\$)" <<<"$5"; then
    echo "FAILED: $1: [$2] offers $4" >&2
    failed=1
  fi
}

# Calls what bash would call. Git's own completion sets the place of the subcommand.
in_bash() {
  bash --norc -c '
    source "$1"; read -ra COMP_WORDS <<<"$2"; [[ $2 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
    if [ "${COMP_WORDS[0]}" = git ]; then
      __git_cmd_idx=0
      while [ "${COMP_WORDS[__git_cmd_idx]}" != council ]; do __git_cmd_idx=$((__git_cmd_idx + 1)); done
      _git_council
    else
      f=$(complete -p git-council); f=${f#*-F }; f=${f%% *}
      "$f" git-council "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    fi
    printf "%s\n" "${COMPREPLY[@]}"' bash "$here/council.bash" "$1"
}

# Bash with a terminal of its own, in which somebody types the line and the key.
at_bash() {
  python3 - "$here/council.bash" "$1" <<'PYTHON'
import fcntl, os, pty, re, select, struct, sys, termios, time

script, line = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb", INPUTRC="/dev/null")
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 120, 0, 0))


def read(until=None):
    text, last = "", time.monotonic()
    while time.monotonic() - last < (10 if until else 1.5):
        if select.select([terminal], [], [], 0.1)[0]:
            text, last = text + os.read(terminal, 65536).decode(errors="replace"), time.monotonic()
        if until and until in text:
            break
    return text


git = "/usr/share/bash-completion/completions/git"
begin = f"[ -e {git} ] && source {git}; source '{script}'; bind 'set page-completions off'; "
begin += "bind 'set completion-query-items 0'; PS1=; echo REA''DY\n"
os.write(terminal, begin.encode())
read("READY\r")
os.write(terminal, line.encode() + b"\t\t")
print(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\a\r]", "", read()))
os.kill(child, 9)
PYTHON
}

in_fish() { fish -c "source $here/council.fish; complete -C '$1'" | cut -f1; }

# zsh completes only where somebody types: in a terminal of its own.
in_zsh() {
  zsh -f -c '
    zmodload zsh/zpty
    zpty z zsh -f -i
    zpty -w z "PROMPT=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; bindkey \"^I\" complete-word; echo REA\"\"DY"
    line= all=
    for i in {1..600}; do zpty -r -t z line && all+=$line; [[ $all == *READY* ]] && break; sleep 0.1; done
    zpty -w -n z "$2"$'"'\t'"'
    all=
    for i in {1..25}; do sleep 0.1; while zpty -r -t z line; do all+=$line; done; done
    print -r -- "$all"' zsh "$here/zsh" "$1" | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g' | tr '\r' '\n' | awk 'NR > 1 || !/council re$/'
}

for shell in bash zsh fish; do
  there_is $shell || continue
  for one in "${cases[@]}"; do
    IFS='|' read -r line wanted unwanted <<<"$one"
    check $shell "$line" "$wanted" "$unwanted" "$("in_$shell" "$line" 2>&1)"
    # What bash calls for git is git's own, where it is installed.
    [ $shell = bash ] || continue
    [[ $line == git-council* || -e /usr/share/bash-completion/completions/git ]] || continue
    check "bash at a terminal" "$line" "$wanted" "$unwanted" "$(at_bash "$line" 2>&1)"
  done
done
[ $failed = 0 ] && echo "completions: the shells offer what they should"
exit $failed
