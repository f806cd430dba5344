#!/usr/bin/env bash
# The image of examples/playground/Dockerfile: built by docker where it runs and the base
# image can be had; else by buildah, which needs no daemon, from a base image made of the Go
# of this machine and busybox; else its steps are run here: the RUN lines of the build stage
# in a copy of the checkout. Then the result is the root of a process without rights.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "the image is tried in a chroot: run this as root" >&2; exit 1; }
file=examples/playground/Dockerfile
work=$(mktemp -d)
pid=
end() {
  [ -z "$pid" ] || { kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; }
  umount "$work/root/proc" 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT

# bah is buildah with its images in the folder of this run.
bah() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }

# build makes the base image, and from it the image of the Dockerfile, whose files are then
# in root. The caches of Go are those of this machine.
build() {
  local base mount image
  base=$(bah from scratch) && mount=$(bah mount "$base")
  mkdir -p "$mount/bin" "$mount/tmp" "$mount/etc/ssl/certs" "$mount/usr/local"
  cp "$(command -v busybox)" "$mount/bin/busybox"
  for tool in sh mkdir cp chmod chown; do ln -s busybox "$mount/bin/$tool"; done
  cp /etc/ssl/certs/ca-certificates.crt "$mount/etc/ssl/certs"
  cp -r "$(go env GOROOT)" "$mount/usr/local/go"
  bah config --env PATH=/usr/local/go/bin:/bin --env GOPATH=/go --env GOCACHE=/cache "$base"
  bah commit -q --rm "$base" docker.io/library/golang:1.26 >/dev/null
  bah bud -q --pull-never --isolation chroot --network host --format docker \
    -v "$(go env GOMODCACHE):/go/pkg/mod" -v "$(go env GOCACHE):/cache" -f "$file" -t localpass-ci . >/dev/null
  image=$(bah from --pull-never localhost/localpass-ci) && mount=$(bah mount "$image")
  cp -a "$mount" "$work/root"
  chmod u+w "$work/root" # the mount points of this run are made in it
  bah rm "$image" >/dev/null
  rm -rf "$work/storage"
}

if docker info >/dev/null 2>&1 && docker build -q -f "$file" -t localpass-ci . >/dev/null 2>&1; then
  echo "built by docker"
  mkdir "$work/root" && docker create --name localpass-ci localpass-ci >/dev/null
  docker export localpass-ci | tar -x -C "$work/root" && docker rm localpass-ci >/dev/null
elif command -v buildah >/dev/null && file -L "$(command -v busybox)" | grep -q 'statically linked'; then
  build
  echo "built by buildah"
else
  # The RUN lines of the build stage, with /image and /src in the folder of this run.
  awk '/^FROM/ { build = / AS build$/ } build && /^RUN / { on = 1; sub(/^RUN /, "") }
    on { line = $0; more = sub(/\\$/, "", line); printf "%s%s", line, more ? " " : "\n"; on = more }' "$file" |
    sed "s|/image|$work/root|g" >"$work/steps"
  [ "$(wc -l <"$work/steps")" -ge 2 ] || { echo "the build stage of $file has no steps" >&2; exit 1; }
  bash -euo pipefail "$work/steps"
  echo "ran $(wc -l <"$work/steps") steps of $file"
fi
for program in playground clichat mcpserver; do
  file "$work/root/usr/local/bin/$program" 2>/dev/null | grep -q 'dynamically linked' && { echo "$program is not static" >&2; exit 1; }
done

# entry NAME prints the words of an instruction in JSON form.
entry() { sed -n "s/^$1 \[\(.*\)\]$/\1/p" "$file" | grep -o '"[^"]*"' | tr -d '"'; }
mapfile -t start < <(entry ENTRYPOINT; entry CMD)
mapfile -t check < <(sed -n 's/^HEALTHCHECK .* CMD \[\(.*\)\]$/\1/p' "$file" | grep -o '"[^"]*"' | tr -d '"')
user=$(sed -n 's/^USER //p' "$file")
((${#start[@]} > 1 && ${#check[@]} > 1)) && [ -n "$user" ] || { echo "$file lacks ENTRYPOINT, CMD, HEALTHCHECK or USER" >&2; exit 1; }

mkdir -p "$work/root/proc" "$work/root/dev"
mount -t proc proc "$work/root/proc"
for device in null urandom; do
  mknod -m 666 "$work/root/dev/$device" c 1 "$([ $device = null ] && echo 3 || echo 9)"
done
port=$((20000 + RANDOM % 20000)) token=a-token-of-this-run
start=("${start[@]/:8282/:$port}")
chroot=$(command -v chroot)
# inside runs a command in the image in place of the shell that calls it, so that the
# number of a job is that of the command.
inside() { exec env -i PATH=/usr/local/bin HOME=/data LOCALPASS_HOME=/data LOCALPASS_TOKEN=$token "$chroot" --userspec="$user" "$work/root" "$@"; }

serve() {
  inside "${start[@]}" >"$work/log" 2>&1 &
  pid=$!
  for ((i = 0; i < 150; i++)); do
    (inside "${check[@]}" "http://127.0.0.1:$port") >/dev/null 2>&1 && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  echo "the health check does not succeed" >&2; cat "$work/log" >&2; exit 1
}
serve
[ "$(stat -c %u "/proc/$(pgrep -n -f "0.0.0.0:$port")")" = 65532 ] || { echo "it does not run as $user" >&2; exit 1; }
base=http://127.0.0.1:$port
[ "$(curl -s -o /dev/null -w '%{http_code}' "$base/api/home")" = 401 ] || { echo "it serves without the token" >&2; exit 1; }
curl -sf -H "Authorization: Bearer $token" "$base/api/home" >/dev/null
# The sandbox works without a shell and as this user: a bundled tool holds a pass, and runs.
said=$(printf '%s\n' \
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"ci","version":"1"}}}' \
  '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
  '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hash","arguments":{"text":"abc"}}}' | inside mcpserver -tools +hash 2>"$work/errors")
grep -q ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad <<<"$said" || { echo "no tool runs in the image: $said" >&2; cat "$work/errors" >&2; exit 1; }
kill "$pid"; wait "$pid" || true
! (inside "${check[@]}" "http://127.0.0.1:$port") >/dev/null 2>&1 || { echo "it still answers after its end" >&2; exit 1; }
[ -n "$(ls -A "$work/root/data")" ] || { echo "the volume is empty" >&2; exit 1; }
serve # the home that it left opens again
echo "starts, is healthy, opens its home again; $(du -sh --exclude=proc "$work/root/usr" | cut -f1) of programs"
