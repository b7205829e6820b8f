#!/usr/bin/env bash
# kernel.sh: the kernel part alone against the kernel: commit, read, verify, split, refusals, the log group.
set -u
# shellcheck source=tests/lib/world.sh
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

PROBE=$BUILDDIR/tests/net/kernel_probe
world_begin

probe() {
	agent "$PROBE" "$@"
}

fresh() {
	agent nft flush ruleset
}

# prints NAME PATTERN CMD...: the command's output has a line that matches.
prints() {
	local name=$1 pattern=$2 output
	shift 2
	output=$("$@" 2>&1)
	if grep -qE -- "$pattern" <<<"$output"; then
		ok "$name"
	else
		not_ok "$name" "nothing matches: $pattern" "$(head -c 2000 <<<"$output")"
	fi
}

# --- what is committed is what is read, and what nft makes of the printed text -----------------------------

round_trip() {
	local ruleset=$1 ours theirs
	fresh
	prints "$ruleset: committed in one transaction" '^done, transactions 1$' probe commit "$ruleset"
	check "$ruleset: reads back equal" probe read "$ruleset"
	check "$ruleset: verifies" probe verify "$ruleset"
	ours=$(agent nft list ruleset)
	fresh
	probe print "$ruleset" >"$WORLD/text"
	check "$ruleset: nft loads the printed text" agent nft -f "$WORLD/text"
	theirs=$(agent nft list ruleset)
	if [ "$ours" = "$theirs" ]; then
		ok "$ruleset: nft lists both alike"
	else
		not_ok "$ruleset: nft lists both alike" "$(diff <(echo "$ours") <(echo "$theirs") | head -20)"
	fi
	check "$ruleset: verifies as nft loaded it" probe verify "$ruleset"
}

for ruleset in no-network allowlist many-users lanes loopback-ports loopback-none own-addresses ownerless-pass instance \
	published published-pass strict strict-allowlist closing closing-beside-pass closing-for-pass closing-for-published narrowed-ip narrowed-ip6 all:0 all:1 all:256 all:65536; do
	round_trip "$ruleset"
done

fresh
cat >"$WORLD/edge.json" <<'END'
{"network_mode": "allowlist", "users": ["1-999", 1500, "4294967290-4294967294"],
 "allowed_hosts": ["198.51.100.1", "255.0.0.0/8:22", "[2001:db8:5::1]:8000-8010", "2001:db8::/32", "192.0.2.64/26:*"]}
END
round_trip "$WORLD/edge.json"

# --- split commits ------------------------------------------------------------------------------------------

fresh
whole=$(probe commit all:3000 && agent nft list ruleset)
fresh
split=$(probe commit all:3000 16000)
prints 'a batch beyond the limit is split' '^done, transactions [0-9]{2}$' echo "$split"
same 'the split ruleset is listed as the whole one' "$(tail -n +2 <<<"$whole")" "$(agent nft list ruleset)"
check 'the split ruleset verifies' probe verify all:3000
count=${split##* }
prints 'all of it is open at the end' '^all of 21000$' probe opens all:3000
closed=0 others=0
for ((stop = 1; stop < count; stop++)); do
	probe commit lanes >/dev/null
	probe commit all:3000 16000 "$stop" >"$WORLD/partial"
	[ "$(probe opens all:3000)" = 'none of 21000' ] && grep -q '^partial: transaction' "$WORLD/partial" &&
		! as_user 1500 bash -c 'echo x >/dev/udp/198.51.100.1/443' 2>/dev/null && closed=$((closed + 1))
	agent bash -c 'echo x >/dev/udp/198.51.100.1/443' && others=$((others + 1))
done
same 'stopped after any transaction it is partial, and closed' "$closed" "$((count - 1))"
same 'stopped after any transaction others are not cut off' "$others" "$((count - 1))"
probe commit lanes >/dev/null
before=$(agent nft list ruleset)
prints 'stopped before the first transaction it is unknown' '^unknown: stopped' probe commit all:3000 16000 0
same 'stopped before the first transaction nothing has changed' "$before" "$(agent nft list ruleset)"
prints 'what cannot be divided is refused' '^refused batch .*errno 90: a transaction of [0-9]+ bytes does not fit' \
	probe commit all:3000 3000
same 'refused for its size nothing has changed' "$before" "$(agent nft list ruleset)"

# --- replacing is atomic --------------------------------------------------------------------------------------

fresh
probe commit allowlist >/dev/null
far nft add table inet far
far nft 'add chain inet far input { type filter hook input priority 0; }'
far nft 'add rule inet far input udp dport 9 counter'
nsenter -t "$world_agent" -m -n -w -- "$PROBE" flood 1500 203.0.113.99 9 120 >"$WORLD/flood" &
flood=$!
world_pids+=("$flood")
sleep 0.2
check '200 replacements' probe replace allowlist 200
check 'the flood was still going on' kill -TERM "$flood"
wait "$flood"
prints 'every datagram of the flood was refused' '^refused [1-9][0-9]{3,} sent 0$' cat "$WORLD/flood"
prints 'none arrived on the far side' 'counter packets 0 ' far nft list chain inet far input
agent "$PROBE" flood 1501 203.0.113.99 9 0.1 >"$WORLD/flood"
prints 'another user passes all the while' '^refused 0 sent [1-9]' cat "$WORLD/flood"
prints 'and arrives' 'counter packets [1-9]' far nft list chain inet far input

# --- nobody else is touched -----------------------------------------------------------------------------------

fresh
agent nft -f - <<'END'
table ip nat { chain output { type nat hook output priority -100; ip daddr 127.0.0.11 udp dport 53 dnat to 127.0.0.11:45353; }; }
table inet other { set s { type ipv4_addr; flags timeout; elements = { 192.0.2.7 timeout 1h }; }
 chain c { type filter hook output priority 0; policy accept; ip daddr @s counter; }; }
table netdev egressfw { chain c { }; }
END
agent iptables-legacy -A OUTPUT -p tcp --dport 25 -j REJECT 2>/dev/null
# What is not ours, without what moves by itself.
foreign() {
	foreign_rules | grep -v expires
	agent iptables-legacy-save -t filter 2>/dev/null | sed '/^#/d; s/\[[0-9:]*\]//'
}
before=$(foreign)
probe commit allowlist >/dev/null
probe commit no-network >/dev/null
same 'foreign rules are the same after a commit' "$before" "$(foreign)"
prints 'foreign chains on output are named' '^foreign-chain: chain c of table inet other: .*priority 0' \
	probe verify no-network
check 'and are no difference' probe verify no-network
prints 'names of ours are listed' '^egressfw$' probe list
prints 'remove takes the table out' '^removed$' probe remove egressfw
prints 'remove is idempotent' '^absent$' probe remove egressfw
same 'foreign rules are the same after remove' "$before" "$(foreign)"
prints 'the table of another family stays' 'table netdev egressfw' agent nft list tables
prints 'a missing table is found' '^table-missing' probe verify no-network
prints 'a missing table reads as absent' '^absent$' probe read no-network

# --- a generation that has passed ----------------------------------------------------------------------------

fresh
prints 'a generation that has passed is stale' '^stale: .*changed by somebody else' probe stale allowlist
check 'and the next try succeeds' probe verify allowlist

# --- refusals -------------------------------------------------------------------------------------------------

fresh
probe commit lanes >/dev/null
before=$(agent nft list ruleset)
prints 'a goto into nowhere names its rule' '^refused rule "refuse" rule 5 errno 2: the kernel refused rule 6 of chain refuse' \
	probe refuse allowlist goto
prints 'a lookup of no set names its rule' '^refused rule "refuse" rule 5 errno 2' probe refuse allowlist lookup
prints 'a lookup by another width names its rule' '^refused rule "refuse" rule 5 errno (22|61)' probe refuse allowlist family
prints 'two sets of one name name the elements or the set' '^refused (set|elements) "confined"' probe refuse allowlist set
prints 'a loop of chains is refused' '^refused (rule|batch) .*errno (40|31)' probe refuse allowlist chain
prints 'a flag that there is not names the table' '^refused table "" .*table egressfw' probe refuse allowlist table
prints 'a foreign statement is refused before anything is sent' \
	'^refused batch .*errno 22: rule 6 of chain refuse cannot be written: statement 1: it is no statement of ours' \
	probe refuse allowlist foreign
same 'after all refusals nothing has changed' "$before" "$(agent nft list ruleset)"
prints 'without the capability it says so' 'open: errno 1: .*CAP_NET_ADMIN' as_user 1500 "$PROBE" commit allowlist
prints 'a tiny receive buffer holds the acknowledgement' '^done' probe lost lanes nothing
prints 'it holds the first of many errors' '^refused rule "refuse" rule 5 errno 2' probe lost allowlist many
prints 'an acknowledgement that is lost is no success' '^unknown: .*answer .* was lost' probe lost allowlist nothing full
check 'though it was committed' probe verify allowlist

# --- verify ---------------------------------------------------------------------------------------------------

handle() {
	agent nft -a list chain inet egressfw "$1" | sed -n "s/.*$2.*# handle \\([0-9]*\\)\$/\\1/p" | head -1
}

# differs NAME PATTERN NFT...: a change by nft is found, streamed and whole, and mended by a commit.
differs() {
	local name=$1 pattern=$2
	shift 2
	fresh
	probe commit allowlist >/dev/null
	agent nft "${@/#REFUSE_LOG/$(handle refuse log)}" || not_ok "$name" 'nft failed'
	prints "verify: $name" "$pattern" probe verify allowlist
	prints "read: $name" "$pattern" probe read allowlist
	status 1 "verify fails: $name" probe verify allowlist
	check "a commit mends: $name" probe commit allowlist
	check "verify has no more to say: $name" probe verify allowlist
	same "nothing of it is left: $name" "$clean" "$(rules)"
}

fresh
probe commit allowlist >/dev/null
clean=$(rules)
differs 'a rule added' '^rule-extra: rule .* of chain refuse' add rule inet egressfw refuse accept
differs 'a rule inserted' '^rule-extra: .*chain confined' insert rule inet egressfw confined accept
differs 'a rule with a foreign expression' 'rule-extra: .*chain forward.*not ours' add rule inet egressfw forward limit rate 1/second accept
differs 'a lookup turned round' '^rule-extra: .*chain output.*not ours' \
	insert rule inet egressfw output meta skuid != @confined accept
differs 'a log statement with more to it' '^rule-changed: .*chain refuse.*not ours' \
	replace rule inet egressfw refuse handle REFUSE_LOG log group 9 prefix '"egressfw "' snaplen 64
differs 'an element of a hash set exchanged' '^element-extra: set pin4_1.*198.51.100.77' \
	'delete element inet egressfw pin4_1 { 203.0.113.5 }; add element inet egressfw pin4_1 { 198.51.100.77 }'
differs 'an element deleted from a hash set' '^element-missing: set pin4_1.*203.0.113.5' \
	delete element inet egressfw pin4_1 '{ 203.0.113.5 }'
differs 'an interval added' '^element-extra: set net4_1.*10.0.0.0/8' add element inet egressfw net4_1 '{ 10.0.0.0/8 }'
differs 'an interval deleted' '^element-missing: set net4_1.*198.51.100.0/24' \
	delete element inet egressfw net4_1 '{ 198.51.100.0/24 }'
differs 'a user taken out' '^element-missing: set confined.*1500' delete element inet egressfw confined '{ 1500 }'
differs 'a policy changed' '^chain-policy: chain output' 'chain inet egressfw output { policy drop; }'
differs 'a dormant table' '^table-flags: .*dormant' 'table inet egressfw { flags dormant; }'
differs 'a chain added' '^chain-extra: chain more' add chain inet egressfw more
differs 'a set added' '^set-extra: set more' 'add set inet egressfw more { type ipv4_addr; }'
differs 'a set of an unknown kind added' '^set-extra: set more' 'add map inet egressfw more { type ipv4_addr : verdict; }'
differs 'a map of verdicts that holds a chain' '^rule-extra: .*not ours' \
	'add map inet egressfw more { type ipv4_addr : verdict; elements = { 192.0.2.1 : goto refuse }; };
	 add rule inet egressfw loopback ip daddr vmap @more'
differs 'a rule with a chain of its own' '^rule-extra: .*not ours' \
	'insert rule inet egressfw confined ip daddr 192.0.2.1 jump { accept; }'
differs 'a counter by name' '^rule-extra: .*not ours' \
	'add counter inet egressfw named; add rule inet egressfw forward counter name named'
differs 'a base chain of another priority' '^chain-priority: chain forward' \
	'delete chain inet egressfw forward; add chain inet egressfw forward { type filter hook forward priority 7; }'
differs 'a base chain of another type' 'another type than filter' \
	'flush chain inet egressfw output; delete chain inet egressfw output;
	 add chain inet egressfw output { type route hook output priority 100; }'
differs 'users in a set of another kind' '^set-changed: set confined' \
	'flush chain inet egressfw output; flush chain inet egressfw postrouting; delete set inet egressfw confined;
	 add set inet egressfw confined { type uid; flags interval, timeout; }'
# A table of that name that somebody else made, with a comment of its own.
fresh
agent nft 'table inet egressfw { comment "an older one"; set confined { type uid; flags interval; elements = { 1-9 }; };
	chain output { type filter hook output priority 100; policy drop; }; chain refuse { accept; }; }'
status 1 'verify: a table of somebody else' probe verify allowlist
check 'a commit replaces it' probe commit allowlist
same 'nothing of it is left' "$clean" "$(rules)"

fresh
probe commit allowlist >/dev/null
agent nft delete rule inet egressfw confined handle "$(handle confined '@pin4_1')"
prints 'verify: a rule deleted' '^rule-missing: .*chain confined' probe verify allowlist
fresh
probe commit allowlist >/dev/null
agent nft replace rule inet egressfw confined handle "$(handle confined 'ip6 daddr ::1')" accept
prints 'verify: a rule replaced' '^rule-changed: .*chain confined' probe verify allowlist
fresh
probe commit allowlist >/dev/null
agent nft 'table inet later { chain c { type filter hook output priority 200; }; }'
prints 'verify: a base chain elsewhere is a warning' '^foreign-chain: chain c of table inet later.*priority 200' probe verify allowlist
check 'verify: which does not fail' probe verify allowlist

# --- counters and the log group -------------------------------------------------------------------------------

fresh
probe commit allowlist >/dev/null
same 'no packet has been refused' "$(probe count egressfw refuse)" 0
prints 'a chain without a counter cannot be counted' '^count: .*no counter' probe count egressfw confined2
mkfifo "$WORLD/records"
nsenter -t "$world_agent" -m -n -w -- "$PROBE" log 9 3 10000 >"$WORLD/records" &
logger=$!
world_pids+=("$logger")
exec 8<"$WORLD/records"
read -r line <&8
same 'the log group is bound' "$line" ready
prints 'a second reader finds it busy' '^busy: ' probe log 9 1 100
as_user 1500 bash -c 'echo x >/dev/udp/198.51.100.200/4242' 2>/dev/null
read -r line <&8
prints 'a refused datagram is logged with its user' \
	'^prefix=egressfw  uid=1500 protocol=17 192.0.2.2:[1-9][0-9]* 198.51.100.200:4242 length=30 out=eth0$' echo "$line"
as_user 1500 bash -c 'echo x >/dev/tcp/2001:db8:77::1/4242' 2>/dev/null
read -r line <&8
prints 'a refused connection over IPv6 is logged' \
	'^prefix=egressfw  uid=1500 protocol=6 2001:db8::2:[1-9][0-9]* 2001:db8:77::1:4242 length=80 out=eth0$' echo "$line"
agent bash -c 'echo x >/dev/udp/198.51.100.200/4242'
as_user 1500 bash -c 'echo x >/dev/udp/127.0.0.11/53' 2>/dev/null
read -r line <&8
prints 'root is not logged, the resolver on loopback is' '^prefix=egressfw  uid=1500 protocol=17 .* 127.0.0.11:53 length=30 out=lo$' echo "$line"
read -r line <&8
same 'nothing was lost' "$line" 'lost 0'
exec 8<&-
wait "$logger"
same 'the refused packets were counted' "$(probe count egressfw refuse)" 3
prints 'the log group needs the capability' '^failed: .*CAP_NET_ADMIN' as_user 1500 "$PROBE" log 9 1 100

finish
