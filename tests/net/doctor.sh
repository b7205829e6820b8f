#!/bin/bash
# doctor.sh: the ways out that doctor finds for a user, those that it must not find, and that nothing changes.
. "${srcdir:-.}/tests/net/doctor_lib.sh" || exit 1
doctor_begin
python=/usr/bin/python3
[ -x "$python" ] || skip_all "needs $python"

# /etc of the agent's side becomes a copy, in which anything may be written.
agent sh -c 'cp -a /etc "$1/whole" && mount --bind "$1/whole" /etc' sh "$WORLD"
etc=$WORLD/whole
rm -rf "$etc/sudoers" "$etc/sudoers.d" "$etc/doas.conf"
chmod 755 "$etc"
echo 'hosts: files dns' >"$etc/nsswitch.conf"
agent mkdir -p /run/open /run/closed /run/nosuid
agent mount -t tmpfs -o nosuid,mode=755 tmpfs /run/nosuid

cat >"$WORLD/listen.py" <<'END'
# Listens at each of its arguments: unix MODE PATH, datagram MODE PATH, abstract NAME, tcp ADDRESS PORT, udp ADDRESS PORT.
import os, socket, sys
words, kept = sys.argv[1:], []
while words:
    kind = words.pop(0)
    if kind in ("unix", "datagram"):
        mode, path = int(words.pop(0), 8), words.pop(0)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM if kind == "unix" else socket.SOCK_DGRAM)
        s.bind(path)
        os.chmod(path, mode)
    elif kind == "abstract":
        s = socket.socket(socket.AF_UNIX)
        s.bind("\0" + words.pop(0))
    else:
        address, port = words.pop(0), int(words.pop(0))
        s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET,
                          socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
        s.bind((address, port))
    if kind not in ("udp", "datagram"):
        s.listen(1)
    kept.append(s)
print("ready", flush=True)
sys.stdin.read()
END
chmod 644 "$WORLD/listen.py"

# background CMD...: runs until the script's end; its pid is in $started.
background() {
	"$@" </dev/null >/dev/null 2>&1 &
	started=$!
	world_pids+=("$started")
}

# listen UID ARG...
listen() {
	local uid=$1 ready hold
	shift
	ready="$WORLD/listening-${#world_pids[@]}"
	mkfifo "$ready" "$ready-in"
	agent setpriv --reuid "$uid" --regid "$uid" --clear-groups --no-new-privs sh -c 'exec "$@" <"$0"' "$ready-in" "$python" "$WORLD/listen.py" "$@" >"$ready" 2>"$WORLD/listen.err" &
	started=$!
	world_pids+=("$started")
	exec {hold}<>"$ready-in"
	holds+=("$hold")
	read -r -t 20 _ <"$ready" || { echo "Bail out! nobody listens: $(cat "$WORLD/listen.err")"; exit 1; }
}
holds=()

doctor() {
	examine fw doctor --user agent --timeout 60 "$@"
}

# --- nothing is open ------------------------------------------------------------------------------------

background agent setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups --no-new-privs sleep 1000
listen $AGENT_UID tcp 127.0.0.1 9050 tcp 127.0.0.1 5335
examine agent setpriv --bounding-set=-net_raw "$EGRESSFW" doctor --user agent --timeout 60
same "nothing is open: exit status" 0 "$examined"
for check in docker-socket systemd-resolved nscd dbus key-agents unix-sockets abstract-sockets loopback-resolvers \
	loopback-proxies loopback-services setuid-programs file-capabilities sudo doas privileged-groups net-raw tun-device \
	tun-forwarding ptrace processes name-files nsswitch; do
	row "nothing is open: $check" pass "channel.$check"
done

# --- what policies with names need ----------------------------------------------------------------------

row "no filter" warn enforcement.filter-program "cannot be applied: .*/egressfilter: the filter's program cannot be executed"
row "a nameserver" pass enforcement.nameservers "/etc/resolv.conf has 1 nameserver: 203.0.113.53"
install -m 755 /bin/true "$WORLD/bin/egressfilter"
printf 'nameserver fe80::1%%lo\n' >"$etc/resolv.conf"
doctor
row "a filter" pass enforcement.filter-program "bin/egressfilter can be executed"
row "a nameserver that is link-local" warn enforcement.nameservers "alone, which the filter does not ask, .*: fe80::1"
chmod 777 "$WORLD/bin/egressfilter"
: >"$etc/resolv.conf"
doctor
row "a filter that others may write" warn enforcement.filter-program "that only root may write"
row "no nameserver" warn enforcement.nameservers "has no nameserver: names of a policy cannot be resolved"
rm "$WORLD/bin/egressfilter"
printf 'nameserver 203.0.113.53\n' >"$etc/resolv.conf"

# --- sockets ------------------------------------------------------------------------------------------

listen 0 unix 666 /run/docker.sock unix 666 /run/systemd/resolve/io.systemd.Resolve unix 666 /run/nscd/socket \
	unix 666 /run/dbus/system_bus_socket unix 666 /run/open/ssh-x/agent.7 unix 666 /run/open/other.sock \
	unix 600 /run/open/private.sock unix 660 /run/open/group.sock unix 600 /run/podman/podman.sock unix 666 /run/closed/inner.sock \
	abstract egfw-test-abstract
agent chmod 700 /run/closed
agent chgrp 998 /run/open/group.sock
# One that listens in another network namespace and is mounted here.
background unshare -n "$python" "$WORLD/listen.py" unix 666 "$WORLD/foreign/containerd.sock"
for _ in $(seq 100); do [ -S "$WORLD/foreign/containerd.sock" ] && break; sleep 0.1; done
chmod 755 "$WORLD"
# Where it is mounted it can be reached; where it is made, other tests that run meanwhile would see it.
chmod 700 "$WORLD/foreign"
agent touch /etc/engine
agent mount --bind "$WORLD/foreign/containerd.sock" /etc/engine
agent mkdir -p /etc/mounted
agent touch /etc/mounted/containerd.sock
agent mount --bind "$WORLD/foreign/containerd.sock" /etc/mounted/containerd.sock
listen $AGENT_UID abstract egfw-agents-own
listen $OTHER_UID tcp 127.0.0.1 3128 tcp :: 7000 tcp 192.0.2.2 7001 tcp 127.0.0.1 53000 udp 127.0.0.1 5053 \
	udp 127.0.0.1 40000
listen 0 tcp 127.0.0.1 53 udp 127.0.0.53 53 tcp 127.0.0.11 45353
doctor
same "sockets: exit status" 1 "$examined"
row "docker.sock" fail channel.docker-socket "/run/docker.sock"
row "an engine's socket that is mounted" fail channel.docker-socket "/etc/mounted/containerd.sock"
hides "one that only root may open" channel.docker-socket podman
row "systemd-resolved" warn channel.systemd-resolved "/run/systemd/resolve/io.systemd.Resolve"
row "nscd" warn channel.nscd "/run/nscd/socket"
row "D-Bus" warn channel.dbus "/run/dbus/system_bus_socket"
row "an ssh agent" warn channel.key-agents "/run/open/ssh-x/agent.7"
row "any other socket" warn channel.unix-sockets "/run/open/other.sock"
row "one mounted under another name" warn channel.unix-sockets "/etc/engine"
hides "a socket without permission" channel.unix-sockets private
hides "a socket of a group that the user is not in" channel.unix-sockets group.sock
hides "a socket behind a closed directory" channel.unix-sockets inner
row "abstract sockets" warn channel.abstract-sockets "@egfw-test-abstract"
row "a resolver at an odd port" warn channel.loopback-resolvers "udp 127.0.0.1:5053 \(uid $OTHER_UID\)"
hides "a refused resolver is no warning" channel.loopback-resolvers "127.0.0.1:53 "
row "a proxy" warn channel.loopback-proxies "tcp 127.0.0.1:3128 \(uid $OTHER_UID\)"
hides "the user's own is none" channel.loopback-proxies 9050
row "another service" warn channel.loopback-services "tcp \[::\]:7000 \(uid $OTHER_UID\)"
row "and another" warn channel.loopback-services "127.0.0.1:53000"
hides "what listens outside of loopback" channel.loopback-services 7001
hides "a client's datagram socket" channel.loopback-services 40000
hides "the engine's resolver" channel.loopback-services 45353
examine as_user $AGENT_UID "$EGRESSFW" doctor --timeout 60
row "the user sees the same: docker.sock" fail channel.docker-socket "/run/docker.sock"
row "the user sees the same: proxies" warn channel.loopback-proxies "3128"
examine fw doctor --user other --timeout 60
hides "of the other user the proxy is its own" channel.loopback-proxies 3128
row "and the agent's another's" warn channel.loopback-proxies "9050 \(uid $AGENT_UID\)"
row "nothing but refused ones" warn channel.loopback-resolvers "5335 \(uid $AGENT_UID\)"

# --- sockets by who waits there -------------------------------------------------------------------------

# The file of a socket can be given to anybody: it does not make the service the user's own.
listen 0 unix 666 /run/given/service.sock datagram 666 /run/given/datagram.sock
agent chown $AGENT_UID /run/given/service.sock /run/given/datagram.sock
agent install -d -o $AGENT_UID -m 755 /run/own-service
listen $AGENT_UID unix 666 /run/own-service/own.sock unix 600 /run/own-service/taken.sock
agent chown 0 /run/own-service/taken.sock
agent chmod 666 /run/own-service/taken.sock
# One that nobody has any more, and one of another network namespace, whose file is the user's.
agent setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups "$python" -c \
	'import socket; socket.socket(socket.AF_UNIX).bind("/run/own-service/left.sock")'
background unshare -n "$python" "$WORLD/listen.py" unix 666 "$WORLD/foreign/plain.sock"
for _ in $(seq 100); do [ -S "$WORLD/foreign/plain.sock" ] && break; sleep 0.1; done
chown $AGENT_UID "$WORLD/foreign/plain.sock"
agent touch /run/own-service/mounted.sock
agent mount --bind "$WORLD/foreign/plain.sock" /run/own-service/mounted.sock
for who in "fw doctor --user agent" "as_user $AGENT_UID $EGRESSFW doctor"; do
	# shellcheck disable=SC2086
	examine $who --timeout 60
	row "root's, whose file is the user's" warn channel.unix-sockets "/run/given/service.sock \(uid 0\)"
	row "the same with datagrams" warn channel.unix-sockets "/run/given/datagram.sock \(uid 0\)"
	hides "the user's own" channel.unix-sockets own.sock
	hides "the user's own, whose file is root's" channel.unix-sockets taken.sock
	row "one that nobody waits at" warn channel.unix-sockets "/run/own-service/left.sock \(of whom is not known\)"
	row "one from elsewhere" warn channel.unix-sockets "/run/own-service/mounted.sock \(of whom is not known\)"
done
agent umount /run/own-service/mounted.sock
agent rm -r /run/given /run/own-service

# --- keys -----------------------------------------------------------------------------------------------

doctor
row "in a container the host's helper counts" warn channel.request-key "of the host as root"
# Without a process namespace of one's own it is the one that is there: copies of /sbin and /etc, in which it may be.
machine() {
	examine nsenter -t "$world_agent" -m -n -w -- "$@" --timeout 60
}
if [ "$(stat -L -c %i /proc/self/ns/pid)" = $((0xeffffffc)) ]; then
	sbin=$(readlink -f /sbin)
	cp -a "$sbin" "$WORLD/sbin"
	cp -a "$etc" "$WORLD/keys"
	rm -f "$WORLD/sbin/request-key"
	rm -rf "$WORLD/keys/request-key.conf" "$WORLD/keys/request-key.d"
	for place in "$WORLD/sbin $sbin" "$WORLD/keys /etc"; do
		# shellcheck disable=SC2086
		nsenter -t "$world_agent" -m -- mount --bind $place
	done
	machine "$EGRESSFW" doctor --user agent
	row "no helper for keys" pass channel.request-key "there is no /sbin/request-key"
	install -m 755 /bin/true "$WORLD/sbin/request-key"
	machine "$EGRESSFW" doctor --user agent
	row "a helper without rules" pass channel.request-key "has no rules"
	printf '# create user * * /bin/no %%k\ncreate dns_resolver * * /sbin/key.dns_resolver %%k\nincomplete user\n' \
		>"$WORLD/keys/request-key.conf"
	mkdir "$WORLD/keys/request-key.d"
	printf 'create\tcifs.spnego\t* * /usr/sbin/cifs.upcall %%k\n' >"$WORLD/keys/request-key.d/cifs.conf"
	machine "$EGRESSFW" doctor --user agent
	row "a helper with rules" warn channel.request-key "types dns_resolver, cifs.spnego:"
	machine setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups "$EGRESSFW" doctor
	row "the user sees it too" warn channel.request-key "types dns_resolver, cifs.spnego:"
	nsenter -t "$world_agent" -m -- umount "$sbin" /etc
fi

# --- programs, rules, groups, devices, processes, files -------------------------------------------------

setcap=$(command -v setcap)
for place in /run/open /run/closed /run/nosuid; do
	agent install -m 4755 /bin/true "$place/tool"
done
agent install -m 4700 /bin/true /run/open/rootonly
agent install -m 4755 -o $AGENT_UID /bin/true /run/open/own
agent install -m 755 /bin/true /run/open/raw
[ -z "$setcap" ] || agent "$setcap" cap_net_raw+ep /run/open/raw
mkdir "$etc/sudoers.d"
printf 'Defaults env_reset\nroot ALL=(ALL:ALL) ALL\n%%sudo ALL=(ALL:ALL) ALL\n@includedir /etc/sudoers.d\n' >"$etc/sudoers"
echo 'agent ALL=(ALL) NOPASSWD: /bin/ls' >"$etc/sudoers.d/off.txt"
echo 'deny agent' >"$etc/doas.conf"
chmod 440 "$etc/sudoers" "$etc/sudoers.d/off.txt"
sed -i '/^docker:/d' "$etc/group"
# A number that has a name already.
printf 'first:x:998:\ndocker:x:998:other,agent\n' >>"$etc/group"
agent mount -t tmpfs -o mode=755 tmpfs /dev/net 2>/dev/null || { agent mkdir -p /dev/net && agent mount -t tmpfs -o mode=755 tmpfs /dev/net; }
agent mknod -m 666 /dev/net/tun c 10 200
tap=yes
agent ip tuntap add tap0 mode tap 2>/dev/null || tap=
background agent unshare -n setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups sleep 1001
background agent setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups --inh-caps=+net_raw \
	--ambient-caps=+net_raw sleep 1002
chown $AGENT_UID "$etc/hosts"
chmod 666 "$etc/resolv.conf"
echo 'hosts: dns' >"$etc/nsswitch.conf"
agent sysctl -qw net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=0
sleep 0.5
elsewhere=$(agent pgrep -x -f 'sleep 1001')
dangerous=$(agent pgrep -x -f 'sleep 1002')
doctor
row "a setuid program" warn channel.setuid-programs "may execute 1 setuid programs, .*: /run/open/tool$"
if [ -n "$setcap" ]; then
	row "a program with a capability" warn channel.file-capabilities "/run/open/raw"
else
	skip "a program with a capability" "needs setcap"
fi
row "no rule of sudoers" pass channel.sudo
row "a rule of doas that denies" pass channel.doas
row "the group of an engine" fail channel.privileged-groups "docker"
row "and what that group may open" warn channel.unix-sockets "/run/open/group.sock"
row "the bounding set" warn channel.net-raw "bounding"
row "the TUN device is open" warn channel.tun-device
if [ -n "$tap" ]; then
	row "a TAP device, and no forwarding" pass channel.tun-forwarding "tap0"
else
	skip "a TAP device" "none can be made here"
fi
row "a process in another network namespace" fail channel.ptrace "pid .*\\b$elsewhere\\b"
row "a process with a capability" fail channel.processes "\\b$dangerous\\b"
row "files of names" fail channel.name-files "/etc/hosts, /etc/resolv.conf"
hides "not the directory" channel.name-files "/etc(,|$)"
hides "one that is in this one" channel.ptrace "pid [0-9]+,"
row "no files in nsswitch" fail channel.nsswitch "not read"
agent kill "$dangerous" "$elsewhere"
background as_user $AGENT_UID sleep 1000

mv "$etc/sudoers.d/off.txt" "$etc/sudoers.d/on"
echo 'permit agent' >"$etc/doas.conf"
sed -i '/^docker:/d' "$etc/group"
echo 'hosts: dns files' >"$etc/nsswitch.conf"
chown 0 "$etc/hosts"
chmod 644 "$etc/resolv.conf"
chmod 777 "$etc"
agent sysctl -qw net.ipv4.ip_forward=1
examine agent setpriv --inh-caps=+net_raw "$EGRESSFW" doctor --user agent --timeout 60
row "a rule of sudoers" fail channel.sudo "NOPASSWD: /bin/ls"
row "a rule of doas" fail channel.doas "permit agent"
row "no group any more" pass channel.privileged-groups
row "an inheritable capability" fail channel.net-raw "passed on"
[ -z "$tap" ] || row "a TAP device, and forwarding" warn channel.tun-forwarding "tap0"
row "no process elsewhere any more" pass channel.ptrace
row "a process without no_new_privs" warn channel.processes "no_new_privs"
row "the directory of the files of names" fail channel.name-files "/etc$"
row "files late in nsswitch" warn channel.nsswitch "before"
chmod 755 "$etc"
examine as_user $AGENT_UID "$EGRESSFW" doctor --timeout 60
row "rules that the user cannot read" unknown channel.sudo "sudoers"
row "rules that the user can" fail channel.doas
hides "a closed directory's program" channel.setuid-programs "closed|nosuid|rootonly|open/own"
examine agent setpriv --no-new-privs "$EGRESSFW" doctor --user agent --timeout 60
row "no_new_privs takes setuid programs their power" pass channel.setuid-programs "no_new_privs is set"
row "and capabilities of files" pass channel.file-capabilities "no_new_privs is set"
doctor --no-hosts
row "no hosts file, no nsswitch" pass channel.nsswitch "not used"
doctor --hosts-file "$WORLD/listen.py" --json
if "$python" -c 'import json,sys; d=json.load(open(sys.argv[1])); sys.exit(d["users"] != [{"uid": 1500, "name": "agent"}] or d["exit_status"] != 1)' \
	"$WORLD/out"; then ok "one JSON object"; else not_ok "one JSON object" "$(show_output)"; fi

# --- nothing changes ------------------------------------------------------------------------------------

agent nft 'table inet other { set s { type ipv4_addr; elements = { 192.0.2.7 } }; chain out { type filter hook output priority 0; ip daddr @s counter; }; }'
echo '{ "network_mode": "no-network", "users": ["agent"] }' >"$WORLD/policy.json"
check "a policy is applied" fw apply --no-canary "$WORLD/policy.json"
agent nft monitor </dev/null >"$WORLD/monitor" 2>&1 &
monitor=$!
world_pids+=("$monitor")
sleep 1
before=$(everything)
doctor
as_user $AGENT_UID "$EGRESSFW" doctor --timeout 60 >/dev/null 2>&1
same "nothing has changed" "$before" "$(everything)"
agent nft add table ip egfw-control
for _ in $(seq 50); do grep -q egfw-control "$WORLD/monitor" && break; sleep 0.1; done
kill "$monitor"
same "the monitor of the tables has seen our control alone" "add table ip egfw-control" \
	"$(grep -v '^#' "$WORLD/monitor")"
same "one generation" 1 "$(grep -c '^# new generation' "$WORLD/monitor")"
if command -v strace >/dev/null; then
	agent "$(command -v strace)" -f -o "$WORLD/trace" -e trace='%network,%file,fchmod,fchown,ftruncate,setns' \
		"$EGRESSFW" doctor --user agent --timeout 120 >/dev/null 2>&1
	if [ "$(grep -c open "$WORLD/trace")" -gt 50 ]; then ok "it was traced"; else not_ok "it was traced"; fi
	same "it connects to nothing" "" "$(grep -E ' connect\(' "$WORLD/trace")"
	same "it opens nothing for writing" "" \
		"$(grep -E 'open(at)?\(.*O_(WRONLY|RDWR|CREAT|TRUNC)' "$WORLD/trace" | grep -v '"/dev/null"')"
	same "it makes and moves nothing" "" "$(grep -E ' (mkdir|rename|unlink|link|symlink|chmod|chown|fchmod|fchown|mount|ftruncate|truncate|mknod|utime|setxattr)[a-z0-9]*\(' "$WORLD/trace")"
	same "it binds to netlink alone" "" "$(grep -E ' (bind|listen)\(' "$WORLD/trace" | grep -v AF_NETLINK)"
else
	skip "system calls" "needs strace"
fi
finish
