#!/usr/bin/env bash
# The command line as such: help, version, and what is no command.
source "$2/lib.sh"

run 2
warns '^usage: isogrid COMMAND'
for help in --help -h help; do
    run 0 $help
    says '^usage: isogrid COMMAND'
done
run 0 --version
says '^isogrid [0-9]+\.[0-9]+\.[0-9]+$'
for name in devices compile inspect run bench conform; do
    run 0 $name --help
    says "^usage: isogrid $name"
    run 0 help $name
    says "^usage: isogrid $name"
    refuses 2 'no-such-option' $name --no-such-option
done
refuses 2 "no command 'frobnicate'" frobnicate
refuses 2 "no command 'frobnicate'" help frobnicate
refuses 2 "no command ''" ''
refuses 2 "no command '--frob'" --frob
refuses 2 'one argument too many' devices more

# A full disk is an error.
if [ -e /dev/full ]; then
    checks=$((checks + 1))
    "$isogrid" --help >/dev/full 2>err && : >out && complain 'isogrid --help >/dev/full: exit code 0'
fi
finish
