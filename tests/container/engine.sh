# engine.sh: a container engine of one's own for a test, in namespaces that end with it; sourced by the scripts beside it.
# shellcheck shell=bash
#
#   engine_begin docker|podman      everything below runs in a pid and mount namespace of its own, with the world of
#                                   world.sh: the engine lives on its "agent" side, and what containers send to the
#                                   outside arrives on its far side. The script is started anew there.
#   engine ARG...                   the engine's client
#   engine_image NAME DIRECTORY     an image from a directory (nothing is ever pulled)
#   sees NAME CMD... <ROWS          see there
#
# The programs in the images are the static ones: $EGRESSFW_STATIC and the egressfilter beside it, or built here from
# the source tree. A build without the filter has none: engine_has_filter tells. The Debian in the images is one by
# debootstrap, see debian.sh.

. "${srcdir:-.}/tests/lib/world.sh" || exit 1
. "$SRCDIR/tests/lib/static.sh"
. "$SRCDIR/tests/container/debian.sh"

ENGINE_UID=1600
engine_user= # whose the engine is; empty: root's

# --- outside: build, namespaces, and tidying up -------------------------------------------------------

engine_require() {
	local program
	[ "$(id -u)" -eq 0 ] || skip_all "needs root"
	for program in ip nft nsenter setpriv unshare flock debootstrap dpkg-scanpackages apt-cache "$@"; do
		command -v "$program" >/dev/null || skip_all "needs the program $program"
	done
	unshare --net --mount --pid --fork --kill-child --mount-proc true 2>/dev/null ||
		skip_all "namespaces cannot be made here"
	[ -w /sys/fs/cgroup ] || skip_all "control groups cannot be made here"
}

# Every process goes with the namespace, in its own time if it was killed; control groups are all that is left then.
engine_tidy() {
	local tries=0 started
	for started in $engine_debian $engine_inside; do
		{ kill -KILL "$started" && wait "$started"; } 2>/dev/null
	done
	while [ -n "$(find /sys/fs/cgroup -maxdepth 2 -type d -name "$engine_group")" ] && [ "$tries" -lt 50 ]; do
		find /sys/fs/cgroup -depth -type d -path "*/$engine_group*" -exec rmdir {} + 2>/dev/null
		tries=$((tries + 1))
		sleep 0.1
	done
	rm -rf "$engine_base"
}

engine_outside() {
	local status=0
	engine_base=$(mktemp -d "${TMPDIR:-/tmp}/egfw-XXXXXX")
	engine_group=$(basename "$engine_base") engine_inside= engine_debian=
	trap engine_tidy EXIT
	trap 'exit 130' INT TERM HUP
	chmod 755 "$engine_base"
	debian_bootstrap &
	engine_debian=$!
	static_programs "$engine_base/t"
	wait "$engine_debian" || exit
	engine_debian=
	debian_says
	EGRESSFW_ENGINE_BASE=$engine_base srcdir=$SRCDIR setpriv --pdeathsig KILL \
		unshare --mount --pid --fork --kill-child --mount-proc --propagation private -- bash "$0" </dev/null &
	engine_inside=$!
	wait "$engine_inside" || status=$?
	engine_inside=
	exit "$status"
}

engine_has_filter() {
	[ -x "$engine_base/t/egressfilter" ]
}

# --- inside -------------------------------------------------------------------------------------------

engine_world() {
	engine_base=$EGRESSFW_ENGINE_BASE
	engine_group=$(basename "$engine_base")
	# An engine's files cannot lie on just any file system.
	mkdir -p "$engine_base/inside"
	mount -t tmpfs -o mode=755 tmpfs "$engine_base/inside"
	TMPDIR=$engine_base/inside
	EGRESSFW=$engine_base/t/egressfw
	FAR=$engine_base/t/far ATTEMPT=$engine_base/t/attempt
	world_begin
	# The namespaces end with this script, and with them what is mounted here; the rest is removed from outside.
	trap - EXIT
	# The world shows a /sys of its own, where control groups would be missing.
	agent umount /sys
	cp "$WORLD/etc/subuid" "$WORLD/etc/subgid"
	[ ! -e /etc/subgid ] || agent mount --bind "$WORLD/etc/subgid" /etc/subgid
	agent sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	engine_side=$world_agent
	engine_files=$WORLD
	serve_images=$WORLD/images
	mkdir "$serve_images"
}

# Becomes the engine's daemon, or its client, on the engine's side.
become_engine() {
	exec nsenter -t "$engine_side" -m -n -w -- "$@"
}

# docker_start [OPTION...]
docker_start() {
	local tries=0
	export DOCKER_CONFIG=$WORLD/docker-config DOCKER_HOST=unix://$WORLD/docker.sock
	become_engine dockerd --data-root "$WORLD/docker" --exec-root /run/docker --pidfile /run/docker.pid \
		--host "$DOCKER_HOST" --cgroup-parent "/$engine_group" --dns 203.0.113.53 "$@" >"$WORLD/dockerd-log" 2>&1 </dev/null &
	docker_pid=$!
	world_pids+=($docker_pid)
	until engine version >/dev/null 2>&1; do
		tries=$((tries + 1))
		if ! kill -0 "$docker_pid" 2>/dev/null || [ "$tries" -gt 150 ]; then
			tail -n 20 "$WORLD/dockerd-log" | sed 's/^/# /'
			[ "$test_count" -gt 0 ] || skip_all "dockerd does not start"
			not_ok "dockerd starts again"
			finish
		fi
		sleep 0.1
	done
}

docker_stop() {
	kill -TERM "$docker_pid"
	wait "$docker_pid"
}

# Nothing of the machine's own configuration.
podman_configure() {
	mkdir "$WORLD/networks"
	cat >"$WORLD/containers.conf" <<-END
		[network]
		network_backend = "netavark"
		network_config_dir = "$WORLD/networks"
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "none"
		runtime = "runc"
	END
	export CONTAINERS_CONF=$WORLD/containers.conf
}

# From here on Podman is that of an ordinary user, whom this world alone has: no file of the machine knows of them.
rootless_begin() {
	engine_user=$ENGINE_UID
	engine_home=$WORLD/operator
	echo "operator:x:$ENGINE_UID:$ENGINE_UID::$engine_home:/bin/sh" >>"$WORLD/etc/passwd"
	echo 'operator:200000:65536' | tee -a "$WORLD/etc/subuid" >>"$WORLD/etc/subgid"
	install -d -o "$ENGINE_UID" -g "$ENGINE_UID" -m 700 "$engine_home"
	agent install -d -o "$ENGINE_UID" -g "$ENGINE_UID" -m 700 /run/operator
	chown "$ENGINE_UID" "$WORLD/networks"
	# Everybody may open it, as distributions have it.
	mknod -m 666 "$WORLD/tun" c 10 200
	agent mount --bind "$WORLD/tun" /dev/net/tun
}

# become_operator CMD...
become_operator() {
	agent setpriv --reuid "$engine_user" --regid "$engine_user" --clear-groups --inh-caps=-all -- \
		env -C "$engine_home" HOME="$engine_home" XDG_RUNTIME_DIR=/run/operator "$@"
}

# engine_begin NAME
engine_begin() {
	engine_name=$1
	case $1 in
	docker) [ -n "${EGRESSFW_ENGINE_BASE:-}" ] || engine_require dockerd docker containerd runc iptables busybox ;;
	podman) [ -n "${EGRESSFW_ENGINE_BASE:-}" ] || engine_require podman runc conmon busybox ;;
	esac
	[ -n "${EGRESSFW_ENGINE_BASE:-}" ] || engine_outside
	engine_world
	case $1 in
	docker) engine_runtime='{{.HostConfig.Runtime}}' && docker_start ;;
	podman) engine_runtime='{{.OCIRuntime}}' && podman_configure ;;
	esac
}

engine() {
	case $engine_name in
	# Debian's, should there be another one before it.
	docker) PATH=/usr/bin:$PATH timeout "${engine_limit:-60}" docker "$@" ;;
	podman)
		if [ -n "$engine_user" ]; then
			become_operator timeout "${engine_limit:-60}" podman --storage-driver overlay "$@"
			return
		fi
		nsenter -t "$engine_side" -m -n -w -- timeout "${engine_limit:-60}" podman --root "$engine_files/podman" --runroot /run/podman --tmpdir /run/libpod "$@"
		;;
	esac
}

# What every container of a test is given: the policies, the tests' programs, and the group that is removed.
engine_usual() {
	usual=(-v "$WORLD/p:/p:ro" -v "$engine_base/t:/t:ro")
	[ "$engine_name" != podman ] || [ -n "$engine_user" ] || usual+=(--cgroup-parent "/$engine_group")
}

engine_network_process() { # CONTAINER: a process in its network namespace
	engine inspect --format '{{.State.Pid}}' "$1"
}

# The rules in a container, seen from its host.
container_rules() {
	nsenter -t "$(engine_network_process "$1")" -n nft list ruleset 2>/dev/null |
		sed -E 's/counter packets [0-9]+ bytes [0-9]+/counter/'
}
foreign_container_rules() {
	container_rules "$1" | awk '/^table / { ours = $3 ~ /^egressfw/ } !ours'
}

# --- images -------------------------------------------------------------------------------------------

engine_image() {
	tar -C "$2" --numeric-owner -c . |
		engine import --change "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" - "$1" >/dev/null 2>&1
}

image_users() {
	mkdir -p "$1/etc" "$1/tmp" "$1/var/log"
	chmod 1777 "$1/tmp"
	[ -e "$1/etc/passwd" ] || { echo 'root:x:0:0::/:/bin/sh' >"$1/etc/passwd" && echo 'root:x:0:' >"$1/etc/group"; }
	printf 'agent:x:%d:%d::/tmp:/bin/sh\nother:x:%d:%d::/tmp:/bin/sh\n' \
		$AGENT_UID $AGENT_UID $OTHER_UID $OTHER_UID >>"$1/etc/passwd"
	printf 'agent:x:%d:\nother:x:%d:\n' $AGENT_UID $OTHER_UID >>"$1/etc/group"
}

image_programs() { # DIRECTORY: what users copy into their images
	mkdir -p "$1"
	cp "$EGRESSFW" "$1/egressfw"
	! engine_has_filter || cp "$engine_base/t/egressfilter" "$1/egressfilter"
}

# Nothing but the programs.
image_empty() {
	image_programs "$serve_images/empty"
	engine_image egressfw-empty "$serve_images/empty"
}

# A shell without a C library.
image_busybox() {
	local tree=$serve_images/busybox name
	mkdir -p "$tree/bin"
	cp "$(command -v busybox)" "$tree/bin/busybox"
	for name in sh cat cut grep id sleep nc nslookup echo kill tail test wc wget; do ln -sf busybox "$tree/bin/$name"; done
	image_users "$tree"
	image_programs "$tree/usr/local/sbin"
	engine_image egressfw-busybox "$tree"
}

# debian_tree DIRECTORY [PACKAGE...]: Debian by debootstrap; and these installed packages with what they depend on, as
# they lie here.
debian_tree() {
	local tree=$1
	shift
	mkdir -p "$tree"
	tar -C "$tree" -x --keep-directory-symlink <"$debian_tar"
	[ $# -gt 0 ] || return 0
	{
		# What these link to belongs to no package.
		find /usr/bin /usr/sbin /etc/alternatives -type l \( -path '/etc/*' -o -lname '/etc/alternatives/*' \)
		installed_with "$@" | xargs dpkg -L 2>/dev/null
	} | grep -vE '^/usr/share/(doc|man|locale|info)|^/(dev|proc|sys|run)|^/\.?$' | sort -u | sed 's|^/||' >"$tree/files"
	tar -C / --no-recursion -c -T "$tree/files" 2>/dev/null | tar -C "$tree" -x --keep-directory-symlink
	rm "$tree/files"
}

image_debian() {
	local tree=$serve_images/debian
	debian_tree "$tree"
	image_users "$tree"
	image_programs "$tree/usr/local/sbin"
	engine_image egressfw-debian "$tree"
}

# --- what a program in a container gets ---------------------------------------------------------------

# policy NAME <JSON
policy() {
	mkdir -p "$WORLD/p"
	cat >"$WORLD/p/$1.json"
	chmod 644 "$WORLD/p/$1.json"
	[ -z "$engine_user" ] || chown "$engine_user" "$WORLD/p/$1.json"
}

# sees NAME CMD... <ROWS: CMD starts `attempt --lines` in a container; each row is ATTEMPT TARGET WORD, what the
# program there is to see. Nothing may reach the far side but for rows that say connected or answered.
sees() {
	local name=$1 rows row target word seen _ arrived
	shift
	rows=$(cat)
	wire_mark
	awk '{ print "/t/attempt", $1, $2 }' <<<"$rows" | "$@" >"$WORLD/answers-of" 2>"$WORLD/err" || {
		not_ok "$name" "exit status $? of: $*" "$(tail -n 5 "$WORLD/err")"
		return
	}
	arrived=$(wire_since '$5 != "203.0.113.53"')
	while read -r row target word <&3; do
		read -r seen _ <&4
		if [ "$seen" != "$word" ]; then
			not_ok "$name: $row $target sees $word" "saw $seen" "$(tail -n 3 "$WORLD/err")"
		elif [[ $word != connected && $word != answered ]] && arrived_at "$row" "$target" "$arrived"; then
			not_ok "$name: $row $target sees $word, and nothing leaves" "$arrived"
		else
			ok "$name: $row $target sees $word"
		fi
	done 3<<<"$rows" 4<"$WORLD/answers-of"
}

# Whether packets of an attempt's protocol went to its target.
arrived_at() { # ATTEMPT TARGET PACKETS
	local host=${2%:*} protocol=tcp
	host=${host#[}
	case $1 in udp*) protocol=udp ;; ping*) protocol=icmp ;; esac
	awk -v host="${host%]}" -v port="${2##*:}" -v protocol=$protocol '
		$5 == host && (protocol == "icmp" ? $2 ~ /^icmp/ : $2 == protocol && $6 == port) { found = 1 }
		END { exit !found }' <<<"$3"
}
