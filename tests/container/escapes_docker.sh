#!/bin/bash
# escapes_docker.sh: the ways out, tried inside a container of Docker.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin docker
. "$SRCDIR/tests/container/escapes.sh"
worlds=(${EGRESSFW_WORLDS:-none apply run})
street_begin "${worlds[@]}"
try_worlds "${worlds[@]}"
finish
