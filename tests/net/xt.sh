#!/bin/bash
# xt.sh: the back end xt: chains in legacy xtables, seen by iptables; everything else in them stays as it is.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
command -v strace >/dev/null || skip_all "needs the program strace"
cases_begin
xt_require
back_end=xt
serve agent udp/127.0.0.11/53 udp/127.0.0.1/53 tcp/::/8080
xt() {
	by "$@"
}
no_network none
policy pins <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts":
  ["203.0.113.5:443", "203.0.113.5:80", "[2001:db8:1::5]:443", "198.51.100.64/28:8080", "[2001:db8:2::/64]:80",
   "203.0.113.7:50-60"] }
END
policy other <<END
{ "network_mode": "no-network", "users": [$OTHER_UID] }
END

# What administrators and engines have there: chains with smaller and greater names than ours, loops back into
# the middle of the table, policies, counters.
foreign_xt() {
	local program
	for program in iptables-legacy ip6tables-legacy; do
		agent $program -N aaa
		agent $program -N zzz
		agent $program -A aaa -p tcp --dport 4444 -j DROP
		agent $program -A zzz -m comment --comment "a far chain" -j aaa
		agent $program -A OUTPUT -p udp --dport 4443 -j zzz
		agent $program -A OUTPUT -p tcp --dport 4445 -g aaa
		agent $program -A FORWARD -i eth9 -j zzz
		agent $program -A INPUT -p tcp --dport 22 -j ACCEPT
		agent $program -P FORWARD DROP
	done
}
foreign_xt
attempt 0 udp 1.1.1.1:4443 >/dev/null
attempt 0 udp '[2606:4700:4700::1111]:4443' >/dev/null

# saved [-c]: both families as iptables shows them, without what its own run adds (the time).
saved() {
	{ agent iptables-legacy-save "$@"; agent ip6tables-legacy-save "$@"; } | sed '/^#/d; s/^\(:[A-Z]* [A-Z]*\) .*/\1/'
}
foreign() { saved "$@" | grep -v egressfw; }
# With the counters of rules that nothing passes meanwhile, which are not zero.
counted() { saved -c | grep -E 'zzz|4445|eth9|dport (22|4444)'; }

all_closed() {
	outside_closed "$1"
	closed "$1: a resolver on loopback" udp 127.0.0.1:53
	reached "$1: loopback" tcp 127.0.0.1:8080
	reached "$1: loopback over IPv6" tcp '[::1]:8080'
	reached "$1: root over UDP" udp 1.1.1.1:53 0
}

# shut NAME ATTEMPT TARGET: as closed, where a reset of the connection before may still be on its way.
shut() {
	local answer packets address=${3%:*}
	address=${address#[} address=${address%]}
	wire_mark
	answer=$(attempt $AGENT_UID "$2" "$3")
	packets=$(wire_since "\$5 == \"$address\" && \$6 == ${3##*:}")
	case ${answer% *} in
	connected | answered) not_ok "$1" "got through: $answer" ;;
	*) if [ -z "$packets" ]; then ok "$1"; else not_ok "$1" "saw $answer" "$packets"; fi ;;
	esac
}

before=$(saved)
counted_before=$(counted)
rules_before=$(rules)

# --- no network -----------------------------------------------------------------------------------------

check "apply" xt apply "$WORLD/none.json"
says "it proves by the log group" 'probe +blocked .*1\.1\.1\.1:443.*proof: log'
all_closed "no-network"
same "other rules are as before" "$before" "$(foreign)"
same "and so are their counters" "$counted_before" "$(counted)"
same "nf_tables are as before" "$rules_before" "$(rules)"
same "our jump is the first of OUTPUT" "-A OUTPUT -j egressfw" "$(agent iptables-legacy -S OUTPUT | sed -n 2p)"
same "and over IPv6" "-A OUTPUT -j egressfw" "$(agent ip6tables-legacy -S OUTPUT | sed -n 2p)"
check "iptables takes back what it has saved" agent sh -c 'iptables-legacy-save -c | iptables-legacy-restore -c &&
	ip6tables-legacy-save -c | ip6tables-legacy-restore -c'
# refused_as PROGRAM: how, as others read it.
refused_as() { agent "$1" -S egressfw/refuse | sed -n 's/^-A egressfw.refuse //p' | sed 1d | paste -sd ';'; }
same "refused as nf_tables do" "$(refused_as iptables-legacy)" \
	'-j NFLOG --nflog-prefix "egressfw " --nflog-group 9;-p tcp -j REJECT --reject-with tcp-reset;-m addrtype ! --src-type LOCAL -j DROP;-j REJECT --reject-with icmp-admin-prohibited'
same "refused as nf_tables do, IPv6" "$(refused_as ip6tables-legacy)" \
	'-j NFLOG --nflog-prefix "egressfw " --nflog-group 9;-p tcp -j REJECT --reject-with tcp-reset;-m addrtype ! --src-type LOCAL -j DROP;-j REJECT --reject-with icmp6-adm-prohibited'
check "verify" xt verify
check "verify with the policy" xt verify "$WORLD/none.json"
check "canary" xt canary
says "it is the refuse chain that counts" 'counter \+1'
status 1 "verify by nf_tables finds nothing there" fw verify --backend nft
ours=$(saved)
check "a second apply" xt apply "$WORLD/none.json"
same "changes nothing" "$ours" "$(saved)"

# --- what verify finds ------------------------------------------------------------------------------------

# found NAME KIND COMMAND...: verify says KIND after the command; an apply mends it.
found() {
	local name=$1 kind=$2
	shift 2
	"$@"
	status 1 "verify: $name" xt verify
	says "verify: $name, as $kind" "difference +$kind"
	check "apply after $name" xt apply --quiet --no-canary "$WORLD/none.json"
	same "mends it" "$ours" "$(saved)"
}
for program in iptables-legacy ip6tables-legacy; do
	found "a rule is gone ($program)" rule-missing agent $program -D egressfw/loopback 2
	found "a rule is more ($program)" rule-extra agent $program -I egressfw/confined -p tcp --dport 443 -j ACCEPT
	[ $program = ip6tables-legacy ] ||
		found "a rule is wider" rule-changed agent $program -R egressfw/confined 1 -d 127.0.0.0/8 -g egressfw/loopback
	found "a rule was inverted ($program)" rule-changed \
		agent $program -R egressfw 1 -m owner ! --uid-owner $AGENT_UID -g egressfw/confined
	found "a rule was moved ($program)" rule-moved agent sh -c "$program -D egressfw/loopback -p tcp --dport 853 -g egressfw/refuse; $program -A egressfw/loopback -p tcp --dport 853 -g egressfw/refuse"
	found "the jump is gone ($program)" chain-hook agent $program -D OUTPUT 1
	agent $program -I OUTPUT -p tcp --dport 1 -j ACCEPT
	status 1 "verify: the jump is not the first ($program)" xt verify
	says "verify: the jump is not the first ($program), as chain-priority" 'difference +chain-priority'
	check "apply ($program)" xt apply --quiet --no-canary "$WORLD/none.json"
	check "makes it the first ($program)" xt verify
	agent $program -D OUTPUT -p tcp --dport 1 -j ACCEPT
done
agent iptables-legacy -F egressfw/refuse
status 1 "canary finds that nothing is refused" xt canary
check "apply" xt apply --quiet "$WORLD/none.json"
same "the rules are those of before" "$(sort <<<"$ours")" "$(saved | sort)"

# --- what needs the match conntrack ----------------------------------------------------------------------

policy listed <<END
{ "network_mode": "no-network", "users": [$AGENT_UID], "loopback": [8080], "published_ports": [8090] }
END
check "a list of loopback ports and a published one" xt apply --no-canary "$WORLD/listed.json"
same "other rules are as before" "$before" "$(foreign)"
same "our jump is the first of INPUT" "-A INPUT -j egressfw/input" "$(agent ip6tables-legacy -S INPUT | sed -n 2p)"
check "iptables takes back what it has saved" agent sh -c 'iptables-legacy-save -c | iptables-legacy-restore -c &&
	ip6tables-legacy-save -c | ip6tables-legacy-restore -c'
check "verify" xt verify
# differs NAME KIND COMMAND...
differs() {
	local name=$1 kind=$2
	shift 2
	"$@"
	status 1 "verify: $name" xt verify
	says "verify: $name, as $kind" "difference +$kind"
	check "apply after $name" xt apply --quiet --no-canary "$WORLD/listed.json"
	check "mends it" xt verify
}
for program in iptables-legacy ip6tables-legacy; do
	differs "the jump of INPUT is gone ($program)" chain-hook agent $program -D INPUT 1
	differs "any packet is a first one ($program)" rule-changed agent $program -R egressfw/input 1 ! -i lo -p tcp \
		-m tcp --dport 8090 --tcp-flags FIN,SYN,RST,ACK SYN -j CONNMARK --set-xmark 0x20000000/0x20000000
	differs "either direction is an answer ($program)" rule-changed agent sh -c "
		number=\$($program -S egressfw/confined | grep -n -- '--sport 8090' | cut -d : -f 1)
		$program -R egressfw/confined \$((number - 1)) -p tcp -m tcp --sport 8090 ! --tcp-flags SYN,ACK SYN \
			-m connmark --mark 0x20000000/0x20000000 -j RETURN"
done
check "back to no network" xt apply --quiet --no-canary "$WORLD/none.json"
same "has its rules" "$(sort <<<"$ours")" "$(saved | sort)"

# --- pins, and from policy to policy --------------------------------------------------------------------

check "an allowlist" xt apply "$WORLD/pins.json"
reached "a pinned address" tcp 203.0.113.5:443
reached "at its other port" tcp 203.0.113.5:80
shut "at no third" tcp 203.0.113.5:22
shut "not over UDP" udp 203.0.113.5:443
reached "over IPv6" tcp '[2001:db8:1::5]:443'
reached "an address of a prefix" tcp 198.51.100.70:8080
shut "not the one before it" tcp 198.51.100.63:8080
shut "nor the one behind" tcp 198.51.100.80:8080
reached "a prefix of IPv6" tcp '[2001:db8:2::77]:80'
reached "a port of a range" tcp 203.0.113.7:53
shut "not the one behind the range" tcp 203.0.113.7:61
all_closed "allowlist"
check "verify" xt verify
same "other rules are as before" "$before" "$(foreign)"
check "verify with the policy" xt verify "$WORLD/pins.json"
check "back to the first policy" xt apply "$WORLD/none.json"
same "has its rules" "$(sort <<<"$ours")" "$(saved | sort)"
closed "what was pinned is closed" tcp 203.0.113.5:443

# --- one more user ---------------------------------------------------------------------------------------

closes_more "one more" xt apply
check "pins once more" xt apply --quiet "$WORLD/pins.json"
agent ip6tables-legacy -F egressfw/confined
status 4 "where a table is not whole" xt apply --timeout 1 "$WORLD/more.json"
closed "everybody is closed" tcp 203.0.113.5:443
closed "everybody is closed over IPv6" tcp '[2606:4700:4700::1111]:443'
policy nameless <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["nobody.invalid"] }
END
for program in iptables-legacy ip6tables-legacy; do
	check "pins again" xt apply --quiet --no-canary "$WORLD/pins.json"
	agent $program -F egressfw/refuse
	status 4 "where it is not whole, and nobody is more ($program)" xt apply --timeout 1 "$WORLD/nameless.json"
	closed "everybody is closed ($program)" tcp 203.0.113.5:443
	closed "everybody is closed over IPv6 ($program)" tcp '[2606:4700:4700::1111]:443'
done

# --- foreign rules go on being asked ---------------------------------------------------------------------

check "an allowlist again" xt apply --quiet "$WORLD/pins.json"
agent iptables-legacy -A OUTPUT -d 203.0.113.5 -j DROP
closed "what another rule drops is not opened by a pin" tcp 203.0.113.5:443
agent iptables-legacy -D OUTPUT -d 203.0.113.5 -j DROP

# --- two instances ---------------------------------------------------------------------------------------

check "a second instance" xt apply --name two "$WORLD/other.json"
deny "confines its user" attempt $OTHER_UID tcp 1.1.1.1:443
closed "the first one's user is closed as before" tcp 1.1.1.1:443
reached "and has its pin" tcp 203.0.113.5:443
check "verify of the first" xt verify
check "verify of the second" xt verify --name two
check "remove of the first" xt remove
reached "lets its user go" tcp 1.1.1.1:443
deny "and not the second's" attempt $OTHER_UID tcp 1.1.1.1:443
check "verify of the second" xt verify --name two
check "remove of the second" xt remove --name two
same "everything is as it was" "$before" "$(saved)"
same "and counted as it was" "$counted_before" "$(counted)"

# --- refusals change nothing -----------------------------------------------------------------------------

cannot() {
	policy cannot
	status 3 "$1" xt apply "$WORLD/cannot.json"
	says "$1: names the field" "$2"
	same "$1: changes nothing" "$before" "$(saved)"
}
cannot "too many rules" 'more than' <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID],
  "allowed_hosts": [$(for i in {1..17}; do printf '"10.%d.0.0/16:1-1024", ' "$i"; done; for i in {1..60}; do for j in {1..250}; do printf '"100.64.%d.%d:%d", ' "$i" "$j" $((i + 1)); done; done; for i in {1..10}; do for j in {1..250}; do printf '"100.65.%d.%d:%d", ' "$i" "$j" $((i + 1)); done; done) "10.99.0.1:1"] }
END
status 3 "a name that is too long for its chains" xt apply --name a-name-too-long "$WORLD/none.json"
says "says how long it may be" 'room for 9'
status 3 "plan" xt plan "$WORLD/none.json"
exec {held}>"$WORLD/lock"
agent sh -c 'flock -n 9 || exit; exec sleep 30' 9>/dev/null &
agent touch /run/xtables.lock
# Shared is enough: two of ours exclude each other too.
nsenter -t "$world_agent" -m -n -- flock -s -o /run/xtables.lock sleep 30 </dev/null >/dev/null 2>&1 3>&- &
holder=$!
world_pids+=($holder)
until agent sh -c '! flock -n /run/xtables.lock true'; do sleep 0.01; done
status 3 "the lock is held" xt apply --timeout 1 "$WORLD/none.json"
says "says who holds it" 'xtables.lock.*lock'
same "and changes nothing" "$before" "$(saved)"
nsenter -t "$world_agent" -m -n -- "$EGRESSFW" apply --backend xt --quiet --no-canary --timeout 20 "$WORLD/none.json" \
	>"$WORLD/out" 2>"$WORLD/err" </dev/null 3>&- &
waiting=$!
world_pids+=($waiting)
until [ -n "$(find "/proc/$waiting/fd" -lname /run/xtables.lock 2>/dev/null)" ] || ! kill -0 "$waiting" 2>/dev/null; do
	sleep 0.01
done
# More than one look at it.
sleep 0.1
same "it is waited for" "$before" "$(saved)"
serve_end "$holder"
wait "$waiting" && got=0 || got=$?
same "until it is free" 0 "$got"
check "and then the rules come" xt verify
agent strace -f -qq -o "$WORLD/calls" -e trace=openat,flock,setsockopt,close \
	"$EGRESSFW" apply --backend xt --quiet --no-canary "$WORLD/none.json" >/dev/null 2>&1
same "both families are replaced while it is held" "held held" "$(awk '
	/openat.*xtables.lock/ { lock = $NF }
	lock && $0 ~ "flock\\(" lock ",.* = 0" { held = 1 }
	lock && $0 ~ "close\\(" lock "\\)" { held = 0 }
	/SO_SET_REPLACE|, 0x40,/ { print held ? "held" : "free" }' "$WORLD/calls" | paste -sd ' ')"
agent rm -f /run/xtables.lock
agent ln -s xtables.elsewhere /run/xtables.lock
check "a link in its place" xt apply --no-canary "$WORLD/none.json"
says "is not followed, which is said" 'note +iptables. lock could not be taken \(/run/xtables.lock'
deny "and leads to nothing" agent test -e /run/xtables.elsewhere
agent rm -f /run/xtables.lock
agent mkfifo /run/xtables.lock
check "a pipe in its place is not waited for" timeout 20 nsenter -t "$world_agent" -m -n -- \
	"$EGRESSFW" apply --backend xt --quiet --no-canary "$WORLD/none.json"
agent rm -f /run/xtables.lock
agent mount -t tmpfs -o ro tmpfs /run
check "no lock can be made: goes on" xt apply --no-canary "$WORLD/none.json"
says "and says so" 'xtables.lock'
agent umount /run
check "remove" xt remove

# --- both back ends ---------------------------------------------------------------------------------------

check "nft takes over by itself" fw apply --quiet --no-canary "$WORLD/none.json"
check "xtables besides" xt apply --quiet --no-canary "$WORLD/none.json"
check "verify of nft" fw verify
says "warns of the other" 'warning +foreign-chain: chain egressfw of legacy xtables'
check "remove from nft alone" fw remove --backend nft
says "does not say that nobody is confined" 'no rules of ours are left in the tables of this back end, nor lines in /etc/hosts$'
closed "the other confines" tcp 1.1.1.1:443
check "nft again" fw apply --quiet --no-canary "$WORLD/none.json"
agent touch /run/xtables.lock
agent flock /run/xtables.lock sleep 30 &
holder=$!
world_pids+=($holder)
until agent sh -c '! flock -n /run/xtables.lock true'; do sleep 0.01; done
status 5 "remove, where one of the two cannot be had" fw remove --timeout 1
says "does not say that all stand" '; rules of ours are gone, and not all of them'
status 1 "and one is gone" fw verify --backend nft --timeout 1
serve_end "$holder"
agent rm -f /run/xtables.lock
check "remove" fw remove
says "says that nobody is" 'nobody is confined'
reached "and nobody is" tcp 1.1.1.1:443
same "nothing of ours is in xtables" "$before" "$(saved)"

# --- killed, or refused, in between -----------------------------------------------------------------------

strace -o /dev/null -e inject=getppid:error=EPERM true 2>/dev/null || skip_all "strace cannot inject here"
# inject WHAT N: an apply of the allowlist to whose N-th setsockopt(2) that is done; its exit status is printed.
# N may be a range, as 4..5.
inject() {
	agent timeout -k 1 20 strace -f -qq -o /dev/null -e trace=setsockopt -e "inject=setsockopt:$1:when=$2" \
		"$EGRESSFW" apply --backend xt --quiet --no-canary "$WORLD/pins.json" >"$WORLD/out" 2>"$WORLD/err" </dev/null
	echo $?
}
agent strace -f -qq -o "$WORLD/calls" -e trace=setsockopt \
	"$EGRESSFW" apply --backend xt --quiet --no-canary "$WORLD/pins.json" >/dev/null 2>&1
calls=$(grep -c setsockopt "$WORLD/calls")
check "four of its setsockopt calls replace a table or give counters back" \
	test "$(grep -cE 'SO_SET_REPLACE|SO_SET_ADD_COUNTERS|, 0x4[01],' "$WORLD/calls")" -ge 4
run_quietly xt remove
# numbers PATTERN: which of them are those.
numbers() { grep setsockopt "$WORLD/calls" | grep -nE "$1" | cut -d : -f 1; }
mapfile -t replaces < <(numbers 'SO_SET_REPLACE|, 0x40,')
mapfile -t gives < <(numbers 'SO_SET_ADD_COUNTERS|, 0x41,')
counted_before=$(counted)
for family in 0 1; do
	same "family $family is refused" 3 "$(inject error=ENOMEM "${replaces[family]}")"
	says "family $family is refused: what is left" 'the kernel refuses .*; nothing was changed$'
	same "family $family is refused: and that is so" "$before" "$(saved)"
	same "family $family is refused: with what was counted" "$counted_before" "$(counted)"
	same "family $family: somebody was quicker" 0 "$(inject error=EAGAIN "${replaces[family]}")"
	check "family $family: somebody was quicker: it is done all the same" xt verify
	check "family $family: somebody was quicker: and can be taken out" xt remove
	same "family $family: others keep what was counted" "$counted_before" "$(counted)"
done
same "somebody is always quicker" 3 "$(inject error=EAGAIN "${replaces[0]}+")"
says "somebody is always quicker: what is left" 'at each of 64 tries; nothing was changed$'
same "somebody is always quicker: and that is so" "$before" "$(saved)"
# IPv6 is refused, and then IPv4 cannot be put back: whatever stands is not called unchanged, and is closed.
for errno in ENOMEM EAGAIN; do
	same "neither forwards nor back ($errno)" 5 "$(inject error=$errno "${replaces[1]}..$((replaces[1] + 1))")"
	says "neither forwards nor back ($errno): what is left" '; the confined users have what stood before, or less$'
	closed "neither forwards nor back ($errno): the agent is closed" tcp 1.1.1.1:443
	status 1 "neither forwards nor back ($errno): verify" xt verify
	check "neither forwards nor back ($errno): remove" xt remove
done
for family in 0 1; do
	agent timeout 20 strace -f -qq -o /dev/null -e trace=setsockopt -e "inject=setsockopt:error=ENOMEM:when=${gives[family]}" \
		"$EGRESSFW" apply --backend xt --no-canary "$WORLD/pins.json" >"$WORLD/out" 2>&1 </dev/null
	says "family $family: lost counters are said" 'note +the counters of other rules could not be given back'
	run_quietly xt remove
done
for what in signal=KILL error=ENOMEM; do
	for stood in nothing none; do
		wrong=
		for ((n = 1; n <= calls; n++)); do
			[ $stood = nothing ] || run_quietly xt apply --quiet --no-canary "$WORLD/none.json"
			got=$(inject $what "$n")
			if [ $stood = none ]; then
				for target in 1.1.1.1:443 '[2606:4700:4700::1111]:443'; do
					answer=$(attempt $AGENT_UID tcp $target)
					[ "${answer% *}" = ECONNREFUSED ] || wrong+="call $n: $target saw $answer; "
				done
			elif [ "$got" = 3 ] && [ "$(saved)" != "$before" ]; then
				wrong+="call $n: refused, and something is left; "
			fi
			[ "$(foreign)" = "$before" ] || wrong+="call $n: other rules are changed; "
			attempt 0 tcp 1.1.1.1:443 >/dev/null || wrong+="call $n: root is cut off; "
			run_quietly xt apply --quiet --no-canary "$WORLD/pins.json" && run_quietly xt verify ||
				wrong+="call $n: no apply mends it: $(cat "$WORLD/err"); "
			run_quietly xt remove
		done
		same "$what at each of $calls calls, where $stood stood" "" "$wrong"
	done
done
same "everything is as it was" "$before" "$(saved)"

# Which back end is taken where nobody says: another one than nf_tables only where the kernel has none.
agent strace -qq -o "$WORLD/calls" -e trace=socket "$EGRESSFW" verify >/dev/null 2>&1
first=$(awk '/NETLINK_NETFILTER/ { print NR; exit }' "$WORLD/calls")
# by_itself ERRNO: an apply whose first netlink socket of netfilter is refused so; its exit status is printed.
by_itself() {
	agent timeout 20 strace -qq -o /dev/null -e trace=socket -e "inject=socket:error=$1:when=$first" \
		"$EGRESSFW" apply --no-canary "$WORLD/none.json" >"$WORLD/out" 2>"$WORLD/err" </dev/null
	echo $?
}
for errno in EPROTONOSUPPORT EINVAL; do
	same "no nf_tables ($errno)" 0 "$(by_itself $errno)"
	says "no nf_tables ($errno): xt is taken by itself" 'back end +xt'
	same "no nf_tables ($errno): and nft is left alone" "$rules_before" "$(rules)"
	closed "no nf_tables ($errno): it confines" tcp 1.1.1.1:443
	check "no nf_tables ($errno): remove" xt remove
done
for errno in EPERM EACCES EMFILE ENOMEM ENOBUFS EAFNOSUPPORT; do
	same "nf_tables that only cannot be asked ($errno)" 3 "$(by_itself $errno)"
	same "nf_tables that only cannot be asked ($errno): nothing is done by xtables" "$before" "$(saved)"
	same "nf_tables that only cannot be asked ($errno): nor by nft" "$rules_before" "$(rules)"
done

# IPv6 that cannot be filtered: nothing is done to IPv4 either.
agent strace -qq -o "$WORLD/calls" -e trace=getsockopt "$EGRESSFW" verify --backend xt >/dev/null 2>&1
# asked PATTERN: the number of the first question to the kernel like that.
asked() { grep -nE "$1" "$WORLD/calls" | head -n 1 | cut -d : -f 1; }
# answered ERRNO NUMBERS COMMAND...: egressfw's, to whose questions of these numbers the kernel says that.
answered() {
	agent timeout 20 strace -f -qq -o /dev/null -e trace=getsockopt -e "inject=getsockopt:error=$1:when=$2" \
		"$EGRESSFW" "$3" --backend xt "${@:4}"
}
first=$(asked SOL_IPV6)
status 3 "a kernel without tables of IPv6 is refused" answered ENOPROTOOPT "$first+" apply --quiet "$WORLD/none.json"
says "by name" 'of IPv6 \(module ip6table_filter\)'
same "and nothing is left" "$before" "$(saved)"

# What one family lacks, neither uses; what is needed is named.
lacking() { answered ENOENT "$(asked "$1")" apply --no-canary "${@:2}"; }
check "no REJECT over IPv6" lacking 'IPV6.*"REJECT' "$WORLD/none.json"
says "no REJECT over IPv6: that is said" 'note +this kernel.s xtables cannot refuse: what is not allowed is dropped'
same "no REJECT over IPv6: in neither family" "" "$(agent iptables-legacy -S | grep REJECT; agent ip6tables-legacy -S | grep REJECT)"
closed "no REJECT over IPv6: it is closed all the same" tcp 1.1.1.1:443
check "no log group over IPv6" lacking 'IPV6.*"NFLOG' "$WORLD/none.json"
same "no log group over IPv6: in neither family" "" "$(agent iptables-legacy -S | grep NFLOG; agent ip6tables-legacy -S | grep NFLOG)"
check "an older CONNMARK over IPv6" lacking 'IPV6.*"CONNMARK.*\\2"' "$WORLD/none.json"
status 1 "an older CONNMARK over IPv6: in both families" xt verify
says "an older CONNMARK over IPv6: in IPv4 as well" 'difference.*table ip egressfw'
check "remove" xt remove
status 3 "no conntrack over IPv6" lacking 'IPV6.*"conntrack' "$WORLD/listed.json"
says "no conntrack over IPv6: is named" 'xt_conntrack'
for name in owner tcp addrtype connmark CONNMARK; do
	number=$(grep -nE "SOL_IP,.*\"$name" "$WORLD/calls" | tail -n 1 | cut -d : -f 1)
	status 3 "no $name" answered ENOENT "$number" apply "$WORLD/none.json"
	says "no $name: is named" "lacks the xtables (match|target) \"$name\", revision [01] \\(module xt_"
done
same "nothing is left of those either" "$before" "$(saved)"
# A table that others change while it is read.
check "that is read again" answered EAGAIN "$(asked GET_ENTRIES)" remove
says "where nothing stands, that is said" 'note +there was no table of ours'
status 3 "but not for ever" answered EAGAIN 1..40 remove

# Of one family alone what stands is ours as well.
for program in iptables-legacy ip6tables-legacy; do
	check "both families" xt apply --quiet --no-canary "$WORLD/none.json"
	agent sh -c "$program -D OUTPUT -j egressfw; $program -D FORWARD -j egressfw/forward
		$program -S | sed -n 's/^-N \(egressfw.*\)/\1/p' >/tmp/chains-\$\$
		while read -r chain; do $program -F \"\$chain\"; done </tmp/chains-\$\$
		while read -r chain; do $program -X \"\$chain\"; done </tmp/chains-\$\$; rm /tmp/chains-\$\$"
	same "nothing of ours is in $program any more" "" "$(agent $program -S | grep egressfw)"
	status 1 "verify finds it missing in $program" xt verify
	check "remove takes the other one out ($program)" xt remove
	same "and that is all ($program)" "$before" "$(saved)"
done

# A network without IPv6, and without legacy tables in the beginning. What is not there is not filtered; what only
# cannot be asked for is a refusal.
cat >"$WORLD/bin/alone" <<END
for file in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 >"\$file"; done
asks() { strace -f -qq -o /dev/null -e "trace=\$syscall" -e "inject=\$syscall:error=\$errno:when=\$number" \
	"$EGRESSFW" "\$1" --backend xt --name six --quiet \$2; }
while read -r syscall errno number; do
	asks apply "--no-canary $WORLD/none.json" 2>/dev/null
	said="\$errno \$?"
	if iptables-legacy -S OUTPUT | grep -q -- '-j egressfw-six'; then
		asks verify
		said="\$said \$?"
		asks remove
		said="\$said \$?"
	fi
	echo "\$said \$(iptables-legacy -S | grep -c egressfw)"
done
END
agent strace -qq -o "$WORLD/sockets" -e trace=socket "$EGRESSFW" verify --backend xt >/dev/null 2>&1
socket=$(awk '/AF_INET6/ { print NR; exit }' "$WORLD/sockets")
same "where there is no IPv6" "$(printf '%s\n' 'ENOPROTOOPT 0 0 0 0' 'ENOENT 0 0 0 0' 'ENOMEM 3 0' 'EAFNOSUPPORT 0 0 0 0' 'EMFILE 3 0')" "$(
	agent unshare -n sh "$WORLD/bin/alone" <<END
getsockopt ENOPROTOOPT $first
getsockopt ENOENT $first
getsockopt ENOMEM $first
socket EAFNOSUPPORT $socket
socket EMFILE $socket
END
)"
same "nft loads no legacy tables" "0 0" "$(agent unshare -n sh -c '"$0" apply --name six --quiet --no-canary "$1" && "$0" verify --name six --quiet >/dev/null
	"$0" remove --name six --quiet >/dev/null
	cat /proc/self/net/ip_tables_names /proc/self/net/ip6_tables_names | wc -l | tr "\n" " "; nft list tables | wc -l' \
	"$EGRESSFW" "$WORLD/none.json")"
for program in iptables-legacy ip6tables-legacy; do
	same "and finds what is left in those of $program alone" 0 "$(agent unshare -n sh -c '$1 -N egressfw-six && "$0" remove --name six --quiet >/dev/null
		$1 -S | grep -c egressfw' "$EGRESSFW" $program)"
done

finish
