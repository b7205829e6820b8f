#!/bin/bash
# static_root.sh: the static program in roots that have nothing, busybox, musl or glibc: the whole route, both ways.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
. "${srcdir:-.}/tests/net/dns.sh" || exit 1
. "$SRCDIR/tests/lib/static.sh"

# new_root NAME DIRECTORY...: a root with the program, a policy and proc, and nothing else.
new_root() {
	root=$WORLD/roots/$1
	mkdir -p "$WORLD/roots"
	mkdir -m 755 "$root"
	install -m 755 "$static_copy" "$root/egressfw"
	shift
	for directory in proc "$@"; do mkdir -p "$root/$directory"; done
	agent mount -t proc proc "$root/proc"
	cp "$WORLD"/*.json "$root"
}

# What a root of an image has besides: users, a resolver, a hosts file and devices.
furnish() {
	mkdir -p "$root/etc" "$root/dev" "$root/run" "$root/bin"
	agent mount --bind "$WORLD/bin-dev" "$root/dev"
	printf 'root:x:0:0::/:/bin/sh\nagent:x:%d:%d::/:/bin/sh\n' $AGENT_UID $AGENT_UID >"$root/etc/passwd"
	printf 'root:x:0:\nagent:x:%d:\nextra:x:1777:other,agent\n' $AGENT_UID >"$root/etc/group"
	printf '127.0.0.1 localhost\n10.9.9.9 foreign.example\n' >"$root/etc/hosts"
	printf 'nameserver 203.0.113.53\n' >"$root/etc/resolv.conf"
}

inside() {
	agent chroot "$root" "$@"
}

# route NAME POLICY USER_COMMAND...: apply, verify, canary, run and remove in the root; USER_COMMAND must end well in run.
route() {
	local name=$1 policy=$2 before
	shift 2
	before=$(snapshot)
	check "$name: apply" inside /egressfw apply "$policy"
	says "$name: it is proven" 'canary +blocked: .* proven blocked by us'
	closed "$name: closed" tcp 1.1.1.1:443
	closed "$name: closed over IPv6" tcp '[2606:4700:4700::1111]:443'
	closed "$name: closed over UDP" udp 1.1.1.1:53
	check "$name: another user is not confined" attempt $OTHER_UID tcp 1.1.1.1:443
	check "$name: verify" inside /egressfw verify "$policy"
	check "$name: canary" inside /egressfw canary --user $AGENT_UID
	check "$name: run" inside /egressfw run --quiet "$policy" -- "$@"
	agent nft add rule inet egressfw confined accept
	status 1 "$name: verify finds what was added" inside /egressfw verify "$policy"
	check "$name: remove" inside /egressfw remove
	same "$name: nothing is left" "$before" "$(snapshot)"
	check "$name: open again" attempt $AGENT_UID tcp 1.1.1.1:443
}

# A client: finds a name as the root's own C library does, and tries to connect. 0: connected.
write_client() {
	cat >"$WORLD/client.c" <<-'END'
		#include <netdb.h>
		#include <sys/socket.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
			int s;
			if (argc != 3 || getaddrinfo(argv[1], argv[2], &hints, &found))
				return 2;
			s = socket(found->ai_family, SOCK_STREAM, 0);
			return connect(s, found->ai_addr, found->ai_addrlen) ? 1 : 0;
		}
	END
}

# named NAME: a root with a C library: users, groups and names by its own files.
named() {
	local name=$1
	route "$name" /named.json /client allowed.example 443
	check "$name: apply, to look closer" inside /egressfw apply /named.json
	check "$name: the name is in the hosts file" grep -q '^203.0.113.80 allowed.example' "$root/etc/hosts"
	check "$name: what was there stays" grep -qx '10.9.9.9 foreign.example' "$root/etc/hosts"
	check "$name: verify by the kept plan" inside /egressfw verify
	check "$name: the user reaches it by name" inside /egressfw run --quiet /named.json -- /client allowed.example 443
	status 1 "$name: not on another port" inside /egressfw run --quiet /named.json -- /client allowed.example 22
	status 1 "$name: not another address" inside /egressfw run --quiet /named.json -- /client 1.1.1.1 443
	check "$name: root does" inside /client 1.1.1.1 443
	check "$name: remove" inside /egressfw remove
	same "$name: the hosts file is as before" '127.0.0.1 localhost
10.9.9.9 foreign.example' "$(cat "$root/etc/hosts")"
}

[ -x "$EGRESSFW" ] || skip_all "there is no $EGRESSFW"
for program in busybox musl-gcc readelf strace; do
	command -v "$program" >/dev/null || skip_all "needs the program $program"
done
cases_begin
static_released
static_copy=$WORLD/bin/static
install -m 755 "$static" "$static_copy"
check "it is static" is_static "$static_copy"
deny "it has no symbols" grep -q '\.symtab' <(readelf -SW "$static_copy")
check "it has at most 2 MB" test "$(stat -c %s "$static_copy")" -le 2000000
deny "no name service switch is linked" grep -qa 'libnss_' "$static_copy"
check "which a program that has it would show" grep -qa 'libnss_' "$(ldd /bin/sh | grep -o '/[^ ]*libc[^ ]*' | head -n 1)"

policy number <<END
{ "network_mode": "no-network", "users": [$AGENT_UID] }
END
policy named <<'END'
{ "network_mode": "allowlist", "users": ["agent"], "allowed_hosts": ["allowed.example:443"] }
END
policy unnamed <<'END'
{ "network_mode": "allowlist", "allowed_hosts": ["allowed.example:443"] }
END
policy address <<'END'
{ "network_mode": "allowlist", "allowed_hosts": ["203.0.113.80:443"] }
END
dns_script <<'END'
allowed.example A 203.0.113.80
END
mkdir "$WORLD/bin-dev"
touch "$WORLD/bin-dev/null"
agent mount --bind /dev/null "$WORLD/bin-dev/null"
write_client

# Nothing but the program, proc and a policy.
new_root empty
if ! is_static "$EGRESSFW"; then
	install -m 755 "$EGRESSFW" "$root/dynamic"
	deny "empty: a program that needs a C library does not start there" inside /dynamic --version
	rm "$root/dynamic"
fi
route "empty" /number.json /egressfw --version
check "empty: apply" inside /egressfw apply /number.json
says "empty: it says that no state is kept" 'no state is kept: verify needs the policy'
check "empty: verify without a policy" inside /egressfw verify
says "empty: which looks at the digest alone" "only the table's own digest was checked"
check "empty: --state-dir" inside /egressfw apply --state-dir /state /number.json
check "empty: verify by the kept plan" inside /egressfw verify --state-dir /state
says_not "empty: and needs nothing besides" 'state-missing'
# What it finds is about the machine, whose processes it sees; every question has to have its answer.
run_quietly inside /egressfw doctor --user $AGENT_UID
says "empty: doctor" '^[0-9]+ pass, [0-9]+ warn, [0-9]+ fail, 0 unknown$'
check "empty: no descriptors at all" inside /egressfw verify --quiet /number.json <&- >&- 2>&-
same "empty: nothing was made there but the state" "address.json egressfw named.json number.json proc state unnamed.json" \
	"$(cd "$root" && echo *)"
status 2 "empty: a user by name" inside /egressfw apply /named.json
says "empty: there is no file that has it" '"agent".*/etc/passwd.*nothing was changed'
status 3 "empty: a name and no folder for a hosts file" inside /egressfw apply --user $AGENT_UID /unnamed.json
says "empty: it says so" '/etc/hosts.*nothing was changed'
status 4 "empty: a name and no resolver" inside /egressfw apply --no-hosts --user $AGENT_UID /unnamed.json
says "empty: it says so" 'allowed.example \(no nameserver\)'
closed "empty: the user stays closed" tcp 203.0.113.80:443
check "empty: addresses need no file" inside /egressfw apply --user $AGENT_UID /address.json
reached "empty: the address is reached" tcp 203.0.113.80:443
closed "empty: no other is" tcp 1.1.1.1:443
check "empty: the files it opens" agent strace -f -o "$WORLD/trace" -e trace=%file,connect \
	chroot "$root" /egressfw apply --state-dir /state /number.json
same "empty: no library, character set, locale or service" "" "$(sed '1,/execve("\/egressfw"/d' "$WORLD/trace" |
	grep -E '\.so|/lib|locale|gconv|nsswitch|services|nscd|AF_UNIX')"
check "empty: remove" inside /egressfw remove --state-dir /state
agent umount "$root/proc"
status 3 "empty, no proc: apply" inside /egressfw apply /number.json
says "empty, no proc: it says so" '/proc.*nothing was changed'
says "empty, no proc: and what to do" 'is /proc mounted\?'
agent mount -t proc proc "$root/proc"

# A root that cannot be written.
agent mount --rbind "$root" "$root"
agent mount -o remount,ro,bind "$root"
check "read-only: apply" inside /egressfw apply /number.json
says "read-only: it says what is lost" 'no state is kept: verify needs the policy'
closed "read-only: closed" tcp 1.1.1.1:443
status 3 "read-only: names, for which a hosts file has to be written" \
	inside /egressfw apply --user $AGENT_UID /unnamed.json
says "read-only: it says so" '/etc/hosts.*nothing was changed'
status 3 "read-only: --state-dir where nothing can be made" inside /egressfw apply --state-dir /other /number.json
agent mount -t tmpfs -o mode=700 tmpfs "$root/state"
check "read-only: --state-dir on another file system" inside /egressfw apply --state-dir /state /number.json
check "read-only: verify by the kept plan" inside /egressfw verify --state-dir /state
check "read-only: remove" inside /egressfw remove --state-dir /state

new_root busybox
furnish
cp "$(command -v busybox)" "$root/bin/busybox"
ln -s busybox "$root/bin/sh"
route "busybox" /named.json /bin/sh -c "[ \$(busybox id -u) = $AGENT_UID ] && busybox nc -w 5 allowed.example 443 </dev/null"
inside /egressfw run --quiet /named.json -- /bin/busybox id -G >"$WORLD/groups" 2>&1
same "busybox: groups from /etc/group" "$AGENT_UID 1777" "$(cat "$WORLD/groups")"
status 127 "busybox: no such program" inside /egressfw run --quiet /named.json -- /bin/nothing
deny "busybox: closed in run" inside /egressfw run --quiet /named.json -- /bin/busybox nc -w 5 1.1.1.1 443 </dev/null
check "busybox: remove" inside /egressfw remove
# pivot_root, as engines do it.
cat >"$root/pivoted" <<'END'
busybox umount -l /old
exec "$@"
END
mkdir "$root/old"
pivoted() {
	agent unshare -m sh -c 'mount --rbind "$1" "$1"; cd "$1"; pivot_root . old; shift; exec /bin/sh /pivoted "$@"' sh "$root" "$@"
}
check "pivot_root: apply" pivoted /egressfw apply /named.json
check "pivot_root: verify" pivoted /egressfw verify
check "pivot_root: run" pivoted /egressfw run /named.json -- /bin/busybox true
closed "pivot_root: closed" tcp 1.1.1.1:443
check "pivot_root: remove" pivoted /egressfw remove

new_root musl lib
furnish
musl-gcc -o "$root/client" "$WORLD/client.c" || not_ok "musl-gcc"
cp -L /lib/ld-musl-*.so.1 "$root/lib/"
named musl

new_root glibc
furnish
cc -o "$root/client" "$WORLD/client.c" || not_ok "cc"
copy_libraries "$root" "$root/client"
named glibc
finish
