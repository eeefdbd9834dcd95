#!/usr/bin/env bash
# Checks the program against llama.cpp's own HTTP server.
# usage: scripts/realserver.sh [BINARY]      (default: target/ci/letscode)
# The server's package is kept in target/venv, so that only the first run installs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-target}
binary=${1:-$target/ci/letscode}
here=tests/realserver
venv=$target/venv
scratch=$(mktemp -d)
server=

cleanup() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || :
    wait "$server" 2>/dev/null || :
  fi
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The first interpreter that is young enough and works: a name on the path may be an empty shim.
find_python() {
  local name
  for name in python3 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  echo "scripts/realserver.sh: no Python of version 3.11 or later found; install one" >&2
  return 1
}

if ! cmp -s "$here/requirements.txt" "$venv/installed.txt"; then
  python=$(find_python)
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$venv/installed.txt"
fi

gzip -dc "$here/model.gguf.gz" > "$scratch/model.gguf"
"$venv/bin/python" "$here/server.py" "$scratch/model.gguf" > "$scratch/address" 2> "$scratch/log" &
server=$!

address=
for _ in $(seq 300); do
  address=$(head -n 1 "$scratch/address")
  if [ -n "$address" ] && curl -sf --max-time 2 -o "$scratch/health" "$address/health"; then
    break
  fi
  if ! kill -0 "$server" 2>/dev/null; then
    echo "scripts/realserver.sh: the server ended at once:" >&2
    tail -n 20 "$scratch/log" >&2
    exit 1
  fi
  address=
  sleep 0.1
done
if [ -z "$address" ]; then
  echo "scripts/realserver.sh: the server was not ready after 30 s:" >&2
  tail -n 20 "$scratch/log" >&2
  exit 1
fi

"$venv/bin/python" "$here/check.py" "$binary" "$address"
