#!/bin/bash
# reload.sh: policies change, good ones and bad ones, while clients are busy.
. "${srcdir:-.}/tests/filter/http_lib.sh" || exit 1
http_begin
http_names
hosts() {
	filter_settings <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter", "allowed_hosts": [$1] }
	END
}
speak() { as_user "$AGENT_UID" timeout 60 "$PYTHON" "$WORLD/bin/http_client.py" "$@"; }
hosts '"allowed.test", "other.test"'
filter_start
speak race 150 allowed.test other.test denied.test >"$WORLD/seen" 2>&1 &
racers=$!
world_pids+=("$racers")
reloads=0
while kill -0 "$racers" 2>/dev/null; do
	case $((reloads % 4)) in
	0) hosts '"allowed.test"' ;;
	1) hosts '"other.test", "a.test"' ;;
	2) hosts '"allowed.test", "other.test"' ;;
	3) echo '{' >"$WORLD/settings.json" ;;
	esac
	kill -HUP "$filter_pid" || break
	reloads=$((reloads + 1))
	sleep 0.01
done
wait "$racers"
check "there were many changes" test "$reloads" -gt 30
check "good ones were taken" grep -q 'the policy was read anew' "$WORLD/filter.err"
check "bad ones were not" grep -q 'the policy from before stands' "$WORLD/filter.err"
same "an answer, a denial, or an end is all that anybody saw" "" "$(grep -vE ' (200|403|closed)$' "$WORLD/seen")"
same "who is in no policy is denied each time" "denied.test 403" "$(grep denied "$WORLD/seen" | grep -v closed)"
same "the others were allowed and denied" "allowed.test 200
allowed.test 403
other.test 200
other.test 403" "$(grep -v -e closed -e denied "$WORLD/seen")"
ends_are_there() {
	[ "$(grep -c '"event":"decision".*"decision":"allow"' "$filter_log")" = "$(grep -c '"event":"end"' "$filter_log")" ]
}
check "each that was allowed has its end in the log" until_true ends_are_there

# What a policy forbids ends, a websocket too.
hosts '"allowed.test", "other.test"'
: >"$WORLD/filter.err"
kill -HUP "$filter_pid"
until_true grep -q anew "$WORLD/filter.err"
for host in allowed other; do
	speak held "http://$host.test/websocket" "$WORLD/tmp/$host" >"$WORLD/$host-end" 2>&1 &
	world_pids+=("$!")
	until_true grep -q 101 "$WORLD/tmp/$host"
done
log_mark
hosts '"other.test"'
kill -HUP "$filter_pid"
check "a websocket that is not allowed any more ends" until_true test -s "$WORLD/allowed-end"
same "for its reason" "/websocket block default" "$(ends path decision rule)"
same "the other one goes on" "" "$(cat "$WORLD/other-end")"
filter_end
same "the filter ended in order" 0 "$filter_status"
finish
