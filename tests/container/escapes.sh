# escapes.sh: the ways out of tests/net/escapes.table, tried inside a container; sourced after engine_begin.
# shellcheck shell=bash
#
# The container is the agent's side of the world, with its addresses; the far side is its neighbour on the engine's
# bridge, and its router. Each set-up has a network, a container and a far side of its own. Attempts are started by the
# engine's exec, with what it leaves to a container; what only sets the stage is done from outside.
. "$SRCDIR/tests/net/escapes_rows.sh"

# What an engine closes by itself, with us or without: Docker refuses user namespaces, and so a network of one's own too,
# to whoever has no privilege in the container; Podman refuses io_uring to everybody, and shows /proc/sys read-only,
# without which pasta has no ping. Those rows are tried again in a container that was given no filter of system calls
# and where all of /proc is as it is: there the table holds.
parts=(quick slow lax)
closed_by_engine() {
	case $engine_name:$1 in
	docker:mapped:tcp | docker:userns:tcp | docker:pasta:* | docker:slirp4netns:*) ;;
	podman:ring-* | podman:pasta:ping) ;;
	*) false ;;
	esac
}
wanted_row() {
	if [ "$part" = lax ]; then closed_by_engine "$1"; else waits_as_part "$1"; fi
}
wanted_state() {
	if [ "$part" != lax ] && closed_by_engine "$2"; then echo closed; else echo "$3"; fi
}
wanted_word() {
	if [ "$part" != lax ] && closed_by_engine "$1"; then echo -; else echo "$3"; fi
}

# street_begin WORLD...
street_begin() {
	local name number=1
	mkdir "$WORLD/p"
	EGRESSFW=$engine_base/t/egressfw
	engine_usual
	image_debian
	mknod -m 666 "$WORLD/tun" c 10 200
	host_programs pasta slirp4netns
	for name in "${@/%/-quick}" "${@/%/-slow}" "${@/%/-lax}"; do
		engine network create --ipv6 --subnet "198.18.$number.0/24" --subnet "2001:db8:2:$number::/64" "street-$name" >/dev/null
		number=$((number + 1))
	done
}

# host_programs NAME...: mounts of these programs of the machine, and of the libraries that the image lacks.
host_programs() {
	local name file
	host_mounts=()
	for name in "$@"; do
		command -v "$name" >/dev/null || continue
		host_mounts+=(-v "$(readlink -f "$(command -v "$name")"):/usr/bin/$name:ro")
		for file in $(ldd "$(command -v "$name")" | grep -o '/[^ ]*'); do
			[ -e "$serve_images/debian$file" ] || host_mounts+=(-v "$(readlink -f "$file"):$file:ro")
		done
	done
}

# The far side is plugged into the bridge that the container is on.
street_plug_far() {
	local host=(nsenter -t "$engine_side" -n --) port bridge
	# An engine switches it on with each network.
	"${host[@]}" sysctl -qw net.bridge.bridge-nf-call-iptables=0 net.bridge.bridge-nf-call-ip6tables=0
	port=$(agent ip -o link show eth0 | sed 's/.*eth0@if\([0-9]*\):.*/\1/')
	bridge=$("${host[@]}" ip -o link show | sed -n "s/^$port: .* master \([^ ]*\) .*/\1/p")
	"${host[@]}" ip link add "far$port" type veth peer name eth0 netns "$world_far" &&
		"${host[@]}" ip link set "far$port" up master "$bridge" || {
		echo "Bail out! there is no bridge"
		exit 1
	}
}

# Addresses are those of every world, and so not the engine's.
begin_place() {
	local name=$1-$part options=rw security=()
	[ "$engine_name" = docker ] || options=rw,suid
	case $part:$engine_name in
	lax:docker) security=(--security-opt seccomp=unconfined --security-opt systempaths=unconfined) ;;
	lax:podman) security=(--security-opt seccomp=unconfined --security-opt unmask=ALL) ;;
	esac
	WORLD=$engine_files/$name place=place-$name
	mkdir -m 755 "$WORLD"
	: >"$WORLD/wire"
	engine run -d --name "$place" --network "street-$name" --cap-add NET_ADMIN --device "$engine_files/tun:/dev/net/tun" \
		"${security[@]}" "${usual[@]}" "${host_mounts[@]}" -v "$engine_base/t:$engine_base/t:ro" \
		-v "$WORLD:$WORLD:$options" -v "$engine_files/etc/subuid:/etc/subuid:ro" egressfw-debian sleep 1000 >/dev/null || {
		echo 'Bail out! the container does not start'
		exit 1
	}
	world_agent=$(engine inspect --format '{{.State.Pid}}' "$place")
	setns_pid=1
	world_hold world_far unshare -n
	street_plug_far
	world_far_side
	agent ip address flush dev eth0 scope global
	agent ip route flush default
	agent ip -6 route flush default
	world_agent_side
}

# What sets the stage. Programs are those of the machine.
agent() {
	nsenter -t "$world_agent" -n -- "$@"
}

# What is tried is started by the engine.
fw() {
	engine exec -i "$place" "$EGRESSFW" "$@"
}
attempt() {
	local uid=$1
	shift
	engine exec -i "$place" "$ATTEMPT" --uid "$uid" "$@"
}
become_agent() {
	engine_limit=600
	engine exec -i "$place" "$@"
	exit
}
become_user() {
	local uid=$1
	shift
	engine_limit=600
	engine exec -i -u "$uid:$uid" "$place" "$@"
	exit
}

# Under a shell that stays: it ends with its parent, and an engine's exec leaves none.
start_helper() {
	local tries=0
	engine exec -d "$place" bash -c '"$0" --help-others & wait' "$ATTEMPT" >/dev/null
	until agent grep -q '@egressfw-attempt' /proc/net/unix; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { echo 'Bail out! the willing process did not start'; exit 1; }
		sleep 0.05
	done
}
