#!/bin/bash
# escapes.sh: every way out of escapes.table: without rules, with naive ones, after apply, in run, strictly.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/net/escapes_rows.sh"
world_require

# EGRESSFW_WORLDS narrows the set-ups, for those who look for something.
try_worlds ${EGRESSFW_WORLDS:-none naive apply run strict}
finish
