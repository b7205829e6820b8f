#!/bin/bash
# cases_C.sh: names: one answer for rules and hosts file, and answers that must not be believed.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "$SRCDIR/tests/net/dns.sh"
cases_begin
empty=$(snapshot)

allow() {
	local list
	list=$(printf '"%s", ' "$@")
	policy names <<-END
		{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": [${list%, }] }
	END
}
pinned_by_rules() {
	our_rules | grep '^egressfw *set pin[46]_' | grep -o 'elements = {[^}]*}' |
		tr -c '0-9a-f.:\n' '\n' | grep -E '[.:]' | sort -u
}
pinned_by_hosts() {
	agent sed -n '/^# egressfw begin/,/^# egressfw end/p' /etc/hosts | awk '/^[0-9a-f]/ { print $1 }' | sort -u
}

# case_C1: a pool that rotates. One answer feeds both.
dns_script <<'END'
pool.example.test A 203.0.113.5 203.0.113.6 203.0.113.7 rotate
END
allow pool.example.test
check "case_C1: apply" fw apply "$WORLD/names.json"
same "case_C1: rules and hosts file agree" "$(pinned_by_rules)" "$(pinned_by_hosts)"
same "case_C1: the whole pool is pinned" "203.0.113.5 203.0.113.6 203.0.113.7" \
	"$(pinned_by_rules | tr '\n' ' ' | sed 's/ $//')"
for try in 1 2 3 4 5; do
	address=$(as_user $AGENT_UID getent ahostsv4 pool.example.test | awk 'NR == 1 { print $1 }')
	reached "case_C1: connects, time $try" tcp "$address:443"
done
check "case_C1: verify does not mind the rotation" fw verify "$WORLD/names.json"
closed "case_C1: the user asks nobody outside" udp 203.0.113.53:53
check "case_C1: remove" fw remove
same "case_C1: nothing is left" "$empty" "$(snapshot)"

# case_C2: an allowed name with an address that is no place on the Internet.
for address in 127.0.0.1 0.0.0.0 10.0.0.5 100.64.0.1 169.254.169.254 224.0.0.1 255.255.255.255 \
	:: ::1 fe80::1 fc00::1 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1; do
	type=A
	case $address in *:*) type=AAAA ;; esac
	dns_script <<<"inside.example.test $type $address"
	allow inside.example.test
	status 4 "case_C2: $address is not pinned" fw apply "$WORLD/names.json"
	says "case_C2: $address, name and address are named" "inside\.example\.test.*$address"
	same "case_C2: $address is in no rule" "" "$(pinned_by_rules)"
	same "case_C2: $address is not in the hosts file" "" "$(pinned_by_hosts)"
	closed "case_C2: $address, closed" tcp 1.1.1.1:443
	check "case_C2: $address, remove" fw remove
done
dns_script <<<'mixed.example.test A 203.0.113.5 10.0.0.5'
allow mixed.example.test
check "case_C2: a mixed answer" fw apply "$WORLD/names.json"
same "case_C2: only the good one is pinned" "203.0.113.5" "$(pinned_by_rules)"
same "case_C2: also in the hosts file" "203.0.113.5" "$(pinned_by_hosts)"
check "case_C2: remove" fw remove
policy private <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["mixed.example.test"],
  "allow_private": ["10.0.0.0/24"] }
END
check "case_C2: a private prefix that is meant" fw apply "$WORLD/private.json"
same "case_C2: both are pinned" "10.0.0.5 203.0.113.5" "$(pinned_by_rules | tr '\n' ' ' | sed 's/ $//')"
check "case_C2: remove that" fw remove

# case_C3: duplicates merge; one name that fails leaves everybody closed and is named.
dns_script <<'END'
one.example.test A 203.0.113.5 203.0.113.5
two.example.test A 203.0.113.5
END
allow one.example.test two.example.test
check "case_C3: the same address for two names" fw apply "$WORLD/names.json"
same "case_C3: pinned once" "203.0.113.5" "$(pinned_by_rules)"
check "case_C3: remove" fw remove
dns_script <<'END'
one.example.test A 203.0.113.5 203.0.113.6 203.0.113.7
two.example.test A 203.0.113.8
END
limited() {
	policy limited <<-END
		{ "network_mode": "allowlist", "users": [1500], "pin_limits": $1,
		  "allowed_hosts": ["one.example.test", "two.example.test"] }
	END
}
limited '{ "hosts": 1 }'
refused "case_D7: more names than the limit" 2 '2.*1|1.*2' apply "$WORLD/limited.json"
limited '{ "addresses": 3 }'
status 4 "case_D7: more addresses than the limit" fw apply "$WORLD/limited.json"
says "case_D7: both numbers are in the message" '4.*3|3.*4'
closed "case_D7: closed, not cut to the limit" tcp 203.0.113.5:443
check "case_D7: remove" fw remove
limited '{ "addresses": 4, "hosts": 2 }'
check "case_D7: at the limit" fw apply "$WORLD/limited.json"
check "case_D7: remove that" fw remove
for failure in NXDOMAIN SERVFAIL REFUSED timeout; do
	case $failure in
	NXDOMAIN) line= ;;
	timeout) line='bad.example.test ANY drop=all' ;;
	*) line="bad.example.test ANY rcode=$failure" ;;
	esac
	dns_script <<-END
		one.example.test A 203.0.113.5
		two.example.test A 203.0.113.6
		$line
	END
	allow one.example.test bad.example.test two.example.test
	status 4 "case_C3: $failure" fw apply --timeout 2 "$WORLD/names.json"
	says "case_C3: $failure, the message names the name and the failure" "bad\.example\.test.*$failure"
	says "case_C3: $failure, and who was asked" '; asked, as /etc/resolv.conf says: 203\.0\.113\.53'
	closed "case_C3: $failure, closed" tcp 203.0.113.5:443
	closed "case_C3: $failure, closed over IPv6" tcp '[2001:db8:1::5]:443'
	reached "case_C3: $failure, loopback is not touched" ping 127.0.0.1:0
	reached "case_C3: $failure, nor is root" tcp 203.0.113.5:443 0
	check "case_C3: $failure, remove" fw remove
done
# asked NAME KIND PATTERN CONTENT: what is said where resolv.conf has that content.
asked() {
	printf '%b' "$4" >"$WORLD/etc/resolv.conf"
	allow one.example.test
	status 4 "case_C3: $1" fw apply --timeout 9 "$WORLD/names.json"
	says "case_C3: $1, the kind" "one\.example\.test \($2\)"
	says "case_C3: $1, the servers" "$3"
	check "case_C3: $1, remove" fw remove
}
agent ip route add unreachable 198.51.100.53
answers='; see that one of them answers, or name another there'
asked "no route" unreachable "; asked, as /etc/resolv.conf says: no route to 198\.51\.100\.53$answers" \
	'nameserver 198.51.100.53\n'
agent ip route delete unreachable 198.51.100.53
asked "nobody listens" unreachable ": nobody answers at 127\.0\.0\.9$answers" \
	'nameserver 127.0.0.9\n'
usable='; /etc/resolv.conf names no nameserver that can be used'
write='; write a line "nameserver ADDRESS" there'
asked "no nameserver" 'no nameserver' "$usable$write" ''
asked "a name" 'no nameserver' "$usable \("'"example\.com" is no address\)'"$write" 'nameserver example.com\n'
asked "no scope" 'no nameserver' "$usable \("'"fe80::1" .*: fe80::1%eth0\)'"$write" 'nameserver fe80::1\n'
printf 'nameserver 203.0.113.53\n' >"$WORLD/etc/resolv.conf"
dns_script <<<'one.example.test A 203.0.113.5'
allow one.example.test
check "case_C3: a policy stands" fw apply "$WORLD/names.json"
standing=$(snapshot)
allow one.example.test bad.example.test
status 4 "case_C3: a later one fails" fw apply --timeout 2 "$WORLD/names.json"
same "case_C3: what stood before stands" "$standing" "$(snapshot)"
reached "case_C3: and what it allows" tcp 203.0.113.5:443
check "case_C3: remove that" fw remove

# case_C4: absolute names only.
printf 'search corp.test\noptions ndots:5\nnameserver 203.0.113.53\n' | agent tee /etc/resolv.conf >/dev/null
dns_script <<'END'
*.corp.test A 203.0.113.99
api.example.test A 203.0.113.5
END
allow api.example.test
check "case_C4: apply" fw apply "$WORLD/names.json"
same "case_C4: the name itself is pinned" "203.0.113.5" "$(pinned_by_rules)"
deny "case_C4: nothing below the search list was asked for" grep -q corp.test "$WORLD/questions"
check "case_C4: remove" fw remove

# case_C7: oddities of resolv.conf.
odd() {
	printf '%b' "$2" | agent tee /etc/resolv.conf >/dev/null
	check "case_C7: $1" fw apply "$WORLD/names.json"
	check "case_C7: $1, remove" fw remove
}
odd "a link-local server with a foreign zone" 'nameserver fe80::1%3\nnameserver 203.0.113.53\n'
odd "search ." 'search .\nnameserver 203.0.113.53\n'
odd "comments" '; a comment\n# another\nnameserver 203.0.113.53\n'
odd "four servers" 'nameserver 203.0.113.53\nnameserver 203.0.113.53\nnameserver 203.0.113.53\nnameserver 192.0.2.9\n'
odd "no newline at the end" 'nameserver 203.0.113.53'
: | agent tee /etc/resolv.conf >/dev/null
status 4 "case_C7: no server at all" fw apply --timeout 2 "$WORLD/names.json"
closed "case_C7: no server at all, closed" tcp 203.0.113.5:443
check "case_C7: no server at all, remove" fw remove
printf 'nameserver 203.0.113.53\n' | agent tee /etc/resolv.conf >/dev/null
deny "case_C7: localhost is never asked for" grep -qi localhost "$WORLD/questions"

# case_C9: an address pin is no name pin, and the report says so.
check "case_C9: apply" fw apply "$WORLD/names.json"
says "case_C9: the report says what a pin is" 'address'
reached "case_C9: whatever else is served there is reached" tcp 203.0.113.5:80
finish
