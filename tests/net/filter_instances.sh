#!/bin/bash
# filter_instances.sh: policies side by side that need a filter each, and a filter of another user than the usual one.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
[ -x "$BUILDDIR/egressfilter" ] || skip_all "there is no egressfilter"
filter_begin
install -m 755 "$BUILDDIR/egressfilter" "$WORLD/bin/egressfilter"
WORKER_UID=1502
SECOND_UID=65500
printf 'worker:x:%s:%s::/:/bin/sh\n' $WORKER_UID $WORKER_UID >>"$WORLD/etc/passwd"
policy wild2 <<-END
	{ "network_mode": "allowlist", "users": [$WORKER_UID], "allowed_hosts": ["*.example.org"] }
END
pid_of() { agent cut -d ' ' -f 1 "/run/egressfw/$1.filter" 2>/dev/null; }
# unserved NAME UID PORT
unserved() { same "$1" "$(attempt "$2" tcp "127.0.0.1:$3" | cut -d ' ' -f 1)" ECONNREFUSED; }

status 0 'one instance' fw apply "$WORLD/wild.json"
first=$(pid_of egressfw)

# --- what is in the way is said before anything is changed, with the option that helps
place='at 127.0.0.1 port 3128 listens uid 65528, the filter of the instance without a name: give this one'
refused 'another one with the same user and port' 3 "$place a user \\(--filter-user\\) and a port \\(--filter-listen\\) of its own; nothing" \
	apply --name two "$WORLD/wild2.json"
refused 'with the same user' 3 "$place a user \\(--filter-user\\) of its own; nothing" \
	apply --name two --filter-listen 127.0.0.1:3129 "$WORLD/wild2.json"
refused 'with the same port' 3 "$place a port \\(--filter-listen\\) of its own; nothing" \
	apply --name two --filter-user $SECOND_UID "$WORLD/wild2.json"
refused 'which is not taken for one that somebody else started' 3 "$place a user .* and a port" \
	apply --name two --no-filter-start "$WORLD/wild2.json"
two=(--name two --filter-user $SECOND_UID --filter-listen 127.0.0.1:3129)
refused 'with the same log' 3 \
	'/var/log/egressfilter/egressfw.log is where the filter of the instance without a name logs: name another file by --filter-log; nothing' \
	apply "${two[@]}" --filter-log /var/log/egressfilter/egressfw.log "$WORLD/wild2.json"
refused 'with a log where it may not write' 3 "egressfilter/second.log: .*Permission denied; name another file by --filter-log, in a folder of uid $SECOND_UID's" \
	apply "${two[@]}" --filter-log /var/log/egressfilter/second.log "$WORLD/wild2.json"
agent mkdir /var/log/owned
agent chown $SECOND_UID /var/log/owned
refused 'with the same log by another name' 3 'egressfw.log: the decision log' \
	apply "${two[@]}" --filter-log /var/log/owned/../egressfilter/egressfw.log "$WORLD/wild2.json"
check 'the first one goes on' alive "$first"

# --- side by side
status 0 'with a user and a port of its own' fw apply "${two[@]}" "$WORLD/wild2.json"
says 'it has a log of its own' "filter +uid $SECOND_UID at 127.0.0.1:3129, log /var/log/egressfilter-$SECOND_UID/egressfw-two.log: started"
same 'in a directory of its own' "$(agent stat -c '%u %g %a' /var/log/egressfilter-$SECOND_UID)" "$SECOND_UID 0 2750"
second=$(pid_of egressfw-two)
check 'both are running: the first' alive "$first"
check 'both are running: the second' alive "$second"
reached 'each serves its own user: the first' tcp 127.0.0.1:3128 $AGENT_UID
reached 'each serves its own user: the second' tcp 127.0.0.1:3129 $WORKER_UID
unserved 'and no other: the first' $WORKER_UID 3128
unserved 'and no other: the second' $AGENT_UID 3129
status 0 'verify' fw verify
status 0 'verify of the other' fw verify --name two
status 0 'the first once more' fw apply "$WORLD/wild.json"
says 'which is kept' ': running as before$'
status 0 'the second once more' fw apply "${two[@]}" "$WORLD/wild2.json"
says 'which is kept too' ': running as before$'
status 0 'the log of the second' fw log --summary --name two

# --- options are not remembered, and that is said
again="; this instance stands with --filter-user $SECOND_UID --filter-listen 127.0.0.1:3129: say that again; nothing was changed \\(status 3\\)"
refused 'run without its options' 125 "$place a user .*$again" run --name two "$WORLD/wild2.json" -- true
check 'the first one still goes on' alive "$first"
check 'and so does the second' alive "$second"
status 0 'run with them' fw run "${two[@]}" "$WORLD/wild2.json" -- env
says 'leads the program to its own filter' '^https_proxy=http://127.0.0.1:3129$'

# --- removed one by one
status 0 'remove the second' fw remove --name two
deny 'it is ended' alive "$second"
status 2 'its log' fw log --summary --name two
says 'is named where it lies' "name a file, as /var/log/egressfilter-$SECOND_UID/egressfw-two.log, or \"-\""
status 2 'the log of one that never was' fw log --summary --name three
says 'is told by both rules' \
	'which is by default /var/log/egressfilter/egressfw-three.log, or of another --filter-user in /var/log/egressfilter-UID, or "-"'
check 'the first one is not' alive "$first"
status 0 'verify of the first' fw verify
status 0 'remove the first' fw remove
deny 'it is ended too' alive "$first"

# --- one instance, and another user than before
status 0 'a filter of another user' fw apply --filter-user $SECOND_UID "$WORLD/wild.json"
says 'logs in its own directory' "log /var/log/egressfilter-$SECOND_UID/egressfw.log: started"
status 0 'verify knows it' fw verify "$WORLD/wild.json"
status 0 'the usual one again' fw apply "$WORLD/wild.json"
says 'logs where it did' 'log /var/log/egressfilter/egressfw.log: started anew'
says 'and what is not remembered is said' \
	"note +before, this instance was applied with --filter-user $SECOND_UID, which is not remembered and was not said now$"
status 0 'the same again' fw apply "$WORLD/wild.json"
says_not 'is nothing that would have to be said' 'remembered'
status 0 'another address' fw apply --filter-listen 127.0.0.2:3128 "$WORLD/wild.json"
says_not 'which is said by whoever does it' 'remembered'
status 0 'run without it' fw run "$WORLD/wild.json" -- true
says 'tells too' 'note +before, this instance was applied with --filter-listen 127.0.0.2:3128, which is not remembered'
status 0 'remove' fw remove
status 2 'the log of what is removed' fw log --summary
says 'has a name that is told' 'name a file, as /var/log/egressfilter/egressfw.log, or /var/log/egressfilter-'$SECOND_UID'/egressfw.log, or "-"'
status 0 'and can be read by it' fw log --summary /var/log/egressfilter/egressfw.log

# --- what the filter says
few() { agent sh -c 'ulimit -n 2048 && exec "$0" "$@"' "$EGRESSFW" "$@"; }
said='the filter says: limits.connections: there are descriptors for [0-9]+ connections, not for 8192: whoever starts this has to allow 25152 open files \(ulimit -n, LimitNOFILE=, --ulimit nofile=\)$'
status 0 'with few descriptors' few apply "$WORLD/wild.json"
says 'less is served, and that is a note' "note +$said"
status 0 'the same again' few apply --json "$WORLD/wild.json"
same 'says it again' "$(jq -r '.notes[]' "$WORLD/out" | grep -cE "^$said")" 1
status 0 'run' few run "$WORLD/wild.json" -- true
says 'says it too' "note +$said"
status 0 'remove that' fw remove
agent rm -r /var/log/egressfilter-$SECOND_UID
agent install -d -o 1700 /var/log/egressfilter-$SECOND_UID
refused 'a directory that is somebody else'"'"'s' 3 "/var/log/egressfilter-$SECOND_UID: the folder of the log cannot be written.*--filter-log" \
	apply --filter-user $SECOND_UID "$WORLD/wild.json"
finish
