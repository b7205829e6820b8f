#!/bin/bash
# published_xt.sh: the same as published.sh, by legacy xtables.
back_end=xt
. "${srcdir:-.}/tests/net/published.sh"
