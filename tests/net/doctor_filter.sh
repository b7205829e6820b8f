#!/bin/bash
# doctor_filter.sh: doctor takes our own filter for no proxy of somebody else's, and nobody else for our filter.
. "${srcdir:-.}/tests/net/doctor_lib.sh" || exit 1
[ -x "$BUILDDIR/tests/net/fake_filter" ] || skip_all "there is no fake_filter"
doctor_begin
install -m 755 "$BUILDDIR/tests/net/fake_filter" "$WORLD/bin/egressfilter"
agent mount -t tmpfs -o mode=755 tmpfs /var/log
sed -i '/^egressfilter:/d' "$WORLD/etc/passwd"
echo '{ "network_mode": "allowlist", "users": ["agent"], "allowed_hosts": ["*.example.com"] }' >"$WORLD/wild.json"
echo '{ "network_mode": "allowlist", "users": ["other"], "allowed_hosts": ["*.example.org"] }' >"$WORLD/two.json"
doctor() {
	examine "$@" doctor --user agent --timeout 60
}

check "a filter" fw apply --no-canary "$WORLD/wild.json"
doctor agent "$EGRESSFW"
row "our own filter" pass channel.loopback-proxies "but egressfw's own filter: tcp 127.0.0.1:3128 \(uid 65528\)"
check "another one, of another instance" fw apply --no-canary --name two --filter-user 65500 \
	--filter-listen 127.0.0.1:8080 --filter-listen 127.0.0.1:7500 "$WORLD/two.json"
doctor agent "$EGRESSFW"
row "both are ours" pass channel.loopback-proxies "filter: .*tcp 127.0.0.1:3128 \(uid 65528\)"
row "that of the other instance" pass channel.loopback-proxies "filter: .*tcp 127.0.0.1:8080 \(uid 65500\)"
row "at a port that is no proxy's too" pass channel.loopback-services

serve agent:$OTHER_UID tcp/127.0.0.1/3129
doctor agent "$EGRESSFW"
row "somebody else's beside it" warn channel.loopback-proxies "tcp 127.0.0.1:3129 \(uid $OTHER_UID\)"
hides "is named without ours" channel.loopback-proxies "3128|8080"
# Who may not see the rules cannot know it, and must not be told to stop it.
doctor as_user $AGENT_UID "$EGRESSFW"
row "the user sees them all" warn channel.loopback-proxies "127.0.0.1:3128 \(uid 65528\)"
says "and is told who knows" "run doctor as root with CAP_NET_ADMIN, which knows a filter of egressfw's own"

# By the table alone, and by it alone: the plan of a policy that stands no more says nothing.
agent mv /run/egressfw /run/elsewhere
doctor agent "$EGRESSFW"
hides "by the table" channel.loopback-proxies "3128"
agent mv /run/elsewhere /run/egressfw
agent nft delete table inet egressfw-two
doctor agent "$EGRESSFW"
row "whose rules are gone is a proxy" warn channel.loopback-proxies "127.0.0.1:8080 \(uid 65500\)"

pid=$(agent cut -d ' ' -f 1 /run/egressfw/egressfw.filter)
agent kill -KILL "$pid"
for _ in $(seq 100); do agent kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
serve agent:$OTHER_UID tcp/127.0.0.1/3128
doctor agent "$EGRESSFW"
row "whoever is in its place" warn channel.loopback-proxies "127.0.0.1:3128 \(uid $OTHER_UID\)"
finish
