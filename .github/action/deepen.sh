#!/usr/bin/env bash
# Brings a shallow clone of a pull request's job as far back as the merge base, so that `fetch-depth` need not be thought of.
# A clone that is deep enough, and every other event, is left as it is. git runs in a folder of its own that shares only the
# objects: no line of the checkout's configuration can send the token elsewhere or start a program.
set -euo pipefail

cd "$COUNCIL_WORKDIR"
[ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = true ] || exit 0
case "${GITHUB_REF:-}" in refs/pull/*/*) ;; *) exit 0 ;; esac
[ -n "${GITHUB_BASE_REF:-}" ] || exit 0
number=${GITHUB_REF#refs/pull/}
number=${number%%/*}
common=$(cd "$(git rev-parse --git-common-dir)" && pwd)

own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
git init --quiet --bare "$own/git"
cp "$common/shallow" "$own/git/shallow"
export GIT_DIR="$own/git" GIT_OBJECT_DIRECTORY="$common/objects"
if [ -n "${GITHUB_TOKEN:-}" ]; then
  # In the environment, where no list of processes shows it.
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.${GITHUB_SERVER_URL:?}/.extraheader"
  GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$GITHUB_TOKEN" | base64 | tr -d '\n')"
  export GIT_CONFIG_VALUE_0
fi

for depth in 50 300 2000 2147483647; do
  git -c protocol.allow=never -c protocol.https.allow=always -c protocol.file.allow="${COUNCIL_FILE_PROTOCOL:-never}" \
    fetch --quiet --no-tags --depth="$depth" "${GITHUB_SERVER_URL:?}/${GITHUB_REPOSITORY:?}" \
    "+refs/heads/$GITHUB_BASE_REF:refs/council/base" "+refs/pull/$number/head:refs/council/head" || {
    # The review itself says what it lacks.
    echo "::warning title=git-council::this clone is shallow and could not be deepened"
    exit 0
  }
  if git merge-base refs/council/base refs/council/head >/dev/null; then break; fi
done
# The job's clone now ends where its objects end.
if [ -s "$own/git/shallow" ]; then cp "$own/git/shallow" "$common/shallow"; else rm -f "$common/shallow"; fi
