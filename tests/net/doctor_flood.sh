#!/bin/bash
# doctor_flood.sh: a user who makes thousands of sockets hides nobody else's behind them.
. "${srcdir:-.}/tests/net/doctor_lib.sh" || exit 1
doctor_begin

# listen_many SIDE COUNT NAME: listens at so many paths; says when it is done, and stays.
listen_many='
import os, resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)[1:] * 2)
kept = []
for i in range(int(sys.argv[1])):
	kept.append(socket.socket(socket.AF_UNIX))
	kept[-1].bind(sys.argv[2] % i)
	os.chmod(sys.argv[2] % i, 0o666)
	kept[-1].listen()
open(sys.argv[3], "w").close()
time.sleep(600)'
await() {
	local tries=0
	until [ -e "$1" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 300 ] || { echo "Bail out! no sockets: $1"; exit 1; }
		sleep 0.1
	done
}
chmod 777 "$WORLD"

# The engine listens in another network namespace, so that no list of this one has it.
nsenter -t "$world_far" -n -- nsenter -t "$world_inside" -m -- \
	/usr/bin/python3 -c "$listen_many" 1 /run/docker.sock%.0s "$WORLD/engine" </dev/null >/dev/null &
world_pids+=($!)
await "$WORLD/engine"
examine agent "$EGRESSFW" doctor --user agent --timeout 60
row "the engine is seen" fail channel.docker-socket "/run/docker.sock"
row "no other is" pass channel.nscd

agent install -d -m 777 /run/many
nsenter -t "$world_inside" -m -n -- setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups -- \
	/usr/bin/python3 -c "$listen_many" 4200 /run/many/%d "$WORLD/many" </dev/null >/dev/null &
world_pids+=($!)
await "$WORLD/many"
examine agent "$EGRESSFW" doctor --user agent --timeout 60
same "behind thousands: exit status" 1 "$examined"
row "behind thousands the engine is seen" fail channel.docker-socket "/run/docker.sock"
row "behind the user's own nobody is" pass channel.nscd

# Nobody waits there, so that whose they are is not known.
agent install -d -m 777 /run/left
as_user $AGENT_UID /usr/bin/python3 -c '
import socket
for i in range(4200):
	socket.socket(socket.AF_UNIX).bind("/run/left/%d" % i)'
examine agent "$EGRESSFW" doctor --user agent --timeout 60
row "behind thousands that are left the engine is seen" fail channel.docker-socket "/run/docker.sock"
row "and what was not looked at is not passed" unknown channel.nscd "more sockets than are looked at, /run/left/[0-9]+ the first"
agent rm -r /run/left

agent install -d -m 777 /run/cache /run/forwarded
as_user $AGENT_UID /usr/bin/python3 -c '
import os
for i in range(210000):
	os.mknod("/run/cache/%d" % i)'
nsenter -t "$world_far" -n -- nsenter -t "$world_inside" -m -- \
	/usr/bin/python3 -c "$listen_many" 1 /run/forwarded/agent.%d "$WORLD/forwarded" </dev/null >/dev/null &
world_pids+=($!)
await "$WORLD/forwarded"
examine agent "$EGRESSFW" doctor --user agent --timeout 60
row "many files are looked through" pass channel.nscd
row "an agent's socket is seen beside them" warn channel.key-agents "/run/forwarded/agent.0"
examine agent "$EGRESSFW" doctor --user agent --timeout 4
row "also where they are more than it takes time for" warn channel.key-agents "/run/forwarded/agent.0"
row "and then they are named" unknown channel.nscd "not all files were looked at: of /run/cache the first 200000$"
says "with what helps" "say a longer --timeout"
finish
