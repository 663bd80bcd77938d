#!/usr/bin/env bash
# isogrid inspect: every field, JSON, and modules that are refused.
source "$2/lib.sh"
run 0 compile "$here/many.comp" -o many.spv -D FACTOR=4.0 -g

run 0 inspect many.spv
says '^entry +main$'
says '^workgroup +1 x 1 x 1, x by constant 7$'
says '^sync class +phased, 2 phases, reads the round$'
says '^push constants +12 bytes$'
says '^  0\.0 +storage buffer +read +0 bytes \+ 4 an element'
says '^  0\.1 +storage buffer +read-write +0 bytes \+ 4 an element'
says '^  1\.2 +uniform buffer +read +16 bytes'
says '^  1 +int32 = -3'
says '^  2 +bool32 = false'
says '^  3 +float32 = 0\.5'
says '^portable bits +yes$'

run 0 inspect many.spv --json
checks=$((checks + 1))
python3 - <<'END' || complain 'isogrid inspect --json: not as it should be'
import json

info = json.load(open("out"))
assert info["entry"] == "main" and info["sync_class"] == "phased" and info["phase_count"] == 2
assert info["workgroup_size_ids"] == [7, None, None]
assert [(b["set"], b["binding"], b["access"]) for b in info["bindings"]] == [
    (0, 0, "read"), (0, 1, "read-write"), (1, 2, "read")]
assert [c["id"] for c in info["constants"]] == [1, 2, 3, 7]
assert info["push_size"] == 12 and info["portable_bits"] and info["portable_reasons"] == []
END

refuses 2 'cannot be read' inspect none.spv
refuses 2 'one module at a time' inspect
refuses 2 'one module at a time' inspect many.spv many.spv
refuses 1 'nothing' inspect many.spv --entry nothing
: >empty.spv
refuses 1 'empty.spv' inspect empty.spv
head -c 4096 /dev/zero >zeros.spv
refuses 1 'ISG_ERROR_INVALID_SPIRV' inspect zeros.spv
printf 'hello' >text.spv
refuses 1 'text.spv' inspect text.spv

# A module that ends early is refused, or accepted, but never more than that.
size=$(stat -c %s many.spv)
for ((length = 4; length < size; length += size / 60 / 4 * 4 + 4)); do
    head -c $length many.spv >cut.spv
    refuses 1 'ISG_ERROR' inspect cut.spv
done
finish
