#!/bin/bash
# filter_whole.sh: the whole of it: apply and run with the real filter, names from a nameserver, programs that ask it.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
. "${srcdir:-.}/tests/net/dns.sh" || exit 1
EGRESSFILTER=${EGRESSFILTER:-$BUILDDIR/egressfilter}
[ -x "$EGRESSFILTER" ] || skip_all "there is no $EGRESSFILTER"
command -v curl >/dev/null || skip_all "needs curl"
python=${PYTHON:-/usr/bin/python3}
filter_begin
install -m 755 "$EGRESSFILTER" "$WORLD/bin/egressfilter"
dns_script <<'END'
a.example.com A 203.0.113.5
b.example.com A 10.0.0.5
c.example.org A 203.0.113.6
END
policy whole <<-END
	{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["*.example.com:8000"], "loopback": [] }
END
mkdir "$WORLD/served"
echo 'what is served' >"$WORLD/served/index.html"
nsenter -t "$world_far" -n -w -- "$python" -m http.server -d "$WORLD/served" 8000 </dev/null >/dev/null 2>&1 3>&- &
world_pids+=($!)
for _ in $(seq 100); do
	far curl -s http://127.0.0.1:8000/ >/dev/null && break
	sleep 0.05
done

# decided PATTERN: the last line of the log has it.
decided() {
	if agent tail -n 5 /var/log/egressfilter/egressfw.log | grep -qE -- "$2"; then
		ok "$1"
	else
		not_ok "$1" "$(agent tail -n 3 /var/log/egressfilter/egressfw.log)"
	fi
}

fetch() { fw run --quiet --no-canary "$WORLD/whole.json" -- curl -sS --max-time 10 -w '%{http_code}\n' "$@"; }

status 0 'run: a name below the wildcard' fetch http://a.example.com:8000/
says 'is served' '^what is served$'
decided 'and written down' '"host":"a.example.com".*"decision":"allow".*"uid":1500'
pid=$(filter_pid)
status 0 'run: another name' fetch http://c.example.org:8000/
says 'is refused by policy' '^403$'
says 'and told so' 'denied by policy'
same 'the filter is the same as before' "$pid" "$(filter_pid)"
status 0 'run: a name that turns out to be private' fetch http://b.example.com:8000/
says 'is refused' '^403$'
says 'for what it is' 'special-purpose'
status 0 'run: by address' fetch http://203.0.113.5:8000/
says 'is refused as well' '^403$'
status 0 'run: tunnel' fetch --proxytunnel http://a.example.com:8000/
says 'is served too' '^what is served$'
status 7 'run: past the filter' fetch --noproxy '*' http://203.0.113.5:8000/
status 6 'run: names are not the agent'"'"'s to ask for' fetch --noproxy '*' http://a.example.com:8000/
wire_mark
attempt $AGENT_UID tcp 203.0.113.5:8000 >/dev/null
same 'nothing of the agent left' '' "$(wire_since)"
status 0 'verify' fw verify "$WORLD/whole.json"
same 'those who only ask whether it answers are written down as that' 'check' \
	"$(agent cat /var/log/egressfilter/egressfw.log | grep '"host":""' | grep -o '"event":"[a-z]*"' | cut -d '"' -f 4 | sort -u)"
# What the manual page shows is tried as it stands there.
shown=$(sed -n "/jq -r '/,/'\$/p" "$SRCDIR/man/egressfilter.8" | sed "s/.*jq -r '//; s/'\$//; s/\\\\e/\\\\/g")
agent cat /var/log/egressfilter/egressfw.log | jq -r "$shown" >"$WORLD/shown"
check 'the example of the manual page shows decisions' grep -qE '^block c\.example\.org:8000 ' "$WORLD/shown"
same 'and nobody who only asks' "$(grep -vcE '^(allow|block) [^:]' "$WORLD/shown")" 0
same 'and have their answer' 'HTTP/1.1 204 No Content' "$(agent curl -si --max-time 5 -X OPTIONS --request-target '*' \
	-H 'Max-Forwards: 0' http://127.0.0.1:3128/ | head -n 1 | tr -d '\r')"
same 'a question of another kind is none' 'HTTP/1.1 400 Bad Request' "$(agent curl -si --max-time 5 -X OPTIONS \
	--request-target '*' http://127.0.0.1:3128/ | head -n 1 | tr -d '\r')"
agent sh -c 'sed -n s/a.example.com/older.example.com/gp /var/log/egressfilter/egressfw.log >/var/log/egressfilter/egressfw.log.2'
status 0 'the log, summed up' fw log --summary
says 'with its older files' '^older.example.com '
says 'has the hosts' '^a\.example\.com +[0-9]+ +0 +0 '
says 'and the refused' '^c\.example\.org +0 +0 +1 '
status 0 'apply: denials are hidden' fw apply --filter-denial hidden "$WORLD/whole.json"
says 'by another process' ': started anew$'
same 'what is not allowed is not there' "$(as_user $AGENT_UID curl -s -o "$WORLD/hidden" -w '%{http_code}' --max-time 10 \
	--proxy http://127.0.0.1:3128 http://c.example.org:8000/)" 404
deny 'and nobody says why' grep -qi 'policy\|egressfw' "$WORLD/hidden"
status 0 'verify of the policy knows it' fw verify "$WORLD/whole.json"
status 1 'verify knows that it is not plain' fw verify --filter-denial plain "$WORLD/whole.json"
says 'and says so' 'filter-settings'
pid=$(filter_pid)
policy less <<-END
	{ "network_mode": "blocklist", "users": [$AGENT_UID], "blocked_urls": ["example.com"] }
END
status 0 'another policy' fw apply "$WORLD/less.json"
deny 'the old filter is gone' alive "$pid"
eval "$(fw env "$WORLD/less.json")"
status 22 'what was open is blocked' as_user $AGENT_UID curl -sSf --max-time 10 http://a.example.com:8000/
status 0 'what was not is open' as_user $AGENT_UID curl -sSf --max-time 10 http://c.example.org:8000/
says 'and served' '^what is served$'
pid=$(filter_pid)
kill -HUP "$pid"
status 0 'a reload changes nothing' as_user $AGENT_UID curl -sSf --max-time 10 http://c.example.org:8000/
status 0 'remove' fw remove
deny 'ends it' alive "$pid"

# Several lanes at once, in every mode: by name and by address through the filter, on loopback without it.
nsenter -t "$world_agent" -m -n -w -- "$python" -m http.server -b 127.0.0.1 -d "$WORLD/served" 8001 </dev/null >/dev/null 2>&1 3>&- &
world_pids+=($!)
for _ in $(seq 100); do
	agent curl -s http://127.0.0.1:8001/ >/dev/null && break
	sleep 0.05
done
lanes='"model_endpoints": ["http://c.example.org:8000/v1", "http://203.0.113.7:8000", "http://127.0.0.1:8001"], "loopback": []'
for mode in '"allowlist", "allowed_hosts": ["*.example.com:8000"]' \
	'"blocklist", "blocked_urls": ["c.example.org", "203.0.113.7", "a.example.com"]' '"no-network", "enforcement": "filter"'; do
	policy whole <<-END
		{ "users": [$AGENT_UID], $lanes, "network_mode": $mode }
	END
	name=${mode#\"}
	name=${name%%\"*}
	for lane in c.example.org:8000 203.0.113.7:8000 127.0.0.1:8001; do
		status 0 "$name: the lane $lane" fetch "http://$lane/"
		says 'is served' '^what is served$'
	done
	for other in c.example.org:8002 203.0.113.7:8002; do
		status 0 "$name: $other, which is none" fetch "http://$other/"
		says 'is refused' '^403$'
	done
	status 7 "$name: another port of loopback" fetch http://127.0.0.1:8002/
done
finish
