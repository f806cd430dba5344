#!/usr/bin/env bash
# The official MCP Inspector, as a command line, in front of the hub with other
# makers' servers behind it, over stdio and over HTTP.
#
#   inspector.sh INSPECTOR MCPSERVER PEERS WORKDIR
#
# PEERS is the folder with the installed servers.
set -euo pipefail
inspector=$1 server=$2 peers=$3 work=$4
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true' EXIT

check() { # what, wanted text, output
  case $3 in
    *"$2"*) echo "ok - $1" ;;
    *) printf 'not ok - %s: no %s in:\n%s\n' "$1" "$2" "$3" >&2; exit 1 ;;
  esac
}

mkdir -p "$work/folder"
echo "hello from the folder" >"$work/folder/hello.txt"
cat >"$work/inspector.json" <<JSON
{"mcpServers": {
  "everything": {"command": "node", "args": ["$peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js"],
    "approve": true, "hitl": false, "tools": ["get-sum", "echo"]},
  "files": {"command": "node", "args": ["$peers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "$work/folder"],
    "approve": true, "hitl": false, "tools": [{"tool": "read_text_file", "alias": "read", "description": "Reads."}, "write_file"]}
}}
JSON
"$server" servers add -home "$work/inspector-home" "$work/inspector.json"
"$server" servers revoke -home "$work/inspector-home" files write_file
stdio=("$inspector" --cli "$server" -home "$work/inspector-home" -connect "$work/inspector.json")

out=$(timeout 180 "${stdio[@]}" --method tools/list)
check "stdio: tools/list" '"everything_get-sum"' "$out"
check "stdio: an alias and its description" '"description": "Reads."' "$out"
case $out in *write_file*) echo "not ok - a tool without approval is listed" >&2; exit 1 ;; *) echo "ok - a tool without approval is withheld" ;; esac
out=$(timeout 180 "${stdio[@]}" --method tools/call --tool-name everything_get-sum --tool-arg a=2 --tool-arg b=40)
check "stdio: tools/call" 42 "$out"

# The log is there before the program is: the shell of a busy machine may start it later.
: >"$work/inspector-hub.log"
"$server" -http 127.0.0.1:0 -home "$work/inspector-home" -connect "$work/inspector.json" 2>>"$work/inspector-hub.log" &
pid=$!
url=
for _ in $(seq 600); do
  url=$(sed -n 's/.*listening on \(http:[^ ]*\).*/\1/p' "$work/inspector-hub.log")
  [ -z "$url" ] || break
  kill -0 "$pid" || { cat "$work/inspector-hub.log" >&2; exit 1; }
  sleep 0.1
done
out=$(timeout 180 "$inspector" --cli "$url" --transport http --method tools/list)
check "http: tools/list" '"everything_get-sum"' "$out"
out=$(timeout 180 "$inspector" --cli "$url" --transport http --method tools/call --tool-name read --tool-arg "path=$work/folder/hello.txt")
check "http: tools/call" "hello from the folder" "$out"
kill "$pid"
wait "$pid" || true
pid=
