#!/usr/bin/env bash
# Runs fuzz targets with libFuzzer, built by the toolchain of the program itself. Needs a C++ compiler.
#
#   fuzz/run.sh SECONDS [TARGET…]    so long for each target; without a name: for each of them
#
# What crashes lies in fuzz/artifacts; what covers more than the corpus, in fuzz/found.
set -euo pipefail
cd "$(dirname "$0")"
host=$(rustc -vV | sed -n 's/^host: //p')
build=${CARGO_TARGET_DIR:-$PWD/target}

# `--target` keeps build scripts and macros, which run on this machine, without instruments.
instruments="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
for what in inline-8bit-counters pc-table trace-compares; do
  instruments+=" -Cllvm-args=-sanitizer-coverage-$what"
done
RUSTFLAGS="$instruments" CARGO_TARGET_DIR="$build" cargo build --quiet --release --target "$host"

seconds=$1
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=($(ls corpus))
for target in "${targets[@]}"; do
  mkdir -p "found/$target" artifacts
  echo "== $target"
  "$build/$host/release/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
    -use_value_profile=1 -print_final_stats=1 -verbosity=0 -artifact_prefix="artifacts/$target-" \
    "found/$target" "corpus/$target"
done
