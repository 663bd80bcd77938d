#!/usr/bin/env bash
# Runs a program that lists devices where Vulkan's loader is broken in one way: it must end well,
# print nothing on stderr, and say of the vulkan backend why there is none.
#     run.sh PROGRAM WAY FOLDER [STUB]
# WAY: stub (STUB stands for libvulkan.so.1), empty_file, no_driver (the real loader, no manifest).
set -euo pipefail

program=$1 way=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
unset VK_ADD_DRIVER_FILES VK_ICD_FILENAMES ISOGRID_VULKAN_LOADER
export VK_DRIVER_FILES=$folder/no_such_manifest.json
case $way in
stub) cp "$4" "$folder/libvulkan.so.1" ;;
empty_file) : >"$folder/libvulkan.so.1" ;;
no_driver) ;;
*) exit 2 ;;
esac
if [ "$way" != no_driver ]; then
    cp "$folder/libvulkan.so.1" "$folder/libvulkan.so"
    export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
"$program" >"$folder/out" 2>"$folder/err" || {
    cat "$folder/out" "$folder/err"
    echo "error: $program failed"
    exit 1
}
cat "$folder/out"
if [ -s "$folder/err" ]; then
    cat "$folder/err"
    echo "error: something was printed on stderr"
    exit 1
fi
reason=$(sed -n 's/^vulkan: //p' "$folder/out")
if [ "$reason" = available ] || [ ${#reason} -lt 20 ]; then
    echo "error: '$reason' is no reason why there is no vulkan backend"
    exit 1
fi
