#!/bin/bash
# messages.sh: what is missing, foreign or unproven is said in words that tell what it is and what to do.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
no_network
none=$WORLD/none.json
policy pin <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["203.0.113.5", "198.51.100.0/24"] }
END
python=${PYTHON:-/usr/bin/python3}

# silent NAME PATTERN: nothing of the last command's output matches.
silent() {
	if grep -qE -- "$2" "$WORLD/err" "$WORLD/out"; then not_ok "$1" "something matches: $2" "$(show_output)"; else ok "$1"; fi
}

# a_report NAME ARG...: with --json the command prints what the published schema says, whatever its status.
a_report() {
	local name=$1
	shift
	if ! "$python" -c 'import jsonschema' 2>/dev/null; then
		skip "$name" "python3 has no jsonschema"
		return
	fi
	"$@" >"$WORLD/report" 2>"$WORLD/err" </dev/null
	check "$name" "$python" -c '
import json, sys, jsonschema
report = json.load(open(sys.argv[2]))
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(report)
sys.exit(report["exit_status"] == 0)' "$SRCDIR/contrib/report.schema.json" "$WORLD/report"
}

# --- a failure in the shape of a report, and once ---------------------------------------------------------

a_report "canary where nothing is applied" fw canary --json
a_report "canary as an ordinary user" as_user $OTHER_UID "$EGRESSFW" canary --json --user $AGENT_UID
a_report "canary with a target that is none" fw canary --json nonsense
a_report "verify as an ordinary user" as_user $OTHER_UID "$EGRESSFW" verify --json
a_report "verify with a policy that is none" fw verify --json /dev/null
a_report "verify where nothing is applied" fw verify --json
a_report "remove as an ordinary user" as_user $OTHER_UID "$EGRESSFW" remove --json
a_report "apply with a policy that is none" fw apply --json /dev/null
a_report "apply with an option that is none" fw apply --json --nonsense "$none"

# Both streams in one, as on a terminal: a sentence stands there once.
for words in "apply /dev/null" "verify /dev/null" "canary" "canary nonsense" "apply $WORLD/nowhere.json"; do
	# shellcheck disable=SC2086
	fw $words >"$WORLD/out" 2>&1 </dev/null
	same "one line: $words" 1 "$(wc -l <"$WORLD/out")"
done
policy names <<<"{ \"network_mode\": \"allowlist\", \"users\": [$AGENT_UID], \"allowed_hosts\": [\"a.example\"] }"
check "check of names" fw check "$WORLD/names.json"
silent "there is a nameserver to ask" 'nameserver'
: >"$WORLD/etc/resolv.conf"
check "check of names without a nameserver" fw check "$WORLD/names.json"
says "says what apply would come to" '^note: /etc/resolv.conf has no nameserver .* end with 4$'
check "of addresses" fw check "$WORLD/pin.json"
silent "does not matter" 'nameserver'
printf 'nameserver 203.0.113.53\n' >"$WORLD/etc/resolv.conf"
policy unproven <<END
{ "network_mode": "no-network", "users": [$AGENT_UID], "canary": ["198.51.100.77:443"] }
END
agent ip route add unreachable 198.51.100.77
fw apply "$WORLD/unproven.json" >"$WORLD/out" 2>&1 </dev/null
same "the sentence of a failed proof stands once" 1 "$(grep -c 'could not prove' "$WORLD/out")"
same "and so does what is left" 1 "$(grep -c 'as they were read back' "$WORLD/out")"
says "what was tried is reported" 'probe +inconclusive tcp uid 1500 to 198.51.100.77:443'
agent ip route delete unreachable 198.51.100.77

# --- what the canary lacks --------------------------------------------------------------------------------

without() {
	local capabilities=$1
	shift
	agent setpriv --bounding-set "$capabilities" --inh-caps=-all -- "$EGRESSFW" "$@"
}
check "a policy" fw apply "$none"
status 6 "canary without CAP_NET_ADMIN" without -net_admin canary
says "the missing capability and what to do" 'note +CAP_NET_ADMIN is missing.* added, or run this as root$'
status 3 "canary without CAP_SETUID" without -setuid canary
says "the missing capability and what to do" 'CAP_SETUID is missing: start the container with that capability added, or run'
status 3 "canary of an ordinary user" as_user $OTHER_UID "$EGRESSFW" canary --user $AGENT_UID
says "both missing capabilities" 'CAP_SETUID, CAP_SETGID are missing: start the container with these'
status 3 "log of an ordinary user" as_user $OTHER_UID "$EGRESSFW" log
says "the missing capability and what to do" 'CAP_NET_ADMIN is missing: start'
agent ip route add unreachable 203.0.113.9
status 6 "canary as somebody whom the table does not confine" fw canary --user $OTHER_UID 203.0.113.9:443
says "it is said" 'note +our table does not confine all of these users'
agent nft 'flush table inet egressfw; delete chain inet egressfw refuse'
status 6 "canary with a table that refuses nothing" fw canary --user $AGENT_UID 203.0.113.9:443
says "it is said" 'note +our table is not whole: it refuses nothing'
check "remove" fw remove
status 2 "canary without a table and a user" fw canary 203.0.113.9:443
says "it says what is wanted" 'nothing is applied that says who is confined: name the user with --user'
status 6 "canary without a table" fw canary --user $AGENT_UID 203.0.113.9:443
says "it is said" 'note +there is no table of ours'
agent ip route delete unreachable 203.0.113.9
agent ip link add onlink type veth peer name onlink1
agent ip address add 198.18.7.1/24 dev onlink
agent ip link set onlink1 up
agent ip link set onlink up
status 6 "canary of an address that nobody has" fw canary --user $AGENT_UID 198.18.7.2:443
says "it is said" 'note +nobody answers at the IPv4 targets'
silent "there is a route" 'no route|not routed'
agent ip link delete onlink
status 6 "canary of a link-local address" fw canary --user $AGENT_UID '[fe80::1]:443'
says "it is said why it was not tried" 'note +link-local targets \(fe80::/10\) need an interface'

# --- what verify finds ------------------------------------------------------------------------------------

check "a policy with pins" fw apply "$WORLD/pin.json"
check "verify" fw verify
says "the table is shown" 'table +inet egressfw: 3 sets'
agent nft delete table inet egressfw
status 1 "the table is gone" fw verify
says "it is missing" 'table +inet egressfw: missing$'
says "nobody is confined" 'confined +nobody; wanted: uid 1500'
says "the finding says so" 'table-missing: table inet egressfw: the kernel has no such table'
says "and so does the state" 'state +our table is missing'
silent "nothing is told of its rules" 'rules|wanted: it'
status 1 "the same against a policy" fw verify "$WORLD/pin.json"
says "it is missing" 'table +inet egressfw: missing$'
fw verify --json >"$WORLD/out" 2>"$WORLD/err"
says "in JSON: no table" '"table": null'
says "in JSON: nobody" '"confined": \[\]'

# altered NAME PATTERN <NFT: our table with that in place of its sets.
altered() {
	local name=$1 pattern=$2
	agent nft -f - || { not_ok "$name" "nft refuses it"; return; }
	status 1 "$name" fw verify
	says "$name: in words" "$pattern"
	silent "$name: no words of the kernel" 'inet_service|ipv4_addr|type '
}
altered "a set of other members" 'set confined: wanted: a set of ranges of user ids, found: a set of ranges of ports' <<'END'
table inet egressfw { set confined { type inet_service; flags interval; elements = { 5, 10-20 }; }; }
END
agent nft delete table inet egressfw
altered "a set of something else" 'set confined: wanted: a set of ranges of user ids, found: a set of something else' <<'END'
table inet egressfw { set confined { type mark; elements = { 5 }; }; }
END
agent nft delete table inet egressfw
altered "a map" 'set pin4_1: wanted: a set of IPv4 addresses, found: a map' <<'END'
table inet egressfw { map pin4_1 { type ipv4_addr : verdict; elements = { 192.0.2.1 : accept }; }; }
END
agent nft delete table inet egressfw
altered "elements that come and go" 'set pin4_1: wanted: .* found: a set whose elements come and go by themselves' <<'END'
table inet egressfw { set pin4_1 { type ipv4_addr; flags timeout; elements = { 192.0.2.1 timeout 1h }; }; }
END
agent nft delete table inet egressfw
altered "an element that is more" 'set confined: wanted: .* found: a set with an element that is more than a key' <<'END'
table inet egressfw { set confined { type uid; flags interval; elements = { 1500 comment "x" }; }; }
END
agent nft delete table inet egressfw
check "applied again" fw apply "$WORLD/pin.json"
altered "an element too many" 'element-extra: set confined: found: 77$' <<'END'
add element inet egressfw confined { 77 }
END
says "the table that is told of is the planned one" 'planned +table inet egressfw: 3 sets'

# --- words that help -------------------------------------------------------------------------------------

policy port <<<"{ \"network_mode\": \"allowlist\", \"users\": [$AGENT_UID], \"allowed_hosts\": [\"2001:db8::1:443\"] }"
check "an address that looks as if it had a port" fw apply "$WORLD/port.json"
says "is told of" 'note +allowed_hosts\[0\]: "2001:db8::1:443" is an address, .* write "\[2001:db8::1\]:443"$'
agent chown $OTHER_UID "$WORLD/port.json"
status 2 "a policy of somebody else" fw apply "$WORLD/port.json"
says "whose it must be stands once" 'is owned by uid 1501; a policy must be owned by root; '

check "a second instance" fw apply --name two "$none"
check "the first again" fw apply "$WORLD/pin.json"
says "the other one is named as ours" 'warning +other-instance: chain output of table inet egressfw-two: also on output, priority 100: by its name another'
silent "and not as somebody else's" 'foreign-chain: .*egressfw'
check "verify of the other" fw verify --name two
says "names the first" 'warning +other-instance: chain output of table inet egressfw: '
agent nft 'add table inet egressfw2; add chain inet egressfw2 output { type filter hook output priority 5; }'
check "a table that we cannot have made" fw verify
says "is somebody else's" 'warning +foreign-chain: chain output of table inet egressfw2: also on output, priority 5$'
agent nft delete table inet egressfw2
status 2 "log --summary without a filter" fw log --summary
says "names the usual file" 'name a file, .* /var/log/egressfilter.*, or "-"'
status 3 "log --summary as an ordinary user" as_user $OTHER_UID "$EGRESSFW" log --summary
says "says what to do" '; name a file, or "-", or run this as root'
silent "what never changes anything does not say so" 'nothing was changed'
status 2 "a policy that is none" fw verify /dev/null
silent "nor does verify" 'nothing was changed'
fw remove --quiet && fw remove --quiet --name two
nsenter -t "$world_agent" -m -n -w -- "$EGRESSFW" log >/dev/null 2>"$WORLD/log.err" 3>&- &
log=$!
world_pids+=("$log")
for _ in {1..200}; do
	[ -s "$WORLD/log.err" ] && break
	sleep 0.02
done
same "log where nothing stands says so" \
	"egressfw log: there is no table of ours: nothing is refused, and nothing shown, until apply has made one" "$(cat "$WORLD/log.err")"
kill "$log"
wait "$log"

# Somebody else's table of legacy xtables is none of ours, and one of ours is.
say_of_log() {
	: >"$WORLD/log.err"
	nsenter -t "$world_agent" -m -n -w -- "$EGRESSFW" log >/dev/null 2>"$WORLD/log.err" 3>&- &
	log=$!
	world_pids+=("$log")
	for _ in {1..200}; do
		[ -s "$WORLD/log.err" ] && break
		agent grep -q '^ *9 ' /proc/net/netfilter/nfnetlink_log && [ "$1" = silent ] && sleep 0.3 && break
		sleep 0.02
	done
	kill "$log"
	wait "$log"
}
if agent iptables-legacy -L -n >/dev/null 2>&1; then
	say_of_log loud
	same "log where only the legacy table stands says so" 1 "$(grep -c 'there is no table of ours' "$WORLD/log.err")"
	fw apply --quiet --backend xt "$none"
	say_of_log silent
	same "log where ours stands there does not" "" "$(cat "$WORLD/log.err")"
	fw remove --quiet
else
	skip "log where only the legacy table stands says so" "no legacy xtables here"
	skip "log where ours stands there does not" "no legacy xtables here"
fi

# --- no route ---------------------------------------------------------------------------------------------

agent ip -6 route delete default
check "no route for IPv6" fw apply "$none"
says "nothing was proven for it" 'note +there is no route to the IPv6 targets'
silent "for IPv4 it was" 'no route to the IPv4'
check "the canary" fw canary
says "says the same" 'note +there is no route to the IPv6 targets'
says "and claims no more than it could try" 'canary +blocked: 16 probes, 12 proven blocked by us, 4 not tried for want of a route$'
says "in its last line neither" \
	'state +our rule refused 12 of 16 probes, and nothing is proven of the others: 4 could not be tried for want of a route$'
check "the canary on what has a route" fw canary 203.0.113.9:443
says "claims all of it" 'state +every target is blocked, and it was our rule that refused$'
agent ip route delete default
check "no route at all" fw run --cwd / "$none" -- true
says "run says it" 'note +there is no route to the IPv4 targets'
says "of both" 'note +there is no route to the IPv6 targets'
says "and how much was tried" 'state .*: 16 probes, 8 proven blocked by us, 8 not tried for want of a route$'
says "loopback was proven" 'nothing was proven but what is on loopback$'

# A user namespace that has root alone.
alone() { agent unshare -Urn -- sh -c 'ip link set lo up && "$@" && nft list table inet egressfw' sh "$@"; }
if agent unshare -Urn true 2>/dev/null; then
	status 3 "apply where no confined user is" alone "$EGRESSFW" apply --state-dir /run/alone "$none"
	says "says so, and changes nothing" \
		'of the confined users \(uid 1500, 100000-165535\) this user namespace has none, so that .* canary could probe: map one of them into it; nothing was changed$'
	status 0 "without a canary" alone "$EGRESSFW" apply --no-canary --no-hosts --state-dir /run/alone "$none"
	status 3 "the canary there" alone sh -c '"$1" apply --quiet --no-canary --no-hosts --state-dir /run/alone "$2" &&
		exec "$1" canary --state-dir /run/alone' sh "$EGRESSFW" "$none"
	says "says the same" '^egressfw canary: of the confined users .* this user namespace has none'
	status 3 "and as a user who was named" alone "$EGRESSFW" canary --user $AGENT_UID 127.0.0.11:53
	says "says so of that one" 'of the confined users \(uid 1500.*\) this user namespace has none'
else
	skip "where no confined user is" "user namespaces cannot be made here"
fi

# A namespace of which nobody has taken care: bare "unshare -n".
bare() { agent unshare -n -- sh -c "$1"' --state-dir /run/bare "$2"' sh "$EGRESSFW" "$none"; }
status 6 "nor loopback" bare 'exec "$1" apply'
says "apply says why" 'could not prove that the rules hold: the interface lo is down \(ip link set lo up\); '
says "nothing was proven" 'note +there is no route to the IPv4 targets: over IPv4 nothing was proven$'
silent "on loopback neither" 'but what is on loopback'
status 125 "run" agent unshare -n -- "$EGRESSFW" run --state-dir /run/bare --cwd / "$none" -- true
says "says why" 'could not prove that the rules hold: the interface lo is down \(ip link set lo up\); '
status 6 "the canary" bare '"$1" apply --quiet "$2"; exec "$1" canary 127.0.0.11:53 #'
says "too" 'note +the interface lo is down \(ip link set lo up\): nothing on loopback could be tried$'
check "with it" bare 'ip link set lo up; exec "$1" apply'
silent "nothing is said of it" 'lo is down'

# --- a machine that does not tell who its users are ---------------------------------------------------------

policy by_name <<<'{ "network_mode": "no-network", "users": ["agent"] }'
policy but_name <<<'{ "network_mode": "no-network", "exempt_users": ["other"] }'
policy of_filter <<<'{ "network_mode": "blocklist", "users": [1500], "blocked_urls": ["a.example"] }'
# cannot PATTERN: all who need the files of users say so, and that it is not what they were asked for.
cannot() {
	local says=$1 words
	for words in "plan $WORLD/by_name.json" "apply $WORLD/by_name.json" "apply $WORLD/but_name.json" \
		"verify $WORLD/by_name.json" "verify --user agent" "canary --user agent" "check --user agent $none" \
		"doctor --user agent" "plan --filter-user other $WORLD/of_filter.json"; do
		# shellcheck disable=SC2086
		status 3 "$says: $words" fw $words
		says "says so" "$says"
	done
	status 125 "$says: run" fw run --cwd / "$WORLD/by_name.json" -- true
	says "says so" "$says.*; nothing was changed \(status 3\)\$"
}
check "a policy" fw apply "$none"
status 2 "a user that there is not" fw plan --user nosuch "$none"
agent mount --bind /dev/null /etc/passwd
cannot '/etc/passwd: is not a regular file'
agent umount /etc/passwd
cp "$WORLD/etc/passwd" "$WORLD/whole"
sed -E 's/^(agent|other):x:/\1:x:+/' "$WORLD/whole" >"$WORLD/etc/passwd"
cannot 'line [0-9]+ of /etc/passwd is about the user "(agent|other)", and programs read it in different ways'
cat "$WORLD/whole" >"$WORLD/etc/passwd"
cp "$WORLD/etc/subuid" "$WORLD/whole"
echo agent:1 >"$WORLD/etc/subuid"
status 3 "a line of subuid that is none" fw plan "$WORLD/by_name.json"
says "says so" '/etc/subuid: line 1 belongs to a confined user and is not USER:FIRST:COUNT$'
cat "$WORLD/whole" >"$WORLD/etc/subuid"
check "all as before" fw verify

# --- who has the lock --------------------------------------------------------------------------------------

agent mkdir -p -m 700 /run/held
agent flock -F /run/held/lock tail -f /dev/null $'odd\tword' -- unsaid >/dev/null 2>&1 &
world_pids+=($!)
until agent sh -c '! flock -n /run/held/lock true'; do sleep 0.01; done
held() { "$@" "$EGRESSFW" apply --state-dir /run/held --timeout 1 "$none"; }
status 3 "apply while somebody has the lock" held agent
says "names process and command, and not what stands behind --" \
	'^egressfw apply: /run/held/lock: is held by process [0-9]+ \(tail -f /dev/null odd\?word\); waited 1000 ms; nothing was changed$'
agent mkdir -p /run/layers
agent mount -t tmpfs layers /run/layers
agent mkdir -m 700 /run/layers/{over,work,up,top}
if agent mount -t overlay layers -o lowerdir=/run/held,upperdir=/run/layers/up,workdir=/run/layers/work /run/layers/top; then
	agent chmod 700 /run/layers/top
	agent flock -F /run/layers/top/lock sleep 60 &
	world_pids+=($!)
	until agent sh -c '! flock -n /run/layers/top/lock true'; do sleep 0.01; done
	status 3 "the same in an overlay" fw apply --state-dir /run/layers/top --timeout 1 "$none"
	says "names it too" 'held by process [0-9]+ \(sleep 60\); waited'
else
	skip "the same in an overlay" "this kernel has none here"
fi
if agent unshare -pf --mount-proc true 2>/dev/null; then
	status 3 "apply in another pid namespace" held agent unshare -pf --mount-proc --
	says "says that it cannot be named" '/run/held/lock: is held by a process of another pid namespace; waited 1000 ms; nothing'
else
	skip "apply in another pid namespace" "pid namespaces cannot be made here"
fi
# The one who locked it is gone, and the file is still open elsewhere.
agent mkdir -m 700 /run/ended
agent sh -c 'exec 9>/run/ended/lock; flock 9; exec sleep 60' &
world_pids+=($!)
until agent sh -c '! flock -n /run/ended/lock true'; do sleep 0.01; done
status 3 "apply while an ended process has the lock" fw apply --state-dir /run/ended --timeout 1 "$none"
says "says that it has ended" '/run/ended/lock: is held by a (child of process [0-9]+, which has ended|process of another pid namespace)'
finish
