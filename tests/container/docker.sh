#!/bin/bash
# docker.sh: egressfw in containers of Docker.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
engine_begin docker
. "$SRCDIR/tests/container/core.sh"
. "$SRCDIR/tests/container/filter.sh"

# Docker gives a user who is not root none of the capabilities that were added.
docker_user() {
	status 3 "--user 1001 with --cap-add: apply" engine run --rm --user 1001 --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		egressfw apply /p/none.json
	says "--user 1001 with --cap-add: what is missing" 'CAP_NET_ADMIN.*nothing was changed'
}

# A second network is one more interface, and one more line that the engine writes into the hosts file.
docker_connect() {
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
	same "after network disconnect the names are in the hosts file" "$hosts_wanted" "$(hosts_blocks moved)"
	check "after all that verify agrees" in_container 0 moved egressfw verify /p/names.json
	gone moved further-peer
}

# Root of the container is somebody else outside, and so are the rules' users.
docker_remap() {
	gone peer
	docker_stop
	docker_start --userns-remap agent:nogroup
	image_busybox
	cp "$WORLD/p/none.json" "$serve_images/busybox/none.json"
	engine_image egressfw-busybox "$serve_images/busybox"
	sees "userns-remap: run" engine run --rm -i --cap-add NET_ADMIN "${usual[@]}" egressfw-busybox \
		egressfw run --quiet /none.json -- "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
		END
	sees "userns-remap: the others" engine run --rm -i --cap-add NET_ADMIN "${usual[@]}" egressfw-busybox \
		sh -c 'egressfw apply --quiet /none.json && exec "$@"' sh "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 connected
		END
	status 2 "userns-remap: a policy that belongs to nobody here is refused" engine run --rm --cap-add NET_ADMIN \
		"${alone[@]}" egressfw-busybox egressfw apply /p/none.json
	says "userns-remap: and it is said who owns it" 'none\.json.*own'
	check "userns-remap: it can be handed in" engine run --rm -i --cap-add NET_ADMIN "${alone[@]}" \
		egressfw-busybox sh -c 'cat /p/none.json | egressfw apply -'
}

core_begin
core
core_filter
docker_user
docker_connect
docker_remap
finish
