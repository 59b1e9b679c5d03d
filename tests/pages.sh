#!/usr/bin/env bash
# Pages of real runs in a real browser: nothing in them acts, everything in them can be read and reached.
#
#   tests/pages.sh PROGRAM      PROGRAM is the git-council to be tested
#
# Needs Node, Chromium and GitHub's own renderer of Markdown (`apt-get install chromium cmark-gfm`, which is tried where they are
# missing). Its judges are scripted models on this machine. COUNCIL_SHOTS=FOLDER keeps a picture of every page.
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)

find_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
missing=()
find_chromium > /dev/null || missing+=(chromium)
command -v cmark-gfm > /dev/null || missing+=(cmark-gfm)
if [ ${#missing[@]} -gt 0 ]; then
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
timeout 110 node "$root/tests/pages/run.mjs" "$program" "$(find_chromium)" "$work"
