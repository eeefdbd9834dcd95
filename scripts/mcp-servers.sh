#!/usr/bin/env bash
# Tries the MCP plugin against real servers: everything and filesystem from npm, time and git from
# PyPI, each over stdio, everything over streamable HTTP too, and one on the official Python SDK that
# changes its tools. First over the plugin protocol, then with the whole program and a scripted model.
#
#   scripts/mcp-servers.sh LETSCODE [FOLDER]
#
# LETSCODE is the program; what is installed goes to FOLDER (default: a temporary folder, removed at
# the end) and is used again when it is there. Needs npm, node and python3 with venv.
set -euo pipefail

program=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
if [ $# -gt 1 ]; then
    mkdir -p "$2"
    folder=$(realpath "$2")
else
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
fi

if [ ! -e "$folder/installed" ]; then
    npm install --silent --no-audit --no-fund --prefix "$folder/node" \
        @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem
    python3 -m venv "$folder/py"
    "$folder/py/bin/pip" install -q mcp-server-time mcp-server-git
    touch "$folder/installed"
fi
export PYTHONDONTWRITEBYTECODE=1
python3 "$here/mcp_servers.py" "$program" "$folder"
python3 "$here/mcp_model.py" "$program" "$folder"
