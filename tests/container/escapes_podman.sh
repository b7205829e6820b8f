#!/bin/bash
# escapes_podman.sh: the ways out, tried inside a container of Podman.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin podman
. "$SRCDIR/tests/container/escapes.sh"
worlds=(${EGRESSFW_WORLDS:-none apply run})
street_begin "${worlds[@]}"
try_worlds "${worlds[@]}"
finish
