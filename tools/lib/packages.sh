# Debian packages that isogrid is built and tested with, installed where they are missing.

ISOGRID_BUILD_PACKAGES=(
    build-essential cmake ninja-build pkg-config
    libvulkan-dev libvulkan-volk-dev spirv-headers
    glslc libshaderc-dev glslang-dev glslang-tools spirv-tools
    check libsubunit-dev libpopt-dev libjansson-dev libxxhash-dev libpng-dev
)

# What the drivers that drivers.sh unpacks need to be loaded.
ISOGRID_DRIVER_PACKAGES=(
    libvulkan1 libllvm15 libdrm2 libelf1 libexpat1 libstdc++6 libwayland-client0 libx11-xcb1
    libxcb-dri3-0 libxcb-present0 libxcb-randr0 libxcb-shm0 libxcb-sync1 libxcb-xfixes0 libxcb1
    libxshmfence1 libzstd1 zlib1g
)

# What the tests need besides.
ISOGRID_TEST_PACKAGES=(
    clang-14 libclang-rt-14-dev clang-format-14 glslang-tools
)

package_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# ensure_packages NAME...: installs those that are missing, and nothing where none is.
ensure_packages() {
    local missing=() name
    if ! command -v dpkg-query >/dev/null; then
        say "note: no dpkg here; assuming that these are installed under their names: $*"
        return
    fi
    for name in "$@"; do
        package_installed "$name" || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${#missing[@]} packages: ${missing[*]}"
    require_root apt-get install --no-install-recommends "${missing[@]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    local log
    log=$(mktemp)
    if ! as_root "${apt[@]}" update >"$log" 2>&1; then
        say "note: apt-get update had errors; going on with the package lists there are"
    fi
    if ! as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        rm -f "$log"
        die "apt-get could not install: ${missing[*]}"
    fi
    rm -f "$log"
}
