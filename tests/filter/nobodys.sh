#!/bin/bash
# nobodys.sh: a client whose socket nobody has any more is served nothing; whose the others are stands in the log.
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1
filter_begin
filter_settings <<-END
	{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter", "allowed_hosts": ["203.0.113.0/24:*"] }
END
filter_start

# leaves HOW REQUEST: a client that connects, asks and leaves, before the filter has seen it: "closes", "resets", is "killed".
leaves() {
	as_user "$AGENT_UID" "$PYTHON" -c '
import os, signal, socket, struct, sys
s = socket.create_connection(("127.0.0.1", 3128), 5)
s.sendall(sys.argv[2].encode().decode("unicode_escape").encode())
if sys.argv[1] == "resets":
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
if sys.argv[1] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
s.close()' "$@" 2>/dev/null
}
connect='CONNECT 203.0.113.5:443 HTTP/1.1\r\nHost: 203.0.113.5:443\r\n\r\n\x16\x03\x01'
get='GET http://203.0.113.5/ HTTP/1.1\r\nHost: 203.0.113.5\r\n\r\n'
reason="nobody has the client's socket: it was closed, or nat leads it here"
answers "one who stays is served" "200 tunnel" 203.0.113.5:443
for how in closes resets killed; do
	wire_mark
	log_mark
	kill -STOP "$filter_pid"
	leaves $how "$connect"
	leaves $how "$get"
	leaves $how ''
	kill -CONT "$filter_pid"
	answers "one who $how: the next is served" "200 tunnel" 203.0.113.7:443
	same "one who $how is written down as nobody's, if he said anything" "block client - $reason
block client - $reason
allow $AGENT_UID" "$(decisions decision rule uid reason | sed "s/^allow.*\($AGENT_UID\).*/allow \1/")"
	same "one who $how reaches nothing" '' "$(wire_since '$5 == "203.0.113.5"')"
done

# Whoever is there is known, whatever his socket is.
log_mark
as_user "$AGENT_UID" "$PYTHON" -c '
import socket
def ask(s, where):
    s.settimeout(5)
    s.connect(where)
    s.sendall(b"CONNECT other.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    s.recv(100)
ask(socket.socket(), ("127.0.0.1", 3128))
ask(socket.socket(), ("0.0.0.0", 3128))
ask(socket.socket(socket.AF_INET6), ("::ffff:127.0.0.1", 3128))
half = socket.create_connection(("127.0.0.1", 3128), 5)
half.sendall(b"CONNECT other.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
half.shutdown(socket.SHUT_WR)
half.recv(100)
try:
    many = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
except OSError:
    many = socket.socket()
ask(many, ("127.0.0.1", 3128))'
same "IPv4, by way of IPv6, half closed, MPTCP" "403 $AGENT_UID
403 $AGENT_UID
403 $AGENT_UID
403 $AGENT_UID
403 $AGENT_UID" "$(decisions status uid)"
filter_end

# A kernel that does not tell.
if [ "$(uname -m)" = x86_64 ]; then
	filter_start "$PYTHON" "$SRCDIR/tests/filter/without_diag.py"
	log_mark
	check "a kernel that does not tell: it says so" grep -q 'the kernel does not tell whose a connection is: the log has no uids' "$WORLD/filter.err"
	answers "it serves none the less" "200 tunnel" 203.0.113.5:443
	same "whoever that is" "allow -" "$(decisions decision uid)"
	filter_end
else
	skip 'a kernel that does not tell' 'only made up for x86-64'
fi
finish
