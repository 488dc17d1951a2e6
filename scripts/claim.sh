#!/usr/bin/env bash
# Called by cargo to run a test program: runs it, unless another list of tests has taken it, which then runs it. So two
# lists of the same tests divide them between each other.
#
#   CLAIMS=folder scripts/claim.sh <program> [argument...]
set -euo pipefail

if mkdir "$CLAIMS/$(basename "$1")" 2>/dev/null; then
    exec "$@"
fi
echo "taken by the other list of tests"
