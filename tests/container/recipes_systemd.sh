#!/bin/bash
# recipes_systemd.sh: contrib/systemd under a systemd of its own, as the first process of a container.
. "${srcdir:-.}/tests/container/engine.sh"
engine_begin podman
[ -x /lib/systemd/systemd ] || skip_all "needs systemd"
. "$SRCDIR/tests/container/core.sh"
engine_usual
core_policies
world_serve_far

image_systemd() {
	local tree=$serve_images/systemd unit
	debian_tree "$tree" $essential systemd
	image_users "$tree"
	grep -E '^(messagebus|systemd-|nobody)' /etc/passwd >>"$tree/etc/passwd"
	grep -vE '^(root|agent|other):' /etc/group >>"$tree/etc/group"
	mkdir -p "$tree/etc/egressfw" "$tree/etc/systemd/system/multi-user.target.wants" "$tree/home" "$tree/root" \
		"$tree/var/tmp" "$tree/usr/local/bin"
	echo 0123456789abcdef0123456789abcdef >"$tree/etc/machine-id"
	# What a container has no use for, and what would wait for a network.
	for unit in systemd-networkd-wait-online systemd-networkd systemd-udevd systemd-logind systemd-timesyncd; do
		ln -sf /dev/null "$tree/etc/systemd/system/$unit.service"
	done
	cp "$EGRESSFW" "$tree/usr/sbin/egressfw"
	cp "$WORLD/p/names.json" "$tree/etc/egressfw/policy.json"
	cp "$SRCDIR"/contrib/systemd/*.service "$tree/etc/systemd/system"
	ln -s ../egressfw.service "$tree/etc/systemd/system/multi-user.target.wants"
	cat >"$tree/usr/local/bin/agent" <<-'END'
		#!/bin/sh
		/t/attempt tcp 203.0.113.80:80
		/t/attempt tcp 1.1.1.1:443
		/t/attempt udp 1.1.1.1:53
		/t/attempt vsock 1.1.1.1:443
		/t/attempt ring-tcp 203.0.113.80:80
		grep -E '^(Uid|CapBnd|NoNewPrivs):' /proc/self/status
		echo done
		exec sleep 1000
	END
	chmod 755 "$tree/usr/local/bin/agent"
	engine_image egressfw-systemd "$tree"
}

# within SECONDS CMD...: until it succeeds
within() {
	local tries=0 limit=$(($1 * 5))
	shift
	until "$@"; do
		tries=$((tries + 1))
		[ "$tries" -lt "$limit" ] || return 1
		sleep 0.2
	done
}

image_systemd
engine run -d --name machine --systemd=always --cap-add NET_ADMIN --cap-add SYS_ADMIN "${usual[@]}" \
	egressfw-systemd /lib/systemd/systemd >/dev/null
check "egressfw.service becomes active" within 30 engine exec machine systemctl is-active egressfw
check "the units are without a fault" engine exec machine systemd-analyze verify --man=no egressfw.service agent.service
check "verify agrees" engine exec machine egressfw verify
same "the state is root's own" "700 0" "$(engine exec machine stat -c '%a %u' /run/egressfw)"
check "agent.service starts" engine exec machine systemctl start agent
agent_is_done() {
	engine exec machine journalctl -u agent -o cat --no-pager | grep -qx 'done'
}
within 20 agent_is_done
same "what the agent gets" \
	$'connected\nECONNREFUSED\nEPERM\nno-kernel\nENOSYS\nUid: 1500 1500 1500 1500\nCapBnd: 0000000000000000\nNoNewPrivs: 1' \
	"$(engine exec machine journalctl -u agent -o cat --no-pager | sed -nE 's/\t/ /g; s/^([A-Za-z-]+) [0-9]+$/\1/; /^(done|Started)/!p' |
		sed '/ - /d')"
check "reload applies anew" engine exec machine systemctl reload egressfw
check "stop" engine exec machine systemctl stop egressfw
same "stop takes the agent along" inactive "$(engine exec machine systemctl is-active agent)"
sees "after stop the rules are as they were" in_container 1500 machine /t/attempt --lines <<-'END'
	tcp 203.0.113.80:80 connected
	tcp 1.1.1.1:443 ECONNREFUSED
	udp 1.1.1.1:53 EPERM
END
engine exec machine sh -c 'echo "{ \"network_mode\": \"allowlist\", \"users\": [1500], \"allowed_host\": [] }" >/etc/egressfw/policy.json'
deny "with a policy that is wrong egressfw.service fails" engine exec machine systemctl start egressfw
deny "and agent.service is not started" engine exec machine systemctl start agent
sees "and the rules are still as they were" in_container 1500 machine /t/attempt --lines <<-'END'
	tcp 1.1.1.1:443 ECONNREFUSED
	udp 1.1.1.1:53 EPERM
END
finish
