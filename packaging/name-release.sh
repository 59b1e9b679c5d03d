#!/usr/bin/env bash
# Writes a release into the workflows and examples to copy: the commit that its tag names, in the place of the zeros or of an
# earlier release. Actions of others are left as they are.
#
#   packaging/name-release.sh VERSION COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1 commit=$2
[[ "$commit" =~ ^[0-9a-f]{40}$ ]] || { echo "name-release: a commit is 40 hexadecimal digits" >&2; exit 2; }
[[ "$version" =~ ^[0-9A-Za-z.+-]+$ ]] || { echo "name-release: $version is no version" >&2; exit 2; }
for file in docs/workflows/*.yml docs/github.md; do
  sed -E "s|(git-council/git-council@)[0-9a-f]{40}.*|\\1$commit # v$version|" "$file" > "$file.new"
  cat "$file.new" > "$file"
  rm "$file.new"
done
