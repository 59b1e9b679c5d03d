#!/usr/bin/env bash
# Builds the program as it is published: on Linux against glibc 2.17, so that it runs wherever that or a later one is.
#
#   packaging/build.sh TARGET
set -euo pipefail
cd "$(dirname "$0")/.."

target=$1
# The toolchain is that of rust-toolchain.toml; both tools are pinned here.
ZIGBUILD=0.20.1 ZIGLANG=0.14.1
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
# Links of a report go to the pages of this version, which stand under its tag.
export GIT_COUNCIL_RELEASE=1
# With frame pointers the tables of unwinding need no entry for each push and pop: 0.7 MB less, at the same speed.
export RUSTFLAGS="--remap-path-prefix=$PWD=/git-council -C force-frame-pointers=yes"
rustup target add "$target" > /dev/null
case "$target" in
  *-linux-gnu)
    tools=target/tools/zig
    if [ ! -x "$tools/bin/cargo-zigbuild" ]; then
      python3 -m venv "$tools"
      "$tools/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "cargo-zigbuild==$ZIGBUILD" "ziglang==$ZIGLANG"
    fi
    PATH="$PWD/$tools/bin:$PATH" cargo zigbuild --locked --profile dist --target "$target.2.17" --bin git-council
    ;;
  *-apple-darwin)
    MACOSX_DEPLOYMENT_TARGET=11.0 cargo build --locked --profile dist --target "$target" --bin git-council
    ;;
  *)
    echo "build: there is no release for $target (on Windows, use WSL)" >&2
    exit 2
    ;;
esac
