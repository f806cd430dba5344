#!/usr/bin/env bash
# README.md and docs/: each Go program in them compiles, the copy of clichat with an
# advisor runs, each link leads somewhere, and each page is linked from the README. The
# commands of docs/other-servers.md are run by the stage peers, those of the other pages by
# commands.sh.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pages=(README.md docs/*.md)
bad=0

for page in "${pages[@]}"; do
  while read -r link; do
    target=$(dirname "$page")/${link%%#*}
    [ -e "$target" ] || { echo "$page links $link, which is not there" >&2; bad=1; }
  done < <(grep -oE '\]\([^)]*\)' "$page" | sed 's/^](//; s/)$//' | grep -vE '^(https?:|#)' || true)
  [ "$page" = README.md ] || grep -q "($page)" README.md || { echo "README.md does not link $page" >&2; bad=1; }
done

while read -r package; do
  [ -d "$package" ] || { echo "README.md names the package $package, which is not there" >&2; bad=1; }
done < <(sed -n '/^## The packages$/,$p' README.md | sed -n 's/^| \(`[^|]*`\) |.*/\1/p' | grep -o '`[^`]*`' | tr -d '`')

# Each program is laid over a folder of the module that is not there.
count=0 replace=
for page in "${pages[@]}"; do
  awk -v out="$work/$(basename "$page" .md)" '
    /^```go$/ { inside = 1; n++; next }
    /^```$/ { inside = 0 }
    inside { print > (out "-" n ".go") }' "$page"
done
shopt -s nullglob
for program in "$work"/*.go; do
  # The advisor for a copy of clichat: here it is laid over the original.
  if head -n 1 "$program" | grep -q '^// examples/mychat/advisors.go$'; then
    echo "{\"Replace\":{\"$PWD/examples/clichat/advisors.go\":\"$program\"}}" >"$work/mychat.json"
    go build -overlay "$work/mychat.json" -o "$work/mychat" ./examples/clichat
    said=$("$work/mychat" -home "$work/home" -profile demo -tools none -quiet "What time is it?" </dev/null)
    grep -qE '^It is [0-9]{2}:[0-9]{2}\.$' <<<"$said" || { echo "the copy of clichat with an advisor says: $said" >&2; bad=1; }
    continue
  fi
  head -n 1 "$program" | grep -q '^package main$' || { echo "$(basename "$program"): a Go block of the docs is a whole program" >&2; bad=1; continue; }
  count=$((count + 1))
  replace+=${replace:+,}"\"$PWD/internal/docprogram$count/main.go\":\"$program\""
done
((count > 0)) || { echo "the docs have no Go program" >&2; exit 1; }
echo "{\"Replace\":{$replace}}" >"$work/overlay.json"
# The export data of a program is what compiling it gives: nothing is linked.
mapfile -t programs < <(seq -f './internal/docprogram%g' "$count")
go list -overlay "$work/overlay.json" -export -f '{{.Export}}' "${programs[@]}" >/dev/null || bad=1
echo "$count programs of the docs compile, ${#pages[@]} pages are linked"
bash .ci/commands.sh || bad=1
exit "$bad"
