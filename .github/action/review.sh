#!/usr/bin/env bash
# Reviews what the event is about, or publishes the report of an earlier job. Inputs come through the environment only and
# are never part of a command line that a shell reads (threat T23).
set -euo pipefail

council="$COUNCIL_HOME/bin/git-council"
# A folder of its own for each use: a second council of the job must not hand out what the first one has written.
use=$(mktemp -d "$COUNCIL_HOME/use.XXXXXX")
report="$use/report.json"
page="$use/report.html"

die() {
  echo "::error title=git-council::$1"
  exit 2
}

case "$COUNCIL_MODE" in gate | advisory) ;; *) die "mode is gate or advisory" ;; esac
case "$COUNCIL_PR" in *[!0-9]*) die "pr is a number" ;; esac

where=()
if [ -n "$COUNCIL_PR" ]; then where+=("--pr=$COUNCIL_PR"); else where+=(--event); fi
where+=("--publish=$COUNCIL_PUBLISH" "--inline=$COUNCIL_INLINE" "--council-name=$COUNCIL_NAME")
if [ "$COUNCIL_MODE" = advisory ]; then where+=(--advisory); fi
if [ -n "$COUNCIL_SARIF" ]; then where+=("--sarif=$COUNCIL_SARIF"); fi
if [ "${COUNCIL_HTML:-}" = true ]; then where+=("--html=$page"); fi

code=0
cd "$COUNCIL_WORKDIR"
if [ -n "$COUNCIL_REPORT" ]; then
  "$council" publish "--report=$COUNCIL_REPORT" "${where[@]}" || code=$?
else
  flags=("--fail-on=$COUNCIL_FAIL" --format=json "--output=$report")
  if [ -n "$COUNCIL_WITHIN" ]; then flags+=("--timeout=$COUNCIL_WITHIN"); fi
  while IFS= read -r flag; do
    if [ -n "$flag" ]; then flags+=("$flag"); fi
  done <<<"$COUNCIL_ARGS"
  "$council" review "${where[@]}" "${flags[@]}" || code=$?
  if [ -f "$report" ] && [ -n "${GITHUB_OUTPUT:-}" ]; then echo "json-path=$report" >>"$GITHUB_OUTPUT"; fi
fi
if [ -f "$page" ] && [ -n "${GITHUB_OUTPUT:-}" ]; then
  # A check run may be called so, an artifact may not.
  name=$(printf '%s' "$COUNCIL_NAME" | LC_ALL=C tr -c 'A-Za-z0-9._-' '-')
  printf 'html-path=%s\npage-name=%s-report\n' "$page" "$name" >>"$GITHUB_OUTPUT"
fi

# Advice never fails a job: FAIL (1), INCONCLUSIVE (3) and what could not be shown (4) stand in the report and the outputs.
# A mistake in the configuration (2) and an interruption (130) are no verdicts.
if [ "$COUNCIL_MODE" = advisory ]; then
  case "$code" in 1 | 3 | 4) code=0 ;; esac
fi
exit "$code"
