#!/usr/bin/env bash
# The program against a GitHub that somebody else wrote: comments and check runs there and back, behind a proxy, over TLS with a
# certificate of a company's own.
#
#   tests/emulator.sh PROGRAM      PROGRAM is the git-council to be tested
#
# The emulator (npm `emulate`, installed below target/) has neither GraphQL nor the commits of a real repository: run.mjs stands before
# it, answers the one query that is asked from the emulator's own REST, and puts its commit ids in the place of ours and back.
# action.yml is run by the rules of actions (action.mjs), from an archive that its own installer takes from a folder.
# Comments beside lines are tested against the fake GitHub of tests/integration/github only: the emulator checks no lines.
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
tools="$root/target/emulator"
EMULATE=0.12.2 YAML=2.9.1

is_there() { grep -qsF "\"version\": \"$2\"" "$tools/node_modules/$1/package.json"; }
if ! is_there emulate "$EMULATE" || ! is_there yaml "$YAML"; then
  mkdir -p "$tools"
  npm install --ignore-scripts --silent --no-audit --no-fund --prefix "$tools" "emulate@$EMULATE" "yaml@$YAML"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A company's own authority, and a server that it vouches for.
(
  cd "$work"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj "/CN=A company" \
    -addext keyUsage=critical,keyCertSign
  openssl req -newkey rsa:2048 -nodes -keyout key.pem -out request.pem -subj /CN=localhost
  printf 'subjectAltName=DNS:localhost,DNS:ghe.invalid\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n' > extensions
  openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out cert.pem
) 2> "$work/openssl.log" || { cat "$work/openssl.log" >&2; exit 1; }

node "$root/tests/emulator/run.mjs" "$program" "$tools/node_modules" "$work" "$root"
