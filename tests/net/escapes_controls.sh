# escapes_controls.sh: ordinary life that must go on under every ruleset; sourced by escapes.sh.
# shellcheck shell=bash

# Up to three times: a busy machine may answer later than the program waits.
attempt_again() {
	attempt "$@" || attempt "$@" || attempt "$@"
}

# answers NAME UID ATTEMPT TARGET: the attempt gets through.
answers() {
	check "$1" attempt_again "$2" "$3" "$4"
}

# quickly NAME WORD UID ATTEMPT TARGET: the program sees WORD each time, and once in less than half a second: what
# hangs does so for a second at least, every time; what waits for a busy machine does not.
quickly() {
	local name=$1 word=$2 answer tries
	shift 2
	for tries in 1 2 3 4 5; do
		answer=$(attempt "$@")
		[ "${answer% *}" = "$word" ] && [ "${answer#* }" -ge 500000 ] || break
	done
	if [ "${answer% *}" = "$word" ] && [ "${answer#* }" -lt 500000 ]; then
		ok "$name"
	else
		not_ok "$name" "saw (word, microseconds): $answer"
	fi
}

# One mebibyte arrives whole although its sender is gone.
uploads() {
	local name=$1 before tries=0
	before=$(grep -c '^sink 9001 1048576 eof$' "$WORLD/wire")
	attempt "$2" tcp-upload "$3" >/dev/null
	until [ "$(grep -c '^sink 9001 1048576 eof$' "$WORLD/wire")" -gt "$before" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { not_ok "$name" "$(grep '^sink' "$WORLD/wire")"; return; }
		sleep 0.05
	done
	ok "$name"
}

# Left alone, one that is not answered stays for minutes.
no_last_ack() {
	local tries
	for ((tries = 0; tries < 100; tries++)); do
		sleep 0.1
		[ -n "$(far ss -tanH state last-ack)" ] || return 0
	done
	return 1
}

control_mptcp() {
	answers "$1: root, MPTCP" 0 mptcp 1.1.1.1:8443
}

# forget_neighbours -4|-6
forget_neighbours() {
	agent ip "$1" neigh flush dev eth0
}

controls_unconfined() {
	local world=$1
	answers "$world: root, TCP" 0 tcp 1.1.1.1:443
	answers "$world: root, TCP over IPv6" 0 tcp '[2606:4700:4700::1111]:443'
	answers "$world: root, UDP" 0 udp 1.1.1.1:53
	answers "$world: root, UDP over IPv6" 0 udp '[2606:4700:4700::1111]:53'
	control_mptcp "$world"
	answers "$world: root, ping" 0 ping 1.1.1.1:0
	answers "$world: root, ping over IPv6" 0 ping '[2606:4700:4700::1111]:0'
	answers "$world: root, the engine's resolver" 0 udp 127.0.0.11:53
	uploads "$world: root, an upload that goes on after the close" 0 203.0.113.5:9001
	uploads "$world: root, the same over IPv6" 0 '[2001:db8:1::5]:9001'
	check "$world: root, closing first leaves nobody in LAST-ACK" no_last_ack
	check "$world: root, a server that accepts late" far "$ATTEMPT" --uid 0 tcp 192.0.2.2:9002
	check "$world: root, the same over IPv6" far "$ATTEMPT" --uid 0 tcp '[2001:db8::2]:9002'
	forget_neighbours -4
	answers "$world: neighbours are found again" 0 tcp 1.1.1.1:443
	forget_neighbours -6
	answers "$world: neighbours are found again over IPv6" 0 tcp '[2606:4700:4700::1111]:443'
	answers "$world: a system user, UDP" 33 udp 1.1.1.1:53
	# Unless the strict policy exempts this one too.
	if [ "$world" = strict ] && [ -z "${other_is_exempt:-}" ]; then
		deny "strict: another user, TCP" attempt $OTHER_UID tcp 1.1.1.1:443
		return
	fi
	answers "$world: another user, TCP" $OTHER_UID tcp 1.1.1.1:443
	answers "$world: another user, TCP over IPv6" $OTHER_UID tcp '[2606:4700:4700::1111]:443'
}

controls_confined() {
	local world=$1
	serve agent:$AGENT_UID tcp/::/8090 udp/::/8090
	answers "$world: the user's own server, TCP" $AGENT_UID tcp 127.0.0.1:8090
	answers "$world: the user's own server, TCP over IPv6" $AGENT_UID tcp '[::1]:8090'
	answers "$world: the user's own server, UDP" $AGENT_UID udp 127.0.0.1:8090
	answers "$world: the user's own server, UDP over IPv6" $AGENT_UID udp '[::1]:8090'
	quickly "$world: a closed loopback port answers at once" ECONNREFUSED $AGENT_UID tcp 127.0.0.1:8099
	quickly "$world: the same over IPv6" ECONNREFUSED $AGENT_UID tcp '[::1]:8099'
	answers "$world: the user pings loopback" $AGENT_UID ping 127.0.0.1:0
	answers "$world: the user pings loopback over IPv6" $AGENT_UID ping '[::1]:0'
}

# What a refused program sees: the right error, at once.
controls_refusal() {
	quickly "a refused TCP connect fails at once" ECONNREFUSED $AGENT_UID tcp 1.1.1.1:443
	quickly "the same over IPv6" ECONNREFUSED $AGENT_UID tcp '[2606:4700:4700::1111]:443'
	quickly "without blocking" ECONNREFUSED $AGENT_UID tcp-nonblocking 1.1.1.1:443
	quickly "without blocking, over IPv6" ECONNREFUSED $AGENT_UID tcp-nonblocking '[2606:4700:4700::1111]:443'
	quickly "a refused UDP send fails at once" EPERM $AGENT_UID udp 1.1.1.1:53
	quickly "the same over IPv6" EPERM $AGENT_UID udp '[2606:4700:4700::1111]:53'
	quickly "a connection to the user from outside is refused" ECONNREFUSED $AGENT_UID tcp 192.0.2.2:8090
	deny "a user's server answers nobody outside" far "$ATTEMPT" --uid 0 tcp 192.0.2.2:8090
	deny "nor over IPv6" far "$ATTEMPT" --uid 0 tcp '[2001:db8::2]:8090'
}

controls() {
	controls_unconfined "$1"
	controls_confined "$1"
	case $1 in apply | run | strict) controls_refusal ;; esac
}
