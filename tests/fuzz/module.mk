# tests/fuzz/module.mk
