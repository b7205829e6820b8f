#!/bin/bash
# sockets.sh: what confined users had connected before is ended, unless the new rules allow it; nobody else's.
. "${srcdir:-.}/tests/net/cases.sh"
cases_begin

# hold UID ADDRESS PORT: a connection that is kept; its process in $held.
hold() {
	local ready="$WORLD/held-$1-$3-${#world_pids[@]}"
	mkfifo "$ready"
	chmod 666 "$ready"
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$1" --regid "$1" --clear-groups -- \
		bash -c 'exec 3<>"/dev/tcp/$1/$2" || exit 9; echo >"$3"; exec sleep infinity' bash "$2" "$3" "$ready" &
	held=$!
	world_pids+=($held)
	read -r _ <"$ready"
}

# How many connections of this uid to that port are established: local processes see them in ss(8).
established() {
	agent ss -Htn state established "( dport = :$2 )" -e 2>/dev/null | grep -c "uid:$1" || true
}
established_root() {
	agent ss -Htn state established "( dport = :$1 )" -e 2>/dev/null | grep -vc 'uid:' || true
}

policy some <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["203.0.113.5:443"] }
END
serve agent tcp/127.0.0.1/8080
hold $AGENT_UID 203.0.113.5 80
hold $AGENT_UID 2001:db8:1::5 80
hold $AGENT_UID 203.0.113.5 443
hold $AGENT_UID 127.0.0.1 8080
hold $OTHER_UID 203.0.113.5 80
hold 0 203.0.113.5 80
same "two of the user stand before" 2 "$(established $AGENT_UID 80)"
check "apply" fw apply "$WORLD/some.json"
says "the report counts them" 'sockets +2 ended, 0 could not be ended'
same "what is not allowed is ended, over both families" 0 "$(established $AGENT_UID 80)"
same "what is allowed is kept" 1 "$(established $AGENT_UID 443)"
same "loopback is kept" 1 "$(established $AGENT_UID 8080)"
same "another user's is kept" 1 "$(established $OTHER_UID 80)"
same "root's is kept" 1 "$(established_root 80)"
check "apply again" fw apply "$WORLD/some.json"
says "nothing more to end" 'sockets +0 ended, 0 could not be ended'
no_network
check "a narrower policy" fw apply "$WORLD/none.json"
says "ends what it does not allow any more" 'sockets +1 ended'
same "which is gone" 0 "$(established $AGENT_UID 443)"

# Data that waits behind a closed window must not leave when the socket is closed and the window opens.
check "remove" fw remove
mkfifo "$WORLD/go"
chmod 666 "$WORLD/go"
nsenter -t "$world_agent" -m -n -w -- setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups -- \
	bash -c 'exec 3<>/dev/tcp/203.0.113.5/80; read -r _ <"$1"; echo late >&3; exec 3>&-' bash "$WORLD/go" 2>/dev/null &
late=$!
world_pids+=($late)
until [ "$(established $AGENT_UID 80)" = 1 ]; do sleep 0.02; done
check "apply once more" fw apply "$WORLD/none.json"
wire_mark
echo >"$WORLD/go"
wait "$late"
same "nothing of a user whose socket was ended leaves" "" "$(wire_since '$2 == "tcp" && $8 > 72')"
finish
