#!/usr/bin/env bash
# A job's shallow clone of a pull request, brought back to the merge base by the Action, past a hostile configuration.
set -euo pipefail

deepen=$(cd "$(dirname "$0")/../.." && pwd)/.github/action/deepen.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com
fail() { echo "FAILED: $*" >&2; exit 1; }

git init --quiet --initial-branch=main "$work/source"
cd "$work/source"
commits() { for n in $(seq "$2"); do echo "$n" > "$1"; git add "$1"; git commit --quiet --message "$1 $n"; done; }
commits old 20
git checkout --quiet -b topic
commits new 55
git checkout --quiet main
commits main 60
git clone --quiet --bare . "$work/server/owner/name"
server="$work/server/owner/name"
git -C "$server" update-ref refs/pull/7/head refs/heads/topic
merge=$(git commit-tree -p main -p topic -m Merge "topic^{tree}")
git push --quiet "$server" "$merge:refs/pull/7/merge"

git init --quiet "$work/job"
cd "$work/job"
git fetch --quiet --depth=1 "file://$server" +refs/pull/7/merge:refs/remotes/pull/7/merge +refs/heads/main:refs/remotes/origin/main
git checkout --quiet refs/remotes/pull/7/merge
git config core.sshCommand "touch $work/RAN"
git config core.fsmonitor "touch $work/RAN"
git config "url.ext::sh -c touch% $work/RAN.insteadOf" "file://"
mkdir -p .git/hooks
printf '#!/bin/sh\ntouch %s/RAN\n' "$work" > .git/hooks/reference-transaction
chmod +x .git/hooks/reference-transaction
export COUNCIL_WORKDIR=. COUNCIL_FILE_PROTOCOL=always GITHUB_TOKEN=t GITHUB_SERVER_URL="file://$work/server" GITHUB_REPOSITORY=owner/name
export GITHUB_REF=refs/pull/7/merge GITHUB_BASE_REF=main
refs=$(git for-each-ref)

GITHUB_REF=refs/heads/main bash "$deepen"
[ "$(git rev-list --count origin/main)" = 1 ] || fail "a push was deepened"
COUNCIL_FILE_PROTOCOL=never bash "$deepen" > "$work/told" 2>&1
grep -q 'could not be deepened' "$work/told" || fail "no word about a server that does not answer"
bash "$deepen"
base=$(git -c core.fsmonitor= merge-base origin/main "$(git -C "$server" rev-parse topic)") || fail "no merge base"
[ "$base" = "$(git -C "$work/source" merge-base main topic)" ] || fail "another merge base: $base"
git rev-list --quiet --objects HEAD || fail "objects are missing"
[ "$(git for-each-ref)" = "$refs" ] || fail "refs of the job were moved"
[ ! -e "$work/RAN" ] || fail "the checkout's configuration ran something"
grep -rq eC1hY2Nlc3MtdG9rZW46 .git && fail "the token lies in the clone"
echo ok
