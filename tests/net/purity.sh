#!/bin/bash
# purity.sh: src/base, src/policy, src/plan, src/doctor and the codecs of src/filter know no socket, file, environment, clock or global state.
#
# The archives may leave no such symbol undefined, and have no writable data.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1

archives='libbase.a libpolicy.a libplan.a libdoctor.a'
# A build without the filter has none of it.
[ ! -e libfilter.a ] || archives="$archives libcodec.a"
forbidden='^(
	socket|connect|bind|listen|accept4?|send|sendto|sendmsg|recv|recvfrom|recvmsg|setsockopt|getsockopt|
	getaddrinfo|gethostby.*|getservby.*|getnameinfo|res_.*|
	open(at)?(64)?(_2)?|__open.*|creat(64)?|fopen(64)?|fdopen|freopen(64)?|tmpfile|mkstemp|
	read|write|pread(64)?|pwrite(64)?|readv|writev|__read.*|lseek(64)?|f?stat(at)?(64)?|__.*stat.*|
	fgets|fgetc|getc|getline|getdelim|fread|fscanf|__isoc99_fscanf|fputs|fputc|putc|puts|putchar|
	printf|vprintf|__v?printf_chk|fprintf|vfprintf|__v?fprintf_chk|perror|
	unlink(at)?|rename(at2?)?|link(at)?|symlink(at)?|mkdir(at)?|opendir|readdir(64)?|ioctl|fcntl(64)?|
	getenv|secure_getenv|setenv|putenv|environ|__environ|
	time|gettimeofday|clock_gettime|clock|localtime(_r)?|gmtime(_r)?|nanosleep|sleep|usleep|
	fork|vfork|clone|exec.*|posix_spawn.*|system|popen|kill|signal|sigaction|
	getpw.*|getgr.*|getuid|geteuid|getgid|getpid|setuid|set.*uid|prctl|syscall|
	rand(om)?(_r)?|srand(om)?|getrandom|arc4random.*|
	strtok|strerror|localeconv|setlocale
)$'
forbidden=$(printf '%s' "$forbidden" | tr -d '\t\n')

# fwrite to stderr is memory_exhausted()'s last word; abort() says what cannot be.
undefined() {
	nm -A -u "$1" | awk '{ name = $NF; sub(/@.*/, "", name); print $1, name }' |
		awk -v forbidden="$forbidden" -v archive="$1" '
			$2 ~ forbidden { print; next }
			($2 == "fwrite" || $2 == "stderr") && $1 !~ /:libbase_a-memory\.o:/ { print }'
}

# Tables of constant pointers stand in .data.rel.ro: written by the loader, then read-only.
writable() {
	objdump -t "$1" | awk '
		/:     file format/ { object = $1; next }
		NF > 4 && $(NF - 2) ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $(NF - 2) !~ /^\.data\.rel\.ro/ &&
			$(NF - 1) !~ /^0+$/ { print object, $NF }'
}

for archive in $archives; do
	if [ ! -e "$archive" ]; then
		not_ok "$archive" "is not there: build it first"
		continue
	fi
	found=$(undefined "$archive")
	if [ -z "$found" ]; then ok "$archive: no impure function"; else not_ok "$archive: no impure function" "$found"; fi
	found=$(writable "$archive")
	if [ -z "$found" ]; then ok "$archive: no writable data"; else not_ok "$archive: no writable data" "$found"; fi
done

# The test must be able to fail: an object that opens a file and keeps state.
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
printf '#include <stdlib.h>\nint count; const char *f(void) { count++; return getenv("HOME"); }\n' >"$probe/impure.c"
if ${CC:-cc} -c -o "$probe/impure.o" "$probe/impure.c" && ar rc "$probe/impure.a" "$probe/impure.o"; then
	if [ -n "$(undefined "$probe/impure.a")" ] && [ -n "$(writable "$probe/impure.a")" ]; then
		ok "an impure object is noticed"
	else
		not_ok "an impure object is noticed"
	fi
fi
finish
