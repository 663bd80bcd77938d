# What every script of tools/ starts with: where the project is, how to speak, how to become root.

set -euo pipefail

ISOGRID_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
ISOGRID_DRIVERS=$ISOGRID_ROOT/.drivers

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "error: $*"
    exit 1
}

# require_root COMMAND...: stops, with what to do, where this command cannot be run as root.
require_root() {
    if [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; }; then
        return 0
    fi
    say "error: this needs root, and neither root nor sudo is at hand. As root, run:"
    say "    $*"
    say "and start this command again."
    exit 1
}

# as_root COMMAND...: runs it as root, through sudo where needed.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}
