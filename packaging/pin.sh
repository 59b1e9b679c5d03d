#!/usr/bin/env bash
# Writes the digests of a release's archives into the table by which the Action knows them.
#
#   packaging/pin.sh VERSION DIST
set -euo pipefail

version=$1
dist=$(cd "$2" && pwd)
table=$(cd "$(dirname "$0")/.." && pwd)/.github/action/checksums.txt
if grep -q "^$version " "$table"; then
  echo "pin: $version is in the table already" >&2
  exit 1
fi
for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-apple-darwin aarch64-apple-darwin; do
  archive="$dist/git-council-$version-$target.tar.xz"
  [ -f "$archive" ] || { echo "pin: there is no ${archive##*/}" >&2; exit 1; }
  digest=$( (sha256sum "$archive" 2>/dev/null || shasum -a 256 "$archive") | cut -d' ' -f1)
  printf '%s %s %s\n' "$version" "$target" "$digest" >> "$table.new"
done
cat "$table.new" >> "$table"
rm -f "$table.new"
