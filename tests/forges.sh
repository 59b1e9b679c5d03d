#!/usr/bin/env bash
# `git council review --ci` in a clone as each CI service makes it, with the variables that the service sets, and the report in
# the format that the service reads.
#
#   tests/forges.sh PROGRAM      PROGRAM is the git-council to be tested
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
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

# job SERVICE CODE FORMAT VARIABLE…
job() {
  local service=$1 wanted=$2 format=$3 code=0
  shift 3
  rm -f "$work/report"
  (cd "$work/job" && env -i HOME="$work/home" LANG=C.UTF-8 PATH="$work/bin:/usr/bin:/bin" "$@" \
    git council review --ci --format "$format" -o "$work/report" > "$work/out" 2>&1) || code=$?
  [ "$code" = "$wanted" ] || fail "$service ended with $code: $(cat "$work/out")"
  if [ "$wanted" = 1 ]; then
    grep -q notes.md "$work/report" || fail "$service: the report does not name notes.md"
    ! grep -q README.md "$work/report" || fail "$service: what main has since is no part of the change"
  fi
  printf '%-12s ok\n' "$service"
}

job gitlab 1 gitlab GITLAB_CI=true CI=true CI_MERGE_REQUEST_DIFF_BASE_SHA="$base" CI_COMMIT_SHA="$head"
job gitlab-push 1 gitlab GITLAB_CI=true CI=true CI_COMMIT_BEFORE_SHA=0000000000000000000000000000000000000000 CI_DEFAULT_BRANCH=main CI_COMMIT_SHA="$head"
job gitea 1 sarif CI=true GITHUB_ACTIONS=true GITEA_ACTIONS=true GITHUB_BASE_REF=main
job forgejo 1 rdjson CI=true GITHUB_ACTIONS=true FORGEJO_ACTIONS=true GITHUB_BASE_REF=main
job bitbucket 1 junit CI=true BITBUCKET_BUILD_NUMBER=7 BITBUCKET_PR_DESTINATION_BRANCH=main BITBUCKET_COMMIT="${head:0:12}"
job jenkins 1 checkstyle JENKINS_URL=https://ci.example.com/ CHANGE_TARGET=main GIT_COMMIT="$head"
job jenkins-push 1 junit JENKINS_URL=https://ci.example.com/ GIT_PREVIOUS_SUCCESSFUL_COMMIT="$base" GIT_COMMIT="$head"
job azure 1 junit TF_BUILD=True SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/main SYSTEM_PULLREQUEST_SOURCECOMMITID="$head"
job untold 2 junit CI=true BUILDKITE=true
job missing 2 junit TF_BUILD=True SYSTEM_PULLREQUEST_TARGETBRANCH=refs/heads/gone SYSTEM_PULLREQUEST_SOURCECOMMITID="$head"
