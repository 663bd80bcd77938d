# Helpers of the command's tests. A script is called as: NAME.sh ISOGRID THIS_FOLDER SCRATCH_FOLDER
set -uo pipefail

isogrid=$1
here=$2
scratch=$3
failures=0
checks=0
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1

complain() {
    failures=$((failures + 1))
    echo "FAILED: $*"
    echo "  stdout:" && sed 's/^/    /' out
    echo "  stderr:" && sed 's/^/    /' err
}

# run CODE ARGUMENT...: isogrid must exit with CODE; its output is in the files out and err.
run() {
    local wanted=$1 code=0
    shift
    command_line="isogrid $*"
    checks=$((checks + 1))
    timeout 120 "$isogrid" "$@" >out 2>err || code=$?
    [ "$code" = "$wanted" ] || complain "$command_line: exit code $code, not $wanted"
}

# says PATTERN, warns PATTERN: the last run's output, or its messages, must match.
says() {
    checks=$((checks + 1))
    grep -qE -- "$1" out || complain "$command_line: standard output lacks '$1'"
}

warns() {
    checks=$((checks + 1))
    grep -qE -- "$1" err || complain "$command_line: standard error lacks '$1'"
}

# refuses CODE PATTERN ARGUMENT...: exits with CODE, says nothing, and explains itself in one line.
refuses() {
    local code=$1 pattern=$2
    shift 2
    run "$code" "$@"
    warns "$pattern"
    [ ! -s out ] || [ "$code" = 1 ] || complain "$command_line: it printed before it refused"
    [ "$(wc -l <err)" = 1 ] || complain "$command_line: not one line of explanation"
}

# Sets `device` to a device that can be opened. Without any the script is skipped; the conformance
# suites of the drivers fail where one must be there.
need_device() {
    for device in 'vulkan:mesa 25' 'vulkan:mesa 22' vulkan:swiftshader auto; do
        "$isogrid" run "$here/add_one.comp" --grid 1 --bind 0=zeros:256 --device "$device" \
            >out 2>err && return
    done
    echo "skipped, no device: $(cat err)"
    exit 77
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" = 0 ] || exit 1
    exit 0
}
