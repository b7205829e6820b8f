# core.sh: what must hold in every engine; sourced by docker.sh and podman.sh after engine_begin.
# shellcheck shell=bash
. "$SRCDIR/tests/net/dns.sh"

core_policies() {
	policy none <<<'{ "network_mode": "no-network", "users": [1500] }'
	policy other <<<'{ "network_mode": "no-network", "users": [1501] }'
	policy both <<<'{ "network_mode": "no-network", "users": [1500, 1501] }'
	policy named <<<'{ "network_mode": "no-network", "users": ["agent"] }'
	policy unsaid <<<'{ "network_mode": "no-network" }'
	policy addresses <<<'{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["203.0.113.80:443"] }'
	policy names <<-'END'
		{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["allowed.example.test:80"] }
	END
	policy second <<-'END'
		{ "network_mode": "allowlist", "users": [1501], "allowed_hosts": ["second.example.test:80"] }
	END
	dns_script <<-'END'
		allowed.example.test A 203.0.113.80
		allowed.example.test AAAA 2001:db8:1::80
		second.example.test A 203.0.113.90
		second.example.test AAAA 2001:db8:1::90
		secret.evil.test A 203.0.113.66
	END
}

# What there is to reach: a network with names and both families, and a container there that answers.
core_network() {
	engine network create --ipv6 --subnet 10.77.0.0/24 --subnet 2001:db8:77::/64 inner >/dev/null
	engine run -d --name peer --network inner --ip 10.77.0.99 "${usual[@]}" egressfw-busybox \
		/t/far tcp/::/80 udp/::/53 >/dev/null
}

core_begin() {
	engine_usual
	far ip -6 route add 2001:db8:77::/64 via 2001:db8::2
	world_serve_far
	image_empty
	image_busybox
	image_debian
	core_policies
	core_network
	same "the runtime is runc" runc "$(engine inspect --format "$engine_runtime" peer)"
	# An ordinary user's Podman routes nothing but IPv4 from such a network.
	inner6=connected
	[ -z "$engine_user" ] || inner6=ENETUNREACH
	inner=(--network inner "${usual[@]}")
	locked=(--cap-add NET_ADMIN "${inner[@]}")
	# For what is refused before any network matters: making one takes most of a container's time.
	alone=(--network none "${usual[@]}")
	attempts=(/t/attempt --lines)
}

# starts NAME OPTION... IMAGE CMD...: a container in the background; it has said "ready" when this returns.
starts() {
	local name=$1 tries=0
	shift
	engine run -d --name "$name" "$@" >/dev/null 2>"$WORLD/err" || {
		not_ok "$name starts" "$(cat "$WORLD/err")"
		return 1
	}
	until engine logs "$name" 2>&1 | grep -qx ready; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { not_ok "$name becomes ready" "$(engine logs "$name" 2>&1 | tail)"; return 1; }
		sleep 0.05
	done
}
waits=(sh -c 'echo ready; exec sleep 1000')

gone() {
	engine rm -f -t 0 "$@" >/dev/null 2>&1 || engine rm -f "$@" >/dev/null
}

# in_container UID CONTAINER CMD...
in_container() {
	local uid=$1 name=$2
	shift 2
	engine exec -i -u "$uid" "$name" "$@"
}

# What debootstrap made, whole.
core_debian() {
	local package
	status 0 "the image of Debian" engine run --rm "${alone[@]}" egressfw-debian \
		sh -c 'dpkg --audit; cat /etc/debian_version; dpkg-query -W -f "\${db:Status-Abbrev} \${Package}\n"'
	same "it is of this machine's version, and no package is half there" "$(cat /etc/debian_version)" \
		"$(grep -v '^ii ' "$WORLD/out")"
	for package in libc6 apt dpkg base-files; do says "it has $package" "^ii +$package\$"; done
}

# --- the entry point ----------------------------------------------------------------------------------

core_run() {
	# Podman gives ping sockets to root's group alone.
	local ping=EPERM
	[ "$engine_name" = docker ] || ping=EACCES
	sees "without us" engine run --rm -i -u 1500 "${inner[@]}" egressfw-busybox "${attempts[@]}" <<-END
		tcp 1.1.1.1:443 connected
		tcp [2606:4700:4700::1111]:443 $inner6
		udp 1.1.1.1:53 answered
		tcp 10.77.0.99:80 connected
		udp 10.77.0.99:53 answered
	END
	sees "run" engine run --rm -i "${locked[@]}" egressfw-busybox \
		egressfw run /p/none.json -- "${attempts[@]}" <<-END
			tcp 1.1.1.1:443 ECONNREFUSED
			tcp [2606:4700:4700::1111]:443 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
			udp [2606:4700:4700::1111]:53 EPERM
			tcp 10.77.0.99:80 ECONNREFUSED
			udp 10.77.0.99:53 EPERM
			ping 1.1.1.1:0 $ping
			tcp 127.0.0.11:53 ECONNREFUSED
			udp 127.0.0.11:53 EPERM
		END
	sees "in an image with nothing else" engine run --rm -i "${locked[@]}" egressfw-empty \
		/egressfw run --quiet --user 1500 /p/unsaid.json -- "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
		END
	sees "in an image of Debian" engine run --rm -i "${locked[@]}" egressfw-debian \
		egressfw run --quiet /p/named.json -- "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
		END
	status 7 "run hands its program's status on" engine run --rm --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		egressfw run --quiet /p/none.json -- sh -c 'exit 7'
	status 0 "case_E4: run's program in a container" engine run --rm --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		egressfw run --quiet /p/none.json -- grep -E '^(Uid|Groups|Cap...|NoNewPrivs|Seccomp):' /proc/self/status
	same "case_E4: is the user, without any capability, for good" \
		$'Uid: 1500 1500 1500 1500\nGroups: 1500 \nCapInh: 0\nCapPrm: 0\nCapEff: 0\nCapBnd: 0\nCapAmb: 0\nNoNewPrivs: 1\nSeccomp: 2' \
		"$(tr '\t' ' ' <"$WORLD/out" | sed -E 's/ 0+$/ 0/')"
	status 125 "run without NET_ADMIN" engine run --rm "${alone[@]}" egressfw-busybox \
		egressfw run /p/none.json -- sh -c 'echo started'
	says "names the capability" 'CAP_NET_ADMIN'
	says_not "and starts nothing" '^started'
	status 125 "run without SETPCAP" engine run --rm --cap-drop SETPCAP --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		egressfw run /p/none.json -- sh -c 'echo started'
	says "names that one" 'CAP_SETPCAP'
	check "four capabilities are enough" engine run --rm --cap-drop ALL --cap-add SETUID --cap-add SETGID \
		--cap-add SETPCAP --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox egressfw run /p/none.json -- sh -c 'exit 0'
}

core_apply() {
	sees "apply, then setpriv" engine run --rm -i "${locked[@]}" egressfw-debian bash -c '
		egressfw apply --quiet /p/named.json || exit
		exec setpriv --reuid agent --regid agent --clear-groups \
			--inh-caps=-all --bounding-set=-all --no-new-privs -- "$@"' bash "${attempts[@]}" <<-'END'
				tcp 1.1.1.1:443 ECONNREFUSED
				tcp [2606:4700:4700::1111]:443 ECONNREFUSED
				udp 1.1.1.1:53 EPERM
				tcp 10.77.0.99:80 ECONNREFUSED
				udp 127.0.0.11:53 EPERM
			END
	check "apply leaves the others alone" engine run --rm "${locked[@]}" egressfw-debian bash -c '
		egressfw apply --quiet /p/named.json && /t/attempt tcp 1.1.1.1:443 && /t/attempt --uid 1501 udp 1.1.1.1:53'
}

# PID 1: signals, orphans, status.
core_init() {
	starts first --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox egressfw run --quiet --init /p/none.json -- \
		sh -c 'sleep 1000 & echo ready; wait'
	engine stop -t 20 first >/dev/null
	same "run --init as the first process passes the signal to end on" 143 \
		"$(engine inspect --format '{{.State.ExitCode}}' first)"
	gone first
	status 9 "run --init as the first process ends with its program, orphans or not" engine run --rm \
		--cap-add NET_ADMIN "${alone[@]}" egressfw-busybox egressfw run --quiet --init /p/none.json -- \
		sh -c 'sh -c "sleep 1000 &"; exit 9'
}

# --- names --------------------------------------------------------------------------------------------

# hosts_blocks CONTAINER: how many marked blocks, and the lines of the name
hosts_blocks() {
	in_container 0 "$1" cat /etc/hosts | awk '
		/^# egressfw begin/ { begin++ } /^# egressfw end/ { end++ } $2 == "allowed.example.test" { print $1 }
		END { print "blocks " begin + 0 " " end + 0 }'
}
hosts_wanted=$'203.0.113.80\n2001:db8:1::80\nblocks 1 1'

# What the resolver has to say by TCP about allowed.example.test.
answer_over_tcp() {
	status 0 "root asks the resolver by TCP, too" in_container 0 agent sh -c '
		printf "\0\046\021\021\1\0\0\1\0\0\0\0\0\0\7allowed\7example\4test\0\0\1\0\1" |
			nc -w 5 127.0.0.11 53 | tail -c 4 | busybox od -A n -t u1'
	says "and gets the same answer" '^ *203 +0 +113 +80$'
}

core_names() {
	# That of Podman has no TCP.
	local resolver=127.0.0.11:53 over_tcp=connected
	[ "$engine_name" = docker ] || { resolver=10.77.0.1:53 over_tcp=ECONNREFUSED; }
	starts agent "${locked[@]}" egressfw-busybox egressfw run --quiet /p/names.json -- "${waits[@]}"
	check "the hosts file is a mount of the engine's" in_container 0 agent grep -q ' /etc/hosts ' /proc/self/mountinfo
	same "names are pinned in it" "$hosts_wanted" "$(hosts_blocks agent)"
	sees "an allowed name" in_container 1500 agent "${attempts[@]}" <<-END
		tcp 203.0.113.80:80 connected
		tcp [2001:db8:1::80]:80 $inner6
		tcp 203.0.113.80:443 ECONNREFUSED
		tcp 203.0.113.81:80 ECONNREFUSED
		udp 203.0.113.80:80 EPERM
		tcp 10.77.0.99:80 ECONNREFUSED
		udp $resolver EPERM
		tcp $resolver ECONNREFUSED
		udp 203.0.113.53:53 EPERM
	END
	status 0 "the user finds the name, and is answered there" in_container 1500 agent \
		sh -c 'echo hello | nc -w 5 allowed.example.test 80 | grep -x hello'
	deny "but asks no resolver" in_container 1500 agent nslookup secret.evil.test
	deny "nor finds its neighbours by name" in_container 1500 agent sh -c 'echo x | nc -w 5 peer 80'
	deny "no question left the machine" grep -q evil "$WORLD/questions"
	status 0 "root asks the resolver" in_container 0 agent nslookup allowed.example.test
	says "and gets an answer" '203\.0\.113\.80'
	sees "root" in_container 0 agent "${attempts[@]}" <<-END
		tcp $resolver $over_tcp
	END
	[ "$engine_name" = podman ] || answer_over_tcp
	check "root finds the neighbours" in_container 0 agent nslookup peer
	check "another user asks the resolver" in_container 1501 agent nslookup second.example.test
	status 0 "verify agrees" in_container 0 agent egressfw verify --state-dir /run/egressfw /p/names.json
	check "the container restarts" engine restart -t 0 agent
	ready_again agent
	same "case_B4: after a restart there is one block again" "$hosts_wanted" "$(hosts_blocks agent)"
	sees "after a restart" in_container 1500 agent "${attempts[@]}" <<-'END'
		tcp 203.0.113.80:80 connected
		tcp 1.1.1.1:443 ECONNREFUSED
		udp 1.1.1.1:53 EPERM
	END
}

ready_again() {
	local tries=0
	until [ "$(engine logs "$1" 2>&1 | grep -cx ready)" -ge 2 ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { not_ok "$1 becomes ready again" "$(engine logs "$1" 2>&1 | tail)"; return 1; }
		sleep 0.05
	done
}

# A second network is one more interface, and one more line that the engine writes into the hosts file.
core_connect() {
	local kept=$hosts_wanted
	# Podman takes comments out with the line.
	[ "$engine_name" = docker ] || kept=${hosts_wanted/1 1/0 0}
	engine network create --subnet 10.78.0.0/24 further >/dev/null
	engine run -d --name further-peer --network further --ip 10.78.0.99 "${usual[@]}" egressfw-busybox \
		/t/far tcp/::/80 >/dev/null
	starts moved "${locked[@]}" egressfw-busybox egressfw run --quiet /p/names.json -- "${waits[@]}"
	check "network connect" engine network connect further moved
	sees "after network connect" in_container 1500 moved "${attempts[@]}" <<-'END'
		tcp 203.0.113.80:80 connected
		tcp 10.78.0.99:80 ECONNREFUSED
		tcp 1.1.1.1:443 ECONNREFUSED
		udp 127.0.0.11:53 EPERM
	END
	sees "after network connect, root" in_container 0 moved "${attempts[@]}" <<-'END'
		tcp 10.78.0.99:80 connected
	END
	same "after network connect the names are in the hosts file" "$hosts_wanted" "$(hosts_blocks moved)"
	check "after network connect the new line is there too" in_container 0 moved grep -q '^10\.78\.0\.' /etc/hosts
	check "network disconnect" engine network disconnect further moved
	same "after network disconnect the names are in the hosts file" "$kept" "$(hosts_blocks moved)"
	check "after all that verify agrees" in_container 0 moved egressfw verify /p/names.json
	gone moved further-peer
}

# --- nobody else's rules ------------------------------------------------------------------------------

core_foreign() {
	local before
	starts plain "${locked[@]}" egressfw-busybox "${waits[@]}"
	before=$(foreign_container_rules plain)
	check "case_E2: apply" in_container 0 plain egressfw apply /p/names.json
	same "case_E2: the engine's own rules are as they were" "$before" "$(foreign_container_rules plain)"
	check "case_E2: apply again" in_container 0 plain egressfw apply /p/none.json
	same "case_E2: the name's block is gone with it" 'blocks 0 0' "$(hosts_blocks plain)"
	check "case_E2: remove" in_container 0 plain egressfw remove
	same "case_E2: nothing of ours is left" "$before" "$(container_rules plain)"
	sees "case_E2: after remove" in_container 1500 plain "${attempts[@]}" <<-'END'
		tcp 1.1.1.1:443 connected
	END
	gone plain
}

# --- file systems, users, namespaces ------------------------------------------------------------------

core_read_only() {
	local read_only=(--rm --read-only "${locked[@]}")
	[ "$engine_name" = docker ] || read_only+=(--read-only-tmpfs=false)
	sees "--read-only, no names" engine run -i "${read_only[@]}" egressfw-busybox \
		egressfw run --quiet /p/none.json -- "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
		END
	sees "--read-only, addresses" engine run -i "${read_only[@]}" egressfw-busybox \
		egressfw run --quiet /p/addresses.json -- "${attempts[@]}" <<-'END'
			tcp 203.0.113.80:443 connected
			tcp 203.0.113.80:80 ECONNREFUSED
		END
	status 0 "--read-only, apply" engine run "${read_only[@]}" egressfw-busybox egressfw apply /p/none.json
	says "says that no state is kept" 'no state is kept'
	status 125 "--read-only, names" engine run "${read_only[@]}" egressfw-busybox \
		egressfw run /p/names.json -- sh -c 'echo started'
	says "--read-only, names: the hosts file is named, and nothing was changed" '/etc/hosts.*nothing was changed'
	says_not "--read-only, names: nothing is started" '^started'
	sees "--read-only and a tmpfs for the state" engine run -i --tmpfs /run "${read_only[@]}" egressfw-busybox sh -c '
		egressfw apply --quiet --state-dir /run/egressfw /p/none.json && egressfw verify >/dev/null && exec "$@"' \
		sh "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 connected
		END
}

core_user() {
	status 125 "--user 1001 cannot enforce" engine run --rm --user 1001 "${alone[@]}" egressfw-busybox \
		egressfw run /p/none.json -- sh -c 'echo started'
	says "and says which capability is missing, and that nothing was changed" 'CAP_NET_ADMIN.*nothing was changed'
	says_not "nothing is started" '^started'
	status 3 "--user 1500, the confined user itself" engine run --rm --user 1500 --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		egressfw apply /p/none.json
}

core_host_network() {
	local before why='--allow-host-network'
	# That network is another user namespace's.
	[ -z "$engine_user" ] || why='belongs to another user namespace'
	before=$(rules 2>/dev/null)
	status 3 "--network host is refused" engine run --rm --network host --cap-add NET_ADMIN "${usual[@]}" \
		egressfw-busybox egressfw apply /p/none.json
	says "and says why, and what to say if it is meant" "$why"
	says "and that nothing was changed" 'nothing was changed'
	same "the host's rules are as they were" "$before" "$(rules 2>/dev/null)"
}

# --- beside the agent's container ---------------------------------------------------------------------

core_helper() {
	local kept=$hosts_wanted
	starts agent2 --cap-drop ALL --user 1500 "${inner[@]}" egressfw-busybox "${waits[@]}"
	sees "before the helper" in_container 1500 agent2 "${attempts[@]}" <<-'END'
		tcp 1.1.1.1:443 connected
	END
	check "a helper in the agent's network namespace applies" engine run --rm --network container:agent2 \
		--cap-drop ALL --cap-add NET_ADMIN --cap-add SETUID --cap-add SETGID --cap-add SETPCAP \
		--cap-add DAC_OVERRIDE "${usual[@]}" egressfw-empty /egressfw apply /p/names.json
	sees "the helper is gone, the rules stand" in_container 1500 agent2 "${attempts[@]}" <<-'END'
		tcp 203.0.113.80:80 connected
		tcp 1.1.1.1:443 ECONNREFUSED
		tcp [2606:4700:4700::1111]:443 ECONNREFUSED
		udp 1.1.1.1:53 EPERM
		udp 127.0.0.11:53 EPERM
		tcp 10.77.0.99:80 ECONNREFUSED
	END
	# Podman takes the helper's own line out again, and comments with it.
	[ "$engine_name" = docker ] || kept=${hosts_wanted/1 1/0 0}
	same "both have one hosts file" "$kept" "$(hosts_blocks agent2)"
	check "another helper applies anew" engine run --rm --network container:agent2 --cap-add NET_ADMIN "${usual[@]}" \
		egressfw-busybox sh -c 'egressfw apply /p/names.json && egressfw verify &&
			test "$(grep -c "^# egressfw begin" /etc/hosts)" = 1 &&
			test "$(grep -c "^[0-9a-f].*allowed.example.test" /etc/hosts)" = 2'
	status 3 "not even root in the agent's container can take them out" in_container 0 agent2 egressfw remove
	says "and is told what is missing" 'CAP_NET_ADMIN'
	sees "so that they still stand" in_container 1500 agent2 "${attempts[@]}" <<-'END'
		tcp 1.1.1.1:443 ECONNREFUSED
	END
	gone agent2
}

core_two() {
	starts two "${locked[@]}" egressfw-busybox sh -c '
		egressfw apply --quiet --name one /p/names.json && egressfw apply --quiet --name two /p/second.json &&
		echo ready; exec sleep 1000'
	sees "two policies: the first agent" in_container 1500 two "${attempts[@]}" <<-'END'
		tcp 203.0.113.80:80 connected
		tcp 203.0.113.90:80 ECONNREFUSED
		tcp 1.1.1.1:443 ECONNREFUSED
	END
	sees "two policies: the second" in_container 1501 two "${attempts[@]}" <<-'END'
		tcp 203.0.113.80:80 ECONNREFUSED
		tcp 203.0.113.90:80 connected
		udp 1.1.1.1:53 EPERM
	END
	check "two policies: both verify" in_container 0 two sh -c 'egressfw verify --name one && egressfw verify --name two'
	check "two policies: one is removed" in_container 0 two egressfw remove --name one
	sees "two policies: the first agent, after that" in_container 1500 two "${attempts[@]}" <<-'END'
		tcp 203.0.113.90:80 connected
	END
	sees "two policies: the second still" in_container 1501 two "${attempts[@]}" <<-'END'
		tcp 203.0.113.80:80 ECONNREFUSED
	END
	gone two
}

# Whoever may start processes as root in a container with NET_ADMIN is not held; that is said.
core_exec() {
	status 0 "doctor in a container" in_container 0 agent egressfw doctor --user agent
	says "doctor: that exec as root holds NET_ADMIN is said" 'warn +enforcement\.caller.*docker exec as root'
	sees "exec as the user" in_container 1500 agent "${attempts[@]}" <<-'END'
		tcp 1.1.1.1:443 ECONNREFUSED
	END
	check "exec as root can take the rules out, as is documented" in_container 0 agent egressfw remove
	status 1 "verify notices" in_container 0 agent egressfw verify /p/names.json
	gone agent
}

core() {
	core_debian
	core_run
	core_apply
	core_init
	core_names
	core_connect
	core_foreign
	core_read_only
	core_user
	core_host_network
	core_helper
	core_two
	core_exec
}
