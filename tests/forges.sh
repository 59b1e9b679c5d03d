#!/usr/bin/env bash
# `git council review --ci` in a clone as each CI service makes it, with the variables that the service sets, and the report in
# the format that the service reads.
#
#   tests/forges.sh PROGRAM      PROGRAM is the git-council to be tested
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
docs=$(cd "$(dirname "$0")/.." && pwd)/docs/forges.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
who=(-c user.name=A -c user.email=a@example.com)

git init --quiet --initial-branch=main "$work/source"
cd "$work/source"
echo '# A project' > README.md
git add . && git "${who[@]}" commit --quiet --message Start
git checkout --quiet -b topic
printf '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n' > notes.md
git add . && git "${who[@]}" commit --quiet --message Notes
head=$(git rev-parse HEAD) base=$(git rev-parse main)
git checkout --quiet main
echo more >> README.md
git "${who[@]}" commit --quiet --all --message "Main goes on"
git clone --quiet --bare . "$work/origin.git"
git clone --quiet "$work/origin.git" "$work/job"
# As services do it: no branch, the commit alone.
git -C "$work/job" checkout --quiet --detach "$head"
mkdir "$work/bin" "$work/home"
ln -s "$program" "$work/bin/git-council"

# Stands for reviewdog, which is not run here: keeps what it is handed, and its flags.
printf '#!/bin/sh\necho "$@" > "%s/flags"\ncat > "%s/handed"\n' "$work" "$work" > "$work/bin/reviewdog"
chmod +x "$work/bin/reviewdog"

# Each line of `git council` that docs/forges.md has, with what it is piped to.
command="(mkdir -p [^ ]* && )?git council review --ci --[^\`']*"
grep -oE "$command" "$docs" | sort -u > "$work/lines"
: > "$work/played"

# runs WANTED LINE VARIABLE…: leaves the report in $work/report.
runs() {
  local wanted=$1 line=$2 code=0 file
  shift 2
  git -C "$work/job" clean --quiet --force -d
  rm -f "$work/report" "$work/handed" "$work/flags"
  (cd "$work/job" && env -i HOME="$work/home" LANG=C.UTF-8 PATH="$work/bin:/usr/bin:/bin" "$@" \
    bash -o pipefail -c "$line" > "$work/out" 2>&1) || code=$?
  file=$(sed -n 's/.* -o \([^ ]*\).*/\1/p' <<< "$line")
  [ -z "$file" ] || [ ! -f "$work/job/$file" ] || mv "$work/job/$file" "$work/report"
  [ ! -f "$work/handed" ] || cp "$work/handed" "$work/report"
  printf '%s\n' "$line" >> "$work/played"
  ended=$code
}

# job SERVICE CODE FORMAT VARIABLE…: the line with that format in the service's section of the documents.
job() {
  local service=$1 wanted=$2 format=$3 line code
  shift 3
  line=$(sed -n "/^## $(section "$service")/,/^## /p" "$docs" | grep -oE "$command" | grep -e "--format $format" || true)
  [ -n "$line" ] || line="git council review --ci --format $format -o council.xml"
  runs "$wanted" "$line" "$@"
  code=$ended
  [ "$code" = "$wanted" ] || fail "$service ended with $code: $(cat "$work/out")"
  if [ "$wanted" = 1 ]; then
    grep -q notes.md "$work/report" || fail "$service: the report does not name notes.md"
    ! grep -q README.md "$work/report" || fail "$service: what main has since is no part of the change"
  fi
  printf '%-12s ok\n' "$service"
}

section() {
  case $1 in
    gitlab*) echo GitLab ;;
    gitea | forgejo) echo Gitea ;;
    bitbucket) echo Bitbucket ;;
    jenkins*) echo Jenkins ;;
    azure) echo Azure ;;
    *) echo "no section" ;;
  esac
}

job gitlab 1 gitlab GITLAB_CI=true CI=true CI_MERGE_REQUEST_DIFF_BASE_SHA="$base" CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_COMMIT_SHA="$head"
job gitlab-note 1 rdjson GITLAB_CI=true CI=true CI_MERGE_REQUEST_DIFF_BASE_SHA="$base" CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main CI_COMMIT_SHA="$head"
grep -q -- '-f=rdjson' "$work/flags" && python3 - "$work/handed" <<'END' || fail "reviewdog was handed no rdjson"
import json, sys
report = json.load(open(sys.argv[1]))
for found in report["diagnostics"]:
    assert found["message"] and found["location"]["path"] and found["location"]["range"]["start"]["line"] > 0, found
assert report["source"]["name"] and report["diagnostics"]
END
job gitlab-push 1 gitlab GITLAB_CI=true CI=true CI_COMMIT_BEFORE_SHA=0000000000000000000000000000000000000000 CI_DEFAULT_BRANCH=main CI_COMMIT_SHA="$head"
# A push that brings nothing of what the branch is failed for.
job gitlab-branch 1 gitlab GITLAB_CI=true CI=true CI_COMMIT_BEFORE_SHA="$head" CI_COMMIT_BRANCH=topic CI_DEFAULT_BRANCH=main CI_COMMIT_SHA="$head"
job gitea 1 sarif CI=true GITHUB_ACTIONS=true GITEA_ACTIONS=true GITHUB_BASE_REF=main
job forgejo 1 rdjson CI=true GITHUB_ACTIONS=true FORGEJO_ACTIONS=true GITHUB_BASE_REF=main
job bitbucket 1 junit CI=true BITBUCKET_BUILD_NUMBER=7 BITBUCKET_PR_DESTINATION_BRANCH=main BITBUCKET_COMMIT="${head:0:12}"
job jenkins 1 checkstyle JENKINS_URL=https://ci.example.com/ CHANGE_TARGET=main GIT_COMMIT="$head"
job jenkins-push 1 junit JENKINS_URL=https://ci.example.com/ GIT_PREVIOUS_SUCCESSFUL_COMMIT="$base" GIT_COMMIT="$head"
job azure 1 junit TF_BUILD=True SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main SYSTEM_PULLREQUEST_SOURCECOMMITID="$head"
job untold 2 junit CI=true BUILDKITE=true
job missing 2 junit TF_BUILD=True SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/gone SYSTEM_PULLREQUEST_SOURCECOMMITID="$head"

unplayed=$(comm -23 "$work/lines" <(sort -u "$work/played"))
[ -z "$unplayed" ] || fail "docs/forges.md has lines that were not run: $unplayed"
[ "$(wc -l < "$work/lines")" -ge 6 ] || fail "the lines of docs/forges.md were not found"
