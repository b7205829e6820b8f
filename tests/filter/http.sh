#!/bin/bash
# http.sh: requests in clear: bodies, framing, interim answers, reuse, websockets, denials, faults of servers.
. "${srcdir:-.}/tests/filter/http_lib.sh" || exit 1
http_begin
http_names
http_policy() {
	filter_settings "$@" <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter",
  "allowed_hosts": ["allowed.test", "other.test", "port.test:8080", "a.test:81", "nowhere.test",
	"203.0.113.5", "203.0.113.7"] }
END
}
http_policy
filter_start

# fetch WANT NAME CURL-ARG...: status and body.
fetch() {
	same "$2" "$1" "$(as_user "$AGENT_UID" curl -sS -m 20 -x http://127.0.0.1:3128 -w '%{http_code}\n' "${@:3}" 2>&1)"
}
# does WANT NAME FUNCTION ARG...
does() {
	same "$2" "$1" "$(as_user "$AGENT_UID" timeout 60 "$PYTHON" "$WORLD/bin/http_client.py" "${@:3}" 2>&1)"
}
url=http://allowed.test

# Bodies and heads, as they come.
fetch $'GET / 0 \n200' "a request" $url/
fetch $'GET /a/b?c=d 0 \n200' "path and query" "$url/a/b?c=d"
fetch 200 "HEAD" -I -o /dev/null $url/large/5000
fetch 204 "204" $url/status/204
fetch 304 "304" $url/status/304
fetch "hello world200" "chunks" $url/chunks
does "200 hello worldX-Sum: 11" "a trailer" keep $url/chunks
fetch "until the close200" "a body until the close" $url/close
fetch $'old\n200' "a server of HTTP/1.0" $url/old
fetch "hello world200" "chunks to a client of HTTP/1.0" -0 $url/chunks
fetch $'GET / 0 \n200' "another port" http://port.test:8080/
fetch 302 "a redirect is passed on as it is" -o /dev/null $url/redirect
fetch 403 "case_J7: and not where it leads" -L -o /dev/null $url/redirect
http_mark
does "103 200" "case_G13: an interim answer" pipeline $url/hints
same "case_G15: each cookie has its line, and what belongs to one connection is gone" \
	"Set-Cookie: a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT
Set-Cookie: b=2
Content-Length: 8" "$(as_user "$AGENT_UID" curl -sS -i -m 20 -x http://127.0.0.1:3128 $url/cookies | tr -d '\r' |
		grep -iE '^(set-cookie|x-hop|connection|keep-alive|content-length)')"
fetch 8000000-200 "eight megabytes down" -o /dev/null -w '%{size_download}-%{http_code}' $url/large/8000000

# Fields on their way up.
http_mark
as_user "$AGENT_UID" curl -sS -m 20 -o /dev/null -x http://u:p@127.0.0.1:3128 -H 'Host: denied.test' -H 'X-Secret: 1' \
	-H 'Connection: X-Secret' -H 'TE: trailers' -H 'X-Kept: a' -H 'X-Kept: b' $url/
same "case_G15: Host from the target, no field of this connection, order and repetition kept" "allowed.test a|b - - - - -" \
	"$(origin_since host x-kept x-secret te connection proxy-authorization proxy-connection)"

# Bodies up.
head -c 2000000 /dev/urandom >"$WORLD/upload"
chmod 644 "$WORLD/upload"
digest=$(sha256sum <"$WORLD/upload")
digest=${digest%% *}
http_mark
fetch $'PUT /upload 2000000 \n200' "case_G13: two megabytes up, with 100-continue" -T "$WORLD/upload" $url/upload
same "as they were" "$digest - 100-continue" "$(origin_since digest transfer-encoding expect)"
http_mark
fetch $'PUT /upload 2000000 \n200' "the same in chunks" -T - -H 'Transfer-Encoding: chunked' $url/upload <"$WORLD/upload"
same "as they were, in chunks" "$digest chunked" "$(origin_since digest transfer-encoding)"
fetch $'PUT /no-continue 2000000 \n200' "a server that never says 100" -T "$WORLD/upload" $url/no-continue
does "401 early" "case_G13: an answer before the body was read" early $url/early
does "100 200" "case_G13: 100 is passed on" expect $url/x
does "403" "case_G13: a denied request gets no 100" expect http://denied.test/x
does "200 POST /x 3 X-Sum: 1" "a trailer up" trailer $url/x

# One connection.
http_mark
does "200 200 200" "three requests in one write" pipeline $url/1 $url/2 $url/3
same "over one connection of the server" 1 "$(origin_since number | sort -u | wc -l)"
http_mark
does "200 403 200" "case_G4: each is judged" pipeline $url/1 http://denied.test/2 $url/3
same "case_G4: what is denied reaches no server" "/1 allowed.test
/3 allowed.test" "$(origin_since path host)"
http_mark
does "200 200 200" "two hosts in one write" pipeline $url/1 http://other.test/2 $url/3
same "case_G4: to their own servers" "allowed.test 203.0.113.5:80
other.test 203.0.113.6:80
allowed.test 203.0.113.5:80" "$(origin_since host place)"
http_mark
does "200 200 200 200" "two ports, and two addresses" pipeline $url/1 $url:443/2 http://203.0.113.5/3 http://203.0.113.7/4
same "case_G4: to each" "203.0.113.5:80
203.0.113.5:443
203.0.113.5:80
203.0.113.7:80" "$(origin_since place)"
does "200 GET /1 0; 200 quitting; 200 GET /2 0" "a server that leaves between two requests" keep $url/1 $url/quit $url/2
http_mark
does "200 GET /1 0; 502 {\"error\":\"the server closed without an answer\"}" "a server that leaves instead of an answer" \
	keep $url/1 $url/leave
same "is asked once more, over a new connection" "/1
/leave
/leave" "$(origin_since path)"

http_mark
does "200 502" "a request that changes something" once $url/1 $url/leave
same "is not" "/1
/leave" "$(origin_since path)"

# Who asks without end and takes no answers is kept waiting, and costs no memory.
agent sysctl -qw net.ipv4.tcp_wmem='4096 16384 65536'
peak() { awk '/VmHWM/ { print $2 }' "/proc/$filter_pid/status"; }
before=$(peak)
as_user "$AGENT_UID" timeout 60 "$PYTHON" "$WORLD/bin/http_client.py" flood 12000 "$WORLD/gate" >"$WORLD/flood" 2>&1 &
world_pids+=("$!")
flood=$!
log_stands() {
	local lines
	lines=$(wc -l <"$filter_log")
	sleep 0.3
	[ "$lines" -gt 100 ] && [ "$lines" = "$(wc -l <"$filter_log")" ]
}
until_true log_stands
if sanitized; then
	skip "many requests of a client that takes no answers cost no memory" 'a sanitizer keeps what was freed'
else
	[ $(($(peak) - before)) -lt 1500 ] && ok "many requests of a client that takes no answers cost no memory" ||
		not_ok "many requests of a client that takes no answers cost no memory" "$before, then $(peak) kB"
fi
touch "$WORLD/gate"
wait "$flood"
same "each is answered in the end" 12000 "$(cat "$WORLD/flood")"
agent sysctl -qw net.ipv4.tcp_wmem='4096 16384 4194304'
does "200" "octet by octet" slowly $url/slow
does "200 asked; 200 GET /x 0" "an answer that nobody asked for is nobody's" keep $url/unasked $url/x

as_user "$AGENT_UID" timeout 60 "$PYTHON" "$WORLD/bin/http_client.py" again "$url/unasked-late" "$WORLD/tmp/unasked" \
	>"$WORLD/unasked" 2>&1 </dev/null &
world_pids+=("$!")
until_true test -s "$WORLD/tmp/unasked.first"
check "nor is one that comes later: its connection is closed" \
	until_true eval '! agent ss -Htn state established "dst 203.0.113.5" | grep -q .'
touch "$WORLD/tmp/unasked"

# Websockets.
does "101 b'\\x81\\x02hi\\x81\\x02hoearly\\x00later\\xff' b'' end" "case_G12: a websocket" websocket $url/websocket
does "101 b'\\x81\\x02hi\\x81\\x02hoearly\\x00later\\xff' b'' end" "a websocket in a tunnel" websocket /websocket allowed.test:80
does "403" "case_G12: a denied websocket" websocket http://denied.test/websocket
does "200" "a server that does not upgrade" websocket $url/plain

# In tunnels.
fetch $'GET /x 0 \n200' "case_G9: a request in a tunnel" -p $url/x
fetch 403 "case_G9: another host in a tunnel" -p -o /dev/null -H 'Host: denied.test' $url/x
fetch $'GET /x 0 \n200' "case_G9: in a tunnel to 443" -p $url:443/x

# Denials.
fetch 403 "a denied host" -o /dev/null http://denied.test/
same "says so" 'X-Egressfw-Decision: block
X-Egressfw-Rule: default
denied by policy, which is no fault of the network default' \
	"$(as_user "$AGENT_UID" curl -sS -i -m 20 -x http://127.0.0.1:3128 http://denied.test/ | tr -d '\r' |
		sed -n 's/^{.*"error":"\([^"]*\)".*"rule":"\([^"]*\)".*/\1 \2/p; /^X-/p')"
check "whoever wants to be left is, behind a denial" grep -q '^Connection: close' \
	<(client raw 'GET http://denied.test/ HTTP/1.0\r\n\r\n' whole)
check "and whoever may yet send a body, or not" grep -q '^Connection: close' \
	<(client raw 'POST http://denied.test/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n' whole)
fetch 403 "a denied body is read to its end" -o /dev/null -H 'Expect:' -T "$WORLD/upload" http://denied.test/

# Faults of servers.
fetch 502 "two lengths" -o /dev/null $url/two-lengths
fetch 502 "no answer" -o /dev/null $url/leave
fetch 502 "nobody listens" -o /dev/null http://a.test:81/
fetch 502 "no such name" -o /dev/null http://nowhere.test/
as_user "$AGENT_UID" curl -sS -m 20 -o /dev/null -x http://127.0.0.1:3128 $url/short 2>/dev/null
[ $? -ne 0 ] && ok "an answer that breaks off is not taken for the whole" ||
	not_ok "an answer that breaks off is not taken for the whole"

# The log: one decision for each request, and no secret.
http_mark
fetch 400 "userinfo in a URL" -o /dev/null --request-target 'http://user:hunter2@allowed.test/?token=s3cret' $url/
fetch $'GET /?token=s3cret 0 \n200' "a query" "$url/?token=s3cret"
fetch 403 "a denied path" -o /dev/null http://denied.test/x
same "case_K1: one line for each" "- - - block malformed 400
GET allowed.test / allow allowed_hosts[0] -
GET denied.test /x block default 403" "$(decisions method host path decision rule status | sed 's/ "[^"]*"//')"
for path in /a%2fb /a%252eb /%zz /x; do
	fetch 200 "a query behind $path" -o /dev/null "$url$path?token=s3cret"
done
fetch 200 "a query for the whole server" -o /dev/null -X OPTIONS --request-target 'http://allowed.test?token=s3cret' $url/
deny "case_K4: no secret is in the log" grep -e hunter2 -e s3cret "$filter_log"
same "as many ends as requests that were passed on" \
	"$(grep '"event":"decision".*"decision":"allow"' "$filter_log" | grep -vc '"status":502')" \
	"$(grep -c '"event":"end".*"decision":"allow"' "$filter_log")"

# A limit of how often a request is passed on.
http_mark
fetch 204 "OPTIONS that may not be passed on" -o /dev/null -X OPTIONS -H 'Max-Forwards: 0' $url/limited
fetch $'TRACE http://allowed.test/limited HTTP/1.1\r\nHost: allowed.test\r\nMax-Forwards: 0\r\n\r\n200' \
	"TRACE that may not, with a secret" -X TRACE -H 'User-Agent:' -H 'Accept:' -H 'Proxy-Connection:' -H 'Cookie: hunter2' -H 'Max-Forwards: 0' $url/limited
fetch 403 "TRACE of what is denied" -o /dev/null -X TRACE -H 'Max-Forwards: 0' http://denied.test/limited
same "no server sees them" "" "$(origin_since method path)"
fetch 200 "OPTIONS that may be passed on twice" -o /dev/null -X OPTIONS -H 'Max-Forwards: 2' $url/limited
same "the server sees that it may be passed on once" "OPTIONS /limited 1" "$(origin_since method path max-forwards)"
same "case_K1: one line for each" "OPTIONS allow 204 Max-Forwards is 0: the filter answers
TRACE allow 200 Max-Forwards is 0: the filter answers
TRACE block 403 the destination is not listed
OPTIONS allow - the destination is listed" "$(decisions method decision status reason)"

# Clients that leave.
http_mark
does "" "a client breaks off its first request" break_off 'GET http://allowed.test/ HTTP/1.1\r\nHo'
does "" "or its second" break_off 'GET http://denied.test/ HTTP/1.1\r\nHost: x\r\n\r\nG'
does "" "or in a tunnel" break_off 'GET / HT' allowed.test:80
does "" "or what is to become a tunnel" break_off 'CONNECT allowed.test:443 HT'
same "case_K1: each has its line" "- block malformed the client was gone before its request had ended
denied.test block default the destination is not listed
- block malformed the client was gone before its request had ended
allowed.test block malformed the client was gone before its request had ended
- block malformed the client was gone before its request had ended" "$(decisions host decision rule reason)"
http_mark
does "" "an empty line behind a request, and in front of none" break_off \
	'POST http://denied.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx\r\n'
client raw 'GET http://denied.test/ HTTP/1.1\r\nHost: x\r\n\r\n\r\n' early >/dev/null
same "case_K1: is no request" "denied.test default
denied.test default" "$(decisions host rule)"
for _ in 1 2 3 4 5; do client raw 'GET http://allowed.test/ HTTP/1.1\r\nHost: a' >/dev/null & done
does left "a client leaves within an answer" leave $url/large/8000000
kill -0 "$filter_pid" && ok "the filter goes on" || not_ok "the filter goes on"
log_mark
as_user "$AGENT_UID" timeout 60 "$PYTHON" "$WORLD/bin/http_client.py" vanish "$WORLD/tmp/left" $url/mute $url/mute \
	$url/websocket-mute $url/websocket-mute >"$WORLD/vanished" 2>&1 </dev/null &
vanishing=$!
world_pids+=("$vanishing")
# Who has left before the filter looks at it is served nothing.
until_true eval 'test "$(decisions path | grep -c mute)" = 4'
touch "$WORLD/tmp/left"
wait "$vanishing"
same "clients that leave servers that say nothing" "" "$(cat "$WORLD/vanished")"
does "200 late" "who has only nothing more to say waits" patient $url/late
does "101 late" "and so in a websocket" patient $url/websocket-late
left() {
	[ "$(ends path reason | grep -c "^/$1 the client was gone before")" = "$2" ]
}
check "those that have left are forgotten" until_true left mute 2
check "and their websockets" until_true left websocket-mute 2

# Interim answers without end.
does "502" "a server that babbles, to a client of HTTP/1.0" old $url/babble
does "103 x 1000, 502" "and to one of HTTP/1.1" babble $url/babble
filter_end
same "and ended in order" 0 "$filter_status"

# The filter ends while requests are on their way in.
http_policy
filter_start
http_mark
for text in 'GET http://allowed.test/ HT' 'CONNECT allowed.t' '\r\nG'; do
	client raw "$text" >/dev/null 2>&1 &
	world_pids+=("$!")
done
client behind allowed.test:80 'GET / HT' >/dev/null 2>&1 &
world_pids+=("$!")
until_true eval 'agent ss -Htn "dport = :80 and dst 203.0.113.5" | grep -q ESTAB'
until_true eval 'test "$(agent ss -Htn "dport = :3128" | grep -c ESTAB)" = 4'
until_true eval 'test "$(agent ss -Htn "sport = :3128" | awk "{ n += \$2 } END { print n + 0 }")" = 0'
filter_end
same "case_K1: each of them has its line" "- block malformed the filter was ended
- block malformed the filter was ended
- block malformed the filter was ended
allowed.test block malformed the filter was ended" "$(decisions host decision rule reason | sort)"

# A new policy ends what it forbids.
http_policy
filter_start
(does_not_end() { client raw "$1" >/dev/null 2>&1; }; does_not_end 'GET http://allowed.test/silent HTTP/1.1\r\nHost: a\r\n\r\n') &
world_pids+=("$!")
until_true grep -q silent "$filter_log"
http_mark
filter_settings <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter", "allowed_hosts": ["other.test"] }
END
kill -HUP "$filter_pid"
until_true grep -q '"event":"end".*silent' "$filter_log"
same "an exchange that a new policy forbids is ended" "/silent block default" "$(ends path decision rule)"
fetch $'GET / 0 \n200' "the new policy holds" http://other.test/
fetch 403 "for every request" -o /dev/null $url/
filter_end

# So does one that only takes the address back that a name has led to: connections that are there lead there no more.
far ip address add 10.0.0.5/32 dev lo
private() {
	filter_settings <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter", "allowed_hosts": ["private.test"]$1 }
	END
}
private ', "allow_private": ["10.0.0.0/8"]'
filter_start
begin_again() {
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$AGENT_UID" --regid "$AGENT_UID" --clear-groups --inh-caps=-all -- \
		timeout 60 "$PYTHON" "$WORLD/bin/http_client.py" again "${@:2}" >"$WORLD/$1.out" 2>&1 </dev/null &
	world_pids+=("$!")
}
begin_again kept http://private.test/ "$WORLD/tmp/gate"
begin_again tunnel http://private.test/ "$WORLD/tmp/gate" private.test:80
until_true test -s "$WORLD/tmp/gate.first"
same "an allowed private address" 200 "$(cat "$WORLD/tmp/gate.first")"
until_true eval 'agent ss -Htn "dst 10.0.0.5" | grep -c ESTAB | grep -qx 2'
until_true eval 'test "$(agent ss -Htn "sport = :3128" | awk "{ n += \$2 } END { print n + 0 }")" = 0'
private ''
: >"$WORLD/filter.err"
kill -HUP "$filter_pid"
until_true grep -q 'read anew' "$WORLD/filter.err"
http_mark
touch "$WORLD/tmp/gate"
until_true test -s "$WORLD/kept.out"
same "is not reached again when it is not allowed any more" 403 "$(cat "$WORLD/kept.out")"
until_true eval 'grep -q . "$WORLD/tunnel.out"'
same "nor by a request that was begun before, in a tunnel" 403 "$(cat "$WORLD/tunnel.out")"
same "nothing was asked there" "" "$(origin_since method)"
filter_end

# Long lines of many at once, over several files.
rm -f "$filter_log"*
http_policy
filter_start
does "200 x 5000, 403 x 5000" "case_K2: 50 clients, each with 200 URLs of 8 to 20 kB" long_urls 50 200 allowed.test denied.test
filter_end
same "case_K2: every line is whole, and there is one for each" "5000 allow decision, 5000 allow end, 5000 block decision" \
	"$(cat "$filter_log" "$filter_log".[0-9]* | "$PYTHON" -c 'import collections, json, sys
found = collections.Counter()
for line in sys.stdin:
    one = json.loads(line)
    if "decision" in one:
        found[one["decision"] + " " + one["event"]] += 1
print(*("%d %s" % (found[name], name) for name in sorted(found)), sep=", ")')"
rm -f "$filter_log"*

# Limits and hidden denials.
http_policy '"denial": "hidden"' '"limits": { "head_ms": 400, "idle_ms": 800, "connect_ms": 2000 }'
filter_start
fetch 404 "a hidden denial" -o /dev/null http://denied.test/
deny "tells nothing" grep -i -e egress -e policy -e block \
	<(as_user "$AGENT_UID" curl -sS -i -m 20 -x http://127.0.0.1:3128 http://denied.test/)
does "HTTP/1.1 408 Request Timeout end" "half a head" stall 'GET http://allowed.test/ HTTP/1.1\r\nHost: al'
does "HTTP/1.1 408 Request Timeout end" "a head that trickles" stall 'GET http://allowed.test/ HTTP/1.1\r\nHost: al' x
does "HTTP/1.1 408 Request Timeout end" "half a body" stall 'POST http://allowed.test/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'
does "HTTP/1.1 504 Gateway Timeout end" "a server that says nothing" stall 'GET http://allowed.test/silent HTTP/1.1\r\nHost: a\r\n\r\n'
filter_end
finish
