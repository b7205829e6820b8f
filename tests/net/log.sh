#!/bin/bash
# log.sh: refused packets come out as JSON lines, as contrib/log.schema.json says, and stop with a signal.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "${srcdir:-.}/tests/net/dns.sh" || exit 1
cases_begin
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import jsonschema' 2>/dev/null || skip_all "python3 has no jsonschema"

# log_while CMD...: what the log says of that, in $WORLD/lines; its exit status in $log_status.
log_while() {
	local pid
	nsenter -t "$world_agent" -m -n -w -- "$EGRESSFW" log >"$WORLD/lines" 2>"$WORLD/log.err" &
	pid=$!
	world_pids+=($pid)
	for _ in $(seq 200); do
		# Both columns of the file's line are there once the group is bound.
		agent cat /proc/net/netfilter/nfnetlink_log | grep -q '^ *9 ' && break
		sleep 0.02
	done
	"$@"
	for _ in $(seq 100); do
		[ "$(wc -l <"$WORLD/lines")" -ge "$log_expected" ] && break
		sleep 0.02
	done
	kill -TERM "$pid"
	wait "$pid" && log_status=0 || log_status=$?
}

three_refused() {
	attempt $AGENT_UID tcp 1.1.1.1:443
	attempt $AGENT_UID udp '[2001:db8:1::5]:53'
	attempt $AGENT_UID ping 203.0.113.5:0
} >/dev/null

no_network
check "apply" fw apply "$WORLD/none.json"
log_expected=3
log_while three_refused
same "it ends with a signal" 0 "$log_status"
same "it has nothing else to say" "" "$(cat "$WORLD/log.err")"
same "three packets, three lines" 3 "$(wc -l <"$WORLD/lines")"
field() { "$python" -c 'import json, sys
for line in open(sys.argv[1]):
    one = json.loads(line)
    print(one["protocol"], one["uid"], one["dest_ip"], one["port"], one["decision"])' "$WORLD/lines"; }
same "who, where to, and that it was refused" "6 $AGENT_UID 1.1.1.1 443 block
17 $AGENT_UID 2001:db8:1::5 53 block
1 $AGENT_UID 203.0.113.5 0 block" "$(field)"
check "every line is what the schema says" "$python" -c 'import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
for line in open(sys.argv[2]):
    one = json.loads(line)
    jsonschema.validate(one, schema)
    for name in one:
        less = {key: value for key, value in one.items() if key != name}
        assert not jsonschema.Draft202012Validator(schema).is_valid(less), name' \
	"$SRCDIR/contrib/log.schema.json" "$WORLD/lines"

# An interface can have almost any name.
odd=$(printf 'o\xff\x1b\x7f"\xc2\x85')
agent ip link add "$odd" type veth peer name odd1
agent ip address add 198.18.7.1/24 dev "$odd"
agent ip link set odd1 up
agent ip link set "$odd" up
odd_route() { attempt $AGENT_UID tcp 198.18.7.2:443; } >/dev/null
log_expected=1
log_while odd_route
same "the log goes on" 0 "$log_status"
same "its name is text that does no harm" 'o???"??' "$("$python" -c 'import json, sys
print(json.loads(open(sys.argv[1]).read())["interface"])' "$WORLD/lines")"
agent ip link del odd1

log_expected=0
others() { attempt $OTHER_UID tcp 1.1.1.1:443 && attempt 0 udp 203.0.113.5:53 && sleep 0.3; } >/dev/null
log_while others
same "packets of others are not logged" 0 "$(wc -l <"$WORLD/lines")"

second() {
	status 3 "a second reader is refused" fw log
	says "and told why" 'another program reads log group 9'
	check "the canary does without the log" fw canary 1.1.1.1:443
	says "and proves by the counter" 'proof: counter'
}
log_expected=1
log_while second
# By the name that is pinned to the address, also by a policy that is applied while the log is read.
if [ -x "$DNS_STUB" ]; then
	policy pinned <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["pinned.example:443"] }
	END
	dns_script <<<'pinned.example A 203.0.113.77'
	by_name() {
		attempt $AGENT_UID tcp 203.0.113.77:22
		fw apply --no-canary "$WORLD/pinned.json"
		attempt $AGENT_UID tcp 203.0.113.77:22
		attempt $AGENT_UID tcp 203.0.113.78:22
	} >/dev/null
	log_expected=3
	log_while by_name
	same "an address has its pinned name" "203.0.113.77 203.0.113.77
pinned.example 203.0.113.77
203.0.113.78 203.0.113.78" "$("$python" -c 'import json, sys
for line in open(sys.argv[1]):
    one = json.loads(line)
    print(one["host"], one["dest_ip"])' "$WORLD/lines")"
else
	skip "an address has its pinned name" "there is no $DNS_STUB"
fi
status 2 "an argument is refused" fw log surplus
status 3 "without the capability" agent setpriv --bounding-set -net_admin --inh-caps=-all "$EGRESSFW" log
finish
