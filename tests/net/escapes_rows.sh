# escapes_rows.sh: escapes.table in a place: set up, locked, and every row tried; sourced by escapes.sh and, for the inside
# of containers, by those of tests/container.
# shellcheck shell=bash
. "$SRCDIR/tests/net/escapes_try.sh"
. "$SRCDIR/tests/net/escapes_worlds.sh"
. "$SRCDIR/tests/net/escapes_early.sh"
. "$SRCDIR/tests/net/escapes_controls.sh"

# begin_place WORLD: a fresh agent's side; a container can be one.
begin_place() {
	world_begin
	setns_pid=$world_agent
	# What a network of one's own needs, as most machines have it.
	agent mount -t tmpfs -o mode=755 tmpfs /dev/net 2>/dev/null ||
		{ agent mkdir -p /dev/net && agent mount -t tmpfs -o mode=755 tmpfs /dev/net; }
	agent mknod -m 666 /dev/net/tun c 10 200
}
# What does not end with the shell of the set-up.
end_place() { :; }

PEER=${PEER:-$BUILDDIR/tests/net/peer}
table=$SRCDIR/tests/net/escapes.table
declare -A outcome
# How the program is told to lock, and what more its policy says, where a place differs.
lock_options=()
published='"published_ports": [7303],'

# The agent's side of the stage: what lets more through than usual, and servers.
stage_agent() {
	agent sysctl -qw net.ipv4.conf.eth0.route_localnet=1 net.ipv4.tcp_fastopen=519
	serve agent udp/127.0.0.11/45353 tcp/127.0.0.11/45353 "${usual_servers[@]}"
	agent nft -f - <<-'END'
		table ip engine {
			chain output {
				type nat hook output priority -100;
				ip daddr 127.0.0.11 tcp dport 53 dnat to 127.0.0.11:45353
				ip daddr 127.0.0.11 udp dport 53 dnat to 127.0.0.11:45353
				ip daddr 127.0.0.1 tcp dport 30000 dnat to 203.0.113.5:443
				ip daddr 127.0.0.1 udp dport 30000 dnat to 203.0.113.5:443
				ip daddr 198.51.100.99 tcp dport 80 dnat to 127.0.0.1:3128
			}
			chain postrouting {
				type nat hook postrouting priority 100;
				oifname "eth0" ip saddr 127.0.0.0/8 masquerade
			}
		}
	END
}

# Beside an engine's resolver.
usual_servers=(udp/127.0.0.53/53 tcp/127.0.0.53/53 udp/127.0.0.1/53 tcp/127.0.0.1/53 udp/::1/53 tcp/::1/53
	tcp/127.0.0.1/853 tcp/::1/853 udp/127.0.0.1/5353 udp/::1/5353 tcp/127.0.0.1/3128 tcp/::/8080 udp/::/8080 late/::/9002)

set_up() {
	local users='"users": [1500]'
	[ "$1" != strict ] || users='"exempt_users": [33]'
	begin_place "$1"
	far sysctl -qw net.ipv4.ping_group_range='0 2147483647'
	world_serve_far
	# The far side's kernel does not know of the connections of a peer of our own.
	far nft -f - <<-'END'
		table inet peer {
			chain output { type filter hook output priority 0; tcp sport { 7000, 7302, 7304 } tcp flags rst drop; }
		}
	END
	stage_agent
	cat >"$WORLD/policy.json" <<-END
		{ "network_mode": "allowlist", $users, $published
		  "allowed_hosts": ["203.0.113.80:443", "[2001:db8:1::80]:443"] }
	END
	copy_programs
	start_helper
	allow_mptcp_roads
}

# The root process that gives users what they ask for.
start_helper() {
	local line
	mkfifo "$WORLD/helper"
	become_agent "$ATTEMPT" --help-others >"$WORLD/helper" &
	world_pids+=($!)
	read -r line <"$WORLD/helper"
	[ "$line" = ready ] || echo "Bail out! the willing process did not start"
}

lock() {
	case $1 in
	none) return 0 ;;
	naive) agent nft -f "$SRCDIR/tests/net/naive.nft" ;;
	*)
		fw apply "${lock_options[@]}" "$WORLD/policy.json" >"$WORLD/apply" 2>&1 || {
			cat "$WORLD/apply"
			return 1
		}
		;;
	esac
}

# The confined user's process; in run it is run that locks.
begin_session() {
	if [ "$1" = run ]; then
		start_session become_agent "$EGRESSFW" run --quiet "${lock_options[@]}" "$WORLD/policy.json" -- "$programs/plain" --lines
	else
		start_session become_user $AGENT_UID "$programs/plain" --lines
	fi
	echo "$programs/plain tcp 203.0.113.80:443" >&"$session_in"
	read -r -t 20 -u "$session_out" _
}

# wanted_state WORLD ROW STATE-OF-THE-TABLE TARGET: a place may close more than the table says.
wanted_state() {
	echo "$3"
}

# prepare_row WANTED: before a row is tried.
prepare_row() {
	true
}

# wanted_word ROW TARGET WORD-OF-THE-TABLE: what the program sees after apply.
wanted_word() {
	echo "$3"
}

# each_row FUNCTION ARG...: calls it with the fields of each row behind.
each_row() {
	local row target none naive apply run strict word
	while read -r -u 9 row target none naive apply run strict word; do
		case $row in '' | '#'*) continue ;; esac
		wanted_row "$row" || continue
		"$@" "$row" "$target" "$none" "$naive" "$apply" "$run" "$strict" "$word" 9<&-
	# Not standard input, which what is tried could read.
	done 9<"$table"
}

# Whether the row that was tried cannot be tried on this kernel; what run refuses looks the same.
lacks_kernel() {
	[ "$1" != run ] && [ "$seen" = no-kernel ]
}

begin_row() {
	case $1 in early-*) begin_early "$1" "$2" ;; esac
}

try_row() {
	local world=$1 row=$2 target=$3 none=$4 naive=$5 apply=$6 run=$7 strict=$8 word=$9 want tries
	want=$(wanted_state "$world" "$row" "${!world}" "$target")
	word=$(wanted_word "$row" "$target" "$word")
	prepare_row "$want"
	case $row in
	pasta:* | slirp4netns:*)
		command -v "${row%%:*}" >/dev/null || {
			outcome["$world $row $target"]=skipped
			skip "$world: $row $target" "needs ${row%%:*}"
			return
		}
		;;
	esac
	# Where the machine is busy a way that is open may take longer than the program waits. That one is closed
	# must be seen at once.
	for tries in 1 2 3; do
		case $row in
		early-*) try_early "$row" "$target" ;;
		kernel-*) try_kernel "$row" "$target" "$world" ;;
		*) try "$row" "$target" "$world" ;;
		esac
		[ "$want" = open ] && [ "$state" = closed ] && [ "$seen" != no-kernel ] || break
	done
	outcome["$world $row $target"]="$state"
	printf '# %-6s %-26s %-31s %-14s %5d packets  %s\n' "$world" "$row" "$target" "$seen" "$packets" "$state"
	if lacks_kernel "$world"; then
		outcome["$world $row $target"]=no-kernel
		check_absent "$world: $row $target"
	elif [ "$state" != "$want" ]; then
		not_ok "$world: $row $target is $want" "saw $seen, $packets packets" "$(wire_since | head -20)"
	elif [ "$world" = apply ] && [ "$word" != - ] && [ "$seen" != "$word" ]; then
		not_ok "$world: $row $target sees $word" "saw $seen"
	else
		ok "$world: $row $target is $want"
	fi
}

# What the running kernel was built without can be refused by no rule; all that can be demanded is that
# nothing leaves. The table says no-kernel, so that nobody takes it for a proof.
check_absent() {
	if [ "$packets" -eq 0 ]; then
		ok "$1: this kernel has none, and nothing leaves"
	else
		not_ok "$1: nothing leaves, the kernel having none" "$packets packets" "$(wire_since | head -20)"
	fi
}

# try_world WORLD: everything in one set-up.
try_world() {
	set_up "$1"
	each_row begin_row
	check "$1: the rules are loaded" lock "$1"
	go_on_early "$1"
	begin_session "$1"
	each_row try_row "$1"
	end_session
	controls "$1"
}
