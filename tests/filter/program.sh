#!/bin/bash
# program.sh: how the filter starts, what it can do no more, how it takes a new policy, how it ends.
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1
filter_begin
dns_script <<'END'
one.test A 203.0.113.5
two.test A 203.0.113.6
END
settings() {
	filter_settings "${@:2}" <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter", "allowed_hosts": [$1] }
	END
}
egressfilter() {
	agent timeout 20 "$WORLD/bin/egressfilter" "$@"
}

# Refusals, each with one line.
settings '"one.test"'
status 0 "--check" egressfilter --user filter --check "$WORLD/settings.json"
same "--check: without a word" "" "$(cat "$WORLD/out" "$WORLD/err")"
status 0 "--check as root" egressfilter --check "$WORLD/settings.json"
same "--check as root: without a word" "" "$(cat "$WORLD/out" "$WORLD/err")"
# wrong NAME PATTERN WORD...: a command line that is refused in one line, which says where more is.
wrong() {
	local name=$1 pattern=$2
	shift 2
	status 2 "$name" egressfilter "$@"
	says "$name: and why" "^egressfilter: $pattern; see egressfilter --help; nothing was started$"
	same "$name: in one line" 1 "$(cat "$WORLD/out" "$WORLD/err" | wc -l)"
}
wrong "no settings" 'SETTINGS is missing; usage: egressfilter \[OPTION...\] SETTINGS'
wrong "two" '"b" is one argument too many; usage: .* SETTINGS' a b
wrong "an unknown option" 'no option "--nonsense"' --nonsense x
wrong "a misspelt option" 'no option "--usr"; did you mean "--user"[?]' --usr filter x
wrong "a short option" 'no option "-q"' -q x
wrong "an option without its value" '--user needs a value' x --user
wrong "an option with a value that takes none" '--check takes no value' --check=yes x
wrong "a descriptor that is none" '--ready-fd: expected .*' --ready-fd x "$WORLD/settings.json"
for descriptor in 2 5 300; do
	status 2 "descriptor $descriptor" egressfilter --user filter --ready-fd "$descriptor" "$WORLD/settings.json"
	says "descriptor $descriptor: and says why" 'expected the number of an open descriptor'
done
status 0 "--help" egressfilter --help
says "says what it is for" 'loopback proxy'
status 0 "--version" egressfilter --version
refused() {
	local want=$1 name=$2 pattern=$3
	shift 3
	status "$want" "$name" egressfilter "$@"
	says "$name: and why" "$pattern"
	same "$name: in one line" 1 "$(wc -l <"$WORLD/err")"
}
refused 3 "as root" 'name a user of its own' "$WORLD/settings.json"
refused 2 "as root by name" '--user: "root" is uid 0, and the filter may not run as root: name a user' --user root "$WORLD/settings.json"
refused 2 "as root by number" '"0" is uid 0, and the filter may not run as root' --user 0 "$WORLD/settings.json"
refused 2 "nobody of that name" 'no user' --user nobody-such "$WORLD/settings.json"
agent mount --bind /dev/null /etc/passwd
refused 3 "where nobody can tell who that is" '--user: /etc/passwd: is not a regular file' --user filter "$WORLD/settings.json"
agent umount /etc/passwd
refused 2 "no such file" 'cannot be opened' --user filter "$WORLD/none.json"
chmod 666 "$WORLD/settings.json"
refused 2 "a file that others may write" 'may be written by everybody' --user filter "$WORLD/settings.json"
echo '{' >"$WORLD/settings.json"
chmod 644 "$WORLD/settings.json"
refused 2 "no JSON" 'line ' --user filter --check "$WORLD/settings.json"
refused 2 "no JSON, as root" 'line ' --check "$WORLD/settings.json"
install -m 600 "$WORLD/settings.json" "$WORLD/rooted.json"
refused 2 "no JSON, and root's" 'line ' --check "$WORLD/rooted.json"
settings '"one.test"'
sed -i 's|"log":|"lgo":|' "$WORLD/settings.json"
refused 2 "a misspelt member" 'unknown field "lgo"; did you mean "log"[?]' --user filter --check "$WORLD/settings.json"
filter_settings <<<'{ "network_mode": "public" }'
refused 3 "a policy without limits" 'needs no filter' --user filter --check "$WORLD/settings.json"
filter_settings <<<'{ "network_mode": "blocklist", "blocked_urls": ["a.test/x"] }'
refused 3 "a path rule" 'paths cannot be blocked' --user filter --check "$WORLD/settings.json"
filter_listen_more=', "127.0.0.1:80"'
agent sysctl -qw net.ipv4.ip_unprivileged_port_start=1024
settings '"one.test"'
status 3 "a port that it may not have" egressfilter --user filter "$WORLD/settings.json"
says "and is told which" 'listen\[1\]: 127.0.0.1 port 80: cannot be listened at'
filter_listen_more=
settings '"one.test"'
check "as an ordinary user: it goes on as that" agent setpriv --reuid "$FILTER_UID" --regid "$FILTER_UID" --clear-groups \
	--inh-caps=-all "$WORLD/bin/egressfilter" --check "$WORLD/settings.json"
status 3 "who cannot become another" agent setpriv --reuid "$FILTER_UID" --regid "$FILTER_UID" --clear-groups \
	--inh-caps=-all "$WORLD/bin/egressfilter" --user agent "$WORLD/settings.json"

# What it is once it is ready, and what it can do no more.
filter_start
field() { awk -v name="$1:" '$1 == name { $1 = ""; sub(/^ /, ""); print }' "/proc/$filter_pid/status"; }
same "its uid, in every place" "$FILTER_UID $FILTER_UID $FILTER_UID $FILTER_UID" "$(field Uid | tr '\t' ' ')"
same "no groups but its own" "$FILTER_UID" "$(field Groups | tr -d ' ')"
for set in CapInh CapPrm CapEff CapBnd CapAmb; do
	same "no capability in $set" 0000000000000000 "$(field $set)"
done
same "no new ones" 1 "$(field NoNewPrivs)"
same "a filter of system calls" 2 "$(field Seccomp)"
same "one thread" 1 "$(field Threads)"
deny "nobody else looks into it" as_user "$FILTER_UID" ls "/proc/$filter_pid/fd"
status 3 "a second one at the same place" egressfilter --user filter "$WORLD/settings.json"
says "is told why" 'Address already in use'
status 3 "and who started it" egressfilter --user filter --ready-fd 1 "$WORLD/settings.json"
same "is told that it is that" taken "$(cat "$WORLD/out")"

# A new policy.
client_begin hold one.test:443 "$WORLD/tmp/one"
held=$client_pid
client_begin hold two.test:443 "$WORLD/tmp/two"
until_true grep -q 403 "$WORLD/tmp/two"
same "the second name is not allowed" "403" "$(cat "$WORLD/tmp/two")"
settings '"one.test", "two.test"'
kill -HUP "$filter_pid"
until_true eval 'test "$(client connect two.test:443)" = "200 tunnel"'
answers "after SIGHUP it is" "200 tunnel" two.test:443
client_begin hold two.test:443 "$WORLD/tmp/two"
until_true grep -q open "$WORLD/tmp/two"
# Bad ones change nothing.
for bad in '{' '{ "network_mode": "public" }'; do
	filter_settings <<<"$bad"
	: >"$WORLD/filter.err"
	kill -HUP "$filter_pid"
	until_true grep -q stands "$WORLD/filter.err"
	check "a bad one: $bad" grep -q 'the policy from before stands' "$WORLD/filter.err"
	answers "changes nothing" "200 tunnel" two.test:443
done
# fixed MEMBER SED-EXPRESSION: the settings, changed by that.
fixed() {
	settings '"two.test"'
	sed -i "$2" "$WORLD/settings.json"
	: >"$WORLD/filter.err"
	kill -HUP "$filter_pid"
	until_true grep -qE 'stands|anew' "$WORLD/filter.err"
	check "what cannot change is said: $2" grep -q "$1: cannot be changed while the filter runs" "$WORLD/filter.err"
}
fixed listen 's/127.0.0.1:3128/127.0.0.2:3128/'
fixed listen 's/127.0.0.1:3128/127.0.0.1:3129/'
fixed listen 's/\("127.0.0.1:3128"\)/\1, "[::1]:3128"/'
fixed nameservers 's/203.0.113.53:53/203.0.113.54:53/'
fixed log 's/decisions"/others"/'
fixed log '$s/}$/, "log_size": 5000000 }/'
fixed log '$s/}$/, "log_files": 3 }/'
fixed log '$s/}$/, "log_full": "refuse" }/'
answers "and nothing of it was taken" "200 tunnel" one.test:443
log_mark
settings '"two.test"' '"denial": "hidden"'
kill -HUP "$filter_pid"
until_true grep -q closed "$WORLD/tmp/one"
same "a tunnel that is not allowed any more is ended" "open closed" "$(tr '\n' ' ' <"$WORLD/tmp/one" | sed 's/ $//')"
same "the others go on" "open" "$(cat "$WORLD/tmp/two")"
same "the log says so" "one.test block the destination is not listed" "$(ends host decision reason)"
answers "the denial is as it says now" 404 one.test:443
kill "$held" 2>/dev/null
log_mark
filter_end
until_true grep -q closed "$WORLD/tmp/two"
same "SIGTERM ends the tunnels, and logs them" "two.test allow" "$(ends host decision)"
same "and that is 0" 0 "$filter_status"
deny "nobody answers any more" client connect two.test:443

# Settings from standard input, the notification of systemd, and what was left open. Nobody else comes to the socket:
# whoever looks for sockets meanwhile does not find this one.
agent install -d -m 700 -o filter "$WORLD/private"
agent "$PYTHON" "$WORLD/bin/client.py" notified "$WORLD/private/notify" >"$WORLD/notified" 2>&1 </dev/null &
listener=$!
world_pids+=("$listener")
until_true test -S "$WORLD/private/notify"
nsenter -t "$world_agent" -m -n -w -- env NOTIFY_SOCKET="$WORLD/private/notify" "$WORLD/bin/egressfilter" --user filter - \
	<"$WORLD/settings.json" >"$WORLD/out" 2>"$WORLD/filter.err" 7</dev/null &
filter_pid=$!
world_pids+=("$filter_pid")
wait "$listener"
same "systemd is told" "READY=1" "$(cat "$WORLD/notified")"
deny "a descriptor of whoever started it is closed" test -e "/proc/$filter_pid/fd/7" -a \
	"$(readlink "/proc/$filter_pid/fd/7")" = /dev/null
kill -HUP "$filter_pid"
until_true grep -q stands "$WORLD/filter.err"
check "standard input is not read again" grep -q 'which cannot be read again' "$WORLD/filter.err"
filter_end

# Started as an ordinary user, and with what such a one may have been given.
nsenter -t "$world_agent" -m -n -w -- setpriv --reuid "$FILTER_UID" --regid "$FILTER_UID" --clear-groups \
	--inh-caps=+net_raw --ambient-caps=+net_raw -- "$WORLD/bin/egressfilter" --ready-fd 9 "$WORLD/settings.json" \
	9>"$WORLD/readiness" 2>"$WORLD/filter.err" </dev/null &
filter_pid=$!
world_pids+=("$filter_pid")
until_true grep -qx ready "$WORLD/readiness"
check "an ordinary user's is ready" grep -qx ready "$WORLD/readiness"
for set in CapInh CapPrm CapEff CapAmb; do
	same "it has no capability in $set" 0000000000000000 "$(field $set)"
done
same "it gets no new ones" 1 "$(field NoNewPrivs)"
same "it has its filter of system calls" 2 "$(field Seccomp)"
deny "nobody else looks into it, as that user" as_user "$FILTER_UID" ls "/proc/$filter_pid/fd"
answers "and it serves" "200 tunnel" two.test:443
filter_end
finish
