#!/bin/bash
# connect.sh: CONNECT allowed and refused: by name, wildcard, blocked host, port and address; one name only.
. "${srcdir:-.}/tests/filter/lib.sh" || exit 1
filter_begin
dns_script <<'END'
allowed.test A 203.0.113.5
allowed.test AAAA 2001:db8:1::5
other.test A 203.0.113.6
*.wild.test A 203.0.113.7
six.test AAAA 2001:db8:1::6
lane.test A 203.0.113.8
sub.blocked.test A 203.0.113.9
blocked.test A 203.0.113.9
alias.test A 203.0.113.66
END
allowlist() {
	filter_settings "$@" <<-END
		{ "network_mode": "allowlist", "users": [$AGENT_UID], "enforcement": "filter",
		  "allowed_hosts": ["allowed.test", "other.test:443", "*.wild.test", "six.test", "198.51.100.7",
				    "203.0.113.0/28:8080"], "model_endpoints": ["https://lane.test:8080/v1", "http://10.0.0.5:8080"] }
	END
}
filter_listen_more=', "[::1]:3128"'
allowlist
filter_start
answers "an exact name" "200 tunnel" allowed.test:443
answers "in another spelling (G6)" "200 tunnel" ALLOWED.Test.:443 allowed.test
answers "a wildcard" "200 tunnel" a.b.wild.test:443
answers "not the wildcard's parent" 403 wild.test:443
answers "a name over IPv6 alone" "200 tunnel" six.test:443
answers "another name" 403 denied.test:443
answers "a name below an exact one" 403 x.allowed.test:443
answers "a port that is not listed" 403 other.test:80
answers "an address" "200 tunnel" 198.51.100.7:443
answers "an address within a prefix" "200 tunnel" 203.0.113.9:8080
answers "the prefix with another port" 403 203.0.113.9:443
answers "a lane" "200 tunnel" lane.test:8080
answers "a lane's host with another port" 403 lane.test:443
answers "a lane at a private address" "200 tunnel" 10.0.0.5:8080
for target in 127.0.0.1:22 127.0.0.1:3128 '[::1]:443' 0.0.0.0:443 169.254.169.254:80 10.0.0.5:443; do
	answers "never to $target (G1)" 403 "$target"
done
for target in 2130706433:443 0x7f000001:443 0177.0.0.1:443 127.1:443 127.0.0.1.:443 '[::ffff:7f00:1]:443' \
	'[allowed.test]:443' h h: :443 h:0 h:65536 h:443x u@allowed.test:443 http://allowed.test:443 \
	allowed.test%00.denied.test:443 'allowed.test\:443'; do
	answers "malformed: $target (G5, G8)" 400 "$target"
done
same "the other listening address" 200 "$(client over ::1 3128 allowed.test:443)"
same "each of them has a line" "CONNECT allowed.test 443 allow allowed_hosts[0] \"allowed.test\" 200 $AGENT_UID" \
	"$(decisions method host port decision rule status uid | sed -n 1p)"

log_mark
# One name: CONNECT's and the hello's (H3, H6).
answers "another server name" "200 closed" allowed.test:443 denied.test
answers "another one that is allowed too" "200 closed" allowed.test:443 other.test
answers "no server name" "200 closed" allowed.test:443 -
answers "case does not matter" "200 tunnel" allowed.test:443 ALLOWED.test
answers "an address with a server name" "200 closed" 198.51.100.7:443 allowed.test
answers "an address without one" "200 tunnel" 198.51.100.7:443 -
same "why they were closed" "allowed.test block server_name_other tls
allowed.test block server_name_other tls
allowed.test block server_name_missing tls
allowed.test allow the destination is listed proxy
198.51.100.7 block server_name_other tls
198.51.100.7 allow the destination is listed proxy" "$(decisions host decision reason layer)"
same "neither TLS nor HTTP" "200 end" "$(client behind allowed.test:443 '\x00\x01\x02' )"
wire_mark
client behind allowed.test:443 '\x00secret' >/dev/null
same "and nothing of it goes out" "" "$(wire_since '$7 ~ /P/')"

# The answer to a denial says what it is.
client raw 'CONNECT denied.test:443 HTTP/1.1\r\nHost: denied.test\r\n\r\n' whole >"$WORLD/out"
: >"$WORLD/err"
says "the decision" '^X-Egressfw-Decision: block'
says "the rule" '^X-Egressfw-Rule: default'
says "the body" '"denied by policy, which is no fault of the network"'
says "it ends in order" '^end$'
same "HTTP/1.0 without Host" 200 "$(client raw 'CONNECT allowed.test:443 HTTP/1.0\r\n\r\n\x00')"
filter_end
same "it ends with 0" 0 "$filter_status"

allowlist '"denial": "hidden"'
filter_start
answers "hidden: 404" 404 denied.test:443
same "hidden: nothing of the policy" "" "$(client raw 'CONNECT denied.test:443 HTTP/1.0\r\n\r\n' whole | grep -i egressfw)"
filter_end

filter_settings <<END
{ "network_mode": "blocklist", "users": [$AGENT_UID], "blocked_urls": ["blocked.test", "203.0.113.66"],
  "allow_model_endpoint": false, "model_endpoints": ["https://lane.test:8080"] }
END
filter_start
answers "blocklist: another host, any port" "200 tunnel" allowed.test:22
answers "blocklist: the host" 403 blocked.test:443
answers "blocklist: below it" 403 sub.blocked.test:443
answers "blocklist: its name with a dot" 403 blocked.test.:443
answers "blocklist: an address" 403 203.0.113.66:443
answers "blocklist: a name that leads there" 403 alias.test:443
answers "blocklist: a model endpoint that is closed" 403 lane.test:8080
answers "blocklist: another port of it" "200 tunnel" lane.test:443
answers "blocklist: loopback" 403 127.0.0.1:3128
filter_end

filter_settings <<END
{ "network_mode": "no-network", "users": [$AGENT_UID], "model_endpoints": ["https://lane.test:8080"] }
END
filter_start
answers "no network: the lane" "200 tunnel" lane.test:8080
answers "no network: nothing else" 403 allowed.test:443
filter_end
finish
