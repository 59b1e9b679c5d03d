#!/usr/bin/env bash
# A release without a forge: build, pack, install, start, and the Action's own installer over the result, with what it must refuse.
#
#   packaging/rehearse-release.sh [PROGRAM [OTHER]]      programs that are built already; OTHER is of the other processor
#
# QUICK=1 leaves out what cargo builds, which takes minutes. On Linux OTHER is built, too, if its standard library is
# there (`rustup target add aarch64-unknown-linux-gnu`), and started if an emulator is (Debian: qemu-user and
# libc6-arm64-cross).
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(uname -m | sed s/arm64/aarch64/)-unknown-linux-gnu
[ "$(uname -s)" = Linux ] || target=${target%-unknown-linux-gnu}-apple-darwin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

program=${1:-}
if [ -z "$program" ]; then
  packaging/build.sh "$target"
  program=${CARGO_TARGET_DIR:-target}/$target/dist/git-council
  [ "$(uname -s)" = Darwin ] || packaging/pack.py --glibc "$program" 2.17
fi
packaging/pack.py "$program" "$target" "$work/dist"
packaging/rehearse.sh "$work/dist"
packaging/rehearse.sh "$work/dist" plugin
if [ "${QUICK:-}" = "" ]; then packaging/rehearse.sh "$work/dist" clone remote; fi

# The other processor's program, with the linker of build.sh; without its standard library any program stands for it.
other=aarch64-unknown-linux-gnu
[ "$target" != "$other" ] || other=x86_64-unknown-linux-gnu
second=${2:-}
if [ -z "$second" ] && [ "${QUICK:-}" = "" ] && [ "$(uname -s)" = Linux ]; then
  if rustup target list --installed | grep -qx "$other"; then
    packaging/build.sh "$other"
    second=${CARGO_TARGET_DIR:-target}/$other/dist/git-council
  else
    echo "other     not built: there is no standard library of $other (rustup target add $other)"
  fi
fi
if [ -n "$second" ]; then
  packaging/pack.py --glibc "$second" 2.17
  cpu=${other%%-*}
  readelf -h "$second" | grep -qi "machine:.*${cpu//_/-}" || { echo "FAILED: $second is not of $other" >&2; exit 1; }
  readelf -d "$second" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/other     needs \1/p'
fi

# The jobs of a release pack side by side, and their files are put into one folder: what two make has to be the same.
# What a program prints of itself stands in this one's archive already, and does not depend on the processor.
mkdir "$work/printed"
tar -xJf "$work/dist/git-council-$version-$target.tar.xz" -C "$work/printed" man completions
MAN="$work/printed/man/man1" COMPLETIONS="$work/printed/completions" \
  packaging/pack.py "${second:-$(type -P true)}" "$other" "$work/second" > "$work/packed"
common=$(comm -12 <(ls "$work/dist") <(ls "$work/second"))
[ "$common" = "git-council-$version.tgz" ] || { echo "FAILED: two jobs make $common" >&2; exit 1; }
cmp "$work/dist/$common" "$work/second/$common" || { echo "FAILED: two jobs make two different $common" >&2; exit 1; }
echo "jobs      ok: what two of them pack is the same file"
if [ -n "$second" ]; then
  cat "$work/packed"
  cp "$work/second"/* "$work/dist/"
  packaging/rehearse.sh "$work/dist" emulated
fi

# What the job `release` does: the digests go into a commit, the tag names it, and the Action at that tag takes nothing else.
git clone --quiet --no-local . "$work/tagged"
for other in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-apple-darwin aarch64-apple-darwin; do
  [ -f "$work/dist/git-council-$version-$other.tar.xz" ] || echo "no build of $other here" > "$work/dist/git-council-$version-$other.tar.xz"
done
cp packaging/pin.sh "$work/tagged/packaging/pin.sh" 2>/dev/null || { mkdir -p "$work/tagged/packaging" && cp packaging/pin.sh "$work/tagged/packaging/"; }
cp .github/action/*.sh "$work/tagged/.github/action/"
"$work/tagged/packaging/pin.sh" "$version" "$work/dist"
git -C "$work/tagged" -c user.name=Release -c user.email=release@example.com commit --quiet --message "release: digests of $version" -- .github/action/checksums.txt
git -C "$work/tagged" tag "v$version"
git -C "$work/tagged" show --stat --format=%s "v$version" | grep -q '1 file changed' || { echo "FAILED: more than the digests" >&2; exit 1; }

# Afterwards the documents name the tag's commit, and no line to copy has zeros any more.
cp packaging/name-release.sh "$work/tagged/packaging/"
"$work/tagged/packaging/name-release.sh" "$version" "$(git -C "$work/tagged" rev-parse HEAD)"
! grep -rn '@0\{40\}' "$work/tagged/docs/workflows" "$work/tagged/docs/github.md" ||
  { echo "FAILED: a line names no commit" >&2; exit 1; }
git -C "$work/tagged" diff --quiet -- docs && { echo "FAILED: no document was changed" >&2; exit 1; }
echo "docs      ok: $(git -C "$work/tagged" diff --shortstat -- docs | sed 's/^ //') name the commit of the tag"
git -C "$work/tagged" checkout --quiet -- docs
mkdir -p "$work/server/v$version"
cp "$work/dist"/*.tar.xz "$work/server/v$version/"

# installs NAME WANTED WORDS: runs the Action's installer from the tag's commit.
installs() {
  local code=0
  COUNCIL_ACTION="$work/tagged" COUNCIL_VERSION="" COUNCIL_HOME="$work/home-$1" COUNCIL_RELEASES="${releases:-file://$work/server}" \
    bash "$work/tagged/.github/action/install.sh" > "$work/out" 2>&1 || code=$?
  [ "$code" = "$2" ] && grep -q "$3" "$work/out" "$work/told" || { echo "FAILED: $1 ended with $code: $(cat "$work/out")" >&2; exit 1; }
  echo "pin       ok: $1"
}
echo installed > "$work/told"
installs "the archive of the tag" 0 installed
"$work/home-the archive of the tag/bin/git-council" --version
: > "$work/told"
mine="$work/server/v$version/git-council-$version-$target.tar.xz"
releases="file://$work/nowhere" installs "no network" 1 "cannot download"
cp "$mine" "$work/mine"
echo more >> "$mine"
installs "an archive that was replaced" 1 "was not run"
cp "$work/mine" "$mine"
sed -i.old "s/^\($version $target \)./\1x/" "$work/tagged/.github/action/checksums.txt"
installs "a digest that is wrong" 1 "was not run"
sed -i.old "/^$version $target /d" "$work/tagged/.github/action/checksums.txt"
installs "a row that is missing" 1 "no binary of version"
