#!/usr/bin/env bash
# Installs each package of a folder into a clean root, by the line that docs/install.md names, and runs it there. Nothing of
# this machine but the system's own folders is on the PATH, and no registry is asked for git-council.
#
#   packaging/rehearse.sh DIST [WAY…]      ways: archive binstall pip pipx uvx npx deb; and, if they are named,
#                                          plugin (needs cc), clone and remote (cargo builds; PROFILE=dev is quicker),
#                                          emulated (the other processor's program, with qemu-user)
set -euo pipefail

dist=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
ways=("$@")
[ $# -gt 0 ] || ways=(archive binstall pip pipx uvx npx $([ "$(uname -s)" = Darwin ] || echo deb))
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml" | head -1)
target=$(uname -m)-unknown-linux-gnu
[ "$(uname -s)" = Linux ] || target=$(uname -m | sed s/arm64/aarch64/)-apple-darwin
system=/usr/bin:/bin:/usr/sbin:/sbin
python=$(command -v python3)
node=$(dirname "$(readlink -f "$(command -v node || echo /nowhere/node)")")

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

# A repository with a conflict in its last commit: a program that reviews says FAIL and ends with 1.
git init --quiet "$work/repo"
printf '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n' > "$work/repo/notes.md"
git -C "$work/repo" add . && git -C "$work/repo" -c user.name=A -c user.email=a@example.com commit --quiet -m One

# runs WAY PATH COMMAND…: with an empty home, from the repository.
runs() {
  local way=$1 path=$2 code=0 began=$SECONDS
  shift 2
  mkdir -p "$work/home-$way"
  (cd "$work/repo" && env -i HOME="$work/home-$way" LANG=C.UTF-8 PATH="$path:$system" ${more[@]+"${more[@]}"} \
    "$@" review HEAD ${flags[@]+"${flags[@]}"} > "$work/out" 2> "$work/err") || code=$?
  [ "$code" = 1 ] && grep -q '^FAIL' "$work/out" || fail "$way ended with $code: $(cat "$work/out" "$work/err")"
  printf '%-9s ok: reviews from an empty root (%ss)\n' "$way" "$((SECONDS - began))"
}
more=()
flags=()

archive() {
  mkdir "$work/archive"
  tar -xJf "$dist/git-council-$version-$target.tar.xz" -C "$work/archive"
  for file in LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt man/man1/git-council.1 completions/git-council; do
    [ -s "$work/archive/$file" ] || fail "the archive has no $file"
  done
  runs archive "$work/archive" git council
}

# The address that cargo-binstall makes of Cargo.toml leads to the archive's name, and to the program inside of it.
binstall() {
  local url line="cargo binstall git-council"
  # Without a registry that has it, cargo-binstall must be told where the manifest is.
  if grep -q '^publish = false' "$here/../Cargo.toml"; then
    line="cargo binstall --git https://github.com/git-council/git-council git-council"
  fi
  grep -qF "\`$line\`" "$here/../docs/install.md" || fail "docs/install.md does not name \`$line\`"
  url=$(sed -n '/^\[package.metadata.binstall\]/,/^$/s/^pkg-url = "\(.*\)"/\1/p' "$here/../Cargo.toml")
  url=$(printf %s "$url" | sed "s|{ repo }|R|; s|{ version }|$version|g; s|{ target }|$target|; s|{ archive-suffix }|.tar.xz|")
  [ "$url" = "R/releases/download/v$version/git-council-$version-$target.tar.xz" ] || fail "binstall asks for $url"
  [ -f "$dist/${url##*/}" ] || fail "binstall asks for ${url##*/}, which is not there"
  tar -tJf "$dist/${url##*/}" git-council > /dev/null || fail "the program is not where binstall looks"
  echo "binstall  ok: its address is that of the archive (cargo-binstall itself was not run)"
}

tool_python() {
  if [ ! -x "$work/tools/bin/pip" ]; then
    "$python" -m venv "$work/tools"
    "$work/tools/bin/pip" install --quiet --disable-pip-version-check pipx==1.8.0 uv==0.9.7
  fi
}

pip() {
  "$python" -m venv "$work/pip"
  "$work/pip/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$dist" git-council
  runs pip "$work/pip/bin" git council
}

pipx() {
  tool_python
  # pipx renews its own pip first, from the registry that this machine uses.
  local index
  index=$("$python" -m pip config get global.index-url 2>/dev/null || printf %s "${PIP_INDEX_URL:-https://pypi.org/simple}")
  more=("PIP_INDEX_URL=$index" "PIP_FIND_LINKS=$dist" PIP_DISABLE_PIP_VERSION_CHECK=1 PIPX_DEFAULT_PYTHON="$python" USE_EMOJI=0)
  mkdir -p "$work/home-pipx"
  env -i HOME="$work/home-pipx" PATH="$work/tools/bin:$system" "${more[@]}" pipx install --quiet "$(echo "$dist"/git_council-"$version"-*.whl)" > "$work/out" 2>&1 || fail "pipx: $(cat "$work/out")"
  runs pipx "$work/home-pipx/.local/bin" git council
  more=()
}

uvx() {
  tool_python
  more=(UV_OFFLINE=1 UV_NO_INDEX=1 "UV_FIND_LINKS=$dist" "UV_PYTHON=$python")
  runs uvx "$work/tools/bin" uvx git-council
  more=()
}

npx() {
  "$python" "$here/npm_registry.py" "$dist" "$work/port" &
  pids+=($!)
  for _ in $(seq 100); do [ -f "$work/port" ] && break; sleep 0.1; done
  more=("npm_config_registry=http://127.0.0.1:$(cat "$work/port")/" npm_config_update_notifier=false)
  runs npx "$node" npx --yes git-council
  more=()
}

deb() {
  local architecture root=$work/deb
  architecture=$(dpkg --print-architecture)
  mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" && touch "$root/var/lib/dpkg/status"
  # The empty root has no libc of its own: the dependency is read, and not looked for.
  dpkg --root="$root" --force-depends --force-not-root --log=/dev/null -i "$dist/git-council_${version}_$architecture.deb" > "$work/out" 2>&1 || fail "deb: $(cat "$work/out")"
  dpkg-deb --field "$dist/git-council_${version}_$architecture.deb" Depends | grep -q 'libc6 (>= 2\.' || fail "deb: no libc6"
  runs deb "$root/usr/bin" git council
  dpkg --root="$root" --force-not-root --log=/dev/null -P git-council > /dev/null 2>&1
  [ -z "$(find "$root/usr" -type f 2>/dev/null)" ] || fail "deb: files are left"
}

# The packed program loads a plugin in C: a build against an old glibc still opens libraries.
plugin() {
  mkdir -p "$work/plugin" "$work/home-plugin/.config/git-council"
  tar -xJf "$dist/git-council-$version-$target.tar.xz" -C "$work/plugin" git-council
  cc -shared -fPIC -pthread -I "$here/../plugins/abi/include" -o "$work/command.so" \
    "$here/../plugins/examples/c/command.c"
  cat > "$work/judge.sh" <<'END'
#!/bin/sh
key=$(sed -n 's/.*`key` is `\([^`]*\)`.*/\1/p' | tail -n 1)
printf '{"schema_version":1,"round":1,"key":"%s","verdict":"FAIL","confidence":"HIGH","key_insight":"No.",' "$key"
printf '"findings":[{"severity":"critical","category":"naming","description":"The plugin has read this.",'
printf '"location":{"path":"notes.md","line":2},"quote":"ours","why":"w","fix":"f"}],"recommendation":"Rename it."}\n'
END
  chmod +x "$work/judge.sh"
  printf '[backends.linter]\nlibrary = "%s"\nconfig = { argv = ["%s"] }\n[agents.linter]\ndriver = "backend"\n' \
    "$work/command.so" "$work/judge.sh" > "$work/home-plugin/.config/git-council/config.toml"
  flags=(--backend linter --agents linter)
  runs plugin "$work/plugin" git council
  flags=()
  grep -q 'The plugin has read this' "$work/out" || fail "plugin: its judge was not heard: $(cat "$work/out")"
}

# The other processor's program: an emulator, and the libraries of that processor where Debian puts them for compilers.
emulated() {
  local cpu=aarch64 place=$work/emulated
  [ "$(uname -m)" != aarch64 ] || cpu=x86_64
  if [ -z "$(type -P "qemu-$cpu")" ] || [ ! -d "/usr/$cpu-linux-gnu/lib" ]; then
    echo "emulated  not run: qemu-$cpu and /usr/$cpu-linux-gnu are needed (Debian: qemu-user, libc6-…-cross)"
    return
  fi
  mkdir -p "$place/bin"
  tar -xJf "$dist/git-council-$version-$cpu-unknown-linux-gnu.tar.xz" -C "$place" git-council
  printf '#!/bin/sh\nexec qemu-%s -L /usr/%s-linux-gnu "%s" "$@"\n' "$cpu" "$cpu" "$place/git-council" > "$place/bin/git-council"
  chmod +x "$place/bin/git-council"
  runs emulated "$place/bin" git council
}

# Built from these sources, as long as no version is published. It takes minutes, so it has to be asked for.
clone() {
  CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$work/built}" cargo install --quiet --locked --profile "${PROFILE:-release}" \
    --path "$here/.." --root "$work/clone"
  runs clone "$work/clone/bin" git council
}

# As from a forge: the last commit, not the worktree. What both build alike is built once.
remote() {
  CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$work/built}" cargo install --quiet --locked --profile "${PROFILE:-release}" \
    --git "file://$(cd "$here/.." && pwd)" --root "$work/remote" git-council
  runs remote "$work/remote/bin" git council
}

for way in "${ways[@]}"; do "$way"; done
