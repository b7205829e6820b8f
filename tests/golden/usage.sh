#!/bin/bash
# usage.sh: a command line that is wrong is told what is wrong with it, in one line; and help is found.
set -u

egressfw=${EGRESSFW:-./egressfw}
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
failures=0

fail() {
	echo "FAIL: $*" >&2
	cat "$directory/err" "$directory/out" >&2
	failures=$((failures + 1))
}

# wrong STATUS PATTERN WORD...: ends so, and says so on standard error in one line without control characters.
wrong() {
	local want=$1 pattern=$2 got
	shift 2
	"$egressfw" "$@" >"$directory/out" 2>"$directory/err" </dev/null
	got=$?
	[ "$got" -eq "$want" ] || fail "status $got, wanted $want: $*"
	grep -qE -- "$pattern" "$directory/err" || fail "does not say \"$pattern\": $*"
	case $1 in
	check | plan | verify | canary | env | doctor | log)
		grep -q 'nothing was changed' "$directory/err" && fail "says that what never changes anything did not: $*" ;;
	*) grep -q 'nothing was changed' "$directory/err" || fail "does not say what is left: $*" ;;
	esac
	[ "$(wc -l <"$directory/err")" -eq 1 ] || fail "is not one line: $*"
	LC_ALL=C grep -q '[[:cntrl:]]' "$directory/err" && fail "has a control character: $*"
	case " $* " in
	*" --json "*) ;;
	*) [ -s "$directory/out" ] && fail "says something on standard output too: $*" ;;
	esac
}

echo '{ "network_mode": "no-network", "users": [1500] }' >"$directory/p.json"
policy=$directory/p.json

wrong 2 'no command "aply"; did you mean "apply"\? see egressfw --help' aply
wrong 2 'no command "doctr"; did you mean "doctor"\?' doctr
wrong 2 'no command "frobnicate"; see egressfw --help' frobnicate
wrong 2 'no command "apply ", which ends with a blank; did you mean "apply"\?' 'apply ' "$policy"
wrong 2 'no command "", which is empty' ''
wrong 2 'no command "\\u001b' $'\033[31m'
wrong 2 'no command "aply"; did you mean "apply"' help aply
wrong 2 'no option "--quiett"; did you mean "--quiet"\? see egressfw apply --help' apply --quiett "$policy"
wrong 2 'no option "--json ", which ends with a blank; did you mean "--json"\?' verify '--json '
wrong 2 'no option "-q"; see egressfw apply --help' apply -q "$policy"
same_place=(--filter-listen 127.0.0.1:8118 --filter-listen 127.0.0.1:8118)
for command in apply plan env; do
	wrong 2 '--filter-listen: 127\.0\.0\.1:8118 is given twice; say it once' "$command" "${same_place[@]}" "$policy"
done
wrong 125 '--filter-listen: 127\.0\.0\.1:8118 is given twice' run "${same_place[@]}" "$policy" -- true
wrong 2 '--filter-user: "root" is uid 0, and the filter may not run as root: name a user of its own' apply --filter-user root "$policy"
wrong 2 '--filter-user: "0" is uid 0, and the filter may not run as root' apply --filter-user 0 "$policy"
wrong 2 '--timeout: "5 " is no time.*; the value ends with a blank' apply --timeout '5 ' "$policy"
for option in --state-dir --hosts-file --name --backend --timeout --user --filter-user --filter-listen --filter-log \
	--filter-log-files --filter-program; do
	wrong 2 "$option: the value is empty; it takes [A-Za-z]" apply "$option=" "$policy"
	wrong 2 "$option: the value is empty; it takes [A-Za-z]" apply "$option" '' "$policy"
done
wrong 125 '--cwd: the value is empty; it takes DIR;' run --cwd= "$policy" -- true
wrong 125 '--keep-env: the value is empty; it takes PATTERN;' run --keep-env= "$policy" -- true
wrong 2 'log: the name of a file is empty$' log --summary ''
wrong 2 '--filter-listen: "localhost:3128" is no address of loopback .* "127\.0\.0\.1:3128"' \
	apply --filter-listen localhost:3128 "$policy"
wrong 2 '--user: " agent" is not a user name.*; the value begins with a blank' apply '--user= agent' "$policy"
wrong 2 'cannot be opened for reading: .*; the name ends with a blank' apply "$policy "
wrong 2 '"x" is one argument too many; usage: egressfw apply POLICY' apply "$policy" x
wrong 2 '" " is one argument too many: it is blank; usage: egressfw remove;' remove ' '
wrong 2 '"" is one argument too many: it is empty; usage: egressfw verify \[POLICY\]' verify "$policy" ''
wrong 2 'POLICY is missing; usage: egressfw check POLICY' check
wrong 2 '"1\.1\.1\.1:443 ".*ends with a blank' canary '1.1.1.1:443 '
wrong 125 'there is no "--" before the program; usage: egressfw run POLICY -- CMD.*\(status 2\)$' run "$policy" true
wrong 125 'there is no program behind "--"; usage' run "$policy" --
wrong 125 'POLICY is missing' run -- true

# What is wrong is an object with --json, wherever that stands; behind "--" it is the program's.
for command in apply verify canary remove; do
	wrong 2 'no option "--bogus"' "$command" --bogus --json
	grep -q '"error": "no option' "$directory/out" || fail "$command --json: no error in the object"
	grep -q '"canary": null' "$directory/out" || fail "$command --json: is not a report"
done
wrong 2 'POLICY is missing' check --json
grep -q '"error": "POLICY is missing' "$directory/out" || fail "check --json: no error in the object"
wrong 125 'no option "--bogus"' run --bogus "$policy" -- cat --json

# What is asked for and cannot be written is not done, though nothing was changed.
"$egressfw" check "$policy" >/dev/full 2>"$directory/err"
[ $? -eq 5 ] || fail "check to a full device: the status"

# A path may be any bytes, and the object is ASCII all the same.
for command in check plan; do
	"$egressfw" "$command" --json $'\xff\x7f\033"none' >"$directory/out" 2>"$directory/err"
	[ $? -eq 2 ] || fail "$command --json: a path that is no text: the status"
	grep -q '"error": ".*none: cannot be opened for reading' "$directory/out" || fail "$command --json: a path that is no text"
	tr -d '\n' <"$directory/out" | LC_ALL=C grep -q '[^ -~]' && fail "$command --json: a path that is no text is not printed as such"
done

# helps PATTERN WORD...: prints that on standard output.
helps() {
	local pattern=$1
	shift
	"$egressfw" "$@" >"$directory/out" 2>"$directory/err" || fail "fails: $*"
	grep -qE -- "$pattern" "$directory/out" || fail "does not say \"$pattern\": $*"
	[ -s "$directory/err" ] && fail "has something on standard error: $*"
}
for word in --help -h help; do
	helps '^usage: egressfw COMMAND' "$word"
	helps '^usage: egressfw apply \[OPTION\.\.\.\] POLICY$' "$word" apply
done
helps '^usage: egressfw apply' apply -h
helps '^usage: egressfw remove \[OPTION\.\.\.\]$' remove --help
helps '^  --json +with --summary: one JSON object; each line is one in any case$' log --help
helps '^  --no-hosts +names are not pinned there: do not check the hosts file and nsswitch.conf$' doctor --help
helps '^  --no-hosts +do not compare the hosts file$' verify --help
helps '^  --no-hosts +leave the hosts file alone$' apply --help

# check: an answer for every target, and what apply would say.
"$egressfw" check "$policy" 192.0.2.1:1 localhost:80 $'a\033b' 192.0.2.2:2 >"$directory/out" 2>"$directory/err"
[ $? -eq 2 ] || fail "a target that cannot be read: the status"
[ "$(cut -d ' ' -f 1 "$directory/out" | paste -sd ' ')" = "block invalid invalid block" ] ||
	fail "a target that cannot be read: the answers"
grep -q '2 of 4 targets cannot be read, the first: "localhost" is this host itself, .* write 127.0.0.1 or \[::1\]' "$directory/err" ||
	fail "a target that cannot be read: why"
LC_ALL=C grep -q $'\033' "$directory/out" && fail "a target steers the terminal"
"$egressfw" check --json "$policy" localhost 192.0.2.1 >"$directory/out" 2>"$directory/err"
grep -q '"decision": null' "$directory/out" || fail "--json: a target that cannot be read"
grep -q '"decision": "block"' "$directory/out" || fail "--json: the one behind it"
grep -q '"refusals": \[\]' "$directory/out" || fail "--json: no refusals"

# An address that ends as if in a port, and others that do not.
hidden() {
	printf '{"network_mode":"allowlist","users":[1500],"allowed_hosts":["192.0.2.1:443","%s"]}' "$2" >"$directory/r.json"
	"$egressfw" check "$directory/r.json" >"$directory/out" 2>"$directory/err" || fail "status: $2"
	if [ -n "$1" ]; then
		grep -qF -- "note: allowed_hosts[1]: \"$2\" is an address, of which ports 80 and 443 are open; if its end was meant as a port, write \"$1\"" "$directory/out" ||
			fail "$2: no note"
	elif grep -q '^note: ' "$directory/out"; then
		fail "$2: a note"
	fi
}
hidden '[2001:db8::1]:443' 2001:db8::1:443
hidden '[2001:db8:1::5]:8080' 2001:db8:1::5:8080
for other in '[2001:db8::1]:443' '[2001:db8::1:443]:443' 2001:db8::443 2001:db8::1:5 2001:db8::1:4a3 2001:db8:1:2:3:4:5:443 \
	2001:db8::1:0/112; do
	hidden '' "$other"
done

# refuses PATTERN POLICY [OPTION...]: check says that apply would refuse it, in both forms, with status 0.
refuses() {
	local pattern=$1
	printf '%s' "$2" >"$directory/r.json"
	shift 2
	"$egressfw" check "$@" "$directory/r.json" >"$directory/out" 2>"$directory/err" || fail "status: $pattern"
	grep -qE "^note: apply would refuse this policy: .*$pattern" "$directory/out" || fail "no note: $pattern"
	[ -s "$directory/err" ] && fail "something on standard error: $pattern"
	"$egressfw" check --json "$@" "$directory/r.json" >"$directory/out" 2>"$directory/err" || fail "status: $pattern"
	sed -n '/"refusals"/,$p' "$directory/out" | grep -qE "$pattern" || fail "--json, no refusal: $pattern"
}
refuses 'blocked_urls\[0\]: .*a.test/x.* has a path' \
	'{"network_mode":"blocklist","users":[1500],"blocked_urls":["a.test/x"]}'
refuses 'there is no user .*nobody-here' '{"network_mode":"no-network","users":["nobody-here"]}'
refuses 'nobody is confined' '{"network_mode":"no-network"}'
refuses 'canary\[0\]: 192.0.2.1 port 443 is allowed' \
	'{"network_mode":"allowlist","users":[1500],"allowed_hosts":["192.0.2.1"],"canary":["192.0.2.1:443"]}'
for silent in '{"network_mode":"public"}' '{"network_mode":"no-network","users":[1500]}' \
	'{"network_mode":"blocklist","users":[1500],"blocked_urls":["a.test"]}' \
	'{"network_mode":"allowlist","users":[1500],"allowed_hosts":["*.a.test"]}'; do
	printf '%s' "$silent" >"$directory/r.json"
	"$egressfw" check "$directory/r.json" >"$directory/out" 2>"$directory/err" || fail "status: $silent"
	grep -q note "$directory/out" && fail "a note: $silent"
done
printf '{"network_mode":"no-network"}' >"$directory/r.json"
"$egressfw" check --user 1500 "$directory/r.json" >"$directory/out" 2>"$directory/err" || fail "--user: status"
grep -q note "$directory/out" && fail "a note although --user names somebody"
"$egressfw" check --quiet "$directory/r.json" >"$directory/out" 2>"$directory/err" || fail "--quiet: status"
[ -s "$directory/out" ] && fail "--quiet says something"
[ "$failures" -eq 0 ]
