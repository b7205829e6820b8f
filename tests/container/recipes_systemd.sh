#!/bin/bash
# recipes_systemd.sh: contrib/systemd under a systemd of its own, as the first process of a container.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin podman
. "$SRCDIR/tests/container/systemd.sh"
engine_usual
core_policies
world_serve_far

image_systemd names
machine_begin
check "the units are without a fault" machine systemd-analyze verify --man=no egressfw.service agent.service
check "verify agrees" machine egressfw verify
same "the state is root's own to write" "711 0" "$(machine stat -c '%a %u' /run/egressfw)"
check "agent.service starts" machine systemctl start agent
agent_is_done() {
	machine journalctl -u agent -o cat --no-pager | grep -qx 'done'
}
within 20 agent_is_done
same "what the agent gets" \
	$'connected\nECONNREFUSED\nEPERM\nno-kernel\nENOSYS\nUid: 1500 1500 1500 1500\nCapBnd: 0000000000000000\nNoNewPrivs: 1' \
	"$(machine journalctl -u agent -o cat --no-pager | sed -nE 's/\t/ /g; s/^([A-Za-z-]+) [0-9]+$/\1/; /^(done|Started)/!p' |
		sed '/ - /d')"
check "reload applies anew" machine systemctl reload egressfw
check "stop" machine systemctl stop egressfw
same "stop takes the agent along" inactive "$(machine systemctl is-active agent)"
sees "after stop the rules are as they were" in_container 1500 machine /t/attempt --lines <<-'END'
	tcp 203.0.113.80:80 connected
	tcp 1.1.1.1:443 ECONNREFUSED
	udp 1.1.1.1:53 EPERM
END
machine sh -c 'echo "{ \"network_mode\": \"allowlist\", \"users\": [1500], \"allowed_host\": [] }" >/etc/egressfw/policy.json'
deny "with a policy that is wrong egressfw.service fails" machine systemctl start egressfw
deny "and agent.service is not started" machine systemctl start agent
sees "and the rules are still as they were" in_container 1500 machine /t/attempt --lines <<-'END'
	tcp 1.1.1.1:443 ECONNREFUSED
	udp 1.1.1.1:53 EPERM
END
finish
