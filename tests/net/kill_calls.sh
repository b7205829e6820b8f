# kill_calls.sh: the system calls at which the kill tests end a run, or lie to it.
# shellcheck shell=bash
command -v strace >/dev/null || skip_all "needs strace"
strace -o /dev/null -e inject=getppid:error=EPERM true 2>/dev/null || skip_all "strace cannot inject here"

# calls TRACE: a line `NAME N` for every call to be tried. N counts the calls of that name by one process.
calls() {
	awk -v all="${EGRESSFW_TESTS_THOROUGH:-}" '
		BEGIN {
			split("prctl capget capset mmap mprotect munmap brk close fstat newfstatat lseek getuid geteuid " \
			      "getpid getrandom uname rt_sigaction rt_sigprocmask clock_gettime prlimit64", list)
			for (i in list) inner[list[i]]
		}
		match($0, /^[0-9]+ +[a-z_0-9]+\(/) {
			name = substr($0, RSTART, RLENGTH - 1); process = $1; sub(/^[0-9]+ +/, "", name)
			if (name ~ /^exit/) next
			if (++count[process, name] > most[name]) most[name] = count[process, name]
		}
		END {
			for (name in most)
				for (n = 1; n <= most[name]; n++)
					if (all || !(name in inner) || n == most[name] || n % 32 == 1) print name, n
		}' "$1" | sort
}
