#!/usr/bin/env bash
# The program against a GitHub that somebody else wrote: comments and check runs there and back, behind a proxy, over TLS with a
# certificate of a company's own.
#
#   tests/emulator.sh PROGRAM      PROGRAM is the git-council to be tested
#
# The emulator (npm `emulate`, installed below target/) has neither GraphQL nor the commits of a real repository: run.mjs stands before
# it, answers the one query that is asked from the emulator's own REST, and puts its commit ids in the place of ours and back.
# Comments beside lines are tested against the fake GitHub of tests/integration/github only: the emulator checks no lines.
set -euo pipefail

program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
tools="$root/target/emulator"
EMULATE=0.12.2

if ! grep -qsF "\"version\": \"$EMULATE\"" "$tools/node_modules/emulate/package.json"; then
  mkdir -p "$tools"
  npm install --ignore-scripts --silent --no-audit --no-fund --prefix "$tools" "emulate@$EMULATE"
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

node "$root/tests/emulator/run.mjs" "$program" "$tools/node_modules/emulate/dist/api.js" "$work"
