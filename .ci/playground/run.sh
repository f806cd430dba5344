#!/usr/bin/env bash
# The page of the playground: what is committed is what its sources make, its
# types are right, and the scenarios hold in Chromium.
#
#   run.sh NPM_WEB NPM_SCENARIOS WORKDIR UPSTREAM
#
# NPM_WEB and NPM_SCENARIOS are folders with installed packages, UPSTREAM is the
# program of the everything server.
set -euo pipefail
libraries=$1 scenarios=$2 work=$3 upstream=$4
mkdir -p "$work/web" "$work/state"
cp -r examples/playground/web/. "$work/web/"
rm -rf "$work/web/node_modules"
ln -s "$libraries/node_modules" "$work/web/node_modules"
(cd "$work/web" && node_modules/.bin/tsc -p .)
(cd examples/playground/web/build && GOFLAGS=-mod=readonly go build -o "$work/build" .)
"$work/build" -web "$work/web" -out "$PWD/examples/playground/web/dist" -check
go build -o "$work/playground" ./examples/playground
cp .ci/playground/*.mjs "$scenarios/"
(cd "$scenarios" && timeout 600 node scenarios.mjs "$work/playground" "$work/state" "$upstream")
