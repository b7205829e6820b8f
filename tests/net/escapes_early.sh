# escapes_early.sh: the rows of escapes.table that begin before the lock, all side by side; sourced by escapes.sh.
# shellcheck shell=bash

declare -A early_over early_go early_answers early_pid early_server early_seen early_packets

serve_early() { # NAME PORT
	case $1 in
	early-close | early-kill | early-unsent | early-linger) serve far -o "$WORLD/wire" "stall/::/$2" ;;
	early-mptcp-*) serve far "mptcp/::/$2" ;;
	early-udp) serve far "udp/::/$2" ;;
	early-accepted) return ;;
	*) serve far "tcp/::/$2" ;;
	esac
	early_server[$2]=$served_pid
}

# Starts one and waits until its first half is done.
begin_early() {
	local name=$1 target=$2 port=${2##*:} go answers line
	serve_early "$name" "$port"
	[ "$name" != early-timewait ] || early_over[$port]=$target
	mkfifo "$WORLD/go-$port" "$WORLD/answers-$port"
	exec {go}<>"$WORLD/go-$port" {answers}<>"$WORLD/answers-$port"
	become_agent "$ATTEMPT" --uid $AGENT_UID "$name" "$target" <"$WORLD/go-$port" >"$WORLD/answers-$port" &
	early_pid[$port]=$!
	world_pids+=(${early_pid[$port]})
	early_go[$port]=$go early_answers[$port]=$answers
	if [ "$name" = early-accepted ]; then
		until far "$ATTEMPT" --uid 0 tcp "$target" >/dev/null; do sleep 0.02; done
	fi
	read -r -t 10 -u "$answers" line
	case $line in
	ready) ;;
	no-kernel*) early_seen[$port]=no-kernel ;;
	*)
		echo "Bail out! $name $target did not begin: $line"
		exit 1
		;;
	esac
}

# A new road for connections of MPTCP that stand: an address that the far side announces, and one of our own.
add_mptcp_roads() {
	[ -z "${mptcp_roads:-}" ] || return 0
	mptcp_roads=yes
	far ip mptcp endpoint add 203.0.113.6 dev eth0 signal
	far ip mptcp endpoint add 2001:db8:1::6 dev eth0 signal
	agent ip address add 192.0.2.3/24 dev eth0
	agent ip -6 address add 2001:db8::3/64 dev eth0 nodad
	agent ip mptcp endpoint add 192.0.2.3 dev eth0 subflow
	agent ip mptcp endpoint add 2001:db8::3 dev eth0 subflow
	sleep 0.5
}

allow_mptcp_roads() {
	far ip mptcp limits set subflow 8 add_addr_accepted 8
	agent ip mptcp limits set subflow 8 add_addr_accepted 8
}

remove_mptcp_roads() {
	mptcp_roads=
	far ip mptcp endpoint flush
	agent ip mptcp endpoint flush
	agent ip address del 192.0.2.3/24 dev eth0
	agent ip -6 address del 2001:db8::3/64 dev eth0
}

# await_early WORLD ROW TARGET STATES: what is open may be late on a busy machine.
await_early() {
	local world=$1 port=${3##*:} tries none=$4 naive=$5 apply=$6 run=$7 strict=$8
	case $2 in early-*) ;; *) return ;; esac
	[ "$(wanted_state "$world" "$2" "${!world}")" = open ] || return 0
	for ((tries = 0; tries < 100; tries++)); do
		[ -z "$(data_of "$port")" ] || return 0
		[ -z "${early_over[$port]:-}" ] || [ -z "$(answers_over "$port")" ] || return 0
		sleep 0.1
	done
}

# go_on_early [WORLD]: the second halves, all at once: windows open, data is sent, files are closed. Nothing of it is
# left afterwards.
go_on_early() {
	local port answer
	[ ${#early_go[@]} -gt 0 ] || return 0
	wire_mark
	add_mptcp_roads
	for port in "${!early_go[@]}"; do echo >&"${early_go[$port]}"; done
	sleep 1.4
	for port in "${!early_server[@]}"; do kill -USR1 "${early_server[$port]}" 2>/dev/null; done
	for port in "${!early_over[@]}"; do
		far "$PEER" stray "$(own_address "${early_over[$port]}")" "$port" "$(host_of "${early_over[$port]}")" "$port"
	done
	sleep 2.2
	[ -z "${1:-}" ] || each_row await_early "$1"
	for port in "${!early_go[@]}"; do
		answer=
		read -r -t 0.2 -u "${early_answers[$port]}" answer
		early_seen[$port]=${early_seen[$port]:-${answer% *}}
		early_packets[$port]=$(data_of "$port" | wc -l)
		[ -z "${early_over[$port]:-}" ] || count_answers "$port"
	done
	end_early
	remove_mptcp_roads
	wire_settle
}

# Packets from here of a connection that is over.
answers_over() {
	wire_since '$2 == "tcp" && $4 == '"$1"' && $6 == '"$1"' && $3 == "'"$(own_address "${early_over[$1]}")"'"'
}

# Of a connection that is over the packets count, in which there must be no data.
count_answers() {
	same "early-timewait ${early_over[$1]} has no data" 0 "${early_packets[$1]}"
	early_packets[$1]=$(answers_over "$1" | wc -l)
}

# What the row came to: sets seen, packets and state as try does.
try_early() {
	local port=${2##*:}
	name=$1 seen=${early_seen[$port]} packets=${early_packets[$port]}
	judge_row
}

end_early() {
	local port descriptor
	for port in "${!early_pid[@]}"; do
		serve_end "${early_pid[$port]}" 2>/dev/null
		[ -z "${early_server[$port]:-}" ] || serve_end "${early_server[$port]}"
		descriptor=${early_go[$port]}
		exec {descriptor}<&-
		descriptor=${early_answers[$port]}
		exec {descriptor}<&-
		rm "$WORLD/go-$port" "$WORLD/answers-$port"
	done
	early_over=() early_go=() early_answers=() early_pid=() early_server=()
}
