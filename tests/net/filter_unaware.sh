#!/bin/bash
# filter_unaware.sh: programs that know nothing of the filter fail at once, and the kernel's log tells who and where to.
. "${srcdir:-.}/tests/net/filter_lib.sh" || exit 1
for program in curl java node python3; do
	[ -x "/usr/bin/$program" ] || skip_all "needs the program $program"
done
filter_begin
home=$WORLD/home
install -d -o "$AGENT_UID" "$home"
cat >"$home/Unaware.java" <<'END'
class Unaware {
	public static void main(String[] arguments) throws Exception {
		// The properties of proxies are for HTTP.
		new java.net.Socket(arguments[0], 443).close();
	}
}
END
check 'apply' fw apply --no-canary "$WORLD/wild.json"
# Every variable that run sets is there, but for the one that Node's fetch heeds where it is new enough.
run_as_agent() { fw run --quiet --no-canary "$WORLD/wild.json" -- timeout 60 env -u NODE_USE_ENV_PROXY "$@"; }
node_fetch() {
	run_as_agent node -e 'fetch(`https://${process.argv[1]}/`).catch(error => { console.error(error.cause); process.exit(1) })' "$1"
}
python_socket() { run_as_agent /usr/bin/python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], 443))' "$1"; }
java_socket() { run_as_agent java "$home/Unaware.java" "$1"; }
curl_direct() { run_as_agent curl -sS --noproxy '*' "https://$1/"; }

agent sh -c 'exec "$0" log' "$EGRESSFW" >"$WORLD/lines" 2>"$WORLD/log.err" &
world_pids+=($!)
for _ in $(seq 200); do
	agent cat /proc/net/netfilter/nfnetlink_log | grep -q '^ *9 ' && break
	sleep 0.02
done

# traced NAME PROTOCOL ADDRESS PORT: what the kernel's log has of the agent since traced was called last are such lines
# alone. A packet of our own behind them tells that all have been read.
lines=0 marker=20000
traced() {
	local end
	marker=$((marker + 1))
	attempt $AGENT_UID udp "203.0.113.200:$marker" >/dev/null
	for _ in $(seq 500); do
		end=$(grep -n "\"port\":$marker," "$WORLD/lines" | cut -d : -f 1)
		[ -z "$end" ] || break
		sleep 0.02
	done
	same "$1" "block $AGENT_UID $2 $3 $4" "$(head -n "$((${end:-1} - 1))" "$WORLD/lines" | tail -n "+$((lines + 1))" |
		"$python" -c 'import json, sys
for line in sys.stdin:
    one = json.loads(line)
    print(*(one[name] for name in ("decision", "uid", "protocol", "dest_ip", "port")))' | sort -u)"
	lines=${end:-0}
}
python=${PYTHON:-/usr/bin/python3}

# 124 would be a program that waited.
unaware() {
	status "$2" "$1, by address" "$3" 203.0.113.5
	says "$1, by address: is refused" "$4"
	traced "$1, by address: the log has it" 6 203.0.113.5 443
	status "$5" "$1, by name" "$3" a.example.com
	says "$1, by name: cannot look it up" "$6"
	traced "$1, by name: the log has the nameserver" 17 203.0.113.53 53
}
wire_mark
unaware 'curl' 7 curl_direct 'Failed to connect|Connection refused' 6 'Could not resolve host'
unaware 'Python' 1 python_socket 'ConnectionRefusedError' 1 'Temporary failure in name resolution'
unaware "Node's fetch" 1 node_fetch 'ECONNREFUSED' 1 'EAI_AGAIN'
unaware 'Java' 1 java_socket 'ConnectException: Connection refused' 1 'UnknownHostException'
same 'nothing of them left' '' "$(wire_since)"
finish
