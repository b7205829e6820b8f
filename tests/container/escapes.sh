# escapes.sh: the ways out of tests/net/escapes.table, tried inside a container; sourced after engine_begin.
# shellcheck shell=bash
#
# The container is the agent's side of the world: it has the addresses of the world's agent, and the far side is its
# neighbour and its router. Attempts are started by the engine's exec, with what it leaves to a container; what only
# sets the stage is done from outside.
. "$SRCDIR/tests/net/escapes_rows.sh"

# Those that take seconds each are the packet filter's own matter, which is the same in a container.
wanted_row() {
	case $1 in
	# A container has no TUN device, nor the programs.
	pasta:* | slirp4netns:*) return 1 ;;
	listen-* | root:listen-* | root:input:* | simultaneous | published-* | kernel-reset | udp-flood) return 1 ;;
	esac
}

# Both engines refuse user namespaces to whoever has no privilege in the container, and Podman io_uring to everybody,
# whether we are there or not.
wanted_state() {
	case $engine_name:$2 in
	*:mapped:tcp | *:userns:tcp | podman:ring-*) echo closed ;;
	*) echo "$3" ;;
	esac
}

street_begin() {
	mkdir "$WORLD/p"
	nsenter -t "$engine_side" -n -- ip address flush dev eth0
	engine_usual
	image_debian
	engine network create --ipv6 --subnet 192.0.2.0/24 --gateway 192.0.2.254 \
		--subnet 2001:db8::/64 --gateway 2001:db8::fe street >/dev/null
	lasting=${#world_pids[@]}
}

# The bridge exists from the first container on.
street_join_far() {
	local bridge
	bridge=$(nsenter -t "$engine_side" -n -- ip -o link show type bridge | awk -F '[ :]+' '$2 != "docker0" { print $2 }')
	nsenter -t "$engine_side" -n -- sysctl -qw net.bridge.bridge-nf-call-iptables=0 net.bridge.bridge-nf-call-ip6tables=0
	nsenter -t "$engine_side" -n -- ip link set eth0 master "$bridge"
}

street_clear() {
	local pid
	for pid in "${world_pids[@]:$lasting}"; do serve_end "$pid" 2>/dev/null; done
	world_pids=("${world_pids[@]:0:$lasting}")
	rm -rf "$WORLD/helper" "$WORLD/programs"
	engine rm -f place >/dev/null 2>&1
}

begin_place() {
	local addresses=(--network street --ip 192.0.2.2 --ip6 2001:db8::2) options=rw
	[ "$engine_name" = docker ] || addresses=(--network street:ip=192.0.2.2,ip=2001:db8::2) options=rw,suid
	street_clear
	engine run -d --name place --cap-add NET_ADMIN "${usual[@]}" "${addresses[@]}" \
		-v "$engine_base/t:$engine_base/t:ro" -v "$WORLD:$WORLD:$options" egressfw-debian sleep 1000 >/dev/null || {
		echo 'Bail out! the container does not start'
		exit 1
	}
	world_agent=$(engine inspect --format '{{.State.Pid}}' place)
	setns_pid=1
	street_join_far
	agent sysctl -qw net.ipv6.conf.default.accept_dad=0 net.ipv4.conf.all.rp_filter=0 \
		net.ipv4.conf.default.rp_filter=0 net.ipv4.tcp_fastopen=5 net.ipv4.ping_group_range='0 2147483647'
	agent ip route flush default
	agent ip -6 route flush default
	agent ip route add default via 192.0.2.1
	agent ip -6 route add default via 2001:db8::1
}

# What sets the stage. Programs are those of the machine.
agent() {
	nsenter -t "$world_agent" -n -- "$@"
}

# What is tried is started by the engine.
fw() {
	engine exec -i place "$EGRESSFW" "$@"
}
attempt() {
	local uid=$1
	shift
	engine exec -i place "$ATTEMPT" --uid "$uid" "$@"
}
become_agent() {
	engine_limit=600
	engine exec -i place "$@"
	exit
}
become_user() {
	local uid=$1
	shift
	engine_limit=600
	engine exec -i -u "$uid:$uid" place "$@"
	exit
}

# Under a shell that stays: it ends with its parent, and an engine's exec leaves none.
start_helper() {
	local tries=0
	engine exec -d place bash -c '"$0" --help-others & wait' "$ATTEMPT" >/dev/null
	until agent grep -q '@egressfw-attempt' /proc/net/unix; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { echo 'Bail out! the willing process did not start'; exit 1; }
		sleep 0.05
	done
}
