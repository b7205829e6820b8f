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

# Whatever a client is doing, a policy that forbids it ends it: for its name, and for the address that its name led to.
policy() {
	filter_settings <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter", "allowed_hosts": [$1]$2 }
	END
	: >"$WORLD/filter.err"
	[ -z "$filter_pid" ] || kill -HUP "$filter_pid"
	[ -z "$filter_pid" ] || until_true grep -q anew "$WORLD/filter.err"
}
# begins NAME FUNCTION ARG...: a client that does that, until it is ended.
begins() {
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$AGENT_UID" --regid "$AGENT_UID" --clear-groups --inh-caps=-all -- \
		"$PYTHON" "$WORLD/bin/client.py" "${@:2}" >"$WORLD/$1.out" 2>&1 </dev/null &
	world_pids+=("$!")
}
dialled_are() { [ "$(agent ss -Htn state established "dst $1" | wc -l)" = "$2" ]; }
begin_three() {
	begins hello behind "$1:22" ''
	begins tunnel hold "$1:22" "$WORLD/tmp/held"
	begins request raw "GET http://$1/silent HTTP/1.1\r\nHost: x\r\n\r\n"
	until_true dialled_are "$2" 3
	until_true grep -q open "$WORLD/tmp/held"
}
lane=', "model_endpoints": ["http://10.0.0.5:22"]'
policy '"allowed.test:*", "silent.test:*"' "$lane"
filter_start
begins address hold 10.0.0.5:22 "$WORLD/tmp/address"
until_true grep -q open "$WORLD/tmp/address"
log_mark
begins resolved raw 'CONNECT silent.test:443 HTTP/1.1\r\nHost: x\r\n\r\n'
begins asked raw 'GET http://silent.test/ HTTP/1.1\r\nHost: x\r\n\r\n'
begin_three allowed.test 203.0.113.5
until_true grep -q silent.test "$WORLD/questions"
policy '"other.test"' "$lane"
until_true eval 'test "$(decisions host | wc -l) $(ends host | wc -l)" = "5 2"'
same "each is ended for its name" "CONNECT allowed.test 22 block default
CONNECT silent.test 443 block default
GET silent.test 80 block default
CONNECT allowed.test 22 block default
GET allowed.test 80 block default" "$(for event in decision end; do
	log_lines "$event" method host port decision rule | grep block | sort; done)"
check "and hears of it" until_true grep -q closed "$WORLD/tmp/held"
same "a tunnel to an address that is still allowed goes on" open "$(cat "$WORLD/tmp/address")"
for name in resolved asked hello request; do check "and so does $name" until_true test -s "$WORLD/$name.out"; done

rm "$WORLD/tmp/held"
policy '"private.test:*"' ', "allow_private": ["10.0.0.0/8"]'
log_mark
begin_three private.test 10.0.0.5
policy '"private.test:*"'
until_true eval 'test "$(ends host | wc -l)" = 2'
same "and for its address" "CONNECT 22 block special-purpose 10.0.0.5
CONNECT 22 block special-purpose 10.0.0.5
GET 80 block special-purpose 10.0.0.5" "$(for event in decision end; do
	log_lines "$event" method port decision rule dest_ip | grep block | sort; done)"
filter_end
same "the filter ended in order" 0 "$filter_status"
finish
