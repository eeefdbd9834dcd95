# For the scripts that run Python code, which source it: a virtual environment below target/.

# python_environment NAME PACKAGE...: prints the folder of an environment that has the packages. Prints
# nothing, and says so, where there is no Python that is new enough or the packages cannot be had; that
# is a failure where CI is set.
python_environment() {
  local name=$1 python folder
  shift
  folder=${CARGO_TARGET_DIR:-$PWD/target}/$name
  if [ "$(cat "$folder/packages" 2> /dev/null)" = "$*" ] && "$folder/bin/python" -c '' 2> /dev/null; then
    printf '%s' "$folder"
    return
  fi
  if ! python=$(recent_python); then
    skipped 'there is no Python 3.12 or later'
    return
  fi
  rm -rf "$folder"
  if ! { "$python" -m venv "$folder" \
    && "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"; } >&2; then
    skipped "cannot install $*"
    return
  fi
  printf '%s' "$*" > "$folder/packages"
  printf '%s' "$folder"
}

# published_plugins ENVIRONMENT FOLDER: downloads the sources of the Python program 0.7.1 into FOLDER and
# prints where its plugins are. Where they cannot be had, it is as above.
published_plugins() {
  if ! "$1/bin/python" -m pip download --quiet --disable-pip-version-check --no-deps \
    --no-binary :all: --dest "$2" letscode==0.7.1 >&2; then
    skipped 'the plugins cannot be downloaded'
    return
  fi
  tar -xzf "$2"/letscode-*.tar.gz -C "$2"
  printf '%s' "$2"/letscode-0.7.1/plugins
}

# skipped REASON: says why nothing is tested, and fails where CI is set.
skipped() {
  echo "SKIPPED: $1" >&2
  [ -z "${CI:-}" ]
}

# recent_python: prints the first Python that is new enough: on the path, or among pyenv's.
recent_python() {
  local python pyenv
  pyenv=$(pyenv root 2> /dev/null || true)
  for python in python3 python3.14 python3.13 python3.12 "${pyenv:-/none}"/versions/*/bin/python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null; then
      command -v "$python"
      return
    fi
  done
  return 1
}
