#!/usr/bin/env bash
# Tests the Python package and its host of plugins against a peer that plays the program's side, and
# with a BINARY as the first argument in the program too. Needs Python 3.12 or later; without one it is
# skipped, but not where CI is set. Its environment is made below target/ once, and again when what it
# needs changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-environment.sh
source scripts/python-environment.sh

if [ -x "${1:-}" ]; then
  LETSCODE_BINARY=$(realpath "$1")
  export LETSCODE_BINARY
  shift
fi
environment=$(python_environment python-tests pydantic pluggy rich pytest)
[ -n "$environment" ] || exit 0
cd python
exec "$environment/bin/python" -B -m pytest -q "$@"
