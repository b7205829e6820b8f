#!/bin/bash
# hosts_remembered.sh: the hosts file that apply was given is the one that verify and remove mean, and name.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "${srcdir:-.}/tests/net/dns.sh" || exit 1
cases_begin
dns_script <<<'api.example.test A 203.0.113.5'
policy pins <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["api.example.test"] }
END
policy public <<<'{ "network_mode": "public" }'
agent sh -c 'echo "192.0.2.7 other.example" >/run/hosts; cp /run/hosts /run/second; cp /run/hosts /run/before'
etc=$(agent cat /etc/hosts)

# clean NAME FILE: nothing of ours is in it.
clean() { same "$1" "$(agent cat /run/before)" "$(agent cat "$2")"; }

check "a file of its own" fw apply --hosts-file /run/hosts "$WORLD/pins.json"
says "is named" 'hosts file +/run/hosts: written'
check "verify knows it" fw verify
says "and names it" 'hosts file +/run/hosts: compared$'
check "so it does with the policy" fw verify "$WORLD/pins.json"
status 1 "not where another one is named" fw verify --hosts-file /etc/hosts
says "which is named" 'hosts file +/etc/hosts: compared$'
agent cp /run/before /run/hosts
status 1 "its lines are gone" fw verify
says "the file is named" 'hosts file +/run/hosts: compared$'
says "and the difference" 'hosts-missing: hosts block'
check "applied again" fw apply --hosts-file /run/hosts "$WORLD/pins.json"
check "remove knows it" fw remove
says "says where it looked" 'hosts file +/run/hosts: removed$'
says "and that nothing is left there" 'state +no rules of ours are left, nor lines in /run/hosts; nobody is confined by this instance any more$'
clean "which is so" /run/hosts

# A path is the same file from everywhere.
check "a path within the working directory" agent sh -c 'cd /run && exec "$1" apply --hosts-file hosts "$2"' sh "$EGRESSFW" "$WORLD/pins.json"
check "verify from elsewhere" fw verify
says "names the whole of it" 'hosts file +/run/hosts: compared$'
check "a public policy" fw apply "$WORLD/public.json"
clean "takes them out there" /run/hosts
long=/run/$(printf 'x%.0s' {1..300})
refused "a path that cannot be kept" 2 'longer path than the 255 bytes' apply --hosts-file "$long" "$WORLD/pins.json"

# Nor one that the agent could make another, which remove would then write to as root.
agent sh -c "install -d -o $AGENT_UID /run/home; cp /run/hosts /run/home/hosts; ln -s home/hosts /run/theirs; ln -s theirs /run/over
	ln -s /run/hosts /run/home/back; ln -s /run/home/back /run/round; ln -s around /run/around; ln -s hosts /run/ours"
for path in home/hosts home/missing theirs over home/../hosts round; do
	refused "a path by way of a folder of the agent's: $path" 3 '/run/home: belongs to uid 1500, whom this confines' apply --hosts-file "/run/$path" "$WORLD/pins.json"
	refused "nor by run: $path" 125 '/run/home: belongs to uid 1500' run --cwd / --hosts-file "/run/$path" "$WORLD/pins.json" -- true
done
refused "a link to itself" 3 'leads by too many links' apply --hosts-file /run/around "$WORLD/pins.json"
policy pins_other <<END
{ "network_mode": "allowlist", "users": [$OTHER_UID], "allowed_hosts": ["api.example.test"] }
END
check "a folder of somebody else" fw apply --hosts-file /run/home/hosts "$WORLD/pins_other.json"
check "a link of root's" fw apply --hosts-file /run/ours "$WORLD/pins_other.json"
check "without hosts it is not looked at" fw apply --no-hosts --hosts-file /run/home/hosts "$WORLD/pins_other.json"
check "remove" fw remove --hosts-file /run/ours
clean "which cleans it" /run/hosts

# Another file: nothing is forgotten in the first.
check "one file" fw apply --hosts-file /run/hosts "$WORLD/pins.json"
check "then another" fw apply --hosts-file /run/second "$WORLD/pins.json"
says "the first is told of" 'note +our lines were taken out of /run/hosts, where an earlier apply wrote$'
clean "and is clean" /run/hosts
check "verify" fw verify
agent ln -s second /run/link
check "the same file by another path" fw apply --hosts-file /run/link "$WORLD/pins.json"
check "has the lines still" fw verify
says "by that path" 'hosts file +/run/link: compared$'
check "they are there" agent grep -q '^203.0.113.5 api.example.test' /run/second
check "the usual file, and one that cannot be cleaned" agent sh -c 'rm /run/link; mkdir /run/link; exec "$1" apply "$2"' sh "$EGRESSFW" "$WORLD/pins.json"
says "is told of" 'note +/run/link, where an earlier apply wrote, may still have our lines: '
agent rmdir /run/link
check "verify" fw verify
says "means the usual one" 'hosts file +/etc/hosts: compared$'
check "without a hosts file" fw apply --no-hosts "$WORLD/pins.json"
check "remove without one" fw remove --no-hosts
says "claims nothing of it" 'state +no rules of ours are left; the hosts file was not looked at; nobody is confined by'
check "remove" fw remove
same "the usual file is as it was" "$etc" "$(agent cat /etc/hosts)"

# run tells of it too.
check "one file" fw apply --hosts-file /run/hosts "$WORLD/pins.json"
check "another, by run" fw run --cwd / --hosts-file /run/second "$WORLD/pins.json" -- true
says "the first is told of" 'note +our lines were taken out of /run/hosts, where an earlier apply wrote$'
check "remove" fw remove
clean "which cleans the other" /run/second

# Lines that --no-hosts leaves alone are not forgotten.
check "a file" fw apply --hosts-file /run/hosts "$WORLD/pins.json"
check "left alone" fw apply --no-hosts "$WORLD/pins.json"
check "is known to remove" fw remove
says "by name" 'nor lines in /run/hosts'
clean "and is clean" /run/hosts
finish
