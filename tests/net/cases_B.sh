#!/bin/bash
# cases_B.sh: the hosts file, which is a bind mount in containers and belongs to others.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "$SRCDIR/tests/net/dns.sh"
cases_begin
dns_script <<'END'
api.example.test A 203.0.113.5
api.example.test AAAA 2001:db8:1::5
pool.example.test A 203.0.113.6 203.0.113.7
END
policy pins <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["api.example.test", "pool.example.test"] }
END
before=$(agent cat /etc/hosts)
inode() { agent stat -c %d:%i /etc/hosts; }
addresses() { as_user $AGENT_UID getent ahosts "$1" | awk '{ print $1 }' | sort -u | tr '\n' ' '; }
blocks() { agent grep -c '^# egressfw begin' /etc/hosts; }

# case_B1: written in place, since a bind mount cannot be replaced.
deny "case_B1: the file of this test cannot be replaced" agent mv "$WORLD/etc/passwd" /etc/hosts
inode_before=$(inode)
check "case_B1: apply" fw apply "$WORLD/pins.json"
same "case_B1: the same inode" "$inode_before" "$(inode)"
same "case_B1: the foreign lines keep their place" "$before" "$(agent head -n 3 /etc/hosts)"
same "case_B1: the user sees the pins" "2001:db8:1::5 203.0.113.5 " "$(addresses api.example.test)"
same "case_B1: all of them" "203.0.113.6 203.0.113.7 " "$(addresses pool.example.test)"
reached "case_B1: and reaches them" tcp 203.0.113.7:443
reached "case_B1: over IPv6 too" tcp '[2001:db8:1::5]:443'
closed "case_B1: nothing else" tcp 203.0.113.8:443

# case_B4: run again at every start; one block, and its loss is noticed.
check "case_B4: apply again" fw apply "$WORLD/pins.json"
check "case_B4: and again" fw apply "$WORLD/pins.json"
same "case_B4: one block" 1 "$(blocks)"
check "case_B4: verify" fw verify
printf '%s\n' "$before" | agent tee /etc/hosts >/dev/null
status 1 "case_B4: an engine that wrote the file anew is noticed" fw verify
says "case_B4: by name" 'hosts'
check "case_B4: apply repairs it" fw apply "$WORLD/pins.json"
same "case_B4: one block again" 1 "$(blocks)"
agent sed '/^#/d' /etc/hosts >"$WORLD/stripped"
agent cp "$WORLD/stripped" /etc/hosts
check "case_B4: apply over a file without comments" fw apply "$WORLD/pins.json"
same "case_B4: no line twice" "" "$(agent sort /etc/hosts | uniq -d)"
check "case_B4: remove" fw remove
same "case_B4: as it was" "$before" "$(agent cat /etc/hosts)"

# case_B3: an earlier line for a pinned name.
printf '%s\n10.0.0.9 api.example.test api other.example.test\n' "$before" | agent tee /etc/hosts >/dev/null
conflict=$(agent cat /etc/hosts)
check "case_B3: apply" fw apply "$WORLD/pins.json"
same "case_B3: the name means the pins alone" "2001:db8:1::5 203.0.113.5 " "$(addresses api.example.test)"
same "case_B3: its other names go on" "10.0.0.9 " "$(addresses other.example.test)"
check "case_B3: verify" fw verify
check "case_B3: apply again" fw apply "$WORLD/pins.json"
same "case_B3: the same" "2001:db8:1::5 203.0.113.5 " "$(addresses api.example.test)"
check "case_B3: remove" fw remove
same "case_B3: as it was" "$conflict" "$(agent cat /etc/hosts)"

# A last line without its end.
printf '127.0.0.1 localhost\n192.0.2.2 agent-host' | agent tee /etc/hosts >/dev/null
check "a last line that has no end: apply" fw apply "$WORLD/pins.json"
same "a last line that has no end: it is still a line" "192.0.2.2 " "$(addresses agent-host)"
check "a last line that has no end: remove" fw remove
same "a last line that has no end: lines as they were" $'127.0.0.1 localhost\n192.0.2.2 agent-host' \
	"$(agent cat /etc/hosts)"
printf '%s\n' "$before" | agent tee /etc/hosts >/dev/null

# case_B5: a name that would become lines of its own, and names that belong to this machine.
own=$(hostname)
for host in 'a.test\n127.0.0.1 evil.test' 'a.test b.test' 'a.test#' '-a.test' 'localhost' "$own"; do
	printf '{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["%s"] }' "$host" \
		>"$WORLD/bad.json"
	refused "case_B5: \"$host\"" 2 'allowed_hosts|own name' apply "$WORLD/bad.json"
done

# A file that cannot be written is an error before any change.
agent mount -o remount,bind,ro /etc/hosts
refused "a read-only hosts file" 3 'hosts' apply "$WORLD/pins.json"
check "a read-only hosts file and --no-hosts" fw apply --no-hosts "$WORLD/pins.json"
agent mount -o remount,bind,rw /etc/hosts
check "lines of ours" fw apply "$WORLD/pins.json"
printf '{ "network_mode": "no-network", "users": [%s] }' "$AGENT_UID" >"$WORLD/bare.json"
agent mount -o remount,bind,ro /etc/hosts
refused "a read-only hosts file that has lines of ours, and a policy without names" 3 \
	'^egressfw apply: lines of an earlier apply must go from the hosts file: /etc/hosts' apply "$WORLD/bare.json"
refused "a read-only hosts file and a policy with names" 3 \
	'^egressfw apply: the names of the policy must stand in the hosts file: /etc/hosts' apply "$WORLD/pins.json"
agent mount -o remount,bind,rw /etc/hosts
check "remove" fw remove
finish
