#!/bin/bash
# apply.sh: nobody is let go before all is proven; what callers, files and descriptors may do to an apply.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin

# A policy that lets a user go, and cannot be proven: the user stays closed.
no_network old
policy new <<END
{ "network_mode": "no-network", "users": [$OTHER_UID] }
END
policy unproven <<END
{ "network_mode": "no-network", "users": [$OTHER_UID], "canary": ["198.51.100.77:443"] }
END
check "a policy stands" fw apply "$WORLD/old.json"
agent ip route add unreachable 198.51.100.77
status 6 "a later one cannot be proven" fw apply "$WORLD/unproven.json"
says "it says who is closed besides" "uids $AGENT_UID, 100000-165535 are closed besides"
closed "whom it would let go is closed" tcp 1.1.1.1:443
closed "also over IPv6" tcp '[2606:4700:4700::1111]:443'
deny "whom it confines is closed" attempt $OTHER_UID tcp 1.1.1.1:443
reached "loopback is open for both" ping 127.0.0.1:0
check "one that can be proven" fw apply "$WORLD/new.json"
reached "lets the user go" tcp 1.1.1.1:443
deny "and confines the other" attempt $OTHER_UID tcp 1.1.1.1:443
check "verify" fw verify "$WORLD/new.json"
same "nothing of the bridge is left" "" "$(rules | grep closing)"

# A probe that comes through closes whoever was confined, before and now. The route is one that our rules cannot see.
check "the first policy again" fw apply "$WORLD/old.json"
check "verify finds it" fw verify
status 1 "and not the other" fw verify "$WORLD/new.json"

# A confined user with the capability does not take its walls down.
walls() {
	agent setpriv --reuid $AGENT_UID --regid $AGENT_UID --clear-groups --inh-caps +net_admin --ambient-caps +net_admin \
		"$EGRESSFW" "$@"
}
agent install -d -m 700 -o $AGENT_UID -g $AGENT_UID /run/own
policy public <<END
{ "network_mode": "public" }
END
for command in "apply --no-hosts $WORLD/public.json" "apply --no-hosts --no-canary $WORLD/new.json" \
	"apply --no-hosts --no-canary $WORLD/old.json" "remove --no-hosts"; do
	before=$(snapshot)
	# shellcheck disable=SC2086
	status 3 "a confined user: ${command%% *}" walls $command --state-dir /run/own
	says "a confined user: ${command%% *}, why" 'confined'
	same "a confined user: ${command%% *}, nothing is changed" "$before" "$(snapshot)"
done

# What a caller leaves behind.
check "SIGCHLD ignored by the caller" agent env --ignore-signal=CHLD "$EGRESSFW" apply "$WORLD/old.json"
status 3 "a limit on the size of files" agent bash -c \
	'ulimit -f 0; exec "$1" apply --state-dir /run/limited "$2" >/dev/null 2>&1' bash "$EGRESSFW" "$WORLD/new.json"
closed "a limit on the size of files: closed" tcp 1.1.1.1:443
check "no descriptors at all" agent bash -c "exec \"$EGRESSFW\" apply \"$WORLD/old.json\" <&- >&- 2>&-"
check "they did not become the lock" fw verify
printf '{"network_mode":"no-network","users":[%d],"x\033[31m":1}' $AGENT_UID >"$WORLD/steer.json"
status 2 "a name that would steer a terminal" fw apply "$WORLD/steer.json"
cp "$WORLD/err" "$WORLD/said"
deny "is shown without control characters" grep -q $'\033' "$WORLD/said"
status 2 "a path that would" fw apply $'nowhere\033[31m\nelse'
cp "$WORLD/err" "$WORLD/said"
deny "is shown without control characters either" grep -q $'\033' "$WORLD/said"
same "in one line" 1 "$(wc -l <"$WORLD/said")"
policy broken <<<'{}'
status 2 "a policy without a mode" fw apply --json "$WORLD/broken.json"
says "is not reported as public" '"network_mode": null'
cp "$WORLD/out" "$WORLD/said"
deny "nor its absence as a fact of the table" grep -q 'no table' "$WORLD/said"

# A kept plan that is none does not keep verify and canary from their work.
agent sh -c 'echo junk >/run/egressfw/egressfw.plan'
check "verify with a policy, the kept plan is junk" fw verify "$WORLD/old.json"
check "canary, the kept plan is junk" fw canary
status 1 "verify without one tells" fw verify
says "that the plan is none" 'plan-missing: .*egressfw.plan: the stored plan is not one of this version'
agent rm -r /run/egressfw
check "where no plan can be kept, the table is checked alone" fw verify
says "and that is said" 'state-missing'

# A monitor that asks verify alone hears of an apply that did not come to its end.
agent nft delete table inet egressfw
policy nameless <<<'{ "network_mode": "allowlist", "users": ["agent"], "allowed_hosts": ["nobody.invalid"] }'
status 4 "a name that cannot be pinned, where nothing stood" fw apply --timeout 1 "$WORLD/nameless.json"
attempt $AGENT_UID tcp 203.0.113.5:443 >"$WORLD/attempt"
same "the user is closed in" ECONNREFUSED "$(cut -d ' ' -f 1 "$WORLD/attempt")"
status 1 "verify says that the policy does not stand" fw verify
says "and why" 'plan-missing'

# Public means no hosts lines either.
agent sh -c 'printf "# egressfw begin\n203.0.113.5 left.example # egressfw\n# egressfw end\n" >>/etc/hosts'
agent nft delete table inet egressfw
status 1 "verify of a public policy finds our hosts lines" fw verify "$WORLD/public.json"
check "a public policy takes them out" fw apply "$WORLD/public.json"
check "and is verified" fw verify "$WORLD/public.json"
finish
