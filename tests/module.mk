# tests: unit tests (Check), and TAP tests that make their own network namespaces.
include tests/unit/base.mk
include tests/unit/policy.mk
include tests/unit/plan.mk
include tests/unit/kernel.mk
include tests/unit/system.mk
include tests/unit/run.mk
include tests/unit/doctor.mk
include tests/unit/filter_codec.mk
include tests/unit/cmd.mk
include tests/unit/filter.mk
include tests/golden/module.mk
include tests/net/module.mk
include tests/net/run.mk
include tests/container/module.mk
include tests/filter/module.mk
include tests/filter/http.mk
include tests/fuzz/module.mk
include tests/bench/module.mk

if ENABLE_TESTS
TESTS += tests/install.sh tests/deb.sh tests/harness.sh
endif
EXTRA_DIST += tests/install.sh tests/deb.sh tests/harness.sh
