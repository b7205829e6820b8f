# tests/bench/module.mk
