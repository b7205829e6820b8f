#!/bin/bash
# loopback.sh: loopback as a list of ports: what is reached, what answers, and what only looks like an answer.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
[ -z "${back_end:-}" ] || xt_require
policy list <<-END
	{ "network_mode": "no-network", "users": [$AGENT_UID], "loopback": [8080] }
END
policy second <<-END
	{ "network_mode": "no-network", "users": [$OTHER_UID], "loopback": [8080] }
END

# as_python UID FUNCTION PORT ARG...: runs a function of $WORLD/tool.py on the agent's side.
as_python() {
	local uid=$1
	shift
	as_user "$uid" timeout 20 "$python" "$WORLD/tool.py" "$@"
}

# The first python3 of the path may stand where nobody but root may go.
for python in "$(command -v python3)" /usr/bin/python3 ''; do
	as_user $AGENT_UID timeout 5 "$python" -c '' 2>/dev/null && break
done
[ -n "$python" ] || skip_all "needs a python3 that every user may run"
cat >"$WORLD/tool.py" <<'END'
import socket, sys, time

def sock(kind, address, port):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    return s

def dial(s, where):
    s.setblocking(False)
    try:
        s.connect(where)
    except BlockingIOError:
        pass
    return s

# Opens an entry of conntrack from an unlisted port of a confined user to a listed one.
def udp():
    a = sock(socket.SOCK_DGRAM, "127.0.0.1", 8080)
    b = sock(socket.SOCK_DGRAM, "127.0.0.3", port)
    b.sendto(b"open", ("127.0.0.1", 8080))
    a.recv(100)
    b.close()
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        a.sendto(b"smuggled", ("127.0.0.3", port))
        print("sent")
    except OSError as e:
        print(e)

# The same by a SYN that a full listener drops; what follows is a simultaneous open.
def tcp():
    a = sock(socket.SOCK_STREAM, "127.0.0.1", 8080)
    a.listen(0)
    fill = [dial(socket.socket(), ("127.0.0.1", 8080)) for i in range(3)]
    time.sleep(.2)
    b = dial(sock(socket.SOCK_STREAM, "127.0.0.3", port), ("127.0.0.1", 8080))
    time.sleep(.3)
    for s in [b, a] + fill:
        s.close()
    print("ready", flush=True)
    sys.stdin.readline()
    for i in range(5):
        a = sock(socket.SOCK_STREAM, "127.0.0.1", 8080)
        a.settimeout(1)
        try:
            a.connect(("127.0.0.3", port))
            a.sendall(b"smuggled")
            print("connected")
            break
        except OSError as e:
            print(e)
        a.close()
        time.sleep(.3)

# A listed service of somebody else's answers the unlisted port, and its place is taken.
def heir():
    b = sock(socket.SOCK_DGRAM, "127.0.0.3", port)
    b.settimeout(3)
    b.sendto(b"open", ("127.0.0.1", 8080))
    b.recv(100)
    b.close()
    print("ready", flush=True)
    sys.stdin.readline()
    a = sock(socket.SOCK_DGRAM, "127.0.0.1", 8080)
    try:
        a.sendto(b"smuggled", ("127.0.0.3", port))
        print("sent")
    except OSError as e:
        print(e)

def answer_once():
    s = sock(socket.SOCK_DGRAM, "127.0.0.1", 8080)
    print("ready", flush=True)
    s.sendto(b"answer", s.recvfrom(100)[1])

# The unlisted service: says what reached it.
def service(kind):
    s = sock(socket.SOCK_DGRAM if kind != "tcp" else socket.SOCK_STREAM, "0.0.0.0", port)
    s.settimeout(3)
    if kind == "tcp":
        s.listen(5)
    print("ready", flush=True)
    try:
        print("got", (s.accept()[0] if kind == "tcp" else s).recv(100))
    except OSError as e:
        print(e)

port = int(sys.argv[2])
globals()[sys.argv[1]](*sys.argv[3:])
END
chmod 644 "$WORLD/tool.py"

wait_for() { # FILE: until it says that its program is ready
	local tries=100
	until grep -q ready "$1"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

port=9900
# smuggle KIND: what root's service on the unlisted port gets is in $WORLD/service.
smuggle() {
	local kind=$1 user service answers=
	# Another port each time: conntrack remembers what was before.
	port=$((port + 1))
	rm -f "$WORLD/go"
	mkfifo "$WORLD/go"
	: >"$WORLD/user"
	: >"$WORLD/service"
	: >"$WORLD/answers"
	if [ "$kind" = heir ]; then
		as_python 0 answer_once 0 >"$WORLD/answers" 2>&1 &
		answers=$!
		world_pids+=($answers)
		wait_for "$WORLD/answers"
	fi
	as_python $AGENT_UID "$kind" $port <>"$WORLD/go" >"$WORLD/user" 2>&1 &
	user=$!
	world_pids+=($user)
	wait_for "$WORLD/user" || return 1
	[ -z "$answers" ] || wait "$answers"
	# The connections of the listener have to be over.
	[ "$kind" != tcp ] || sleep 2
	as_python 0 service $port "$kind" >"$WORLD/service" 2>&1 &
	service=$!
	world_pids+=($service)
	wait_for "$WORLD/service" || return 1
	echo >"$WORLD/go"
	wait "$user" "$service"
}

# smuggled NAME KIND; contained NAME KIND
smuggled() {
	if smuggle "$2" && grep -q "got.*smuggled" "$WORLD/service"; then
		ok "$1"
	else
		not_ok "$1" "$(cat "$WORLD/user" "$WORLD/service")"
	fi
}

contained() {
	# The attempt has to have been made, or nothing is shown.
	if smuggle "$2" && ! grep -q "got" "$WORLD/service" &&
	   grep -qE "refused|not permitted|prohibited|denied|reset|No route" "$WORLD/user"; then
		ok "$1"
	else
		not_ok "$1" "$(cat "$WORLD/user" "$WORLD/service")"
	fi
}

# answered_udp NAME TARGET UID: legacy xtables cannot tell an answer from what the user begins.
answered_udp() {
	if [ "${back_end:-}" = xt ]; then
		deny "$1: no answer" attempt "$3" udp "$2"
	else
		reached "$1: an answer" udp "$2" "$3"
	fi
}

# Without rules the same steps get through: the test can see it.
smuggled "nothing applied: a datagram gets there" udp
smuggled "nothing applied: so does a stream" tcp

check "apply" by apply "$WORLD/list.json"
contained "a datagram that looks like an answer" udp
contained "a simultaneous open" tcp
contained "in the place of a listed service" heir

serve agent tcp/127.0.0.1/8080 udp/127.0.0.1/8080 tcp/::1/8080 udp/::1/8080 \
	tcp/127.0.0.1/9090 udp/127.0.0.1/9090 tcp/::1/9090 udp/::1/9090
for target in 127.0.0.1 '[::1]'; do
	for protocol in tcp udp; do
		reached "listed, $protocol $target" $protocol "$target:8080"
		closed "not listed, $protocol $target" $protocol "$target:9090"
		reached "root is free, $protocol $target" $protocol "$target:9090" 0
		reached "another user is free, $protocol $target" $protocol "$target:9090" $OTHER_UID
	done
done
serve_end "$served_pid"

serve agent:$AGENT_UID tcp/127.0.0.1/8080 udp/127.0.0.1/8080 tcp/::1/8080 udp/::1/8080 \
	tcp/127.0.0.1/9090 udp/127.0.0.1/9090
for target in 127.0.0.1 '[::1]'; do
	reached "a confined server answers root, tcp $target" tcp "$target:8080" 0
	answered_udp "a confined server and root, udp $target" "$target:8080" 0
	reached "confined users among themselves, tcp $target" tcp "$target:8080"
	closed "both ports must be listed, udp $target" udp "$target:8080"
done
reached "also on a port that is not listed, tcp" tcp 127.0.0.1:9090 $OTHER_UID
answered_udp "a port that is not listed, udp" 127.0.0.1:9090 $OTHER_UID
serve_end "$served_pid"

# The other table takes this one's users for everybody else, and must not mark for them.
check "a second instance" by apply --name second "$WORLD/second.json"
contained "two tables: a datagram that looks like an answer" udp
contained "two tables: a simultaneous open" tcp
check "the first once more, and so behind the second" by apply "$WORLD/list.json"
contained "two tables, the other order: a datagram that looks like an answer" udp
finish
