#!/bin/bash
# strict_xt.sh: the same as strict.sh, by legacy xtables.
back_end=xt
. "${srcdir:-.}/tests/net/strict.sh"
