#!/bin/bash
# log_summary.sh: decision logs summed up: a table, and a page that a browser shows without any other resource.
. "${srcdir:-.}/tests/lib/world.sh" || exit 1
WORLD=$(mktemp -d "${TMPDIR:-/tmp}/egfw-$$-XXXXXX")
trap 'rm -rf "$WORLD"' EXIT
chmod 755 "$WORLD"

line() {
	printf '{"time":"%s","event":"%s","layer":"proxy","host":"%s","port":443,"decision":"%s","bytes_up":%d,"bytes_down":%d}\n' "$@"
}
{
	for minute in 10 11 12 13 13 13; do line "2026-11-30T08:$minute:00.000Z" decision a.example.com allow 0 0; done
	line 2026-11-30T08:59:00.000Z end a.example.com allow 2000 3000000
	line 2026-11-30T08:20:00.000Z decision b.example.com block 0 0
	line 2026-11-30T08:20:01.000Z decision '<img src=x onerror=document.title=1>' block 0 0
} >"$WORLD/one.log"
line 2026-11-30T09:20:00.000Z decision b.example.com block 0 0 >"$WORLD/two.log"
echo 'torn {"time":' >>"$WORLD/two.log"

status 0 'two files' "$EGRESSFW" log --summary "$WORLD/one.log" "$WORLD/two.log"
says 'the period' '^2026-11-30 08:10 to 2026-11-30 09:2[0-9] UTC$'
says 'the first host' '^a.example.com +6 +0 +0 +2.0 kB +3.0 MB$'
says 'the second' '^b.example.com +0 +0 +2 +0 B +0 B$'
says 'the sum' '^all +6 +0 +3 '
says 'what was no line' '^1 line is none of a decision log, and was left out'
status 0 'standard input' sh -c '"$1" log --summary - <"$2"' sh "$EGRESSFW" "$WORLD/one.log"
says 'is read too' '^all +6 +0 +2 '
mkdir "$WORLD/set"
cp "$WORLD/one.log" "$WORLD/set/a.log.12"
cp "$WORLD/one.log" "$WORLD/set/a.log"
cp "$WORLD/two.log" "$WORLD/set/b.log.1"
for name in a.log.x log a.logs a.log12 12; do cp "$WORLD/one.log" "$WORLD/set/$name"; done
echo '{"time":"2026-11-30T08:00:00.000Z","event":"dropped","reason":"r","files":3}' >>"$WORLD/set/a.log"
echo '{"time":"2026-11-30T08:00:00.000Z","event":"full","reason":"r"}' >>"$WORLD/set/a.log"
status 0 'a directory' "$EGRESSFW" log --summary "$WORLD/set"
says 'is all its logs' '^all +12 +0 +5 '
says 'what was dropped is said' '^older files had to make room, at least 3: what they had is not in this$'
says 'and what was refused' '^the log was full, and everything was refused while it was$'
says 'neither is an unknown line' '^1 line is none of a decision log, and was left out'
status 0 'the same as JSON' "$EGRESSFW" log --summary --json "$WORLD/set"
cp "$WORLD/out" "$WORLD/summary"
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	check 'it is what the schema says, and has what the table has' /usr/bin/python3 -c '
import json, sys, jsonschema
summary, schema = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
jsonschema.Draft202012Validator.check_schema(schema)
check = jsonschema.Draft202012Validator(schema)
check.validate(summary)
for name in summary:
    assert not check.is_valid({key: value for key, value in summary.items() if key != name}), name
assert summary["from"] == "2026-11-30T08:10:00Z", summary["from"]
assert summary["to"].startswith("2026-11-30T09:2"), summary["to"]
assert summary["hosts"][0] == {"allowed": 12, "failed": 0, "refused": 0, "bytes_up": 4000, "bytes_down": 6000000, "host": "a.example.com"}
assert {one["host"] for one in summary["hosts"]} == {"a.example.com", "b.example.com", "<img src=x onerror=document.title=1>"}
assert summary["all"] == {"allowed": 12, "failed": 0, "refused": 5, "bytes_up": 4000, "bytes_down": 6000000}, summary["all"]
assert summary["others"] == {"allowed": 0, "failed": 0, "refused": 0, "bytes_up": 0, "bytes_down": 0}, summary["others"]
assert (summary["malformed"], summary["dropped_files"], summary["full"]) == (1, 3, True)' \
		"$WORLD/summary" "$SRCDIR/contrib/log_summary.schema.json"
else
	skip 'it is what the schema says, and has what the table has' 'python3 has no jsonschema'
fi
status 0 'an empty log as JSON' "$EGRESSFW" log --summary --json /dev/null
says 'has no time' '"from": null'
status 2 'a page as JSON' "$EGRESSFW" log --html --json "$WORLD/set"
says 'is refused' '^egressfw log: --html and --json are two forms of the same'
status 0 'the same as a page' "$EGRESSFW" log --html "$WORLD/set"
says 'says it too' '<p>older files had to make room, at least 3'
status 2 'a directory of nothing' "$EGRESSFW" log --summary /proc/self/task
says 'is named' '/proc/self/task: has no file NAME.log'
ln -s ../one.log "$WORLD/set/c.log"
status 2 'a link in a directory' "$EGRESSFW" log --summary "$WORLD/set"
says 'is not followed' 'c.log: cannot be opened'
rm "$WORLD/set/c.log"
mkfifo "$WORLD/set/c.log"
status 2 'what would be waited for' "$EGRESSFW" log --summary "$WORLD/set"
says 'is not' 'c.log: is no regular file'
status 2 'a file that is not there' "$EGRESSFW" log --summary "$WORLD/none.log"
says 'is named' 'none.log: cannot be opened'
status 2 'files without a word what for' "$EGRESSFW" log "$WORLD/one.log"
status 2 'nothing to read' "$EGRESSFW" log --summary --state-dir "$WORLD/nowhere"
says 'says what to do' 'name a file, .*/var/log/egressfilter.*, or "-"'
status 0 'a page' "$EGRESSFW" log --html "$WORLD/one.log" "$WORLD/two.log"
cp "$WORLD/out" "$WORLD/page.html"
chmod 644 "$WORLD/page.html"
grep -v 'onerror' "$WORLD/page.html" >"$WORLD/page.html.without"
deny 'the page names no other resource' grep -qiE '(src|href)=|url\(|https?:|<script|@import' "$WORLD/page.html.without"

# The example of how it is read by jq has 24 lines, and says what is in a log.
same 'the example with jq has 24 lines' 24 "$(wc -l <"$SRCDIR/contrib/examples/decisions")"
{
	grep -v onerror "$WORLD/one.log"
	line 2026-11-30T08:59:01.000Z end a.example.com allow 1 2
	printf '{"time":"t","event":"decision","host":"c.test","port":80,"decision":"allow","reason":"it failed","status":502,"uid":1500}\n'
	echo '{"time":"t","event":"rotated","reason":"it is full"}'
} >"$WORLD/three.log"
if command -v jq >/dev/null; then
	status 0 'a log is read by jq' "$SRCDIR/contrib/examples/decisions" "$WORLD/three.log"
	same 'all that is in it' "Refused: how often, where to, by which rule, and why
 1 b.example.com:443
Passed on: where to, requests and tunnels, bytes sent and received
a.example.com 2 2001 3000002
Allowed, and failed: when, where to, and why
t c.test:80 it failed
Who asked: how often, and as which user
 7 nobody knows
 1 1500
What the log says of itself
t rotated it is full" "$(sed 's/[[:blank:]][[:blank:]]*/ /g; s/ $//' "$WORLD/out")"
	deny 'a log that is not there' "$SRCDIR/contrib/examples/decisions" "$WORLD/none.log"
else
	skip 'a log is read by jq' 'there is no jq'
fi

if command -v chromium >/dev/null; then
	browse() {
		timeout 90 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
			--disable-background-networking --disable-component-update --disable-sync \
			--user-data-dir="$WORLD/profile" --timeout=5000 "$@" "file://$WORLD/page.html"
	}
	browse --dump-dom >"$WORLD/dom" 2>"$WORLD/err" </dev/null
	check 'a browser shows the table' grep -q '<td>a.example.com</td><td>6</td><td>0</td><td>0</td><td>2.0 kB</td><td>3.0 MB</td>' "$WORLD/dom"
	check 'and the bars' grep -q '<b style="height:120px"></b>' "$WORLD/dom"
	check 'a host that is markup is text' grep -q '&lt;img src=x onerror=document.title=1&gt;' "$WORLD/dom"
	check 'and its script did not run' grep -q '<title>egressfw: decisions</title>' "$WORLD/dom"
	browse --screenshot="$WORLD/page.png" >/dev/null 2>"$WORLD/err" </dev/null
	check 'it can be seen' test -s "$WORLD/page.png"
	[ -z "${EGRESSFW_KEEP_PAGE:-}" ] || cp "$WORLD/page.png" "$WORLD/page.html" "$EGRESSFW_KEEP_PAGE"
else
	skip 'a browser shows the page' 'there is no chromium'
fi
finish
