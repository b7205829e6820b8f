#!/bin/bash
# shares.sh: one user of a policy who takes all of the filter that there is leaves enough to the others.
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1
ulimit -Sn 20000 2>/dev/null || skip_all "needs 20,000 descriptors"
filter_begin
dns_script <<'END'
allowed.test A 203.0.113.5
*.silent.test ANY drop=all
END
settings() {
	filter_settings "$@" <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID, $OTHER_UID, "100000-165535"], "enforcement": "filter",
		  "allowed_hosts": ["allowed.test:*", "*.silent.test:*", "203.0.113.0/24:*"] }
	END
}
# served NAME UID TARGET: that user has a tunnel there, at the first try.
served() {
	same "$1" "200 tunnel" "$(as_user "$2" "$PYTHON" "$WORLD/bin/client.py" connect "$3" 2>&1 | tail -n 1)"
}

settings '"limits": { "connections": 200 }'
filter_start

# --- tunnels in which nothing happens
log_mark
siege_as $AGENT_UID tunnels 300 203.0.113.5:443
first=$siege_pid
told open
same "one alone has seven eighths" "open 175" "$(cat "$siege_told")"
check "which is why it gets no more" grep -q 'this user has as many clients as others leave it of limits.connections' \
	<(decisions reason)
served "somebody else is served beside them" $OTHER_UID allowed.test:443
served "and root" 0 allowed.test:443
siege_as 100001 tunnels 300 203.0.113.5:443
second=$siege_pid
told open
siege_as 100002 tunnels 300 203.0.113.5:443
third=$siege_pid
told open
same "ids that one user may have by the thousand are one" "open 0" "$(cat "$siege_told")"
served "somebody else is served beside all of them" $OTHER_UID allowed.test:443
serve_end "$third"
serve_end "$second"

# --- new clients all the time, beside these
siege_as $AGENT_UID storm
storm=$siege_pid
told storm
for try in 1 2 3; do served "behind a storm of clients, time $try" $OTHER_UID 203.0.113.5:443; done
serve_end "$storm"
serve_end "$first"

# --- clients that say nothing, or are slow
for beginning in '' C 'GET /'; do
	siege_as $AGENT_UID silent 400 "$beginning"
	told silent
	served "behind 400 clients that say \"$beginning\"" $OTHER_UID allowed.test:443
	serve_end "$siege_pid"
done

# Whoever is slow of the others is not ended for their sake.
siege_as $OTHER_UID halves 203.0.113.5:443
slow=$siege slow_pid=$siege_pid slow_told=$siege_told
told begun
siege_as $AGENT_UID silent 400 C
told silent
echo >&"$slow"
wait "$slow_pid"
same "one who is slow before 400 others come has his answer" 200 "$(cat "$slow_told")"
serve_end "$siege_pid"
filter_end

# --- requests without end: whoever comes is not behind all of them
settings
filter_start
siege_as $AGENT_UID requests 4000 50
told sent
most=$(agent "$PYTHON" "$WORLD/bin/siege.py" lines_meanwhile 10 "$filter_log")
left=$((200000 - $(wc -l <"$filter_log")))
echo "# at most $most lines meanwhile, $left requests left"
check "4000 clients with 50 requests each are still at it" test "$left" -gt 10000
check "somebody else is served before one in ten of these" test "$most" -lt 20000
serve_end "$siege_pid"
filter_end
rm -f "$filter_log"*

# --- names
settings
filter_start
siege_as $AGENT_UID lookups 3000
told asking
until_true eval 'test "$(decisions reason | grep -c "too many names")" -gt 0'
served "while as many names are asked for as may be, another user finds one" $OTHER_UID allowed.test:443
serve_end "$siege_pid"
filter_end
finish
