#!/usr/bin/env bash
# The official MCP Inspector, as a command line, against the example server:
# list and call over stdio and over HTTP.
#
#   inspector.sh INSPECTOR MCPSERVER WORKDIR
set -euo pipefail
inspector=$1 server=$2 work=$3
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true' EXIT

check() { # what, wanted text, output
  case $3 in
    *"$2"*) echo "ok - $1" ;;
    *) printf 'not ok - %s: no %s in:\n%s\n' "$1" "$2" "$3" >&2; exit 1 ;;
  esac
}

out=$("$inspector" --cli "$server" -home "$work/inspector-stdio" -tools +hash,+dateMath --method tools/list)
check "stdio: tools/list" '"dateMath"' "$out"
out=$("$inspector" --cli "$server" -home "$work/inspector-stdio" -tools +hash,+dateMath --method tools/call --tool-name hash --tool-arg text=abc --tool-arg algorithm=sha256)
check "stdio: tools/call" ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad "$out"

# The log is there before the program is: the shell of a busy machine may start it later.
: >"$work/inspector-http.log"
"$server" -http 127.0.0.1:0 -home "$work/inspector-http" -tools +hash,+dateMath 2>>"$work/inspector-http.log" &
pid=$!
url=
for _ in $(seq 600); do
  url=$(sed -n 's/.*listening on \(http:[^ ]*\).*/\1/p' "$work/inspector-http.log")
  [ -z "$url" ] || break
  kill -0 "$pid" || { cat "$work/inspector-http.log" >&2; exit 1; }
  sleep 0.1
done
out=$("$inspector" --cli "$url" --transport http --method tools/list)
check "http: tools/list" '"dateMath"' "$out"
out=$("$inspector" --cli "$url" --transport http --method tools/call --tool-name hash --tool-arg text=abc --tool-arg algorithm=sha256)
check "http: tools/call" ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad "$out"
