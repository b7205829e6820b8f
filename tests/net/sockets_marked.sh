#!/bin/bash
# sockets_marked.sh: what others closed before the lock and had not yet sent goes on; what confined users had does not.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
PEER=${PEER:-$BUILDDIR/tests/net/peer}
no_network
policy allow <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID],
  "allowed_hosts": ["203.0.113.5:7600-7699", "[2001:db8:1::5]:7600-7699"] }
END
mkfifo "$WORLD/word"
exec {word}<>"$WORLD/word"

wait_ready() { # FILE
	local tries=0
	until grep -qs ready "$1"; do
		tries=$((tries + 1))
		[ "$tries" -lt 500 ] || { echo "Bail out! nothing is ready: $1"; exit 1; }
		sleep 0.02
	done
}

# start_attempt FILE ARG...: its process in $started; a word lets it go on.
start_attempt() {
	local answers=$1
	shift
	# What the one before it said must not be taken for its word.
	rm -f "$answers"
	nsenter -t "$world_agent" -m -n -w -- "$ATTEMPT" "$@" <"$WORLD/word" >"$answers" &
	started=$!
	world_pids+=($started)
	wait_ready "$answers"
}

# A server that stalls, on the next port, and an upload of that uid to it that was closed: what is left has no owner.
port=7600
begin_upload() { # UID HOST
	port=$((port + 1))
	serve far -o "$WORLD/wire" "stall/::/$port"
	stalls+=("$served_pid")
	ports+=("$port")
	start_attempt "$WORLD/upload" --uid "$1" early-unsent "$2:$port"
	uploads+=("$started")
}

begin() {
	stalls=() uploads=() ports=()
}

open_windows() {
	local pid
	kill -USR1 "${stalls[@]}"
	sleep 2
	for pid in "${uploads[@]}" "${stalls[@]}"; do serve_end "$pid"; done
}

# How many bytes a server got, if it was told the end.
arrived() {
	awk -v port="$1" '$1 == "sink" && $2 == port && $4 == "eof" { bytes = $3 } END { print bytes + 0 }' "$WORLD/wire"
}

whole() { # NAME PORT
	check "$1" test "$(arrived "$2")" -gt 100000
}

for tracking in "without tracking" "with tracking"; do
	# The engine's table of addresses has had connections tracked from their beginning; nobody, without it.
	[ "$tracking" = "with tracking" ] || agent nft flush ruleset
	begin
	begin_upload 0 203.0.113.5
	begin_upload 0 '[2001:db8:1::5]'
	begin_upload $OTHER_UID 203.0.113.5
	begin_upload $AGENT_UID 203.0.113.5
	begin_upload $AGENT_UID '[2001:db8:1::5]'
	check "$tracking: apply" fw apply "$WORLD/none.json"
	says "$tracking: the confined user's are ended" 'sockets +2 ended, 0 could not'
	open_windows
	whole "$tracking: root's upload arrives" "${ports[0]}"
	whole "$tracking: the same over IPv6" "${ports[1]}"
	whole "$tracking: another user's upload arrives" "${ports[2]}"
	same "$tracking: the confined user's does not" 0 "$(arrived "${ports[3]}")"
	same "$tracking: nor over IPv6" 0 "$(arrived "${ports[4]}")"
	check "$tracking: remove" fw remove
	[ "$tracking" = "with tracking" ] || foreign_tables | agent nft -f -
done

begin
begin_upload $AGENT_UID 203.0.113.5
begin_upload 0 203.0.113.5
check "apply: uploads are allowed" fw apply "$WORLD/allow.json"
open_windows
whole "what is allowed goes on" "${ports[0]}"
whole "and root's" "${ports[1]}"
check "remove" fw remove

# A file that is open has something to send, and is closed after the lock before anything of it left.
begin
serve far -o "$WORLD/wire" stall/::/7650
stalls+=("$served_pid")
start_attempt "$WORLD/live" --uid 0 early-close 203.0.113.5:7650
check "apply" fw apply "$WORLD/none.json"
echo >&$word
wait "$started"
open_windows
whole "root closes after the lock" 7650
check "remove" fw remove

# The listener is root's and inherited; the connection has come before the lock and nobody has accepted it: no mark.
far nft -f - <<'END'
table inet peer {
	chain output { type filter hook output priority 0; tcp sport { 7001, 7002 } tcp flags rst drop; }
}
END
queued() { # TARGET ADDRESS FROM PORT LOCK: what the far side got is in $WORLD/peer
	local peer
	start_attempt "$WORLD/queued" --open --uid $AGENT_UID early-queued "$1"
	nsenter -t "$world_far" -n -w -- "$PEER" window "$2" "${1##*:}" "$3" "$4" 4000 >"$WORLD/peer" &
	peer=$!
	world_pids+=($peer)
	sleep 0.5
	[ "$5" = no ] || check "apply, with a connection in a listener's queue" fw apply "$WORLD/none.json"
	echo >&$word
	wait "$started"
	wait "$peer"
}
for own in "192.0.2.2:7660 192.0.2.2 192.0.2.1" "[2001:db8::2]:7660 2001:db8::2 2001:db8::1"; do
	read -r target address from <<<"$own"
	queued "$target" "$address" "$from" 7001 no
	same "$target: without rules what the user writes arrives" "data 15" "$(cat "$WORLD/peer")"
	queued "$target" "$address" "$from" 7002 yes
	check "$target: the user accepts it" grep -q '^connected' "$WORLD/queued"
	same "$target: nothing that is written leaves" "data 0" "$(cat "$WORLD/peer")"
	check "remove" fw remove
done
finish
