# stream_tool.sh: runs stream_tool.py on both sides of the world; sourced after cases_begin.
# shellcheck shell=bash

# The first python3 of the path may stand where nobody but root may go.
for python in "$(command -v python3)" /usr/bin/python3 ''; do
	as_user $AGENT_UID timeout 5 "$python" -c '' 2>/dev/null && break
done
[ -n "$python" ] || skip_all "needs a python3 that every user may run"
install -m 644 "$SRCDIR/tests/net/stream_tool.py" "$WORLD/tool.py"

user_tool() { tool_of $AGENT_UID "$@"; }
tool_of() { # UID FUNCTION ARGUMENT...
	local uid=$1
	shift
	as_user "$uid" timeout 20 "$python" "$WORLD/tool.py" "$@"
}
far_tool() { far timeout 20 "$python" "$WORLD/tool.py" "$@"; }

wait_for() { # NAME WORD: until the program has said it
	local tries=100
	until grep -q "$2" "$WORLD/$1"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# start NAME FUNCTION...: in the background, its words in $WORLD/NAME; a line to $WORLD/NAME.go lets it go on.
start() {
	local name=$1
	shift
	rm -f "$WORLD/$name.go"
	mkfifo "$WORLD/$name.go"
	# What the one before it said is not its word.
	: >"$WORLD/$name"
	"$@" <>"$WORLD/$name.go" >"$WORLD/$name" 2>&1 &
	started=$!
	world_pids+=($started)
}
# Both ways: who has ended meanwhile is not waited for.
go() { echo 1<>"$WORLD/$1.go"; }

