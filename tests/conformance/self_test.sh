#!/usr/bin/env bash
# Checks the runner of the conformance suite: failures, skips, crashes, hangs, digests, exit codes.
#     self_test.sh ISOGRID SELECTOR
set -uo pipefail

isogrid=$1 selector=$2 wrong=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ISOGRID_REQUIRE ISOGRID_DEVICE

# expect_exit CODE WHAT COMMAND...: its output goes to $work/out.
expect_exit() {
    local code=$1 what=$2 got=0
    shift 2
    timeout 120 "$@" >"$work/out" 2>&1 || got=$?
    if [ $got != "$code" ]; then
        echo "error: $what: exit code $got instead of $code"
        cat "$work/out"
        wrong=1
    fi
}

# expect_line PATTERN: an extended regular expression that a line of the output must match.
expect_line() {
    if ! grep -Eq -- "$1" "$work/out"; then
        echo "error: no line matches: $1"
        wrong=1
    fi
}

expect_exit 1 "suite self_test" "$isogrid" conform --device "$selector" --suite self_test --json "$work/json"
if grep -q 'on 0 devices' "$work/out"; then
    echo "no device '$selector'"
    exit 77
fi
expect_line 'self_test\.device_is_the_one_asked_for .* PASS$'
expect_line 'self_test\.passes +single\+split +7 syncs +06b05ab6733a6185 +[0-9.]+ s +PASS$'
expect_line 'self_test\.fails_a_check .* FAIL  self_test\.c:[0-9]+: isg_buffer_create.*INVALID_ARGUMENT'
expect_line "self_test\.fails_an_assertion .* FAIL  self_test\.c:[0-9]+: Assertion '1 \+ 1 == 3'"
expect_line 'self_test\.skips .* SKIP  a reason of two lines$'
expect_line 'self_test\.crashes .* FAIL  the process ended by signal 11 .* it printed: \? last é words$'
expect_line 'self_test\.leaves .* FAIL  the process ended before the case did$'
expect_line 'self_test\.hangs .* FAIL  no end within 2 s; the process was killed$'
expect_line 'self_test\.takes_its_time .* PASS$'
expect_line 'self_test\.host_expects_otherwise .* FAIL  digest 06b05ab6.*, the host computed '
expect_line 'self_test\.devices_differ .* PASS$'
expect_line 'self_test\.nan_is_nan .* PASS$'
expect_line 'self_test\.listed_as_unsupported .* SKIP  '
expect_line 'self_test\.listed_to_fail .* SKIP  fails as expected'
expect_line 'self_test\.listed_to_fail_and_passes .* FAIL  it passes, but'
expect_line '^5 passed, 7 failed, 3 skipped$'
if [ "$(grep -c '"status": "pass"' "$work/json")" != 5 ] ||
    [ "$(grep -c '"status": "fail"' "$work/json")" != 7 ] ||
    [ "$(grep -c '"status": "skip"' "$work/json")" != 3 ] ||
    ! grep -q '"driverInfo": ' "$work/json" || ! grep -q '"syncs": 7' "$work/json"; then
    echo "error: the JSON file has other results"
    wrong=1
fi

expect_exit 0 "one case" "$isogrid" conform --device "$selector" --case self_test.passes --suite self_test
expect_exit 77 "a skip alone" "$isogrid" conform --device "$selector" --suite self_test --case '*.skips'
expect_exit 77 "no such device" "$isogrid" conform --device "vulkan:no such device" --suite plan
expect_exit 2 "a selector that cannot be read" "$isogrid" conform --device "uuid:12" --suite plan
expect_exit 2 "an unknown suite" "$isogrid" conform --suite nothing
expect_line 'nothing'
expect_exit 2 "a case that matches nothing" "$isogrid" conform --case 'nothing.*'
expect_exit 2 "an unknown option" "$isogrid" conform --nothing
expect_exit 2 "a timeout of 0" "$isogrid" conform --timeout 0
expect_exit 2 "an argument too many" "$isogrid" conform buffer
expect_exit 1 "JSON that cannot be written" "$isogrid" conform --device "$selector" --suite self_test \
    --case '*.passes' --json /nonexistent/file.json
expect_exit 0 "--help" "$isogrid" conform --help
expect_line 'ISOGRID_REQUIRE'
expect_exit 0 "--list-suites" "$isogrid" conform --list-suites
expect_line '^reference$'
expect_exit 0 "--list" "$isogrid" conform --list
expect_line '^  reference\.three_routes$'

one=(--suite self_test --case '*.passes')
skip=(--suite self_test --case '*.skips')
expect_exit 0 "a requirement that is met" env "ISOGRID_REQUIRE=$selector" \
    "$isogrid" conform --device "$selector" "${one[@]}"
expect_exit 1 "a required device that is missing" env "ISOGRID_REQUIRE=$selector,vulkan:no such device" \
    "$isogrid" conform --device "$selector" "${one[@]}"
expect_line "ISOGRID_REQUIRE 'vulkan:no such device' is not met"
expect_exit 1 "a required device asked for in vain" env "ISOGRID_REQUIRE=vulkan:no such device" \
    "$isogrid" conform --device "vulkan:no such device" "${one[@]}"
expect_exit 1 "a required device on which nothing ran" env "ISOGRID_REQUIRE=$selector" \
    "$isogrid" conform --device "$selector" "${skip[@]}"
expect_line 'no case ran'
expect_exit 2 "a requirement that cannot be read" env "ISOGRID_REQUIRE=$selector+sideways" \
    "$isogrid" conform --device "$selector" "${one[@]}"
expect_exit 1 "no loader where a device is required" env "ISOGRID_REQUIRE=$selector" \
    ISOGRID_VULKAN_LOADER=/nonexistent/libvulkan.so.1 "$isogrid" conform "${one[@]}"
expect_exit 77 "no loader" env ISOGRID_VULKAN_LOADER=/nonexistent/libvulkan.so.1 \
    "$isogrid" conform "${one[@]}"
expect_line 'install'

[ $wrong = 0 ] && echo "the runner deals with all of it"
exit $wrong
