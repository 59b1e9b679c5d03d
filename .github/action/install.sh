#!/usr/bin/env bash
# Brings the program into $COUNCIL_HOME/bin: the release's binary when its SHA-256 is the one in the table of this very
# commit. With `version: source` it is built from these sources. A file whose digest differs is never run and ends the job (threat T22).
set -euo pipefail
# Functions that an earlier step exported must not stand for the tools that are used here.
unset -f curl tar xz sha256sum shasum cargo rustup uname install mkdir awk gh cd compgen command 2>/dev/null || true

die() {
  echo "::error title=git-council::$1"
  exit 1
}

table="$COUNCIL_ACTION/.github/action/checksums.txt"
bin="$COUNCIL_HOME/bin"
mkdir -p "$bin"

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
  Linux-aarch64) target=aarch64-unknown-linux-gnu ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *_NT*) die "there is no program for Windows yet: run the job in WSL or on another runner" ;;
  *) target="" ;;
esac

version="$COUNCIL_VERSION"
if [ -z "$version" ]; then
  version=$(awk -F'"' '/^version = / { print $2; exit }' "$COUNCIL_ACTION/Cargo.toml")
fi

digest() {
  if command -v sha256sum >/dev/null; then sha256sum "$1" | awk '{ print $1 }'; else shasum -a 256 "$1" | awk '{ print $1 }'; fi
}

if [ "$version" != source ]; then
  case "$version" in *[!0-9A-Za-z.+-]*) die "the version has characters that no version has" ;; esac
  wanted=$(awk -v v="$version" -v t="$target" '$1 == v && $2 == t { print $3 }' "$table")
  if [ -n "$wanted" ]; then
    file="git-council-$version-$target.tar.xz"
    archive="$COUNCIL_HOME/$file"
    from="${COUNCIL_RELEASES:-https://github.com/git-council/git-council/releases/download}/v$version/$file"
    curl --fail --silent --show-error --location --proto '=https,file' --retry 3 --max-time 120 --output "$archive" "$from" ||
      die "cannot download $file"
    [ "$(digest "$archive")" = "$wanted" ] || die "the digest of $file is not the one that this version of the action names: it was not run"
    # Where the tool is there the build's provenance is checked, too.
    if [ -n "${COUNCIL_ATTEST:-}" ] && command -v gh >/dev/null; then
      gh attestation verify "$archive" --repo git-council/git-council || die "$file has no valid attestation"
    fi
    tar -xJf "$archive" -C "$bin" || die "cannot unpack $file: is xz installed? (\`apt-get install xz-utils\` in an earlier step)"
    exit 0
  fi
  die "there is no binary of version $version for ${target:-this machine} in the table of checksums (\`version: source\` builds it)"
fi

# Only where it is asked for. cargo and rustup look for configuration from the working folder upwards, and the working folder
# is the pull request: the build runs in the action's own folder, with the toolchain that its own sources name, and no
# variable of the job decides which program compiles.
command -v cargo >/dev/null || die "version is source, and there is no cargo to build it"
# Jobs that cache their crates put these homes into the checkout, where the pull request may have a configuration wait.
for name in CARGO_HOME RUSTUP_HOME; do
  case "${!name:-}/" in
    "${GITHUB_WORKSPACE:-/dev/null}"/*) unset "$name" ;;
  esac
done
# What cargo and rustup obey beside files; other homes and proxies of the runner stay.
for name in $(compgen -e); do
  case "$name" in
    CARGO_HOME | CARGO_HTTP_* | CARGO_NET_*) ;;
    CARGO_* | RUSTC* | RUSTFLAGS | RUSTDOC* | RUSTUP_TOOLCHAIN) unset "$name" ;;
  esac
done
cd "$COUNCIL_ACTION"
toolchain=$(awk -F'"' '/^channel = / { print $2; exit }' rust-toolchain.toml)
[ -n "$toolchain" ] || die "the action's rust-toolchain.toml names no channel"
if command -v rustup >/dev/null; then export RUSTUP_TOOLCHAIN="$toolchain"; fi
cargo build --quiet --locked --release --manifest-path "$COUNCIL_ACTION/Cargo.toml" --bin git-council --target-dir "$COUNCIL_HOME/target"
install -m 755 "$COUNCIL_HOME/target/release/git-council" "$bin/git-council"
