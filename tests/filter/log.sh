#!/bin/bash
# log.sh: the decision log: one line each, whatever the client sends, and no request without its line (K1 to K4).
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1
"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip_all "python3 has no jsonschema"
filter_begin
dns_script <<'END'
allowed.test A 203.0.113.5
END
settings() {
	filter_settings "$@" <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter",
		  "allowed_hosts": ["allowed.test:*", "203.0.113.0/24:*"] }
	END
}
good_lines() {
	"$PYTHON" -c 'import json, jsonschema, sys
schema = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
for path in sys.argv[2:]:
    for line in open(path, "rb"):
        assert line.isascii() and line.endswith(b"\n") and all(0x20 <= byte < 0x7f for byte in line[:-1]), line
        schema.validate(json.loads(line))' "$SRCDIR/contrib/log.schema.json" "$@"
}
until_ends() { until_true eval "test \"\$(ends status | wc -l)\" -ge $1"; }

# Where there is no log there is no filter.
refuses_log() {
	local status=0
	settings
	timeout 20 nsenter -t "$world_agent" -m -n -w -- "$WORLD/bin/egressfilter" --user filter "$WORLD/settings.json" \
		>"$WORLD/out" 2>"$WORLD/err" </dev/null || status=$?
	same "case_K1: $1: it does not start" 3 "$status"
	says "$1: and says why" "$2"
}
real_log=$filter_log
filter_log=/dev/full
refuses_log "a device" 'must be a regular file'
filter_log=$WORLD/none/log
refuses_log "no folder" 'cannot be opened'
filter_log=/root/log
refuses_log "a folder of somebody else" 'cannot be opened'
agent ln -s "$real_log" "$WORLD/log/link"
filter_log=$WORLD/log/link
refuses_log "a link" 'cannot be opened'
deny "a link: nothing is made at its end" test -e "$real_log"
agent setpriv --reuid "$FILTER_UID" --clear-groups mkfifo "$WORLD/log/fifo"
filter_log=$WORLD/log/fifo
refuses_log "a FIFO" 'must be a regular file'
agent setpriv --reuid "$FILTER_UID" --clear-groups mkdir "$WORLD/log/folder"
filter_log=$WORLD/log/folder
refuses_log "a folder" 'Is a directory'
as_user "$AGENT_UID" install -m 666 /dev/null "$WORLD/tmp/log"
filter_log=$WORLD/tmp/log
refuses_log "a file of somebody else, who may change it" "must belong to uid $FILTER_UID, .* it is uid $AGENT_UID's"
filter_log=$WORLD/tmp/new
refuses_log "a folder in which everybody may" 'the folder of the log must belong to'
agent setpriv --reuid "$FILTER_UID" --clear-groups sh -c "mkdir $WORLD/log/closed; : >$WORLD/log/closed/log; chmod 500 $WORLD/log/closed"
filter_log=$WORLD/log/closed/log
refuses_log "a folder in which nothing can be made" 'cannot be written, which rotation must'
rm -r "$WORLD/log/link" "$WORLD/log/fifo" "$WORLD/log/folder" "$WORLD/log/closed"
filter_log=$real_log

# Torn by whoever wrote it before.
printf '{"a":1' >"$filter_log"
chown "$FILTER_UID" "$filter_log"
settings
filter_start
client connect allowed.test:443 >/dev/null
same "case_K2: a torn tail gets its newline first" '{"a":1' "$(sed -n 1p "$filter_log")"
check "and the next line is whole" "$PYTHON" -c 'import json, sys; json.loads(open(sys.argv[1]).readlines()[1])' "$filter_log"
filter_end
sed -i 1d "$filter_log"

# Exactly one decision for each: allowed, denied, malformed, no upstream, closed, ended early.
filter_start
log_mark
client connect allowed.test:443 >/dev/null
client connect denied.test:443 >/dev/null
client raw 'CONNECT nonsense HTTP/1.1\r\n\r\n' >/dev/null
client connect 203.0.113.5:81 >/dev/null
client connect allowed.test:443 other.test >/dev/null
client raw 'CONNECT 203.0.113.5:443 HTTP/1.1\r\nHost: x\r\n' early >/dev/null
until_ends 1
until_true eval 'test "$(decisions status | wc -l)" -ge 6'
same "case_K1: one line for each" "200 allow allowed.test
403 block denied.test
400 block -
502 allow 203.0.113.5
200 block allowed.test
- block -" "$(decisions status decision host)"
same "one end for each that went on" "200 allow" "$(ends status decision)"
same "whose it was" "$AGENT_UID" "$(decisions uid | sort -u)"

# K3: octets that want to get out of their string, or into a terminal.
log_mark
for text in 'a\x1b[2J.test:443' 'a\".test:443' 'a\\.test:443' '\x80\xff:443' 'a\xe2\x80\xa8b:443' 'a\x7f.test:443' 'a%0a.test:443'; do
	same "case_K3: $text" 400 "$(client raw "CONNECT $text HTTP/1.1\r\nHost: x\r\n\r\n")"
done
# K4: what nobody may find in a log.
client raw 'CONNECT u:p4ss@allowed.test:443 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic c3VwZXI\r\n\r\n' >/dev/null
client raw 'CONNECT denied.test:443 HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic c3VwZXI\r\nCookie: c00k\r\n\r\n' >/dev/null
check "case_K3: all lines are what the schema says, in plain ASCII" good_lines "$filter_log"
deny "case_K4: no userinfo, no header values" grep -E 'p4ss|c3VwZXI|c00k' "$filter_log"

# K2: many at once, and a kill in the middle.
log_mark
for worker in 1 2 3 4; do client repeat 250 denied.test:443 >"$WORLD/tmp/repeat$worker" & done
wait $(jobs -p | tail -n 4) 2>/dev/null
until_true eval 'test "$(decisions status | wc -l)" -ge 1000'
same "case_K2: 1,000 requests of four clients, 1,000 lines" 1000 "$(decisions status | grep -c 403)"
filter_end
same "it ends with 0" 0 "$filter_status"
filter_start
client_begin repeat 100000 denied.test:443
until_true eval 'test "$(wc -l <"$filter_log")" -gt 1500'
filter_end KILL
client_end
check "case_K2: killed while busy: every line is whole" good_lines "$filter_log"

# Rotation.
settings '"log_size": 8192' '"log_files": 2'
filter_start
client repeat 100 denied.test:443 >/dev/null
check "rotated: there are old files" test -s "$filter_log.1" -a -s "$filter_log.2"
same "as many as may be" "$filter_log.1 $filter_log.2" "$(echo "$filter_log".[0-9]*)"
same "each says at its end that it goes on" "rotated rotated" \
	"$(tail -qn 1 "$filter_log.2" "$filter_log.1" | "$PYTHON" -c 'import json, sys; print(*(json.loads(line)["event"] for line in sys.stdin))')"
check "none is larger than it may be" test "$(cat "$filter_log" "$filter_log".[12] | wc -c)" -lt 25500
check "all lines of all are good" good_lines "$filter_log" "$filter_log".[12]
check "what is gone is said" grep -q '"event":"dropped".*"files":[0-9]*}' "$filter_log" "$filter_log.1"
rm "$filter_log"
answers "deleted while it runs" 403 denied.test:443
check "case_K1: it is begun anew" good_lines "$filter_log"
same "with that line" 1 "$(wc -l <"$filter_log")"
# Rotation that cannot be.
mkdir -p "$WORLD/log/x" && rm -f "$filter_log.2" && mv "$WORLD/log/x" "$filter_log.2" && touch "$filter_log.2/x"
same "rotation that fails refuses" "403 503" "$(client repeat 100 denied.test:443 | tr '\n' ' ' | sed 's/ x [0-9]*//g; s/, / /; s/ $//')"
answers "so that nobody gets out unseen" 503 allowed.test:443
rm -r "$filter_log.2"
# The first line that is written again is about a refusal, the next may go on.
client connect allowed.test:443 >/dev/null
answers "and goes on when it can" "200 tunnel" allowed.test:443
filter_end
same "its end tells" 1 "$filter_status"
check "and says how many" grep -qE 'decisions: [0-9]+ lines could not be written' "$WORLD/filter.err"

# No line goes for another one: then nobody gets out.
rm -f "$filter_log" "$filter_log".[0-9]*
settings '"log_size": 8192' '"log_files": 1' '"log_full": "refuse"'
filter_start
same "a full log refuses" "403 503" "$(client repeat 100 denied.test:443 | tr '\n' ' ' | sed 's/ x [0-9]*//g; s/, / /; s/ $//')"
wire_mark
answers "and lets nobody out" 503 allowed.test:443
same "nothing goes out" "" "$(wire_since '$7 ~ /P/')"
same "it says so once" 1 "$(grep -c '"event":"full"' "$filter_log")"
check "and its lines are good" good_lines "$filter_log" "$filter_log.1"
same "nothing was dropped" 0 "$(cat "$filter_log" "$filter_log.1" | grep -c dropped)"
mv "$filter_log.1" "$WORLD/tmp/taken"
client connect allowed.test:443 >/dev/null
answers "it goes on when a file is taken away" "200 tunnel" allowed.test:443
same "in a new one" 0 "$(grep -c '"event":"full"' "$filter_log")"
filter_end
rm -f "$filter_log" "$filter_log".[0-9]*

# A device that fills up while it runs.
agent mount -t tmpfs -o "size=640k,uid=$FILTER_UID,mode=755" tmpfs "$WORLD/log"
settings
filter_start
answers "there is room" "200 tunnel" allowed.test:443
agent dd if=/dev/zero of="$WORLD/log/ballast" bs=64k 2>/dev/null
seen=0
for try in $(seq 20); do
	answer=$(client repeat 200 denied.test:443)
	case $answer in *503*) seen=1; break ;; esac
done
same "a full device refuses" 1 "$seen"
wire_mark
answers "case_K1: a full device lets nobody out" 503 allowed.test:443
same "nothing has gone out" "" "$(wire_since '$7 ~ /P/')"
wire_mark
same "nor a request" 503 "$(client raw 'GET http://allowed.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')"
same "for which nobody is dialled" "" "$(wire_since '$2 == "tcp"')"
same "a denial is not told without its line" 503 "$(client raw 'GET http://denied.test/ HTTP/1.0\r\n\r\n')"
same "nor that a request is malformed" 503 "$(client raw 'GET / HTTP/1.0\r\n\r\n')"
agent rm "$WORLD/log/ballast"
client connect allowed.test:443 >/dev/null
answers "and goes on when there is room" "200 tunnel" allowed.test:443
filter_end
same "its end tells of the full device" 1 "$filter_status"
agent dd if=/dev/zero of="$WORLD/log/ballast" bs=64k 2>/dev/null
refuses_log "a full device" 'the decision log cannot be written: No space left on device; make room there; nothing was started'
agent rm "$WORLD/log/ballast"

# The same while files are put aside: each answer but 503 has its line, somewhere. Only the agent's side sees the device.
agent rm "$filter_log"
settings '"log_size": 8192' '"log_files": 99'
filter_start
answered=0 seen=0
for try in $(seq 20); do
	agent dd if=/dev/zero of="$WORLD/log/ballast" bs=1k count=$((try * 40)) 2>/dev/null
	answer=$(client repeat 200 denied.test:443)
	case $answer in *503*) seen=$((seen + 1)) ;; esac
	answered=$((answered + $(awk -F ', ' '{ for (i = 1; i <= NF; i++) if ($i ~ /^403 x /) n = substr($i, 7) } END { print n + 0 }' <<<"$answer")))
	agent rm "$WORLD/log/ballast"
	[ "$seen" -lt 3 ] || break
done
check "rotated: a full device refuses" test "$seen" -ge 3
filter_end
mkdir "$WORLD/all"
# shellcheck disable=SC2016 # the shell in there expands it
agent sh -c 'cp "$1"* "$2"' sh "$filter_log" "$WORLD/all"
check "rotated: there are old files" test -s "$WORLD/all/decisions.1" -a -s "$WORLD/all/decisions.2"
same "rotated: as many lines as answers" "$answered" "$(cat "$WORLD"/all/* | grep -c '"status":403')"
check "rotated: all lines of all are good" good_lines "$WORLD"/all/*
finish
