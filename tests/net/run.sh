#!/bin/bash
# run.sh: egressfw run: as whom a program runs, what it gets, what it cannot have, and what it must not notice.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
CONFINED=$WORLD/bin/confined
install -m 755 "$BUILDDIR/tests/net/confined" "$CONFINED"
no_network
none=$WORLD/none.json
install -d -m 755 -o $AGENT_UID -g $AGENT_UID "$WORLD/home"
printf 'root:x:0:\nagent:x:%d:\nhelpers:x:4000:other,agent\nothers:x:4001:other\n' $AGENT_UID >"$WORLD/etc/group"
chmod 644 "$WORLD/etc/group"
agent mount --bind "$WORLD/etc/group" /etc/group

# confine [OPTION...] POLICY -- CMD...: the program under test runs CMD, without a report and without probes,
# which take their time here, where a nat rule hides some of them.
confine() {
	fw run --quiet --no-canary "$@"
}

# run CMD...: with the policy of no network, and a place to write.
run() {
	confine --cwd "$WORLD/home" --env HOME="$WORLD/home" "$none" -- "$@"
}

# gives NAME WANTED CMD...: the command prints that.
gives() {
	local name=$1 wanted=$2 found
	shift 2
	found=$("$@" 2>"$WORLD/err" </dev/null)
	if [ "$found" = "$wanted" ]; then
		ok "$name"
	else
		not_ok "$name" "wanted: $wanted" "found: $found" "$(head -c 1000 "$WORLD/err")"
	fi
}

# fails NAME CODE PATTERN CMD...: exits with 125, says so with its own code, and has not run anything.
fails() {
	local name=$1 code=$2 pattern=$3
	shift 3
	rm -f "$WORLD/home/ran"
	status 125 "$name" "$@"
	says "$name: why" "$pattern.*\(status $code\)$"
	same "$name: nothing was run" no "$(has_run)"
}
ran=(touch "$WORLD/home/ran")
has_run() {
	if [ -e "$WORLD/home/ran" ]; then echo yes; else echo no; fi
}

# --- as whom, and with what ---------------------------------------------------------------------------

gives "uid, gid and groups" "uid=1500 gid=1500 groups=1500,4000" \
	run sh -c 'echo "uid=$(id -u) gid=$(id -g) groups=$(id -G | tr " " ,)"'
gives "real, effective, saved" "1500 1500 1500" run "$CONFINED" ids
gives "no capability in any set, no new privileges, a filter" \
	"CapInh 0 CapPrm 0 CapEff 0 CapBnd 0 CapAmb 0 NoNewPrivs 1 Seccomp 2" \
	run awk '/^(Cap|NoNew|Seccomp:)/ { sub(/^0+/, "", $2); sub(/:/, "", $1)
		printf "%s%s %s", separator, $1, $2 == "" ? 0 : $2; separator = " " }' /proc/self/status
# Whoever started this may ignore some that no program can set, such as 32 and 33.
ignored=0x$(agent env --default-signal awk '/^SigIgn/ { print $2 }' /proc/self/status)
gives "signals are as they are by default" "$(printf '%016x %016x' 0 "$ignored")" \
	agent env --default-signal --ignore-signal=CHLD --ignore-signal=PIPE --block-signal=USR1 "$EGRESSFW" run --quiet --no-canary "$none" -- \
	sh -c 'awk "/^Sig(Blk|Ign)/ { printf \"%s%s\", s, \$2; s = \" \" }" /proc/self/status'
gives "but for what the caller ignores" "$(printf '%016x' $((ignored | 1)))" \
	agent env --default-signal --ignore-signal=HUP "$EGRESSFW" run --quiet --no-canary "$none" -- awk '/^SigIgn/ { print $2 }' /proc/self/status

secret=(agent env -i PATH="$PATH" SECRET=x LC_TIME=C TERM=dumb HOME=/root USER=root LD_PRELOAD= AWS_KEY=y)
gives "a clean environment" "HOME=/nonexistent LC_TIME=C LOGNAME=agent PATH=$PATH SHELL=/bin/sh TERM=dumb USER=agent" \
	"${secret[@]}" "$EGRESSFW" run --quiet --no-canary "$none" -- sh -c 'env | grep -v "^\(PWD\|_\|SHLVL\)=" | sort | paste -sd " "'
gives "variables that were asked for" "AWS_KEY=y HOME=/elsewhere LD_PRELOAD=/dev/null MORE=a=b" \
	"${secret[@]}" "$EGRESSFW" run --quiet --no-canary --keep-env 'AWS_*' --env HOME=/nowhere --env MORE=a=b \
	--env=HOME=/elsewhere --env LD_PRELOAD=/dev/null "$none" -- \
	sh -c 'env 2>/dev/null | grep "^\(AWS\|HOME\|MORE\|LD\|SECRET\)" | sort | paste -sd " "'
gives "all of them, but for the user's own and the loader's" "SECRET=x USER=agent" \
	"${secret[@]}" "$EGRESSFW" run --quiet --no-canary --keep-env '*' "$none" -- \
	sh -c 'env | grep "^\(SECRET\|USER\|LD_\)" | sort | paste -sd " "'
gives "where it was" "$WORLD" confine "$none" -- pwd
gives "or where it is told to be" "$WORLD/home" run pwd
gives "standard input is the program's" "from here" agent sh -c "echo from here | $EGRESSFW run --quiet --no-canary $none -- cat"
gives "standard output is the program's alone" "out" fw run "$none" -- echo out
says "the report is short" "state +the rules stand as planned, and they hold: [0-9]+ probes"
check "no report" fw run --quiet "$none" -- true
same "nothing at all" "" "$(show_output)"

# A device or a directory on a standard descriptor goes on as whoever opened it, and so do keys.
fails "a directory as standard input" 3 'descriptor 0 is a directory' \
	agent sh -c 'exec "$0" run "$@" </run' "$EGRESSFW" "$none" -- "${ran[@]}"
fails "a device as standard input" 3 'descriptor 0 is a device' \
	agent sh -c 'exec "$0" run "$@" <>/dev/net/tun' "$EGRESSFW" "$none" -- "${ran[@]}"
gives "memory is no such device" "" confine "$none" -- cat </dev/null
keys='import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
	got = libc.syscall(*words)
	return got if got >= 0 else os.strerror(ctypes.get_errno())
'
policy open <<<'{ "network_mode": "public", "users": ["agent"] }'
rooted() { # POLICY CODE: root has a key in its session, and the program runs the Python code
	agent python3 -c "$keys"'
call(250, 1, None)
call(248, b"user", b"rootsecret", b"SECRET", 6, -3)
os.execv(sys.argv[1], sys.argv[1:])' "$EGRESSFW" run --quiet --no-canary "$1" -- python3 -c "$keys$2"
}
if [ "$(uname -m)" = x86_64 ]; then
	gives "a key of root is not found without the filter either" "Required key not available" \
		rooted "$WORLD/open.json" 'print(call(250, 10, -3, b"user", b"rootsecret", 0))'
	for number in 248 249 250; do
		gives "keys are not to be had, call $number" "Function not implemented" \
			rooted "$none" "print(call($number, 10, -3, b'user', b'rootsecret', 0))"
	done
else
	skip "keys" "the numbers of the calls are those of x86_64"
fi
check "back to the policy" confine "$none" -- true

policy number <<<'{ "network_mode": "no-network", "users": [4242] }'
gives "a uid without an entry" "4242 4242 4242 4242 / /bin/sh" \
	confine "$WORLD/number.json" -- sh -c 'echo $(id -u) $(id -g) $(id -G) $USER $HOME $SHELL'
policy two <<<'{ "network_mode": "no-network", "users": ["agent", "other"] }'
fails "two users" 2 'say with --user as which' fw run "$WORLD/two.json" -- "${ran[@]}"
gives "one of two" "1501" confine --user other "$WORLD/two.json" -- id -u
fails "a user who is not confined" 2 '--user' fw run --user "$OTHER_UID" "$none" -- "${ran[@]}"
fails "root" 2 'never confined' fw run --user 0 - -- "${ran[@]}" <<<'{ "network_mode": "no-network" }'
fails "a range" 2 'is not one user' fw run --user 1500-1501 "$WORLD/two.json" -- "${ran[@]}"
policy exempt <<<'{ "network_mode": "no-network", "exempt_users": ["other"] }'
fails "everybody but" 2 'say which with --user' fw run "$WORLD/exempt.json" -- "${ran[@]}"
fails "as one who is exempt" 2 'exempt' fw run --user other "$WORLD/exempt.json" -- "${ran[@]}"
gives "as one who is not" 1500 confine --user agent "$WORLD/exempt.json" -- id -u
check "as one without an entry, to the proof" fw run --user 4242 "$WORLD/exempt.json" -- true
check "back to few" confine "$none" -- true
policy nobody <<<'{ "network_mode": "no-network" }'
fails "nobody" 2 'nobody is confined|--user' fw run "$WORLD/nobody.json" -- "${ran[@]}"
gives "from the command line" "1501" confine --user other "$WORLD/nobody.json" -- id -u

# --- how it ends --------------------------------------------------------------------------------------

status 7 "the program's status" run sh -c 'exit 7'
status 137 "the program's end by a signal" run sh -c 'kill -KILL $$'
status 127 "a program that is not there" run nothing-of-this-name
says "its name" 'nothing-of-this-name: is not found.*\(status 127\)'
status 127 "nor along a path" run /nowhere/at/all
status 126 "a program that cannot be executed" run /etc/passwd
says "why" 'Permission denied.*\(status 126\)'
status 126 "a directory" run /etc
for line in "" "$none" "$none --" "$none -- " "$none true" "-- true" "--init $none" "$none x -- true"; do
	# shellcheck disable=SC2086
	status 125 "usage: run $line" fw run $line
	says "usage: run $line: why" 'usage: egressfw run POLICY -- CMD.*\(status 2\)'
done
policy broken <<<'{ "users": [1500] }'
fails "an option that there is not" 2 '--bogus' fw run --bogus "$none" -- "${ran[@]}"
fails "a variable without a name" 2 'NAME=VALUE' fw run --env =x "$none" -- "${ran[@]}"
fails "a policy that is none" 2 'network_mode' fw run "$WORLD/broken.json" -- "${ran[@]}"

# The working directory: what the user could not reach by path, it does not get by starting there.
install -d -m 700 "$WORLD/closed"
install -d -m 755 "$WORLD/closed/open" "$WORLD/closed/open/within"
echo secret >"$WORLD/closed/open/file"
from() {
	local directory=$1
	shift
	agent sh -c 'cd "$1" && shift && exec "$@"' sh "$directory" "$EGRESSFW" run --quiet --no-canary "$@"
}
check "the control: it stays readable for a process that starts there" \
	agent sh -c "cd '$WORLD/closed/open' && exec setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups cat file"
before=$(snapshot)
fails "started below a closed directory" 3 'closed/open cannot be entered by "agent": Permission denied; name another' \
	from "$WORLD/closed/open" "$none" -- "${ran[@]}"
fails "a directory named from there" 2 '--cwd: .*closed/open/within cannot be entered' \
	from "$WORLD/closed/open" --cwd within "$none" -- "${ran[@]}"
fails "the same directory, named" 2 '--cwd: .*cannot be entered' from "$WORLD/closed/open" --cwd . "$none" -- "${ran[@]}"
fails "a directory that is not there" 2 '--cwd: there is no directory "/nowhere"; nothing was changed' \
	fw run --cwd /nowhere "$none" -- "${ran[@]}"
fails "a file" 2 '--cwd: there is no directory "/etc/passwd"' fw run --cwd /etc/passwd "$none" -- "${ran[@]}"
fails "nothing" 2 '--cwd: the value is empty; it takes DIR' fw run --cwd '' "$none" -- "${ran[@]}"
fails "a directory that the user may not enter" 2 '--cwd: .*/root cannot be entered by "agent": Permission denied' \
	fw run --cwd /root "$none" -- "${ran[@]}"
fails "a directory that was removed" 3 'has no path.*; name another' agent sh -c \
	'mkdir "$1" && cd "$1" && rmdir "$1" && shift && exec "$@"' sh "$WORLD/gone" "$EGRESSFW" run "$none" -- "${ran[@]}"
same "nothing was changed" "$before" "$(snapshot)"
fails "not under a public policy either" 3 'cannot be entered' from "$WORLD/closed/open" "$WORLD/open.json" -- "${ran[@]}"
gives "another one that it can reach" / from "$WORLD/closed/open" --cwd / "$none" -- pwd
gives "one that is named from here" "$WORLD/home" from "$WORLD" --cwd home "$none" -- pwd
printf '#!/no/such/interpreter\n' >"$WORLD/bin/script"
chmod 755 "$WORLD/bin/script"
status 126 "a script without its interpreter" run "$WORLD/bin/script"
says "it is said that the script is there" 'script: cannot be executed .*; it is there, .* the interpreter'

policy unproven <<<'{ "network_mode": "no-network", "users": [1500], "canary": ["198.51.100.77:443"] }'
agent ip route add unreachable 198.51.100.77
fails "a named target that cannot be proven" 6 'could not prove' fw run "$WORLD/unproven.json" -- "${ran[@]}"
check "unless nobody asks" fw run --no-canary "$WORLD/unproven.json" -- true

# --- as an init ----------------------------------------------------------------------------------------

# init CMD...: an init for CMD, as the first process of a process namespace.
init() {
	agent unshare -pf --mount-proc --kill-child "$EGRESSFW" run --quiet --no-canary --init "$none" -- "$@"
}
gives "without --init the program takes the place" 1 \
	agent unshare -pf --mount-proc "$EGRESSFW" run --quiet --no-canary "$none" -- sh -c 'echo $$'
gives "with it, it is a child of the first process" "1 egressfw" init sh -c 'echo $PPID $(cat /proc/1/comm)'
status 7 "the child's status" init sh -c 'exit 7'
status 143 "the child's end by a signal" init sh -c 'kill -TERM $$'
status 127 "a child that is not there" init nothing-of-this-name
status 126 "a child that cannot be executed" init /etc
gives "the orphans are reaped" 0 init sh -c \
	'for i in 1 2 3 4 5; do (sleep 0.1 &) ; done; sleep 0.5; ps -eo stat | grep -c "^Z"'
gives "the init has no privilege either" "1500 1500 1500 1500 0 0 0 0 0 1 2" init awk '
	/^Uid/ { printf "%s %s %s %s", $2, $3, $4, $5 }
	/^(Cap|NoNew|Seccomp:)/ { sub(/^0+/, "", $2); printf " %s", $2 == "" ? 0 : $2 }' /proc/1/status
deny "nobody looks into it" init strace -o /dev/null -p 1
deny "its memory" init cat /proc/1/environ
deny "its descriptors" init ls /proc/1/fd
gives "where it is not the first process it adopts all the same" yes confine --init "$none" -- sh -c '
	(sh -c "sleep 0.2; awk \"/^PPid/ { print \\\$2 }\" /proc/\$\$/status >$1/adopted" &)
	sleep 0.5; [ "$(cat "$1/adopted")" = $PPID ] && echo yes' sh "$WORLD/home"

# passed_on SIGNAL...: what is sent to the init arrives at its child.
passed_on() {
	local signal ready="$WORLD/ready-init"
	mkfifo "$ready"
	chown $AGENT_UID "$ready"
	nsenter -t "$world_agent" -m -n -w -- env --default-signal "$EGRESSFW" run --quiet --no-canary --init "$none" -- \
		python3 -c '
import os, signal, sys, time
names = sys.argv[2:]
def got(number, frame):
    os.write(1, signal.Signals(number).name[3:].encode() + b"\n")
    if number == signal.SIGTERM:
        os._exit(5)
for name in names:
    signal.signal(getattr(signal, "SIG" + name), got)
open(sys.argv[1], "w").close()
while True:
    time.sleep(10)' "$ready" "$@" >"$WORLD/got" 2>&1 </dev/null &
	world_pids+=($!)
	read -r -t 20 _ <"$ready"
	rm "$ready"
	for signal in "$@"; do
		kill -"$signal" $!
		sleep 0.1
	done
	wait $!
	echo "$? $(paste -sd ' ' "$WORLD/got")"
}
gives "signals are passed on" "5 HUP INT QUIT USR1 USR2 WINCH CONT ALRM TERM" \
	passed_on HUP INT QUIT USR1 USR2 WINCH CONT ALRM TERM
# typed: what a terminal sends goes to parent and child, and to the child once.
typed() {
	agent python3 -c '
import os, pty, sys, time
pid, terminal = pty.fork()
if not pid:
    os.execvp(sys.argv[1], sys.argv[1:])
def read_until(word):
    text = b""
    while word not in text:
        text += os.read(terminal, 1000)
    return text
read_until(b"ready")
os.write(terminal, b"\x03")
time.sleep(0.3)
os.write(terminal, b"\x1c")
text = read_until(b"end")
os.waitpid(pid, 0)
print(text.count(b"INT"), text.count(b"QUIT"))' "$EGRESSFW" run --quiet --no-canary --init "$none" -- python3 -c '
import os, signal, time
def say(word):
    os.write(1, word + b"\n")
signal.signal(signal.SIGINT, lambda number, frame: say(b"INT"))
def leave(number, frame):
    say(b"QUIT")
    time.sleep(0.3)
    say(b"end")
    os._exit(0)
signal.signal(signal.SIGQUIT, leave)
say(b"ready")
while True:
    time.sleep(10)'
}
gives "the signals of a terminal arrive once" "1 1" typed
gives "a reader sees the end of what the child writes" "b'a' True 4" agent python3 -c '
import subprocess, sys, time
started = time.monotonic()
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
print(p.stdout.read(), time.monotonic() - started < 2.5, p.wait())' \
	"$EGRESSFW" run --quiet --no-canary --init "$none" -- sh -c 'printf a; exec >&-; sleep 4; exit 4'

# --- privileges it needs ------------------------------------------------------------------------------

all=+net_admin,+setuid,+setgid,+setpcap
with() {
	local set=$1
	shift
	agent setpriv --bounding-set "-all,$set" --inh-caps -all "$EGRESSFW" run --quiet --no-canary --no-hosts \
		--state-dir /run/egressfw "$none" -- "$@"
}
gives "four capabilities are enough" "1500 0000000000000000" with $all sh -c \
	'echo $(id -u) $(awk "/^CapBnd/ { print \$2 }" /proc/self/status)'
for one in net_admin setuid setgid setpcap; do
	before=$(snapshot)
	fails "without $one" 3 "CAP_${one^^}" with "${all/+$one/-$one}" "${ran[@]}"
	same "without $one: nothing was changed" "$before" "$(snapshot)"
done
agent install -d -m 700 -o 4343 /run/own
gives "they need not be root's" "1500 1500 1500,4000" agent setpriv --reuid 4343 --regid 4343 --clear-groups \
	--inh-caps -all,$all --ambient-caps -all,$all "$EGRESSFW" run --quiet --no-canary --no-hosts --state-dir /run/own "$none" -- \
	sh -c 'echo $(id -u) $(id -g) $(id -G | tr " " ,)'

# --- what it cannot have ------------------------------------------------------------------------------

# not_under_run NAME CMD...: the user can do it where the kernel has it, and not under run.
not_under_run() {
	local name=$1
	shift
	as_user $AGENT_UID "$@" >"$WORLD/out" 2>"$WORLD/err" </dev/null ||
		name="$name (nor otherwise on this kernel: $(head -n 1 "$WORLD/out"))"
	deny "$name" run "$@"
}

gives "no family but four" "" run "$CONFINED" families
gives "no netlink but route" "" run "$CONFINED" protocols
not_under_run "VSOCK" "$CONFINED" socket 40 1 0
not_under_run "SMC" "$CONFINED" socket 43 1 0
not_under_run "RXRPC" "$CONFINED" socket 33 2 2
not_under_run "RDS" "$CONFINED" socket 21 5 0
not_under_run "TIPC" "$CONFINED" socket 30 1 0
not_under_run "ALG" "$CONFINED" socket 38 5 0
not_under_run "netfilter" "$CONFINED" socket 16 3 12
not_under_run "MPTCP" "$CONFINED" socket 2 1 262
not_under_run "MPTCP over IPv6" "$CONFINED" socket 10 1 262
not_under_run "MPTCP, the upper half in use" "$CONFINED" socket 0x100000002 1 0xffffffff00000106
not_under_run "SMC by protocol" "$CONFINED" socket 2 1 256
not_under_run "io_uring" "$CONFINED" io_uring
not_under_run "calls of i386" "$CONFINED" int80
not_under_run "calls of x32" "$CONFINED" x32
gives "a family's errno" EAFNOSUPPORT run "$CONFINED" socket 40 1 0
gives "a protocol's errno" EPROTONOSUPPORT run "$CONFINED" socket 2 1 262
gives "io_uring's errno" ENOSYS run "$CONFINED" io_uring
gives "typing into the terminal" EPERM run "$CONFINED" type
check "io_uring, allowed" confine --allow-io-uring "$none" -- "$CONFINED" io_uring
own=(unshare -Ur)
not_under_run "raw in a namespace of one's own" "${own[@]}" -n "$CONFINED" socket 2 3 1
not_under_run "raw over IPv6 there, with flags" "${own[@]}" -n "$CONFINED" socket 10 0x80803 58
not_under_run "packet there" "${own[@]}" -n "$CONFINED" socket 17 3 768
not_under_run "packet by its old name there" "${own[@]}" -n "$CONFINED" socket 2 10 768
not_under_run "a ruleset there" "${own[@]}" -n nft list ruleset
for option in "2 2 0 35" "2 2 0 39" "2 2 0 42" "2 2 0 46" "10 2 0 35" "10 2 41 20" "10 2 41 27" "10 2 41 42" "10 2 41 46"; do
	# shellcheck disable=SC2086
	gives "multicast: option $option" EPERM run "$CONFINED" option $option
done
gives "an upper layer protocol" ENOPROTOOPT run "$CONFINED" option 2 1 6 31
check "other options of TCP" run "$CONFINED" option 2 1 6 1
check "netlink route" run "$CONFINED" socket 16 3 0
check "UNIX, of the raw type" run "$CONFINED" socket 1 3 0
check "a pair" run "$CONFINED" pair 1 1 0

before=$(snapshot)
deny "list the ruleset" run nft list ruleset
deny "flush the ruleset" run nft flush ruleset
deny "load a ruleset" run nft add table inet mine
deny "list it as root of a user namespace" run unshare -Ur nft list ruleset
deny "flush it as root of a user namespace" run unshare -Ur nft flush ruleset
deny "change routes as root of a user namespace" run unshare -Ur ip route add 203.0.113.0/24 dev lo
deny "take it out with our own program" run "$EGRESSFW" remove --no-hosts
deny "the same as root of a user namespace" run unshare -Ur "$EGRESSFW" remove --no-hosts --state-dir /run/own
same "the rules stand" "$before" "$(snapshot)"

cp "$CONFINED" "$WORLD/bin/suid"
cp "$CONFINED" "$WORLD/bin/third"
cp "$CONFINED" "$WORLD/bin/filecap"
chown root:root "$WORLD/bin/suid"
chown $OTHER_UID "$WORLD/bin/third"
chmod 4755 "$WORLD/bin/suid" "$WORLD/bin/third"
if [ "$(as_user $AGENT_UID "$WORLD/bin/suid" ids)" = "1500 0 0" ]; then
	gives "a program that is setuid root" "1500 1500 1500" run "$WORLD/bin/suid" ids
	gives "a program that is setuid to a third user" "1500 1500 1500" run "$WORLD/bin/third" ids
else
	skip "a setuid program" "nosuid here"
fi
if command -v setcap >/dev/null && setcap cap_net_raw,cap_net_admin,cap_setuid+ep "$WORLD/bin/filecap"; then
	not_under_run "a program with file capabilities" "$WORLD/bin/filecap" socket 17 3 768
	setcap cap_net_raw,cap_setuid+p "$WORLD/bin/filecap"
	gives "a program with permitted file capabilities" "0000000000000000" run sh -c \
		"$WORLD/bin/filecap ids >/dev/null; exec awk '/^CapPrm/ { print \$2 }' /proc/self/status"
else
	skip "a program with file capabilities" "setcap does not work here"
fi

# --- descriptors --------------------------------------------------------------------------------------

# holding DESCRIPTOR KIND CMD...: runs CMD with something open there.
holding() {
	agent python3 - "$@" <<-'END'
		import os, select, socket, sys
		number, kind, words = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
		if kind == "tcp":
		    thing = socket.create_connection(("203.0.113.80", 80))
		elif kind == "unix":
		    thing = socket.socketpair()[0]
		elif kind == "epoll":
		    thing = select.epoll()
		else:
		    thing = open("/dev/null")
		os.dup2(thing.fileno(), number)
		os.execvp(words[0], words)
	END
}
confined=("$EGRESSFW" run --quiet --no-canary "$none" --)
holds() {
	holding 7 tcp "$CONFINED" descriptors | grep -x 7
}
gives "the control: a socket is inherited" 7 holds
gives "no descriptor is inherited" "" holding 7 tcp "${confined[@]}" "$CONFINED" descriptors
gives "nor a high one" "" holding 1000 unix "${confined[@]}" "$CONFINED" descriptors
for number in 0 1 2; do
	before=$(snapshot)
	for kind in tcp unix; do
		rm -f "$WORLD/home/ran"
		status 125 "$kind on $number" holding $number $kind "${confined[@]}" "${ran[@]}"
		same "$kind on $number: nothing was run" no "$(has_run)"
	done
	same "nothing was changed" "$before" "$(snapshot)"
done
fails "an event queue on 0" 3 'descriptor 0 is no file' holding 0 epoll "${confined[@]}" "${ran[@]}"
fails "a socket on 0: why" 3 'descriptor 0 is a socket' holding 0 tcp "${confined[@]}" "${ran[@]}"
check "what is closed becomes /dev/null" agent sh -c "exec ${confined[*]} sh -c 'test -c /dev/fd/0' <&-"

# --- not one byte --------------------------------------------------------------------------------------

wire_mark
deny "TCP" run bash -c 'exec 3<>/dev/tcp/1.1.1.1/443'
deny "TCP over IPv6" run bash -c 'exec 3<>/dev/tcp/2606:4700:4700::1111/443'
deny "UDP" run bash -c 'echo x >/dev/udp/1.1.1.1/53'
deny "the resolver of the container" run bash -c 'echo x >/dev/udp/127.0.0.11/53'
deny "ping" run python3 -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
s.settimeout(0.3); s.sendto(b"\x08\x00\xf7\xff\x00\x00\x00\x00", ("1.1.1.1", 0)); s.recv(99)'
deny "as root of a user namespace" run unshare -Ur bash -c 'exec 3<>/dev/tcp/1.1.1.1/443'
run python3 - <<'END' >/dev/null 2>&1
import socket
for group, family in (("224.0.0.251", socket.AF_INET), ("239.1.2.3", socket.AF_INET)):
    s = socket.socket(family, socket.SOCK_DGRAM)
    try:
        s.setsockopt(0, 35, socket.inet_aton(group) + socket.inet_aton("192.0.2.2"))
    except OSError:
        pass
    try:
        s.sendto(b"x", (group, 5353))
    except OSError:
        pass
END
same "nothing reached the far side" "" "$(wire_since)"
same "no group report either" "" "$(wire_joins)"
policy pin <<<'{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["203.0.113.80:80"] }'
check "what is allowed is reached" confine "$WORLD/pin.json" -- bash -c 'exec 3<>/dev/tcp/203.0.113.80/80'
check "loopback too" confine "$WORLD/pin.json" -- python3 -c '
import socket
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
    listener = socket.socket(family); listener.bind((address, 0)); listener.listen()
    socket.create_connection(listener.getsockname()[:2]).close()'
policy public <<<'{ "network_mode": "public", "users": [1500] }'
gives "public: no rules, but no privilege either" "1500 0000000000000000 1 0" confine "$WORLD/public.json" -- sh -c \
	'echo $(id -u) $(awk "/^(CapBnd|NoNew|Seccomp:)/ { print \$2 }" /proc/self/status)'
check "public: the far side is reached" confine "$WORLD/public.json" -- bash -c 'exec 3<>/dev/tcp/1.1.1.1/443'

# --- what must go on working --------------------------------------------------------------------------

# works PROGRAM NAME CMD...
works() {
	local program=$1 name=$2
	shift 2
	if command -v "$program" >/dev/null; then check "$name" run "$@"; else skip "$name" "needs $program"; fi
}
works gcc "a compiler" sh -c 'printf "#include <stdio.h>\nint main(void) { return puts(\"made\") < 0; }\n" >a.c &&
	gcc -O2 -o a a.c && ./a'
works git "git" sh -c 'git init -q a.git && cd a.git && git -c user.name=a -c user.email=a@a.example commit -q \
	--allow-empty -m first && cd .. && git clone -q a.git b.git && git -C b.git log --oneline'
works python3 "Python" python3 -c '
import asyncio, multiprocessing, socket, sqlite3, subprocess, tempfile, threading
async def main():
    server = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    await reader.read(); writer.close(); server.close()
    await (await asyncio.create_subprocess_exec("true")).wait()
asyncio.run(main())
with multiprocessing.Pool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
sqlite3.connect(tempfile.mktemp()).execute("create table a (b)")
assert socket.getaddrinfo("localhost", 80) and socket.if_nameindex()
assert socket.gethostbyname("localhost") == "127.0.0.1"
subprocess.run(["true"], check=True)'
works node "Node" node -e '
const net = require("net"), fs = require("fs"), { execFileSync } = require("child_process");
const { Worker } = require("worker_threads");
fs.writeFileSync("node.txt", "x"); fs.readFileSync("node.txt"); execFileSync("true");
require("os").networkInterfaces();
const server = net.createServer(s => s.end("x")).listen(0, "127.0.0.1", () => {
	const client = net.connect(server.address().port, "127.0.0.1");
	client.on("data", () => {});
	client.on("close", () => new Worker("", { eval: true }).on("exit", () => server.close()));
});'
works strace "strace of its own child" strace -f -o /dev/null sh -c true
works gdb "a debugger of its own child" sh -c 'gdb -nx -batch -ex "break main" -ex run -ex continue ./a | grep -q "exited normally"'
works bwrap "a sandbox with namespaces" bwrap --unshare-all --ro-bind / / --dev /dev --proc /proc true
if as_user $AGENT_UID unshare -Urnpf true; then
	check "user, network and process namespaces, as a browser's sandbox takes" run unshare -Urnpf --mount-proc true
else
	skip "user, network and process namespaces" "the user cannot have them here"
fi
check "interfaces" run ip address
check "threads, and a program that forks" run python3 -c '
import os, threading
t = threading.Thread(target=os.getpid); t.start(); t.join()
pid = os.fork()
if not pid: os._exit(3)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3'
finish
