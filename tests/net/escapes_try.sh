# escapes_try.sh: one row of escapes.table tried; sourced by escapes.sh.
# shellcheck shell=bash
#
# The confined user's attempts are made by one process that is started once for a set-up ("session"): as the user,
# or by `egressfw run`. What needs another beginning is started by itself.

# --- the session --------------------------------------------------------------------------------------

# Copies of the program in a place that every user may go to, with what only root can give a file.
copy_programs() {
	programs=$WORLD/programs
	mkdir -m 755 "$programs"
	cp "$ATTEMPT" "$programs/plain"
	install -m 4755 -o 0 -g 0 "$ATTEMPT" "$programs/setuid"
	install -m 4755 -o $OTHER_UID -g $OTHER_UID "$ATTEMPT" "$programs/third"
	install -m 755 "$ATTEMPT" "$programs/capsetuid"
	setcap cap_setuid=ep "$programs/capsetuid"
	install -m 755 "$ATTEMPT" "$programs/capraw"
	setcap cap_net_raw=ep "$programs/capraw"
	install -m 755 "$SRCDIR/tests/net/attempt_pasta.sh" "$programs/pasta"
	install -m 755 "$SRCDIR/tests/net/attempt_slirp.sh" "$programs/slirp4netns"
}

# Become the program, for use with "&": the shell's child, which it ends, is then the program itself.
become_agent() {
	exec nsenter -t "$world_agent" -m -n -w -- "$@"
}
become_user() {
	local uid=$1
	shift
	become_agent setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all -- "$@"
}

start_session() { # CMD... that reads lines and answers each by one
	mkfifo "$WORLD/session-in" "$WORLD/session-out"
	exec {session_in}<>"$WORLD/session-in" {session_out}<>"$WORLD/session-out"
	"$@" <"$WORLD/session-in" >"$WORLD/session-out" 2>"$WORLD/session-err" &
	session_pid=$!
	world_pids+=($session_pid)
}

end_session() {
	serve_end "$session_pid"
	exec {session_in}<&- {session_out}<&-
	rm "$WORLD/session-in" "$WORLD/session-out"
}

# A process beside it with the same answers, for what does not start as the confined user.
start_beside() {
	mkfifo "$WORLD/beside"
	exec {beside}<>"$WORLD/beside"
	become_agent "$@" >"$WORLD/beside" 2>"$WORLD/beside-err" &
	beside_pid=$!
	world_pids+=($beside_pid)
}

end_beside() {
	wait "$beside_pid" 2>/dev/null
	exec {beside}<&-
	rm "$WORLD/beside"
}

# --- from a row to a call -----------------------------------------------------------------------------

# Steps of every attempt, which a row of a place can change.
usual_steps=()

# Sets program, steps, opening (root's steps before that), name and manner from "step:step:name".
read_row() {
	local words word
	program=$programs/plain steps=("${usual_steps[@]}") opening=("${usual_steps[@]}") manner=session descriptor=7
	IFS=: read -ra words <<<"$1"
	name=${words[-1]}
	unset 'words[-1]'
	for word in "${words[@]}"; do
		case $word in
		setuid | third | capraw | pasta | slirp4netns) program=$programs/$word ;;
		capsetuid) program=$programs/capsetuid steps+=(--become 0) ;;
		fsuid-user) steps+=(--fsuid $AGENT_UID) ;;
		fsuid-other) steps+=(--fsuid $OTHER_UID) ;;
		setns) steps+=(--setns "$setns_pid") ;;
		ambient) manner=ambient steps+=(--become 0) ;;
		root) manner=root opening+=(--open) ;;
		owned) opening+=(--own $AGENT_UID) ;;
		input) descriptor=0 ;;
		*) steps+=("--$word") ;;
		esac
	done
}

# What is started for a row; its answers are read from $answers.
start_row() {
	local target=$1 world=$2 run=("$EGRESSFW" run --quiet --no-canary "${lock_options[@]}" "$WORLD/policy.json" --)
	case $manner:$world in
	session:*)
		printf '%s\n' "$program ${steps[*]} $name $target" >&"$session_in"
		answers=$session_out
		return
		;;
	root:run)
		start_beside "$ATTEMPT" "${opening[@]}" --at $descriptor "$name" "$target" -- \
			"${run[@]}" "$program" "${usual_steps[@]}" --descriptor $descriptor "$name" "$target"
		;;
	root:*) start_beside "$ATTEMPT" "${opening[@]}" --uid $AGENT_UID "$name" "$target" ;;
	ambient:run)
		start_beside setpriv --inh-caps +setuid --ambient-caps +setuid -- \
			"${run[@]}" "$program" "${steps[@]}" "$name" "$target"
		;;
	ambient:*)
		start_beside setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups --no-new-privs \
			--inh-caps +setuid --ambient-caps +setuid -- "$program" "${steps[@]}" "$name" "$target"
		;;
	esac
	answers=$beside
}

# --- one row ------------------------------------------------------------------------------------------

# What the far side does once the user's program is ready for it.
meet() {
	local host port=${1##*:} own
	host=$(host_of "$1") own=$(own_address "$1")
	case $name in
	listen) far "$ATTEMPT" --uid 0 tcp "$1" >/dev/null ;;
	listen-fastopen) far "$PEER" fastopen "$host" "$port" "$(far_address "$1")" 7000 >/dev/null ;;
	listen-*) far "$PEER" window "$host" "$port" "$(far_address "$1")" 7000 >/dev/null ;;
	simultaneous) far "$PEER" meet "$own" 7301 "$host" "$port" >/dev/null ;;
	published-*) far "$PEER" "${name#published-}" "$own" 7303 "$host" "$port" >/dev/null ;;
	esac
}

host_of() {
	local host=${1%:*}
	host=${host#[}
	echo "${host%]}"
}

own_address() {
	case $1 in [[]*) echo 2001:db8::2 ;; *) echo 192.0.2.2 ;; esac
}

far_address() {
	case $1 in [[]*) echo 2001:db8::1 ;; *) echo 192.0.2.1 ;; esac
}

# Something of the user's data, by the ports of the connection.
data_of() {
	wire_since '($2 == "tcp" || $2 == "udp") && $9 > 0 && ($4 == '"$1"' || $6 == '"$1"')'
}

# Loads the rules again and again while the user sends.
reload() {
	local world=$1 i
	for i in 1 2 3 4 5 6 7 8; do
		case $world in
		none) sleep 0.1 ;;
		naive)
			agent nft delete table inet naive
			agent nft -f "$SRCDIR/tests/net/naive.nft"
			;;
		*) fw apply --no-canary --quiet "$WORLD/policy.json" ;;
		esac
	done
}

# Sets answer. One that comes late would be taken for that of the next row; what died without a word gives none.
read_answer() {
	answer=
	read -r -t 20 -u "$answers" answer || [ "$answers" = "${beside:-}" ] || {
		echo "Bail out! the session has no answer"
		exit 1
	}
}

# Sets seen (the program's word), packets (what reached the far side) and state (open or closed).
try() {
	local target=$2 world=$3 answer=
	read_row "$1"
	wire_mark
	[ "$name" != listen-cookies ] || agent sysctl -qw net.ipv4.tcp_syncookies=2
	start_row "$target" "$world"
	[ "$name" != udp-flood ] || reload "$world"
	read_answer
	if [ "$answer" = ready ]; then
		meet "$target"
		read_answer
	fi
	[ "$answers" != "${beside:-}" ] || end_beside
	[ "$name" != listen-cookies ] || agent sysctl -qw net.ipv4.tcp_syncookies=1
	seen=${answer% *}
	case $name in
	join) packets=$(wire_joins | wc -l) ;;
	listen* | simultaneous)
		# What is sent again comes later.
		sleep 0.7
		packets=$(data_of "${target##*:}" | awk -v own="$(own_address "$target")" '$3 == own' | wc -l)
		;;
	# The kernel's resets are no more than that.
	published-*) packets=$(wire_since '$7 !~ /R/' | wc -l) ;;
	*) packets=$(wire_since | wc -l) ;;
	esac
	judge_row
}

# What came from there since the mark, and is more than the kernel says by itself: data over TCP, or of an ICMP
# message more than it quotes or gives back of what it was asked with: $2 bytes, and headers.
more_than_asked() {
	awk -v from="$wire_marked" -v own="$1" -v asked="$2" '
		$1 == "mark" { on = on || $2 == from; next }
		!on || $1 != "packet" || $3 != own { next }
		$2 == "tcp" && $9 > 0 { print }
		$2 == "icmp" && $7 ~ /^type=[03]$/ && $8 > 20 + 8 + ($7 == "type=3" ? 20 + 8 : 0) + asked { print }
		$2 == "icmpv6" && $7 ~ /^type=(1|129)$/ && $8 > 40 + 8 + ($7 == "type=1" ? 40 + 8 : 0) + asked { print }
	' "$WORLD/wire"
}

# Whether a port there was said to be closed since the mark.
has_unreachable() {
	awk -v from="$wire_marked" -v own="$1" '
		$1 == "mark" { on = on || $2 == from; next }
		on && $3 == own && ($2 == "icmp" && $7 == "type=3" || $2 == "icmpv6" && $7 == "type=1") { found = 1 }
		END { exit !found }
	' "$WORLD/wire"
}

# What the kernel answers by itself, whoever is confined: the far side asks, and no user has a part in it.
try_kernel() {
	local answer asked
	name=$1 packets=0 state=closed
	# attempt.h: PAYLOAD.
	asked='egress attempt '
	wire_mark
	case $1 in
	kernel-echo) answer=$(far "$ATTEMPT" --uid 0 ping "$2") ;;
	kernel-reset) answer=$(far "$ATTEMPT" --uid 0 tcp "$2") ;;
	kernel-unreachable) answer=$(far "$ATTEMPT" --uid 0 udp "$2") ;;
	esac
	seen=${answer% *}
	case $name:$seen in kernel-echo:answered | kernel-reset:ECONNREFUSED) state=open ;; esac
	wire_settle
	[ "$name" != kernel-unreachable ] || ! has_unreachable "$(own_address "$2")" || state=open
	same "$3: $1 $2 has no data but what was asked with" "" \
		"$(more_than_asked "$(own_address "$2")" ${#asked})"
}

judge_row() {
	state=closed
	case $name:$seen in
	listen* | simultaneous:* | early-*) ;;
	*:connected | *:answered | *:opened) state=open ;;
	esac
	[ "$packets" -eq 0 ] || state=open
}
