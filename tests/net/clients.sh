#!/bin/bash
# clients.sh: who can connect to the filter: its policy's users and root, and nobody else on this machine.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
EGRESSFILTER=${EGRESSFILTER:-$BUILDDIR/egressfilter}
[ -x "$EGRESSFILTER" ] || skip_all "there is no egressfilter"
filter_begin
install -m 755 "$EGRESSFILTER" "$WORLD/bin/egressfilter"
NEIGHBOUR_UID=1502 # whom another instance confines
FILTERS=('127.0.0.1:3128' '[::1]:3128')
printf 'neighbour:x:%s:%s::/:/bin/sh\n' $NEIGHBOUR_UID $NEIGHBOUR_UID >>"$WORLD/etc/passwd"
policy neighbour <<-END
	{ "network_mode": "no-network", "users": [$NEIGHBOUR_UID] }
END

# unserved NAME UID: no connection to the filter, over both families, and told so at once.
unserved() {
	local filter
	for filter in "${FILTERS[@]}"; do
		same "$1, $filter" "$(attempt "$2" tcp "$filter" | cut -d ' ' -f 1)" ECONNREFUSED
	done
}
served() {
	local filter
	for filter in "${FILTERS[@]}"; do reached "$1, $filter" tcp "$filter" "$2"; done
}
# hold UID ADDRESS: a connection to the filter that is kept; its process in $held.
hold() {
	local ready="$WORLD/held-${#world_pids[@]}"
	mkfifo "$ready"
	chmod 666 "$ready"
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$1" --regid "$1" --clear-groups -- \
		bash -c 'exec 3<>"/dev/tcp/$1/3128" || exit 9; echo >"$2"; exec sleep infinity' bash "$2" "$ready" </dev/null >/dev/null 2>&1 3>&- &
	held=$!
	world_pids+=("$held")
	read -r _ <"$ready"
}
# Who holds connections to the filter: a uid each, 0 for root.
holders() {
	agent ss -Htne state established '( dport = :3128 )' 2>/dev/null | sed -n '/uid:/!s/.*/uid:0/; s/.*uid:\([0-9]*\).*/\1/; s/^uid://; p' | sort -n | paste -sd ' '
}

status 0 'another instance' fw apply --name other "$WORLD/neighbour.json"
status 0 'apply with a wildcard' fw apply "$WORLD/wild.json"
pid=$(filter_pid)
served 'the confined user' $AGENT_UID
served 'root' 0
unserved 'whom another instance confines' $NEIGHBOUR_UID
unserved 'a user who is not confined' $OTHER_UID
unserved 'the filter'"'"'s own' $FILTER_UID
for name in tcp-fastopen tcp-fastopen-connect tcp-nonblocking mptcp; do
	reached "the confined user, by $name" "$name" 127.0.0.1:3128
	same "whom another instance confines, by $name" "$(attempt $NEIGHBOUR_UID "$name" 127.0.0.1:3128 | cut -d ' ' -f 1)" ECONNREFUSED
done
for address in 0.0.0.0 '[::]' '[::ffff:127.0.0.1]'; do
	reached "the confined user, at $address" tcp "$address:3128"
	same "whom another instance confines, at $address" "$(attempt $NEIGHBOUR_UID tcp "$address:3128" | cut -d ' ' -f 1)" ECONNREFUSED
done
status 0 'the other instance again, which then stands behind' fw apply --name other "$WORLD/neighbour.json"
unserved 'whom another instance confines, the other way round' $NEIGHBOUR_UID
served 'the confined user, the other way round' $AGENT_UID

# --- by root's own rules for nat, which redirect to the filter what goes elsewhere
# asked UID ADDRESS PORT: what the filter would answer there.
asked() {
	as_user "$1" /usr/bin/python3 -c '
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as s:
    s.settimeout(5)
    s.sendall(b"CONNECT a.example.org:443 HTTP/1.1\r\nHost: a.example.org:443\r\n\r\n")
    print(s.recv(100).split(b"\r\n")[0].decode())' "$2" "$3" 2>&1 | tail -n 1
}
agent nft -f - <<-'END'
	table inet redirecting {
		chain output {
			type nat hook output priority -100;
			tcp dport 8443 redirect to :3128
		}
		chain prerouting {
			type nat hook prerouting priority -100;
			ip daddr 192.0.2.2 tcp dport 8444 dnat ip to 127.0.0.1:3128
		}
	}
END
agent sysctl -qw net.ipv4.conf.all.route_localnet=1
refused_text='ConnectionRefusedError: [Errno 111] Connection refused'
for address in 127.0.0.1 ::1 203.0.113.5 2001:db8:1::5; do
	same "root is, from $address, and is nobody whom it knows" "" "$(asked 0 $address 8443 | grep HTTP)"
	for uid in $OTHER_UID $NEIGHBOUR_UID $FILTER_UID; do
		same "uid $uid is not, from $address" "$refused_text" "$(asked "$uid" $address 8443)"
	done
done
for address in 203.0.113.5 2001:db8:1::5; do
	same "nor is the confined user, who is refused all that is no loopback, from $address" "$refused_text" "$(asked $AGENT_UID $address 8443)"
done
deny 'nor is another machine' far timeout 2 bash -c 'exec 3<>/dev/tcp/192.0.2.2/8444'
agent nft delete table inet redirecting
agent sysctl -qw net.ipv4.conf.all.route_localnet=0

# --- it is asked as root, or not at all
status 0 'verify as root' fw verify
says 'has nothing to add' 'kernel and hosts file are as planned'
says_not 'and has asked' 'filter-unasked'
as_operator() {
	agent setpriv --reuid 1700 --regid 1700 --clear-groups --inh-caps="$1" --ambient-caps="$1" -- "$EGRESSFW" "${@:2}"
}
status 0 'verify of another user' as_operator +net_admin verify --state-dir /nowhere "$WORLD/wild.json"
says 'says that it did not ask' 'warning +filter-unasked: filter: listens, and was not asked: .* uid 1700 is neither'
status 1 'where nobody listens' as_operator +net_admin verify --state-dir /nowhere --filter-listen 127.0.0.1:3127 "$WORLD/wild.json"
says 'he sees that as well' 'filter-silent: .*at 127.0.0.1 port 3127 nobody listens'

# --- connections from before the rules
agent nft delete table inet egressfw
served 'control: without rules, the other instance'"'"'s' $NEIGHBOUR_UID
for address in 127.0.0.1 ::1; do
	for uid in 0 $AGENT_UID $OTHER_UID $NEIGHBOUR_UID; do hold "$uid" "$address"; done
done
same 'control: all are connected' "$(holders)" "0 0 $AGENT_UID $AGENT_UID $OTHER_UID $OTHER_UID $NEIGHBOUR_UID $NEIGHBOUR_UID"
status 0 'apply once more' fw apply "$WORLD/wild.json"
same 'which keeps the filter' "$(filter_pid)" "$pid"
same 'has ended those of others' "$(holders)" "0 0 $AGENT_UID $AGENT_UID"

# --- other forms of the rules
policy pass <<-END
	{ "network_mode": "blocklist", "users": [$AGENT_UID], "blocked_urls": ["bad.example.com"], "loopback": [], "ownerless": "pass" }
END
status 0 'without marks, with a list of ports' fw apply "$WORLD/pass.json"
served 'without marks: the confined user' $AGENT_UID
served 'without marks: root' 0
unserved 'without marks: whom another instance confines' $NEIGHBOUR_UID
policy exempt <<-END
	{ "network_mode": "allowlist", "exempt_users": [$OTHER_UID, $NEIGHBOUR_UID], "allowed_hosts": ["*.example.com"] }
END
status 0 'strict' fw apply "$WORLD/exempt.json"
served 'strict: a confined user' $AGENT_UID
served 'strict: root' 0
unserved 'strict: an exempt user' $OTHER_UID
unserved 'strict: an exempt user whom another instance confines' $NEIGHBOUR_UID
unserved 'strict: the filter'"'"'s own' $FILTER_UID
status 0 'strict: verify' fw verify

# --- at other places
policy wide <<-END
	{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["*.example.com"] }
END
status 0 'where it was told to listen' fw apply --filter-listen 127.0.0.7:8118 --filter-listen '[::1]:8119' "$WORLD/wide.json"
FILTERS=('127.0.0.7:8118' '[::1]:8119')
served 'elsewhere: the confined user' $AGENT_UID
unserved 'elsewhere: whom another instance confines' $NEIGHBOUR_UID
# It listens, is not ready, and the rules are still those of the other place.
install -m 755 "$FAKE_FILTER" "$WORLD/bin/mute"
fw apply --timeout 60 --filter-program "$WORLD/bin/mute" --filter-listen 127.0.0.1:8120 "$WORLD/wide.json" >"$WORLD/moving" 2>&1 </dev/null 3>&- &
moving=$!
world_pids+=("$moving")
for _ in {1..400}; do
	agent ss -Hltn '( sport = :8120 )' | grep -q . && break
	sleep 0.02
done
FILTERS=('127.0.0.1:8120')
unserved 'on its way elsewhere: whom another instance confines' $NEIGHBOUR_UID
unserved 'on its way elsewhere: a user who is not confined' $OTHER_UID
kill -KILL "$(filter_pid)"
wait "$moving"
same 'where it does not get there' 5 $?
check 'that is said' grep -q "what stood before still stands, and the filter's ports are closed, and no filter" "$WORLD/moving"
status 0 'remove' fw remove

# --- an apply that is not root's lets the confined users ask
agent install -d -o 1700 -g 1700 -m 700 /run/operator
operator() { as_operator +net_admin,+setuid,+setgid,+chown "$@" --state-dir /run/operator --no-hosts "$WORLD/wild.json"; }
status 0 'apply of another user' operator apply
says 'starts it' '127.0.0.1:3128.*: started$'
status 0 'the same again' operator apply
says 'keeps it' ': running as before$'
filter_strays+=("$(agent cut -d ' ' -f 1 /run/operator/egressfw.filter)")
finish
