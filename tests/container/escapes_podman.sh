#!/bin/bash
# escapes_podman.sh: the ways out, tried inside a container of Podman.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin podman
. "$SRCDIR/tests/container/escapes.sh"
street_begin
for world in ${EGRESSFW_WORLDS:-run}; do try_world "$world"; done
print_table
finish
