#!/bin/bash
# run_browser.sh: a real browser under egressfw run: its own sandbox, its scripts, and nothing beyond the policy.
. "${srcdir:-.}/tests/net/cases.sh" || exit 1
command -v chromium >/dev/null || skip_all "needs chromium"
cases_begin
allowed=203.0.113.80 refused=203.0.113.81
policy browser <<<"{ \"network_mode\": \"allowlist\", \"users\": [\"agent\"], \"allowed_hosts\": [\"$allowed:80\"] }"
install -d -m 755 -o $AGENT_UID -g $AGENT_UID "$WORLD/home"
printf '<p id="a">before</p><script>document.getElementById("a").textContent = "counted " + 6 * 7;</script>\n' >"$WORLD/page.html"
chmod 644 "$WORLD/page.html"

# The browser as the confined user; it asks for its sandbox and ends where it cannot have it.
browse() {
	fw run --quiet --no-canary --no-hosts --cwd "$WORLD/home" --env HOME="$WORLD/home" "$WORLD/browser.json" -- \
		timeout 90 chromium --headless --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$WORLD/home/profile" --timeout=5000 "$@"
}

# shows NAME PATTERN URL: what the browser makes of the page, or says about it.
shows() {
	local name=$1 pattern=$2
	browse --dump-dom "$3" >"$WORLD/out" 2>"$WORLD/err" </dev/null
	if grep -q "$pattern" "$WORLD/out" "$WORLD/err"; then
		ok "$name"
	else
		not_ok "$name" "wanted: $pattern" "$(head -c 1500 "$WORLD/out")" "$(grep -v dbus "$WORLD/err" | tail -n 8)"
	fi
}

if as_user $AGENT_UID unshare -Urnpf true; then
	shows "a page with a script" 'counted 42' "file://$WORLD/page.html"
	wire_mark
	# The far side echoes what it gets, which is no answer in HTTP.
	browse --dump-dom "http://$allowed/" >"$WORLD/out" 2>"$WORLD/err" </dev/null
	same "a server that is allowed is reached" yes "$(wire_since "\$2 == \"tcp\" && \$5 == \"$allowed\"" | awk 'END { print NR ? "yes" : "no" }')"
	wire_mark
	shows "one that is not" 'ERR_CONNECTION_REFUSED' "http://$refused/"
	shows "nor over IPv6" 'ERR_CONNECTION_REFUSED' "http://[2001:db8:113::81]/"
	same "nothing left" "" "$(wire_since)"
else
	skip "a browser in its own sandbox" "the user cannot have namespaces here"
fi
finish
