#!/usr/bin/env bash
# Runs the test suites of the four plugins that the Python program 0.7.1 ships, unchanged, against our
# Python package. They are downloaded, never kept; without a network, or without Python 3.12 or later,
# this is skipped, but not where CI is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-environment.sh
source scripts/python-environment.sh

environment=$(python_environment python-plugins \
  pydantic pluggy rich pytest pytest-asyncio openai mcp textual)
[ -n "$environment" ] || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
plugins=$(published_plugins "$environment" "$scratch")
[ -n "$plugins" ] || exit 0
mkdir "$scratch/home"

failed=0
for plugin in "$plugins"/*/; do
  echo "$(basename "$plugin")"
  env HOME="$scratch/home" PYTHONPATH="$PWD/python:$plugin/src" \
    "$environment/bin/python" -B -m pytest -q -p no:cacheprovider \
    -o asyncio_default_fixture_loop_scope=function --rootdir "$plugin" -c "$plugin/pyproject.toml" "$plugin/tests" || failed=1
done
exit "$failed"
