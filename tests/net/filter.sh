#!/bin/bash
# filter.sh: apply, run, verify and remove with a policy that needs the filter: started, kept, found missing, ended.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
filter_begin

# lacks NAME FILE: it is not there.
gone() { deny "$1" agent test -e "$2"; }

# --- started
# What the caller has open, and its limit, are not the filter's.
status 0 'apply starts the filter' agent sh -c 'ulimit -Sn 512; exec 9<"$0"; exec "$@"' "$WORLD/wild.json" "$EGRESSFW" apply "$WORLD/wild.json"
says 'the report has the filter' 'filter +uid 65528 at 127.0.0.1:3128, \[::1\]:3128, log /var/log/egressfilter/egressfw.log: started'
says 'the size of its log' 'log +at most 320 MiB in 5 files; where they are full the oldest is dropped$'
says 'the canary held' 'canary +blocked'
pid=$(filter_pid)
check 'it is running' alive "$pid"
proc_status() { awk -v name="$1:" '$1 == name { $1 = ""; print substr($0, 2) }' "/proc/$pid/status"; }
same 'as its user alone' "$(proc_status Uid)/$(proc_status Gid)/$(proc_status Groups)" '65528 65528 65528 65528/65528 65528 65528 65528/'
same 'without capabilities' "$(proc_status CapPrm) $(proc_status CapEff) $(proc_status CapBnd)" \
	'0000000000000000 0000000000000000 0000000000000000'
same 'and no way to get any' "$(proc_status NoNewPrivs)" 1
same 'in a session of its own' "$(awk '{ print $6 }' "/proc/$pid/stat")" "$(awk '{ print $5 }' "/proc/$pid/stat")"
deny 'which is not the caller'"'"'s' test "$(awk '{ print $6 }' "/proc/$pid/stat")" = "$(awk '{ print $6 }' "/proc/$$/stat")"
same 'with files that are nobody else'"'"'s' "$(proc_status Umask)" 0027
same 'and as many descriptors as it may have' "$(awk '/^Max open files/ { print $4 }' "/proc/$pid/limits")" \
	"$(awk '/^Max open files/ { print $5 }' "/proc/$pid/limits")"
same 'with standard descriptors that lead nowhere or into the state directory' \
	"$(readlink "/proc/$pid/fd/0" "/proc/$pid/fd/1" "/proc/$pid/fd/2" | sed 's/ (deleted)//' | paste -sd ' ')" \
	'/dev/null /dev/null /run/egressfw/egressfw.filter.err'
same 'and no others but its listeners' \
	"$(find "/proc/$pid/fd" -mindepth 1 -printf '%l\n' | grep -cv 'socket:\|/dev/null\|filter.err')" 0
same 'its environment is not the caller'"'"'s' "$(tr '\0' '\n' <"/proc/$pid/environ" | sort | paste -sd ' ')" \
	'LANG=C PATH=/usr/sbin:/usr/bin:/sbin:/bin'
same 'it is where it keeps nothing busy' "$(readlink "/proc/$pid/cwd")" /
same 'its settings are its own to read' "$(agent stat -c '%u %a' /run/egressfw/egressfw.settings)" '65528 440'
check 'and nobody else'"'"'s' as_user $FILTER_UID cat /run/egressfw/egressfw.settings
deny 'the agent cannot read them' as_user $AGENT_UID cat /run/egressfw/egressfw.settings
deny 'the agent cannot see what else is kept' as_user $AGENT_UID ls /run/egressfw
same 'the settings have the policy' "$(agent jq -c '.policy.allowed_hosts' /run/egressfw/egressfw.settings)" \
	'["*.example.com","10.1.0.0/16:9005"]'
same 'and the nameservers' "$(agent jq -c .nameservers /run/egressfw/egressfw.settings)" '["203.0.113.53:53"]'
same 'the log has a place' "$(agent stat -c '%u %a' /var/log/egressfilter)" '65528 2750'
same 'where root can read without a capability' "$(agent stat -c '%g' /var/log/egressfilter)" 0
same 'the hosts file is as it was' "$(agent cat /etc/hosts)" "$(printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n192.0.2.2 agent-host\n')"
reached 'the agent reaches the filter' tcp 127.0.0.1:3128
closed 'the agent reaches nothing else' tcp 203.0.113.5:443
deny 'the agent cannot end it' as_user $AGENT_UID kill "$pid"

# --- a place for the log that was there already, as engines mount volumes
status 0 'remove' fw remove
agent rm -r /var/log/egressfilter
agent mkdir -m 777 /var/log/egressfilter
status 0 'apply where the place for the log is empty and root'"'"'s' fw apply "$WORLD/wild.json"
same 'it becomes the filter'"'"'s' "$(agent stat -c '%u %a' /var/log/egressfilter)" '65528 2750'
status 0 'remove once more' fw remove
agent rm -rf /var/log/egressfilter
agent mkdir -m 755 /var/log/egressfilter
agent touch /var/log/egressfilter/something
refused 'apply where something else is in it' 3 \
	'^egressfw apply: /var/log/egressfilter: the folder of the log cannot be written.*: Permission denied; name another file by --filter-log, in a folder of uid 65528' \
	apply "$WORLD/wild.json"
same 'which is left alone' "$(agent stat -c '%u %a' /var/log/egressfilter)" '0 755'
agent rm -r /var/log/egressfilter
agent mkdir -m 755 /var/log/elsewhere
agent ln -s elsewhere /var/log/egressfilter
refused 'apply where it is a link' 3 '/var/log/egressfilter: .*; name another file by --filter-log' apply "$WORLD/wild.json"
same 'which is not followed' "$(agent stat -c '%u %a' /var/log/elsewhere)" '0 755'
agent rm /var/log/egressfilter
status 3 'apply as the first process of all would take the filter along' \
	agent unshare --pid --fork --mount-proc "$EGRESSFW" apply "$WORLD/wild.json"
says 'and says so' 'first process of its container, and the filter would end with it.*nothing was changed'
status 0 'which run may do' agent unshare --pid --fork --mount-proc "$EGRESSFW" run "$WORLD/wild.json" -- true
status 0 'apply' fw apply "$WORLD/wild.json"
pid=$(filter_pid)

# --- other nameservers than the filter has
echo 'nameserver 198.51.100.9' >"$WORLD/etc/resolv.conf"
status 0 'verify where resolv.conf names another server' fw verify
says 'warns' 'warning +filter-nameservers: filter: asks for names at 203.0.113.53, and /etc/resolv.conf names by now 198.51.100.9: apply again'
status 1 'with the policy' fw verify "$WORLD/wild.json"
says 'warns as well' 'warning +filter-nameservers: '
echo 'nameserver 203.0.113.53' >"$WORLD/etc/resolv.conf"

# --- where the state is gone, the table itself tells of the filter
agent mv /run/egressfw /run/away
status 0 'verify while it is running' fw verify
says 'had nothing but the table' 'warning +state-missing'
kill -STOP "$pid"
status 1 'while it does not answer' fw verify --timeout 1
says 'is told' 'filter-silent: filter: wanted: an answer where it listens'
kill -CONT "$pid"
agent mv /run/away /run/egressfw

# --- kept, or started anew
status 0 'verify' fw verify
says_not 'with the same servers' 'filter-nameservers'
status 0 'verify with the policy' fw verify "$WORLD/wild.json"
status 0 'the same again' fw apply --json "$WORLD/wild.json"
same 'keeps it' "$(jq -r '.filter.state' "$WORLD/out") $(filter_pid)" "running as before $pid"
install -m 755 "$FAKE_FILTER" "$WORLD/bin/another"
status 0 'the same policy by another program' fw apply --filter-program "$WORLD/bin/another" "$WORLD/wild.json"
says 'starts that' ': started anew$'
deny 'and ends the old one' alive "$pid"
pid=$(filter_pid)
same 'it is the other program' "$WORLD/bin/another" "$(readlink "/proc/$pid/exe")"
status 0 'by that program again' fw apply --filter-program "$WORLD/bin/another" "$WORLD/wild.json"
same 'keeps it' "$(filter_pid)" "$pid"
policy other <<-END
	{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["*.example.org"] }
END
status 1 'verify with another policy' fw verify "$WORLD/other.json"
says 'names the settings' 'filter-settings: settings of the filter'
policy another <<-END
	{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["*.example.net", "10.1.0.0/16:9005"],
	  "model_endpoints": ["http://192.168.7.7:8443/v1"] }
END
status 1 'verify with a policy that is as long' fw verify "$WORLD/another.json"
says 'names the settings' 'filter-settings: settings of the filter: wanted: those of the policy, found: other ones'
status 0 'another policy' fw apply --filter-listen 127.0.0.1:8118 "$WORLD/other.json"
says 'starts it anew' 'at 127.0.0.1:8118, .*: started anew'
deny 'the old one is gone' alive "$pid"
pid=$(filter_pid)
check 'the new one is running' alive "$pid"
status 0 'verify takes what was applied' fw verify "$WORLD/other.json"
closed 'the old port is nobody'"'"'s' tcp 127.0.0.1:3128
reached 'the new one is open' tcp 127.0.0.1:8118

status 0 'another keeping of the log' fw apply --filter-listen 127.0.0.1:8118 --filter-log-files 9 --filter-log-full refuse "$WORLD/other.json"
says 'is told' 'log +at most 640 MiB in 10 files; where they are full everything is refused$'
same 'and handed on' "$(agent jq -c '[.log_files, .log_full]' /run/egressfw/egressfw.settings)" '[9,"refuse"]'
status 0 'verify takes that too' fw verify "$WORLD/other.json"
status 1 'verify with yet another' fw verify --filter-log-files 3 "$WORLD/other.json"
says 'names the settings' 'filter-settings'
status 0 'verify without the policy, with all that was applied' fw verify --filter-user $FILTER_UID \
	--filter-listen 127.0.0.1:8118 --filter-log /var/log/egressfilter/egressfw.log --filter-log-files 9 \
	--filter-log-full refuse --filter-denial plain --filter-program "$WORLD/bin/egressfilter"
# differs OPTION VALUE FOUND: verify without the policy says what the plan has in place of that.
differs() {
	status 1 "verify with another $1" fw verify "$1" ${2:+"$2"}
	says 'names it' "filter-settings: $1: wanted: ${2:-started by somebody else}, found in the plan: $3\$"
}
differs --filter-user 65500 $FILTER_UID
differs --filter-listen 127.0.0.1:3128 127.0.0.1:8118
differs --filter-log /var/log/egressfilter/other.log /var/log/egressfilter/egressfw.log
differs --filter-log-files 3 9
differs --filter-log-full drop refuse
differs --filter-denial hidden plain
differs --filter-program /bin/true "$WORLD/bin/egressfilter"
differs --no-filter-start '' 'started by apply'
status 1 'verify with the policy and another program' fw verify --filter-program /bin/true "$WORLD/other.json"
says 'names it' 'filter-settings: --filter-program: wanted: /bin/true, found in the plan: /'
status 1 'verify with the policy and somebody else who starts it' fw verify --no-filter-start "$WORLD/other.json"
says 'names it' 'filter-settings: --no-filter-start: wanted: started by somebody else, found in the plan: started by apply$'
status 2 'verify with a filter user that there is none' fw verify --filter-user nosuch
says 'says so' '--filter-user: there is no user "nosuch" in /etc/passwd$'
status 0 'the usual one again' fw apply --filter-listen 127.0.0.1:8118 "$WORLD/other.json"
pid=$(filter_pid)

# --- not as planned
kill -STOP "$pid"
status 1 'verify finds one that does not answer' fw verify --timeout 1
says 'and says so' 'filter-silent: filter: .*does not answer'
says 'is told' 'filter-silent: filter: wanted: an answer where it listens'
kill -CONT "$pid"
agent sh -c 'cp /run/egressfw/egressfw.settings /tmp/kept-$$ 2>/dev/null; cat >/run/egressfw/s.new; chmod 440 /run/egressfw/s.new; mv /run/egressfw/s.new /run/egressfw/egressfw.settings' <<<'{}'
status 1 'verify finds changed settings' fw verify
says 'and says so' 'filter-settings: settings of the filter: wanted: those of the last apply, found: other ones'
status 0 'apply mends that' fw apply --filter-listen 127.0.0.1:8118 "$WORLD/other.json"
deny 'with a new process' alive "$pid"
pid=$(filter_pid)
agent mv /run/egressfw/egressfw.settings /run/egressfw/s.gone
status 1 'verify finds no settings' fw verify
says 'and says so' 'filter-settings: settings of the filter: wanted: a file of them, found: none'
agent mv /run/egressfw/s.gone /run/egressfw/egressfw.settings
agent sed -i 's/0$/x/; s/[1-9a-f]$/0/; s/x$/1/' /run/egressfw/egressfw.filter
status 1 'verify finds one that was started with others' fw verify
says 'and says so' 'filter-settings: filter: wanted: the planned settings, found: it was started with other ones'
status 0 'apply mends that too' fw apply --filter-listen 127.0.0.1:8118 "$WORLD/other.json"
deny 'by a new process' alive "$pid"
pid=$(filter_pid)
status 0 'verify is content' fw verify
kill -KILL "$pid"
until ! alive "$pid"; do :; done
status 1 'verify finds one that is not running' fw verify
says 'and says so' 'filter-stopped: filter: wanted: running'
says 'and what to do' 'state +not as planned: the filter; apply again$'
closed 'without it the agent is closed' tcp 203.0.113.5:443
status 0 'apply starts it again' fw apply --filter-listen 127.0.0.1:8118 "$WORLD/other.json"

# --- what it would do without is said, as early as it can be
: >"$WORLD/etc/resolv.conf"
status 0 'check without nameservers' fw check "$WORLD/wild.json"
says 'warns' '^note: /etc/resolv.conf has no nameserver that the filter could ask'
status 0 'check --json' fw check --json "$WORLD/wild.json"
same 'has it as a note' "$(jq -r '(.refusals | length), (.notes | length)' "$WORLD/out" | paste -sd ' ')" '0 1'
status 0 'apply without nameservers' fw apply "$WORLD/wild.json"
says 'warns too' 'note +there is no nameserver that the filter could ask: it refuses every name'
status 0 'verify' fw verify
says 'goes on to warn' 'note +there is no nameserver that the filter could ask'
chmod 000 "$WORLD/etc/resolv.conf"
status 0 'check where nobody can tell' fw check "$WORLD/wild.json"
says 'tells that' '^note: apply would refuse this policy: .*/etc/resolv.conf'
refused 'and apply refuses' 3 '/etc/resolv.conf' apply "$WORLD/wild.json"
chmod 644 "$WORLD/etc/resolv.conf"
printf 'nameserver 203.0.113.53\n' >"$WORLD/etc/resolv.conf"
mv "$WORLD/bin/egressfilter" "$WORLD/bin/elsewhere"
status 0 'check without the program' fw check "$WORLD/wild.json"
says 'tells of the refusal' "^note: apply would refuse this policy: .*/egressfilter: the filter's program cannot be executed"
no_network
status 0 'check of a policy that needs none' fw check "$WORLD/none.json"
says_not 'has no note' '^note'
mv "$WORLD/bin/elsewhere" "$WORLD/bin/egressfilter"
same 'what "auto" comes to is shown: the filter' "$(fw check "$WORLD/wild.json" | jq -r .enforcement)" filter
same 'what "auto" comes to is shown: pins' "$(fw check "$WORLD/none.json" | jq -r .enforcement)" pin
status 0 'apply with nameservers' fw apply --filter-listen 127.0.0.1:8118 "$WORLD/other.json"

# --- only ours is ended
mine=$(filter_pid)
nsenter -t "$world_agent" -m -n -w -- setpriv --reuid $FILTER_UID --clear-groups sleep 1000 </dev/null >/dev/null 2>&1 3>&- &
stranger=$!
world_pids+=("$stranger")
filter_strays+=("$stranger" "$mine")
kept=$(agent cat /run/egressfw/egressfw.filter)
agent sh -c 'echo "$1" >/run/egressfw/egressfw.filter' sh "$stranger ${kept#* }"
status 0 'remove' fw remove
check 'leaves a process that only has the number' alive "$stranger"
agent sh -c 'echo "$1" >/run/egressfw/egressfw.filter; chmod 600 /run/egressfw/egressfw.filter' sh "$kept"
status 0 'remove again' fw remove
deny 'ends the one that we started' alive "$mine"
gone 'and its settings' /run/egressfw/egressfw.settings
gone 'and what was kept of it' /run/egressfw/egressfw.filter

# --- a policy without filter ends it
status 0 'with filter' fw apply "$WORLD/wild.json"
pid=$(filter_pid)
no_network
status 0 'without' fw apply "$WORLD/none.json"
deny 'it is ended' alive "$pid"
gone 'its settings are gone' /run/egressfw/egressfw.settings
same 'its chain is gone' "$(agent nft list table inet egressfw | grep -c guard)" 0
closed 'and its port closed' tcp 127.0.0.1:3128
echo '{ "network_mode": "public" }' >"$WORLD/public.json"
status 0 'with filter again' fw apply "$WORLD/wild.json"
pid=$(filter_pid)
status 0 'public' fw apply "$WORLD/public.json"
deny 'ends it too' alive "$pid"
status 0 'nothing left' fw remove

# --- refused
refused 'as root' 2 'filter-user: "0" is uid 0, and the filter may not run as root' apply --filter-user 0 "$WORLD/wild.json"
refused 'as the agent' 2 'uid 1500 is a confined user, and cannot be the filter' apply --filter-user agent "$WORLD/wild.json"
refused 'as a subordinate of the agent' 2 'uid 1500|confined' apply --filter-user 1500 "$WORLD/wild.json"
refused 'as nobody that there is' 2 'there is no user "nobodyknows"' apply --filter-user nobodyknows "$WORLD/wild.json"
refused 'as many' 2 'is not one user' apply --filter-user 5-9 "$WORLD/wild.json"
refused 'where others could use it' 2 '192.0.2.2 is no loopback address' apply --filter-listen 192.0.2.2:3128 "$WORLD/wild.json"
refused 'at a resolver'"'"'s port' 2 "is a resolver's" apply --filter-listen 127.0.0.1:5353 "$WORLD/wild.json"
refused 'at root'"'"'s ports' 2 'only root may listen' apply --filter-listen 127.0.0.1:80 "$WORLD/wild.json"
refused 'twice at the same place' 2 '--filter-listen: 127.0.0.1:8118 is given twice' \
	apply --filter-listen 127.0.0.1:8118 --filter-listen 127.0.0.1:8118 "$WORLD/wild.json"
refused 'with settings that it would not take' 2 'the filter would not take its settings: ' \
	apply --filter-log $'/var/log/egressfilter/\377.log' "$WORLD/wild.json"
refused 'a log that is nowhere' 2 'no absolute path' apply --filter-log decisions.log "$WORLD/wild.json"
refused 'no number of older logs' 2 'is no number of files from 1 to 99' apply --filter-log-files 0 "$WORLD/wild.json"
refused 'too many of them' 2 'is no number of files from 1 to 99' apply --filter-log-files 100 "$WORLD/wild.json"
refused 'nothing that a denial is' 2 'is neither plain nor hidden' apply --filter-denial secret "$WORLD/wild.json"
refused 'nothing that a full log does' 2 'is neither drop nor refuse' apply --filter-log-full wait "$WORLD/wild.json"
refused 'a program that is not there' 3 "/nowhere/filter: the filter's program cannot be executed" \
	apply --filter-program /nowhere/filter "$WORLD/wild.json"
install -m 777 "$FAKE_FILTER" "$WORLD/bin/anybodys"
refused 'a program that anybody may write' 3 'that only root may write' apply --filter-program "$WORLD/bin/anybodys" "$WORLD/wild.json"
agents_home=$WORLD/tmp/agents-home
install -d -o $AGENT_UID "$agents_home"
install -m 755 "$FAKE_FILTER" "$agents_home/egressfilter"
refused 'a program in a folder of the agent'"'"'s' 3 "agents-home: belongs to uid $AGENT_UID, who could put another program there" \
	apply --filter-program "$agents_home/egressfilter" "$WORLD/wild.json"
install -d "$WORLD/tmp/linked"
ln -s ../agents-home/egressfilter "$WORLD/tmp/linked/egressfilter"
refused 'nor by a link' 3 "agents-home: belongs to uid $AGENT_UID, who" apply --filter-program "$WORLD/tmp/linked/egressfilter" "$WORLD/wild.json"
for mode in 777:everybody 775:'its group'; do
	install -d -m "${mode%%:*}" -g 1500 "$WORLD/tmp/folder-${mode%%:*}"
	install -m 755 "$FAKE_FILTER" "$WORLD/tmp/folder-${mode%%:*}/egressfilter"
	refused "a program in a folder of mode ${mode%%:*}" 3 "folder-${mode%%:*}: ${mode#*:} may write into this folder, and put another program there" \
		apply --filter-program "$WORLD/tmp/folder-${mode%%:*}/egressfilter" "$WORLD/wild.json"
done
install -d -m 775 -g 33 "$WORLD/tmp/folder-service"
install -m 755 "$FAKE_FILTER" "$WORLD/tmp/folder-service/egressfilter"
refused "a program in a folder of a service's group" 3 'folder-service: its group may write into this folder' \
	apply --filter-program "$WORLD/tmp/folder-service/egressfilter" "$WORLD/wild.json"
install -m 644 "$FAKE_FILTER" "$WORLD/bin/nobodys"
refused 'a program that nobody may execute' 3 "nobodys: the filter's program cannot be executed" apply --filter-program "$WORLD/bin/nobodys" "$WORLD/wild.json"
refused 'a program that is a folder' 3 'the filter.s program must be a file' apply --filter-program "$WORLD/bin" "$WORLD/wild.json"
install -d -m 777 -g 0 "$WORLD/tmp/folder-open"
install -m 755 "$FAKE_FILTER" "$WORLD/tmp/folder-open/egressfilter"
refused "a program in root's own group's folder that everybody may write" 3 'folder-open: everybody may write into this folder' \
	apply --filter-program "$WORLD/tmp/folder-open/egressfilter" "$WORLD/wild.json"
install -d -m 775 -g 50 "$WORLD/tmp/folder-staff"
install -m 755 "$FAKE_FILTER" "$WORLD/tmp/folder-staff/egressfilter"
status 0 "a program in a folder of staff's, as /usr/local is" fw apply --filter-program "$WORLD/tmp/folder-staff/egressfilter" "$WORLD/wild.json"
pid=$(filter_pid)
kill -STOP "$pid"
status 0 'remove, where it does not end by itself' fw remove
deny 'it is ended' alive "$pid"
policy path <<-END
	{ "network_mode": "blocklist", "users": [$AGENT_UID], "blocked_urls": ["a.example.com", "b.example.com/path"] }
END
refused 'a rule with a path' 3 'blocked_urls\[1\]: "b.example.com/path" has a path, which only a filter that looks into' \
	apply "$WORLD/path.json"
policy exempt <<-END
	{ "network_mode": "allowlist", "exempt_users": [$OTHER_UID], "allowed_hosts": ["*.example.com"] }
END
refused 'as an exempt user' 2 'uid 1501 is one of "exempt_users"' apply --filter-user $OTHER_UID "$WORLD/exempt.json"

agent mkdir -p /run/egressfw
agent mount -t tmpfs -o ro,mode=700 none /run/egressfw
refused 'without a place for its settings' 3 "the filter's settings need a state directory: " apply "$WORLD/wild.json"
agent umount /run/egressfw

# --- failures leave the agent closed
for name in dies quotes mute deaf silent half strays; do install -m 755 "$FAKE_FILTER" "$WORLD/bin/$name"; done
fails() {
	status 5 "a filter that $1" fw apply --timeout 1 --filter-program "$WORLD/bin/$2" "$WORLD/wild.json"
	says "a filter that $1: the reason" "$3"
	closed "a filter that $1: the agent is closed" tcp 203.0.113.5:443
	closed "a filter that $1: it does not run" tcp 127.0.0.1:3128
	status 0 "a filter that $1: remove" fw remove
}
fails 'dies' dies 'the filter, /.*/bin/dies, ended before it was ready, with status 1: dies: a \? reason; is that egressfilter \(--filter-program\)\?; uids 1500.* are closed \(loopback only\), and no filter of ours is running'
fails 'words of another error are no port that is taken' quotes 'the filter, /.*/bin/quotes, ended before it was ready, with status 1: quotes: the log said: Address already in use; is that .*\?; uids 1500.* are closed \(loopback only\), and no filter of ours is running'
printf '#!/bin/sh\necho one >&2\necho two >&2\nkill -SEGV $$\n' >"$WORLD/bin/crashes"
chmod 755 "$WORLD/bin/crashes"
fails 'ends by a signal' crashes 'the filter, /.*/bin/crashes, ended before it was ready, by signal 11: one; is that egressfilter \(--filter-program\)\?; uids'
status 5 'a program that is no filter' fw apply --filter-program /bin/true "$WORLD/wild.json"
says 'is named, and how it ended' 'the filter, /bin/true, ended before it was ready, with status 0; is that egressfilter \(--filter-program\)\?; uids 1500'
status 0 'it is removed' fw remove
fails 'is never ready' mute 'the filter was not ready within 1000 ms; uids 1500.* are closed \(loopback only\), and no filter of ours is running$'
fails 'listens nowhere' deaf 'at 127.0.0.1 port 3128 nobody listens'
fails 'listens at another place too' strays 'at 127.0.0.1 port 8119 listens uid 65528.*, the user of this filter, .*, and the filter was ended$'
fails 'answers at one place only' half 'the filter at ::1 port 3128: accepts connections, and does not answer; the new rules stand, and the filter was ended'
status 0 'one that nobody asks' fw apply --no-canary --filter-program "$WORLD/bin/half" "$WORLD/wild.json"
status 1 'is asked by verify, at each of its places' fw verify --timeout 1
says 'and that is said' 'filter-silent: filter: .*the filter at ::1 port 3128: accepts connections, and does not answer'
status 0 'it is removed' fw remove
fails 'answers nothing' silent 'accepts connections, and does not answer; the new rules stand, and the filter was ended'
serve agent tcp/127.0.0.1/3128
other=$served_pid
refused 'a port that is taken' 3 "at 127.0.0.1 port 3128 listens uid 0, and not the filter's, 65528: end that first \\(process $other, far\\), .* another port \(--filter-listen\)" \
	apply "$WORLD/wild.json"
status 3 'without CAP_SYS_PTRACE' agent setpriv --bounding-set -sys_ptrace --inh-caps=-all -- "$EGRESSFW" apply "$WORLD/wild.json"
says 'nobody sees whose it is' "listens uid 0, and not the filter's, 65528: end that first \\(ss -ltnp names the process\\), .*; nothing was changed$"
refused 'somebody else'"'"'s server is not taken for the filter' 3 "at 127.0.0.1 port 3128 listens uid 0, and not the filter's, 65528" \
	apply --no-filter-start "$WORLD/wild.json"
serve_end "$other"
serve "agent:$AGENT_UID" tcp/127.0.0.1/3128
refused 'a port where the agent listens' 3 \
	"at 127.0.0.1 port 3128 listens uid $AGENT_UID, and not the filter's, 65528: end that first \\(process [0-9]+, far\\), or give .*--filter-listen" \
	apply "$WORLD/wild.json"
serve_end "$served_pid"
serve agent tcp/::/3128
refused 'a port that is taken for all addresses' 3 '127.0.0.1 port 3128: cannot be listened at: Address already in use; .* --filter-listen' \
	apply "$WORLD/wild.json"
serve_end "$served_pid"

# A confined user who has the port, and does not even listen.
cat >"$WORLD/bin/binds" <<'END'
import socket, sys, time
s = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
s.bind((sys.argv[1], 3128))
open(sys.argv[2], "w").write("bound")
time.sleep(1000)
END
install -d -m 1777 "$WORLD/tmp"
# bind_as UID ADDRESS: its process in $binder.
bind_as() {
	rm -f "$WORLD/tmp/bound"
	nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$1" --regid "$1" --clear-groups --inh-caps=-all -- \
		"${PYTHON:-/usr/bin/python3}" "$WORLD/bin/binds" "$2" "$WORLD/tmp/bound" </dev/null >/dev/null 2>&1 3>&- &
	binder=$!
	world_pids+=("$binder")
	until [ -e "$WORLD/tmp/bound" ]; do sleep 0.02; done
}
for address in 127.0.0.1 0.0.0.0 ::; do
	bind_as $AGENT_UID $address
	refused "a port that the agent has at $address" 3 \
		"127.0.0.1 port 3128: cannot be listened at: Address already in use; name another place by --filter-listen, or end what has 127.0.0.1 port 3128: a socket of uid $AGENT_UID \\(process $binder, python3[.0-9]*\\); nothing" \
		apply "$WORLD/wild.json"
	serve_end "$binder"
done
# Once it has been looked at that nobody has it.
cat >"$WORLD/bin/late" <<END
#!/bin/sh
: >"$WORLD/tmp/starting"
until [ -e "$WORLD/tmp/bound" ]; do sleep 0.02; done
exec "$WORLD/bin/egressfilter" "\$@"
END
chmod 755 "$WORLD/bin/late"
rm -f "$WORLD/tmp/bound"
{ until [ -e "$WORLD/tmp/starting" ]; do sleep 0.02; done; bind_as $AGENT_UID 127.0.0.1; echo "$binder" >"$WORLD/binder"; wait "$binder"; } &
world_pids+=("$!")
status 5 'a port that the agent has taken since' fw apply --filter-program "$WORLD/bin/late" "$WORLD/wild.json"
until [ -s "$WORLD/binder" ]; do sleep 0.02; done
binder=$(cat "$WORLD/binder")
says 'is named too' "Address already in use.*; name another place by --filter-listen, or end what has 127.0.0.1 port 3128: a socket of uid $AGENT_UID \\(process $binder, "
kill "$binder"
while kill -0 "$binder" 2>/dev/null; do sleep 0.02; done
status 0 'and then nothing is left' fw remove

# --- what is left is what is said
# obstructed FILE: nothing can be kept under that name; unobstructed takes that away.
obstructed() { agent mkdir -p "/run/egressfw/egressfw.$1.new/x"; }
unobstructed() { agent rm -r "/run/egressfw/egressfw.$1.new"; }
left() {
	same "$1" "$2" "$(sed -n '1s/.*; \([^;]*\)$/\1/p' "$WORLD/err")"
	closed "$1: the agent is closed outside" tcp 203.0.113.5:443
}
begun() {
	status 0 "$1: a filter" fw apply "$WORLD/wild.json"
	pid=$(filter_pid)
}
for file in settings filter; do
	begun "$file"
	obstructed $file
	status 5 "$file cannot be written" fw apply "$WORLD/other.json"
	left "$file: what is left is said" "what stood before still stands, and the filter's ports are closed, and no filter of ours is running"
	deny "$file: none is" alive "$pid"
	closed "$file: nobody listens" tcp 127.0.0.1:3128
	status 1 "$file: verify finds none" fw verify
	says "$file: and says so" 'filter-stopped'
	unobstructed $file
done
for next in other none; do
	begun "plan, $next"
	obstructed plan
	status 5 "plan, $next: cannot be written" fw apply "$WORLD/$next.json"
	# Another filter is not begun before the ports are closed.
	closed_too=", and the filter's ports are closed" also=', and the new one was ended'
	[ $next = other ] || closed_too='' also=''
	left "plan, $next: what is left is said" "what stood before still stands$closed_too, without its filter$also"
	deny "plan, $next: it is ended" alive "$pid"
	closed "plan, $next: nobody listens" tcp 127.0.0.1:3128
	status 1 "plan, $next: verify compares with what stood before" fw verify
	says "plan, $next: and finds no filter" 'filter-stopped'
	unobstructed plan
done
obstructed plan
status 0 'no filter: nothing stands' fw remove
status 3 'no filter: a plan that cannot be kept' fw apply "$WORLD/none.json"
same 'no filter: nothing was changed' 'nothing was changed' "$(sed -n '1s/.*; \([^;]*\)$/\1/p' "$WORLD/err")"
unobstructed plan
# One more of the same user, which is not ours to end.
begun 'two'
sed 's/127.0.0.1:3128/127.0.0.1:8119/; s/\[::1\]:3128/[::1]:8119/' <(agent cat /run/egressfw/egressfw.settings) >"$WORLD/second.json"
chmod 644 "$WORLD/second.json"
nsenter -t "$world_agent" -m -n -w -- setpriv --reuid $FILTER_UID --regid $FILTER_UID --clear-groups "$WORLD/bin/egressfilter" --ready-fd 1 \
	"$WORLD/second.json" </dev/null >/dev/null 2>&1 3>&- &
second=$!
world_pids+=("$second")
until agent ss -Htln 'sport = :8119' | grep -q .; do sleep 0.02; done
stranger_refused() {
	refused "two: $1" 3 'at 127.0.0.1 port 8119 listens uid 65528(, the filter of another policy| .*, the user of this filter, and nobody can tell)' apply "${@:2}"
}
stranger_refused 'a policy without filter' "$WORLD/none.json"
stranger_refused 'another policy' "$WORLD/other.json"
stranger_refused 'another policy with another user' --filter-user 65500 "$WORLD/other.json"
check 'two: ours is left alone' alive "$pid"
kill -KILL "$pid"
until ! alive "$pid"; do :; done
stranger_refused 'a policy without filter, where none of ours is' "$WORLD/none.json"
stranger_refused 'another policy, where none of ours is' "$WORLD/other.json"
serve_end "$second"
if strace -o /dev/null -e inject=getppid:error=EPERM true 2>/dev/null; then
	begun 'unending'
	unending() {
		agent timeout 20 strace -f -qq -o /dev/null -e trace=pidfd_open -e inject=pidfd_open:error=EMFILE "$EGRESSFW" apply "$WORLD/$1.json"
	}
	status 5 'unending: another policy' unending other
	left 'unending: what is left is said' "what stood before still stands, and the filter's ports are closed, and the filter of before is still running"
	check 'unending: it is' alive "$pid"
	status 5 'unending: a policy without' unending none
	left 'unending: nothing was changed' 'nothing was changed'
	check 'unending: it runs' alive "$pid"
else
	skip 'unending' 'strace cannot inject here'
fi
status 0 'remove' fw remove

# --- others as its user, whom the rules let out as they do the filter
kill -KILL "$stranger"
while alive "$stranger"; do sleep 0.02; done
agent setpriv --reuid $FILTER_UID --clear-groups sleep 1001 </dev/null >/dev/null 2>&1 3>&- &
until company=$(pgrep -n -U $FILTER_UID -f '^sleep 1001$'); do sleep 0.02; done
unshare -n setpriv --reuid $FILTER_UID --clear-groups sleep 1002 </dev/null >/dev/null 2>&1 3>&- &
elsewhere=$!
world_pids+=("$elsewhere")
until pgrep -U $FILTER_UID -f '^sleep 1002$' >/dev/null; do sleep 0.02; done
status 0 'somebody else runs as its user' fw apply "$WORLD/wild.json"
company_words="process $company \\(sleep 1001\\) runs as the filter's user, uid $FILTER_UID, as well, .*--filter-user\\)"
says 'he is named' "note +$company_words\$"
status 0 'the same, quietly' fw apply --quiet "$WORLD/wild.json"
says 'he is named too' "^egressfw apply: warning: $company_words\$"
status 0 'run, quietly' fw run --quiet "$WORLD/wild.json" -- true
says 'he is named too' "^egressfw run: warning: $company_words\$"
kill -KILL "$company"
while alive "$company"; do sleep 0.02; done
status 0 'nobody else does' fw apply --quiet "$WORLD/wild.json"
says_not 'nobody is named, as who is in another network is nobody' 'as well'
kill -KILL "$elsewhere"
status 0 'remove' fw remove

# --- no loopback
agent ip link set lo down
status 5 'lo is down' fw apply --timeout 1 "$WORLD/wild.json"
says 'that is why nobody answers' 'the filter at [0-9a-f.:]+ port 3128: cannot be connected to: .*: the interface lo is down \(ip link set lo up\); .*, and the filter was ended$'
says_not 'and no filter was started' '^ +filter .*: started'
agent ip link set lo up
status 0 'remove' fw remove

# --- started by somebody else
status 5 'nobody has started it' fw apply --timeout 1 --no-filter-start "$WORLD/wild.json"
says 'and how to is said' \
	'port 3128 nobody listens; start "/.*/egressfilter --user 65528 /run/egressfw/egressfw.settings", and then apply again; uids 1500'
# Its settings are written before it is waited for.
agent rm /run/egressfw/egressfw.settings
nsenter -t "$world_agent" -m -n -- "$EGRESSFW" apply --timeout 20 --no-filter-start "$WORLD/wild.json" >"$WORLD/out" 2>"$WORLD/err" </dev/null 3>&- &
waiting=$!
world_pids+=("$waiting")
until agent test -e /run/egressfw/egressfw.settings || ! kill -0 "$waiting" 2>/dev/null; do sleep 0.02; done
sleep 0.1
nsenter -t "$world_agent" -m -n -w -- setpriv --reuid $FILTER_UID --regid $FILTER_UID --clear-groups "$WORLD/bin/egressfilter" --ready-fd 1 \
	/run/egressfw/egressfw.settings </dev/null >/dev/null 2>&1 3>&- &
theirs=$!
world_pids+=("$theirs")
wait "$waiting" && got=0 || got=$?
same 'it is waited for until it is there' 0 "$got"
status 0 'somebody else has' fw apply --no-filter-start "$WORLD/wild.json"
says 'and the report says so' 'running, started by somebody else'
status 0 'verify' fw verify
policy none <<-END
	{ "network_mode": "no-network", "users": [$AGENT_UID] }
END
theirs_runs='at 127.0.0.1 port 3128 listens uid 65528 \([a-z0-9, -]+\), a filter that somebody else started'
refused 'another policy, of which it knows nothing' 3 "$theirs_runs with other settings than these: end it first; nothing was changed" \
	apply --timeout 1 --no-filter-start "$WORLD/other.json"
reached 'and its users keep it' tcp 127.0.0.1:3128
refused 'nor one without a filter, while it goes on' 3 \
	'at 127.0.0.1 port 3128 listens uid 65528, the filter that somebody else started for what stands: end it first; nothing' apply "$WORLD/none.json"
refused 'nor one whose filter we start' 3 'somebody else started for what stands: end it first, or say --no-filter-start; nothing' \
	apply "$WORLD/wild.json"
status 0 'the same policy as before' fw apply --no-filter-start "$WORLD/wild.json"
status 0 'remove' fw remove
says 'what others started is named' \
	'nobody is confined by this instance any more, but at 127.0.0.1 port 3128 listens uid 65528, the filter that somebody else started for it, and has to end$'
check 'and left alone' alive "$theirs"
unknown='nobody can tell with which settings'
refused 'which it goes on with is not known any more' 3 "$theirs_runs, and $unknown: none are kept, which remove deletes; end it first; nothing was changed" \
	apply --no-filter-start "$WORLD/wild.json"
refused 'nor to whoever would start it' 3 "listens uid 65528.*, the user of this filter, and $unknown it was started: end it first; nothing was changed" \
	apply "$WORLD/wild.json"
kill -KILL "$theirs"
wait "$theirs" 2>/dev/null

# --- ours, and forgotten
status 0 'a filter' fw apply "$WORLD/wild.json"
pid=$(filter_pid)
filter_strays+=("$pid")
agent rm -r /run/egressfw
stranger='at 127.0.0.1 port 3128 listens uid 65528, the filter of another policy, which this one must not leave open: end it first; nothing'
refused 'forgotten, it does not go on under a policy without one' 3 "$stranger" apply "$WORLD/none.json"
unknown="listens uid 65528.*, the user of this filter, and $unknown it was started: end it first; nothing"
refused 'nor beside another one' 3 "$unknown" apply --filter-listen 127.0.0.1:8118 "$WORLD/other.json"
refused 'nor in its place' 3 "$unknown" apply "$WORLD/wild.json"
kill -KILL "$pid"
until ! alive "$pid"; do :; done
status 0 'once it has ended' fw apply "$WORLD/none.json"

# --- run, a list of loopback ports, and everybody confined
policy listed <<-END
	{ "network_mode": "blocklist", "users": [$AGENT_UID], "blocked_urls": ["bad.example.com"], "loopback": [] }
END
status 0 'run' fw run --env NO_PROXY=mine --env A=b "$WORLD/listed.json" -- env
same 'the program knows the filter' "$(grep -iE '^(https?|all)_proxy=' "$WORLD/out" | cut -d = -f 2 | sort -u)" http://127.0.0.1:3128
same 'in both cases' "$(grep -ciE '^(https?|all|no)_proxy=' "$WORLD/out")" 8
same 'what was said on the command line counts' "$(grep '^NO_PROXY=' "$WORLD/out")" NO_PROXY=mine
says 'and Node.js' '^NODE_USE_ENV_PROXY=1$'
says 'and Java' '^JAVA_TOOL_OPTIONS=-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 '
pid=$(filter_pid)
check 'the filter outlives the program' alive "$pid"
no_network pinned
status 0 'run without filter' fw run "$WORLD/pinned.json" -- env
same 'has none of them' "$(grep -ciE 'proxy' "$WORLD/out")" 0
status 0 'strict' fw apply "$WORLD/exempt.json"
reached 'strict: an ordinary address for the filter' tcp 203.0.113.5:443 $FILTER_UID
held 'strict: nothing private' tcp 10.0.0.1:443
closed 'strict: the agent' tcp 203.0.113.5:443
reached 'strict: the exempt' tcp 203.0.113.5:443 $OTHER_UID
status 0 'strict: verify' fw verify "$WORLD/exempt.json"
status 0 'remove at last' fw remove
finish
