#!/usr/bin/env bash
# Real pushes through every hook manager that the registries offer: each installed below target/, each given the lines
# that `git council hook install` prints, each seen to let a push through or to stop it.
#
#   tests/managers.sh PROGRAM      PROGRAM is the git-council to be tested
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
tools="$root/target/managers"
PRE_COMMIT=4.7.0 LEFTHOOK=2.2.2 HUSKY=9.1.7

if ! "$tools/python/bin/pre-commit" --version 2>/dev/null | grep -qF "$PRE_COMMIT"; then
  python3 -m venv "$tools/python"
  "$tools/python/bin/pip" install --quiet --disable-pip-version-check "pre-commit==$PRE_COMMIT"
fi
if [ ! -x "$tools/node_modules/.bin/lefthook" ] || [ ! -d "$tools/node_modules/husky" ]; then
  mkdir -p "$tools"
  # Without its scripts: lefthook's would install hooks in the repository that these tests are part of.
  npm install --ignore-scripts --silent --no-audit --no-fund --prefix "$tools" "lefthook@$LEFTHOOK" "husky@$HUSKY"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home"
ln -s "$program" "$work/bin/git-council"
export HOME="$work/home" PATH="$work/bin:$tools/python/bin:$tools/node_modules/.bin:$PATH"
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
unset CI GITHUB_ACTIONS GITHUB_EVENT_PATH
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

# A clone with its remote; the manager's lines are asked for and put where they belong.
begin() {
  name=$1
  git init --quiet --bare "$work/$name.git"
  git init --quiet "$work/$name"
  cd "$work/$name"
  git remote add origin "$work/$name.git"
  echo '# A project' > README.md
  git add . && git commit --quiet --message Start
  git push --quiet origin main
}

lines() {
  git council hook install > "$work/lines" 2> "$work/told" && fail "$name: something was installed"
  grep -q "manages the hooks here" "$work/told" || fail "$name: not seen: $(cat "$work/told")"
}

pushes() {
  git add . && git commit --quiet --no-verify --message "Set $name up"
  git push origin main > "$work/out" 2>&1 || fail "$name stops a clean push: $(cat "$work/out")"
  git config council.hook.mode gate
  printf '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n' > notes.md
  git add . && git commit --quiet --no-verify --message Conflict
  if git push origin main > "$work/out" 2>&1; then fail "$name lets a conflict through: $(cat "$work/out")"; fi
  grep -q 'notes.md:1' "$work/out" || fail "$name does not say why: $(cat "$work/out")"
  git push origin main --no-verify > "$work/out" 2>&1 || fail "$name: $(cat "$work/out")"
  git council hook status | grep -q "and runs it" || fail "$name: $(git council hook status)"
  printf '%s: ok\n' "$name"
}

begin pre-commit
echo 'repos:' > .pre-commit-config.yaml
lines
cat "$work/lines" >> .pre-commit-config.yaml
pre-commit install --hook-type pre-push > /dev/null
pushes

begin lefthook
touch lefthook.yml
lines
cat "$work/lines" >> lefthook.yml
lefthook install > /dev/null
pushes

begin husky
mkdir .husky
node "$tools/node_modules/husky/bin.js"
lines
cat "$work/lines" > .husky/pre-push
pushes
