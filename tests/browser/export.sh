#!/usr/bin/env bash
# Opens exported pages in Chromium and fails when one of them asks for anything: a conversation full
# of hostile text is shown, light and dark, folded and unfolded, while a server listens at the
# address that all of it tries to reach. A page that does ask is opened too, so that a server that
# hears nothing is not taken for a good sign.
#
# Usage: tests/browser/export.sh [FOLDER]   The pages and pictures of them are left in FOLDER.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo 'there is no Chromium here; nothing was checked'
  exit 0
}
scratch=$(mktemp -d)
out=${1:-$scratch/pages}
mkdir -p "$out"
trap 'kill "$server" 2> /dev/null || true; rm -rf "$scratch"' EXIT

python3 - "$scratch" << 'PYTHON' &
import http.server, pathlib, sys
folder = pathlib.Path(sys.argv[1])
class Listener(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(folder / "heard", "a") as heard:
            heard.write(self.path + "\n")
        self.send_response(204)
        self.end_headers()
    do_POST = do_HEAD = do_OPTIONS = do_GET
    def log_message(self, *arguments):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
(folder / "port.new").write_text(str(server.server_port))
(folder / "port.new").rename(folder / "port")
server.serve_forever()
PYTHON
server=$!
until [ -e "$scratch/port" ]; do
  kill -0 "$server"
  sleep 0.1
done
address=http://127.0.0.1:$(cat "$scratch/port")

EXPORT_PAGES=$out EXPORT_ADDRESS=$address \
  cargo test --locked --quiet -p letscode --bin letscode pages_for_a_browser -- --ignored

# picture PAGE NAME [OPTION...]: opens a page of $out and keeps a picture of it.
picture() {
  local page=$1 name=$2
  shift 2
  timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$scratch/profile-$name" --hide-scrollbars --window-size=900,3000 \
    --enable-logging=stderr "$@" --screenshot="$out/$name.png" "file://$(realpath "$out")/$page" \
    2> "$scratch/$name.log"
  test -s "$out/$name.png"
}

for page in small hostile; do
  sed -E 's/<details( class="[a-z]*")?>/<details\1 open>/g' "$out/$page.html" > "$out/$page-open.html"
  picture "$page.html" "$page-light"
  picture "$page.html" "$page-dark" --blink-settings=preferredColorScheme=0
  picture "$page-open.html" "$page-open"
done
if [ -e "$scratch/heard" ]; then
  echo 'an exported page asked for:'
  sort -u "$scratch/heard"
  exit 1
fi
# The policy blocked nothing either: there was nothing to block.
if grep -h 'Content Security Policy' "$scratch"/*.log; then
  echo 'an exported page tried what its policy forbids'
  exit 1
fi

echo "<img src=$address/control>" > "$out/control.html"
picture control.html control
rm "$out/control.html" "$out/control.png"
grep -qx /control "$scratch/heard" || {
  echo 'the listener heard nothing from a page that does ask; the check is worth nothing'
  exit 1
}
echo 'no exported page asked for anything'
