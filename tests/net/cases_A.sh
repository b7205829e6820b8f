#!/bin/bash
# cases_A.sh: policies that must not be taken for something wider than they say.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
cases_begin
no_network
check "a policy stands" fw apply "$WORLD/none.json"

# case_A1: an unknown key is an error, never a dropped restriction.
bad_here() {
	printf '%s' "$2" >"$WORLD/bad.json"
	refused "$1" 2 "$3" apply "$WORLD/bad.json"
	status 2 "$1, plan" fw plan "$WORLD/bad.json"
}
bad() {
	bad_here "$@"
	status 2 "$1, check" fw check "$WORLD/bad.json"
}
bad "case_A1: an unknown key" '{"users":[1500],"network_mode":"no-network","prots":[443]}' '"?prots"?'
bad "case_A1: a near miss is suggested" \
	'{"users":[1500],"network_mode":"allowlist","allowed_host":["192.0.2.1"]}' 'allowed_hosts'
bad "case_A1: another shape" '{"rules":[{"deny":"*"}]}' '"?rules"?'
bad "case_A1: an empty object" '{}' 'network_mode'
bad "case_A1: an empty file" '' 'bad\.json'
bad "case_A1: text behind the object" '{"users":[1500],"network_mode":"no-network"} trailing' 'bad\.json'
bad "case_A1: a key twice" '{"users":[1500],"network_mode":"no-network","network_mode":"public"}' 'network_mode|duplicate'
bad "case_A1: no JSON" 'network_mode = "public"' 'bad\.json'
bad "case_A1: a list" '[]' 'bad\.json'
bad "case_A1: a mode that is none" '{"users":[1500],"network_mode":"No-Network"}' 'network_mode'
bad "case_A1: an allowlist without a list" '{"users":[1500],"network_mode":"allowlist"}' 'allowed_hosts'
bad "case_A1: an empty allowlist" '{"users":[1500],"network_mode":"allowlist","allowed_hosts":[]}' 'allowed_hosts'
bad "case_A1: a list in a mode that has none" \
	'{"users":[1500],"network_mode":"no-network","allowed_hosts":["192.0.2.1"]}' 'allowed_hosts'

# case_A3: the uid in the policy is the wrong one.
for uid in 0 4294967295 4294967296 -1 '"1000"' 1000.5 '"root"' '"0-10"'  '"9-8"' true null; do
	bad "case_A3: users [$uid]" "{\"network_mode\":\"no-network\",\"users\":[$uid]}" 'users'
done
bad "case_A3: nobody" '{"network_mode":"no-network","users":[]}' 'users'
# Who a user is, and whether --user names one, is known where the policy is applied.
bad_here "case_A3: a user whom nobody knows" '{"network_mode":"no-network","users":["nobody-here"]}' 'nobody-here'
bad_here "case_A3: no users at all" '{"network_mode":"no-network"}' 'user'
refused "case_A3: --user outside of the policy" 2 'user' apply --user 1501 "$WORLD/none.json"
refused "case_A3: --user root" 2 'user|0' apply --user 0 "$WORLD/none.json"

# case_A4: what a wildcard means.
for host in '*' '*.' '*.com' '*.co.uk' 'api.*.test' '*example.test' '**.a.test' ''; do
	bad "case_A4: \"$host\" is refused" \
		"{\"network_mode\":\"allowlist\",\"users\":[1500],\"allowed_hosts\":[\"$host\"]}" 'allowed_hosts'
done
policy wildcard <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["*.example.test"] }
END
for host in a.example.test a.b.example.test; do
	status 0 "case_A4: *.example.test takes $host" fw check "$WORLD/wildcard.json" "https://$host/"
done
for host in example.test notexample.test example.test.evil.test axexample.test; do
	status 1 "case_A4: *.example.test does not take $host" fw check "$WORLD/wildcard.json" "https://$host/"
done

# case_A7: no variable of the image widens anything.
policy literal <<'END'
{ "network_mode": "allowlist", "users": [1500], "allowed_hosts": ["203.0.113.80:443"] }
END
cat >"$WORLD/aliases" <<'END'
203 198.51.100.7
END
image() {
	agent env EGRESSFW_POLICY=/dev/null EGRESSFW_MODE=public HTTP_PROXY=http://203.0.113.9:3128 \
		HTTPS_PROXY=http://203.0.113.9:3128 ALL_PROXY=socks5://203.0.113.9 NO_PROXY='*' \
		RES_OPTIONS='ndots:9 use-vc' LOCALDOMAIN=corp.test HOSTALIASES="$WORLD/aliases" \
		SSL_CERT_FILE=/dev/null POSIXLY_CORRECT=1 "$EGRESSFW" "$@"
}
same "case_A7: the plan is the same under a hostile environment" \
	"$(fw plan "$WORLD/literal.json" 2>&1)" "$(image plan "$WORLD/literal.json" 2>&1)"
check "case_A7: apply under a hostile environment" image apply "$WORLD/literal.json"
closed "case_A7: closed afterwards" tcp 1.1.1.1:443
reached "case_A7: the allowed address is reached" tcp 203.0.113.80:443

# A library that the image preloads is loaded once, by the loader, and never by the run that applies. A static
# program has no loader.
cat >"$WORLD/shim.c" <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void note(void)
{
	int file = open(getenv("SHIM_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (file < 0 || write(file, "x", 1) != 1)
		_exit(99);
}
END
cc -shared -fPIC -o "$WORLD/shim.so" "$WORLD/shim.c"
check "case_A7: apply with LD_PRELOAD set" agent env LD_PRELOAD="$WORLD/shim.so" GLIBC_TUNABLES=glibc.malloc.check=0 \
	SHIM_LOG="$WORLD/shim.log" "$EGRESSFW" apply "$WORLD/literal.json"
loaded=
touch "$WORLD/shim.log"
readelf -lW "$EGRESSFW" | grep -q INTERP && loaded=x
same "case_A7: the preloaded library is shed" "$loaded" "$(cat "$WORLD/shim.log")"
closed "case_A7: closed after LD_PRELOAD" tcp 1.1.1.1:443

# Who may write the policy decides what it says.
no_network writable
chmod 666 "$WORLD/writable.json"
refused "a policy that others may write" 2 'writ' apply "$WORLD/writable.json"
chmod 644 "$WORLD/writable.json"
chown $AGENT_UID "$WORLD/writable.json"
refused "a policy that the confined user owns" 2 'own' apply "$WORLD/writable.json"
finish
