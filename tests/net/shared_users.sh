#!/bin/bash
# shared_users.sh: a user whom two instances confine: what a filter of one would open of the other, and what the canary proves.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
filter_begin
SECOND_UID=65500
closed_to() { policy "$1" <<<"{ \"network_mode\": \"no-network\", \"users\": [$2]${3:+, $3} }"; }
closed_to none $AGENT_UID
closed_to part '"100010-100020"'
closed_to ports $AGENT_UID '"loopback": [8080]'
closed_to listed $AGENT_UID '"loopback": [8080, "3120-3130"]'
closed_to lane $AGENT_UID '"loopback": [], "model_endpoints": ["http://127.0.0.1:3128/v1"]'
closed_to other $OTHER_UID
policy agent_by_name <<<'{ "network_mode": "allowlist", "users": ["agent"], "allowed_hosts": ["*.example.org"] }'
policy everybody <<<'{ "network_mode": "no-network", "exempt_users": [1777], "loopback": "any" }'
two=(--name two --filter-user $SECOND_UID --filter-listen 127.0.0.1:3129)
# passing UIDS FILTERED PLACE OTHER
passing() {
	local uids=$1 one=${2:-without a name} other=${4:-without a name}
	echo "$5: uid $uids would be confined by the instance $one and by the instance $other, and reach by the filter of the first, at $3, what the second forbids: confine each user by one instance, or let \"loopback\" in the policy of the instance $other list ports without that one; nothing was changed( \\(status 3\\))?$"
}
first='127.0.0.1 port 3128' second='127.0.0.1 port 3129'

# --- the filter comes second
status 0 'an instance without a filter' fw apply --name bare "$WORLD/none.json"
refused 'one with a filter for the same user' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply "$WORLD/wild.json"
refused 'without a canary' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply --no-canary "$WORLD/wild.json"
refused 'by the name of the user' 3 "$(passing '1500, 100000-165535' '"two"' "$second" '"bare"' apply)" apply "${two[@]}" "$WORLD/agent_by_name.json"
status 125 'run' fw run "$WORLD/wild.json" -- true
says 'refuses as well' "$(passing '1500, 100000-165535' '' "$first" '"bare"' run)"
status 0 'the subordinate uids' fw apply --name bare "$WORLD/part.json"
refused 'count as the user' 3 "$(passing 100010-100020 '' "$first" '"bare"' apply)" apply "$WORLD/wild.json"
status 0 'everybody but one' fw apply --name bare "$WORLD/everybody.json"
refused 'is everybody' 3 "uid 1500, 100000-165535 would be confined by the instance without a name and by the instance \"bare\"" apply "$WORLD/wild.json"
status 0 'one that has the port in its list' fw apply --name bare "$WORLD/listed.json"
refused 'opens it' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply "$WORLD/wild.json"
status 0 'or as a model endpoint' fw apply --name bare "$WORLD/lane.json"
refused 'opens it too' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply "$WORLD/wild.json"
same 'no filter was started' "$(filter_pid)" ''
status 0 'one that leaves the port out' fw apply --name bare "$WORLD/ports.json"
status 0 'does not lead there' fw apply --no-canary "$WORLD/wild.json"
same 'as it is' "$(attempt $AGENT_UID tcp 127.0.0.1:3128 | cut -d ' ' -f 1)" ECONNREFUSED

# --- the filter stands already
refused 'a list that has the port' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply --name bare "$WORLD/listed.json"
refused 'no list' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply --name bare "$WORLD/none.json"
refused 'a third one' 3 "$(passing '1500, 100000-165535' '' "$first" '"three"' apply)" apply --name three "$WORLD/none.json"
refused 'which the kept plans do not tell' 3 "$(passing '1500, 100000-165535' '' "$first" '"three"' apply)" \
	apply --name three --state-dir /run/elsewhere "$WORLD/none.json"
refused 'with a filter of its own' 3 "$(passing '1500, 100000-165535' '"two"' "$second" '' apply)" apply "${two[@]}" "$WORLD/agent_by_name.json"
status 0 'verify' fw verify
says 'names whom both confine' 'other-instance: chain output of table inet egressfw-bare: also on output, priority 100: by its name another instance of ours; it confines uid 1500, 100000-165535 as well, who reaches only what both allow$'
status 0 'another user may' fw apply --name three "$WORLD/other.json"
status 0 'remove' fw remove --name three
status 0 'remove of the one without a filter' fw remove --name bare
if agent iptables-legacy -nL >/dev/null 2>&1; then
	refused 'the same by xtables' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply --backend xt --name bare "$WORLD/none.json"
	status 0 'remove of the filter' fw remove
	status 0 'by xtables first' fw apply --backend xt --name bare "$WORLD/none.json"
	refused 'and then the filter' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply "$WORLD/wild.json"
	refused 'also where nft was said' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply --backend nft "$WORLD/wild.json"
	status 0 'remove' fw remove --backend xt --name bare
else
	skip 'by xtables' 'this kernel has no legacy tables'
	status 0 'remove of the filter' fw remove
fi
status 0 'what was altered' fw apply --name bare "$WORLD/ports.json"
agent nft insert rule inet egressfw-bare loopback accept
refused 'lets everybody pass' 3 "$(passing '1500, 100000-165535' '' "$first" '"bare"' apply)" apply "$WORLD/wild.json"
status 0 'remove' fw remove --name bare

# --- without a filter both hold, and each proves by what either refuses
policy pins <<<"{ \"network_mode\": \"allowlist\", \"users\": [$AGENT_UID], \"allowed_hosts\": [\"203.0.113.5\"] }"
proof='note +the instance'
status 0 'two without a filter' fw apply "$WORLD/none.json"
status 0 'the second' fw apply --name two "$WORLD/pins.json"
says 'names the first' "$proof without a name confines uid 1500, 100000 as well: a probe that either refuses is taken for refused$"
closed 'only what both allow' tcp 203.0.113.5:443
for name in '' two; do
	status 0 "verify of ${name:-the first}" fw verify --quiet ${name:+--name $name}
	status 0 "canary of ${name:-the first}" fw canary ${name:+--name $name}
	says 'names the other' "$proof .* confines uid 1500, 100000 as well: a probe"
	status 0 "apply of ${name:-the first} again" fw apply ${name:+--name $name} "$WORLD/$([ "$name" ] && echo pins || echo none).json"
	status 0 "canary of ${name:-the first} again" fw canary --quiet ${name:+--name $name}
done
agent nft insert rule inet egressfw-two loopback accept
status 6 'one that was altered' fw canary 1.1.1.1:443
says_not 'proves nothing for the other' "$proof"
finish
