#!/bin/bash
# doctor_kernel.sh: what doctor says of a kernel that lacks something, of privileges, and of no user.
. "${srcdir:-.}/tests/net/doctor_lib.sh" || exit 1
lacking=$BUILDDIR/tests/net/lacking
[ -x "$lacking" ] || skip_all "there is no $lacking"
doctor_begin

# kernel WHAT: the checks of enforcement on a kernel without it.
kernel() {
	examine agent env LACKING="$1" "$lacking" doctor
}

kernel ""
same "all is there: exit status" 0 "$examined"
for check in nf-tables inet-family owner-match ruleset log-group socket-destroy ipv6 user-namespace \
	host-network foreign-chains routing-headers capabilities; do
	row "all is there: $check" pass "enforcement.$check"
done
says "no user: it says so" "residual channels were not looked at; --user names one"
if grep -q "  channel\." "$WORLD/out"; then not_ok "no user: no channel is judged"; else ok "no user: no channel is judged"; fi
row "a root shell holds the capability" warn enforcement.caller "holds CAP_NET_ADMIN"

kernel nf_tables,xtables
same "no nf_tables: exit status" 1 "$examined"
row "no nf_tables" fail enforcement.nf-tables "does not have nf_tables"
row "no nf_tables: no rules" fail enforcement.ruleset
row "no nf_tables: no IPv6 filter" fail enforcement.ipv6
row "no nf_tables: sockets are another matter" pass enforcement.socket-destroy
row "no nf_tables: no chains can be listed" unknown enforcement.foreign-chains
kernel inet
same "no inet: exit status" 0 "$examined"
row "no inet" warn enforcement.inet-family "two, ip and ip6"
row "no inet: the owner is matched in ip" pass enforcement.owner-match
row "no inet: the ruleset in ip" pass enforcement.ruleset
row "no inet: IPv6 by ip6" pass enforcement.ipv6
kernel inet,ip6
same "neither inet nor ip6: exit status" 1 "$examined"
row "neither inet nor ip6" fail enforcement.ipv6 "IPv6 is up"
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=1
kernel inet,ip6
row "neither, and no IPv6" pass enforcement.ipv6 "not there"
agent sysctl -qw net.ipv6.conf.all.disable_ipv6=0
kernel owner
row "no owner match" fail enforcement.owner-match
row "no owner match: no ruleset" fail enforcement.ruleset
row "no owner match: the family is there" pass enforcement.inet-family
kernel log
same "no log group: exit status" 0 "$examined"
row "no log group" warn enforcement.log-group "counted"
row "no log group: the ruleset is without it" pass enforcement.ruleset
kernel ruleset
row "a part of the ruleset is missing" fail enforcement.ruleset
row "a part of the ruleset is missing: the owner is matched" pass enforcement.owner-match
kernel destroy
same "sockets cannot be ended: exit status" 0 "$examined"
row "sockets cannot be ended" warn enforcement.socket-destroy "SOCK_DESTROY"
kernel answers
same "no answer: exit status" 6 "$examined"
row "no answer" unknown enforcement.owner-match "lost"
row "no answer: not even about IPv6" unknown enforcement.ipv6
kernel release=4.4.0
same "an old kernel: exit status" 1 "$examined"
row "an old kernel" fail enforcement.kernel-version "4\.4\.0"
kernel release=6.1.0-18-amd64
row "a kernel that forgets owners" warn enforcement.kernel-version "6\.17"
kernel release=6.18.0
row "a kernel that does not" pass enforcement.kernel-version
kernel release=odd
row "an unreadable release" unknown enforcement.kernel-version

# The network namespace.
agent ip link add docker0 type veth peer name other0
agent sysctl -qw net.ipv4.conf.all.accept_source_route=1 net.ipv4.conf.eth0.accept_source_route=1
agent nft 'table inet other { chain out { type filter hook output priority 0; }; }'
examine fw doctor
same "a host's network and more: exit status" 0 "$examined"
row "a container bridge" warn enforcement.host-network "docker0"
row "source routing" warn enforcement.routing-headers "accept_source_route of eth0"
row "somebody else's chain" warn enforcement.foreign-chains "chain out of table inet other"
agent ip link delete docker0
agent sysctl -qw net.ipv4.conf.all.accept_source_route=0
agent nft delete table inet other
agent sysctl -qw net.ipv6.conf.eth0.seg6_enabled=1
examine fw doctor
row "switched on for one interface alone is off" pass enforcement.routing-headers
agent sysctl -qw net.ipv6.conf.all.seg6_enabled=1
examine fw doctor
row "segment routing" warn enforcement.routing-headers "seg6_enabled of eth0"
agent sysctl -qw net.ipv6.conf.all.seg6_enabled=0
if unshare -Ur true 2>/dev/null; then
	examine agent unshare -Ur "$EGRESSFW" doctor
	same "another user namespace: exit status" 1 "$examined"
	row "another user namespace" fail enforcement.user-namespace "other people"
else
	skip "another user namespace" "user namespaces cannot be made here"
fi

# What this process was started with.
examine agent setpriv --bounding-set=-net_admin "$EGRESSFW" doctor
same "no CAP_NET_ADMIN: exit status" 1 "$examined"
row "no CAP_NET_ADMIN" fail enforcement.capabilities "bounding NET_RAW"
row "no CAP_NET_ADMIN: chains cannot be seen" unknown enforcement.foreign-chains "CAP_NET_ADMIN"
examine agent setpriv --bounding-set=-setpcap,-setuid "$EGRESSFW" doctor
row "others are missing" warn enforcement.capabilities "missing: CAP_SETUID, CAP_SETPCAP"
examine agent setpriv --bounding-set=-chown "$EGRESSFW" doctor
row "what the filter needs is missing" warn enforcement.capabilities "missing: CAP_CHOWN"
examine agent "$EGRESSFW" doctor
row "it is shown where it is there" pass enforcement.capabilities "permitted .*CHOWN"
examine agent setpriv --no-new-privs "$EGRESSFW" doctor
row "no_new_privs" pass enforcement.no-new-privs
examine fw doctor
row "no no_new_privs" warn enforcement.no-new-privs
row "no seccomp filter" warn enforcement.seccomp

# As an engine starts what it runs in a container: with no parent that could be looked at.
engine_exec() {
	nsenter -t "$world_agent" -m -n -w -- unshare --pid --fork --mount-proc --propagation private -- "$@"
}
examine engine_exec "$EGRESSFW" doctor
row "started by an engine, with the capability" warn enforcement.caller "docker exec as root"
examine engine_exec setpriv --inh-caps=-net_admin --bounding-set=-net_admin -- "$EGRESSFW" doctor
row "started by an engine, without it" pass enforcement.caller "without CAP_NET_ADMIN"

# An ordinary user.
examine as_user $AGENT_UID "$EGRESSFW" doctor --timeout 60
same "an ordinary user: exit status" 6 "$examined"
row "an ordinary user has no capability, root might" warn enforcement.capabilities "root here may"
row "an ordinary user's shell has none" pass enforcement.caller
row "an ordinary user does not see chains" unknown enforcement.foreign-chains
says "an ordinary user is judged" "Residual channels for agent \(uid $AGENT_UID\)"
row "an ordinary user is asked about sockets" pass channel.docker-socket
if as_user $AGENT_UID unshare -Urn true 2>/dev/null; then
	row "an ordinary user asks the kernel elsewhere" pass enforcement.ruleset
	row "for all families" pass enforcement.ipv6
else
	row "an ordinary user cannot ask the kernel" unknown enforcement.ruleset
fi
examine as_user $AGENT_UID "$EGRESSFW" doctor --user other --timeout 60
same "another user's view: exit status" 6 "$examined"
row "another user's view is unknown" unknown channel.name-files "CAP_SETUID and CAP_SETGID"
row "another user's view of devices too" unknown channel.tun-device
row "another user's groups are known" pass channel.privileged-groups

status 2 "an unknown user" fw doctor --user nobody-such
says "it says so" 'there is no user "nobody-such"'
status 2 "root is not judged" fw doctor --user root
status 2 "no arguments" fw doctor now
status 0 "quiet" fw doctor --quiet
same "nothing is said" "" "$(cat "$WORLD/out" "$WORLD/err")"

# Within run everything is closed that a process can close for its children.
echo '{ "network_mode": "no-network", "users": ["agent"] }' >"$WORLD/policy.json"
examine fw run --quiet --no-canary "$WORLD/policy.json" -- "$EGRESSFW" doctor --timeout 60
row "under run keys are refused" pass channel.request-key "is refused"
for check in seccomp no-new-privs; do
	row "within run: $check" pass "enforcement.$check"
done
for check in setuid-programs file-capabilities net-raw; do
	row "within run: $check" pass "channel.$check"
done
row "within run: nobody can apply" fail enforcement.capabilities "bounding none"
row "within run: the kernel cannot be asked, which is no answer" unknown enforcement.nf-tables
check "it is taken out again" fw remove

# Whom what is applied confines.
echo '{ "network_mode": "no-network", "users": ["agent", 1700] }' >"$WORLD/policy.json"
check "a policy is applied" fw apply --no-canary "$WORLD/policy.json"
examine fw doctor
says "the users of the plan are judged" "Residual channels for agent"
if grep -q 'uid 1700\|uid 100000' "$WORLD/out"; then not_ok "nobody else is"; else ok "nobody else is"; fi
row "our table is not somebody else's" pass enforcement.foreign-chains
agent nft 'add table inet egressfw-two; add chain inet egressfw-two output { type filter hook output priority 100; }'
examine fw doctor
row "another instance is named as ours" warn enforcement.foreign-chains \
	'chain output of table inet egressfw-two \(by its name another instance of ours\)'
agent nft delete table inet egressfw-two
agent rm -rf /run/egressfw
examine fw doctor
says "without a plan those of the table are" "Residual channels for agent"
examine fw doctor --user 1700
says "--user comes first" "Residual channels for uid 1700"
examine fw doctor --user 1700 --user 1-1499 --user 1600-1650 --timeout 60
same "users from 1000 up come first, eight at most" 8 "$(grep -c '^Residual' "$WORLD/out")"
same "of a range without names its first" "uid 1600" "$(grep '^Residual' "$WORLD/out" | grep -o 'uid 16[0-9]*')"
says "in a container it says whose files it judges" "are those of this container"

# Whatever is unknown says what to do.
examine agent unshare -m --propagation private sh -c 'mount -t tmpfs tmpfs /proc && exec "$@"' sh \
	"$EGRESSFW" doctor --user agent --timeout 10
row "without /proc" unknown channel.processes "/proc is not mounted$"
says "which is what helps" "-> mount /proc here"
same "no unknown one is without advice" "" "$(grep -A 1 '^  unknown' "$WORLD/out" | awk '/^  unknown/ { if (name) print name; name = $2; next } { name = "" } END { if (name) print name }')"
# To ask about legacy tables is to have them loaded: the last thing in this network.
kernel nf_tables
if agent iptables-legacy -nL >/dev/null 2>&1; then
	row "no nf_tables, but xtables" warn enforcement.nf-tables "by legacy xtables"
	row "no nf_tables, but xtables: that is enough" pass enforcement.ruleset
	row "no nf_tables, but xtables: IPv6" pass enforcement.ipv6
	row "no nf_tables, but xtables: foreign chains" pass enforcement.foreign-chains
else
	skip "no nf_tables, but xtables" "this kernel has no legacy tables, or there is no iptables"
fi

finish
