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
row "and what was not looked at is not passed" unknown channel.nscd "more sockets or files"
finish
