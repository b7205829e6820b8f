#!/bin/bash
# impostor.sh: a confined user who binds the resolver's port tells nobody what a name leads to.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
PYTHON=${PYTHON:-/usr/bin/python3}
EGRESSFILTER=${EGRESSFILTER:-$BUILDDIR/egressfilter}
[ -x "$EGRESSFILTER" ] || skip_all "there is no egressfilter"
"$PYTHON" -c 'import socket' 2>/dev/null || skip_all "needs python3"
filter_begin
install -m 755 "$EGRESSFILTER" "$WORLD/bin/egressfilter"
install -m 644 "$SRCDIR/tests/net/answer_names.py" "$SRCDIR/tests/filter/client.py" "$WORLD/bin"
# As container engines have it: everybody may bind every port.
agent sysctl -qw net.ipv4.ip_unprivileged_port_start=0
GOOD=203.0.113.5 BAD=203.0.113.66

# answer_as UID ADDRESS PORT ANSWER: what it prints is in $WORLD/names-UID.
answer_as() {
	: >"$WORLD/names-$1"
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$1" --regid "$1" --clear-groups --inh-caps=-all -- \
		"$PYTHON" "$WORLD/bin/answer_names.py" "${@:2}" >"$WORLD/names-$1" 2>&1 </dev/null &
	answering_pid=$!
	world_pids+=("$answering_pid")
	until grep -q . "$WORLD/names-$1"; do sleep 0.02; done
}
# unheard NAME HOST: it is asked for, what the agent's server says is refused, and nothing goes where that leads.
unheard() {
	local client tries=0
	wire_mark
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$AGENT_UID" --regid "$AGENT_UID" --clear-groups --inh-caps=-all -- \
		"$PYTHON" "$WORLD/bin/client.py" connect "$2:443" >"$WORLD/client" 2>&1 </dev/null &
	client=$!
	world_pids+=("$client")
	until grep -qs . "$WORLD/client" || grep -A 1 -xF "$2" "$WORLD/names-$AGENT_UID" | grep -qx refused; do
		tries=$((tries + 1))
		[ "$tries" -lt 400 ] || break
		sleep 0.02
	done
	same "$1" "$2 refused " "$(grep -A 1 -xF "$2" "$WORLD/names-$AGENT_UID" | head -2 | tr '\n' ' ')$(cat "$WORLD/client")"
	same "$1: nothing goes there" '' "$(wire_since "\$5 == \"$BAD\"")"
	serve_end "$client"
}
# connects NAME WANT HOST: what CONNECT to it comes to, for the agent.
connects() {
	same "$1" "$2" "$(as_user "$AGENT_UID" "$PYTHON" "$WORLD/bin/client.py" connect "$3:443")"
}
policy pin <<-END
	{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["api.example.com"] }
END

# --- a resolver on loopback whose port can be shared
printf 'nameserver 127.0.0.1\n' >"$WORLD/etc/resolv.conf"
answer_as 0 127.0.0.1 53 $GOOD
resolver=$answering_pid
status 0 'apply with a wildcard' fw apply --timeout 1 "$WORLD/wild.json"
connects 'a name is found at the resolver' '200 tunnel' a.example.com
answer_as "$AGENT_UID" 127.0.0.1 53 $BAD
impostor=$answering_pid
unheard 'the agent in its place' b.example.com
status 4 'apply does not believe it either' fw apply --timeout 1 "$WORLD/pin.json"
says 'and says so' 'could not be pinned: api.example.com'
serve_end "$resolver"
unheard 'the same once the resolver has ended' c.example.com
serve_end "$impostor"

# --- the engine's resolver, which nat rewrites, and which has ended
printf 'nameserver 127.0.0.11\n' >"$WORLD/etc/resolv.conf"
agent nft -f - <<-'END'
	table ip engine {
		chain output {
			type nat hook output priority -100;
			ip daddr 127.0.0.11 udp dport 53 dnat to 127.0.0.11:45353
		}
	}
END
answer_as 0 127.0.0.11 45353 $GOOD
resolver=$answering_pid
status 0 'apply with the engine'"'"'s resolver' fw apply --timeout 1 "$WORLD/wild.json"
connects 'a name is found there' '200 tunnel' a.example.com
serve_end "$resolver"
answer_as "$AGENT_UID" 127.0.0.11 45353 $BAD
unheard 'the agent in the place of the engine'"'"'s' d.example.com

# --- the filter, which has ended
# heard UID PORT: that user gets something of what the agent serves there.
heard() {
	as_user "$1" "$PYTHON" -c '
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2) as s:
    s.settimeout(2)
    s.sendall(b"CONNECT a.example.com:443 HTTP/1.1\r\n\r\n")
    sys.exit(s.recv(100) == b"")' "$2"
}
kill -KILL "$(filter_pid)"
until ! alive "$(filter_pid)"; do sleep 0.02; done
serve "agent:$AGENT_UID" tcp/127.0.0.1/3128 tcp/127.0.0.1/8080
check 'the agent is heard at a port of its own' heard "$OTHER_UID" 8080
check 'also by itself' heard "$AGENT_UID" 8080
for uid in 0 "$AGENT_UID" "$OTHER_UID"; do
	deny "in the place of the filter uid $uid does not hear it" heard "$uid" 3128
done
status 1 'verify says who listens' fw verify
says 'by its number' "listens uid $AGENT_UID"
finish
