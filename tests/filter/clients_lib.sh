# clients_lib.sh: a web server with a certificate behind the filter, and a user who is told of the filter; sourced.
# shellcheck shell=bash
#
#   clients_begin      a world, names, a filter that allows allowed.test (443 and 8443 too) and other.test, servers
#   proxied CMD...     as the agent, in its home $home, with the variables that `egressfw env` prints, and ours of trust
#
# Files are in $web/files, repositories in $web/git, the certificate is $web/certificate.
. "${srcdir:-.}/tests/filter/http_lib.sh" || exit 1

web_serve() {
	local ready=$WORLD/web-ready line
	rm -f "$ready"
	mkfifo "$ready"
	nsenter -t "$world_far" -n -w -- "$PYTHON" "$SRCDIR/tests/filter/web_server.py" "$web" "$@" \
		>"$ready" 2>>"$WORLD/web.err" </dev/null &
	world_pids+=("$!")
	read -r -t 20 line <"$ready"
	[ "$line" = ready ] || { cat "$WORLD/web.err"; echo 'Bail out! the web server did not start'; exit 1; }
}

clients_begin() {
	filter_begin
	serve_end "$served_pid"
	http_names
	policy=$WORLD/policy.json
	cat >"$policy" <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter",
		  "allowed_hosts": ["allowed.test", "allowed.test:8443", "other.test"] }
	END
	filter_settings <"$policy"
	filter_start
	web=$WORLD/web
	mkdir -p "$web/files" "$web/git"
	echo "a file" >"$web/files/file"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 7 -subj /CN=test \
		-addext subjectAltName=DNS:allowed.test,DNS:denied.test,DNS:other.test \
		-keyout "$web/key" -out "$web/certificate" 2>/dev/null
	cat "$web/key" "$web/certificate" >"$web/both"
	chmod 644 "$web/certificate"
	web_serve 80
	web_serve 443 "$web/both"
	web_serve 8443 "$web/both" secp384r1
	home=$WORLD/home
	install -d -o "$AGENT_UID" -g "$AGENT_UID" "$home"
	# The filter is the only way out, as it is behind the rules of apply.
	agent nft -f - <<-END
		table inet closed {
			chain output {
				type filter hook output priority 0;
				meta skuid $AGENT_UID oifname != "lo" meta l4proto tcp reject with tcp reset
				meta skuid $AGENT_UID oifname != "lo" reject with icmpx admin-prohibited
			}
		}
	END
	# What a shell has after it has evaluated them.
	mapfile -d '' proxy_variables < <(env -i PATH=/usr/bin:/bin sh -c 'unset PWD; eval "$("$1" env \
		--filter-listen 127.0.0.1:3128 "$2")"; env -0' sh "$EGRESSFW" "$policy" | grep -zE "^(.*_?(proxy|PROXY)|NODE_USE_ENV_PROXY|JAVA_TOOL_OPTIONS)=")
}

# A server on the agent's side, at port 8099 of loopback, over both families.
loopback_serve() {
	nsenter -t "$world_agent" -m -n -w -- "$PYTHON" -c 'import functools, http.server, socket, sys
class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
Server(("::", 8099), functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])).serve_forever()' \
		"$web/files" >/dev/null 2>&1 </dev/null &
	world_pids+=("$!")
	until_true eval 'agent ss -Hltn "sport = :8099" | grep -q LISTEN'
}

proxied() {
	as_user "$AGENT_UID" env -i -C "$home" PATH=/usr/local/bin:/usr/bin:/bin HOME="$home" LANG=C "${proxy_variables[@]}" \
		CURL_CA_BUNDLE="$web/certificate" SSL_CERT_FILE="$web/certificate" GIT_SSL_CAINFO="$web/certificate" \
		NODE_EXTRA_CA_CERTS="$web/certificate" CARGO_HTTP_CAINFO="$web/certificate" GIT_TERMINAL_PROMPT=0 "$@"
}
