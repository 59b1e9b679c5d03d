#!/usr/bin/env bash
# Hook managers without a toolchain and without git-council on the PATH: pre-commit installs the wheel by itself, lefthook and
# husky take the npm package of the project. Real managers, an empty home, packages of one folder.
#
#   tests/managers-packages.sh DIST      DIST is what packaging/pack.py has made
set -euo pipefail

dist=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
PRE_COMMIT=4.7.0 LEFTHOOK=2.2.2 HUSKY=9.1.7
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

python=$(command -v python3)
# pre-commit builds an empty package around a local hook, for which pip wants its tools from the registry of this machine.
index=$("$python" -m pip config get global.index-url 2>/dev/null || printf %s "${PIP_INDEX_URL:-https://pypi.org/simple}")
node=$(dirname "$(readlink -f "$(command -v node)")")
"$python" -m venv "$work/tools"
"$work/tools/bin/pip" install --quiet --disable-pip-version-check "pre-commit==$PRE_COMMIT"
npm install --ignore-scripts --silent --no-audit --no-fund --prefix "$work/tools" "lefthook@$LEFTHOOK" "husky@$HUSKY"
"$python" "$root/packaging/npm_registry.py" "$dist" "$work/port" &
pids+=($!)
for _ in $(seq 100); do [ -f "$work/port" ] && break; sleep 0.1; done

mkdir "$work/home"
export HOME="$work/home" PATH="$work/tools/bin:$work/tools/node_modules/.bin:$node:/usr/bin:/bin"
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 PIP_INDEX_URL="$index" PIP_FIND_LINKS="$dist" PIP_DISABLE_PIP_VERSION_CHECK=1
export npm_config_registry="http://127.0.0.1:$(cat "$work/port")/" npm_config_update_notifier=false
unset CI GITHUB_ACTIONS GITHUB_EVENT_PATH
git config --global user.name Tester
git config --global user.email tester@example.com
git config --global init.defaultBranch main
! command -v git-council > /dev/null || fail "git-council is on the PATH"
! command -v cargo > /dev/null || fail "cargo is on the PATH"

begin() {
  name=$1
  git init --quiet --bare "$work/$name.git"
  git init --quiet "$work/$name"
  cd "$work/$name"
  git remote add origin "$work/$name.git"
  printf '# A project\n' > README.md
  printf 'node_modules\n' > .gitignore
  git add . && git commit --quiet --message Start
  git push --quiet origin main
}

# The manager lets a clean push through, and stops one with a conflict once the hook is a gate.
pushes() {
  git add . && git commit --quiet --no-verify --message "Set $name up"
  git push origin main > "$work/out" 2>&1 || fail "$name stops a clean push: $(cat "$work/out")"
  git config council.hook.mode gate
  printf '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n' > notes.md
  git add . && git commit --quiet --no-verify --message Conflict
  if git push origin main > "$work/out" 2>&1; then fail "$name lets a conflict through: $(cat "$work/out")"; fi
  grep -q 'notes.md:1' "$work/out" || fail "$name does not say why: $(cat "$work/out")"
  printf '%s: ok\n' "$name"
}

# The lines of docs/install.md, so that what is written there is what is tried.
page="$root/docs/install.md"
block() { awk -v begin="$1" '/^```/ { on = 0 } on { print } $0 == begin { on = 1; if (begin ~ /^#/) print }' "$page"; }

begin pre-commit
block '```yaml' | awk '/^# lefthook/ { exit } { print }' | sed "s/==0.1.0/==$version/" > .pre-commit-config.yaml
pre-commit install --hook-type pre-push > /dev/null
pushes

begin lefthook
npm install --silent --no-audit --no-fund --save-dev git-council
block '# lefthook.yml' > lefthook.yml
lefthook install > /dev/null
pushes

begin husky
npm install --silent --no-audit --no-fund --save-dev git-council
mkdir .husky
node "$work/tools/node_modules/husky/bin.js"
block '# .husky/pre-push' > .husky/pre-push
pushes
