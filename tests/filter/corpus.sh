#!/bin/bash
# corpus.sh: each request and each hello of the corpora gets its documented answer from the running filter.
. "${srcdir:-.}/tests/filter/http_lib.sh"
CORPUS=${CORPUS:-$BUILDDIR/tests/filter/corpus}
http_begin
http_names
install -m 755 "$CORPUS" "$WORLD/bin/corpus"
filter_settings '"limits": { "header_bytes": 8192, "hello_bytes": 32768 }' <<END
{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter",
  "allowed_hosts": ["allowed.test", "*.wild.test", "port.test:8080", "61000047.r.h.test", "xn--bcher-kva.test",
	"203.0.113.5", "2001:db8:1::5", "a.test:22"] }
END
filter_start
check "a request" as_user "$AGENT_UID" curl -sS -m 10 -o /dev/null -x http://127.0.0.1:3128 http://allowed.test/
before=$(descriptors)
check "every request" as_user "$AGENT_UID" timeout 250 "$WORLD/bin/corpus" 3128 requests
same "nothing that was denied or refused reached a server" "" "$(origin_since host | grep -iv \
	-e '^allowed\.test\(:443\)\?$' -e '\.wild\.test$' -e '^port\.test:8080$' -e '^61000047\.r\.h\.test$' \
	-e '^xn--bcher-kva\.test$' -e '^203\.0\.113\.5$' -e '^\[2001:db8:1::5\]$')"
check "every hello" as_user "$AGENT_UID" timeout 250 "$WORLD/bin/corpus" 3128 hellos
# Some pipes are kept for the next tunnels.
settled() { [ "$(descriptors)" -le $((before + 8)) ]; }
until_true settled && ok "no descriptor is left" || not_ok "no descriptor is left"
filter_end
same "the filter ended in order" 0 "$filter_status"
finish
