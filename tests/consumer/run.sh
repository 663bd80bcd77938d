#!/usr/bin/env bash
# Builds the consumer against isogrid in one way and runs it.
#     run.sh WAY SOURCES BUILD_TREE WORK_FOLDER
# WAY: shared | static | cxx | glsl | glsl_static (find_package in a prefix that was moved),
#      pkgconfig | pkgconfig_static (moved too), subdirectory.
set -euo pipefail

way=$1 sources=$2 tree=$3 work=$4
consumer=$sources/tests/consumer
rm -rf "$work"
mkdir -p "$work"

install_and_move() {
    cmake --install "$tree" --prefix "$work/first" >"$work/install.log"
    mv "$work/first" "$work/prefix"
    if grep -rIlE -e "$work/first|$tree|$sources" "$work/prefix" --include='*.cmake' --include='*.pc' \
        --include='*.h'; then
        echo "error: the files above name the place where isogrid was built or first installed" >&2
        exit 1
    fi
    libdir=$(dirname "$(dirname "$(find "$work/prefix" -name isogrid.pc)")")
}

configure() {
    cmake -G Ninja -S "$consumer" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON "$@"
    cmake --build "$work/build"
}

with_package() {
    install_and_move
    configure -DCMAKE_PREFIX_PATH="$work/prefix" "$@"
    "$work/build/consumer"
}

with_pkgconfig() {
    local flags
    export PKG_CONFIG_PATH=$libdir/pkgconfig
    read -ra flags <<<"$(pkg-config "$@" --cflags --libs isogrid)"
    "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$consumer/no_sdk" \
        "$consumer/consumer.c" -o "$work/consumer" "${flags[@]}"
}

case $way in
shared) with_package -DCONSUMER_CORE=isogrid::isogrid ;;
static) with_package -DCONSUMER_CORE=isogrid::isogrid_static ;;
cxx) with_package -DCONSUMER_CORE=isogrid::isogrid -DCONSUMER_CXX=ON ;;
glsl) with_package -DCONSUMER_CORE=isogrid::isogrid -DCONSUMER_GLSL=glsl ;;
glsl_static) with_package -DCONSUMER_CORE=isogrid::isogrid_static -DCONSUMER_GLSL=glsl_static ;;
pkgconfig)
    install_and_move
    with_pkgconfig
    LD_LIBRARY_PATH=$libdir "$work/consumer"
    ;;
pkgconfig_static)
    install_and_move
    rm "$libdir"/lib*.so*
    with_pkgconfig --static
    "$work/consumer"
    ;;
subdirectory)
    configure -DCONSUMER_ISOGRID="$sources" -DCONSUMER_CORE=isogrid::isogrid_static
    "$work/build/consumer"
    ;;
*)
    echo "error: no way '$way' to build the consumer" >&2
    exit 2
    ;;
esac
