# Counting what a CTest run did, case by case.

# count_cases JUNIT CASES_FOLDER: prints "passed failed skipped" summed over the entries in CTest's
# JUnit file. A conformance entry counts the cases of its JSON file, a Check program those it
# reports, every other entry itself. An entry that failed counts at least one failure, and one that
# was skipped or whose program could not be run is never counted as passed.
count_cases() {
    local junit=$1 cases=$2 name status checks bad json p f s
    local passed=0 failed=0 skipped=0
    while IFS=$'\t' read -r name status checks bad; do
        json=$cases/$name.json
        p=0 f=0 s=0
        if [ -s "$json" ]; then
            p=$(count_status "$json" pass)
            f=$(count_status "$json" fail)
            s=$(count_status "$json" skip)
        elif [ "$checks" != - ]; then
            p=$((checks - bad)) f=$bad
        fi
        case $status in
        run)
            # A suite that says it passed but names no case has shown nothing.
            if [ $((p + f + s)) = 0 ]; then
                case $name in conformance.*.*) f=1 ;; *) p=1 ;; esac
            fi
            ;;
        skipped) [ $s -gt 0 ] || s=1 ;;
        *) [ $f -gt 0 ] || f=1 ;;
        esac
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    done < <(junit_entries "$junit")
    printf '%d %d %d\n' $passed $failed $skipped
}

# count_status JSON STATUS: how many cases of the file ended so.
count_status() {
    { grep -oE "\"status\": *\"$2\"" "$1" || true; } | wc -l
}

# junit_entries JUNIT: a line an entry: name, status (run, skipped, or fail), and the sums of
# Check's "Checks: N, Failures: N, Errors: N" (- where there is none), parted by tabs.
junit_entries() {
    awk '
        function flush() {
            if (name != "")
                printf "%s\t%s\t%s\t%s\n", name, status, checks, bad
            name = ""
        }
        /<testcase / {
            flush()
            name = $0; sub(/.* name="/, "", name); sub(/".*/, "", name)
            status = $0; sub(/.* status="/, "", status); sub(/".*/, "", status)
            if (status != "run") status = "fail"
            checks = "-"; bad = "-"
        }
        /<skipped message="SKIP_RETURN_CODE/ { status = "skipped" }
        /Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+/ {
            split($0, part, /(Checks|, Failures|, Errors): /)
            checks = (checks == "-" ? 0 : checks) + part[2]
            bad = (bad == "-" ? 0 : bad) + part[3] + part[4]
        }
        END { flush() }
    ' "$1"
}
