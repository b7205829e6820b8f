#!/bin/bash
# escapes_docker.sh: the ways out, tried inside a container of Docker.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin docker
. "$SRCDIR/tests/container/escapes.sh"
street_begin
for world in ${EGRESSFW_WORLDS:-none apply run}; do try_world "$world"; done
print_table
finish
