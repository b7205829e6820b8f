#!/bin/bash
# escapes_xt.sh: every way out of escapes.table again, closed by legacy xtables: after apply, in run, and strictly.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/net/escapes_rows.sh"
world_require
unshare -n iptables-legacy -nL >/dev/null 2>&1 || skip_all "this kernel has no legacy tables, or there is no iptables"
lock_options=(--backend xt)
try_worlds ${EGRESSFW_WORLDS:-apply run strict}
finish
