#!/usr/bin/env bash
# Checks that all C follows .clang-format.
#     format.sh CLANG_FORMAT SOURCES
set -euo pipefail

cd "$2"
mapfile -t files < <(git ls-files '*.c' '*.h' 2>/dev/null || true)
if [ ${#files[@]} = 0 ]; then
    mapfile -t files < <(find include src tools tests examples -name '*.[ch]')
fi
echo "${#files[@]} files"
[ ${#files[@]} -gt 0 ]
"$1" --dry-run -Werror "${files[@]}"
