#!/usr/bin/env bash
# Installs the four plugins that the Python program 0.7.1 ships, unchanged, with the program on a clean
# home, and has each do its work: see tests/published-plugins. Without a network, or without Python 3.12
# or later, this is skipped, but not where CI is set.
# usage: scripts/published-plugins.sh [BINARY]      (default: target/ci/letscode)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-environment.sh
source scripts/python-environment.sh

target=${CARGO_TARGET_DIR:-$PWD/target}
LETSCODE_BINARY=$(realpath "${1:-$target/ci/letscode}")
shift || :
environment=$(python_environment published-plugins pytest mcp-server-time)
[ -n "$environment" ] || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
PUBLISHED_PLUGINS=$(published_plugins "$environment" "$scratch")
[ -n "$PUBLISHED_PLUGINS" ] || exit 0
MCP_SERVER=$environment/bin/mcp-server-time
# The home is a new one each time; what is downloaded need not be.
PIP_CACHE_DIR=${PIP_CACHE_DIR:-$target/pip-cache}
# The plugin for MCP takes any version of the library and works with those before 2 only.
echo 'mcp<2' > "$scratch/constraints.txt"
export PIP_CONSTRAINT=$scratch/constraints.txt UV_CONSTRAINT=$scratch/constraints.txt
# The program has to find the same Python.
PATH=$(dirname "$(realpath "$environment/bin/python")"):$PATH
export LETSCODE_BINARY PUBLISHED_PLUGINS MCP_SERVER PIP_CACHE_DIR
"$environment/bin/python" -B -m pytest -q -x -p no:cacheprovider tests/published-plugins "$@"
