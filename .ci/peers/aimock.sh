#!/usr/bin/env bash
# Runs a command while aimock, a server of model APIs by another maker, serves the
# fixtures of FILE. The command finds its address in LOCALPASS_AIMOCK.
#
#   aimock.sh PEERS FILE COMMAND...
set -euo pipefail
peers=$1 fixtures=$2
shift 2
log=$(mktemp)
serving=
end() {
  [ -z "$serving" ] || kill "$serving" 2>/dev/null || true
  rm -f "$log"
}
trap end EXIT
# A port of its own choosing is not told: one that is free now is taken.
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
node "$peers/node_modules/@copilotkit/aimock/dist/cli.js" -p "$port" -f "$fixtures" --validate-on-load >"$log" 2>&1 &
serving=$!
for _ in $(seq 600); do
  if node -e "fetch('http://127.0.0.1:$port/v1/models').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"; then
    LOCALPASS_AIMOCK=http://127.0.0.1:$port/v1 "$@"
    exit
  fi
  kill -0 "$serving" || break
  sleep 0.1
done
cat "$log" >&2
exit 1
