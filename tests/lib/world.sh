# world.sh: a small make-believe internet in network namespaces, and TAP, for the tests in tests/net.
# shellcheck shell=bash
#
# Source it from bash with $srcdir pointing to the top of the source tree and the build directory as the
# working directory (automake does both). Then:
#
#   world_begin                     a fresh world: the far side, and the agent's side
#   agent CMD...   far CMD...       run as root on one of the two sides
#   as_user UID CMD...              run on the agent's side as that uid, without groups and capabilities
#   serve SIDE SPEC...              servers (see far.c) on "agent" or "far"; SIDE agent:UID for another uid
#   fw ARG...                       the program under test on the agent's side
#   wire_mark; wire_since [AWK]     packets that reached the far side since the mark, kernel noise left out
#   check NAME CMD...               ok when CMD succeeds;  deny NAME CMD...: ok when it fails
#   status WANT NAME CMD...         ok when CMD exits with WANT; output in $WORLD/out and $WORLD/err
#   says NAME PATTERN; says_not NAME PATTERN   what the last one of these had on standard output or error
#   skip NAME REASON; finish
#
# The far side answers at every address: 192.0.2.1 is the router, anything else lies behind it. On the agent's
# side /etc/hosts, /etc/resolv.conf, /etc/passwd, /etc/subuid are bind mounts of copies, as engines do it, and
# /run is empty. Everything is gone when the script ends, however it ends.

SRCDIR=$(cd "${srcdir:-.}" && pwd)
BUILDDIR=$PWD
EGRESSFW=${EGRESSFW:-$BUILDDIR/egressfw}
FAR=${FAR:-$BUILDDIR/tests/lib/far}
ATTEMPT=${ATTEMPT:-$BUILDDIR/tests/net/attempt}
AGENT_UID=1500
OTHER_UID=1501

test_count=0
test_failed=0
world_pids=()
world_agent= world_far=
WORLD=

# --- TAP ----------------------------------------------------------------------------------------------

ok() {
	test_count=$((test_count + 1))
	printf 'ok %d - %s\n' "$test_count" "$1"
}

# not_ok NAME [LINE...]: each further argument is shown as a comment.
not_ok() {
	local name=$1
	shift
	test_count=$((test_count + 1))
	test_failed=$((test_failed + 1))
	printf 'not ok %d - %s\n' "$test_count" "$name"
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/#   /'
}

skip() {
	if [ -n "${EGRESSFW_TESTS_MUST_RUN:-}" ]; then
		not_ok "$1" "must run here, but: $2"
	else
		test_count=$((test_count + 1))
		printf 'ok %d - %s # SKIP %s\n' "$test_count" "$1" "$2"
	fi
}

# Leaves the whole script: nothing of it can run here.
skip_all() {
	if [ -n "${EGRESSFW_TESTS_MUST_RUN:-}" ]; then
		printf 'not ok 1 - %s must run here, but: %s\n1..1\n' "$(basename "$0")" "$1"
		exit 1
	fi
	printf '1..0 # SKIP %s\n' "$1"
	exit 77
}

run_quietly() {
	"$@" >"$WORLD/out" 2>"$WORLD/err" </dev/null
}

show_output() {
	head -c 2000 "$WORLD/out"
	head -c 2000 "$WORLD/err"
}

check() {
	local name=$1 got
	shift
	run_quietly "$@" && got=0 || got=$?
	if [ "$got" -eq 0 ]; then ok "$name"; else not_ok "$name" "exit status $got of: $*" "$(show_output)"; fi
}

deny() {
	local name=$1
	shift
	if run_quietly "$@"; then not_ok "$name" "succeeded: $*" "$(show_output)"; else ok "$name"; fi
}

status() {
	local want=$1 name=$2 got
	shift 2
	run_quietly "$@" && got=0 || got=$?
	if [ "$got" -eq "$want" ]; then
		ok "$name"
	else
		not_ok "$name" "wanted exit status $want, got $got, of: $*" "$(show_output)"
	fi
}

# says NAME PATTERN: the last command's standard error or output has a line that matches.
says() {
	if grep -qE -- "$2" "$WORLD/err" "$WORLD/out"; then
		ok "$1"
	else
		not_ok "$1" "nothing matches: $2" "$(show_output)"
	fi
}

# The opposite. (deny with grep would have emptied what it is to look at.)
says_not() {
	local found
	found=$(grep -E -- "$2" "$WORLD/err" "$WORLD/out")
	if [ -z "$found" ]; then ok "$1"; else not_ok "$1" "matches $2:" "$found"; fi
}

same() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "$(diff <(printf '%s\n' "$2") <(printf '%s\n' "$3"))"; fi
}

# Has to be the script's last call.
finish() {
	printf '1..%d\n' "$test_count"
	[ "$test_failed" -eq 0 ]
	exit
}

# --- the world ----------------------------------------------------------------------------------------

world_require() {
	local program

	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
	for program in ip nft nsenter setpriv unshare; do
		command -v "$program" >/dev/null || skip_all "needs the program $program"
	done
	unshare -n true 2>/dev/null || skip_all "network namespaces cannot be made here"
}

agent() {
	nsenter -t "$world_agent" -m -n -w -- "$@"
}

far() {
	nsenter -t "$world_far" -n -w -- "$@"
}

as_user() {
	local uid=$1
	shift
	nsenter -t "$world_agent" -m -n -w -- \
		setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all -- "$@"
}

fw() {
	agent "$EGRESSFW" "$@"
}

# attempt UID NAME TARGET...: prints what the user got, see tests/net/attempt.c.
attempt() {
	local uid=$1
	shift
	agent "$ATTEMPT" --uid "$uid" "$@"
}

# A process that only keeps namespaces alive. Its pid goes to $1. It ends with this script, even if that is killed:
# namespaces without a name leave nothing behind.
world_hold() {
	local variable=$1 ready="$WORLD/holder-$1" hold
	shift
	mkfifo "$ready"
	# Both ways, so that a holder that never comes up is waited for and not for ever.
	exec {hold}<>"$ready"
	# What enters its namespaces begins where it is: in a directory that everybody can reach by its path.
	"$@" setpriv --pdeathsig KILL sh -c 'cd "${1%/*}" && echo ready >"$1"; exec sleep infinity' sh "$ready" 3>&- </dev/null >/dev/null &
	world_pids+=($!)
	printf -v "$variable" '%s' "$!"
	read -r -t 20 _ <&"$hold" || {
		echo "Bail out! a namespace cannot be entered here: $*"
		exit 1
	}
	exec {hold}<&-
	rm "$ready"
}

world_files() {
	mkdir "$WORLD/etc"
	printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n192.0.2.2 agent-host\n' >"$WORLD/etc/hosts"
	printf 'nameserver 203.0.113.53\n' >"$WORLD/etc/resolv.conf"
	{
		grep -v '^agent:\|^other:' /etc/passwd
		echo "agent:x:$AGENT_UID:$AGENT_UID::/nonexistent:/bin/sh"
		echo "other:x:$OTHER_UID:$OTHER_UID::/nonexistent:/bin/sh"
	} >"$WORLD/etc/passwd"
	echo 'agent:100000:65536' >"$WORLD/etc/subuid"
	chmod 755 "$WORLD" "$WORLD/etc"
	chmod 644 "$WORLD"/etc/*
}

# Whoever the test becomes must be able to execute the program, wherever it was built: a clone in /root for one.
world_programs() {
	world_built=${world_built:-$EGRESSFW}
	[ -x "$world_built" ] || return 0
	mkdir -m 755 "$WORLD/bin"
	install -m 755 "$world_built" "$WORLD/bin/egressfw"
	EGRESSFW=$WORLD/bin/egressfw
}

world_mounts() {
	local file
	for file in hosts resolv.conf passwd subuid; do
		# In the agent's mount namespace only; a file that the machine lacks cannot be covered there.
		[ -e "/etc/$file" ] || continue
		agent mount --bind "$WORLD/etc/$file" "/etc/$file"
	done
	agent mount -t tmpfs -o mode=755 tmpfs /run
	# /sys shows the interfaces of the namespace in which it was mounted.
	agent mount -t sysfs sysfs /sys
}

# The sides of a link that is there, each with its addresses and its way to everywhere.
world_far_side() {
	far sysctl -qw net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.all.forwarding=1 \
		net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 net.ipv4.tcp_fastopen=519
	far ip link set lo up
	far ip address add 192.0.2.1/24 dev eth0
	far ip address add 2001:db8::1/64 dev eth0 nodad
	far ip link set eth0 up
	# Every address that is routed here is answered here.
	far ip route add local 0.0.0.0/0 dev lo table main
	far ip -6 route add local ::/0 dev lo table main
}

world_agent_side() {
	agent sysctl -qw net.ipv6.conf.default.accept_dad=0 net.ipv4.conf.all.rp_filter=0 \
		net.ipv4.conf.default.rp_filter=0 net.ipv4.tcp_fastopen=5 net.ipv4.ping_group_range='0 2147483647'
	agent ip link set lo up
	agent ip address add 192.0.2.2/24 dev eth0
	agent ip address add 2001:db8::2/64 dev eth0 nodad
	agent ip link set eth0 up
	agent ip route add default via 192.0.2.1
	agent ip -6 route add default via 2001:db8::1
}

world_links() {
	agent ip link add eth0 type veth peer name eth0 netns "$world_far"
	world_far_side
	world_agent_side
}

world_begin() {
	world_require
	world_end
	WORLD=$(mktemp -d "${TMPDIR:-/tmp}/egfw-$$-XXXXXX")
	trap 'world_end' EXIT
	trap 'exit 130' INT TERM HUP
	world_files
	world_programs
	world_hold world_agent unshare -n -m --propagation private
	world_hold world_far unshare -n
	world_links
	world_mounts
	: >"$WORLD/wire"
}

# The processes in the network namespaces of this world. Nobody else has a way in, so that all of them were started
# by this script, or by what it started and lost sight of.
world_inhabitants() {
	local holder network
	for holder in "$world_agent" "$world_far"; do
		[[ " $1 " == *" $holder "* ]] || continue
		# It is a pattern to find, in which brackets mean something else.
		network=$(readlink "/proc/$holder/ns/net")
		find /proc -maxdepth 3 -path '/proc/[0-9]*/ns/net' -lname "${network/[/\\[}" 2>/dev/null
	done | cut -d / -f 3
}

# Ends what world_begin and serve started; safe to call at any time and twice. Only what this shell still has as
# a running child: the number of one that has ended may be somebody else's by now.
world_end() {
	local pid running
	running=" $(jobs -pr | tr '\n' ' ') "
	for pid in $(world_inhabitants "$running"); do
		kill -KILL "$pid" 2>/dev/null
	done
	for pid in "${world_pids[@]}"; do
		[[ $running == *" $pid "* ]] || continue
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	world_pids=()
	[ -n "$WORLD" ] || return 0
	rm -rf "$WORLD"
	WORLD=
}

# Becomes the command, on a side.
become_on() {
	local side=$1
	shift
	case $side in
	far) exec nsenter -t "$world_far" -n -w -- "$@" ;;
	agent) exec nsenter -t "$world_agent" -m -n -w -- "$@" ;;
	agent:*)
		exec nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "${side#agent:}" --regid "${side#agent:}" \
			--clear-groups --inh-caps=-all -- "$@"
		;;
	esac
}

serve() {
	local side=$1 ready="$WORLD/ready-${#world_pids[@]}" line record=()
	shift
	case $side in
	far) record=(-o "$WORLD/wire") ;;
	agent) record=(-o "$WORLD/served") ;;
	esac
	mkfifo "$ready"
	become_on "$side" "$FAR" "${record[@]}" "$@" >"$ready" &
	world_pids+=($!)
	served_pid=$!
	read -r line <"$ready"
	rm "$ready"
	[ "$line" = ready ] || { printf 'Bail out! servers on %s did not start: %s\n' "$side" "$*"; exit 1; }
}

# Ends one server that serve started (its pid was in $served_pid).
serve_end() {
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

# The usual servers of the far side, and the recorder of what arrives there.
world_serve_far() {
	serve far -s eth0 tcp/::/80 tcp/::/443 tcp/::/22 tcp/::/53 tcp/::/8080 sink/::/9001 late/::/9002 \
		udp/::/53 udp/::/443 udp/::/9 udplite/::/443 mptcp/::/8443
}

# --- what reached the far side --------------------------------------------------------------------------

# Waits until everything that was sent before has been recorded.
wire_settle() {
	# The time, since a counter would be lost in a subshell.
	local now=${EPOCHREALTIME/[.,]/} tries=0
	local number=$((now % 4000000000))
	sleep 0.005
	agent "$FAR" -m "$number" eth0
	until grep -qx "mark $number" "$WORLD/wire"; do
		tries=$((tries + 1))
		[ "$tries" -lt 1000 ] || { echo 'Bail out! the recorder of the far side stands still'; exit 1; }
		sleep 0.005
	done
	wire_marked_now=$number
}

wire_mark() {
	wire_settle
	wire_marked=$wire_marked_now
}

# Prints the packets since the mark, without what the kernel sends by itself: neighbour discovery, group reports
# and port unreachable. An argument is one more awk condition over the fields
# packet PROTOCOL SOURCE SPORT DESTINATION DPORT FLAGS LENGTH DATA.
wire_since() {
	wire_settle
	awk -v from="$wire_marked" '
		$1 == "mark" { on = on || $2 == from; next }
		!on || $1 != "packet" { next }
		$2 == "icmpv6" && $7 ~ /^type=(1|13[0-7]|143)$/ || $2 == "icmp" && $7 == "type=3" || $2 == "igmp" { next }
		'"${1:-1}"' { print }
	' "$WORLD/wire"
}

# The group reports (IGMP, MLD) since the mark.
wire_joins() {
	wire_settle
	awk -v from="$wire_marked" '
		$1 == "mark" { on = on || $2 == from; next }
		on && ($2 == "igmp" || $2 == "icmpv6" && $7 ~ /^type=(131|143)$/) { print }
	' "$WORLD/wire"
}

# --- nft ----------------------------------------------------------------------------------------------

# The kernel's rules without what moves by itself, the counters.
rules() {
	agent nft list ruleset | sed -E 's/counter packets [0-9]+ bytes [0-9]+/counter/'
}

# Those of everybody else, byte for byte.
foreign_rules() {
	rules | awk '/^table / { ours = $3 ~ /^egressfw/ } !ours'
}

# Our chains and sets, a line for each, sorted: their order says nothing.
our_rules() {
	rules | awk '
		/^table / { ours = $3 ~ /^egressfw/; table = $3; next }
		!ours { next }
		/^\t(chain|set|map) / { block = table }
		block != "" { sub(/^\t+/, " "); block = block " " $0 }
		block != "" && /^ }$/ { print block; block = "" }' | sort
}
