# contrib: what users copy: schema, completion, examples.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = contrib/bash-completion/egressfw
EXTRA_DIST += \
	contrib/count-tests contrib/demo contrib/install-packages contrib/packages contrib/test \
	contrib/examples/allowlist.json contrib/examples/exempt-users.json contrib/examples/no-network.json \
	contrib/examples/published-port.json contrib/examples/strict-loopback.json \
	contrib/examples/decisions
HARNESS = \
	contrib/harness/README contrib/harness/example.json contrib/harness/example.py \
	contrib/harness/egressfw_harness/__init__.py \
	contrib/harness/egressfw_harness/address_list.py \
	contrib/harness/egressfw_harness/destinations.py \
	contrib/harness/egressfw_harness/policy.py \
	contrib/harness/egressfw_harness/preflight.py \
	contrib/harness/egressfw_harness/program.py \
	contrib/harness/egressfw_harness/scope.py \
	contrib/harness/egressfw_harness/session.py \
	contrib/harness/egressfw_harness/walls.py \
	contrib/harness/tests/test_preflight.py \
	contrib/harness/tests/test_scope.py \
	contrib/harness/tests/test_session.py
EXTRA_DIST += $(HARNESS)
EXTRA_DIST += contrib/package.mk contrib/debian/control contrib/debian/copyright contrib/debian/make-package contrib/debian/prerm
EXTRA_DIST += contrib/doctor.schema.json contrib/report.schema.json
EXTRA_DIST += contrib/policy.schema.json contrib/log.schema.json contrib/log_summary.schema.json
EXTRA_DIST += \
	contrib/docker/Dockerfile contrib/docker/README contrib/docker/entrypoint contrib/docker/keeper \
	contrib/docker/policy.json contrib/compose/README contrib/compose/compose.yaml contrib/compose/filter.yaml \
	contrib/compose/policy.json \
	contrib/kubernetes/README contrib/kubernetes/filter-pod.yaml contrib/kubernetes/pod.yaml \
	contrib/systemd/README contrib/systemd/agent.service contrib/systemd/egressfilter.path \
	contrib/systemd/egressfilter.service contrib/systemd/egressfw.service contrib/systemd/supervised.conf
