# The Vulkan drivers under test, unpacked from Debian's packages into .drivers/ (not in git):
#   lavapipe-25   Mesa 25 from bookworm-backports
#   lavapipe-22   Mesa 22.3.6, Debian 12's own
#   swiftshader   from chromium-common, which also holds a newer validation layer than Debian's
#
# Nothing but the libraries they link is installed. apt is asked through a state folder of our own,
# so the system's sources and package lists stay as they are. Every manifest names its library by
# an absolute path: both Mesas have one SONAME, and the loader would take the installed one twice.

DRIVER_NAMES=(lavapipe-25 lavapipe-22 swiftshader)

drivers_apt() {
    local apt=$ISOGRID_DRIVERS/apt command=$1
    shift
    "$command" -q \
        -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/sources" \
        -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" \
        -o Acquire::Languages=none -o Acquire::Retries=2 -o APT::Sandbox::User=root \
        "$@"
}

# Prints the base address that this system uses for suite $1, or the one given as $2.
drivers_mirror() {
    local uri
    uri=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 2>/dev/null |
        awk -v suite="$1" '$1 == suite { print $2; exit }')
    printf '%s\n' "${uri:-$2}"
}

# Writes the sources of our own apt state and fetches the lists. $1: suites besides bookworm's own.
drivers_apt_update() {
    local apt=$ISOGRID_DRIVERS/apt keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=
    [ ! -e $keyring ] || signed="Signed-By: $keyring"
    mkdir -p "$apt/sources" "$apt/lists/partial" "$apt/cache/archives/partial"
    cat >"$apt/sources/debian.sources" <<EOF
Types: deb
URIs: $(drivers_mirror bookworm http://deb.debian.org/debian)
Suites: bookworm $1
Components: main
$signed

Types: deb
URIs: $(drivers_mirror bookworm-security http://deb.debian.org/debian-security)
Suites: bookworm-security
Components: main
$signed
EOF
    drivers_apt apt-get -o APT::Update::Error-Mode=any update >"$apt/update.log" 2>&1
}

# drivers_extract PACKAGE[/SUITE] FOLDER FILE...: downloads the package and puts the named files,
# found anywhere in it, into .drivers/FOLDER; the version goes to .drivers/FOLDER/version.
drivers_extract() {
    local package=$1 folder=$ISOGRID_DRIVERS/$2 work file found
    shift 2
    work=$(mktemp -d "$ISOGRID_DRIVERS/unpack.XXXXXX")
    if ! (cd "$work" && drivers_apt apt-get download "$package") >"$work/log" 2>&1; then
        tail -n 3 "$work/log" >&2
        rm -rf "$work"
        return 1
    fi
    dpkg-deb -f "$work"/*.deb Version >"$work/version"
    dpkg-deb -x "$work"/*.deb "$work/tree"
    mkdir -p "$folder"
    for file in "$@"; do
        found=$(find "$work/tree" -type f -name "$file" -print -quit)
        if [ -z "$found" ]; then
            say "error: package $package holds no $file"
            rm -rf "$work"
            return 1
        fi
        mv "$found" "$folder/$file"
    done
    mv "$work/version" "$folder/version"
    rm -rf "$work"
}

# write_if_changed FILE: standard input becomes the file's content.
write_if_changed() {
    local text
    text=$(cat)
    mkdir -p "$(dirname "$1")"
    [ -e "$1" ] && [ "$(cat "$1")" = "$text" ] || printf '%s\n' "$text" >"$1"
}

driver_library() {
    case $1 in
    lavapipe-*) printf '%s\n' "$ISOGRID_DRIVERS/$1/libvulkan_lvp.so" ;;
    swiftshader) printf '%s\n' "$ISOGRID_DRIVERS/swiftshader/libvk_swiftshader.so" ;;
    esac
}

driver_manifest() {
    printf '%s\n' "$ISOGRID_DRIVERS/icd/$1.json"
}

validation_layer() {
    printf '%s\n' "$ISOGRID_DRIVERS/validation/libVkLayer_khronos_validation.so"
}

# A driver is whole when its files and the note of its version are there.
driver_present() {
    [ -s "$(driver_library "$1")" ] && [ -s "$ISOGRID_DRIVERS/$1/version" ]
}

drivers_present() {
    local name
    for name in "${DRIVER_NAMES[@]}"; do
        driver_present "$name" || return 1
    done
    [ -s "$(validation_layer)" ] && [ -s "$ISOGRID_DRIVERS/validation/version" ]
}

drivers_fetch() {
    local backports=yes
    say "fetching the test drivers from Debian's packages"
    if ! drivers_apt_update bookworm-backports; then
        if drivers_apt_update ''; then
            backports=no
        else
            tail -n 5 "$ISOGRID_DRIVERS/apt/update.log" >&2
            die "Debian's package lists cannot be fetched; check the network and apt's settings"
        fi
    fi
    if ! driver_present lavapipe-25; then
        if [ $backports = no ] ||
            ! drivers_extract mesa-vulkan-drivers/bookworm-backports lavapipe-25 libvulkan_lvp.so; then
            say "NOTICE: bookworm-backports cannot be reached, so there is no lavapipe 25 (Mesa 25);"
            say "NOTICE: going on with Debian's own lavapipe 22.3.6 and SwiftShader."
        fi
    fi
    driver_present lavapipe-22 ||
        drivers_extract mesa-vulkan-drivers/bookworm lavapipe-22 libvulkan_lvp.so ||
        say "NOTICE: no lavapipe 22.3.6: Debian's package mesa-vulkan-drivers cannot be downloaded."
    if ! driver_present swiftshader || [ ! -s "$ISOGRID_DRIVERS/validation/version" ]; then
        drivers_extract chromium-common validation libvk_swiftshader.so \
            libVkLayer_khronos_validation.so || {
            say "NOTICE: no SwiftShader and no validation layer: Debian's package chromium-common"
            say "NOTICE: cannot be downloaded."
            return 0
        }
        mkdir -p "$ISOGRID_DRIVERS/swiftshader"
        mv "$ISOGRID_DRIVERS/validation/libvk_swiftshader.so" "$ISOGRID_DRIVERS/swiftshader/"
        cp "$ISOGRID_DRIVERS/validation/version" "$ISOGRID_DRIVERS/swiftshader/version"
    fi
}

drivers_write_manifests() {
    local name
    for name in "${DRIVER_NAMES[@]}"; do
        if ! driver_present "$name"; then
            rm -f "$(driver_manifest "$name")"
            continue
        fi
        write_if_changed "$(driver_manifest "$name")" <<EOF
{
    "file_format_version": "1.0.0",
    "ICD": {"library_path": "$(driver_library "$name")", "api_version": "1.3.0"}
}
EOF
    done
    [ -s "$(validation_layer)" ] || return 0
    write_if_changed "$ISOGRID_DRIVERS/layers/VkLayer_khronos_validation.json" <<EOF
{
    "file_format_version": "1.2.0",
    "layer": {
        "name": "VK_LAYER_KHRONOS_validation",
        "type": "GLOBAL",
        "library_path": "$(validation_layer)",
        "api_version": "1.4.300",
        "implementation_version": "1",
        "description": "Khronos validation layer of Debian's chromium-common",
        "instance_extensions": [
            {"name": "VK_EXT_debug_report", "spec_version": "9"},
            {"name": "VK_EXT_debug_utils", "spec_version": "1"},
            {"name": "VK_EXT_validation_features", "spec_version": "2"},
            {"name": "VK_EXT_layer_settings", "spec_version": "2"}
        ],
        "device_extensions": [
            {"name": "VK_EXT_validation_cache", "spec_version": "1",
             "entrypoints": ["vkCreateValidationCacheEXT", "vkDestroyValidationCacheEXT",
                             "vkGetValidationCacheDataEXT", "vkMergeValidationCachesEXT"]},
            {"name": "VK_EXT_debug_marker", "spec_version": "4",
             "entrypoints": ["vkDebugMarkerSetObjectTagEXT", "vkDebugMarkerSetObjectNameEXT",
                             "vkCmdDebugMarkerBeginEXT", "vkCmdDebugMarkerEndEXT",
                             "vkCmdDebugMarkerInsertEXT"]}
        ]
    }
}
EOF
}

# Makes .drivers/ whole. Quick and silent when it is.
ensure_drivers() {
    local name library
    mkdir -p "$ISOGRID_DRIVERS"
    exec 9>"$ISOGRID_DRIVERS/lock"
    flock 9
    if command -v apt-get >/dev/null; then
        ensure_packages "${ISOGRID_DRIVER_PACKAGES[@]}"
        drivers_present || drivers_fetch
    else
        say "note: no apt here; only the Vulkan drivers of this system are used"
    fi
    drivers_write_manifests
    for name in "${DRIVER_NAMES[@]}"; do
        library=$(driver_library "$name")
        if [ -e "$library" ] && ldd "$library" | grep 'not found' >&2; then
            die "the libraries above, which $name needs, are missing"
        fi
    done
    exec 9>&-
}

# drivers_exports [--system]: export lines for a shell. --system keeps this machine's own drivers.
drivers_exports() {
    local name manifest files=
    for name in "${DRIVER_NAMES[@]}"; do
        manifest=$(driver_manifest "$name")
        [ ! -e "$manifest" ] || files=${files:+$files:}$manifest
    done
    if [ "${1:-}" = --system ]; then
        printf 'unset VK_DRIVER_FILES VK_ICD_FILENAMES\n'
        printf 'export VK_ADD_DRIVER_FILES=%q\n' "$files"
    else
        printf 'unset VK_ADD_DRIVER_FILES VK_ICD_FILENAMES\n'
        printf 'export VK_DRIVER_FILES=%q\n' "$files"
    fi
    printf 'export VK_LAYER_PATH=%q\n' "$ISOGRID_DRIVERS/layers"
    printf 'export VK_LOADER_LAYERS_DISABLE=%q\n' '~implicit~'
}

# One line a driver: name, package version.
drivers_describe() {
    local name
    for name in "${DRIVER_NAMES[@]}" validation; do
        if [ -s "$ISOGRID_DRIVERS/$name/version" ]; then
            printf '  %-12s %s\n' "$name" "$(cat "$ISOGRID_DRIVERS/$name/version")"
        else
            printf '  %-12s missing\n' "$name"
        fi
    done
}
