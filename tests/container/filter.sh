# filter.sh: policies that need the filter, in a container of any engine; sourced by docker.sh and podman.sh after core.sh.
# shellcheck shell=bash
#
# A web server on the far side answers at every address, port 8000. What is asked for goes through the variables that
# the program is given by `egressfw run`, or that `egressfw env` prints.

filter_policies() {
	policy wild <<-'END'
		{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["*.example.test:8000"], "loopback": [] }
	END
	policy blocking <<-'END'
		{ "network_mode": "blocklist", "users": [1500], "blocked_urls": ["evil.test"] }
	END
}

filter_web() {
	local tries=0
	mkdir -p "$WORLD/served"
	echo 'what is served' >"$WORLD/served/index.html"
	nsenter -t "$world_far" -n -w -- /usr/bin/python3 -m http.server -d "$WORLD/served" 8000 \
		</dev/null >/dev/null 2>&1 3>&- &
	world_pids+=($!)
	until far bash -c 'exec 3<>/dev/tcp/127.0.0.1/8000' 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || { echo 'Bail out! the web server did not start'; exit 1; }
		sleep 0.05
	done
}

# What bash says to a proxy that is named as run and env do: $0 is the host.
# shellcheck disable=SC2034 # for those who source this
filter_page='exec 3<>"/dev/tcp/127.0.0.1/${http_proxy##*:}"
printf "GET http://%s:8000/ HTTP/1.1\r\nHost: %s:8000\r\nConnection: close\r\n\r\n" "$0" "$0" >&3; cat <&3'

# asks CONTAINER HOST: the agent asks for a page there, as `egressfw env` says
asks() {
	in_container 1500 "$1" sh -c 'eval "$(egressfw env /p/wild.json)"; exec wget -q -O - "http://$1:8000/"' sh "$2"
}

# fetches NAME OPTION... IMAGE: run with the wildcard, whose program asks for one that is allowed and one that is not
fetches() {
	local name=$1
	shift
	status 0 "$name" engine run --rm "$@" egressfw run --quiet /p/wild.json -- sh -c '
		wget -q -O - http://allowed.example.test:8000/
		wget -q -O - http://secret.evil.test:8000/
		exit 0'
	says "$name: a name below the wildcard is served" '^what is served$'
	says "$name: another one is refused" '403 Forbidden'
}

filter_run() {
	local resolver=127.0.0.11:53
	[ "$engine_name" = docker ] || resolver=10.77.0.1:53
	starts walled "${locked[@]}" egressfw-busybox egressfw run --quiet /p/wild.json -- sh -c '
		wget -q -O - http://allowed.example.test:8000/
		wget -q -O - http://secret.evil.test:8000/
		echo ready; exec sleep 1000'
	status 0 "filter: what the program of run got" engine logs walled
	says "filter: a name below the wildcard" '^what is served$'
	says "filter: another name" '403 Forbidden'
	sees "filter: past it" in_container 1500 walled "${attempts[@]}" <<-END
		tcp 203.0.113.80:8000 ECONNREFUSED
		tcp [2001:db8:1::80]:8000 ECONNREFUSED
		tcp 1.1.1.1:443 ECONNREFUSED
		udp 1.1.1.1:53 EPERM
		udp $resolver EPERM
		tcp $resolver ECONNREFUSED
		tcp 10.77.0.99:80 ECONNREFUSED
		tcp 127.0.0.1:3128 connected
	END
	deny "filter: the agent asks no resolver" in_container 1500 walled nslookup allowed.example.test
	status 0 "filter: its user does" in_container 65528 walled nslookup allowed.example.test
	says "filter: and has an answer" '203\.0\.113\.80'
	sees "filter: but that user has no other service of this network" in_container 65528 walled "${attempts[@]}" <<-'END'
		tcp 10.77.0.99:80 ECONNREFUSED
		udp 10.77.0.99:53 EPERM
		tcp 169.254.169.254:80 ECONNREFUSED
	END
	deny "filter: no question for what is refused left the machine" grep -q evil "$WORLD/questions"
	status 0 "filter: verify, by exec as root" in_container 0 walled egressfw verify /p/wild.json
	says "filter: has it" 'filter +uid 65528 at 127\.0\.0\.1:3128'
	status 0 "filter: its log, by exec as root" in_container 0 walled cat /var/log/egressfilter/egressfw.log
	says "filter: what was allowed is in it" '"host":"allowed\.example\.test".*"decision":"allow"'
	says "filter: what was refused is in it" '"host":"secret\.evil\.test".*"decision":"block".*"uid":1500'
	status 0 "filter: summed up" in_container 0 walled egressfw log --summary
	says "filter: the sum has it" '^secret\.evil\.test +0 +0 +1 '
	deny "filter: the agent cannot read it" in_container 1500 walled cat /var/log/egressfilter/egressfw.log
	check "filter: one more program by exec" in_container 0 walled egressfw run --quiet /p/wild.json -- \
		wget -q -O - http://allowed.example.test:8000/
}

filter_death() {
	check "filter: it is killed" in_container 0 walled sh -c 'kill -KILL "$(cut -d " " -f 1 /run/egressfw/egressfw.filter)"'
	until_ended walled
	status 1 "filter: verify notices" in_container 0 walled egressfw verify
	says "filter: and says what that means" 'filter.*not running.*reach nothing through it'
	deny "filter: without it nothing is served" asks walled allowed.example.test
	sees "filter: without it" in_container 1500 walled "${attempts[@]}" <<-'END'
		tcp 127.0.0.1:3128 ECONNREFUSED
		tcp 203.0.113.80:8000 ECONNREFUSED
		udp 1.1.1.1:53 EPERM
	END
	check "filter: apply starts it anew" in_container 0 walled egressfw apply --quiet /p/wild.json
	check "filter: and it serves" asks walled allowed.example.test
	status 0 "filter: another policy" in_container 0 walled egressfw apply /p/blocking.json
	check "filter: opens what is not blocked" asks walled second.example.test
	status 1 "filter: and not what is" asks walled secret.evil.test
	says "filter: by policy" '403 Forbidden'
	check "filter: the container restarts" engine restart -t 0 walled
	ready_again walled
	check "filter: after a restart there is one again" in_container 0 walled egressfw verify /p/wild.json
	check "filter: that serves" asks walled allowed.example.test
	gone walled
}

# A killed process is there until it is reaped.
until_ended() {
	local tries=0
	while in_container 0 "$1" egressfw verify --quiet; do
		tries=$((tries + 1))
		[ "$tries" -lt 50 ] || return
		sleep 0.1
	done
}

# What a container has to be given, exactly.
filter_given() {
	local four=(--cap-drop ALL --cap-add SETUID --cap-add SETGID --cap-add SETPCAP)
	local read_only=(--read-only --cap-add NET_ADMIN) nothing=("${locked[@]}")
	# Podman's containers have a root directory in which root may make nothing without CAP_DAC_OVERRIDE.
	[ "$engine_name" = docker ] || read_only+=(--read-only-tmpfs=false) nothing+=(--tmpfs /var/log)
	fetches "filter: five capabilities" "${four[@]}" --cap-add CHOWN "${locked[@]}" egressfw-busybox
	check "filter: with these root reads the log" engine run --rm "${four[@]}" --cap-add CHOWN --cap-add NET_ADMIN \
		"${alone[@]}" egressfw-busybox sh -c 'egressfw apply --quiet /p/wild.json && cat /var/log/egressfilter/egressfw.log'
	status 125 "filter: without CHOWN" engine run --rm "${four[@]}" --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		egressfw run /p/wild.json -- sh -c 'echo started'
	says "filter: that one is named, and nothing was changed" '^egressfw run: CAP_CHOWN is missing.*nothing was changed'
	says_not "filter: and nothing is started" '^started'
	status 125 "filter: without any" engine run --rm --cap-drop ALL "${alone[@]}" egressfw-busybox \
		egressfw run /p/wild.json -- sh -c 'echo started'
	says "filter: all five are named" 'CAP_NET_ADMIN, CAP_SETUID, CAP_SETGID, CAP_SETPCAP, CAP_CHOWN are missing'
	status 3 "filter: apply without CHOWN and SETUID" engine run --rm --cap-drop ALL --cap-add SETGID \
		--cap-add NET_ADMIN "${alone[@]}" egressfw-busybox sh -c 'egressfw apply /p/wild.json; exit $?'
	says "filter: both are named" 'CAP_SETUID, CAP_CHOWN are missing, which the filter needs'
	fetches "filter: --read-only with two tmpfs" --tmpfs /run --tmpfs /var/log "${read_only[@]}" "${inner[@]}" egressfw-busybox
	status 125 "filter: --read-only" engine run --rm "${read_only[@]}" "${alone[@]}" egressfw-busybox \
		egressfw run /p/wild.json -- sh -c 'echo started'
	says "filter: --read-only needs a state directory, and nothing was changed" 'need a state directory.*nothing was changed'
	status 125 "filter: --read-only, with a state directory alone" engine run --rm --tmpfs /run "${read_only[@]}" \
		"${alone[@]}" egressfw-busybox egressfw run /p/wild.json -- sh -c 'echo started'
	says "filter: --read-only needs a place for the log, and nothing was changed" '/var/log.*nothing was changed'
	status 3 "filter: apply as the only process of a container" engine run --rm --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		egressfw apply /p/wild.json
	says "filter: which would take it along" 'the filter would end with it.*nothing was changed'
	sees "filter: in an image with nothing else" engine run --rm -i "${nothing[@]}" egressfw-empty \
		/egressfw run --quiet /p/wild.json -- "${attempts[@]}" <<-'END'
			tcp 127.0.0.1:3128 connected
			tcp 203.0.113.80:8000 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
		END
}

# The log in a volume, read after the container is gone.
filter_volume() {
	local place
	engine volume create decisions >/dev/null
	fetches "filter: the log in a volume" -v decisions:/var/log/egressfilter "${locked[@]}" egressfw-busybox
	place=$(engine volume inspect decisions --format '{{.Mountpoint}}')
	check "filter: the volume has it" nsenter -t "$engine_side" -m -- grep -q '"host":"secret.evil.test"' "$place/egressfw.log"
	fetches "filter: and takes the next one's" -v decisions:/var/log/egressfilter "${locked[@]}" egressfw-busybox
	same "filter: behind it" 2 "$(nsenter -t "$engine_side" -m -- grep '"event":"decision"' "$place/egressfw.log" | grep -c '"host":"secret.evil.test"')"
	engine volume rm decisions >/dev/null
}

filter_begin() {
	filter_policies
	filter_web
}

core_filter() {
	engine_has_filter || { skip "policies that need the filter" "this build has no egressfilter"; return; }
	filter_begin
	filter_run
	filter_death
	filter_given
	filter_volume
}
