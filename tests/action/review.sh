#!/usr/bin/env bash
# Several councils in one job: no use of the Action hands out what another one has written, and a page has a name that an
# artifact may have.
set -euo pipefail

review=$(cd "$(dirname "$0")/../.." && pwd)/.github/action/review.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# A council that writes the files that it is asked for, each with its own name, or ends before it comes to that.
mkdir -p "$work/home/bin"
cat > "$work/home/bin/git-council" <<'COUNCIL'
#!/usr/bin/env bash
for word in "$@"; do
  case "$word" in
    --council-name=*) name=${word#*=} ;;
    --output=* | --html=*) files+=("${word#*=}") ;;
  esac
done
[ "$name" != broken ] || exit 2
for file in "${files[@]}"; do echo "$name" > "$file"; done
COUNCIL
chmod +x "$work/home/bin/git-council"
export COUNCIL_HOME="$work/home" COUNCIL_MODE=gate COUNCIL_PR='' COUNCIL_PUBLISH=outputs COUNCIL_INLINE=10
export COUNCIL_SARIF='' COUNCIL_FAIL=fail COUNCIL_WITHIN='' COUNCIL_ARGS='' COUNCIL_WORKDIR=. COUNCIL_REPORT=''

# use NAME HTML: the outputs of one step.
use() {
  : > "$work/outputs"
  GITHUB_OUTPUT="$work/outputs" COUNCIL_NAME=$1 COUNCIL_HTML=$2 bash "$review" > "$work/log" || [ "$1" = broken ]
}
output() { sed -n "s/^$1=//p" "$work/outputs"; }

declare -A kept
for name in first 'council / second' broken third broken; do
  for html in true false; do
    use "$name" "$html"
    for key in json-path html-path; do
      file=$(output "$key")
      if [ "$name" = broken ] || { [ "$html" = false ] && [ "$key" = html-path ]; }; then
        [ -z "$file" ] || fail "$name with html $html hands out $file"
        continue
      fi
      [ -z "${kept[$file]:-}" ] || fail "$name wrote over the file of ${kept[$file]}"
      kept[$file]=$name
    done
    case "$(output page-name)" in *[!A-Za-z0-9._-]*) fail "no name of an artifact: $(output page-name)" ;; esac
  done
done
for file in "${!kept[@]}"; do
  [ "$(cat "$file")" = "${kept[$file]}" ] || fail "$file is not of ${kept[$file]} any more"
done
echo ok
