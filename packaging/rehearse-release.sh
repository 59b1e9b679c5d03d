#!/usr/bin/env bash
# A release without a forge: build, pack, install, start, and the Action's own installer over the result, with what it must refuse.
#
#   packaging/rehearse-release.sh [PROGRAM]      PROGRAM is one that is built already
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
  program=target/$target/dist/git-council
fi
packaging/pack.py "$program" "$target" "$work/dist"
packaging/rehearse.sh "$work/dist"
packaging/rehearse.sh "$work/dist" clone

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
