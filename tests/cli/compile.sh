#!/usr/bin/env bash
# isogrid compile: what compiles, what does not, and where the messages point.
source "$2/lib.sh"

run 0 compile "$here/add_one.comp" -o one.spv
[ "$(head -c 4 one.spv | od -An -tx1 | tr -d ' ')" = 03022307 ] || complain 'one.spv is no SPIR-V'
for target in vulkan1.1:3 vulkan1.2:5 vulkan1.3:6; do
    run 0 compile "$here/add_one.comp" -o target.spv --target ${target%:*}
    run 0 inspect target.spv
    says "^SPIR-V +1\.${target#*:}\$"
done
run 0 compile "$here/add_one.comp" -o debug.spv -g
[ "$(stat -c %s debug.spv)" -gt "$(stat -c %s one.spv)" ] || complain '-g added nothing'

# The device library, a folder of one's own, macros.
run 0 compile "$here/many.comp" -o many.spv -D FACTOR=4.0
cp "$here/many.comp" moved.comp
run 1 compile moved.comp -o moved.spv -D FACTOR=4.0
warns 'many_part.glsl'
run 0 compile moved.comp -o moved.spv -I "$here" -D FACTOR=4.0
run 1 compile "$here/many.comp" -o many.spv
warns "many_part\.glsl:2: error: .*FACTOR"
[ ! -e no.spv ] || complain 'a failed compile left a file'

printf '#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    uint x = 1.5;\n}\n' >bad.comp
run 1 compile bad.comp -o no.spv
warns '^bad\.comp:4: error: '
warns "'bad.comp' does not compile"
[ ! -e no.spv ] || complain 'a failed compile left a file'
printf '#version 450\nvoid main() {}\n#error stop here\n' >error.comp
run 1 compile error.comp -o no.spv
warns '^error\.comp:3: error: .*stop here'

refuses 2 "'none.comp' cannot be read" compile none.comp -o no.spv
refuses 2 'cannot be read' compile . -o no.spv
refuses 2 'with -o' compile "$here/add_one.comp"
refuses 2 'one kernel at a time' compile -o no.spv
refuses 2 'one kernel at a time' compile a b -o no.spv
refuses 2 "no target 'vulkan9'" compile "$here/add_one.comp" -o no.spv --target vulkan9
refuses 2 'SPIR-V already' compile one.spv -o no.spv
refuses 1 'cannot be written' compile "$here/add_one.comp" -o none/no.spv
: >empty.comp
refuses 1 'neither SPIR-V nor text' compile empty.comp -o no.spv
head -c 1000 /dev/zero >zeros.comp
refuses 1 'neither SPIR-V nor text' compile zeros.comp -o no.spv
finish
