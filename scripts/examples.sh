#!/usr/bin/env bash
# Runs the clients in examples/rpc with the program against a scripted model.
# usage: scripts/examples.sh [BINARY]      (default: target/ci/letscode)
# Needs Python 3.11 or later, and Node 20 with npm; without Node its client is left out, unless CI is
# set. The compiler is kept in target/examples, so that only the first run installs it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
binary=$(realpath "${1:-$target/ci/letscode}")
examples=$PWD/examples/rpc
built=$target/examples
scratch=$(mktemp -d)
mock=

cleanup() {
  if [ -n "$mock" ]; then
    kill "$mock" 2>/dev/null || :
    wait "$mock" 2>/dev/null || :
  fi
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# run NAME COMMAND...: runs a client with a home, a project and a model of its own.
run() {
  local name=$1 home=$scratch/$1 address=
  shift
  printf '\n== %s\n' "$name"
  mkdir -p "$home/project"
  python3 conformance/mock_llm.py --scenario "$examples/answers.json" > "$home/port" &
  mock=$!
  for _ in $(seq 300); do
    address=$(head -n 1 "$home/port")
    [ -z "$address" ] || break
    sleep 0.1
  done
  if [ -z "$address" ]; then
    echo "scripts/examples.sh: the scripted model did not start" >&2
    exit 1
  fi
  (
    cd "$home/project"
    env -i PATH="$PATH" HOME="$home" LANG=C.UTF-8 NO_PROXY=127.0.0.1 LETSCODE_NO_UPDATE_CHECK=1 \
      "$@" "$binary" --mode rpc --base-url "http://127.0.0.1:$address/v1" --model mock-model \
      --api-key not-needed-here
  )
  kill "$mock"
  wait "$mock" || :
  mock=
}

# Compiles the TypeScript client into target/examples.
compile() {
  if ! cmp -s "$examples/typescript/package.json" "$built/package.json"; then
    rm -rf "$built"
    mkdir -p "$built/new"
    cp "$examples/typescript/package.json" "$built/new"
    npm install --prefix "$built/new" --no-package-lock --no-audit --no-fund --silent
    mv "$built/new/node_modules" "$built/new/package.json" "$built"
  fi
  "$built/node_modules/.bin/tsc" --project "$examples/typescript" --outDir "$built/out" \
    --typeRoots "$built/node_modules/@types"
}

run python python3 -B "$examples/python/session.py"
if command -v node > /dev/null && command -v npm > /dev/null; then
  compile
  run typescript node "$built/out/session.js"
elif [ -n "${CI:-}" ]; then
  echo 'scripts/examples.sh: node and npm are needed for the TypeScript client' >&2
  exit 1
else
  echo 'scripts/examples.sh: no node and npm here: the TypeScript client is LEFT OUT' >&2
fi
