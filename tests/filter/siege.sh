#!/bin/bash
# siege.sh: a client that wants all of the filter does not take it from the others.
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1
ulimit -Sn 20000 2>/dev/null || skip_all "needs 20,000 descriptors"
filter_begin
dns_script <<'END'
allowed.test A 203.0.113.5
*.silent.test ANY drop=all
*.dead.test A 198.51.100.1 198.51.100.2 198.51.100.3 198.51.100.4
*.dead.test AAAA 2001:db8:dead::1 2001:db8:dead::2 2001:db8:dead::3 2001:db8:dead::4
END
# Nobody answers there, and nobody says so.
far nft -f - <<'END'
table inet dead {
	chain input {
		type filter hook input priority 0;
		ip daddr 198.51.100.0/24 drop
		ip6 daddr 2001:db8:dead::/48 drop
	}
}
END
settings() {
	filter_settings "$@" <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter",
		  "allowed_hosts": ["allowed.test:*", "*.silent.test:*", "*.dead.test:*", "203.0.113.0/24:*"] }
	END
}

# --- many requests at once of one client: others have their turn between them
settings
filter_start
siege_as "$AGENT_UID" many 1500
told 403
log_mark
kill -STOP "$filter_pid"
echo >&"$siege"
told sent
client_begin connect other.test:443
until_true eval 'test "$(agent ss -Htn "sport = :3128" | awk "\$2 > 0" | wc -l)" -ge 2'
kill -CONT "$filter_pid"
until_true eval 'test "$(decisions host | grep -c .)" -ge 1501'
before=$(decisions host | sed -n '/other.test/=')
check "somebody else is not behind all of 1,500 requests, but some" test "${before:-9999}" -lt 200
same "all are answered" 1500 "$(decisions host | grep -c many.test)"
serve_end "$siege_pid"
client_end

# --- many clients that say nothing, or half of it: who says something is served before them
filter_end
settings '"limits": { "connections": 50 }'
filter_start
client_begin hold 203.0.113.5:443 "$WORLD/tmp/held"
until_true grep -q open "$WORLD/tmp/held"
for beginning in C 'GET /' "CONNECT 203.0.113.5:443 HTTP/1.1
Host: x

" ''; do
	case $beginning in
	'') name=nothing ;;
	*203*) name='CONNECT and no hello' ;;
	*) name=$beginning ;;
	esac
	siege_as "$AGENT_UID" silent 300 "${beginning//$'\n'/$'\r\n'}"
	told silent
	log_mark
	answers "behind 300 clients that say $name" "200 tunnel" 203.0.113.5:443
	answers "and again" 403 other.test:443
	[ -z "$beginning" ] || check "who had to go for that is written down, $name" \
		grep -q 'others came, and there are as many clients as limits.connections' <(tail -n 400 "$filter_log")
	serve_end "$siege_pid"
done
same "a tunnel is none of them" open "$(cat "$WORLD/tmp/held")"
client_end
filter_end

# --- many names at once, of clients that are gone again
settings
filter_start
log_mark
same "thousands of names that nobody waits for" left "$(as_user "$AGENT_UID" "$PYTHON" "$WORLD/bin/siege.py" names 6000)"
until_true eval 'test "$(decisions status | wc -l)" -ge 6000'
check "not all of them are asked for" test "$(decisions reason | grep -c 'too many names are being looked up')" -gt 100
check "and are told so" test "$(decisions status | grep -c 503)" -gt 100
until_true eval 'client connect allowed.test:443 | grep -q "200 tunnel"'
answers "others are, once some have been given up" "200 tunnel" allowed.test:443
filter_end

# --- many requests whose bodies their server does not take
settings
filter_start
nsenter -t "$world_far" -n -w -- "$PYTHON" "$SRCDIR/tests/filter/siege.py" idle_server 9999 "$WORLD/tmp/idle" </dev/null >/dev/null 2>&1 &
idle=$!
world_pids+=("$idle")
until_true grep -q ready "$WORLD/tmp/idle"
if sanitized; then
	skip 'they do not fill the memory' 'a sanitizer keeps what was freed'
else
	siege_as "$AGENT_UID" bodies 2000
	told sent
	until_true eval 'test "$(agent ss -Htn state established "dport = :9999" | wc -l)" -ge 2000'
	answers "others are served beside them" "200 tunnel" 203.0.113.5:443
	used=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$filter_pid/status")
	echo "# $used kB for 2,000 of them"
	check 'they do not fill the memory' test "$used" -lt 90000
	serve_end "$siege_pid"
fi
serve_end "$idle"
filter_end

# --- names with many addresses at which nobody answers
filter_start prlimit --nofile=400:400
siege_as "$AGENT_UID" wait 60 a.dead.test
told waiting
until_true eval 'test "$(descriptors)" -ge 130'
# As long as each takes to begin eight attempts.
sleep 2.2
check "they do not take all descriptors" test "$(descriptors)" -lt 250
answers "and others are served" "200 tunnel" 203.0.113.5:443
serve_end "$siege_pid"
filter_end
finish
