# tests/fuzz/module.mk
include tests/fuzz/plan.mk
