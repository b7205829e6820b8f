# tests/fuzz/module.mk
include tests/fuzz/plan.mk
include tests/fuzz/resolver.mk
include tests/fuzz/policy.mk
include tests/fuzz/kernel.mk
include tests/fuzz/doctor.mk
include tests/fuzz/filter.mk
