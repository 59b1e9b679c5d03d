#!/usr/bin/env bash
# The crates for plugin authors, packed as a registry would take them and built from their packages, each over the one before.
#
#   packaging/crates.sh
#
# Nothing is published, and the packages of the first ones stand in for a registry: cargo builds them together.
set -euo pipefail
cd "$(dirname "$0")/.."

crates=(council-protocol council-abi council-sdk)
packages=()
for crate in "${crates[@]}"; do packages+=(--package "$crate"); done
cargo package --quiet --locked "${packages[@]}"
target=${CARGO_TARGET_DIR:-target}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
for crate in "${crates[@]}"; do
  package="$target/package/$crate-$version.crate"
  [ -s "$package" ] || { echo "FAILED: there is no $package" >&2; exit 1; }
  # An author reads them first.
  for file in Cargo.toml README.md LICENSE-MIT LICENSE-APACHE; do
    tar -tzf "$package" "$crate-$version/$file" > /dev/null 2>&1 || { echo "FAILED: $crate has no $file" >&2; exit 1; }
  done
  printf '%-17s ok: %s bytes\n' "$crate" "$(wc -c < "$package" | tr -d ' ')"
done
