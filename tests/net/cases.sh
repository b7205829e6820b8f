# cases.sh: what the case scripts share: a world with servers, policies from text, and "nothing has changed".
# shellcheck shell=bash
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

cases_begin() {
	[ -x "$EGRESSFW" ] || skip_all "there is no $EGRESSFW"
	world_begin
	world_serve_far
	foreign_tables | agent nft -f -
}

# fw COMMAND ARG... by the back end that the script is about: $back_end, or what `auto` takes.
by() {
	local command=$1
	shift
	fw "$command" ${back_end:+--backend "$back_end"} "$@"
}

# After cases_begin, in a script about legacy tables.
xt_require() {
	local program
	for program in iptables-legacy iptables-legacy-save ip6tables-legacy; do
		command -v $program >/dev/null || skip_all "needs the program $program"
	done
	agent iptables-legacy -nL >/dev/null 2>&1 && agent ip6tables-legacy -nL >/dev/null 2>&1 ||
		skip_all "this kernel has no legacy tables"
}

# Tables such as engines and administrators load; nobody may touch them.
foreign_tables() {
	cat <<-'END'
		table ip engine {
			chain output {
				type nat hook output priority -100; policy accept;
				ip daddr 127.0.0.11 udp dport 53 counter dnat to 127.0.0.11:45353
				ip daddr 127.0.0.11 tcp dport 53 counter dnat to 127.0.0.11:45353
			}
		}
		table inet administrator {
			set blocked { type ipv4_addr; flags interval; elements = { 198.51.100.0/24 } }
			chain forward { type filter hook forward priority 0; policy accept; ip daddr @blocked drop; }
		}
	END
}

# policy NAME <JSON: writes $WORLD/NAME.json, which only root may write.
policy() {
	cat >"$WORLD/$1.json"
	chmod 644 "$WORLD/$1.json"
}

# Everything that a refusal must leave alone.
snapshot() {
	foreign_rules
	our_rules
	echo "--- hosts"
	agent cat /etc/hosts
}

# refused NAME STATUS PATTERN ARG...: fw ARG... exits so, says so, and changes nothing.
refused() {
	local name=$1 want=$2 pattern=$3 before got
	shift 3
	before=$(snapshot)
	run_quietly fw "$@" && got=0 || got=$?
	if [ "$got" -ne "$want" ]; then
		not_ok "$name" "wanted exit status $want, got $got" "$(show_output)"
	elif ! grep -qE -- "$pattern" "$WORLD/err"; then
		not_ok "$name" "standard error does not say: $pattern" "$(show_output)"
	elif [ "$(wc -l <"$WORLD/err")" -ne 1 ]; then
		not_ok "$name" "the message is not one line" "$(show_output)"
	elif [ "$(snapshot)" != "$before" ]; then
		not_ok "$name" "something was changed" "$(diff <(echo "$before") <(snapshot))"
	else
		ok "$name"
	fi
}

# closed NAME ATTEMPT TARGET: the confined user does not get there, and nothing reaches the far side.
closed() {
	local answer packets
	wire_mark
	answer=$(attempt $AGENT_UID "$2" "$3")
	packets=$(wire_since)
	case ${answer% *} in
	connected | answered) not_ok "$1" "got through: $answer" ;;
	*) if [ -z "$packets" ]; then ok "$1"; else not_ok "$1" "saw $answer" "$packets"; fi ;;
	esac
}

# Its last packets must not be taken for some of what is tried next.
ended() { # TARGET
	local tries=0
	while [ -n "$(agent ss -Htn state fin-wait-1 state fin-wait-2 state closing state last-ack dst "$1")" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || return 0
		sleep 0.005
	done
}

# reached NAME ATTEMPT TARGET [UID]
reached() {
	check "$1" attempt "${4:-$AGENT_UID}" "$2" "$3"
	case $2 in tcp*) ended "$3" ;; esac
}

# closes_more NAME APPLY...: with pins.json standing, a policy for one more user whose name cannot be found closes that
# user, and takes nothing from the one who was confined; without a kept plan it closes both.
closes_more() {
	local name=$1
	shift
	policy more <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID, $OTHER_UID], "allowed_hosts": ["nobody.invalid"] }
	END
	check "$name: pins" "$@" --quiet "$WORLD/pins.json"
	status 4 "$name: one more user, and a name that cannot be found" "$@" --timeout 1 "$WORLD/more.json"
	says "$name: what is left is said" "uid $OTHER_UID is closed \(loopback only\), for others what stood before still stands"
	reached "$name: the first user has the pin" tcp 203.0.113.5:443
	reached "$name: and the one over IPv6" tcp '[2001:db8:1::5]:443'
	closed "$name: and no more" tcp 1.1.1.1:443
	closed "$name: and no more over IPv6" tcp '[2606:4700:4700::1111]:443'
	deny "$name: the second is closed" attempt $OTHER_UID tcp 203.0.113.5:443
	deny "$name: the second is closed over IPv6" attempt $OTHER_UID tcp '[2001:db8:1::5]:443'
	reached "$name: but for loopback" tcp 127.0.0.1:8080 $OTHER_UID
	# Twice adds up.
	status 4 "$name: once more" "$@" --timeout 1 "$WORLD/more.json"
	deny "$name: the second is closed still" attempt $OTHER_UID tcp '[2001:db8:1::5]:443'
	closed "$name: the first is not open" tcp 1.1.1.1:443
	check "$name: pins again" "$@" --quiet "$WORLD/pins.json"
	reached "$name: which let the second go" tcp 203.0.113.5:443 $OTHER_UID
	agent rm -r /run/egressfw
	status 4 "$name: where no plan is kept" "$@" --timeout 1 "$WORLD/more.json"
	deny "$name: the second is closed then" attempt $OTHER_UID tcp 203.0.113.5:443
	deny "$name: the second is closed then over IPv6" attempt $OTHER_UID tcp '[2001:db8:1::5]:443'
	closed "$name: and the first is not open then" tcp 1.1.1.1:443
	closed "$name: and the first is not open then over IPv6" tcp '[2606:4700:4700::1111]:443'
}

# outside_closed WHEN: nothing of the user leaves, over both families and every protocol; root goes on. The engine's
# resolver has to be served.
outside_closed() {
	closed "$1: TCP over IPv4" tcp 1.1.1.1:443
	closed "$1: TCP over IPv6" tcp '[2606:4700:4700::1111]:443'
	closed "$1: UDP over IPv4" udp 1.1.1.1:53
	closed "$1: UDP over IPv6" udp '[2606:4700:4700::1111]:53'
	closed "$1: ping" ping 1.1.1.1:0
	closed "$1: ping over IPv6" ping '[2606:4700:4700::1111]:0'
	closed "$1: the engine's resolver" udp 127.0.0.11:53
	reached "$1: root over IPv4" tcp 1.1.1.1:443 0
	reached "$1: root over IPv6" tcp '[2606:4700:4700::1111]:443' 0
}

no_network() {
	policy "${1:-none}" <<-END
		{ "network_mode": "no-network", "users": [$AGENT_UID] }
	END
}
