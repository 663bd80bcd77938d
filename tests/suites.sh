#!/usr/bin/env bash
# Checks that CTest has an entry for every conformance suite there is, and for no other.
#     suites.sh ISOGRID "SUITE..."
set -euo pipefail

listed=$(tr ' ' '\n' <<<"$2" | sort)
real=$("$1" conform --list-suites | awk 'NF { print $1 }' | sort)
[ -n "$real" ]
if [ "$listed" != "$real" ]; then
    echo "error: tests/CMakeLists.txt and 'isogrid conform --list-suites' differ (<: only in CMake)"
    diff <(echo "$listed") <(echo "$real") | grep '^[<>]'
    exit 1
fi
echo "$(wc -l <<<"$real") suites"
