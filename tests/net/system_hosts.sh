#!/bin/bash
# system_hosts.sh: the hosts file writer is killed everywhere, watched, and given files it cannot write.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
for program in strace prlimit chattr unshare; do
	command -v "$program" >/dev/null || skip_all "needs the program $program"
done
# Everything below happens in a mount namespace of its own, on a bind mount as engines make it.
if [ -z "${SYSTEM_HOSTS_INSIDE:-}" ]; then
	unshare -m true 2>/dev/null || skip_all "mount namespaces cannot be made here"
	SYSTEM_HOSTS_INSIDE=1 exec unshare -m --propagation private "$0" "$@"
fi
WORLD=$(mktemp -d "${TMPDIR:-/tmp}/egfw-$$-XXXXXX")
watcher=
tidy() {
	[ -z "$watcher" ] || kill -KILL "$watcher" 2>/dev/null
	chattr -i "$WORLD/immutable" 2>/dev/null
	umount "$file" "$WORLD/read-only" "$WORLD/full" 2>/dev/null
	rm -rf "$WORLD"
}
trap tidy EXIT
trap 'exit 130' INT TERM HUP
hosts=$BUILDDIR/tests/net/system_hosts
file=$WORLD/hosts
state=$WORLD/state
foreign=$WORLD/foreign
: >"$file" && : >"$WORLD/under" && mount --bind "$WORLD/under" "$file"

cat >"$foreign" <<'END'
127.0.0.1 localhost
::1 localhost ip6-localhost
# a comment of somebody else

10.0.0.9 api.test other.test
172.17.0.2 box
END
later='172.17.0.3 later'

# start CASE: the hosts file as it is before the write of the case, on the same inode.
start() {
	case $1 in
	add) cat "$foreign" >"$file" ;;
	*)
		cat "$foreign" >"$file"
		"$hosts" "$file" "$2" one >/dev/null
		[ "$1" = grow ] || printf '%s\n' "$later" >>"$file"
		;;
	esac
}

operation() {
	case $1 in add | grow) echo two ;; change) echo two ;; remove) echo none ;; esac
}

# Every foreign line is there in order (the conflict perhaps as a comment), and every line parses.
holds() {
	"$hosts" "$file" - parses || return 1
	awk -v conflict='10.0.0.9 api.test other.test' '
		FNR == NR { want[++wants] = $0; next }
		found < wants && ($0 == want[found + 1] ||
			want[found + 1] == conflict && substr($0, 2) == substr(conflict, 2)) { found++ }
		END { exit found < wants }' "$1" "$file"
}

# kills CASE STATE LABEL KILLER: `KILLER N CMD...` kills CMD at its place N, if it has one.
kills() {
	local case=$1 with=$2 name="$1, $3" step=1 at=1 killed=0 bad= got inode
	shift 3
	rm -rf "$state"
	start "$case" "$with"
	cp "$file" "$WORLD/before"
	"$hosts" "$file" "$with" "$(operation "$case")" >/dev/null
	cp "$file" "$WORLD/wanted"
	cp "$foreign" "$WORLD/lines"
	[ "$case" = add ] || [ "$case" = grow ] || printf '%s\n' "$later" >>"$WORLD/lines"
	inode=$(stat -c %i "$file")
	# A note of fewer than three bytes could be anybody's comment, and stays one.
	[ "$1" = at_call ] || { step=61 at=$(($(stat -c %s "$WORLD/before") + 3)); }
	while :; do
		rm -rf "$state"
		start "$case" "$with"
		"$@" "$at" "$hosts" "$file" "$with" "$(operation "$case")" >/dev/null 2>&1 && break
		killed=$((killed + 1))
		holds "$WORLD/lines" || bad="$bad $at:torn"
		"$hosts" "$file" "$with" "$(operation "$case")" >/dev/null 2>&1
		cmp -s "$WORLD/wanted" "$file" || bad="$bad $at:repair"
		at=$((at + step))
		[ "$killed" -lt 2000 ] || { bad="$bad endless"; break; }
	done
	got=$(stat -c %i "$file")
	[ "$got" = "$inode" ] || bad="$bad inode"
	[ "$killed" -gt 0 ] || bad="$bad no-kills"
	if [ -z "$bad" ]; then ok "$name: $killed kills"; else not_ok "$name" "$bad"; fi
}

at_call() {
	local n=$1
	shift
	strace -qq -o /dev/null -e trace="$call" -e inject="$call":signal=KILL:when="$n" "$@"
}

# SIGXFSZ ends the process in the middle of a write that would make a file longer than the limit.
at_size() {
	local n=$1
	shift
	prlimit --core=0 --fsize="$n" "$@"
}

strace -qq -o /dev/null true 2>/dev/null || skip_all "strace does not work here"
same "the file cannot be renamed over (case_B1)" "busy" \
	"$(mv "$foreign" "$file" 2>&1 | grep -q busy && echo busy)"
# strace counts each call by itself.
for case in add grow change remove; do
	for call in pwrite64 ftruncate; do
		kills "$case" "$state" "killed at every $call" at_call
		kills "$case" - "without state, killed at every $call" at_call
	done
done
for call in openat close fsync renameat; do
	kills add "$state" "killed at every $call" at_call
done
call=unlinkat
kills remove "$state" "killed at every $call" at_call
for case in add change; do
	kills "$case" - "killed at every 61st length" at_size
done

# --- every form ends where it should --------------------------------------------------------------------
rm -rf "$state"
cat "$foreign" >"$file"
check "one pin" "$hosts" "$file" "$state" one
check "the conflict is a comment" grep -qx '#0.0.0.9 api.test other.test' "$file"
check "the pin is there" grep -q '^203.0.113.1 api.test' "$file"
check "the conflict's other name is there" grep -q '^10.0.0.9 other.test' "$file"
check "again" "$hosts" "$file" "$state" one
says "nothing is changed" '^unchanged'
check "out" "$hosts" "$file" "$state" none
check "the file is what it was" cmp "$foreign" "$file"
same "the state is empty" "" "$(ls "$state" | grep hosts)"
check "out again" "$hosts" "$file" "$state" none
says "nothing is changed" '^unchanged'

# --- a reader -----------------------------------------------------------------------------------------
"$hosts" "$file" - watch >"$WORLD/watched" &
watcher=$!
for _ in $(seq 25); do
	"$hosts" "$file" - two >/dev/null
	printf '%s\n' "$later" >>"$file"
	"$hosts" "$file" - one >/dev/null
	"$hosts" "$file" - none >/dev/null
done
kill "$watcher"
wait "$watcher" && got=0 || got=$?
watcher=
if [ "$got" -eq 0 ]; then
	ok "a reader never sees a torn line or no first line: $(cat "$WORLD/watched")"
else
	not_ok "a reader" "$(cat "$WORLD/watched")"
fi

# --- files that cannot be written ------------------------------------------------------------------------
refused() {
	deny "$1: check" "$hosts" "$2" - check
	says "$1: says why" "$3"
	deny "$1: write" "$hosts" "$2" - one
}
mkdir "$WORLD/directory" && mkfifo "$WORLD/fifo" && ln -s nowhere "$WORLD/dangling"
refused "a directory" "$WORLD/directory" 'not a regular file|Is a directory'
refused "a fifo" "$WORLD/fifo" 'is not a regular file'
refused "a device" /dev/null 'is not a regular file'
refused "a dangling link" "$WORLD/dangling" 'is a link to a file that does not exist'
refused "no directory" "$WORLD/missing/hosts" 'No such file'
deny "nothing was made" test -e "$WORLD/nowhere"
cp "$foreign" "$WORLD/read-only"
mount --bind "$WORLD/read-only" "$WORLD/read-only" && mount -o remount,bind,ro "$WORLD/read-only"
refused "a read-only mount" "$WORLD/read-only" 'cannot be written.*Read-only file system'
check "nothing to take out of a read-only file is no error" "$hosts" "$WORLD/read-only" - none
cp "$foreign" "$WORLD/immutable"
if chattr +i "$WORLD/immutable" 2>/dev/null; then
	refused "an immutable file" "$WORLD/immutable" 'cannot be written.*Operation not permitted'
	chattr -i "$WORLD/immutable"
	check "the immutable file is what it was" cmp "$foreign" "$WORLD/immutable"
else
	skip "an immutable file" "chattr does not work in $WORLD"
fi
mkdir "$WORLD/full" && mount -t tmpfs -o size=16k tmpfs "$WORLD/full"
{ cat "$foreign" && head -c 3500 /dev/zero | tr '\0' '#' && echo; } >"$WORLD/full/hosts"
cp "$WORLD/full/hosts" "$WORLD/before"
cat /dev/zero >"$WORLD/full/filler" 2>/dev/null
deny "a full disk" "$hosts" "$WORLD/full/hosts" - two
says "a full disk: says why" 'cannot be written: No space left'
check "and the file is what it was" cmp "$WORLD/before" "$WORLD/full/hosts"
check "a missing file can be checked" "$hosts" "$WORLD/fresh" - check
deny "and is not made by that" test -e "$WORLD/fresh"
(umask 077 && "$hosts" "$WORLD/fresh" - one >/dev/null)
same "it is made for all to read" 644 "$(stat -c %a "$WORLD/fresh")"
cp "$foreign" "$WORLD/target" && ln -s target "$WORLD/link"
check "a link is followed" "$hosts" "$WORLD/link" - one
check "its target has the block" grep -q 'egressfw begin' "$WORLD/target"
check "and it is still a link" test -L "$WORLD/link"
head -c 17000000 /dev/zero | tr '\0' '#' >"$WORLD/large"
deny "a file of more than 16 MiB" "$hosts" "$WORLD/large" - one
says "it says so" 'larger than 16777216 bytes'
finish
