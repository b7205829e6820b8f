# http_lib.sh: a filter before web servers; sourced by the tests in tests/filter that speak HTTP.
# shellcheck shell=bash
#
#   http_begin [PORT...]   a world whose far side has origin.py on these ports (80 443 8080), and names
#   http_mark              from here on
#   origin_since FIELD...  what the servers saw since the mark: method, path, host, ..., a line for each request
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1

origin_lines=0

http_begin() {
	local ready line
	[ $# -gt 0 ] || set -- 80 443 8080
	filter_begin
	install -m 644 "$SRCDIR/tests/filter/http_client.py" "$WORLD/bin/http_client.py"
	# The echoing servers have the ports that are wanted here.
	serve_end "$served_pid"
	serve far tcp/::/22
	: >"$WORLD/origin"
	ready=$WORLD/origin-ready
	mkfifo "$ready"
	nsenter -t "$world_far" -n -w -- "$PYTHON" "$SRCDIR/tests/filter/origin.py" "$WORLD/origin" \
		"$@" >"$ready" 2>"$WORLD/origin.err" </dev/null &
	world_pids+=("$!")
	read -r -t 20 line <"$ready"
	[ "$line" = ready ] || { cat "$WORLD/origin.err"; echo 'Bail out! the web servers did not start'; exit 1; }
}

http_names() {
	dns_script <<'END'
allowed.test A 203.0.113.5
other.test A 203.0.113.6
port.test A 203.0.113.6
a.test A 203.0.113.7
*.wild.test A 203.0.113.7
61000047.r.h.test A 203.0.113.7
xn--bcher-kva.test A 203.0.113.7
denied.test A 203.0.113.66
private.test A 10.0.0.5
silent.test ANY drop=all
END
}

# What a subshell counts is lost, so marks are set by themselves.
http_mark() {
	origin_lines=$(wc -l <"$WORLD/origin")
	log_mark
}

origin_since() {
	tail -n "+$((origin_lines + 1))" "$WORLD/origin" | "$PYTHON" -c '
import json, sys
for line in sys.stdin:
    one = json.loads(line)
    fields = {}
    for name, value in one["fields"]:
        fields.setdefault(name.lower(), []).append(value)
    print(*(str(one[want]) if want in one else "|".join(fields.get(want, ["-"])) for want in sys.argv[1:]))' "$@"
}
