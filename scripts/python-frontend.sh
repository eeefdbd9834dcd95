#!/usr/bin/env bash
# Installs letscode-textual, a front end that is published with the Python program 0.7.1, unchanged, and
# drives it in a terminal: two prompts with tool calls, a slash command, a change of the size, the end, and
# a crash.
# usage: scripts/python-frontend.sh [BINARY]      (default: target/ci/letscode)
# It is downloaded, never kept; without a network, or without Python 3.12 or later, this is skipped, but not
# where CI is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-environment.sh
source scripts/python-environment.sh

binary=$(realpath "${1:-${CARGO_TARGET_DIR:-$PWD/target}/ci/letscode}")
environment=$(python_environment python-frontend pyte)
[ -n "$environment" ] || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
plugins=$(published_plugins "$environment" "$scratch")
[ -n "$plugins" ] || exit 0
mkdir "$scratch/home" "$scratch/project"
export HOME=$scratch/home PATH=$environment/bin:$PATH VIRTUAL_ENV='' LETSCODE_NO_UPDATE_CHECK=1
if ! "$binary" install "$plugins/letscode-textual" > "$scratch/log" 2>&1; then
  tail -n 5 "$scratch/log" >&2
  skipped 'the front end cannot be installed'
  exit
fi
cd "$scratch/project"
"$environment/bin/python" -B "$OLDPWD/scripts/python_frontend.py" "$binary"
