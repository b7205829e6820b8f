#!/bin/bash
# escapes_bwrap.sh: the ways out, tried inside bubblewrap, with the network of whoever starts it.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/net/escapes_rows.sh"
command -v bwrap >/dev/null || skip_all "needs bwrap"
parts=(quick slow)

# Each program has a sandbox of its own, as a platform makes one for each command: devices, processes' names and
# capabilities are those of bubblewrap, which lets nobody gain privileges.
sandbox=(bwrap --bind / / --dev /dev --dir /dev/net --dev-bind /dev/net/tun /dev/net/tun --proc /proc --unshare-ipc --unshare-uts --die-with-parent
	--cap-drop ALL --cap-add CAP_NET_ADMIN --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP --)

# Where nobody gains privileges, neither does who tries it by a setuid program or a file's capabilities, and what needs
# none goes on as the user; and root itself cannot give a file away.
wanted_state() {
	case $1:$2 in
	none:setuid:tcp | none:third:tcp | none:setuid:fsuid-user:tcp) echo "$3" ;;
	*:setuid:* | *:third:* | *:capsetuid:* | *:capraw:* | *:root:owned:*) echo closed ;;
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

try_worlds ${EGRESSFW_WORLDS:-none apply run}
finish
