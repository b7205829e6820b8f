# contrib: what users copy: schema, completion, examples.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = contrib/bash-completion/egressfw
EXTRA_DIST += \
	contrib/count-tests contrib/demo contrib/install-packages contrib/packages contrib/test \
	contrib/examples/allowlist.json contrib/examples/exempt-users.json contrib/examples/no-network.json \
	contrib/examples/published-port.json contrib/examples/strict-loopback.json
EXTRA_DIST += contrib/package.mk contrib/debian/control contrib/debian/copyright contrib/debian/make-package
EXTRA_DIST += contrib/doctor.schema.json contrib/report.schema.json
EXTRA_DIST += contrib/policy.schema.json contrib/log.schema.json
