#!/bin/bash
# tunnels.sh: what is passed on and how it ends; idle tunnels, slow and hostile clients, failing upstreams.
#
# EGRESSFW_TESTS_THOROUGH=1: 5,000 idle tunnels and 10,000 failed upstreams, else a tenth of each.
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1
idle=500 failures=1000
[ -z "${EGRESSFW_TESTS_THOROUGH:-}" ] || idle=5000 failures=10000
ulimit -Sn 20000 2>/dev/null || skip_all "needs 20,000 descriptors"
filter_begin
settings() {
	filter_settings "\"limits\": {\"head_ms\": ${head_ms:-15000}, \"idle_ms\": ${idle_ms:-60000}${limits:-}}" <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter",
		  "allowed_hosts": ["203.0.113.0/24:*"] }
	END
}
far "$PYTHON" "$WORLD/bin/client.py" serve_ends "$WORLD/ends" >"$WORLD/ends.out" 2>&1 &
world_pids+=($!)
until_true grep -q ready "$WORLD/ends" || echo 'Bail out! no server'
settings
filter_start

same "20 MB there and back, unchanged" "same" "$(client echo 203.0.113.5:9016 20000000)"
same "the client ends first, the server answers then" "100000 octets, then end" "$(client half_up 203.0.113.5:9011)"
same "the server ends first, the client goes on" "bye, then end, 100000 octets heard" \
	"$(client half_down 203.0.113.5:9012 "$WORLD/ends")"
log_mark
same "a server's reset is a reset" "reset" "$(client hears_reset 203.0.113.5:9013)"
same "a client's reset is a reset" "reset" "$(client resets 203.0.113.5:9014 "$WORLD/ends")"
until_true eval 'test "$(ends status | wc -l)" -ge 2'
same "both are logged, at their beginning and end" "2 2" "$(decisions status | wc -l) $(ends status | wc -l)"
log_mark
client echo 203.0.113.5:9016 100000 >/dev/null
until_true eval 'test -n "$(ends status)"'
same "octets are counted both ways" "same" \
	"$(ends bytes_up bytes_down | awk '$1 == $2 && $1 > 100000 { print "same" }')"

same "what comes with the hello goes behind it" "same" "$(client early_data 203.0.113.5:9016)"

# A second hello (HelloRetryRequest) must repeat the name.
same "a second hello with another name" "closed" "$(client second_hello 203.0.113.5:9015 other.test)"

# Slow clients are nobody else's trouble.
client_begin slow 300 203.0.113.5:9016 "$WORLD/tmp/slow"
until_true grep -q slow "$WORLD/tmp/slow" || { cat "$WORLD/client.out"; echo "Bail out! no slow clients"; }
for try in 1 2 3; do
	answers "300 slow clients delay nobody, time $try" "200 tunnel" 203.0.113.5:443
done
same "nor do they keep what they have" "same" "$(client echo 203.0.113.5:9016 2000000)"
client_end
filter_end

head_ms=300 idle_ms=400
limits=', "header_bytes": 2048, "hello_bytes": 1024, "connections": 20'
settings
filter_start
log_mark
same "a head that does not end" 408 "$(client raw 'CONNECT 203.0.113.5:443 HTTP/1.1\r\n')"
same "nothing at all is closed without a word" closed "$(client raw '')"
same "a head that is too large" 431 "$(client raw "CONNECT 203.0.113.5:443 HTTP/1.1\r\nHost: x\r\nX: $(printf 'x%.0s' $(seq 2100))")"
same "no hello" "200 end" "$(client behind 203.0.113.5:443 '')"
same "a hello that does not end" "200 end" "$(client behind 203.0.113.5:443 '\x16\x03\x01\x01\x00\x01\x00')"
same "a hello that is too large" "200 end" "$(client behind 203.0.113.5:443 '\x16\x03\x01\x20\x00\x01\x00\x1f\xfc')"
same "a tunnel in which nothing happens" "200 tunnel end" "$(client idle_end 203.0.113.5:443)"
same "each has its line" "408 block limits the request's head took longer than limits.head_ms
431 block limits the head is larger than limits.header_bytes
200 block limits the hello took longer than limits.head_ms
200 block limits the hello took longer than limits.head_ms
200 block server name hello_too_large
200 allow allowed_hosts[0] \"203.0.113.0/24:*\" the destination is listed" "$(decisions status decision rule reason)"
same "and the tunnel an end" "nothing was sent for longer than limits.idle_ms" "$(ends reason)"
filter_end

unset head_ms idle_ms
limits=', "connections": 20'
settings
filter_start
same "as many as one user may have, and no more" "200 x 18, 503 x 5, again 200" "$(client limit 18 5 203.0.113.5:443)"
same "of many that come then, not all are told so" "some told, some closed" "$(client told 18 40 203.0.113.5:443)"
# More than that cost nothing.
client_begin crowd 120 "$WORLD/tmp/crowd"
until_true grep -q crowd "$WORLD/tmp/crowd"
before=$(awk '{ print $14 + $15 }' "/proc/$filter_pid/stat")
sleep 1
after=$(awk '{ print $14 + $15 }' "/proc/$filter_pid/stat")
check "a crowd at the door does not make it spin" test $((after - before)) -lt 30
client_end
answers "and it goes on behind them" "200 tunnel" 203.0.113.5:443
filter_end

filter_start prlimit --nofile=100:100
says_filter() { grep -q "$1" "$WORLD/filter.err"; }
check "fewer descriptors than it wants: it says so" says_filter 'descriptors for 3 connections, not for 20: whoever starts this has to allow 636 open files [(]ulimit -n, LimitNOFILE='
same "and keeps within them" "200 x 3, 503 x 5, again 200" "$(client limit 3 5 203.0.113.5:443)"
kill -HUP "$filter_pid"
until_true says_filter anew
same "with the same settings read anew, too" "200 x 3, 503 x 5, again 200" "$(client limit 3 5 203.0.113.5:443)"
filter_end

limits=', "connect_ms": 5000'
settings
filter_start
client repeat 20 203.0.113.5:81 >/dev/null
before=$(descriptors)
same "$failures failed upstreams" "502 x $failures" "$(client repeat "$failures" 203.0.113.5:81)"
same "leave no descriptor behind" "$before" "$(descriptors)"

# Idle tunnels.
rss() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$filter_pid/status"; }
empty=$(rss) before=$(descriptors)
client_begin idle "$idle" 203.0.113.5:443 "$WORLD/tmp/idle"
until_true grep -q "open $idle" "$WORLD/tmp/idle" || until_true grep -q "open $idle" "$WORLD/tmp/idle"
same "$idle tunnels are open" "open $idle" "$(cat "$WORLD/tmp/idle" "$WORLD/client.out" 2>&1)"
used=$(rss)
echo "# $idle idle tunnels: from $empty kB to $used kB, $(descriptors) descriptors"
if sanitized; then
	skip "an idle tunnel keeps less than 8 kB" 'a sanitizer takes more'
else
	check "an idle tunnel keeps less than 8 kB" test $(((used - empty) / idle)) -lt 8
	[ "$idle" -lt 5000 ] || check "5,000 of them within 40 MB" test "$used" -lt 40000
fi
check "and two descriptors" test "$(descriptors)" -lt $((before + 2 * idle + 70))
client_end
until_true eval 'test "$(descriptors)" -lt $((before + 70))'
check "which are gone when they end" test "$(descriptors)" -lt $((before + 70))

# Killed, and started again at once, at the same place.
filter_end KILL
deny "a filter that was killed lets nobody out" client connect 203.0.113.5:443
filter_start
answers "started again at once" "200 tunnel" 203.0.113.5:443
filter_end
finish
