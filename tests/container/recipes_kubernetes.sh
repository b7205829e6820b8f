#!/bin/bash
# recipes_kubernetes.sh: contrib/kubernetes: its fields by the published API, and its pod in Podman, which reads the format.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin podman
. "$SRCDIR/tests/container/core.sh"
. "$SRCDIR/tests/container/filter.sh"
recipe=$SRCDIR/contrib/kubernetes/pod.yaml
filter_recipe=$SRCDIR/contrib/kubernetes/filter-pod.yaml

# As the README has it.
log_container() { sed -n '/^    - name: log$/,$p' "$SRCDIR/contrib/kubernetes/README"; }

manifest_check() {
	/usr/bin/python3 "$SRCDIR/tests/container/check_manifest.py" "$1"
}
if /usr/bin/python3 -c 'import kubernetes, yaml' 2>/dev/null; then
	check "every field of the manifest is one of the API" manifest_check "$recipe"
	check "and of that with the filter" manifest_check "$filter_recipe"
	{ cat "$recipe"; log_container; } >"$WORLD/with-log.yaml"
	check "and of that with a container for the log" manifest_check "$WORLD/with-log.yaml"
	sed 's/allowPrivilegeEscalation/allowPrivilegeEscalations/' "$recipe" >"$WORLD/misspelt.yaml"
	deny "a misspelt one is noticed" manifest_check "$WORLD/misspelt.yaml"
	sed '/mountPath: \/policy/d' "$recipe" >"$WORLD/missing.yaml"
	deny "a missing one is noticed" manifest_check "$WORLD/missing.yaml"
	sed 's/runAsUser: 1000/runAsUser: "1000"/' "$recipe" >"$WORLD/mistyped.yaml"
	deny "one of another type is noticed" manifest_check "$WORLD/mistyped.yaml"
else
	skip "every field of the manifest is one of the API" "needs python3-kubernetes and python3-yaml"
fi

engine_usual
mkdir -p "$serve_images/debian/usr/local/sbin"
install -m 755 "$SRCDIR/contrib/docker/keeper" "$serve_images/debian/usr/local/sbin/keeper"
image_debian
core_policies
world_serve_far
engine tag egressfw-debian localhost/agent:latest
# This Podman knows no subPath: the hosts file is mounted by a container of the test's own, below.
manifest() {
	sed "s/\"registry.example.com\"/\"$1\"/; s|\[\"https://models.example.net/v1\"\]|[]|" "$recipe" |
		sed 's|mountPath: /etc/hosts|mountPath: /names|; /subPath: hosts/d'
}

{ manifest allowed.example.test:80; log_container; } >"$WORLD/pod.yaml"
check "the pod starts" engine play kube "$WORLD/pod.yaml"
engine cp "$ATTEMPT" agent-agent:/tmp/attempt
in_agent() { # NAME ARG...: attempts in a container by exec
	sed 's|/t/attempt|/tmp/attempt|' | engine exec -i "$1" /tmp/attempt --lines
}
sees "the agent's container" in_agent agent-agent <<-'END'
	tcp 203.0.113.80:80 connected
	tcp 203.0.113.80:443 ECONNREFUSED
	tcp 1.1.1.1:443 ECONNREFUSED
	udp 1.1.1.1:53 EPERM
	udp 203.0.113.53:53 EPERM
END
refusal_is_printed() {
	local tries
	for tries in $(seq 100); do
		engine logs agent-log 2>&1 | grep -q '"dest_ip":"1.1.1.1"' && return
		sleep 0.1
	done
	engine logs agent-log
	return 1
}
check "what is refused is printed by the container for the log" refusal_is_printed
status 0 "the agent's container has no capability" engine exec agent-agent grep -E '^(Uid|Cap...|NoNewPrivs):' /proc/self/status
same "it is the user, and gains nothing" \
	$'Uid: 1000 1000 1000 1000\nCapInh: 0\nCapPrm: 0\nCapEff: 0\nCapBnd: 0\nCapAmb: 0\nNoNewPrivs: 1' \
	"$(tr '\t' ' ' <"$WORLD/out" | sed -E 's/ 0+$/ 0/')"
deny "root in the agent's container cannot take the rules out" engine exec -u 0 agent-agent egressfw remove
check "the names are in the pod's hosts file" engine exec agent-agent grep -q '^203\.0\.113\.80 allowed\.example\.test' /names/hosts
names=$(engine volume inspect names --format '{{.Mountpoint}}' 2>/dev/null)
status 0 "mounted over /etc/hosts, it is where the agent looks" engine run --rm --pod agent --user 1000 \
	--cap-drop ALL -v "$names/hosts:/etc/hosts:ro" localhost/agent:latest \
	bash -c 'echo hello >/dev/tcp/allowed.example.test/80'
check "the pod ends" engine play kube --down "$WORLD/pod.yaml"
engine volume rm -f names >/dev/null 2>&1

manifest nowhere.example.test >"$WORLD/pod.yaml"
engine play kube "$WORLD/pod.yaml" >"$WORLD/out" 2>"$WORLD/err"
deny "a policy that cannot be applied: the agent's container does not run" engine exec agent-agent true
engine play kube --down "$WORLD/pod.yaml" >/dev/null 2>&1

# --- with the filter ----------------------------------------------------------------------------------

engine_has_filter || { skip "the pod with the filter" "this build has no egressfilter"; finish; }
filter_web
egress_is_ready() {
	local tries
	for tries in $(seq 100); do
		engine exec agent-egress sh -c 'test -e /run/keeper && egressfw verify --quiet' && return
		sleep 0.1
	done
	engine logs agent-egress
	return 1
}
sed 's/"\*.example.com"/"*.example.test:8000"/' "$filter_recipe" >"$WORLD/pod.yaml"
check "the pod with the filter starts" engine play kube "$WORLD/pod.yaml"
check "its container becomes ready, by its probe" egress_is_ready
same "the variables are those of env" \
	"$(engine exec agent-egress sh -c 'eval "$(egressfw env /etc/egressfw/policy.json)"; env' | grep -i proxy | sort)" \
	"$(engine exec agent-agent env | grep -i proxy | sort)"
status 0 "the filter: a name below the wildcard" engine exec agent-agent bash -c "$filter_page" allowed.example.test
says "the filter: is served" '^what is served'
status 0 "the filter: another name" engine exec agent-agent bash -c "$filter_page" secret.evil.test
says "the filter: is refused" '^HTTP/1\.1 403 '
engine cp "$ATTEMPT" agent-agent:/tmp/attempt
sees "the filter: past it" in_agent agent-agent <<-'END'
	tcp 203.0.113.80:8000 ECONNREFUSED
	udp 203.0.113.53:53 EPERM
END
check "the filter's container ends" engine stop -t 10 agent-egress
sees "without it" in_agent agent-agent <<-'END'
	tcp 127.0.0.1:3128 ECONNREFUSED
	tcp 203.0.113.80:8000 ECONNREFUSED
	udp 203.0.113.53:53 EPERM
END
finish
