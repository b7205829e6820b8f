#!/bin/bash
# cases_E.sh: what container engines put in the way, and the time before the rules.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
no_network
serve agent udp/127.0.0.11/45353 tcp/127.0.0.11/45353 udp/127.0.0.53/53 tcp/::/8080

# case_E1: the engine's resolver is on loopback and sends what it is asked to the whole world.
reached "case_E1: the resolver answers before" udp 127.0.0.11:53
foreign_before=$(foreign_rules)
check "case_E1: apply" fw apply "$WORLD/none.json"
closed "case_E1: UDP" udp 127.0.0.11:53
closed "case_E1: TCP" tcp 127.0.0.11:53
closed "case_E1: its real port, UDP" udp 127.0.0.11:45353
closed "case_E1: its real port, TCP" tcp 127.0.0.11:45353
closed "case_E1: a stub on 127.0.0.53" udp 127.0.0.53:53
reached "case_E1: other services on loopback" tcp 127.0.0.1:8080
reached "case_E1: root asks the resolver, UDP" udp 127.0.0.11:53 0
reached "case_E1: root asks the resolver, TCP" tcp 127.0.0.11:53 0
reached "case_E1: so does another user" udp 127.0.0.11:53 $OTHER_UID

# case_E2: nobody else's table is touched.
same "case_E2: foreign tables after apply" "$foreign_before" "$(foreign_rules)"
check "case_E2: apply again" fw apply "$WORLD/none.json"
check "case_E2: a second instance" fw apply --name second "$WORLD/none.json"
same "case_E2: foreign tables after three" "$foreign_before" "$(foreign_rules)"
check "case_E2: remove the second" fw remove --name second
closed "case_E2: the first still stands" tcp 1.1.1.1:443
check "case_E2: remove" fw remove
same "case_E2: nothing of ours is left" "$foreign_before" "$(rules)"
check "case_E2: remove again is no error" fw remove
reached "case_E2: open again" tcp 1.1.1.1:443

# case_E5: a connection from before. $1: a foreign rule that lets established connections pass.
before_the_lock() {
	local name=$1 connected="$WORLD/connected" go="$WORLD/go" user
	mkfifo "$connected" "$go"
	chmod 666 "$connected" "$go"
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups -- \
		bash -c 'exec 3<>/dev/tcp/203.0.113.5/443; echo >"$1"; read -r _ <"$2"; echo secret >&3' \
		bash "$connected" "$go" 2>/dev/null &
	user=$!
	world_pids+=($user)
	read -r _ <"$connected"
	check "case_E5: $name, apply" fw apply "$WORLD/none.json"
	wire_mark
	echo >"$go"
	wait "$user"
	sleep 0.5
	# What the kernel says by itself, without a byte of the user, is no data.
	packets=$(wire_since '$2 == "tcp" && ($7 ~ /P/ || $8 > 72)')
	if [ -z "$packets" ]; then ok "case_E5: $name, no data leaves"; else not_ok "case_E5: $name, no data leaves" "$packets"; fi
	rm "$connected" "$go"
}
before_the_lock "a connection from before"
check "case_E5: remove" fw remove
agent nft -f - <<'END'
table inet usual {
	chain output {
		type filter hook output priority 0; policy accept;
		ct state established,related accept
	}
}
END
before_the_lock "a foreign rule for established connections"
check "case_E5: remove once more" fw remove
finish
