#!/usr/bin/env bash
# isogrid devices: text, JSON, and a machine without drivers.
source "$2/lib.sh"
need_device

run 0 devices
says '^vulkan:0  '
for key in driver type uuid memory workgroup grid buffers features floats 'grid sync'; do
    says "^    $key +[^ ]"
done

run 0 devices --json
checks=$((checks + 1))
python3 - <<'END' || complain 'isogrid devices --json: not as it should be'
import json

whole = json.load(open("out"))
assert whole["devices"], "no devices"
assert [b["name"] for b in whole["backends"]][:1] and all("reason" in b for b in whole["backends"])
for device in whole["devices"]:
    assert device["selector"].startswith(device["backend"] + ":")
    assert len(device["uuid"].replace("-", "")) == 32
    assert device["limits"]["max_push_size"] == 128
    assert device["limits"]["max_workgroup_invocations"] >= 128
    assert device["usable"] == (device["unusable"] == "")
    assert isinstance(device["features"], list) and device["memory_size"] > 0
    assert device["grid_sync"]["kind"] in ("none", "split", "resident")
END

# No driver: said, with what to install, and a failure.
printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "/none.so", "api_version": "1.3.0"}}' \
    >none.json
export VK_DRIVER_FILES=$PWD/none.json VK_ICD_FILENAMES=$PWD/none.json
run 1 devices
says '^no devices'
says '^vulkan: not available: .*[Ii]nstall'
run 1 devices --json
says '"available": false'
refuses 1 '[Ii]nstall' run "$here/add_one.comp" --grid 1 --bind 0=zeros:4
finish
