#!/usr/bin/env bash
# isogrid run: data, constants, plans, results; and what it refuses.
source "$2/lib.sh"
need_device
one=$here/add_one.comp
many=$here/many.comp

# Generated data, printing, digests.
run 0 run "$one" --device "$device" --grid 2 --bind 0.0=iota:u32:100 --print 0.0:u32:3 --repeat 3
says '^plan +single: '
says '^0\.0 u32: 1 2 3 \.\.\.$'
says '^digest +0\.0 [0-9a-f]{32}, 400 bytes$'
says '^time .*medians of 3 launches'
digest=$(sed -n 's/^digest *0\.0 \([0-9a-f]*\).*/\1/p' out)
run 0 run "$one" --device "$device" --grid 100 --bind 0=iota:u32:100
says "^digest +0\.0 $digest"
run 0 run "$one" --device "$device" --grid 1 --bind 0=values:i32:-1,7 --print 0:i32
says '^0\.0 i32: 0 8$'
run 0 run "$one" --device "$device" --grid 1 --bind 0=random:u32:2:5 --print 0
says '^0\.0 u32: [0-9]+ [0-9]+$'

# The generator of docs/cli.md: seed 1, two values of 32 bits.
expected=$(python3 - <<'END'
state, mask, values = 0x9E3779B97F4A7C15 | 1, 2**64 - 1, []
for _ in range(2):
    state ^= state << 13 & mask
    state ^= state >> 7
    state ^= state << 17 & mask
    values.append(str(((state >> 32) + 1) & 0xffffffff))
print(" ".join(values))
END
)
run 0 run "$one" --device "$device" --grid 1 --bind 0=random:u32:2 --print 0
says "^0\.0 u32: $expected\$"

# Files in and out.
printf '\1\0\0\0\377\377\377\377' >in.bin
run 0 run "$one" --device "$device" --grid 1 --bind 0=inout:in.bin
[ "$(od -An -tx1 in.bin | tr -d ' \n')" = 0200000000000000 ] || complain 'in.bin was not written back'
run 0 run "$one" --device "$device" --grid 1 --bind 0=out:out.bin:8
[ "$(od -An -tx1 out.bin | tr -d ' \n')" = 0100000001000000 ] || complain 'out.bin is wrong'
run 0 run "$one" --device "$device" --grid 1 --bind 0=file:in.bin --print 0
says '^0\.0 u32: 3 1$'
[ "$(od -An -tx1 in.bin | tr -d ' \n')" = 0200000000000000 ] || complain 'file: changed its file'

# Everything at once: y = ((x * 2 + 5 - 2 + 8) + 100), then + 0.25 * 4 + 100; and with constants.
all=(run "$many" --device "$device" -D FACTOR=4.0 --grid 16 --const 7=4 --bind 0.0=iota:f32:64
    --bind 0.1=zeros:256 --bind 1.2=values:f32:0,0,0,8 --push-u32 5 --push-f32 2 --push-i32 -2
    --print 0.1:f32:3)
run 0 "${all[@]}"
says '^plan +split: '
says 'grid sync'
says '^0\.1 f32: 111 113 115 '
run 0 "${all[@]}" --rounds 2 --const 3=0.25
says '^0\.1 f32: 212 214 216 '
run 0 "${all[@]}" --const 2=true --const 1=-7
says '^0\.1 f32: 4 6 8 '
run 0 "${all[@]}" --plan split
says '^plan +split: '
run 1 "${all[@]}" --plan cooperative
says '^plan +refused: '
warns 'refused'

# SPIR-V as it is; an empty grid.
run 0 compile "$one" -o one.spv
run 0 run one.spv --device "$device" --grid 0 --bind 0=zeros:4 --print 0
says '^0\.0 u32: 0$'

# A result that is not determined by the input is a failure. (SwiftShader has no clock.)
printf '%s\n' '#version 450' '#extension GL_EXT_shader_realtime_clock : require' \
    'layout(local_size_x = 1) in;' 'layout(binding = 0) buffer a_block { uvec2 a; };' \
    'void main() { a = clockRealtime2x32EXT(); }' >clock.comp
case $device in
*mesa*)
    run 1 run clock.comp --device "$device" --grid 1 --bind 0=zeros:8 --repeat 5
    warns 'launch 2 left other bytes in 0\.0'
    run 0 run clock.comp --device "$device" --grid 1 --bind 0=zeros:8
    ;;
esac

# Printing from a kernel, where the validation layer is there.
printf '%s\n' '#version 450' '#extension GL_EXT_debug_printf : require' 'layout(local_size_x = 1) in;' \
    'void main() { debugPrintfEXT("seven is %d", 7); }' >print.comp
run 0 run print.comp --device "$device" --grid 1
if [ -n "${VK_LAYER_PATH:-}" ] && [ -e "$VK_LAYER_PATH/VkLayer_khronos_validation.json" ]; then
    says '^printf .*seven is 7'
fi

# What the command line gets wrong.
base=(run "$one" --device "$device")
refuses 2 'cannot be read' run none.comp --grid 1
refuses 2 'cannot be read' run . --grid 1
refuses 2 'one kernel at a time' run --grid 1
refuses 2 'one kernel at a time' run "$one" "$one" --grid 1
refuses 2 'how many workgroups' "${base[@]}" --bind 0=zeros:4
for grid in '' x 1,2,3,4 -1 1,,1 4294967296 1.5 ' 1' 0x; do
    refuses 2 'is no grid' "${base[@]}" --bind 0=zeros:4 "--grid=$grid"
done
for bind in '' 0 0= 0=zeros 0=zeros: 0=zeros:x 0=zeros:0 0=zeros:-1 0=zeros:99999999999999999999 \
    0=zeros:17179869184G 0=zeros:1T 0=iota:u32 0=iota:u99:1 0=iota:u32:0 0=iota:u32:x 0=iota:u32:1:2 \
    0=iota:f64:2305843009213693952 0=random:f32 0=random:f32:4:x 0=random:f32:4:1:2 0=values:f32 \
    0=values:f32: 0=values:u8:256 0=values:i8:-129 0=values:u32:1,,2 0=values:u32:-1 0=file: \
    0=file:none 0=file:. 0=file:/dev/null 0=inout:none 0=out:x 0=out::4 0=out:x: 0=out:x:0 0=what:1 \
    x=zeros:4 0.x=zeros:4 1.2.3=zeros:4 -1=zeros:4 .=zeros:4 4294967296=zeros:4; do
    refuses 2 . "${base[@]}" --grid 1 --bind "$bind"
done
refuses 2 'given twice' "${base[@]}" --grid 1 --bind 0=zeros:4 --bind 0.0=zeros:4
refuses 2 'binding 0.0.* has no data' "${base[@]}" --grid 1
refuses 2 'there is no such --bind' "${base[@]}" --grid 1 --bind 0=zeros:4 --print 1.0
for print in '' x 0:u99 0:u32:x 0:u32:1:2; do
    refuses 2 . "${base[@]}" --grid 1 --bind 0=zeros:4 --print "$print"
done
for hex in '' 0 xx 0x 12g4 '1 '; do
    refuses 2 'no row of bytes' "${base[@]}" --grid 1 --bind 0=zeros:4 --push "$hex"
done
refuses 2 'is no' "${base[@]}" --grid 1 --bind 0=zeros:4 --push-u32 1,x
refuses 2 'is no number' "${base[@]}" --grid 1 --bind 0=zeros:4 --push-f32 one
refuses 2 'no constant 9' "${base[@]}" --grid 1 --bind 0=zeros:4 --const 9=1
refuses 2 'no ID=VALUE' "${base[@]}" --grid 1 --bind 0=zeros:4 --const 9
refuses 2 'no value of constant 2' "${all[@]}" --const 2=maybe
refuses 2 'no value of constant 1' "${all[@]}" --const 1=2147483648
refuses 2 'no number of rounds' "${base[@]}" --grid 1 --bind 0=zeros:4 --rounds 0
refuses 2 'no number of launches' "${base[@]}" --grid 1 --bind 0=zeros:4 --repeat x
refuses 2 "no plan 'best'" "${base[@]}" --grid 1 --bind 0=zeros:4 --plan best

# What the library refuses.
run 1 run "$one" --device 'no such device' --grid 1 --bind 0=zeros:4
warns 'no such device'
run 1 run "$one" --device vulkan:99 --grid 1 --bind 0=zeros:4
run 1 "${base[@]}" --grid 4294967295 --bind 0=zeros:4
warns 'ISG_ERROR_LIMIT_EXCEEDED'
run 1 "${base[@]}" --grid 1 --bind 0=zeros:4 --push 00
warns 'ISG_ERROR_INVALID_ARGUMENT'
run 1 "${base[@]}" --grid 1 --bind 0=zeros:4 --bind 1=zeros:4
warns 'ISG_ERROR_INVALID_ARGUMENT'
run 1 "${all[@]}" --const 7=0
run 1 "${all[@]}" --const 7=100000
run 1 "${base[@]}" --grid 1 --bind 0=out:none/x.bin:4
warns 'cannot be written'
printf 'not GLSL' >bad.comp
run 1 run bad.comp --grid 1
head -c 100 one.spv >cut.spv
refuses 1 'ISG_ERROR_INVALID_SPIRV' run cut.spv --grid 1
finish
