#!/usr/bin/env bash
# Feeds made-up bytes to what reads bytes from outside: each target of fuzz/ for some time.
# usage: scripts/fuzz.sh [SECONDS [TARGET...]]      (default: 600, all targets)
# Needs a nightly toolchain and `cargo install cargo-fuzz`. What a run learns is kept in
# target/fuzz/corpus, what breaks a promise in target/fuzz/found: make a unit test of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-600}
shift || :
if [ "$#" -eq 0 ]; then
  set -- lines stream session front_matter edit
fi
work=${CARGO_TARGET_DIR:-$PWD/target}/fuzz
failed=()

# Our code has no unsafe block, so that a sanitizer would only cost time.
options=(--fuzz-dir fuzz --target-dir "$work" --sanitizer none)

# Prints where else there are inputs for a target.
more_seeds() {
  case $1 in
    stream) echo crates/llm/tests/transcripts ;;
    session) echo crates/core/tests/samples ;;
  esac
}

for target in "$@"; do
  printf '\n== %s, %d s\n' "$target" "$seconds"
  mkdir -p "$work/corpus/$target" "$work/found/$target"
  # shellcheck disable=SC2046 # no folder or one, without a space
  cargo +nightly fuzz run "${options[@]}" "$target" \
    "$work/corpus/$target" "fuzz/seeds/$target" $(more_seeds "$target") -- \
    -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=512 \
    -dict="fuzz/words/$target.txt" -artifact_prefix="$work/found/$target/" \
    -print_final_stats=1 || failed+=("$target")
done

if [ "${#failed[@]}" -gt 0 ]; then
  printf 'FAILED: %s\n' "${failed[@]}"
  exit 1
fi
