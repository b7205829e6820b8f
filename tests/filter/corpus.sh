#!/bin/bash
# corpus.sh: each request and each hello of the corpora gets its documented answer from the running filter.
. "${srcdir:-.}/tests/filter/http_lib.sh" || exit 1
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
# every WHAT LEAST: sends that corpus; a line for each of its groups.
every() {
	local sent different about total=0
	as_user "$AGENT_UID" timeout 250 "$WORLD/bin/corpus" 3128 "$1" >"$WORLD/corpus"
	while read -r sent different about; do
		case $sent in
		'#') echo "# $different $about" ;;
		*)
			total=$((total + sent))
			if [ "$different" -eq 0 ]; then
				ok "$about ($sent $1)"
			else
				not_ok "$about" "$different of $sent were answered otherwise"
			fi
			;;
		esac
	done <"$WORLD/corpus"
	[ "$total" -ge "$2" ] && ok "$total $1 were sent" || not_ok "only $total $1 were sent"
}

check "a request" as_user "$AGENT_UID" curl -sS -m 10 -o /dev/null -x http://127.0.0.1:3128 http://allowed.test/
before=$(descriptors)
every requests 300
same "nothing that was denied or refused reached a server" "" "$(origin_since host | grep -iv \
	-e '^allowed\.test\(:443\)\?$' -e '\.wild\.test$' -e '^port\.test:8080$' -e '^61000047\.r\.h\.test$' \
	-e '^xn--bcher-kva\.test$' -e '^203\.0\.113\.5$' -e '^\[2001:db8:1::5\]$')"
every hellos 130
# Some pipes are kept for the next tunnels.
settled() { [ "$(descriptors)" -le $((before + 8)) ]; }
until_true settled && ok "no descriptor is left" || not_ok "no descriptor is left"
filter_end
same "the filter ended in order" 0 "$filter_status"
finish
