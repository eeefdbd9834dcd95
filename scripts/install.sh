#!/usr/bin/env bash
# Installs, lists, runs and removes real plugins with the program, on a clean home.
# usage: scripts/install.sh [BINARY]      (default: target/ci/letscode)
# Needs Python 3.12 or later (PYTHON names it) and cargo; uses uv beside pip where UV names it or it is on
# the PATH. What comes from the package index is left out where that cannot be reached, unless CI is set.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
binary=$(realpath "${1:-$target/ci/letscode}")
python=$("${PYTHON:-python3.12}" -c 'import sys; print(sys.executable)')
uv=${UV:-$(command -v uv || :)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
home=$scratch/home
work=$scratch/work
out=$scratch/out
programs=$scratch/programs

fail() {
  echo "scripts/install.sh: $*" >&2
  cat "$out" "$out.err" >&2
  exit 1
}

# clean [PROGRAM...]: a new home, and a PATH with these programs beside the system's shell tools.
clean() {
  rm -rf "$home" "$programs"
  mkdir -p "$home" "$programs"
  for program in sh cat ls mkdir rm sed basename uname git cc ld as ar; do
    ln -s "$(command -v "$program")" "$programs/$program" 2> /dev/null || :
  done
  for program in "$@"; do ln -s "$program" "$programs/$(basename "$program")"; done
}

# letscode WORD...: runs the program in the work folder; output in $out, the rest in $out.err.
letscode() {
  status=0
  (
    cd "$work"
    env HOME="$home" PATH="$programs" CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" \
      RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" VIRTUAL_ENV= "$binary" "$@"
  ) > "$out" 2> "$out.err" < /dev/null || status=$?
  echo "+ letscode $* -> $status: $(tail -n 1 "$out.err" | cut -c 1-160)"
}

# expect STATUS TEXT WORD...: runs the program, which must end so and say so on either output.
expect() {
  local wanted=$1 text=$2
  shift 2
  letscode "$@"
  [ "$status" = "$wanted" ] || fail "letscode $*: status $status instead of $wanted"
  grep -qF -- "$text" "$out" "$out.err" || fail "letscode $*: does not say: $text"
}

# Nothing of a failed installation may stay.
expect_clean() {
  [ ! -e "$home/.letscode/plugins" ] || fail "left behind: $(find "$home/.letscode/plugins" | head -n 5)"
}

# package NAME DEPENDENCIES ENTRY_POINTS: a Python package that needs nothing to be built.
package() {
  mkdir -p "$work/$1"
  cat > "$work/$1/pyproject.toml" << END
[project]
name = "$1"
version = "0.1.0"
dependencies = [$2]
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
END
  cat > "$work/$1/backend.py" << END
import os, zipfile

FILES = {
    "$1.py": "def main():\n    import sys\n    print('arguments', sys.argv[1:])\n    sys.exit(7)\n",
    "$1-0.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: $1\nVersion: 0.1.0\n"
    + "".join(f"Requires-Dist: {name}\n" for name in [$2]),
    "$1-0.1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "$1-0.1.0.dist-info/entry_points.txt": "$3",
    "$1-0.1.0.dist-info/RECORD": "",
}
FILES["$1-0.1.0.dist-info/RECORD"] = "".join(f"{name},,\n" for name in FILES)

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "$1-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in FILES.items():
            wheel.writestr(path, text)
    return name
END
}

# python_plugins TITLE PROGRAM...: everything about Python packages, with these programs.
python_plugins() {
  local title=$1
  shift
  printf '\n== %s\n' "$title"
  clean "$@"
  expect 0 'installed demo 0.1.0 in ~/.letscode/plugins' install ./demo
  expect 0 "  demo  0.1.0  $work/demo" plugins
  expect 7 "arguments ['--flag', 'a b']" run demo_tool --flag 'a b'
  # Our own distribution counts as installed, and no other program's is fetched.
  if find "$home/.letscode/plugins" -iname 'letscode*' | grep . ; then fail 'letscode was fetched'; fi
  find "$home/.letscode/plugins" -not -path '*/__pycache__*' -not -path '*/.lock' | sort > "$scratch/before"
  expect 1 'failed' install ./broken
  expect 1 'is no plugin of letscode' install ./plain
  expect 1 'finds nothing that fits' install no-such-package-of-anybody-0
  find "$home/.letscode/plugins" -not -path '*/__pycache__*' -not -path '*/.lock' | sort > "$scratch/after"
  diff "$scratch/before" "$scratch/after" || fail 'a failed installation left something behind'
  expect 0 'installed demo 0.1.0' install ./demo
  expect 0 'installed repo 0.1.0' install "git+file://$work/repository#subdirectory=repo"
  expect 0 "git+file://$work/repository#subdirectory=repo" plugins
  expect 0 'removed repo 0.1.0' uninstall repo
  expect 0 'removed demo 0.1.0' uninstall demo
  expect 0 'no plugins are installed' plugins
}

# With these programs, but nobody to reach.
no_network() {
  printf '\n== no network: %s\n' "$1"
  clean "$@"
  for name in https_proxy http_proxy HTTPS_PROXY HTTP_PROXY ALL_PROXY; do export "$name=http://127.0.0.1:9"; done
  export PIP_NO_CACHE_DIR=1 UV_NO_CACHE=1 no_proxy='' NO_PROXY=''
  expect 1 'reaches no server' install some-plugin
  expect_clean
}

mkdir -p "$work/repository"
package demo '"letscode>=0.2"' '[letscode]\ndemo = demo\n[console_scripts]\ndemo_tool = demo:main\n'
package plain '' ''
package broken '' '[letscode]\nx = broken\n'
echo 'raise SystemExit("this build is broken")' > "$work/broken/backend.py"
package repo '"letscode"' '[letscode]\nx = repo\n'
mv "$work/repo" "$work/repository/repo"
git -C "$work/repository" init -q
git -C "$work/repository" add .
git -C "$work/repository" -c user.name=x -c user.email=x@example.com commit -qm x

printf '\n== no Python\n'
clean
expect 0 'no plugins are installed' plugins
expect 1 'Python plugins need uv, or Python 3.12 or newer' install ./demo
expect_clean

printf '\n== programs of other languages\n'
clean "$(rustup which cargo 2> /dev/null || command -v cargo)" "$(rustup which rustc 2> /dev/null || command -v rustc)"
cat > "$work/echo.sh" << 'END'
#!/bin/sh
read line
echo '{"type":"hello","protocol":"letscode-plugin/1","name":"echo","version":"1.5"}'
END
chmod +x "$work/echo.sh"
mkdir -p "$work/guard/src"
printf '[package]\nname = "guard"\nversion = "0.2.0"\nedition = "2021"\n[workspace]\n' > "$work/guard/Cargo.toml"
cat > "$work/guard/src/main.rs" << 'END'
fn main() {
    println!("{{\"type\":\"hello\",\"protocol\":\"letscode-plugin/1\",\"name\":\"guard\"}}");
}
END
expect 0 'installed echo 1.5 in ~/.letscode/plugins/native/echo' install ./echo.sh
expect 0 'installed guard 0.2.0 in ~/.letscode/plugins/native/guard' install ./guard
expect 0 "  guard  0.2.0  $work/guard" plugins
expect 0 '"name":"guard"' run guard
expect 2 'guard is installed already' install ./guard
expect 0 'removed guard' uninstall guard
expect 0 'removed echo' uninstall echo
echo 'fn main() { broken' > "$work/guard/src/main.rs"
clean "$(rustup which cargo 2> /dev/null || command -v cargo)" "$(rustup which rustc 2> /dev/null || command -v rustc)"
expect 1 'cargo failed' install ./guard
expect_clean

if "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$scratch/index" pluggy; then
  python_plugins 'pip' "$python"
  if [ -n "$uv" ]; then python_plugins 'uv' "$uv" "$python"; fi
elif [ -n "${CI:-}" ]; then
  fail 'the package index cannot be reached'
else
  echo 'scripts/install.sh: the package index cannot be reached: Python packages are LEFT OUT' >&2
fi
no_network "$python"
if [ -n "$uv" ]; then no_network "$uv" "$python"; fi
printf '\nall installed and removed as they should\n'
