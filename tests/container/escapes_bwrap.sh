#!/bin/bash
# escapes_bwrap.sh: the ways out, tried inside bubblewrap, with the network of whoever starts it.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/net/escapes_rows.sh"
command -v bwrap >/dev/null || skip_all "needs bwrap"

# Each program has a sandbox of its own, as a platform makes one for each command: devices, processes' names and
# capabilities are those of bubblewrap, which lets nobody gain privileges.
sandbox=(bwrap --bind / / --dev /dev --proc /proc --unshare-ipc --unshare-uts --die-with-parent
	--cap-drop ALL --cap-add CAP_NET_ADMIN --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP --)

# It has no TUN device. What takes seconds is the packet filter's own matter, which is the same here.
wanted_row() {
	case $1 in
	pasta:* | slirp4netns:*) return 1 ;;
	listen-* | root:listen-* | root:input:* | simultaneous | published-* | kernel-reset | udp-flood) return 1 ;;
	esac
}

# Where nobody gains privileges, neither does who tries it by a setuid program or a file's capabilities; and root itself
# cannot give a file away.
wanted_state() {
	case $2 in
	setuid:* | third:* | capsetuid:* | capraw:* | root:owned:*) echo closed ;;
	*) echo "$3" ;;
	esac
}

become_agent() {
	exec nsenter -t "$world_agent" -m -n -w -- "${sandbox[@]}" "$@"
}
fw() {
	agent "${sandbox[@]}" "$EGRESSFW" "$@"
}
attempt() {
	local uid=$1
	shift
	agent "${sandbox[@]}" "$ATTEMPT" --uid "$uid" "$@"
}

for world in ${EGRESSFW_WORLDS:-apply run}; do try_world "$world"; done
print_table
finish
