# tests/container: the program in containers of real engines, which the tests start for themselves.
CONTAINER_TESTS = \
	tests/container/docker.sh \
	tests/container/escapes_bwrap.sh \
	tests/container/podman.sh \
	tests/container/podman_rootless.sh \
	tests/container/escapes_docker.sh \
	tests/container/escapes_gvisor.sh \
	tests/container/escapes_podman.sh \
	tests/container/recipes_docker.sh \
	tests/container/recipes_kubernetes.sh \
	tests/container/recipes_systemd.sh
if ENABLE_TESTS
TESTS += $(CONTAINER_TESTS)
if ENABLE_FILTER
TESTS += tests/container/recipes_systemd_filter.sh
endif
endif
EXTRA_DIST += $(CONTAINER_TESTS) \
	tests/container/check_manifest.py tests/container/core.sh tests/container/debian.sh tests/container/engine.sh \
	tests/container/escapes.sh tests/container/escapes_gvisor.table \
	tests/container/filter.sh tests/container/recipes_systemd_filter.sh tests/container/systemd.sh
