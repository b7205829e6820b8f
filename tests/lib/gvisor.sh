# gvisor.sh: containers of gVisor for tests, with the network of the world's agent; sourced after world.sh and static.sh.
# shellcheck shell=bash
#
#   gvisor_require                          leaves the script where they cannot be had
#   gvisor_root                             $gvisor_root: a root with busybox in it; the test puts in what it needs
#   gvisor_spec CAPABILITY... [-- MOUNT...] its config.json; a mount is a path that is the same inside
#   gvisor_start NAME OPTION...             gvisor_stop
#   inside CMD...; inside_as UID CMD...     without the capabilities that exec gives to uid 0 alone

gvisor_require() {
	local program
	for program in runsc busybox python3 readelf "$@"; do
		command -v "$program" >/dev/null || skip_all "needs the program $program"
	done
	is_static "$(command -v busybox)" || skip_all "needs busybox-static"
}

gvisor_root() {
	local applet
	gvisor_bundle=$WORLD/bundle gvisor_root=$WORLD/bundle/rootfs
	gvisor=(runsc --root "$WORLD/runsc" --network=sandbox --platform=ptrace --ignore-cgroups)
	mkdir -p "$gvisor_root"/{bin,etc,proc,run,tmp}
	install -m 755 "$(command -v busybox)" "$gvisor_root/bin/busybox"
	for applet in "$@"; do ln -s busybox "$gvisor_root/bin/$applet"; done
	printf 'root:x:0:0::/:/bin/sh\nagent:x:%d:%d::/:/bin/sh\nother:x:%d:%d::/:/bin/sh\n' \
		$AGENT_UID $AGENT_UID $OTHER_UID $OTHER_UID >"$gvisor_root/etc/passwd"
	printf 'root:x:0:\nagent:x:%d:\nother:x:%d:\n' $AGENT_UID $OTHER_UID >"$gvisor_root/etc/group"
	printf '127.0.0.1 localhost\n' >"$gvisor_root/etc/hosts"
	# gVisor takes a namespace for the host's by a file that newer kernels show in all of them.
	agent mount -t tmpfs tmpfs /proc/sys/net/core
}

gvisor_spec() {
	python3 - "/proc/$world_agent/ns/net" "$@" >"$gvisor_bundle/config.json" <<-'END'
		import json, sys
		words = sys.argv[2:]
		cut = words.index("--") if "--" in words else len(words)
		have = {kind: words[:cut] for kind in ("bounding", "effective", "permitted", "inheritable")}
		given = [{"destination": path, "type": "bind", "source": path, "options": ["bind", "rw"]} for path in words[cut + 1:]]
		print(json.dumps({
		    "ociVersion": "1.0.0", "hostname": "gvisor",
		    "process": {"user": {"uid": 0, "gid": 0}, "args": ["sleep", "600"], "env": ["PATH=/bin"], "cwd": "/",
		                "capabilities": have},
		    "root": {"path": "rootfs", "readonly": False},
		    "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
		               {"destination": "/run", "type": "tmpfs", "source": "tmpfs"}, *given],
		    "linux": {"namespaces": [{"type": "pid"}, {"type": "mount"}, {"type": "network", "path": sys.argv[1]}]}}))
	END
}

# Its network is that of the agent's side, whose addresses it takes away.
gvisor_plug() {
	agent ip address replace 192.0.2.2/24 dev eth0
	agent ip address replace 2001:db8::2/64 dev eth0 nodad
	agent ip route replace default via 192.0.2.1
	agent ip -6 route replace default via 2001:db8::1
	gvisor_known
}

# Its neighbour knows where it is: while there are rules, gVisor tells nobody over IPv6.
gvisor_known() {
	far ip -6 neigh replace 2001:db8::2 lladdr "$(agent cat /sys/class/net/eth0/address)" nud permanent dev eth0
}

gvisor_start() {
	gvisor_name=$1
	shift
	gvisor_options=("$@")
	gvisor_plug
	run_quietly agent timeout 60 "${gvisor[@]}" "${gvisor_options[@]}" run --detach --bundle "$gvisor_bundle" "$gvisor_name"
}

gvisor_stop() {
	agent timeout 20 "${gvisor[@]}" delete --force "$gvisor_name" >/dev/null 2>&1
}

# A pipe, since run asks whose device its standard input is.
inside() {
	: | agent timeout 60 "${gvisor[@]}" "${gvisor_options[@]}" exec "$gvisor_name" "$@"
}

inside_as() {
	local uid=$1
	shift
	: | agent timeout 60 "${gvisor[@]}" "${gvisor_options[@]}" exec --user "$uid:$uid" "$gvisor_name" "$@"
}
