#!/bin/bash
# podman.sh: egressfw in containers of Podman.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin podman
. "$SRCDIR/tests/container/core.sh"
. "$SRCDIR/tests/container/filter.sh"

# Podman gives a user who is not root the capabilities that were added.
podman_user() {
	local as_1001=(--rm --user 1001 --cap-add SETUID --cap-add SETGID --cap-add SETPCAP --cap-add NET_ADMIN)
	status 0 "--user 1001 with the capabilities: apply" engine run "${as_1001[@]}" "${alone[@]}" egressfw-busybox \
		egressfw apply /p/none.json
	says "--user 1001: what stands holds" 'the rules stand as planned, and they hold'
	sees "--user 1001 with the capabilities: run" engine run -i "${as_1001[@]}" "${inner[@]}" egressfw-busybox \
		egressfw run --quiet /p/none.json -- "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
		END
	status 3 "--user 1001 with NET_ADMIN alone: no canary" engine run --rm --user 1001 --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		egressfw apply /p/none.json
	says "--user 1001 with NET_ADMIN alone: what is missing" 'CAP_SETUID'
	check "--user 1001 with NET_ADMIN alone and without the canary" engine run --rm --user 1001 --cap-add NET_ADMIN "${alone[@]}" \
		egressfw-busybox egressfw apply --no-canary /p/none.json
	status 3 "--user 1001: names need a hosts file that it cannot write" engine run "${as_1001[@]}" "${alone[@]}" egressfw-busybox \
		egressfw apply /p/names.json
	says "--user 1001: the hosts file is named" '/etc/hosts'
}

# Root of the container is somebody else outside, and so are the rules' users.
podman_uidmap() {
	local mapped=(--rm --uidmap 0:100000:65536 --gidmap 0:100000:65536 --cap-add NET_ADMIN)
	sees "uidmap: run" engine run -i "${mapped[@]}" "${inner[@]}" egressfw-busybox sh -c '
		echo "$0" >/tmp/policy.json && exec egressfw run --quiet /tmp/policy.json -- "$@"' \
		"$(cat "$WORLD/p/none.json")" "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
		END
	status 2 "uidmap: a policy that belongs to nobody here is refused" engine run "${mapped[@]}" "${alone[@]}" \
		egressfw-busybox sh -c 'cat /proc/self/uid_map; egressfw apply /p/none.json'
	says "uidmap: and it is said who owns it" 'none\.json.*own'
	says "uidmap: root of the container is somebody else outside" '^ *0 +100000 +65536$'
	sees "uidmap: the others" engine run -i "${mapped[@]}" "${inner[@]}" egressfw-busybox sh -c '
		echo "$0" | egressfw apply --quiet - && exec "$@"' "$(cat "$WORLD/p/none.json")" "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 connected
		END
}

core_begin
core
core_filter
podman_user
podman_uidmap
finish
