# Configuring and building one tree of CMakePresets.json.

# tree_folder PRESET: its folder.
tree_folder() {
    case $1 in
    release) printf '%s\n' "$ISOGRID_ROOT/build" ;;
    gpu) printf '%s\n' "$ISOGRID_ROOT/build/gpu" ;;
    *) printf '%s\n' "$ISOGRID_ROOT/build-$1" ;;
    esac
}

# build_tree PRESET [TARGET...]: quiet unless something fails.
build_tree() {
    local preset=$1 folder log
    shift
    folder=$(tree_folder "$preset")
    mkdir -p "$folder"
    log=$folder/build.log
    if ! (cd "$ISOGRID_ROOT" && cmake --preset "$preset" >"$log" 2>&1); then
        # A tree that was moved or made by another CMake cannot be mended in place.
        (cd "$ISOGRID_ROOT" && cmake --fresh --preset "$preset" >"$log" 2>&1) || {
            tail -n 40 "$log" >&2
            return 1
        }
    fi
    cmake --build "$folder" --parallel "$(nproc)" ${1:+--target "$@"} >>"$log" 2>&1 || {
        grep -nE 'error|FAILED|warning:' "$log" | head -n 40 >&2
        tail -n 20 "$log" >&2
        return 1
    }
}
