#!/usr/bin/env bash
# Checks what the libraries show to others.
#     symbols.sh LIBRARY...
# Every external symbol of every library must begin with isg_, and a shared library may need only
# libc's own libraries (and, for the glsl component, libstdc++ and isogrid): the loader and the
# drivers are opened at run time.
set -euo pipefail

status=0
for library in "$@"; do
    case $library in
    *.a) symbols=$(nm -g --defined-only "$library" | awk 'NF == 3 { print $3 }') ;;
    *) symbols=$(nm -D --defined-only "$library" | awk '{ print $3 }') ;;
    esac
    count=$(grep -c '^isg_' <<<"$symbols" || true)
    foreign=$(grep -v '^isg_' <<<"$symbols" || true)
    echo "$library: $count symbols"
    if [ -n "$foreign" ]; then
        echo "error: these do not begin with isg_:"
        head -n 20 <<<"$foreign"
        status=1
    fi
    if [ "$count" = 0 ]; then
        echo "error: nothing is exported"
        status=1
    fi
    case $library in
    *.a) ;;
    *)
        needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
            grep -vE '^(libc|libm|libdl|libpthread|libgcc_s|ld-linux[^.]*|libstdc\+\+|libisogrid)\.so' || true)
        if [ -n "$needed" ]; then
            echo "error: it is linked with $needed"
            status=1
        fi
        ;;
    esac
done
exit $status
