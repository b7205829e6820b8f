#!/bin/bash
# recipes_systemd_filter.sh: contrib/systemd with a policy that needs the filter, which apply starts, or which systemd does.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin podman
. "$SRCDIR/tests/container/systemd.sh"
engine_usual
core_policies
world_serve_far
policy wild <<<'{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["*.example.test:80"] }'
sed 's/example\.test/evil.test/' "$WORLD/p/wild.json" >"$WORLD/p/other.json"
image_systemd wild egressfilter
machine_begin

# asks HOST: what the agent is told when it wants to go there through the filter.
asks() {
	# shellcheck disable=SC2016 # the shell in there expands it
	machine timeout 20 setpriv --reuid 1500 --regid 1500 --clear-groups --inh-caps=-all bash -c '
		exec 3<>/dev/tcp/127.0.0.1/3128 || exit
		printf "CONNECT %s:80 HTTP/1.1\r\nHost: %s:80\r\n\r\n" "$1" "$1" >&3
		read -r version status rest <&3 && echo "$status"' bash "$1" 2>&1
}
agent_gets() { # NAME WHAT
	same "$1" "$2" "$(asks allowed.example.test) $(asks secret.evil.test)"
}
closed='bash: connect: Connection refused'
differs() { # NAME
	status 1 "$1: verify says so" machine egressfw verify
	says "$1: and what" 'filter-silent: .*nobody listens'
	same "$1: the agent gets nowhere" "$closed" "$(asks allowed.example.test | sed -n 's/.*\(bash: connect: .*\)/\1/p' | head -n 1)"
}

# --- apply starts it
main_filter() { machine cut -d ' ' -f 1 /run/egressfw/egressfw.filter; }
status 0 "verify" machine egressfw verify
agent_gets "the agent has what the policy says" "200 403"
pid=$(main_filter)
check "reload" machine systemctl reload egressfw
same "reload leaves the filter alone" "$pid" "$(main_filter)"
status 0 "verify after reload" machine egressfw verify
check "stop" machine systemctl stop egressfw
differs "stop ends the filter"
check "start" machine systemctl start egressfw
agent_gets "start starts it anew" "200 403"
status 0 "verify after start" machine egressfw verify

# --- systemd does
machine sh -c 'echo egressfilter:x:990:990::/nonexistent:/usr/sbin/nologin >>/etc/passwd; echo egressfilter:x:990: >>/etc/group'
machine mkdir -p /etc/systemd/system/egressfw.service.d
machine cp /etc/recipe/supervised.conf /etc/systemd/system/egressfw.service.d
machine systemctl daemon-reload
check "the units are without a fault" machine systemd-analyze verify --man=no egressfw.service egressfilter.service egressfilter.path
check "restart" machine systemctl restart egressfw
filter_pid() { machine systemctl show -P MainPID egressfilter; }
same "the filter is started" "active" "$(machine systemctl is-active egressfilter)"
same "as its user" "egressfilter" "$(machine stat -c %U "/proc/$(filter_pid)")"
same "apply's own is gone" "/proc/$(filter_pid)/comm" "$(machine sh -c 'grep -lx egressfilter /proc/[0-9]*/comm')"
status 0 "verify, of the supervised one" machine egressfw verify
agent_gets "the agent has what the policy says" "200 403"
same "the log is its own" "egressfilter 750" "$(machine stat -c '%U %a' /var/log/egressfilter)"
same "and has who asked" "1500" "$(machine cat /var/log/egressfilter/egressfw.log | grep '"host":"secret.evil.test"' |
	grep -o '"uid":[0-9]*' | cut -d : -f 2 | sort -u)"
pid=$(filter_pid)
check "reload" machine systemctl reload egressfw
same "reload leaves the filter alone" "$pid" "$(filter_pid)"
status 0 "verify after reload" machine egressfw verify
machine sh -c "kill -KILL $pid"
is_anew() { [ "$(filter_pid)" != "$pid" ] && [ "$(filter_pid)" != 0 ] && machine egressfw verify; }
check "one that dies is started again" within 20 is_anew
agent_gets "and answers" "200 403"
check "stop of the filter" machine systemctl stop egressfilter
differs "a filter that has ended"
check "its start" machine systemctl start egressfilter
status 0 "verify after its start" machine egressfw verify
check "stop and start of the rules" machine sh -c 'systemctl stop egressfw && systemctl start egressfw'
status 0 "verify after that" machine egressfw verify

# --- the agent's service, as its comment says
machine mkdir /etc/systemd/system/agent.service.d
machine sh -c '{ echo "[Service]"; echo ExecStart=; sed -n "s/^# ExecStart=/ExecStart=/p" /etc/systemd/system/agent.service; } \
	>/etc/systemd/system/agent.service.d/filter.conf
	printf "#!/bin/sh\nenv | grep -i ^https_proxy= | sort\nexec sleep 1000\n" >/usr/local/bin/agent; systemctl daemon-reload'
check "agent.service starts" machine systemctl start agent
agent_says() { machine journalctl -u agent -o cat --no-pager | grep '^[hH].*='; }
within 20 agent_says >"$WORLD/said"
same "and knows the filter" "HTTPS_PROXY=http://127.0.0.1:3128 https_proxy=http://127.0.0.1:3128" "$(agent_says | paste -sd ' ')"

# --- another policy
machine sh -c 'echo "{ }" >/etc/egressfw/policy.json'
pid=$(filter_pid)
deny "with a policy that is wrong egressfw.service fails" machine systemctl restart egressfw
same "and the filter goes on" "$pid" "$(filter_pid)"
agent_gets "with the policy from before" "200 403"
machine cp /p/wild.json /etc/egressfw/policy.json
check "with a good one it starts" machine systemctl start egressfw
machine cp /p/other.json /etc/egressfw/policy.json
deny "another policy is no reload" machine systemctl reload egressfw
agent_gets "after that the old one stands" "200 403"
check "it is a restart" machine systemctl restart egressfw
agent_gets "which gives the new one" "403 200"
status 0 "verify of the new one" machine egressfw verify
machine cp /p/names.json /etc/egressfw/policy.json
check "a policy that needs no filter" machine systemctl restart egressfw
same "ends it" "inactive" "$(machine systemctl is-active egressfilter)"
status 0 "verify without a filter" machine egressfw verify
sees "and the rules are the policy's" in_container 1500 machine /t/attempt --lines <<-'END'
	tcp 203.0.113.80:80 connected
	tcp 127.0.0.1:3128 ECONNREFUSED
	tcp 1.1.1.1:443 ECONNREFUSED
END
finish
