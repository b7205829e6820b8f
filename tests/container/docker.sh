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
	status 0 "userns-remap: it can be handed in" engine run --rm -i --cap-add NET_ADMIN "${alone[@]}" \
		egressfw-busybox sh -c 'cat /proc/self/uid_map; cat /p/none.json | egressfw apply -'
	says "userns-remap: root of the container is somebody else outside" '^ *0 +100000 +65536$'
}

core_begin
core
core_filter
docker_user
docker_remap
finish
