#!/bin/bash
# podman_rootless.sh: egressfw in containers that an ordinary user starts with Podman.
. "${srcdir:-.}/tests/container/engine.sh" || exit 1
for program in newuidmap newgidmap slirp4netns; do
	command -v "$program" >/dev/null || skip_all "needs the program $program"
done
for file in /dev/net/tun /etc/subuid /etc/subgid; do
	[ -e "$file" ] || skip_all "needs $file"
done
engine_begin podman
rootless_begin
. "$SRCDIR/tests/container/core.sh"
. "$SRCDIR/tests/container/filter.sh"

# Who has the device has the engine's usual network, which an ordinary program makes.
rootless_network() {
	local given=(--network slirp4netns "${usual[@]}")
	same "the container's root is the user who started it" "0 $ENGINE_UID 1" \
		"$(engine run --rm egressfw-busybox grep -w 0 /proc/self/uid_map | awk '{ print $1, $2, $3 }')"
	sees "slirp4netns, without us" engine run --rm -i -u 1500 "${given[@]}" egressfw-busybox "${attempts[@]}" <<-'END'
		tcp 1.1.1.1:443 connected
		tcp [2606:4700:4700::1111]:443 connected
		udp 1.1.1.1:53 answered
	END
	sees "slirp4netns, run" engine run --rm -i --cap-add NET_ADMIN "${given[@]}" egressfw-busybox \
		egressfw run --quiet /p/names.json -- "${attempts[@]}" <<-'END'
			tcp 203.0.113.80:80 connected
			tcp [2001:db8:1::80]:80 connected
			tcp 1.1.1.1:443 ECONNREFUSED
			tcp [2606:4700:4700::1111]:443 ECONNREFUSED
			udp 1.1.1.1:53 EPERM
			udp 10.0.2.3:53 EPERM
			tcp 10.0.2.3:53 ECONNREFUSED
			tcp 10.0.2.2:80 ECONNREFUSED
		END
	sees "slirp4netns, the others" engine run --rm -i --cap-add NET_ADMIN "${given[@]}" egressfw-busybox \
		sh -c 'egressfw apply --quiet /p/names.json && exec "$@"' sh "${attempts[@]}" <<-'END'
			tcp 1.1.1.1:443 connected
			tcp [2606:4700:4700::1111]:443 connected
		END
	! engine_has_filter || fetches "slirp4netns, filter" --cap-add NET_ADMIN "${given[@]}" egressfw-busybox
}

# A file of the machine's root belongs to nobody there.
rootless_policy() {
	chown 0 "$WORLD/p/none.json"
	status 2 "a policy of the machine's root is refused" engine run --rm --cap-add NET_ADMIN "${alone[@]}" \
		egressfw-busybox egressfw apply /p/none.json
	says "and it is said who owns it" 'none\.json.*own'
	check "it can be handed in" engine run --rm -i --cap-add NET_ADMIN "${alone[@]}" egressfw-busybox \
		sh -c 'cat /p/none.json | egressfw apply -'
	chown "$ENGINE_UID" "$WORLD/p/none.json"
}

# Fewer ids than a container usually has, as from a short line in /etc/subuid.
rootless_few_ids() {
	local few=(--cap-add NET_ADMIN "${alone[@]}" --uidmap 0:0:2001 --gidmap 0:0:2001)
	check "2001 ids: run" engine run --rm "${few[@]}" egressfw-busybox egressfw run /p/none.json -- sh -c 'exit 0'
	status 125 "1001 ids: the confined user is none of them" engine run --rm --cap-add NET_ADMIN "${alone[@]}" --uidmap 0:0:1001 \
		--gidmap 0:0:1001 egressfw-busybox egressfw run /p/none.json -- sh -c 'echo started'
	says "1001 ids: and it is said" 'uid 1500, is none that this user namespace has; nothing was changed'
	engine_has_filter || return
	status 125 "2001 ids: the filter's user is none of them" engine run --rm "${few[@]}" egressfw-busybox \
		egressfw run /p/wild.json -- sh -c 'echo started'
	says "2001 ids: and it is said what to do" 'uid 65528, is none that.*--filter-user.*nothing was changed'
	check "2001 ids: another user for the filter" engine run --rm "${few[@]}" egressfw-busybox \
		egressfw run --filter-user 1700 /p/wild.json -- sh -c 'exit 0'
}

core_begin
core_run
core_apply
core_names
core_foreign
core_user
core_host_network
core_helper
core_exec
! engine_has_filter || { filter_begin && filter_run && filter_death; }
rootless_network
rootless_policy
rootless_few_ids
finish
