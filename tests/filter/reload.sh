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

# So does a connection that is being opened meanwhile, to where the name may not lead any more.
private() {
	filter_settings <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter", "allowed_hosts": ["private.test"]$1 }
	END
}
far ip address add 10.0.0.5/32 dev lo
far nft 'add table ip t; add chain ip t i { type filter hook input priority 0; }; add rule ip t i ip daddr 10.0.0.5 drop'
private ', "allow_private": ["10.0.0.0/8"]'
filter_start
: >"$WORLD/filter.err"
http_mark
for target in http://private.test/ '-p http://private.test:443/'; do
	# shellcheck disable=SC2086 # options, and a URL
	as_user "$AGENT_UID" curl -sS -m 20 -o /dev/null -x http://127.0.0.1:3128 -w '%{http_code}' $target \
		>"$WORLD/opened" 2>&1 &
	world_pids+=("$!")
done
until_true eval 'test "$(agent ss -Htn state syn-sent "dst 10.0.0.5" | wc -l)" = 2'
private ''
kill -HUP "$filter_pid"
until_true grep -q anew "$WORLD/filter.err"
far nft delete table ip t
until_true eval 'test "$(decisions host | wc -l)" = 2'
same "a connection that was being opened when it was forbidden is not used" "block special-purpose 10.0.0.5 403
block special-purpose 10.0.0.5 403" "$(decisions decision rule dest_ip status)"
filter_end
same "the filter ended in order" 0 "$filter_status"
finish
