#!/bin/bash
# names.sh: a name is resolved, every address judged, and that address dialled; what fails has its own answer.
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1
filter_begin
settings() {
	filter_settings '"limits": {"connect_ms": 1500}' <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter",
		  "allowed_hosts": ["*.name.test:*", "10.1.0.0/24:8080"]${1:-} }
	END
}

# C2: addresses that are no place on the Internet.
bad='127.0.0.1 0.0.0.0 10.0.0.5 100.64.0.1 169.254.169.254 224.0.0.1 255.255.255.255
	:: ::1 fe80::1 fc00::1 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1'
{
	number=0
	for address in $bad; do
		number=$((number + 1))
		case $address in *:*) type=AAAA ;; *) type=A ;; esac
		echo "bad$number.name.test $type $address"
	done
	cat <<-'END'
		mixed.name.test A 10.0.0.5 203.0.113.5
		late.name.test A 203.0.113.5
		late.name.test AAAA 127.0.0.1 delay=200
		private.name.test A 10.0.0.5
		prefix.name.test A 10.1.0.5
		other.name.test A 203.0.113.5
		third.name.test A 203.0.113.5
		fourth.name.test A 203.0.113.5
		fifth.name.test A 203.0.113.5
		both.name.test A 203.0.113.5
		both.name.test AAAA 2001:db8:1::5
		slow6.name.test A 203.0.113.5
		slow6.name.test AAAA 2001:db8:1::5 delay=1000
		slow4.name.test AAAA 2001:db8:1::5
		slow4.name.test A 203.0.113.5 delay=1000
		dead6.name.test A 203.0.113.5
		dead6.name.test AAAA 2001:db8:dead::5
		dead.name.test A 203.0.113.99 203.0.113.98
		refused.name.test A 203.0.113.5
		servfail.name.test ANY rcode=SERVFAIL
		refuses.name.test ANY rcode=REFUSED
		silent.name.test ANY drop=all
		malformed.name.test ANY malformed=COUNT
		loop.name.test CNAME loop.name.test
		alias.name.test CNAME both.name.test
		moves.name.test A 203.0.113.5
		moves.name.test AAAA 2001:db8:1::5 ttl=300
		stays.name.test A 203.0.113.5 ttl=300
		leads.name.test CNAME leads.elsewhere.test ttl=1
		leads.elsewhere.test A 203.0.113.5 ttl=300
		once.name.test A 203.0.113.5 ttl=0
		outside.name.test CNAME elsewhere.test
		elsewhere.test A 203.0.113.5
		empty.name.test AAAA
	END
} >"$WORLD/script"
dns_script <"$WORLD/script"
# Nobody answers there, and nobody says so.
far nft -f - <<'END'
table inet dead {
	chain input {
		type filter hook input priority 0;
		ip daddr { 203.0.113.98, 203.0.113.99 } drop
		ip6 daddr 2001:db8:dead::/48 drop
	}
}
END
settings
filter_start
number=0
for address in $bad; do
	number=$((number + 1))
	wire_mark
	log_mark
	answers "case_C2: $address" 403 "bad$number.name.test:443"
	same "case_C2: $address, the log" "block dns special-purpose $address" "$(decisions decision layer rule dest_ip)"
	same "case_C2: $address, nothing is dialled" "" "$(wire_since '$2 == "tcp"')"
done
answers "the good one of two" "200 tunnel" mixed.name.test:443
answers "the good one, though a bad one comes late" "200 tunnel" late.name.test:443
answers "a listed prefix with its port" "200 tunnel" prefix.name.test:8080
answers "a listed prefix with another port" 403 prefix.name.test:443
log_mark
answers "both families" "200 tunnel" both.name.test:443
answers "an alias is followed, and the name is what was asked for" "200 tunnel" alias.name.test:443
answers "IPv6 that is slow to be known" "200 tunnel" slow6.name.test:443
answers "IPv4 that is slow to be known" "200 tunnel" slow4.name.test:443
answers "IPv6 that is dead" "200 tunnel" dead6.name.test:443
same "which address was taken" "2001:db8:1::5
2001:db8:1::5
203.0.113.5
2001:db8:1::5
203.0.113.5" "$(decisions dest_ip)"
answers "an alias that leads elsewhere is still the name" "200 tunnel" outside.name.test:443
log_mark
answers "no address answers" 504 dead.name.test:443
answers "the port is refused" 502 refused.name.test:81
answers "no such name" 502 none.name.test:443
answers "no address" 502 empty.name.test:443
answers "the name server fails" 502 servfail.name.test:443
answers "the name server refuses" 502 refuses.name.test:443
answers "the name server is silent" 504 silent.name.test:443
answers "the name server talks nonsense" 502 malformed.name.test:443
answers "a loop of aliases" 502 loop.name.test:443
same "and the log says which it was" "504 no address answered in time
502 the server refuses the connection
502 the name does not exist
502 the name has no address
502 the name server failed
502 the name server refused to answer
504 the name could not be resolved in time
502 the name server's answer is malformed
502 the name server's answer is malformed" "$(decisions status reason)"
same "all of them were allowed" "allow" "$(decisions decision | sort -u)"

# Asked once for all who wait.
same "many at once" "200 x 30" "$(client many 30 slow4.name.test:443)"
asking() { agent ss -Hnu dst 203.0.113.53 | awk '{ print $3 }'; }
before=$(asking)
check "somebody ends its socket to the name server" agent ss -K -u dst 203.0.113.53
deny "that one is gone" grep -qF "${before:-none}" <(asking)
answers "another name is found none the less" "200 tunnel" other.name.test:443

# The same where a question is sent before the filter has seen that: the resolver's library would keep such a socket.
siege_as "$AGENT_UID" halves third.name.test:443
told begun
answers "a name is asked for" "200 tunnel" fourth.name.test:443
check "by a socket that stays" test -n "$(asking)"
unread() { agent ss -Htn 'sport = :3128' | awk '$2 > 0' | grep -q .; }
kill -STOP "$filter_pid"
echo >&"$siege"
until_true unread
check "somebody ends it, and a question is to be sent" agent ss -K -u dst 203.0.113.53
kill -CONT "$filter_pid"
wait "$siege_pid"
same "that name is found" 200 "$(cat "$siege_told")"
answers "and one after it" "200 tunnel" fifth.name.test:443

# Known for as long as the server says, and no longer: its answers change, and so does what is dialled, in its time.
questions() { grep -c "^$1 " "$WORLD/questions"; }
log_mark
for name in stays moves leads; do client connect $name.name.test:443 >/dev/null; done
sed 's/\(moves\|stays\|leads\)\(.*\)203\.0\.113\.5/\1\2203.0.113.6/; s/moves\(.*\)2001:db8:1::5/moves\12001:db8:1::6/' \
	"$WORLD/script" >"$WORLD/changed"
dns_script <"$WORLD/changed"
dialled() { decisions host dest_ip | grep "^$1\.name\.test " | tail -n 1 | cut -d ' ' -f 2; }
moved() { client connect "$1.name.test:443" && [ "$(dialled "$1")" = "$2" ]; }
check "case_L2: a name whose time is over, for one of its families, is asked for again" until_true moved moves 2001:db8:1::6
same "for both" "moves.name.test A
moves.name.test AAAA" "$(grep "^moves" "$WORLD/questions" | cut -d ' ' -f 1,2 | sort -u)"
check "case_L2: the shortest time on the way counts" until_true moved leads 203.0.113.6
answers "case_L2: a name whose time is not over" "200 tunnel" stays.name.test:443
same "is where it was" 203.0.113.5 "$(dialled stays)"
same "and is not asked for" 0 "$(questions stays.name.test)"
for _ in 1 2 3; do client connect once.name.test:443 >/dev/null; done
check "a name without any time is asked for each time" test "$(questions once.name.test)" -ge 6
for _ in 1 2; do client connect none.name.test:443 >/dev/null; done
check "and so is one that was not found" test "$(questions none.name.test)" -ge 4
filter_end

settings ', "allow_private": ["10.0.0.0/24"]'
filter_start
answers "a private address that is meant" "200 tunnel" private.name.test:443
filter_end

# Resolving stops with its server, nothing else does.
kill "$dns_pid" && wait "$dns_pid" 2>/dev/null
filter_start
check "no name server" grep -qE '^50[24]$' <(client connect both.name.test:443)
answers "an address needs none" "200 tunnel" 10.1.0.5:8080
filter_end
finish
