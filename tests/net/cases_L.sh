#!/bin/bash
# cases_L.sh: run twice, half-way, after another version, and after another policy (L1); names that move (L2).
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "$SRCDIR/tests/net/dns.sh"
cases_begin
no_network a
policy b <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["203.0.113.80:443"] }
END
policy public <<'END'
{ "network_mode": "public" }
END
empty=$(snapshot)

check "case_L1: apply" fw apply "$WORLD/a.json"
clean=$(snapshot)
for again in 2 3; do
	check "case_L1: apply, time $again" fw apply "$WORLD/a.json"
	same "case_L1: the same rules, time $again" "$clean" "$(snapshot)"
done
check "case_L1: then another policy" fw apply "$WORLD/b.json"
second=$(snapshot)
deny "case_L1: which differs" test "$clean" = "$second"
reached "case_L1: it opens what it allows" tcp 203.0.113.80:443
check "case_L1: and back" fw apply "$WORLD/a.json"
same "case_L1: as in one clean run" "$clean" "$(snapshot)"
closed "case_L1: closed again" tcp 203.0.113.80:443
check "case_L1: remove" fw remove
same "case_L1: nothing is left" "$empty" "$(snapshot)"

# What another version, or somebody else, left under our name.
agent nft -f - <<'END'
table inet egressfw {
	comment "an older one"
	map old { type ipv4_addr : verdict; }
	set stale { type ipv4_addr; elements = { 1.1.1.1 } }
	counter refused { }
	chain output {
		type filter hook output priority 0; policy accept;
		meta skuid 1500 ip daddr @stale accept
		meta skuid 1500 jump work
	}
	chain work { counter reject; }
}
END
check "case_L1: apply over an older table" fw apply "$WORLD/a.json"
same "case_L1: the same rules as without it" "$clean" "$(snapshot)"
closed "case_L1: nothing of the older one is open" tcp 1.1.1.1:443
check "case_L1: verify" fw verify

# A state directory that is gone, or of another time.
agent rm -rf /run/egressfw
check "case_L1: apply without the state of the last run" fw apply "$WORLD/b.json"
same "case_L1: the same rules as with it" "$second" "$(snapshot)"
check "case_L1: public takes the rules out" fw apply "$WORLD/public.json"
same "case_L1: nothing is left by public" "$empty" "$(snapshot)"
reached "case_L1: open" tcp 1.1.1.1:443
check "case_L1: a read-only /run" agent mount -o remount,ro /run
check "case_L1: apply without a place for state" fw apply "$WORLD/a.json"
closed "case_L1: closed without state" tcp 1.1.1.1:443
agent mount -o remount,rw /run
check "case_L1: remove without state" fw remove

# Two instances side by side: what one of them refuses is refused.
policy other <<'END'
{ "network_mode": "no-network", "users": [1501] }
END
check "case_L1: two instances" fw apply --name other "$WORLD/other.json"
check "case_L1: the first beside it" fw apply "$WORLD/a.json"
closed "case_L1: the first confines" tcp 1.1.1.1:443
check "case_L1: the second is removed" fw remove --name other
check "case_L1: the first verifies" fw verify
check "case_L1: and is removed" fw remove

# case_L2: a name moves. Its pins stay where they are until somebody applies again; a look-up that fails takes nothing.
moving() {
	dns_script <<<"moves.example.test $1"
}
# An open connection of the agent: "talk WORD" sends the word, and prints what the server sends back.
talk_begin() {
	mkfifo "$WORLD/talk-in" "$WORLD/talk-out"
	exec {talk_in}<>"$WORLD/talk-in" {talk_out}<>"$WORLD/talk-out"
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$AGENT_UID" --regid "$AGENT_UID" --clear-groups --inh-caps=-all -- \
		bash -c 'exec 3<>"/dev/tcp/$0/443" && while read -r word; do
			echo "$word" >&3 && read -t 5 -r -u 3 back && echo "$back" || echo gone; done' "$1" \
		<&"$talk_in" >&"$talk_out" 2>/dev/null &
	world_pids+=("$!")
}
talk() {
	local back=nothing
	echo "$1" >&"$talk_in"
	read -t 10 -r -u "$talk_out" back
	echo "$back"
}
policy moves <<-END
	{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["moves.example.test"] }
END
moving 'A 203.0.113.5 ttl=1'
check "case_L2: apply" fw apply "$WORLD/moves.json"
talk_begin 203.0.113.5
same "case_L2: a connection" one "$(talk one)"
before=$(snapshot)
moving 'A 203.0.113.6 ttl=1'
same "case_L2: the name has moved, and the connection goes on" two "$(talk two)"
reached "case_L2: so does the way to where it was" tcp 203.0.113.5:443
closed "case_L2: there is none to where it is" tcp 203.0.113.6:443
check "case_L2: what stands is what was applied" fw verify
for failure in rcode=SERVFAIL rcode=NXDOMAIN; do
	moving "ANY $failure"
	status 4 "case_L2: apply, $failure" fw apply "$WORLD/moves.json"
	same "case_L2: the pins stay, $failure" "$before" "$(snapshot)"
	same "case_L2: the connection goes on, $failure" "$failure" "$(talk "$failure")"
done
moving 'A 203.0.113.5 203.0.113.6 ttl=1'
check "case_L2: apply, with one more address" fw apply "$WORLD/moves.json"
reached "case_L2: which is reached" tcp 203.0.113.6:443
same "case_L2: the connection goes on beside it" three "$(talk three)"
moving 'A 203.0.113.6 ttl=1'
check "case_L2: apply, without the first" fw apply "$WORLD/moves.json"
closed "case_L2: which is not reached any more" tcp 203.0.113.5:443
same "case_L2: and the connection to it has ended" gone "$(talk four)"
finish
