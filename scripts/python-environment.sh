# For the scripts that run Python code, which source it: a virtual environment below target/.

# python_environment NAME PACKAGE...: prints the folder of an environment that has the packages. Prints
# nothing, and says so, where there is no Python that is new enough; that is a failure where CI is set.
python_environment() {
  local name=$1 python folder
  shift
  folder=${CARGO_TARGET_DIR:-$PWD/target}/$name
  if [ "$(cat "$folder/packages" 2> /dev/null)" = "$*" ] && "$folder/bin/python" -c '' 2> /dev/null; then
    printf '%s' "$folder"
    return
  fi
  if ! python=$(recent_python); then
    echo 'SKIPPED: there is no Python 3.12 or later' >&2
    [ -z "${CI:-}" ]
    return
  fi
  rm -rf "$folder"
  "$python" -m venv "$folder" >&2
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2
  printf '%s' "$*" > "$folder/packages"
  printf '%s' "$folder"
}

# recent_python: prints the first Python on the path that is new enough.
recent_python() {
  local name
  for name in python3 python3.14 python3.13 python3.12; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null; then
      command -v "$name"
      return
    fi
  done
  return 1
}
