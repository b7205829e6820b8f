#!/bin/bash
# loopback_xt.sh: the same as loopback.sh, by legacy xtables.
back_end=xt
. "${srcdir:-.}/tests/net/loopback.sh"
