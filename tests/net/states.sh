#!/bin/bash
# states.sh: what is said of the state is so, names what to do, and claims no more than was looked at.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
no_network
none=$WORLD/none.json
policy pin <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["203.0.113.5"] }
END
policy nameless <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "allowed_hosts": ["nobody.invalid"] }
END
policy more <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID, $OTHER_UID], "allowed_hosts": ["nobody.invalid"] }
END
policy public <<END
{ "network_mode": "public", "users": [$AGENT_UID] }
END

# silent NAME PATTERN: nothing of the last command's output matches.
silent() {
	if grep -qE -- "$2" "$WORLD/err" "$WORLD/out"; then not_ok "$1" "something matches: $2" "$(show_output)"; else ok "$1"; fi
}

# --- a plan that is not where verify looks ----------------------------------------------------------------

agent mkdir -m 700 /run/egressfw
check "a policy, its plan kept elsewhere" fw apply --state-dir /run/elsewhere "$WORLD/pin.json"
status 1 "verify where no plan is" fw verify
says "why" 'plan-missing: /run/egressfw/egressfw.plan: there is no such file, so nothing tells what was applied'
says "and what to do" 'if apply was given --state-dir or --name, say the same, else apply again$'
silent "nobody is said to be closed in, who is not" 'closed in|loopback alone|did not come to its end'
check "verify with the same directory" fw verify --state-dir /run/elsewhere
agent nft add rule inet egressfw confined accept
agent mount -t tmpfs -o ro,mode=700 none /run/egressfw
status 1 "nor is a table that was altered" fw verify
silent "closed, as far as anybody can tell" 'closed in|loopback alone|did not come to its end'
check "where no state can be kept" fw apply "$none"
says "it is said" 'no state is kept'
status 1 "verify" fw verify
says "tells that no plan can be kept" ': and none can be kept here, which cannot be written: give the policy, or a directory'
says "and what helps" 'state +no plan is kept that could be compared with: give the policy, or --state-dir$'
says "tells who has loopback alone" 'the rules leave uid 1500(, 100000-165535)? loopback alone, as does an apply that did not'
check "which is so" fw verify "$none"
agent umount /run/egressfw

# --- an apply that fails, and fails again ------------------------------------------------------------------

agent nft delete table inet egressfw
status 4 "a name that cannot be found" fw apply --timeout 1 "$WORLD/nameless.json"
says "the user is closed" 'uids 1500, 100000-165535 are closed \(loopback only\)$'
status 4 "the same again" fw apply --timeout 1 "$WORLD/nameless.json"
says "the user is closed still" 'uids 1500, 100000-165535 are closed \(loopback only\), as before$'
closed "and is" tcp 203.0.113.5:443
status 1 "verify" fw verify
says "says so" 'plan-missing: .* the rules leave uid 1500, 100000-165535 loopback alone'
says "and what to do" 'state +no plan is kept that could be compared with: apply again$'
says "and whom the table confines" 'confined +uid 1500, 100000-165535$'
status 2 "of a user whom the table does not confine" fw verify --user other
says "it says so" '^egressfw verify: --user: "other" is not among those whom the table that stands confines$'
status 2 "with a word about a filter, of which nothing is kept" fw verify --filter-denial hidden
says "it says so" '^egressfw verify: --filter-denial: no plan is kept that it could be compared with: give the policy$'
fw verify --json >"$WORLD/out" 2>"$WORLD/err"
same "in JSON the table's users" '[{"first":1500,"last":1500},{"first":100000,"last":165535}]' "$(jq -c .confined "$WORLD/out")"
policy another <<END
{ "network_mode": "allowlist", "users": [$OTHER_UID], "allowed_hosts": ["nobody.invalid"] }
END
status 4 "one user alone" fw apply --name one --timeout 1 "$WORLD/another.json"
says "is one" "; uid $OTHER_UID is closed \\(loopback only\\)\$"
check "and is let go" fw remove --name one
check "a policy that opens something" fw apply "$WORLD/pin.json"
status 4 "then one that cannot be applied" fw apply --timeout 1 "$WORLD/nameless.json"
says "what stood is not called closed" '; what stood before still stands$'
reached "and is not" tcp 203.0.113.5:443
status 4 "one for more users" fw apply --timeout 1 "$WORLD/more.json"
agent rm /run/egressfw/egressfw.plan
status 1 "verify without the plan" fw verify
says "tells who is closed besides" "the rules leave uid $OTHER_UID loopback alone"

# --- while somebody else is at work ------------------------------------------------------------------------

nsenter -t "$world_agent" -m -n -w -- flock -F /run/egressfw/lock tail -f /dev/null 3>&- >/dev/null 2>&1 &
holder=$!
world_pids+=("$holder")
until agent sh -c '! flock -n /run/egressfw/lock true'; do sleep 0.01; done
status 1 "verify while another one works" fw verify
says "names it" 'plan-missing: .*: process [0-9]+ \(tail -f /dev/null\) is at work there; verify when it has ended$'
says "and asks for patience" 'state .*: process [0-9]+ \(tail -f /dev/null\) is at work: verify again when it has ended$'
silent "and for nothing else" 'apply again'
agent nft delete table inet egressfw
status 1 "without a table" fw verify
says "it is named too" 'state +our table is missing: .*; process [0-9]+ \(tail -f /dev/null\) is at work'
kill "$holder"
until agent flock -n /run/egressfw/lock true; do sleep 0.01; done
status 1 "when it has ended" fw verify
says "there is something to do" 'apply again$'
check "verify makes no lock of its own" agent sh -c 'rm /run/egressfw/lock; "$0" verify >/dev/null; [ ! -e /run/egressfw/lock ]' "$EGRESSFW"

# --- a plan that others may have written --------------------------------------------------------------------

check "pins once more" fw apply "$WORLD/pin.json"
agent chmod 666 /run/egressfw/egressfw.plan
status 3 "verify by a plan that others may write" fw verify
says "says what to do" \
	'^egressfw verify: /run/egressfw/egressfw.plan: may be written by others \(mode 0666\): delete it, and apply again; or, if none of them can have reached it, chmod go-w it$'
status 3 "apply refuses it too" fw apply "$WORLD/pin.json"
says "and changes nothing" 'chmod go-w it; nothing was changed$'
agent chmod go-w /run/egressfw/egressfw.plan
check "what was said helps" fw verify
agent chown $OTHER_UID /run/egressfw/egressfw.plan
status 3 "verify by a plan of somebody else's" fw verify
says "says what to do" "egressfw.plan: is owned by uid $OTHER_UID, who may have written it, and not by uid 0: delete it, and apply again\$"
hosts_before=$(agent cat /etc/hosts)
agent rm /run/egressfw/egressfw.plan
check "apply again" fw apply "$WORLD/pin.json"
check "all is as it was" fw verify
same "the hosts file too" "$hosts_before" "$(agent cat /etc/hosts)"

# --- what differs, and what to do --------------------------------------------------------------------------

check "pins again" fw apply "$WORLD/pin.json"
check "verify" fw verify
says "is content" 'table +inet egressfw: 2 sets'
says "with both" 'kernel and hosts file are as planned$'
check "verify without the hosts file" fw verify --no-hosts
says "does not speak of it" 'the kernel is as planned; the hosts file was not compared$'
check "apply without the hosts file" fw apply --no-hosts "$WORLD/pin.json"
check "verify" fw verify
says "knows that nobody cared for it" 'state +the kernel is as planned; the hosts file, which --no-hosts left alone, was not compared$'
silent "and says nothing else of it" 'hosts file +/etc'
check "pins once more" fw apply "$WORLD/pin.json"
for user in agent 1500 100000-100005; do
	check "verify of user $user, who is confined" fw verify --user $user
done
status 2 "of another user" fw verify --user agent --user other
says "who is none of the plan's" '^egressfw verify: --user: "other" is not among those whom the plan confines$'
status 2 "of a range that is not all of it" fw verify --user 1500-1501
says "which is said" 'uid 1500-1501 is not among those whom the plan confines$'
status 2 "of a user that there is none" fw verify --user nosuch
says "which is said" '--user: there is no user "nosuch" in /etc/passwd$'
status 1 "with a filter that was not applied" fw verify --filter-denial hidden
says "differs" 'difference +filter-settings: --filter-denial: wanted: a filter, found in the plan: none$'
says "and that is said last" 'state +not as planned: the filter; apply again$'
policy others <<<'{ "network_mode": "no-network", "users": [1501] }'
status 1 "of a policy that confines somebody else" fw verify "$WORLD/others.json"
says "shows whom the rules confine, and whom it wants" 'confined +uid 1500, 100000-165535; wanted: uid 1501$'
fw verify --json "$WORLD/others.json" >"$WORLD/out" 2>"$WORLD/err"
same "in JSON those whom the rules confine" '[{"first":1500,"last":1500},{"first":100000,"last":165535}]' "$(jq -c .confined "$WORLD/out")"
passwd_edit() { sed "$1" "$WORLD/etc/passwd" >"$WORLD/edited" && cat "$WORLD/edited" >"$WORLD/etc/passwd"; }
policy named <<<'{ "network_mode": "no-network", "users": ["agent"] }'
for arguments in "$WORLD/named.json" "--user agent $WORLD/nobody.json"; do
	[ -e "$WORLD/nobody.json" ] || policy nobody <<<'{ "network_mode": "no-network" }'
	# shellcheck disable=SC2086 # several words
	check "a policy of a user by name" fw apply $arguments
	check "verify" fw verify
	passwd_edit 's/^agent:x:1500:/agent:x:1600:/'
	status 1 "who is another one by now" fw verify
	says "is told" 'difference +user-changed: user "agent": wanted: uid 1500, as when it was applied, found in /etc/passwd: uid 1600$'
	says "and what to do" 'state +not as planned: the users; apply again$'
	passwd_edit '/^agent:/d'
	check "who is not there is nobody" fw verify
	echo 'agent:x:1500:1500::/nonexistent:/bin/sh' >>"$WORLD/etc/passwd"
	check "who is there again is who he was" fw verify
done
check "pins again" fw apply "$WORLD/pin.json"
agent nft delete element inet egressfw confined '{ 1500 }'
status 1 "rules that somebody changed" fw verify
says "confine nobody for certain" 'confined +unknown, for the rules were altered; wanted: uid 1500, 100000-165535$'
fw verify --json >"$WORLD/out" 2>"$WORLD/err"
same "in JSON nobody" '[]' "$(jq -c .confined "$WORLD/out")"
check "apply" fw apply "$WORLD/pin.json"
agent nft add rule inet egressfw confined accept
status 1 "a rule too many" fw verify
says "the table that is told of is the planned one" 'planned +table inet egressfw: 2 sets'
says "what differs, and what to do" "state +not as planned: the kernel's rules; apply again$"
check "apply" fw apply "$WORLD/pin.json"
agent sh -c 'printf "# egressfw begin\n203.0.113.5 left.example # egressfw\n# egressfw end\n" >>/etc/hosts'
status 1 "a line too many" fw verify
says "what differs, and what to do" 'state +not as planned: the hosts file; apply again$'
check "apply" fw apply "$WORLD/pin.json"
status 1 "a way out that the policy allows" fw canary 203.0.113.5:443
says "what to do" "OPEN: a confined user reaches a target; where the policy does not allow it, end that user's programs and apply"
agent nft delete table inet egressfw
status 1 "no table" fw verify
says "what to do" 'our table is missing: nobody is confined by it; apply again$'

# --- remove makes nothing ----------------------------------------------------------------------------------

check "remove with a state directory that is not there" fw remove --state-dir /run/nowhere
says "says so" 'note +/run/nowhere: cannot be opened: No such file or directory$'
deny "and does not make it" agent test -e /run/nowhere
agent rm -rf /run/egressfw
check "remove where nothing is kept" fw remove
says_not "does not speak of it" '/run/egressfw'
deny "nor makes anything" agent test -e /run/egressfw
check "pins, kept nowhere for long" fw apply "$WORLD/pin.json"
agent rm -rf /run/egressfw
check "remove takes them out all the same" fw remove
says "and nobody is confined" 'nobody is confined by this instance any more$'
deny "there is no table" agent nft list table inet egressfw

# --- a public policy confines nobody -----------------------------------------------------------------------

check "pins" fw apply "$WORLD/pin.json"
status 1 "verify of a public policy" fw verify "$WORLD/public.json"
says "finds our table" 'public, and something of ours is there: apply again$'
silent "and shows nobody as confined" 'confined +uid'
check "a public policy" fw apply "$WORLD/public.json"
says "is applied" 'public: nobody is confined'
silent "and nobody is shown as confined" 'confined +uid'
check "verify" fw verify "$WORLD/public.json"
says "is content" 'public: there is no table of ours, and nobody is confined by it$'
silent "and shows nobody either" 'confined +uid|no plan is kept'
fw verify --json "$WORLD/public.json" >"$WORLD/out" 2>"$WORLD/err"
says "in JSON neither" '"confined": \[\]'
fw apply --json "$WORLD/public.json" >"$WORLD/out" 2>"$WORLD/err"
says "nor of apply" '"confined": \[\]'
check "run under a public policy" fw run --cwd / "$WORLD/public.json" -- true
silent "shows nobody as confined" 'confined +uid'
# --- remove beside a first apply ---------------------------------------------------------------------------

# A remove that stops once it has called flock(2) for the first time.
remove_stopped() {
	nsenter -t "$world_agent" -m -n -w -- strace -f -qq -o /dev/null -e trace=flock -e inject=flock:signal=SIGSTOP:when=1 \
		"$EGRESSFW" remove >"$WORLD/removed" 2>&1 </dev/null &
	tracer=$!
	world_pids+=("$tracer")
	while kill -0 "$tracer" 2>/dev/null; do
		remover=$(pgrep -P "$tracer" egressfw) && grep -q '^State:.[tT]' "/proc/$remover/status" && break
		sleep 0.01
	done
}
if strace -o /dev/null -e inject=getppid:error=EPERM true 2>/dev/null; then
	agent rm -rf /run/egressfw
	remove_stopped
	status 3 "an apply beside a remove that found no state directory" fw apply --timeout 1 "$WORLD/pin.json"
	says "waits for it" "/run/egressfw/lock: is held by process $remover \\(.*egressfw remove\\); waited 1000 ms; nothing was changed\$"
	nsenter -t "$world_agent" -m -n -w -- "$EGRESSFW" apply --timeout 20 "$WORLD/pin.json" >"$WORLD/applied" 2>&1 </dev/null &
	apply_pid=$!
	world_pids+=("$apply_pid")
	while kill -0 "$apply_pid" 2>/dev/null; do
		find "/proc/$apply_pid/fd" -lname /run/egressfw/lock 2>/dev/null | grep -q . && break
		sleep 0.01
	done
	kill -CONT "$remover"
	check "remove comes to its end" wait "$tracer"
	check "and then the apply" wait "$apply_pid"
	check "which kept what it did where it is found" fw verify
	check "with the lock that others find" agent test -e /run/egressfw/lock
	check "remove" fw remove
else
	skip "an apply beside a remove" "strace cannot inject here"
fi
finish
