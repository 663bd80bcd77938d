#!/usr/bin/env bash
# isogrid bench: that every benchmark runs and reports; its figures are not judged here.
source "$2/lib.sh"

run 0 bench --list
names=$(cat out)
refuses 2 'one benchmark at a time' bench
refuses 2 "no benchmark 'none'" bench none
refuses 2 'no number of measurements' bench submit --iterations 0
need_device
for name in $names; do
    run 0 bench "$name" --device "$device" --iterations 2 --json "$name.json"
    says '^ratio [0-9]+\.[0-9]+  '
    checks=$((checks + 1))
    python3 - "$name" <<'END' || complain "isogrid bench $name --json: not as it should be"
import json, sys

whole = json.load(open(sys.argv[1] + ".json"))
assert whole["bench"] == sys.argv[1] and whole["tables"]
for table in whole["tables"]:
    who = {series["who"] for series in table["series"]}
    assert {"isogrid", "peer"} <= who and table["ratios"] and table["measurements"] == 2
    assert all(series["median_us"] > 0 for series in table["series"])
END
done
refuses 1 'cannot be written' bench submit --device "$device" --iterations 1 --json none/x.json
finish
