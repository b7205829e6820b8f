#!/bin/bash
# filter_between.sh: while one policy's filter takes the place of another's, nobody is served and nothing gets out.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
. "${srcdir:-.}/tests/net/dns.sh" || exit 1
PYTHON=${PYTHON:-/usr/bin/python3}
EGRESSFILTER=${EGRESSFILTER:-$BUILDDIR/egressfilter}
[ -x "$EGRESSFILTER" ] || skip_all "there is no egressfilter"
"$PYTHON" -c 'import socket' 2>/dev/null || skip_all "needs python3"
filter_begin
WORKER_UID=1502
SECOND_UID=65500
printf 'worker:x:%s:%s::/:/bin/sh\n' $WORKER_UID $WORKER_UID >>"$WORLD/etc/passwd"
install -m 755 "$EGRESSFILTER" "$WORLD/bin/egressfilter"
install -m 755 "$FAKE_FILTER" "$WORLD/bin/dials"
install -m 644 "$SRCDIR/tests/filter/client.py" "$WORLD/bin"
install -d -m 1777 "$WORLD/tmp"
dns_script <<'END'
a.example.com A 203.0.113.5
b.example.org A 203.0.113.6
END
# It listens and serves, and says that it is ready once it may: an apply waits for that, and its commit comes after.
cat >"$WORLD/bin/holds" <<END
#!/bin/sh
said=$WORLD/tmp/said-\$\$
mkfifo "\$said"
exec 4>&3 3>&-
{ read -r line <"\$said"; : >"$WORLD/tmp/listens"; until [ -e "$WORLD/tmp/go" ]; do sleep 0.02; done; echo "\$line" >&4; } &
exec "$WORLD/bin/egressfilter" --ready-fd 5 "\$3" 4>&- 5>"\$said"
END
chmod 755 "$WORLD/bin/holds"
policy older <<-END
	{ "network_mode": "allowlist", "users": [$AGENT_UID, $OTHER_UID], "allowed_hosts": ["*.example.com"] }
END
policy newer <<-END
	{ "network_mode": "allowlist", "users": [$WORKER_UID, $OTHER_UID], "allowed_hosts": ["*.example.org"] }
END
# connects UID HOST [PORT]: what CONNECT to it comes to.
connects() { as_user "$1" "$PYTHON" "$WORLD/bin/client.py" connect "$2:443" 2>&1 | tail -n 1; }
refused_text='ConnectionRefusedError: [Errno 111] Connection refused'
# apply_held OPTION... POLICY: begins an apply and returns while its filter listens, and is not ready.
apply_held() {
	rm -f "$WORLD/tmp/listens" "$WORLD/tmp/go"
	nsenter -t "$world_agent" -m -n -w -- "$EGRESSFW" apply --timeout 60 --filter-program "$WORLD/bin/holds" "$@" \
		>"$WORLD/applying" 2>&1 </dev/null 3>&- &
	applying=$!
	world_pids+=("$applying")
	until [ -e "$WORLD/tmp/listens" ] || ! kill -0 "$applying" 2>/dev/null; do sleep 0.02; done
}
apply_on() {
	: >"$WORLD/tmp/go"
	wait "$applying"
	same "$1" 0 $?
}
unserved() { same "$1" "$refused_text" "$(connects "$2" "$3")"; }
decided() { agent cat /var/log/egressfilter/egressfw.log | jq -r 'select(.event == "decision") | "\(.uid) \(.host) \(.decision)"' | sort -u; }

# --- another policy, at the same place
status 0 'a policy' fw apply "$WORLD/older.json"
same 'its user has what it allows' '200 tunnel' "$(connects $AGENT_UID a.example.com)"
same 'and nothing else' 403 "$(connects $AGENT_UID b.example.org)"
apply_held "$WORLD/newer.json"
unserved 'whom the next one leaves out is not served under it' $AGENT_UID b.example.org
unserved 'nor whom it names, before it stands' $WORKER_UID b.example.org
unserved 'nor who has both' $OTHER_UID b.example.org
same 'verify sees that what stands is not whole' 1 "$(fw verify >/dev/null 2>&1; echo $?)"
apply_on 'then it stands'
unserved 'who was left out is not served any more' $AGENT_UID b.example.org
same 'who is named is' '200 tunnel' "$(connects $WORKER_UID b.example.org)"
same 'and who has both has what it says now' '403 200 tunnel' "$(connects $OTHER_UID a.example.com) $(connects $OTHER_UID b.example.org)"
same 'nobody was served under a policy that is not his' \
	"$(printf '%s\n' "1500 a.example.com allow" "1500 b.example.org block" "1501 a.example.com block" \
		"1501 b.example.org allow" "1502 b.example.org allow")" "$(decided)"
status 0 'verify' fw verify

# --- at another place, and as another user
place=(--filter-listen 127.0.0.1:3129 --filter-user "$SECOND_UID")
at_second() { as_user "$1" "$PYTHON" -c 'import socket, sys; socket.create_connection(("127.0.0.1", 3129), 5); print("open")' 2>&1 | tail -n 1; }
apply_held "${place[@]}" "$WORLD/older.json"
for uid in $AGENT_UID $WORKER_UID $OTHER_UID; do same "elsewhere: uid $uid is not served" "$refused_text" "$(at_second "$uid")"; done
same 'elsewhere: root is' open "$(at_second 0)"
FILTER_UID=$SECOND_UID
held 'its filter has no way out yet' tcp 203.0.113.6:443
held 'nor to its nameserver' udp 203.0.113.53:53
FILTER_UID=65528
kill -KILL "$applying"
wait "$applying" 2>/dev/null
: >"$WORLD/tmp/go"
same 'where the apply has ended it is not served either' "$refused_text" "$(at_second $WORKER_UID)"
status 0 'the next apply' fw apply "${place[@]}" "$WORLD/older.json"
same 'serves its users' open "$(at_second $AGENT_UID)"
same 'and nobody else' "$refused_text" "$(at_second $WORKER_UID)"
same 'nothing is left of the time between' 0 "$(agent nft list table inet egressfw | grep -cE 'shut|held')"

# --- a filter that would get out before its rules come
tries() {
	wire_mark
	status 0 "$1: apply" fw apply "${@:2}"
	same "$1: nothing has got out" '' "$(wire_since '$5 ~ /^(203.0.113.53?|10.0.0.1)$/')"
}
tries 'as another user than before' --no-canary --filter-program "$WORLD/bin/dials" "$WORLD/older.json"
status 0 'remove' fw remove
tries 'as the first of all' --no-canary --filter-program "$WORLD/bin/dials" "$WORLD/older.json"
tries 'as the same user with a narrower policy' --no-canary --filter-program "$WORLD/bin/dials" "$WORLD/newer.json"
status 0 'remove it' fw remove
wire_mark
echo '{}' >"$WORLD/tmp/settings"
as_user $FILTER_UID timeout 3 "$WORLD/bin/dials" --ready-fd 1 "$WORLD/tmp/settings" >/dev/null 2>&1
check 'control: without rules it does' grep -q 203.0.113.53 <(wire_since '$5 ~ /^(203.0.113.53?|10.0.0.1)$/')
finish
